//! Figures made elsewhere: their text as outlines, and the figure as an image.

use std::fmt::Write;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use crate::lettering::Letters;
use crate::render::{MOST_PIXELS, with_density};
use crate::{Error, plan};

/// A text as an SVG element with the glyphs of the bundled font. `before` is the fraction of its
/// width that lies before the position: 0, 0.5 or 1. The font has no bold glyphs; bold text gets an
/// outline stroke.
pub fn outlined(
    text: &str,
    at: (f64, f64),
    before: f64,
    size: f64,
    bold: bool,
    fill: &str,
) -> String {
    let letters = Letters::new();
    let left = at.0 - letters.width(text, size) * before;
    let mut out =
        format!("<path d=\"{}\" fill=\"{fill}\"", letters.outline(text, left, at.1, size));
    if bold {
        let rim = size * 0.045;
        write!(out, " stroke=\"{fill}\" stroke-width=\"{rim:.3}\"").expect("strings take text");
    }
    out + "/>"
}

/// An SVG figure without text as a PNG image; `pixel_ratio` is the number of image pixels per pixel
/// of the figure.
pub fn raster(svg: &str, pixel_ratio: f64) -> Result<Vec<u8>, Error> {
    plan::check_size("pixel ratio", pixel_ratio)?;
    let tree = Tree::from_str(svg, &Options::default())
        .map_err(|error| Error::BadPicture { reason: error.to_string() })?;
    let size = tree.size();
    let pixels = |length: f32| (f64::from(length) * pixel_ratio).ceil().max(1.0);
    let (width, height) = (pixels(size.width()), pixels(size.height()));
    let mut image = (width * height <= MOST_PIXELS)
        .then(|| Pixmap::new(width as u32, height as u32))
        .flatten()
        .ok_or(Error::TooLarge { width, height })?;
    let ratio = pixel_ratio as f32;
    resvg::render(&tree, Transform::from_scale(ratio, ratio), &mut image.as_mut());
    let image = image.encode_png().expect("an image in memory can be encoded");
    Ok(with_density(image, pixel_ratio))
}
