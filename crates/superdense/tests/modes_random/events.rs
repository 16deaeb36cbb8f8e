//! Random machines of clocks, delays, history, preemption, priorities and nested machines, against a
//! small interpreter of microsteps. Times are whole numbers of eighths of a second.

use superdense::{Backend, Trace};

use crate::common::draws::Draws;
use crate::common::{bits, by, compile};

const STOP: u32 = 60;

/// What may happen at a microstep.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Event {
    /// A clock outside, of period 3 from 2 on, and the same one microstep later.
    First,
    Later,
    /// Another one, of period 5 from 3 on.
    Second,
    /// The clock of the state, the same one microstep later, and some time later.
    Clock,
    Microstep,
    Delayed,
}

impl Event {
    fn name(self) -> &'static str {
        match self {
            Event::First => "c1",
            Event::Later => "l1",
            Event::Second => "c2",
            Event::Clock => "k",
            Event::Microstep => "d",
            Event::Delayed => "e",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Guard {
    Present(Event),
    After(u32),
}

#[derive(Clone, Debug)]
struct Way {
    to: usize,
    guard: Guard,
    history: bool,
    preemptive: bool,
    default: bool,
    priority: i64,
}

#[derive(Clone, Debug)]
struct State {
    period: u32,
    offset: u32,
    delay: u32,
    counted: Event,
    shown: Event,
    /// The guards of a machine inside, from its first state and back.
    inner: Option<[Guard; 2]>,
    ways: Vec<Way>,
}

fn spec(seed: u64) -> Vec<State> {
    use Event::{Clock, Delayed, First, Later, Microstep, Second};
    let mut draw = Draws::new(seed);
    let count = 2 + draw.below(2) as usize;
    let time = |draw: &mut Draws, from: u64, to: u64| (from + draw.below(to - from)) as u32;
    (0..count)
        .map(|own| {
            let mut ways = Vec::new();
            for number in 0..1 + draw.below(3) as usize {
                let to = match number {
                    0 => (own + 1) % count,
                    _ => draw.below(count as u64) as usize,
                };
                let preemptive = draw.chance(50);
                let guard = match preemptive || draw.chance(60) {
                    true => Guard::Present(*draw.pick(&[First, Later, Second])),
                    false => Guard::After(time(&mut draw, 1, 9)),
                };
                ways.push(Way {
                    to,
                    guard,
                    history: draw.chance(65),
                    preemptive,
                    default: draw.chance(20),
                    priority: draw.below(4) as i64 - 1,
                });
            }
            let inner = draw.chance(50).then(|| {
                [0, 1].map(|_| match draw.chance(70) {
                    true => Guard::Present(*draw.pick(&[First, Clock, Delayed, Second])),
                    false => Guard::After(time(&mut draw, 1, 7)),
                })
            });
            State {
                period: time(&mut draw, 1, 5),
                offset: time(&mut draw, 0, 4),
                delay: time(&mut draw, 1, 7),
                counted: *draw.pick(&[Clock, Microstep, Delayed, First]),
                shown: *draw.pick(&[Clock, Microstep, Delayed]),
                inner,
                ways,
            }
        })
        .collect()
}

fn guard_text(guard: Guard) -> String {
    match guard {
        Guard::Present(event) => format!("when: present({})", event.name()),
        Guard::After(time) => format!("after: {time} / 8"),
    }
}

fn text(states: &[State]) -> String {
    let mut text = String::from(
        "name: events\nblocks:\n  c1: {type: Clock, period: 3 / 8, offset: 2 / 8}\n  l1: {type: MicrostepDelay, input: c1}\n  c2: {type: Clock, period: 5 / 8, offset: 3 / 8}\n  m:\n    type: Modal\n    initial: s0\n    outputs: [event, count, seen, said]\n    parameters: {z: -1}\n    states:\n",
    );
    for (index, state) in states.iter().enumerate() {
        let State { period, offset, delay, counted, shown, inner, ways } = state;
        text += &format!(
            "      s{index}:\n        blocks:\n          k: {{type: Clock, period: {period} / 8, offset: {offset} / 8}}\n          d: {{type: MicrostepDelay, input: k}}\n          e: {{type: EventDelay, input: k, delay: {delay} / 8}}\n          n: {{type: Counter, increment: {}}}\n          h: {{type: ZeroOrderHold, input: n}}\n",
            counted.name()
        );
        let mut said = "";
        if let Some([there, back]) = inner {
            said = ", said: i.said";
            text += &format!(
                "          i:\n            type: Modal\n            initial: p\n            states:\n              p: {{transitions: [{{to: q, {}, output: {{said: 1}}}}]}}\n              q: {{transitions: [{{to: p, {}, output: {{said: 2}}}}]}}\n",
                guard_text(*there),
                guard_text(*back)
            );
        }
        text += &format!(
            "        outputs: {{event: {}, count: h, seen: z{said}}}\n        transitions:\n",
            shown.name()
        );
        for way in ways {
            let Way { to, guard, history, preemptive, default, priority } = way;
            text += &format!(
                "          - {{to: s{to}, {}, history: {history}, preemptive: {preemptive}, default: {default}, priority: {priority}, set: {{z: h}}}}\n",
                guard_text(*guard)
            );
        }
    }
    text += &format!(
        "record: [m.state, m.event, m.count, m.seen, m.said]\nsimulate: {{stop: {STOP} / 8}}\n"
    );
    text
}

/// The diagram of a state: its clock, and what is on its way in it.
#[derive(Clone, Default, Debug)]
struct Content {
    ran: bool,
    /// When its clock showed 0, and when it stopped.
    zero: u32,
    stopped: u32,
    /// How often its clock has ticked.
    ticks: u32,
    /// What comes at the coming microstep, or when it goes on.
    tick: bool,
    said: Option<u8>,
    remembered: bool,
    /// Delayed events: local times and microsteps; those of this instant that have not been seen.
    coming: Vec<(u32, u32)>,
    now: Option<u32>,
    count: u32,
    /// The inner machine: whether it is in its second state, since when, and whether `after` is over.
    second: bool,
    entered: u32,
    over: bool,
}

/// What is seen: changes of the state, the count and what was set, and events with their values.
#[derive(Clone, PartialEq, Debug, Default)]
struct Seen {
    changes: Vec<(u32, u32, [i64; 3])>,
    events: Vec<(u32, u32)>,
    said: Vec<(u32, u32, u8)>,
}

struct Machine<'a> {
    states: &'a [State],
    contents: Vec<Content>,
    mode: usize,
    entered: u32,
    z: i64,
    /// What is said in a diagram that has just stopped.
    last_words: Option<u8>,
    seen: Seen,
}

impl Machine<'_> {
    fn enter(&mut self, to: usize, history: bool, now: u32, microstep: u32) {
        let content = &mut self.contents[to];
        if history && content.ran {
            content.zero += now - content.stopped;
            content.now = content.now.map(|_| microstep + 1);
        } else {
            *content = Content { ran: true, zero: now, ..Content::default() };
        }
        (self.mode, self.entered) = (to, now);
    }

