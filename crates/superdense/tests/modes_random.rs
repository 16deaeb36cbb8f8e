//! Random state machines against a reference simulation: straight lines, a few guards, and a loop
//! that goes from one event to the next in closed form.

mod events;

use crate::common::draws::Draws;
use crate::common::{by, compile, simulate};
use superdense::Backend;

/// How near a guard may be to its edge before a case is left out: it would depend on rounding.
const DELICATE: f64 = 1e-7;
/// Not a sum of thousandths, as the delays are.
const STOP: f64 = 6.000_37;

#[derive(Clone, Copy)]
enum Guard {
    Above(f64),
    Below(f64),
    /// The state of the diagram around an inner machine is above a level.
    OuterAbove(f64),
    After(f64),
    Time(f64),
}

#[derive(Clone)]
struct Way {
    to: usize,
    guard: Guard,
    history: bool,
    /// The value becomes `a * value + b`.
    set: Option<[f64; 2]>,
    /// The parameter grows by this.
    grow: Option<f64>,
}

/// A straight line: the rate is `slope + gain * k`.
#[derive(Clone)]
struct Line {
    slope: f64,
    gain: f64,
    /// Nothing if it starts from `k`.
    initial: Option<f64>,
    ways: Vec<Way>,
}

struct Spec {
    k: f64,
    states: Vec<Line>,
    /// The state that holds a machine, and the lines of that.
    nested: Option<(usize, Vec<Line>)>,
}

fn line(draw: &mut Draws, own: usize, count: usize, inner: bool) -> Line {
    let mut ways = Vec::new();
    for number in 0..1 + draw.below(2) as usize {
        // The first way goes round, so that every state is reached.
        let to = if number == 0 { (own + 1) % count } else { draw.below(count as u64) as usize };
        let guard = match draw.below(if inner { 5 } else { 4 }) {
            0 => Guard::Above(draw.number(-1.0, 2.0)),
            1 => Guard::Below(draw.number(-2.0, 1.0)),
            2 => Guard::After(draw.number(0.1, 1.5)),
            3 => Guard::Time(draw.number(0.1, 4.0)),
            _ => Guard::OuterAbove(draw.number(-1.0, 2.0)),
        };
        let set = draw.chance(40).then(|| [draw.number(-1.0, 1.0), draw.number(-1.0, 1.0)]);
        let grow = draw.chance(30).then(|| draw.number(-0.5, 0.5));
        ways.push(Way { to, guard, history: draw.chance(50), set, grow });
    }
    Line {
        slope: draw.number(-2.0, 2.0),
        gain: if draw.chance(40) { draw.number(-1.0, 1.0) } else { 0.0 },
        initial: (!draw.chance(25)).then(|| draw.number(-1.0, 1.0)),
        ways,
    }
}

fn spec(seed: u64) -> Spec {
    let mut draw = Draws::new(seed);
    let count = 2 + draw.below(2) as usize;
    let k = draw.number(-1.0, 1.0);
    let states = (0..count).map(|own| line(&mut draw, own, count, false)).collect();
    let nested = draw.chance(60).then(|| {
        let at = draw.below(count as u64) as usize;
        (at, (0..2).map(|own| line(&mut draw, own, 2, true)).collect())
    });
    Spec { k, states, nested }
}

/// The text of a line as a state whose value has a name.
fn state_text(line: &Line, value: &str, name: &str, more: [&str; 2], indent: &str) -> String {
    let initial = line.initial.map_or("k".to_owned(), |x| x.to_string());
    let mut text = format!(
        "{indent}{name}:\n{indent}  blocks:\n{indent}    {value}: {{type: Integrator, input: {} + {} * k, initial: {initial}}}\n{}",
        line.slope, line.gain, more[0]
    );
    text +=
        &format!("{indent}  outputs: {{{value}: {value}{}}}\n{indent}  transitions:\n", more[1]);
    for way in &line.ways {
        let guard = match way.guard {
            Guard::Above(level) => format!("when: {value} > {level}"),
            Guard::Below(level) => format!("when: {value} < {level}"),
            Guard::OuterAbove(level) => format!("when: x > {level}"),
            Guard::After(delay) => format!("after: {delay}"),
            Guard::Time(time) => format!("when: time > {time}"),
        };
        let mut sets = Vec::new();
        sets.extend(way.set.map(|[a, b]| format!("{value}: {a} * {value} + {b}")));
        sets.extend(way.grow.map(|grow| format!("k: k + {grow}")));
        let set = match sets.is_empty() {
            true => String::new(),
            false => format!(", set: {{{}}}", sets.join(", ")),
        };
        let (prefix, to, history) = (&name[..1], way.to, way.history);
        text += &format!("{indent}    - {{to: {prefix}{to}, {guard}{set}, history: {history}}}\n");
    }
    text
}

