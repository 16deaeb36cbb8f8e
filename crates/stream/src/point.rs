//! A diagram at one evaluation, by the tapes of a tick: a pure function of time, of the continuous
//! states and of the discrete ones.

use std::ops::Range;
use std::sync::Arc;

use base::{ExactTime, Table};
use blocks::events_before;
use diagram::{Diagram, FragmentId};
use ir::{Partial, Scalar, Slot, run};
use program::{
    CrossingId, CrossingKind, CrossingValue, MachineId, Next, Program, Rates, StateId, TimerId,
    TrackedTimer, Transition, Unit,
};
use schedule::Schedule;

use crate::discrete::{Discrete, Kept};
use crate::machines::{hearing, timed};
use crate::refused::is_kept;
use crate::{StreamError, Vector};

/// The diagram as a function.
#[derive(Debug)]
pub(crate) struct Evaluator {
    pub diagram: Arc<Diagram>,
    pub program: Arc<Program>,
    rates: Rates,
    /// For each element of the discrete states, whether it follows ticks: only ticks change it, or
    /// it remembers something that only ticks change.
    pub ticked: Vec<bool>,
    /// For each of these elements, whether it follows ticks and hears values that transitions emit.
    pub hears: Vec<bool>,
    /// The start time.
    pub start: ExactTime,
    /// The discrete states before the first evaluation.
    pub first: Vec<f64>,
    /// For each state, its offset among the discrete ones.
    offsets: Table<StateId, usize>,
    /// The continuous states, element by element.
    flowing: Vec<Flowing>,
    /// For each machine, state and transition, whether only a tick can enable it.
    pub timed: Table<MachineId, Vec<Vec<bool>>>,
}

/// An element of a continuous state.
#[derive(Clone, Copy, Debug)]
struct Flowing {
    /// Its slot.
    state: Slot,
    /// The slot of its rate.
    rate: Slot,
    /// Its fragment; while that does not run, the state does not change.
    fragment: FragmentId,
}

/// The point at which a diagram is evaluated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub e: usize,
    pub time: f64,
    pub states: &'a [f64],
    /// The first evaluation of the previous step, if that was rejected.
    pub rejected: Option<usize>,
}

/// How comparisons are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reading {
    /// From the values that are compared.
    Values,
    /// As they were before, whatever the values are.
    Held,
}

/// The result of an evaluation.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Point {
    /// The rates of the continuous states.
    pub rates: Vector,
    /// The recorded signals; none for one that is absent.
    pub signals: Vec<Option<Vec<f64>>>,
}

/// An evaluation, with everything that is needed to decide what follows it.
#[derive(Clone, Debug)]
pub(crate) struct Evaluated {
    pub point: Point,
    /// The discrete states after a commit.
    pub states: Vec<f64>,
    /// What comparisons read from their values would be.
    pub sides: Table<CrossingId, f64>,
    /// The whole buffer.
    pub slots: Vec<f64>,
    /// For each fragment, whether it runs.
    pub running: Table<FragmentId, bool>,
    /// Diagrams that preemptive transitions silence.
    pub silenced: Vec<FragmentId>,
}

/// The side or floor of a value.
pub(crate) fn side(kind: CrossingKind, value: f64) -> f64 {
    match kind {
        CrossingKind::Sign => f64::from(value > 0.0) - f64::from(value < 0.0),
        CrossingKind::Floor => value.floor(),
    }
}

