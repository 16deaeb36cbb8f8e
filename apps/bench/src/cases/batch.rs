//! 10,000 Lorenz systems, each with its own parameter: one after the other, by one run that is reset
//! and given the next parameter, and as a sweep, which takes their steps side by side. The model is
//! compiled once.

use std::sync::atomic::AtomicBool;

use anyhow::{Result, anyhow, ensure};
use superdense::sweeps::Flow;
use superdense::traces::Cell;
use superdense::{
    Backend, Library, Model, Settings, Sweep, SweepRequest, System, Value, WriteError, parse_value,
};

use super::lorenz::{Lorenz, TIGHT, text};
use super::{Floor, NOTHING, ends, errors, parse};
use crate::measure::{Bar, Effort, Errors, Figure, in_turn};

const SYSTEMS: u32 = 10_000;

/// The parameter of one system: from 24 to 32, a range in which all are chaotic.
fn rho(i: u32) -> f64 {
    24.0 + 8.0 * f64::from(i) / f64::from(SYSTEMS)
}

/// The system of one value of the parameter.
fn system(compiled: &System, i: u32) -> Result<System> {
    let parameters = vec![("rho".to_owned(), Value::real(rho(i)))];
    Ok(compiled.with(&Settings { parameters, ..Settings::default() })?)
}

fn compile(model: &Model) -> Result<System> {
    Ok(System::compile(model, &Library::standard())?)
}

/// Compiles the model and runs the first `systems` of them.
pub(crate) fn run(model: &Model, systems: u32, backend: Backend) -> Result<u64> {
    let compiled = compile(model)?;
    let parameter = compiled.parameter("rho")?;
    let mut run = compiled.begin();
    run.set_backend(backend)?;
    let mut steps = |i| {
        run.reset();
        run.give(&parameter, Value::real(rho(i)))?;
        run.advance_to_end()?;
        Ok(run.counters().steps)
    };
    (0..systems).map(&mut steps).sum()
}

/// The sweep over the same parameters; a row has the states at the end.
fn sweep(systems: u32) -> Result<Sweep> {
    let last = rho(systems - 1);
    let request = SweepRequest {
        parameters: vec![("rho".to_owned(), format!("24:{last:.4}:0.0008"))],
        measures: ["x", "y", "z"].map(|own| format!("{own}=end({own})")).into(),
        ..SweepRequest::default()
    };
    let model = parse(&text(NOTHING))?;
    Ok(Sweep::new(&model, &Library::standard(), &Settings::default(), &request)?)
}

/// The ends of all runs of a sweep; the first of them as numbers.
fn swept(sweep: &Sweep, threads: usize) -> Result<Vec<f64>> {
    let mut first = Vec::new();
    let stop = AtomicBool::new(false);
    let done = sweep.rows(0..sweep.count(), threads, &stop, |_, rows| {
        if first.is_empty() {
            let cells = rows.iter().flat_map(|row| &row.cells[2..5]);
            first.extend(cells.filter_map(|cell| match cell {
                Cell::Number(x) => Some(*x),
                _ => None,
            }));
        }
        Ok::<Flow, WriteError>(Flow::On)
    });
    let done = done.map_err(|error| anyhow!("{error:?}"))?;
    ensure!(done == sweep.count(), "{done} runs of {}", sweep.count());
    Ok(first)
}

fn by_hand() -> u64 {
    (0..SYSTEMS).map(|i| Lorenz::with(rho(i)).solve(1e-6).steps).sum()
}

/// The errors of the median of eleven systems; some have lost all accuracy to chaos by t = 20.
pub(super) fn exactness() -> Result<Errors> {
    let model = compile(&parse(&text("x, y, z"))?)?;
    let mut all = Vec::new();
    for i in (0..=SYSTEMS).step_by(1000) {
        let outcome = system(&model, i)?.simulate()?;
        let ours = ends(&outcome, &["x", "y", "z"].map(String::from))?;
        let (hand, truth) = (Lorenz::with(rho(i)).solve(1e-6), Lorenz::with(rho(i)).solve(TIGHT));
        ensure!(outcome.counters.steps == hand.steps, "not the same steps");
        all.push(errors("batch", &ours, &hand.x, &truth.x, 60.0)?);
    }
    let swept = swept(&sweep(32)?, 1)?;
    for (i, ends) in swept.chunks(3).enumerate() {
        let rho = parse_value(&format!("24 + {i} * 0.0008"))?;
        let parameters = vec![("rho".to_owned(), rho)];
        let settings = Settings { parameters, ..Settings::default() };
        let outcome = model.with(&settings)?.simulate()?;
        let one = super::ends(&outcome, &["x", "y", "z"].map(String::from))?;
        ensure!(one == ends, "a sweep ends at {ends:?} and not at {one:?}");
    }
    all.sort_by(|one, other| one.ours.total_cmp(&other.ours));
    Ok(all[all.len() / 2])
}

/// The systems end in different states, so their final values are not checked.
pub(super) fn floor() -> Floor {
    Floor::new("E", || vec![by_hand() as f64], Vec::new())
}

pub(super) fn figures(effort: &Effort) -> Result<Vec<Figure>> {
    let (errors, model) = (exactness()?, parse(&text(NOTHING))?);
    let all = || run(&model, SYSTEMS, effort.backend);
    let steps = all()?;
    let (ours, hand) = in_turn(&effort.at_most(3), all, by_hand);
    let figure = Figure::new("E 10,000 Lorenz systems, one after the other", ours)
        .against(hand)
        .bar(Bar::Ratio(1.15));
    let mut figures =
        vec![figure.errors(errors).note(format!("{steps} steps in all; compiled once"))];
    if effort.backend != Backend::Interpreter {
        for (threads, cores, bar) in [(1, "one core", 0.55), (2, "two cores", 0.3)] {
            let sweep = sweep(SYSTEMS)?;
            sweep.system().compile_native().map_err(anyhow::Error::from)?;
            let (ours, hand) = in_turn(&effort.at_most(5), || swept(&sweep, threads), by_hand);
            let refused = sweep.one_by_one().map(|why| format!("; one by one: {why}"));
            let figure = Figure::new(format!("E as a sweep, {cores}"), ours)
                .against(hand)
                .bar(Bar::Ratio(bar))
                .note(format!("steps side by side{}", refused.unwrap_or_default()));
            figures.push(figure);
        }
    }
    Ok(figures)
}
