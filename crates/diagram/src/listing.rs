//! A flat diagram as text: a block a line, with what it reads and what is known of what it writes.

use std::fmt::Write;

use crate::flat::{Diagram, FlatBlock, Presence};

impl Diagram {
    /// The blocks in order: name, kind, what it reads, and for each output its type and whether it
    /// is an event signal, moves between events, or is constant.
    pub fn listing(&self) -> String {
        let mut out = String::new();
        for block in &self.blocks {
            let _ = writeln!(out, "{}", self.line(block));
        }
        out
    }

    fn line(&self, block: &FlatBlock) -> String {
        let inputs = block.inputs.iter().flatten().map(|wire| self.wire_name(*wire));
        let inputs = inputs.collect::<Vec<_>>().join(", ");
        let outputs = block.outputs.iter().map(|wire| {
            let wire = self.wire(*wire);
            let mut text = wire.ty.to_string();
            if wire.between == Presence::Never {
                text += " event";
            } else if wire.constant.is_some() {
                text += " constant";
            } else if wire.moving {
                text += " moving";
            }
            if wire.orders > 0 {
                let _ = write!(text, " with impulses up to order {}", wire.orders - 1);
            }
            text
        });
        let outputs = outputs.collect::<Vec<_>>().join(", ");
        let (kind, region) = (&block.kind.info().name, block.region.0);
        format!("{}: {kind}({inputs}) -> {outputs}; region {region}", block.path)
    }
}
