//! Runs whose continuous states are in the hands of somebody else, who solves for them.
//!
//! Between ticks the owner gives a time, all states and the continuous inputs, and gets rates,
//! indicators and recorded signals; nothing of the run changes. An indicator says whether a watched
//! function is still on its frozen side: it is positive on a positive side and negative on a
//! negative one, also where the function is zero or counts as zero, and for a side of zero it is
//! positive until the function leaves its rounding. At a tick the owner's states become those of the
//! regions, and the microsteps are those of any run.

mod foreseen;
mod past;

use base::{Tag, Time};
use program::tape::{Dual, Slot, run};
use program::{FragmentId, InputId, Profile, RegionId, Zeno};

use crate::engine::Engine;
use crate::rows::Sink;
use crate::smooth::flow::{counted, watches};
use crate::smooth::standing;
use crate::{Progress, RunError, Simulation};
pub use past::OutsidePoint;
pub(crate) use past::OutsideStep;

/// Where the owner of the states is.
#[derive(Clone, Copy, Debug)]
pub struct Outside<'a> {
    /// The time \[s\].
    pub time: f64,
    /// The states of all regions, one after the other.
    pub states: &'a [f64],
    /// The values of continuous inputs.
    pub inputs: &'a [(InputId, Vec<f64>)],
}

/// A direction in which [`Simulation::differentiate_outside`] differentiates.
#[derive(Clone, Debug)]
pub struct Direction {
    /// That of time.
    pub time: f64,
    /// That of the states.
    pub states: Vec<f64>,
    /// That of continuous inputs, beside those of [`Outside::inputs`].
    pub inputs: Vec<Vec<f64>>,
}

/// How many roundings a function on the side 0 may be from zero.
const ROUNDINGS: f64 = 64.0;

impl Simulation {
    /// Why the states of this run cannot be in the hands of somebody else; none if they can.
    pub fn keeps_its_states(&self) -> Option<&'static str> {
        let program = self.program();
        let slides = program.regions.iter().any(|region| !region.sliding.is_empty());
        let checks = [
            (!program.readers.is_empty(), "it has a delay that is a signal"),
            (slides, "it slides, which only our own solver does"),
            (self.options().zeno == Zeno::Rest, "its bodies come to rest (`zeno: rest`)"),
            (self.options().profile == Profile::Ptolemy, "it has the profile `ptolemy`"),
        ];
        checks.iter().find(|(has, _)| *has).map(|(_, why)| *why)
    }

    /// How many states and indicators there are.
    pub fn outside_counts(&self) -> (usize, usize) {
        let regions = &self.program().regions;
        let states = regions.iter().map(|region| region.dimension).sum();
        (states, regions.iter().map(|region| region.watches.len()).sum())
    }

    /// The start; its events are still to come.
    pub fn start_outside(&mut self, sink: &mut dyn Sink) -> Result<(), RunError> {
        match self.has_started() {
            true => Ok(()),
            false => self.advance(sink).map(drop),
        }
    }

    /// The states as the last tick has left them.
    pub fn states_inside(&self, states: &mut Vec<f64>) {
        states.clear();
        let slots = self.slots();
        for region in &self.program().regions {
            states.extend_from_slice(&slots[region.state.range(region.dimension)]);
        }
    }

    /// Computes rates and indicators, and recorded signals for [`Simulation::value`].
    pub fn evaluate_outside(
        &mut self,
        at: &Outside<'_>,
        rates: &mut Vec<f64>,
        indicators: &mut Vec<f64>,
    ) {
        self.beside(|engine| {
            engine.place_outside(at);
            rates.clear();
            indicators.clear();
            for region in engine.program.regions.ids() {
                engine.rates_outside(region, rates, indicators);
                engine.run_left(region);
            }
        });
    }

    /// Takes recorded signals as they are at the present microstep, for [`Simulation::value`].
    pub fn look_inside(&mut self) {
        self.beside(|_| ());
    }

    /// How rates and recorded signals move in a direction. The results are the derivatives of the
    /// rates, and for each recorded signal those of its elements.
    pub fn differentiate_outside(
        &mut self,
        at: &Outside<'_>,
        direction: &Direction,
    ) -> (Vec<f64>, Vec<Vec<f64>>) {
        let mut found = (Vec::new(), Vec::new());
        self.beside(|engine| {
            engine.place_outside(at);
            found = engine.differentiate(at, direction);
        });
        found
    }

    /// The value of a signal from outside at a time \[s\], as far as it was fed.
    pub fn input_at(&self, input: InputId, time: f64) -> Vec<f64> {
        let (program, slots) = (self.program(), self.slots());
        let own = program.inputs[input];
        let of = |state: program::StateId| {
            &slots[program.tracked(program.states[state].tracked).range()]
        };
        let Some(origin) = own.origin() else { return of(own.value(0)).to_vec() };
        let since = time - of(origin)[0];
        let orders = own.states().count() - 1;
        let mut value = vec![0.0; own.length];
        for order in (0..orders).rev() {
            let coefficients = of(own.value(order));
            value.iter_mut().zip(coefficients).for_each(|(x, c)| *x = *x * since + c);
        }
        value
    }

    /// The time of the next event that is known.
    pub fn next_time(&mut self) -> Time {
        let mut engine = self.engine();
        engine.next_event().min(engine.next_delayed()).min(engine.state.inputs.next())
    }

    /// Whether something has happened at a time that asks for a tick: an event is due, or a watched
    /// function has left its side.
    pub fn is_event_outside(&mut self, at: &Outside<'_>, time: Time) -> bool {
        let mut left = self.next_time() <= time;
        self.beside(|engine| {
            engine.place_outside(at);
            for region in engine.program.regions.ids() {
                if engine.program.regions[region].moves {
                    engine.compute_rates(region, true);
                    left |= engine.left_sides(region).iter().any(|own| own.left);
                }
            }
        });
        left
    }

    /// Begins the tick at a time, with the states of the owner as left limits.
    pub fn begin_outside(
        &mut self,
        at: &Outside<'_>,
        time: Time,
        sink: &mut dyn Sink,
    ) -> Result<Progress, RunError> {
        let mut engine = self.engine();
        engine.scratch.outside = at.inputs.iter().map(|(input, _)| *input).collect();
        engine.take_states(at, time);
        engine.begin_tick_or_recover(time, sink)?;
        engine.after_tick()
    }

    /// The next microstep of the tick.
    pub fn microstep_outside(&mut self, sink: &mut dyn Sink) -> Result<Progress, RunError> {
        let mut engine = self.engine();
        engine.microstep_or_recover(sink)?;
        engine.after_tick()
    }

    /// Whether a block has ended the run.
    pub fn is_ended(&self) -> bool {
        self.snapshot().ended.is_some() || self.snapshot().finished
    }

    /// A step of the owner is complete: functions that have left zero no longer count as zero, and
    /// guesses of solved loops follow.
    pub fn complete_outside(&mut self, at: &Outside<'_>) {
        let mut engine = self.engine();
        engine.place_outside(at);
        for region in engine.program.regions.ids() {
            let code = &engine.program.regions[region];
            if !code.moves {
                continue;
            }
            engine.compute_rates(region, true);
            engine.run_left(region);
            let slots = &mut engine.state.slots;
            for watch in 0..code.watches.len() {
                let place = |from: Slot| from.index() + watch;
                let clear = slots[place(code.g)] * slots[place(code.side)];
                if clear > slots[place(code.residual)] {
                    slots[place(code.residual)] = 0.0;
                }
            }
        }
        engine.follow_solutions();
    }
}

