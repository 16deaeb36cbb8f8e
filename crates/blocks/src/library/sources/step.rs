//! A value that jumps once.

use std::sync::Arc;

use base::Diagnostic;
use ir::Binary;

use crate::{Block, Context, Info, Instants, Kind, Output, Parameter};

/// A value that jumps once.
#[derive(Debug)]
pub struct Step;

impl Block for Step {
    fn info(&self) -> Info {
        Info {
            name: "Step",
            shelf: "Sources",
            summary: "Outputs a step at a given time.",
            equations: "y(t, n) = before, for (t, n) < (time, 1)\ny(t, n) = after, from (time, 1) on",
            absence: "Always present.",
            impulses: "Carries no impulses; its derivative does.",
            inputs: &[],
            outputs: &[Output { name: "output", about: "The step." }],
            parameters: &[
                Parameter {
                    name: "time",
                    about: "The time of the step [s].",
                    kind: Kind::Time,
                    default: Some("1"),
                },
                Parameter {
                    name: "before",
                    about: "The value before the step.",
                    kind: Kind::Value,
                    default: Some("0"),
                },
                Parameter {
                    name: "after",
                    about: "The value after the step.",
                    kind: Kind::Value,
                    default: Some("1"),
                },
            ],
            example: r#"superdense: 1
name: step
blocks:
  u: {type: Step, time: 0.5, after: 3}
  x: {type: Integrator, input: u}
record: [u, x]
simulate: {stop: 1}"#,
        }
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
