//! The cases: one file each.

mod ball;
mod chain;
mod impulses;
mod lorenz;
mod modes;
mod recording;
mod sampled;
mod startup;

use anyhow::{Context, Result, ensure};
use superdense::{Library, Outcome, Overrides, System};

use crate::measure::{Effort, Figure};

/// A case by its name.
pub(crate) type Case = (&'static str, fn(&Effort) -> Result<Vec<Figure>>);

/// All cases, in the order of the report.
pub(crate) const ALL: [Case; 8] = [
    ("lorenz", lorenz::figures),
    ("ball", ball::figures),
    ("chain", chain::figures),
    ("sampled", sampled::figures),
    ("recording", recording::figures),
    ("impulses", impulses::figures),
    ("modes", modes::figures),
    ("startup", startup::figures),
];

/// What is recorded where steps are not to be: a constant, which has a row only where something
/// happens. A model that says nothing records everything.
const NOTHING: &str = "0";

/// From the text of a model to something that runs.
fn compile(text: &str) -> Result<System> {
    let mut nowhere = |path: &str| Err(format!("there is no file `{path}`"));
    let model = superdense::parse("bench", text, &mut nowhere)?;
    Ok(System::compile(&model, &Library::standard(), &Overrides::default())?)
}

/// The last value of a recorded signal.
fn last(outcome: &Outcome, name: &str) -> Result<f64> {
    outcome.trace.last(name).with_context(|| format!("`{name}` was not recorded"))
}

/// Both ways must lead to the same value before times mean anything.
fn agree(what: &str, ours: f64, hand: f64, allowed: f64) -> Result<()> {
    ensure!(
        (ours - hand).abs() <= allowed * hand.abs().max(1.0),
        "{what}: {ours} from the model, {hand} by hand"
    );
    Ok(())
}
