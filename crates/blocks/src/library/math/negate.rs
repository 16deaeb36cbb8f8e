//! A signal with the other sign.

use base::Diagnostic;

use crate::{Accepts, Block, Context, Count, Info, Input, Output};

/// A signal with the other sign.
#[derive(Debug)]
pub struct Negate;

impl Block for Negate {
    fn info(&self) -> Info {
        Info {
            name: "Negate",
            shelf: "Mathematics",
            summary: "Negates a signal.",
            equations: "y = -u",
            absence: "Absent when the input is absent.",
            impulses: "Linear: negates every coefficient.",
            inputs: &[Input {
                name: "input",
                about: "The signal.",
                count: Count::One,
                presence: Accepts::Any,
            }],
            outputs: &[Output { name: "output", about: "The negated signal." }],
            parameters: &[],
            example: r#"superdense: 1
name: negate
blocks:
  s: {type: Sine}
  n: {type: Negate, input: s}
record: [n]
simulate: {stop: 1}"#,
        }
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.input("input");
        cx.numeric(&input, "input")?;
        let signal = cx.negate(&input);
        cx.output("output", signal);
        Ok(())
    }
}
