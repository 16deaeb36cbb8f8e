//! Functions that are equal up to a constant factor have the same zeros and are one surface.

use program::tape::{Dual, Jet};
use program::{Program, RegionProgram, Room, Source, WatchId};

/// The number of points at which two functions are compared.
const POINTS: u64 = 8;
/// At how many of them both must be numbers.
const LEAST: usize = 4;
/// How far the ratios of the functions may differ by rounding.
const ROUNDING: f64 = 1e-9;

/// A number between -1/2 and 1/2 that depends on a point and on a state (splitmix64, by S. Vigna).
fn scattered(point: u64, state: u64) -> f64 {
    let mut z = (point << 32 | state).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (z >> 11) as f64 / (1u64 << 53) as f64 - 0.5
}

/// The values of a watched function at scattered points around the one in the buffer; whatever is
/// frozen between events is as it is.
pub(crate) fn sampled(
    program: &Program,
    (watch, code): (WatchId, &RegionProgram),
    room: &mut Room,
    slots: &[f64],
) -> [f64; POINTS as usize] {
    let at = |x: f64, point: u64, state: u64| x + (x.abs() + 1.0) * scattered(point, state);
    std::array::from_fn(|point| {
        let point = point as u64;
        let [value, _] = program.follow(watch, room, |source| match source {
            Source::Time => at(slots[program.time.index()], point, u64::from(u32::MAX)),
            Source::State(i) => at(slots[code.state.index() + i], point, i as u64),
            Source::Rate(i) => slots[code.rate.index() + i],
            Source::Frozen(slot) => slots[slot.index()],
        });
        value
    })
}

/// How a watched function and its slope move with a state, at the same points.
pub(crate) fn sampled_derivatives(
    program: &Program,
    (watch, code): (WatchId, &RegionProgram),
    (room, slots): (&mut Room, &[f64]),
    along: usize,
) -> [[f64; 2]; POINTS as usize] {
    let at = |x: f64, point: u64, state: u64| x + (x.abs() + 1.0) * scattered(point, state);
    std::array::from_fn(|point| {
        let point = point as u64;
        let found: [Dual; 2] = program.follow(watch, room, |source| match source {
            Source::Time => Jet([at(slots[program.time.index()], point, u64::from(u32::MAX)), 0.0]),
            Source::State(i) => {
                let moves = f64::from(u8::from(i == along));
                Jet([at(slots[code.state.index() + i], point, i as u64), moves])
            }
            Source::Rate(i) => Jet([slots[code.rate.index() + i], 0.0]),
            Source::Frozen(slot) => Jet([slots[slot.index()], 0.0]),
        });
        found.map(|own| own.0[1])
    })
}

/// The sign of the factor between two functions, if they are equal up to a constant factor at the
/// points at which they were sampled.
pub(crate) fn factor(a: &[f64], b: &[f64]) -> Option<f64> {
    let ratios: Vec<f64> = a
        .iter()
        .zip(b)
        .map(|(a, b)| b / a)
        .filter(|ratio| ratio.is_finite() && *ratio != 0.0)
        .collect();
    let first = *ratios.first()?;
    let same = |ratio: &f64| (ratio - first).abs() <= ROUNDING * first.abs();
    (ratios.len() >= LEAST && ratios.iter().all(same)).then_some(first.signum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_found_and_nothing_else() {
        let a = [1.0, -2.0, 3.5, 0.25, 8.0];
        assert_eq!(factor(&a, &a.map(|x| -3.0 * x)), Some(-1.0));
        assert_eq!(factor(&a, &a.map(|x| 0.1 * x)), Some(1.0));
        assert_eq!(factor(&a, &a.map(|x| x * x)), None);
        assert_eq!(factor(&a, &a.map(|x| x + 1e-6)), None);
        assert_eq!(factor(&a[..3], &a[..3]), None, "too few points");
    }
}
