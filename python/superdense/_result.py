"""Results: signals as arrays."""

from __future__ import annotations

import os
from typing import Any, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from ._superdense import Table

Floats = npt.NDArray[np.float64]


class Events(NamedTuple):
    """The events of a signal."""

    t: Floats
    microstep: npt.NDArray[np.uint32]
    value: npt.NDArray[Any]


class Impulses(NamedTuple):
    """The impulses of a signal: `order` is the order of the derivative of the impulse."""

    t: Floats
    microstep: npt.NDArray[np.uint32]
    order: npt.NDArray[np.int64]
    weight: Floats


def read(path: str | os.PathLike[str]) -> Result:
    """The result in a file: CSV, Parquet or JSON."""
    return Result(Table.read(os.fspath(path)))


def table_result(packed: bytes, stop: str) -> Result:
    """The result of pickled bytes."""
    return Result(Table.unpacked(packed, stop))


class Result:
    """The recorded rows of a run: `r.t`, `r.y`, `r["motor.w"]`.

    Methods win over signals of the same name; `r["at"]` is always the signal.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._columns = {own[0]: (i, *own[1:]) for i, own in enumerate(table.columns)}
        self._values = table.values()
        self._t: Floats | None = None

    @property
    def signals(self) -> list[str]:
        """The names of the signals."""
        return list(self._columns)

    @property
    def t(self) -> Floats:
        """The times of the rows [s]."""
        if self._t is None:
            self._t = self._table.times()
            self._t.flags.writeable = False
        return self._t

    @property
    def attoseconds(self) -> list[int]:
        """The exact times of the rows [as]."""
        return self._table.attoseconds()

    @property
    def microstep(self) -> npt.NDArray[np.uint32]:
        """The microsteps of the rows."""
        return self._table.microsteps()

    @property
    def stop(self) -> str:
        """Why the run has ended."""
        return self._table.stop

    def _column(self, name: str) -> tuple[int, str, list[int], list[str], bool]:
        if not isinstance(name, str):
            raise TypeError(f"a signal is a name, not {name!r}")
        if name not in self._columns:
            import difflib

            near = difflib.get_close_matches(name, self._columns, 1)
            help = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(self.signals)}"
            raise KeyError(f"the result has no signal `{name}`; {help}")
        return self._columns[name]

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        """A signal, row by row; NaN where it is absent. Reals are not copied. Truth values and
        integers that are never absent are arrays of `bool` and `int64`."""
        column, element, shape, _, _ = self._column(name)
        width = int(np.prod(shape, dtype=int))
        offset = self._table.offset(column)
        own = self._values[:, offset : offset + width]
        own = own[:, 0] if not shape else own.reshape((len(self), *shape))
        if element == "real" or not self._table.presence(column).all():
            return own
        return own.astype(bool if element == "boolean" else np.int64)

    def __getattr__(self, name: str) -> npt.NDArray[Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(own for own in self._columns if own.isidentifier())]

    def __len__(self) -> int:
        return len(self._table)

    def at(self, t: npt.ArrayLike, side: str | int = "right") -> dict[str, Any]:
        """All signals that last at a time [s] or at several, interpolated between rows and never
        across a jump. At an instant `side` chooses the limit, `left` or `right`, or a microstep.

        >>> r.at(1.5)["y"]
        """
        known = side in ("left", "right") or (type(side) is int and side >= 0)
        if not known:
            raise ValueError(f"`side` is `left`, `right` or a microstep, not {side!r}")
        times = np.asarray(t, dtype=float)
        flat = times.ravel()
        rows = self._rows_at(flat, side) if isinstance(side, int) else np.full(flat.shape, -1)
        found: dict[str, Any] = {}
        for name, (column, _, shape, _, discrete) in self._columns.items():
            if discrete or not self._table.presence(column).any():
                continue
            values = np.asarray(self._table.at(column, flat.tolist(), side == "left"))
            values = values.reshape((len(flat), *shape))
            values[rows >= 0] = self[name][rows[rows >= 0]]
            found[name] = values.reshape((*times.shape, *shape))[()]
        return found

    def _rows_at(self, times: Floats, microstep: int) -> npt.NDArray[np.int64]:
        """For each time that is an instant the last row up to a microstep, and otherwise -1."""
        first = np.searchsorted(self.t, times, "left")
        count = [
            int(np.searchsorted(self.microstep[a:b], microstep, "right"))
            for a, b in zip(first, np.searchsorted(self.t, times, "right"))
        ]
        counts = np.asarray(count, dtype=np.int64)
        return np.where(counts > 0, first + counts - 1, -1)

    def events(self, name: str) -> Events:
        """The events of a signal that consists only of events: the rows in which it is present."""
        column, _, _, _, discrete = self._column(name)
        present = self._table.presence(column)
        if not discrete and present.any():
            raise ValueError(f"`{name}` lasts between events; its values are in r[{name!r}]")
        return Events(self.t[present], self.microstep[present], self[name][present])

    def impulses(self, name: str) -> Impulses:
        """The impulses that a signal carries."""
        column, _, shape, _, _ = self._column(name)
        (times, microsteps, weights), orders = self._table.impulses(column)
        weight = np.asarray(weights, dtype=float).reshape((len(times), *shape))
        return Impulses(
            np.asarray(times, dtype=float),
            np.asarray(microsteps, dtype=np.uint32),
            np.asarray(orders, dtype=np.int64),
            weight,
        )

    def labels(self, name: str) -> list[str]:
        """The names that the values 0, 1, ... of a signal stand for, such as states."""
        return self._column(name)[3]

    def instants(self) -> Result:
        """The same with one row for each instant: right limits, and events that are gone by then."""
        return Result(self._table.instants())

    def to_pandas(self, rows: str = "instants", exact: bool = False) -> Any:
        """A DataFrame over time [s], with one row for each instant or, with `rows="microsteps"`, for
        each microstep. `exact` adds the times in attoseconds."""
        import pandas as pd

        if rows not in ("instants", "microsteps"):
            raise ValueError(f"`rows` is `instants` or `microsteps`, not {rows!r}")
        own = self.instants() if rows == "instants" else self
        data: dict[str, Any] = {"microstep": own.microstep} if rows == "microsteps" else {}
        if exact:
            data["attoseconds"] = np.array(own.attoseconds, dtype=object)
        for name, (_, _, shape, labels, _) in own._columns.items():
            values = own[name]
            if labels and not shape:
                codes = [-1 if np.isnan(value) else int(value) for value in values.tolist()]
                data[name] = pd.Categorical.from_codes(codes, pd.Index(labels))
            elif not shape:
                data[name] = values
            else:
                for index in np.ndindex(*shape):
                    data[f"{name}[{','.join(map(str, index))}]"] = values[(slice(None), *index)]
        return pd.DataFrame(data, index=pd.Index(own.t, name="time"))

    def to_arrow(self, rows: str = "instants", exact: bool = False) -> Any:
        """The same as a table of pyarrow; exact times are decimals."""
        import pyarrow as pa

        frame = self.to_pandas(rows)
        table = pa.Table.from_pandas(frame.reset_index(), preserve_index=False)
        if exact:
            from decimal import Decimal

            own = self.instants() if rows == "instants" else self
            times = [Decimal(time) for time in own.attoseconds]
            table = table.append_column("attoseconds", pa.array(times, pa.decimal128(38, 0)))
        return table

    def to_xarray(self) -> Any:
        """A Dataset over time [s], with one row for each instant."""
        import xarray as xr

        own = self.instants()
        data = {
            name: (("time", *(f"{name}_{k}" for k in range(len(shape)))), own[name])
            for name, (_, _, shape, _, _) in own._columns.items()
        }
        return xr.Dataset(data, coords={"time": own.t})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the rows to a file: .csv, .parquet or .json."""
        self._table.save(os.fspath(path))

    def shape_of(self, column: int) -> list[int]:
        """The shape of the values of a column, by its number."""
        return self._table.columns[column][2]

    def plot(
        self,
        *panels: str | Sequence[str],
        axes: Any = None,
        shade: str | bool | None = None,
        **line: Any,
    ) -> Any:
        """Draws signals with matplotlib and returns the axes.

        Each argument is a signal, or a list of signals that share axes; without any, all signals
        are drawn. `axes` are drawn into if they are given: one for all signals, or one for each
        argument. Lines are broken where a signal jumps, events are stems, impulses are arrows as
        high as their weights. `shade` names the state machine whose states colour the background,
        the first by default; False is none. Further arguments are those of `Axes.plot`.

        >>> r.plot("y", ["v", "kick"])
        """
        from ._plot import plot

        return plot(self, panels, axes, shade, line)

    def svg(self) -> str:
        """The figure that the model asks for, or else one of all signals."""
        return self._table.figure()

    def _repr_svg_(self) -> str:
        return self.svg()

    def __reduce__(self) -> Any:
        return table_result, (self._table.packed(), self.stop)

    def __repr__(self) -> str:
        return f"<Result of {len(self)} rows: {', '.join(self.signals)}>"
