//! The reciprocal of a signal.

use base::Diagnostic;

use super::function;
use crate::{Block, Context, Info, Input};

/// The reciprocal of a signal.
#[derive(Debug)]
pub struct Inverter;

impl Block for Inverter {
    fn info(&self) -> Info {
        function("Inverter", "Outputs the reciprocal of a signal.")
            .aliases(["Reciprocal", "1/u"])
            .equations("y = 1 / input")
            .impulses("An impulse at the input is an error: its reciprocal is undefined.")
            .input(Input::one("input", "The signal; zero is an error."))
            .output("output", "The reciprocal.")
            .example(
                r#"superdense: 1
name: inverter
blocks:
  r: {type: Ramp, offset: 1}
  i: {type: Inverter, input: r}
record: [r, i]
simulate: {stop: 2}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.numeric_input("input")?;
        let one = cx.graph.real(1.0);
        let one = cx.always(one);
        let signal =
            cx.divide(&one, &input).map_err(|why| Diagnostic::error("impulse-undefined", why))?;
        cx.output("output", signal);
        Ok(())
    }
}
