"""Models: read, run, started."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping

from . import _values
from ._analysis import Analysed
from ._foreign import PythonBlock
from ._origin import depth
from ._progress import Bar, Progress, watch
from ._result import Result
from ._run import Run
from ._superdense import Foreign, System, canonical, settings

if TYPE_CHECKING:
    from ._studio import Studio

Texts = list[tuple[str, str]]


def load(path: str | os.PathLike[str], *, blocks: Iterable[PythonBlock] = ()) -> Model:
    """The model of a file. `blocks` are those from Python that it uses.

    >>> model = sd.load("ball.yaml")
    """
    own = tuple(blocks)
    return Model(System.load(os.fspath(path), _foreign(own)), own)


def parse(text: str, name: str = "model", *, blocks: Iterable[PythonBlock] = ()) -> Model:
    """The model of a text, as a file has it. `blocks` are those from Python that it uses.

    >>> model = sd.parse("superdense: 1\\nname: decay\\nblocks: ...")
    """
    return compiled(name, text, [], [], tuple(blocks))


def compiled(
    name: str,
    text: str,
    files: Texts,
    lines: list[tuple[int, str]],
    blocks: tuple[PythonBlock, ...],
) -> Model:
    """The model of a text with what it imports; `lines` has the lines of Python that made it."""
    return Model(System.parse(name, text, files, lines, _foreign(blocks)), blocks, bool(lines))


def _foreign(blocks: Iterable[PythonBlock]) -> list[Foreign]:
    found: dict[str, Foreign] = {}
    for own in blocks:
        if not isinstance(own, PythonBlock):
            raise TypeError(f"{own!r} is no block; make one by @sd.function or @sd.block")
        if own.name in found:
            raise ValueError(f"two blocks are called `{own.name}`")
        found[own.name] = own.foreign
    return list(found.values())


def _warn(messages: Iterable[Any]) -> None:
    """Warns at the line that called into this package."""
    for own in messages:
        warnings.warn(own, stacklevel=depth())


def _parsed(files: Texts, blocks: tuple[PythonBlock, ...]) -> Model:
    (name, text), *others = files
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compiled(name, text, others, [], blocks)


class Model(Analysed):
    """A compiled model. It never changes; each run has its own settings and parameters."""

    def __init__(
        self, system: System, blocks: tuple[PythonBlock, ...] = (), made: bool = False
    ) -> None:
        self._system = system
        self._blocks = blocks
        self._made = made
        self._last: tuple[Any, System] | None = None
        _warn(system.warnings())

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._system.name

    @property
    def signals(self) -> list[str]:
        """The names of the recorded signals."""
        return self._system.signals

    @property
    def inputs(self) -> list[str]:
        """The names of the inputs and of tunable parameters."""
        return self._system.inputs

    @property
    def parameters(self) -> dict[str, float | list[float]]:
        """The parameters with their values."""
        own = self._system.parameters
        return {name: values[0] if len(values) == 1 else values for name, values in own}

    def _with(
        self,
        record: Iterable[str] | None,
        parameters: Mapping[str, Any] | None,
        inputs: Mapping[str, Any] | None,
        named: Mapping[str, Any],
    ) -> System:
        own = [(k, _values.text(k, v)) for k, v in named.items() if k in _SETTINGS]
        given = [(k, _values.text(k, v)) for k, v in named.items() if k not in _SETTINGS]
        more, driven = _values.mapping("parameters", parameters), _values.mapping("inputs", inputs)
        given += [(k, _values.text(k, v)) for k, v in more.items()]
        fed = [(k, _values.text(k, v)) for k, v in driven.items()]
        if isinstance(record, str):
            record = [record]
        wanted = None if record is None else list(record)
        if wanted == []:
            raise ValueError("`record` names at least one signal")
        if not own and not given and not fed and wanted is None:
            return self._system
        key = (own, given, fed, wanted)
        if self._last is None or self._last[0] != key:
            self._last = (key, self._system.with_values(own, given, fed, wanted))
        return self._last[1]

    def run(
        self,
        *,
        record: Iterable[str] | None = None,
        parameters: Mapping[str, Any] | None = None,
        inputs: Mapping[str, Any] | None = None,
        progress: Progress = None,
        **settings_and_parameters: Any,
    ) -> Result:
        """Runs to the stop time.

        Settings of the run and parameters of the model are given by name; where both have a name,
        it is the setting, and `parameters` has the parameter. `record` names what is recorded,
        signals or expressions. `inputs` are expressions of time, or numbers. `progress` is a
        function that is called with the time now and then, True for a bar, or False for none; by
        default runs of more than a second have a bar in a terminal and in a notebook.

        >>> r = model.run(stop=12, e=0.9, tolerance=1e-9, record=["y", "v"])
        """
        system = self._with(record, parameters, inputs, settings_and_parameters)
        bar = watch(progress, system.stop)
        try:
            table, messages = system.run(bar)
        finally:
            if isinstance(bar, Bar):
                bar.close()
        _warn(messages)
        return Result(table)

    def sweep(
        self,
        parameters: Mapping[str, Any] | None = None,
        *,
        measures: Iterable[str] | Mapping[str, str] = (),
        samples: int | None = None,
        method: str | None = None,
        repeats: int | None = None,
        sets: str | os.PathLike[str] | None = None,
        traces: str | os.PathLike[str] | None = None,
        inputs: Mapping[str, Any] | None = None,
        threads: int | None = None,
        executor: Any = None,
        tasks: int | None = None,
        progress: Callable[[int, int], object] | None = None,
        **settings_and_parameters: Any,
    ) -> Any:
        """Runs the model at every point of a sweep; the result is an xarray data set.

        The values of a parameter are a text as on the command line (`"0.5:0.9:0.01"`,
        `"normal(1, 0.1)"`), a number, or a list or array of values. `measures` are texts such as
        `"max(y)"`, by name if it is a mapping. `traces` is a folder for the rows of all runs, which
        `pyarrow.dataset` reads as one table, partitioned by `run`. `executor` computes parts elsewhere: an executor of
        `concurrent.futures`, a Dask client, or the module `ray`.

        >>> d = model.sweep(e="0.5:0.9:0.01", measures={"top": "max(y)"})
        >>> d.top.plot()
        """
        from ._sweep import swept

        return swept(
            self, parameters, measures, (samples, method, repeats, sets), traces, inputs, threads,
            executor, tasks, progress, settings_and_parameters,
        )

    def start(
        self,
        *,
        record: Iterable[str] | None = None,
        parameters: Mapping[str, Any] | None = None,
        inputs: Mapping[str, Any] | None = None,
        **settings_and_parameters: Any,
    ) -> Run:
        """A run in your hands, to advance, read and set.

        >>> with model.start() as run:
        ...     run.advance_to(1)
        ...     run["u"] = 3
        """
        system = self._with(record, parameters, inputs, settings_and_parameters)
        return Run(system, system.start())

    def resume(self, saved: bytes, **settings_and_parameters: Any) -> Run:
        """Continues a run that `Run.save` saved, with the same settings and parameters."""
        system = self._with(None, None, None, settings_and_parameters)
        return Run(system, system.resume(saved))

    def studio(self, *, browser: bool = True) -> Studio:
        """Opens the studio on this model: text, diagram and run on a page in the browser.

        A model that was read from a file is edited there, any other in a file of its own, and
        `studio.model()` is what was saved. `browser=False` only gives the link. The studio ends with
        `close`, or with Python.

        >>> studio = model.studio()
        >>> model = studio.model()
        """
        from ._studio import Studio

        return Studio(self, browser)

    def to_yaml(self) -> str:
        """The text of the model file. A model that was read keeps its layout and its comments."""
        name, text = self._system.files[0]
        return canonical(name, text) if self._made else text

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model to a file. Files that it imports are not written."""
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(self.to_yaml())

    def svg(self) -> str:
        """The diagram of the model."""
        return self._system.diagram()

    @property
    def charts(self) -> dict[str, Chart]:
        """The charts of the state machines, which a notebook shows: `model.charts["ball"]`."""
        return {path: Chart(path, svg) for path, svg in self._system.charts()}

    def _repr_svg_(self) -> str:
        return self.svg()

    def __reduce__(self) -> Any:
        return _parsed, (self._system.files, self._blocks)

    def __repr__(self) -> str:
        return f"<Model {self.name}: {', '.join(self.signals)}>"


class Chart:
    """The chart of a state machine."""

    def __init__(self, path: str, svg: str) -> None:
        self.path, self._svg = path, svg

    def svg(self) -> str:
        """The chart as a figure."""
        return self._svg

    def _repr_svg_(self) -> str:
        return self._svg

    def __repr__(self) -> str:
        return f"<Chart of {self.path}>"


_SETTINGS = frozenset(settings())
