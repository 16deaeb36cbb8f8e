//! All tests of this crate in one program, which is linked once.

mod comparing;
mod files;
mod round_trip;
mod tables;
