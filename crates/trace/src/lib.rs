//! Recorded results: rows of signals at tags, and the files that hold them.
//!
//! Rows arrive one after the other, each with a tag and, for each recorded signal, its value, or
//! nothing if the signal is absent, and the impulses that it carries. They are kept as a [`Trace`]
//! or written by a [`Writer`] as they arrive. A file is complete or absent: a writer that does not
//! finish leaves the old content in place. Nothing here knows where rows come from.
//!
//! ```
//! use base::{Tag, Time, Type};
//! use superdense_trace::{Column, Header, Schema, Writer, read};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("decay.json");
//! let schema = Schema::new(vec![Column { name: "x".to_owned(), ty: Type::REAL }]);
//! let mut writer = Writer::create(&path, &schema, &Header::default())?;
//! for k in 0..100 {
//!     let t = f64::from(k) * 0.01;
//!     let tag = Tag::new(Time::from_f64(t).unwrap(), 0);
//!     let x = [(-t).exp()];
//!     writer.push(tag, |_| Some(&x), |_, _| None)?;
//! }
//! writer.finish()?;
//! assert_eq!(read(&path)?.series("x")[0].1, 1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Parquet alone reads chunks back.
#![cfg_attr(not(feature = "parquet"), allow(dead_code))]

mod header;
mod schema;
mod table;

mod format;
mod writer;

mod chunk;
mod encoder_thread;
mod layout;
mod number;
mod target;

mod csv;
mod json;
mod labels;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "without_parquet.rs"]
mod parquet;

mod error;
mod file_tables;
mod flat;
mod read;
mod samples;
mod tables;

mod compare;
mod pairing;

pub use self::csv::{write_csv, write_indexed_csv};
pub use compare::{
    ColumnDifference, Comparison, Difference, FirstDifference, Reason, RowDifference, Side,
    Tolerance, compare,
};
pub use error::{ReadError, ReadProblem, WriteError, WriteProblem};
pub use flat::{Cell, FlatColumn, FlatKind, FlatTable, FlatWriter, read_flat};
pub use format::Format;
pub use header::Header;
pub use pairing::{Bump, DerivativeOf, PairError, TestFunction, pair};
pub use read::{read, read_as, read_tables};
pub use samples::{Interpolation, Samples, SamplesError};
pub use schema::{Column, Schema};
pub use table::{Impulse, Trace};
pub use tables::write_impulses_csv;
pub use target::{discard, replace};
pub use writer::{Options, Writer, write, write_to};
