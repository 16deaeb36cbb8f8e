//! What happened in a run, in words and as JSON.

use base::{Tag, Time, shown};
use blocks::{Part, Role};
use engine::{Change, Event, InputValue, Switch};
use program::BlockName;
use serde_json::{Value as Json, json};

use crate::System;

impl System {
    /// An event as one line of JSON, for tools.
    pub fn event_json(&self, event: &Event) -> Json {
        match event {
            Event::Located { time, block } => {
                json!({"event": "located", "time": time.decimal(), "block": block.path()})
            }
            Event::Woken { time, block } => {
                json!({"event": "woken", "time": time.decimal(), "block": block.path()})
            }
            Event::Agenda { time, block, next } => json!({
                "event": "agenda", "time": time.decimal(), "block": block.path(),
                "next": next.decimal(),
            }),
            Event::Restarted { time, region } => {
                json!({"event": "restarted", "time": time.decimal(), "region": region.0})
            }
            Event::Switched(Switch { time, region, method }) => json!({
                "event": "switched", "time": time.decimal(), "region": region,
                "solver": method.name(),
            }),
            Event::Fired { tag, block, changes } => json!({
                "event": "fired", "time": tag.time.decimal(), "microstep": tag.microstep,
                "block": block.path(),
                "changes": changes.iter().map(|change| json!({
                    "wire": change.wire,
                    "part": part_name(change.part), "value": change.value,
                })).collect::<Vec<_>>(),
            }),
            Event::Committed { tag, block, state, from, to } => json!({
                "event": "committed", "time": tag.time.decimal(), "microstep": tag.microstep,
                "block": block.path(), "state": state, "from": from, "to": to,
            }),
            Event::Side { tag, block, from, to, slides } => json!({
                "event": "side", "time": tag.time.decimal(), "microstep": tag.microstep,
                "block": block.path(), "from": from, "to": to, "slides": slides,
            }),
            Event::Moved { tag, block, from, to } => json!({
                "event": "moved", "time": tag.time.decimal(), "microstep": tag.microstep,
                "block": block.path(),
                "from": from, "to": to,
            }),
        }
    }

    /// The events of one instant as text: why the tick began, and what each microstep did.
    pub fn tell(&self, events: &[Event]) -> String {
        let Some(first) = events.first() else { return "nothing happened\n".to_owned() };
        let mut out = format!("t = {}\n", first.time());
        let mut microstep = None;
        for (place, event) in events.iter().enumerate() {
            let tag = match event {
                Event::Fired { tag, .. }
                | Event::Committed { tag, .. }
                | Event::Side { tag, .. }
                | Event::Moved { tag, .. } => Some(*tag),
                _ => None,
            };
            if let Some(tag) = tag.filter(|tag| microstep != Some(tag.microstep)) {
                out += &format!("  microstep {}\n", tag.microstep);
                microstep = Some(tag.microstep);
            }
            let indent = if tag.is_some() { "    " } else { "  " };
            let which = occurrence(events, place).map_or(String::new(), |n| format!(" {n}"));
            for line in self.lines(event, &which) {
                out += &format!("{indent}{line}\n");
            }
        }
        out
    }

    /// An event in words; `which` distinguishes states with the same name in one block.
    fn lines(&self, event: &Event, which: &str) -> Vec<String> {
        match event {
            Event::Located { block, .. } => {
                vec![format!("because a crossing was located in {}", block)]
            }
            Event::Woken { block, .. } => {
                vec![match self.is_clock(block) {
                    true => format!("because {} ticks", block),
                    false => format!("because {} changes at this time", block),
                }]
            }
            Event::Agenda { block, next, .. } => {
                let verb = if self.is_clock(block) { "ticks" } else { "changes" };
                vec![format!("agenda: {} {verb} again at {next}", block)]
            }
            Event::Restarted { region, .. } => {
                vec![format!("region {} starts a new smooth phase", region.0)]
            }
            Event::Switched(Switch { region, method, .. }) => {
                vec![format!("region {} goes on with the solver {}", region.0, method.name())]
            }
            Event::Fired { block, changes, .. } => {
                let inputs = self.inputs_of(block);
                let from = if inputs.is_empty() { inputs } else { format!(" (reads {inputs})") };
                if changes.is_empty() {
                    return vec![format!("{} fires{from}: nothing changes", block)];
                }
                let changes = described(changes).join(", ");
                vec![format!("{} fires{from}: {changes}", block)]
            }
            Event::Committed { block, state, from, to, .. } => {
                let (from, to) = (numbers(from), numbers(to));
                vec![format!("{} commits {state}{which}: {from} -> {to}", block)]
            }
            Event::Side { block, slides: true, .. } => {
                vec![format!("{block} slides: the motion goes along the surface that it compares")]
            }
            Event::Side { block, from, to, .. } => {
                vec![format!("{} changes side: {} -> {}", block, side(*from), side(*to))]
            }
            Event::Moved { block, from, to, .. } => {
                vec![format!("{} goes from {from} to {to}", block)]
            }
        }
    }

    fn is_clock(&self, block: &BlockName) -> bool {
        block.id().is_some_and(|id| self.diagram.block(id).kind.role() == Role::Clock)
    }

    fn inputs_of(&self, block: &BlockName) -> String {
        let wires = block.id().into_iter().flat_map(|id| self.diagram.block(id).inputs.iter());
        let wires = wires.flatten();
        let names: Vec<String> = wires.map(|wire| self.diagram.wire_name(*wire)).collect();
        names.join(", ")
    }
}

