//! What is known of a change that was located.

use serde::{Deserialize, Serialize};

use super::{Extent, Probe, Seen, Suspect, finest, greater, resolution};
use crate::system::System;

/// A function that changed its side at the located point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Located {
    /// Its number.
    pub function: usize,
    /// How far from the located point its zero may be \[s\], by the rounding of the function and of
    /// the location.
    pub uncertainty: f64,
    /// The side that it leaps to, if it did not pass zero but leapt over it, at a pole or a branch
    /// cut; otherwise 0.
    pub leap: f64,
    /// With the rules of Ptolemy II, the direction of an event that is due although the function may
    /// be back on its side: a step that was tried came close enough past zero. Otherwise 0.
    pub due: f64,
}

impl Located {
    /// A change that looks on both sides of it show, the second at the located point.
    pub(super) fn new<S: System>(
        probe: &mut Probe<S>,
        own: &Suspect,
        step: Extent,
        from: Seen,
        at: Seen,
    ) -> Located {
        let width = at.t - from.t;
        let fine = finest(at.t, step.width);
        let steepest = greater(from.rate.abs(), at.rate.abs());
        // Over the last places of time a function that passes zero goes no further than its slope
        // takes it, and it goes the way of its slope.
        let near = at.g.abs() <= 8.0 * greater(fine, width.min(8.0 * fine)) * steepest;
        let falls = own.side == 0.0 || own.side * from.rate < 0.0 || own.side * at.rate < 0.0;
        let noise = match own.noise.is_nan() {
            true => probe.noise(own.number, at.t).map_or(0.0, |noise| noise.value),
            false => own.noise,
        };
        // Rounding moves a function to and fro over zero, but at a pole or a branch cut it leaps.
        let mut torn = || probe.noise(own.number, at.t).is_some_and(|noise| noise.torn);
        let lost = at.g.abs() <= noise && (falls || !torn());
        let passes = own.fresh || !own.beyond(at.g) || falls && near || lost;
        let leap = if passes { 0.0 } else { at.g.signum() };
        let by_noise = if passes && at.rate != 0.0 { noise / at.rate.abs() } else { 0.0 };
        let uncertainty = greater(by_noise, resolution(at.t, 0.0));
        Located { function: own.number, uncertainty, leap, due: 0.0 }
    }
}
