//! The functions that may come near zero in a step.

use std::ops::Range;

use super::{
    ENCLOSURES, Extent, FLAT, Level, ROUNDING, Search, Seen, Sides, Space, Suspect, greater,
    lesser, resolution,
};
use crate::segment::Segment;
use crate::wide::wide;

/// How many functions are passed over at once, and how many are looked at one by one.
const BLOCK: usize = 64;
const FEW: usize = 4;

impl Search {
    /// Finds the functions that may come near zero up to the first level and opens the interval up
    /// to there. The level is the end of the segment, or a point before it that is sure to be after
    /// a change. Of more than `most` only the first ones are noted.
    ///
    /// The others are on their side at both ends, and so far away that even at twice the rates of
    /// the ends they do not reach zero. One pass without branches, for in most steps with many
    /// functions this is all that is done.
    pub(super) fn suspect(&mut self, segment: &Segment, sides: &Sides, most: usize) -> Found {
        let (space, here) = (&mut self.space.0, &self.here);
        let (m, end) = (here.len(), space.levels[0].t);
        let width = end - segment.start;
        (space.open, space.step) = (1, Extent { start: segment.start, width });
        // At the end nothing may be so near as the resolution of its location either.
        let way = end - here.t;
        if end == segment.end {
            space.quartic = segment.largest_quartic();
        }
        space.enclosures = ENCLOSURES;
        // A quartic of zero would hide a gain that is infinite.
        let quartic = space.quartic.max(f64::MIN_POSITIVE);
        let way = Way { width: way, far: way.max(resolution(end, width)), quartic };
        space.way = way;
        space.suspects.clear();
        let found = wide(
            m,
            #[inline(always)]
            || space.pass_over(here, way, sides, most),
        );
        if found.resting {
            space.widen(segment);
        }
        found
    }
}

/// The side of a function, its residual, and what is known of it.
type Kept = (f64, f64, f64);

/// What a pass over all functions has found beside suspects.
#[derive(Clone, Copy, Default)]
pub(super) struct Found {
    /// How many suspects there are.
    pub count: usize,
    /// The first of them that is NaN at the end.
    pub odd: Option<usize>,
    /// Whether any function has a residual.
    pub kept: bool,
    /// Whether any suspect has side 0.
    resting: bool,
}

/// How far rates lead in a step, and at its end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Way {
    width: f64,
    far: f64,
    /// The largest coefficient of θ⁴ of a state.
    quartic: f64,
}

impl Way {
    /// Whether a function stays away from zero: the Bernstein coefficients of an affine one are
    /// then all on its side, the middle one because its quartic takes away a sixth at most. One
    /// that has to be enclosed is never clear by this.
    #[inline(always)]
    fn is_clear(self, (side, residual, gain): Kept, g: [f64; 2], rate: [f64; 2]) -> bool {
        let nearest = lesser(side * g[0], side * g[1]);
        let steepest = greater((self.width * rate[0]).abs(), (self.far * rate[1]).abs());
        let bent = 4.0 * nearest <= gain * self.quartic;
        (nearest > steepest) & (nearest > residual) & !bent
    }

    /// Counts those of a block that may not, without noting them.
    #[inline(always)]
    fn count(self, a: &Level, b: &Level, sides: &Sides, block: Range<usize>, found: &mut Found) {
        let ((at_a, rate_a), (at_b, rate_b)) = (a.parts(), b.parts());
        let is_clear = |k: usize, gain: f64| {
            let (g, rate) = ([at_a[k], at_b[k]], [rate_a[k], rate_b[k]]);
            self.is_clear((sides.side[k], sides.residual[k], gain), g, rate)
        };
        found.kept |= any_bits(&sides.residual[block.clone()]);
        found.count += match sides.gain.is_empty() {
            true => block.clone().filter(|k| !is_clear(*k, f64::NAN)).count(),
            false => block.clone().filter(|k| !is_clear(*k, sides.gain[*k])).count(),
        };
        if found.odd.is_none() {
            found.odd = block.into_iter().find(|k| at_b[*k].is_nan());
        }
    }

    /// Whether all functions of a block do.
    #[inline(always)]
    fn is_clear_of_all(self, a: &Level, b: &Level, sides: &Sides, block: Range<usize>) -> bool {
        let ((at_a, rate_a), (at_b, rate_b)) = (a.parts(), b.parts());
        let [at_a, at_b] = [&at_a[block.clone()], &at_b[block.clone()]];
        let [rate_a, rate_b] = [&rate_a[block.clone()], &rate_b[block.clone()]];
        let [side, residual] = [&sides.side[block.clone()], &sides.residual[block.clone()]];
        let clear = |k: usize, gain: f64| {
            let (g, rate) = ([at_a[k], at_b[k]], [rate_a[k], rate_b[k]]);
            self.is_clear((side[k], residual[k], gain), g, rate)
        };
        if sides.gain.is_empty() {
            return (0..side.len()).fold(true, |all, k| all & clear(k, f64::NAN));
        }
        let gain = &sides.gain[block];
        (0..side.len()).fold(true, |all, k| all & clear(k, gain[k]))
    }
}

