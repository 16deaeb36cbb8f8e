// The stories of the studio in a real browser: `node stories.mjs [PROGRAM] [FOLDER FOR PICTURES]`.
// Chromium is Debian's; nothing is fetched. Each story leaves a picture, and the figures are
// printed at the end.

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

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
const until = (what, argument) => page.waitForFunction(what, argument, { polling: 20 });
const valid = () => until(() => globalThis.studio.ok && globalThis.studio.checkedVersion === globalThis.studio.version);
const ended = () => until(() => !globalThis.studio.running && globalThis.studio.ended);

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
    await page.locator('.cm-content').focus();
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

  async slider() {
    await page.getByRole('tab', { name: 'Parameters' }).click();
    const slider = page.locator('#parameter-e');
    const times = [];
    for (let i = 0; i < 25; i++) {
      times.push(await page.evaluate(async (value) => {
        const slider = document.getElementById('parameter-e');
        slider.value = value;
        const begin = performance.now();
        const before = globalThis.studio.run;
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        while (!(globalThis.studio.run > before && globalThis.studio.rows?.run === globalThis.studio.run)) {
          await new Promise((resolve) => setTimeout(resolve));
        }
        // The next frame has the picture.
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        return performance.now() - begin;
      }, 0.5 + 0.012 * i));
    }
    times.sort((a, b) => a - b);
    figures['slider to redrawn plot, ball, median [ms]'] = times[12];
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    await ended();
    assert((await page.evaluate(() => globalThis.studio.ghosts.length)) > 1, 'earlier runs stay');
    await page.waitForTimeout(200);
    await picture('slider');
    await page.getByLabel('reset e').click();
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
    const looped = model('algebraic-loop').replace(/solve:.*\n/g, '');
    const plain = 'superdense: 1\nblocks:\n  a: {type: Gain, input: b, gain: 2}\n  b: {type: Expression, expression: floor(a) + 1}\nrecord: [a]\nsimulate: {stop: 1}\n';
    assert(looped, 'a model');
    await page.evaluate((text) => globalThis.studio.editor.replaceAll(text, true), plain);
    await page.locator('.node.looped').first().waitFor();
    await page.locator('.problems li').first().waitFor();
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

  async dark() {
    await page.evaluate(() => globalThis.studio.open('lorenz.yaml'));
    await until(() => globalThis.studio.settings?.name === 'lorenz');
    await ended();
    await page.getByLabel('light or dark').click();
    await page.waitForTimeout(300);
    await picture('dark');
    await page.getByLabel('light or dark').click();
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
    const many = 'superdense: 1\nblocks:\n  x: {type: Integrator, input: cos(time), initial: 0}\n  y: {type: Integrator, input: -y + x, initial: 0}\nrecord: [x, y]\nsimulate: {stop: 1000, maximum_step: 0.001}\n';
    await page.evaluate((text) => { globalThis.studio.fresh = true; globalThis.studio.editor.replaceAll(text, true); }, many);
    await until(() => globalThis.studio.ended && !globalThis.studio.running && globalThis.studio.rows?.total > 1000000);
    figures['points'] = await page.evaluate(() => globalThis.studio.rows.total * 2);
    figures['frames a second while panning'] = await page.evaluate(async () => {
      const { studio } = globalThis;
      let frames = 0;
      const begin = performance.now();
      while (performance.now() - begin < 2000) {
        const at = (performance.now() - begin) / 10;
        studio.look([at, at + 400]);
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
