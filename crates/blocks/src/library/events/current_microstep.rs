//! The microstep at which an event comes.

use base::Diagnostic;

use super::events;
use crate::{Block, Context, Info, Input, Signal};

/// The microstep at which an event comes.
#[derive(Debug)]
pub struct CurrentMicrostep;

impl Block for CurrentMicrostep {
    fn info(&self) -> Info {
        events("CurrentMicrostep", "Outputs the microstep at which an event comes.")
            .aliases(["CurrentMicrostep"])
            .equations("y(t, n) = n, if trigger(t, n) is present\ny(t, n) = n at a tick, and 0 between events, if signal(t, n) is present")
            .absence("Present when the trigger or the signal is.")
            .impulses("An impulse at the trigger is an error.")
            .input(Input::optional("trigger", "The events.").discrete())
            .input(Input::optional("signal", "Instead of `trigger`, a signal that may also be present between events."))
            .output("output", "The microstep of each event.")
            .example(
                r#"superdense: 1
name: current-microstep
blocks:
  c: {type: Clock, period: 1}
  later: {type: MicrostepDelay, input: c}
  both: {type: Merge, inputs: [c, later]}
  n: {type: CurrentMicrostep, trigger: both}
record: [n]
simulate: {stop: 3}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let microstep = cx.microstep();
        let signal = match (cx.optional("trigger"), cx.optional("signal")) {
            (Some(trigger), None) => {
                cx.events_only(&trigger, "trigger");
                cx.event(microstep, trigger.present)
            }
            (None, Some(signal)) => {
                let (ticking, zero) = (cx.ticking(), cx.graph.real(0.0));
                let value = cx.graph.select(ticking, microstep, zero);
                Signal { value, present: signal.present, impulses: Vec::new() }
            }
            _ => {
                let message = "either `trigger` or `signal` is needed, and not both";
                return Err(Diagnostic::error("missing-input", message));
            }
        };
        cx.output("output", signal);
        Ok(())
    }
}
