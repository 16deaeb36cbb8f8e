//! Play between two parts: the output moves only when the input pushes it.

use base::{Diagnostic, Elem};
use ir::Binary;

use super::{NONLINEAR, extreme, nonlinear, refuse_parameters};
use crate::operators::read_side;
use crate::{Block, Context, Info, Input, Parameter};

/// Play between two parts: the output moves only when the input pushes it.
#[derive(Debug)]
pub struct Backlash;

impl Block for Backlash {
    fn info(&self) -> Info {
        nonlinear("Backlash", "Moves its output only when the input pushes it from either side.")
            .aliases(["Play", "Free Play", "Hysteresis Operator"])
            .icon("M5 17L12 3H17L10 17Z")
            .equations(
                "y(t, n) = the number nearest to y(t, n-1) with |input - y| <= width / 2\n\
                 y' = input', while input - y = width / 2 and input' > 0\n\
                 y' = input', while input - y = -width / 2 and input' < 0\n\
                 y' = 0, otherwise",
            )
            .absence("Absent when the input is absent.")
            .input(Input::one("input", "The driving position, of any size.").continuous())
            .output(
                "output",
                "The driven position. The times at which contact is made, and those at which the \
                 input turns around, are located. If the input jumps, the output jumps as far as \
                 it is pushed.",
            )
            .parameter(
                Parameter::value("width", "The width of the play, not negative.").default("1"),
            )
            .parameter(
                Parameter::value(
                    "initial",
                    "The output just before the start; it is pushed to within half a width of the \
                     input.",
                )
                .default("0"),
            )
            .example(
                r#"superdense: 1
name: backlash
blocks:
  u: {type: Sine, frequency: 0.25}
  y: {type: Backlash, input: u, width: 0.5}
record: [u, y]
simulate: {stop: 8}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.numeric_input("input")?;
        cx.refuse_impulses(&input, NONLINEAR);
        let ty = cx.graph.ty(input.value).with_elem(Elem::Real);
        let width = cx.initial("width", ty)?;
        let width = cx.graph.value(&width);
        let zero = cx.graph.filled(ty, 0.0);
        let negative = cx.graph.binary(Binary::Less, width, zero);
        refuse_parameters(cx, negative, "`width` must not be negative")?;
        let initial = cx.initial("initial", ty)?;
        // The output at the last commit. Since then the input has moved in one direction only, or
        // it has not reached the output.
        let kept = cx.state("output", initial);
        let slope = cx.derivatives(input.value, 1)[0];
        let g = &mut cx.graph;
        let half = g.real(0.5);
        let half = g.mul(width, half);
        let (low, high) = (g.sub(input.value, half), g.add(input.value, half));
        let direction = g.frozen_sign(slope, zero);
        let [from_below, from_above] = [(low, true), (high, false)].map(|(contact, up)| {
            let holds = if up { [false, true, true] } else { [true, true, false] };
            let towards = if up { [false, false, true] } else { [true, false, false] };
            let side = g.frozen_sign(contact, kept);
            let (touches, pushes) = (read_side(g, side, holds), read_side(g, direction, towards));
            g.and(touches, pushes)
        });
        let pushed = g.select(from_above, high, kept);
        let during_steps = g.select(from_below, low, pushed);
        let at_least = extreme(g, true, kept, low);
        let at_ticks = extreme(g, false, at_least, high);
        let value = g.observed(during_steps, at_ticks, 0);
        let next = g.select(input.present, value, kept);
        cx.next(kept, next);
        let output = cx.event(value, input.present);
        cx.output("output", output);
        Ok(())
    }
}
