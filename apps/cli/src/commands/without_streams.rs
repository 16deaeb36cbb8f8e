//! No streams: this program was built without the feature `streams`, and refuses to run a model on
//! them.

use anyhow::Result;
use superdense::System;

use super::energy::Curve;
use crate::arguments::StreamArguments;
use crate::report::not_built;

pub fn stream(_: &StreamArguments) -> Result<()> {
    Err(not_built("streams"))
}

pub fn energy_on_streams(_: &System) -> Result<Curve> {
    Err(not_built("streams"))
}
