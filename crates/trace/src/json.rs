//! JSON: one object, whose rows have a line each.
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
//! microstep; `v` has an entry for each column: `null` where it is absent, a number or a truth
//! value for a scalar, and for vectors and matrices their elements in one list, row by row. `d`,
//! where a row has impulses, lists `[column, order, coefficient]`, the coefficient written like a
//! value. Where the file has several tables, a row begins with `table`, the name of its own, and
//! `v` has the columns of that table alone: `"columns"` say which table each column is in, rows of
//! the table `impulses` have an empty `v`. What is not finite is `"NaN"`, `"Infinity"` or
//! `"-Infinity"`. Numbers that stand for names are these names, which the column lists as `labels`.
//! `count` is the number of
//! rows, so that a file from which rows were lost is known.

mod decode;
mod encode;

pub(crate) use decode::read;
pub(crate) use encode::Encoder;

const VERSION_KEY: &str = "superdense-trace";