    /// Wakes what is due at this time in the diagram that runs.
    fn wake(&mut self, now: u32) {
        let state = &self.states[self.mode];
        let content = &mut self.contents[self.mode];
        if now - content.zero == state.offset + content.ticks * state.period {
            content.ticks += 1;
            content.tick = true;
        }
    }

    /// The way that is taken: `Err` if two have the same rank. `after` is met at microstep 0, and
    /// then the state is left.
    fn way(
        &self,
        events: &[Event],
        preemptive: bool,
        waited: Option<u32>,
    ) -> Result<Option<Way>, ()> {
        let is_met = |way: &&Way| match way.guard {
            Guard::Present(event) => events.contains(&event),
            Guard::After(time) => waited == Some(time),
        };
        let ways = self.states[self.mode].ways.iter();
        let mut met: Vec<&Way> =
            ways.filter(|way| way.preemptive == preemptive).filter(is_met).collect();
        met.sort_by_key(|way| (way.default, way.priority));
        match met.as_slice() {
            [] => Ok(None),
            [first, second, ..]
                if (first.default, first.priority) == (second.default, second.priority) =>
            {
                Err(())
            }
            [first, ..] => Ok(Some((*first).clone())),
        }
    }

    fn note(&mut self, now: u32, microstep: u32, silent: bool) {
        if !silent {
            let count = i64::from(self.contents[self.mode].count);
            let values = [self.mode as i64, count, self.z];
            if self.seen.changes.last().is_none_or(|last| last.2 != values) {
                self.seen.changes.push((now, microstep, values));
            }
        }
    }