/// A watched function that has left its side, or that is near zero and counts as zero.
struct Standing {
    watch: usize,
    /// The value up to which it counts as zero: its own as far as its slope explains that.
    residual: f64,
    left: bool,
}

impl Engine<'_> {
    /// Writes time, states, continuous inputs and delayed signals into the buffer.
    fn place_outside(&mut self, at: &Outside<'_>) {
        self.place_given(at);
        self.place_delayed(at.time);
    }

    /// The same without delayed signals.
    fn place_given(&mut self, at: &Outside<'_>) {
        let program = self.program;
        let exact = Time::from_f64(at.time).unwrap_or_default();
        program.set_time(&mut self.state.slots, exact, at.time);
        let mut rest = at.states;
        for region in &program.regions {
            let (own, others) = rest.split_at(region.dimension);
            self.state.slots[region.state.range(region.dimension)].copy_from_slice(own);
            rest = others;
        }
        for (input, values) in at.inputs {
            let own = program.inputs[*input];
            for state in own.states() {
                let range = program.tracked(program.states[state].tracked).range();
                self.state.slots[range].fill(0.0);
            }
            let mut write = |state: program::StateId, values: &[f64]| {
                let range = program.tracked(program.states[state].tracked).range();
                self.state.slots[range].copy_from_slice(values);
            };
            if let Some(origin) = own.origin() {
                write(origin, &[at.time]);
            }
            write(own.value(0), values);
        }
    }

    /// Whether a part of a region runs.
    pub(crate) fn runs_in(&self, fragment: FragmentId) -> bool {
        fragment == FragmentId::ROOT
            || self.state.slots[self.program.fragments[fragment].active.index()] != 0.0
    }

    /// Adds the rates and indicators of a region, computed from the buffer. What does not run has
    /// the rate 0 and the indicator 1.
    fn rates_outside(&mut self, region: RegionId, rates: &mut Vec<f64>, indicators: &mut Vec<f64>) {
        let code = &self.program.regions[region];
        let (first, watched) = (rates.len(), indicators.len());
        rates.resize(first + code.dimension, 0.0);
        indicators.resize(watched + code.watches.len(), 1.0);
        if !code.moves {
            return;
        }
        self.compute_rates(region, true);
        for slice in &code.slices {
            if !self.runs_in(slice.fragment) {
                continue;
            }
            for state in slice.state..slice.state + slice.states {
                rates[first + state] = self.state.slots[code.rate.index() + state];
            }
            for watch in slice.watch..slice.watch + slice.watches {
                indicators[watched + watch] = self.indicator(region, watch);
            }
        }
    }

    /// The indicator of a watched function, from the buffer.
    fn indicator(&mut self, region: RegionId, watch: usize) -> f64 {
        let code = &self.program.regions[region];
        let at = |from: Slot| self.state.slots[from.index() + watch];
        let (g, side, residual) = (at(code.g), at(code.side), at(code.residual));
        let moved = match side {
            side if side > 0.0 => g + 2.0 * residual,
            side if side < 0.0 => g - 2.0 * residual,
            _ => {
                // The owner's steps round its states, too.
                let noise = self.rounded(program::WatchId { region, index: watch })[0].error;
                residual + ROUNDINGS * noise - g.abs()
            }
        };
        match moved {
            0.0 if side < 0.0 => -f64::MIN_POSITIVE,
            0.0 => f64::MIN_POSITIVE,
            moved => moved,
        }
    }

    /// Makes the states of the owner those of the regions, as left limits of a tick. A function that
    /// has left its side as far as its slope explains counts as zero, since the owner has located it
    /// with an error of its own.
    fn take_states(&mut self, at: &Outside<'_>, time: Time) {
        let program = self.program;
        self.place_outside(&Outside { time: time.seconds(), ..*at });
        for region in program.regions.ids() {
            if !program.regions[region].moves {
                continue;
            }
            self.compute_rates(region, true);
            let left = self.left_sides(region);
            let delays = !program.regions[region].lines.is_empty();
            if delays {
                self.state.regions[region].history.end_at(time);
            }
            self.restart(region, time, time.seconds());
            if delays {
                self.look_back(region, time);
            }
            let state = &mut self.state.regions[region];
            for Standing { watch, residual, .. } in &left {
                if let Some(own) = counted(watches(&state.ranges), *watch) {
                    state.residuals[own] = *residual;
                }
            }
            state.crossing = left.iter().any(|own| own.left);
            self.scratch.race.moved(region, standing(state));
        }
        self.state.tag = self.state.tag.max(Tag::new(time, 0));
    }

    /// The watched functions of a region that have left their sides, or count as zero, computed from
    /// the buffer.
    fn left_sides(&mut self, region: RegionId) -> Vec<Standing> {
        let code = &self.program.regions[region];
        let mut left = Vec::new();
        for slice in code.slices.iter().filter(|slice| slice.watches > 0) {
            if !self.runs_in(slice.fragment) {
                continue;
            }
            for watch in slice.watch..slice.watch + slice.watches {
                let indicator = self.indicator(region, watch);
                let value = |from: Slot| self.state.slots[from.index() + watch];
                let (g, slope, side) = (value(code.g), value(code.g_rate), value(code.side));
                let kept = if side < 0.0 { indicator < 0.0 } else { indicator > 0.0 };
                if !kept {
                    let explained = side != 0.0 && slope * side < 0.0;
                    let residual = if explained { g.abs() } else { 0.0 };
                    left.push(Standing { watch, residual, left: true });
                } else if side == 0.0 && g != 0.0 {
                    left.push(Standing { watch, residual: g.abs(), left: false });
                }
            }
        }
        left
    }

    /// The derivatives of rates and recorded signals in a direction, at what is in the buffer.
    fn differentiate(
        &mut self,
        at: &Outside<'_>,
        direction: &Direction,
    ) -> (Vec<f64>, Vec<Vec<f64>>) {
        let program = self.program;
        let still = |x: &f64| Dual::still(*x);
        let mut slots: Vec<Dual> = self.state.slots.iter().map(still).collect();
        slots[program.time.index()].0[1] = direction.time;
        let mut seeds = direction.states.iter();
        for region in &program.regions {
            for place in region.state.range(region.dimension) {
                slots[place].0[1] = seeds.next().copied().unwrap_or(0.0);
            }
        }
        for (value, slope) in self.delayed_slopes() {
            slots[value.index()].0[1] = direction.time * self.state.slots[slope.index()];
        }
        for ((input, _), seeds) in at.inputs.iter().zip(&direction.inputs) {
            let state = program.inputs[*input].value(0);
            let range = program.tracked(program.states[state].tracked).range();
            for (place, seed) in range.zip(seeds) {
                slots[place].0[1] = *seed;
            }
            if let Some(origin) = program.inputs[*input].origin() {
                // The value is that of now, whatever the time is.
                let range = program.tracked(program.states[origin].tracked).range();
                slots[range.start].0[1] = direction.time;
            }
        }
        let mut rates = Vec::new();
        for region in &program.regions {
            if region.moves {
                run(&region.prelude, &mut slots);
                run(&region.derivative, &mut slots);
            }
            run(&region.left, &mut slots);
            let first = rates.len();
            rates.resize(first + region.dimension, 0.0);
            for slice in region.slices.iter().filter(|own| self.runs_in(own.fragment)) {
                for state in slice.state..slice.state + slice.states {
                    rates[first + state] = slots[region.rate.index() + state].0[1];
                }
            }
        }
        let records = program.records.iter();
        let moved = |own: &program::RecordSlots| {
            slots[own.value.range(own.ty.len())].iter().map(|x| x.0[1]).collect()
        };
        (rates, records.map(moved).collect())
    }
}
