//! Runs small models: their rows, and what happens at ticks; `listings` has a file for each.

use std::fmt::Write;
use std::sync::Arc;

use model::Refused;
use program::Program;
use solver::Method;

use crate::{Event, Options, Row, Simulation, Sink};

#[path = "../../diagram/tests/common/mod.rs"]
mod common;

/// Writes rows and events as lines.
struct Log<'a> {
    program: &'a Program,
    out: String,
}

impl Sink for Log<'_> {
    fn row(&mut self, row: Row<'_>) {
        let _ = write!(self.out, "row {}", row.tag);
        for (index, record) in self.program.records.iter().enumerate() {
            if row.covers(index) {
                let value = row.value(index).map_or("absent".to_owned(), |x| format!("{x:.6?}"));
                let _ = write!(self.out, " {} {value}", record.name);
                for (order, weight) in row.impulses(index).enumerate() {
                    if weight.iter().any(|w| *w != 0.0) {
                        let _ = write!(self.out, " impulse {order} {weight:.6?}");
                    }
                }
            }
        }
        self.out.push('\n');
    }

    fn is_joined(&self) -> bool {
        false
    }

    fn listens(&self) -> bool {
        true
    }

    fn event(&mut self, event: Event) {
        let _ = match event {
            Event::Located { block, .. } => writeln!(self.out, "  located {}", block),
            Event::Woken { block, .. } => writeln!(self.out, "  woken {}", block),
            Event::Fired { block, .. } => writeln!(self.out, "  fired {}", block),
            Event::Committed { block, from, to, .. } => {
                writeln!(self.out, "  committed {} {from:.6?} -> {to:.6?}", block)
            }
            Event::Side { block, from, to, .. } => {
                writeln!(self.out, "  side of {} {from} -> {to}", block)
            }
            Event::Moved { block, from, to, .. } => {
                writeln!(self.out, "  machine {} {from} -> {to}", block)
            }
            Event::Restarted { region, .. } => {
                writeln!(self.out, "  restarted region {}", region.0)
            }
            Event::Agenda { block, next, .. } => {
                writeln!(self.out, "  next {} {next}", block)
            }
            Event::Switched(_) => Ok(()),
        };
    }
}

fn listing(text: &str) -> Result<String, Refused> {
    let diagram = common::diagram(text)?;
    let sources = diagram.sources.clone();
    let schedule =
        schedule::schedule(&diagram).map_err(|diagnostics| Refused { diagnostics, sources })?;
    let method = Method::named(&diagram.run.solver.0).expect("a solver");
    let program = Arc::new(program::compile(&diagram, &schedule, program::Extras::default()));
    let options = Options::new(&diagram.run, method);
    let mut log = Log { program: &program, out: String::new() };
    let mut simulation = Simulation::new(program.clone(), options);
    let end = simulation.run(&mut log);
    let mut out = log.out;
    let _ = match end {
        Ok(reason) => writeln!(out, "{reason:?}"),
        Err(error) => writeln!(out, "{error}"),
    };
    Ok(out)
}

#[test]
fn runs_are_as_listed() {
    common::check(env!("CARGO_MANIFEST_DIR"), listing);
}
