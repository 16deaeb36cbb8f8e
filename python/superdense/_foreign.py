"""Blocks whose functions are written in Python, or are compiled functions that Python holds."""

from __future__ import annotations

import copy
import inspect
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence, overload

import numpy as np

from . import _values
from ._expr import Signal
from ._superdense import Foreign

if TYPE_CHECKING:
    from ._scope import Block, Over

Shape = tuple[int, ...]
Outputs = "dict[str, Shape]"


class PythonBlock:
    """A kind of block from Python. Called with a diagram first it makes a block there, otherwise it
    is the function that it was made of.

    A model file names it by its name, if the model is read with `blocks=[...]`.
    """

    def __init__(self, made: Any, name: str) -> None:
        if not name.isidentifier():
            raise ValueError(f"`{name}` cannot be the name of a block; give one by `name=`")
        self.__name__ = self.name = name
        self.__doc__ = getattr(made, "__doc__", None)
        self.__module__ = getattr(made, "__module__", __name__)
        self.__qualname__ = getattr(made, "__qualname__", name)
        self._made = made
        self._inputs: list[str] = []
        self._parameters: dict[str, Any] = {}
        self._outputs: dict[str, Shape] = {"output": ()}
        self._own: Foreign | None = None

    @property
    def foreign(self) -> Foreign:
        """The block for the compiler."""
        if self._own is None:
            self._own = self._build()
        return self._own

    def _build(self) -> Foreign:
        raise NotImplementedError

    def _heading(self) -> tuple[str, str]:
        text = inspect.cleandoc(self.__doc__) if self.__doc__ else ""
        return self.name, text.split("\n")[0]

    def _given(self) -> list[tuple[str, str | None]]:
        own = self._parameters.items()
        return [(k, None if v is None else _values.text(k, v)) for k, v in own]

    def __call__(
        self, *inputs: Any, name: str | None = None, over: Over = None, **fields: Any
    ) -> Any:
        from ._diagram import _root
        from ._scope import Scope

        if not inputs or not isinstance(inputs[0], Scope):
            if any(isinstance(own, Signal) for own in (*inputs, *fields.values())):
                raise TypeError(f"{self.name}(d, ...) needs the diagram in which it is used first")
            return self._made(*inputs, **fields)
        scope, *given = inputs
        if len(given) > len(self._inputs):
            raise TypeError(f"{self.name} has {len(self._inputs)} inputs, {len(given)} are given")
        _root(scope)._use(self)
        own = {**dict(zip(self._inputs, given)), **fields}
        return scope._add(self.name, own, list(self._outputs), name, over)

    def __reduce__(self) -> Any:
        return self.__qualname__

    def __repr__(self) -> str:
        return f"<Python block {self.name}({', '.join(self._inputs)})>"


def _flat(name: str, value: Any, outputs: Mapping[str, Shape]) -> list[float]:
    """The elements of what a function has returned, checked against its outputs."""
    if isinstance(value, Mapping):
        wrong = set(value) ^ set(outputs)
        if wrong:
            raise ValueError(f"{name} has returned {list(value)} instead of {list(outputs)}")
        values = [value[key] for key in outputs]
    elif len(outputs) == 1:
        values = [value]
    else:
        if not isinstance(value, (tuple, list)) or len(value) != len(outputs):
            raise TypeError(f"{name} must return {len(outputs)} values: {', '.join(outputs)}")
        values = list(value)
    found: list[float] = []
    for (key, shape), own in zip(outputs.items(), values):
        found += _elements(f"{key} of {name}", own, shape)
    return found


def _elements(name: str, value: Any, shape: Shape) -> list[float]:
    if value is None:
        raise TypeError(f"{name} is None")
    array = np.asarray(value)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} is {value!r}, no number or array of numbers")
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape} instead of {shape}")
    numbers: list[float] = array.astype(float).ravel().tolist()
    return numbers


def _arguments(made: Any) -> tuple[list[str], dict[str, Any]]:
    """The inputs of a function, by position, and its parameters, by name."""
    inputs: list[str] = []
    parameters: dict[str, Any] = {}
    for own in inspect.signature(made).parameters.values():
        if own.kind is own.KEYWORD_ONLY:
            parameters[own.name] = None if own.default is own.empty else own.default
        elif own.kind in (own.POSITIONAL_ONLY, own.POSITIONAL_OR_KEYWORD):
            inputs.append(own.name)
        else:
            raise TypeError(f"`{own}` of {made} is no input; list its inputs by name")
    return inputs, parameters


