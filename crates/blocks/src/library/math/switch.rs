//! One if a signal is at or above a threshold, otherwise zero.

use base::Diagnostic;

use super::function;
use crate::{Block, Context, Info, Input, Parameter};

/// One if a signal is at or above a threshold, otherwise zero.
#[derive(Debug)]
pub struct Switch;

impl Block for Switch {
    fn info(&self) -> Info {
        function(
            "Switch",
            "Outputs 1 if a signal is at or above a threshold, else 0.",
        )
        .aliases(["Comparator", "GreaterEqualThreshold", "Compare To Threshold"])
            .icon("M1 4H7L15 9M1 16H7M16 10H21M7 4H7.1M7 16H7.1")
        .equations("y = 1, if input >= threshold\ny = 0, otherwise")
        .impulses(
            "An impulse at the input is an error: an impulse cannot be compared with a threshold.",
        )
        .input(Input::one("input", "The signal."))
        .output("output", "0 or 1; the times of its jumps are located.")
        .parameter(
            Parameter::real("threshold", "The smallest input for which the output is 1.")
                .default("0"),
        )
        .example(
                r#"superdense: 1
name: switch
blocks:
  s: {type: Sine}
  on: {type: Switch, input: s, threshold: 0.5}
record: [s, on]
simulate: {stop: 2}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.numeric_input("input")?;
        let threshold = cx.constant("threshold");
        let threshold = cx.always(threshold);
        let on = cx.compare(&input, &threshold, [false, true, true]);
        let shape = cx.graph.ty(on.value).shape;
        let (one, zero) = (cx.graph.real(1.0), cx.graph.real(0.0));
        let (one, zero) = (cx.graph.splat(one, shape), cx.graph.splat(zero, shape));
        let value = cx.graph.select(on.value, one, zero);
        let signal = cx.event(value, on.present);
        cx.output("output", signal);
        Ok(())
    }
}
