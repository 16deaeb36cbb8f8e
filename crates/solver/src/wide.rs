//! Loops over states, as wide as the processor is.
//!
//! The compiler makes vector instructions of a loop for the processor that the program is made for,
//! and that is any. Here the same loop is made a second time, for those with wider instructions;
//! which one runs is found out once. Every number comes from the same operations in the same order,
//! so that the bits do not tell.

use std::sync::OnceLock;

use pulp::Arch;

/// From how many numbers on it pays to choose.
const FROM: usize = 32;

/// Runs a loop over so many numbers with the widest instructions of the processor, for the loops of a
/// solver and for those of the system that it solves. The closure and all that is called in it must
/// be inlined.
#[inline(always)]
pub fn wide<R>(numbers: usize, body: impl FnOnce() -> R) -> R {
    static ARCH: OnceLock<Arch> = OnceLock::new();
    if numbers < FROM { body() } else { ARCH.get_or_init(Arch::new).dispatch(body) }
}
