//! An instance of a model in the hands of another tool.
//!
//! It goes from set-up through initialisation to stepping. Whatever is set between two steps is
//! given to the run at the start of the next one, and only if it differs from what the run has: so
//! a run is bit-identical to one that is driven through `Run::advance_to` and `Run::set` with the
//! same values at the same times.

use std::fmt;
use std::sync::{Arc, Mutex};

use ::fmi::Kind;
use base::{Elem, Time};
use engine::{RunError, StopReason};
use model::Refused;

use super::exchange::Owner;
use super::interface::{Interface, Port, Role, value_of};
use crate::run::Executor;
use crate::{HoldError, InputHandle, InputKind, RowsPer, Run, Settings, System};

/// The stop time of a run whose importer has given none \[s\].
const FAR: f64 = 1e12;

/// Why an instance cannot go on.
#[derive(Debug)]
pub enum InstanceError {
    /// There is no variable with this reference, or it has fewer elements.
    NoVariable(u32),
    /// The variable cannot be set, for this reason.
    NotSettable(String, &'static str),
    /// A value is not one of the variable.
    BadValue(String, String),
    /// A function was called that is not allowed now.
    WrongState(&'static str),
    /// A time is before that of the instance, not finite, or beyond the stop time.
    BadTime(String),
    /// The parameters are none that the model can have.
    Refused(Refused),
    /// The run has failed.
    Run(RunError),
    /// A value could not be set or read.
    Hold(HoldError),
    /// A rate is not finite: the importer's step has gone too far.
    NotFinite,
    /// The bytes are no state of this model.
    BadState(String),
}

impl fmt::Display for InstanceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InstanceError::NoVariable(reference) => {
                write!(f, "there is no variable with the value reference {reference}")
            }
            InstanceError::NotSettable(name, why) => write!(f, "`{name}` cannot be set: {why}"),
            InstanceError::BadValue(name, why) => write!(f, "a value of `{name}` {why}"),
            InstanceError::WrongState(why) => f.write_str(why),
            InstanceError::BadTime(why) => f.write_str(why),
            InstanceError::Refused(refused) => f.write_str(&refused.render(false)),
            InstanceError::Run(error) => error.fmt(f),
            InstanceError::Hold(error) => error.fmt(f),
            InstanceError::NotFinite => f.write_str("a derivative is not finite"),
            InstanceError::BadState(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for InstanceError {}

impl From<HoldError> for InstanceError {
    fn from(error: HoldError) -> InstanceError {
        InstanceError::Hold(error)
    }
}

impl From<RunError> for InstanceError {
    fn from(error: RunError) -> InstanceError {
        InstanceError::Run(error)
    }
}

/// Where an instance is on its way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) enum Phase {
    /// Before initialisation.
    Setup,
    /// While initial values are set.
    Initializing,
    /// Steps are taken.
    Stepping,
    /// The run is over.
    Ended,
}

/// How a step has ended.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Stepped {
    /// The time that has been reached \[s\].
    pub time: f64,
    /// Whether the model has ended its run.
    pub terminated: bool,
    /// Whether something has happened at that time.
    pub event: bool,
}

/// What an event iteration has changed.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Iterated {
    /// Whether there is another iteration at this time.
    pub again: bool,
    /// Whether the model has ended its run.
    pub terminated: bool,
    /// Whether continuous states have new values.
    pub states_changed: bool,
    /// The time of the next event that is known \[s\].
    pub next: Option<f64>,
}

/// The last values of signals that may be absent, written by the run as they occur.
pub(crate) type Held = Arc<Mutex<Vec<f64>>>;

/// An instance of a model.
#[derive(Debug)]
pub struct Instance {
    pub(crate) interface: Arc<Interface>,
    pub(crate) kind: Kind,
    pub(crate) phase: Phase,
    /// The values of all variables.
    pub(crate) values: Vec<f64>,
    /// For each port, whether it was set since the run has last been given it.
    pub(crate) changed: Vec<bool>,
    /// For each port, the time derivatives that an input was given for the next step.
    pub(crate) slopes: Vec<Vec<Vec<f64>>>,
    /// For each port, whether the run has a polynomial for it that is not constant.
    pub(crate) bent: Vec<bool>,
    /// For each port, whether it is an input that follows the data of the model: nobody has set it.
    pub(crate) fed: Vec<bool>,
    pub(crate) held: Held,
    /// What was given for the run: start, stop, relative tolerance.
    pub(crate) start: f64,
    pub(crate) stop: Option<f64>,
    pub(crate) tolerance: Option<f64>,
    pub(crate) run: Option<Run>,
    /// In Model Exchange, where the importer is, and the continuous inputs before an event.
    pub(crate) owner: Option<Owner>,
    pub(crate) left_inputs: Vec<Option<Vec<f64>>>,
    /// Whether the values of signals are those of the run.
    pub(crate) fresh: bool,
    /// In Co-Simulation, whether an event is being handled.
    pub(crate) event: bool,
}

