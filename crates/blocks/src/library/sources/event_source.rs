//! Events in a pattern of times and values.

use std::sync::Arc;

use base::Diagnostic;

use super::cycle::Cycle;
use super::source;
use crate::{Block, Context, Info, Parameter, Pattern};

/// Events in a pattern of times and values.
#[derive(Debug)]
pub struct EventSource;

impl Block for EventSource {
    fn info(&self) -> Info {
        source("EventSource", "Emits events in a pattern of exact times and values, once or again and again.")
            .aliases([
                "DiscreteClock",
                "Sequence",
                "Pulse Generator",
                "Schedule",
                "TimedEvents",
                "TableSource",
                "BooleanTable",
                "Entity Generator",
                "TriggeredClock",
            ])
            .icon("M2 17H20M4 17V9M8 17V5M12 17V12M17 17V7")
            .equations("y(t, 1) = values[j], at t = start + k period + offsets[j], k = 0, 1, 2, ...\nabsent otherwise")
            .absence("Present only at microstep 1 of its times.")
            .output("output", "The events.")
            .parameter(Parameter::times("offsets", "The times of the events in a cycle [s], in increasing order; from 0 up to, but not including, the period, if they are repeated.").default("[0]"))
            .parameter(Parameter::value("values", "The value of each event: a vector with as many elements as there are offsets, a matrix with as many rows for events that are vectors, or one number for all.").default("1"))
            .parameter(Cycle::repeat())
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
        let cycle = Cycle::new(cx, "offsets")?;
        let wrong = |message: &str| Err(Diagnostic::error("bad-parameter", message));
        let count = cx.real("count");
        if !(count >= 0.0 && count.fract() == 0.0) {
            return wrong("`count` must be a whole number from 0 on");
        }
        let stop = match cx.times("stop")[..] {
            [] => None,
            [stop] => Some(stop),
            _ => return wrong("`stop` is one time"),
        };
        let limit = if count == 0.0 { u64::MAX } else { count as u64 };
        let (offsets, period) = (cycle.offsets.clone(), cycle.period);
        let pattern = Pattern { start: cx.time("start"), period, offsets, stop, limit };
        let (woken, wakings) = cx.timer(Arc::new(pattern));
        let value = match cx.open_value("values").ty().is_scalar() {
            true => cx.constant("values"),
            false => {
                let values = cycle.values(cx, "values", "offsets")?;
                let (_, row) = cycle.place(cx, wakings);
                values.get(cx, row)
            }
        };
        let signal = cx.event(value, woken);
        cx.output("output", signal);
        Ok(())
    }
}