impl Evaluator {
    pub fn new(
        diagram: Arc<Diagram>,
        schedule: &Schedule,
        program: Arc<Program>,
        start: ExactTime,
    ) -> Evaluator {
        let rates = program::rates(&diagram, schedule, &program);
        let (mut ticked, mut first, mut flowing) = (Vec::new(), Vec::new(), Vec::new());
        let (mut offsets, mut hears, hearing) = (Table::new(), Vec::new(), hearing(&diagram));
        let mut in_block = vec![0; diagram.blocks.len()];
        for state in &program.states {
            let block = diagram.block(state.block);
            let index = in_block[state.block.index()];
            in_block[state.block.index()] += 1;
            let elements = 0..state.initial.len();
            offsets.push(first.len());
            if state.continuous {
                let from = program.tracked(state.tracked).slot;
                let region = &program.regions[block.region];
                let rate = region.rate + (from - region.state);
                let fragment = block.fragment;
                flowing.extend(elements.map(|i| Flowing {
                    state: from.plus(i),
                    rate: rate.plus(i),
                    fragment,
                }));
            } else {
                let kept = is_kept(block, &block.smooth, index);
                let still = !diagram.moves(state.block, block.smooth.nexts[index]);
                ticked.extend(elements.clone().map(|_| kept || still));
                hears.extend(elements.map(|_| (kept || still) && hearing[state.block.index()]));
                // If a commit always leaves the same value, it holds from the beginning: a signal
                // that is never absent was present before the first evaluation too.
                let always = block.tick.graph.constant_of(block.tick.nexts[index]);
                first.extend(always.unwrap_or_else(|| state.initial.clone()));
            }
        }
        let timed = timed(&diagram);
        Evaluator { diagram, program, rates, ticked, hears, start, first, offsets, flowing, timed }
    }

    /// The continuous states at the start.
    pub fn initial(&self) -> Vec<f64> {
        let flowing = self.program.states.iter().filter(|state| state.continuous);
        flowing.flat_map(|state| state.initial.clone()).collect()
    }

    /// The name of each continuous state: that of its block, with an index in a vector.
    pub fn names(&self) -> Vec<String> {
        let flowing = self.program.states.iter().filter(|state| state.continuous);
        let name = |state: &program::TrackedState| {
            let path = self.diagram.block(state.block).path.clone();
            match state.initial.len() {
                1 => vec![path],
                n => (0..n).map(|i| format!("{path}[{i}]")).collect(),
            }
        };
        flowing.flat_map(name).collect()
    }

    /// The block of the continuous state at a position.
    pub fn owner(&self, position: usize) -> String {
        let flowing = self.program.states.iter().filter(|state| state.continuous);
        let owners = flowing.flat_map(|s| std::iter::repeat_n(s.block, s.initial.len()));
        owners.into_iter().nth(position).map_or_else(String::new, |block| self.path(block))
    }

    /// The path of the block as the user has written it.
    pub fn path(&self, block: diagram::BlockId) -> String {
        self.diagram.block(block).written().to_owned()
    }

    /// The block of a timer.
    pub fn timer(&self, timer: TimerId) -> String {
        self.path(self.program.timers[timer].block)
    }

    /// The discrete part before the first evaluation.
    pub fn beginning(&self) -> Discrete {
        let past = |timer: &TrackedTimer| match self.program.fragments[timer.fragment].dwell {
            // It starts when the state is entered.
            true => 0,
            false => events_before(&*timer.timer, self.start.time()),
        };
        let counts = self.program.timers.iter().map(past).collect();
        let machines = self.program.machines.len();
        let (moves, draws) = (Table::filled(0, machines), Table::filled(0, machines));
        let mut kept =
            Kept { states: self.first.clone(), counts, clocks: Table::new(), moves, draws };
        kept.clocks = self.first_clocks(self.start, &kept);
        let sides = Table::filled(0.0, self.program.crossings.len());
        Discrete { kept, ticks: Vec::new(), sides, time: self.start.seconds() }
    }

    /// The elements of a state among the discrete ones.
    pub fn elements(&self, state: StateId) -> Range<usize> {
        let from = self.offsets[state];
        from..from + self.program.states[state].initial.len()
    }

