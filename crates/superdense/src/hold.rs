//! A run in the hands of others: it advances to a time, is read and set there, forked and cancelled.
//!
//! Reading and advancing change no bit of the result. A value that is set takes effect at the
//! present time: the tag (t, n) that the run has reached stays as it is, and (t, n + 1) is the first
//! that sees the change. All values that are set between two advances are one microstep.

mod error;
mod handles;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use base::{ExactTime, Time};
use engine::{Progress, RunError, Simulation, StopReason};
use program::{InputId, InputKind};
use trace::{Interpolation, Samples, Trace};

use crate::Run;
use crate::data::Data;
use crate::foreign::SavedInstances;
use crate::native::NativeSwitch;
use crate::run::{AT_ONCE, Executor};

pub use error::HoldError;
pub(crate) use handles::unknown;
pub use handles::{InputHandle, SignalHandle};

/// Stops a run from another thread.
#[derive(Clone, Debug, Default)]
pub struct Canceller(Arc<AtomicBool>);

impl Canceller {
    /// Makes the run end with [`RunError::Cancelled`] at its next step or microstep.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn clear(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Whether it has been asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Run {
    /// The time that the run has reached: everything up to it is decided.
    pub fn time(&self) -> Time {
        self.now.max(self.tag().time)
    }

    /// Advances to a time, events at that time included, or to the end of the run, whose reason is
    /// then returned. It reads the dense output of the steps and changes no bit of what follows.
    pub fn advance_to(&mut self, time: Time) -> Result<Option<StopReason>, RunError> {
        self.advance_to_while(time, |_| true)
    }

    /// The same as long as somebody who watches wants it to go on, who is asked between advances of
    /// many steps. Otherwise it stops where it is with [`RunError::Cancelled`], and may go on later.
    pub fn advance_to_while(
        &mut self,
        time: Time,
        mut watch: impl FnMut(&Run) -> bool,
    ) -> Result<Option<StopReason>, RunError> {
        loop {
            match self.advance_within(time, AT_ONCE)? {
                Progress::Going if watch(self) => {}
                Progress::Going => return Err(RunError::Cancelled { tag: self.tag() }),
                Progress::Reached => {
                    self.now = self.now.max(time);
                    return Ok(None);
                }
                Progress::Done(reason) => return Ok(Some(reason)),
            }
        }
    }

    /// Advances to the first time at which something happens, or to a time if nothing does; returns
    /// whether something has happened at the time that was reached. Like [`Run::advance_to`], it
    /// changes no bit of what follows.
    pub fn advance_to_event(&mut self, time: Time) -> Result<(Option<StopReason>, bool), RunError> {
        let ticks = self.counters().ticks;
        loop {
            match self.advance_within(time, 1)? {
                Progress::Going if self.counters().ticks == ticks => {}
                Progress::Going => {
                    let now = self.tag().time;
                    return Ok((self.advance_to(now)?, true));
                }
                Progress::Reached => {
                    self.now = self.now.max(time);
                    return Ok((None, false));
                }
                Progress::Done(reason) => return Ok((Some(reason), false)),
            }
        }
    }

    /// Advances to the end of the next step of the solver, the next event, or a time before them;
    /// returns whether something has happened at the time that was reached. Like
    /// [`Run::advance_to`], it changes no bit of what follows.
    pub fn advance_to_step(&mut self, time: Time) -> Result<(Option<StopReason>, bool), RunError> {
        let ticks = self.counters().ticks;
        match self.advance_within(time, 1)? {
            Progress::Going => {
                let now = self.tag().time.clamp(self.now, time);
                Ok((self.advance_to(now)?, self.counters().ticks != ticks))
            }
            Progress::Reached => {
                self.now = self.now.max(time);
                Ok((None, false))
            }
            Progress::Done(reason) => Ok((Some(reason), false)),
        }
    }

    /// The error of a start without an input that has no initial value and was not given.
    pub fn missing_input(&self) -> Option<RunError> {
        let Executor::Exact(simulation) = &self.executor else { return None };
        let inputs = self.system.diagram.inputs.iter().enumerate();
        let mut missing =
            inputs.filter(|(id, own)| own.required && !simulation.is_given(InputId::new(*id)));
        let (_, own) = missing.next()?;
        Some(RunError::MissingInput { block: simulation.program().origins.name(own.block) })
    }

    /// Lets another thread stop this run.
    pub fn canceller(&self) -> Canceller {
        self.canceller.clone()
    }

