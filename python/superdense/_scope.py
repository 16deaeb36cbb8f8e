"""Diagrams in the making: names, blocks and their fields. `_diagram.py` has what a model has beside
them."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Sequence, Union

from ._blocks import Blocks
from ._errors import ModelError
from ._expr import ATOM, Signal, Text, Value, Written, written
from ._origin import Origin, here, variable

if TYPE_CHECKING:
    from ._machine import Machine

RESERVED = frozenset("if then else and or not for true false time pi inf absent".split())
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")

Tree = Union[str, "dict[str, Tree]", "list[Tree]", None]
"""A model file before it is text: mappings, lists and texts. None is a key without a value."""

Path = tuple[str, ...]
"""The keys that lead to an entry of a model file."""

Over = Union["Index", Sequence["Index"], Mapping[str, Value], None]
"""The indices of an array of blocks, `over=i`, or their names and counts."""


def mistake(code: str, message: str, origin: Origin) -> ModelError:
    """An error about a model in the making, at a line of Python."""
    text = f"error[{code}]: {message}\n --> {origin.file}:{origin.line}\n  |\n  | {origin.words}\n"
    place = {"file": origin.file, "line": origin.line, "column": 1, "words": origin.words, "text": ""}
    problem = {
        "code": code, "message": message, "block": "", "notes": [], "help": None, "places": [place],
    }  # fmt: skip
    return ModelError([problem], text, text)


def nearest(name: str, known: Iterable[str]) -> str:
    """A help with the most similar name, or with all of them."""
    own = list(known)
    near = difflib.get_close_matches(name, own, 1)
    if near:
        return f"did you mean `{near[0]}`?"
    return f"there are {', '.join(own)}" if own else "there are none"


class Named(Signal):
    """Something with a name in a diagram."""

    def __init__(self, scope: Scope, name: str) -> None:
        self._scope = scope
        self._name = name
        self._origin = here()

    @property
    def name(self) -> str:
        """The name in the model."""
        return self._name

    def _write(self, scope: Scope) -> Written:
        return scope._visible(self), ATOM

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._name}>"


class Index(Named):
    """An index of an array of blocks; `d.index("i", n)` makes one."""

    def __init__(self, scope: Scope, name: str, count: Value) -> None:
        super().__init__(scope, name)
        self._count = count

    def _write(self, scope: Scope) -> Written:
        return self._name, ATOM


class Output(Signal):
    """One of several outputs of a block."""

    def __init__(self, block: Block, name: str) -> None:
        self._block, self._output = block, name

    def _write(self, scope: Scope) -> Written:
        return f"{self._block._write(scope)[0]}.{self._output}", ATOM


class Reference(Signal):
    """A signal by its name, which something may have later: `d["kick"]`."""

    def __init__(self, scope: Scope, name: str) -> None:
        self._scope, self._text, self._origin = scope, name, here()

    def _write(self, scope: Scope) -> Written:
        first = re.split(r"[.\[]", self._text)[0]
        if scope is ANYWHERE:
            return self._text, ATOM
        if first in RESERVED or scope._find(first) is not None:
            return self._text, ATOM
        if first not in scope._known():
            help = nearest(first, scope._known())
            raise mistake("unknown-name", f"there is no signal `{first}`; {help}", self._origin)
        return self._text, ATOM


class Placeholder(Signal):
    """A signal that is known only later: `loop = d.placeholder()`, and then `loop.connect(x)`."""

    def __init__(self) -> None:
        self._origin = here()
        self._signal: Signal | None = None
        self._busy = False

    def connect(self, signal: Value) -> None:
        """Says which signal it is."""
        if self._signal is not None:
            raise ValueError("the placeholder is connected already")
        self._signal = signal if isinstance(signal, Signal) else Text(written(signal, ANYWHERE)[0])

    def _write(self, scope: Scope) -> Written:
        if self._signal is None:
            raise mistake("open-placeholder", "nothing is connected to a placeholder", self._origin)
        if self._busy:
            reason = "the placeholder is connected to an expression of itself, without a block"
            raise mistake("open-placeholder", reason, self._origin)
        self._busy = True
        try:
            return self._signal._write(scope)
        finally:
            self._busy = False


class Block(Named):
    """A block. It is its own output; `block.speed` or `block["speed"]` is one of several."""

    def __init__(
        self,
        scope: Scope,
        name: str,
        kind: str,
        fields: Mapping[str, Any],
        outputs: Sequence[str] | None,
        over: Over = None,
    ) -> None:
        super().__init__(scope, name)
        self._kind = kind
        self._fields = {key: value for key, value in fields.items() if value is not None}
        self._outputs = outputs
        self._repeat = over

    def set(self, **fields: Any) -> None:
        """Gives the block further fields, or others: `v.set(impulse=kick)` closes a loop."""
        self._fields.update(fields)

    def __getattr__(self, output: str) -> Signal:
        if output.startswith("_"):
            raise AttributeError(output)
        return self._named(output, AttributeError)

    def __getitem__(self, index: Any) -> Signal:
        return self._named(index, KeyError) if isinstance(index, str) else super().__getitem__(index)

    def _named(self, output: str, error: Callable[[str], Exception]) -> Signal:
        if self._outputs is not None and output not in self._outputs:
            help = nearest(output, self._outputs)
            raise error(f"the {self._kind} `{self._name}` has no output `{output}`; {help}")
        return Output(self, output)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(self._outputs or ())]

    def _indices(self) -> dict[str, Value]:
        own = self._repeat
        if own is None:
            return {}
        if isinstance(own, Mapping):
            return dict(own)
        indices: Sequence[Index] = [own] if isinstance(own, Index) else own
        return {index._name: index._count for index in indices}

    def _tree(self, tree: TreeMaker, path: Path) -> Tree:
        entry: dict[str, Tree] = {"type": self._kind}
        indices = self._indices()
        if indices:
            entry["for"] = {key: tree.value(own, self._scope) for key, own in indices.items()}
        for key, value in self._fields.items():
            entry[key] = tree.field(value, self._scope, self._origin)
        return entry


class Scope(Blocks):
    """A diagram in the making: every block of the library is a method of it, and each call makes a
    block. A block is named by `name`, or else by the variable that it is assigned to."""

    def __init__(self, outer: Scope | None = None) -> None:
        self._outer = outer
        self._names: dict[str, Named] = {}
        self._blocks: list[Block] = []
        self._parameters: dict[str, Tree | Mapping[str, Any]] = {}
        self._solved: Any = None
        self._origins: dict[Path, Origin] = {}

    # Names.

    def _find(self, name: str) -> Named | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope._names:
                return scope._names[name]
            scope = scope._outer
        return None

    def _known(self) -> list[str]:
        outer = self._outer._known() if self._outer else []
        return [*self._names, *self._beside(), *outer]

    def _beside(self) -> Iterable[str]:
        """Names of what is no block, parameter or input: here the words of parameters."""
        own = self._parameters.values()
        words = [about.get("words") or () for about in own if isinstance(about, Mapping)]
        return [str(word) for some in words if not isinstance(some, str) for word in some]

    def _visible(self, named: Named) -> str:
        """The name of something that is used here."""
        name = named._name
        found = self._find(name)
        if found is named:
            return name
        if found is None:
            where = f"it belongs to another diagram ({named._origin})"
            help = "pass it as an input or a parameter, or give it as an output"
        else:
            where = f"here that name is something else ({found._origin})"
            help = "give one of them another name by `name=`"
        raise mistake("not-visible", f"`{name}` is not visible here: {where}; {help}", named._origin)

    def _free(self, name: str | None, kind: str) -> str:
        """The name for something new: the given one, that of the variable, or that of its kind."""
        if name is not None:
            if not NAME.match(name) or name in RESERVED:
                raise ValueError(f"`{name}` cannot be a name: letters, digits and `_`, no keyword")
            if name in self._names:
                raise ValueError(f"the name `{name}` is used already: {self._names[name]._origin}")
            return name
        own = variable()
        if own is None or not NAME.match(own) or own in RESERVED or not own.strip("_"):
            own = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", kind).lower()
        base, count = own, 1
        while self._find(own) is not None or own in RESERVED:
            count += 1
            own = f"{base}_{count}"
        return own

    def _enter(self, named: Named) -> None:
        self._names[named._name] = named

    def __getitem__(self, name: str) -> Signal:
        """A signal by its name, also before it exists: `d["kick"]`, `d["motor.speed"]`."""
        return Reference(self, name)

    # Parts.

    def _add(
        self,
        kind: str,
        fields: Mapping[str, Any],
        outputs: Sequence[str] | None,
        name: str | None,
        over: Over,
    ) -> Block:
        block = Block(self, self._free(name, kind), kind, fields, outputs, over)
        self._enter(block)
        self._blocks.append(block)
        return block

    def block(
        self, kind: str, /, *, name: str | None = None, over: Over = None, **fields: Any
    ) -> Block:
        """A block of any type, by its name in model files, such as an imported diagram.

        >>> front = d.block("motors.Motor", u=12, J=0.02)
        """
        return self._add(kind, fields, None, name, over)

    def parameter(
        self,
        value: Any = None,
        *,
        name: str | None = None,
        unit: str | None = None,
        description: str | None = None,
        tunable: bool | None = None,
        words: Sequence[str] | None = None,
    ) -> Signal:
        """A parameter, which a run or an instance can set. Without a value it must be given.

        >>> g = d.parameter(9.81, unit="m/s^2")
        """
        named = Named(self, self._free(name, "parameter"))
        self._enter(named)
        about = {"value": value, "unit": unit, "description": description, "words": words}
        about["tunable"] = tunable or None
        self._parameters[named._name] = {k: v for k, v in about.items() if v is not None}
        self._origins["parameters", named._name] = named._origin
        return named

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Says which block a mistyped name may mean."""
            own = [] if name.startswith("_") else [one for one in dir(type(self)) if one[0] != "_"]
            near = difflib.get_close_matches(name, own, 1)
            help = f"; did you mean `{near[0]}`?" if near else ""
            raise AttributeError(f"there is no block or method `{name}`{help}", name=name, obj=self)

    def placeholder(self) -> Placeholder:
        """A signal that is known only later; `connect` says which it is."""
        return Placeholder()

    def index(self, name: str, count: Value) -> Index:
        """An index for an array of blocks, which counts from 0.

        >>> i = d.index("i", n)
        >>> T = d.Integrator(d["T"][sd.math.max(i - 1, 0)] - d["T"][i], over=i, name="T")
        """
        return Index(self, name, count)

    def solve(self, *signals: Signal | bool, guesses: Mapping[Any, Value] | None = None) -> None:
        """Algebraic loops to solve: `d.solve(True)` for all, `d.solve(x, y)`, or with guesses,
        `d.solve(guesses={x: 1})`."""
        self._origins["solve",] = here()
        self._solved = dict(guesses) if guesses else signals[0] if signals == (True,) else signals

    def Modal(  # noqa: N802
        self,
        *,
        initial: Any = None,
        hold: Any = None,
        outputs: Sequence[str] | None = None,
        sliding: str | None = None,
        description: str | None = None,
        name: str | None = None,
    ) -> Machine:
        """A state machine, to which `add_state` gives states.

        >>> ball = d.Modal()
        >>> free = ball.add_state("free", initial=True)
        """
        from ._machine import Machine

        fields = {"description": description, "outputs": outputs, "hold": hold, "sliding": sliding}
        machine = Machine(self, self._free(name, "Modal"), fields, initial)
        self._enter(machine)
        self._blocks.append(machine)
        return machine

    def DifferentialSystem(  # noqa: N802
        self,
        states: Mapping[str, Any],
        *,
        outputs: Mapping[str, Value] | None = None,
        inputs: Mapping[str, Value] | None = None,
        parameters: Mapping[str, Value] | None = None,
        name: str | None = None,
        over: Over = None,
        **fields: Any,
    ) -> Block:
        """Differential equations: for each state its rate, or a mapping with `rate`, `initial`,
        `impulse` and `reset`. Names of the system in expressions are texts, or `sd.expr("angle")`.

        >>> d.DifferentialSystem({"x": {"rate": "v", "initial": 1}, "v": "-x"})
        """
        own = {**fields, "parameters": parameters, "inputs": inputs, "states": states}
        own["outputs"] = outputs
        return self._add("DifferentialSystem", own, None, name, over)

    # The tree of a model file.

    def _inside(self, tree: TreeMaker, path: Path) -> dict[str, Tree]:
        """The sections that every diagram has."""
        for key, origin in self._origins.items():
            tree.origins[path + key] = origin
        sections: dict[str, Tree] = {}
        if self._parameters:
            parameters = {
                name: tree.about(own, self, self._names[name]._origin)
                for name, own in self._parameters.items()
            }
            sections["parameters"] = parameters
        blocks: dict[str, Tree] = {}
        for block in self._blocks:
            own = (*path, "blocks", block._name)
            tree.origins[own] = block._origin
            blocks[block._name] = block._tree(tree, own)
        if blocks:
            sections["blocks"] = blocks
        if self._solved is not None:
            sections["solve"] = self._solve_tree(tree)
        return sections

    def _solve_tree(self, tree: TreeMaker) -> Tree:
        origin = self._origins["solve",]
        if isinstance(self._solved, dict):
            return {
                written(key, self)[0]: tree.field(value, self, origin)
                for key, value in self._solved.items()
            }
        return tree.field(self._solved, self, origin)


