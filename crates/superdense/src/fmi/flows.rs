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

use ::fmi::import::{self, Changed, Event, FmuError, Point, Port, Reply, Request};
use ::fmi::{Description, Kind, Unknown};
use base::{Diagnostic, Shape, Type, Value};
use blocks::Context;
use ir::{Binary, NodeId, Opaque};

use super::block::{FmuBlock, Named, output, parameters, real};
use super::instances::{Slot, Usage, Why, locked, same_bits};

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

/// An input that is connected.
struct Held {
    port: Port,
    /// Its value; an absent input keeps its last one.
    value: NodeId,
    /// Its value one microstep ago.
    before: NodeId,
}

fn inputs(block: &FmuBlock, cx: &mut Context) -> Result<Vec<Held>, Diagnostic> {
    let mut found = Vec::new();
    for one in &block.variables.inputs {
        let Some(signal) = cx.optional(&one.name) else { continue };
        one.fits(cx, &signal)?;
        cx.refuse_impulses(&signal, "an impulse reaches an FMU");
        let before = cx.state(format!("held {}", one.name), one.start());
        let new = real(cx, signal.value);
        let value = cx.graph.select(signal.present, new, before);
        cx.next(before, value);
        found.push(Held { port: one.port(), value, before });
    }
    Ok(found)
}

