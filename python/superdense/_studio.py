"""The studio on a model: text, diagram and run on a page in the browser."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import weakref
import webbrowser
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._model import Model


class Studio:
    """A studio that serves its page until it is closed, or Python ends."""

    def __init__(self, model: Model, browser: bool) -> None:
        if model._blocks:
            names = ", ".join(f"`{own.name}`" for own in model._blocks)
            raise ValueError(f"the studio is a program of its own, which cannot call {names}")
        self.path, folder = _placed(model)
        command = [sys.executable, "-m", "superdense", "studio", "--no-browser", str(self.path)]
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True)
        self._end = weakref.finalize(self, _ended, process, folder)
        assert process.stdout is not None and process.stderr is not None
        self.link = process.stdout.readline().strip()
        if not self.link:
            message = process.stderr.read().strip()
            self.close()
            raise OSError(f"the studio did not start: {message}")
        if browser:
            webbrowser.open(self.link)

    def model(self) -> Model:
        """The model as it was last saved in the studio."""
        from ._model import load

        return load(self.path)

    def close(self) -> None:
        """Ends the studio."""
        self._end()

    def __enter__(self) -> Studio:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _repr_html_(self) -> str:
        return f'<a href="{self.link}" target="_blank">The studio of {self.path.name}</a>'

    def __repr__(self) -> str:
        return f"<Studio of {self.path.name}: {self.link if self._end.alive else 'closed'}>"


def _placed(model: Model) -> tuple[Path, tempfile.TemporaryDirectory[str] | None]:
    """The file of a model: its own, or one in a folder that is removed with the studio."""
    (name, _), *others = model._system.files
    text, own = model.to_yaml(), Path(name)
    try:
        if own.read_text(encoding="utf-8") == text:
            return own, None
    except OSError:
        pass
    folder = tempfile.TemporaryDirectory(prefix="superdense-", ignore_cleanup_errors=True)
    path = Path(folder.name) / f"{model.name or 'model'}.yaml"
    for file, other in [(path.name, text), *others]:
        relative = PurePath(file)
        if relative.is_absolute() or ".." in relative.parts:
            raise ValueError(f"`{file}`, which the model imports, is outside of its folder: save both")
        place = Path(folder.name) / relative
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(other, encoding="utf-8", newline="\n")
    return path, folder


def _ended(
    process: subprocess.Popen[str], folder: tempfile.TemporaryDirectory[str] | None
) -> None:
    process.terminate()
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()
    if folder is not None:
        folder.cleanup()