class Function(PythonBlock):
    """A block without state. It is called at each evaluation, also speculatively: the same
    arguments must give the same result."""

    def __init__(
        self,
        made: Any,
        name: str,
        outputs: Mapping[str, Shape],
        derivative: Any,
        inputs: Sequence[str] | None,
    ) -> None:
        super().__init__(made, name)
        self._pointer = pointer(made)
        source = getattr(made, "_pyfunc", made)
        if inputs is not None:
            self._inputs = list(inputs)
        elif self._pointer is None or source is not made:
            self._inputs, self._parameters = _arguments(source)
        else:
            raise TypeError("name the inputs of a native function: inputs=['x', 'y']")
        if self._pointer is not None and self._pointer.count not in (None, len(self._inputs)):
            raise TypeError(f"{name} takes {self._pointer.count} numbers, not {len(self._inputs)}")
        self._outputs = dict(outputs)
        self._derivative = derivative

    def derivative(self, slope: Any) -> Any:
        """Gives the partial derivatives: a function of the same arguments that returns one for each
        input, as a decorator. For an array it has the shape of the result and then of the input.

        >>> @cube.derivative
        ... def slope(x):
        ...     return 3 * x**2
        """
        self._derivative, self._own = slope, None
        return slope

    def _called(self, function: Any) -> Callable[..., Any]:
        """The function with its parameters after the inputs."""
        names, count = list(self._parameters), len(self._inputs)
        if not names:
            return function  # type: ignore[no-any-return]
        return lambda *own: function(*own[:count], **dict(zip(names, own[count:])))

    def _build(self) -> Foreign:
        outputs = list(self._outputs.items())
        made = self._called(self._made)
        scalar = [shape for _, shape in outputs] == [()]
        body: Any = made
        if self._pointer is not None:
            body = (self._pointer.address, self._pointer.arrays, self._made)
        elif not scalar:
            body = lambda *own: _flat(self.name, made(*own), self._outputs)  # noqa: E731
        shaped = [(key, list(shape)) for key, shape in outputs]
        return Foreign.function(
            self._heading(), self._inputs, self._given(), shaped, body, self._slope(scalar)
        )

    def _slope(self, scalar: bool) -> Any:
        own = self._derivative
        if own is None or isinstance(own, str):
            if own not in (None, "difference"):
                raise ValueError(f"`derivative` is a function or 'difference', not {own!r}")
            return own
        if isinstance(own, (list, tuple)):
            found = [pointer(one) for one in own]
            if self._pointer is None or None in found or len(found) != len(self._inputs):
                raise TypeError("a list of derivatives has a native function for each input")
            return [one.address for one in found if one is not None]
        if len(self._outputs) != 1:
            raise TypeError("a derivative is given for one output; use derivative='difference'")
        slope, inputs = self._called(own), len(self._inputs)
        (name, shape), count = next(iter(self._outputs.items())), inputs + len(self._parameters)

        def tangent(*own: Any) -> Any:
            partials = slope(*own[:count])
            partials = [partials] if inputs == 1 else partials
            if len(partials) != inputs:
                raise ValueError(f"the derivative of {self.name} has {len(partials)} of {inputs} parts")
            found = np.zeros(int(np.prod(shape, dtype=int)))
            for partial, direction in zip(partials, own[count:]):
                along = np.asarray(direction, dtype=float)
                own_shape = (*shape, *along.shape)
                entries = _elements(f"the derivative of {self.name}", partial, own_shape)
                found += np.asarray(entries).reshape(found.size, along.size) @ along.ravel()
            return float(found[0]) if scalar else found.tolist()

        return tangent


class Pointer:
    """A native function: its address, whether it takes arrays, and how many numbers it takes."""

    def __init__(self, address: int, arrays: bool, count: int | None) -> None:
        self.address, self.arrays, self.count = address, arrays, count


