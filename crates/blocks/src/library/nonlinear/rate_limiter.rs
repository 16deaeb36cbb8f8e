//! A signal whose rate of change is limited.

use base::{Diagnostic, Elem, Type, Value};
use ir::{Binary, NodeId};

use super::{NONLINEAR, extreme, nonlinear, refuse_parameters};
use crate::operators::read_side;
use crate::{Block, Context, Info, Input, Memory, Parameter, Role, Signal};

/// A signal whose rate of change is limited.
#[derive(Debug)]
pub struct RateLimiter;

impl Block for RateLimiter {
    fn info(&self) -> Info {
        nonlinear("RateLimiter", "Follows a signal with a limited rate of change.")
            .aliases(["Rate Limiter", "Slew Rate Limiter", "SlewRateLimiter"])
            .icon("M2 16H6L13 4H20M6 16V4H13")
            .equations(
                "y = input, while y = input and -falling <= input' <= rising\n\
                 y' = rising, while y < input, or y = input and input' > rising\n\
                 y' = -falling, while y > input, or y = input and input' < -falling\n\
                 y = input, at the start",
            )
            .absence("Absent when the input is absent.")
            .input(Input::one("input", "The signal, of any size.").continuous())
            .output(
                "output",
                "The limited signal. It is equal to the input, bit by bit, while the input is \
                 slow enough; it never jumps, and at a jump of the input it moves on from where \
                 it was. The times at which it leaves the input and meets it again are located.",
            )
            .parameter(
                Parameter::value("rising", "The greatest rate of increase, not negative [1/s].")
                    .default("1"),
            )
            .parameter(
                Parameter::value("falling", "The greatest rate of decrease, not negative [1/s].")
                    .default("1"),
            )
            .example(
                r#"superdense: 1
name: rate-limiter
blocks:
  u: {type: Sine, frequency: 0.25}
  y: {type: RateLimiter, input: u, rising: 1, falling: 0.5}
record: [u, y]
simulate: {stop: 8}"#,
            )
    }

    fn role(&self) -> Role {
        Role::Located
    }

    // The equations of one mode switch, each of which reads several before it: one list, and so
    // longer than a function should otherwise be.
    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.numeric_input("input")?;
        cx.refuse_impulses(&input, NONLINEAR);
        let ty = cx.graph.ty(input.value).with_elem(Elem::Real);
        let zero = cx.graph.filled(ty, 0.0);
        let rising = rate(cx, "rising", ty)?;
        let falling = rate(cx, "falling", ty)?;
        let falling = cx.graph.neg(falling);
        if cx.impulses().steps() {
            let falling = cx.graph.neg(falling);
            return point_by_point(cx, &input, rising, falling);
        }
        let begun = cx.state("begun", Value::new(Type::BOOL, vec![0.0]));
        // -1, 0 and 1 for falling, following the input, and rising.
        let modes = ty.with_elem(Elem::Int);
        let kept_mode = cx.state("mode", Value::new(modes, vec![0.0; ty.len()]));
        // The output at the last commit; it moves on by itself while the output does not follow.
        let kept = cx.state("output", Value::new(ty, vec![0.0; ty.len()]));
        let slope = cx.derivatives(input.value, 1)[0];
        let just_before = cx.previous(&input).value;
        let ticking = cx.ticking();
        let g = &mut cx.graph;
        let before = g.select(begun, kept, input.value);
        let [down, follow, up] = [-1.0, 0.0, 1.0].map(|mode| g.filled(modes, mode));

        // Where input and output are equal, the slope decides.
        let [too_fast, too_steep] = [(rising, true), (falling, false)].map(|(limit, up)| {
            let holds = if up { [false, false, true] } else { [true, false, false] };
            let side = g.frozen_sign(slope, limit);
            read_side(g, side, holds)
        });
        let by_slope = g.select(too_steep, down, follow);
        let by_slope = g.select(too_fast, up, by_slope);

