//! Blocks with state that are called at events: the state is in the run, not in Python, so that a
//! run can be saved, forked and repeated.

use std::sync::Arc;

use superdense::{Context, Diagnostic, Every, Info, Input, NodeId, Parameter, Signal, Type, Value};

use crate::foreign::{Call, Kind, real, together};

const IMPULSE: &str = "an impulse cannot be sampled";

/// When a block is called and what it remembers.
#[derive(Debug)]
pub struct Sampling {
    /// States with their initial values.
    pub states: Vec<(String, Value)>,
    /// The default of its period \[s\]; without one it is called at events of an input `trigger`.
    pub period: Option<String>,
    /// The outputs before the first call, if they are held; otherwise they are events.
    pub hold: Option<Vec<Value>>,
}

impl Sampling {
    /// Adds what a block of this kind has besides.
    pub fn describe(&self, info: Info) -> Info {
        match &self.period {
            Some(period) => info
                .parameter(
                    Parameter::time("period", "The time between calls [s].")
                        .default(period.clone()),
                )
                .parameter(
                    Parameter::time("offset", "The time of the first call [s].").default("0"),
                ),
            None => {
                info.input(Input::one("trigger", "The events at which it is called.").discrete())
            }
        }
    }

    /// Outputs and states follow from a call where it is woken, and stay what they are otherwise.
    pub fn define(&self, kind: &Kind, cx: &mut Context) -> Result<(), Diagnostic> {
        let woken = self.woken(cx)?;
        let inputs: Vec<Signal> = kind.inputs.iter().map(|name| cx.input(name)).collect();
        for input in &inputs {
            cx.refuse_impulses(input, IMPULSE);
        }
        let mut args = vec![woken];
        let states: Vec<NodeId> =
            self.states.iter().map(|(name, value)| cx.state(name.clone(), value.clone())).collect();
        args.extend(&states);
        args.extend(inputs.iter().flat_map(|input| [input.value, input.present]));
        for (name, _) in &kind.parameters {
            let value = cx.constant(name);
            args.push(value);
        }
        let now = cx.now();
        args.push(now);
        let arguments: Vec<Type> = args.iter().map(|node| cx.graph.ty(*node)).collect();
        let outputs: Vec<Type> = kind.outputs.iter().map(|(_, shape)| real(shape)).collect();
        let kept = self.states.iter().map(|(_, value)| value.ty());
        let all: Vec<Type> = outputs.iter().copied().chain(kept).collect();
        let result = together(&all);
        let call = Call { functions: kind.functions.clone(), arguments, result, gated: true };
        let whole = cx.graph.call(Arc::new(call), &args, result);
        let mut offset = 0;
        let mut parts = Vec::new();
        for ty in &all {
            parts.push(cx.graph.extract(whole, offset, ty.shape));
            offset += ty.len();
        }
        for (state, next) in states.iter().zip(&parts[outputs.len()..]) {
            let next = cx.graph.select(woken, *next, *state);
            cx.next(*state, next);
        }
        for (index, (name, _)) in kind.outputs.iter().enumerate() {
            let signal = self.output(cx, index, name, parts[index], woken);
            cx.output(name, signal);
        }
        Ok(())
    }

    fn woken(&self, cx: &mut Context) -> Result<NodeId, Diagnostic> {
        if self.period.is_none() {
            let trigger = cx.input("trigger");
            cx.refuse_impulses(&trigger, IMPULSE);
            return Ok(trigger.present);
        }
        let timer = Every { offset: cx.time("offset"), period: cx.period("period")? };
        Ok(cx.timer(Arc::new(timer)).0)
    }

    fn output(
        &self,
        cx: &mut Context,
        index: usize,
        name: &str,
        value: NodeId,
        woken: NodeId,
    ) -> Signal {
        let Some(hold) = &self.hold else { return cx.event(value, woken) };
        let held = cx.state(format!("held {name}"), hold[index].clone());
        let value = cx.graph.select(woken, value, held);
        cx.next(held, value);
        cx.always(value)
    }
}
