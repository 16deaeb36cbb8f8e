//! FMUs for Co-Simulation as blocks.
//!
//! At each communication point the instance is given the inputs that the point before ended with,
//! and takes a step up to the present; then its outputs are read and held. So outputs follow from
//! inputs of the past only, as the standard has it, and FMUs may be in loops. At the first
//! communication point the instance is initialised, and while that instant lasts, inputs that change
//! are handed to it and outputs read again, one microstep later.

use std::sync::Arc;

use ::fmi::Kind;
use ::fmi::import::{FmuError, Port, Reply, Request};
use base::{Diagnostic, Shape, Type, Value};
use blocks::{Context, Every};
use ir::{Binary, NodeId, Opaque};

use super::block::{FmuBlock, output, parameters, real};
use super::instances::{Done, Slot, Usage, Why, same_bits};

/// What is common to the functions of a block for Co-Simulation.
pub(super) struct Steps {
    /// Whether this microstep is a communication point.
    woken: NodeId,
    /// Whether this is a later microstep of the last communication point.
    again: NodeId,
    instance: NodeId,
    steps: NodeId,
    last: NodeId,
    now: NodeId,
}

/// The inputs that are connected.
#[derive(Default)]
struct Inputs {
    ports: Vec<Port>,
    /// Their values at the last communication point.
    held: Vec<NodeId>,
    /// Their slopes from there to the left limits of now, if they move within steps.
    slopes: Vec<NodeId>,
}

impl Steps {
    pub fn new(block: &FmuBlock, cx: &mut Context) -> Result<Steps, Diagnostic> {
        let timer = Every { offset: cx.time("offset"), period: cx.period("period")? };
        let instance = cx.instance(block.instances.clone());
        let steps = cx.state("steps", Value::real(0.0));
        let last = cx.state("last", Value::real(0.0));
        let (woken, _) = cx.timer(Arc::new(timer));
        let (ticking, now) = (cx.ticking(), cx.now());
        let (zero, one) = (cx.graph.real(0.0), cx.graph.real(1.0));
        let none = cx.graph.binary(Binary::Equal, steps, zero);
        let begun = cx.graph.not(none);
        // Time does not run backwards, so that it is the same unless it is later.
        let same = cx.graph.binary(Binary::LessEqual, now, last);
        let again = cx.graph.and(begun, same);
        let again = cx.graph.and(ticking, again);
        let more = cx.graph.add(steps, one);
        let next = cx.graph.select(woken, more, steps);
        cx.next(steps, next);
        let next = cx.graph.select(woken, now, last);
        cx.next(last, next);
        Ok(Steps { woken, again, instance, steps, last, now })
    }

    pub fn define(&self, block: &FmuBlock, cx: &mut Context) -> Result<(), Diagnostic> {
        let Inputs { ports: inputs, held, slopes } = self.inputs(block, cx)?;
        let (given, values) = parameters(block, cx)?;
        let one = cx.graph.real(1.0);
        let first = cx.graph.binary(Binary::Equal, self.steps, one);
        let initialising = cx.graph.and(self.again, first);
        let busy = cx.graph.or(self.woken, initialising);
        let mut args = vec![busy, self.instance, self.steps, self.last, self.now];
        args.extend(values);
        args.extend(held);
        args.extend(slopes);
        let own = &block.variables;
        let length: usize = own.outputs.iter().map(|one| one.variable.len()).sum();
        let usage = block.usage(cx, Kind::CoSimulation, inputs, given)?;
        let call =
            Call { usage, variable_steps: block.abilities(Kind::CoSimulation).variable_steps };
        let result = Type::vector((Call::FLAGS + length) as u32);
        let whole = cx.graph.call(Arc::new(call), &args, result);
        let failed = self.flag(cx, whole, Call::FAILED, busy);
        cx.refuse_where(failed, "the FMU failed");
        let ended = self.flag(cx, whole, Call::ENDED, busy);
        cx.end_where(ended);
        let mut offset = Call::FLAGS;
        for one in &own.outputs {
            let ty = one.ty();
            let new = cx.graph.extract(whole, offset, ty.shape);
            offset += ty.len();
            let held = cx.state(format!("held {}", one.name), one.start());
            let value = cx.graph.select(busy, new, held);
            cx.next(held, value);
            let signal = output(cx, value, ty);
            cx.output(&one.name, signal);
        }
        Ok(())
    }

    fn flag(&self, cx: &mut Context, whole: NodeId, index: usize, busy: NodeId) -> NodeId {
        let (value, one) = (cx.graph.extract(whole, index, Shape::Scalar), cx.graph.real(1.0));
        let set = cx.graph.binary(Binary::Equal, value, one);
        cx.graph.and(busy, set)
    }

