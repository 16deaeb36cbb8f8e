//! Merges the events of several signals.

use base::Diagnostic;

use super::discrete;
use crate::{Block, Context, Info, Input, Signal};

/// Merges the events of several signals.
#[derive(Debug)]
pub struct Merge;

impl Block for Merge {
    fn info(&self) -> Info {
        discrete("Merge", "Merges the events of several signals into one signal.")
            .icon("M2 4H7L12 10H20M2 16H7L12 10")
            .equations("y = the first input in the list that is present")
            .absence("Absent when all inputs are absent.")
            .input(Input::many(
                "inputs",
                "The signals; if several are present at the same tag, the first in the list wins.",
            ))
            .output("output", "The merged events.")
            .example(
                r#"superdense: 1
name: merge
blocks:
  a: {type: Clock, period: 0.3}
  b: {type: Clock, period: 0.5, value: 2}
  m: {type: Merge, inputs: [a, b]}
record: [m]
simulate: {stop: 2}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let inputs = cx.inputs("inputs");
        let mut merged: Signal = inputs[inputs.len() - 1].clone();
        for input in inputs.iter().rev() {
            cx.refuse_impulses(input, "an impulse cannot be merged");
            cx.fits(&merged, input, false)?;
            let value = cx.graph.select(input.present, input.value, merged.value);
            let present = cx.graph.or(input.present, merged.present);
            merged = cx.event(value, present);
        }
        cx.output("output", merged);
        Ok(())
    }
}
