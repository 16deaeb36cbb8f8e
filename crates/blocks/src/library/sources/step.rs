//! A value that jumps once.

use std::sync::Arc;

use base::Diagnostic;
use ir::Binary;

use super::source;
use crate::{Block, Context, Info, Instants, Parameter};

/// A value that jumps once.
#[derive(Debug)]
pub struct Step;

impl Block for Step {
    fn info(&self) -> Info {
        source("Step", "Outputs a step at a given time.")
            .aliases(["Heaviside", "Unit Step", "BooleanStep", "IntegerStep"])
            .icon("M2 16H10V5H20")
            .equations(
                "y(t, n) = before, for (t, n) < (time, 1)\ny(t, n) = after, from (time, 1) on",
            )
            .impulses("Carries no impulses; its derivative does.")
            .output("output", "The step.")
            .parameter(Parameter::time("time", "The time of the step [s].").default("1"))
            .parameter(Parameter::value("before", "The value before the step.").default("0"))
            .parameter(Parameter::value("after", "The value after the step.").default("1"))
            .example(
                r#"superdense: 1
name: step
blocks:
  u: {type: Step, time: 0.5, after: 3}
  x: {type: Integrator, input: u}
record: [u, x]
simulate: {stop: 1}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let at = cx.instant("time")?;
        let (_, wakings) = cx.timer(Arc::new(Instants(vec![at])));
        let (before, after) = (cx.constant("before"), cx.constant("after"));
        cx.same_shape(before, after, "before", "after")?;
        let zero = cx.graph.real(0.0);
        let passed = cx.graph.binary(Binary::Less, zero, wakings);
        let value = cx.graph.select(passed, after, before);
        let signal = cx.always(value);
        cx.output("output", signal);
        Ok(())
    }
}
