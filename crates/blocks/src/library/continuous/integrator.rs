//! A state whose rate is the input.

use std::collections::BTreeMap;

use base::{Diagnostic, Elem, Type};

use super::continuous;
use crate::{Block, Context, Info, Input, Parameter, Role, Setting, Signal};

/// A state whose rate is the input.
#[derive(Debug)]
pub struct Integrator;

impl Block for Integrator {
    fn info(&self) -> Info {
        continuous(
            "Integrator",
            "Integrates a signal over time; events can add to the state or reset it.",
        )
            .aliases(["ResettableIntegrator", "Integrator with Reset", "Second-Order Integrator", "1/s"])
            .icon("M15 2.5C12.5 1 11.6 3 11.3 6L10.2 14.5C9.9 17.5 8.6 19 6.5 17.5")
            .equations("x' = input, between events\nx(t, n) = x(t, n-1) + impulse(t, n) + a0(t, n), at n >= 1\nx(t, n) = reset(t, n), if reset is present\noutput = x")
            .absence("An absent input counts as 0. When `impulse` or `reset` is absent, it has no effect.")
            .impulses("The coefficient a0 of the input is added to the state at the same microstep; a_i of the output is a_(i+1) of the input. `reset` overrides `impulse` and a0 at the same microstep. `reset` and `impulse` take the values of events; an impulse at either input is an error.")
            .input(Input::one("input", "The rate of change of the state.").continuous())
            .input(
                Input::optional("impulse", "Events whose values are added to the state.")
                    .discrete(),
            )
            .input(Input::optional("reset", "Events whose values replace the state.").discrete())
            .output("output", "The state.")
            .parameter(
                Parameter::value("initial", "The initial state; a vector makes the state a vector.")
                    .default("0"),
            )
            .example(
                r#"superdense: 1
name: integrator
blocks:
  x: {type: Integrator, input: -x, initial: 1, impulse: kick}
  kick: {type: Clock, period: 2, offset: 1}
record: [x]
simulate: {stop: 4}"#,
            )
    }

    fn role(&self) -> Role {
        Role::Integrator
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.input("input");
        let (impulse, reset) = (cx.optional("impulse"), cx.optional("reset"));
        cx.numeric(&input, "input")?;
        let ty = cx.graph.ty(input.value).with_elem(Elem::Real);
        let initial = cx.initial("initial", ty)?;
        let state = cx.state("state", initial);
        let zero = cx.graph.filled(ty, 0.0);
        let rate = cx.graph.select(input.present, input.value, zero);
        cx.derivative(state, rate);
        let mut value = state;
        if let Some(a0) = input.impulses.first() {
            value = cx.graph.add(value, *a0);
        }
        if let Some(impulse) = &impulse {
            cx.numeric(impulse, "impulse")?;
            cx.events_only(impulse, "impulse");
            cx.fits(impulse, &input, false)?;
            let pushed = cx.graph.add(value, impulse.value);
            value = cx.graph.select(impulse.present, pushed, value);
        }
        if let Some(reset) = &reset {
            cx.numeric(reset, "reset")?;
            cx.events_only(reset, "reset");
            cx.fits(reset, &input, false)?;
            value = cx.graph.select(reset.present, reset.value, value);
        }
        cx.next(state, value);
        let present = cx.graph.bool(true);
        let impulses = input.impulses.iter().skip(1).copied().collect();
        cx.output("output", Signal { value, present, impulses });
        Ok(())
    }

    fn promise(&self, settings: &BTreeMap<String, Setting>) -> Option<Type> {
        match settings.get("initial") {
            Some(Setting::Value(value)) => Some(value.ty().with_elem(Elem::Real)),
            _ => None,
        }
    }
}
