//! Events with delays of their own.

use base::Diagnostic;
use ir::Binary;

use super::events;
use crate::{Block, Context, Info, Input, Parameter, Pending};

/// Events with delays of their own.
#[derive(Debug)]
pub struct VariableEventDelay;

impl Block for VariableEventDelay {
    fn info(&self) -> Info {
        events("VariableEventDelay", "Delays each event by a time of its own.")
            .aliases(["TimeDelay", "Variable Time Delay", "Timer", "ResettableTimer", "NonInterruptibleTimer", "VariableDelay", "Entity Server"])
            .equations("y(t + delay(t, n), 1) = input(t, n), for delay > 0\ny(t, n + 1) = input(t, n), for delay = 0\nevents that come at the same tag come at successive microsteps, in the order in which they happened")
            .absence("Present only when an event comes. `delay` is read when an event happens and must be present then. Breaks a causality loop.")
            .impulses("An impulse at an input is an error.")
            .input(Input::one("input", "The events.").discrete())
            .input(Input::one("delay", "The delay of an event at its tag [s]; a number such as 0.1 is taken as the exact decimal."))
            .input(Input::optional("cancel", "Events that take back all events that are still to come. An event of `input` at the same tag counts after them.").discrete())
            .output("output", "The delayed events with their values.")
            .parameter(
                Parameter::word(
                    "pending",
                    "What an event does to those that are still to come: `keep` lets all come; `replace` takes them back, as a timer that is started again; `ignore` ignores the event itself while another is to come.",
                    ["keep", "replace", "ignore"],
                )
                .default("keep"),
            )
            .example(
                r#"superdense: 1
name: variable-event-delay
blocks:
  c: {type: Clock, period: 1}
  n: {type: Counter, increment: c}
  d: {type: VariableEventDelay, input: n, delay: 2.5 / n}
record: [n, d]
simulate: {stop: 6}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let (input, delay) = (cx.input("input"), cx.input("delay"));
        cx.events_only(&input, "input");
        cx.scalar(&delay, "delay")?;
        cx.numeric(&delay, "delay")?;
        cx.refuse_impulses(&delay, "an impulse reaches `delay`");
        let zero = cx.graph.real(0.0);
        let enough = cx.graph.binary(Binary::LessEqual, zero, delay.value);
        let wrong = cx.graph.not(enough);
        let wrong = cx.graph.and(input.present, wrong);
        cx.refuse_where(wrong, "the delay of an event is negative");
        let missing = cx.graph.not(delay.present);
        let missing = cx.graph.and(input.present, missing);
        cx.refuse_where(missing, "an event has no delay: `delay` is absent");
        let pending = match cx.word("pending") {
            "replace" => Pending::Replace,
            "ignore" => Pending::Ignore,
            _ => Pending::Keep,
        };
        if let Some(cancel) = cx.optional("cancel") {
            cx.events_only(&cancel, "cancel");
        }
        let mut signal = cx.variably_delayed("input", ["delay", "cancel"], pending);
        signal.impulses.clear();
        cx.output("output", signal);
        Ok(())
    }
}
