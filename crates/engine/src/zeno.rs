//! Events that accumulate: a stable ratio below 1 between the intervals of the same crossing.

use base::Time;
use serde::{Deserialize, Serialize};

/// How many intervals must have shrunk by the same ratio.
const INTERVALS: u32 = 20;
/// How much the ratio may differ from one interval to the next.
const STABLE: f64 = 0.02;
/// The rest of the accumulation that is called its end, relative to time.
const REST: f64 = 1e-9;

/// The last event of a crossing and how its intervals shrink.
#[derive(Clone, Copy, Default, Debug, Serialize, Deserialize)]
pub(crate) struct Accumulation {
    last: Option<Time>,
    interval: f64,
    ratio: f64,
    stable: u32,
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
        self.stable = if steady { self.stable + 1 } else { 0 };
        if self.stable < INTERVALS {
            return None;
        }
        let rest = interval * ratio / (1.0 - ratio);
        let now = time.seconds();
        (rest < REST * now.abs().max(1.0)).then_some(now + rest)
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
}
