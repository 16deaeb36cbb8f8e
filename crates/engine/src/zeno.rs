//! Events that accumulate.
//!
//! Two things tell it. The intervals between the events of one crossing shrink by a stable ratio
//! below 1, and nearly nothing is left of the series. Or a function that its own events bring back
//! each time comes back, time after time, by less than numbers can tell: the series is over before
//! it had many intervals, or its last hops are lower than the rounding of the function.
//!
//! A function whose own event brings it to rest on its level is the limit of both.

use base::{Tag, Time};
use ir::{Jet, Scalar, run};
use program::{Crossing, CrossingKind, Program};
use serde::{Deserialize, Serialize};

use crate::Warning;
use crate::flow::{numbered, watches};
use crate::simulation::Simulation;

/// How many intervals must have shrunk by the same ratio.
const INTERVALS: u32 = 20;
/// How much the ratio may differ from one interval to the next.
const STABLE: f64 = 0.02;
/// The rest of the accumulation that is called its end, relative to time.
const REST: f64 = 1e-9;
/// The same relative to the length of the series: events that merely come faster have a rest of
/// about that length, in whatever unit of time.
const PART: f64 = 1e-6;

/// How many returns in a row must have been lost.
const LOST: u32 = 4;
/// An interval is short beside the longest of the last ones, which fades by a factor with each.
const SHORT: f64 = 1e-4;
const FADE: f64 = 0.9;
/// The intervals that time cannot tell from none \[s\].
const INSTANT: f64 = 4e-18;
/// Hops below so many roundings of their function are not told from rest.
const ROUNDINGS: f64 = 16.0;
/// How many groups of states are looked at one by one for the rounding of a function.
const GROUPS: usize = 64;

/// The last event of a crossing and how its intervals shrink.
#[derive(Clone, Copy, Default, Debug, Serialize, Deserialize)]
pub(crate) struct Accumulation {
    last: Option<Time>,
    interval: f64,
    ratio: f64,
    stable: u32,
    /// Where the series of this ratio began.
    since: Time,
    returns: Returns,
}

/// How a function comes back to its level.
#[derive(Clone, Copy, Default, Debug, Serialize, Deserialize)]
struct Returns {
    /// The side that the last event led to, and the slope there.
    side: f64,
    slope: f64,
    /// The longest of the last intervals \[s\].
    longest: f64,
    /// How many in a row were lost.
    lost: u32,
}

impl Accumulation {
    /// Takes an event in; gives the time \[s\] where the events accumulate, once that is certain.
    /// A mere rise of the rate is not enough: the ratio of a chirp tends to 1, and the rest that it
    /// extrapolates to does not get small.
    pub fn event(&mut self, time: Time) -> Option<f64> {
        let last = self.last.replace(time)?;
        let interval = time.since(last);
        if interval <= 0.0 {
            return None;
        }
        let ratio = interval / std::mem::replace(&mut self.interval, interval);
        let before = std::mem::replace(&mut self.ratio, ratio);
        let steady = ratio < 1.0 && (ratio - before).abs() <= STABLE;
        if !steady {
            (self.stable, self.since) = (0, last);
            return None;
        }
        self.stable += 1;
        if self.stable < INTERVALS {
            return None;
        }
        let rest = interval * ratio / (1.0 - ratio);
        let now = time.seconds();
        let small = rest < REST * now.abs().max(1.0) && rest < PART * time.since(self.since);
        small.then_some(now + rest)
    }

    /// Takes an event in that led to a side, in a run that began at a time; gives the interval
    /// before it where that is short and the function has fallen to the same side as before.
    fn falls(&mut self, time: Time, start: Time, side: f64, slope: f64) -> Option<f64> {
        let interval = time.since(self.last.unwrap_or(start));
        let own = &mut self.returns;
        let same = self.last.is_some() && own.side == side;
        let short = interval <= SHORT * own.longest;
        (own.side, own.slope) = (side, slope);
        own.longest = (FADE * own.longest).max(interval);
        (same && short).then_some(interval)
    }

    /// Notes whether the last return was lost; says whether enough of them were.
    fn returns(&mut self, lost: bool) -> bool {
        self.returns.lost = if lost { self.returns.lost + 1 } else { 0 };
        self.returns.lost >= LOST
    }

    /// The last event.
    pub fn last(&self) -> Option<Time> {
        self.last
    }
}

impl Simulation {
    /// Watches a crossing that was located at a time.
    #[inline]
    pub(crate) fn watch_accumulation(
        &mut self,
        program: &Program,
        index: usize,
        side: f64,
        time: Time,
    ) {
        let crossing = &program.crossings[index];
        let slope = crossing.watch.map_or(0.0, |(region, watch)| {
            self.s.slots[program.regions[region.index()].g_rate as usize + watch]
        });
        let own = &mut self.s.accumulations[index];
        let short = own.falls(time, self.options.start, side, slope);
        let end = own.event(time);
        let short = short.filter(|_| crossing.kind == CrossingKind::Side);
        let lost = short.is_some_and(|interval| self.is_lost(crossing, interval));
        let over = self.s.accumulations[index].returns(lost).then(|| time.seconds());
        if let Some(end) = end.or(over) {
            self.zeno = Some((time, end, vec![crossing.block]));
        }
    }

    /// Whether what happened to a function in the interval before its event is below what numbers
    /// can tell: an arc that lands with a slope is as high as a quarter of slope times interval.
    #[cold]
    fn is_lost(&mut self, crossing: &Crossing, interval: f64) -> bool {
        let Some((region, watch)) = crossing.watch else { return false };
        let region = region.index();
        let slope = self.s.slots[self.program.regions[region].g_rate as usize + watch];
        interval <= INSTANT
            || 0.25 * interval * slope.abs() <= ROUNDINGS * self.rounding(region, watch)
    }

