//! FMUs for Co-Simulation as blocks that go ahead of the run by steps of variable length.
//!
//! At a communication point the instance takes its next step at once, so that what it finds there is
//! known before the run comes to it: how far its outputs can be taken to move along straight lines,
//! and where it has an event. An alarm is set to the end of that step. When it rings, the instance
//! says what its outputs are there; if its inputs jump before, it is taken back and comes to the time
//! of that jump. One microstep later, with the inputs of the microstep before, it goes ahead again.

use std::sync::Arc;

use ::fmi::import::{Ahead, Coming, FmuError, Reply, Request};
use ::fmi::{Kind, Version};
use base::{Diagnostic, Shape, Type, Value};
use blocks::Context;
use ir::{Binary, NodeId, Opaque};

use super::block::{FmuBlock, output, parameters};
use super::inputs::{Held, hand_over, inputs, known};
use super::instances::{Slot, Usage, Why, same_bits};

/// How much shorter than the longest step a step may become.
const SHORTEST: f64 = 1e-6;

/// Defines the functions of a block.
pub(super) fn define(block: &FmuBlock, cx: &mut Context) -> Result<(), Diagnostic> {
    let rules = rules(block, cx)?;
    let inputs = inputs(block, cx)?;
    let (given, values) = parameters(block, cx)?;
    let ports = inputs.iter().map(|own| own.port.clone()).collect();
    let mut usage = block.usage(cx, Kind::CoSimulation, ports, given)?;
    usage.ahead = Some(rules);
    let offset = cx.time("offset");
    let offset = base::Time::from_rational(offset).map_or(0.0, base::Time::seconds);
    let instance = cx.instance(block.instances.clone());
    let count = cx.state("count", Value::real(0.0));
    let last = cx.state("last", Value::real(0.0));
    let more = cx.state("more", Value::real(0.0));
    let (alarm, woken) = cx.alarm("end of the step");
    let (ticking, now, zero) = (cx.ticking(), cx.now(), cx.graph.real(0.0));
    let goes_on = cx.nonzero(more);
    let (known, changed) = known(cx, &inputs);
    let none = cx.graph.binary(Binary::Equal, count, zero);
    let begun = cx.graph.not(none);
    let changed = cx.graph.and(begun, changed);
    let busy = cx.graph.or(woken, goes_on);
    let busy = cx.graph.or(busy, changed);
    let busy = cx.graph.and(ticking, busy);
    let rung = cx.graph.select(woken, alarm, now);
    let mut args = vec![busy, instance, count, last, now, rung];
    args.extend(values);
    args.extend(inputs.iter().map(|own: &Held| own.before));
    args.extend(&known);
    let starts = block.variables.outputs.iter().flat_map(|one| one.start().data().to_vec());
    let call = Call { usage, offset, starts: starts.collect() };
    let result = Type::vector((Call::VALUES + 2 * call.starts.len()) as u32);
    let whole = cx.graph.call(Arc::new(call), &args, result);
    let at = |cx: &mut Context, index: usize| cx.graph.extract(whole, index, Shape::Scalar);
    for (index, is_end) in [(Call::FAILED, false), (Call::ENDED, true)] {
        let (value, one) = (at(cx, index), cx.graph.real(1.0));
        let set = cx.graph.binary(Binary::Equal, value, one);
        let set = cx.graph.and(busy, set);
        match is_end {
            true => cx.end_where(set),
            false => cx.refuse_where(set, "the FMU failed"),
        }
    }
    for (state, index) in [(more, Call::MORE), (alarm, Call::NEXT), (count, Call::COUNT)] {
        let new = at(cx, index);
        let next = cx.graph.select(busy, new, state);
        cx.next(state, next);
    }
    let next = cx.graph.select(busy, now, last);
    cx.next(last, next);
    hand_over(cx, &inputs, &known, busy);
    outputs(block, cx, (busy, whole), (now, last));
    Ok(())
}

