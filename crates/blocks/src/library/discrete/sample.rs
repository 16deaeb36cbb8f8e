//! The value of a signal at the times of events.

use base::Diagnostic;

use super::discrete;
use crate::{Block, Context, Info, Input, Role};

/// The value of a signal at the times of events.
#[derive(Debug)]
pub struct Sample;

impl Block for Sample {
    fn info(&self) -> Info {
        discrete("Sample", "Samples a signal when a trigger event occurs.")
            .aliases(["TriggeredSampler", "Triggered Sampler"])
            .icon("M1 14H7L15 6M16 14H21M15 14A1 1 0 1 0 15.1 14")
            .equations("y(t, n) = input(t, n), if trigger is present")
            .absence("Absent when the trigger or the input is absent.")
            .impulses("An impulse at the input at the microstep of a trigger event is an error, and so is an impulse at `trigger`.")
            .input(Input::one("input", "The signal."))
            .input(Input::one("trigger", "The events at which to sample.").discrete())
            .output("output", "Events with the sampled values.")
            .example(
                r#"superdense: 1
name: sample
blocks:
  s: {type: Sine}
  c: {type: Clock, period: 0.1}
  e: {type: Sample, input: s, trigger: c}
record: [s, e]
simulate: {stop: 1}"#,
            )
    }

    fn role(&self) -> Role {
        Role::Sample
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
