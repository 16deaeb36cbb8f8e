//! Events at exact, even times.

use std::sync::Arc;

use base::Diagnostic;

use crate::{Block, Context, Every, Info, Kind, Output, Parameter};

/// Events at exact, even times.
#[derive(Debug)]
pub struct Clock;

impl Block for Clock {
    fn info(&self) -> Info {
        Info {
            name: "Clock",
            shelf: "Sources",
            summary: "Emits events at exact, evenly spaced times.",
            equations: "y(t, 1) = value, at t = offset + k period, k = 0, 1, 2, ...\nabsent otherwise",
            absence: "Present only at microstep 1 of its times.",
            impulses: "Carries no impulses.",
            inputs: &[],
            outputs: &[Output { name: "output", about: "The events." }],
            parameters: &[
                Parameter {
                    name: "period",
                    about: "The time from one event to the next [s]; exact, so that clocks do not drift apart.",
                    kind: Kind::Time,
                    default: Some("1"),
                },
                Parameter {
                    name: "offset",
                    about: "The time of the first event [s].",
                    kind: Kind::Time,
                    default: Some("0"),
                },
                Parameter {
                    name: "value",
                    about: "The value of each event.",
                    kind: Kind::Value,
                    default: Some("1"),
                },
            ],
            example: r#"superdense: 1
name: clock
blocks:
  c: {type: Clock, period: 1/3}
  n: {type: Counter, increment: c}
record: [n]
simulate: {stop: 2}"#,
        }
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
