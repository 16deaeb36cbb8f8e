//! Events that accumulate.
//!
//! There are two criteria. The intervals between the events of one crossing shrink by a stable
//! ratio below 1, and hardly anything is left of the series. Or a function that its own events
//! throw back returns by less than numbers can resolve: the series ends before it has many
//! intervals, or its last hops are lower than the rounding of the function. A height near 10 is on a
//! grid of 2e-15, and hops below that never become lower: each of them ends one point of the grid
//! further down.
//!
//! A function that its own event brings to rest on its level is the limit of both.

use base::{Tag, Time};
use program::{Crossing, CrossingId, CrossingKind, InputId, MaySlide, RegionId, WatchId};
use serde::{Deserialize, Serialize};

use crate::Warning;
use crate::engine::Engine;
use crate::smooth::flow::{numbered, watches};

/// The number of intervals that must have shrunk by the same ratio.
const INTERVALS: u32 = 20;
/// How much the ratio may differ between intervals, absolutely and as a fraction of the ratio.
const STABLE: f64 = 0.02;
const ALIKE: f64 = 0.05;
/// Fewer are enough if all of them together have shrunk by this factor.
const FEW: u32 = 2;
const SHRUNK: f64 = 1e-7;
/// The remainder of the series that counts as its end, relative to time.
const REST: f64 = 1e-9;
/// The same relative to the length of the series: events that merely become more frequent have a
/// remainder of about that length, in any unit of time.
const PART: f64 = 1e-6;

/// The number of consecutive returns that must have been lost. One is enough after a few intervals
/// that have shrunk by the same ratio.
const LOST: u32 = 4;
/// An arc is low if it is below this fraction of the highest one so far.
const LOW: f64 = 0.25;
/// Intervals that time cannot distinguish from zero \[s\].
const INSTANT: f64 = 4e-18;
/// Arcs below this many roundings of their function are indistinguishable from rest.
const ROUNDINGS: f64 = 16.0;
/// A lost arc takes at most so many times as long as one of its height would, if the function falls
/// as fast as on its highest arc. An arc that ends with a small slope may be high: a function that an
/// event sets to its level at its top does not return to it.
const LONG: f64 = 1000.0;
/// An arc is short in any case if it is below this fraction of the longest: it may end at its top, at
/// the crossing of another function.
const BRIEF: f64 = 1e-6;
/// Up to this many watched functions of a region are all looked at for rest.
const FEW_WATCHES: usize = 64;
/// The rounding is computed again for arcs that are lower by this factor, and after so many of
/// them: hops that rounding alone sustains do not become lower.
const ANEW: f64 = 0.25;
const AGAIN: u32 = 16;

/// The last event of a crossing and how its intervals shrink.
#[derive(Clone, Copy, Default, Debug, Serialize, Deserialize)]
pub(crate) struct Accumulation {
    last: Option<Time>,
    interval: f64,
    ratio: f64,
    stable: u32,
    /// The start of the series with this ratio, and its first interval.
    since: Time,
    first: f64,
    returns: Returns,
}

/// How a function returns to its level.
#[derive(Clone, Copy, Default, Debug, Serialize, Deserialize)]
struct Returns {
    /// The side that the last event led to, and the slope there.
    side: f64,
    slope: f64,
    /// The height of the highest arc so far, and the longest interval \[s\].
    highest: f64,
    longest: f64,
    /// The height of the arc at which the rounding was last computed, and the height that is lost
    /// in rounding; zero before that.
    found: f64,
    level: f64,
    /// The number of low arcs since then.
    since: u32,
    /// The number of consecutive lost returns.
    lost: u32,
}

/// The arc of a function between two falls to the same side, if it is low.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Arc {
    interval: f64,
    height: f64,
}

impl Accumulation {
    /// Records an event. Returns the time \[s\] at which the events accumulate, once that is
    /// certain. A mere rise of the rate is not enough: the ratio of a chirp tends to 1, and the
    /// extrapolated remainder does not become small.
    pub fn event(&mut self, time: Time) -> Option<f64> {
        let last = self.last.replace(time)?;
        let interval = time.since(last);
        if interval <= 0.0 {
            return None;
        }
        let ratio = interval / std::mem::replace(&mut self.interval, interval);
        let before = std::mem::replace(&mut self.ratio, ratio);
        let steady = ratio < 1.0 && (ratio - before).abs() <= STABLE.min(ALIKE * before);
        if !steady {
            (self.stable, self.since, self.first) = (0, last, interval);
            return None;
        }
        self.stable += 1;
        let fast = self.stable >= FEW && interval <= SHRUNK * self.first;
        if self.stable < INTERVALS && !fast {
            return None;
        }
        let rest = self.remainder()?;
        let now = time.seconds();
        let small = rest < REST * now.abs().max(1.0) && rest < PART * time.since(self.since);
        small.then_some(now + rest)
    }

