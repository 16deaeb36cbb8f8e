//! The vocabulary that all stages share: exact time, types of values, ids, and diagnostics.
//!
//! Nothing here knows what a block or a diagram is. Time is an integer, so that two clocks that
//! should coincide do coincide. A mistake in a model is a [`Diagnostic`] that carries its place in
//! the text.

mod copies;
mod exact;
mod id;
mod interval;
mod number;
mod random;
mod rational;
mod table;
mod time;

mod types;
mod value;

mod diagnostic;
mod nearest;
mod source;
mod xml;

pub use diagnostic::{Diagnostic, Diagnostics, Label, Severity};
pub use exact::ExactTime;
pub use id::TypedId;
pub use interval::Interval;
pub use nearest::{did_you_mean, nearest};
pub use num_rational::Ratio;
pub use number::shown;
pub use random::random;
pub use rational::{
    Rational, checked_difference, checked_quotient, checked_sum, parse_decimal, rational_of_f64,
};
pub use source::{FileId, SourceMap, Span, Spanned};
pub use table::Table;
pub use time::{ATTOSECONDS_PER_SECOND, Tag, Time};
pub use types::{Elem, Shape, Type};
pub use value::{ParameterId, Value};
pub use xml::escape_xml;
