"""Steady states of models, and linear models near a point."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Protocol

import numpy as np
import numpy.typing as npt

from . import _values
from ._superdense import Analysis, Point

if TYPE_CHECKING:
    from ._superdense import Held, System

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Switch:
    """A comparison that switches exactly at a point."""

    block: str
    """The block with the comparison."""
    side: str
    """The side, "above" or "below", whose derivatives were taken."""
    jumps: bool
    """Whether rates or outputs jump there, and not only their derivatives."""


@dataclass(frozen=True)
class Trimmed:
    """A steady state: every state keeps its value, unless it was allowed to move."""

    time: float
    """The time of the point [s]."""
    states: dict[str, float]
    """The states that move, with their values; elements of vectors are `x[0]`."""
    inputs: dict[str, float]
    """The inputs, with their values."""
    outputs: dict[str, float]
    """The outputs of the model and the signals that were given, with their values."""
    rates: dict[str, float]
    """The rates of the states."""
    units: dict[str, str]
    """The units that the model gives."""
    free: list[str]
    """The states and inputs whose values were searched for."""
    at_bounds: list[str]
    """Those of them that ended at a bound."""
    open: list[str]
    """Those that the conditions do not determine; they stayed near the start of the search."""
    open_directions: int
    """In how many directions they may move together."""
    held: dict[str, str]
    """The discrete states that something depends on, with the values at which they are held."""
    depend_on_time: list[str]
    """What depends on time itself, so that this is steady at one instant only."""
    switches: list[Switch]
    """The comparisons that switch exactly here."""
    steps: int
    """The number of steps of the search."""
    _analysis: Analysis = field(repr=False, compare=False)
    _point: Point = field(repr=False, compare=False)

    def linearize(
        self,
        *,
        inputs: Iterable[str] | None = None,
        outputs: Iterable[str] | None = None,
        delays: int | None = None,
        side: str | None = None,
    ) -> LinearModel:
        """The linear model near this steady state; see `Model.linearize`."""
        return _linear(self._analysis, self._point, _names(inputs), _names(outputs), delays, side)


@dataclass(frozen=True)
class LinearModel:
    """x' = A x + B u, y = C x + D u for deviations from a point."""

    A: Array
    B: Array
    C: Array
    D: Array
    time: float
    """The time of the point [s]."""
    states: dict[str, float]
    """The states, in the order of the columns of A, with their values at the point."""
    inputs: dict[str, float]
    """The inputs, in the order of the columns of B, with their values."""
    outputs: dict[str, float]
    """The outputs, in the order of the rows of C, with their values."""
    rates: dict[str, float]
    """The rates of the states at the point: zero at a steady state."""
    units: dict[str, str]
    """The units that the model gives."""
    held: dict[str, str]
    """The discrete states that something depends on, with the values at which they are held."""
    depend_on_time: list[str]
    """What depends on time itself, so that this holds at one instant."""
    switches: list[Switch]
    """The comparisons that switch exactly at the point."""

    def poles(self) -> npt.NDArray[np.complex128]:
        """The eigenvalues of A, by falling real part."""
        found = np.asarray(np.linalg.eigvals(self.A), dtype=complex)
        return found[np.lexsort((-found.imag, -found.real))]

    def to_control(self) -> Any:
        """The system of python-control, with the names of states, inputs and outputs."""
        import control

        return control.ss(
            self.A, self.B, self.C, self.D,
            states=[_plain(name) for name in self.states],
            inputs=[_plain(name) for name in self.inputs],
            outputs=[_plain(name) for name in self.outputs],
        )

    def to_scipy(self) -> Any:
        """The system of scipy.signal."""
        from scipy import signal

        return signal.StateSpace(self.A, self.B, self.C, self.D)


def _plain(name: str) -> str:
    # python-control has a meaning of its own for dots.
    return name.replace(".", "_")


def _names(names: str | Iterable[str] | None) -> list[str] | None:
    if names is None:
        return None
    return [names] if isinstance(names, str) else list(names)


def _list(names: str | Iterable[str] | None) -> list[str]:
    return _names(names) or []


def _pairs(values: Mapping[str, Any] | None) -> list[tuple[str, list[float]]]:
    return [(name, _values.numbers(name, own)) for name, own in (values or {}).items()]


def _bounds(bounds: Mapping[str, tuple[float | None, float | None]] | None) -> Any:
    found = []
    for name, pair in (bounds or {}).items():
        try:
            low, high = pair
        except (TypeError, ValueError):
            raise TypeError(f"the bounds of `{name}` are two numbers, or None") from None
        found.append((
            name,
            -np.inf if low is None else float(low),
            np.inf if high is None else float(high),
        ))
    return found


def _switches(found: list[tuple[str, str, bool]]) -> list[Switch]:
    return [Switch(*own) for own in found]


