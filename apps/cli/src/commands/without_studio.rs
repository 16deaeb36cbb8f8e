//! `studio` and `report` in a program that was built without them.

use std::path::Path;

use anyhow::Result;

use crate::arguments::ModelArguments;
use crate::report::not_built;

pub fn studio(_path: Option<&Path>, _port: Option<u16>, _browser: bool) -> Result<()> {
    Err(not_built("studio"))
}

pub fn report(_arguments: &ModelArguments, _output: &Path) -> Result<()> {
    Err(not_built("studio"))
}
