"""Mistakes in models and failures of runs as exceptions, and warnings."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._result import Result


def _colour() -> bool:
    return sys.stderr.isatty() and "NO_COLOR" not in os.environ


class _Told(Exception):
    """What an exception says: diagnostics, and their text with and without colour."""

    def __init__(self, diagnostics: list[dict[str, Any]], plain: str, colour: str) -> None:
        super().__init__(diagnostics, plain, colour)
        self.diagnostics = diagnostics
        self.text = plain
        self._coloured = colour

    @property
    def code(self) -> str:
        """The stable code of the first diagnostic."""
        return str(self.diagnostics[0]["code"]) if self.diagnostics else ""

    @property
    def places(self) -> list[dict[str, Any]]:
        """Where it is: file, line, column and the underlined words."""
        return [place for own in self.diagnostics for place in own["places"]]

    def __str__(self) -> str:
        return self._coloured if _colour() else self.text


class ModelError(_Told):
    """A model, a setting or a parameter that is refused."""


class RunError(_Told):
    """A run that failed, or a run or result used wrongly."""

    table: Any = None

    @property
    def result(self) -> Result | None:
        """What was computed up to the failure."""
        from ._result import Result

        return None if self.table is None else Result(self.table)


class ModelWarning(_Told, UserWarning):
    """A model or a result that probably is not what was intended."""
