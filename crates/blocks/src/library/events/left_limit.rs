//! The value at the start of this instant.

use base::Diagnostic;

use crate::{Accepts, Block, Context, Count, Info, Input, Output};

/// The value at the start of this instant.
#[derive(Debug)]
pub struct LeftLimit;

impl Block for LeftLimit {
    fn info(&self) -> Info {
        Info {
            name: "LeftLimit",
            shelf: "Events",
            summary: "Outputs the left limit of a signal: its value at microstep 0 of the current instant.",
            equations: "y(t, n) = input(t, 0)\ny = input, between events",
            absence: "Absent if the input is absent at microstep 0. Breaks a causality loop at ticks.",
            impulses: "The output carries no impulses.",
            inputs: &[Input {
                name: "input",
                about: "The signal.",
                count: Count::One,
                presence: Accepts::Any,
            }],
            outputs: &[Output { name: "output", about: "The left limit." }],
            parameters: &[],
            example: r#"superdense: 1
name: left-limit
blocks:
  p: {type: Pulse}
  l: {type: LeftLimit, input: p}
record: [p, l]
simulate: {stop: 2}"#,
        }
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.input("input");
        let signal = cx.left(&input);
        cx.output("output", signal);
        Ok(())
    }
}
