// Completion: sections, types of blocks, the fields of a block, and the names of the model.

import { studio } from './studio.svelte.js';

const SECTIONS = ['superdense', 'name', 'description', 'parameters', 'inputs', 'functions', 'blocks', 'diagrams', 'record', 'outputs', 'plots', 'invariants', 'simulate', 'solve', 'sweep', 'import'];

function score(block, words) {
  const name = block.name.toLowerCase();
  const whole = words.join(' ');
  // The very name of another tool comes before words that occur in many places.
  if (block.aliases.some((own) => own.toLowerCase() === whole)) return 20;
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

/** What fits some words, the best first: blocks, machines and the like, and what a model writes where
 * other tools have blocks. Names of other tools find ours. */
export function search(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const { blocks, forms, notations } = studio.library;
  if (!words.length) return [...blocks, ...forms];
  const scored = [...blocks, ...forms, ...notations].map((block) => [score(block, words), block]);
  return scored.filter(([own]) => own > 0).sort((a, b) => b[0] - a[0]).map(([, block]) => block);
}

/** The diagrams of the text. */
function diagrams(text) {
  const section = /^diagrams:[ \t]*\n((?:[ \t].*\n|[ \t]*\n|#.*\n)*)/m.exec(text)?.[1] ?? '';
  const indent = /^([ \t]+)\S/m.exec(section)?.[1] ?? '  ';
  return [...section.matchAll(new RegExp(`^${indent}([A-Za-z_]\\w*):`, 'gm'))].map(([, name]) => name);
}

/** The type of the block that a line of fields below each other belongs to. */
function typeAbove(state, line) {
  const indent = /^\s*/.exec(line.text)[0].length;
  for (const way of [-1, 1]) {
    for (let n = line.number + way; n >= 1 && n <= state.doc.lines; n += way) {
      const { text } = state.doc.line(n);
      if (!text.trim()) continue;
      const own = /^\s*/.exec(text)[0].length;
      if (own < indent) break;
      const type = own === indent && /^\s*type:\s*(\w+)/.exec(text);
      if (type) return type[1];
    }
  }
  return null;
}

/** The fields of a block, or of a diagram of the text as far as one line gives them. */
function fieldsOf(type) {
  const block = studio.library.blocks.find((own) => own.name === type);
  const fields = block ? [...block.inputs.map((own) => [own, 'input']), ...block.parameters.map((own) => [own, own.default ?? 'required'])] : [];
  return fields.map(([own, detail]) => ({ label: own.name, type: 'property', detail, info: own.description, apply: own.name + ': ' }));
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
    const all = [...studio.library.blocks, ...studio.library.forms];
    const options = all.map((own) => ({ label: own.name, type: 'class', detail: own.category, info: own.summary }));
    options.push(...diagrams(context.state.doc.toString()).map((label) => ({ label, type: 'class', detail: 'in this file', boost: 1 })));
    return { from, options, validFor: /^\w*$/ };
  }
  if (/^\w*$/.test(before)) {
    return { from, options: SECTIONS.map((label) => ({ label, type: 'keyword', apply: label + ': ' })), validFor: /^\w*$/ };
  }
  const inside = /[{,]\s*\w*$/.test(before) && /\w+\s*:\s*\{/.test(before);
  if (/^simulate:/.test(line.text) && inside) {
    const settings = [{ name: 'stop', description: 'The stop time.' }, ...studio.library.settings];
    return { from, options: settings.map((own) => ({ label: own.name, type: 'property', info: own.description, apply: own.name + ': ' })), validFor: /^\w*$/ };
  }
  if (inside) {
    const options = fieldsOf(/type:\s*(\w+)/.exec(line.text)?.[1]);
    if (!/type:/.test(before)) options.push({ label: 'type', type: 'property', apply: 'type: ' });
    return { from, options, validFor: /^\w*$/ };
  }
  // A field on a line of its own.
  const above = /^\s+\w*$/.test(before) ? fieldsOf(typeAbove(context.state, line)) : [];
  if (above.length) return { from, options: above, validFor: /^\w*$/ };
  const options = [...names(context.state.doc.toString())].map(([label, detail]) => ({ label, type: 'variable', detail }));
  options.push({ label: 'time', type: 'constant' }, { label: 'previous', type: 'function' });
  options.push(...studio.library.functions.map((label) => ({ label, type: 'function' })));
  return { from, options, validFor: /^\w*$/ };
}
