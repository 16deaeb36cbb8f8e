//! No analysis: this program was built without the feature `analysis`, and refuses its commands.

use anyhow::Result;

use crate::arguments::{LinearizeArguments, TrimArguments};
use crate::report::not_built;

pub fn trim(_: &TrimArguments) -> Result<()> {
    Err(not_built("analysis"))
}

pub fn linearize(_: &LinearizeArguments) -> Result<()> {
    Err(not_built("analysis"))
}