fn text(spec: &Spec) -> String {
    let mut states = String::new();
    for (index, line) in spec.states.iter().enumerate() {
        let mut more = [String::new(), String::new()];
        if let Some((_, inner)) = spec.nested.as_ref().filter(|(at, _)| *at == index) {
            let indent = "          ";
            more[0] = format!(
                "{indent}i:\n{indent}  type: Modal\n{indent}  initial: p0\n{indent}  states:\n"
            );
            for (number, line) in inner.iter().enumerate() {
                let name = format!("p{number}");
                more[0] += &state_text(line, "z", &name, ["", ""], "              ");
            }
            more[1] = ", z: i.z, s: i.state".to_owned();
        }
        let more = [more[0].as_str(), more[1].as_str()];
        states += &state_text(line, "x", &format!("s{index}"), more, "      ");
    }
    let record = if spec.nested.is_some() { ", m.z, m.s" } else { "" };
    format!(
        "name: random\nblocks:\n  m:\n    type: Modal\n    initial: s0\n    parameters: {{k: {}}}\n    states:\n{states}record: [m.x, m.state{record}]\nsimulate: {{stop: {STOP}}}\n",
        spec.k
    )
}

/// A machine of the reference: its state, since when, and the values of its lines.
#[derive(Clone)]
struct Machine<'a> {
    lines: &'a [Line],
    mode: usize,
    entered: f64,
    /// Nothing for a line that has not been used.
    values: Vec<Option<f64>>,
}

impl<'a> Machine<'a> {
    fn new(lines: &'a [Line], k: f64, now: f64) -> Self {
        let mut values = vec![None; lines.len()];
        if let Some(first) = lines.first() {
            values[0] = Some(first.initial.unwrap_or(k));
        }
        Machine { lines, mode: 0, entered: now, values }
    }

    fn rate(&self, k: f64) -> f64 {
        let line = &self.lines[self.mode];
        line.slope + line.gain * k
    }

    fn value(&self) -> f64 {
        self.values[self.mode].expect("the line in use")
    }

    fn grow(&mut self, by: f64) {
        self.values[self.mode] = Some(self.value() + by);
    }

    /// How far each guard of the present state is from being met, and how fast it comes nearer.
    fn distances(&self, now: f64, k: f64, outer: [f64; 2]) -> Vec<[f64; 2]> {
        let (value, rate) = (self.value(), self.rate(k));
        let distance = |way: &Way| match way.guard {
            Guard::Above(level) => [level - value, rate],
            Guard::Below(level) => [value - level, -rate],
            Guard::OuterAbove(level) => [level - outer[0], outer[1]],
            Guard::After(delay) => [self.entered + delay - now, 1.0],
            Guard::Time(time) => [time - now, 1.0],
        };
        self.lines[self.mode].ways.iter().map(distance).collect()
    }

    fn take(&mut self, way: &Way, now: f64, k: f64) {
        let set = way.set.map(|[a, b]| a * self.value() + b);
        (self.mode, self.entered) = (way.to, now);
        if !way.history || self.values[way.to].is_none() {
            self.values[way.to] = Some(self.lines[way.to].initial.unwrap_or(k));
        }
        if set.is_some() {
            self.values[way.to] = set;
        }
    }
}

