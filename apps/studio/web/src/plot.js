// One plot: signals over time, with earlier runs as faint curves, impulses as arrows, and marks of
// events along the time axis.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

export const COLORS = {
  light: ['#0b5394', '#b45309', '#00796b', '#7b1fa2', '#b3261e', '#5d6d1e', '#37618e', '#8a5a00'],
  dark: ['#62b0ee', '#f0924f', '#4cc2b1', '#d087e0', '#ff7a70', '#b5c65a', '#9ab8e8', '#e2b04f'],
};

/** A number for an axis or a legend. */
export function number(value) {
  if (value === null || value === undefined) return '';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(3).replace(/\.?0+e/, 'e');
  return String(Number(value.toPrecision(6)));
}

/** The path of a ghost or a curve on the canvas. */
function trace(u, ctx, times, values) {
  ctx.beginPath();
  let open = false;
  for (let i = 0; i < times.length; i++) {
    const value = values[i];
    if (value === null) { open = false; continue; }
    const x = u.valToPos(times[i], 'x', true);
    const y = u.valToPos(value, 'y', true);
    if (open) ctx.lineTo(x, y);
    else ctx.moveTo(x, y);
    open = true;
  }
  ctx.stroke();
}

/** Straight lines through all points: what comes is thinned already, and corners stay corners. */
function straight(u, index, from, to) {
  const stroke = new Path2D();
  const times = u.data[0];
  const values = u.data[index];
  let open = false;
  for (let i = Math.max(0, from - 1); i <= Math.min(times.length - 1, to + 1); i++) {
    const value = values[i];
    if (value === null || value === undefined) { open = false; continue; }
    const x = u.valToPos(times[i], 'x', true);
    const y = u.valToPos(value, 'y', true);
    if (open) stroke.lineTo(x, y);
    else stroke.moveTo(x, y);
    open = true;
  }
  return { stroke, fill: null, clip: null, flags: 1 };
}

/** Draws within the plotting area alone. */
export function clipped(u, draw) {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw(ctx);
  ctx.restore();
}

/** A strip at the lower edge that shows how many events fall where, in red where they pile up. */
function density(u, ctx, events, dark) {
  const { left, top, width, height } = u.bbox;
  const ratio = devicePixelRatio;
  const bin = 3 * ratio;
  const counts = new Map();
  for (const time of events) {
    const place = Math.floor((u.valToPos(time, 'x', true) - left) / bin);
    if (place >= 0 && place * bin < width) counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  for (const [place, count] of counts) {
    ctx.fillStyle = count >= 6 ? (dark ? '#ff7a70' : '#c0322b') : dark ? '#f0924f' : '#b45309';
    ctx.globalAlpha = Math.min(1, 0.35 + 0.2 * Math.log2(count));
    const tall = Math.min(14, 4 + 2 * Math.log2(count)) * ratio;
    ctx.fillRect(left + place * bin, top + height - tall, bin, tall);
  }
  ctx.globalAlpha = 1;
}

function arrow(ctx, x, from, to, ratio) {
  const way = Math.sign(to - from);
  ctx.beginPath();
  ctx.moveTo(x, from);
  ctx.lineTo(x, to);
  ctx.stroke();
  ctx.beginPath();
  ctx.moveTo(x, to);
  ctx.lineTo(x - 4 * ratio, to - way * 8 * ratio);
  ctx.lineTo(x + 4 * ratio, to - way * 8 * ratio);
  ctx.fill();
}

/** How axes look, with what is particular about one. */
export function axisIn(dark) {
  const ink = dark ? '#a3afbb' : '#5b6775';
  const grid = dark ? '#262e37' : '#e9edf1';
  const font = '11px system-ui, "DejaVu Sans", sans-serif';
  return (extra) => ({
    stroke: ink, font, labelFont: font, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1, size: 5 }, ...extra,
  });
}

/**
 * Options of uPlot for signals. `source` gives what changes: ghosts, impulses, events, the opened
 * instant; `asked` is called with a new range of time, `clicked` with a time.
 */
