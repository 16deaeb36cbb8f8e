//! One of two signals, chosen by a third.

use base::Diagnostic;

use super::function;
use crate::{Block, Context, Info, Input, Parameter};

/// One of two signals, chosen by a third.
#[derive(Debug)]
pub struct Decision;

impl Block for Decision {
    fn info(&self) -> Info {
        function("Decision", "Passes one of two signals, chosen by a third.")
            .aliases(["LogicalSwitch", "Two-Way Switch", "Conditional", "Ternary", "Manual Switch"])
            .equations("y = above, if input >= threshold\ny = below, otherwise")
            .absence("Absent when `input` or the chosen signal is absent.")
            .impulses("Passes the impulses of the chosen signal. An impulse at `input` is an error. So is an impulse at `above` or `below` at the microstep at which the choice changes.")
            .input(Input::one("input", "The signal that is compared with the threshold."))
            .input(Input::one(
                "above",
                "The signal to pass if `input` is at or above the threshold.",
            ))
            .input(Input::one("below", "The signal to pass if `input` is below the threshold."))
            .output("output", "The chosen signal.")
            .parameter(
                Parameter::real(
                    "threshold",
                    "The smallest value of `input` for which `above` is chosen.",
                )
                .default("0"),
            )
            .example(
                r#"superdense: 1
name: decision
blocks:
  s: {type: Sine}
  r: {type: Ramp}
  d: {type: Decision, input: s, above: r, below: -r}
record: [s, d]
simulate: {stop: 2}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let (input, above, below) = (cx.input("input"), cx.input("above"), cx.input("below"));
        cx.scalar(&input, "input")?;
        cx.numeric(&input, "input")?;
        cx.fits(&above, &below, false)?;
        let threshold = cx.constant("threshold");
        let threshold = cx.always(threshold);
        let chosen = cx.compare(&input, &threshold, [false, true, true]);
        let signal = cx.choose(&chosen, &above, &below);
        cx.output("output", signal);
        Ok(())
    }
}
