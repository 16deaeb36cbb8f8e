//! The functions that may come near zero in a step.

use super::{Extent, FLAT, Level, ROUNDING, Search, Seen, Sides, Space, Suspect, resolution};
use crate::segment::Segment;

/// How many functions are passed over at once, and how many are looked at one by one.
const BLOCK: usize = 64;
const FEW: usize = 4;

impl Search {
    /// Finds the functions that may come near zero in the segment, whose end is the first level, and
    /// opens the interval up to there. Says whether any function has a residual.
    ///
    /// The others are on their side at both ends, and so far away that even at twice the rates of
    /// the ends they do not reach zero. One pass without branches, for in most steps with many
    /// functions this is all that is done.
    pub(super) fn suspect(&mut self, segment: &Segment, sides: &Sides) -> bool {
        let Space { suspects, levels, open, doubts, step, .. } = &mut self.space.0;
        let (a, b, m) = (&self.here, &levels[0], sides.side.len());
        let width = b.t - a.t;
        (*open, *step) = (1, Extent::of(segment));
        // At the end nothing may be so near as the resolution of its location either.
        let far = width.max(resolution(b.t, segment.end - segment.start));
        suspects.clear();
        let (mut kept, mut resting) = (false, false);
        let ((all_a, rates_a), (all_b, rates_b)) = (a.parts(), b.parts());
        for from in (0..m).step_by(BLOCK) {
            let block = from..m.min(from + BLOCK);
            let [at_a, at_b] = [&all_a[block.clone()], &all_b[block.clone()]];
            let [rate_a, rate_b] = [&rates_a[block.clone()], &rates_b[block.clone()]];
            let [side, residual] = [&sides.side[block.clone()], &sides.residual[block.clone()]];
            let is_clear = |k: usize| {
                let nearest = lesser(side[k] * at_a[k], side[k] * at_b[k]);
                let steepest = greater((width * rate_a[k]).abs(), (far * rate_b[k]).abs());
                (nearest > steepest) & (nearest > residual[k])
            };
            let all = 0..side.len();
            kept |= residual.iter().fold(0, |all, residual| all | residual.to_bits()) != 0;
            if side.len() > FEW && all.clone().fold(true, |clear, k| clear & is_clear(k)) {
                continue;
            }
            for k in all.filter(|k| !is_clear(*k)).map(|k| from + k) {
                resting |= sides.side[k] == 0.0;
                suspects.push(Suspect::new(k, sides, *step, a.of(k), b.of(k)));
                doubts[k] = f64::INFINITY;
            }
        }
        if resting {
            self.space.0.widen(segment);
        }
        kept
    }
}

impl Suspect {
    /// A function at the start of a step, with what is seen of it at both ends.
    fn new(number: usize, sides: &Sides, step: Extent, here: Seen, end: Seen) -> Suspect {
        let (side, band, size) = (sides.side[number], sides.residual[number], here.g.abs());
        let rise = here.rate * step.width;
        let fresh = side != 0.0 && size <= band;
        let flat = fresh && side * end.g >= 0.0 && rise.abs() <= FLAT * end.g.abs();
        let at_end = end.g.abs();
        Suspect { number, side, band, fresh, flat, wanted: false, scale: size, at_end }
    }
}

impl Extent {
    fn of(segment: &Segment) -> Extent {
        Extent { start: segment.start, width: segment.end - segment.start }
    }
}

/// The lesser of two numbers, by one instruction; the second where one is not a number.
fn lesser(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The greater of two numbers, by one instruction; the second where one is not a number.
fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

impl Space {
    /// Lets those with side 0 rest within the rounding of the state.
    fn widen(&mut self, segment: &Segment) {
        let states = segment.x0.iter().chain(&segment.x1);
        let floor = ROUNDING * states.fold(0.0, |most: f64, x| most.max(x.abs()));
        for own in self.suspects.iter_mut().filter(|own| own.side == 0.0) {
            own.band = own.band.max(floor);
        }
    }

    /// Takes in the functions that a look into the nearest interval, whose left end is `a`, shows
    /// nearer to zero than its rate goes in a step, though the ends of the step did not.
    pub(super) fn admit(&mut self, sides: &Sides, a: &Level) {
        let m = sides.side.len();
        if self.suspects.len() == m {
            return;
        }
        let (known, free) = self.levels.split_at_mut(self.open);
        let ((g, rate), width) = (free[0].parts(), self.step.width);
        let is_clear = |k: usize| sides.side[k] * g[k] > (width * rate[k]).abs();
        for from in (0..m).step_by(BLOCK) {
            let block = from..m.min(from + BLOCK);
            if block.clone().fold(true, |clear, k| clear & is_clear(k)) {
                continue;
            }
            for k in block.filter(|k| !is_clear(*k)) {
                let place = self.suspects.binary_search_by_key(&k, |own| own.number);
                let Err(place) = place else { continue };
                let seen = Suspect::new(k, sides, self.step, a.of(k), known[0].of(k));
                self.suspects.insert(place, Suspect { fresh: false, flat: false, ..seen });
                (0..self.open).for_each(|level| self.doubts[level * m + k] = f64::INFINITY);
            }
        }
    }
}
