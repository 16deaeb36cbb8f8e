//! Figures of block diagrams: takes a flat [`diagram::Diagram`] and makes a [`Layout`], SVG or DOT
//! text.
//!
//! The hierarchy is recovered from the paths of the blocks and drawn as nested boxes, each laid out
//! on its own in layers from left to right, so that the data flow is visible; wires that close a
//! loop run back around the blocks. The same diagram and options give the same bytes. Nothing is
//! computed or checked here: what is known about a wire is read from the diagram, the order from a
//! schedule, and refused loops come from the caller.
//!
//! ```
//! let text = "superdense: 1\nname: decay\nblocks:\n  x: {type: Integrator, input: -x}\n";
//! let model = model::parse("decay.yaml", text, &mut |_| Err("no files".to_owned())).unwrap();
//! let library = blocks::Library::standard();
//! let diagram = diagram::flatten(&model, &library, &diagram::Settings::default()).unwrap();
//! let layout = superdense_graph::layout(&diagram, &superdense_graph::Options::default());
//! assert!(superdense_graph::svg(&layout).starts_with("<svg"));
//! ```

mod options;
mod picture;

mod scene;

mod chart;
mod compose;
mod layered;
mod letters;
mod size;

mod dot;
mod svg;

pub use chart::{Arrow, Chart, Move, Outline, StateBox, chart_alone, machine_alone};
pub use compose::layout;
pub use dot::dot;
pub use options::{Options, Order};
pub use picture::{Figure, Frame, Label, Layout, Line, Node, Point, Port, Rect, Side};
pub use scene::Kind;
pub use svg::{Anchor, Words, relettered, svg};
