//! Functions that can be enclosed: bounds over an interval say whether it must be divided.

use base::Interval;

use super::interval::Fraction;
use super::{Extent, Probe, Seen, Suspect, greater};
use crate::error::StepError;
use crate::system::System;

/// A slope so small that it leads nowhere: what is left of a zero that was rounded outwards.
const NO_SLOPE: f64 = 1e-300;
/// The part of a step below which a function may turn out to be lost in its noise.
const NOISY: f64 = 1.0 / 16.0;

impl Suspect {
    /// A look in the middle is wished unless the function keeps its side over the whole interval or
    /// goes one way only, so that the looks at both ends show everything; unless time cannot
    /// separate the ends; and unless both ends are lost in the noise.
    pub(super) fn wish_of_enclosure<S: System>(
        &mut self,
        probe: &mut Probe<S>,
        step: Extent,
        (a, b): (Seen, Seen),
        enclosures: &mut usize,
    ) -> Result<Option<Fraction>, StepError> {
        let width = b.t - a.t;
        if b.t <= self.decided || width <= probe.finest(b.t, step.width) {
            return Ok(None);
        }
        if *enclosures == 0 {
            return Err(StepError::Undecided { t: a.t, crossing: self.number });
        }
        *enclosures -= 1;
        let found = probe.enclose(self.number, a.t, b.t);
        let way = found.rate * Interval { low: 0.0, high: width.next_up() };
        let from = Interval::point(a.g) + way;
        let to = Interval::point(b.g) - way;
        let value = found.value.and(from).and(to);
        if self.is_decided(value, found.rate) || self.is_lost(probe, step, (a, b)) {
            self.decided = b.t;
            return Ok(None);
        }
        Ok(Some(0.5))
    }

    /// Whether bounds of the value and the slope say that the looks at both ends show everything.
    fn is_decided(&self, value: Interval, rate: Interval) -> bool {
        if self.side == 0.0 {
            return value.size() <= self.band;
        }
        let keeps = if self.side > 0.0 { value.low > 0.0 } else { value.high < 0.0 };
        keeps || rate.low >= -NO_SLOPE || rate.high <= NO_SLOPE
    }

    /// Whether dividing a short interval further would show nothing: at both ends the function is
    /// zero but for rounding, or even the bounds of that one point do not decide.
    fn is_lost<S: System>(&self, probe: &mut Probe<S>, step: Extent, (a, b): (Seen, Seen)) -> bool {
        let short = b.t - a.t <= NOISY * step.width;
        let mut lost = |look: Seen| {
            let point = probe.enclose(self.number, look.t, look.t).value;
            let noise = probe.noise(self.number, look.t).map_or(0.0, |noise| noise.value);
            point.contains(0.0) || look.g.abs() <= greater(noise, self.band)
        };
        short && lost(a) && lost(b)
    }
}
