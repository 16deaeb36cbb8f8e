//! Choices between transitions that are enabled at once, made by a script instead of the seed: for
//! studies of all possible outcomes.

use base::Tag;
use serde::{Deserialize, Serialize};

/// A choice that a run has made.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Choice {
    /// When.
    pub tag: Tag,
    /// The path of the state machine.
    pub machine: String,
    /// The state that it leaves.
    pub from: String,
    /// The states that the enabled transitions lead to, in the order of the model.
    pub to: Vec<String>,
    /// The index of the one that was taken.
    pub taken: usize,
}

/// Choices as a script makes them: those that it lists, and then the first one each time.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Choices {
    pub script: Vec<usize>,
    pub made: Vec<Choice>,
}

impl Choices {
    /// The index of the next choice among so many.
    pub fn next(&self, options: usize) -> usize {
        self.script.get(self.made.len()).map_or(0, |index| (*index).min(options - 1))
    }
}
