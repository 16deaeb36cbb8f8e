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

/// How many numbers are compared side by side.
const LANES: usize = 16;

/// The largest of so many sizes, or 0. In lanes, for one after the other each comparison would wait
/// for the one before; what is not a number is passed over.
#[inline(always)]
pub(crate) fn largest(numbers: usize, size: impl Fn(usize) -> f64) -> f64 {
    let greater = |a: f64, b: f64| if a > b { a } else { b };
    if numbers < LANES {
        return (0..numbers).fold(0.0, |most, i| greater(size(i), most));
    }
    let mut most = [0.0; LANES];
    let whole = numbers - numbers % LANES;
    for from in (0..whole).step_by(LANES) {
        for (lane, most) in most.iter_mut().enumerate() {
            *most = greater(size(from + lane), *most);
        }
    }
    let rest = (whole..numbers).map(size);
    most.into_iter().chain(rest).fold(0.0, |most, size| greater(size, most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_is_found_wherever_it_is() {
        for n in [0, 1, 15, 16, 17, 40] {
            for at in 0..n {
                let size = |i: usize| if i == at { 7.0 } else { (i % 5) as f64 };
                assert_eq!(largest(n, size), 7.0, "{at} of {n}");
            }
        }
        assert_eq!(largest(20, |i| if i == 3 { f64::NAN } else { 1.0 }), 1.0);
    }

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