impl Instance {
    /// An instance before its initialisation.
    pub fn new(interface: &Arc<Interface>, kind: Kind) -> Result<Instance, InstanceError> {
        if kind == Kind::ModelExchange && interface.without_exchange.is_some() {
            return Err(InstanceError::WrongState("the model is exported for Co-Simulation only"));
        }
        Ok(Instance::of(interface, kind))
    }

    /// The same, of a kind that the model has.
    pub(crate) fn of(interface: &Arc<Interface>, kind: Kind) -> Instance {
        let mut values = vec![0.0; interface.len()];
        for port in interface.ports() {
            if let Some(start) = &port.start {
                values[port.range()].copy_from_slice(start);
            }
        }
        let count = interface.ports().len();
        let data = &interface.system.data;
        let fed = |port: &Port| match &port.role {
            Role::Input(input) => data.iter().any(|own| own.input.id() == input.id()),
            _ => false,
        };
        Instance {
            fed: interface.ports().iter().map(fed).collect(),
            kind,
            phase: Phase::Setup,
            held: Arc::new(Mutex::new(vec![0.0; values.len()])),
            changed: vec![false; count],
            slopes: vec![Vec::new(); count],
            bent: vec![false; count],
            start: interface.system.settings().start.time().seconds(),
            values,
            stop: None,
            tolerance: None,
            run: None,
            owner: (kind == Kind::ModelExchange).then(Owner::default),
            left_inputs: Vec::new(),
            fresh: false,
            event: false,
            interface: interface.clone(),
        }
    }

    /// Its variables.
    pub fn interface(&self) -> &Arc<Interface> {
        &self.interface
    }

    /// What the run is to be: where it starts, where it stops if that is known, and its tolerance.
    pub fn set_up(
        &mut self,
        start: f64,
        stop: Option<f64>,
        tolerance: Option<f64>,
    ) -> Result<(), InstanceError> {
        if self.phase != Phase::Setup {
            return Err(InstanceError::WrongState("the experiment is set before initialisation"));
        }
        let finite = start.is_finite() && stop.is_none_or(|stop| stop.is_finite() && stop >= start);
        if !finite || tolerance.is_some_and(|own| !(own.is_finite() && own > 0.0)) {
            let message = format!("start {start}, stop {stop:?}, tolerance {tolerance:?}");
            return Err(InstanceError::BadTime(message));
        }
        (self.start, self.stop, self.tolerance) = (start, stop, tolerance);
        Ok(())
    }

    /// Begins initialisation.
    pub fn enter_initialization(&mut self) -> Result<(), InstanceError> {
        if self.phase != Phase::Setup {
            return Err(InstanceError::WrongState("initialisation has begun already"));
        }
        self.phase = Phase::Initializing;
        self.values[0] = self.start;
        Ok(())
    }

    /// Ends initialisation: the run has started, and the events of the start are over.
    pub fn exit_initialization(&mut self) -> Result<(), InstanceError> {
        if self.phase != Phase::Initializing {
            return Err(InstanceError::WrongState("initialisation has not begun"));
        }
        self.started()?;
        self.left_inputs = self.inputs_before();
        self.phase = Phase::Stepping;
        Ok(())
    }

    /// Sets elements from a reference on; `numbers` are those of one variable or of a part of it.
    pub fn set(&mut self, reference: u32, numbers: &[f64]) -> Result<(), InstanceError> {
        let interface = self.interface.clone();
        let first = reference as usize;
        let port = interface.port_at(first).ok_or(InstanceError::NoVariable(reference))?;
        let range = first..first + numbers.len();
        if range.end > port.range().end {
            return Err(InstanceError::NoVariable(reference));
        }
        self.may_set(port)?;
        check(port, numbers)?;
        let same = |(own, new): (&f64, &f64)| own.to_bits() == new.to_bits();
        let unchanged = self.values[range.clone()].iter().zip(numbers).all(same);
        let index = self.index_of(port);
        // Before the start, the value that an input begins with is none that is given.
        if unchanged && !(self.fed[index] && self.phase == Phase::Stepping) {
            return Ok(());
        }
        self.values[range].copy_from_slice(numbers);
        self.fed[index] = false;
        self.changed[index] = true;
        if self.owner.is_some() || self.event {
            self.fresh = false;
        }
        if self.phase == Phase::Initializing {
            // What has been read so far was for other values.
            (self.run, self.fresh) = (None, false);
        }
        Ok(())
    }

