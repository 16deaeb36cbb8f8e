//! A signal as it was some time ago.

use std::collections::BTreeMap;

use base::{Diagnostic, Elem, Type};

use crate::{Accepts, Block, Context, Count, Info, Input, Kind, Output, Parameter, Setting};

/// A signal as it was some time ago.
#[derive(Debug)]
pub struct TransportDelay;

impl Block for TransportDelay {
    fn info(&self) -> Info {
        Info {
            name: "TransportDelay",
            shelf: "Continuous",
            summary: "Delays a signal by a constant time.",
            equations: "y(t, n) = input(t - delay, n)\ny(t) = initial, before start + delay",
            absence: "Absent if the input was absent one delay earlier. Events are delayed and keep their microstep. Breaks a causality loop.",
            impulses: "Every coefficient is delayed and keeps its microstep.",
            inputs: &[Input {
                name: "input",
                about: "The signal, continuous or an event signal.",
                count: Count::One,
                presence: Accepts::Any,
            }],
            outputs: &[Output {
                name: "output",
                about: "The delayed signal; a jump at time s appears at exactly s + delay.",
            }],
            parameters: &[
                Parameter {
                    name: "delay",
                    about: "The delay [s]; positive. Solver steps are never longer than the delay.",
                    kind: Kind::Time,
                    default: Some("1"),
                },
                Parameter {
                    name: "initial",
                    about: "The output before start + delay; not used for event signals, which are absent until then.",
                    kind: Kind::Value,
                    default: Some("0"),
                },
            ],
            example: r#"superdense: 1
name: transport-delay
blocks:
  x: {type: Integrator, input: -y, initial: 1}
  y: {type: TransportDelay, input: x, delay: 1, initial: 1}
record: [x, y]
simulate: {stop: 10}"#,
        }
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
