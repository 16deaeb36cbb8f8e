//! JSON: one object, with one line per row.
//!
//! ```json
//! {"superdense-trace": 1,
//! "header": {"model": "ball", "hash": "...", "parameters": {"g": "9.81"}, "seed": 0, ...},
//! "columns": [{"name": "y", "element": "real", "shape": [], "orders": 0}, ...],
//! "rows": [
//! {"t":"0.5","n":0,"v":[1.25,null,[1,2]]},
//! {"t":"0.5","n":1,"v":[1.25,true,[1,2]],"d":[[0,0,-3.5]]}
//! ],
//! "count": 2}
//! ```
//!
//! The keys come in this order. `t` is the exact decimal number of seconds, as text; `n` is the
//! microstep; `v` has an entry for each column: `null` if it is absent, a number or a truth value
//! for a scalar, and for vectors and matrices a flat list of their elements, row by row. `d`, if a
//! row has impulses, lists `[column, order, coefficient]`, with the coefficient written like a
//! value. If the file has several tables, a row starts with `table`, the name of its table, and `v`
//! has only the columns of that table: `"columns"` say which table each column is in, and rows of
//! the table `impulses` have an empty `v`. Values that are not finite are `"NaN"`, `"Infinity"` or
//! `"-Infinity"`. Values that index labels are written as labels, which the column lists as
//! `labels`. `count` is the number of rows, so that a reader notices if rows were lost.

mod decode;
mod encode;

pub(crate) use decode::read;
pub(crate) use encode::Encoder;

const VERSION_KEY: &str = "superdense-trace";
