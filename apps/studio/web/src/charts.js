// Edits of state machines in their charts.

import { studio } from './studio.svelte.js';
import { toByte } from './bytes.js';

/** The chart of a machine. */
export const chartOf = (path) => studio.scene.charts.find((own) => own.path === path);
/** A machine as the server finds it in the text. */
export const machine = (chart) => (chart.place ? { byte: chart.place[0] } : { node: chart.path });

/** The state of a chart under a point. */
export function stateAt(path, [px, py]) {
  return chartOf(path)?.states.find(({ area: [x, y, w, h] }) => px >= x - 6 && px <= x + w + 6 && py >= y - 6 && py <= y + h + 6);
}

/** Draws a transition, and selects it. */
export async function addTransition(path, from, to) {
  const before = studio.text;
  if (!(await studio.edit({ edit: 'add_transition', machine: machine(chartOf(path)), from, to }))) return;
  // The new transition is where the text has changed.
  let at = 0;
  while (at < before.length && before[at] === studio.text[at]) at += 1;
  const written = studio.text.indexOf('to:', Math.max(0, at - 12));
  studio.selected = { kind: 'move', byte: toByte(studio.text, written < 0 ? at : written), chart: path };
}

/** Adds a state, and selects it. */
export async function addState(path) {
  const name = studio.unused('state');
  const { selected } = studio;
  const chart = chartOf(path);
  // Every state has a transition into it, at first from the selected state.
  const other = selected?.kind === 'state' && selected.chart === path ? selected.name : null;
  const from = other ?? chart.states.find((own) => !own.last)?.name;
  if (await studio.edit({ edit: 'add_state', machine: machine(chart), name, from })) {
    studio.selected = { kind: 'state', chart: path, name };
  }
}
