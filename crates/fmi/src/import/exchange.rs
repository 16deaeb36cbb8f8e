//! An instance for Model Exchange: which modes it goes through for what is asked of it.
//!
//! ```text
//! initialisation --exit--> event mode <--enter--> continuous time
//! ```
//!
//! Between events time, states and continuous inputs are set as the solver of the importer tries
//! points; nothing of that stays in the instance. An event begins where inputs change at a tick or
//! the importer asks for an iteration, and ends when a point elsewhere is looked at.

use serde::{Deserialize, Serialize};

use super::calls::Calls;
use super::message::{Changed, Event, FmuError, Look, Point, Reply, Request, Setup};

/// Where an instance is in its life.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
enum Mode {
    #[default]
    Initialising,
    /// In event mode.
    Event,
    /// In continuous time.
    Continuous,
}

/// What an instance has been given last.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub(super) struct Exchange {
    mode: Mode,
    /// Whether the event needs another iteration.
    more: bool,
    /// The time of the point that was looked at last \[s\]; NaN if there was none.
    time: f64,
    /// The time that the instance has, which does not go back to before an event \[s\].
    clock: f64,
    /// The time of the last event, as the instance has it \[s\].
    event: f64,
    /// The time of the next time event; infinite if there is none \[s\].
    next: f64,
    /// The time up to which steps have been completed \[s\].
    completed: f64,
    /// Whether it has ended the run at the end of a step.
    ended: bool,
    states: Vec<f64>,
    /// The elements of all inputs.
    inputs: Vec<f64>,
    /// The rates and the indicators that were computed last.
    rates: Vec<f64>,
    indicators: Vec<f64>,
}

/// How many times a point is moved on to where an indicator has its new sign, and how much further
/// then, since an instance may take a value for zero that is as small as its rounding.
const TRIES: i32 = 24;
const MARGIN: f64 = 8.0;

impl Exchange {
    pub fn begin(setup: &Setup, time: f64) -> Exchange {
        let inputs = setup.inputs.iter().map(|own| own.len).sum();
        Exchange {
            mode: Mode::default(),
            more: false,
            time,
            clock: time,
            event: time,
            next: f64::INFINITY,
            completed: time,
            ended: false,
            states: vec![f64::NAN; setup.states],
            inputs: vec![f64::NAN; inputs],
            rates: vec![0.0; setup.states],
            indicators: vec![1.0; setup.indicators],
        }
    }

    pub fn answer(
        &mut self,
        request: &Request,
        setup: &Setup,
        calls: &mut Calls,
    ) -> Result<Reply, FmuError> {
        let mut instance = Holder { own: self, setup, calls };
        match request {
            Request::Look(look, point, ticking) => {
                let look = setup.looks.get(*look).ok_or(FmuError::OutOfOrder)?;
                instance.undiscarded(|own| own.look(look, point, *ticking))
            }
            Request::Tangent(look, point, seed) => {
                let look = setup.looks.get(*look).ok_or(FmuError::OutOfOrder)?;
                instance.undiscarded(|own| own.tangent(look, point, seed))
            }
            Request::Event(event) => instance.update(event).map(Reply::Changed),
            Request::Complete(point) => instance.complete(point).map(Reply::Values),
            _ => Err(FmuError::OutOfOrder),
        }
    }

    /// Brings a new instance to the mode that another one was saved in.
    pub fn go_to(&self, setup: &Setup, calls: &mut Calls) -> Result<(), FmuError> {
        calls.set(&setup.inputs, &self.inputs)?;
        if self.mode == Mode::Initialising {
            return Ok(());
        }
        calls.exit_initialisation()?;
        if self.mode == Mode::Continuous {
            while calls.update()?.more {}
            calls.enter_continuous_mode()?;
        }
        Ok(())
    }
}

/// An instance with what it has been given.
struct Holder<'a> {
    own: &'a mut Exchange,
    setup: &'a Setup,
    calls: &'a mut Calls,
}

