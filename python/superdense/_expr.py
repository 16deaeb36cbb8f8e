"""Expressions over signals: objects with operators, whose text is what a model file says.

Nothing is evaluated here. An expression is a tree; its text is made when the model is, in the
diagram in which it is used, because only then the names of all blocks are known.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Iterable, NoReturn, Sequence, Union

import numpy as np

if TYPE_CHECKING:
    from ._scope import Scope

# Precedences of the language, from the loosest to the tightest.
CONDITIONAL, OR, AND, NOT, COMPARISON, SUM, PRODUCT, SIGN, POWER, ATOM = range(10)

# Trees that are deeper are refused here, before they exhaust Python's stack; the language itself
# takes 100 nested brackets and 250 operators in a row.
DEEPEST = 300

Written = tuple[str, int]
"""A text with its precedence."""


class Signal:
    """A signal or an expression over signals. Operators make further expressions.

    `+ - * / % // ** @`, comparisons, `&`, `|` and `~` (and, or, not), `abs`, indices, and functions
    of NumPy and of `sd.math` work on it. It has no truth value: use `sd.where(c, a, b)`.
    """

    _depth = 0

    # NumPy leaves operators with an array to this class.
    __array_priority__ = 1000.0

    def _write(self, scope: Scope) -> Written:
        raise NotImplementedError

    def __add__(self, other: Value) -> Signal:
        return Infix("+", SUM, self, other)

    def __radd__(self, other: Value) -> Signal:
        return Infix("+", SUM, other, self)

    def __sub__(self, other: Value) -> Signal:
        return Infix("-", SUM, self, other)

    def __rsub__(self, other: Value) -> Signal:
        return Infix("-", SUM, other, self)

    def __mul__(self, other: Value) -> Signal:
        return Infix("*", PRODUCT, self, other)

    def __rmul__(self, other: Value) -> Signal:
        return Infix("*", PRODUCT, other, self)

    def __matmul__(self, other: Value) -> Signal:
        return Infix("*", PRODUCT, self, other)

    def __rmatmul__(self, other: Value) -> Signal:
        return Infix("*", PRODUCT, other, self)

    def __truediv__(self, other: Value) -> Signal:
        return Infix("/", PRODUCT, self, other)

    def __rtruediv__(self, other: Value) -> Signal:
        return Infix("/", PRODUCT, other, self)

    def __floordiv__(self, other: Value) -> Signal:
        return Call("floor", Infix("/", PRODUCT, self, other))

    def __rfloordiv__(self, other: Value) -> Signal:
        return Call("floor", Infix("/", PRODUCT, other, self))

    def __mod__(self, other: Value) -> Signal:
        return Call("mod", self, other)

    def __rmod__(self, other: Value) -> Signal:
        return Call("mod", other, self)

    def __pow__(self, other: Value) -> Signal:
        return Power(self, other)

    def __rpow__(self, other: Value) -> Signal:
        return Power(other, self)

    def __xor__(self, other: Value) -> NoReturn:
        raise TypeError("`^` is no operator of signals; a power is `**`")

    def __rxor__(self, other: Value) -> NoReturn:
        self.__xor__(other)

    def __neg__(self) -> Signal:
        return Prefix("-", SIGN, self)

    def __pos__(self) -> Signal:
        return self

    def __abs__(self) -> Signal:
        return Call("abs", self)

    def __round__(self, digits: None = None) -> Signal:
        if digits is not None:
            raise TypeError("signals are rounded to integers only")
        return Call("round", self)

    def __floor__(self) -> Signal:
        return Call("floor", self)

    def __ceil__(self) -> Signal:
        return Call("ceil", self)

    def __lt__(self, other: Value) -> Signal:
        return Infix("<", COMPARISON, self, other)

    def __le__(self, other: Value) -> Signal:
        return Infix("<=", COMPARISON, self, other)

    def __gt__(self, other: Value) -> Signal:
        return Infix(">", COMPARISON, self, other)

    def __ge__(self, other: Value) -> Signal:
        return Infix(">=", COMPARISON, self, other)

    def __eq__(self, other: Value) -> Signal:  # type: ignore[override]
        return Infix("==", COMPARISON, self, other)

    def __ne__(self, other: Value) -> Signal:  # type: ignore[override]
        return Infix("!=", COMPARISON, self, other)

    def __hash__(self) -> int:
        return id(self)

    def __and__(self, other: Value) -> Signal:
        return Infix("and", AND, self, other)

    def __rand__(self, other: Value) -> Signal:
        return Infix("and", AND, other, self)

    def __or__(self, other: Value) -> Signal:
        return Infix("or", OR, self, other)

    def __ror__(self, other: Value) -> Signal:
        return Infix("or", OR, other, self)

    def __invert__(self) -> Signal:
        return Prefix("not ", NOT, self)

    def __getitem__(self, index: Any) -> Signal:
        own = index if isinstance(index, tuple) else (index,)
        if any(isinstance(one, (slice, str)) or one is Ellipsis or one is None for one in own):
            raise TypeError("an index of a signal is a number or a signal, such as x[0] or x[i, j]")
        return Indexed(self, own)

    def __bool__(self) -> bool:
        raise TypeError(
            "a signal has no truth value while the model is made; use sd.where(c, a, b) for a "
            "choice, `&`, `|` and `~` for and, or and not, and (a < b) & (b < c) for a chain"
        )

    def __iter__(self) -> NoReturn:
        raise TypeError("the number of elements of a signal is not known yet; use its indices")

    def __contains__(self, other: object) -> NoReturn:
        raise TypeError("a signal contains nothing while the model is made")

    def __float__(self) -> float:
        raise TypeError("a signal has no number while the model is made; use functions of sd.math")

    __int__ = __index__ = __complex__ = __float__

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **options: Any) -> Any:
        made = _UFUNCS.get(ufunc.__name__)
        if method != "__call__" or options or made is None:
            raise TypeError(f"numpy.{ufunc.__name__} does not work on signals; see sd.math")
        return made(*args)

    def __repr__(self) -> str:
        return f"<Signal {self._shown()}>"

    def _shown(self) -> str:
        """The text as far as it is known without a diagram."""
        from ._scope import ANYWHERE

        try:
            return self._write(ANYWHERE)[0]
        except Exception:
            return "..."


Value = Union[Signal, float, int, bool, str, Fraction, np.generic, "np.ndarray[Any, Any]", Sequence[Any]]
"""What a field takes: a signal, a number, a truth value, a vector or matrix as lists or as an array,
or a text with an expression of the language or a word."""


def number(value: float) -> str:
    """The shortest text of a number."""
    if isinstance(value, float):
        if math.isnan(value):
            raise ValueError("NaN is no number of a model")
        if math.isinf(value):
            return "inf" if value > 0 else "-inf"
        return repr(value).replace("e-0", "e-")
    return str(value)


def written(value: Value, scope: Scope) -> Written:
    """The text of an operand or a field."""
    if isinstance(value, Signal):
        return value._write(scope)
    if isinstance(value, (bool, np.bool_)):
        return ("true" if value else "false"), ATOM
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (int, float)):
        text = number(value)
        return text, SIGN if text.startswith("-") else ATOM
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}", PRODUCT
    if isinstance(value, np.ndarray):
        return written(value.tolist(), scope)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(written(own, scope)[0] for own in value) + "]", ATOM
    if isinstance(value, str):
        return value, CONDITIONAL
    raise TypeError(f"a {type(value).__name__} is no value of a model: {value!r}")


def within(value: Value, scope: Scope, least: int) -> str:
    """The text of an operand, in brackets if it binds more loosely than its place needs."""
    text, precedence = written(value, scope)
    return text if precedence >= least else f"({text})"


def checked(value: Any) -> Any:
    """An operand, which is refused where it is written, not where the text is made."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, str):
        raise TypeError(f"the text {value!r} is no operand; use sd.expr({value!r})")
    if isinstance(value, float) and math.isnan(value):
        raise ValueError("NaN is no number of a model")
    if isinstance(value, (list, tuple)):
        return [checked(own) for own in value]
    if isinstance(value, (Signal, bool, int, float, Fraction, np.generic)):
        return value
    raise TypeError(f"a {type(value).__name__} is no operand of a signal: {value!r}")