    /// Gives a continuous input its time derivative of an order (1 to 3) for the next step.
    pub fn set_derivative(
        &mut self,
        reference: u32,
        order: usize,
        value: f64,
    ) -> Result<(), InstanceError> {
        let interface = self.interface.clone();
        let first = reference as usize;
        let port = interface.port_at(first).ok_or(InstanceError::NoVariable(reference))?;
        let continuous =
            matches!(&port.role, Role::Input(own) if own.kind() == InputKind::Continuous);
        if !continuous || !(1..=3).contains(&order) {
            let why = "only continuous inputs have derivatives, of the orders 1 to 3";
            return Err(InstanceError::NotSettable(port.name.clone(), why));
        }
        check(port, &[value])?;
        let index = self.index_of(port);
        let slopes = &mut self.slopes[index];
        slopes.resize(3, vec![0.0; port.ty.len()]);
        slopes[order - 1][first - port.first] = value;
        Ok(())
    }

    pub(crate) fn index_of(&self, port: &Port) -> usize {
        self.interface.ports().partition_point(|own| own.range().end <= port.first)
    }

    fn may_set(&self, port: &Port) -> Result<(), InstanceError> {
        let not = |why| Err(InstanceError::NotSettable(port.name.clone(), why));
        match (&port.role, self.phase) {
            (_, Phase::Ended) => not("the run is over"),
            (Role::Parameter(_) | Role::Input(_), Phase::Setup | Phase::Initializing) => Ok(()),
            (Role::Input(_) | Role::Parameter(Some(_)), _) => Ok(()),
            (Role::Parameter(None), Phase::Stepping) => {
                not("it is fixed during a run; declare it `tunable: true` in the model")
            }
            _ => not("it is computed"),
        }
    }

    /// Starts the run if that has not been done yet, and does the events of the start.
    pub(crate) fn started(&mut self) -> Result<(), InstanceError> {
        if self.run.is_some() {
            return Ok(());
        }
        let system = self.settled()?;
        let mut run = system.begin();
        // Without this, a thread of its own might compile, and outlive the library.
        let _ = run.set_backend(crate::Backend::Native);
        self.held.lock().unwrap_or_else(|own| own.into_inner()).fill(0.0);
        self.keep_held(&mut run);
        for (index, port) in self.interface.ports().iter().enumerate() {
            let given = match &port.role {
                Role::Input(input) => {
                    // A run may have been begun before, with other values.
                    let own = self.values[port.range()].iter().map(|x| x.to_bits());
                    let start = port.start.iter().flatten().map(|x| x.to_bits());
                    let set = self.changed[index] || own.ne(start);
                    (set || input.is_required()).then_some(input)
                }
                _ => None,
            };
            if let Some(input) = given.filter(|_| !self.fed[index]) {
                take_back(&mut run, input);
                run.set(input, &self.values[port.range()])?;
            }
            self.changed[index] = false;
        }
        if self.owner.is_some() {
            self.run = Some(run);
            return self.start_owned();
        }
        let start = run.time();
        run.advance_to(start)?;
        (self.run, self.fresh) = (Some(run), false);
        Ok(())
    }

    /// The system with the parameters and settings of this instance.
    pub(crate) fn settled(&self) -> Result<System, InstanceError> {
        let system = &self.interface.system;
        let time = |seconds: f64| Time::rational_of(seconds).map(base::Value::rational);
        let bad = || InstanceError::BadTime("a time is beyond the range of model time".to_owned());
        let mut settings = Settings::default()
            .start(time(self.start).ok_or_else(bad)?)
            .stop(time(self.stop.unwrap_or(self.start + FAR)).ok_or_else(bad)?);
        // The last value of a signal is known as soon as it occurs.
        settings = settings.rows(RowsPer::Microstep);
        let run = system.settings();
        if run.step.is_none() && system.options.solver.method.is_fixed() {
            // A hundredth of the run that the model describes, not of that of the importer.
            settings = settings.step(system.options.solver.step);
        }
        if let Some(tolerance) = self.tolerance {
            settings = settings.relative_tolerance(tolerance);
        }
        let parameters = self.interface.ports().iter().filter(|own| {
            let now = &self.values[own.range()];
            matches!(own.role, Role::Parameter(_)) && own.start.as_deref() != Some(now)
        });
        settings.parameters = parameters
            .map(|own| (own.name.clone(), value_of(own, &self.values[own.range()])))
            .collect();
        system.with(&settings).map_err(InstanceError::Refused)
    }

