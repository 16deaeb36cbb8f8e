//! Quantities that should be conserved: how much each has drifted, and which ticks break one.
//!
//! An invariant is a block of the main diagram. Its value and the terms of its sum are hidden
//! records, which have a row at every step and microstep ([`watch`]); nothing here changes a run.

mod watch;

use base::{Diagnostic, Diagnostics, Elem, Tag, shown};
use diagram::Presence;
use serde::{Deserialize, Serialize};

use crate::System;
pub(crate) use watch::{Watch, WatchState};

/// By how much a tick may change an invariant relative to its magnitude, unless the model says it.
const WITHIN: f64 = 1e-9;

/// A conserved quantity in a run: what has become of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Invariant {
    /// Its name.
    pub name: String,
    /// Its elements at the first row; none if it has been absent all the time.
    pub first: Option<Vec<f64>>,
    /// Its elements at the last row.
    pub last: Option<Vec<f64>>,
    /// The greatest magnitude that it has had, or that the absolute values of the terms of its sum
    /// have had together. Relative drifts are relative to this: the momentum of two bodies that
    /// meet may be zero, but that of each body is not.
    pub magnitude: f64,
    /// The greatest drift along smooth motion: how far it is from its first value, without what
    /// ticks have changed.
    pub smooth: Extreme,
    /// The same drift at the last step.
    pub drift: f64,
    /// The greatest change by a tick, from its first microstep to its last.
    pub tick: Extreme,
    /// The greatest change from one microstep to the next. It may exceed that of every tick, if
    /// later microsteps restore what earlier ones have changed.
    pub microstep: Extreme,
    /// By how much a tick may change it.
    pub within: f64,
    /// Whether that is relative to the magnitude.
    pub relative: bool,
    /// How many ticks have changed it by more.
    pub breaks: u64,
    /// The first of these ticks.
    pub broken: Option<Broken>,
}

/// The greatest of some changes, over all elements.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Extreme {
    /// Its absolute value; 0 if there was no change.
    pub size: f64,
    /// Where it was, if there was one.
    pub tag: Option<Tag>,
}

impl Extreme {
    fn take(&mut self, size: f64, tag: Tag) {
        if size > self.size {
            *self = Extreme { size, tag: Some(tag) };
        }
    }
}

/// A tick that has changed an invariant.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Broken {
    /// The last microstep that changed it.
    pub tag: Tag,
    /// Its elements before the tick.
    pub from: Vec<f64>,
    /// Its elements after it.
    pub to: Vec<f64>,
    /// The blocks that fired up to that microstep, in the order in which they first did.
    pub blocks: Vec<String>,
}

impl Invariant {
    /// A drift or change relative to the magnitude of the invariant.
    pub fn relative_to_magnitude(&self, change: Extreme) -> f64 {
        if change.size == 0.0 { 0.0 } else { change.size / self.magnitude }
    }
}

/// By how much ticks may change an invariant.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Limit {
    pub within: f64,
    pub relative: bool,
}

/// The limits of all invariants in runs of a system, or what is wrong with an invariant.
pub(crate) fn limits(system: &System) -> Result<Vec<Limit>, Diagnostics> {
    let diagram = &system.diagram;
    let (mut errors, mut limits) = (Diagnostics::default(), Vec::new());
    let mut hidden = diagram.records.iter().filter(|record| record.hidden);
    for own in &diagram.invariants {
        let Some(record) = hidden.next() else { break };
        hidden.by_ref().take(own.terms).for_each(drop);
        let wire = diagram.wire(record.wire);
        if let Some(why) = unfit(wire.ty.elem, wire.between) {
            let message = format!("the invariant `{}` {}", own.name.value, why.0);
            errors.push(
                Diagnostic::error("bad-invariant", message).at(own.name.span, "").help(why.1),
            );
        }
        let within = match &own.within {
            None => Some(WITHIN),
            Some(expr) => {
                let value = errors.keep(system.evaluated(expr));
                let number = value.as_ref().and_then(|value| value.as_f64());
                let number = number.filter(|number| *number >= 0.0);
                if value.is_some() && number.is_none() {
                    let must = "`within` must be a number that is not negative";
                    errors.push(Diagnostic::error("bad-setting", must).at(expr.span, "is not"));
                }
                number
            }
        };
        limits.extend(within.map(|within| Limit { within, relative: !own.absolute }));
    }
    errors.or(limits)
}

/// Why a signal cannot be an invariant, and what to do about it.
fn unfit(elem: Elem, between: Presence) -> Option<(&'static str, &'static str)> {
    match (elem, between) {
        (Elem::Bool, _) => {
            Some(("is a truth value", "give a number, such as `if c then 1 else 0`"))
        }
        (_, Presence::Never) => Some((
            "consists of events, which are absent most of the time",
            "hold the last value of the events with a ZeroOrderHold block",
        )),
        _ => None,
    }
}

impl System {
    /// The warning that ticks break an invariant, if they do.
    pub fn explain_invariant(&self, invariant: &Invariant) -> Option<Diagnostic> {
        const SHOWN: usize = 8;
        let broken = invariant.broken.as_ref()?;
        let (from, to) = (numbers(&broken.from), numbers(&broken.to));
        let name = &invariant.name;
        let message = format!("a tick changes `{name}` from {from} to {to} at {}", broken.tag);
        let mut found = Diagnostic::warning("invariant-broken", message);
        if let Some(own) = self.diagram.invariants.iter().find(|own| own.name.value == *name) {
            found = found.at(own.name.span, "this invariant").block(name);
        }
        let mut blocks: Vec<&str> = broken.blocks.iter().take(SHOWN).map(String::as_str).collect();
        if broken.blocks.len() > SHOWN {
            blocks.push("...");
        }
        if !blocks.is_empty() {
            found = found.note(format!("there fired {}", blocks.join(", ")));
        }
        if invariant.breaks > 1 {
            let of = if invariant.relative { " of its magnitude" } else { "" };
            let within = shown(invariant.within);
            let count = invariant.breaks;
            found = found.note(format!("{count} ticks change it by more than {within}{of}"));
        }
        let time = broken.tag.time;
        let help = "if that is meant, such as a loss in an impact, allow it with `within`";
        Some(found.help(format!("`superdense explain MODEL {time}` shows the tick; {help}")))
    }
}

/// The elements of a value as text.
fn numbers(values: &[f64]) -> String {
    match values {
        [one] => shown(*one),
        many => format!("[{}]", many.iter().map(|x| shown(*x)).collect::<Vec<_>>().join(", ")),
    }
}