def _trimmed(analysis: Analysis, found: dict[str, Any], point: Point) -> Trimmed:
    own = dict(found, held=dict(found["held"]), switches=_switches(found["switches"]))
    return Trimmed(**own, _analysis=analysis, _point=point)


def _linear(
    analysis: Analysis,
    point: Point,
    inputs: list[str] | None,
    outputs: list[str] | None,
    delays: int | None,
    side: str | None,
) -> LinearModel:
    found = analysis.linearize(point, inputs, outputs, delays, side)
    for name in "ABCD":
        rows, columns, data = found[name]
        found[name] = np.array(data, dtype=float).reshape(rows, columns)
    own = dict(found, held=dict(found["held"]), switches=_switches(found["switches"]))
    return LinearModel(**own)


class _Given(Protocol):
    def _with(
        self,
        record: Iterable[str] | None,
        parameters: Mapping[str, Any] | None,
        inputs: Mapping[str, Any] | None,
        named: Mapping[str, Any],
    ) -> System: ...


class Analysed:
    """What a model can be asked about its points."""

    def trim(
        self: _Given,
        *,
        states: Mapping[str, Any] | None = None,
        inputs: Mapping[str, Any] | None = None,
        outputs: Mapping[str, Any] | None = None,
        rates: Mapping[str, Any] | None = None,
        moving: str | Iterable[str] | None = None,
        free: str | Iterable[str] | None = None,
        fixed: str | Iterable[str] | None = None,
        guess: Mapping[str, Any] | None = None,
        bounds: Mapping[str, tuple[float | None, float | None]] | None = None,
        at: Any = None,
        parameters: Mapping[str, Any] | None = None,
        **settings_and_parameters: Any,
    ) -> Trimmed:
        """A steady state in which states, inputs and outputs have given values.

        The search starts at the point that a run reaches `at` a time, by default at the start, or
        at a `guess`. All states are free that are not given. If states or outputs are given, so are
        all inputs that are not; `free` names the ones that are instead, tunable parameters and held
        signals too, and `fixed` those that keep their values. The rates of all states are zero,
        except those that `rates` gives, and those of states that go on `moving`.

        >>> point = model.trim(outputs={"height": 2}, bounds={"u": (0, None)})
        >>> point.inputs["u"], point.linearize().poles()
        """
        seen = list(outputs or {})
        given = _pairs(inputs)
        system = self._with(None, parameters, None, settings_and_parameters)
        analysis = Analysis(system, seen)
        point = analysis.point(_time(at), [own for own in given if own[0] in system.inputs])
        found, at_rest = analysis.trim(
            point, _pairs(states), given, _pairs(outputs), _pairs(rates), _list(moving),
            _list(free), _list(fixed), _pairs(guess), _bounds(bounds),
        )
        return _trimmed(analysis, found, at_rest)

    def linearize(
        self: _Given,
        *,
        at: Any = None,
        inputs: str | Iterable[str] | None = None,
        outputs: str | Iterable[str] | None = None,
        given: Mapping[str, Any] | None = None,
        delays: int | None = None,
        side: str | None = None,
        parameters: Mapping[str, Any] | None = None,
        **settings_and_parameters: Any,
    ) -> LinearModel:
        """The linear model near the point that a run reaches `at` a time, by default at its start,
        or near a steady state that `trim` has found.

        `inputs` are inputs of the model, tunable parameters, held signals, or any signals, to which
        the input is then added; by default all inputs of the model. `outputs` are signals or
        expressions; by default the outputs of the model, or all recorded signals. `given` has
        values of inputs in the run to the point. `delays` is the order of the approximation of
        Padé that replaces each delay. `side` says on which side of a comparison that switches
        exactly at the point derivatives are taken.

        >>> linear = model.linearize(at=2.5, inputs=["u"], outputs=["y"])
        >>> linear.A, linear.to_control()
        """
        if isinstance(at, Trimmed):
            if settings_and_parameters or parameters or given:
                raise TypeError("a steady state already has its parameters and inputs")
            return at.linearize(inputs=inputs, outputs=outputs, delays=delays, side=side)
        system = self._with(None, parameters, None, settings_and_parameters)
        analysis = Analysis(system, _list(outputs))
        point = analysis.point(_time(at), _pairs(given))
        return _linear(analysis, point, _names(inputs), _names(outputs), delays, side)


class AnalysedRun:
    """What a run can be asked about the point that it has reached."""

    _system: System
    _held: Held

    def linearize(
        self,
        *,
        inputs: str | Iterable[str] | None = None,
        outputs: str | Iterable[str] | None = None,
        delays: int | None = None,
        side: str | None = None,
    ) -> LinearModel:
        """The linear model near the point that the run has reached; see `Model.linearize`."""
        analysis = Analysis(self._system, [])
        point = analysis.point_of(self._held)
        return _linear(analysis, point, _names(inputs), _names(outputs), delays, side)


def _time(at: Any) -> str | None:
    return None if at is None else _values.text("at", at)
