//! `stream`: a model on streams of evaluations, as a table and as figures.

mod energy;

use std::io::{self, BufWriter};
use std::path::Path;

use anyhow::{Result, bail};
use superdense::{Streamed, Streaming, Sums, System, traces};

use super::pictures::{check_picture, draw_streams};
use crate::arguments::StreamArguments;
use crate::inputs::refuse_files;
use crate::model::{compile, duration};
use crate::report::{Problem, notify, refused, unless_broken, write_file};

pub use energy::energy_on_streams;

pub fn stream(arguments: &StreamArguments) -> Result<()> {
    check(arguments)?;
    refuse_files(&arguments.model.inputs, "stream")?;
    let system = compile(&arguments.model)?;
    let step = duration(arguments.step.as_deref(), "--step")?;
    let streaming = Streaming {
        step: step.map(|step| *step.numer() as f64 / *step.denom() as f64),
        sums: if arguments.shared { Sums::Shared } else { Sums::Separate },
        hold: arguments.hold,
        limit: arguments.limit,
    };
    let streamed = system.stream(&streaming).map_err(refused)?;
    if let Some(path) = &arguments.output {
        write(&streamed, path)?;
    }
    // A run that failed immediately has nothing to plot, and its failure is what matters.
    if let Some(path) = &arguments.plot
        && (streamed.error.is_none() || streamed.evaluations.len() > 1)
    {
        draw_streams(arguments, &system, &streamed, path)?;
    }
    if !arguments.quiet {
        notify(&summary(&system, &streamed));
    }
    match &streamed.error {
        None => Ok(()),
        Some(error) => {
            let problem = Problem::new(system.explain_stream(error), system.sources());
            let written = "The evaluations up to that point have been written.";
            let outcome = arguments.output.as_ref().map(|_| written);
            Err(Problem { outcome, ..problem }.into())
        }
    }
}

/// Checks file names before anything runs.
fn check(arguments: &StreamArguments) -> Result<()> {
    if let Some(path) = &arguments.plot {
        check_picture(path)?;
    }
    match &arguments.output {
        Some(path) if !is_standard_output(path) && path.extension().is_none_or(|e| e != "csv") => {
            bail!("{}: the table of evaluations is a .csv file", path.display())
        }
        _ => Ok(()),
    }
}

fn is_standard_output(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn write(streamed: &Streamed, path: &Path) -> Result<()> {
    let trace = streamed.evaluations.trace();
    if is_standard_output(path) {
        let out = BufWriter::new(io::stdout().lock());
        return unless_broken(traces::write_indexed_csv(trace, "e", out));
    }
    let mut table = Vec::new();
    traces::write_indexed_csv(trace, "e", &mut table)?;
    write_file(path, &table)
}

fn summary(system: &System, streamed: &Streamed) -> String {
    let evaluations = &streamed.evaluations;
    let is = |e: usize, column, value| evaluations.get(e, column) == Some(value);
    let steps = (0..evaluations.len()).filter(|e| is(*e, "stage", 2.0));
    let (accepted, rejected): (Vec<usize>, Vec<usize>) = steps.partition(|e| is(*e, "p", 0.0));
    let time = accepted.last().and_then(|e| evaluations.get(*e, "time"));
    let mut out = format!("evaluations {}", evaluations.len());
    out += &time.map_or_else(String::new, |time| format!(" to t = {time}"));
    out += &format!("\nsteps       {} accepted, {} rejected", accepted.len(), rejected.len());
    out += &format!(", none longer than {} s", streamed.step);
    out += &format!("\ntolerance   {}", streamed.tolerance);
    out += &format!("\nstates      {}\n", system.state_count());
    out
}
