"""Superdense simulates hybrid systems: continuous motion, events and impulses in one model.

>>> import superdense as sd
>>> model = sd.load("ball.yaml")
>>> r = model.run(stop=12, e=0.9)
>>> r.t, r.y

A model is also made in Python:

>>> d = sd.Diagram("decay")
>>> x = d.Integrator(-2 * d["x"], initial=1)
>>> d.run(stop=3).x
"""

from typing import TYPE_CHECKING, Any

from ._analysis import LinearModel, Switch, Trimmed
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
from ._model import Model, load, parse
from ._result import Events, Impulses, Result, read
from ._run import Run

if TYPE_CHECKING:
    from . import math
    from ._diagram import Diagram, Input, Parameter, diagram
    from ._machine import Machine, State
    from ._scope import Block, Scope

__all__ = [
    "Block", "Diagram", "Events", "Impulses", "Input", "LinearModel", "Machine", "Model",
    "ModelError", "ModelWarning", "Parameter", "Result", "Run", "RunError", "Scope", "Signal",
    "State", "Switch", "Trimmed", "Value", "absent", "block", "call", "delta", "diagram",
    "elapsed", "expr", "function", "last", "left", "load", "math", "parse", "present", "previous",
    "read", "time", "vector", "when", "where",
]  # fmt: skip

# The methods for all blocks are read when the first diagram is made: a program that runs model files
# does not wait for them.
_LATER = {
    "Diagram": "_diagram", "Input": "_diagram", "Parameter": "_diagram", "diagram": "_diagram",
    "Machine": "_machine", "State": "_machine", "Block": "_scope", "Scope": "_scope",
    "math": "math",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'superdense' has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f"{__name__}.{_LATER[name]}")
    own = module if name == "math" else getattr(module, name)
    globals()[name] = own
    return own


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
