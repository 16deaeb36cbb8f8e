//! The end of a run by an event.

use base::Diagnostic;

use super::events;
use crate::{Block, Context, Info, Input, Role};

/// The end of a run by an event.
#[derive(Debug)]
pub struct Stop;

impl Block for Stop {
    fn info(&self) -> Info {
        events("Stop", "Ends the run at an event.")
            .aliases([
                "Stop Simulation",
                "terminate",
                "StopTime",
                "Assertion",
                "Terminate",
                "TerminateSimulation",
                "Assert",
            ])
            .icon("M8 3H14L18 7V13L14 17H8L4 13V7ZM8 10H14")
            .equations("the run ends at the end of the first instant at which an event comes")
            .absence("Without an event the run goes on.")
            .impulses("An impulse at the input is an error.")
            .input(Input::one("input", "The events.").discrete())
            .output("output", "The events, for the record.")
            .example(
                r#"superdense: 1
name: stop
blocks:
  v: {type: Integrator, input: -9.81}
  y: {type: Integrator, input: v, initial: 10}
  floor: {type: LevelCrossing, input: y, direction: falling}
  end: {type: Stop, input: floor}
record: [y, end]
simulate: {stop: 100}"#,
            )
    }

    fn role(&self) -> Role {
        Role::Ends
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.input("input");
        cx.events_only(&input, "input");
        cx.end_where(input.present);
        let signal = cx.event(input.value, input.present);
        cx.output("output", signal);
        Ok(())
    }
}
