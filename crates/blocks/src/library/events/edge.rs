//! Events where a condition changes.

use base::{Diagnostic, Elem};

use super::events;
use crate::{Block, Context, Info, Input, Parameter};

/// Events where a condition changes.
#[derive(Debug)]
pub struct Edge;

impl Block for Edge {
    fn info(&self) -> Info {
        events("Edge", "Emits an event when a condition becomes true or false.")
            .aliases([
                "edge",
                "change",
                "Detect Rise Positive",
                "Detect Change",
                "EdgeDetector",
                "Triggered",
                "RisingEdge",
                "FallingEdge",
                "Detect Rise Nonnegative",
                "Detect Fall Negative",
                "Detect Fall Nonpositive",
                "ChangeEvent",
            ])
            .icon("M2 16H9V5H20M9 10L6 13M9 10L12 13")
            .equations("y(t, n) = 1, if input(t, n) and not input(t, n-1)\ny(t, n) = -1, if input(t, n-1) and not input(t, n)\nat n >= 1")
            .absence("Present only where the condition changes. What happens while the input is absent is not seen, also when it is present again.")
            .impulses("The input carries none.")
            .input(Input::one("input", "The condition: a boolean that is present between events.").continuous())
            .output("output", "The events: 1 where the condition becomes true, -1 where it becomes false.")
            .parameter(
                Parameter::word("direction", "The changes to detect.", ["both", "rising", "falling"])
                    .default("both"),
            )
            .example(
                r#"superdense: 1
name: edge
blocks:
  s: {type: Sine}
  up: {type: Edge, input: s > 0.5, direction: rising}
  n: {type: Counter, increment: up}
record: [s, n]
simulate: {stop: 3}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.input("input");
        cx.scalar(&input, "input")?;
        if cx.graph.ty(input.value).elem != Elem::Bool {
            return Err(Diagnostic::error("type-mismatch", "`input` must be a condition")
                .help("compare it with something, such as `x > 0`"));
        }
        let (before, ticking) = (cx.previous(&input), cx.ticking());
        let known = cx.graph.and(input.present, before.present);
        let known = cx.graph.and(known, ticking);
        let (off, was_off) = (cx.graph.not(input.value), cx.graph.not(before.value));
        let rises = cx.graph.and(input.value, was_off);
        let falls = cx.graph.and(off, before.value);
        let changes = match cx.word("direction") {
            "rising" => rises,
            "falling" => falls,
            _ => cx.graph.or(rises, falls),
        };
        let present = cx.graph.and(known, changes);
        let (up, down) = (cx.graph.real(1.0), cx.graph.real(-1.0));
        let value = cx.graph.select(input.value, up, down);
        let signal = cx.event(value, present);
        cx.output("output", signal);
        Ok(())
    }
}
