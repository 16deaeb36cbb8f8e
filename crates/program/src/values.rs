//! A program for the values that a run gives to parameters.

use std::ops::Range;
use std::sync::Arc;

use base::{ExactTime, ParameterId, Table, Time, Value};
use blocks::{Begins, MOST_WAKINGS, events_before};
use diagram::{AtStart, BlockId, RegionId};
use rustc_hash::FxHashMap;

use crate::inputs::InputId;
use crate::program::{Program, StepLimits};
use crate::region::RegionProgram;
use crate::tracked::StateId;

impl Program {
    /// The same program with the values of a run: `values` has all values that are computed from
    /// parameters, and `starts` what blocks make of them. Nothing is compiled.
    pub fn with_values(&self, values: &[Value], starts: &[AtStart], seed: u64) -> Program {
        let mut program = self.clone();
        program.take_values(values);
        program.take_starts(starts);
        program.take_seed(seed);
        program
    }

    /// The parts of the buffer that begin with a value that a run computes from parameters; none
    /// if something else begins with it too.
    pub fn beginning_with(&self, id: ParameterId) -> Option<Vec<InitialPart>> {
        if self.lines.iter().any(|line| line.open == Some(id)) {
            return None;
        }
        let parameters = self.parameters.iter().filter(|own| own.id == id);
        let numbers = parameters.map(|own| {
            let range = own.slot.slots(own.length).indices();
            InitialPart { range, state: None }
        });
        let states = self.states.entries().filter(|(_, state)| state.open == Some(id));
        let states = states.map(|(state, own)| {
            let range = self.tracked[own.tracked].range();
            InitialPart { range, state: Some(state) }
        });
        Some(numbers.chain(states).collect())
    }

    /// The signal from outside that a state belongs to.
    pub fn input_of(&self, state: StateId) -> Option<InputId> {
        let mut inputs = self.inputs.entries();
        inputs.find(|(_, own)| own.block == self.states[state].block).map(|(id, _)| id)
    }

    /// Writes the seed of a run to the initial buffer.
    fn take_seed(&mut self, seed: u64) {
        let Program { image, code, .. } = self;
        let seeds = code.states.iter().filter(|state| state.begins == Begins::Seed);
        for state in seeds {
            image[code.tracked[state.tracked].range()].copy_from_slice(&seed_halves(seed));
        }
    }

    /// Whether a timer would wake more often before the start than can be counted.
    pub fn is_uncounted(&self, start: ExactTime) -> bool {
        let first = start.time().max(Time::ZERO);
        self.timers.iter().any(|own| events_before(&*own.timer, first) >= MOST_WAKINGS)
    }

    /// Writes the values of parameters to the initial buffer.
    fn take_values(&mut self, values: &[Value]) {
        let Program { image, lines, code, .. } = self;
        for own in &code.parameters {
            let slots = own.slot.slots(own.length).indices();
            image[slots].copy_from_slice(values[own.id.index()].data());
        }
        for state in &code.states {
            if let Some(id) = state.open {
                fill(&mut image[code.tracked[state.tracked].range()], &values[id.index()]);
            }
        }
        if lines.iter().any(|line| line.open.is_some()) {
            for line in Arc::make_mut(lines) {
                if let Some(id) = line.open {
                    let length = code.tracked[line.to[1]].length;
                    fill(&mut line.initial[..length], &values[id.index()]);
                }
            }
        }
    }

    fn take_starts(&mut self, starts: &[AtStart]) {
        if starts.is_empty() {
            return;
        }
        let (timers, lines) = (Arc::make_mut(&mut self.timers), Arc::make_mut(&mut self.lines));
        let limits = Arc::make_mut(&mut self.limits);
        // Timers and delay lines of a block are in the order in which the block made them.
        let of_block = |start: &'_ AtStart| (start.block, start.timers.clone().into_iter());
        let mut new: FxHashMap<BlockId, _> = starts.iter().map(of_block).collect();
        for own in timers.iter_mut() {
            let timer = new.get_mut(&own.block).and_then(Iterator::next);
            own.timer = timer.unwrap_or_else(|| own.timer.clone());
        }
        let of_block = |start: &'_ AtStart| (start.block, start.delays.clone().into_iter());
        let mut new: FxHashMap<BlockId, _> = starts.iter().map(of_block).collect();
        for own in lines.iter_mut() {
            own.delay = new.get_mut(&own.block).and_then(Iterator::next).unwrap_or(own.delay);
        }
        for start in starts {
            limits.blocks[start.block] = start.maximum_step;
        }
        limits.slices = StepLimits::by_slices(&self.code.regions, &limits.blocks);
    }
}

/// A part of the buffer that begins with a value of a run.
#[derive(Clone, Debug)]
pub struct InitialPart {
    /// Its slots.
    pub range: Range<usize>,
    /// The state that it is, if it is one.
    pub state: Option<StateId>,
}

/// A seed as two floats, which hold 32 bits each.
pub(crate) fn seed_halves(seed: u64) -> [f64; 2] {
    [(seed >> 32) as f64, (seed & u64::from(u32::MAX)) as f64]
}

/// Writes a value to slots; a scalar fills them.
pub fn fill(slots: &mut [f64], value: &Value) {
    match value.data() {
        [one] => slots.fill(*one),
        all => slots.copy_from_slice(all),
    }
}

impl StepLimits {
    /// The smallest limit of the blocks of each slice, unless none of them has one. A region with
    /// hundreds of fragments would otherwise go over all of them whenever it starts again.
    pub(crate) fn by_slices(
        regions: &Table<RegionId, RegionProgram>,
        blocks: &Table<BlockId, f64>,
    ) -> Table<RegionId, Vec<(usize, f64)>> {
        let smallest = |region: &RegionProgram| {
            let limit = |of: &Vec<BlockId>| {
                of.iter().map(|block| blocks[*block]).fold(f64::INFINITY, f64::min)
            };
            let limits = region.slices.iter().map(|slice| limit(&slice.blocks)).enumerate();
            limits.filter(|(_, limit)| limit.is_finite()).collect()
        };
        regions.iter().map(smallest).collect()
    }
}