    /// What is left of the series \[s\], if its last intervals have shrunk by the same ratio.
    fn remainder(&self) -> Option<f64> {
        (self.stable >= FEW).then(|| self.interval * self.ratio / (1.0 - self.ratio))
    }

    /// Records an event that led to a side with a slope, in a run that began at `start`. Returns
    /// the arc before it, if that is low and the function has fallen to the same side as before.
    /// The height of an arc is a quarter of its length times the slope with which it lands.
    fn falls(&mut self, time: Time, start: Time, side: f64, slope: f64) -> Option<Arc> {
        let interval = time.since(self.last.unwrap_or(start));
        let height = 0.25 * interval * slope.abs();
        let own = &mut self.returns;
        let same = self.last.is_some() && own.side == side;
        let low = height <= LOW * own.highest;
        (own.side, own.slope) = (side, slope);
        (own.highest, own.longest) = (own.highest.max(height), own.longest.max(interval));
        (same && low).then_some(Arc { interval, height })
    }

    /// Records whether the last arc was lost. Returns what is left of the series \[s\] once it is
    /// certain that there is one.
    fn returns(&mut self, lost: bool) -> Option<f64> {
        self.returns.lost = if lost { self.returns.lost + 1 } else { 0 };
        let many = (self.returns.lost >= LOST).then_some(0.0);
        if lost { self.remainder().or(many) } else { None }
    }

    /// The last event.
    pub fn last(&self) -> Option<Time> {
        self.last
    }
}

