//! A state that grows at the rate of its input.

use std::collections::BTreeMap;

use base::{Diagnostic, Elem, Type};

use crate::{Block, Context, Info, Input, Parameter, Role, Setting, Signal};

/// A state that grows at the rate of its input.
#[derive(Debug)]
pub struct Integrator;

impl Block for Integrator {
    fn info(&self) -> Info {
        Info::new("Integrator", "Continuous", "A state that grows at the rate of its input.")
            .icon("M15 2.5C12.5 1 11.6 3 11.3 6L10.2 14.5C9.9 17.5 8.6 19 6.5 17.5")
            .equations("x' = input, between events\nx(t, n) = x(t, n-1) + impulse(t, n) + a0(t, n), at n >= 1\nx(t, n) = reset(t, n), where reset is present\noutput = x")
            .absence("An absent input counts as 0. Absent `impulse` and `reset` do nothing.")
            .impulses("The input's coefficient a0 is added to the state at once; the output's a_i is the input's a_(i+1). `reset` wins over `impulse` and over a0 of the same microstep. An impulse at `reset` or `impulse`, which take the values of events, is an error.")
            .input(Input::one("input", "The rate.").continuous())
            .input(
                Input::optional("impulse", "Events whose value is added to the state.").discrete(),
            )
            .input(Input::optional("reset", "Events whose value becomes the state.").discrete())
            .output("output", "The state.")
            .parameter(
                Parameter::value(
                    "initial",
                    "The state at the start; a vector makes a vector of states.",
                )
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
