//! Events: when something happens, and the values just before.

mod current_microstep;
mod edge;
mod event_delay;
mod left_limit;
mod level_crossing;
mod microstep_delay;
mod previous;
mod stop;
mod variable_event_delay;

pub use current_microstep::CurrentMicrostep;
pub use edge::Edge;
pub use event_delay::EventDelay;
pub use left_limit::LeftLimit;
pub use level_crossing::LevelCrossing;
pub use microstep_delay::MicrostepDelay;
pub use previous::Previous;
pub use stop::Stop;
pub use variable_event_delay::VariableEventDelay;

use crate::Info;

/// The description of a block of this category: unless it says otherwise, its output carries no
/// impulses.
fn events(name: &'static str, summary: &'static str) -> Info {
    Info::new(name, "Events", summary).impulses("The output carries no impulses.")
}
