// What the page knows: the text, what the server found in it, and the runs.

import { Socket } from './socket.js';
import { toIndex } from './bytes.js';

/** How many earlier runs stay as faint curves. */
const GHOSTS = 4;
/** Runs that took no longer are repeated on every change [ms]. */
const QUICK = 400;

class Studio {
  connected = $state(false);
  lost = $state(false);
  folder = $state('');
  files = $state.raw([]);
  examples = $state.raw([]);
  /** The names of texts that were never saved. */
  unsaved = $state.raw([]);
  library = $state.raw({ blocks: [], functions: [], settings: [], forms: [], notations: [] });
  welcome = $state(false);

  path = $state(null);
  name = $state('model.yaml');
  known = null;
  saved = $state('');
  text = $state.raw('');
  conflict = $state.raw(null);
  kept = $state.raw(null);
  notice = $state('');

  version = 0;
  checkedVersion = $state(-1);
  ok = $state(false);
  diagnostics = $state.raw([]);
  scene = $state.raw(null);
  stale = $state(false);
  parameters = $state.raw([]);
  panels = $state.raw([]);
  phases = $state.raw([]);
  settings = $state.raw(null);
  checkTime = $state(0);
  opened = $state.raw([]);
  /** The open diagram or state that is looked at; empty for the whole model. */
  focus = $state('');
  /** A node, wire, state or transition; of several nodes the last one, with all of their paths. */
  selected = $state.raw(null);
  sweeps = $state(false);
  /** The file from which an imported one was opened. */
  back = $state(null);

  given = $state({});
  stop = $state('');
  /** Settings of runs that override those of the text. */
  asks = $state({});
  live = $state(true);
  running = $state(false);
  progress = $state(0);
  run = 0;
  ended = $state.raw(null);
  rows = $state.raw(null);
  ghosts = $state.raw([]);
  /** The parameter whose values the faint curves are a fan of. */
  fanned = $state(null);
  fanning = $state(false);
  view = $state.raw(null);
  pixels = 1000;

  instant = $state.raw(null);
  microstep = $state(0);
  seeking = $state(false);
  playing = $state(false);
  cursor = $state(null);

  /** Set by the editor. */
  editor = null;

  get dirty() {
    return this.text !== this.saved;
  }

  connect() {
    this.socket = new Socket(
      (message, data, at) => this.answered(message, data, at),
      () => {
        this.connected = true;
        this.lost = false;
        this.socket.send({ do: 'hello' });
        if (this.text) {
          this.check();
          this.socket.send({ do: 'watch', path: this.path });
        }
      },
      () => {
        this.connected = false;
        this.lost = true;
        this.running = false;
        this.afterRun?.('stopped');
        setTimeout(() => this.connect(), 1000);
      },
    );
  }

  answered(message, data, at) {
    const handler = this['on_' + message.kind];
    if (handler) handler.call(this, message, data, at);
  }

  on_hello({ folder, files, examples, first, unsaved }) {
    const begun = this.text !== '';
    Object.assign(this, { folder, files, examples, unsaved });
    if (begun) return;
    const wanted = new URLSearchParams(location.hash.slice(1)).get('file') ?? first;
    if (wanted && (files.includes(wanted) || wanted === first)) this.open(wanted);
    else if (files.length === 1 && !unsaved.length) this.open(files[0]);
    else this.welcome = true;
  }

  on_library(library) {
    this.library = library;
  }

  on_failed({ message }) {
    this.notice = message;
  }

  open(path) {
    this.socket.send({ do: 'open', path });
  }

  example(name) {
    this.socket.send({ do: 'example', name });
  }

  on_opened({ path, text, known, kept, name, began }) {
    this.welcome = false;
    this.began = began ?? text;
    this.unsaved = this.unsaved.filter((own) => own !== name);
    Object.assign(this, { path, known, saved: path ? text : '', opened: [], focus: '', selected: null });
    this.name = path ?? name;
    if (this.back === path) this.back = null;
    this.kept = kept === null || kept === undefined ? null : { path, text: kept };
    this.given = {};
    this.stop = '';
    this.asks = {};
    this.conflict = null;
    this.notice = '';
    this.forgetRuns();
    this.scene = null;
    location.hash = path ? 'file=' + encodeURIComponent(path) : '';
    this.socket.send({ do: 'watch', path });
    this.fresh = true;
    this.editor?.replaceAll(text);
  }