    /// The rounding of a watched function that comes from the last places of states and time.
    fn rounding(&mut self, region: usize, watch: usize) -> f64 {
        let program = &self.program.regions[region];
        let (from, n) = (program.state as usize, program.dimension);
        let time = self.program.time as usize;
        let group = n.div_ceil(GROUPS).max(1);
        let groups = (0..n).step_by(group).map(|first| from + first..from + (first + group).min(n));
        let mut sum = 0.0;
        for own in groups.chain(std::iter::once(time..time + 1)) {
            self.jets.clear();
            self.jets.extend(self.s.slots.iter().map(|x| Jet::constant(*x)));
            for place in own {
                self.jets[place].0[1] = self.s.slots[place];
            }
            run(&program.crossings, &mut self.jets);
            let moved = self.jets[program.g as usize + watch].0[1].abs();
            sum += if moved.is_finite() { moved } else { 0.0 };
        }
        f64::EPSILON * sum
    }

    /// Looks for functions that were located at the tick that ends, and that their own events have
    /// brought to rest on their level, from which they go on to the side that they had fallen to.
    /// That is what the equations say, and hardly ever what is meant.
    #[inline]
    pub(crate) fn look_for_rest(&mut self, program: &Program, region: usize, time: Time) {
        let code = &program.regions[region];
        for place in 0..self.s.regions[region].solver.crossed().len() {
            let state = &self.s.regions[region];
            let watch = numbered(watches(&state.ranges), state.solver.crossed()[place]);
            let index = code.watches[watch].crossing;
            let own = &self.s.accumulations[index];
            let slope = self.s.slots[code.g_rate as usize + watch];
            let fell = own.returns.slope;
            if own.last == Some(time) && slope.abs() <= 64.0 * f64::EPSILON * fell.abs() {
                self.rest(program, (region, watch), index, time);
            }
        }
    }

    #[cold]
    fn rest(
        &mut self,
        program: &Program,
        (region, watch): (usize, usize),
        index: usize,
        time: Time,
    ) {
        let crossing = &program.crossings[index];
        let side = self.s.slots[program.cell(crossing.frozen).slot as usize];
        let returns = self.s.accumulations[index].returns;
        let value = self.s.slots[crossing.value as usize].abs();
        let residual = self.s.slots[program.regions[region].residual as usize + watch];
        let passes = crossing.kind == CrossingKind::Side && returns.slope * side > 0.0;
        if !passes || side != returns.side || value > residual {
            return;
        }
        match self.options.zeno {
            diagram::Zeno::Stop => {
                self.zeno = Some((time, time.seconds(), vec![crossing.block]));
            }
            diagram::Zeno::Error => {
                let (tag, block) = (Tag::new(time, self.s.tag.microstep), self.path(crossing.block));
                self.warn(Warning::RestOnLevel { tag, block });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(times: impl Iterator<Item = f64>) -> Option<f64> {
        let mut watch = Accumulation::default();
        times.filter_map(Time::from_f64).find_map(|time| watch.event(time))
    }

    #[test]
    fn a_geometric_series_accumulates() {
        let end = found((0..200).map(|k| 3.0 - 2.0 * 0.7f64.powi(k))).unwrap();
        assert!((end - 3.0).abs() < 1e-8, "{end}");
    }

    #[test]
    fn a_chirp_does_not() {
        // Crossings of sin(t^3): t_k = (k pi)^(1/3), ever faster.
        assert_eq!(
            found((0..2_000_000).map(|k| (f64::from(k) * std::f64::consts::PI).cbrt())),
            None
        );
        assert_eq!(found((0..100_000).map(|k| f64::from(k) * 0.1)), None);
    }

    /// A chirp of a millisecond is one too, although all of its intervals are short in seconds.
    #[test]
    fn a_short_chirp_does_not() {
        for unit in [1e-3, 1e-6, 1e-9] {
            let times = (0..200_000).map(|k| unit * (f64::from(k) * 3.0).cbrt());
            assert_eq!(found(times), None, "{unit}");
        }
    }

    /// Three lost returns may be a chain of hits; a fourth is not.
    #[test]
    fn returns_that_are_lost_are_counted_in_a_row() {
        let mut watch = Accumulation::default();
        let found: Vec<bool> = [true, true, true, false, true, true, true, true]
            .into_iter()
            .map(|lost| watch.returns(lost))
            .collect();
        assert_eq!(found, [false, false, false, false, false, false, false, true]);
    }

    /// A steady sequence has no short interval, however fast it is; one that falls to the other
    /// side comes back by itself.
    #[test]
    fn only_returns_after_longer_ones_are_short() {
        let at = |seconds: f64| Time::from_f64(seconds).unwrap();
        let mut watch = Accumulation::default();
        for k in 1..1000 {
            let time = at(1e-15 * f64::from(k));
            assert_eq!(watch.falls(time, Time::ZERO, -1.0, -1.0), None);
            watch.event(time);
        }
        let mut watch = Accumulation::default();
        let mut falls = |seconds: f64, side: f64| {
            let found = watch.falls(at(seconds), Time::ZERO, side, side);
            watch.event(at(seconds));
            found
        };
        assert_eq!(falls(1.0, -1.0), None);
        assert!(falls(1.0 + 1e-9, -1.0).is_some());
        assert_eq!(falls(1.0 + 2e-9, 1.0), None);
    }
}
