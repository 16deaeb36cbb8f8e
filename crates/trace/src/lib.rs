//! Recorded results: rows of signals at tags, and CSV.
//!
//! A row has a tag and, for each recorded signal, a value or nothing where the signal is absent.
//! Nothing here knows where rows come from.

mod table;
mod write;

pub use table::{Column, Impulse, Trace};
pub use write::write_csv;
