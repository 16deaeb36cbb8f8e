//! Many runs of one model, apart from the runs themselves.
//!
//! A [`Plan`] says which values the parameters have in the run of an index; it is a pure function, so
//! that any part of a sweep can be computed anywhere and in any order. [`in_order`] computes rows on
//! threads and hands them on in the order of their runs. A [`Gauge`] makes the number of a [`Measure`]
//! from the rows of a run as they come. A [`Journal`] keeps finished rows so that a sweep that was
//! killed goes on. Nothing here knows what a model or a run is.

mod text;

mod axis;
mod distribution;
mod draw;
mod plan;

mod gauge;
mod measure;

mod journal;
mod row;
mod threads;

pub use axis::{Axis, Values};
pub use distribution::Distribution;
pub use draw::Method;
pub use gauge::Gauge;
pub use journal::{Journal, JournalError};
pub use measure::{Kind, Measure};
pub use plan::{MOST_RUNS, Plan, Point, Sets};
pub use row::Row;
pub use text::{Written, divided};
pub use threads::{Flow, Queue, in_order};
