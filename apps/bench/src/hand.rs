//! Methods as an engineer would write them for one model only: the number of states is a constant,
//! nothing is allocated, and there are no indirect calls.

mod dormand_prince;
mod rk4;
mod rodas5p;

pub(crate) use dormand_prince::DormandPrince;
pub(crate) use rk4::Rk4;
pub(crate) use rodas5p::{Rodas5p, Stiff};

/// The right-hand side: writes the slopes at a time and a state.
pub(crate) trait Equations<const N: usize> {
    /// Writes dx/dt at (t, x).
    fn slopes(&self, t: f64, x: &[f64; N], dx: &mut [f64; N]);
}