/// What is seen of a run: when the pair of states became another, and the last values.
struct Seen {
    states: Vec<(f64, usize, Option<usize>)>,
    x: f64,
    z: Option<f64>,
}

/// A run of the reference from one event to the next.
struct Run<'a> {
    k: f64,
    now: f64,
    /// The time of the diagram that holds the inner machine.
    local: f64,
    outer: Machine<'a>,
    inner: Machine<'a>,
    /// The outer state that holds the inner machine.
    home: Option<usize>,
    /// The guard that an event has just met: whether it is one of the inner machine, and its index.
    met_by_event: Option<(bool, usize)>,
    states: Vec<(f64, usize, Option<usize>)>,
}

impl<'a> Run<'a> {
    fn new(spec: &'a Spec) -> Self {
        let lines = spec.nested.as_ref().map_or(&[][..], |(_, lines)| lines);
        Run {
            k: spec.k,
            now: 0.0,
            local: 0.0,
            outer: Machine::new(&spec.states, spec.k, 0.0),
            inner: Machine::new(lines, spec.k, 0.0),
            home: spec.nested.as_ref().map(|(at, _)| *at),
            met_by_event: None,
            states: Vec::new(),
        }
    }

    /// Whether the inner machine runs.
    fn is_inside(&self) -> bool {
        self.home == Some(self.outer.mode)
    }

    /// The machines that run, the outer one first, each with its time.
    fn running(&self) -> impl Iterator<Item = (bool, &Machine<'a>, f64)> {
        let inner = self.is_inside().then_some((true, &self.inner, self.local));
        std::iter::once((false, &self.outer, self.now)).chain(inner)
    }

    /// All guards of the states that the machines are in: whether it is one of the inner machine,
    /// its index, how far it is from being met, and how fast it comes nearer.
    fn guards(&self) -> Vec<(bool, usize, [f64; 2])> {
        let around = [self.outer.value(), self.outer.rate(self.k)];
        let guards = self.running().flat_map(|(is_inner, machine, time)| {
            let distances = machine.distances(time, self.k, around);
            distances.into_iter().enumerate().map(move |(index, d)| (is_inner, index, d))
        });
        guards.collect()
    }

    fn note(&mut self) {
        let pair = (self.outer.mode, self.is_inside().then_some(self.inner.mode));
        if self.states.last().is_none_or(|last| (last.1, last.2) != pair) {
            self.states.push((self.now, pair.0, pair.1));
        }
    }

    /// The ways that the outer and the inner machine take now; nothing if that depends on rounding
    /// or a machine could take two.
    fn chosen(&mut self) -> Option<[Option<Way>; 2]> {
        let mut chosen: [Option<Way>; 2] = [None, None];
        for (is_inner, index, [distance, _]) in self.guards() {
            let by_event = self.met_by_event == Some((is_inner, index));
            if !by_event && distance.abs() < DELICATE {
                return None;
            }
            if by_event || distance < 0.0 {
                let machine = if is_inner { &self.inner } else { &self.outer };
                let way = machine.lines[machine.mode].ways[index].clone();
                if chosen[usize::from(is_inner)].replace(way).is_some() {
                    return None;
                }
            }
        }
        self.met_by_event = None;
        Some(chosen)
    }

    /// Takes the ways of one microstep, the inner one first; nothing if both set the parameter.
    fn take(&mut self, [outer, inner]: [Option<Way>; 2]) -> Option<()> {
        let grows = [&outer, &inner].into_iter().flatten().filter(|way| way.grow.is_some());
        if grows.count() > 1 {
            return None;
        }
        if let Some(way) = &inner {
            self.k += way.grow.unwrap_or(0.0);
            self.inner.take(way, self.local, self.k);
        }
        if let Some(way) = &outer {
            self.k += way.grow.unwrap_or(0.0);
            let anew = !way.history || self.outer.values[way.to].is_none();
            self.outer.take(way, self.now, self.k);
            if anew && self.home == Some(way.to) {
                self.local = 0.0;
                self.inner = Machine::new(self.inner.lines, self.k, 0.0);
            }
        }
        Some(())
    }

