//! The value of the last event, held.

use std::collections::BTreeMap;

use base::{Diagnostic, Type};

use super::discrete;
use crate::{Block, Context, Info, Input, Parameter, Setting};

/// The value of the last event, held.
#[derive(Debug)]
pub struct ZeroOrderHold;

impl Block for ZeroOrderHold {
    fn info(&self) -> Info {
        discrete("ZeroOrderHold", "Holds the value of the last event.")
            .aliases(["Zero-Order Hold", "ZOH", "Hold", "DAC"])
            .icon("M2 15H7V10H12V5H17V8H21")
            .equations("y(t, n) = input(t, n), if it is present\ny(t, n) = the value of the last event, otherwise")
            .absence("Always present; equal to `initial` before the first event.")
            .impulses("An impulse at the input is an error.")
            .input(Input::one("input", "The events.").discrete())
            .output("output", "The held value.")
            .parameter(
                Parameter::value("initial", "The value before the first event.").default("0"),
            )
            .example(
                r#"superdense: 1
name: zero-order-hold
blocks:
  s: {type: Sine}
  c: {type: Clock, period: 0.1}
  e: {type: Sample, input: s, trigger: c}
  h: {type: ZeroOrderHold, input: e}
record: [s, h]
simulate: {stop: 1}"#,
            )
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let input = cx.input("input");
        cx.refuse_impulses(&input, "an impulse cannot be held");
        let ty = cx.graph.ty(input.value);
        let initial = cx.initial("initial", ty)?;
        let state = cx.state("held", initial);
        let value = cx.graph.select(input.present, input.value, state);
        cx.next(state, value);
        let signal = cx.always(value);
        cx.output("output", signal);
        Ok(())
    }

    fn promise(&self, settings: &BTreeMap<String, Setting>) -> Option<Type> {
        match settings.get("initial") {
            Some(Setting::Value(value)) => Some(value.ty()),
            _ => None,
        }
    }
}