/// Outputs, which move along straight lines if they are continuous.
fn outputs(
    block: &FmuBlock,
    cx: &mut Context,
    (busy, whole): (NodeId, NodeId),
    (now, last): (NodeId, NodeId),
) {
    let length: usize = block.variables.outputs.iter().map(|one| one.variable.len()).sum();
    let since = cx.graph.sub(now, last);
    let mut offset = Call::VALUES;
    for one in &block.variables.outputs {
        let (ty, shape) = (one.ty(), one.ty().shape);
        let held = cx.state(format!("held {}", one.name), one.start());
        let new = cx.graph.extract(whole, offset, shape);
        let next = cx.graph.select(busy, new, held);
        cx.next(held, next);
        let mut value = held;
        if one.is_continuous() {
            let zeros = Value::new(ty, vec![0.0; ty.len()]);
            let slope = cx.state(format!("slope {}", one.name), zeros);
            let new = cx.graph.extract(whole, offset + length, shape);
            let next = cx.graph.select(busy, new, slope);
            cx.next(slope, next);
            let since = cx.graph.splat(since, shape);
            let moved = cx.graph.mul(slope, since);
            value = cx.graph.add(held, moved);
        }
        let value = cx.graph.select(busy, new, value);
        offset += ty.len();
        let signal = output(cx, value, ty);
        cx.output(&one.name, signal);
    }
}

/// How the instance goes ahead.
fn rules(block: &FmuBlock, cx: &mut Context) -> Result<Ahead, Diagnostic> {
    let abilities = block.abilities(Kind::CoSimulation);
    let refused = |why: &str| {
        let message = format!("steps of this FMU cannot be adaptive: {why}");
        Err(Diagnostic::error("bad-fmu", message).help("leave `steps: adaptive` out"))
    };
    if !abilities.variable_steps {
        return refused(
            "they must all have the same length (it lacks \
             `canHandleVariableCommunicationStepSize`)",
        );
    }
    if !abilities.keeps_state {
        return refused("it cannot be set back to before a step (it lacks `canGetAndSetFMUState`)");
    }
    let tolerance = cx.real("tolerance");
    if !(tolerance > 0.0 && tolerance.is_finite()) {
        return Err(Diagnostic::error("bad-parameter", "`tolerance` must be positive"));
    }
    let period = cx.period("period")?;
    let longest = base::Time::from_rational(period).map_or(0.0, base::Time::seconds);
    let magnitude = |one: &super::block::Named| match one.variable.nominal {
        Some(nominal) if nominal.abs() > 0.0 && nominal.is_finite() => nominal.abs(),
        _ => 1.0,
    };
    let is_three = block.instances.description().version == Version::Three;
    Ok(Ahead {
        longest,
        shortest: SHORTEST * longest,
        tolerance,
        magnitudes: block.variables.outputs.iter().map(magnitude).collect(),
        events: is_three && abilities.event_mode,
        early: is_three,
        moves: block.moves_inputs(),
    })
}

/// The function of a block: a gate, the instance, the number of calls so far, the time of the last
/// one, the present time, the same or the end of the step that has come, the values of parameters,
/// the inputs, and those that the instance received last or that were there before this instant;
/// to flags, the number of calls, the time of the next one, the outputs and their slopes.
#[derive(Debug)]
struct Call {
    usage: Usage,
    /// The first communication point \[s\], and the outputs before.
    offset: f64,
    starts: Vec<f64>,
}

/// What a call has found.
struct Found {
    more: bool,
    ends: bool,
    next: f64,
    now: Vec<f64>,
    slopes: Vec<f64>,
}

impl Call {
    const FAILED: usize = 0;
    const ENDED: usize = 1;
    const MORE: usize = 2;
    const NEXT: usize = 3;
    const COUNT: usize = 4;
    /// The first output.
    const VALUES: usize = 5;

    /// How many arguments are before the parameters.
    const BEFORE: usize = 6;