    /// All microsteps of an instant; nothing if they depend on rounding, are refused or do not end.
    fn instant(&mut self) -> Option<()> {
        for _ in 0..=20 {
            self.note();
            match self.chosen()? {
                [None, None] => return Some(()),
                ways => self.take(ways)?,
            }
        }
        None
    }

    /// Goes on to the next guard that is met, or to the stop.
    fn flow(&mut self) {
        let mut next: Option<(f64, bool, usize)> = None;
        for (is_inner, index, [distance, rate]) in self.guards() {
            let wait = distance / rate;
            if rate > 0.0 && next.is_none_or(|(other, ..)| wait < other) {
                next = Some((wait, is_inner, index));
            }
        }
        let wait = next.map_or(f64::INFINITY, |(wait, ..)| wait).min(STOP - self.now);
        if self.is_inside() {
            self.inner.grow(self.inner.rate(self.k) * wait);
            self.local += wait;
        }
        self.outer.grow(self.outer.rate(self.k) * wait);
        self.now += wait;
        self.met_by_event = next.map(|(_, is_inner, index)| (is_inner, index));
    }
}

/// The run of a spec; nothing if it depends on rounding or is refused.
fn reference(spec: &Spec) -> Option<Seen> {
    let mut run = Run::new(spec);
    for _ in 0..=100 {
        run.instant()?;
        run.flow();
        if run.now >= STOP {
            let z = run.is_inside().then(|| run.inner.value());
            return Some(Seen { states: run.states, x: run.outer.value(), z });
        }
    }
    None
}

#[test]
fn native_code_has_the_bits_of_the_interpreter() {
    for seed in 0..150 {
        let text = text(&spec(seed));
        let system = compile(&text);
        let (interpreted, native) =
            (by(&system, Backend::Interpreter), by(&system, Backend::Native));
        assert!(interpreted == native, "seed {seed}\n{text}\n{}\n{}", interpreted.1, native.1);
    }
}

#[test]
fn random_machines_do_what_a_plain_loop_does() {
    let (mut compared, mut moves, mut nested) = (0, 0, 0);
    for seed in 0..1500 {
        let spec = spec(seed);
        let Some(expected) = reference(&spec) else { continue };
        let text = text(&spec);
        let trace = simulate(&text).trace;
        let column = |name: &str| trace.column(name);
        let at = |row: usize, name: &str| {
            column(name).and_then(|column| trace.get(row, column)).map(|value| value[0])
        };
        let mut states: Vec<(f64, usize, Option<usize>)> = Vec::new();
        for row in 0..trace.len() {
            let inner = at(row, "m.s").map(|s| s as usize);
            let pair = (at(row, "m.state").expect("always there") as usize, inner);
            if states.last().is_none_or(|last| (last.1, last.2) != pair) {
                states.push((trace.tags()[row].time.seconds(), pair.0, pair.1));
            }
        }
        let names = |seen: &[(f64, usize, Option<usize>)]| -> Vec<_> {
            seen.iter().map(|(_, outer, inner)| (*outer, *inner)).collect()
        };
        assert_eq!(names(&states), names(&expected.states), "seed {seed}\n{text}");
        for (found, expected) in states.iter().zip(&expected.states) {
            assert!(
                (found.0 - expected.0).abs() < 1e-9,
                "seed {seed}: {found:?} {expected:?}\n{text}"
            );
        }
        let last = trace.len() - 1;
        for (name, expected) in [("m.x", Some(expected.x)), ("m.z", expected.z)] {
            let found = at(last, name);
            let near = match (found, expected) {
                (Some(found), Some(expected)) => (found - expected).abs() < 1e-9,
                (found, expected) => found == expected,
            };
            assert!(near, "seed {seed}: {name} is {found:?}, not {expected:?}\n{text}");
        }
        compared += 1;
        moves += states.len() - 1;
        nested += usize::from(states.iter().any(|(_, _, inner)| *inner == Some(1)));
    }
    // The cases must be worth something.
    assert!(compared > 700 && moves > 3000 && nested > 150, "{compared}, {moves}, {nested}");
}
