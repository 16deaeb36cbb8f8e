//! A switch with hysteresis.

use base::{Diagnostic, Elem, Shape};
use ir::Binary;

use super::{NONLINEAR, nonlinear, refuse_parameters};
use crate::{Block, Context, Info, Input, Parameter};

/// A switch with hysteresis.
#[derive(Debug)]
pub struct Relay;

impl Block for Relay {
    fn info(&self) -> Info {
        nonlinear(
            "Relay",
            "Switches on when a signal reaches one level, and off when it falls to a lower one.",
        )
        .aliases([
            "Hysteresis",
            "Schmitt Trigger",
            "Bang-Bang",
            "Thermostat",
            "OnOffController",
            "On-Off Controller",
        ])
        .icon("M2 16H8V4H20M14 4V16H2")
        .equations(
            "on(t, n) = true, if input >= on_level\n\
             on(t, n) = false, if input <= off_level\n\
             on(t, n) = on(t, n-1), otherwise\n\
             output = on_value if on, off_value if not",
        )
        .absence("Absent when the input is absent; the state is kept.")
        .input(Input::one("input", "The signal: continuous or an event signal, of any size."))
        .output("output", "One of the two values; the times at which it switches are located.")
        .parameter(
            Parameter::value("on_level", "The level at which the relay switches on.").default("1"),
        )
        .parameter(
            Parameter::value(
                "off_level",
                "The level at which the relay switches off, not above `on_level`.",
            )
            .default("0"),
        )
        .parameter(Parameter::value("on_value", "The output while the relay is on.").default("1"))
        .parameter(Parameter::value("off_value", "The output while the relay is off.").default("0"))
        .parameter(
            Parameter::value(
                "initial",
                "Whether the relay is on at the start if the signal is between the two levels.",
            )
            .default("false"),
        )
        .example(
            r#"superdense: 1
name: relay
blocks:
  room: {type: Integrator, input: heater - 0.5, initial: 20}
  heater: {type: Relay, input: -room, on_level: -19, off_level: -21}
record: [room, heater]
simulate: {stop: 20}"#,
        )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.numeric_input("input")?;
        cx.refuse_impulses(&input, NONLINEAR);
        let shape = cx.graph.ty(input.value).shape;
        let [upper, lower] = levels(cx, shape, ["on_level", "off_level"])?;
        let [on_value, off_value] = levels(cx, shape, ["on_value", "off_value"])?;
        let crossed = cx.graph.binary(Binary::Less, upper, lower);
        refuse_parameters(cx, crossed, "`off_level` must not be above `on_level`")?;
        let ty = cx.graph.ty(input.value).with_elem(Elem::Bool);
        let initial = cx.initial("initial", ty)?;
        let was_on = cx.state("on", initial);
        let [upper, lower] = [upper, lower].map(|level| cx.always(level));
        let high = cx.compare(&input, &upper, [false, true, true]).value;
        let low = cx.compare(&input, &lower, [true, true, false]).value;
        let g = &mut cx.graph;
        let not_low = g.not(low);
        let stays = g.and(was_on, not_low);
        let on = g.or(high, stays);
        let next = g.select(input.present, on, was_on);
        let value = g.select(on, on_value, off_value);
        cx.next(was_on, next);
        let output = cx.event(value, input.present);
        cx.output("output", output);
        Ok(())
    }
}

/// Two parameters that are numbers, each one for all elements or one for each.
fn levels(cx: &mut Context, shape: Shape, names: [&str; 2]) -> Result<[ir::NodeId; 2], Diagnostic> {
    let mut level = |name: &str| {
        let ty = cx.open_value(name).ty();
        let ty =
            base::Type { elem: if ty.elem == Elem::Bool { Elem::Real } else { ty.elem }, shape };
        let value = cx.initial(name, ty)?;
        Ok(cx.graph.value(&value))
    };
    Ok([level(names[0])?, level(names[1])?])
}
