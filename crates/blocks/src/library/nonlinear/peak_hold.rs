//! The greatest or the smallest value of a continuous signal so far.

use base::{Diagnostic, Elem, Type, Value};

use super::{NONLINEAR, extreme, nonlinear};
use crate::operators::read_side;
use crate::{Block, Context, Info, Input, Parameter};

/// The greatest or the smallest value of a continuous signal so far.
#[derive(Debug)]
pub struct PeakHold;

impl Block for PeakHold {
    fn info(&self) -> Info {
        nonlinear("PeakHold", "Outputs the greatest or the smallest value of a signal so far.")
            .aliases(["Peak Hold", "Peak Detector", "Running Maximum", "MinMax Running Resettable"])
            .icon("M2 16C5 2 8 2 10 6H20M10 6C13 16 15 16 20 9")
            .equations(
                "y(t, n) = max(y(t, n-1), input(t, n)), or min\n\
                 y' = input', while input = y and input' > 0, or input' < 0\n\
                 y' = 0, otherwise\n\
                 y(t, n) = input(t, n), at the start and if reset is present",
            )
            .absence("Absent when the input is absent. When `reset` is absent, it has no effect.")
            .input(Input::one("input", "The signal, of any size.").continuous())
            .input(Input::optional("reset", "Events at which the past is forgotten.").discrete())
            .output(
                "output",
                "The extreme value since the start or the last reset. The times at which it \
                 starts and stops following the signal are located, so that no peak is missed \
                 between two steps.",
            )
            .parameter(
                Parameter::word("of", "Which extreme is kept.", ["maximum", "minimum"])
                    .default("maximum"),
            )
            .example(
                r#"superdense: 1
name: peak-hold
blocks:
  u: {type: Expression, expression: time * sin(3 * time)}
  y: {type: PeakHold, input: u}
record: [u, y]
simulate: {stop: 5}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.numeric_input("input")?;
        cx.refuse_impulses(&input, NONLINEAR);
        let reset = cx.optional("reset");
        let ty = cx.graph.ty(input.value).with_elem(Elem::Real);
        let begun = cx.state("begun", Value::new(Type::BOOL, vec![0.0]));
        // The output at the last commit. Since then the signal has moved in one direction only, or
        // it has not reached the output.
        let kept = cx.state("output", Value::new(ty, vec![0.0; ty.len()]));
        let slope = cx.derivatives(input.value, 1)[0];
        let mut begins = cx.graph.not(begun);
        if let Some(reset) = &reset {
            cx.events_only(reset, "reset");
            begins = cx.graph.or(begins, reset.present);
        }
        let maximum = cx.word("of") == "maximum";
        let g = &mut cx.graph;
        let before = g.select(begins, input.value, kept);
        let zero = g.filled(ty, 0.0);
        let (beyond, onwards) = match maximum {
            true => ([false, true, true], [false, false, true]),
            false => ([true, true, false], [true, false, false]),
        };
        let side = g.frozen_sign(input.value, before);
        let direction = g.frozen_sign(slope, zero);
        let (reaches, moves) = (read_side(g, side, beyond), read_side(g, direction, onwards));
        let follows = g.and(reaches, moves);
        let during_steps = g.select(follows, input.value, before);
        let at_ticks = extreme(g, maximum, before, input.value);
        let value = g.observed(during_steps, at_ticks, 0);
        let next = g.select(input.present, value, kept);
        let now_begun = g.or(begun, input.present);
        cx.next(kept, next);
        cx.next(begun, now_begun);
        let output = cx.event(value, input.present);
        cx.output("output", output);
        Ok(())
    }
}
