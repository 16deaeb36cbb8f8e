//! The value one microstep ago.

use base::Diagnostic;

use super::events;
use crate::{Block, Context, Info, Input};

/// The value one microstep ago.
#[derive(Debug)]
pub struct Previous;

impl Block for Previous {
    fn info(&self) -> Info {
        events("Previous", "Outputs the value of a signal one microstep earlier.")
            .aliases(["pre", "Previous Value"])
            .icon("M20 10H4M9 5L4 10L9 15M20 5V15")
            .equations("y(t, n) = input(t, n-1), at n >= 1\ny(t, n) = input(t, n), at n = 0 and between events")
            .absence("Absent if the input was absent one microstep earlier. Breaks a causality loop at ticks.")
            .input(Input::one("input", "The signal."))
            .output("output", "The value one microstep earlier.")
            .example(
                r#"superdense: 1
name: previous
blocks:
  y: {type: Integrator, input: v, initial: 1}
  v: {type: Integrator, input: -9.81, reset: kick}
  hit: {type: LevelCrossing, input: y, direction: falling}
  before: {type: Previous, input: v}
  kick: {type: Sample, input: -0.8 * before, trigger: hit}
record: [y, v]
simulate: {stop: 2}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.input("input");
        let signal = cx.previous(&input);
        cx.output("output", signal);
        Ok(())
    }
}
