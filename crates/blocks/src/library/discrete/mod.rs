//! Discrete: events, their values and their counts.

mod counter;
mod merge;
mod periodic_sampler;
mod queue;
mod sample;
mod tapped_delay;
mod zero_order_hold;

pub use counter::Counter;
pub use merge::Merge;
pub use periodic_sampler::PeriodicSampler;
pub use queue::Queue;
pub use sample::Sample;
pub use tapped_delay::TappedDelay;
pub use zero_order_hold::ZeroOrderHold;

use crate::Info;

/// The description of a block on events: unless it says otherwise, it takes no impulses.
fn discrete(name: &'static str, summary: &'static str) -> Info {
    Info::new(name, "Discrete", summary).impulses("An impulse at an input is an error.")
}
