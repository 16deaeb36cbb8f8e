//! Conditions after which a run continues, although readers of the result should know about them.

use std::fmt;

use base::Tag;
use program::{HazardConditions, Unit};
use serde::{Deserialize, Serialize};

use crate::engine::Engine;

/// Something that readers of the result should know. The run continues after it, and each warning
/// is reported once per block.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Warning {
    /// Two things happened at different microsteps of one instant, and the result depends on their
    /// order.
    MicrostepOrder {
        /// The later of the two tags.
        tag: Tag,
        /// The block.
        block: String,
        /// Both things, as a sentence.
        reason: String,
    },
    /// An event has brought its own function to rest on its level, and something pushes it on
    /// through the level.
    RestOnLevel {
        /// When it happened.
        tag: Tag,
        /// The block whose event it is.
        block: String,
    },
    /// A function with events is at rest on its level at the start of a run in which what bounces
    /// comes to rest, and leaves it.
    RestAtStart {
        /// The start.
        tag: Tag,
        /// The block whose function it is.
        block: String,
    },
}

impl Warning {
    /// An identifier that is stable between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Warning::MicrostepOrder { .. } => "microstep-order",
            Warning::RestOnLevel { .. } => "rest-on-level",
            Warning::RestAtStart { .. } => "rest-at-start",
        }
    }

    /// The path of the block.
    pub fn block(&self) -> &str {
        match self {
            Warning::MicrostepOrder { block, .. }
            | Warning::RestOnLevel { block, .. }
            | Warning::RestAtStart { block, .. } => block,
        }
    }

    /// Advice for the user.
    pub fn help(&self) -> &'static str {
        match self {
            Warning::MicrostepOrder { .. } => {
                "say which value is meant with previous(...) or left(...), or move one of them \
                 with a MicrostepDelay"
            }
            Warning::RestOnLevel { .. } => {
                "where it is to stay there, model the rest by a state of its own, or set \
                 `zeno: stop` under `simulate` to stop there"
            }
            Warning::RestAtStart { .. } => {
                "its event, when tried, did not throw it back: look at what the event does to a body \
                 that falls, or let it start a little off its level"
            }
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::MicrostepOrder { tag, block, reason } => {
                write!(f, "{reason}, in `{block}` at {tag}")
            }
            Warning::RestOnLevel { tag, block } => {
                write!(
                    f,
                    "what `{block}` watches comes to rest on its level at {tag}, and goes on \
                     through it"
                )
            }
            Warning::RestAtStart { tag, block } => {
                write!(
                    f,
                    "what `{block}` watches is at rest on its level at {tag}, and leaves it without \
                     an event"
                )
            }
        }
    }
}

/// When the two conditions of an order hazard last held.
#[derive(Clone, Copy, Default, Debug, Serialize, Deserialize)]
pub(crate) struct HazardSeen {
    first: Option<Tag>,
    second: Option<Tag>,
}

impl HazardSeen {
    /// Whether both held at different microsteps of one time.
    fn apart(&self) -> bool {
        let both = self.first.zip(self.second);
        both.is_some_and(|(a, b)| a.time == b.time && a.microstep != b.microstep)
    }
}

impl Engine<'_> {
    /// Checks the order hazards of a unit that has run at a tag.
    pub(crate) fn look_at_hazards(&mut self, unit: &Unit, tag: Tag) {
        for HazardConditions { first, second, hazard } in &unit.hazards {
            let seen = &mut self.state.hazards[*hazard];
            if self.state.slots[first.index()] != 0.0 {
                seen.first = Some(tag);
            }
            if self.state.slots[second.index()] != 0.0 {
                seen.second = Some(tag);
            }
            if seen.apart() {
                let reason = self.program.hazards[*hazard].clone();
                let block = self.path(unit.block);
                self.warn(Warning::MicrostepOrder { tag, block, reason });
            }
        }
    }

    /// Records a warning, unless its block has had one of this kind.
    pub(crate) fn warn(&mut self, warning: Warning) {
        let same = |old: &Warning| (old.code(), old.block()) == (warning.code(), warning.block());
        if !self.state.warnings.iter().any(same) {
            self.state.warnings.push(warning);
        }
    }
}
