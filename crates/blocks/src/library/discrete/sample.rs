//! The value of a signal at the times of events.

use base::Diagnostic;

use crate::{Accepts, Block, Context, Count, Info, Input, Output};

/// The value of a signal at the times of events.
#[derive(Debug)]
pub struct Sample;

impl Block for Sample {
    fn info(&self) -> Info {
        Info {
            name: "Sample",
            shelf: "Discrete",
            summary: "The value of a signal at the times of events.",
            equations: "y(t, n) = input(t, n), where trigger is present",
            absence: "Absent where the trigger or the input is.",
            impulses: "An impulse of the input at the time of an event is an error, and so is one at `trigger`.",
            inputs: &[
                Input {
                    name: "input",
                    about: "The signal.",
                    count: Count::One,
                    presence: Accepts::Any,
                },
                Input {
                    name: "trigger",
                    about: "The events.",
                    count: Count::One,
                    presence: Accepts::Discrete,
                },
            ],
            outputs: &[Output { name: "output", about: "Events with the value of the input." }],
            parameters: &[],
            example: r#"superdense: 1
name: sample
blocks:
  s: {type: Sine}
  c: {type: Clock, period: 0.1}
  e: {type: Sample, input: s, trigger: c}
record: [e]
simulate: {stop: 1}"#,
        }
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let (input, trigger) = (cx.input("input"), cx.input("trigger"));
        cx.events_only(&trigger, "trigger");
        cx.refuse_sampling(&input, trigger.present);
        let present = cx.graph.and(trigger.present, input.present);
        let signal = cx.event(input.value, present);
        cx.output("output", signal);
        Ok(())
    }
}
