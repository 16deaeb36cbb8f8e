//! What happens at an instant and why, told step by step to whoever wants to know.

use base::{Tag, Time};
use program::{BlockId, Part, RegionId, Text, WireId};
use serde::{Deserialize, Serialize};
use solver::Method;

/// One thing that happened.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// A tick began because a crossing function of a block was located.
    Located {
        /// When.
        time: Time,
        /// The block of the crossing.
        block: BlockId,
    },
    /// A tick began because a block had asked to be woken.
    Woken {
        /// When.
        time: Time,
        /// The block.
        block: BlockId,
    },
    /// A block's functions ran; these parts of its outputs changed.
    Fired {
        /// When.
        tag: Tag,
        /// The block.
        block: BlockId,
        /// Parts that are others than before, with their new values.
        changes: Vec<Change>,
    },
    /// A state of a block changed at a commit.
    Committed {
        /// When.
        tag: Tag,
        /// The block.
        block: BlockId,
        /// Which of its states.
        state: Text,
        /// Before.
        from: Vec<f64>,
        /// After.
        to: Vec<f64>,
    },
    /// A side or cell changed at a commit.
    Side {
        /// When.
        tag: Tag,
        /// The block.
        block: BlockId,
        /// Before.
        from: f64,
        /// After.
        to: f64,
    },
    /// A machine took a transition.
    Moved {
        /// When that was decided; the new state speaks at the next microstep.
        tag: Tag,
        /// The block of its state.
        block: BlockId,
        /// The number of the state before.
        from: usize,
        /// And after.
        to: usize,
    },
    /// A block will be woken.
    Agenda {
        /// When that was decided.
        time: Time,
        /// The block.
        block: BlockId,
        /// When it will be woken.
        next: Time,
    },
    /// A part of the diagram started a new smooth phase.
    Restarted {
        /// When.
        time: Time,
        /// Which.
        region: RegionId,
    },
    /// A part of the diagram turned out to be stiff, or to be so no more, and steps by another
    /// method from here on.
    Switched(Switch),
}

/// A part of the diagram goes on with another method.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Switch {
    /// From when on.
    pub time: Time,
    /// Which part.
    pub region: u32,
    /// The method.
    pub method: Method,
}

/// A part of a wire that changed.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// The wire.
    pub wire: WireId,
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