    /// The inputs that are connected.
    fn inputs(&self, block: &FmuBlock, cx: &mut Context) -> Result<Inputs, Diagnostic> {
        let sampled = cx.graph.or(self.woken, self.again);
        let mut found = Inputs::default();
        let linear = block.moves_inputs() && cx.word("inputs") == "linear";
        for one in &block.variables.inputs {
            let Some(signal) = cx.optional(&one.name) else { continue };
            one.fits(cx, &signal)?;
            cx.refuse_sampling(&signal, sampled);
            let held = cx.state(format!("held {}", one.name), one.start());
            let value = real(cx, signal.value);
            let taken = cx.graph.and(sampled, signal.present);
            let next = cx.graph.select(taken, value, held);
            cx.next(held, next);
            found.ports.push(one.port());
            found.held.push(held);
            if linear && one.is_continuous() {
                let left = cx.left(&signal).value;
                let left = real(cx, left);
                let change = cx.graph.sub(left, held);
                let length = cx.graph.sub(self.now, self.last);
                found.slopes.push(cx.graph.div(change, length));
            }
        }
        Ok(found)
    }
}

/// The function of a block: a gate, the instance, the number of communication points so far, the
/// time of the last one, the present time, the values of parameters, the inputs, and the slopes of
/// those that move; to the flags and the outputs.
#[derive(Debug)]
struct Call {
    usage: Usage,
    variable_steps: bool,
}

impl Call {
    /// Where the result says that the instance has failed, and that it ends the run.
    const FAILED: usize = 0;
    const ENDED: usize = 1;
    /// How many such flags are before the outputs.
    const FLAGS: usize = 2;

    /// How many arguments are before the parameters.
    const BEFORE: usize = 5;
}

impl Opaque for Call {
    fn name(&self) -> &str {
        &self.usage.name
    }

    fn call(&self, args: &[&[f64]], result: &mut [f64]) {
        result.fill(0.0);
        let [gate, instance, ..] = args else { return };
        if gate[0] == 0.0 {
            return;
        }
        let answer = |slot: &mut Slot, result: &mut [f64]| self.answer(slot, args, result);
        self.usage.fill(instance[0], (result, Call::FAILED), answer);
    }

    /// Between two communication points the outputs are constant.
    fn has_tangent(&self) -> bool {
        true
    }

    fn tangent(&self, _args: &[&[f64]], _tangents: &[&[f64]], result: &mut [f64]) {
        result.fill(0.0);
    }
}

impl Call {
    fn answer(&self, slot: &mut Slot, args: &[&[f64]], result: &mut [f64]) -> Result<(), Why> {
        let saved = Usage::take_saved(slot)?;
        let own: Vec<f64> = args[2..].iter().flat_map(|own| own.iter().copied()).collect();
        if let Some((known, values)) = &slot.done.last
            && same_bits(known, &own)
        {
            result.copy_from_slice(values);
            Usage::put_back(slot, saved);
            return Ok(());
        }
        if let Some(bytes) = saved {
            self.usage.restore(slot, bytes)?;
        }
        let reply = self.act(slot, args)?;
        let (values, ended) = match reply {
            Reply::Values(values) => (values, 0.0),
            Reply::Ended(values) => (values, 1.0),
            _ => return Err(FmuError::OutOfOrder.into()),
        };
        result[Call::ENDED] = ended;
        let places = &mut result[Call::FLAGS..];
        if places.len() != values.len() {
            return Err(FmuError::OutOfOrder.into());
        }
        places.copy_from_slice(&values);
        slot.done.last = Some((own, result.to_vec()));
        Ok(())
    }

    /// Does what a call asks for that is not the last one.
    fn act(&self, slot: &mut Slot, args: &[&[f64]]) -> Result<Reply, Why> {
        let (points, last, now) = (args[2][0], args[3][0], args[4][0]);
        let (given, inputs) = args[Call::BEFORE..].split_at(self.usage.given.len());
        let (inputs, slopes) = inputs.split_at(self.usage.inputs.len());
        let slopes: Vec<f64> = slopes.iter().flat_map(|own| own.iter().copied()).collect();
        let inputs: Vec<f64> = inputs.iter().flat_map(|own| own.iter().copied()).collect();
        if points == 0.0 {
            return self.usage.begin(slot, now, given, inputs);
        }
        let done = &mut slot.done;
        let Some(guest) = &mut slot.guest else { return Err(FmuError::OutOfOrder.into()) };
        if done.points as f64 != points {
            return Err(Why::Back);
        }
        if points == 1.0 && now == last {
            done.inputs.clone_from(&inputs);
            return Ok(guest.ask(&Request::Inputs(inputs))?);
        }
        let length = self.length(done, now - last);
        let reply = guest.ask(&Request::Step { from: last, length, inputs, slopes })?;
        done.points += 1;
        Ok(reply)
    }

    /// The length of a step. If all must be equal, a difference that is due to rounding is taken
    /// back.
    fn length(&self, done: &mut Done, length: f64) -> f64 {
        if self.variable_steps {
            return length;
        }
        let first = *done.length.get_or_insert(length);
        let near = (first - length).abs() <= 1e-9 * first.abs();
        if near { first } else { length }
    }
}
