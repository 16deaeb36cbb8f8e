// One phase plot: signals over others, along the rows of a run. The rows are drawn by hooks, since
// the values of a horizontal axis of uPlot would have to grow.

import { COLORS, axisIn, clipped, number } from './plot.js';

/** The curves of a panel in the rows of a run; null for a signal that they do not have. */
export function curves(pairs, rows) {
  return pairs.map(({ x, y }) => {
    const [a, b] = [rows.names.indexOf(x), rows.names.indexOf(y)];
    return a < 0 || b < 0 ? null : { times: rows.times, x: rows.lanes[a], y: rows.lanes[b] };
  });
}

/** The row whose point is nearest to a place in the plotting area, or -1. */
export function nearest(u, all, left, top) {
  let [found, least] = [-1, Infinity];
  for (const { x, y } of all) {
    for (let i = 0; i < x.length; i++) {
      if (x[i] === null || y[i] === null) continue;
      const away = Math.hypot(u.valToPos(x[i], 'x') - left, u.valToPos(y[i], 'y') - top);
      if (away < least) [found, least] = [i, away];
    }
  }
  return found;
}

/** Draws a curve: the motion between instants, or its jumps at instants. */
function draw(u, ctx, { times, x, y }, jumps) {
  ctx.beginPath();
  let before = null;
  for (let i = 0; i < times.length; i++) {
    if (x[i] === null || y[i] === null) { before = null; continue; }
    const here = [u.valToPos(x[i], 'x', true), u.valToPos(y[i], 'y', true)];
    const joined = before && (times[i] === times[i - 1]) === jumps;
    if (joined && jumps) ctx.moveTo(...before);
    if (joined) ctx.lineTo(...here);
    else ctx.moveTo(...here);
    before = here;
  }
  ctx.stroke();
}