    fn answer(&self, slot: &mut Slot, args: &[&[f64]], result: &mut [f64]) -> Result<(), Why> {
        let saved = Usage::take_saved(slot)?;
        let asked: Vec<f64> = args[2..].iter().flat_map(|own| own.iter().copied()).collect();
        if let Some((known, values)) = &slot.done.last
            && same_bits(known, &asked)
        {
            result.copy_from_slice(values);
            Usage::put_back(slot, saved);
            return Ok(());
        }
        if let Some(bytes) = saved {
            self.usage.restore(slot, bytes)?;
        }
        if slot.done.points as f64 != args[2][0] {
            return Err(Why::Back);
        }
        let found = self.act(slot, args)?;
        if found.now.len() != self.starts.len() || found.slopes.len() != self.starts.len() {
            return Err(FmuError::OutOfOrder.into());
        }
        result[Call::MORE] = f64::from(u8::from(found.more));
        result[Call::ENDED] = f64::from(u8::from(found.ends));
        result[Call::NEXT] = found.next;
        result[Call::COUNT] = slot.done.points as f64;
        let (now, slopes) = result[Call::VALUES..].split_at_mut(self.starts.len());
        now.copy_from_slice(&found.now);
        slopes.copy_from_slice(&found.slopes);
        slot.done.last = Some((asked, result.to_vec()));
        Ok(())
    }

    fn act(&self, slot: &mut Slot, args: &[&[f64]]) -> Result<Found, Why> {
        let (last, now, rung) = (args[3][0], args[4][0], args[5][0]);
        let (given, rest) = args[Call::BEFORE..].split_at(self.usage.given.len());
        let flat = |own: &[&[f64]]| -> Vec<f64> { own.iter().flat_map(|x| x.to_vec()).collect() };
        let (inputs, before) = rest.split_at(self.usage.inputs.len());
        let (inputs, before) = (flat(inputs), flat(before));
        if slot.done.points == 0 {
            if now < self.offset {
                return Ok(Found {
                    more: false,
                    ends: false,
                    next: self.offset,
                    now: self.starts.clone(),
                    slopes: vec![0.0; self.starts.len()],
                });
            }
            let reply = self.usage.begin(slot, now, given, inputs)?;
            return Found::standing(reply);
        }
        let Slot { guest: Some(guest), done, .. } = slot else {
            return Err(FmuError::OutOfOrder.into());
        };
        if done.points == 1 && inputs != done.inputs {
            done.inputs.clone_from(&inputs);
            return Found::standing(guest.ask(&Request::Inputs(inputs))?);
        }
        done.points += 1;
        if now > last {
            return Found::standing(guest.ask(&Request::Arrive(rung, before))?);
        }
        match guest.ask(&Request::Ahead(inputs))? {
            Reply::Coming(Coming { now: values, end, then, ends }) => {
                let length = end - now;
                let slope =
                    |(a, b): (&f64, &f64)| if length > 0.0 { (b - a) / length } else { 0.0 };
                let slopes = match then.len() == values.len() {
                    true => values.iter().zip(&then).map(slope).collect(),
                    false => vec![0.0; values.len()],
                };
                Ok(Found { more: false, ends, next: end, now: values, slopes })
            }
            _ => Err(FmuError::OutOfOrder.into()),
        }
    }
}

impl Found {
    /// The outputs at a communication point, from which the instance goes ahead next.
    fn standing(reply: Reply) -> Result<Found, Why> {
        let (now, ends) = match reply {
            Reply::Values(now) => (now, false),
            Reply::Ended(now) => (now, true),
            _ => return Err(FmuError::OutOfOrder.into()),
        };
        let slopes = vec![0.0; now.len()];
        Ok(Found { more: !ends, ends, next: f64::INFINITY, now, slopes })
    }
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

    /// Nothing of the result moves between communication points.
    fn has_tangent(&self) -> bool {
        true
    }

    fn tangent(&self, _args: &[&[f64]], _tangents: &[&[f64]], result: &mut [f64]) {
        result.fill(0.0);
    }
}