impl Holder<'_> {
    /// A reply of which a status Discard is no failure.
    fn undiscarded(
        &mut self,
        values: impl FnOnce(&mut Self) -> Result<Vec<f64>, FmuError>,
    ) -> Result<Reply, FmuError> {
        match values(self) {
            Err(FmuError::Status(function, status, logged)) if status == "Discard" => {
                // What has been set is not known any more.
                (self.own.time, self.own.clock) = (f64::NAN, f64::NAN);
                self.own.states.fill(f64::NAN);
                self.own.inputs.fill(f64::NAN);
                let error = FmuError::Status(function, status, logged);
                Ok(Reply::Discarded(error.to_string()))
            }
            other => other.map(Reply::Values),
        }
    }

    fn look(&mut self, look: &Look, point: &Point, ticking: bool) -> Result<Vec<f64>, FmuError> {
        self.stand_at(point.time, &point.states)?;
        self.give(&look.inputs, &point.inputs, ticking)?;
        self.compute(look)
    }

    fn compute(&mut self, look: &Look) -> Result<Vec<f64>, FmuError> {
        let mut values = Vec::new();
        // They have a meaning again when the event is over.
        let valid = !(self.own.mode == Mode::Event && self.own.more);
        if look.rates {
            if valid {
                self.calls.rates(&mut self.own.rates)?;
            }
            values.extend(&self.own.rates);
        }
        if look.indicators {
            if valid {
                self.calls.indicators(&mut self.own.indicators)?;
            }
            values.extend(&self.own.indicators);
        }
        for output in &look.outputs {
            let port = self.setup.outputs.get(*output).ok_or(FmuError::OutOfOrder)?;
            values.extend(self.calls.get(std::slice::from_ref(port))?);
        }
        Ok(values)
    }

    /// Sets time and states. If that is another point than that of an event, the event is over.
    fn stand_at(&mut self, time: f64, states: &[f64]) -> Result<(), FmuError> {
        if self.own.mode == Mode::Initialising {
            return Ok(());
        }
        let same = same(states, &self.own.states);
        if self.own.mode == Mode::Event {
            if time == self.own.time && same {
                return Ok(());
            }
            if self.own.more {
                return Err(FmuError::EventGoesOn);
            }
            self.calls.enter_continuous_mode()?;
            self.own.mode = Mode::Continuous;
        }
        if time != self.own.time {
            // No further than a time event, by rounding either.
            self.set_time(time.min(self.own.next).max(self.own.event))?;
            self.own.time = time;
        }
        if !same && !states.is_empty() {
            self.calls.set_states(states)?;
            self.own.states.copy_from_slice(states);
        }
        Ok(())
    }

    fn set_time(&mut self, time: f64) -> Result<(), FmuError> {
        if time != self.own.clock {
            self.calls.set_time(time)?;
            self.own.clock = time;
        }
        Ok(())
    }

    /// Sets the inputs that have other values. At a tick that is an event.
    fn give(&mut self, which: &[usize], values: &[f64], ticking: bool) -> Result<(), FmuError> {
        let mut rest = values;
        for index in which {
            let port = self.setup.inputs.get(*index).ok_or(FmuError::OutOfOrder)?;
            let before: usize = self.setup.inputs[..*index].iter().map(|own| own.len).sum();
            let (new, after) = rest.split_at_checked(port.len).ok_or(FmuError::OutOfOrder)?;
            rest = after;
            let old = before..before + port.len;
            if self.own.inputs[old.clone()].iter().zip(new).all(|(a, b)| a == b) {
                continue;
            }
            if self.own.mode == Mode::Continuous && (ticking || !port.continuous) {
                self.enter_event()?;
            }
            self.calls.set(std::slice::from_ref(port), new)?;
            self.own.inputs[old].copy_from_slice(new);
        }
        Ok(())
    }

    /// Goes to event mode.
    fn enter_event(&mut self) -> Result<(), FmuError> {
        self.finish_step()?;
        self.calls.enter_event_mode()?;
        self.own.mode = Mode::Event;
        self.own.event = self.own.clock;
        Ok(())
    }

    /// Says that the step to this point is not taken back, unless that is known. Whether an event
    /// follows.
    fn finish_step(&mut self) -> Result<bool, FmuError> {
        let known = self.own.clock <= self.own.completed;
        if known || !self.setup.completes || self.own.mode != Mode::Continuous {
            return Ok(false);
        }
        self.own.completed = self.own.clock;
        let (event, ends) = self.calls.completed()?;
        self.own.ended |= ends;
        Ok(event || ends)
    }

    fn complete(&mut self, point: &Point) -> Result<Vec<f64>, FmuError> {
        self.stand_at(point.time, &point.states)?;
        let all: Vec<usize> = (0..self.setup.inputs.len()).collect();
        self.give(&all, &point.inputs, false)?;
        Ok(vec![f64::from(u8::from(self.finish_step()?))])
    }

    fn update(&mut self, event: &Event) -> Result<Changed, FmuError> {
        let Event { point, due, crossed } = event;
        let all: Vec<usize> = (0..self.setup.inputs.len()).collect();
        let first = self.own.mode == Mode::Initialising;
        let mut moved = first;
        if first {
            self.give(&all, &point.inputs, true)?;
            self.calls.exit_initialisation()?;
            self.own.mode = Mode::Event;
            self.own.time = point.time;
        } else {
            self.stand_at(point.time, &point.states)?;
            if self.own.mode == Mode::Continuous {
                self.give_continuous(&point.inputs)?;
                if *due > self.own.clock {
                    self.set_time(*due)?;
                }
                moved |= self.pass(crossed)?;
                if !self.own.ended {
                    self.enter_event()?;
                }
            }
            if self.own.ended {
                return Ok(self.changed(true));
            }
            self.give(&all, &point.inputs, true)?;
        }
        let info = self.calls.update()?;
        self.own.more = info.more && !info.ends;
        self.own.next = info.next.unwrap_or(f64::INFINITY);
        if (moved || info.moved) && self.setup.states > 0 {
            self.calls.states(&mut self.own.states)?;
        }
        Ok(self.changed(info.ends || self.own.ended))
    }

    fn changed(&self, ends: bool) -> Changed {
        let Exchange { states, more, next, .. } = &*self.own;
        Changed { states: states.clone(), more: *more, ends, next: *next }
    }

    /// Sets the inputs that may be set before an event.
    fn give_continuous(&mut self, values: &[f64]) -> Result<(), FmuError> {
        let mut from = 0;
        for (index, port) in self.setup.inputs.iter().enumerate() {
            if port.continuous {
                self.give(&[index], &values[from..from + port.len], false)?;
            }
            from += port.len;
        }
        Ok(())
    }

    /// Moves on, by rounding, to where the indicators that have crossed zero have their new signs:
    /// the importer locates the zero, and the instance must find its condition true. Whether the
    /// states have moved.
    fn pass(&mut self, crossed: &[f64]) -> Result<bool, FmuError> {
        if crossed.iter().all(|sign| *sign == 0.0) {
            return Ok(false);
        }
        let mut indicators = vec![0.0; self.setup.indicators];
        let mut is_past = |calls: &mut Calls| -> Result<bool, FmuError> {
            calls.indicators(&mut indicators)?;
            let past = |(sign, value): (&f64, &f64)| *sign == 0.0 || sign * value > 0.0;
            Ok(crossed.iter().zip(&indicators).all(past))
        };
        let (start, from) = (self.own.clock, self.own.states.clone());
        let mut rates = vec![0.0; self.setup.states];
        if !rates.is_empty() {
            self.calls.rates(&mut rates)?;
        }
        let least = f64::EPSILON * start.abs().max(f64::MIN_POSITIVE / f64::EPSILON);
        let least = least.max(self.rounding(&rates));
        for k in 0..TRIES {
            let length = least * 2f64.powi(k);
            self.move_on((start, length), &from, &rates)?;
            if is_past(self.calls)? {
                self.move_on((start, MARGIN * length), &from, &rates)?;
                return Ok(true);
            }
        }
        self.move_on((start, 0.0), &from, &rates)?;
        Ok(false)
    }

    /// Goes to a point after another one, along the rates, but to no time event that is not due.
    fn move_on(
        &mut self,
        (start, length): (f64, f64),
        from: &[f64],
        rates: &[f64],
    ) -> Result<(), FmuError> {
        self.set_time((start + length).min(self.own.next.max(start)))?;
        if !from.is_empty() {
            let moved = from.iter().zip(rates).map(|(x, rate)| x + length * rate);
            self.own.states.clear();
            self.own.states.extend(moved);
            self.calls.set_states(&self.own.states)?;
        }
        Ok(())
    }

    /// The shortest time in which a state changes by more than its rounding \[s\].
    fn rounding(&self, rates: &[f64]) -> f64 {
        let each = self.own.states.iter().zip(rates).filter(|(_, rate)| **rate != 0.0);
        let each = each.map(|(x, rate)| (f64::EPSILON * x / rate).abs());
        let least = each.fold(f64::INFINITY, f64::min);
        if least.is_finite() { least } else { 0.0 }
    }

    /// Derivatives by the function of the instance as far as it has one, and by differences
    /// otherwise. A difference looks ahead unless the next time event is too near.
    fn tangent(
        &mut self,
        look: &Look,
        point: &Point,
        direction: &[f64],
    ) -> Result<Vec<f64>, FmuError> {
        if self.own.mode == Mode::Event && self.own.more {
            // Nothing may move before the event is over, and nobody relies on it until then.
            return Ok(vec![0.0; self.compute(look)?.len()]);
        }
        self.stand_at(point.time, &point.states)?;
        self.give(&look.inputs, &point.inputs, false)?;
        let exact = !look.indicators && self.setup.directional.is_some();
        let mut result = match exact {
            true => self.directional(look, &direction[1..])?,
            false => Vec::new(),
        };
        let mut rest = direction.to_vec();
        if exact {
            rest[1..].fill(0.0);
        }
        let length = rest.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        if length == 0.0 && exact {
            return Ok(result);
        }
        let here = self.compute(look)?;
        result.resize(here.len(), 0.0);
        if length == 0.0 {
            return Ok(result);
        }
        let all = point.states.iter().chain(&point.inputs);
        let size = all.fold(point.time.abs(), |most, x| most.max(x.abs())).max(1.0);
        let mut h = f64::EPSILON.sqrt() * size / length;
        if rest[0] > 0.0 && point.time + h * rest[0] > self.own.next {
            h = -h;
        }
        let (states, inputs) = rest[1..].split_at(point.states.len());
        let moved = |from: &[f64], along: &[f64]| -> Vec<f64> {
            from.iter().zip(along).map(|(x, v)| x + h * v).collect()
        };
        self.stand_at(point.time + h * rest[0], &moved(&point.states, states))?;
        self.give(&look.inputs, &moved(&point.inputs, inputs), false)?;
        let there = self.compute(look)?;
        for (result, (here, there)) in result.iter_mut().zip(here.iter().zip(&there)) {
            *result += (there - here) / h;
        }
        Ok(result)
    }

    fn directional(&mut self, look: &Look, seed: &[f64]) -> Result<Vec<f64>, FmuError> {
        let Some((states, rates)) = &self.setup.directional else {
            return Err(FmuError::OutOfOrder);
        };
        let ports = look.inputs.iter().map(|index| &self.setup.inputs[*index]);
        let knowns: Vec<u32> =
            states.iter().copied().chain(ports.map(|own| own.reference)).collect();
        let outputs = look.outputs.iter().map(|index| &self.setup.outputs[*index]);
        let (mut unknowns, mut count) = (Vec::new(), 0);
        if look.rates {
            unknowns.extend(rates);
            count += self.setup.states;
        }
        count += outputs.clone().map(|own| own.len).sum::<usize>();
        unknowns.extend(outputs.map(|own| own.reference));
        let mut result = vec![0.0; count];
        if !knowns.is_empty() {
            self.calls.directional(&unknowns, &knowns, seed, &mut result)?;
        }
        Ok(result)
    }
}

fn same(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}
