//! The energy of a model on streams.

use anyhow::Result;
use superdense::{Streaming, System};

use crate::commands::energy::{Curve, ENERGY, scalar};
use crate::report::{Problem, refused};

/// The energy at accepted steps.
pub fn energy_on_streams(system: &System) -> Result<Curve> {
    let streamed = system.stream(&Streaming::default()).map_err(refused)?;
    if let Some(error) = &streamed.error {
        return Err(Problem::new(system.explain_stream(error), system.sources()).into());
    }
    let run = &streamed.evaluations;
    scalar(run.trace())?;
    let accepted = (0..run.len())
        .filter(|e| run.get(*e, "stage") == Some(2.0) && run.get(*e, "p") == Some(0.0));
    let steps = accepted.clone().count() as u64;
    let points = accepted.filter_map(|e| Some((run.get(e, "time")?, run.get(e, ENERGY)?)));
    Ok(Curve { steps, points: points.collect() })
}
