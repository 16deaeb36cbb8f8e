//! Other simulators on the same cases, with ratios to the hand-written versions.
//!
//! A peer is installed into its own folder, with pinned versions, and run as a program that prints
//! a line for each case: its letter, the time of a run, and the final values. If a peer cannot be
//! installed or fails, its row says so.

mod debian;
mod python;
mod registry;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use superdense::Backend;

use crate::cases::{Floor, diagram_lines, farthest, floors};
use crate::measure::{Effort, Time, time};
use crate::report::{duration, grid, ratio};

/// Where peers are installed and where their programs are.
struct Place {
    folder: PathBuf,
    programs: PathBuf,
}

/// Installs a peer and returns the command that runs its program.
type Install = fn(&Place) -> Result<Command>;

const PEERS: [(&str, Install); 5] = [
    ("diffsol 0.18.0", registry::diffsol),
    ("SUNDIALS of Debian", debian::sundials),
    ("numbalsoda 0.3.4", python::numbalsoda),
    ("SciPy 1.17.1", python::scipy),
    ("PathSim 0.27.1", python::pathsim),
];

/// Installs and runs all peers whose name contains `only`; returns their table.
pub(crate) fn measure(folder: &Path, only: &str) -> Result<String> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let folder = folder.canonicalize()?;
    std::fs::write(folder.join("diagram.txt"), diagram_lines())?;
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
    let (place, floors) = (Place { folder, programs }, floors());
    let mut rows =
        vec![["peer", "case", "time", "by hand", "ratio", "error"].map(String::from).to_vec()];
    for (name, install) in PEERS.iter().filter(|(name, _)| name.to_lowercase().contains(only)) {
        eprintln!("{name} ...");
        // The hand-written versions are measured right before the peer, under the same conditions.
        let times: Vec<Time> = floors.iter().map(floor_time).collect();
        match run(&place, *install) {
            Ok(lines) => {
                rows.extend(lines.lines().map(|line| row(name, line, &floors, &times).to_vec()));
            }
            Err(error) => {
                let words = format!("{error:#}").replace('\n', " ");
                let empty = String::new;
                rows.push(vec![(*name).to_owned(), empty(), words, empty(), empty(), empty()]);
            }
        }
    }
    Ok(grid(&rows))
}

fn floor_time(floor: &Floor) -> Time {
    time(&Effort { samples: 15, seconds: 0.005, backend: Backend::Auto }, &floor.run)
}

fn run(place: &Place, install: Install) -> Result<String> {
    let output = install(place)?.arg(place.folder.join("diagram.txt")).output()?;
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(
        output.status.success() || !lines.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or("ended with an error")
    );
    Ok(lines)
}

/// The row of the table for a line of a peer.
fn row(name: &str, line: &str, floors: &[Floor], times: &[Time]) -> [String; 6] {
    let (case, rest) = line.split_once(' ').unwrap_or((line, ""));
    let mut numbers = rest.split_whitespace().map(str::parse::<f64>);
    let own = floors.iter().position(|floor| floor.case == case);
    let Some(Ok(seconds)) = numbers.next() else {
        return [name, case, rest, "", "", ""].map(String::from);
    };
    let values: Vec<f64> = numbers.map_while(Result::ok).collect();
    let hand = own.map(|index| times[index].best);
    let error = own.map(|index| &floors[index].truth).filter(|truth| !truth.is_empty());
    let error = error.map_or(String::new(), |truth| match truth.len() == values.len() {
        true => format!("{:.1e}", farthest(&values, truth)),
        false => format!("{} values instead of {}", values.len(), truth.len()),
    });
    [
        name.to_owned(),
        case.to_owned(),
        duration(seconds),
        hand.map_or(String::new(), duration),
        hand.map_or(String::new(), |hand| ratio(seconds / hand)),
        error,
    ]
}

/// Runs a step of an installation; if it fails, its last output is the error.
fn step(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("cannot start {program}"))?;
    if output.status.success() {
        return Ok(());
    }
    let words = String::from_utf8_lossy(&output.stderr);
    let last = words.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no words");
    bail!("{program} failed: {last}")
}
