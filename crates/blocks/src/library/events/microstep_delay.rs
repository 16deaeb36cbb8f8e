//! A signal one microstep later.

use base::{Diagnostic, Value};
use ir::NodeId;

use crate::{Block, Context, Count, Info, Input, Output, Presence, Signal};

/// A signal one microstep later.
#[derive(Debug)]
pub struct MicrostepDelay;

impl Block for MicrostepDelay {
    fn info(&self) -> Info {
        Info {
            name: "MicrostepDelay",
            shelf: "Events",
            summary: "A signal one microstep later.",
            equations: "y(t, n) = input(t, n-1), at n >= 1\nabsent at n = 0 and between events",
            absence: "Absent where the input was absent one microstep ago. Breaks a causality loop.",
            impulses: "Every coefficient is moved to the next microstep.",
            inputs: &[Input {
                name: "input",
                about: "The events.",
                count: Count::One,
                presence: Presence::Discrete,
            }],
            outputs: &[Output { name: "output", about: "The delayed signal." }],
            parameters: &[],
            example: r#"superdense: 1
name: microstep-delay
blocks:
  c: {type: Clock, period: 1, offset: 0.5}
  d: {type: MicrostepDelay, input: c}
record: [c, d]
simulate: {stop: 2}"#,
        }
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.input("input");
        let ticking = cx.ticking();
        let no = cx.graph.bool(false);
        let delayed = |cx: &mut Context, node: NodeId| {
            let ty = cx.graph.ty(node);
            let state = cx.state("delayed", Value::new(ty, vec![0.0; ty.len()]));
            cx.next(state, node);
            state
        };
        let value = delayed(cx, input.value);
        let waiting = delayed(cx, input.present);
        let impulses = input.impulses.iter().map(|i| delayed(cx, *i)).collect();
        let present = cx.graph.select(ticking, waiting, no);
        cx.output("output", Signal { value, present, impulses });
        Ok(())
    }
}
