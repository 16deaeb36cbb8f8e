//! The product of signals.

use base::{Diagnostic, Shape, Type};
use ir::{Graph, NodeId};

use super::function;
use crate::{Block, Context, Info, Input, Parameter, Signal};

/// The product of signals.
#[derive(Debug)]
pub struct Product;

impl Block for Product {
    fn info(&self) -> Info {
        function("Product", "Multiplies signals.")
            .aliases(["Multiply", "MultiProduct"])
            .icon("M6 5L16 15M16 5L6 15")
            .equations("y = u_1 * u_2 * ...")
            .absence("Absent when any input is absent. With `absent: skip`, an absent input counts as 1, and the output is absent only when all inputs are absent.")
            .impulses("One factor may carry an impulse, which the other factors scale; they must not jump at that microstep. Two impulses at the same microstep are an error.")
            .input(Input::many("inputs", "The factors."))
            .output("output", "The product.")
            .parameter(
                Parameter::word(
                    "absent",
                    "The effect of an absent input: `strict` makes the output absent, `skip` ignores the input. With `skip`, matrices must be square, and a matrix cannot be multiplied by a vector.",
                    ["strict", "skip"],
                )
                .default("strict"),
            )
            .example(
                r#"superdense: 1
name: product
blocks:
  a: {type: Sine}
  b: {type: Ramp}
  p: {type: Product, inputs: [a, b]}
record: [a, b, p]
simulate: {stop: 2}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let inputs = cx.numeric_inputs("inputs")?;
        let skips = cx.word("absent") == "skip";
        let mut product = inputs[0].clone();
        for input in &inputs[1..] {
            cx.fits(&product, input, true)?;
            let [a, b] = match skips {
                true => with_ones(cx, &product, input)?,
                false => [product, input.clone()],
            };
            product =
                cx.multiply(&a, &b).map_err(|why| Diagnostic::error("impulse-undefined", why))?;
        }
        cx.output("output", product);
        Ok(())
    }
}

/// Two factors, with 1 in place of an absent one; if that is a matrix, the identity matrix.
fn with_ones(cx: &mut Context, a: &Signal, b: &Signal) -> Result<[Signal; 2], Diagnostic> {
    let shapes = [a, b].map(|factor| cx.graph.ty(factor.value).shape);
    let square = |shape: Shape| !matches!(shape, Shape::Matrix(rows, columns) if rows != columns);
    let onto_vector = matches!(shapes, [Shape::Matrix(..), Shape::Vector(_)]);
    if onto_vector || !shapes.into_iter().all(square) {
        let [a, b] = [a, b].map(|factor| cx.graph.ty(factor.value).with_article());
        let message = format!("{a} times {b} cannot leave out what is absent");
        return Err(Diagnostic::error("size-mismatch", message)
            .note("the product would have another size where a factor is left out")
            .help("leave `absent: skip` out, or hold the factors with ZeroOrderHold blocks"));
    }
    Ok(cx.or_one(a, b, one))
}

fn one(graph: &mut Graph, ty: Type) -> NodeId {
    let Shape::Matrix(rows, columns) = ty.shape else { return graph.filled(ty, 1.0) };
    let places = (0..rows).flat_map(|row| (0..columns).map(move |column| row == column));
    let data: Vec<f64> = places.map(f64::from).collect();
    graph.constant(ty, &data)
}
