//! Continuous: states that flow.

mod integrator;

pub use integrator::Integrator;
