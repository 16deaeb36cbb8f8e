//! Loops over states, as wide as the processor is.
//!
//! The compiler makes vector instructions of a loop for the processor that the program is made for,
//! and that is any. Here the same loop is made a second time, for those with wider instructions;
//! which one runs is found out once. Every number comes from the same operations in the same order,
//! so that the bits are the same.

use std::sync::OnceLock;

use pulp::Arch;

/// From how many numbers on it pays to choose.
const FROM: usize = 32;

/// Runs a loop over so many numbers with the widest instructions of the processor, for the loops of
/// a solver and for those of the system that it solves. The closure and all that is called in it
/// must be inlined.
#[inline(always)]
pub fn wide<R>(numbers: usize, body: impl FnOnce() -> R) -> R {
    static ARCH: OnceLock<Arch> = OnceLock::new();
    if numbers < FROM { body() } else { ARCH.get_or_init(Arch::new).dispatch(body) }
}

/// How many numbers are compared side by side.
const LANES: usize = 16;

/// The size of the largest of the sums of some rows by their weights, or 0. In lanes, for one after
/// the other each comparison would wait for the one before; NaN is passed over.
#[inline(always)]
pub(crate) fn largest<const N: usize>(rows: [&[f64]; N], weights: [f64; N]) -> f64 {
    let n = rows.first().map_or(0, |row| row.len());
    let rows = rows.map(|row| &row[..n]);
    let whole = n - n % LANES;
    let mut all =
        if whole > 0 { largest_in_lanes(rows.map(|row| &row[..whole]), weights) } else { 0.0 };
    for i in whole..n {
        let sum: f64 = rows.iter().zip(weights).map(|(row, weight)| weight * row[i]).sum();
        all = if sum.abs() > all { sum.abs() } else { all };
    }
    all
}

/// The same for whole lanes.
#[inline(always)]
fn largest_in_lanes<const N: usize>(rows: [&[f64]; N], weights: [f64; N]) -> f64 {
    let mut most = [0.0; LANES];
    let mut from = 0;
    while from < rows[0].len() {
        let mut sums = [0.0; LANES];
        for j in 0..N {
            let row = &rows[j][from..from + LANES];
            for lane in 0..LANES {
                sums[lane] += weights[j] * row[lane];
            }
        }
        for lane in 0..LANES {
            let size = f64::abs(sums[lane]);
            most[lane] = if size > most[lane] { size } else { most[lane] };
        }
        from += LANES;
    }
    let mut all = 0.0;
    for size in most {
        all = if size > all { size } else { all };
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_is_found_wherever_it_is() {
        for n in [0, 1, 15, 16, 17, 40] {
            for at in 0..n {
                let mut row: Vec<f64> = (0..n).map(|i| (i % 5) as f64).collect();
                row[at] = -7.0;
                assert_eq!(largest([&row, &row], [0.5, 1.0]), 10.5, "{at} of {n}");
            }
        }
        assert_eq!(largest([&[1.0, f64::NAN, 2.0]], [1.0]), 2.0);
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
