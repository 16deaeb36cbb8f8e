//! Tests of the studio without a browser; `apps/studio/web/stories.mjs` has those with one.

mod bundle;
mod edits;
mod fuzz;
mod report;
mod server;
mod stories;

mod common;
