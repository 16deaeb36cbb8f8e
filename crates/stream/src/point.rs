//! A diagram at one evaluation, by the tapes of a tick: a pure function of time, of the continuous
//! states and of what is discrete.

use std::sync::Arc;

use base::Time;
use diagram::Diagram;
use ir::{Partial, Scalar, run};
use program::{CrossingKind, Program, Rates, Unit};
use schedule::Schedule;

use crate::discrete::Discrete;
use crate::refused::is_kept;
use crate::{StreamError, Vector};

/// The diagram as a function.
#[derive(Debug)]
pub(crate) struct Machine {
    pub diagram: Arc<Diagram>,
    pub program: Arc<Program>,
    rates: Rates,
    /// For each element of the states that do not flow, whether it goes with the ticks: they alone
    /// change it, or it remembers what they alone change.
    pub ticked: Vec<bool>,
    /// The states that do not flow, before the first evaluation.
    first: Vec<f64>,
    /// Places of the continuous states and of their rates, element by element.
    flowing: Vec<(usize, usize)>,
}

/// Where a diagram is evaluated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub e: usize,
    pub time: f64,
    pub states: &'a [f64],
    /// The first evaluation of the step before, where that was rejected.
    pub rejected: Option<usize>,
}

/// How comparisons are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reading {
    /// From the values that are compared.
    Values,
    /// As they were, whatever the values are.
    Held,
}

/// What an evaluation gives.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Point {
    /// The rates of the continuous states.
    pub rates: Vector,
    /// The recorded signals; nothing where one is absent.
    pub signals: Vec<Option<Vec<f64>>>,
    /// The states that do not flow, after a commit.
    pub states: Vec<f64>,
    /// What comparisons would read from their values.
    pub sides: Vec<f64>,
}

impl Machine {
    pub fn new(diagram: Arc<Diagram>, schedule: &Schedule, program: Arc<Program>) -> Machine {
        let rates = program::rates(&diagram, schedule, &program);
        let (mut ticked, mut first, mut flowing) = (Vec::new(), Vec::new(), Vec::new());
        let mut in_block = vec![0; diagram.blocks.len()];
        for state in &program.states {
            let block = diagram.block(state.block);
            let index = in_block[state.block.index()];
            in_block[state.block.index()] += 1;
            let elements = 0..state.initial.len();
            if state.continuous {
                let from = program.cell(state.cell).slot as usize;
                let region = &program.regions[block.region.index()];
                let rate = region.rate as usize + (from - region.state as usize);
                flowing.extend(elements.map(|i| (from + i, rate + i)));
            } else {
                let kept = is_kept(block, &block.smooth, index);
                let still = !diagram.moves(state.block, block.smooth.nexts[index]);
                ticked.extend(elements.map(|_| kept || still));
                // What a commit always leaves is there from the beginning: a signal that is never
                // absent has been there before the first evaluation too.
                let always = block.tick.graph.constant_of(block.tick.nexts[index]);
                first.extend(always.unwrap_or_else(|| state.initial.clone()));
            }
        }
        Machine { diagram, program, rates, ticked, first, flowing }
    }

    /// The continuous states at the start.
    pub fn initial(&self) -> Vec<f64> {
        let flowing = self.program.states.iter().filter(|state| state.continuous);
        flowing.flat_map(|state| state.initial.clone()).collect()
    }