  forgetRuns() {
    Object.assign(this, { rows: null, ghosts: [], fanned: null, ended: null, instant: null });
    this.look(null);
  }

  /** The editor has another text. */
  changed(text) {
    this.text = text;
    this.check();
    clearTimeout(this.keeping);
    if (this.path ? this.dirty : text !== this.began && !this.files.includes(this.name)) {
      this.keeping = setTimeout(() => {
        this.socket.send({ do: 'keep', path: this.path ?? this.name, text: this.text });
      }, 1000);
    }
  }

  check() {
    this.version += 1;
    this.sent = performance.now();
    const { version, text, opened } = this;
    this.socket?.send({ do: 'text', version, path: this.path ?? this.name, text, opened });
  }

  on_checked(message) {
    if (message.version !== this.version) return;
    this.checkedVersion = message.version;
    this.ok = message.ok;
    this.diagnostics = message.diagnostics ?? [];
    this.checkTime = performance.now() - this.sent;
    this.editor?.underline(this.diagnostics);
    if (message.scene) this.scene = this.connectable(message);
    this.stale = !message.scene;
    if (!message.ok) return;
    this.panels = message.panels;
    this.phases = message.phases;
    this.settings = message.settings;
    this.parameters = message.parameters;
    this.sweeps = message.sweeps;
    const names = new Set(message.parameters.map((own) => own.name));
    for (const name of Object.keys(this.given)) if (!names.has(name)) delete this.given[name];
    const first = this.fresh;
    this.fresh = false;
    const quick = this.ended && this.ended.how === 'finished' && this.ended.milliseconds < QUICK;
    if (first || (this.live && (quick || this.ended?.how === 'failed'))) this.start();
  }

  /** A scene whose instances also have the outputs that nothing reads yet. */
  connectable({ scene, outputs = {} }) {
    for (const node of scene.nodes) {
      if (node.figure !== 'closed') continue;
      const type = node.type.split(/[ ,]/)[0];
      const all = outputs[type] ?? this.library.blocks.find((own) => own.name === type)?.outputs.map((own) => own.name) ?? [];
      const drawn = node.ports.filter((port) => port.side === 'out').map((port) => port.name);
      node.unread = [...new Set([...node.unread, ...all])].filter((name) => !drawn.includes(name));
    }
    return scene;
  }

  /** Runs with the parameters of the page. */
  start() {
    if (!this.ok) return;
    if (this.fanning) {
      // The runs of a fan are gathered by it.
    } else if (this.fanned) {
      this.fanned = null;
      this.ghosts = this.rows ? [this.rows] : [];
    } else if (this.rows && !this.running && this.ended?.how === 'finished') {
      this.ghosts = [this.rows, ...this.ghosts].slice(0, GHOSTS);
    }
    this.run += 1;
    this.running = true;
    this.progress = 0;
    const parameters = Object.entries(this.given).map(([name, value]) => [name, String(value)]);
    const settings = Object.entries({ ...this.asks, stop: this.stop })
      .map(([name, value]) => [name, String(value).trim()])
      .filter(([, value]) => value !== '');
    this.socket.send({ do: 'run', run: this.run, parameters, settings });
  }

  cancel() {
    this.socket.send({ do: 'stop' });
  }

  give(name, value) {
    if (value === null) delete this.given[name];
    else this.given[name] = value;
    this.asked = performance.now();
    this.start();
  }

  /** Runs for several values of a parameter, which stay as a fan of faint curves. */
  fan(name, values) {
    return this.fans(name, values.map((value) => [[name, value]]));
  }

  /** Runs the sweep that the model describes, or as many of its runs as one can see. */
  async sweep() {
    const answer = await this.socket.ask({ do: 'sweep', most: 60 });
    if (answer.error) { this.notice = answer.error; return; }
    await this.fans(`sweep of ${answer.points.length} of ${answer.runs} runs`, answer.points);
  }

  /** Runs for several sets of parameters, and once more as before. */
  async fans(title, sets) {
    if (this.fanning || !this.ok) return;
    const before = { ...this.given };
    const found = [];
    this.fanning = true;
    this.fanned = null;
    let stopped = false;
    for (const set of [...sets, []]) {
      this.given = { ...before, ...Object.fromEntries(set) };
      this.start();
      const how = await new Promise((resolve) => { this.afterRun = resolve; });
      if (how === 'stopped' || how === 'replaced') { stopped = true; break; }
      found.push(this.rows);
      this.progress = found.length / (sets.length + 1);
    }
    this.given = before;
    this.ghosts = stopped ? found : found.slice(0, sets.length);
    this.fanned = title;
    this.fanning = false;
  }