def pointer(made: Any) -> Pointer | None:
    """The native function in an object of Numba, ctypes or cffi; None if there is none.

    Its form is `double f(double, ...)` or `void f(const double *arguments, double *result)`.
    """
    import ctypes

    if hasattr(made, "address") and hasattr(made, "_sig"):  # numba.cfunc
        own = made._sig
        return _formed(made.address, [str(one) for one in own.args], str(own.return_type))
    bases = [(own.__module__, own.__name__) for own in type(made).__mro__]
    if any(module == "_ctypes" and name.endswith("CFuncPtr") for module, name in bases):
        if made.argtypes is None:
            raise TypeError("set argtypes and restype of the ctypes function")
        names = [getattr(own, "__name__", str(own)) for own in made.argtypes]
        result = getattr(made.restype, "__name__", "none")
        return _formed(ctypes.cast(made, ctypes.c_void_p).value or 0, names, result)
    if type(made).__module__ == "_cffi_backend":
        import _cffi_backend  # type: ignore[import-not-found,unused-ignore]

        ffi = _cffi_backend.FFI()
        kind = ffi.typeof(made)
        if kind.kind == "pointer":
            kind = kind.item
        names = [own.cname for own in kind.args]
        return _formed(int(ffi.cast("uintptr_t", made)), names, kind.result.cname)
    return None


_NUMBERS = {"float64", "c_double", "double"}
_ARRAYS = {"float64*", "LP_c_double", "double *"}


def _formed(address: int, names: list[str], result: str) -> Pointer:
    if all(own in _NUMBERS for own in names) and result in _NUMBERS:
        return Pointer(address, False, len(names))
    if len(names) == 2 and all(own in _ARRAYS for own in names) and result in ("none", "void"):
        return Pointer(address, True, None)
    raise TypeError(
        f"a native function is double f(double, ...) or void f(const double *, double *), and this "
        f"one takes ({', '.join(names)}) and returns {result}"
    )


class Sampled(PythonBlock):
    """A block that is called at events. Its state is in the run, so that a run can be saved, forked
    and repeated."""

    def __init__(
        self, made: Any, name: str, period: Any, outputs: Mapping[str, Any], hold: bool
    ) -> None:
        super().__init__(made, name)
        self._period, self._hold = period, hold
        self._held = {key: np.asarray(own, dtype=float) for key, own in outputs.items()}
        self._outputs = {key: own.shape for key, own in self._held.items()}
        self._states: dict[str, Any] = {}
        if inspect.isclass(made):
            self._from_class(made)
        else:
            self._inputs, self._parameters = _arguments(made)

    def _from_class(self, made: Any) -> None:
        from ._diagram import Parameter

        if not callable(getattr(made, "step", None)):
            raise TypeError(f"the class {made.__name__} needs a method step(self, ...)")
        inputs, more = _arguments(made.step)
        if more:
            raise TypeError(f"declare the parameters {list(more)} as sd.Parameter() in the class")
        self._inputs = inputs[1:]
        for base in reversed(made.__mro__[:-1]):
            for key, value in vars(base).items():
                if isinstance(value, Parameter):
                    self._parameters[key] = value._about.get("value")
                elif not key.startswith("_") and isinstance(
                    value, (bool, int, float, list, tuple, np.ndarray, np.generic)
                ):
                    self._states[key] = value

    def _build(self) -> Foreign:
        states = []
        for key, value in self._states.items():
            array = np.asarray(value)
            if array.dtype.kind not in "fiub" or array.ndim > 2 or not np.isfinite(array).all():
                raise TypeError(f"the state `{key}` of {self.name} is no number or array: {value!r}")
            states.append((key, list(array.shape), array.astype(float).ravel().tolist()))
        outputs = [(key, list(shape)) for key, shape in self._outputs.items()]
        held = [own.ravel().tolist() for own in self._held.values()] if self._hold else None
        period = None if self._period is None else _values.text("period", self._period)
        body = self._stepped() if inspect.isclass(self._made) else self._plain()
        return Foreign.sampled(
            self._heading(), self._inputs, self._given(), outputs, body, states, period, held
        )

    def _split(self, own: Sequence[Any]) -> tuple[Sequence[Any], list[Any], Sequence[Any], float]:
        """States, inputs (None if absent), parameters and the time."""
        first = len(self._states)
        last = first + 2 * len(self._inputs)
        pairs = own[first:last]
        inputs = [value if here else None for value, here in zip(pairs[::2], pairs[1::2])]
        return own[:first], inputs, own[last:-1], own[-1]

    def _single(self) -> bool:
        """Whether there is one number in all: then it is returned as it is."""
        return not self._states and list(self._outputs.values()) == [()]

    def _plain(self) -> Callable[..., Any]:
        made, names, single = self._made, list(self._parameters), self._single()

        def body(*own: Any) -> Any:
            _, inputs, parameters, _ = self._split(own)
            numbers = _flat(self.name, made(*inputs, **dict(zip(names, parameters))), self._outputs)
            return numbers[0] if single else numbers

        return body

    def _stepped(self) -> Callable[..., Any]:
        single, prototype = self._single(), self._made()
        kinds = {key: type(value) for key, value in self._states.items()}
        shapes = {key: np.shape(value) for key, value in self._states.items()}
        known = {*vars(prototype), *kinds, *self._parameters, "time"}

        def body(*own: Any) -> Any:
            states, inputs, parameters, now = self._split(own)
            # Each call works on a copy, since runs in several threads may be in it at once.
            block = copy.copy(prototype)
            for key, value in zip(kinds, states):
                setattr(block, key, kinds[key](value) if kinds[key] in (bool, int) else value)
            for key, value in zip(self._parameters, parameters):
                setattr(block, key, value)
            block.time = now
            numbers = _flat(self.name, block.step(*inputs), self._outputs)
            lost = vars(block).keys() - known
            if lost:
                raise AttributeError(
                    f"`step` of {self.name} sets `{min(lost)}`, which is no state and would be lost: "
                    "give the class a number or an array of this name, without a `_` in front"
                )
            for key, shape in shapes.items():
                numbers += _elements(f"{key} of {self.name}", getattr(block, key), shape)
            return numbers[0] if single else numbers

        return body

    def __call__(self, *inputs: Any, **fields: Any) -> Any:
        """As for every block; without a diagram it makes the class itself."""
        return super().__call__(*inputs, **fields)


