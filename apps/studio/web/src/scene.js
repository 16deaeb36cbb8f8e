// Shapes of a scene: routes with rounded bends, what is where, and what an event reaches.

const BEND = 5;
const TIP = 8;

function towards([fx, fy], [tx, ty], length) {
  return [fx + Math.sign(tx - fx) * length, fy + Math.sign(ty - fy) * length];
}

function distance([ax, ay], [bx, by]) {
  return Math.abs(ax - bx) + Math.abs(ay - by);
}

/** The path of a route; it stops before its end if there is an arrow head. */
export function route(points, arrow) {
  let out = `M${points[0]}`;
  for (let i = 1; i + 1 < points.length; i++) {
    const [before, corner, after] = points.slice(i - 1, i + 2);
    const near = towards(corner, before, Math.min(BEND, distance(before, corner) / 2));
    const far = towards(corner, after, Math.min(BEND, distance(corner, after) / 2));
    out += `L${near}Q${corner} ${far}`;
  }
  const end = points[points.length - 1];
  return out + `L${arrow ? towards(end, points[points.length - 2], TIP - 2) : end}`;
}

/** The head of an arrow at the end of a route. */
export function tip(points, half = 4) {
  const end = points[points.length - 1];
  const before = points[points.length - 2];
  const [x, y] = end;
  const [bx, by] = towards(end, before, TIP);
  if (before[0] === x) return `M${x} ${y}L${bx - half} ${by}H${bx + half}Z`;
  return `M${x} ${y}L${bx} ${by - half}V${by + half}Z`;
}

/** The class of a kind of wire. */
export function kindClass(kind) {
  return { 'held between events': 'held', 'discrete events': 'discrete', 'with impulses': 'impulsive' }[kind] ?? kind;
}

/** The ports of a node for its inputs. */
export const ins = (node) => node.ports.filter((port) => port.side === 'in');

/** The ports for its outputs; those that nothing reads yet have a place on its edge, too. */
export function outs(node) {
  const [x, y, w, h] = node.body;
  const unread = node.unread.map((name, index, all) => ({ name, at: [x + w, y + (h * (index + 1)) / (all.length + 1)] }));
  return [...node.ports.filter((port) => port.side === 'out'), ...unread];
}

/** The node that shows a block, or what was made for an expression in it. */
export function nodeOf(scene, path) {
  let own = path;
  for (;;) {
    const found = scene.nodes.find((node) => node.path === own);
    if (found) return found;
    const cut = own.lastIndexOf('.');
    if (cut < 0) return null;
    own = own.slice(0, cut);
  }
}

/**
 * The blocks and wires that the microsteps up to one reach: paths of nodes and names of wires at
 * that microstep, and for all nodes and wires the microsteps at which they were reached.
 */
export function reached(scene, events, microstep) {
  const nodes = new Set();
  const wires = new Map();
  const way = new Map();
  const passed = new Set();
  for (const own of events) {
    const at = own.microstep ?? 0;
    if (at > microstep || own.block === undefined) continue;
    const node = nodeOf(scene, own.block);
    if (node) {
      if (at === microstep) nodes.add(node.path);
      const known = way.get(node.path) ?? [];
      if (!known.includes(at)) known.push(at);
      way.set(node.path, known);
    }
    for (const change of own.changes ?? []) {
      if (at < microstep) { passed.add(change.wire); continue; }
      const known = wires.get(change.wire) ?? {};
      known[change.part] = change.value;
      wires.set(change.wire, known);
    }
  }
  return { nodes, wires, way, passed };
}

/** A number for a reader. */
export function shown(value, digits = 6) {
  if (value === null || value === undefined) return 'absent';
  if (Array.isArray(value)) return value.length === 1 ? shown(value[0], digits) : `[${value.map((own) => shown(own, digits)).join(', ')}]`;
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return String(value);
  return String(Number(value.toPrecision(digits)));
}
