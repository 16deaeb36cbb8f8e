//! The product of signals.

use base::Diagnostic;

use crate::{Block, Context, Count, Info, Input, Output, Presence};

/// The product of signals.
#[derive(Debug)]
pub struct Product;

impl Block for Product {
    fn info(&self) -> Info {
        Info {
            name: "Product",
            shelf: "Mathematics",
            summary: "The product of signals.",
            equations: "y = u_1 * u_2 * ...",
            absence: "Absent where one of the inputs is.",
            impulses: "One factor may carry an impulse, which the others scale; they must not jump at that microstep. Two impulses at once are an error.",
            inputs: &[Input {
                name: "inputs",
                about: "The signals.",
                count: Count::Many,
                presence: Presence::Any,
            }],
            outputs: &[Output { name: "output", about: "The product." }],
            parameters: &[],
            example: r#"superdense: 1
name: product
blocks:
  a: {type: Sine}
  b: {type: Ramp}
  p: {type: Product, inputs: [a, b]}
record: [p]
simulate: {stop: 1}"#,
        }
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let inputs = cx.inputs("inputs");
        for input in &inputs {
            cx.numeric(input, "inputs")?;
        }
        let mut product = inputs[0].clone();
        for input in &inputs[1..] {
            cx.fits(&product, input, true)?;
            product = cx
                .multiply(&product, input)
                .map_err(|why| Diagnostic::error("impulse-undefined", why))?;
        }
        cx.output("output", product);
        Ok(())
    }
}
