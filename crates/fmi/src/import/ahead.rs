//! An instance for Co-Simulation that goes ahead of the run.
//!
//! ```text
//! kept state            end
//!     |---- first half ---|--- second half ---|
//!     now                                     the outputs there are known now
//! ```
//!
//! At a communication point its state is kept, and it takes a step with the inputs of that point. Its
//! outputs then move linearly to those at the end, and what they are in the middle of the step is the
//! measure of how wrong that is. If it is too wrong, a discrete output changes on the way or the
//! instance discards the step, it is set back and takes a shorter one. When the run has come to the
//! end, the step is repeated with what the inputs have become; when something happens before, the
//! instance is set back and comes to that time.

use serde::{Deserialize, Serialize};

use super::calls::{Calls, Stepped};
use super::message::{Ahead, Coming, FmuError, Port, Reply, Setup};

/// Where an instance is that goes ahead.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub(super) struct Going {
    /// The last communication point \[s\].
    time: f64,
    /// The time that it has gone ahead to; at the point, that is the same \[s\].
    end: f64,
    /// Whether it has gone ahead: its state at the point is kept.
    is_ahead: bool,
    /// The length that the next step should have; 0 if nothing is known \[s\].
    length: f64,
    /// The time of its next time event \[s\]; infinite if there is none.
    next: f64,
    /// Whether an event is to be handled at the end, and whether it ends the run there.
    event: bool,
    ends: bool,
    /// The inputs that it has.
    inputs: Vec<f64>,
    /// The outputs at the point and at the end.
    now: Vec<f64>,
    then: Vec<f64>,
}

impl Going {
    pub fn begin(time: f64) -> Going {
        Going { time, end: time, next: f64::INFINITY, ..Going::default() }
    }
}

/// A step that was tried.
struct Trial {
    end: f64,
    then: Vec<f64>,
    /// How wrong a straight line is, as a multiple of what is allowed.
    error: f64,
    /// Whether a discrete output has changed, and the instance has not said where.
    changed: bool,
    event: bool,
    ends: bool,
}

impl Trial {
    /// None, because the instance has ended the run.
    fn ended(now: f64) -> Trial {
        let then = Vec::new();
        Trial { end: now, then, error: 0.0, changed: false, event: false, ends: true }
    }
}

/// What has come of a step.
enum Tried {
    Taken(Trial),
    /// It can go up to this time \[s\].
    UpTo(f64),
    /// An event is to be handled before it.
    AtOnce,
}

/// How much of the step that an error allows is taken, and how much a step may differ from the one
/// before.
const SAFETY: f64 = 0.9;
const LEAST_FACTOR: f64 = 0.2;
const MOST_FACTOR: f64 = 2.0;

/// How much shorter a step is tried that was discarded without a time.
const DISCARDED_FACTOR: f64 = 0.25;

/// How many lengths of a step are tried.
const MOST_TRIES: usize = 1000;

/// How many roundings of the time a step has at least.
const ROUNDINGS: f64 = 16.0;

/// How many events may follow each other at one time.
const MOST_EVENTS: usize = 1000;

/// An instance that goes ahead, with what is known of it.
pub(super) struct Scout<'a> {
    pub own: &'a mut Going,
    pub rules: &'a Ahead,
    pub setup: &'a Setup,
    pub calls: &'a mut Calls,
}