    /// Evaluates everything that runs once. `woken` are the timers that wake at this evaluation.
    pub fn evaluate(
        &self,
        place: Place,
        before: &Discrete,
        woken: &[TimerId],
        reading: Reading,
    ) -> Result<Evaluated, StreamError> {
        let running = self.running(&before.kept);
        let mut slots = self.rates.image.clone();
        self.fill(&mut slots, place, before, woken, reading);
        self.fill_clocks(&mut slots, &before.kept, &running);
        let mut sides = before.sides.clone();
        let mut fired = Vec::new();
        let mut failures = Vec::new();
        for unit in self.program.units.iter().filter(|unit| {
            let own = unit.fragment;
            running[own] || unit.speaks && before.kept.clocks[own].speaking
        }) {
            let outcome = self.fire(unit, place, &mut slots);
            // A preemptive transition may still silence the fragment.
            failures.extend(outcome.err().map(|error| (unit.fragment, error)));
            if self.program.preempted.is_empty()
                && let Some((_, error)) = failures.pop()
            {
                return Err(error);
            }
            for CrossingValue { from, crossing } in &unit.crossings {
                let kind = self.program.crossings[*crossing].kind;
                sides[*crossing] = side(kind, slots[from.index()]);
            }
            fired.push(unit);
        }
        let silenced = self.silenced(&before.kept, &running, &slots);
        let audible = |fragment: FragmentId| !self.is_silenced(&silenced, fragment);
        if let Some((_, error)) = failures.into_iter().find(|(fragment, _)| audible(*fragment)) {
            return Err(error);
        }
        // The tape of the rates belongs to the smooth phase: it reads comparisons as frozen.
        if reading == Reading::Values {
            self.freeze(&mut slots, &sides);
        }
        run(&self.rates.tape, &mut slots);
        let rate = |x: &Flowing| if running[x.fragment] { slots[x.rate.index()] } else { 0.0 };
        let rates: Vector = self.flowing.iter().map(rate).collect();
        if let Some(position) = rates.iter().position(|rate| !rate.is_finite()) {
            let Place { e, time, .. } = place;
            return Err(StreamError::NotFinite { e, time, block: self.owner(position) });
        }
        let committed = fired.into_iter().filter(|unit| audible(unit.fragment));
        let states = self.commit(&slots, before, committed);
        let point = Point { rates, signals: self.signals(&slots) };
        Ok(Evaluated { point, states, sides, slots, running, silenced })
    }

    /// The diagrams in which nothing happens, since a preemptive transition of their state is
    /// enabled.
    fn silenced(
        &self,
        kept: &Kept,
        running: &Table<FragmentId, bool>,
        slots: &[f64],
    ) -> Vec<FragmentId> {
        let mut silenced = Vec::new();
        let met = |transition: &Transition| transition.preemptive && transition.is_met(slots);
        for id in &self.program.preempted {
            let machine = &self.program.machines[*id];
            let state = &machine.states[self.current(kept, *id)];
            let asked = running[machine.fragment] && !self.is_silenced(&silenced, machine.fragment);
            if asked && state.transitions.iter().any(met) {
                silenced.extend(state.content);
            }
        }
        silenced
    }

    /// Whether a fragment is inside one of the silenced ones.
    pub fn is_silenced(&self, silenced: &[FragmentId], fragment: FragmentId) -> bool {
        silenced.iter().any(|outer| self.diagram.modes.is_inside(fragment, *outer))
    }

    fn fill(
        &self,
        slots: &mut [f64],
        place: Place,
        before: &Discrete,
        woken: &[TimerId],
        reading: Reading,
    ) {
        slots[self.program.time.index()] = place.time;
        for (own, x) in self.flowing.iter().zip(place.states) {
            slots[own.state.index()] = *x;
        }
        self.fill_states(slots, &before.kept.states);
        for (id, timer) in self.program.timers.entries() {
            let (count, wakes) = (before.kept.counts[id], woken.contains(&id));
            slots[self.program.tracked(timer.wakings).slot.index()] = count as f64;
            slots[self.program.tracked(timer.woken).slot.index()] = f64::from(wakes);
        }
        // Within its residual a comparison reads its side: never, or always.
        let residual = if reading == Reading::Held { f64::INFINITY } else { -1.0 };
        for crossing in &self.program.crossings {
            slots[crossing.residual.index()] = residual;
        }
        self.freeze(slots, &before.sides);
    }

