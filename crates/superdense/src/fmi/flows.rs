//! FMUs for Model Exchange as blocks.
//!
//! The continuous states are states of the block, and their rates, the event indicators and the
//! outputs are functions of time, states and inputs that the instance computes ([`Look`]). What is
//! discrete in the instance is not seen: it only changes in event iterations ([`Update`]), whose
//! number stands for it among the arguments, so that the functions are pure.
//!
//! An iteration happens at a microstep, before the outputs of that microstep are computed, with the
//! inputs of the microstep before: what the standard has at (t, 0) of an event are our left limits.
//! The block runs one where an indicator has changed its sign between events, where its time event
//! is due, where an input has changed at the microstep before, and where the instance has asked for
//! another one. Before the first, at the start, the instance is in initialisation mode.

use std::sync::Arc;

use ::fmi::import::{self, Port};
use ::fmi::{Description, Kind, Unknown};
use base::{Diagnostic, Shape, Type, Value};
use blocks::Context;
use ir::{Binary, NodeId};

use super::block::{FmuBlock, Named, output, parameters};
use super::inputs::{Held, hand_over, inputs, known};
use super::instances::Usage;

mod calls;

use calls::{Complete, Look, Update};

/// Defines the functions of a block.
pub(super) fn define(block: &FmuBlock, cx: &mut Context) -> Result<(), Diagnostic> {
    let inputs = inputs(block, cx)?;
    let (given, values) = parameters(block, cx)?;
    let ports = inputs.iter().map(|own| own.port.clone()).collect();
    let mut usage = block.usage(cx, Kind::ModelExchange, ports, given)?;
    let description = block.instances.description();
    let structure = &description.structure;
    usage.states = length(description, &structure.derivatives);
    usage.indicators = match structure.indicators.is_empty() {
        true => description.indicators,
        false => length(description, &structure.indicators),
    };
    usage.directional = directional(block, description);
    let groups = groups(block, &usage.inputs);
    usage.looks = groups.iter().map(|group| group.look.clone()).collect();
    let usage = Arc::new(usage);
    let mut flow = Flow::new(block, cx, usage, inputs, values);
    flow.define(cx);
    flow.outputs(block, cx, &groups);
    Ok(())
}

/// How many elements some unknowns have.
fn length(description: &Description, unknowns: &[Unknown]) -> usize {
    let of = |own: &Unknown| {
        let mut all = description.variables.iter();
        all.find(|variable| variable.reference == own.reference).map_or(1, |own| own.len())
    };
    unknowns.iter().map(of).sum()
}

/// The references of states and of their rates, if the instance gives directional derivatives.
fn directional(block: &FmuBlock, description: &Description) -> Option<(Vec<u32>, Vec<u32>)> {
    if !block.abilities(Kind::ModelExchange).directional {
        return None;
    }
    let rates: Vec<u32> =
        description.structure.derivatives.iter().map(|own| own.reference).collect();
    let state = |rate: &u32| {
        let mut all = description.variables.iter().filter(|own| own.reference == *rate);
        all.find_map(|own| own.derivative_of)
    };
    Some((rates.iter().map(state).collect::<Option<Vec<u32>>>()?, rates))
}

/// The magnitudes of the states, each rounded to a power of two, so that what is divided by it keeps its
/// bits.
fn magnitudes(description: &Description) -> Vec<f64> {
    let variable = |reference: u32| {
        description.variables.iter().find(move |variable| variable.reference == reference)
    };
    let of = |own: &Unknown| {
        let rate = variable(own.reference);
        let state = rate.and_then(|rate| variable(rate.derivative_of?));
        let nominal = state.and_then(|state| state.nominal).map_or(1.0, f64::abs);
        let power = if nominal > 0.0 { nominal.log2().round().clamp(-512.0, 512.0) } else { 0.0 };
        vec![2f64.powi(power as i32); rate.map_or(1, |rate| rate.len())]
    };
    description.structure.derivatives.iter().flat_map(of).collect()
}

/// Outputs that depend on the same inputs.
struct Group {
    look: import::Look,
    /// Whether they are constant between events.
    discrete: bool,
}

/// The indices of looks: the rates, the indicators, and the first of those at outputs.
const RATES: usize = 0;
const INDICATORS: usize = 1;
const OUTPUTS: usize = 2;

