//! The parts of a region's tapes that run.

use program::tape::{Active, Slot};
use program::{Jacobian, RegionProgram};
use solver::Pattern;

use crate::smooth::flow::{states, watches};
use crate::smooth::region::ActiveSlice;

/// The parts of a region's tapes that run; found again whenever a phase starts.
#[derive(Clone, Debug, Default)]
pub(crate) struct ActiveTapes {
    pub derivative: Active,
    pub crossings: Active,
    pub jacobian: ActiveJacobian,
    /// The gains of the watched functions that run.
    pub gains: Vec<f64>,
    pub known: bool,
    /// Whether the parts of the rates and of the watched functions are known too, which compiled code
    /// does not need.
    pub(super) interpreted: bool,
}

/// The derivatives of the running rates by the running states.
#[derive(Clone, Debug, Default)]
pub(crate) struct ActiveJacobian {
    pub(super) tape: Active,
    /// The slices that the slots below apply to.
    pub(super) ranges: Vec<ActiveSlice>,
    /// The slot of each entry of the pattern, column after column.
    pub(super) places: Vec<Slot>,
    /// The rates that move with time, and the slots of those derivatives.
    pub(super) rates: Vec<(usize, Slot)>,
}

impl ActiveJacobian {
    fn find(&mut self, jacobian: &Jacobian, ranges: &[ActiveSlice], slots: &[f64]) {
        self.tape.find(&jacobian.tape, slots);
        if self.ranges == ranges {
            return;
        }
        self.ranges = ranges.to_vec();
        let numbers = numbers(jacobian.columns.len(), ranges);
        self.places = columns(jacobian, ranges)
            .flatten()
            .filter_map(|(row, slot)| numbers[*row as usize].map(|_| *slot))
            .collect();
        let rates = jacobian.rates.iter();
        self.rates =
            rates.filter_map(|(row, slot)| Some((numbers[*row as usize]?, *slot))).collect();
    }

    pub(super) fn pattern(&self, jacobian: &Jacobian) -> Pattern {
        let numbers = numbers(jacobian.columns.len(), &self.ranges);
        let rows = columns(jacobian, &self.ranges).map(|column| {
            let number = |(row, _): &(u32, Slot)| numbers[*row as usize];
            column.iter().filter_map(number).collect::<Vec<_>>()
        });
        Pattern::from_columns(rows, !self.rates.is_empty())
    }
}

/// The columns of the states that run.
fn columns<'a>(
    jacobian: &'a Jacobian,
    ranges: &'a [ActiveSlice],
) -> impl Iterator<Item = &'a Vec<(u32, Slot)>> {
    states(ranges).flat_map(|(from, length)| &jacobian.columns[from..from + length])
}

/// For each state of a region, its index among those that run.
fn numbers(dimension: usize, ranges: &[ActiveSlice]) -> Vec<Option<usize>> {
    let mut numbers = vec![None; dimension];
    let running = states(ranges).flat_map(|(from, length)| from..from + length);
    running.enumerate().for_each(|(number, state)| numbers[state] = Some(number));
    numbers
}

impl ActiveTapes {
    /// Finds what runs under the conditions in the buffer.
    pub fn find(
        &mut self,
        program: &RegionProgram,
        ranges: &[ActiveSlice],
        slots: &[f64],
        compiled: bool,
    ) {
        let guarded = program.derivative.is_guarded() || program.crossings.is_guarded();
        if self.known && !guarded && program.jacobian.is_none() {
            return;
        }
        self.gains.clear();
        for (from, length) in watches(ranges) {
            self.gains.extend_from_slice(&program.gains[from..from + length]);
        }
        self.interpreted = !(compiled && guarded);
        if self.interpreted {
            self.derivative.find(&program.derivative, slots);
            self.crossings.find(&program.crossings, slots);
        }
        if let Some(jacobian) = &program.jacobian {
            self.jacobian.find(jacobian, ranges, slots);
        }
        self.known = true;
    }
}