    /// Moves the inner machine after a microstep; gives whether it has moved.
    fn decide_inner(&mut self, now: u32, events: &[Event]) -> bool {
        let content = &mut self.contents[self.mode];
        let Some(guards) = self.states[self.mode].inner else { return false };
        let met = match guards[usize::from(content.second)] {
            Guard::Present(event) => events.contains(&event),
            Guard::After(_) => content.over,
        };
        if met {
            content.said = Some(if content.second { 2 } else { 1 });
            content.second = !content.second;
            (content.entered, content.over) = (now - content.zero, false);
        }
        met
    }

    /// Moves the machines after a microstep, before which the count was as given; gives whether one
    /// has moved.
    fn decide(
        &mut self,
        now: u32,
        microstep: u32,
        events: &[Event],
        before: u32,
    ) -> Result<bool, ()> {
        let preempted = self.way(events, true, None)?;
        let moved = preempted.is_none() && self.decide_inner(now, events);
        let waited = (microstep == 0).then(|| now - self.entered);
        let silent = preempted.is_some();
        let way = match preempted {
            Some(way) => Some(way),
            None => self.way(events, false, waited)?,
        };
        let Some(way) = way else { return Ok(moved) };
        let from = self.mode;
        self.z = i64::from(if silent { before } else { self.contents[from].count });
        if way.to == from && way.history && !silent {
            self.entered = now;
            return Ok(true);
        }
        self.contents[from].stopped = now;
        if !silent {
            self.last_words = self.contents[from].said.take();
        }
        self.enter(way.to, way.history, now, microstep);
        Ok(true)
    }

    /// One instant; `Err` if the machine is ambiguous.
    fn instant(&mut self, now: u32) -> Result<(), ()> {
        let [mut first, mut second] = [(3, 2), (5, 3)]
            .map(|(period, offset)| now >= offset && (now - offset).is_multiple_of(period));
        let mut later = false;
        self.begin(now);
        self.note(now, 0, false);
        self.decide(now, 0, &[], 0)?;
        for microstep in 1..200 {
            let outside = [(first, Event::First), (later, Event::Later), (second, Event::Second)];
            let outside = happening(&outside);
            let silent = self.way(&outside, true, None)?.is_some();
            let before = self.contents[self.mode].count;
            let events = self.microstep(now, microstep, outside, silent);
            self.note(now, microstep, silent);
            (later, first, second) = (first, false, false);
            self.wake(now);
            let moved = self.decide(now, microstep, &events, before)?;
            let content = &self.contents[self.mode];
            let more = content.tick || content.remembered || content.now.is_some();
            let more = more || content.said.is_some() || self.last_words.is_some();
            if !(more || moved || later || silent) {
                break;
            }
        }
        Ok(())
    }

    /// What becomes due in the diagram that runs when an instant begins.
    fn begin(&mut self, now: u32) {
        self.wake(now);
        let content = &mut self.contents[self.mode];
        let local = now - content.zero;
        if let Some(at) = content.coming.iter().position(|(time, _)| *time == local) {
            content.now = Some(content.coming.remove(at).1);
        }
        let inner = self.states[self.mode].inner.map(|guards| guards[usize::from(content.second)]);
        content.over |= inner == Some(Guard::After(local - content.entered));
    }

