//! The studio: a model as text, diagram and run on one page in the browser.
//!
//! It answers on the loopback address only, and only requests that carry the secret of this
//! start in their path. The page is part of the program (`bundle`, built from `web`). Each tab has
//! one socket; what it sends is handled by two threads of its own, one that reads texts
//! (`check`) and one that runs (`runner`), so that a run never holds up the editor.
//! Everything about models is asked of the public crate.

mod bundle;
mod server;

mod folder;
mod messages;
mod session;

mod check;
mod edits;
mod first;

mod instants;
mod runner;
mod store;

mod report;

pub use folder::Example;
pub use report::report;
pub use server::{Options, Studio};
