//! The sum of signals.

use base::Diagnostic;

use super::function;
use crate::{Block, Context, Info, Input};

/// The sum of signals.
#[derive(Debug)]
pub struct Sum;

impl Block for Sum {
    fn info(&self) -> Info {
        function("Sum", "Adds signals.")
            .aliases(["Add", "Adder", "Subtract", "MultiSum", "Summing Junction"])
            .icon("M16 5V3H6L12 10L6 17H16V15")
            .equations("y = u_1 + u_2 + ...")
            .absence("Absent inputs are ignored; the output is absent when all inputs are absent.")
            .impulses("Linear: adds the coefficients order by order.")
            .input(Input::many("inputs", "The signals to add."))
            .output("output", "The sum.")
            .example(
                r#"superdense: 1
name: sum
blocks:
  a: {type: Sine}
  b: {type: Ramp}
  s: {type: Sum, inputs: [a, b, 2]}
record: [a, b, s]
simulate: {stop: 2}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let inputs = cx.numeric_inputs("inputs")?;
        let mut sum = inputs[0].clone();
        for input in &inputs[1..] {
            cx.fits(&sum, input, false)?;
            sum = cx.add_present(&sum, input);
        }
        cx.output("output", sum);
        Ok(())
    }

    fn adds(&self) -> bool {
        true
    }
}
