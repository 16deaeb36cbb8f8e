//! Continuous models inside models of discrete events.
//!
//! Such a model runs ahead of the events around it. An event that comes while the model has asked for
//! a step of length zero of its own, as a level crossing does after its event, waits until that step
//! is over; and two events of one time, one of which causes the other, come one after the other. Both
//! show only in the number of values that tests inside the model see, so this is done for models with
//! tests in which nothing leads from these events to an output at once.

use super::composite::{Frame, expression_block};
use super::{Content, Signals, names};
use crate::causality::{Causality, reaches};
use crate::tree::Component;
use crate::yaml::Yaml;

/// An input whose events may wait: its name around the diagram's content, and inside it.
pub struct Waiting {
    given: String,
    seen: String,
    /// How many of the inputs before it cause it.
    causes: Vec<usize>,
}

/// Gives the inputs of a composite that may wait names of their own, in the order in which their
/// events come.
pub fn waiting(
    frame: &Frame,
    own: &Component,
    inputs: &mut Signals,
    content: &mut Content,
) -> Vec<Waiting> {
    let continuous = own.director().is_some_and(|own| own.class.ends_with("ContinuousDirector"));
    let outputs = own.ports.iter().any(|port| port.output);
    let of = |own: &Component| super::actor::outputs(own);
    if !frame.events || !continuous || !outputs || inputs.is_empty() || !has_tests(own) {
        return Vec::new();
    }
    if Causality::of(own, &of).is_direct() {
        return Vec::new();
    }
    let source = |port: &str, channel: usize| {
        let channel = *frame.wiring.channels(Some(&own.name), port).get(channel)?;
        let mut ends = frame.wiring.ends(channel).iter();
        ends.find_map(|(end, _)| end.entity.clone().filter(|entity| *entity != own.name))
    };
    let sources: Vec<Option<String>> =
        inputs.keys().map(|(port, channel)| source(port, *channel)).collect();
    let causes = |a: usize, b: usize| match (&sources[a], &sources[b]) {
        (Some(a), Some(b)) => a != b && reaches(frame.component, &of, a, b),
        _ => false,
    };
    let mut all = Vec::new();
    for (at, name) in inputs.values_mut().enumerate() {
        let seen = names::fresh(&format!("{name}_seen"), &mut content.used);
        let given = std::mem::replace(name, seen.clone());
        let causes = (0..sources.len()).filter(|other| causes(*other, at)).collect();
        all.push(Waiting { given, seen, causes });
    }
    all
}

/// The blocks that let events wait.
pub fn blocks(own: &Component, waiting: &[Waiting], content: &mut Content) {
    if waiting.is_empty() {
        return;
    }
    let crossings: Vec<String> = own
        .entities
        .iter()
        .filter(|own| own.kind() == "LevelCrossingDetector")
        .filter_map(|own| content.placed.get(&own.path))
        .map(|name| format!("present({name})"))
        .collect();
    let asks = (!crossings.is_empty()).then(|| {
        let event = format!("when({}, 1)", crossings.join(" or "));
        delayed("asks", event, content)
    });
    for input in waiting {
        let mut signal = input.given.clone();
        let causes = input.causes.iter().map(|at| &waiting[*at].seen);
        for before in asks.iter().chain(causes) {
            let late = delayed("late", format!("when(present({before}), {signal})"), content);
            let now = names::fresh("now", &mut content.used);
            let text = format!("when(not present({before}), {signal})");
            content.blocks.push((now.clone(), expression_block(&text)));
            let next = names::fresh("next", &mut content.used);
            let text = format!("if present({late}) then {late} else {now}");
            content.blocks.push((next.clone(), expression_block(&text)));
            signal = next;
        }
        content.blocks.push((input.seen.clone(), expression_block(&signal)));
    }
}

/// Whether a machine has Continuous models with tests as refinements.
pub fn resumes(machine: &Component) -> bool {
    machine.entities.iter().any(|own| {
        let director = own.director();
        director.is_some_and(|own| own.class.ends_with("ContinuousDirector")) && has_tests(own)
    })
}

/// A model that is resumed by an event from around it takes its next step before it sees that it has
/// asked for a step of length zero, and then counts microsteps from 0 again: it has as many more.
pub fn follow(event: &str, content: &mut Content) {
    let mut last = event.to_owned();
    for _ in 0..3 {
        last = delayed("follows", last, content);
    }
}

/// An event one microstep later.
fn delayed(name: &str, event: String, content: &mut Content) -> String {
    let name = names::fresh(name, &mut content.used);
    let fields = [("type", "MicrostepDelay"), ("input", &event), ("between", "absent")];
    let fields = fields.map(|(key, text)| (key.to_owned(), text.to_owned()));
    content.blocks.push((name.clone(), Yaml::map(fields)));
    name
}

/// Whether a test is inside a composite.
fn has_tests(own: &Component) -> bool {
    own.entities.iter().any(|own| {
        matches!(own.kind(), "Test" | "NonStrictTest") || own.is_composite() && has_tests(own)
    })
}