    pub(crate) fn check_cancelled(&self) -> Result<(), RunError> {
        match self.canceller.is_cancelled() {
            true => Err(RunError::Cancelled { tag: self.tag() }),
            false => Ok(()),
        }
    }

    /// The value of a recorded signal at the present time; none if it is absent. At a time with
    /// events it is what they leave behind.
    pub fn get(&mut self, signal: &SignalHandle) -> Result<Option<&[f64]>, HoldError> {
        if !Arc::ptr_eq(&signal.diagram, &self.system.diagram) {
            return Err(HoldError::OtherSystem { name: signal.name().to_owned() });
        }
        let now = self.time();
        let recorder = &mut self.recorder;
        let Executor::Exact(simulation) = &mut self.executor else {
            return Err(HoldError::FixedSteps);
        };
        if !simulation.has_started() {
            simulation.advance_by(1, recorder).map_err(HoldError::Run)?;
        }
        if !self.looked {
            simulation.look(now).map_err(HoldError::Run)?;
            self.looked = true;
        }
        Ok(simulation.value(signal.column()))
    }

    /// Sets a signal from outside at the present time. A held input keeps the value, an event
    /// input has it for one microstep (several values come at successive microsteps), and a
    /// continuous input is constant from here on.
    pub fn set(&mut self, input: &InputHandle, value: &[f64]) -> Result<(), HoldError> {
        let now = self.time();
        self.feed(input, now, &[value])
    }

    /// The same by the name of an input of the model.
    pub fn set_input(&mut self, name: &str, value: &[f64]) -> Result<(), HoldError> {
        let handle = self.system.input(name)?;
        self.set(&handle, value)
    }

    /// The same by the name of a tunable parameter.
    pub fn set_parameter(&mut self, name: &str, value: &[f64]) -> Result<(), HoldError> {
        let handle = self.system.tunable(name)?;
        self.set(&handle, value)
    }

    /// Gives a signal from outside a value from a time on, now or later. A continuous input may
    /// have up to four coefficients: from there on it is `c0 + c1 s + c2 s^2 + c3 s^3` with the
    /// time s \[s\] since then. Steps land on these times exactly.
    pub fn feed(
        &mut self,
        input: &InputHandle,
        time: impl Into<ExactTime>,
        coefficients: &[&[f64]],
    ) -> Result<(), HoldError> {
        let (time, now) = (time.into(), self.time());
        if time.time() < now {
            return Err(HoldError::Past { time: time.time(), now });
        }
        let simulation = self.fed(input)?;
        let most = input.most_coefficients();
        if coefficients.is_empty() || coefficients.len() > most {
            return Err(input
                .wrong(format!("a list of {} coefficients, not 1 to {most}", coefficients.len())));
        }
        coefficients.iter().try_for_each(|values| input.check(values))?;
        let mut values = coefficients.concat();
        values.resize(most * input.ty().len(), 0.0);
        simulation.feed(input.id(), time, values);
        self.looked = false;
        Ok(())
    }

    /// What runs, if it takes this input.
    fn fed(&mut self, input: &InputHandle) -> Result<&mut Simulation, HoldError> {
        if !Arc::ptr_eq(&input.diagram, &self.system.diagram) {
            return Err(HoldError::OtherSystem { name: input.name().to_owned() });
        }
        match &mut self.executor {
            Executor::Exact(simulation) => Ok(simulation),
            Executor::FixedStep(_) => Err(HoldError::FixedSteps),
        }
    }

