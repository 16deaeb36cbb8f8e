"""Superdense simulates hybrid systems: continuous motion, events and impulses in one model.

>>> import superdense as sd
>>> model = sd.load("ball.yaml")
>>> r = model.run(stop=12, e=0.7)
>>> r.t, r.y

A model is also made in Python:

>>> d = sd.Diagram("decay")
>>> x = d.Integrator(-2 * d["x"], initial=1)
>>> d.run(stop=3).x
"""

from ._analysis import LinearModel, Switch, Trimmed
from ._diagram import Diagram, Input, Parameter, diagram
from ._errors import ModelError, ModelWarning, RunError
from ._expr import (
    Signal,
    Value,
    absent,
    call,
    delta,
    elapsed,
    expr,
    last,
    left,
    present,
    previous,
    time,
    vector,
    when,
    where,
)
from ._foreign import block, function
from ._machine import Machine, State
from ._model import Model, load, parse
from ._result import Events, Impulses, Result, read
from ._run import Run
from ._scope import Block, Scope
from . import math

__all__ = [
    "Block", "Diagram", "Events", "Impulses", "Input", "LinearModel", "Machine", "Model",
    "ModelError", "ModelWarning", "Parameter", "Result", "Run", "RunError", "Scope", "Signal",
    "State", "Switch", "Trimmed", "Value", "absent", "block", "call", "delta", "diagram",
    "elapsed", "expr", "function", "last", "left", "load", "math", "parse", "present", "previous",
    "read", "time", "vector", "when", "where",
]  # fmt: skip
