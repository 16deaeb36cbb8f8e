//! The value at the start of this instant.

use base::Diagnostic;

use super::events;
use crate::{Block, Context, Info, Input};

/// The value at the start of this instant.
#[derive(Debug)]
pub struct LeftLimit;

impl Block for LeftLimit {
    fn info(&self) -> Info {
        events(
            "LeftLimit",
            "Outputs the left limit of a signal: its value at microstep 0 of the current instant.",
        )
        .aliases(["Left-Hand Limit", "Value Before Events"])
        .icon("M2 14H11M13 6H20M11 14A1.6 1.6 0 1 0 11.1 14")
        .equations("y(t, n) = input(t, 0)\ny = input, between events")
        .absence("Absent if the input is absent at microstep 0. Breaks a causality loop at ticks.")
        .input(Input::one("input", "The signal."))
        .output("output", "The left limit.")
        .example(
            r#"superdense: 1
name: left-limit
blocks:
  c: {type: Clock, period: 1, offset: 0.5}
  x: {type: Integrator, input: time, reset: 0 * c}
  l: {type: LeftLimit, input: x}
  before: {type: Sample, input: l, trigger: c}
  after: {type: Sample, input: x, trigger: c}
record: [x, before, after]
simulate: {stop: 4}"#,
        )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.input("input");
        let signal = cx.left(&input);
        cx.output("output", signal);
        Ok(())
    }
}
