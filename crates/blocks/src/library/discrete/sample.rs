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
            summary: "Samples a signal when a trigger event occurs.",
            equations: "y(t, n) = input(t, n), if trigger is present",
            absence: "Absent when the trigger or the input is absent.",
            impulses: "An impulse at the input at the microstep of a trigger event is an error, and so is an impulse at `trigger`.",
            inputs: &[
                Input {
                    name: "input",
                    about: "The signal.",
                    count: Count::One,
                    presence: Accepts::Any,
                },
                Input {
                    name: "trigger",
                    about: "The events at which to sample.",
                    count: Count::One,
                    presence: Accepts::Discrete,
                },
            ],
            outputs: &[Output { name: "output", about: "Events with the sampled values." }],
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