// The options of uPlot are one object, and so longer than a function should otherwise be.
export function options({ width, height, signals, dark, source, asked, clicked, sync, axis, colorOf, labels }) {
  const palette = dark ? COLORS.dark : COLORS.light;
  const axisOf = axisIn(dark);
  const color = (index) => palette[(colorOf ? colorOf(index) : index) % palette.length];
  return {
    width, height,
    padding: [20, 12, axis ? 0 : 4, 0],
    legend: { show: false },
    focus: { alpha: 1 },
    cursor: {
      sync: sync ? { key: sync, scales: ['x', null] } : undefined,
      drag: { x: true, y: false, setScale: false, dist: 4 },
      points: { size: 6 },
    },
    scales: {
      x: { time: false, range: (u, min, max) => source().range ?? (min === max ? [min - 1, max + 1] : [min, max]) },
      y: { range: (u, min, max) => {
        if (min === null || max === null || !Number.isFinite(min) || !Number.isFinite(max)) return [0, 1];
        for (const [low, high] of source().ghostRanges ?? []) { min = Math.min(min, low); max = Math.max(max, high); }
        if (min === max) { const pad = Math.abs(min) * 0.1 || 1; return [min - pad, max + pad]; }
        const pad = (max - min) * 0.06;
        return [min - pad, max + pad];
      } },
    },
    axes: [
      axisOf({ size: axis ? 26 : 4, show: true, values: axis ? (u, all) => all.map(number) : () => [] }),
      axisOf({
        size: 58,
        values: (u, all) => all.map((own) => (labels ? labels[own] ?? '' : number(own))),
        incrs: labels ? [1, 2, 5, 10] : undefined,
      }),
    ],
    series: [
      {},
      ...signals.map((signal, index) => ({
        label: signal.name,
        stroke: color(index),
        width: 1.4,
        spanGaps: false,
        pxAlign: 0,
        points: { show: signal.sparse ? true : false, size: 5, fill: color(index) },
        paths: signal.sparse ? () => null : straight,
      })),
    ],
    hooks: {
      drawAxes: [(u) => clipped(u, (ctx) => {
        const { ghosts = [], events = [], instant = null, fan = false, pile = null } = source();
        const { top, height: tall } = u.bbox;
        const ratio = devicePixelRatio;
        ctx.lineWidth = 1 * ratio;
        ctx.strokeStyle = dark ? '#3a4653' : '#d8dee4';
        if (events.length && events.length < u.bbox.width / (6 * ratio)) {
          ctx.setLineDash([2 * ratio, 3 * ratio]);
          ctx.beginPath();
          for (const time of events) {
            const x = u.valToPos(time, 'x', true);
            ctx.moveTo(x, top);
            ctx.lineTo(x, top + tall);
          }
          ctx.stroke();
          ctx.setLineDash([]);
        }
        density(u, ctx, events, dark);
        if (pile !== null) {
          const x = u.valToPos(pile, 'x', true);
          ctx.strokeStyle = dark ? '#ff7a70' : '#c0322b';
          ctx.lineWidth = 1.6 * ratio;
          ctx.beginPath();
          ctx.moveTo(x, top);
          ctx.lineTo(x, top + tall);
          ctx.stroke();
        }
        if (instant !== null) {
          const x = u.valToPos(instant, 'x', true);
          ctx.fillStyle = dark ? '#6b520a' : '#ffe9a8';
          ctx.fillRect(x - 3 * ratio, top, 6 * ratio, tall);
        }
        ghosts.forEach((ghost, age) => {
          ctx.globalAlpha = fan ? 0.3 : 0.34 / (age + 1) + 0.05;
          ghost.lanes.forEach((values, index) => {
            if (!values || signals[index]?.sparse) return;
            ctx.strokeStyle = color(index);
            trace(u, ctx, ghost.times, values);
          });
          ctx.globalAlpha = 1;
        });
      })],
      draw: [(u) => clipped(u, (ctx) => {
        const { impulses = [] } = source();
        const ratio = devicePixelRatio;
        const { top, height: tall } = u.bbox;
        const zero = Math.min(Math.max(u.valToPos(0, 'y', true), top + 10), top + tall - 10);
        ctx.lineWidth = 1.8 * ratio;
        ctx.font = `${10 * ratio}px system-ui, sans-serif`;
        ctx.textAlign = 'center';
        const most = Math.max(...impulses.map((own) => Math.abs(own.weight)), 0);
        const close = impulses.length > 40;
        for (const own of impulses) {
          const x = u.valToPos(own.time, 'x', true);
          if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) continue;
          const length = (0.18 + 0.2 * Math.abs(own.weight) / most) * tall;
          const end = zero - Math.sign(own.weight) * length;
          ctx.strokeStyle = ctx.fillStyle = dark ? '#dc78d6' : '#7b1fa2';
          arrow(ctx, x, zero, Math.min(Math.max(end, top + 12 * ratio), top + tall - 12 * ratio), ratio);
          if (!close) {
            const place = Math.min(Math.max(end - Math.sign(own.weight) * 5 * ratio, top + 9 * ratio), top + tall - 3 * ratio);
            const order = own.order ? "'".repeat(own.order) : '';
            ctx.fillText(`${number(Number(own.weight.toPrecision(4)))} δ${order}`, x, place);
          }
        }
      })],
      setSelect: [(u) => {
        if (u.select.width < 4) return;
        const from = u.posToVal(u.select.left, 'x');
        const to = u.posToVal(u.select.left + u.select.width, 'x');
        u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
        if (to > from) asked([from, to]);
      }],
      ready: [(u) => interact(u, source, asked, clicked)],
    },
  };
}

/** Wheel, panning with a modifier or the middle button, double click, and clicks. */
function interact(u, source, asked, clicked) {
  const { over } = u;
  const range = () => [u.scales.x.min, u.scales.x.max];
  over.addEventListener('wheel', (event) => {
    event.preventDefault();
    const [min, max] = range();
    const { left, width } = over.getBoundingClientRect();
    if (event.shiftKey) {
      const by = ((event.deltaY || event.deltaX) / width) * (max - min);
      asked([min + by, max + by]);
      return;
    }
    const at = min + ((event.clientX - left) / width) * (max - min);
    const factor = Math.exp(event.deltaY * 0.0015);
    asked([at - (at - min) * factor, at + (max - at) * factor]);
  }, { passive: false });
  let waiting = 0;
  over.addEventListener('dblclick', () => {
    clearTimeout(waiting);
    asked(null);
  });
  let from = null;
  over.addEventListener('pointerdown', (event) => {
    from = [event.clientX, event.clientY];
    if (event.button !== 1 && !(event.button === 0 && event.shiftKey)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const [min, max] = range();
    const { width } = over.getBoundingClientRect();
    const begin = event.clientX;
    const move = (event) => {
      const by = ((begin - event.clientX) / width) * (max - min);
      asked([min + by, max + by]);
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
  over.addEventListener('click', (event) => {
    const still = from && Math.hypot(event.clientX - from[0], event.clientY - from[1]) < 4;
    if (!still || event.shiftKey || event.detail > 1) return;
    const { left } = over.getBoundingClientRect();
    const time = u.posToVal(event.clientX - left, 'x');
    // A second click asks for everything instead.
    clearTimeout(waiting);
    waiting = setTimeout(() => clicked?.(time), 220);
  });
}
