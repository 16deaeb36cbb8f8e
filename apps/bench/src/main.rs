//! Times of models as ratios to the same equations written by hand.
//!
//! Each case runs a model through the public crate and a plain Rust version of it in this
//! process, in turn, and keeps the best of several samples of each. Both use Dormand and Prince's
//! pair with the same step control and tolerance and are compiled with the same flags. Before
//! anything is timed their results must agree; a case that disagrees is an error.

mod cases;
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
    /// Samples of each; the best one counts.
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
    let mut figures = Vec::new();
    for (name, case) in cases::ALL {
        if name.contains(&arguments.only) {
            figures.extend(case(&effort)?);
        }
    }
    let text = if arguments.json { report::json(&figures) } else { report::table(&figures) };
    print!("{text}");
    Ok(())
}
