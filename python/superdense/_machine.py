"""State machines in the making."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Iterable, Mapping, Sequence

from ._expr import Signal, Value
from ._origin import Origin, here, variable
from ._scope import Block, Named, Path, Scope, Tree, TreeMaker


class Machine(Block):
    """A state machine. Its outputs, `state`, `done` and the names of its states are signals:
    `ball.y`, `ball.state`, `ball.rest`."""

    def __init__(self, scope: Scope, name: str, fields: Mapping[str, Any], initial: Any) -> None:
        super().__init__(scope, name, "Modal", fields, None)
        self._initial = initial
        self._states: dict[str, State] = {}
        self._inner = Scope(scope)

    def add_state(
        self,
        name: str | None = None,
        *,
        initial: bool = False,
        final: bool = False,
        like: State | str | None = None,
        outputs: Mapping[str, Value] | Sequence[Signal] | None = None,
        tolerance: Value | None = None,
        domain: str | None = None,
        description: str | None = None,
    ) -> State:
        """Adds a state, in which blocks can be made and from which transitions lead.

        >>> with ball.add_state("free") as free:
        ...     v = free.Integrator(-g)
        ...     free.to("rest", when=v > 0)
        """
        own = name or variable()
        if own is None:
            raise ValueError("a state needs a name, or a variable that it is assigned to")
        if own in self._states:
            raise ValueError(f"the machine `{self._name}` has a state `{own}` already")
        fields = {"description": description, "tolerance": tolerance, "domain": domain}
        fields["final"] = final or None
        fields["like"] = like._name if isinstance(like, State) else like
        state = State(self, own, fields)
        if outputs is not None:
            state.output(outputs)
        self._states[own] = state
        if initial:
            self._initial = own
        return state

    def parameter(self, value: Any = None, *, name: str | None = None, **about: Any) -> Signal:
        """A value that all states can use and that transitions can set."""
        return self._inner.parameter(value, name=name or variable(), **about)

    def _repr_svg_(self) -> str:
        from ._diagram import _root

        charts = _root(self._scope).model().charts
        own = [chart for path, chart in charts.items() if path.split(".")[-1] == self._name]
        return own[0].svg() if own else ""

    def _tree(self, tree: TreeMaker, path: Path) -> Tree:
        own = self._fields
        entry: dict[str, Tree] = {"type": "Modal"}
        for key, value in own.items():
            scope = self._scope
            text = key in ("description", "sliding")
            entry[key] = value if text else tree.field(value, scope, self._origin)
        initial = self._initial
        if initial is not None:
            entry["initial"] = initial._name if isinstance(initial, State) else initial
        entry.update(self._inner._inside(tree, path))
        entry["states"] = {
            name: state._state_tree(tree, (*path, "states", name))
            for name, state in self._states.items()
        }
        return entry


class State(Scope):
    """A state of a machine: a diagram that runs while the machine is in it."""

    def __init__(self, machine: Machine, name: str, fields: Mapping[str, Any]) -> None:
        super().__init__(machine._inner)
        self._machine, self._name, self._origin = machine, name, here()
        self._fields = {key: value for key, value in fields.items() if value is not None}
        self._outputs: dict[str, Value] = {}
        self._transitions: list[tuple[dict[str, Any], Origin]] = []

    def output(
        self, outputs: Mapping[str, Value] | Sequence[Signal] | None = None, /, **named: Value
    ) -> None:
        """The outputs of the machine in this state: `free.output(y=y, v=v)`, or a list of blocks
        under their own names."""
        if isinstance(outputs, Mapping):
            self._outputs.update(outputs)
        else:
            for own in outputs or ():
                if not isinstance(own, Named):
                    raise TypeError(f"{own!r} has no name; give it one as output(name=...)")
                self._outputs[own._name] = own
        self._outputs.update(named)

    def to(
        self,
        target: State | str,
        *,
        when: Value | None = None,
        after: Value | None = None,
        set: Mapping[Any, Value] | None = None,
        output: Mapping[str, Value] | None = None,
        history: bool | None = None,
        immediate: bool | None = None,
        preemptive: bool | None = None,
        priority: Value | None = None,
        default: bool | None = None,
        nondeterministic: bool | None = None,
        error: bool | None = None,
    ) -> None:
        """A transition to a state, also this one or one that is added later by its name. The keys of
        `set` are blocks of the target, parameters, or their names.

        >>> free.to("free", when=(y < 0) & (v < 0), set={v: -e * v}, history=True)
        """
        fields = {
            "when": when, "after": after, "set": set, "output": output, "history": history,
            "immediate": immediate, "preemptive": preemptive, "priority": priority,
            "default": default, "nondeterministic": nondeterministic, "error": error,
        }  # fmt: skip
        own: dict[str, Any] = {"to": target._name if isinstance(target, State) else target}
        own.update((key, value) for key, value in fields.items() if value is not None)
        self._transitions.append((own, here()))

    def _beside(self) -> Iterable[str]:
        return [*super()._beside(), *self._outputs]

    def __enter__(self) -> State:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass

    def _state_tree(self, tree: TreeMaker, path: Path) -> Tree:
        tree.origins[path] = self._origin
        entry: dict[str, Tree] = {}
        for key, value in self._fields.items():
            text = key in ("description", "like", "domain")
            entry[key] = value if text else tree.field(value, self, self._origin)
        entry.update(self._inside(tree, path))
        if self._outputs:
            entry["outputs"] = tree.field(self._outputs, self, self._origin)
        if self._transitions:
            entry["transitions"] = [
                tree.field(own, self, origin) for own, origin in self._transitions
            ]
            for index, (_, origin) in enumerate(self._transitions):
                tree.origins[(*path, "transitions", str(index))] = origin
        return entry
