// Completion: sections, types of blocks, the fields of a block, and the names of the model.

import { studio } from './studio.svelte.js';

const SECTIONS = ['superdense', 'name', 'description', 'parameters', 'inputs', 'functions', 'blocks', 'diagrams', 'record', 'outputs', 'plots', 'invariants', 'simulate', 'import'];
const SETTINGS = ['start', 'stop', 'solver', 'tolerance', 'relative_tolerance', 'absolute_tolerance', 'initial_step', 'maximum_step', 'step', 'impulses', 'rows', 'zeno', 'sliding', 'microsteps', 'seed', 'profile'];

function score(block, words) {
  const name = block.name.toLowerCase();
  const all = [block.summary, block.category, ...block.aliases].join(' ').toLowerCase();
  let sum = 0;
  for (const word of words) {
    if (name === word) sum += 12;
    else if (name.startsWith(word)) sum += 8;
    else if (name.includes(word)) sum += 5;
    else if (block.aliases.some((own) => own.toLowerCase().replaceAll(' ', '').includes(word))) sum += 4;
    else if (all.includes(word)) sum += 1;
    else return 0;
  }
  return sum;
}

/** The blocks that fit some words, the best first; names of other tools find ours. */
export function search(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const { blocks } = studio.library;
  if (!words.length) return blocks;
  const scored = blocks.map((block) => [score(block, words), block]);
  return scored.filter(([own]) => own > 0).sort((a, b) => b[0] - a[0]).map(([, block]) => block);
}

/** The names that the text defines: keys of blocks and parameters. */
function names(text) {
  const found = new Map();
  let section = '';
  for (const line of text.split('\n')) {
    const top = /^([a-z_]+):(.*)$/.exec(line);
    if (top) section = top[1];
    if (top && section === 'parameters') {
      for (const [, name] of top[2].matchAll(/([A-Za-z_]\w*)\s*:/g)) found.set(name, 'parameter');
    }
    const own = /^\s+([A-Za-z_]\w*):/.exec(line);
    if (own && (section === 'blocks' || section === 'parameters' || section === 'inputs')) {
      if (!found.has(own[1])) found.set(own[1], section.replace(/s$/, ''));
    }
  }
  return found;
}

export function complete(context) {
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  const word = context.matchBefore(/[A-Za-z_]\w*/);
  if (!word && !context.explicit) return null;
  const from = word ? word.from : context.pos;
  if (/type:\s*\w*$/.test(before)) {
    const options = studio.library.blocks.map((own) => ({ label: own.name, type: 'class', detail: own.category, info: own.summary }));
    return { from, options, validFor: /^\w*$/ };
  }
  if (/^\w*$/.test(before)) {
    return { from, options: SECTIONS.map((label) => ({ label, type: 'keyword', apply: label + ': ' })), validFor: /^\w*$/ };
  }
  const inside = /[{,]\s*\w*$/.test(before) && /\w+\s*:\s*\{/.test(before);
  if (/^simulate:/.test(line.text) && inside) {
    return { from, options: SETTINGS.map((label) => ({ label, type: 'property', apply: label + ': ' })), validFor: /^\w*$/ };
  }
  if (inside) {
    const type = /type:\s*(\w+)/.exec(line.text)?.[1];
    const block = studio.library.blocks.find((own) => own.name === type);
    if (block) {
      const fields = [...block.inputs.map((own) => [own, 'input']), ...block.parameters.map((own) => [own, own.default ?? 'required'])];
      const options = fields.map(([own, detail]) => ({ label: own.name, type: 'property', detail, info: own.description, apply: own.name + ': ' }));
      if (!/type:/.test(before)) options.push({ label: 'type', type: 'property', apply: 'type: ' });
      return { from, options, validFor: /^\w*$/ };
    }
    return { from, options: [{ label: 'type', type: 'property', apply: 'type: ' }], validFor: /^\w*$/ };
  }
  const options = [...names(context.state.doc.toString())].map(([label, detail]) => ({ label, type: 'variable', detail }));
  options.push({ label: 'time', type: 'constant' }, { label: 'previous', type: 'function' });
  options.push(...studio.library.functions.map((label) => ({ label, type: 'function' })));
  return { from, options, validFor: /^\w*$/ };
}
