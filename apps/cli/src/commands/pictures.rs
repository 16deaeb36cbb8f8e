//! Pictures: `graph`, `plot`, and the figures of other commands.

mod charts;
mod diagram;
mod energies;
mod example;
mod plot;
mod runs;
#[cfg(feature = "streams")]
mod streams;
mod study;

use std::path::Path;

use anyhow::{Result, bail};
use superdense::{Trace, plots};

use crate::report::write_file;

pub use charts::Charts;
pub use diagram::{draw_tree, graph};
pub use energies::draw_energies;
pub use example::example_figure;
pub use plot::plot;
pub use runs::{Picture, pictures};
#[cfg(feature = "streams")]
pub use streams::draw_streams;
pub use study::draw_study;

enum PictureFormat {
    Svg,
    Png,
}

/// The image format by the extension of a file name.
fn picture_format(path: &Path) -> Result<PictureFormat> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => Ok(PictureFormat::Svg),
        Some("png") => Ok(PictureFormat::Png),
        _ => bail!("{}: the name of a picture ends in .svg or .png", path.display()),
    }
}

/// Refuses a file that cannot become a picture, before anything runs.
pub fn check_picture(path: &Path) -> Result<()> {
    picture_format(path).map(drop)
}

/// Plots a figure of a trace to a file.
fn plot_to(trace: &Trace, figure: &plots::Figure, path: &Path) -> Result<()> {
    let bytes = match picture_format(path)? {
        PictureFormat::Svg => plots::svg(figure, trace)?.into_bytes(),
        PictureFormat::Png => plots::png(figure, trace)?,
    };
    write_file(path, &bytes)
}
