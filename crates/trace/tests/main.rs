//! All tests of this crate in one program, which is linked once.

mod comparing;
#[path = "../../superdense/tests/common/draws.rs"]
mod draws;
mod files;
mod plain_tables;
mod round_trip;
mod tables;