/// The nodes that the functions of a block have in common.
struct Flow {
    usage: Arc<Usage>,
    instance: NodeId,
    /// The states as they flow.
    flowing: NodeId,
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
        Flow { usage, instance, flowing: states, updates, states, now, ticking, inputs, values }
    }

    /// Defines when event iterations happen, and what they leave: the number of iterations and the
    /// states that everything else is computed from.
    fn define(&mut self, cx: &mut Context) {
        let (alarm, woken) = cx.alarm("next event");
        let (_, stepped) = cx.alarm("completed step");
        let more = cx.state("more", Value::real(0.0));
        let goes_on = cx.nonzero(more);
        let (told, changed) = self.told(cx);
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
        for (own, told) in self.inputs.iter().zip(told) {
            let after = cx.graph.select(busy, own.before, told);
            let next = cx.graph.select(self.ticking, after, own.value);
            cx.next(told, next);
        }
        self.look(cx, crossed, stepped);
    }

    /// For each input, the value that the instance was last told of at an iteration, or that it had
    /// before this event; and whether one has another value by now.
    fn told(&mut self, cx: &mut Context) -> (Vec<NodeId>, NodeId) {
        let mut changed = cx.graph.bool(false);
        let mut all = Vec::new();
        for own in &self.inputs {
            let ty = cx.graph.ty(own.value);
            let zeros = Value::new(ty, vec![0.0; ty.len()]);
            let told = cx.state(format!("told {}", own.port.name), zeros);
            let difference = cx.graph.sub(own.before, told);
            let differs = cx.nonzero(difference);
            changed = cx.graph.or(changed, differs);
            all.push(told);
        }
        // Before the first iteration nothing is told.
        let zero = cx.graph.real(0.0);
        let none = cx.graph.binary(Binary::Equal, self.updates, zero);
        let begun = cx.graph.not(none);
        (all, cx.graph.and(begun, changed))
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
            let states = cx.graph.select(busy, new, self.states);
            cx.next(self.states, states);
            self.states = states;
        }
    }

    /// Rates and indicators after the iteration of this microstep.
    fn look(&mut self, cx: &mut Context, crossed: Option<NodeId>, stepped: NodeId) {
        let Usage { states, indicators, completes, .. } = *self.usage;
        if states > 0 {
            let rates = self.called(cx, RATES, states);
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

fn flat(args: &[&[f64]]) -> Vec<f64> {
    args.iter().flat_map(|own| own.iter().copied()).collect()
}

/// The arguments that both functions have: a flag, the instance, the number of iterations, the
/// present time and the states.
struct Arguments<'a> {
    flag: bool,
    instance: f64,
    updates: u64,
    now: f64,
    states: &'a [f64],
}

impl<'a> Arguments<'a> {
    /// How many they are.
    const COUNT: usize = 5;

    fn of(args: &[&'a [f64]], usage: &Usage) -> Arguments<'a> {
        Arguments {
            flag: args[0][0] != 0.0,
            instance: args[1][0],
            updates: args[2][0] as u64,
            now: args[3][0],
            states: &args[4][..usage.states],
        }
    }

    fn point(&self, inputs: &[&[f64]]) -> Point {
        Point { time: self.now, states: self.states.to_vec(), inputs: flat(inputs) }
    }

    /// Whether they are those before the event iteration that has just happened. At its microstep
    /// the engine may still ask how certain the signs of indicators were.
    fn is_over(&self, slot: &Slot) -> bool {
        let now = slot.done.last.as_ref().is_some_and(|(asked, _)| asked[1] == self.now);
        now && slot.done.points == self.updates + 2
    }

    /// Has an instance that has done what these arguments say.
    fn ready(&self, usage: &Usage, slot: &mut Slot, given: &[&[f64]]) -> Result<(), Why> {
        if let Some(bytes) = Usage::take_saved(slot)? {
            usage.restore(slot, bytes)?;
        }
        let done = &slot.done;
        let begun = done.start.as_ref().is_some_and(|start| start.time <= self.now);
        if self.updates == 0 && !(done.points == 1 && begun) {
            usage.begin(slot, self.now, given, Vec::new())?;
        }
        match slot.done.points == self.updates + 1 && slot.guest.is_some() {
            true => Ok(()),
            false => Err(Why::Back),
        }
    }
}

/// An event iteration: whether there is one, the instance, the number of iterations before, the
/// present time, the states, the time of the time event that is due, the indicators that have
/// crossed zero, the values of parameters, and the inputs; to flags, the time of the next time event
/// and the states.
#[derive(Debug)]
struct Update {
    usage: Arc<Usage>,
}

impl Update {
    /// Where the result says that the instance has failed, that it ends the run, that another
    /// iteration follows, and when the next time event is.
    const FAILED: usize = 0;
    const ENDED: usize = 1;
    const MORE: usize = 2;
    const NEXT: usize = 3;
    /// The number of iterations, so that whatever is computed after this one has it from here.
    const COUNT: usize = 4;
    /// The first state.
    const STATES: usize = 5;

    fn answer(
        &self,
        own: &Arguments<'_>,
        slot: &mut Slot,
        args: &[&[f64]],
        result: &mut [f64],
    ) -> Result<(), Why> {
        let asked = flat(&args[2..]);
        if let Some((known, values)) = &slot.done.last
            && same_bits(known, &asked)
        {
            result.copy_from_slice(values);
            return Ok(());
        }
        let rest = &args[Arguments::COUNT..];
        let (given, inputs) = rest[2..].split_at(self.usage.given.len());
        own.ready(&self.usage, slot, given)?;
        let signs = rest[1].iter().map(|change| if *change == 0.0 { 0.0 } else { change.signum() });
        let point = own.point(inputs);
        let crossed = match self.usage.indicators {
            0 => Vec::new(),
            _ => signs.collect(),
        };
        let event = Event { point, due: rest[0][0], crossed };
        let guest = slot.guest.as_mut().ok_or(Why::Back)?;
        let Reply::Changed(changed) = guest.ask(&Request::Event(event))? else {
            return Err(FmuError::OutOfOrder.into());
        };
        let Changed { states, more, ends, next } = changed;
        result[Update::ENDED] = f64::from(u8::from(ends));
        result[Update::MORE] = f64::from(u8::from(more));
        result[Update::NEXT] = next;
        result[Update::COUNT] = (own.updates + 1) as f64;
        result[Update::STATES..].copy_from_slice(&states);
        slot.before = std::mem::take(&mut slot.looks);
        slot.done.points += 1;
        slot.done.last = Some((asked, result.to_vec()));
        Ok(())
    }
}

impl Opaque for Update {
    fn name(&self) -> &str {
        &self.usage.name
    }

    fn call(&self, args: &[&[f64]], result: &mut [f64]) {
        result.fill(0.0);
        let own = Arguments::of(args, &self.usage);
        if !own.flag {
            return;
        }
        let slot = self.usage.instances.slot(own.instance);
        let done = slot.is_some_and(|slot| {
            self.usage.with(&mut locked(&slot), |slot| self.answer(&own, slot, args, result))
        });
        if !done {
            result.fill(0.0);
            result[Update::FAILED] = 1.0;
        }
    }

    /// Nothing of the result moves between events.
    fn has_tangent(&self) -> bool {
        true
    }

    fn tangent(&self, _args: &[&[f64]], _tangents: &[&[f64]], result: &mut [f64]) {
        result.fill(0.0);
    }
}

/// What an instance computes at a point: whether that is at a tick, the instance, the number of
/// iterations so far, the time, the states, the values of parameters, and inputs; to the rates and
/// indicators, or some outputs. NaN if the instance cannot compute it.
#[derive(Debug)]
struct Look {
    usage: Arc<Usage>,
    index: usize,
}

impl Look {
    fn answer(
        &self,
        own: &Arguments<'_>,
        slot: &mut Slot,
        args: &[&[f64]],
        result: &mut [f64],
    ) -> Result<(), Why> {
        let look = &self.usage.looks[self.index];
        if own.updates == 0 && (look.rates || look.indicators) {
            // The states do not have their values yet.
            result.fill(if look.rates { 0.0 } else { 1.0 });
            return Ok(());
        }
        let asked = flat(&args[2..]);
        if let Some(Some((known, values))) = slot.looks.get(self.index)
            && same_bits(known, &asked)
        {
            result.copy_from_slice(values);
            return Ok(());
        }
        if own.is_over(slot) {
            let before = slot.before.get(self.index).and_then(Option::as_ref);
            match before {
                Some((_, values)) => result.copy_from_slice(values),
                None => result.fill(f64::NAN),
            }
            return Ok(());
        }
        let (given, inputs) = args[Arguments::COUNT..].split_at(self.usage.given.len());
        own.ready(&self.usage, slot, given)?;
        let guest = slot.guest.as_mut().ok_or(Why::Back)?;
        match guest.ask(&Request::Look(self.index, own.point(inputs), own.flag))? {
            Reply::Values(values) if values.len() == result.len() => {
                result.copy_from_slice(&values);
            }
            Reply::Discarded(_) => result.fill(f64::NAN),
            _ => return Err(FmuError::OutOfOrder.into()),
        }
        slot.looks.resize(self.usage.looks.len(), None);
        slot.looks[self.index] = Some((asked, result.to_vec()));
        Ok(())
    }
}

impl Opaque for Look {
    fn name(&self) -> &str {
        &self.usage.name
    }

    fn call(&self, args: &[&[f64]], result: &mut [f64]) {
        let own = Arguments::of(args, &self.usage);
        let slot = self.usage.instances.slot(own.instance);
        let done = slot.is_some_and(|slot| {
            self.usage.with(&mut locked(&slot), |slot| self.answer(&own, slot, args, result))
        });
        if !done {
            result.fill(f64::NAN);
        }
    }

    fn tangent(&self, args: &[&[f64]], tangents: &[&[f64]], result: &mut [f64]) {
        let own = Arguments::of(args, &self.usage);
        let slot = self.usage.instances.slot(own.instance);
        let done = slot.is_some_and(|slot| {
            self.usage.with(&mut locked(&slot), |slot| {
                self.differentiate(&own, slot, (args, tangents), result)
            })
        });
        if !done {
            result.fill(f64::NAN);
        }
    }
}

impl Look {
    /// The derivative in a direction of time, states and inputs.
    fn differentiate(
        &self,
        own: &Arguments<'_>,
        slot: &mut Slot,
        (args, tangents): (&[&[f64]], &[&[f64]]),
        result: &mut [f64],
    ) -> Result<(), Why> {
        result.fill(0.0);
        if own.updates == 0 || own.is_over(slot) {
            return Ok(());
        }
        let (given, inputs) = args[Arguments::COUNT..].split_at(self.usage.given.len());
        let mut direction = vec![tangents[3][0]];
        direction.extend(&tangents[4][..self.usage.states]);
        direction.extend(flat(&tangents[Arguments::COUNT + given.len()..]));
        if direction.iter().all(|x| *x == 0.0) {
            return Ok(());
        }
        own.ready(&self.usage, slot, given)?;
        let guest = slot.guest.as_mut().ok_or(Why::Back)?;
        match guest.ask(&Request::Tangent(self.index, own.point(inputs), direction))? {
            Reply::Values(values) if values.len() == result.len() => {
                result.copy_from_slice(&values);
            }
            Reply::Discarded(_) => result.fill(f64::NAN),
            _ => return Err(FmuError::OutOfOrder.into()),
        }
        Ok(())
    }
}

/// A step that is not taken back, with the arguments of a look: whether the instance wants an event
/// at its end.
#[derive(Debug)]
struct Complete {
    usage: Arc<Usage>,
}

impl Complete {
    fn answer(
        &self,
        own: &Arguments<'_>,
        slot: &mut Slot,
        args: &[&[f64]],
        result: &mut [f64],
    ) -> Result<(), Why> {
        let (given, inputs) = args[Arguments::COUNT..].split_at(self.usage.given.len());
        own.ready(&self.usage, slot, given)?;
        let guest = slot.guest.as_mut().ok_or(Why::Back)?;
        let Reply::Values(values) = guest.ask(&Request::Complete(own.point(inputs)))? else {
            return Err(FmuError::OutOfOrder.into());
        };
        result[0] = values[0];
        Ok(())
    }
}

impl Opaque for Complete {
    fn name(&self) -> &str {
        &self.usage.name
    }

    fn call(&self, args: &[&[f64]], result: &mut [f64]) {
        result.fill(0.0);
        let own = Arguments::of(args, &self.usage);
        if own.flag || own.updates == 0 {
            return;
        }
        // Another function reports a failure.
        if let Some(slot) = self.usage.instances.slot(own.instance) {
            self.usage.with(&mut locked(&slot), |slot| self.answer(&own, slot, args, result));
        }
    }
}