/// Whether a number is other than zero.
#[inline(always)]
fn any_bits(numbers: &[f64]) -> bool {
    numbers.iter().fold(0, |all, number| all | number.to_bits()) != 0
}

impl Suspect {
    /// A function at the start of a step, with what is seen of it at both ends.
    fn new(
        number: usize,
        (side, band, gain): Kept,
        step: Extent,
        here: Seen,
        end: Seen,
    ) -> Suspect {
        let size = here.g.abs();
        let rise = here.rate * step.width;
        let fresh = side != 0.0 && size <= band;
        let flat = fresh && side * end.g >= 0.0 && rise.abs() <= FLAT * end.g.abs();
        let at_end = end.g.abs();
        let (wanted, scale, decided) = (false, size, f64::NEG_INFINITY);
        let noise = f64::NAN;
        Suspect { number, side, band, fresh, flat, wanted, scale, at_end, gain, decided, noise }
    }
}

impl Space {
    /// Goes over all functions between a look and the first level, and notes the suspects.
    #[inline(always)]
    fn pass_over(&mut self, a: &Level, way: Way, sides: &Sides, most: usize) -> Found {
        let (b, m, mut found) = (&self.levels[0], sides.side.len(), Found::default());
        for from in (0..m).step_by(BLOCK) {
            let block = from..m.min(from + BLOCK);
            if found.count > most {
                way.count(a, b, sides, block, &mut found);
                continue;
            }
            if m > FEW && way.is_clear_of_all(a, b, sides, block.clone()) {
                found.kept |= any_bits(&sides.residual[block]);
                continue;
            }
            for k in block {
                let (side, band, from, to) = (sides.side[k], sides.residual[k], a.of(k), b.of(k));
                let kept = (side, band, sides.gain(k));
                found.kept |= band != 0.0;
                if !way.is_clear(kept, [from.g, to.g], [from.rate, to.rate]) {
                    found.count += 1;
                    if to.g.is_nan() && found.odd.is_none() {
                        found.odd = Some(k);
                    }
                    if found.count > most {
                        continue;
                    }
                    found.resting |= side == 0.0;
                    self.suspects.push(Suspect::new(k, kept, self.step, from, to));
                    self.doubts[k] = f64::INFINITY;
                }
            }
        }
        found
    }

    /// The first zero that the cubics of those foretell that are beyond it at the first level. Of
    /// thousands, most are sure to come after another one, and need no zero of their own.
    pub(super) fn first_foretold(&mut self, a: &Level, sides: &Sides) -> Option<f64> {
        let (b, h, near) = (&self.levels[0], self.step.width, &mut self.falling);
        let ((at_a, _), (at_b, _)) = (a.parts(), b.parts());
        let cubic = |k: usize| a.of(k).cubic(b.of(k), sides.side[k]);
        let mut latest = f64::INFINITY;
        near.clear();
        for (k, side) in sides.side.iter().enumerate() {
            let beyond = side * at_b[k] < 0.0 && at_a[k].abs() > sides.residual[k];
            if beyond && cubic(k).earliest_zero() <= latest {
                latest = lesser(cubic(k).latest_zero(), latest);
                near.push(k);
            }
        }
        let zero = |k: usize| {
            let own = (sides.side[k], sides.residual[k], sides.gain(k));
            Suspect::new(k, own, self.step, a.of(k), b.of(k)).foretold(a.of(k), b.of(k), h).t
        };
        let first = near.iter().filter(|k| cubic(**k).earliest_zero() <= latest);
        first.map(|k| zero(*k)).reduce(f64::min)
    }

    /// Whether any suspect that starts on its side is beyond zero at a level between `a` and the
    /// first one.
    pub(super) fn any_beyond(&self, a: &Level, at: &Level, sides: &Sides) -> bool {
        let b = &self.levels[0];
        (0..sides.side.len()).any(|k| {
            let (side, band, from, to) = (sides.side[k], sides.residual[k], a.of(k), b.of(k));
            let kept = (side, band, sides.gain(k));
            let is_clear = || self.way.is_clear(kept, [from.g, to.g], [from.rate, to.rate]);
            side * at.g()[k] < 0.0 && from.g.abs() > band && !is_clear()
        })
    }

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
    #[inline(always)]
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
                let found = self.suspects.binary_search_by_key(&k, |own| own.number);
                let Err(index) = found else { continue };
                let own = (sides.side[k], sides.residual[k], sides.gain(k));
                let seen = Suspect::new(k, own, self.step, a.of(k), known[0].of(k));
                self.suspects.insert(index, Suspect { fresh: false, flat: false, ..seen });
                (0..self.open).for_each(|level| self.doubts[level * m + k] = f64::INFINITY);
            }
        }
    }
}