function extent(all, key, range) {
  if (range) return range;
  let [low, high] = [Infinity, -Infinity];
  for (const own of all) {
    for (const value of own[key]) {
      if (value === null) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (!(low <= high)) return [0, 1];
  const pad = (high - low) * 0.06 || Math.abs(low) * 0.1 || 1;
  return [low - pad, high + pad];
}

/** The ranges of both axes; with equal scales the one that has room is widened. */
function ranges(u, { panel, source, view }) {
  if (view.now) return view.now;
  const { now, ghosts = [] } = source();
  const all = [...now, ...ghosts.flat()].filter(Boolean);
  const [x, y] = [extent(all, 'x', panel.x.range), extent(all, 'y', panel.y.range)];
  const { width, height } = u.bbox;
  if (!panel.equal || !width || !height) return [x, y];
  const unit = Math.max((x[1] - x[0]) / width, (y[1] - y[0]) / height);
  const widened = ([low, high], size) => [(low + high - unit * size) / 2, (low + high + unit * size) / 2];
  return [widened(x, width), widened(y, height)];
}

/** Draws the curves of earlier runs, then those of now, with the points of the opened instant. */
function paint(u, ctx, { now, ghosts = [], fan = false, instant = null }, color) {
  const ratio = devicePixelRatio;
  ctx.lineJoin = 'round';
  ghosts.forEach((all, age) => {
    ctx.globalAlpha = fan ? 0.3 : 0.34 / (age + 1) + 0.05;
    ctx.lineWidth = ratio;
    all.forEach((curve, index) => {
      ctx.strokeStyle = color(index);
      if (curve) draw(u, ctx, curve, false);
    });
  });
  ctx.globalAlpha = 1;
  now.forEach((curve, index) => {
    if (!curve) return;
    ctx.strokeStyle = ctx.fillStyle = color(index);
    ctx.lineWidth = 1.4 * ratio;
    draw(u, ctx, curve, false);
    ctx.lineWidth = 0.8 * ratio;
    ctx.setLineDash([3 * ratio, 3 * ratio]);
    draw(u, ctx, curve, true);
    ctx.setLineDash([]);
    if (instant === null) return;
    for (let i = 0; i < curve.times.length; i++) {
      if (curve.times[i] !== instant || curve.x[i] === null || curve.y[i] === null) continue;
      ctx.beginPath();
      ctx.arc(u.valToPos(curve.x[i], 'x', true), u.valToPos(curve.y[i], 'y', true), 4 * ratio, 0, 2 * Math.PI);
      ctx.fill();
    }
  });
}

/**
 * Options of uPlot for a phase plot. `source` gives the curves now, those of earlier runs and the
 * opened instant; `pointed` is called with the row under the pointer or null, `clicked` with a time.
 */
export function phaseOptions({ width, height, panel, dark, source, pointed, clicked }) {
  const palette = dark ? COLORS.dark : COLORS.light;
  const axisOf = axisIn(dark);
  const color = (index) => palette[index % palette.length];
  const own = { panel, source, view: { now: null } };
  const labelled = (axis) => (axis.label ? { label: axis.label, labelSize: 16, labelGap: 0 } : {});
  const values = (u, all) => all.map(number);
  return {
    width, height,
    padding: [20, 12, 0, 0],
    legend: { show: false },
    cursor: { drag: { x: true, y: true, setScale: false, dist: 4 }, points: { show: false } },
    scales: {
      x: { time: false, range: (u) => ranges(u, own)[0] },
      y: { range: (u) => ranges(u, own)[1] },
    },
    axes: [axisOf({ size: 26, values, space: 45, ...labelled(panel.x) }), axisOf({ size: 50, values, ...labelled(panel.y) })],
    series: [{}, { paths: () => null, points: { show: false } }],
    hooks: {
      draw: [(u) => clipped(u, (ctx) => paint(u, ctx, source(), color))],
      setSelect: [(u) => {
        const { left, top, width, height } = u.select;
        if (width < 4 || height < 4) return;
        const at = (place, axis) => u.posToVal(place, axis);
        own.view.now = [[at(left, 'x'), at(left + width, 'x')], [at(top + height, 'y'), at(top, 'y')]];
        u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
        fitted(u);
      }],
      ready: [(u) => interact(u, own, pointed, clicked)],
    },
  };
}

/** Takes over new ranges, or new curves. */
export function fitted(u) {
  u.setData(u.data, true);
}

/** Wheel, panning with a modifier, double click, pointing and clicks. */
function interact(u, own, pointed, clicked) {
  const { over } = u;
  const scales = () => ['x', 'y'].map((key) => [u.scales[key].min, u.scales[key].max]);
  const mine = () => own.source().now.filter(Boolean);
  const row = (event) => {
    const { left, top } = over.getBoundingClientRect();
    return nearest(u, mine(), event.clientX - left, event.clientY - top);
  };
  over.addEventListener('wheel', (event) => {
    event.preventDefault();
    const { left, top } = over.getBoundingClientRect();
    const at = [u.posToVal(event.clientX - left, 'x'), u.posToVal(event.clientY - top, 'y')];
    const factor = Math.exp(event.deltaY * 0.0015);
    own.view.now = scales().map((range, key) => range.map((end) => at[key] + (end - at[key]) * factor));
    fitted(u);
  }, { passive: false });
  let waiting = 0;
  over.addEventListener('dblclick', () => {
    clearTimeout(waiting);
    own.view.now = null;
    fitted(u);
  });
  let from = null;
  over.addEventListener('pointerdown', (event) => {
    from = [event.clientX, event.clientY];
    if (!event.shiftKey && event.button !== 1) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const [[x0, x1], [y0, y1]] = scales();
    const { width, height } = over.getBoundingClientRect();
    const move = (now) => {
      const x = ((from[0] - now.clientX) / width) * (x1 - x0);
      const y = ((now.clientY - from[1]) / height) * (y1 - y0);
      own.view.now = [[x0 + x, x1 + x], [y0 + y, y1 + y]];
      fitted(u);
    };
    const up = () => {
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', up);
    };
    addEventListener('pointermove', move);
    addEventListener('pointerup', up);
  }, true);
  over.addEventListener('mousedown', (event) => {
    if (event.shiftKey || event.button === 1) event.stopImmediatePropagation();
  }, true);
  over.addEventListener('pointermove', (event) => pointed?.(row(event)));
  over.addEventListener('pointerleave', () => pointed?.(-1));
  over.addEventListener('click', (event) => {
    const still = from && Math.hypot(event.clientX - from[0], event.clientY - from[1]) < 4;
    if (!still || event.shiftKey || event.detail > 1) return;
    const time = mine()[0]?.times[row(event)];
    clearTimeout(waiting);
    if (time !== undefined) waiting = setTimeout(() => clicked?.(time), 220);
  });
}
