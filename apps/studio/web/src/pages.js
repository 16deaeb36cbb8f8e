// The page of a block, for hovering and for the palette.

function element(name, text, kind) {
  const own = document.createElement(name);
  if (text) own.textContent = text;
  if (kind) own.className = kind;
  return own;
}

/** The page of a block as an element. */
export function page(block) {
  const out = element('div', '', 'block-page');
  out.append(element('strong', block.name), element('span', ' ' + block.category, 'quiet'));
  out.append(element('p', block.summary));
  if (block.equations) out.append(element('pre', block.equations));
  const table = element('table');
  const rows = [
    ...block.inputs.map((own) => [own.name, 'input', own.description]),
    ...block.parameters.map((own) => [own.name, own.default === null ? 'required' : own.default, own.description]),
    ...block.outputs.map((own) => [own.name, 'output', own.description]),
  ];
  for (const cells of rows) {
    const row = element('tr');
    cells.forEach((cell, index) => row.append(element('td', cell, index ? '' : 'mono')));
    table.append(row);
  }
  out.append(table);
  if (block.impulses) out.append(element('p', 'Impulses: ' + block.impulses, 'quiet'));
  return out;
}