    /// The name of each continuous state: that of its block, with an index in a vector.
    pub fn names(&self) -> Vec<String> {
        let flowing = self.program.states.iter().filter(|state| state.continuous);
        let name = |state: &program::StateCells| {
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

    /// The block that a user has written.
    fn path(&self, block: diagram::BlockId) -> String {
        self.diagram.block(block).written().to_owned()
    }

    /// The block of a timer.
    pub fn timer(&self, timer: usize) -> String {
        self.path(self.program.timers[timer].block)
    }

    /// As it is before the first evaluation.
    pub fn start(&self, start: Time) -> Discrete {
        Discrete::new(&self.program, self.first.clone(), start)
    }

    /// Evaluates everything once. `woken` are the timers that wake at this evaluation.
    pub fn evaluate(
        &self,
        place: Place,
        before: &Discrete,
        woken: &[usize],
        reading: Reading,
    ) -> Result<Point, StreamError> {
        let mut slots = self.rates.image.clone();
        self.fill(&mut slots, place, before, woken, reading);
        let mut sides = before.sides.clone();
        for unit in &self.program.units {
            self.fire(unit, place, &mut slots)?;
            for (from, crossing) in &unit.crossings {
                let value = slots[*from as usize];
                sides[*crossing] = match self.program.crossings[*crossing].kind {
                    CrossingKind::Side => f64::from(value > 0.0) - f64::from(value < 0.0),
                    CrossingKind::Cell => value.floor(),
                };
            }
        }
        // The tape of the rates is one of the smooth phase: a comparison in a rate is read as it
        // has been frozen.
        if reading == Reading::Values {
            self.freeze(&mut slots, &sides);
        }
        run(&self.rates.tape, &mut slots);
        let states = self.commit(&slots, before);
        let rates: Vector = self.flowing.iter().map(|(_, rate)| slots[*rate]).collect();
        if let Some(position) = rates.iter().position(|rate| !rate.is_finite()) {
            let Place { e, time, .. } = place;
            return Err(StreamError::NotFinite { e, time, block: self.owner(position) });
        }
        Ok(Point { rates, signals: self.signals(&slots), states, sides })
    }

    fn fill(
        &self,
        slots: &mut [f64],
        place: Place,
        before: &Discrete,
        woken: &[usize],
        reading: Reading,
    ) {
        slots[self.program.time as usize] = place.time;
        for ((at, _), x) in self.flowing.iter().zip(place.states) {
            slots[*at] = *x;
        }
        let mut states = before.states.iter();
        for state in self.program.states.iter().filter(|state| !state.continuous) {
            let from = self.program.cell(state.cell).slot as usize;
            let elements = &mut slots[from..from + state.initial.len()];
            elements.iter_mut().zip(&mut states).for_each(|(slot, x)| *slot = *x);
        }
        for (index, timer) in self.program.timers.iter().enumerate() {
            let (count, wakes) = (before.counts[index], woken.contains(&index));
            slots[self.program.cell(timer.wakings).slot as usize] = count as f64;
            slots[self.program.cell(timer.woken).slot as usize] = f64::from(wakes);
        }
        // Within its residual a comparison is read from its side: never, or always.
        let residual = if reading == Reading::Held { f64::INFINITY } else { -1.0 };
        for crossing in &self.program.crossings {
            slots[crossing.residual as usize] = residual;
        }
        self.freeze(slots, &before.sides);
    }

    fn freeze(&self, slots: &mut [f64], sides: &[f64]) {
        for (crossing, side) in self.program.crossings.iter().zip(sides) {
            slots[self.program.cell(crossing.frozen).slot as usize] = *side;
        }
    }

    /// Runs a unit and puts its outputs in their places.
    fn fire(&self, unit: &Unit, place: Place, slots: &mut [f64]) -> Result<(), StreamError> {
        let Place { e, time, .. } = place;
        let block = || self.path(unit.block);
        if unit.may_be_unknown && !self.is_known(unit, slots) {
            return Err(StreamError::NotConstructive { e, time, block: block() });
        }
        run(&unit.tape, slots);
        for output in &unit.outputs {
            if output.guard.is_none_or(|present| slots[present as usize] != 0.0) {
                slots.copy_within(output.made(), output.to as usize);
            }
        }
        for wire in &unit.wires {
            let cells = &self.program.wires[wire.index()];
            let value = self.program.cell(cells.value);
            let from = value.slot as usize;
            let finite = slots[from..from + value.length].iter().all(|x| x.is_finite());
            if !finite && slots[self.program.cell(cells.present).slot as usize] != 0.0 {
                let block = self.path(self.diagram.wire(*wire).block);
                return Err(StreamError::NotFinite { e, time, block });
            }
        }
        match unit.checks.iter().find(|(from, _)| slots[*from as usize] != 0.0) {
            Some((_, reason)) => {
                Err(StreamError::Undefined { e, time, block: block(), reason: reason.clone() })
            }
            None => Ok(()),
        }
    }

    /// Whether a loop that conditionals could break is broken by them.
    fn is_known(&self, unit: &Unit, slots: &[f64]) -> bool {
        let mut partial: Vec<Partial> = slots.iter().map(|x| Partial::constant(*x)).collect();
        run(&unit.tape, &mut partial);
        partial[unit.made()].iter().all(|x| x.known)
    }

    fn commit(&self, slots: &[f64], before: &Discrete) -> Vec<f64> {
        let mut states = before.states.clone();
        let mut offsets = vec![None; self.program.states.len()];
        let mut offset = 0;
        for (index, state) in self.program.states.iter().enumerate() {
            if !state.continuous {
                offsets[index] = Some(offset);
                offset += state.initial.len();
            }
        }
        for (from, state) in self.program.units.iter().flat_map(|unit| &unit.nexts) {
            if let Some(offset) = offsets[*state] {
                let (from, n) = (*from as usize, self.program.states[*state].initial.len());
                states[offset..offset + n].copy_from_slice(&slots[from..from + n]);
            }
        }
        states
    }

    fn signals(&self, slots: &[f64]) -> Vec<Option<Vec<f64>>> {
        let value = |record: &program::RecordCells| {
            let from = record.value as usize;
            let present = slots[record.present as usize] != 0.0;
            present.then(|| slots[from..from + record.ty.len()].to_vec())
        };
        self.program.records.iter().map(value).collect()
    }
}
