//! A signal delayed by a time, which may vary.

use std::collections::BTreeMap;

use base::{Diagnostic, Elem, Type};
use ir::{Binary, NodeId, Unary};

use super::continuous;
use crate::{Block, Context, Info, Input, Parameter, Setting, Signal};

/// A signal delayed by a time, which may vary.
#[derive(Debug)]
pub struct TransportDelay;

/// By how much of its maximum a delay may differ at two microsteps of one instant and still count
/// as continuous: rounding is far below that.
const NO_JUMP: f64 = 1e-9;

impl Block for TransportDelay {
    fn info(&self) -> Info {
        continuous("TransportDelay", "Delays a signal by a time that is constant or varies.")
            .aliases(["Transport Delay", "Variable Transport Delay", "Variable Time Delay", "VariableDelay", "FixedDelay", "PadeDelay", "dead time", "dde"])
            .equations("y(t, n) = input(t - delay, n), if the delay is a constant\ny(t) = input(t - delay(t)), if it is a signal\ny(t) = initial, before what is read has reached the start")
            .absence("Absent if the input was absent one delay earlier. Events are delayed; if the delay is a constant they keep their microstep, otherwise they come at microstep 1 of the instant at which t - delay(t) passes their time. Breaks a causality loop, except from `delay` to the output.")
            .impulses("If the delay is a constant, every coefficient is delayed and keeps its microstep. If it is a signal, an impulse of order 0 is divided by |1 - delay'| when t - delay(t) passes it; a derivative of an impulse is an error there, and so is an impulse while delay' = 1.")
            .input(Input::one("input", "The signal, continuous or an event signal."))
            .input(
                Input::optional(
                    "delay",
                    "The delay [s], if it is not a constant: continuous, between 0 and `maximum_delay`. It may grow faster than time; what is read then goes backward, and everything comes again in reverse.",
                )
                .continuous(),
            )
            .output("output", "The delayed signal; a jump at time s appears at exactly s + delay, or when t - delay(t) passes s.")
            .parameter(
                Parameter::time(
                    "delay",
                    "The delay [s], if it is a constant; positive. Solver steps are never longer than the delay.",
                )
                .default("1"),
            )
            .parameter(
                Parameter::time(
                    "maximum_delay",
                    "The largest delay [s], if the delay is a signal: so much of the past is kept.",
                )
                .default("0"),
            )
            .parameter(
                Parameter::value(
                    "initial",
                    "The output before start + delay; not used for event signals, which are absent until then.",
                )
                .default("0"),
            )
            .example(
                r#"superdense: 1
name: transport-delay
blocks:
  x: {type: Integrator, input: -y, initial: 1}
  y: {type: TransportDelay, input: x, delay: 1, initial: 1}
  s: {type: Sine, frequency: 0.5}
  z: {type: TransportDelay, input: s, delay: 1 + 0.5 * sin(time), maximum_delay: 1.5}
record: [x, y, z]
simulate: {stop: 10}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.input("input");
        let initial = cx.initial("initial", cx.graph.ty(input.value))?;
        let signal = match cx.optional("delay") {
            None => {
                cx.period("delay")?;
                let delay = cx.instant("delay")?;
                cx.delayed("input", delay, initial)
            }
            Some(delay) => {
                cx.scalar(&delay, "delay")?;
                cx.numeric(&delay, "delay")?;
                let needed = "a delay that is a signal needs `maximum_delay`, its largest value: so much of the past is kept";
                cx.period("maximum_delay").map_err(|refused| refused.help(needed))?;
                let maximum = cx.instant("maximum_delay")?;
                check_delay(cx, &delay, maximum.seconds());
                let mut signal = cx.delayed_by_signal("input", "delay", maximum, initial);
                pass_impulses(cx, &mut signal);
                signal
            }
        };
        cx.output("output", signal);
        Ok(())
    }

    fn promise(&self, settings: &BTreeMap<String, Setting>) -> Option<Type> {
        match settings.get("initial") {
            Some(Setting::Value(value)) if value.ty().elem == Elem::Bool => Some(value.ty()),
            Some(Setting::Value(value)) => Some(value.ty().with_elem(Elem::Real)),
            _ => None,
        }
    }
}

/// A delay is never negative nor above its maximum, which is located between events, and does not
/// jump.
fn check_delay(cx: &mut Context, delay: &Signal, longest: f64) {
    cx.refuse_impulses(delay, "an impulse reaches `delay`");
    let (zero, maximum) = (cx.graph.real(0.0), cx.graph.real(longest));
    let sides = [
        (cx.graph.frozen_sign(delay.value, zero), "the delay is negative"),
        (cx.graph.frozen_sign(maximum, delay.value), "the delay is above `maximum_delay`"),
    ];
    for (side, reason) in sides {
        let outside = cx.graph.binary(Binary::Less, side, zero);
        cx.locate(outside);
        cx.refuse_where(outside, reason);
    }
    let before = cx.left(delay);
    let change = cx.graph.sub(delay.value, before.value);
    let change = magnitude(cx, change);
    let least = cx.graph.real(NO_JUMP * longest);
    let jumps = cx.graph.binary(Binary::Less, least, change);
    cx.refuse_where(jumps, "the delay jumps; what is between would have to come at one instant");
}

/// The absolute value of a number at a tick, by comparison.
fn magnitude(cx: &mut Context, x: NodeId) -> NodeId {
    let zero = cx.graph.real(0.0);
    let negative = cx.graph.binary(Binary::Less, x, zero);
    let opposite = cx.graph.unary(Unary::Neg, x);
    cx.graph.select(negative, opposite, x)
}

/// The impulses of the input as what is read passes them: delta(t - delay(t) - s) is an impulse of
/// weight 1 / |1 - delay'|.
fn pass_impulses(cx: &mut Context, signal: &mut Signal) {
    let Some(first) = signal.impulses.first().copied() else { return };
    for impulse in signal.impulses.split_off(1) {
        let any = cx.nonzero(impulse);
        cx.refuse_where(any, "the derivative of an impulse reaches a delay that varies");
    }
    let pace = cx.pace("delay");
    let pace = magnitude(cx, pace);
    let zero = cx.graph.real(0.0);
    let rests = cx.graph.binary(Binary::Equal, pace, zero);
    let any = cx.nonzero(first);
    let undefined = cx.graph.and(any, rests);
    cx.refuse_where(undefined, "an impulse passes while the delay grows exactly as fast as time");
    let shape = cx.graph.ty(first).shape;
    let pace = cx.graph.splat(pace, shape);
    let passed = cx.graph.div(first, pace);
    let none = cx.graph.filled(cx.graph.ty(passed), 0.0);
    let any = cx.graph.splat(any, shape);
    signal.impulses[0] = cx.graph.select(any, passed, none);
}
