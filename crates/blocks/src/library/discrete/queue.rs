//! A first-in, first-out queue of values.

use base::{Diagnostic, Shape, Type, Value};
use ir::{Binary, NodeId};

use super::discrete;
use crate::{Block, Context, Info, Input, Parameter, Signal};

/// The maximum number of elements of a queue: its memory is copied at every event.
const LARGEST: f64 = 1e6;

/// A first-in, first-out queue of values.
#[derive(Debug)]
pub struct Queue;

impl Block for Queue {
    fn info(&self) -> Info {
        discrete("Queue", "Stores values and releases them first in, first out.")
            .aliases(["FIFO", "FIFO Buffer", "Entity Queue"])
            .equations("put at (t, n), if input is present: its value joins the end of the queue\ntake at (t, n), if trigger is present and the queue is not empty: the first value leaves\noutput(t, n) = the value that leaves\nsize(t, n) = the number of values that remain\nAt the same microstep, the put comes before the take.")
            .absence("`output` is present when a value leaves; `size` is always present. A value put into an empty queue leaves at the same microstep if a trigger takes it. A put and a take at the same microstep lose nothing even if the queue is full.")
            .input(
                Input::one(
                    "input",
                    "Events whose values enter the queue: numbers, booleans, vectors or matrices.",
                )
                .discrete(),
            )
            .input(
                Input::one(
                    "trigger",
                    "Events that each take one value out; their own values are ignored.",
                )
                .discrete(),
            )
            .output("output", "Events with the values that leave the queue.")
            .output("size", "The number of values in the queue after this microstep.")
            .parameter(
                Parameter::real(
                    "capacity",
                    "The maximum number of values in the queue; an integer of at least 1.",
                )
                .default("100"),
            )
            .parameter(
                Parameter::word(
                    "full",
                    "What happens to a value that arrives when the queue is full: `error` ends the run, `drop` discards the value.",
                    ["error", "drop"],
                )
                .default("error"),
            )
            .parameter(
                Parameter::word(
                    "empty",
                    "What happens to a trigger that arrives when the queue is empty: `ignore` discards it; `wait` keeps it, and it takes a value as soon as one arrives. Any number of triggers can wait.",
                    ["ignore", "wait"],
                )
                .default("ignore"),
            )
            .example(
                r#"superdense: 1
name: queue
blocks:
  come: {type: Clock, period: 1}
  number: {type: Counter, increment: come}
  go: {type: Clock, period: 1.5, offset: 2}
  line: {type: Queue, input: number, trigger: go, capacity: 10}
record: [line, line.size]
simulate: {stop: 10}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let (input, trigger) = (cx.input("input"), cx.input("trigger"));
        cx.events_only(&input, "input");
        cx.events_only(&trigger, "trigger");
        let capacity = capacity(cx, &input)?;
        let count = cx.state("count", Value::real(0.0));
        let zero = cx.graph.real(0.0);
        let some = cx.graph.binary(Binary::Less, zero, count);
        let available = cx.graph.or(some, input.present);
        let taken = taken(cx, &trigger, &input, available);
        let put = put(cx, &input, count, taken, capacity);

        let first = store(cx, &input, put, count, capacity);
        let value = cx.graph.select(some, first, input.value);
        let output = cx.event(value, taken);
        cx.output("output", output);

        let one = cx.graph.real(1.0);
        let more = cx.graph.add(count, one);
        let grown = cx.graph.select(put, more, count);
        let less = cx.graph.sub(grown, one);
        let size = cx.graph.select(taken, less, grown);
        cx.next(count, size);
        let size = cx.always(size);
        cx.output("size", size);
        Ok(())
    }
}

/// The capacity, checked.
fn capacity(cx: &Context, input: &Signal) -> Result<usize, Diagnostic> {
    let capacity = cx.real("capacity");
    if !(capacity >= 1.0 && capacity.fract() == 0.0) {
        let message = "`capacity` must be a whole number from 1 on";
        return Err(Diagnostic::error("bad-parameter", message));
    }
    let elements = capacity * cx.graph.ty(input.value).len() as f64;
    if elements > LARGEST {
        let message = format!("a queue of {elements} numbers is too large");
        return Err(Diagnostic::error("bad-parameter", message)
            .note(format!("a queue holds at most {LARGEST} numbers")));
    }
    Ok(capacity as usize)
}

/// Whether a value is taken now: by a trigger, or by an earlier one that found the queue empty and
/// has waited since, for a value that arrives.
fn taken(cx: &mut Context, trigger: &Signal, input: &Signal, available: NodeId) -> NodeId {
    let now = cx.graph.and(trigger.present, available);
    if cx.word("empty") == "ignore" {
        return now;
    }
    let waiting = cx.state("waiting", Value::real(0.0));
    let (zero, one) = (cx.graph.real(0.0), cx.graph.real(1.0));
    let waits = cx.graph.binary(Binary::Less, zero, waiting);
    let more = cx.graph.add(waiting, one);
    let asked = cx.graph.select(trigger.present, more, waiting);
    let waited = cx.graph.and(waits, input.present);
    let served = cx.graph.or(now, waited);
    let fewer = cx.graph.sub(asked, one);
    let next = cx.graph.select(served, fewer, asked);
    cx.next(waiting, next);
    served
}

/// Whether the input is put in: if there is room, or if a value leaves at the same microstep.
fn put(cx: &mut Context, input: &Signal, count: NodeId, taken: NodeId, capacity: usize) -> NodeId {
    let most = cx.graph.real(capacity as f64);
    let room = cx.graph.binary(Binary::Less, count, most);
    let room = cx.graph.or(room, taken);
    if cx.word("full") == "error" {
        let crowded = cx.graph.not(room);
        let lost = cx.graph.and(input.present, crowded);
        let reason = format!("a value comes and the queue is full, with {capacity} values");
        cx.refuse_where(lost, reason);
    }
    cx.graph.and(input.present, room)
}

/// Stores the values, the newest at the front, so that a put moves all of them by one place and a
/// take moves none. Returns the oldest, at index `count - 1`.
fn store(cx: &mut Context, input: &Signal, put: NodeId, count: NodeId, capacity: usize) -> NodeId {
    let ty = cx.graph.ty(input.value);
    let (width, length) = (ty.len(), ty.len() * capacity);
    let line = Type { elem: ty.elem, shape: Shape::Vector(length as u32) };
    let values = cx.state("values", Value::new(line, vec![0.0; length]));
    let mut parts = vec![input.value];
    if capacity > 1 {
        parts.push(cx.graph.extract(values, 0, Shape::Vector((length - width) as u32)));
    }
    let moved = cx.graph.stack(&parts, line.shape);
    let next = cx.graph.select(put, moved, values);
    cx.next(values, next);

    let (zero, one) = (cx.graph.real(0.0), cx.graph.real(1.0));
    let last = cx.graph.sub(count, one);
    let empty = cx.graph.binary(Binary::LessEqual, count, zero);
    let last = cx.graph.select(empty, zero, last);
    cx.entry(values, last, ty.shape)
}