    /// Lets a run keep the last values of signals that may be absent.
    pub(crate) fn keep_held(&self, run: &mut Run) {
        let absent = self.interface.ports().iter().filter_map(|port| match &port.role {
            Role::Signal { signal, absent: true, .. } => Some((signal.column(), port.range())),
            _ => None,
        });
        let absent: Vec<_> = absent.collect();
        if absent.is_empty() {
            return run.record_nothing();
        }
        let held = self.held.clone();
        run.hand_rows_to(Box::new(move |row| {
            let mut held = held.lock().unwrap_or_else(|own| own.into_inner());
            for (column, range) in &absent {
                if let Some(now) = row.value(*column) {
                    held[range.clone()].copy_from_slice(now);
                }
            }
        }));
    }

    /// Gives the run what was set since the last step.
    pub(crate) fn give(&mut self) -> Result<(), InstanceError> {
        let Instance { interface, values, changed, slopes, bent, run, fed, .. } = self;
        let Some(run) = run else { return Ok(()) };
        let now = run.time();
        for (index, port) in interface.ports().iter().enumerate() {
            let slopes = std::mem::take(&mut slopes[index]);
            let changed = std::mem::take(&mut changed[index]);
            let (Role::Input(input) | Role::Parameter(Some(input))) = &port.role else { continue };
            let value = &values[port.range()];
            let flat = slopes.iter().flatten().all(|x| *x == 0.0);
            if !flat || changed {
                // The data of the model end where the importer begins.
                take_back(run, input);
                fed[index] = false;
            }
            if !flat {
                let scaled = |(order, own): (usize, &Vec<f64>)| -> Vec<f64> {
                    let factor = [1.0, 2.0, 6.0][order];
                    own.iter().map(|x| x / factor).collect()
                };
                let higher: Vec<Vec<f64>> = slopes.iter().enumerate().map(scaled).collect();
                let mut all: Vec<&[f64]> = vec![value];
                all.extend(higher.iter().map(Vec::as_slice));
                run.feed(input, now, &all)?;
            } else if changed || bent[index] {
                run.set(input, value)?;
            }
            bent[index] = !flat;
        }
        Ok(())
    }

    /// Takes a step; with `early` it ends at the first time at which something happens.
    pub fn step(&mut self, from: f64, length: f64, early: bool) -> Result<Stepped, InstanceError> {
        let to = self.begin_step(from, length)?;
        let Some(run) = &mut self.run else { return Ok(Stepped::at(to.seconds())) };
        let (reason, event) = match early {
            true => {
                // What was set is an event of its own, which the importer knows of.
                let now = run.time();
                run.advance_to(now)?;
                run.advance_to_event(to)?
            }
            false => (run.advance_to(to)?, false),
        };
        let cut = event || ends(&reason);
        self.stepped(to, reason, event, cut)
    }

    /// Gives the run what was set for a step, and returns the time at its end, for
    /// [`Instance::part_of_step`].
    pub fn begin_step(&mut self, from: f64, length: f64) -> Result<Time, InstanceError> {
        if self.phase != Phase::Stepping || self.owner.is_some() {
            return Err(InstanceError::WrongState(
                "steps are taken in Co-Simulation, after initialisation",
            ));
        }
        let to = self.target(from, length)?;
        self.give()?;
        (self.fresh, self.event) = (false, false);
        Ok(to)
    }

    /// Takes a step of the solver or handles an event, up to a time at most.
    pub fn part_of_step(&mut self, to: Time) -> Result<Stepped, InstanceError> {
        self.fresh = false;
        let Some(run) = &mut self.run else { return Ok(Stepped::at(to.seconds())) };
        let (reason, event) = run.advance_to_step(to)?;
        self.stepped(to, reason, event, true)
    }

