//! The pace of a run: how far model time advances for each unit of work, a step or a tick.
//!
//! A run whose work per unit of model time grows without bound never ends: its steps or events
//! accumulate at a time that it never passes. A run that is merely expensive continues, however
//! expensive it is, and so does one whose work grows while time still advances.
//!
//! Times are recorded after n, 2n, 4n, ... units of work. If intervals fall like k^-p with p > 1,
//! these times tend to a limit and their distances shrink by the factor 2^(1-p); with p <= 1, as in
//! every chirp, they do not shrink. The limit is extrapolated by Aitken's method, and once more by
//! Richardson's, because n does not count from where the law began. It is accepted once much work
//! has been done, the same limit has been found twice, and the work up to the stop time at the
//! present pace would be enormous. A burst of work that ends somewhere has a limit that moves away
//! as the run approaches it.

use base::Time;
use serde::{Deserialize, Serialize};

use crate::RunError;
use crate::engine::Engine;
use crate::simulation::Progress;

/// The work between two checks \[units\].
const BLOCK: u32 = 256;
/// The work before anything is reported \[units\], unless the limit is nearer than a small fraction
/// of the time that the run has covered.
const ENOUGH: u64 = 1 << 18;
const REST: f64 = 1e-9;
/// The fraction of the time to the limit by which two extrapolations may differ after that work. It
/// grows with the square of the work, up to a bound, since less regular accumulations need more.
/// For a burst the difference grows with the square of the fraction that is left, so a burst of
/// fewer than about ten million units passes.
const AGREE: f64 = 1e-4;
const MOST: f64 = 0.5;
/// The largest fraction of the remaining time that one unit of work covers.
const SLOW: f64 = 1e-9;
/// Work that suffices to recognise a steady pace, at first \[units\], and the factor between
/// distances above which the pace is steady; the factor of an exactly steady pace is 2.
const PATIENCE: u64 = 1 << 12;
const STEADY: f64 = 1.9;
/// The factor between distances above which nothing converges.
const FLAT: f64 = 0.95;

/// The work since the last check, and the results of the checks.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Pace {
    /// The work until the next check \[units\].
    pub left: u32,
    /// The start time of the run.
    start: Time,
    /// The time of the last check.
    last: Time,
    /// The time per unit of work \[s\] before it began to fall, and the least since.
    from: f64,
    least: f64,
    /// The work since it began to fall \[units\].
    work: u64,
    /// The work at which time is recorded next.
    next: u64,
    /// The last recorded times, newest first; those not known yet are the start time.
    noted: [Time; 3],
    /// The number of recorded times.
    count: u32,
    /// The work after which a pace that stays is taken as a new one to fall from.
    patience: u64,
    /// The last limits, relative to the newest time, by Aitken's and by Richardson's method.
    limits: [f64; 2],
}

impl Pace {
    pub fn new(start: Time) -> Pace {
        Pace {
            left: BLOCK,
            start,
            last: start,
            from: 0.0,
            least: 0.0,
            work: 0,
            next: 0,
            noted: [start; 3],
            count: 0,
            patience: PATIENCE,
            limits: [f64::NAN; 2],
        }
    }

    /// Counts work.
    #[inline]
    pub fn spend(&mut self, units: u32) {
        self.left = self.left.saturating_sub(units);
    }

    /// Checks the time that a block of work has reached. Returns the limit \[s\] that the run will
    /// not pass, once that is certain.
    pub fn look(&mut self, now: Time, stop: Time) -> Option<f64> {
        self.left = BLOCK;
        let pace = now.since(self.last) / f64::from(BLOCK);
        self.last = now;
        let slower = 2.0 * pace <= self.from;
        if !slower || pace > 2.0 * self.least {
            // The pace is no slower than before, or recovers.
            let from = if slower { pace } else { self.from.max(pace) };
            self.begin(now, from, pace);
            return None;
        }
        self.least = self.least.min(pace);
        self.work += u64::from(BLOCK);
        if self.work < self.next {
            return None;
        }
        self.next *= 2;
        self.noted = [now, self.noted[0], self.noted[1]];
        self.count += 1;
        if self.work >= self.patience && !self.is_slowing() {
            self.patience *= 2;
            self.begin(now, pace, pace);
            return None;
        }
        let distance = self.extrapolate()?;
        let limit = now.offset(distance)?;
        let slow = pace <= SLOW * stop.since(now);
        ((self.work >= ENOUGH || self.is_near(distance)) && slow && limit < stop)
            .then(|| limit.seconds())
    }

