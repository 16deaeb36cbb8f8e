// The plots of a report: the data are in the page.

import uPlot from 'uplot';
import './report.css';
import { curves, phaseOptions } from './phase.js';
import { COLORS, number, options } from './plot.js';

const data = JSON.parse(document.getElementById('data').textContent);
const place = document.getElementById('plots');
const plots = [];
let view = null;

const lanesOf = (name) => data.names.flatMap((own, index) => (own === name || own.startsWith(name + '[') ? [index] : []));
let panels = data.panels.map((names) => [...new Set(names.flatMap(lanesOf))]).filter((own) => own.length);
if (!panels.length && data.names.length) panels = [data.names.map((_, index) => index)];

function whole() {
  const [first, last] = [data.times[0] ?? 0, data.times[data.times.length - 1] ?? 1];
  return first < last ? [first, last] : [first - 0.5, first + 0.5];
}

function asked(range) {
  view = range;
  const [min, max] = view ?? whole();
  for (const own of plots) own.setScale('x', { min, max });
}

panels.forEach((panel, index) => {
  const last = index === panels.length - 1;
  const holder = document.createElement('div');
  holder.className = 'one';
  const legend = document.createElement('div');
  legend.className = 'legend';
  const values = panel.map((lane, at) => {
    const item = document.createElement('span');
    const line = document.createElement('i');
    line.style.background = COLORS.light[at % COLORS.light.length];
    const value = document.createElement('b');
    item.append(line, data.names[lane], value);
    legend.append(item);
    return value;
  });
  place.append(holder);
  const signals = panel.map((lane) => {
    const own = data.lanes[lane];
    const there = own.reduce((sum, value) => sum + (value === null ? 0 : 1), 0);
    return { name: data.names[lane], sparse: there < own.length / 4 && there > 0 };
  });
  const source = () => ({
    range: view ?? whole(),
    events: data.events,
    impulses: data.impulses
      .filter(([, , lane]) => panel.includes(lane))
      .map(([time, microstep, , order, weight]) => ({ time, microstep, order, weight })),
  });
  const width = () => Math.max(300, place.clientWidth);
  const height = Math.max(150, Math.min(280, 560 / panels.length)) + (last ? 26 : 4);
  const plot = new uPlot(
    options({ width: width(), height, signals, dark: false, source, asked, sync: 'time', axis: last, labels: data.labels[data.names[panel[0]]] }),
    [data.times, ...panel.map((lane) => data.lanes[lane])],
    holder,
  );
  holder.append(legend);
  plot.over.addEventListener('pointermove', () => {
    const at = plot.cursor.idx;
    panel.forEach((lane, own) => {
      const value = at === null || at === undefined ? undefined : data.lanes[lane][at];
      values[own].textContent = value === undefined ? '' : value === null ? 'absent' : number(value);
    });
  });
  addEventListener('resize', () => plot.setSize({ width: width(), height }));
  plots.push(plot);
});

// Phase plots stand beside each other.
const row = document.createElement('div');
row.className = 'phases';
for (const panel of data.phases) {
  const now = curves(panel.pairs, data);
  if (!now.some(Boolean)) continue;
  const holder = document.createElement('div');
  holder.className = 'one';
  const legend = document.createElement('div');
  legend.className = 'legend';
  const values = panel.pairs.map((own, at) => {
    const item = document.createElement('span');
    const line = document.createElement('i');
    line.style.background = COLORS.light[at % COLORS.light.length];
    const value = document.createElement('b');
    item.append(line, own.label, value);
    legend.append(item);
    return value;
  });
  const pointed = (at) => values.forEach((value, own) => {
    const [x, y] = at < 0 ? [null, null] : [now[own]?.x[at] ?? null, now[own]?.y[at] ?? null];
    value.textContent = x === null || y === null ? '' : `${number(x)}, ${number(y)} at t = ${number(data.times[at])}`;
  });
  new uPlot(
    phaseOptions({ width: 420, height: 360, panel, dark: false, source: () => ({ now }), pointed }),
    [[0, 1], [0, 1]], holder,
  );
  holder.append(legend);
  row.append(holder);
}
if (row.children.length) place.append(row);
