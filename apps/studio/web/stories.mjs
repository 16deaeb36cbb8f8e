// The stories of the studio in a real browser: `node stories.mjs [PROGRAM] [FOLDER FOR PICTURES]`.
// Chromium is Debian's; nothing is fetched. Each story leaves a picture, and the figures are
// printed at the end.

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { poorContrast, slid } from './measures.mjs';
import { phase } from './phases.mjs';

const root = join(import.meta.dirname, '../../..');
const program = process.argv[2] ?? join(root, 'target/debug/superdense');
const pictures = process.argv[3];
const folder = mkdtempSync(join(tmpdir(), 'studio-'));
const figures = {};
const mistakes = [];
if (pictures) mkdirSync(pictures, { recursive: true });

const model = (name) => readFileSync(join(root, 'models', name, 'model.yaml'), 'utf8').replace(/^#.*\n/, '');
writeFileSync(join(folder, 'ball.yaml'), model('bouncing-ball'));
writeFileSync(join(folder, 'lorenz.yaml'), model('lorenz'));
writeFileSync(join(folder, 'modes.yaml'), model('modal-thermostat'));

function assert(holds, what) {
  if (!holds) throw new Error(what);
}

const began = performance.now();
const server = spawn(program, ['studio', join(folder, 'ball.yaml'), '--no-browser']);
const link = await new Promise((resolve, reject) => {
  server.stdout.once('data', (data) => resolve(String(data).trim()));
  server.once('exit', () => reject(new Error('the studio did not start')));
});
figures['command to link [ms]'] = performance.now() - began;

const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, acceptDownloads: true, colorScheme: 'light' });
const page = await context.newPage();
page.setDefaultTimeout(20000);
page.on('pageerror', (error) => mistakes.push(`error in the page: ${error.message}`));
page.on('console', (message) => { if (message.type() === 'error') mistakes.push(`console: ${message.text()}`); });

