//! Start-up: from the text of a small model to something that runs.

use anyhow::Result;

use super::compile;
use crate::measure::{Effort, Figure, best};

const TEXT: &str = "superdense: 1
name: bouncing-ball
parameters: {g: 9.81, e: 0.8, y0: 10}
blocks:
  v: {type: Integrator, input: -g, initial: 0, impulse: kick}
  y: {type: Integrator, input: v, initial: y0}
  hit: {type: LevelCrossing, input: y, level: 0, direction: falling}
  kick: {type: Sample, input: -(1 + e) * previous(v), trigger: hit}
record: [y, v, kick]
simulate: {stop: 12, solver: rk45, tolerance: 1e-8}
";

pub(super) fn figures(effort: &Effort) -> Result<Vec<Figure>> {
    let blocks = compile(TEXT)?.block_count();
    let ours = best(effort, || compile(TEXT));
    Ok(vec![Figure {
        name: "small model, text to ready".to_owned(),
        ours,
        hand: None,
        limit: None,
        note: format!("{blocks} blocks"),
    }])
}
