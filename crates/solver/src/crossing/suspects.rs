//! The functions that may come near zero in a step.

use super::{Level, Search, Sides, Space, resolution};
use crate::segment::Segment;
use crate::wide::wide;

/// How many functions are passed over at once.
const BLOCK: usize = 64;

impl Search {
    /// Finds the functions that may come near zero in the segment, whose end is the first level.
    /// Says whether any function has a residual.
    ///
    /// The others are on their side at both ends, and so far away that even at twice the rates of
    /// the ends they do not reach zero. One pass without branches, for in most steps with many
    /// functions this is all that is done.
    pub(super) fn suspect(&mut self, segment: &Segment, sides: &Sides) -> bool {
        let Space { suspects, levels, .. } = &mut self.space.0;
        let (here, end) = (&self.here, &levels[0]);
        // At the end nothing may be so near as the resolution of its location either.
        let least = resolution(end.t, segment.end - segment.start);
        suspects.clear();
        wide(
            sides.side.len(),
            #[inline(always)]
            || pass(here, end, least, sides, suspects),
        )
    }
}

/// Goes over all functions between two looks; those that are not clear are put into `suspects`.
#[inline(always)]
fn pass(a: &Level, b: &Level, least: f64, sides: &Sides, suspects: &mut Vec<usize>) -> bool {
    let (width, m) = (b.t - a.t, sides.side.len());
    let far = width.max(least);
    let mut kept = false;
    for from in (0..m).step_by(BLOCK) {
        let block = from..m.min(from + BLOCK);
        let [at_a, at_b] = [&a.g[block.clone()], &b.g[block.clone()]];
        let [rate_a, rate_b] = [&a.rate[block.clone()], &b.rate[block.clone()]];
        let [side, residual] = [&sides.side[block.clone()], &sides.residual[block.clone()]];
        let is_clear = |k: usize| {
            let nearest = lesser(side[k] * at_a[k], side[k] * at_b[k]);
            let steepest = greater((width * rate_a[k]).abs(), (far * rate_b[k]).abs());
            (nearest > steepest) & (nearest > residual[k])
        };
        let all = 0..side.len();
        let clear = all.clone().fold(true, |clear, k| clear & is_clear(k));
        kept |= residual.iter().fold(0, |all, residual| all | residual.to_bits()) != 0;
        if !clear {
            suspects.extend(all.filter(|k| !is_clear(*k)).map(|k| from + k));
        }
    }
    kept
}

/// The lesser of two numbers, by one instruction; the second where one is not a number.
#[inline(always)]
fn lesser(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The greater of two numbers, by one instruction; the second where one is not a number.
#[inline(always)]
fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

impl Space {
    /// Takes in the functions that a look into the nearest interval, whose left end is `a`, shows
    /// nearer to zero than its rate goes in a step, though the ends of the step did not.
    pub(super) fn admit(&mut self, sides: &Sides, a: &Level) {
        let m = sides.side.len();
        if self.suspects.len() == m {
            return;
        }
        let (known, free) = self.levels.split_at_mut(self.open);
        let (g, rate, width) = (&free[0].g[..m], &free[0].rate[..m], self.width);
        let is_clear = |k: usize| sides.side[k] * g[k] > (width * rate[k]).abs();
        for from in (0..m).step_by(BLOCK) {
            let block = from..m.min(from + BLOCK);
            if block.clone().fold(true, |clear, k| clear & is_clear(k)) {
                continue;
            }
            for k in block.filter(|k| !is_clear(*k)) {
                let Err(place) = self.suspects.binary_search(&k) else { continue };
                self.suspects.insert(place, k);
                (self.fresh[k], self.flat[k], self.wanted[k]) = (false, false, false);
                (self.scale[k], self.at_end[k]) = (a.g[k].abs(), known[0].g[k].abs());
                known.iter_mut().for_each(|level| level.doubt[k] = f64::INFINITY);
            }
        }
    }
}
