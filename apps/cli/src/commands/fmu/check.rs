//! `fmu check`: a trial of an FMU.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use superdense::fmi::{CheckError, check};

use crate::report::{refused, show};

pub fn check_fmu(path: &Path, stop: Option<f64>, tolerance: f64) -> Result<()> {
    let named = || format!("`{}`", path.display());
    if stop.is_some_and(|stop| !stop.is_finite()) || !(tolerance >= 0.0) {
        bail!("`--stop` and `--tolerance` must be finite, and the tolerance not negative");
    }
    let checked = match check(path, stop, tolerance) {
        Ok(checked) => checked,
        Err(CheckError::Refused(error)) => return Err(refused(error)),
        Err(error) => return Err(error).with_context(named),
    };
    let mut text = format!("runs to {} s in steps of {} s\n", checked.reached, checked.step);
    for mistake in &checked.mistakes {
        let _ = writeln!(text, "mistake: {mistake}");
    }
    match &checked.reference {
        None => text += "has no reference result\n",
        Some((name, compared)) if checked.differences.is_empty() => {
            let _ = writeln!(text, "agrees with {name} ({compared} values)");
        }
        Some(_) => {}
    }
    show(&text)?;
    let Some((name, _)) = checked.reference.filter(|_| !checked.differences.is_empty()) else {
        return Ok(());
    };
    let lines = checked.differences.iter().map(|own| {
        format!("\n  `{}` at {} s is {} and not {}", own.name, own.time, own.found, own.expected)
    });
    bail!("{} differs from {name}:{}", named(), lines.collect::<String>())
}
