//! The microstep at which an event comes.

use base::Diagnostic;

use super::events;
use crate::{Block, Context, Info, Input};

/// The microstep at which an event comes.
#[derive(Debug)]
pub struct CurrentMicrostep;

impl Block for CurrentMicrostep {
    fn info(&self) -> Info {
        events("CurrentMicrostep", "Outputs the microstep at which an event comes.")
            .aliases(["CurrentMicrostep"])
            .equations("y(t, n) = n, if trigger(t, n) is present")
            .absence("Present when the trigger is.")
            .impulses("An impulse at the trigger is an error.")
            .input(Input::one("trigger", "The events.").discrete())
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
        let trigger = cx.input("trigger");
        cx.events_only(&trigger, "trigger");
        let microstep = cx.microstep();
        let signal = cx.event(microstep, trigger.present);
        cx.output("output", signal);
        Ok(())
    }
}
