//! One look at all crossing functions.

use base::clone_reusing;
use serde::{Deserialize, Serialize};

use crate::counters::Counters;
use crate::drift::Drift;
use crate::hermite::Cubic;
use crate::segment::Segment;
use crate::step_span::StepSpan;
use crate::system::{At, Enclosure, Noise, System};

/// How many states are compared for a bound of one function.
const FEW: usize = 16;

/// The values of all functions at one time.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Level {
    /// Offset of the look.
    pub t: f64,
    /// The functions, and after them their time derivatives.
    numbers: Vec<f64>,
}

clone_reusing!(Level { t, numbers });

/// What a look shows of one function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    /// Offset of the look.
    pub t: f64,
    /// The function.
    pub g: f64,
    /// Its time derivative.
    pub rate: f64,
}

impl Level {
    pub fn new(crossings: usize) -> Level {
        Level { t: 0.0, numbers: vec![0.0; 2 * crossings] }
    }

    /// The same with room for more functions, as other modes have: looks change places, and each of
    /// them comes to be the one that is kept.
    pub fn with_room(crossings: usize, room: usize) -> Level {
        let mut numbers = Vec::with_capacity(2 * room.max(crossings));
        numbers.resize(2 * crossings, 0.0);
        Level { t: 0.0, numbers }
    }

    /// How many functions there is room for.
    pub fn room(&self) -> usize {
        self.numbers.capacity() / 2
    }

    /// Makes room for another number of functions. What it shows is of no use then.
    pub fn resize(&mut self, crossings: usize) {
        self.numbers.resize(2 * crossings, 0.0);
    }

    /// How many functions there are.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.numbers.len() / 2
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The functions.
    #[inline(always)]
    pub fn g(&self) -> &[f64] {
        self.parts().0
    }

    /// The functions and their time derivatives.
    #[inline(always)]
    pub fn parts(&self) -> (&[f64], &[f64]) {
        self.numbers.split_at(self.len())
    }

    /// The same to be written.
    #[inline(always)]
    pub fn parts_mut(&mut self) -> (&mut [f64], &mut [f64]) {
        let half = self.len();
        self.numbers.split_at_mut(half)
    }

    /// What it shows of function k.
    #[inline(always)]
    pub fn of(&self, k: usize) -> Seen {
        Seen { t: self.t, g: self.numbers[k], rate: self.numbers[self.len() + k] }
    }
}

impl Seen {
    /// The cubic of the function, times `sign`, from this look to a later one.
    #[inline(always)]
    pub fn cubic(self, to: Seen, sign: f64) -> Cubic {
        let width = sign * (to.t - self.t);
        Cubic { value: [sign * self.g, sign * to.g], slope: [width * self.rate, width * to.rate] }
    }
}

/// What is needed to look at the functions anywhere in a step.
pub(crate) struct Probe<'a, S> {
    pub system: &'a mut S,
    pub segment: &'a Segment,
    pub x: &'a mut [f64],
    pub dx: &'a mut [f64],
    /// The offset at which `x` and `dx` are those of the dense output.
    pub at: Option<f64>,
    pub counters: &'a mut Counters,
    pub drift: &'a Drift,
}

impl<S: System> Probe<'_, S> {
    /// Looks at `t` on the dense output.
    pub fn look(&mut self, t: f64, level: &mut Level) {
        self.counters.crossing_evaluations += 1;
        level.t = t;
        let (g, rate) = level.parts_mut();
        if t == self.segment.end && self.segment.ends_smoothly() {
            let segment = self.segment;
            return self.system.crossings(t, &segment.x1, segment.end_slope(), g, rate);
        }
        self.segment.value_and_slope(t, self.x, self.dx);
        self.at = Some(t);
        self.system.crossings(t, self.x, self.dx, g, rate);
    }

    /// Bounds of a function between two offsets.
    pub fn enclose(&mut self, function: usize, from: f64, to: f64) -> Enclosure {
        self.counters.enclosures += 1;
        self.system.enclose(function, &StepSpan::new(self.segment, from, to))
    }

    /// The width of an interval of time that cannot be divided further.
    pub fn finest(&self, t: f64, h: f64) -> f64 {
        super::greater(super::finest(t, h), self.system.resolution())
    }

    /// The most that rounding may move a time located at an offset.
    pub fn most_uncertain(&self, t: f64) -> f64 {
        super::MOST_UNCERTAIN * self.system.time(t).abs()
    }

    /// How far rounding may have moved a function at an offset.
    pub fn noise(&mut self, function: usize, t: f64) -> Option<Noise> {
        self.system.noise(function, At { t, segment: self.segment, drift: self.drift })
    }

    /// A bound of the same that is quick to compute.
    #[inline(always)]
    pub fn most_noise(&mut self, function: usize, t: f64) -> f64 {
        let (state, drift) = (self.largest_state(t), self.drift.largest());
        self.system.most_noise(function, t, state, drift)
    }

    /// A bound of the states at an offset: the present ones, if they are few and looked at there. The
    /// end of a long step may be far larger than they are.
    #[inline(always)]
    fn largest_state(&self, t: f64) -> f64 {
        match self.at == Some(t) && self.x.len() <= FEW {
            true => self.x.iter().fold(0.0, |most, x| super::greater(x.abs(), most)),
            false => self.drift.largest_state,
        }
    }
}
