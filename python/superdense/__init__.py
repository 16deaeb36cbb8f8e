"""Superdense simulates hybrid systems: continuous motion, events and impulses in one model.

>>> import superdense as sd
>>> model = sd.load("ball.yaml")
>>> r = model.run(stop=12, e=0.7)
>>> r.t, r.y
"""

from ._analysis import LinearModel, Switch, Trimmed
from ._errors import ModelError, ModelWarning, RunError
from ._model import Model, load, parse
from ._result import Events, Impulses, Result, read
from ._run import Run

__all__ = [
    "Events", "Impulses", "LinearModel", "Model", "ModelError", "ModelWarning", "Result", "Run", "RunError",
    "Switch", "Trimmed", "load", "parse", "read",
]
