//! A signal with its sign changed.

use base::Diagnostic;

use super::function;
use crate::{Block, Context, Info, Input};

/// A signal with its sign changed.
#[derive(Debug)]
pub struct Negate;

impl Block for Negate {
    fn info(&self) -> Info {
        function("Negate", "Negates a signal.")
            .aliases(["Unary Minus", "Opposite"])
            .icon("M5 10H17")
            .equations("y = -u")
            .impulses("Linear: negates every coefficient.")
            .input(Input::one("input", "The signal."))
            .output("output", "The negated signal.")
            .example(
                r#"superdense: 1
name: negate
blocks:
  s: {type: Sine}
  n: {type: Negate, input: s}
record: [s, n]
simulate: {stop: 1}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.numeric_input("input")?;
        let signal = cx.negate(&input);
        cx.output("output", signal);
        Ok(())
    }
}
