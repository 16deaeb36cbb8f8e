//! FMUs, in a program that was built without the feature `fmi`.

use anyhow::Result;

use crate::arguments::FmuCommand;
use crate::report::not_built;

pub fn fmu(_command: &FmuCommand) -> Result<()> {
    Err(not_built("fmi"))
}
