//! A signal one microstep later.

use base::{Diagnostic, Value};
use ir::NodeId;

use super::events;
use crate::{Block, Context, Info, Input, Parameter, Signal};

/// A signal one microstep later.
#[derive(Debug)]
pub struct MicrostepDelay;

impl Block for MicrostepDelay {
    fn info(&self) -> Info {
        events("MicrostepDelay", "Delays a signal by one microstep.")
            .aliases(["Delta Delay", "Delta Cycle"])
            .icon("M4 17V7M4 4L2 7H6ZM16 17V7M16 4L14 7H18ZM7 14H13M11 12L13 14L11 16")
            .equations("y(t, n) = input(t, n-1), at n >= 1\ny(t, n) = input(t, n), at n = 0 and between events; absent there with `between: absent`")
            .absence("Absent if the input was absent one microstep earlier, so an event appears one microstep later. Breaks a causality loop at ticks.")
            .impulses("Moves every coefficient to the next microstep.")
            .input(Input::one(
                "input",
                "The signal: an event signal, or one that is also present between events.",
            ))
            .output("output", "The delayed signal.")
            .parameter(
                Parameter::word(
                    "between",
                    "What the output is at microstep 0 and between events: `input` passes the input on, `absent` makes the output an event signal.",
                    ["input", "absent"],
                )
                .default("input"),
            )
            .example(
                r#"superdense: 1
name: microstep-delay
blocks:
  c: {type: Clock, period: 1, offset: 0.5}
  d: {type: MicrostepDelay, input: 2 * c}
  hit: {type: ImpulseSource, times: [1]}
  late: {type: MicrostepDelay, input: hit}
  x: {type: Integrator, input: hit - late}
record: [c, d, x]
simulate: {stop: 2}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let mut signal = next_microstep(cx, "input");
        if cx.word("between") == "absent" {
            let ticking = cx.ticking();
            signal.present = cx.graph.and(ticking, signal.present);
        }
        cx.output("output", signal);
        Ok(())
    }
}

/// The only signal of an input, one microstep later.
pub(super) fn next_microstep(cx: &mut Context, name: &str) -> Signal {
    let input = cx.input(name);
    let mut signal = match cx.impulses().steps() {
        // In a fixed-step run a step takes the place of a microstep; a pending value requests one.
        true => {
            let (value, present) = (delayed(cx, input.value), delayed(cx, input.present));
            Signal { value, present, impulses: Vec::new() }
        }
        false => cx.previous(&input),
    };
    // An event in a loop is absent between events because nothing makes it present there.
    let (ticking, lasting) = (cx.ticking(), cx.lasting(name));
    let possible = cx.graph.or(ticking, lasting);
    signal.present = cx.graph.and(possible, signal.present);
    signal.impulses = input.impulses.iter().map(|impulse| delayed(cx, *impulse)).collect();
    signal
}

/// A value one microstep later; the memory of an impulse is empty between events.
fn delayed(cx: &mut Context, impulse: NodeId) -> NodeId {
    let ty = cx.graph.ty(impulse);
    let state = cx.state("delayed", Value::new(ty, vec![0.0; ty.len()]));
    cx.next(state, impulse);
    state
}
