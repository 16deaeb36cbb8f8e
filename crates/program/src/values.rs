//! A program for the values that a run gives to parameters.

use std::sync::Arc;

use base::{ExactTime, Table, Time, Value};
use blocks::{Begins, MOST_WAKINGS, events_before};
use diagram::{AtStart, BlockId, RegionId};
use rustc_hash::FxHashMap;

use crate::program::{Program, StepLimits};
use crate::region::RegionProgram;

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

/// A seed as two floats, which hold 32 bits each.
pub(crate) fn seed_halves(seed: u64) -> [f64; 2] {
    [(seed >> 32) as f64, (seed & u64::from(u32::MAX)) as f64]
}

/// Writes a value to slots; a scalar fills them.
fn fill(slots: &mut [f64], value: &Value) {
    match value.data() {
        [one] => slots.fill(*one),
        all => slots.copy_from_slice(all),
    }
}

impl StepLimits {
    /// The smallest limit of the blocks of each slice.
    pub(crate) fn by_slices(
        regions: &Table<RegionId, RegionProgram>,
        blocks: &Table<BlockId, f64>,
    ) -> Table<RegionId, Vec<f64>> {
        let smallest = |region: &RegionProgram| {
            let slices = region.slices.iter();
            let limit = |of: &Vec<BlockId>| {
                of.iter().map(|block| blocks[*block]).fold(f64::INFINITY, f64::min)
            };
            slices.map(|slice| limit(&slice.blocks)).collect()
        };
        regions.iter().map(smallest).collect()
    }
}