/// The index of a commit among those of its microstep with the same block and state name, such as
/// the two values of `previous(a) - previous(b)`; `None` if it is the only one.
fn occurrence(events: &[Event], place: usize) -> Option<usize> {
    let own = committed(&events[place])?;
    let count =
        |events: &[Event]| events.iter().filter(|event| committed(event) == Some(own)).count();
    (count(events) > 1).then(|| count(&events[..=place]))
}

/// What identifies a commit within its microstep, apart from its order.
fn committed(event: &Event) -> Option<(Tag, &str, &str)> {
    match event {
        Event::Committed { tag, block, state, .. } => Some((*tag, block.path(), state)),
        _ => None,
    }
}

/// Values with their presence: which became absent, and the values of those that are present.
fn described(changes: &[Change]) -> Vec<String> {
    let mut out = Vec::new();
    // The parts of a wire come one after the other.
    for changes in changes.chunk_by(|one, other| one.wire == other.wire) {
        let name = &changes[0].wire;
        let absent = |c: &Change| c.part == Part::Present && c.value == [0.0];
        if changes.iter().any(absent) {
            out.push(format!("{name} absent"));
            continue;
        }
        for change in changes {
            match change.part {
                Part::Value => out.push(format!("{name} = {}", numbers(&change.value))),
                Part::Present => out.push(format!("{name} present")),
                Part::Derivative(order) => {
                    out.push(format!("{name} derivative {order} = {}", numbers(&change.value)));
                }
                Part::Impulse(order) => {
                    out.push(format!("{name} impulse {order} = {}", numbers(&change.value)));
                }
            }
        }
    }
    out
}

/// The input values of a block, in words; `None` if it has no inputs.
pub(crate) fn values(inputs: &[InputValue]) -> Option<String> {
    const MOST: usize = 8;
    let value = |input: &InputValue| {
        let mut text = match &input.value {
            Some(value) => format!("{} = {}", input.name, numbers(value)),
            None => format!("{} absent", input.name),
        };
        for (order, weight) in &input.impulses {
            let of = if *order == 0 { String::new() } else { format!(" of order {order}") };
            text += &format!(" with impulse {}{of}", numbers(weight));
        }
        text
    };
    let mut shown: Vec<String> = inputs.iter().take(MOST).map(value).collect();
    if inputs.len() > MOST {
        shown.push("...".to_owned());
    }
    (!shown.is_empty()).then(|| format!("there it reads {}", shown.join(", ")))
}

fn part_name(part: Part) -> String {
    match part {
        Part::Value => "value".to_owned(),
        Part::Present => "present".to_owned(),
        Part::Impulse(order) => format!("delta{order}"),
        Part::Derivative(order) => format!("derivative{order}"),
    }
}

fn numbers(values: &[f64]) -> String {
    match values {
        [one] => shown(*one),
        many => {
            let all: Vec<String> = many.iter().take(8).map(|x| shown(*x)).collect();
            let more = if many.len() > 8 { ", ..." } else { "" };
            format!("[{}{more}]", all.join(", "))
        }
    }
}

fn side(side: f64) -> String {
    match side {
        1.0 => "+".to_owned(),
        -1.0 => "-".to_owned(),
        other => other.to_string(),
    }
}

/// The events of the instant nearest to a time, collected during a run.
#[derive(Debug, Default)]
pub struct Instant {
    wanted: f64,
    best: Vec<Event>,
    current: Vec<Event>,
}

impl Instant {
    /// Collects the events of the instant nearest to this time \[s\].
    pub fn near(wanted: f64) -> Instant {
        Instant { wanted, ..Instant::default() }
    }

    /// Adds an event.
    pub fn take(&mut self, event: &Event) {
        if self.current.first().is_some_and(|first| first.time() != event.time()) {
            self.settle();
        }
        self.current.push(event.clone());
    }

    fn settle(&mut self) {
        let current = std::mem::take(&mut self.current);
        let nearer = match (self.distance(&current), self.distance(&self.best)) {
            (Some(new), Some(old)) => new < old,
            (new, _) => new.is_some(),
        };
        if nearer {
            self.best = current;
        }
    }

    /// Whether no later event can be nearer, given that the run has reached `now`.
    pub fn is_found(&self, now: Time) -> bool {
        let known = [&self.best, &self.current].into_iter();
        let nearest =
            known.filter_map(|events| self.distance(events)).fold(f64::INFINITY, f64::min);
        now.seconds() - self.wanted > nearest
    }

    /// The distance of these events from the wanted time \[s\].
    fn distance(&self, events: &[Event]) -> Option<f64> {
        events.first().map(|event| (event.time().seconds() - self.wanted).abs())
    }

    /// The events of the nearest instant; if `microstep` is given, those of that microstep only.
    pub fn events(mut self, microstep: Option<u32>) -> Vec<Event> {
        self.settle();
        let wanted = |event: &Event| match (event, microstep) {
            (_, None) => true,
            (
                Event::Fired { tag, .. }
                | Event::Committed { tag, .. }
                | Event::Side { tag, .. }
                | Event::Moved { tag, .. },
                Some(n),
            ) => Tag::new(tag.time, n) == *tag,
            _ => false,
        };
        self.best.into_iter().filter(|event| wanted(event)).collect()
    }
}