const picture = async (name) => { if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`) }); };
const text = () => page.evaluate(() => globalThis.studio.text);
const state = (key) => page.evaluate((key) => globalThis.studio[key], key);
const until = (what, argument, timeout = 20000) => page.waitForFunction(what, argument, { polling: 20, timeout });
const valid = () => until(() => globalThis.studio.ok && globalThis.studio.checkedVersion === globalThis.studio.version);
const ended = () => until(() => !globalThis.studio.running && globalThis.studio.ended);

// Runs the model once more, and returns its results as text.
const ran = async () => {
  const run = await page.evaluate(() => { globalThis.studio.start(); return globalThis.studio.run; });
  await until((run) => globalThis.studio.ended?.run === run && globalThis.studio.rows.run === run && !globalThis.studio.running, run);
  return page.evaluate(() => JSON.stringify([globalThis.studio.rows.names, globalThis.studio.rows.lanes.map((own) => [...own])]));
};

const stories = {
  async open() {
    const begin = performance.now();
    await page.goto(link);
    await page.locator('.node').first().waitFor();
    await until(() => globalThis.studio.rows);
    figures['link to first picture and plot [ms]'] = performance.now() - begin;
    await ended();
    assert((await page.locator('.node').count()) >= 5, 'blocks are drawn');
    assert((await page.locator('.u-over').count()) >= 1, 'plots are drawn');
    await page.waitForTimeout(200);
    await picture('open');
  },

  async text() {
    const before = await text();
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('invariants: {energy: 0.5 * v^2 + g * z}');
    await page.locator('.cm-lintRange-error').waitFor();
    await page.locator('.problems li').first().waitFor();
    assert((await page.locator('.problems').textContent()).includes('z'), 'the mistake is named');
    await page.waitForTimeout(300);
    await picture('mistake');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('y');
    await valid();
    await until(() => document.querySelectorAll('.cm-lintRange-error').length === 0);
    for (let i = 0; i < 60 && (await text()) !== before; i++) await page.keyboard.press('Control+z');
    assert((await text()) === before, 'undo brings the text back');
    await valid();
  },

  async diagram() {
    const before = await text();
    await page.locator('svg[aria-label="Block diagram"]').focus();
    await page.keyboard.press('a');
    await page.getByLabel('Search blocks').fill('saturat');
    await page.waitForTimeout(150);
    await picture('palette');
    await page.keyboard.press('Enter');
    await until((before) => globalThis.studio.text !== before, before);
    await valid();
    const name = await page.evaluate(() => globalThis.studio.selected.path);
    await page.locator(`.node[data-node="${name}"]`).waitFor();
    // Drag from the output of v to its input.
    await page.locator('.node[data-node="v"]').hover();
    const pin = await page.locator('.node[data-node="v"] .pin').boundingBox();
    const goal = await page.locator(`.node[data-node="${name}"] .shape`).first().boundingBox();
    await page.mouse.move(pin.x + pin.width / 2, pin.y + pin.height / 2);
    await page.mouse.down();
    await page.mouse.move(goal.x + 20, goal.y + goal.height / 2, { steps: 5 });
    await page.mouse.up();
    await until((name) => new RegExp(`${name}: \\{[^}]*input: v\\b`).test(globalThis.studio.text), name);
    await valid();
    await page.waitForTimeout(200);
    await picture('connect');
    // Rename and change a field in the inspector.
    await page.locator(`.node[data-node="${name}"]`).click();
    await page.getByLabel('name', { exact: true }).fill('limited');
    await page.keyboard.press('Tab');
    await until(() => globalThis.studio.text.includes('limited: {'));
    await valid();
    const after = await text();
    assert(after.replace(/ {2}limited:.*\n/, '') === before, 'nothing else of the text has changed');
    // Undo over all of it, then redo.
    await page.locator('svg[aria-label="Block diagram"]').focus();
    for (let i = 0; i < 10 && (await text()) !== before; i++) await page.keyboard.press('Control+z');
    assert((await text()) === before, 'undo reaches the text before the edits');
    for (let i = 0; i < 10 && (await text()) !== after; i++) await page.keyboard.press('Control+y');
    assert((await text()) === after, 'redo reaches the text after the edits');
    await valid();
    await page.locator('.node[data-node="limited"]').click();
    await page.locator('svg[aria-label="Block diagram"]').focus();
    await page.keyboard.press('Delete');
    await until((before) => globalThis.studio.text === before, before);
    await valid();
  },

  async group() {
    const before = await text();
    const drawing = page.locator('svg[aria-label="Block diagram"]');
    const results = await ran();
    // A rubber band around everything, then one block fewer by shift and click.
    const { x, y, width, height } = await drawing.boundingBox();
    await page.keyboard.down('Shift');
    await page.mouse.move(x + 3, y + 3);
    await page.mouse.down();
    await page.mouse.move(x + width - 3, y + height - 3, { steps: 4 });
    await page.mouse.up();
    assert((await page.evaluate(() => globalThis.studio.chosen.length)) >= 4, 'the band selects blocks');
    await page.locator('.node[data-node="hit"]').click();
    await page.locator('.node[data-node="kick"]').click();
    await page.keyboard.up('Shift');
    assert((await page.evaluate(() => globalThis.studio.chosen.join())) === 'v,y', 'two blocks are left');
    await picture('select');
    await drawing.focus();
    await page.keyboard.press('Control+g');
    await until(() => globalThis.studio.text.includes('\n  Part:\n'));
    await valid();
    assert((await ran()) === results, 'the run is the same');
    // Other names for the instance and the diagram.
    await page.locator('#inspector-diagram').fill('Ball');
    await page.keyboard.press('Tab');
    await until(() => globalThis.studio.text.includes('type: Ball'));
    await valid();
    await page.locator('#inspector-name').fill('ball');
    await page.keyboard.press('Tab');
    await until(() => globalThis.studio.text.includes('ball: {type: Ball'));
    await valid();
    // Double click opens it, and the trail leads back.
    await page.locator('.node[data-node="ball"]').dblclick();
    await page.locator('.node[data-node="ball.v"]').waitFor();
    await page.waitForTimeout(200);
    await picture('group');
    assert((await page.locator('.trail').textContent()).includes('ball'), 'the trail has the diagram');
    await page.keyboard.press('Alt+Backspace');
    await page.locator('.node[data-node="ball"]').waitFor();
    await page.locator('.node[data-node="ball"]').click();
    await drawing.focus();
    await page.keyboard.press('Control+Shift+g');
    await until(() => !globalThis.studio.text.includes('Ball:'));
    await valid();
    for (let i = 0; i < 10 && (await text()) !== before; i++) await page.keyboard.press('Control+z');
    assert((await text()) === before, 'undo brings the text back');
    await valid();
  },

  async parameter() {
    const before = await text();
    await page.getByRole('tab', { name: 'Parameters' }).click();
    page.once('dialog', (dialog) => dialog.accept('bounce'));
    await page.getByLabel('e', { exact: true }).first().focus();
    await page.keyboard.press('F2');
    await until(() => globalThis.studio.text.includes('bounce: 0.8') && globalThis.studio.text.includes('(1 + bounce)'));
    await valid();
    await page.locator('svg[aria-label="Block diagram"]').focus();
    await page.keyboard.press('Control+z');
    assert((await text()) === before, 'undo brings the text back');
    await valid();
  },

  async expression() {
    const before = await text();
    await page.locator('.node[data-node="v"]').click();
    const field = page.locator('#field-input');
    await field.fill('-g * w');
    await page.locator('.inspector .says .bad').waitFor();
    assert((await page.locator('.inspector .says').first().textContent()).includes('w'), 'the mistake is named');
    await picture('expression');
    await field.fill('-g * y');
    await page.locator('.inspector .says .good').waitFor();
    assert((await page.locator('.inspector .says').first().textContent()).includes('real, continuous'), 'the type is shown');
    assert((await text()) === before, 'nothing is written while typing');
    await page.keyboard.press('Escape');
    assert((await field.inputValue()) === '-g', 'Escape brings the value back');
    // Connecting without the mouse.
    await page.locator('svg[aria-label="Block diagram"]').focus();
    await page.keyboard.press('c');
    await page.getByLabel('Search inputs').fill('hit.input');
    await page.keyboard.press('Enter');
    await until(() => /hit: \{[^}]*input: v\b/.test(globalThis.studio.text));
    await page.locator('svg[aria-label="Block diagram"]').focus();
    await page.keyboard.press('Control+z');
    await valid();
    assert((await text()) === before, 'undo brings the text back');
    await ended();
  },

  async slider() {
    await page.getByRole('tab', { name: 'Parameters' }).click();
    const slider = page.locator('#parameter-e');
    figures['slider to redrawn plot, ball, median [ms]'] = await slid(page, 'e', (i) => 0.5 + 0.012 * i);
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    await ended();
    assert((await page.evaluate(() => globalThis.studio.ghosts.length)) > 1, 'earlier runs stay');
    await page.waitForTimeout(200);
    await picture('slider');
    await page.getByLabel('reset e').click();
    await ended();
    await page.getByLabel('fan of g').click();
    await until(() => globalThis.studio.fanned === 'g');
    assert((await page.evaluate(() => globalThis.studio.ghosts.length)) === 9, 'nine runs make a fan');
    assert((await page.evaluate(() => globalThis.studio.given.g)) === undefined, 'the value is as before');
    await page.waitForTimeout(200);
    await picture('fan');
    await page.keyboard.press('Control+Enter');
    await ended();
  },

  async zoom() {
    const over = page.locator('.u-over').first();
    const { x, y, width, height } = await over.boundingBox();
    await page.mouse.move(x + width * 0.3, y + height / 2);
    await page.mouse.wheel(0, -600);
    await until(() => globalThis.studio.view);
    const [from, to] = await state('view');
    assert(to - from < 10, 'the wheel zooms');
    await over.dblclick();
    await until(() => globalThis.studio.view === null);
  },

  async instant() {
    await page.evaluate(() => { globalThis.studio.instant = null; });
    const { x, y, width, height } = await page.locator('.u-over').first().boundingBox();
    await page.mouse.click(x + width * 0.12, y + height / 2);
    await until(() => globalThis.studio.instant);
    const own = await state('instant');
    assert(Math.abs(own.time - Math.sqrt(20 / 9.81)) < 1e-6, 'the first bounce is opened');
    assert((await page.locator('.node.lit').count()) >= 2, 'blocks that fired are lit');
    assert((await page.locator('.says').count()) >= 1, 'values are on the wires');
    await page.waitForTimeout(200);
    await picture('instant');
    await page.keyboard.press('Alt+ArrowRight');
    await until(() => globalThis.studio.microstep === 2);
    await page.keyboard.press('Alt+Shift+ArrowRight');
    await until((time) => globalThis.studio.instant.time > time, own.time);
    await page.keyboard.press('Alt+Shift+ArrowLeft');
    await until((time) => globalThis.studio.instant.time === time, own.time);
    await page.getByRole('button', { name: 'step ›' }).click();
    await until(() => globalThis.studio.instant.events.length === 0);
    assert((await page.locator('.value').count()) >= 3, 'wires have values between events');
    await page.getByLabel('Close the instant').click();
  },

  async loop() {
    const before = await text();
    const plain = 'superdense: 1\nblocks:\n  a: {type: Gain, input: b, gain: 2}\n  b: {type: Expression, expression: floor(a) + 1}\nrecord: [a]\nsimulate: {stop: 1}\n';
    await page.evaluate((text) => globalThis.studio.editor.replaceAll(text, true), plain);
    await page.locator('.node.looped').first().waitFor();
    await page.locator('.problems li').first().waitFor();
    await page.locator('.parts').getByRole('button', { name: 'a', exact: true }).click();
    assert((await page.evaluate(() => globalThis.studio.chosen.join())) === 'a', 'a part of the loop is shown');
    await page.waitForTimeout(200);
    await picture('loop');
    await page.evaluate((text) => globalThis.studio.editor.replaceAll(text, true), before);
    await valid();
    await ended();
  },

  async save() {
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('# kept');
    await page.keyboard.press('Control+s');
    await until(() => !globalThis.studio.dirty);
    assert(readFileSync(join(folder, 'ball.yaml'), 'utf8').endsWith('# kept'), 'the file is saved');
    // Somebody else writes the file: without changes here it is taken over, with changes one is asked.
    writeFileSync(join(folder, 'ball.yaml'), model('bouncing-ball') + '# theirs');
    await until(() => globalThis.studio.text.endsWith('# theirs'));
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' mine');
    await page.waitForTimeout(1300);
    writeFileSync(join(folder, 'ball.yaml'), model('bouncing-ball') + '# again');
    await page.locator('.bar').waitFor();
    await picture('conflict');
    await page.getByRole('button', { name: 'Keep my text' }).click();
    await until(() => !globalThis.studio.dirty);
    assert(readFileSync(join(folder, 'ball.yaml'), 'utf8').endsWith('# theirs mine'), 'mine is kept');
    // What was not saved when the tab was closed is offered again.
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' unsaved');
    await page.waitForTimeout(1500);
    await page.reload();
    await page.getByRole('button', { name: 'Take them' }).click();
    await until(() => globalThis.studio.text.endsWith('mine unsaved'));
    await page.keyboard.press('Control+s');
    await until(() => !globalThis.studio.dirty);
    assert(!readdirSync(folder).some((name) => name.endsWith('.unsaved')), 'no copy is left');
  },

  async tabs() {
    // Another tab sees what this one saves, and asks if it has changes of its own.
    const other = await context.newPage();
    await other.goto(link);
    await other.waitForFunction((text) => globalThis.studio?.text === text, await text());
    await page.keyboard.press('Control+End');
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('\n# from here');
    await page.keyboard.press('Control+s');
    await until(() => !globalThis.studio.dirty);
    await other.waitForFunction(() => globalThis.studio.text.endsWith('# from here') && !globalThis.studio.dirty);
    await other.locator('.cm-content').click();
    await other.keyboard.press('Control+End');
    await other.keyboard.type(' and there');
    await page.keyboard.type(' again');
    await page.keyboard.press('Control+s');
    await other.getByRole('button', { name: 'Take the text from the disk' }).click();
    await other.waitForFunction(() => globalThis.studio.text.endsWith('# from here again'));
    await other.close();
    // A new model that was never saved survives the end of its tab.
    await page.getByTitle('Models and examples').click();
    await page.getByRole('button', { name: 'New model' }).click();
    await valid();
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('# precious');
    await page.waitForTimeout(1500);
    await page.reload();
    await page.getByRole('button', { name: 'Open it' }).click();
    await until(() => globalThis.studio.text.endsWith('# precious'));
    await page.getByTitle('Models and examples').click();
    await page.getByRole('button', { name: 'ball.yaml' }).click();
    await until(() => globalThis.studio.path === 'ball.yaml');
    await page.evaluate(() => globalThis.studio.forget('model.yaml'));
  },

  async modes() {
    await page.getByTitle('Models and examples').click();
    await page.locator('.welcome').waitFor();
    await picture('welcome');
    await page.getByRole('button', { name: 'modes.yaml' }).click();
    await page.locator('.state').first().waitFor();
    await ended();
    await page.waitForTimeout(300);
    await picture('modes');
  },

  async chart() {
    const before = await text();
    const state = (name) => page.locator(`.state[aria-label="state ${name}"]`);
    await page.locator('.add').click();
    await until(() => /\n\s+state\d*: \{\}/.test(globalThis.studio.text));
    await valid();
    await page.locator('#inspector-name').fill('broken');
    await page.keyboard.press('Tab');
    await state('broken').waitFor();
    // A transition is drawn from state to state, and gets its guard in the inspector.
    await state('cooling').hover();
    const pin = await state('cooling').locator('.pin').boundingBox();
    const goal = await state('broken').locator('.shape').first().boundingBox();
    await page.mouse.move(pin.x + pin.width / 2, pin.y + pin.height / 2);
    await page.mouse.down();
    await page.mouse.move(goal.x + goal.width / 2, goal.y + goal.height / 2, { steps: 5 });
    await page.mouse.up();
    await until(() => globalThis.studio.text.match(/to: broken, when: false/g)?.length === 2);
    await page.locator('#field-when').fill('room < 15 and elapsed > 4');
    await page.locator('.inspector .says .good').waitFor();
    await page.keyboard.press('Tab');
    await until(() => globalThis.studio.text.includes('when: room < 15 and elapsed > 4'));
    await valid();
    await page.waitForTimeout(200);
    await picture('chart');
    // A state is renamed everywhere, and takes the transitions into it along when it goes.
    await state('heating').click();
    await page.locator('#inspector-name').fill('warming');
    await page.keyboard.press('Tab');
    await until(() => globalThis.studio.text.includes('initial: warming') && globalThis.studio.text.includes('to: warming'));
    await valid();
    await state('broken').click();
    await page.locator('svg[aria-label="Block diagram"]').focus();
    await page.keyboard.press('Delete');
    await until(() => !globalThis.studio.text.includes('broken'));
    await valid();
    for (let i = 0; i < 12 && (await text()) !== before; i++) await page.keyboard.press('Control+z');
    assert((await text()) === before, 'undo brings the text back');
    await valid();
  },

  async imported() {
    const file = 'superdense: 1\ndiagrams:\n  Lag:\n    parameters: {tau: 1}\n    inputs: [u]\n    outputs: [x]\n    blocks:\n      x: {type: Integrator, input: (u - x) / tau}\n';
    writeFileSync(join(folder, 'parts.yaml'), file);
    writeFileSync(join(folder, 'uses.yaml'), 'superdense: 1\nimport: [parts.yaml]\nblocks:\n  lag: {type: Lag, u: 1}\nrecord: [lag]\nsimulate: {stop: 3}\n');
    await page.evaluate(() => { globalThis.studio.socket.send({ do: 'hello' }); globalThis.studio.open('uses.yaml'); });
    await until(() => globalThis.studio.settings?.name === 'uses' && globalThis.studio.files.includes('parts.yaml'));
    await page.locator('.node[data-node="lag"]').dblclick();
    await page.locator('.node[data-node="lag.x"]').click();
    await page.getByRole('button', { name: 'Edit parts.yaml' }).click();
    await until(() => globalThis.studio.path === 'parts.yaml');
    assert((await text()) === file, 'the file that is imported');
    await page.getByRole('button', { name: '← uses.yaml' }).click();
    await until(() => globalThis.studio.path === 'uses.yaml');
  },

  async sweep() {
    await page.evaluate((text) => globalThis.studio.editor.replaceAll(text, true), model('bouncing-ball') + 'sweep: {parameters: {e: 0.6:0.9:0.05}}\n');
    await valid();
    await page.getByRole('tab', { name: 'Parameters' }).click();
    await page.getByRole('button', { name: 'Run the sweep' }).click();
    await until(() => globalThis.studio.fanned?.startsWith('sweep') && !globalThis.studio.running);
    assert((await page.evaluate(() => globalThis.studio.ghosts.length)) === 7, 'seven runs make the fan');
    await page.waitForTimeout(200);
    await picture('sweep');
    // Settings of the run.
    await page.getByRole('tab', { name: 'Run' }).click();
    await page.getByLabel('solver', { exact: true }).selectOption('rk23');
    await ended();
    await page.waitForTimeout(200);
    await picture('settings');
    assert((await state('ended')).how === 'finished', 'another solver');
    await page.getByRole('button', { name: 'As in the text' }).click();
    await ended();
  },

  async zeno() {
    await page.evaluate((text) => { globalThis.studio.fresh = true; globalThis.studio.editor.replaceAll(text, true); }, model('zeno-ball').replace(/zeno: \w+/, 'zeno: error'));
    await until(() => globalThis.studio.ended?.pile);
    await page.getByRole('button', { name: 'show where events pile up' }).click();
    await until(() => globalThis.studio.view);
    await page.waitForTimeout(300);
    await picture('zeno');
  },

  async dark() {
    await page.evaluate(() => globalThis.studio.open('lorenz.yaml'));
    await until(() => globalThis.studio.settings?.name === 'lorenz');
    await ended();
    assert(await page.evaluate(() => globalThis.studio.rows.times[0] === 0), 'another file is seen as a whole');
    await page.getByRole('tab', { name: 'Parameters' }).click();
    const first = await page.evaluate(() => globalThis.studio.parameters[0]);
    figures['slider to redrawn plot, Lorenz, median [ms]'] = await slid(page, first.name, (i) => first.elements[0] * (1 + 0.002 * i));
    await page.getByLabel('reset ' + first.name).click();
    await ended();
    await page.getByLabel('light or dark').click();
    await page.waitForTimeout(300);
    await picture('dark');
    await page.getByLabel('light or dark').click();
  },

  phase: () => phase({ page, assert, picture }),

  // All words are readable in both themes: WCAG 2.2, 1.4.3 (AA).
  async contrast() {
    await page.evaluate(() => globalThis.studio.open('ball.yaml'));
    await until(() => globalThis.studio.settings?.name === 'bouncing-ball' && globalThis.studio.rows);
    await ended();
    await page.locator('.node[data-node="v"]').click();
    for (const theme of ['light', 'dark']) {
      await page.evaluate(() => globalThis.studio.openInstant(1.4));
      await until(() => globalThis.studio.instant);
      await page.waitForTimeout(200);
      const poor = await page.evaluate(poorContrast);
      assert(!poor.length, `${theme}: too little contrast: ${poor.join('; ')}`);
      await page.getByLabel('light or dark').click();
    }
    await page.getByLabel('Close the instant').click();
  },

  async report() {
    await page.getByRole('button', { name: 'Export' }).click();
    const waiting = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Report (HTML)' }).click();
    const download = await waiting;
    const path = join(folder, 'report.html');
    await download.saveAs(path);
    const other = await context.newPage();
    other.on('pageerror', (error) => mistakes.push(`error in the report: ${error.message}`));
    other.on('request', (request) => { if (!request.url().startsWith('file:') && !request.url().startsWith('data:')) mistakes.push(`the report asks for ${request.url()}`); });
    await other.goto('file://' + path);
    await other.locator('.u-over').first().waitFor();
    await other.waitForTimeout(200);
    if (pictures) await other.screenshot({ path: join(pictures, 'report.png') });
    await other.close();
  },

  async stop() {
    const endless = 'superdense: 1\nblocks:\n  x: {type: Integrator, input: sin(1000 * time), initial: 0}\nrecord: [x]\nsimulate: {stop: 1e9}\n';
    await page.evaluate((text) => { globalThis.studio.fresh = true; globalThis.studio.editor.replaceAll(text, true); }, endless);
    await until(() => globalThis.studio.running && globalThis.studio.rows?.total > 1000);
    await page.getByRole('button', { name: 'Stop' }).click();
    await ended();
    assert((await state('ended')).how === 'stopped', 'the run is stopped');
  },

  async large() {
    const blocks = Array.from({ length: 1000 }, (_, n) => `  x${n}: {type: Integrator, input: -x${n}, initial: 1}`);
    const long = `superdense: 1\nname: long\nblocks:\n${blocks.join('\n')}\nrecord: [x0]\nsimulate: {stop: 1}\n`;
    await page.evaluate((text) => globalThis.studio.editor.replaceAll(text, true), long);
    await valid();
    const times = [];
    for (let i = 0; i < 7; i++) {
      times.push(await page.evaluate(async (i) => {
        const { studio } = globalThis;
        const at = studio.text.lastIndexOf('-x500') + 5;
        const begin = performance.now();
        studio.editor.replace([{ from: at, to: at, insert: i % 2 ? '+' : '*' }]);
        while (studio.checkedVersion !== studio.version) await new Promise((resolve) => setTimeout(resolve));
        const took = performance.now() - begin;
        studio.editor.replace([{ from: at, to: at + 1, insert: '' }]);
        while (studio.checkedVersion !== studio.version) await new Promise((resolve) => setTimeout(resolve));
        return took;
      }, i));
    }
    times.sort((a, b) => a - b);
    figures['keystroke to mistake underlined, 1,000 lines, median [ms]'] = times[3];
    await page.waitForTimeout(300);
    await picture('large');
  },

  async million() {
    const many = 'superdense: 1\nblocks:\n  x: {type: Integrator, input: cos(time), initial: 0}\n  y: {type: Integrator, input: -y + x, initial: 0}\nrecord: [x, y]\nsimulate: {stop: 500, maximum_step: 0.001}\n';
    await page.evaluate((text) => { globalThis.studio.fresh = true; globalThis.studio.editor.replaceAll(text, true); }, many);
    await until(() => globalThis.studio.ended && !globalThis.studio.running && globalThis.studio.rows?.total > 500000, undefined, 90000);
    figures['points'] = await page.evaluate(() => globalThis.studio.rows.total * 2);
    figures['frames a second while panning'] = await page.evaluate(async () => {
      const { studio } = globalThis;
      let frames = 0;
      const begin = performance.now();
      while (performance.now() - begin < 2000) {
        const at = (performance.now() - begin) / 10;
        studio.look([at, at + 200]);
        await new Promise((resolve) => requestAnimationFrame(resolve));
        frames += 1;
      }
      return frames / 2;
    });
  },
};

let failed = false;
try {
  for (const [name, story] of Object.entries(stories)) {
    const begin = performance.now();
    try {
      await story();
    } catch (error) {
      if (pictures) await page.screenshot({ path: join(pictures, 'failed.png') });
      throw new Error(`story ${name}: ${error.message}`);
    }
    console.log(`${name}: ${Math.round(performance.now() - begin)} ms`);
  }
  assert(!mistakes.length, mistakes.join('\n'));
} catch (error) {
  console.error(error.message);
  if (mistakes.length) console.error(mistakes.join('\n'));
  failed = true;
} finally {
  await browser.close();
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}
for (const [name, value] of Object.entries(figures)) console.log(`${name}: ${value.toFixed(1)}`);
process.exit(failed ? 1 : 0);
