//! Comparisons at a point: on which side they are, and what the other side would change.

use base::Value;
use linear::Matrix;
use program::{CrossingKind, EquationComparison, Place};

use crate::System;
use crate::analysis::functions::{Functions, slots};

/// A side of a comparison whose operands are equal at the point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// As where the function of the crossing is positive.
    Above,
    /// As where it is negative.
    Below,
}

/// A comparison whose operands are equal at the point, and that matters there.
#[derive(Clone, PartialEq, Debug)]
pub struct SwitchAtPoint {
    /// The block with the comparison.
    pub block: String,
    /// The side whose derivatives were taken.
    pub side: Side,
    /// Whether rates or outputs jump from one side to the other, and not only their derivatives.
    pub jumps: bool,
}

/// How far a function may be from zero, relative to what moves it, to count as zero.
const NEAR: f64 = 1e-9;

impl Functions {
    /// Puts every comparison on the side of its values.
    pub fn settle(&mut self) {
        let comparisons = self.comparisons();
        // A comparison may depend on others; each round settles at least one more.
        for _ in 0..comparisons.len() + 1 {
            self.run();
            let mut changed = false;
            for own in &comparisons {
                let new = reading(own.kind, self.buffer[own.value.index()]);
                let frozen = &mut self.buffer[own.frozen.index()];
                changed |= *frozen != new && !new.is_nan();
                *frozen = if new.is_nan() { *frozen } else { new };
            }
            if !changed {
                return;
            }
        }
        self.run();
    }

    /// The comparisons whose operands are equal up to rounding.
    fn near(&self, states: &[Place]) -> Vec<EquationComparison> {
        let comparisons = self.comparisons();
        if comparisons.is_empty() {
            return comparisons;
        }
        let inputs = self.equations.inputs.iter().map(|own| own.moved);
        let moving: Vec<Place> = states.iter().copied().chain(inputs).collect();
        let columns = slots(&moving);
        let rows: Vec<Place> =
            comparisons.iter().map(|own| Place { slot: own.value, length: 1 }).collect();
        let slopes = self.derivatives(&rows, &columns);
        let is_near = |(i, own): &(usize, EquationComparison)| {
            let value = self.buffer[own.value.index()];
            let off = match own.kind {
                CrossingKind::Sign => value,
                CrossingKind::Floor => value - value.round(),
            };
            let reach = |(j, slot): (usize, &program::tape::Slot)| {
                slopes.get(*i, j).abs() * self.buffer[slot.index()].abs().max(1.0)
            };
            off.abs() <= NEAR * columns.iter().enumerate().map(reach).sum::<f64>()
        };
        comparisons.into_iter().enumerate().filter(is_near).map(|(_, own)| own).collect()
    }

    /// Chooses sides for comparisons whose operands are equal: the given one, else those of the
    /// run, else above. Returns those at which it matters for `rows` by the states and inputs.
    pub fn choose_sides(
        &mut self,
        system: &System,
        (states, rows): (&[Place], &[Place]),
        (side, ran): (Option<Side>, bool),
    ) -> Vec<SwitchAtPoint> {
        let near = self.near(states);
        for own in &near {
            let frozen = self.buffer[own.frozen.index()];
            let keeps = ran && side.is_none() && frozen != 0.0;
            if !keeps || own.kind == CrossingKind::Floor && side.is_some() {
                self.buffer[own.frozen.index()] = self.on(own, side.unwrap_or(Side::Above));
            }
        }
        self.run();
        let inputs = self.equations.inputs.iter().map(|own| own.moved);
        let moving: Vec<Place> = states.iter().copied().chain(inputs).collect();
        let columns = slots(&moving);
        near.iter().filter_map(|own| self.matters(system, own, rows, &columns)).collect()
    }

    /// What a comparison reads on a side of a zero.
    fn on(&self, own: &EquationComparison, side: Side) -> f64 {
        match (own.kind, side) {
            (CrossingKind::Sign, Side::Above) => 1.0,
            (CrossingKind::Sign, Side::Below) => -1.0,
            (CrossingKind::Floor, Side::Above) => self.buffer[own.value.index()].round(),
            (CrossingKind::Floor, Side::Below) => self.buffer[own.value.index()].round() - 1.0,
        }
    }

    fn matters(
        &self,
        system: &System,
        own: &EquationComparison,
        rows: &[Place],
        columns: &[program::tape::Slot],
    ) -> Option<SwitchAtPoint> {
        let seen = |side: Side| -> (Vec<f64>, Matrix) {
            let mut other = self.clone();
            other.buffer[own.frozen.index()] = self.on(own, side);
            other.run();
            (other.at(rows), other.derivatives(rows, columns))
        };
        let (above, below) = (seen(Side::Above), seen(Side::Below));
        let pairs = |a: &[f64], b: &[f64]| a.iter().copied().zip(b.to_vec()).collect::<Vec<_>>();
        let slopes = pairs(above.1.data(), below.1.data());
        let bends = slopes.iter().any(|(a, b)| apart(*a, *b, NEAR * a.abs().max(b.abs())));
        // Near a zero that is one up to rounding, values on both sides differ by rounding.
        let scale = slopes.iter().fold(1.0f64, |most, (a, b)| most.max(a.abs()).max(b.abs()));
        let allowed = |a: f64| 10.0 * NEAR * scale.max(a.abs());
        let jumps = pairs(&above.0, &below.0).iter().any(|(a, b)| apart(*a, *b, allowed(*a)));
        if !jumps && !bends {
            return None;
        }
        let block = system.diagram.block(own.block).written().to_owned();
        let frozen = self.buffer[own.frozen.index()];
        let side = if frozen == self.on(own, Side::Below) { Side::Below } else { Side::Above };
        Some(SwitchAtPoint { block, side, jumps })
    }
}

/// Whether two numbers differ by more than is allowed.
fn apart(a: f64, b: f64, allowed: f64) -> bool {
    (a - b).abs() > allowed || a.is_nan() != b.is_nan()
}

/// What a comparison reads from a value.
fn reading(kind: CrossingKind, value: f64) -> f64 {
    match kind {
        CrossingKind::Sign if value == 0.0 => 0.0,
        CrossingKind::Sign if value.is_nan() => f64::NAN,
        CrossingKind::Sign => value.signum(),
        CrossingKind::Floor => value.floor(),
    }
}

/// The value of a held state for a reader.
pub(crate) fn shown_state(ty: base::Type, values: &[f64]) -> String {
    Value::new(ty, values.to_vec()).to_string()
}