impl Engine<'_> {
    /// Watches a crossing that was located at a time.
    #[inline]
    pub(crate) fn watch_accumulation(&mut self, id: CrossingId, side: f64, time: Time) {
        let program = self.program;
        let crossing = &program.crossings[id];
        let slope = crossing.watch.map_or(0.0, |watch| {
            self.state.slots[program.regions[watch.region].g_rate.index() + watch.index]
        });
        let own = &mut self.state.watch.accumulations[id];
        let arc = own.falls(time, self.options.start.time(), side, slope);
        let end = own.event(time);
        let known = crossing.watch.is_none_or(|watch| !self.moves_unknown(watch.region));
        let arc = arc.filter(|_| crossing.kind == CrossingKind::Sign && known);
        let lost = arc.is_some_and(|arc| self.is_lost((id, crossing), arc, false));
        let rest = self.state.watch.accumulations[id].returns(lost);
        let over = rest.filter(|_| arc.is_some_and(|arc| self.is_lost((id, crossing), arc, true)));
        if let Some(end) = end.or(over.map(|rest| time.seconds() + rest)) {
            match self.options.zeno {
                program::Zeno::Rest => self.state.watch.resting.push((id, end)),
                _ => self.scratch.zeno = Some((time, end, vec![crossing.block])),
            }
        }
    }

    /// Whether the functions of a region move with a signal whose motion is not known: their slopes
    /// say nothing about the height of an arc, and nothing is at rest.
    pub(crate) fn moves_unknown(&self, region: RegionId) -> bool {
        let program = self.program;
        let reads = |input: &InputId| {
            let value = program.states[program.inputs[*input].value(0)].tracked;
            program.tracked(value).regions.contains(&region)
        };
        self.scratch.outside.iter().any(reads)
    }

    /// Whether an arc is lower than numbers can resolve. The rounding that it is compared with is
    /// computed again if requested, or if the arc is much lower than all before.
    #[cold]
    fn is_lost(&mut self, (id, crossing): (CrossingId, &Crossing), arc: Arc, anew: bool) -> bool {
        let Some(watch) = crossing.watch else { return false };
        if arc.interval <= INSTANT {
            return true;
        }
        let own = &mut self.state.watch.accumulations[id].returns;
        own.since += 1;
        let other =
            own.found == 0.0 || arc.height < ANEW * own.found || own.since.is_multiple_of(AGAIN);
        if anew || arc.height > own.level && other {
            let level = ROUNDINGS * self.rounding(watch);
            let own = &mut self.state.watch.accumulations[id].returns;
            (own.found, own.level, own.since) = (arc.height, level, 0);
        }
        let own = &self.state.watch.accumulations[id].returns;
        let part = if own.highest > 0.0 { (own.level / own.highest).sqrt() } else { 1.0 };
        arc.height <= own.level && arc.interval <= own.longest * (LONG * part).max(BRIEF)
    }

    /// Whether a watched function has moved by more than its rounding in an interval.
    #[cold]
    pub(crate) fn resolves(&mut self, watch: WatchId, interval: f64) -> bool {
        let from = self.program.regions[watch.region].g_rate.index();
        let slope = self.state.slots[from + watch.index];
        interval > INSTANT && interval * slope.abs() > ROUNDINGS * self.rounding(watch)
    }

    /// How far apart rounding may move two values of a watched function at this instant.
    fn rounding(&mut self, watch: WatchId) -> f64 {
        let [value, _] = self.rounded_now(watch);
        if value.error.is_finite() { 2.0 * value.error } else { 0.0 }
    }

    /// Looks for functions that were located at the tick that ends and that their own events have
    /// brought to rest on their level, from which they continue to the side that they had fallen
    /// to. The equations say so, but it is hardly ever what the model means.
    #[inline]
    pub(crate) fn look_for_rest(&mut self, region: RegionId, time: Time) {
        let program = self.program;
        let code = &program.regions[region];
        if self.moves_unknown(region) {
            return;
        }
        // A function may also fall at the crossing of another one, such as at the top of an arc that
        // is lower than rounding. In a large region those are not searched for.
        let few = code.watches.len() <= FEW_WATCHES;
        let all = if few { code.watches.len() } else { 0 };
        let located = if few { 0 } else { self.state.regions[region].solver.crossed().len() };
        for place in 0..all.max(located) {
            let state = &self.state.regions[region];
            let watch = match few {
                true => place,
                false => numbered(watches(&state.ranges), state.solver.crossed()[place].function),
            };
            let id = code.watches[watch].crossing;
            let own = &self.state.watch.accumulations[id];
            // Rest on a surface is sliding, or a way off it.
            if program.crossings[id].sliding == MaySlide::Yes {
                continue;
            }
            let slope = self.state.slots[code.g_rate.index() + watch];
            let stopped = slope.abs() <= 64.0 * f64::EPSILON * own.returns.slope.abs();
            if own.last == Some(time) && (stopped || own.returns.lost > 0) {
                self.rest(WatchId { region, index: watch }, id, time);
            }
        }
    }

    #[cold]
    fn rest(&mut self, watch: WatchId, id: CrossingId, time: Time) {
        let program = self.program;
        let (region, crossing) = (&program.regions[watch.region], &program.crossings[id]);
        let side = self.state.slots[program.tracked(crossing.frozen).slot.index()];
        let slope = self.state.slots[region.g_rate.index() + watch.index].abs();
        let returns = self.state.watch.accumulations[id].returns;
        let value = self.state.slots[crossing.value.index()].abs();
        let residual = self.state.slots[region.residual.index() + watch.index];
        // The end of a lost arc may be found anywhere on it, and at its top nothing is left to be
        // thrown back.
        let lost = returns.lost > 0 && slope <= self.rounded(watch)[1].error;
        let stopped = slope <= 64.0 * f64::EPSILON * returns.slope.abs();
        let passes = lost || stopped && returns.slope * side > 0.0;
        if crossing.kind != CrossingKind::Sign
            || !passes
            || side != returns.side
            || value > residual
        {
            return;
        }
        match self.options.zeno {
            program::Zeno::Rest => self.state.watch.resting.push((id, time.seconds())),
            _ if lost => self.scratch.zeno = Some((time, time.seconds(), vec![crossing.block])),
            program::Zeno::Stop => {
                self.scratch.zeno = Some((time, time.seconds(), vec![crossing.block]));
            }
            program::Zeno::Error => {
                let (tag, block) =
                    (Tag::new(time, self.state.tag.microstep), self.path(crossing.block));
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

    /// A chirp of a millisecond is a chirp too, although all of its intervals are short in seconds.
    #[test]
    fn a_short_chirp_does_not() {
        for unit in [1e-3, 1e-6, 1e-9] {
            let times = (0..200_000).map(|k| unit * (f64::from(k) * 3.0).cbrt());
            assert_eq!(found(times), None, "{unit}");
        }
    }

    /// Three lost returns may be a chain of hits; a fourth cannot.
    #[test]
    fn returns_that_are_lost_are_counted_in_a_row() {
        let mut watch = Accumulation::default();
        let found: Vec<bool> = [true, true, true, false, true, true, true, true]
            .into_iter()
            .map(|lost| watch.returns(lost).is_some())
            .collect();
        assert_eq!(found, [false, false, false, false, false, false, false, true]);
    }

    /// A steady sequence has no low arc, however fast it is; one that falls to the other side
    /// returns by itself.
    #[test]
    fn only_returns_after_higher_ones_are_low() {
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
            found.map(|arc| arc.height)
        };
        assert_eq!(falls(1.0, -1.0), None);
        assert!(
            falls(1.0 + 1e-9, -1.0).is_some_and(|height| (height / 2.5e-10 - 1.0).abs() < 1e-6)
        );
        assert_eq!(falls(1.0 + 2e-9, 1.0), None);
    }

    /// A few intervals are enough if they shrink fast, and not otherwise.
    #[test]
    fn few_intervals_that_shrink_fast() {
        for ratio in [0.02f64, 0.1, 0.3] {
            let times: Vec<f64> = (0..30).map(|k| 2.0 - ratio.powi(k)).collect();
            let end = found(times.into_iter()).unwrap();
            assert!((end - 2.0).abs() < 1e-8, "{end} for {ratio}");
        }
        let uneven = [0.0, 1.0, 1.01, 1.0101, 1.010_100_1, 1.010_100_101, 1.1, 2.0];
        assert_eq!(found(uneven.into_iter()), None);
    }
}