    /// What the diagram that runs does at a microstep with these events outside; gives all events.
    /// If it is silent, because it is preempted, it does nothing and keeps its tick.
    fn microstep(
        &mut self,
        now: u32,
        microstep: u32,
        mut events: Vec<Event>,
        silent: bool,
    ) -> Vec<Event> {
        let state = &self.states[self.mode];
        let content = &mut self.contents[self.mode];
        let (tick, remembered) = (content.tick, content.remembered);
        let delayed = content.now.is_some_and(|at| at <= microstep);
        events.extend(happening(&[
            (tick, Event::Clock),
            (remembered, Event::Microstep),
            (delayed, Event::Delayed),
        ]));
        let said = if silent { None } else { content.said.take() };
        if !silent {
            if tick {
                content.coming.push((now - content.zero + state.delay, microstep));
            }
            (content.tick, content.remembered) = (false, tick);
            content.count += u32::from(events.contains(&state.counted));
            if delayed {
                content.now = None;
            }
            if events.contains(&state.shown) {
                self.seen.events.push((now, microstep));
            }
        }
        if let Some(said) = self.last_words.take().or(said) {
            self.seen.said.push((now, microstep, said));
        }
        events
    }
}

/// The events that happen.
fn happening(events: &[(bool, Event)]) -> Vec<Event> {
    events.iter().filter(|(is, _)| *is).map(|(_, event)| *event).collect()
}

fn reference(states: &[State]) -> Option<Seen> {
    let mut contents = vec![Content::default(); states.len()];
    contents[0].ran = true;
    let mut machine = Machine {
        states,
        contents,
        mode: 0,
        entered: 0,
        z: -1,
        last_words: None,
        seen: Seen::default(),
    };
    for now in 0..STOP {
        machine.instant(now).ok()?;
    }
    Some(machine.seen)
}

fn found(trace: &Trace) -> Seen {
    let mut seen = Seen::default();
    let column = |name: &str| trace.column(name).expect("a recorded column");
    let names = ["m.state", "m.count", "m.seen", "m.event", "m.said"].map(column);
    for row in 0..trace.len() {
        let tag = trace.tags()[row];
        let time = (tag.time.seconds() * 8.0).round() as u32;
        let at = |name: usize| trace.get(row, names[name]).map(|value| value[0]);
        if time >= STOP {
            continue;
        }
        if let (Some(state), Some(count), Some(z)) = (at(0), at(1), at(2)) {
            let values = [state, count, z].map(|x| x as i64);
            if seen.changes.last().is_none_or(|last| last.2 != values) {
                seen.changes.push((time, tag.microstep, values));
            }
        }
        if at(3).is_some() {
            seen.events.push((time, tag.microstep));
        }
        if let Some(said) = at(4) {
            seen.said.push((time, tag.microstep, said as u8));
        }
    }
    seen
}

#[test]
fn random_machines_of_events_do_what_a_small_interpreter_does() {
    let (mut compared, mut moves, mut said) = (0, 0, 0);
    for seed in 0..1200 {
        let states = spec(seed);
        let Some(expected) = reference(&states) else { continue };
        let text = text(&states);
        let system = compile(&text);
        let outcome = system.simulate().unwrap_or_else(|f| panic!("seed {seed}: {f}\n{text}"));
        let seen = found(&outcome.trace);
        assert_eq!(seen.changes, expected.changes, "seed {seed}\n{text}");
        assert_eq!(seen.events, expected.events, "seed {seed}\n{text}");
        assert_eq!(seen.said, expected.said, "seed {seed}\n{text}");
        compared += 1;
        moves += expected.changes.len();
        said += expected.said.len();
        if seed % 8 == 0 {
            let whole = bits(&outcome.trace, 0);
            assert_eq!(whole, by(&system, Backend::Native).0, "seed {seed}\n{text}");
            let mut run = system.begin();
            for _ in 0..seed % 97 {
                run.advance().unwrap();
            }
            let rest = system.resume(&run.save()).unwrap().finish().unwrap().trace;
            assert_eq!(whole[whole.len() - rest.len()..], bits(&rest, 0), "seed {seed}\n{text}");
        }
    }
    assert!(compared > 600 && moves > 10_000 && said > 1_000, "{compared} {moves} {said}");
}
