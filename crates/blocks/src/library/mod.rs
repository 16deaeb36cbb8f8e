//! The library: one block, one file, in the category in which a user would look for it.

pub use sources::Random;

use std::sync::Arc;

use crate::Block;

mod continuous;
mod discrete;
mod events;
mod math;
mod nonlinear;
mod sources;
mod tables;

/// Every block of the library. A new block is a file and a line here.
pub(crate) fn all() -> Vec<Arc<dyn Block>> {
    vec![
        Arc::new(sources::Constant),
        Arc::new(sources::EventSource),
        Arc::new(sources::Random),
        Arc::new(sources::JavaRandom),
        Arc::new(sources::Sine),
        Arc::new(sources::Step),
        Arc::new(sources::Ramp),
        Arc::new(sources::Pulse),
        Arc::new(sources::Clock),
        Arc::new(sources::ImpulseSource),
        Arc::new(sources::Waveform),
        Arc::new(math::Gain),
        Arc::new(math::Sum),
        Arc::new(math::Product),
        Arc::new(math::Negate),
        Arc::new(math::Divide),
        Arc::new(math::Expression),
        Arc::new(math::Switch),
        Arc::new(math::Decision),
        Arc::new(math::Inverter),
        Arc::new(tables::LookupTable),
        Arc::new(tables::LookupTable2D),
        Arc::new(tables::LookupTableND),
        Arc::new(nonlinear::Relay),
        Arc::new(nonlinear::Backlash),
        Arc::new(nonlinear::PeakHold),
        Arc::new(nonlinear::RateLimiter),
        Arc::new(continuous::Integrator),
        Arc::new(continuous::Derivative),
        Arc::new(continuous::TransportDelay),
        Arc::new(discrete::ZeroOrderHold),
        Arc::new(discrete::Sample),
        Arc::new(discrete::PeriodicSampler),
        Arc::new(discrete::Counter),
        Arc::new(discrete::Merge),
        Arc::new(discrete::Queue),
        Arc::new(discrete::TappedDelay),
        Arc::new(events::LevelCrossing),
        Arc::new(events::MicrostepDelay),
        Arc::new(events::Edge),
        Arc::new(events::CurrentMicrostep),
        Arc::new(events::EventDelay),
        Arc::new(events::Stop),
        Arc::new(events::VariableEventDelay),
        Arc::new(events::Previous),
        Arc::new(events::LeftLimit),
    ]
}
