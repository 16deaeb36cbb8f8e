//! How cost grows with the size of a model and of a run, as tables and figures.

pub(crate) mod kinds;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use superdense::plots::{Axis, Figure, Pair, Panel, svg};
use superdense::{Backend, Column, Tag, Time, Trace, Type};

use crate::cases::{NOTHING, batch, compile, linear, lorenz, parse};
use crate::diagram::Diagram;
use crate::measure::Effort;
use crate::report::{duration, grid};

/// A series of a figure: its name, and a time \[s\] for each size.
struct Curve {
    name: &'static str,
    points: Vec<(f64, f64)>,
}

/// What grows, and the times that result.
struct Growth {
    /// The name of the figure.
    name: &'static str,
    /// What grows.
    over: &'static str,
    curves: Vec<Curve>,
}

/// Larger sizes are skipped once one has taken this long \[s\].
const PATIENCE: f64 = 60.0;

/// Measures everything, draws it into a folder and returns the tables; or, if a text is given, only
/// the kinds of models whose name contains it.
pub(crate) fn measure(folder: &Path, only: &str) -> Result<String> {
    if !only.is_empty() {
        return kinds::table(only);
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut out = String::new();
    for growth in [blocks()?, states()?, events()?, runs()?] {
        let path = folder.join(format!("{}.svg", growth.name));
        fs::write(&path, growth.picture()?)
            .with_context(|| format!("cannot write {}", path.display()))?;
        out += &format!("{}\n", growth.table());
    }
    Ok(out + &kinds::table("")?)
}

/// The time of one run, the best of a few \[s\].
fn best<R>(run: impl FnMut() -> R) -> f64 {
    crate::measure::time(&Effort { samples: 5, seconds: 1e-3, backend: Backend::Auto }, run).best
}

/// Random linear diagrams: text to model, model to program, and one step of `rk4`.
fn blocks() -> Result<Growth> {
    let names = ["read", "compile", "one step"];
    let mut curves = names.map(|name| Curve { name, points: Vec::new() });
    for size in [100, 300, 1000, 3000, 10_000, 30_000, 100_000] {
        let text = linear::text(&Diagram::random(size), NOTHING, 10);
        let read = best(|| parse(&text));
        let whole = best(|| compile(&text));
        let system = compile(&text)?;
        let steps = system.simulate()?.counters.steps as f64;
        let times = [read, whole - read, best(|| system.simulate()) / steps];
        for (curve, time) in curves.iter_mut().zip(times) {
            curve.points.push((size as f64, time));
        }
        if whole > PATIENCE {
            break;
        }
    }
    Ok(Growth { name: "blocks", over: "blocks", curves: curves.into() })
}

/// A rod of heat-conducting cells: one step of `rk4`.
fn states() -> Result<Growth> {
    let mut points = Vec::new();
    for size in [10, 100, 1000, 10_000, 100_000] {
        let mut text = "superdense: 1\nname: rod\nblocks:\n".to_owned();
        for i in 0..size {
            let left = if i == 0 { "0".to_owned() } else { format!("x{}", i - 1) };
            let right = if i + 1 == size { "1".to_owned() } else { format!("x{}", i + 1) };
            let flow = format!("{left} - 2 * x{i} + {right}");
            text += &format!("  x{i}: {{type: Integrator, input: {flow}}}\n");
        }
        text += &format!("record: [{NOTHING}]\nsimulate: {{stop: 1, solver: rk4, step: 0.1}}\n");
        let system = compile(&text)?;
        let steps = system.simulate()?.counters.steps as f64;
        points.push((f64::from(size), best(|| system.simulate()) / steps));
    }
    let curves = vec![Curve { name: "one step", points }];
    Ok(Growth { name: "states", over: "states", curves })
}

/// A plant under a sampled controller: one second of model time.
fn events() -> Result<Growth> {
    let mut points = Vec::new();
    for rate in [1, 10, 100, 1000, 10_000, 100_000] {
        let system = compile(&format!(
            "superdense: 1
name: sampled
blocks:
  x: {{type: Integrator, input: -x + u}}
  clock: {{type: Clock, period: 1 / {rate}}}
  error: {{type: Sample, input: 1 - x, trigger: clock}}
  u: {{type: ZeroOrderHold, input: 3 * error, initial: 0}}
record: [{NOTHING}]
simulate: {{stop: 1, solver: rk45, tolerance: 1e-6}}
"
        ))?;
        points.push((f64::from(rate), best(|| system.simulate())));
    }
    let curves = vec![Curve { name: "a second of model time", points }];
    Ok(Growth { name: "events", over: "events a second", curves })
}

/// Lorenz systems with different parameters, each compiled and run.
fn runs() -> Result<Growth> {
    let model = parse(&lorenz::text(NOTHING))?;
    let point = |runs: u32| (f64::from(runs), best(|| batch::run(&model, runs, Backend::Auto)));
    let points = [1, 10, 100, 1000].map(point).to_vec();
    let curves = vec![Curve { name: "all runs", points }];
    Ok(Growth { name: "runs", over: "runs", curves })
}

impl Growth {
    /// The table, with a row for each size.
    fn table(&self) -> String {
        let name = |curve: &Curve| curve.name.to_owned();
        let mut rows = vec![vec![self.over.to_owned()]];
        rows[0].extend(self.curves.iter().map(name));
        for (row, (size, _)) in self.curves[0].points.iter().enumerate() {
            let time = |curve: &Curve| duration(curve.points[row].1);
            rows.push(vec![size.to_string()]);
            rows[row + 1].extend(self.curves.iter().map(time));
        }
        grid(&rows)
    }

    /// The figure. Both axes are logarithmic, so that a straight line at 45 degrees is proportional
    /// cost.
    fn picture(&self) -> Result<String> {
        let names = |k: usize| [format!("size {k}"), format!("time {k}")];
        let columns = (0..self.curves.len()).flat_map(names);
        let mut trace = Trace::new(columns.map(|name| Column { name, ty: Type::REAL }).collect());
        for (k, curve) in self.curves.iter().enumerate() {
            for (size, time) in &curve.points {
                let row = Time::from_f64(trace.len() as f64).unwrap_or(Time::ZERO);
                let point = [[size.log10()], [time.log10()]];
                let own = |column: usize| (column / 2 == k).then(|| point[column % 2].as_slice());
                trace.push(Tag::new(row, 0), own);
            }
        }
        let pair = |(k, curve): (usize, &Curve)| {
            let [size, time] = names(k);
            Pair::new(size, time).label(curve.name)
        };
        let panel = Panel::phases(self.curves.iter().enumerate().map(pair));
        let panel = panel
            .x(Axis::new(format!("{}, powers of ten", self.over)))
            .y(Axis::new("seconds, powers of ten"))
            .height(240.0);
        Ok(svg(&Figure::new([panel]), &trace)?)
    }
}