    /// Starts over, from a pace that may then fall.
    fn begin(&mut self, now: Time, from: f64, least: f64) {
        let (noted, limits, next) = ([now; 3], [f64::NAN; 2], 4 * u64::from(BLOCK));
        *self = Pace { from, least, work: 0, next, noted, count: 0, limits, ..*self };
    }

    /// Whether the last half of the work has covered less time than it would at a steady pace.
    fn is_slowing(&self) -> bool {
        let [newest, one, two] = self.noted;
        newest.since(one) < STEADY * one.since(two)
    }

    /// Whether a distance from the last check is negligible.
    fn is_near(&self, distance: f64) -> bool {
        distance < REST * self.last.since(self.start)
    }

    /// The distance of the limit from the newest time, if the last two extrapolations agree.
    fn extrapolate(&mut self) -> Option<f64> {
        let [newest, one, two] = self.noted;
        let (last, before) = (newest.since(one), one.since(two));
        let factor = last / before;
        let [aitken_before, found_before] = self.limits;
        self.limits = [f64::NAN; 2];
        if self.count < 3 || !(factor > 0.0 && factor < FLAT) {
            return None;
        }
        let aitken = last * factor / (1.0 - factor);
        let shift = aitken + last - aitken_before;
        let found = aitken + shift / (2.0 / factor - 1.0);
        self.limits = [aitken, found];
        let more = self.work as f64 / ENOUGH as f64;
        // Limits that differ much do not distinguish slow convergence from none.
        let most = MOST * (1.0 - factor);
        let agree =
            if self.is_near(found) { most } else { (AGREE * more * more).clamp(AGREE, most) };
        let moved = (found + last - found_before).abs();
        (found > 0.0 && moved <= agree * found).then_some(found)
    }
}

