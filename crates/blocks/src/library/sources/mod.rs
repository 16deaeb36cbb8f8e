//! Sources: signals without inputs.

mod clock;
mod constant;
mod impulse_source;
mod pulse;
mod ramp;
mod sine;
mod step;

pub use clock::Clock;
pub use constant::Constant;
pub use impulse_source::ImpulseSource;
pub use pulse::Pulse;
pub use ramp::Ramp;
pub use sine::Sine;
pub use step::Step;
