//! All tests of this crate in one program, which is linked once.

mod bad;
mod build;
mod common;
mod edit;
mod format;
mod good;
mod hostile;
mod plots;
mod settings;
