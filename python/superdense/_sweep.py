"""Sweeps: many runs of one model, on threads, on executors and on clusters."""

from __future__ import annotations

import os
import warnings
from concurrent.futures import FIRST_COMPLETED, wait
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping, NamedTuple

import numpy as np

from . import _values
from ._superdense import Sweep, System

if TYPE_CHECKING:
    from ._foreign import PythonBlock
    from ._model import Model

Texts = list[tuple[str, str]]
Columns = list[list[Any]]


class Spec(NamedTuple):
    """A sweep as texts and blocks, of which another process makes the same sweep."""

    files: Texts
    blocks: tuple[PythonBlock, ...]
    settings: Texts
    inputs: Texts
    parameters: Texts
    sets: str | None
    samples: int | None
    method: str | None
    repeats: int | None
    measures: list[str]
    traces: str | None

    def made(self, system: System) -> Sweep:
        """The sweep over a system that has no settings yet."""
        if self.settings or self.inputs:
            system = system.with_values(self.settings, [], self.inputs, None)
        own = (self.sets, self.samples, self.method, self.repeats)
        return Sweep(system, self.parameters, *own, self.measures, self.traces)


_kept: tuple[Spec, Sweep] | None = None


def _part(spec: Spec, identity: int, start: int, end: int, threads: int) -> Columns:
    """The columns of some runs, in a process that compiles the model once."""
    global _kept
    if _kept is None or _kept[0] != spec:
        from ._model import _parsed

        _kept = (spec, spec.made(_parsed(spec.files, spec.blocks)._system))
    sweep = _kept[1]
    if sweep.identity != identity:
        raise RuntimeError(
            "this process makes another sweep of the same texts: it has another version of "
            "Superdense, or a file that the model names differs"
        )
    return sweep.rows(start, end, threads, None)


def _values_of(name: str, value: Any) -> str:
    """The values of a parameter as the command line takes them."""
    if isinstance(value, str):
        return value
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple, range)):
        if not value:
            raise ValueError(f"no values of `{name}` are given")
        return ", ".join(_values.text(name, own) for own in value)
    return _values.text(name, value)


def swept(
    model: Model,
    parameters: Mapping[str, Any] | None,
    measures: Iterable[str] | Mapping[str, str],
    draws: tuple[int | None, str | None, int | None, str | os.PathLike[str] | None],
    traces: str | os.PathLike[str] | None,
    inputs: Mapping[str, Any] | None,
    threads: int | None,
    executor: Any,
    tasks: int | None,
    progress: Callable[[int, int], object] | None,
    named: Mapping[str, Any],
) -> Any:
    """The data set of a sweep over a model."""
    from ._model import _SETTINGS

    samples, method, repeats, sets = draws
    swept_over = {k: v for k, v in named.items() if k not in _SETTINGS} | _values.mapping("parameters", parameters)
    if isinstance(measures, str):
        measures = [measures]
    if isinstance(measures, Mapping):
        measures = [f"{name}={of}" for name, of in measures.items()]
    spec = Spec(
        model._system.files,
        model._blocks,
        [(k, _values.text(k, v)) for k, v in named.items() if k in _SETTINGS],
        [(k, _values.text(k, v)) for k, v in _values.mapping("inputs", inputs).items()],
        [(k, _values_of(k, v)) for k, v in swept_over.items()],
        None if sets is None else os.path.abspath(sets),
        samples, method, repeats, list(measures),
        None if traces is None else os.path.abspath(traces),
    )
    sweep = spec.made(model._system)
    cores = os.cpu_count() or 1
    if executor is None:
        report = None if progress is None else lambda done: progress(done, sweep.count)
        columns = sweep.rows(0, sweep.count, threads or cores, report)
    else:
        columns = _elsewhere(sweep, spec, executor, threads or 1, tasks, progress)
    return _dataset(sweep, columns, model.name)