class Operation(Signal):
    """An expression with operands."""

    def __init__(self, *operands: Any) -> None:
        self._operands = [checked(own) for own in operands]
        depths = [own._depth for own in self._operands if isinstance(own, Signal)]
        self._depth = 1 + max(depths, default=0)
        if self._depth > DEEPEST:
            raise ValueError(
                f"the expression is nested more than {DEEPEST} deep; give a part of it a block of "
                "its own, such as d.Expression(...), or use sd.math.sum([...]) for a long sum"
            )


class Infix(Operation):
    """`a + b`."""

    def __init__(self, sign: str, precedence: int, a: Any, b: Any) -> None:
        super().__init__(a, b)
        self._sign, self._precedence = sign, precedence

    def _write(self, scope: Scope) -> Written:
        own = self._precedence
        # Operators of one precedence are grouped from the left; comparisons are not chained.
        left = within(self._operands[0], scope, own + (own == COMPARISON))
        right = within(self._operands[1], scope, own + 1)
        return f"{left} {self._sign} {right}", own


class Power(Operation):
    """`a ^ b`, grouped from the right."""

    def _write(self, scope: Scope) -> Written:
        base, exponent = self._operands
        return f"{within(base, scope, ATOM)}^{within(exponent, scope, SIGN)}", POWER


class Prefix(Operation):
    """`-a`, `not a`."""

    def __init__(self, sign: str, precedence: int, a: Any) -> None:
        super().__init__(a)
        self._sign, self._precedence = sign, precedence

    def _write(self, scope: Scope) -> Written:
        operand = within(self._operands[0], scope, self._precedence + 1)
        return f"{self._sign}{operand}", self._precedence


