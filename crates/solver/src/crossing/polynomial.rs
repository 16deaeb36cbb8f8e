//! Functions that are affine in the states: over a step they are polynomials of fourth order.

use super::interval::Fraction;
use super::{Extent, Seen, Suspect};

impl Suspect {
    /// A look is wished where the signs of the Bernstein coefficients between two looks change more
    /// than once: by the rule of Descartes there may be more than the one change that the looks
    /// would show. The polynomial is the cubic through the looks and a multiple of θ²(1 - θ)², which
    /// is `off` in the middle.
    pub(super) fn wish_of_polynomial(
        &self,
        step: Extent,
        a: Seen,
        b: Seen,
        off: f64,
    ) -> Option<Fraction> {
        if off.is_infinite() {
            return Some(0.5);
        }
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
            let away = inner.iter().any(|c| c.abs() > self.band);
            return (away && !self.beyond(b.g)).then_some(0.5);
        }
        if self.fresh && self.flat {
            return None;
        }
        let rounding = self.rounding(step, b.t);
        let beyond = |c: f64| c < -rounding;
        let signs = [from, inner[0], inner[1], inner[2], to].map(beyond);
        let changes = signs.windows(2).filter(|pair| pair[0] != pair[1]).count();
        (changes > 1).then_some(0.5)
    }
}
