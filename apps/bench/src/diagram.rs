//! A random linear diagram. The build script turns it into straight-line Rust and a case turns it
//! into a model, so that both are the same diagram.

#[path = "../../../crates/superdense/tests/common/draws.rs"]
mod draws;

use draws::Draws;

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
        let mut draws = Draws::new(42);
        let mut blocks = Vec::new();
        let integrators = size / 5;
        for i in 0..size {
            blocks.push(match i {
                _ if i < integrators => Block::Integrator {
                    input: integrators + draws.place(size - integrators),
                    initial: within_one(&mut draws),
                },
                _ if i % 2 == 0 => {
                    Block::Gain { input: draws.place(i), gain: within_one(&mut draws) }
                }
                _ => {
                    let count = 2 + draws.place(3);
                    Block::Sum { inputs: (0..count).map(|_| draws.place(i)).collect() }
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

/// A number from -1 to 1 with few digits.
fn within_one(draws: &mut Draws) -> f64 {
    (draws.below(2001) as f64 - 1000.0) / 1000.0
}
