//! A value that never changes.

use base::Diagnostic;

use crate::{Block, Context, Info, Kind, Output, Parameter};

/// A value that never changes.
#[derive(Debug)]
pub struct Constant;

impl Block for Constant {
    fn info(&self) -> Info {
        Info {
            name: "Constant",
            shelf: "Sources",
            summary: "Outputs a constant value.",
            equations: "y(t) = value",
            absence: "Always present.",
            impulses: "Carries no impulses.",
            inputs: &[],
            outputs: &[Output { name: "output", about: "The value." }],
            parameters: &[Parameter {
                name: "value",
                about: "The value.",
                kind: Kind::Value,
                default: Some("1"),
            }],
            example: r#"superdense: 1
name: constant
blocks:
  c: {type: Constant, value: 2}
  x: {type: Integrator, input: c}
record: [c, x]
simulate: {stop: 1}"#,
        }
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let value = cx.constant("value");
        let signal = cx.always(value);
        cx.output("output", signal);
        Ok(())
    }
}
