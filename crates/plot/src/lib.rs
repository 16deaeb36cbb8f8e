//! Figures of a trace, as SVG and PNG.
//!
//! A [`Figure`] says what is drawn: panels over time or phase plots, with their signals, labels,
//! units and ranges. [`Figure::of`] makes one from a bare trace. [`svg`] and [`png`] draw it. The
//! same figure and trace always give the same bytes.
//!
//! Three things never happen. A jump is never drawn as a slanted line: the left and the right limit
//! are joined by a thin dashed vertical. A line never crosses an interval in which the signal is
//! absent or not finite. A peak is never lost, however many rows share a pixel.
//!
//! Between rows, a changing signal is drawn as a cubic that never leaves the range of the two rows;
//! a trace holds nothing but its rows. Held signals, integers and truth values are joined by
//! straight lines.
//!
//! ```
//! use base::{Tag, Time, Type};
//! use superdense_plot::{self as plot, Figure, Panel, Signal};
//! use trace::{Column, Trace};
//!
//! let mut trace = Trace::new(vec![Column { name: "y".to_owned(), ty: Type::REAL }]);
//! for k in 0..=100 {
//!     let t = f64::from(k) * 0.1;
//!     trace.push(Tag::new(Time::from_f64(t).unwrap(), 0), |_| Some(&[4.0][..]));
//! }
//! let default = plot::svg(&Figure::of(&trace), &trace)?;
//! let chosen = Panel::over_time([Signal::new("y").label("height").unit("m")]);
//! let image = plot::png(&Figure::new([chosen]).title("A ball at rest"), &trace)?;
//! # assert!(default.starts_with("<svg") && image.starts_with(b"\x89PNG"));
//! # Ok::<(), plot::Error>(())
//! ```

mod figure;
mod style;

mod error;

mod curve;
mod defaults;

mod cubic;
mod impulses;
mod phase;
mod window;

mod scale;
mod thin;
mod ticks;

mod plan;

mod arrows;
mod axes;
mod canvas;
mod draw;
mod legend;
mod lettering;
mod shade;

mod charts;
mod outside;
mod render;

pub use charts::{Band, Chart, ChartContent, charts_png, charts_svg};
pub use curve::count_curves;
pub use error::Error;
pub use figure::{Axis, Content, Figure, Pair, Panel, Signal, TimeAxis};
pub use outside::{outlined, raster};
pub use render::{png, svg};
pub use style::{Color, Dash, Legend, Lettering, Mark, Part, TimeUnit};
