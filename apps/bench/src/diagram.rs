//! A random linear diagram. The build script turns it into straight-line Rust and a case turns it
//! into a model, so that both are the same diagram.

/// A block; its inputs are indices of blocks.
pub(crate) enum Block {
    Gain { input: usize, gain: f64 },
    Sum { inputs: Vec<usize> },
    Integrator { input: usize, initial: f64 },
}

/// The blocks. Gains and sums read only integrators and earlier blocks.
pub(crate) struct Diagram {
    pub blocks: Vec<Block>,
}

impl Diagram {
    /// The diagram of a size, always the same one: a fifth are integrators, the rest gains and sums
    /// in equal shares.
    pub fn random(size: usize) -> Diagram {
        let mut random = Random(42);
        let mut blocks = Vec::new();
        let integrators = size / 5;
        for i in 0..size {
            blocks.push(match i {
                _ if i < integrators => Block::Integrator {
                    input: integrators + random.below(size - integrators),
                    initial: random.within_one(),
                },
                _ if i % 2 == 0 => {
                    Block::Gain { input: random.below(i), gain: random.within_one() }
                }
                _ => {
                    let count = 2 + random.below(3);
                    Block::Sum { inputs: (0..count).map(|_| random.below(i)).collect() }
                }
            });
        }
        Diagram { blocks }
    }

    /// The indices of the integrators, in order.
    #[allow(dead_code, reason = "the build does not use it")]
    pub fn integrators(&self) -> impl Iterator<Item = usize> {
        let is_one =
            |(i, block): (usize, &Block)| matches!(block, Block::Integrator { .. }).then_some(i);
        self.blocks.iter().enumerate().filter_map(is_one)
    }
}

/// SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// A number from -1 to 1 with few digits.
    fn within_one(&mut self) -> f64 {
        (self.below(2001) as f64 - 1000.0) / 1000.0
    }
}
