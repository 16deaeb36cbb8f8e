//! Writes the random diagram of `src/diagram.rs` as straight-line Rust, for the case `linear`.

#[path = "src/diagram.rs"]
mod diagram;

use std::fmt::Write;
use std::{env, fs, path};

use diagram::{Block, Diagram};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=src/diagram.rs");
    println!("cargo::rerun-if-changed=../../crates/superdense/tests/common/draws.rs");
    let folder = env::var_os("OUT_DIR").ok_or("there is no folder to write to")?;
    fs::write(path::Path::new(&folder).join("linear.rs"), text(&Diagram::random(1000))?)?;
    Ok(())
}

/// A name for each block's output, assigned in the order of the diagram.
fn text(diagram: &Diagram) -> Result<String, std::fmt::Error> {
    let (mut values, mut slopes, mut initials) = (String::new(), String::new(), Vec::new());
    for (i, block) in diagram.blocks.iter().enumerate() {
        match block {
            Block::Integrator { input, initial } => {
                let state = initials.len();
                writeln!(values, "    let b{i} = x[{state}];")?;
                writeln!(slopes, "    dx[{state}] = b{input};")?;
                initials.push(format!("{initial:?}"));
            }
            Block::Gain { input, gain } => writeln!(values, "    let b{i} = {gain:?} * b{input};")?,
            Block::Sum { inputs } => {
                let terms: Vec<String> = inputs.iter().map(|input| format!("b{input}")).collect();
                writeln!(values, "    let b{i} = {};", terms.join(" + "))?;
            }
        }
    }
    let states = initials.len();
    Ok(format!(
        "/// The number of integrators.
const STATES: usize = {states};

/// Their initial values.
const INITIAL: [f64; STATES] = [{}];

/// What every integrator reads.
#[allow(unused_variables, clippy::all)]
#[inline]
fn slopes(x: &[f64; STATES], dx: &mut [f64; STATES]) {{
{values}{slopes}}}
",
        initials.join(", ")
    ))
}