    /// Writes the discrete states to their slots.
    pub fn fill_states(&self, slots: &mut [f64], states: &[f64]) {
        for (id, state) in self.program.states.entries() {
            if !state.continuous {
                let from = self.program.tracked(state.tracked).slot.index();
                let values = &states[self.elements(id)];
                slots[from..from + values.len()].copy_from_slice(values);
            }
        }
    }

    /// Writes the clocks of fragments, and which of them run, to their slots.
    pub fn fill_clocks(&self, slots: &mut [f64], kept: &Kept, running: &Table<FragmentId, bool>) {
        let origins = self.origins(kept);
        for (id, fragment) in self.program.fragments.entries() {
            slots[fragment.active.index()] = f64::from(running[id]);
            slots[fragment.origin.index()] = origins[id].seconds();
        }
    }

    fn freeze(&self, slots: &mut [f64], sides: &Table<CrossingId, f64>) {
        for (crossing, side) in self.program.crossings.iter().zip(sides) {
            slots[self.program.tracked(crossing.frozen).slot.index()] = *side;
        }
    }

    /// Runs a unit and writes its outputs to their slots.
    fn fire(&self, unit: &Unit, place: Place, slots: &mut [f64]) -> Result<(), StreamError> {
        let Place { e, time, .. } = place;
        let block = || self.path(unit.block);
        if unit.may_be_unknown && !self.is_known(unit, slots) {
            return Err(StreamError::NotConstructive { e, time, block: block() });
        }
        run(&unit.tape, slots);
        for output in &unit.outputs {
            if output.guard.is_none_or(|present| slots[present.index()] != 0.0) {
                slots.copy_within(output.made(), output.to.index());
            }
        }
        for wire in &unit.wires {
            let parts = &self.program.wires[*wire];
            let value = self.program.tracked(parts.value);
            let from = value.slot.index();
            let finite = slots[from..from + value.length].iter().all(|x| x.is_finite());
            if !finite && slots[self.program.tracked(parts.present).slot.index()] != 0.0 {
                let block = self.path(self.diagram.wire(*wire).block);
                return Err(StreamError::NotFinite { e, time, block });
            }
        }
        match unit.checks.iter().find(|check| slots[check.from.index()] != 0.0) {
            Some(check) => {
                let reason = check.reason.clone();
                Err(StreamError::Undefined { e, time, block: block(), reason })
            }
            None => Ok(()),
        }
    }

    /// Whether conditionals break a loop that they could break.
    fn is_known(&self, unit: &Unit, slots: &[f64]) -> bool {
        let mut partial: Vec<Partial> = slots.iter().map(|x| Partial::constant(*x)).collect();
        run(&unit.tape, &mut partial);
        partial[unit.made()].iter().all(|x| x.known)
    }

    /// The states after the commit of the units that have run.
    fn commit<'u>(
        &self,
        slots: &[f64],
        before: &Discrete,
        units: impl Iterator<Item = &'u Unit>,
    ) -> Vec<f64> {
        let mut states = before.kept.states.clone();
        for Next { from, state } in units.flat_map(|unit| &unit.nexts) {
            if !self.program.states[*state].continuous {
                let (from, elements) = (from.index(), self.elements(*state));
                states[elements.clone()].copy_from_slice(&slots[from..from + elements.len()]);
            }
        }
        states
    }

    fn signals(&self, slots: &[f64]) -> Vec<Option<Vec<f64>>> {
        let value = |record: &program::RecordSlots| {
            let from = record.value.index();
            let present = slots[record.present.index()] != 0.0;
            present.then(|| slots[from..from + record.ty.len()].to_vec())
        };
        program::shown(&self.program.records).iter().map(value).collect()
    }
}
