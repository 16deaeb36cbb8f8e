//! A count of events.

use base::{Diagnostic, Type};

use super::discrete;
use crate::{Block, Context, Info, Input, Parameter};

/// A count of events.
#[derive(Debug)]
pub struct Counter;

impl Block for Counter {
    fn info(&self) -> Info {
        discrete("Counter", "Counts events.")
            .aliases([
                "Event Counter",
                "Up-Down Counter",
                "Counter Free-Running",
                "Counter Limited",
            ])
            .icon("M2 17H6V13H10V9H14V5H20")
            .equations("y = initial + the number of events at `increment` - the number at `decrement`, since the last reset")
            .absence("Present when at least one of its inputs is present.")
            .input(Input::one("increment", "Events that count up.").discrete())
            .input(Input::optional("decrement", "Events that count down.").discrete())
            .input(
                Input::optional(
                    "reset",
                    "Events that set the count to `initial`; overrides the other inputs.",
                )
                .discrete(),
            )
            .output("output", "Events with the new count.")
            .parameter(Parameter::real("initial", "The initial count.").default("0"))
            .example(
                r#"superdense: 1
name: counter
blocks:
  c: {type: Clock, period: 0.1}
  again: {type: Clock, period: 0.5, offset: 0.45}
  n: {type: Counter, increment: c, reset: again}
record: [n]
simulate: {stop: 1}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let (up, down) = (cx.input("increment"), cx.optional("decrement"));
        let reset = cx.optional("reset");
        for input in [Some(&up), down.as_ref(), reset.as_ref()].into_iter().flatten() {
            cx.refuse_impulses(input, "an impulse cannot be counted");
        }
        let initial = cx.initial("initial", Type::REAL)?;
        let (start, count) = (cx.graph.value(&initial), cx.state("count", initial));
        let one = cx.graph.real(1.0);
        let mut present = up.present;
        let more = cx.graph.add(count, one);
        let mut value = cx.graph.select(up.present, more, count);
        if let Some(down) = down {
            let less = cx.graph.sub(value, one);
            value = cx.graph.select(down.present, less, value);
            present = cx.graph.or(present, down.present);
        }
        if let Some(reset) = reset {
            value = cx.graph.select(reset.present, start, value);
            present = cx.graph.or(present, reset.present);
        }
        cx.next(count, value);
        let signal = cx.event(value, present);
        cx.output("output", signal);
        Ok(())
    }
}
