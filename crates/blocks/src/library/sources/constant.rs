//! A constant value.

use base::Diagnostic;

use super::source;
use crate::{Block, Context, Info, Parameter};

/// A constant value.
#[derive(Debug)]
pub struct Constant;

impl Block for Constant {
    fn info(&self) -> Info {
        source("Constant", "Outputs a constant value.")
            .aliases(["Const", "Ground", "ConstGen", "Enumerated Constant"])
            .icon("M2 10H20")
            .equations("y(t) = value")
            .output("output", "The value.")
            .parameter(Parameter::value("value", "The value.").default("1"))
            .example(
                r#"superdense: 1
name: constant
blocks:
  c: {type: Constant, value: 2}
  x: {type: Integrator, input: c}
record: [c, x]
simulate: {stop: 1}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let value = cx.constant("value");
        let signal = cx.always(value);
        cx.output("output", signal);
        Ok(())
    }
}
