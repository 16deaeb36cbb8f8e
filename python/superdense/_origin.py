"""Where in a Python program something was made, and the name of the variable that it is given."""

from __future__ import annotations

import dis
import linecache
import os
import sys
from functools import lru_cache
from types import CodeType, FrameType
from typing import NamedTuple

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class Origin(NamedTuple):
    """A line of a Python program."""

    file: str
    line: int

    @property
    def words(self) -> str:
        """The text of the line."""
        return linecache.getline(self.file, self.line).strip()

    def __str__(self) -> str:
        place = f"{os.path.basename(self.file)}, line {self.line}"
        return f"{place}: {self.words}" if self.words else place


def _frame() -> FrameType | None:
    """The frame outside this package that called into it."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return frame


def here() -> Origin:
    """The line that called into this package."""
    frame = _frame()
    return Origin("", 0) if frame is None else Origin(frame.f_code.co_filename, frame.f_lineno)


def variable() -> str | None:
    """The variable to which the result of the call in progress is assigned, if it is."""
    frame = _frame()
    return None if frame is None else _stores(frame.f_code).get(frame.f_lasti)


@lru_cache(maxsize=256)
def _stores(code: CodeType) -> dict[int, str]:
    """For each call whose result is stored at once, the offsets of the call and the variable."""
    found: dict[int, str] = {}
    call: int | None = None
    for own in dis.get_instructions(code):
        if call is not None and own.opname.startswith("STORE_") and own.argval is not None:
            # Some versions store two variables, or store one and load another, by one instruction.
            name = own.argval[0] if isinstance(own.argval, tuple) else own.argval
            if own.opname != "STORE_SUBSCR" and isinstance(name, str):
                # The frame is at the call or at what the interpreter keeps behind it.
                found.update((offset, name) for offset in range(call, own.offset, 2))
        if own.opname not in ("CACHE", "EXTENDED_ARG"):
            call = own.offset if own.opname.startswith("CALL") else None
    return found
