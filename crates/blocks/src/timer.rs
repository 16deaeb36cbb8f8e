//! The times at which a block wakes, as a pure function of how many times it has woken.

use std::fmt;

use base::{ExactTime, Rational, Time};

/// An increasing sequence of exact times.
pub trait Timer: fmt::Debug + Send + Sync {
    /// The time of the `index`-th waking, counted from 0; `None` after the last.
    fn time(&self, index: u64) -> Option<Time>;

    /// The same before rounding, if it is known more exactly than to an attosecond.
    fn exact(&self, index: u64) -> Option<ExactTime> {
        self.time(index).map(ExactTime::from)
    }

    /// All of its times in a form that can be compared; `None` if there is none.
    fn times(&self) -> Option<Times> {
        None
    }

    /// The state of the block that has the time of the next waking, if only the run knows it; the
    /// sequence is then empty.
    fn alarm(&self) -> Option<usize> {
        None
    }
}

/// A timer that wakes at the time that a state of its block has \[s\], once for each time that the
/// state takes: at once if that is past, never if it is infinite. The shortest decimal that rounds to
/// the number is meant.
#[derive(Debug)]
pub struct Alarm {
    /// The state, by its index.
    pub state: usize,
}

impl Timer for Alarm {
    fn time(&self, _index: u64) -> Option<Time> {
        None
    }

    fn alarm(&self) -> Option<usize> {
        Some(self.state)
    }
}

/// All times of a timer, so that two timers can be recognised as equal.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Times {
    /// Those of [`Every`].
    Every {
        /// The first time \[s\].
        offset: Rational,
        /// The distance between two times \[s\].
        period: Rational,
    },
    /// Those of [`Instants`].
    Instants(Vec<ExactTime>),
}

/// `offset + index * period`, each rounded once.
#[derive(Debug)]
pub struct Every {
    /// The first time \[s\].
    pub offset: Rational,
    /// The distance between two times \[s\]; positive.
    pub period: Rational,
}

impl Timer for Every {
    fn time(&self, index: u64) -> Option<Time> {
        Time::tick(self.offset, self.period, index.into())
    }

    fn exact(&self, index: u64) -> Option<ExactTime> {
        ExactTime::tick(self.offset, self.period, index.into())
    }

    fn times(&self) -> Option<Times> {
        Some(Times::Every { offset: self.offset, period: self.period })
    }
}

/// A few given times, in order.
#[derive(Debug)]
pub struct Instants(pub Vec<ExactTime>);

impl Timer for Instants {
    fn time(&self, index: u64) -> Option<Time> {
        self.exact(index).map(ExactTime::time)
    }

    fn exact(&self, index: u64) -> Option<ExactTime> {
        self.0.get(usize::try_from(index).ok()?).copied()
    }

    fn times(&self) -> Option<Times> {
        Some(Times::Instants(self.0.clone()))
    }
}

/// A pattern of times, repeated with a period or not, up to a time or a number of events.
#[derive(Debug)]
pub struct Pattern {
    /// When the first cycle begins \[s\].
    pub start: Rational,
    /// The time from one cycle to the next \[s\]; `None` if there is only one.
    pub period: Option<Rational>,
    /// The times in a cycle \[s\], in order and less than the period.
    pub offsets: Vec<Rational>,
    /// No times are after this one \[s\].
    pub stop: Option<Rational>,
    /// The greatest number of times.
    pub limit: u64,
}

impl Timer for Pattern {
    fn time(&self, index: u64) -> Option<Time> {
        self.exact(index).map(ExactTime::time)
    }

    fn exact(&self, index: u64) -> Option<ExactTime> {
        let length = self.offsets.len() as u64;
        let (cycle, place) = (index / length, index % length);
        let inside = index < self.limit && (cycle == 0 || self.period.is_some());
        let offset = base::checked_sum(self.start, self.offsets[place as usize])?;
        let period = self.period.unwrap_or_else(|| Rational::from_integer(0));
        let exact = ExactTime::tick(offset, period, cycle.into()).filter(|_| inside)?;
        let end = match self.stop {
            Some(stop) => Time::from_rational(stop)?,
            None => Time::MAX,
        };
        (exact.time() <= end).then_some(exact)
    }

    fn times(&self) -> Option<Times> {
        let endless = self.stop.is_none() && self.limit == u64::MAX;
        match (&self.offsets[..], self.period) {
            ([offset], Some(period)) if endless => {
                let offset = base::checked_sum(self.start, *offset)?;
                Some(Times::Every { offset, period })
            }
            (offsets, None) => {
                let all = (0..offsets.len() as u64).map_while(|index| self.exact(index));
                Some(Times::Instants(all.collect()))
            }
            _ => None,
        }
    }
}

/// The largest count of wakings: up to here, counts are exact as floats.
pub const MOST_WAKINGS: u64 = 1 << 53;

/// How many wakings are before a start time, up to [`MOST_WAKINGS`]: these have already happened
/// when a run starts.
pub fn events_before(timer: &dyn Timer, start: Time) -> u64 {
    let before = |index: u64| timer.time(index).is_some_and(|time| time < start);
    let mut high = 1u64;
    while before(high - 1) && high < MOST_WAKINGS {
        high *= 2;
    }
    let (mut low, mut high) = (high / 2, high);
    while low < high {
        let middle = low + (high - low) / 2;
        if before(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

/// The same if it is near a number, such as that of the wakings so far: a run asks at every crossing
/// next to a clock.
pub fn events_before_near(timer: &dyn Timer, start: Time, near: u64) -> u64 {
    const FAR: u64 = 4;
    let before = |index: u64| timer.time(index).is_some_and(|time| time < start);
    let mut count = near;
    for _ in 0..FAR {
        if count > 0 && !before(count - 1) {
            count -= 1;
        } else if count < MOST_WAKINGS && before(count) {
            count += 1;
        } else {
            return count;
        }
    }
    events_before(timer, start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_is_past() {
        let every = Every { offset: Rational::from_integer(1), period: Rational::new(1, 3) };
        let at = |n: i128, d: i128| Time::from_rational(Rational::new(n, d)).unwrap();
        assert_eq!(events_before(&every, Time::ZERO), 0);
        assert_eq!(events_before(&every, at(1, 1)), 0);
        assert_eq!(events_before(&every, at(7, 6)), 1);
        assert_eq!(events_before(&every, at(2, 1)), 3);
        assert_eq!(events_before(&every, at(1000, 1)), 2997);
        assert_eq!(events_before(&Instants(vec![]), at(1, 1)), 0);
        assert_eq!(events_before(&Instants(vec![at(0, 1).into(), at(1, 2).into()]), at(1, 1)), 2);
    }

    #[test]
    fn a_count_that_is_nearly_known_is_the_same() {
        let at = |n: i128, d: i128| Time::from_rational(Rational::new(n, d)).unwrap();
        let every = Every { offset: Rational::from_integer(1), period: Rational::new(1, 3) };
        let few = Instants(vec![at(0, 1).into(), at(1, 2).into(), at(9, 1).into()]);
        for timer in [&every as &dyn Timer, &few] {
            for n in 0..60 {
                let start = at(n, 6);
                let count = events_before(timer, start);
                for near in (0..40).chain([MOST_WAKINGS]) {
                    assert_eq!(events_before_near(timer, start, near), count, "{start}, {near}");
                }
            }
        }
    }
}