    /// What a step was; it may have been cut short.
    fn stepped(
        &mut self,
        to: Time,
        reason: Option<StopReason>,
        event: bool,
        cut: bool,
    ) -> Result<Stepped, InstanceError> {
        let terminated = ends(&reason);
        let reached = self.run.as_ref().map_or(to, |run| run.time().min(to));
        let time = if cut { reached.seconds() } else { to.seconds() };
        if terminated {
            self.look()?;
            self.phase = Phase::Ended;
        }
        self.values[0] = time;
        Ok(Stepped { time, terminated, event })
    }

    /// The end of a step.
    fn target(&self, from: f64, length: f64) -> Result<Time, InstanceError> {
        let bad = |why: String| Err(InstanceError::BadTime(why));
        let to = from + length;
        let (Some(time), true) = (Time::from_f64(to), length >= 0.0) else {
            return bad(format!("a step from {from} s by {length} s"));
        };
        let Some(run) = &self.run else { return Ok(time) };
        if time < run.time() {
            // The sum of the importer may be a bit below a time that was reached as another sum.
            return match run.time().since(time) <= 4.0 * f64::EPSILON * to.abs() {
                true => Ok(run.time()),
                false => bad(format!("{to} s is before {} s, which was reached", run.time())),
            };
        }
        let reached = self.values[0];
        if (from - reached).abs() > 1e-9 * (1.0 + from.abs()) {
            return bad(format!("a step from {from} s, but {reached} s has been reached"));
        }
        let stop = run.system.settings().stop;
        match time > stop {
            true if time.since(stop) <= 1e-9 * (1.0 + to.abs()) => Ok(stop),
            true => bad(format!("{to} s is beyond the stop time {stop} s of the experiment")),
            false => Ok(time),
        }
    }

    /// What was set at an event takes effect there. Afterwards the instant is over.
    pub fn update_discrete(&mut self) -> Result<Iterated, InstanceError> {
        self.running()?;
        if self.owner.is_some() {
            return self.iterate_owned();
        }
        self.give()?;
        self.fresh = false;
        let mut found = Iterated::default();
        if let Some(run) = &mut self.run {
            let now = run.time();
            let reason = run.advance_to(now)?;
            found.terminated = matches!(reason, Some(StopReason::Ended(_) | StopReason::Zeno(_)));
        }
        Ok(found)
    }

    /// In Co-Simulation, the handling of an event is over.
    pub fn enter_step(&mut self) -> Result<(), InstanceError> {
        self.running()?;
        self.event = false;
        Ok(())
    }

    /// The run is over; values can still be read.
    pub fn terminate(&mut self) -> Result<(), InstanceError> {
        if self.phase == Phase::Setup {
            return Err(InstanceError::WrongState("nothing has begun that could be terminated"));
        }
        self.phase = Phase::Ended;
        Ok(())
    }

    /// Back to before initialisation.
    pub fn reset(&mut self) {
        *self = Instance::of(&self.interface, self.kind);
    }
}

impl Stepped {
    fn at(time: f64) -> Stepped {
        Stepped { time, terminated: false, event: false }
    }
}

/// Whether the model has ended its run.
fn ends(reason: &Option<StopReason>) -> bool {
    match reason {
        None | Some(StopReason::Stopped) => false,
        Some(StopReason::Ended(_) | StopReason::Zeno(_)) => true,
    }
}

/// The data of the model end where an importer sets an input itself.
fn take_back(run: &mut Run, input: &InputHandle) {
    if let Executor::Exact(simulation) = &mut run.executor {
        simulation.forget(input.id());
    }
}

/// Refuses numbers that a variable cannot have.
fn check(port: &Port, numbers: &[f64]) -> Result<(), InstanceError> {
    let bad = |why: &str| Err(InstanceError::BadValue(port.name.clone(), why.to_owned()));
    let is_input = matches!(port.role, Role::Input(_) | Role::Parameter(Some(_)));
    if numbers.iter().any(|x| x.is_nan()) {
        return bad("is NaN");
    }
    if is_input && numbers.iter().any(|x| !x.is_finite()) {
        return bad("is not finite");
    }
    match port.ty.elem {
        Elem::Bool if numbers.iter().any(|x| *x != 0.0 && *x != 1.0) => bad("is neither 0 nor 1"),
        Elem::Int if numbers.iter().any(|x| x.fract() != 0.0) => bad("is not an integer"),
        _ => Ok(()),
    }
}
