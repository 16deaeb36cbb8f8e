//! Continuous: states that are integrated, and the past of signals.

mod derivative;
mod integrator;
mod transport_delay;

pub use derivative::Derivative;
pub use integrator::Integrator;
pub use transport_delay::TransportDelay;

use crate::Info;

/// The description of a block of this category.
fn continuous(name: &'static str, summary: &'static str) -> Info {
    Info::new(name, "Continuous", summary)
}
