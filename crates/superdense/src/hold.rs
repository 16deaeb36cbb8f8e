//! A run in the hands of others: it advances to a time, is read and set there, forked and cancelled.
//!
//! Reading and advancing change no bit of the result. A value that is set takes effect at the
//! present time: the tag (t, n) that the run has reached stays as it is, and (t, n + 1) is the first
//! that sees the change. All values that are set between two advances are one microstep.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use base::{Elem, ExactTime, Time, Type, did_you_mean};
use blocks::Outside;
use diagram::{Diagram, ParameterKind};
use engine::{Progress, RunError, Simulation, StopReason};
use program::{InputId, InputKind};
use trace::{Interpolation, Samples, Trace};

use crate::data::Data;
use crate::foreign::SavedInstances;
use crate::native::NativeSwitch;
use crate::run::{AT_ONCE, Executor};
use crate::{Run, System};

/// A signal that a run records, looked up once.
#[derive(Clone, Debug)]
pub struct SignalHandle {
    index: usize,
    name: String,
    ty: Type,
    unit: Option<String>,
    diagram: Arc<Diagram>,
}

impl SignalHandle {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type of its value.
    pub fn ty(&self) -> Type {
        self.ty
    }

    /// Its unit, if it is an output or an input of the model with a unit.
    pub fn unit(&self) -> Option<&str> {
        self.unit.as_deref()
    }

    /// Its column in the rows of a run.
    pub fn column(&self) -> usize {
        self.index
    }
}

/// A signal from outside, looked up once: an input of the model or a tunable parameter.
#[derive(Clone, Debug)]
pub struct InputHandle {
    id: InputId,
    name: String,
    kind: InputKind,
    ty: Type,
    unit: Option<String>,
    /// Whether it has no initial value.
    required: bool,
    diagram: Arc<Diagram>,
}

impl InputHandle {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How it goes on between the times at which it is set.
    pub fn kind(&self) -> InputKind {
        self.kind
    }

    /// The type of its value.
    pub fn ty(&self) -> Type {
        self.ty
    }

    /// Its unit, if the model gives one.
    pub fn unit(&self) -> Option<&str> {
        self.unit.as_deref()
    }

    /// Whether a run must be given it, because it has no initial value.
    pub fn is_required(&self) -> bool {
        self.required
    }

    pub(crate) fn id(&self) -> InputId {
        self.id
    }

    /// How many coefficients a value may have.
    fn most_coefficients(&self) -> usize {
        if self.kind == InputKind::Continuous { Outside::COEFFICIENTS } else { 1 }
    }

    fn wrong(&self, given: String) -> HoldError {
        HoldError::WrongType { name: self.name.clone(), expected: self.ty, given }
    }

    /// Refuses numbers that are no value of this input.
    pub(crate) fn check(&self, values: &[f64]) -> Result<(), HoldError> {
        if values.len() != self.ty.len() {
            return Err(self.wrong(format!("{} numbers", values.len())));
        }
        if values.iter().any(|x| !x.is_finite()) {
            return Err(HoldError::NotFinite { name: self.name.clone() });
        }
        let truth = |x: &f64| *x == 0.0 || *x == 1.0;
        if self.ty.elem == Elem::Bool && !values.iter().all(truth) {
            return Err(self.wrong("another number than 0 and 1".to_owned()));
        }
        Ok(())
    }
}

/// Why something could not be read or set; the run is as it was before.
#[derive(Clone, PartialEq, Debug)]
pub enum HoldError {
    /// There is no input, parameter or recorded signal with this name.
    Unknown {
        /// What was looked for.
        what: &'static str,
        /// The name.
        name: String,
        /// A similar name, or all names.
        help: String,
    },
    /// A handle belongs to another system.
    OtherSystem {
        /// The name of the handle.
        name: String,
    },
    /// A value has the wrong type or size.
    WrongType {
        /// The name of the input or parameter.
        name: String,
        /// Its type.
        expected: Type,
        /// What was given.
        given: String,
    },
    /// A number is not finite.
    NotFinite {
        /// The name of the input or parameter.
        name: String,
    },
    /// The time is before the time that the run has reached.
    Past {
        /// The time \[s\].
        time: Time,
        /// The time that the run has reached \[s\].
        now: Time,
    },
    /// The parameter cannot change during a run.
    NotTunable {
        /// The parameter.
        name: String,
        /// Whether a run could start with another value without compiling.
        kind: ParameterKind,
    },
    /// The value of a parameter asks for another program, or is none that a run can have.
    OtherProgram {
        /// The parameter.
        name: String,
    },
    /// A run by fixed steps has no signals from outside.
    FixedSteps,
    /// The values could not be computed.
    Run(RunError),
}

