//! Random choices that a seed repeats. Tests of other crates, and the benchmarks, take this file by
//! its path.

#![allow(dead_code, reason = "none uses all of it")]

/// SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014).
pub struct Draws(u64);

impl Draws {
    pub fn new(seed: u64) -> Draws {
        Draws(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A whole number from 0 on, below a limit.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }

    pub fn place(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.place(from.len())]
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// A number of thousandths.
    pub fn number(&mut self, from: f64, to: f64) -> f64 {
        let steps = ((to - from) * 1000.0) as u64;
        ((from * 1000.0).round() + self.below(steps) as f64) / 1000.0
    }
}