  on_rows(head, data, at) {
    if (head.run !== this.run) return;
    const count = head.rows;
    const numbers = (index) => new Float64Array(data, at + index * count * 8, count);
    const times = numbers(0);
    const lanes = head.names.map((_, index) => {
      const own = numbers(index + 2);
      // Gaps are null for the plots.
      return own.some(Number.isNaN) ? Array.from(own, (v) => (Number.isNaN(v) ? null : v)) : own;
    });
    this.rows = { ...head, times, microsteps: numbers(1), lanes };
    if (head.progress !== null) this.progress = head.progress;
  }

  on_ended(message) {
    if (message.run !== this.run) return;
    this.running = false;
    this.ended = message;
    this.afterRun?.(message.how);
    this.afterRun = null;
    const found = [...this.diagnostics, ...(message.problems ?? []), ...(message.warnings ?? [])];
    this.editor?.underline(found);
  }

  on_file(head, data, at) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([new Uint8Array(data, at)]));
    link.download = head.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  /** Shows another part of the run. */
  look(view) {
    this.view = view;
    const [from, to] = view ?? [-1e300, 1e300];
    this.socket.send({ do: 'view', from, to, pixels: this.pixels });
  }

  // Files.

  save() {
    if (!this.path) {
      const name = prompt('Save as (a name below the folder):', this.name);
      if (!name) return;
      this.forget(this.name);
      this.path = name.endsWith('.yaml') || name.endsWith('.yml') ? name : name + '.yaml';
      this.name = this.path;
      this.known = null;
    }
    clearTimeout(this.keeping);
    this.socket.send({ do: 'save', path: this.path, text: this.text, known: this.known });
    this.sentText = this.text;
  }

  /** Gives up a text that was never saved. */
  forget(name) {
    this.socket.send({ do: 'forget', path: name });
    this.unsaved = this.unsaved.filter((own) => own !== name);
  }

  on_saved({ path, known, files }) {
    Object.assign(this, { known, files, saved: this.sentText, conflict: null });
    this.notice = '';
    location.hash = 'file=' + encodeURIComponent(path);
  }

  on_conflict({ text, known }) {
    if (this.known === null && this.path) this.notice = `There is a file ${this.path} already.`;
    this.conflict = { text, known };
  }

  on_changed({ text, known }) {
    if (text === null) {
      this.notice = `${this.path} is no longer on the disk; save to write it again.`;
      this.known = null;
      return;
    }
    if (text === this.text) {
      Object.assign(this, { known, saved: text });
    } else if (this.dirty) {
      this.conflict = { text, known };
    } else {
      Object.assign(this, { known, saved: text });
      this.editor?.replaceAll(text, true);
    }
  }

  /** Decides about a file that has changed on the disk. */
  resolve(keepMine) {
    const { text, known } = this.conflict;
    this.known = known;
    this.conflict = null;
    if (keepMine) {
      this.save();
    } else {
      this.saved = text;
      this.editor?.replaceAll(text, true);
      if (this.path) this.socket.send({ do: 'forget', path: this.path });
    }
  }

  recover(take) {
    const { text } = this.kept;
    this.kept = null;
    if (take) this.editor?.replaceAll(text, true);
    else this.socket.send({ do: 'forget', path: this.path });
  }

  // The diagram.

  async edit(edit) {
    const { text } = this;
    const answer = await this.socket.ask({ do: 'edit', text, edit });
    if (answer.error) {
      this.notice = answer.error;
      return false;
    }
    if (text !== this.text) return false;
    this.notice = '';
    this.editor?.replace(
      answer.replacements.map((own) => ({
        from: toIndex(text, own.from),
        to: toIndex(text, own.to),
        insert: own.text,
      })),
    );
    return true;
  }

  /** What a text would mean after an edit. */
  attempt(edit, node) {
    const { text } = this;
    return this.socket.ask({ do: 'try', path: this.path ?? this.name, text, edit, node });
  }

  toggle(path) {
    if (this.opened.includes(path)) this.close(path);
    else this.open_diagram(path);
  }

  /** Opens a diagram or a state, with everything around it, and looks at it. */
  open_diagram(path) {
    const parts = path.split('.');
    const all = parts.map((_, index) => parts.slice(0, index + 1).join('.'));
    this.opened = [...new Set([...this.opened, ...all])];
    this.focus = path;
    this.selected = null;
    this.check();
  }

  close(path) {
    this.opened = this.opened.filter((own) => own !== path && !own.startsWith(path + '.'));
    if (this.focus === path || this.focus.startsWith(path + '.')) {
      this.focus = path.includes('.') ? path.slice(0, path.lastIndexOf('.')) : '';
    }
    this.check();
  }

  /** Opens another file of the folder, with the way back. */
  visit(path) {
    if (this.dirty && this.path) this.socket.send({ do: 'keep', path: this.path, text: this.text });
    this.back = this.path;
    this.open(path);
  }

  /** The paths of the selected nodes. */
  get chosen() {
    return this.selected?.kind === 'node' ? this.selected.all ?? [this.selected.path] : [];
  }

  select(paths) {
    this.selected = paths.length ? { kind: 'node', path: paths[paths.length - 1], all: paths } : null;
  }

  /** A name that the text does not have. */
  unused(stem) {
    for (let n = 1; ; n++) {
      const name = n === 1 ? stem : stem + n;
      if (!new RegExp(`\\b${name}\\b`).test(this.text)) return name;
    }
  }

  // Superdense time.

  async openInstant(time) {
    this.seeking = true;
    const answer = await this.socket.ask({ do: 'instant', time });
    this.seeking = false;
    if (answer.error) {
      this.notice = answer.error;
      return;
    }
    this.instant = answer;
    const last = answer.rows.length ? answer.rows[answer.rows.length - 1].microstep : 0;
    this.microstep = Math.min(1, last);
  }

  /** Shows the last events before the time at which they pile up. */
  lookAtPile() {
    const { pile } = this.ended;
    const before = (this.rows?.events ?? []).filter((time) => time < pile.time);
    const from = before[Math.max(0, before.length - 20)] ?? pile.time - 1;
    const span = Math.max(pile.time - from, Math.abs(pile.time) * 1e-9);
    this.look([pile.time - 1.1 * span, pile.time + 0.1 * span]);
  }

  /** Goes through the microsteps of the opened instant, one after the other. */
  async play() {
    if (this.playing || !this.instant) return;
    this.playing = true;
    const own = this.instant;
    for (let n = 0; n <= this.lastMicrostep; n++) {
      this.microstep = n;
      await new Promise((resolve) => setTimeout(resolve, 700));
      if (this.instant !== own || !this.playing) break;
    }
    this.playing = false;
  }

  /** Goes to the next or previous row: a step of the solver, or an event. */
  async row(forward) {
    const time = this.instant?.time ?? (forward ? -1e300 : 1e300);
    const found = await this.socket.ask({ do: 'neighbour', time, forward, events: false });
    if (found.time === null) return;
    const answer = await this.socket.ask({ do: 'row', time: found.time });
    if (answer.error) { this.notice = answer.error; return; }
    this.instant = answer;
    this.microstep = forward ? 0 : this.lastMicrostep;
  }

  /** The values of the wires at the opened microstep, by name. */
  get wires() {
    const rows = (this.instant?.wires ?? []).filter((own) => own.microstep <= this.microstep);
    return rows.length ? rows[rows.length - 1].values : null;
  }

  get lastMicrostep() {
    const rows = this.instant?.rows ?? [];
    return rows.length ? rows[rows.length - 1].microstep : 0;
  }

  /** Goes to the next or previous microstep, and from the last one to the next instant. */
  async step(forward) {
    if (!this.instant) return;
    const next = this.microstep + (forward ? 1 : -1);
    if (next >= 0 && next <= this.lastMicrostep) {
      this.microstep = next;
      return;
    }
    const found = await this.event(forward);
    if (found && !forward) this.microstep = this.lastMicrostep;
    if (found && forward) this.microstep = 0;
  }

  /** Goes to the next or previous instant with an event. */
  async event(forward) {
    const time = this.instant?.time ?? (forward ? -1e300 : 1e300);
    const answer = await this.socket.ask({ do: 'neighbour', time, forward, events: true });
    if (answer.time === null) return false;
    await this.openInstant(answer.time);
    return true;
  }
}

export const studio = new Studio();
