//! Model Exchange: an instance whose continuous states are in the hands of the importer.
//!
//! Between events the importer gives time, states and inputs, and the instance computes rates,
//! indicators and outputs. At an event the engine does its microsteps, one for each iteration.

use base::Time;
use engine::{Direction, Outside, OutsidePoint, Progress, Simulation};
use program::InputId;
use serde::{Deserialize, Serialize};

use super::instance::{Instance, InstanceError, Iterated, Phase};
use super::interface::{Interface, Role};
use crate::InputKind;
use crate::recorder::Recorder;
use crate::run::Executor;

/// Where the importer is.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub(crate) struct Owner {
    /// The time \[s\].
    pub time: f64,
    /// The continuous states.
    pub states: Vec<f64>,
    /// What was computed last.
    rates: Vec<f64>,
    indicators: Vec<f64>,
    /// Whether an event is being handled, and whether its tick is still to begin.
    event: bool,
    pending: bool,
    /// The time of the event, exactly.
    at: Time,
    /// With delays: where the present step of the importer begins, how long its steps may be, and
    /// when it is to come to an event for that \[s\].
    last: OutsidePoint,
    reach: f64,
    horizon: Option<f64>,
}

impl Interface {
    /// How many continuous states there are in Model Exchange.
    pub fn state_count(&self) -> usize {
        self.ports.iter().filter(|own| matches!(own.role, Role::State(_))).count()
    }

    /// The magnitude of a continuous state at which the absolute tolerance of the model is the
    /// relative one.
    pub fn nominal(&self) -> f64 {
        let run = self.system.settings();
        run.absolute_tolerance / run.relative_tolerance
    }

    /// How many event indicators there are.
    pub fn indicator_count(&self) -> usize {
        self.ports.iter().filter(|own| matches!(own.role, Role::Indicator(_))).count()
    }
}

