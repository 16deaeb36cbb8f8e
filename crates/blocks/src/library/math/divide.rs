//! A quotient of two signals.

use base::Diagnostic;

use super::function;
use crate::{Block, Context, Info, Input, Parameter};

/// A quotient of two signals.
#[derive(Debug)]
pub struct Divide;

impl Block for Divide {
    fn info(&self) -> Info {
        function("Divide", "Divides one signal by another.")
            .aliases(["Division", "Quotient", "Ratio"])
            .icon("M4 10H18M11 4V4.5M11 15.5V16")
            .equations("y = numerator / denominator")
            .absence("Absent when either input is absent. With `absent: skip`, an absent input counts as 1, and the output is absent only when both inputs are absent.")
            .impulses("An impulse in the numerator is divided by the denominator. The denominator must not jump at that microstep, and it must never carry an impulse.")
            .input(Input::one("numerator", "The dividend."))
            .input(Input::one("denominator", "The divisor; zero is an error."))
            .output("output", "The quotient.")
            .parameter(
                Parameter::word(
                    "absent",
                    "The effect of an absent input: `strict` makes the output absent, `skip` ignores the input.",
                    ["strict", "skip"],
                )
                .default("strict"),
            )
            .example(
                r#"superdense: 1
name: divide
blocks:
  r: {type: Ramp, offset: 1}
  q: {type: Divide, numerator: 1, denominator: r}
record: [r, q]
simulate: {stop: 3}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let numerator = cx.numeric_input("numerator")?;
        let denominator = cx.numeric_input("denominator")?;
        cx.fits(&numerator, &denominator, false)?;
        let [numerator, denominator] = match cx.word("absent") {
            "skip" => cx.or_one(&numerator, &denominator, |graph, ty| graph.filled(ty, 1.0)),
            _ => [numerator, denominator],
        };
        let signal = cx
            .divide(&numerator, &denominator)
            .map_err(|why| Diagnostic::error("impulse-undefined", why))?;
        cx.output("output", signal);
        Ok(())
    }
}
