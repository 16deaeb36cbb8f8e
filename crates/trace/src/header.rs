//! Information in a trace about the run that made it.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// The version of the file layout; a reader refuses any other.
pub(crate) const FORMAT_VERSION: u32 = 1;

/// Where a trace comes from. Every field may be empty.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Header {
    /// The name of the model.
    pub model: String,
    /// A hexadecimal hash that differs between models, parameters and settings.
    pub hash: String,
    /// The parameters and their values as text, in the order of the model.
    pub parameters: IndexMap<String, String>,
    /// The seed of the random numbers.
    pub seed: Option<u64>,
    /// The name of the solver, or of the kind of fixed steps.
    pub solver: String,
    /// The version of the program that made the run.
    pub version: String,
}
