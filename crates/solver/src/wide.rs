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

#[cfg(test)]
mod tests {
    use super::*;

    /// Products are added without being contracted, however wide the instructions are.
    #[test]
    fn wide_loops_have_the_bits_of_plain_ones() {
        let x: Vec<f64> = (0..1001).map(|i| (f64::from(i) * 0.37).sin() * 1e3).collect();
        let mut found = vec![0.0; x.len()];
        wide(
            x.len(),
            #[inline(always)]
            || {
                for (own, x) in found.iter_mut().zip(&x) {
                    *own = 0.1 * x + x * x / 3.0 - 1e-3;
                }
            },
        );
        for (own, x) in found.iter().zip(&x) {
            let x = std::hint::black_box(*x);
            assert_eq!(own.to_bits(), (0.1 * x + x * x / 3.0 - 1e-3).to_bits());
        }
    }
}
