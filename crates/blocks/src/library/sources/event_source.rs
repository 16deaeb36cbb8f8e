//! Events in a pattern of times and values.

use std::sync::Arc;

use base::{Diagnostic, ExactTime, Rational, Shape, Time};
use ir::{NodeId, Unary};

use super::source;
use crate::{Block, Context, Info, Parameter, Pattern};

/// Events in a pattern of times and values.
#[derive(Debug)]
pub struct EventSource;

impl Block for EventSource {
    fn info(&self) -> Info {
        source("EventSource", "Emits events in a pattern of exact times and values, once or again and again.")
            .aliases(["DiscreteClock", "Sequence", "Pulse Generator", "Schedule", "TimedEvents", "Repeating Sequence", "From Workspace", "TableSource"])
            .icon("M2 17H20M4 17V9M8 17V5M12 17V12M17 17V7")
            .equations("y(t, 1) = values[j], at t = start + k period + offsets[j], k = 0, 1, 2, ...\nabsent otherwise")
            .absence("Present only at microstep 1 of its times.")
            .output("output", "The events.")
            .parameter(Parameter::times("offsets", "The times of the events in a cycle [s], in increasing order; from 0 up to, but not including, the period, if they are repeated.").default("[0]"))
            .parameter(Parameter::value("values", "The value of each event: a vector with as many elements as there are offsets, a matrix with as many rows for events that are vectors, or one number for all.").default("1"))
            .parameter(Parameter::word("repeat", "Whether the pattern is repeated.", ["forever", "once"]).default("forever"))
            .parameter(Parameter::time("period", "The time from one cycle to the next [s]; unused if the pattern comes once.").default("1"))
            .parameter(Parameter::time("start", "The time at which the first cycle begins [s].").default("0"))
            .parameter(Parameter::times("stop", "The time after which no events come [s]; by default there is none.").default("[]"))
            .parameter(Parameter::real("count", "The greatest number of events, a whole number; 0 for no limit.").default("0"))
            .example(
                r#"superdense: 1
name: event-source
blocks:
  beat: {type: EventSource, offsets: [0, 0.25, 0.5], values: [3, 1, 2], period: 1, stop: 2.3}
  once: {type: EventSource, offsets: [0.1, 0.7, 1.9], repeat: once}
record: [beat, once]
simulate: {stop: 3}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let offsets = cx.times("offsets");
        let wrong = |message: &str| Err(Diagnostic::error("bad-parameter", message));
        if offsets.is_empty() {
            return wrong("`offsets` needs at least one time");
        }
        let exact = |time: &Rational| ExactTime::from_rational(*time).map(ExactTime::time);
        let times: Option<Vec<Time>> = offsets.iter().map(exact).collect();
        let Some(times) = times else {
            return wrong("`offsets` is outside the range of model time");
        };
        if times.windows(2).any(|pair| pair[0] >= pair[1]) {
            return wrong("the times of `offsets` must rise");
        }
        let period = match cx.word("repeat") {
            "once" => None,
            _ => {
                let period = cx.period("period")?;
                let last = times[times.len() - 1];
                if times[0] < Time::ZERO || exact(&period).is_none_or(|period| last >= period) {
                    return wrong("`offsets` must be from 0 up to, but not including, the period");
                }
                Some(period)
            }
        };
        let count = cx.real("count");
        if !(count >= 0.0 && count.fract() == 0.0) {
            return wrong("`count` must be a whole number from 0 on");
        }
        let stop = match cx.times("stop")[..] {
            [] => None,
            [stop] => Some(stop),
            _ => return wrong("`stop` is one time"),
        };
        let length = offsets.len();
        let limit = if count == 0.0 { u64::MAX } else { count as u64 };
        let pattern = Pattern { start: cx.time("start"), period, offsets, stop, limit };
        let (woken, wakings) = cx.timer(Arc::new(pattern));
        let value = value(cx, wakings, length)?;
        let signal = cx.event(value, woken);
        cx.output("output", signal);
        Ok(())
    }
}

/// The value of the event that was woken last, of so many in a cycle.
fn value(cx: &mut Context, wakings: NodeId, length: usize) -> Result<NodeId, Diagnostic> {
    let values = cx.constant("values");
    let ty = cx.graph.ty(values);
    let (rows, width) = match ty.shape {
        Shape::Scalar => return Ok(values),
        Shape::Vector(rows) => (rows as usize, 1),
        Shape::Matrix(rows, columns) => (rows as usize, columns as usize),
    };
    if rows != length {
        let message = format!("there are {length} offsets and {rows} values");
        return Err(Diagnostic::error("size-mismatch", message)
            .help("give one value for each offset, or one number for all"));
    }
    let (one, cycle) = (cx.graph.real(1.0), cx.graph.real(length as f64));
    let events = cx.graph.sub(wakings, one);
    let cycles = cx.graph.div(events, cycle);
    let cycles = cx.graph.unary(Unary::Floor, cycles);
    let before = cx.graph.mul(cycle, cycles);
    let row = cx.graph.sub(events, before);
    // Before the first event there is none, and the value is not looked at.
    let zero = cx.graph.real(0.0);
    let early = cx.graph.binary(ir::Binary::Less, row, zero);
    let row = cx.graph.select(early, zero, row);
    if matches!(ty.shape, Shape::Vector(_)) {
        return Ok(cx.graph.index(values, row));
    }
    let flat = cx.graph.extract(values, 0, Shape::Vector((rows * width) as u32));
    Ok(cx.entry(flat, row, Shape::Vector(width as u32)))
}