@overload
def function(made: Callable[..., Any], /) -> Function: ...
@overload
def function(
    made: Any = None,
    /,
    *,
    name: str | None = None,
    inputs: Sequence[str] | None = None,
    shape: Shape = (),
    outputs: Mapping[str, Shape] | None = None,
    derivative: Any = None,
) -> Any: ...
def function(
    made: Any = None,
    /,
    *,
    name: str | None = None,
    inputs: Sequence[str] | None = None,
    shape: Shape = (),
    outputs: Mapping[str, Shape] | None = None,
    derivative: Any = None,
) -> Any:
    """Makes a block without state of a function of Python, or of a compiled one: a `numba.cfunc`, or
    a function of ctypes or cffi, which runs without Python.

    Positional arguments are inputs, those after `*` parameters. It returns a number, an array of
    the given `shape`, or the values of `outputs`, which has the shape of each. `derivative` is a
    function with the partial derivatives, or `"difference"`; without it the derivative of the block
    is refused, and its events are located by differences.

    >>> @sd.function
    ... def drag(v, *, k=0.5):
    ...     return k * v * abs(v)
    >>> v = d.Integrator(-drag(d, d["v"]))
    """

    def make(made: Any) -> Function:
        if not callable(made) and pointer(made) is None:
            raise TypeError(f"{made!r} is no function")
        own = name if name is not None else _name(made)
        found = dict(outputs) if outputs is not None else {"output": tuple(shape)}
        return Function(made, own, found, derivative, inputs)

    return make if made is None else make(made)


def _name(made: Any) -> str:
    return str(getattr(getattr(made, "_pyfunc", made), "__name__", ""))


def block(
    *,
    period: Any = None,
    outputs: Mapping[str, Any] | None = None,
    initial: Any = 0.0,
    hold: bool = True,
    name: str | None = None,
) -> Callable[[Any], Sampled]:
    """Makes a block of a class with a method `step`, or of a function: it is called each `period`
    [s], or without one at the events of its input `trigger`, and its output is held between calls.

    In a class, numbers and arrays are states with their initial values, and `sd.Parameter(...)` are
    parameters; `self.time` is the time. An input that is absent is None. `outputs` has the value of
    each output before the first call (`initial` if there is one output); with `hold=False` outputs
    are events. `period` and `offset` are parameters of the block.

    >>> @sd.block(period=0.01)
    ... class PI:
    ...     gain = sd.Parameter(2.0)
    ...     integral = 0.0
    ...     def step(self, error):
    ...         self.integral += 0.01 * error
    ...         return self.gain * error + self.integral
    """

    def make(made: Any) -> Sampled:
        own = {"output": initial} if outputs is None else outputs
        return Sampled(made, name or made.__name__, period, own, hold)

    return make