impl Engine<'_> {
    /// Checks the pace after a block of work, when time has reached `now`; ends a run that would
    /// never end.
    #[cold]
    pub(crate) fn look_at_pace(&mut self, now: Time) -> Result<Progress, RunError> {
        let since = self.state.watch.pace.last;
        let Some(limit) = self.state.watch.pace.look(now, self.options.stop) else {
            return Ok(Progress::Going);
        };
        let recent = |time: Option<Time>| time.is_some_and(|time| time >= since);
        let located = self.state.watch.accumulations.iter().map(|own| recent(own.last()));
        let crossings = located.zip(&self.program.crossings).filter(|(recent, _)| *recent);
        let mut blocks: Vec<_> = crossings.map(|(_, crossing)| crossing.block).collect();
        blocks.sort_unstable();
        blocks.dedup();
        if !blocks.is_empty() {
            self.scratch.zeno = Some((now, limit, blocks));
            return self.end_accumulation();
        }
        Err(self.creeping(limit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Watches work with these intervals \[s\] up to a time. Returns the time at which it was
    /// stopped, and the reported limit.
    fn watch(stop: f64, intervals: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
        let (stop, mut now) = (Time::from_f64(stop)?, Time::ZERO);
        let (mut pace, mut sum) = (Pace::new(now), 0.0);
        for interval in intervals {
            sum += interval;
            pace.spend(1);
            if pace.left == 0 {
                now = now.offset(std::mem::take(&mut sum))?;
                if now >= stop {
                    return None;
                }
                if let Some(limit) = pace.look(now, stop) {
                    return Some((now.seconds(), limit));
                }
            }
        }
        None
    }

    /// The sum of (k + a)^-p over all k >= 0, with the tail by the Euler-Maclaurin formula.
    fn zeta(p: f64, a: f64) -> f64 {
        const TERMS: u32 = 1000;
        let n = a + f64::from(TERMS);
        let first: f64 = (0..TERMS).map(|k| (a + f64::from(k)).powf(-p)).sum();
        first + n.powf(1.0 - p) / (p - 1.0) + 0.5 * n.powf(-p) + p / 12.0 * n.powf(-p - 1.0)
    }

    const MOST_WORK: u32 = 1 << 22;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() })]

        /// Intervals like c (k / a + 1)^-p have a finite sum if p > 1, and the watch finds it.
        #[test]
        fn what_accumulates_is_found(p in 1.5f64..4.0, a in 1.0f64..300.0, c in 0.1f64..10.0) {
            let end = c * a.powf(p) * zeta(p, a);
            let law = (0..MOST_WORK).map(|k| c * (f64::from(k) / a + 1.0).powf(-p));
            let (now, limit) = watch(end + 1e6, law).expect("an accumulation");
            // The watched times are sums of many terms, with the rounding of those sums.
            let most = 1e-3 * (end - now) + 1e-12 * (1.0 + end);
            prop_assert!((limit - end).abs() <= most, "{limit} for {end} at {now}");
        }

        /// If p <= 1 the sum is infinite, and no stop time is too far.
        #[test]
        fn what_does_not_accumulate_goes_on(p in 0.0f64..=1.0, a in 1.0f64..1e4, c in 1e-9f64..1.0) {
            let law = (0..MOST_WORK).map(|k| c * (f64::from(k) + a).powf(-p));
            prop_assert_eq!(watch(1e15, law), None);
        }

        /// Steady work at the beginning only delays the result.
        #[test]
        fn what_comes_after_a_steady_time_is_found(before in 0u32..200_000, wide in 1e-3f64..1.0) {
            let steady = (0..before).map(|_| wide);
            let law = (0..MOST_WORK).map(|k| wide * (f64::from(k) + 1.0).powf(-2.0));
            let end = f64::from(before) * wide + wide * zeta(2.0, 1.0);
            let (_, limit) = watch(end + 1000.0, steady.chain(law)).expect("an accumulation");
            prop_assert!((limit - end).abs() <= 1e-6 * end, "{limit} for {end}");
        }

        /// A burst that ends: the intervals shrink like those between walls that close up to a gap
        /// and open again.
        #[test]
        fn a_burst_goes_on(gap in 1e-6f64..1e-3) {
            let mut t: f64 = -1.0;
            let law = std::iter::from_fn(move || {
                let interval = t * t + gap * gap;
                t += interval;
                (t < 1.0).then_some(interval)
            });
            prop_assert_eq!(watch(1e6, law.take(1 << 23)), None);
        }
    }

    /// A million events in a burst between quiet times; short steps at first; a fast clock; steps
    /// that collapse once and grow again.
    #[test]
    fn what_is_merely_expensive_goes_on() {
        let quiet = || (0..2000).map(|_| 0.1);
        let burst = (0..1_000_000).map(|_| 1e-9);
        assert_eq!(watch(1e9, quiet().chain(burst).chain(quiet())), None);
        let transient = (0..3_000_000).map(|k| (1e-15 * 1.00001f64.powi(k)).min(1e-3));
        assert_eq!(watch(1e9, transient), None);
        assert_eq!(watch(1e12, (0..3_000_000).map(|_| 1e-6)), None);
        let collapse = (0..1000).map(|k| 0.1 * 0.97f64.powi(k).max(1e-13));
        let growth = (0..1000).map(|k| 1e-14 * 1.03f64.powi(k));
        assert_eq!(watch(1e9, collapse.chain(growth).chain(quiet()).cycle().take(3_000_000)), None);
    }

    /// An accumulation whose law oscillates is found too, with more work.
    #[test]
    fn what_accumulates_unevenly_is_found() {
        let law = (1..1 << 25).map(|k| {
            let k = f64::from(k);
            (1.0 + 0.2 * k.ln().sin()) / (k * k)
        });
        let (now, limit) = watch(1000.0, law).expect("an accumulation");
        assert!(limit > now && limit < now + 1e-3, "{limit} at {now}");
    }

    /// Work that grows like exp(exp(t)) is more than any computer does, and yet time advances.
    #[test]
    fn a_limit_that_moves_away_is_none() {
        let law = (10..MOST_WORK).map(|k| {
            let k = f64::from(k);
            (k + 1.0).ln().ln() - k.ln().ln()
        });
        assert_eq!(watch(1e9, law), None);
    }

    /// An accumulation after the stop time does not concern the run.
    #[test]
    fn an_accumulation_after_the_end_goes_on() {
        let law = || (1..MOST_WORK).map(|k| f64::from(k).powi(-2));
        let end = std::f64::consts::PI.powi(2) / 6.0;
        assert_eq!(watch(end - 1e-9, law()), None);
        assert!(watch(end + 1e3, law()).is_some());
    }
}
