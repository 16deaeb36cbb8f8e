//! Sides and floors: taken from the value of a function, and from its derivatives if that is zero.

mod look;
mod settle;
mod zero;

use program::CrossingKind;

/// How often sides are set again, when a diagram starts, because they depend on each other.
pub(crate) const ROUNDS: usize = 32;

/// Whether a value has a given side or floor.
#[inline]
fn is_read_as(kind: CrossingKind, value: f64, frozen: f64) -> bool {
    match kind {
        CrossingKind::Sign => value * frozen > 0.0,
        CrossingKind::Floor => value.floor() == frozen,
    }
}

pub(crate) fn sign(value: f64) -> f64 {
    if value > 0.0 {
        1.0
    } else if value < 0.0 {
        -1.0
    } else {
        0.0
    }
}
