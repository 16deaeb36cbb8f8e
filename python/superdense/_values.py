"""Values of Python as the text that the command line takes, so that the bits are the same."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Mapping, Sequence, Union

import numpy as np
import numpy.typing as npt

Value = Union[float, bool, str, Fraction, Sequence[Any], npt.NDArray[Any]]


def text(name: str, value: Any) -> str:
    """The shortest text of a value; a string is an expression or a word."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        if math.isnan(value):
            raise ValueError(f"the value of `{name}` is NaN")
        return repr(float(value))
    if isinstance(value, np.ndarray):
        return text(name, value.tolist())
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(text(name, own) for own in value) + "]"
    kind = type(value).__name__
    raise TypeError(f"the value of `{name}` is a {kind}; give a number, a list or a text")


def numbers(name: str, value: Any) -> list[float]:
    """The elements of a value in row-major order."""
    try:
        array = np.asarray(value)
        # Fractions and the like are objects for NumPy.
        if array.dtype.kind not in "biufO":
            raise TypeError(f"its elements are of type {array.dtype}")
        if any(isinstance(own, (str, bytes)) for own in array.flat):
            raise TypeError("it is a text")
        array = array.astype(float)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(f"the value of `{name}` is no number or array: {error}") from None
    return [float(own) for own in array.ravel()]


def mapping(name: str, value: Any) -> dict[str, Any]:
    """The entries of a mapping from names to values; none if nothing is given."""
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(own, str) for own in value):
        raise TypeError(f"`{name}` is a mapping from names to values, not {value!r}")
    return dict(value)
