//! Random numbers as a pure function of where they are drawn.

/// The `index`-th number drawn at a path. The same seed, path and index give the same number,
/// regardless of what else is drawn and in which order.
pub fn random(seed: u64, path: &str, index: u64) -> u64 {
    let mut state = mixed(seed ^ 0x9e37_79b9_7f4a_7c15);
    for byte in path.bytes() {
        state = mixed(state ^ u64::from(byte));
    }
    mixed(state ^ mixed(index.wrapping_add(0x632b_e59b_d9b4_e019)))
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): a bijection in which changing one
/// input bit changes about half of the output bits.
fn mixed(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::random;

    #[test]
    fn draws_are_even_and_depend_on_everything() {
        let n = 100_000;
        for sides in [2u64, 3, 7] {
            let mut counts = vec![0u32; sides as usize];
            (0..n).for_each(|i| counts[(random(1, "a.b", i) % sides) as usize] += 1);
            let expected = n as f64 / sides as f64;
            for count in counts {
                assert!((f64::from(count) - expected).abs() < 5.0 * expected.sqrt(), "{count}");
            }
        }
        assert_ne!(random(1, "a", 0), random(2, "a", 0));
        assert_ne!(random(1, "a", 0), random(1, "b", 0));
        assert_ne!(random(1, "a", 0), random(1, "a", 1));
        assert_eq!(random(1, "a", 1), random(1, "a", 1));
    }
}
