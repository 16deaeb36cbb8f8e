//! The clocks of fragments that blocks read: how long ago they showed 0.
//!
//! Near 10^6 s floats are 10^-10 s apart, so the difference of two times that have been rounded to
//! floats is no better than that. What rounding leaves out of the difference has a slot of its own,
//! which is written together with the time. Tapes add it, so that a clock shows the difference of
//! the exact times, rounded once.

use base::Time;
use diagram::FragmentId;
use ir::Slot;

use crate::program::Program;
use crate::region::RegionProgram;

/// The slots of a clock that something reads.
#[derive(Clone, Copy, Debug)]
pub struct LocalClock {
    /// The fragment whose clock it is.
    pub fragment: FragmentId,
    /// Whether that runs.
    pub active: Slot,
    /// The time at which the clock showed 0 \[s\], and what rounding leaves out of that.
    pub origin: [Slot; 2],
    /// What rounding leaves out of the difference of time and origin \[s\].
    pub rest: Slot,
}

impl LocalClock {
    /// Writes what is left out at a time; `below` is what rounding leaves out of that time.
    fn correct(&self, slots: &mut [f64], now: f64, below: f64) {
        if slots[self.active.index()] == 0.0 {
            return;
        }
        let [origin, left_out] = self.origin.map(|slot| slots[slot.index()]);
        // A clock that showed 0 at time 0 shows the time, bit by bit as blocks outside see it.
        let shows_time = origin == 0.0 && left_out == 0.0;
        slots[self.rest.index()] =
            if shows_time { 0.0 } else { error(now, -origin) + (below - left_out) };
    }
}

/// The exact error of a sum of floats (Knuth, The Art of Computer Programming 2, 4.2.2, theorem B).
fn error(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let part = sum - a;
    (a - (sum - part)) + (b - part)
}

#[inline(never)]
fn correct(clocks: &[LocalClock], slots: &mut [f64], now: f64, below: f64) {
    clocks.iter().for_each(|clock| clock.correct(slots, now, below));
}

impl Program {
    /// Writes a time, which is given as a float too, to the buffer.
    #[inline]
    pub fn set_time(&self, slots: &mut [f64], time: Time, seconds: f64) {
        slots[self.time.index()] = seconds;
        if !self.clocks.is_empty() {
            correct(&self.clocks, slots, seconds, time.beyond(seconds));
        }
    }

    /// Writes the time at an offset \[s\] from another time, which is given as a float too, for the
    /// functions of a region.
    #[inline]
    pub fn set_time_after(
        &self,
        region: &RegionProgram,
        slots: &mut [f64],
        (start, seconds): (Time, f64),
        offset: f64,
    ) {
        let now = seconds + offset;
        slots[self.time.index()] = now;
        if !region.clocks.is_empty() {
            let below = error(seconds, offset) + start.beyond(seconds);
            correct(&region.clocks, slots, now, below);
        }
    }

    /// Sets the clock of a fragment that runs, so that it shows how long ago a time was.
    pub fn set_clock(&self, slots: &mut [f64], fragment: FragmentId, origin: Time, now: Time) {
        slots[self.fragments[fragment].origin.index()] = origin.seconds();
        for clock in self.clocks.iter().filter(|clock| clock.fragment == fragment) {
            slots[clock.origin[1].index()] = origin.beyond(origin.seconds());
            clock.correct(slots, now.seconds(), now.beyond(now.seconds()));
        }
    }
}
