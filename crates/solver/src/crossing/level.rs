//! One look at all crossing functions.

use serde::{Deserialize, Serialize};

use crate::counters::Counters;
use crate::hermite::Cubic;
use crate::segment::Segment;
use crate::system::System;

/// The values of all functions at one time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Level {
    /// Offset of the look.
    pub t: f64,
    /// The functions.
    pub g: Vec<f64>,
    /// Their time derivatives.
    pub rate: Vec<f64>,
    /// For the interval that ends here: how far the cubic may be off; infinite if not measured.
    pub doubt: Vec<f64>,
}

impl Level {
    pub fn new(crossings: usize) -> Level {
        // Each asks for zeros of its own, which the system gives where they are touched.
        let zeros = || vec![0.0; crossings];
        Level { t: 0.0, g: zeros(), rate: zeros(), doubt: zeros() }
    }

    /// Exchanges what was seen, and not what is known about the intervals that end there.
    pub fn swap_look(&mut self, other: &mut Level) {
        std::mem::swap(&mut self.t, &mut other.t);
        std::mem::swap(&mut self.g, &mut other.g);
        std::mem::swap(&mut self.rate, &mut other.rate);
    }

    /// The cubic of function k, times `sign`, from this look to a later one.
    pub fn cubic(&self, to: &Level, k: usize, sign: f64) -> Cubic {
        let width = sign * (to.t - self.t);
        Cubic {
            value: [sign * self.g[k], sign * to.g[k]],
            slope: [width * self.rate[k], width * to.rate[k]],
        }
    }
}

/// What is needed to look at the functions anywhere in a step.
pub(crate) struct Probe<'a, S> {
    pub system: &'a mut S,
    pub segment: &'a Segment,
    pub x: &'a mut [f64],
    pub dx: &'a mut [f64],
    /// Where `x` and `dx` are those of the dense output.
    pub at: Option<f64>,
    pub counters: &'a mut Counters,
}

impl<S: System> Probe<'_, S> {
    /// Looks at `t` on the dense output.
    pub fn look(&mut self, t: f64, level: &mut Level) {
        self.counters.crossing_evaluations += 1;
        level.t = t;
        let (g, rate) = (&mut level.g, &mut level.rate);
        if t == self.segment.end && self.segment.ends_smoothly() {
            let segment = self.segment;
            return self.system.crossings(t, &segment.x1, segment.end_slope(), g, rate);
        }
        self.segment.value_and_slope(t, self.x, self.dx);
        self.at = Some(t);
        self.system.crossings(t, self.x, self.dx, g, rate);
    }
}
