//! A log of what happens at an instant and why, for anyone who listens.

use base::{Tag, Time};
use program::{BlockName, Part, RegionId, Text};
use serde::{Deserialize, Serialize};
use solver::Method;

/// One thing that happened.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// A tick began because a crossing function of a block was located.
    Located {
        /// When it happened.
        time: Time,
        /// The block of the crossing.
        block: BlockName,
    },
    /// A tick began because a timer of a block woke.
    Woken {
        /// When it happened.
        time: Time,
        /// The block.
        block: BlockName,
    },
    /// A block's functions ran; these parts of its outputs changed.
    Fired {
        /// When it happened.
        tag: Tag,
        /// The block.
        block: BlockName,
        /// The parts that have changed, with their new values.
        changes: Vec<Change>,
    },
    /// A state of a block changed at a commit.
    Committed {
        /// When it happened.
        tag: Tag,
        /// The block.
        block: BlockName,
        /// The name of the state.
        state: Text,
        /// Before.
        from: Vec<f64>,
        /// After.
        to: Vec<f64>,
    },
    /// A side or floor changed at a commit.
    Side {
        /// When it happened.
        tag: Tag,
        /// The block.
        block: BlockName,
        /// Before.
        from: f64,
        /// After; 0 if the motion slides along the zeros of the function.
        to: f64,
        /// Whether the motion slides from now on.
        slides: bool,
    },
    /// A machine took a transition.
    Moved {
        /// When that was decided; the new state takes effect at the next microstep.
        tag: Tag,
        /// The block of its state.
        block: BlockName,
        /// The state before.
        from: String,
        /// The state after.
        to: String,
    },
    /// A block will be woken.
    Agenda {
        /// When that was decided.
        time: Time,
        /// The block.
        block: BlockName,
        /// When it will be woken.
        next: Time,
    },
    /// A region started a new smooth phase.
    Restarted {
        /// When it happened.
        time: Time,
        /// The region.
        region: RegionId,
    },
    /// A region became stiff, or ceased to be, and continues with another method.
    Switched(Switch),
}

/// A region continues with another method.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Switch {
    /// The time from which it applies.
    pub time: Time,
    /// The region.
    pub region: RegionId,
    /// The method.
    pub method: Method,
}

/// A part of a wire that changed.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// The wire: the path of its block, with the output if the block has several.
    pub wire: String,
    /// Which part.
    pub part: Part,
    /// Its new value.
    pub value: Vec<f64>,
}

impl Event {
    /// The time at which it happened.
    pub fn time(&self) -> Time {
        match self {
            Event::Located { time, .. }
            | Event::Woken { time, .. }
            | Event::Agenda { time, .. }
            | Event::Restarted { time, .. }
            | Event::Switched(Switch { time, .. }) => *time,
            Event::Fired { tag, .. }
            | Event::Committed { tag, .. }
            | Event::Side { tag, .. }
            | Event::Moved { tag, .. } => tag.time,
        }
    }
}
