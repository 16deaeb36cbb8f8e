//! The hierarchy as written: YAML files in, a [`Model`] with source spans out.

mod hierarchy;

pub use hierarchy::{
    Block, Diagram, DiagramId, Model, Named, Parameter, Record, Simulate, Solve,
};
