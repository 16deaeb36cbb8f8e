//! The functions by which a block for Model Exchange uses its instance.

use std::sync::Arc;

use ::fmi::import::{Changed, Event, FmuError, Point, Reply, Request};
use ir::Opaque;

use crate::fmi::instances::{Slot, Usage, Why, same_bits};

/// Takes the values that an instance answers with; NaN if it cannot compute them at a point.
fn take(reply: Reply, result: &mut [f64]) -> Result<(), Why> {
    match reply {
        Reply::Values(values) if values.len() == result.len() => result.copy_from_slice(&values),
        Reply::Discarded(_) => result.fill(f64::NAN),
        _ => return Err(FmuError::OutOfOrder.into()),
    }
    Ok(())
}

fn flat(args: &[&[f64]]) -> Vec<f64> {
    args.iter().flat_map(|own| own.iter().copied()).collect()
}

/// The arguments that all functions have: a flag, the instance, the number of iterations, the
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
pub(super) struct Update {
    pub usage: Arc<Usage>,
}

impl Update {
    /// Where the result says that the instance has failed, that it ends the run, that another
    /// iteration follows, and when the next time event is.
    pub const FAILED: usize = 0;
    pub const ENDED: usize = 1;
    pub const MORE: usize = 2;
    pub const NEXT: usize = 3;
    /// The number of iterations, so that whatever is computed after this one has it from here.
    pub const COUNT: usize = 4;
    /// The first state.
    pub const STATES: usize = 5;

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
        let answer = |slot: &mut Slot, result: &mut [f64]| self.answer(&own, slot, args, result);
        self.usage.fill(own.instance, (result, Update::FAILED), answer);
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
pub(super) struct Look {
    pub usage: Arc<Usage>,
    pub index: usize,
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
        let request = Request::Look(self.index, own.point(inputs), own.flag);
        take(slot.guest.as_mut().ok_or(Why::Back)?.ask(&request)?, result)?;
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
        let done = self.usage.with(own.instance, |slot| self.answer(&own, slot, args, result));
        if !done {
            result.fill(f64::NAN);
        }
    }

    fn tangent(&self, args: &[&[f64]], tangents: &[&[f64]], result: &mut [f64]) {
        let own = Arguments::of(args, &self.usage);
        let asked = (args, tangents);
        let done =
            self.usage.with(own.instance, |slot| self.differentiate(&own, slot, asked, result));
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
        let request = Request::Tangent(self.index, own.point(inputs), direction);
        take(slot.guest.as_mut().ok_or(Why::Back)?.ask(&request)?, result)?;
        Ok(())
    }
}

/// A step that is not taken back, with the arguments of a look: whether the instance wants an event
/// at its end.
#[derive(Debug)]
pub(super) struct Complete {
    pub usage: Arc<Usage>,
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
        result[0] = values.first().copied().ok_or(FmuError::OutOfOrder)?;
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
        self.usage.with(own.instance, |slot| self.answer(&own, slot, args, result));
    }
}
