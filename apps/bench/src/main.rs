//! Times of models as ratios to the same equations written by hand.
//!
//! Each case runs a model through the public crate and a plain Rust version of it in this
//! process, in turn, and tells the median and the best of many samples of each. Both use the same
//! method with the same step control and tolerance and are compiled with the same flags. Before
//! anything is timed their results must agree and be near the truth; a case that disagrees is an
//! error.

mod cases;
mod diagram;
mod hand;
mod measure;
mod report;

use anyhow::Result;
use clap::Parser;

/// Runs the benchmarks and prints a table.
#[derive(Parser, Debug)]
#[command(version, about)]
struct Arguments {
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// Samples of each.
    #[arg(long, default_value_t = 25)]
    samples: u32,
    /// The shortest sample \[ms\]; short runs are repeated to fill it.
    #[arg(long, default_value_t = 4.0)]
    length: f64,
    /// Only the cases whose name has this in it.
    #[arg(long, default_value = "")]
    only: String,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let effort = measure::Effort {
        samples: arguments.samples.max(1),
        seconds: arguments.length.max(0.0) * 1e-3,
    };
    let figures = cases::with_room(|| measure(&arguments.only, &effort))?;
    let text = if arguments.json { report::json(&figures) } else { report::table(&figures) };
    print!("{text}");
    Ok(())
}

fn measure(only: &str, effort: &measure::Effort) -> Result<Vec<measure::Figure>> {
    let mut figures = Vec::new();
    for case in cases::ALL.iter().filter(|case| case.name.contains(only)) {
        figures.extend((case.figures)(effort)?);
    }
    Ok(figures)
}
