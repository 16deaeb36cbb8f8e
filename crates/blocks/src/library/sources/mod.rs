//! Sources: signals without inputs.

mod clock;
mod constant;
mod cycle;
mod event_source;
mod impulse_source;
mod java_random;
mod pulse;
mod ramp;
mod random;
mod sine;
mod step;
mod waveform;

pub use clock::Clock;
pub use constant::Constant;
pub use event_source::EventSource;
pub use impulse_source::ImpulseSource;
pub use java_random::JavaRandom;
pub use pulse::Pulse;
pub use ramp::Ramp;
pub use random::Random;
pub use sine::Sine;
pub use step::Step;
pub use waveform::Waveform;

use crate::Info;

/// The description of a source: unless the block says otherwise, its output is always present and
/// carries no impulses.
fn source(name: &'static str, summary: &'static str) -> Info {
    Info::new(name, "Sources", summary).absence("Always present.").impulses("Carries no impulses.")
}
