//! The time derivative of a signal, with impulses at its jumps.

use base::{Diagnostic, Elem, Type, Value};
use ir::{Binary, NodeId, Unary};

use super::continuous;
use crate::{Block, Context, Impulses, Info, Input, Signal};

/// The time derivative of a signal, with impulses at its jumps.
#[derive(Debug)]
pub struct Derivative;

impl Block for Derivative {
    fn info(&self) -> Info {
        continuous(
            "Derivative",
            "Outputs the time derivative of a signal, with an impulse at each jump.",
        )
            .aliases(["du/dt", "Der", "Differentiator"])
            .icon("M2 15L20 7M2 17C8 17 7 6 20 4.5")
            .equations("y = input', the exact derivative along the flow\na0(t, n) = input(t, n) - input(t, n-1), at n >= 1, and 0 if that is rounding\na_(i+1)(t, n) = a_i of the input\njump(t, n) = a0(t, n), if it is not 0")
            .absence("Absent when the input is absent. With the profile `ptolemy` it is the difference over the last step of the solver, and 0 at the start. `jump` is present only where the input jumps, and never in a fixed-step run.")
            .impulses("A jump of the input becomes an impulse of order 0 at the output; an impulse of order i becomes one of order i + 1.")
            .input(Input::one("input", "The signal.").continuous())
            .output("output", "The derivative.")
            .output("jump", "The jumps as events, whose values are the coefficients a0.")
            .example(
                r#"superdense: 1
name: derivative
blocks:
  u: {type: Step, time: 1}
  d: {type: Derivative, input: u}
  x: {type: Integrator, input: d}
record: [u, d, x]
simulate: {stop: 2}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.numeric_input("input")?;
        if cx.impulses() == Impulses::Symbolic && cx.follow_steps() {
            over_last_step(cx, &input);
            return Ok(());
        }
        if cx.impulses() == Impulses::Numeric {
            let value = cx.difference(input.value);
            let never = cx.graph.bool(false);
            let jump = cx.event(value, never);
            cx.output("output", Signal { value, present: input.present, impulses: Vec::new() });
            cx.output("jump", jump);
            return Ok(());
        }
        let left = cx.just_before(&input).value;
        let value = match cx.impulses() {
            Impulses::Stepped => {
                let before = cx.before(input.value);
                cx.slope(before, left)
            }
            _ => cx.derivatives(input.value, 1)[0],
        };
        let (ticking, ty) = (cx.ticking(), cx.graph.ty(value));
        let zero = cx.graph.filled(ty, 0.0);
        let change = change(cx, input.value, left);
        let jump = cx.graph.select(ticking, change, zero);
        // In a fixed-step run a jump is a slope.
        let jumps = match cx.impulses().steps() {
            true => cx.graph.bool(false),
            false => cx.nonzero(jump),
        };
        let present = cx.graph.and(input.present, jumps);
        let event = cx.event(jump, present);
        cx.output("jump", event);
        let impulses = std::iter::once(jump).chain(input.impulses.iter().copied()).collect();
        cx.output("output", Signal { value, present: input.present, impulses });
        Ok(())
    }
}

/// The derivative as in Ptolemy II: the difference over the last step of the solver, and 0 at the
/// start. At a microstep it stays, and a jump is an event.
fn over_last_step(cx: &mut Context, input: &Signal) {
    let ty = cx.graph.ty(input.value).with_elem(Elem::Real);
    let nothing = || Value::new(ty, vec![0.0; ty.len()]);
    let (last, slope) = (cx.state("last", nothing()), cx.state("slope", nothing()));
    let begun = cx.state("begun", Value::new(Type::BOOL, vec![0.0]));
    let time = cx.state("time", Value::real(0.0));
    let now = cx.now();
    let length = cx.graph.sub(now, time);
    let none = cx.graph.real(0.0);
    let moved = cx.graph.binary(Binary::Less, none, length);
    let one = cx.graph.real(1.0);
    let length = cx.graph.select(moved, length, one);
    let change = cx.graph.sub(input.value, last);
    let quotient = cx.graph.div(change, length);
    let measured = cx.graph.select(moved, quotient, slope);
    let zero = cx.graph.filled(ty, 0.0);
    let value = cx.graph.select(begun, measured, zero);
    cx.next(last, input.value);
    cx.next(slope, value);
    cx.next(time, now);
    let yes = cx.graph.bool(true);
    cx.next(begun, yes);
    let ticking = cx.ticking();
    let jump = cx.graph.select(ticking, change, zero);
    let jumps = cx.nonzero(jump);
    let present = cx.graph.and(input.present, jumps);
    let event = cx.event(jump, present);
    cx.output("jump", event);
    cx.output("output", Signal { value, present: input.present, impulses: Vec::new() });
}

/// The difference of two values, and 0 if that is rounding: a signal that is continuous by its
/// equations, such as a table at a breakpoint, may differ in the last places on both sides.
fn change(cx: &mut Context, value: NodeId, before: NodeId) -> NodeId {
    let g = &mut cx.graph;
    let ty = g.ty(value).with_elem(Elem::Real);
    let change = g.sub(value, before);
    let [size, size_before, distance] = [value, before, change].map(|value| {
        let sign = g.unary(Unary::Sign, value);
        g.mul(value, sign)
    });
    let size = g.add(size, size_before);
    let units = g.filled(ty, 2.0 * f64::EPSILON);
    let rounding = g.mul(units, size);
    let none = g.binary(Binary::LessEqual, distance, rounding);
    let zero = g.filled(ty, 0.0);
    g.select(none, zero, change)
}