impl Scout<'_> {
    /// After initialisation with some inputs: the events of the start.
    pub fn start(&mut self, inputs: &[f64]) -> Result<(), FmuError> {
        self.own.inputs = inputs.to_vec();
        match self.rules.events {
            true => self.iterate()?,
            false => self.own.now = self.calls.get(&self.setup.outputs)?,
        }
        Ok(())
    }

    /// The run has come to a time, with these inputs just before.
    pub fn arrive(&mut self, time: f64, inputs: &[f64]) -> Result<Reply, FmuError> {
        if !self.own.is_ahead {
            return Err(FmuError::OutOfOrder);
        }
        let whole = time >= self.own.end;
        let to = if whole { self.own.end } else { time.max(self.own.time) };
        if !whole || self.has_moved(inputs) {
            let predicted = std::mem::take(&mut self.own.then);
            self.calls.go_back()?;
            self.run_to(to, inputs)?;
            self.own.then = self.calls.get(&self.setup.outputs)?;
            if whole {
                let error = self.error((&predicted, &self.own.then), &self.own.then);
                let length = self.next_length(to - self.own.time, error);
                self.own.length = self.own.length.min(length);
            }
        }
        let own = &mut *self.own;
        own.now = std::mem::take(&mut own.then);
        own.inputs = inputs.to_vec();
        (own.time, own.end, own.is_ahead) = (to, to, false);
        if std::mem::take(&mut own.event) && !own.ends {
            self.handle_event(None)?;
        }
        let now = self.own.now.clone();
        Ok(if self.own.ends { Reply::Ended(now) } else { Reply::Values(now) })
    }

    /// Goes ahead with new inputs.
    pub fn go(&mut self, inputs: &[f64]) -> Result<Coming, FmuError> {
        if std::mem::take(&mut self.own.is_ahead) {
            // It has gone ahead with the inputs of an earlier microstep.
            self.calls.go_back()?;
            (self.own.event, self.own.ends) = (false, false);
        }
        if inputs != self.own.inputs {
            match self.rules.events {
                true => self.handle_event(Some(inputs))?,
                false => {
                    self.calls.set(&self.setup.inputs, inputs)?;
                    self.own.now = self.calls.get(&self.setup.outputs)?;
                }
            }
            self.own.inputs = inputs.to_vec();
        }
        if self.rules.moves {
            let still = vec![0.0; self.continuous(inputs).1.len()];
            self.calls.set_slopes(&self.setup.inputs, &still)?;
        }
        let now = self.own.time;
        let mut trial = Trial::ended(now);
        if !self.own.ends {
            self.calls.keep()?;
            trial = self.accepted()?;
        }
        let own = &mut *self.own;
        let coming = Coming {
            now: own.now.clone(),
            end: trial.end,
            then: trial.then.clone(),
            ends: trial.ends && trial.end <= now,
        };
        (own.end, own.then, own.event, own.ends) = (trial.end, trial.then, trial.event, trial.ends);
        own.is_ahead = true;
        Ok(coming)
    }

    /// Tries steps until one is accurate, and says how long the next one should be.
    fn accepted(&mut self) -> Result<Trial, FmuError> {
        let time = self.own.time;
        let least = ROUNDINGS * f64::EPSILON * time.abs();
        let shortest = self.rules.shortest.max(least);
        let mut length = match self.own.length {
            0.0 => self.rules.longest,
            length => length.min(self.rules.longest),
        };
        // Whether the instance has named the end of the step, since it cannot pass it.
        let mut named = false;
        let mut events = 0;
        for _ in 0..MOST_TRIES {
            length = if named { length } else { length.max(shortest) };
            let is_event = time + length >= self.own.next;
            let end = if is_event { self.own.next.max(time + shortest) } else { time + length };
            match self.try_to(end, shortest)? {
                Tried::Taken(mut trial) => {
                    let taken = trial.end - time;
                    let proposed = self.next_length(taken, trial.error);
                    let found = !trial.changed || named || is_event;
                    if trial.error <= 1.0 && found || length <= shortest {
                        trial.event |= is_event && trial.end == end;
                        let steady = !trial.event && !named && trial.end == end;
                        self.own.length = if steady { proposed } else { 0.0 };
                        return Ok(trial);
                    }
                    length = if found { proposed } else { 0.5 * taken };
                    named = false;
                }
                Tried::UpTo(reached) if reached > time + least && reached < end => {
                    (length, named) = (reached - time, true);
                }
                Tried::UpTo(_) if length <= shortest => return Err(self.calls.discarded()),
                Tried::UpTo(_) => (length, named) = (DISCARDED_FACTOR * length, false),
                Tried::AtOnce => {
                    events += 1;
                    if !self.rules.events || events > MOST_EVENTS {
                        return Err(self.calls.discarded());
                    }
                    self.calls.go_back()?;
                    self.handle_event(None)?;
                    self.calls.keep()?;
                    continue;
                }
            }
            self.calls.go_back()?;
        }
        Err(self.calls.discarded())
    }

    /// Takes a step in two halves.
    fn try_to(&mut self, end: f64, shortest: f64) -> Result<Tried, FmuError> {
        let time = self.own.time;
        let middle = 0.5 * (time + end);
        match self.calls.step(time, middle - time)? {
            Stepped::Whole(false) => {}
            Stepped::Whole(true) => return Ok(Tried::UpTo(middle)),
            Stepped::Early(at, _) if at <= time => return Ok(Tried::AtOnce),
            Stepped::Early(at, _) | Stepped::Discarded(at) if at - time > shortest => {
                return Ok(Tried::UpTo(at));
            }
            Stepped::Early(at, event) => return self.taken(at, (event, false, true), None),
            Stepped::Discarded(at) => return Ok(Tried::UpTo(at)),
            Stepped::Ended(at) => return self.taken(at.max(time), (false, true, true), None),
        }
        let half = self.calls.get(&self.setup.outputs)?;
        let half = Some((middle, half));
        match self.calls.step(middle, end - middle)? {
            Stepped::Whole(event) => self.taken(end, (event, false, event), half),
            Stepped::Early(at, _) if at <= middle => Ok(Tried::UpTo(middle)),
            Stepped::Early(at, event) => self.taken(at, (event, false, true), half),
            Stepped::Discarded(at) => Ok(Tried::UpTo(at)),
            Stepped::Ended(at) => self.taken(at.max(middle), (false, true, true), half),
        }
    }

    /// What a step to a time was, with the outputs at a time on the way: whether an event is to be
    /// handled at the end, whether the run ends there, and whether the instance has named the end.
    fn taken(
        &mut self,
        end: f64,
        (event, ends, named): (bool, bool, bool),
        half: Option<(f64, Vec<f64>)>,
    ) -> Result<Tried, FmuError> {
        let then = self.calls.get(&self.setup.outputs)?;
        let error = half.map_or(0.0, |(middle, half)| {
            let part = (middle - self.own.time) / (end - self.own.time);
            let along = self.own.now.iter().zip(&then).map(|(a, b)| a + part * (b - a));
            let line: Vec<f64> = along.collect();
            self.error((&half, &line), &then)
        });
        let changed = !named && self.has_changed(&then);
        Ok(Tried::Taken(Trial { end, then, error, changed, event, ends }))
    }

    /// The largest difference of continuous outputs as a multiple of what is allowed.
    fn error(&self, (a, b): (&[f64], &[f64]), size: &[f64]) -> f64 {
        let each = self.setup.outputs.iter().zip(&self.rules.magnitudes);
        let allowed = each.flat_map(|(port, magnitude)| {
            let own = if port.continuous { *magnitude } else { f64::INFINITY };
            std::iter::repeat_n(own, port.len)
        });
        let all = a.iter().zip(b).zip(size.iter().zip(allowed));
        let relative = all.map(|((a, b), (size, magnitude))| {
            (a - b).abs() / (self.rules.tolerance * size.abs().max(magnitude))
        });
        relative.fold(0.0, |most, own| if own.is_nan() { f64::INFINITY } else { most.max(own) })
    }

    /// Whether a discrete output differs from its value at the communication point.
    fn has_changed(&self, then: &[f64]) -> bool {
        let ports = self.setup.outputs.iter();
        let discrete = ports.flat_map(|own| std::iter::repeat_n(!own.continuous, own.len));
        let mut all = discrete.zip(self.own.now.iter().zip(then));
        all.any(|(discrete, (a, b))| discrete && a != b)
    }

    /// The length that a step should have after one of a length with an error.
    fn next_length(&self, length: f64, error: f64) -> f64 {
        let factor = (SAFETY / error.sqrt()).clamp(LEAST_FACTOR, MOST_FACTOR);
        (factor * length).clamp(self.rules.shortest, self.rules.longest)
    }

    /// From the kept state to a time, while continuous inputs go to these values.
    fn run_to(&mut self, to: f64, inputs: &[f64]) -> Result<(), FmuError> {
        (self.own.event, self.own.ends) = (false, false);
        let (time, from) = (self.own.time, self.own.inputs.clone());
        let mut at = time;
        for half in [0.0, 0.5] {
            let until = if half == 0.0 { 0.5 * (time + to) } else { to };
            let part = |part: f64| -> Vec<f64> {
                from.iter().zip(inputs).map(|(a, b)| a + part * (b - a)).collect()
            };
            match self.rules.moves {
                true => {
                    self.give_continuous(&part(half))?;
                    let slopes: Vec<f64> =
                        from.iter().zip(inputs).map(|(a, b)| (b - a) / (to - time)).collect();
                    let slopes = self.continuous(&slopes).1;
                    self.calls.set_slopes(&self.setup.inputs, &slopes)?;
                }
                false => self.give_continuous(&part(half + 0.25))?,
            }
            while at < until && !self.own.ends {
                match self.calls.step(at, until - at)? {
                    Stepped::Whole(event) => (at, self.own.event) = (until, event),
                    Stepped::Early(time, event) if time > at || event => {
                        (at, self.own.event) = (time, event);
                    }
                    Stepped::Ended(_) => self.own.ends = true,
                    Stepped::Early(..) | Stepped::Discarded(_) => {
                        return Err(self.calls.discarded());
                    }
                }
                if at < to && std::mem::take(&mut self.own.event) {
                    self.handle_event(None)?;
                }
            }
        }
        self.give_continuous(inputs)
    }

    /// Handles an event of the instance at the present time, or one that new inputs are.
    fn handle_event(&mut self, inputs: Option<&[f64]>) -> Result<(), FmuError> {
        if !self.rules.events {
            return Ok(());
        }
        self.calls.enter_event_mode()?;
        if let Some(inputs) = inputs {
            self.calls.set(&self.setup.inputs, inputs)?;
        }
        self.iterate()
    }

    /// The iterations of event mode, up to step mode.
    fn iterate(&mut self) -> Result<(), FmuError> {
        for _ in 0..MOST_EVENTS {
            let info = self.calls.update()?;
            self.own.next = info.next.unwrap_or(f64::INFINITY);
            self.own.ends |= info.ends;
            if !info.more || info.ends {
                self.own.now = self.calls.get(&self.setup.outputs)?;
                return self.calls.enter_step_mode();
            }
        }
        Err(FmuError::EventGoesOn)
    }

    fn has_moved(&self, inputs: &[f64]) -> bool {
        self.continuous(inputs).1 != self.continuous(&self.own.inputs).1
    }

    /// The inputs that may be set between events, and their values.
    fn continuous(&self, inputs: &[f64]) -> (Vec<Port>, Vec<f64>) {
        let (mut ports, mut values, mut from) = (Vec::new(), Vec::new(), 0);
        for port in &self.setup.inputs {
            if port.continuous {
                ports.push(port.clone());
                values.extend(&inputs[from..from + port.len]);
            }
            from += port.len;
        }
        (ports, values)
    }

    fn give_continuous(&mut self, inputs: &[f64]) -> Result<(), FmuError> {
        let (ports, values) = self.continuous(inputs);
        self.calls.set(&ports, &values)
    }
}
