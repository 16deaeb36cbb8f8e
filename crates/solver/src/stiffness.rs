//! Whether a system is stiff at the current point, and which method takes the next step.
//!
//! Explicit steps come in with an estimate of h |λ| for the fastest mode, implicit ones with a
//! bound of it; out comes the method of the next step. A few steps say nothing: the estimate is
//! rough, and a change costs a little.

use serde::{Deserialize, Serialize};

use crate::method::Method;
use crate::segment::Segment;
use crate::tableau::{DORMAND_PRINCE, Weight};

/// h |λ| beyond which Dormand and Prince's pair is held back by stability rather than by its error:
/// E. Hairer, G. Wanner, "Solving Ordinary Differential Equations II", IV.2.
const STIFF: f64 = 3.25;
/// Steps beyond it that make a system stiff.
const STIFF_STEPS: u32 = 15;
/// Steps below it in a row after which the count begins anew.
const CALM_STEPS: u32 = 6;
/// h |λ| below which an explicit method could take the same steps.
const MILD: f64 = 1.5;
/// Steps below it in a row that make a system stiff no more.
const MILD_STEPS: u32 = 20;

/// What has been seen of the present method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Watch {
    /// Steps for a change.
    signs: u32,
    /// Steps against it in a row.
    calm: u32,
}

impl Watch {
    /// The method that auto starts with.
    pub const EXPLICIT: Method = Method::Rk45;
    /// The method that it takes for stiff systems.
    pub const IMPLICIT: Method = Method::Rodas5p;

    /// The method that is to take the next step, after an explicit step with this estimate.
    pub fn after_explicit(&mut self, fastest: f64) -> Method {
        if fastest > STIFF {
            self.calm = 0;
            self.signs += 1;
        } else {
            self.calm += 1;
            if self.calm >= CALM_STEPS {
                self.signs = 0;
            }
        }
        if self.signs >= STIFF_STEPS { Watch::IMPLICIT } else { Watch::EXPLICIT }
    }

    /// The same after an implicit step with this bound.
    pub fn after_implicit(&mut self, fastest: f64) -> Method {
        self.signs = if fastest < MILD { self.signs + 1 } else { 0 };
        if self.signs >= MILD_STEPS { Watch::EXPLICIT } else { Watch::IMPLICIT }
    }
}

/// An estimate of h |λ| from a step of Dormand and Prince's pair: its last two stages have one
/// time, and the mode that they differ by is the fastest one.
pub(crate) fn fastest(segment: &Segment) -> f64 {
    let h = segment.end - segment.start;
    let [before, end] = [DORMAND_PRINCE.rows[5], DORMAND_PRINCE.rows[6]];
    let [k1, k2, k3, k4, k5, k6, k7] = &segment.slopes[..] else { return 0.0 };
    let weight = |row: &[Weight], j: usize| {
        row.iter().find(|(slope, _)| *slope == j).map_or(0.0, |(_, weight)| *weight)
    };
    let w: [f64; 6] = std::array::from_fn(|j| weight(end, j) - weight(before, j));
    let (mut slopes, mut states) = (0.0, 0.0);
    for i in 0..k1.len() {
        let slope = k7[i] - k6[i];
        let state = w[0] * k1[i] + w[1] * k2[i] + w[2] * k3[i] + w[3] * k4[i] + w[4] * k5[i];
        let state = h * (state + w[5] * k6[i]);
        slopes += slope * slope;
        states += state * state;
    }
    if states > 0.0 { h * (slopes / states).sqrt() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_needs_many_signs() {
        let mut watch = Watch::default();
        for _ in 0..5 {
            // Now and then a step near the bound.
            assert!((0..10).all(|_| watch.after_explicit(4.0) == Method::Rk45));
            assert!((0..6).all(|_| watch.after_explicit(1.0) == Method::Rk45));
        }
        assert!((0..14).all(|_| watch.after_explicit(4.0) == Method::Rk45));
        assert_eq!(watch.after_explicit(4.0), Method::Rodas5p);
        let mut watch = Watch::default();
        assert!((0..19).all(|_| watch.after_implicit(1.0) == Method::Rodas5p));
        assert_eq!(watch.after_implicit(2.0), Method::Rodas5p);
        assert!((0..19).all(|_| watch.after_implicit(1.0) == Method::Rodas5p));
        assert_eq!(watch.after_implicit(1.0), Method::Rk45);
    }
}