impl Instance {
    /// The run, its recorder, where the importer is, and the continuous inputs as they are now.
    fn owned(&mut self) -> Result<Owned<'_>, InstanceError> {
        let inputs = self.continuous_inputs();
        let Instance { run, owner, .. } = self;
        match (run, owner) {
            (Some(run), Some(owner)) => match &mut run.executor {
                Executor::Exact(simulation) => {
                    Ok(Owned { simulation, recorder: &mut run.recorder, owner, inputs })
                }
                Executor::FixedStep(_) => Err(OTHER),
            },
            _ => Err(OTHER),
        }
    }

    /// The continuous inputs that are in the hands of the importer; others follow the data of the
    /// model.
    fn continuous_inputs(&self) -> Vec<(InputId, Vec<f64>)> {
        self.continuous_now().filter_map(|(id, values)| Some((id, values?.to_vec()))).collect()
    }

    /// All continuous inputs, with the values of those that are in the hands of the importer.
    fn continuous_now(&self) -> impl Iterator<Item = (InputId, Option<&[f64]>)> {
        let ports = self.interface.ports().iter().enumerate();
        ports.filter_map(|(index, port)| match &port.role {
            Role::Input(input) if input.kind() == InputKind::Continuous => {
                let given = !self.fed[index];
                Some((input.id(), given.then(|| &self.values[port.range()])))
            }
            _ => None,
        })
    }

    /// The values that continuous inputs have before an event.
    pub(crate) fn inputs_before(&self) -> Vec<Option<Vec<f64>>> {
        self.continuous_now().map(|(_, values)| values.map(<[f64]>::to_vec)).collect()
    }

    /// The continuous inputs at their left limits.
    fn left_limits(&self) -> Vec<(InputId, Vec<f64>)> {
        let all = self.continuous_now().zip(&self.left_inputs);
        all.filter_map(|((id, _), left)| Some((id, left.clone()?))).collect()
    }

    /// Starts the run; its events are those of the first event mode.
    pub(crate) fn start_owned(&mut self) -> Result<(), InstanceError> {
        let start = self.start;
        let Owned { simulation, recorder, owner, .. } = self.owned()?;
        simulation.start_outside(recorder)?;
        simulation.states_inside(&mut owner.states);
        (owner.time, owner.event, owner.pending) = (start, true, false);
        owner.at = simulation.snapshot().tag().time;
        owner.reach = simulation.first_reach();
        self.fresh = false;
        Ok(())
    }

    /// Computes whatever can be read.
    pub(crate) fn look_owned(&mut self) -> Result<(), InstanceError> {
        if self.owner.as_ref().is_some_and(|own| own.event) && self.changed.contains(&true) {
            return self.look_ahead();
        }
        let Owned { simulation, owner, inputs, .. } = self.owned()?;
        if owner.event && simulation.is_in_tick() {
            simulation.look_inside();
        } else {
            let at = Outside { time: owner.time, states: &owner.states, inputs: &inputs };
            simulation.evaluate_outside(&at, &mut owner.rates, &mut owner.indicators);
        }
        let Instance { values, held, run, owner, .. } = self;
        let (Some(run), Some(owner)) = (run, owner) else { return Err(OTHER) };
        let Executor::Exact(simulation) = &run.executor else { return Err(OTHER) };
        let held = held.lock().unwrap_or_else(|own| own.into_inner());
        for port in self.interface.ports() {
            match &port.role {
                Role::Signal { signal, absent, .. } => match simulation.value(signal.column()) {
                    Some(now) => values[port.range()].copy_from_slice(now),
                    None if *absent => values[port.range()].copy_from_slice(&held[port.range()]),
                    None => {}
                },
                Role::State(index) => values[port.first] = owner.states[*index],
                Role::Derivative(index) => {
                    values[port.first] = owner.rates.get(*index).copied().unwrap_or(0.0);
                }
                Role::Indicator(index) => {
                    values[port.first] = owner.indicators.get(*index).copied().unwrap_or(1.0);
                }
                _ => {}
            }
        }
        self.fresh = true;
        Ok(())
    }

    /// Begins the handling of an event at the present time.
    pub fn enter_event(&mut self) -> Result<(), InstanceError> {
        self.running()?;
        if self.owner.is_none() {
            self.event = true;
            return Ok(());
        }
        let Owned { simulation, owner, .. } = self.owned()?;
        let Some(mut time) = Time::from_f64(owner.time) else {
            return Err(InstanceError::BadTime(format!("{} s is no time", owner.time)));
        };
        let (next, reached) = (simulation.next_time(), simulation.snapshot().tag().time);
        if next < Time::MAX && (near(next.seconds(), owner.time) || time > next) {
            // The importer may come to a known event a little late.
            if time.since(next) > LATE * owner.time.abs().max(1.0) {
                let message = format!("{time} s is beyond the event at {next} s");
                return Err(InstanceError::BadTime(message));
            }
            time = next;
        }
        if time < reached && !near(reached.seconds(), owner.time) {
            let message = format!("{time} s is before the event at {reached} s");
            return Err(InstanceError::BadTime(message));
        }
        time = time.max(reached);
        (owner.event, owner.pending, owner.at) = (true, true, time);
        if let Some(run) = &mut self.run {
            run.now = time;
        }
        // A continuous input that has moved so far is at its left limit.
        for (index, port) in self.interface.clone().ports().iter().enumerate() {
            if matches!(&port.role, Role::Input(own) if own.kind() == InputKind::Continuous) {
                self.changed[index] = false;
                self.bent[index] = false;
            }
        }
        self.left_inputs = self.inputs_before();
        self.fresh = false;
        Ok(())
    }

    /// Whether the run goes on, as functions between initialisation and the end require.
    pub(crate) fn running(&self) -> Result<(), InstanceError> {
        match self.phase {
            Phase::Stepping => Ok(()),
            _ => Err(InstanceError::WrongState("this is done after initialisation, in a run")),
        }
    }

    /// One iteration at an event.
    pub(crate) fn iterate_owned(&mut self) -> Result<Iterated, InstanceError> {
        let given = self.changed.iter().any(|changed| *changed);
        // Inputs that were set at the event are changes of it, after the left limits.
        let left = self.left_limits();
        self.give()?;
        let run = self.interface.system.settings();
        let span = PART * (run.stop - run.start.time()).seconds();
        let Owned { simulation, recorder, owner, inputs } = self.owned()?;
        if !owner.event {
            return Err(InstanceError::WrongState("iterations are done in event mode"));
        }
        let before = owner.states.clone();
        let (mut progress, mut acted) = (Progress::Going, false);
        if owner.pending || (given && !simulation.is_in_tick()) {
            let at = Outside { time: owner.time, states: &owner.states, inputs: &left };
            if simulation.records_steps() && owner.pending {
                owner.reach = simulation.record_outside(&owner.last, &at, owner.at)?;
                owner.last = OutsidePoint::of(&at);
            }
            // An event that was asked for only to end a step is none.
            let early = LATE * owner.time.abs().max(1.0);
            let asked = owner.horizon.is_some_and(|horizon| owner.time >= horizon - early);
            if !asked || given || simulation.is_event_outside(&at, owner.at) {
                acted = true;
                progress = simulation.begin_outside(&at, owner.at, recorder)?;
                owner.reach = owner.reach.min(simulation.first_reach());
            }
            owner.pending = false;
        }
        if simulation.is_in_tick() && progress == Progress::Going {
            acted = true;
            progress = simulation.microstep_outside(recorder)?;
        }
        simulation.states_inside(&mut owner.states);
        // After a microstep, outputs may be new to the models that are connected with this one, and
        // they may have something to say in turn.
        let ended = progress != Progress::Going || simulation.is_ended();
        let again = simulation.is_in_tick() && progress == Progress::Going || acted && !ended;
        let next = simulation.next_time();
        let next = (next < Time::MAX).then(|| next.seconds());
        let from = owner.time.max(owner.at.seconds());
        let delays = simulation.records_steps();
        owner.horizon = delays.then_some(from + owner.reach);
        if !again && !ended {
            let at = Outside { time: from, states: &owner.states, inputs: &inputs };
            let foreseen = simulation.foreseen(&at, span);
            owner.horizon = owner.horizon.into_iter().chain(foreseen).reduce(f64::min);
        }
        let found = Iterated {
            again,
            terminated: !again && ended,
            states_changed: !same_bits(&before, &owner.states),
            next: next.into_iter().chain(owner.horizon).reduce(f64::min),
        };
        self.left_inputs = self.inputs_before();
        self.fresh = false;
        Ok(found)
    }

    /// Goes on between events.
    pub fn enter_continuous(&mut self) -> Result<(), InstanceError> {
        self.running()?;
        let Owned { simulation, owner, inputs, .. } = self.owned()?;
        if simulation.is_in_tick() || owner.pending {
            let why = "the event is not over: iterate until no more iterations are needed";
            return Err(InstanceError::WrongState(why));
        }
        owner.event = false;
        let at = Outside { time: owner.time, states: &owner.states, inputs: &inputs };
        owner.last = OutsidePoint::of(&at);
        self.fresh = false;
        Ok(())
    }

    /// A step of the importer is complete; returns whether an event is to be handled.
    pub fn completed_step(&mut self) -> Result<bool, InstanceError> {
        self.running()?;
        let Owned { simulation, owner, inputs, .. } = self.owned()?;
        let at = Outside { time: owner.time, states: &owner.states, inputs: &inputs };
        if simulation.records_steps() {
            let next = simulation.next_time();
            let end = match next < Time::MAX && near(next.seconds(), at.time) {
                true => next,
                false => Time::from_f64(at.time).unwrap_or(next),
            };
            owner.reach = simulation.record_outside(&owner.last, &at, end)?;
            owner.last = OutsidePoint::of(&at);
        }
        simulation.complete_outside(&at);
        self.fresh = false;
        Ok(false)
    }

    /// Sets the time \[s\].
    pub fn set_time(&mut self, time: f64) -> Result<(), InstanceError> {
        if !time.is_finite() {
            return Err(InstanceError::BadTime(format!("{time} s is no time")));
        }
        self.running()?;
        let Owned { owner, .. } = self.owned()?;
        if owner.event && time != owner.time {
            return Err(InstanceError::WrongState("time stands still in event mode"));
        }
        owner.time = time;
        (self.values[0], self.fresh) = (time, false);
        Ok(())
    }

    /// Sets the continuous states.
    pub fn set_states(&mut self, states: &[f64]) -> Result<(), InstanceError> {
        self.running()?;
        let Owned { owner, .. } = self.owned()?;
        if owner.states.len() != states.len() {
            return Err(InstanceError::WrongState("there is another number of states"));
        }
        owner.states.copy_from_slice(states);
        self.fresh = false;
        Ok(())
    }

    /// The continuous states.
    pub fn states(&mut self, states: &mut [f64]) -> Result<(), InstanceError> {
        if self.phase == Phase::Initializing {
            self.look()?;
        }
        fill(states, &self.owned()?.owner.states)
    }

    /// Computes rates and indicators. During an event they are those of the microstep that it has come
    /// to, as if no other followed.
    fn look_at_rates(&mut self) -> Result<(), InstanceError> {
        self.look()?;
        let Owned { simulation, owner, inputs, .. } = self.owned()?;
        if owner.event && simulation.is_in_tick() {
            let at = Outside { time: owner.time, states: &owner.states, inputs: &inputs };
            simulation.evaluate_outside(&at, &mut owner.rates, &mut owner.indicators);
            // Recorded signals are those of the microstep.
            simulation.look_inside();
        }
        Ok(())
    }

    /// Their derivatives.
    pub fn derivatives(&mut self, rates: &mut [f64]) -> Result<(), InstanceError> {
        self.look_at_rates()?;
        let own = &self.owned()?.owner.rates;
        if own.iter().any(|x| !x.is_finite()) {
            return Err(InstanceError::NotFinite);
        }
        fill(rates, own)
    }

    /// The event indicators.
    pub fn indicators(&mut self, indicators: &mut [f64]) -> Result<(), InstanceError> {
        self.look_at_rates()?;
        fill(indicators, &self.owned()?.owner.indicators)
    }

    /// How unknowns change with knowns: the states, continuous inputs and time.
    pub fn directional(
        &mut self,
        (unknowns, knowns): (&[u32], &[u32]),
        seed: &[f64],
        result: &mut [f64],
    ) -> Result<(), InstanceError> {
        let interface = self.interface().clone();
        self.look()?;
        let direction = self.direction(knowns, seed)?;
        let Owned { simulation, owner, inputs, .. } = self.owned()?;
        let at = Outside { time: owner.time, states: &owner.states, inputs: &inputs };
        let (rates, signals) = simulation.differentiate_outside(&at, &direction);
        let wide = result.len() > unknowns.len();
        let mut places = result.iter_mut();
        for unknown in unknowns {
            let port = interface.port_at(*unknown as usize);
            let port = port.ok_or(InstanceError::NoVariable(*unknown))?;
            let from = *unknown as usize - port.first;
            let moved: Vec<f64> = match &port.role {
                Role::Derivative(index) => vec![rates[*index]],
                Role::State(index) => vec![direction.states[*index]],
                Role::Signal { signal, .. } if wide => signals[signal.column()].clone(),
                Role::Signal { signal, .. } => vec![signals[signal.column()][from]],
                _ => {
                    let why = "it is no unknown";
                    return Err(InstanceError::NotSettable(port.name.clone(), why));
                }
            };
            for x in moved {
                let few = InstanceError::WrongState("there is less room than unknowns");
                *places.next().ok_or(few)? = x;
            }
        }
        Ok(())
    }

    /// The direction in which seeds move the knowns.
    fn direction(&mut self, knowns: &[u32], seed: &[f64]) -> Result<Direction, InstanceError> {
        let interface = self.interface().clone();
        let inputs = self.continuous_inputs();
        let mut direction = Direction {
            time: 0.0,
            states: vec![0.0; interface.state_count()],
            inputs: inputs.iter().map(|(_, values)| vec![0.0; values.len()]).collect(),
        };
        let mut seeds = seed.iter().copied();
        for known in knowns {
            let port = interface.port_at(*known as usize);
            let port = port.ok_or(InstanceError::NoVariable(*known))?;
            let short = InstanceError::WrongState("there are fewer seeds than knowns");
            let Some(first) = seeds.next() else { return Err(short) };
            match &port.role {
                Role::Time => direction.time = first,
                Role::State(index) => direction.states[*index] = first,
                Role::Input(input) if input.kind() == InputKind::Continuous => {
                    let place = inputs.iter().position(|(id, _)| *id == input.id());
                    let Some(own) = place.map(|place| &mut direction.inputs[place]) else {
                        return Err(InstanceError::NoVariable(*known));
                    };
                    let from = *known as usize - port.first;
                    own[from] = first;
                    if from == 0 && seed.len() > knowns.len() {
                        own.iter_mut().skip(1).for_each(|x| *x = seeds.next().unwrap_or(0.0));
                    }
                }
                _ => {
                    let why = "a directional derivative is by states, continuous inputs and time";
                    return Err(InstanceError::NotSettable(port.name.clone(), why));
                }
            }
        }
        Ok(direction)
    }
}

/// What Model Exchange works on.
struct Owned<'i> {
    simulation: &'i mut Simulation,
    recorder: &'i mut Recorder,
    owner: &'i mut Owner,
    inputs: Vec<(InputId, Vec<f64>)>,
}

/// Whether two times are the same to an importer, whose sums are rounded.
fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= f64::EPSILON * a.abs().max(b.abs())
}

/// The part of the run that the model describes for which crossings by time alone are foreseen.
const PART: f64 = 1.0 / 50.0;

/// How late an importer may come to a known event, relative to the time.
const LATE: f64 = 1e-9;

const OTHER: InstanceError = InstanceError::WrongState("this is a function of Model Exchange");

fn fill(room: &mut [f64], own: &[f64]) -> Result<(), InstanceError> {
    if room.len() != own.len() {
        return Err(InstanceError::WrongState("there is another number of values"));
    }
    room.copy_from_slice(own);
    Ok(())
}

fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}
