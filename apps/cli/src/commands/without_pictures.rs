//! No pictures: this program was built without the feature `pictures`, and refuses whatever would
//! make one.

use std::path::{Path, PathBuf};

use anyhow::Result;
use superdense::sweeps::Row;
use superdense::{Exploration, Study, Sweep, SweepTarget, System, Trace};

use super::energy::Curve;
use crate::arguments::{GraphArguments, PlotArguments};
use crate::report::not_built;

/// A figure to write, of which there is none.
pub enum Picture {}

impl Picture {
    pub fn path(&self) -> &Path {
        match *self {}
    }

    pub fn shows_steps(&self) -> bool {
        match *self {}
    }

    pub fn draw(&self, _: &Trace, _: &str) -> Result<()> {
        match *self {}
    }
}

pub fn pictures(options: &[PathBuf], _: &System) -> Result<Vec<Picture>> {
    match options {
        [] => Ok(Vec::new()),
        [..] => refuse(),
    }
}

pub fn check_picture(_: &Path) -> Result<()> {
    refuse()
}

pub fn graph(_: &GraphArguments) -> Result<()> {
    refuse()
}

pub fn draw_tree(_: &Exploration, _: &str, _: &Path) -> Result<()> {
    refuse()
}

pub fn plot(_: &PlotArguments) -> Result<()> {
    refuse()
}

/// Pages are written without figures.
pub fn example_figure(_: &str, _: &str) -> Result<Option<String>> {
    Ok(None)
}

pub fn draw_energies(_: &[(&str, Curve)], _: &str, _: &Path) -> Result<()> {
    refuse()
}

pub fn draw_study(_: &str, _: &Study, _: &Path) -> Result<()> {
    refuse()
}

#[cfg(feature = "streams")]
pub fn draw_streams(
    _: &crate::arguments::StreamArguments,
    _: &System,
    _: &superdense::Streamed,
    _: &Path,
) -> Result<()> {
    refuse()
}

fn refuse<T>() -> Result<T> {
    Err(not_built("pictures"))
}

/// The charts of a sweep, of which there are none.
pub struct Charts;

impl Charts {
    pub fn new(options: &[String], _: &Sweep) -> Result<Charts> {
        match options {
            [] => Ok(Charts),
            [..] => refuse(),
        }
    }

    pub fn take(&mut self, _: &Row) {}

    pub fn draw(&self, _: &Sweep, _: &SweepTarget) -> Result<()> {
        Ok(())
    }
}
