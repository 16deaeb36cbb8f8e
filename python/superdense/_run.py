"""A run in the hands of its caller."""

from __future__ import annotations

import warnings
from types import TracebackType
from typing import Any

import numpy as np

from . import _values
from ._analysis import AnalysedRun
from ._progress import Bar, watch
from ._result import Result
from ._superdense import Held, System


class Run(AnalysedRun):
    """A run that advances to a time, is read and set there, forked and saved.

    Only one thread uses it at a time, and nothing after `close`: both are a `RunError`.
    """

    def __init__(self, system: System, held: Held) -> None:
        self._system = system
        self._held = held

    @property
    def t(self) -> float:
        """The time that the run has reached [s]."""
        return self._held.time()

    def advance_to(self, t: Any) -> bool:
        """Advances to a time [s], a number, a fraction or a text such as "1/3"; returns whether
        the run goes on from there."""
        if isinstance(t, bool):
            raise TypeError(f"{t} is no time in seconds")
        return self._held.advance_to(_values.text("t", t)) is None

    def __getitem__(self, name: str) -> Any:
        """A recorded signal at the present time; None if it is absent."""
        own = self._held.get(self._system, name)
        return own if own is None else own[0] if len(own) == 1 else np.asarray(own)

    def __setitem__(self, name: str, value: Any) -> None:
        """Sets an input or a tunable parameter at the present time."""
        self._held.set(name, _values.numbers(name, value))

    def fork(self) -> Run:
        """A second run from this point on."""
        return Run(self._system, self._held.fork())

    def save(self) -> bytes:
        """The run as bytes, for `Model.resume`."""
        return self._held.save()

    def result(self) -> Result:
        """The rows so far."""
        return Result(self._held.rows())

    def finish(self) -> Result:
        """Runs to the stop time and closes the run."""
        bar = watch(None, self._system.stop)
        try:
            table, messages = self._system.finish(self._held, bar)
        finally:
            if isinstance(bar, Bar):
                bar.close()
        for own in messages:
            warnings.warn(own, stacklevel=2)
        return Result(table)

    def close(self) -> None:
        """Frees the run."""
        self._held.close()

    def __enter__(self) -> Run:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
