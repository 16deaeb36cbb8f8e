//! Continuous: states that flow.

mod derivative;
mod integrator;

pub use derivative::Derivative;
pub use integrator::Integrator;
