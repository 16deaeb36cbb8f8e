//! Merges the events of several signals.

use base::{Diagnostic, Elem, Shape, Type, Value};
use ir::Binary;

use super::discrete;
use crate::{Block, Context, Info, Input, Parameter, Signal};

/// Merges the events of several signals.
#[derive(Debug)]
pub struct Merge;

impl Block for Merge {
    fn info(&self) -> Info {
        discrete("Merge", "Merges the events of several signals into one signal.")
            .icon("M2 4H7L12 10H20M2 16H7L12 10")
            .aliases(["Default", "mux of events", "Entity Input Switch", "TimedMerge"])
            .equations("y = the first input in the list that is present, with `simultaneous: first`\ny = all of them at successive microsteps, in the order of the list, with `simultaneous: all`")
            .absence("Absent when all inputs are absent.")
            .input(Input::many(
                "inputs",
                "The signals.",
            ))
            .output("output", "The merged events.")
            .parameter(
                Parameter::word(
                    "simultaneous",
                    "What happens to signals that are present at the same tag: `first` takes the first in the list; `all` takes every one, the others at the following microsteps of the same time, first come, first served.",
                    ["first", "all"],
                )
                .default("first"),
            )
            .parameter(Parameter::real("capacity", "How many events can wait for their microstep, with `simultaneous: all`.").default("64"))
            .example(
                r#"superdense: 1
name: merge
blocks:
  a: {type: Clock, period: 0.3}
  b: {type: Clock, period: 0.5, value: 2}
  m: {type: Merge, inputs: [a, b]}
record: [m]
simulate: {stop: 2}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let inputs = cx.inputs("inputs");
        same_types(cx, &inputs)?;
        if cx.word("simultaneous") == "all" {
            return all(cx, &inputs);
        }
        let mut merged: Signal = inputs[inputs.len() - 1].clone();
        for input in inputs.iter().rev() {
            cx.refuse_impulses(input, "an impulse cannot be merged");
            let value = cx.graph.select(input.present, input.value, merged.value);
            let present = cx.graph.or(input.present, merged.present);
            merged = cx.event(value, present);
        }
        cx.output("output", merged);
        Ok(())
    }
}

/// Events that are merged have one type: which of them is present decides nothing about sizes.
fn same_types(cx: &Context, inputs: &[Signal]) -> Result<(), Diagnostic> {
    let first = cx.graph.ty(inputs[0].value);
    for input in inputs {
        let own = cx.graph.ty(input.value);
        let truths = (first.elem == Elem::Bool) != (own.elem == Elem::Bool);
        if first.shape != own.shape || truths {
            let message = format!(
                "{} and {} cannot be merged into one signal",
                first.with_article(),
                own.with_article()
            );
            let code = if truths { "type-mismatch" } else { "size-mismatch" };
            return Err(Diagnostic::error(code, message));
        }
    }
    Ok(())
}

/// The most numbers that can wait.
const LARGEST: f64 = 1e6;

/// Every event at a microstep of its own: those that come are stored, the newest at the front, and
/// at each microstep the oldest one leaves.
fn all(cx: &mut Context, inputs: &[Signal]) -> Result<(), Diagnostic> {
    let capacity = cx.real("capacity");
    let ty = cx.graph.ty(inputs[0].value);
    let length = capacity * ty.len() as f64;
    if !(capacity >= 1.0 && capacity.fract() == 0.0 && length <= LARGEST) {
        let message =
            format!("`capacity` must be a whole number from 1 on, for up to {LARGEST} numbers");
        return Err(Diagnostic::error("bad-parameter", message));
    }
    let (length, width) = (length as usize, ty.len());
    let line = Type { elem: ty.elem, shape: Shape::Vector(length as u32) };
    let store = cx.state("values", Value::new(line, vec![0.0; length]));
    let waiting = cx.state("count", Value::real(0.0));
    let (zero, one) = (cx.graph.real(0.0), cx.graph.real(1.0));
    let (mut values, mut count) = (store, waiting);
    for input in inputs {
        cx.refuse_impulses(input, "an impulse cannot be merged");
        let value = cx.graph.splat(input.value, ty.shape);
        let mut parts = vec![value];
        if length > width {
            parts.push(cx.graph.extract(values, 0, Shape::Vector((length - width) as u32)));
        }
        let moved = cx.graph.stack(&parts, line.shape);
        values = cx.graph.select(input.present, moved, values);
        let more = cx.graph.add(count, one);
        count = cx.graph.select(input.present, more, count);
    }
    let most = cx.graph.real(capacity);
    let crowded = cx.graph.binary(Binary::Less, most, count);
    cx.refuse_where(crowded, format!("more than {capacity} events wait for their microstep"));
    let ticking = cx.ticking();
    let some = cx.graph.binary(Binary::Less, zero, count);
    let leaves = cx.graph.and(ticking, some);
    let last = cx.graph.sub(count, one);
    let last = cx.graph.select(some, last, zero);
    let last = cx.graph.select(crowded, zero, last);
    let value = cx.entry(values, last, ty.shape);
    let rest = cx.graph.select(leaves, last, count);
    cx.next(store, values);
    cx.next(waiting, rest);
    let signal = cx.event(value, leaves);
    cx.output("output", signal);
    Ok(())
}
