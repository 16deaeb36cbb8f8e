"""The studio beside a program or a notebook."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import weakref
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._model import Model


class Studio:
    """A studio that serves one model until it is closed, or this object or Python goes."""

    def __init__(self, model: Model, path: str | os.PathLike[str] | None, browser: bool) -> None:
        self._blocks = model._blocks
        self._place: tempfile.TemporaryDirectory[str] | None = None
        self.path = self._written(model, path)
        command = [sys.executable, "-m", "superdense", "studio", os.fspath(self.path)]
        if not browser:
            command.append("--no-browser")
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        )
        assert self._process.stdout is not None
        self.link = self._process.stdout.readline().strip()
        if not self.link:
            _, why = self._process.communicate()
            raise RuntimeError(why.strip() or "the studio did not start")
        self._end = weakref.finalize(self, _ended, self._process)

    def _written(self, model: Model, path: str | os.PathLike[str] | None) -> Path:
        """The file to work on: the one given, that of the model, or a new one."""
        if path is not None:
            model.save(path)
            return Path(path)
        (name, text), *others = model._system.files
        own = Path(name)
        if not model._made and own.is_file() and own.read_text(encoding="utf-8") == text:
            return own
        if others:
            raise ValueError("a model that imports files needs a `path` beside them")
        self._place = tempfile.TemporaryDirectory(prefix="superdense-")
        own = Path(self._place.name) / f"{model.name}.yaml"
        model.save(own)
        return own

    def model(self) -> Model:
        """The model as it was last saved in the studio."""
        from ._model import load

        return load(self.path, blocks=self._blocks)

    def close(self) -> None:
        """Ends the studio."""
        self._end()

    def __enter__(self) -> Studio:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _repr_html_(self) -> str:
        return f'<a href="{self.link}" target="_blank">Studio of {self.path.name}</a>'

    def __repr__(self) -> str:
        return f"<Studio of {self.path}: {self.link}>"


def _ended(process: subprocess.Popen[str]) -> None:
    process.terminate()
    process.communicate()