        // On the way to the input, until they meet.
        let followed = g.binary(Binary::Equal, kept_mode, follow);
        let gap = g.sub(input.value, before);
        let gap = g.select(followed, zero, gap);
        let side = g.frozen_sign(gap, zero);
        let rises = g.binary(Binary::Equal, kept_mode, up);
        let [above, below] =
            [[false, false, true], [true, false, false]].map(|holds| read_side(g, side, holds));
        let falls = g.binary(Binary::Equal, kept_mode, down);
        let (goes_up, goes_down) = (g.and(rises, above), g.and(falls, below));
        let on_the_way = g.or(goes_up, goes_down);
        let undisturbed = g.select(on_the_way, kept_mode, by_slope);

        // After a jump, the side on which the input is now.
        let higher = g.binary(Binary::Less, before, input.value);
        let lower = g.binary(Binary::Less, input.value, before);
        let by_jump = g.select(lower, down, by_slope);
        let by_jump = g.select(higher, up, by_jump);
        let same = g.binary(Binary::Equal, input.value, just_before);
        let moved = g.not(same);
        let no = g.filled(ty.with_elem(Elem::Bool), 0.0);
        let jumps = g.select(ticking, moved, no);
        let mode = g.select(jumps, by_jump, undisturbed);

        // At a tick, the output is known without the slope, which may depend on the output: where the
        // slope decides, input and output are equal.
        let stays = g.not(jumps);
        let goes_along = g.and(followed, stays);
        let at_ticks = g.select(goes_along, input.value, before);
        let follows = g.binary(Binary::Equal, mode, follow);
        let between = g.select(follows, input.value, before);
        let value = g.select(ticking, at_ticks, between);
        let rises = g.binary(Binary::Equal, mode, up);
        let speed = g.select(rises, rising, falling);
        let speed = g.select(follows, zero, speed);
        let next = g.select(input.present, value, kept);
        let next_mode = g.select(input.present, mode, kept_mode);
        let now_begun = g.or(begun, input.present);
        cx.derivative(kept, speed);
        cx.next(kept, next);
        cx.next(kept_mode, next_mode);
        cx.next(begun, now_begun);
        let output = cx.event(value, input.present);
        cx.output("output", output);
        Ok(())
    }
}

/// In a fixed-step run, the output moves by no more than the limits times the length of the step.
fn point_by_point(
    cx: &mut Context,
    input: &Signal,
    rising: NodeId,
    falling: NodeId,
) -> Result<(), Diagnostic> {
    let ty = cx.graph.ty(input.value).with_elem(Elem::Real);
    let begun = cx.state("begun", Value::new(Type::BOOL, vec![0.0]));
    let kept = cx.state("output", Value::new(ty, vec![0.0; ty.len()]));
    let step = cx.step();
    let g = &mut cx.graph;
    let (up, down) = (g.mul(step, rising), g.mul(step, falling));
    let (highest, lowest) = (g.add(kept, up), g.sub(kept, down));
    let limited = extreme(g, false, input.value, highest);
    let limited = extreme(g, true, limited, lowest);
    let value = g.select(begun, limited, input.value);
    let next = g.select(input.present, value, kept);
    let now_begun = g.or(begun, input.present);
    cx.next(kept, next);
    cx.next(begun, now_begun);
    cx.remember(kept, Memory::Point);
    cx.remember(begun, Memory::Point);
    let output = cx.event(value, input.present);
    cx.output("output", output);
    Ok(())
}

/// A rate, one for all elements or one for each.
fn rate(cx: &mut Context, name: &str, ty: Type) -> Result<NodeId, Diagnostic> {
    let value = cx.initial(name, ty)?;
    let rate = cx.graph.value(&value);
    let zero = cx.graph.filled(ty, 0.0);
    let negative = cx.graph.binary(Binary::Less, rate, zero);
    refuse_parameters(cx, negative, &format!("`{name}` must not be negative"))?;
    Ok(rate)
}