impl fmt::Display for HoldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HoldError::Unknown { what, name, help } => {
                write!(f, "the model has no {what} `{name}`; {help}")
            }
            HoldError::OtherSystem { name } => {
                write!(
                    f,
                    "the handle of `{name}` belongs to another system: look it up in this one"
                )
            }
            HoldError::WrongType { name, expected, given } => {
                write!(f, "`{name}` is {}, and {given} was given", expected.with_article())
            }
            HoldError::NotFinite { name } => write!(f, "a value of `{name}` is not finite"),
            HoldError::Past { time, now } => {
                write!(f, "{time} s is in the past: the run has reached {now} s")
            }
            HoldError::NotTunable { name, kind } => {
                let why = match kind {
                    ParameterKind::Structural(_) => "decides the structure of the program",
                    _ => "is fixed during a run",
                };
                write!(
                    f,
                    "`{name}` {why}; start another run with it, or declare it `tunable: true`"
                )
            }
            HoldError::OtherProgram { name } => write!(
                f,
                "this run cannot be given this value of `{name}`, which may need another program; \
                 start another run with it"
            ),
            HoldError::FixedSteps => {
                write!(f, "a fixed-step run has no inputs; use `impulses: symbolic`")
            }
            HoldError::Run(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for HoldError {}

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

impl System {
    /// The handle of a recorded signal.
    pub fn signal(&self, name: &str) -> Result<SignalHandle, HoldError> {
        let records = &self.diagram.records;
        let shown = records.iter().filter(|record| !record.hidden);
        let index = shown.clone().position(|record| record.name == name).ok_or_else(|| {
            let known = shown.map(|record| record.name.as_str());
            unknown("recorded signal", name, known)
        })?;
        let (wire, diagram) = (self.diagram.wire(records[index].wire), self.diagram.clone());
        let input = diagram.inputs.iter().find(|input| input.block == wire.block);
        let model = &self.origin.model;
        let output = model.diagram(model.root).outputs.iter().find(|own| own.name.value == name);
        let about = output.map(|own| &own.about).or(input.map(|own| &own.about));
        let unit = about.and_then(|about| about.unit.clone());
        Ok(SignalHandle { index, name: name.to_owned(), ty: wire.ty, unit, diagram })
    }

    /// The handles of all signals from outside: the inputs of the model, then tunable parameters.
    pub fn inputs(&self) -> Vec<InputHandle> {
        let inputs = self.diagram.inputs.iter().enumerate();
        let handle = |(index, input): (usize, &diagram::DiagramInput)| InputHandle {
            id: InputId::new(index),
            name: input.name.clone(),
            kind: input.kind,
            ty: self.diagram.wire(self.diagram.block(input.block).outputs[0]).ty,
            unit: input.about.unit.clone(),
            required: input.required,
            diagram: self.diagram.clone(),
        };
        inputs.map(handle).collect()
    }

    /// The handle of an input of the model.
    pub fn input(&self, name: &str) -> Result<InputHandle, HoldError> {
        let inputs = self.diagram.inputs.iter().zip(self.inputs());
        let inputs: Vec<InputHandle> =
            inputs.filter(|(own, _)| own.parameter.is_none()).map(|(_, handle)| handle).collect();
        let known = inputs.iter().map(|input| input.name.as_str());
        let error = unknown("input", name, known);
        inputs.iter().find(|input| input.name == name).cloned().ok_or(error)
    }

    /// The handle of a tunable parameter.
    pub fn tunable(&self, name: &str) -> Result<InputHandle, HoldError> {
        let main = self.diagram.parameters.main();
        let Some(index) = main.iter().position(|own| own.name == name) else {
            return Err(unknown("parameter", name, main.iter().map(|own| own.name.as_str())));
        };
        let inputs = self.diagram.inputs.iter().zip(self.inputs());
        let mut own = inputs.filter(|(input, _)| input.parameter == Some(index));
        own.next().map(|(_, handle)| handle).ok_or_else(|| HoldError::NotTunable {
            name: name.to_owned(),
            kind: main[index].kind.clone(),
        })
    }
}

pub(crate) fn unknown<'n>(
    what: &'static str,
    name: &str,
    known: impl Iterator<Item = &'n str> + Clone,
) -> HoldError {
    let all: Vec<&str> = known.clone().take(8).collect();
    let help = did_you_mean(name, known).unwrap_or_else(|| match all.is_empty() {
        true => "it has none".to_owned(),
        false => format!("there are {}", all.join(", ")),
    });
    HoldError::Unknown { what, name: name.to_owned(), help }
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
            return Err(HoldError::OtherSystem { name: signal.name.clone() });
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
        Ok(simulation.value(signal.index))
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
            return Err(
                input.wrong(format!("{} coefficients, not 1 to {most}", coefficients.len()))
            );
        }
        coefficients.iter().try_for_each(|values| input.check(values))?;
        let mut values = coefficients.concat();
        values.resize(most * input.ty.len(), 0.0);
        simulation.feed(input.id, time, values);
        self.looked = false;
        Ok(())
    }

    /// What runs, if it takes this input.
    fn fed(&mut self, input: &InputHandle) -> Result<&mut Simulation, HoldError> {
        if !Arc::ptr_eq(&input.diagram, &self.system.diagram) {
            return Err(HoldError::OtherSystem { name: input.name.clone() });
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
        let by = if input.kind == InputKind::Continuous { by } else { Interpolation::Hold };
        // Everything is checked before anything is fed, so that a mistake changes nothing.
        (0..times.len()).try_for_each(|index| input.check(samples.value(index)))?;
        let simulation = self.fed(input)?;
        simulation.forget(input.id);
        simulation.mark_given(input.id);
        let later = times.first().is_some_and(|first| first.time() > now);
        if input.kind != InputKind::Event && later && input.required {
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
            if input.kind != InputKind::Event && begun {
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
