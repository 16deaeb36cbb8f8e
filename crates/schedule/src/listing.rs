//! A schedule as text: parts of signals in the order in which they are computed.

use std::fmt::Write;

use blocks::Part;
use diagram::Diagram;

use crate::{PartId, Schedule, Step};

impl Schedule {
    /// The order between events and at ticks; each loop is shown with how it is handled.
    pub fn listing(&self, diagram: &Diagram) -> String {
        let mut out = String::new();
        for (title, steps) in [("between events", &self.smooth), ("at ticks", &self.tick)] {
            let _ = writeln!(out, "{title}");
            for step in steps {
                let _ = writeln!(out, "  {}", self.line(diagram, step));
            }
        }
        out
    }

    fn line(&self, diagram: &Diagram, step: &Step) -> String {
        let name = |id: &PartId| {
            let part = self.parts.get(*id);
            let wire = diagram.wire_name(part.wire);
            match part.part {
                Part::Value => wire,
                Part::Present => format!("{wire}?"),
                Part::Impulse(order) => format!("{wire}!{order}"),
                Part::Derivative(order) => format!("{wire}.d{order}"),
            }
        };
        let names = |ids: &[PartId]| ids.iter().map(name).collect::<Vec<_>>().join(", ");
        match step {
            Step::Single(id) => name(id),
            Step::Iterate(members) => format!("iterate {}", names(members)),
            Step::Presences { members, present, .. } => {
                let from = if *present { "present" } else { "absent" };
                format!("iterate from {from} {}", names(members))
            }
            Step::Solve { unknowns, rest } => {
                let unknowns: Vec<PartId> = unknowns.iter().map(|(id, _)| *id).collect();
                format!("solve for {} through {}", names(&unknowns), names(rest))
            }
        }
    }
}
