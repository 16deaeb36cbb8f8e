//! Events at exact, evenly spaced times.

use std::sync::Arc;

use base::Diagnostic;

use super::source;
use crate::{Block, Context, Every, Info, Parameter, Role};

/// Events at exact, evenly spaced times.
#[derive(Debug)]
pub struct Clock;

impl Block for Clock {
    fn info(&self) -> Info {
        source("Clock", "Emits events at exact, evenly spaced times.")
            .aliases(["Periodic Events", "SampleTrigger", "Function-Call Generator", "Metronome"])
            .icon("M11 2A8 8 0 1 0 11.1 2ZM11 6V10L14 12")
            .equations(
                "y(t, 1) = value, at t = offset + k period, k = 0, 1, 2, ...\nabsent otherwise",
            )
            .absence("Present only at microstep 1 of its times.")
            .output("output", "The events.")
            .parameter(
                Parameter::time(
                    "period",
                    "The time from one event to the next [s]; exact, so that clocks do not drift apart.",
                )
                .default("1"),
            )
            .parameter(Parameter::time("offset", "The time of the first event [s].").default("0"))
            .parameter(Parameter::value("value", "The value of each event.").default("1"))
            .example(
                r#"superdense: 1
name: clock
blocks:
  c: {type: Clock, period: 1/3}
  n: {type: Counter, increment: c}
record: [n]
simulate: {stop: 2}"#,
            )
    }

    fn role(&self) -> Role {
        Role::Clock
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let timer = Every { offset: cx.time("offset"), period: cx.period("period")? };
        let (woken, _) = cx.timer(Arc::new(timer));
        let value = cx.constant("value");
        let signal = cx.event(value, woken);
        cx.output("output", signal);
        Ok(())
    }
}