/// Everything that is computed at points: the rates and indicators first, then outputs by what they
/// depend on according to the description.
fn groups(block: &FmuBlock, inputs: &[Port]) -> Vec<Group> {
    let all: Vec<usize> = (0..inputs.len()).collect();
    let look = import::Look { inputs: all.clone(), ..import::Look::default() };
    let rates = import::Look { rates: true, ..look.clone() };
    let indicators = import::Look { indicators: true, ..look.clone() };
    let mut groups: Vec<Group> =
        [rates, indicators].map(|look| Group { look, discrete: false }).into();
    let listed = &block.instances.description().structure.outputs;
    for (index, one) in block.variables.outputs.iter().enumerate() {
        let own = listed.iter().find(|own| own.reference == one.variable.reference);
        let known = own.and_then(|own| own.dependencies.as_ref());
        let reads =
            |input: &&usize| known.is_none_or(|known| known.contains(&inputs[**input].reference));
        let from: Vec<usize> = all.iter().filter(reads).copied().collect();
        let discrete = !one.is_continuous();
        let same = |group: &&mut Group| group.look.inputs == from && group.discrete == discrete;
        match groups.iter_mut().skip(OUTPUTS).find(same) {
            Some(group) => group.look.outputs.push(index),
            None => {
                let look =
                    import::Look { inputs: from, outputs: vec![index], ..import::Look::default() };
                groups.push(Group { look, discrete });
            }
        }
    }
    groups
}

/// The nodes that the functions of a block have in common.
struct Flow {
    usage: Arc<Usage>,
    instance: NodeId,
    /// The states as they flow: relative to their magnitudes, so that the absolute tolerance of the run
    /// is relative to them.
    flowing: NodeId,
    /// The magnitudes, unless all are 1.
    magnitudes: Option<NodeId>,
    /// How many event iterations there were, and the states; after [`Flow::define`], those that this
    /// microstep leaves.
    updates: NodeId,
    states: NodeId,
    now: NodeId,
    ticking: NodeId,
    inputs: Vec<Held>,
    /// The values of parameters.
    values: Vec<NodeId>,
}

impl Flow {
    fn new(
        block: &FmuBlock,
        cx: &mut Context,
        usage: Arc<Usage>,
        inputs: Vec<Held>,
        values: Vec<NodeId>,
    ) -> Flow {
        let instance = cx.instance(block.instances.clone());
        let updates = cx.state("updates", Value::real(0.0));
        let states = match usage.states {
            0 => cx.graph.real(0.0),
            count => cx.state("states", Value::new(Type::vector(count as u32), vec![0.0; count])),
        };
        let (now, ticking) = (cx.now(), cx.ticking());
        let sizes = magnitudes(block.instances.description());
        let scaled = sizes.iter().any(|own| *own != 1.0) && sizes.len() == usage.states;
        let ty = Type::vector(usage.states as u32);
        let magnitudes = scaled.then(|| cx.graph.constant(ty, &sizes));
        let flowing = states;
        let states = magnitudes.map_or(flowing, |sizes| cx.graph.mul(flowing, sizes));
        Flow { usage, instance, flowing, magnitudes, updates, states, now, ticking, inputs, values }
    }

    /// States or their rates relative to the magnitudes of the states.
    fn relative(&self, cx: &mut Context, own: NodeId) -> NodeId {
        self.magnitudes.map_or(own, |sizes| cx.graph.div(own, sizes))
    }

    /// Defines when event iterations happen, and what they leave: the number of iterations and the
    /// states that everything else is computed from.
    fn define(&mut self, cx: &mut Context) {
        let (alarm, woken) = cx.alarm("next event");
        let (_, stepped) = cx.alarm("completed step");
        let more = cx.state("more", Value::real(0.0));
        let goes_on = cx.nonzero(more);
        let zero = cx.graph.real(0.0);
        // The instance has received nothing before the first iteration.
        let none = cx.graph.binary(Binary::Equal, self.updates, zero);
        let begun = cx.graph.not(none);
        let (known, changed) = known(cx, &self.inputs);
        let changed = cx.graph.and(begun, changed);
        let mut busy = cx.graph.or(woken, goes_on);
        busy = cx.graph.or(busy, stepped);
        busy = cx.graph.or(busy, changed);
        let mut crossed = None;
        let mut signs = cx.graph.real(0.0);
        if self.usage.indicators > 0 {
            let ty = Type::vector(self.usage.indicators as u32);
            let change = cx.crossing(ty);
            // Changes of sides that an iteration causes are no events: the instance knows them.
            let always = cx.always(self.updates);
            let begun = cx.left(&always).value;
            let first = cx.graph.binary(Binary::Equal, begun, self.updates);
            let some = cx.nonzero(change);
            let some = cx.graph.and(first, some);
            busy = cx.graph.or(busy, some);
            let zero = cx.graph.filled(ty, 0.0);
            let changes = cx.graph.add(change, zero);
            signs = cx.graph.select(first, changes, zero);
            crossed = Some(change);
        }
        busy = cx.graph.and(self.ticking, busy);
        let is_late = cx.graph.binary(Binary::Less, self.now, alarm);
        let is_late = cx.graph.and(woken, is_late);
        let due = cx.graph.select(is_late, alarm, self.now);
        let mut args = vec![busy, self.instance, self.updates, self.now, self.states, due, signs];
        args.extend(&self.values);
        args.extend(self.inputs.iter().map(|own| own.before));
        let update = Update { usage: self.usage.clone() };
        let result = Type::vector((Update::STATES + self.usage.states) as u32);
        let whole = cx.graph.call(Arc::new(update), &args, result);
        self.take(cx, (busy, whole), (more, alarm));
        hand_over(cx, &self.inputs, &known, busy);
        self.look(cx, crossed, stepped);
    }