def _elsewhere(
    sweep: Sweep,
    spec: Spec,
    executor: Any,
    threads: int,
    tasks: int | None,
    progress: Callable[[int, int], object] | None,
) -> Columns:
    """The columns of all runs, computed in parts by an executor.

    Each part belongs to one place, so that none is there twice, whichever process has computed it
    how often. Parts whose process was lost and whose executor gives up are computed here.
    """
    count = sweep.count
    number = max(1, min(tasks or 64, count))
    bounds = [count * k // number for k in range(number + 1)]
    ranges = list(zip(bounds, bounds[1:]))
    found: list[Columns | None] = [None] * number
    done, lost = 0, None
    calls = [(spec, sweep.identity, start, end, threads) for start, end in ranges]
    for place, part in _results(executor, calls):
        if isinstance(part, BaseException):
            lost = part
            continue
        found[place] = part
        done += ranges[place][1] - ranges[place][0]
        if progress is not None:
            progress(done, count)
    missing = [place for place, part in enumerate(found) if part is None]
    if missing:
        warnings.warn(
            f"{len(missing)} of {number} parts were lost and are computed here: {lost!r}",
            stacklevel=4,
        )
    for place in missing:
        found[place] = sweep.rows(*ranges[place], os.cpu_count() or 1, None)
    parts = [part for part in found if part is not None]
    return [[cell for part in parts for cell in part[own]] for own in range(len(sweep.columns))]


def _results(executor: Any, calls: list[Any]) -> Iterator[tuple[int, Columns | BaseException]]:
    """The place and the result of each call as they come; an exception if its process was lost."""
    if getattr(executor, "__name__", "") == "ray":
        yield from _by_ray(executor, calls)
        return
    module = type(executor).__module__
    if module.startswith("distributed"):
        import distributed

        as_completed: Any = distributed.as_completed
        # A lost process is no mistake of the task, which goes to another one.
        futures = {executor.submit(_part, *own, pure=False, retries=3): k for k, own in enumerate(calls)}
        for future in as_completed(list(futures)):
            yield futures[future], _kept_or_lost(future)
        return
    if not hasattr(executor, "submit"):
        raise TypeError(
            "an executor is one of concurrent.futures, a Dask client or the module ray, "
            f"not a {type(executor).__name__}"
        )
    pending = {}
    try:
        for k, own in enumerate(calls):
            pending[executor.submit(_part, *own)] = k
    except RuntimeError:
        # The executor is broken; what it has not taken is missing.
        pass
    while pending:
        ready, _ = wait(pending, return_when=FIRST_COMPLETED)
        for future in ready:
            yield pending.pop(future), _kept_or_lost(future)


def _kept_or_lost(future: Any) -> Columns | BaseException:
    try:
        part: Columns = future.result()
    except Exception as error:
        if type(error).__name__ in ("BrokenProcessPool", "KilledWorker", "CancelledError"):
            return error
        raise
    return part


def _by_ray(ray: Any, calls: list[Any]) -> Iterator[tuple[int, Columns | BaseException]]:
    remote = ray.remote(max_retries=3)(_part)
    pending = {remote.remote(*own): k for k, own in enumerate(calls)}
    while pending:
        ready, _ = ray.wait(list(pending))
        for own in ready:
            place = pending.pop(own)
            try:
                yield place, ray.get(own)
            except ray.exceptions.WorkerCrashedError as error:
                yield place, error


def _dataset(sweep: Sweep, columns: Columns, name: str) -> Any:
    try:
        import xarray
    except ImportError:
        raise ImportError(
            "a sweep is an xarray data set: `pip install xarray`, or `pip install superdense[tables]`"
        ) from None
    dimensions = sweep.dimensions or [("run", 1)]
    names = [own for own, _ in dimensions]
    shape = tuple(size for _, size in dimensions)
    variables, coordinates = {}, {}
    for column, cells in zip(sweep.columns, columns):
        array = _array(cells).reshape(shape)
        if column in names:
            # The values of a parameter along its own dimension.
            along = names.index(column)
            index = tuple(slice(None) if own == along else 0 for own in range(len(shape)))
            coordinates[column] = (column, array[index])
        else:
            variables[column] = (names, array)
    return xarray.Dataset(variables, coordinates, {"model": name})


def _array(cells: list[Any]) -> np.ndarray[Any, Any]:
    if any(own is None or isinstance(own, str) for own in cells):
        if all(own is None or isinstance(own, (int, float)) for own in cells) and not all(
            own is None for own in cells
        ):
            return np.array([np.nan if own is None else own for own in cells], dtype=float)
        return np.array(["" if own is None else own for own in cells], dtype=object)
    return np.array(cells)
