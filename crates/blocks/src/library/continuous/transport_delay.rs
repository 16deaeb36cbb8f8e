//! A signal delayed by a constant time.

use std::collections::BTreeMap;

use base::{Diagnostic, Elem, Type};

use super::continuous;
use crate::{Block, Context, Info, Input, Parameter, Setting};

/// A signal delayed by a constant time.
#[derive(Debug)]
pub struct TransportDelay;

impl Block for TransportDelay {
    fn info(&self) -> Info {
        continuous("TransportDelay", "Delays a signal by a constant time.")
            .equations("y(t, n) = input(t - delay, n)\ny(t) = initial, before start + delay")
            .absence("Absent if the input was absent one delay earlier. Events are delayed and keep their microstep. Breaks a causality loop.")
            .impulses("Every coefficient is delayed and keeps its microstep.")
            .input(Input::one("input", "The signal, continuous or an event signal."))
            .output("output", "The delayed signal; a jump at time s appears at exactly s + delay.")
            .parameter(
                Parameter::time(
                    "delay",
                    "The delay [s]; positive. Solver steps are never longer than the delay.",
                )
                .default("1"),
            )
            .parameter(
                Parameter::value(
                    "initial",
                    "The output before start + delay; not used for event signals, which are absent until then.",
                )
                .default("0"),
            )
            .example(
                r#"superdense: 1
name: transport-delay
blocks:
  x: {type: Integrator, input: -y, initial: 1}
  y: {type: TransportDelay, input: x, delay: 1, initial: 1}
record: [x, y]
simulate: {stop: 10}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.input("input");
        let initial = cx.initial("initial", cx.graph.ty(input.value))?;
        cx.period("delay")?;
        let delay = cx.instant("delay")?;
        let signal = cx.delayed("input", delay, initial);
        cx.output("output", signal);
        Ok(())
    }

    fn promise(&self, settings: &BTreeMap<String, Setting>) -> Option<Type> {
        match settings.get("initial") {
            Some(Setting::Value(value)) if value.ty().elem == Elem::Bool => Some(value.ty()),
            Some(Setting::Value(value)) => Some(value.ty().with_elem(Elem::Real)),
            _ => None,
        }
    }
}
