"""Models as code: the main diagram, and diagrams that are written once and used many times."""

from __future__ import annotations

import inspect
import os
from typing import Any, Callable, Iterable, Mapping, Sequence, Union

from . import _yaml
from ._errors import ModelError
from ._expr import Signal, Value, Written
from ._foreign import PythonBlock
from ._model import Model, compiled
from ._origin import Origin, here
from ._result import Result
from ._scope import Block, Named, Output, Path, Over, Scope, Tree, TreeMaker, mistake
from ._superdense import canonical

Lines = list[tuple[int, str]]
Entry = Union["Parameter", "Input"]


class Diagram(Scope):
    """A model in the making.

    >>> d = sd.Diagram("decay")
    >>> rate = d.parameter(2)
    >>> x = d.Integrator(-rate * d["x"], initial=1)
    >>> r = d.run(stop=3)
    """

    def __init__(self, name: str = "model", description: str | None = None) -> None:
        super().__init__()
        self._name, self._description = name, description
        self._definitions: dict[str, tuple[Definition, Inner | None]] = {}
        self._sections: dict[str, dict[str, Any]] = {}
        self._columns: dict[str, Any] = {}
        self._imports: dict[str, Any] | list[str] = []
        self._python: dict[str, PythonBlock] = {}
        self._compiled: tuple[str, Model] | None = None

    def _section(self, key: str, entries: Mapping[str, Any]) -> None:
        self._sections.setdefault(key, {}).update(entries)
        self._origins[key,] = here()
        for name in entries:
            self._origins[key, name] = here()

    def input(
        self,
        *,
        kind: str | None = None,
        initial: Any = None,
        type: str | None = None,  # noqa: A002
        unit: str | None = None,
        description: str | None = None,
        file: str | None = None,
        column: str | None = None,
        interpolation: str | None = None,
        name: str | None = None,
    ) -> Signal:
        """A signal from outside: `continuous` (the default), `held` or `event`.

        >>> u = d.input(kind="held", initial=0)
        """
        named = Named(self, self._free(name, "input"))
        self._enter(named)
        about = {
            "kind": kind, "initial": initial, "type": type, "unit": unit, "file": file,
            "description": description, "column": column, "interpolation": interpolation,
        }  # fmt: skip
        own = {key: value for key, value in about.items() if value is not None}
        self._section("inputs", {named._name: own})
        return named

    def outputs(self, *signals: Named, **named: Any) -> None:
        """Signals for those outside the model, under their own names or others."""
        self._section("outputs", {**{own._name: own for own in signals}, **named})

    def record(self, *signals: Value, **named: Value) -> None:
        """What is recorded, under the text of the expression or a name; without this, every block.

        >>> d.record(y, v, height=ball.y)
        """
        self._origins["record",] = here()
        for own in signals:
            self._columns[f"\0{len(self._columns)}"] = own
        self._columns.update(named)

    def simulate(self, **settings: Any) -> None:
        """How the model is run: `d.simulate(stop=12, solver="rk45", tolerance=1e-8)`."""
        self._section("simulate", settings)

    def invariant(self, **quantities: Any) -> None:
        """Quantities that should be conserved; every run says how well they were."""
        self._section("invariants", quantities)

    def plot(self, name: str, panels: Any = None, **figure: Any) -> None:
        """A figure of the model: a list of panels, or what a figure has under `plots` in a file.

        >>> d.plot("motion", [[x, v], energy])
        """
        self._section("plots", {name: {**figure, "panels": panels} if figure else panels})

    def functions(self, functions: Mapping[str, str]) -> None:
        """Functions for all expressions, by their heads; `sd.call("drag", v, k)` calls one.

        >>> d.functions({"drag(v, k)": "k * v * abs(v)"})
        """
        self._section("functions", functions)

    def imports(self, *paths: str, **named: str) -> None:
        """Files whose diagrams are used, by `d.block("Motor", ...)` or, under a name,
        `d.block("motors.Motor", ...)`. Paths are relative to the folder of the saved model, and to
        the working folder before it is saved."""
        self._origins["import",] = here()
        self._imports = dict(named) if named else list(paths)

    # The model.

    def _beside(self) -> Iterable[str]:
        return [*super()._beside(), *self._sections.get("invariants", ())]

    def _tree(self) -> TreeAndOrigins:
        tree = TreeMaker()
        top: dict[str, Tree] = {"superdense": "1", "name": self._name}
        if self._description:
            top["description"] = self._description
        if self._imports:
            files = self._imports
            top["import"] = dict(files) if isinstance(files, dict) else list(files)
        inside = self._inside(tree, ())
        for key in ("inputs", "outputs", "functions", "invariants", "simulate"):
            own = self._sections.get(key)
            if own:
                top[key] = self._entries(tree, key, own)
        definitions = self._definition_trees(tree)
        if definitions:
            top["diagrams"] = definitions
        top.update(inside)
        if self._columns:
            top["record"] = self._record_tree(tree)
        if "plots" in self._sections:
            origin = self._origins["plots",]
            plots = self._sections["plots"]
            top["plots"] = {key: self._figure(tree, own, origin) for key, own in plots.items()}
        return top, tree.origins

    def _definition_trees(self, tree: TreeMaker) -> dict[str, Tree]:
        found: dict[str, Tree] = {}
        for name, (_, inner) in self._definitions.items():
            assert inner is not None
            found[name] = inner._diagram_tree(tree, ("diagrams", name))
        return found

    def _entries(self, tree: TreeMaker, key: str, own: Mapping[str, Any]) -> Tree:
        return {
            name: tree.about(value, self, self._origins[key, name])
            if isinstance(value, Mapping)
            else tree.field(value, self, self._origins[key, name])
            for name, value in own.items()
        }

    def _record_tree(self, tree: TreeMaker) -> Tree:
        origin = self._origins["record",]
        texts = [(key, tree.field(own, self, origin)) for key, own in self._columns.items()]
        if all(key.startswith("\0") for key, _ in texts):
            return [own for _, own in texts]
        return {str(own) if key.startswith("\0") else key: own for key, own in texts}

    def _figure(self, tree: TreeMaker, own: Any, origin: Origin) -> Tree:
        """A figure names columns; a signal stands for the column that records it."""
        if isinstance(own, Mapping):
            return {key: self._figure(tree, value, origin) for key, value in own.items()}
        if isinstance(own, (list, tuple)):
            return [self._figure(tree, value, origin) for value in own]
        for key, column in self._columns.items():
            if column is own and not key.startswith("\0"):
                return key
        return tree.field(own, self, origin)

    def _text(self) -> tuple[str, Lines]:
        """The text of the model, and for its lines the lines of Python that made them."""
        tree, origins = self._tree()
        own = _yaml.lines(tree)
        found: Lines = []
        for number, (_, path) in enumerate(own, 1):
            known = (origins.get(path[:length]) for length in range(len(path), 0, -1))
            origin = next((one for one in known if one is not None), None)
            found.append((number, "" if origin is None else str(origin)))
        return "".join(line + "\n" for line, _ in own), found

    def to_yaml(self) -> str:
        """The model as the text of a model file, which runs to the same bits."""
        text, _ = self._text()
        try:
            return canonical(self._name, text)
        except ModelError:
            # The compiler finds the same mistakes, and then with the lines of Python.
            self.model()
            raise

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model to a file."""
        text = self.to_yaml()
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)

    def model(self) -> Model:
        """The compiled model. A mistake in it is a `ModelError` that names the line of Python."""
        text, lines = self._text()
        if self._compiled is None or self._compiled[0] != text:
            blocks = tuple(self._python.values())
            model = compiled(self._name, text, self._imported(), lines, blocks)
            self._compiled = text, model
        return self._compiled[1]

    def _imported(self) -> list[tuple[str, str]]:
        """The texts of the imported files."""
        own = self._imports
        found: list[tuple[str, str]] = []
        for path in own.values() if isinstance(own, dict) else own:
            with open(path, encoding="utf-8") as file:
                found.append((path, file.read()))
        return found

    def _use(self, block: PythonBlock) -> None:
        """Notes that the model has blocks of a kind from Python."""
        known = self._python.setdefault(block.name, block)
        if known is not block:
            raise ValueError(f"the model has another block `{block.name}` from Python")

    def run(self, **given: Any) -> Result:
        """Runs the model, as `Model.run` does."""
        return self.model().run(**given)

    def svg(self) -> str:
        """The diagram as a figure."""
        return self.model().svg()

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        return f"<Diagram {self._name}: {', '.join(self._names)}>"


TreeAndOrigins = tuple["dict[str, Tree]", "dict[Path, Origin]"]


class _Declared(Signal):
    """A parameter or an input of a reusable diagram, as its function or class declares it."""

    def __init__(self, about: Mapping[str, Any]) -> None:
        self._about = {key: value for key, value in about.items() if value is not None}
        self._origin = here()

    def _write(self, scope: Scope) -> Written:
        raise mistake("not-visible", "this declares an input or a parameter", self._origin)


class Parameter(_Declared):
    """A parameter of a reusable diagram, with its default value and what is said about it."""

    def __init__(
        self,
        value: Any = None,
        *,
        unit: str | None = None,
        description: str | None = None,
        words: Sequence[str] | None = None,
    ) -> None:
        about = {"value": value, "unit": unit, "description": description, "words": words}
        super().__init__(about)


class Input(_Declared):
    """An input of a reusable diagram, with its default and what is said about it."""

    def __init__(
        self, default: Any = None, *, unit: str | None = None, description: str | None = None
    ) -> None:
        super().__init__({"default": default, "unit": unit, "description": description})


class Inner(Scope):
    """The inside of a reusable diagram."""

    def __init__(self, root: Diagram, definition: Definition) -> None:
        super().__init__()
        self._root, self._definition = root, definition
        self._inputs: dict[str, Mapping[str, Any]] = {}
        self._outputs: dict[str, Value] = {}
        self._requirements: list[tuple[Value, str]] = []
        self._tolerance: Value | None = None
        self._domain: str | None = None

    def require(self, check: Value, message: str) -> None:
        """A condition on the parameters; an instance that does not meet it is refused."""
        self._requirements.append((check, message))

    def tolerance(self, tolerance: Value) -> None:
        """The tolerance of the states in it."""
        self._tolerance = tolerance

    def discrete(self) -> None:
        """Declares that everything in it happens at events."""
        self._domain = "discrete"

    def _declare(self, name: str, own: Entry) -> Named:
        named = Named(self, name)
        named._origin = self._definition.origin
        self._enter(named)
        if isinstance(own, Input):
            self._inputs[name] = own._about
        else:
            self._parameters[name] = own._about
        return named

    def _diagram_tree(self, tree: TreeMaker, path: Path) -> Tree:
        origin = self._definition.origin
        tree.origins[path] = origin
        entry: dict[str, Tree] = {}
        if self._definition.description:
            entry["description"] = self._definition.description
        inside = self._inside(tree, path)
        if "parameters" in inside:
            entry["parameters"] = inside.pop("parameters")
        if any(self._inputs.values()):
            entry["inputs"] = {
                key: tree.about(own, self, origin) for key, own in self._inputs.items()
            }
        elif self._inputs:
            entry["inputs"] = list(self._inputs)
        entry["outputs"] = tree.field(self._outputs, self, origin)
        if self._requirements:
            entry["require"] = [
                {"check": tree.value(check, self), "message": message}
                for check, message in self._requirements
            ]
        if self._tolerance is not None:
            entry["tolerance"] = tree.value(self._tolerance, self)
        if self._domain is not None:
            entry["domain"] = self._domain
        entry.update(inside)
        return entry


def _root(scope: Scope) -> Diagram:
    own: Scope | None = scope
    while own is not None:
        if isinstance(own, Diagram):
            return own
        if isinstance(own, Inner):
            return own._root
        own = own._outer
    raise TypeError("the first argument of a diagram is the diagram in which it is used")


class Definition:
    """A diagram that is written once. Called with a diagram, it makes an instance there."""

    def __init__(self, made: Callable[..., Any], origin: Origin) -> None:
        self._made = made
        self.origin = origin
        self.name = made.__name__
        text = inspect.cleandoc(made.__doc__) if made.__doc__ else ""
        self.description = " ".join(text.split("\n\n")[0].split())
        self.__doc__, self.__name__ = made.__doc__, made.__name__
        self.entries = _declarations(made)

    def __call__(
        self,
        d: Scope,
        /,
        *inputs: Any,
        name: str | None = None,
        over: Over = None,
        **fields: Any,
    ) -> Block:
        """An instance in the diagram `d`. Inputs are given in order or by name, parameters by
        name; `enabled`, `trigger`, `hold` and `restart` make it conditional."""
        if not isinstance(d, Scope):
            raise TypeError(f"{self.name}(d, ...) needs the diagram in which it is used first")
        inner = self._in(_root(d))
        names = [key for key, own in self.entries.items() if isinstance(own, Input)]
        if len(inputs) > len(names):
            raise TypeError(f"{self.name} has {len(names)} inputs, and {len(inputs)} are given")
        given = dict(zip(names, inputs))
        twice = given.keys() & fields.keys()
        if twice:
            raise TypeError(f"`{twice.pop()}` of {self.name} is given twice")
        return d._add(self.name, {**given, **fields}, list(inner._outputs), name, over)

    def _in(self, root: Diagram) -> Inner:
        """Its inside in a model, made when it is first used there."""
        own = root._definitions.get(self.name)
        if own is not None and own[0] is not self:
            raise ValueError(f"the model has another diagram `{self.name}`: {own[0].origin}")
        if own is not None and own[1] is not None:
            return own[1]
        if own is not None:
            raise ValueError(f"the diagram `{self.name}` contains itself")
        root._definitions[self.name] = (self, None)
        inner = Inner(root, self)
        try:
            self._fill(inner)
        except BaseException:
            del root._definitions[self.name]
            raise
        # Diagrams that this one uses come before it.
        del root._definitions[self.name]
        root._definitions[self.name] = (self, inner)
        return inner

    def _fill(self, inner: Inner) -> None:
        own = {key: inner._declare(key, entry) for key, entry in self.entries.items()}
        if inspect.isclass(self._made):
            made: Any = self._made()
            for key, named in own.items():
                setattr(made, key, named)
            outputs = made.build(inner)
        else:
            outputs = self._made(inner, **own)
        inner._outputs = _outputs(self.name, outputs)


def _declarations(made: Callable[..., Any]) -> dict[str, Entry]:
    if inspect.isclass(made):
        if not callable(getattr(made, "build", None)):
            raise TypeError(f"the class {made.__name__} needs a method build(self, d)")
        found: dict[str, Entry] = {}
        for base in reversed(made.__mro__):
            own = vars(base).items()
            found.update((key, value) for key, value in own if isinstance(value, (Parameter, Input)))
        return found
    signature = list(inspect.signature(made).parameters.values())
    if not signature:
        raise TypeError(f"{made.__name__} needs the diagram as its first argument")
    return {own.name: _declaration(made, own) for own in signature[1:]}


def _declaration(made: Callable[..., Any], own: inspect.Parameter) -> Entry:
    """Arguments that may be given by position are inputs, the others parameters."""
    default = None if own.default is own.empty else own.default
    if isinstance(default, (Parameter, Input)):
        return default
    if own.kind is own.KEYWORD_ONLY:
        return Parameter(default)
    if own.kind is own.POSITIONAL_OR_KEYWORD:
        return Input(default)
    raise TypeError(f"{made.__name__}: `{own}` is no input (positional) or parameter (by name)")


def _outputs(name: str, outputs: Any) -> dict[str, Value]:
    if isinstance(outputs, Mapping):
        return dict(outputs)
    several = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    if len(several) == 1 and isinstance(several[0], Signal) and not isinstance(several[0], Named):
        own = several[0]
        return {own._output if isinstance(own, Output) else "output": own}
    if not several or not all(isinstance(own, Named) for own in several):
        raise TypeError(f"the diagram {name} must return its outputs: blocks, or a dict of signals")
    return {own._name: own for own in several}


def diagram(made: Callable[..., Any]) -> Definition:
    """Makes a reusable diagram of a function or a class.

    The first argument of a function is the inside of the diagram, further ones are inputs, those
    after `*` parameters; it returns the outputs. A class declares them as `sd.Input()` and
    `sd.Parameter()`, and has a method `build(self, d)`.

    >>> @sd.diagram
    ... def Motor(d, u, load=0, *, k=0.05, J):
    ...     w = d.Integrator((k * u - load) / J)
    ...     return {"speed": w, "power": k * w * u}
    >>> front = Motor(d, 12, J=0.02)
    """
    return Definition(made, here())