class Call(Operation):
    """`f(a, b)`."""

    def __init__(self, function: str, *operands: Any) -> None:
        super().__init__(*operands)
        self._function = function

    def _write(self, scope: Scope) -> Written:
        own = ", ".join(written(operand, scope)[0] for operand in self._operands)
        return f"{self._function}({own})", ATOM


class Conditional(Operation):
    """`if c then a else b`."""

    def _write(self, scope: Scope) -> Written:
        condition, a = (within(own, scope, OR) for own in self._operands[:2])
        b = written(self._operands[2], scope)[0]
        return f"if {condition} then {a} else {b}", CONDITIONAL


class Indexed(Operation):
    """`x[i, j]`."""

    def __init__(self, base: Signal, index: Iterable[Any]) -> None:
        super().__init__(base, *index)

    def _write(self, scope: Scope) -> Written:
        base, *index = self._operands
        own = ", ".join(written(operand, scope)[0] for operand in index)
        return f"{within(base, scope, ATOM)}[{own}]", ATOM


class Text(Signal):
    """A text of the language as it is, such as a constant."""

    def __init__(self, text: str, precedence: int = CONDITIONAL) -> None:
        self._text, self._precedence = text, precedence

    def _write(self, scope: Scope) -> Written:
        return self._text, self._precedence


class Vector(Operation):
    """A vector or matrix as an expression."""

    def _write(self, scope: Scope) -> Written:
        return written(self._operands, scope)


def expr(text: str) -> Signal:
    """An expression as a model file has it: `sd.expr("1/3")`, `sd.expr("sin(w * time)")`."""
    return Text(text)


def where(condition: Value, a: Value, b: Value) -> Signal:
    """`a` if the condition holds, otherwise `b`.

    >>> d.Integrator(sd.where(work > 0, -1, 0))
    """
    return Conditional(condition, a, b)


def vector(*elements: Value) -> Signal:
    """A vector of signals, for operators: `sd.vector(x, y) * 2`. A field takes a plain list."""
    return Vector(*elements)


time: Signal = Text("time", ATOM)
"""The model time [s]."""

absent: Signal = Text("absent", ATOM)
"""An event signal without events."""

elapsed: Signal = Text("elapsed", ATOM)
"""In a guard: how long the state has lasted [s]."""


def previous(x: Value) -> Signal:
    """The value one microstep ago."""
    return Call("previous", x)


def left(x: Value) -> Signal:
    """The value at microstep 0 of this instant."""
    return Call("left", x)


def last(x: Value, initial: Value) -> Signal:
    """The latest value of an event signal strictly before this tag, and before the first event the
    constant `initial`."""
    return Call("last", x, initial)


def when(condition: Value, x: Value) -> Signal:
    """`x`, present only if the condition holds."""
    return Call("when", condition, x)


def present(x: Value) -> Signal:
    """Whether a signal is present at this tag."""
    return Call("present", x)


def delta(argument: Value, order: int = 0) -> Signal:
    """A Dirac impulse, or its derivative of an order, where the argument, linear in time, is zero.

    >>> d.Integrator(2 * sd.delta(sd.time - 1))
    """
    return Call("delta", argument, order) if order else Call("delta", argument)


def call(function: str, *arguments: Value) -> Signal:
    """A call of a function that the model defines by `d.functions`."""
    return Call(function, *arguments)


def _infix(sign: str, precedence: int) -> Any:
    return lambda a, b: Infix(sign, precedence, a, b)


def _calls(name: str) -> Any:
    return lambda *arguments: Call(name, *arguments)


_UFUNCS: dict[str, Any] = {
    "add": _infix("+", SUM),
    "subtract": _infix("-", SUM),
    "multiply": _infix("*", PRODUCT),
    "matmul": _infix("*", PRODUCT),
    "divide": _infix("/", PRODUCT),
    "true_divide": _infix("/", PRODUCT),
    "less": _infix("<", COMPARISON),
    "less_equal": _infix("<=", COMPARISON),
    "greater": _infix(">", COMPARISON),
    "greater_equal": _infix(">=", COMPARISON),
    "equal": _infix("==", COMPARISON),
    "not_equal": _infix("!=", COMPARISON),
    "logical_and": _infix("and", AND),
    "logical_or": _infix("or", OR),
    "logical_not": lambda a: Prefix("not ", NOT, a),
    "negative": lambda a: Prefix("-", SIGN, a),
    "power": Power,
    "square": lambda a: Power(a, 2),
    "floor_divide": lambda a, b: Call("floor", Infix("/", PRODUCT, a, b)),
}
_UFUNCS.update(
    (numpy, _calls(own))
    for numpy, own in {
        "sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin", "arccos": "acos",
        "arctan": "atan", "arctan2": "atan2", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
        "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "exp": "exp", "log": "log",
        "log10": "log10", "log2": "log2", "sqrt": "sqrt", "hypot": "hypot", "absolute": "abs",
        "fabs": "abs", "sign": "sign", "floor": "floor", "ceil": "ceil", "mod": "mod",
        "remainder": "mod", "minimum": "min", "maximum": "max",
    }.items()
)  # fmt: skip
