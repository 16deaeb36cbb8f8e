"""Figures of results with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from ._scope import nearest

if TYPE_CHECKING:
    from ._result import Floats, Result

# Rows that are few are joined by curves of this many points over the whole figure.
POINTS = 600
MANY_ROWS = 4000


def plot(
    result: Result,
    panels: Sequence[str | Sequence[str]],
    axes: Any,
    shade: str | bool | None,
    line: dict[str, Any],
) -> Any:
    """Draws panels of signals, each on axes of its own, and returns the axes."""
    import matplotlib.pyplot as plt

    rows = [[own] if isinstance(own, str) else list(own) for own in panels]
    if not all(rows):
        raise ValueError("a panel is a signal or a list of signals, and one has none")
    for name in (name for row in rows for name in row):
        result._column(name)
    states = [name for name, own in result._columns.items() if own[3] and not own[2]]
    if shade not in (None, True, False) and shade not in states:
        raise ValueError(f"`shade` is no state of a machine; {nearest(str(shade), states)}")
    shaded = None if shade is False or not states else states[0]
    shaded = shade if isinstance(shade, str) else shaded
    if not rows:
        rows = [[name] for name in result.signals if name != shaded] or [[shaded or ""]]
    single = axes is not None and not isinstance(axes, (list, tuple, np.ndarray))
    if axes is None:
        height = max(2.2, min(3.4, 8 / len(rows)))
        _, made = plt.subplots(
            len(rows), 1, sharex=True, squeeze=False, figsize=(7, height * len(rows)),
            layout="constrained",
        )  # fmt: skip
        found = list(made[:, 0])
        found[-1].set_xlabel("time [s]")
    else:
        found = [axes] if single else list(np.ravel(axes))
        if single:
            rows = [[name for row in rows for name in row]]
    if len(found) != len(rows):
        raise ValueError(f"there are {len(rows)} panels and {len(found)} axes")
    for own, names in zip(found, rows):
        for name in names:
            _signal(result, own, name, line)
        if shaded is not None:
            _shade(result, own, shaded)
        if len(names) == 1 and not result._columns[names[0]][2]:
            own.set_ylabel(names[0])
        _legend(own, len(names) > 1 or bool(result._columns[names[0]][2]))
    return found[0] if single or (axes is None and len(found) == 1) else np.array(found)


def _legend(axes: Any, lines: bool) -> None:
    handles, labels = axes.get_legend_handles_labels()
    own = [(h, n) for h, n in zip(handles, labels) if lines or hasattr(h, "_superdense_state")]
    if own:
        axes.legend(*zip(*own), loc="best", fontsize="small")


def _signal(result: Result, axes: Any, name: str, line: dict[str, Any]) -> None:
    column, element, shape, labels, discrete = result._columns[name]
    present = result._table.presence(column)
    impulses = result.impulses(name)
    for index in np.ndindex(*shape):
        label = f"{name}[{', '.join(map(str, index))}]" if shape else name
        values = np.asarray(result[name][(slice(None), *index)], dtype=float)
        if discrete and present.any():
            colour = _stems(axes, result.t[present], values[present], label, line)
        elif present.any():
            t, values = (
                _curve(result, column, index, values)
                if element == "real"
                else _steps(result.t, values)
            )
            colour = axes.plot(t, values, **{"label": label, **line})[0].get_color()
        else:
            colour = axes.plot([], [], **{"label": label, **line})[0].get_color()
        _arrows(axes, impulses, index, colour)
    if labels and not shape:
        axes.set_yticks(range(len(labels)), labels)


def _stems(axes: Any, t: Floats, values: Floats, label: str, line: dict[str, Any]) -> Any:
    own = {"marker": "o", "markersize": 4, "linestyle": "none", "label": label, **line}
    colour = axes.plot(t, values, **own)[0].get_color()
    axes.vlines(t, 0, values, color=colour, linewidth=0.8)
    return colour


def _arrows(axes: Any, impulses: Any, index: tuple[int, ...], colour: Any) -> None:
    """Impulses as arrows as high as their weights; primes count the order of the derivative."""
    for t, order, weight in zip(impulses.t, impulses.order, impulses.weight):
        height = float(weight[index])
        if height == 0:
            continue
        axes.annotate(
            "", xy=(t, height), xytext=(t, 0),
            arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 1.5, "shrinkA": 0, "shrinkB": 0},
        )  # fmt: skip
        axes.plot([t, t], [0, height], linestyle="none")  # so that the axes include it
        text = "δ" + "′" * int(order)
        axes.annotate(
            f"{height:.3g} {text}", (t, height), xytext=(3, 3), textcoords="offset points",
            fontsize="x-small", color=colour,
        )  # fmt: skip


def _curve(
    result: Result, column: int, index: tuple[int, ...], values: Floats
) -> tuple[Floats, Floats]:
    """A real signal: curves between rows that are far apart, broken where it jumps."""
    t = result.t
    jumps = np.flatnonzero((np.diff(t) == 0) & (np.diff(values) != 0)) + 1
    inserted, points, between = jumps, t[jumps], np.full(len(jumps), np.nan)
    span = t[-1] - t[0] if len(t) else 0.0
    if 1 < len(t) <= MANY_ROWS and span > 0:
        counts = np.clip(np.ceil(np.diff(t) / (span / POINTS)).astype(int), 1, POINTS) - 1
        wide = np.flatnonzero(counts > 0)
        if len(wide):
            more = [np.linspace(t[i], t[i + 1], counts[i] + 2)[1:-1] for i in wide]
            extra = np.concatenate(more)
            whole = np.asarray(result._table.at(column, extra.tolist(), False))
            width = int(np.prod(result.shape_of(column), dtype=int))
            flat = int(np.ravel_multi_index(index, result.shape_of(column))) if index else 0
            inserted = np.concatenate([np.repeat(wide + 1, counts[wide]), inserted])
            points = np.concatenate([extra, points])
            between = np.concatenate([whole.reshape(-1, width)[:, flat], between])
    return np.insert(t, inserted, points), np.insert(values, inserted, between)


def _steps(t: Floats, values: Floats) -> tuple[Floats, Floats]:
    """A truth value or an integer: held from row to row, broken where it changes."""
    changes = np.flatnonzero(np.diff(values) != 0) + 1
    where = np.concatenate([changes, changes])
    points = np.concatenate([t[changes], t[changes]])
    held = np.concatenate([values[changes - 1], np.full(len(changes), np.nan)])
    order = np.argsort(where, kind="stable")
    return np.insert(t, where[order], points[order]), np.insert(values, where[order], held[order])


def _shade(result: Result, axes: Any, name: str) -> None:
    """The states of a machine as coloured spans."""
    import matplotlib as mpl

    labels, t = result.labels(name), result.t
    values = np.asarray(result[name], dtype=float)
    if not len(t):
        return
    colours = mpl.colormaps["Pastel1" if len(labels) <= 9 else "tab20"]
    starts = np.concatenate([[0], np.flatnonzero(np.diff(values) != 0) + 1])
    ends = np.concatenate([t[starts[1:]], t[-1:]])
    seen: set[int] = set()
    for start, end in zip(starts, ends):
        if np.isnan(values[start]) or end <= t[start]:
            continue
        state = int(values[start])
        label = labels[state] if state not in seen else None
        span = axes.axvspan(
            t[start], end, color=colours(state % colours.N), alpha=0.5, linewidth=0, zorder=0,
            label=label,
        )  # fmt: skip
        span._superdense_state = state
        seen.add(state)
