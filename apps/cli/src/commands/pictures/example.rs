//! The figure of the example on the page of a block.

use anyhow::Result;
use superdense::plots::{Figure, svg};
use superdense::{Library, System, parse};

use crate::model::pictured;
use crate::report::{Problem, refused};

/// How many rows make the curves of a small figure look smooth. There are more than a hundred such
/// figures in the repository, so that each has to be a small file.
const ROWS: u32 = 400;

/// Runs a model and draws the first figure that it defines, or else all its signals, as SVG.
pub fn example_figure(name: &str, model: &str) -> Result<Option<String>> {
    let none = &mut |_: &str| Err("an example imports nothing".to_owned());
    let model = parse(name, model, none).map_err(refused)?;
    let system = System::compile(&model, &Library::standard()).map_err(refused)?;
    let system = pictured(&system, Some(ROWS))?;
    let trace = match system.simulate() {
        Ok(outcome) => outcome.trace,
        Err(failure) => {
            let why = system.explain_with(&failure.error, &failure.inputs);
            return Err(Problem::new(why, system.sources()).into());
        }
    };
    let own = system.figures().first().map(|(_, figure)| figure.clone());
    Ok(Some(svg(&own.unwrap_or_else(|| Figure::of(&trace)), &trace)?))
}
