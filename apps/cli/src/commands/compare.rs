//! `compare`: where two saved traces differ.

use std::path::Path;

use anyhow::{Result, bail};
use superdense::{Tolerance, traces};

use crate::report::{show, unread};

pub fn compare(first: &Path, second: &Path, tolerance: Tolerance) -> Result<()> {
    let Tolerance { absolute, relative, time } = tolerance;
    for (name, value) in [("absolute", absolute), ("relative", relative), ("time", time)] {
        if !(value >= 0.0 && value.is_finite()) {
            bail!("`--{name} {value}` is no difference to allow: give a number from 0 on");
        }
    }
    let read = |path: &Path| traces::read(path).map_err(unread);
    let (first, second) = (read(first)?, read(second)?);
    let comparison = traces::compare(&first, &second, tolerance);
    show(&format!("{comparison}\n"))?;
    if !comparison.agrees() {
        bail!("the traces differ");
    }
    Ok(())
}
