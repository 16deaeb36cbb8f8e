//! The library in an exported FMU. It exports the functions of FMI 2.0 and 3.0 and runs the model
//! that it finds in the folder `resources` of the archive.
//!
//! All that a function does is in `superdense::fmi`; here pointers become slices, and errors become
//! statuses and messages to the importer. No panic leaves the library.

#[macro_use]
mod call;
mod component;
mod memory;

mod exchange;
mod three;
mod two;
