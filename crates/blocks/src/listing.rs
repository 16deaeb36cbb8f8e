//! A definition as text: the outputs and states of a block.

use ir::NodeId;

use crate::{Definition, Leaf, Part, Signal};

impl Definition {
    /// The functions of a block, one per line. Inputs are `u0`, `u1`, ..., outputs `y0`, `y1`, ...;
    /// `?` marks a presence, `!0` the coefficient of an impulse.
    pub fn listing(&self) -> String {
        let mut roots: Vec<(String, NodeId)> = Vec::new();
        for (port, Signal { value, present, impulses }) in self.outputs.iter().enumerate() {
            roots.push((format!("y{port}?"), *present));
            roots.push((format!("y{port}"), *value));
            let impulses = impulses.iter().enumerate();
            roots.extend(impulses.map(|(order, own)| (format!("y{port}!{order}"), *own)));
        }
        for (port, orders) in self.derivatives.iter().enumerate() {
            let orders = orders.iter().enumerate();
            roots.extend(orders.map(|(order, own)| (format!("y{port}.d{}", order + 1), *own)));
        }
        for (index, state) in self.states.iter().enumerate() {
            roots.push((format!("next x{index}"), state.next));
            roots.extend(state.derivative.map(|rate| (format!("x{index}'"), rate)));
        }
        for check in &self.checks {
            roots.push((format!("refused ({})", check.reason), check.undefined));
        }
        self.graph.listing(&roots, &|key| leaf(&self.leaves[key as usize]))
    }
}

fn leaf(leaf: &Leaf) -> String {
    let part = |name: String, part: &Part| match part {
        Part::Value => name,
        Part::Present => format!("{name}?"),
        Part::Impulse(order) => format!("{name}!{order}"),
        Part::Derivative(order) => format!("{name}.d{order}"),
    };
    match leaf {
        Leaf::Input { port, part: own } => part(format!("u{port}"), own),
        Leaf::Delayed { index, part: own } => part(format!("delayed{index}"), own),
        Leaf::Bound { index, upper: false } => format!("last change{index}"),
        Leaf::Bound { index, upper: true } => format!("next change{index}"),
        Leaf::Lasting { port } => format!("lasting(u{port})"),
        Leaf::State(index) => format!("x{index}"),
        Leaf::Woken(index) => format!("woken{index}"),
        Leaf::Wakings(index) => format!("wakings{index}"),
        Leaf::Crossed(index) => format!("crossed{index}"),
        Leaf::Time => "time".to_owned(),
        Leaf::Elapsed => "elapsed".to_owned(),
        Leaf::Ticking => "ticking".to_owned(),
        Leaf::Microstep => "microstep".to_owned(),
        Leaf::Step => "step".to_owned(),
    }
}