class TreeMaker:
    """Makes the tree of a model file, and remembers which line of Python made which entry."""

    def __init__(self) -> None:
        self.origins: dict[Path, Origin] = {}

    def value(self, value: Value, scope: Scope) -> str:
        """The text of an expression."""
        return written(value, scope)[0]

    def field(self, value: Any, scope: Scope, origin: Origin) -> Tree:
        """A field: an expression, or a list or mapping of them."""
        try:
            if isinstance(value, Mapping):
                own = {self.key(key, scope): self.field(v, scope, origin) for key, v in value.items()}
                return own
            if isinstance(value, (list, tuple)):
                return [self.field(own, scope, origin) for own in value]
            return None if value is None else written(value, scope)[0]
        except (TypeError, ValueError) as error:
            raise mistake("bad-value", str(error), origin) from error

    def key(self, key: Any, scope: Scope) -> str:
        """A key, which may be a block."""
        return key if isinstance(key, str) else key._name if isinstance(key, Named) else str(key)

    def about(self, own: Any, scope: Scope, origin: Origin) -> Tree:
        """A parameter, input or output: its value alone, or with what is said about it."""
        if set(own) <= {"value"}:
            return self.field(own.get("value"), scope, origin)
        texts = ("unit", "description", "kind", "type", "file", "column", "interpolation")
        return {
            key: value if key in texts else self.field(value, scope, origin)
            for key, value in own.items()
        }


class _Anywhere(Scope):
    """Where every name is visible, to show an expression outside any diagram."""

    def _visible(self, named: Named) -> str:
        return named._name

    def _known(self) -> list[str]:
        return []


ANYWHERE = _Anywhere()
