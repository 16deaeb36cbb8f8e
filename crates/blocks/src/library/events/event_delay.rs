//! Events delayed by a constant time.

use base::{Diagnostic, Rational, Time, Value};

use super::events;
use super::microstep_delay::next_microstep;
use crate::{Block, Context, Info, Input, Parameter};

/// Events delayed by a constant time.
#[derive(Debug)]
pub struct EventDelay;

impl Block for EventDelay {
    fn info(&self) -> Info {
        events("EventDelay", "Delays events by a constant time.")
            .aliases(["TimeDelay", "TimedDelay", "Fixed Event Delay", "Entity Transport Delay"])
            .equations("y(t, n) = input(t - delay, n), for delay > 0\ny(t, n) = input(t, n-1), at n >= 1, for delay = 0")
            .absence("Present only if there was an event one delay earlier. An event keeps its microstep; with a delay of 0 it appears at the next microstep. Breaks a causality loop.")
            .impulses("An impulse at the input is an error. `TransportDelay` and `MicrostepDelay` delay impulses.")
            .input(Input::one("input", "The events.").discrete())
            .output("output", "The delayed events with their values.")
            .parameter(
                Parameter::time(
                    "delay",
                    "The delay [s]; 0 delays to the next microstep. It does not limit the solver's step size.",
                )
                .default("1"),
            )
            .example(
                r#"superdense: 1
name: event-delay
blocks:
  c: {type: Clock, period: 1}
  n: {type: Counter, increment: c}
  d: {type: EventDelay, input: n, delay: 0.3}
record: [n, d]
simulate: {stop: 3}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.input("input");
        cx.events_only(&input, "input");
        let delay = cx.instant("delay")?;
        let mut signal = if delay.time() > Time::ZERO {
            let ty = cx.graph.ty(input.value);
            cx.delayed_events("input", delay, Value::new(ty, vec![0.0; ty.len()]))
        } else if cx.time("delay") == Rational::from_integer(0) {
            next_microstep(cx, "input")
        } else {
            let message = "`delay` must be 0, or at least one attosecond";
            return Err(Diagnostic::error("bad-parameter", message));
        };
        signal.impulses.clear();
        cx.output("output", signal);
        Ok(())
    }
}
