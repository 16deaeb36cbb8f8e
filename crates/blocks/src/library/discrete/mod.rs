//! Discrete: events, their values and their counts.

mod counter;
mod merge;
mod sample;
mod zero_order_hold;

pub use counter::Counter;
pub use merge::Merge;
pub use sample::Sample;
pub use zero_order_hold::ZeroOrderHold;
