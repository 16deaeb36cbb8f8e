//! Times of models as ratios to the same equations written by hand.
//!
//! Each case runs a model through the public crate and a plain Rust version of it in this process,
//! alternately, and reports the median and the best of many samples of each. Both use the same
//! method with the same step control and tolerance and are compiled with the same flags. Before
//! anything is timed, their results must agree and be close to the exact ones; if a case disagrees,
//! that is an error.

mod cases;
mod diagram;
mod growth;
mod hand;
mod measure;
mod page;
mod peers;
mod report;

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Parser;
use superdense::Backend;

use measure::{Effort, Figure};

/// Runs the benchmarks and prints a table.
#[derive(Parser, Debug)]
#[command(version, about)]
struct Arguments {
    /// Print JSON instead of a table.
    #[arg(long, conflicts_with_all = ["growth", "peers", "write"])]
    json: bool,
    /// Samples of each measurement.
    #[arg(long, default_value_t = 25)]
    samples: u32,
    /// The minimum length of a sample \[ms\]; short runs are repeated to fill it.
    #[arg(long, default_value_t = 4.0)]
    length: f64,
    /// Only the cases, the peers or the kinds of growing models whose name contains this text.
    #[arg(long, default_value = "")]
    only: String,
    /// What evaluates models between events: native, interpreter, auto, or both, with rows for the
    /// interpreter and for native code.
    #[arg(long, default_value = "native", value_parser = backends)]
    backend: Backends,
    /// Measure how cost grows with blocks, states, events and runs instead, and plot it.
    #[arg(long, conflicts_with = "peers")]
    growth: bool,
    /// Print the time of one run of a model with many parts of one kind, as `--growth` asks in a
    /// process of its own.
    #[arg(long, hide = true, num_args = 2, value_names = ["KIND", "SIZE"])]
    grown: Vec<String>,
    /// Measure other simulators instead, which are installed into `target/peers`.
    #[arg(long)]
    peers: bool,
    /// Also write the table into this page, between its marks; figures of growth go into the folder
    /// `pictures/performance` beside it.
    #[arg(long, value_name = "PAGE")]
    write: Option<PathBuf>,
}

/// One backend or several, each with its own rows.
#[derive(Clone, Debug)]
struct Backends(Vec<Backend>);

fn backends(word: &str) -> Result<Backends, String> {
    if word == "both" {
        return Ok(Backends(vec![Backend::Interpreter, Backend::Native]));
    }
    let found = Backend::all().into_iter().find(|backend| backend.name() == word);
    let found = found.ok_or("write native, interpreter, auto or both")?;
    Ok(Backends(vec![found]))
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    if let [kind, size] = &arguments.grown[..] {
        let (kind, size) = (kind.clone(), size.parse()?);
        println!("{}", cases::with_room(move || growth::kinds::once(&kind, size))?);
        return Ok(());
    }
    let (name, text) = cases::with_room(|| measured(&arguments))?;
    print!("{text}");
    match &arguments.write {
        Some(path) => page::write(path, name, &format!("{}.\n\n{text}", page::machine())),
        None => Ok(()),
    }
}

/// The name of a table and the table.
fn measured(arguments: &Arguments) -> Result<(&'static str, String)> {
    if arguments.growth {
        let beside = arguments.write.as_deref().and_then(Path::parent);
        let folder = beside.unwrap_or(Path::new("target")).join("pictures/performance");
        return Ok(("growth", growth::measure(&folder, &arguments.only)?));
    }
    if arguments.peers {
        return Ok(("peers", peers::measure(Path::new("target/peers"), &arguments.only)?));
    }
    let figures = figures(arguments)?;
    let text = if arguments.json { report::json(&figures) } else { report::table(&figures) };
    Ok(("cases", text))
}

fn figures(arguments: &Arguments) -> Result<Vec<Figure>> {
    let (samples, seconds) = (arguments.samples.max(1), arguments.length.max(0.0) * 1e-3);
    let backends = &arguments.backend.0;
    let mut figures = Vec::new();
    for case in cases::ALL.iter().filter(|case| case.name.contains(&arguments.only)) {
        for backend in backends {
            let mut found = (case.figures)(&Effort { samples, seconds, backend: *backend })?;
            if backends.len() > 1 {
                found.iter_mut().for_each(|figure| figure.name += &format!(", {}", backend.name()));
            }
            figures.extend(found);
        }
    }
    Ok(figures)
}
