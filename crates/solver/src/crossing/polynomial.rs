//! Functions that are affine in the states: over a step they are polynomials of fourth order.

use super::interval::Fraction;
use super::{Extent, Probe, Seen, Suspect, greater};
use crate::error::StepError;
use crate::system::System;

impl Suspect {
    /// A look is wished if the signs of the Bernstein coefficients between two looks change more
    /// than once: by the rule of Descartes there may be more than the one change that the looks
    /// would show. The polynomial is the cubic through the looks and a multiple of θ²(1 - θ)²,
    /// which is `off` in the middle. What the rounding of the function could do does not count.
    pub(super) fn wish_of_polynomial<S: System>(
        &self,
        probe: &mut Probe<S>,
        step: Extent,
        (a, b): (Seen, Seen),
        off: f64,
        divisions: &mut usize,
    ) -> Result<Option<Fraction>, StepError> {
        if off.is_infinite() {
            return Ok(Some(0.5));
        }
        if !self.may_turn(step, a, b, off, 0.0) {
            return Ok(None);
        }
        let noise = probe.noise(self.number, b.t).map_or(0.0, |noise| noise.value);
        if !self.may_turn(step, a, b, off, noise) {
            return Ok(None);
        }
        if *divisions == 0 {
            return Err(StepError::Undecided { t: a.t, crossing: self.number });
        }
        *divisions -= 1;
        Ok(Some(0.5))
    }

    /// Whether the polynomial may leave its side and come back between two looks, beyond its noise.
    fn may_turn(&self, step: Extent, a: Seen, b: Seen, off: f64, noise: f64) -> bool {
        let resting = self.side == 0.0;
        let sign = if resting { 1.0 } else { self.side };
        let cubic = a.cubic(b, sign);
        let [from, to] = cubic.value;
        let from = if self.fresh { from.max(0.0) } else { from };
        let [first, last] = cubic.slope;
        // θ²(1 - θ)² is a sixth of the middle Bernstein polynomial; in the middle it is 1/16.
        let middle = 0.5 * (from + first / 3.0 + to - last / 3.0) + sign * off * (16.0 / 6.0);
        let inner = [from + 0.25 * first, middle, to - 0.25 * last];
        if resting {
            let away = inner.iter().any(|c| c.abs() > greater(self.band, noise));
            return away && !self.beyond(b.g);
        }
        if self.fresh && self.flat {
            return false;
        }
        let rounding = greater(self.rounding(step, b.t), noise);
        let beyond = |c: f64| c < -rounding;
        let signs = [from, inner[0], inner[1], inner[2], to].map(beyond);
        let changes = signs.windows(2).filter(|pair| pair[0] != pair[1]).count();
        changes > 1
    }
}