    /// Takes the result of an iteration.
    fn take(
        &mut self,
        cx: &mut Context,
        (busy, whole): (NodeId, NodeId),
        (more, alarm): (NodeId, NodeId),
    ) {
        let one = cx.graph.real(1.0);
        let at = |cx: &mut Context, index: usize| cx.graph.extract(whole, index, Shape::Scalar);
        let flag = |cx: &mut Context, index: usize| {
            let value = at(cx, index);
            let set = cx.graph.binary(Binary::Equal, value, one);
            cx.graph.and(busy, set)
        };
        let failed = flag(cx, Update::FAILED);
        cx.refuse_where(failed, "the FMU failed");
        let ended = flag(cx, Update::ENDED);
        cx.end_where(ended);
        for (state, index) in [(more, Update::MORE), (alarm, Update::NEXT)] {
            let new = at(cx, index);
            let next = cx.graph.select(busy, new, state);
            cx.next(state, next);
        }
        let count = at(cx, Update::COUNT);
        let updates = cx.graph.select(busy, count, self.updates);
        cx.next(self.updates, updates);
        self.updates = updates;
        if self.usage.states > 0 {
            let shape = Shape::Vector(self.usage.states as u32);
            let new = cx.graph.extract(whole, Update::STATES, shape);
            let relative = self.relative(cx, new);
            let next = cx.graph.select(busy, relative, self.flowing);
            cx.next(self.flowing, next);
            self.states = cx.graph.select(busy, new, self.states);
        }
    }

    /// Rates and indicators after the iteration of this microstep.
    fn look(&mut self, cx: &mut Context, crossed: Option<NodeId>, stepped: NodeId) {
        let Usage { states, indicators, completes, .. } = *self.usage;
        if states > 0 {
            let rates = self.called(cx, RATES, states);
            let rates = self.relative(cx, rates);
            cx.derivative(self.flowing, rates);
        }
        if let Some(crossed) = crossed {
            let values = self.called(cx, INDICATORS, indicators);
            cx.watch(crossed, values);
        }
        if completes {
            let mut args = self.arguments();
            args.extend(self.inputs.iter().map(|own| own.value));
            let function = Complete { usage: self.usage.clone() };
            let asks = cx.graph.call(Arc::new(function), &args, Type::REAL);
            cx.ask_at_steps(stepped, asks);
        }
    }

    /// The arguments that all functions have, and the values of parameters.
    fn arguments(&self) -> Vec<NodeId> {
        let mut args = vec![self.ticking, self.instance, self.updates, self.now, self.states];
        args.extend(&self.values);
        args
    }

    /// The values of a look after the iteration of this microstep.
    fn called(&self, cx: &mut Context, index: usize, length: usize) -> NodeId {
        let mut args = self.arguments();
        let look = &self.usage.looks[index];
        args.extend(look.inputs.iter().map(|input| self.inputs[*input].value));
        let function = Look { usage: self.usage.clone(), index };
        cx.graph.call(Arc::new(function), &args, Type::vector(length as u32))
    }

    fn outputs(&self, block: &FmuBlock, cx: &mut Context, groups: &[Group]) {
        for (index, group) in groups.iter().enumerate().skip(OUTPUTS) {
            let own: Vec<&Named> =
                group.look.outputs.iter().map(|own| &block.variables.outputs[*own]).collect();
            let whole = self.called(cx, index, own.iter().map(|one| one.ty().len()).sum());
            let mut offset = 0;
            for one in own {
                let ty = one.ty();
                let mut value = cx.graph.extract(whole, offset, ty.shape);
                offset += ty.len();
                if group.discrete {
                    let held = cx.state(format!("held {}", one.name), one.start());
                    value = cx.graph.select(self.ticking, value, held);
                    cx.next(held, value);
                }
                let signal = output(cx, value, ty);
                cx.output(&one.name, signal);
            }
        }
    }
}
