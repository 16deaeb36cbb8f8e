"""How far a run has come, on the last line of a terminal or under the cell of a notebook."""

from __future__ import annotations

import sys
import time
from typing import Callable, Union

Progress = Union[Callable[[float], object], bool, None]

# A run that is over sooner shows nothing.
PATIENCE = 1.0
WIDTH = 30


def _visible() -> bool:
    """Whether somebody looks: a terminal or a notebook."""
    return sys.stderr.isatty() or type(sys.stderr).__module__.startswith("ipykernel")


class Bar:
    """A bar with the time of the model, the time that has passed and that is left."""

    def __init__(self, stop: float, patience: float) -> None:
        self._stop, self._patience = stop, patience
        self._began = time.monotonic()
        self._first: float | None = None
        self._shown = 0.0
        self._length = 0

    def __call__(self, t: float) -> None:
        now = time.monotonic()
        if self._first is None:
            self._first = t
        if now - self._began < self._patience or now - self._shown < 0.2:
            return
        self._shown = now
        done = (t - self._first) / (self._stop - self._first) if self._stop > self._first else 1.0
        done = min(max(done, 0.0), 1.0)
        passed = now - self._began
        rest = f"{_clock(passed / done - passed)} left" if done > 0 else "..."
        bar = "█" * round(done * WIDTH)
        self._write(f"{done:4.0%}|{bar:<{WIDTH}}| t = {t:.6g} of {self._stop:.6g} s, {rest}")

    def _write(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self._length))
        sys.stderr.flush()
        self._length = len(text)

    def close(self) -> None:
        """Clears the line."""
        if self._length:
            self._write("")
            sys.stderr.write("\r")
            sys.stderr.flush()


def _clock(seconds: float) -> str:
    whole = int(min(seconds, 359_999))
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes:02}:{rest:02}"


def watch(progress: Progress, stop: float) -> Union[Callable[[float], object], None]:
    """What a run calls now and then: the caller's function, or a bar if somebody looks."""
    if callable(progress):
        return progress
    if progress is False or (progress is None and not _visible()):
        return None
    return Bar(stop, 0.0 if progress else PATIENCE)
