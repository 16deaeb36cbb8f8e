//! All tests of this crate in one program, which is linked once.

mod analysis;
mod architecture;
mod begin;
mod codes;
mod common;
mod faults;
mod fmt;
mod fuzz;
mod impulses;
mod interrupt;
mod invariants;
mod messages;
mod models;
mod models_chapter;
mod models_collisions;
mod models_practice;
mod options;
mod pages;
mod pictures;
mod plots;
mod snippets;
mod streams;
mod tables;
mod tools;
mod traces;
mod warnings;