    /// Feeds samples of a signal from outside, from the present time on. A continuous input goes on
    /// between them by interpolation; a held input jumps at each of them, and an event input has an
    /// event there. Before the first sample an input without an initial value has the first value.
    /// They replace what has been fed and is still to come, such as the data that the model names.
    pub fn feed_samples(
        &mut self,
        input: &InputHandle,
        samples: &Samples,
        by: Interpolation,
    ) -> Result<(), HoldError> {
        let (now, times) = (self.time(), samples.times());
        let by = if input.kind() == InputKind::Continuous { by } else { Interpolation::Hold };
        // Everything is checked before anything is fed, so that a mistake changes nothing.
        (0..times.len()).try_for_each(|index| input.check(samples.value(index)))?;
        let simulation = self.fed(input)?;
        simulation.forget(input.id());
        simulation.mark_given(input.id());
        let later = times.first().is_some_and(|first| first.time() > now);
        if input.kind() != InputKind::Event && later && input.is_required() {
            self.feed(input, now, &[samples.value(0)])?;
        }
        // A continuous signal is continuous to the last bit: a piece begins where the piece before
        // it ends, rounding included.
        let mut before: Option<(ExactTime, Vec<Vec<f64>>)> = None;
        for (index, time) in times.iter().enumerate() {
            if time.time() >= now {
                let mut piece = samples.piece(index, by);
                let smooth = by != Interpolation::Hold && samples.is_continuous(index);
                if let Some((from, last)) = before.take().filter(|_| smooth) {
                    let since = time.time().seconds() - from.time().seconds();
                    piece[0] = ends_at(&last, since);
                }
                before = Some((*time, piece.clone()));
                let piece: Vec<&[f64]> = piece.iter().map(Vec::as_slice).collect();
                self.feed(input, *time, &piece)?;
                continue;
            }
            // A piece that has begun before now goes on from here.
            let begun = times.get(index + 1).is_none_or(|next| next.time() > now);
            if input.kind() != InputKind::Event && begun {
                let piece = moved(&samples.piece(index, by), now.since(time.time()));
                before = Some((now.into(), piece.clone()));
                let piece: Vec<&[f64]> = piece.iter().map(Vec::as_slice).collect();
                self.feed(input, now, &piece)?;
            }
        }
        Ok(())
    }

    /// Feeds the data that the model names.
    pub(crate) fn feed_data(&mut self) {
        let data = self.system.data.clone();
        for Data { input, samples, by } in data.iter() {
            self.feed_samples(input, samples, *by).expect("data are checked when they are read");
        }
    }

    /// Goes back to before the start, without the rows so far and without what was set and fed. The
    /// memory of rows, ticks and buffers is kept.
    pub fn reset(&mut self) {
        self.look_for_native();
        self.take_back_given();
        self.take_over.iter_mut().for_each(NativeSwitch::reset);
        match &mut self.executor {
            Executor::Exact(simulation) => simulation.reset(),
            Executor::FixedStep(stepping) => stepping.reset(),
        }
        self.instances.again();
        self.instances.write(&mut self.executor);
        self.recorder.reset();
        self.canceller.clear();
        (self.now, self.looked) = (self.system.run.start.time(), false);
        self.feed_data();
    }

    /// Advances to the end and returns why the run has ended. Unlike [`Run::finish`], it leaves the
    /// run to its caller, who may read it and [`Run::reset`] it.
    pub fn advance_to_end(&mut self) -> Result<StopReason, RunError> {
        loop {
            if let Some(reason) = self.advance_by(AT_ONCE)? {
                return Ok(reason);
            }
        }
    }

    /// A second run from this point on, without the rows so far.
    pub fn fork(&self) -> Run {
        let executor = match &self.executor {
            Executor::Exact(simulation) => Executor::Exact(Box::new(simulation.fork())),
            Executor::FixedStep(stepping) => Executor::FixedStep(Box::new(stepping.fork())),
        };
        let started = Some(self.recorder.started());
        let mut run = Run::with(&self.own_system(), executor, started);
        run.now = self.now;
        if !self.instances.is_empty() {
            run.go_on_with(self.instances.save());
        }
        run
    }

    /// Goes on with what is outside of the model from where it was saved.
    pub(crate) fn go_on_with(&mut self, instances: SavedInstances) {
        self.instances.load(instances);
        self.instances.write(&mut self.executor);
    }

    /// Takes the rows that have been recorded since the last call, so that a long run can be read in
    /// parts.
    pub fn take_trace(&mut self) -> Trace {
        self.recorder.take_trace(self.system.empty_trace())
    }
}

/// The value of a polynomial, computed as the block of a continuous input does.
fn ends_at(piece: &[Vec<f64>], since: f64) -> Vec<f64> {
    let width = piece[0].len();
    let value = |i: usize| {
        let coefficient = |order: usize| piece.get(order).map_or(0.0, |own| own[i]);
        (0..3).rev().fold(coefficient(3), |value, order| value * since + coefficient(order))
    };
    (0..width).map(value).collect()
}

/// A polynomial in the time since a later moment: its Taylor coefficients there.
fn moved(piece: &[Vec<f64>], by: f64) -> Vec<Vec<f64>> {
    let mut piece = piece.to_vec();
    for low in 0..piece.len() {
        for order in (low..piece.len() - 1).rev() {
            for element in 0..piece[order].len() {
                let above = piece[order + 1][element];
                piece[order][element] += by * above;
            }
        }
    }
    piece
}
