//! Places the panels on the page and makes the files.

use trace::Trace;

use crate::axes::{self, NAMES, NUMBERS, Placed};
use crate::canvas::{Anchor, Canvas, Frame, PALE, Text};
use crate::draw::{Easel, draw_ground, draw_orbit};
use crate::plan::{self, Body, PanelPlan, Plan};
use crate::scale::{Linear, TimeScale};
use crate::{Error, Figure, Lettering, legend, raster, shade};

/// Draws a figure of a trace as SVG.
pub fn svg(figure: &Figure, trace: &Trace) -> Result<String, Error> {
    let plan = plan::plan(figure, trace)?;
    Ok(draw(figure, trace, &plan, figure.lettering).0)
}

/// Draws a figure of a trace as a PNG image. It does not depend on the fonts of the machine.
pub fn png(figure: &Figure, trace: &Trace) -> Result<Vec<u8>, Error> {
    let plan = plan::plan(figure, trace)?;
    let (svg, _, _) = draw(figure, trace, &plan, Lettering::Outlines);
    raster(&svg, figure.pixel_ratio)
}

/// 1 GB of memory at four bytes per pixel.
pub(crate) const MOST_PIXELS: f64 = 2.5e8;

/// Writes the physical size of a PNG image into it, which is that of the SVG.
pub(crate) fn with_density(mut image: Vec<u8>, ratio: f64) -> Vec<u8> {
    // 96 pixels of a figure make one inch, which is 0.0254 metres.
    let per_metre = (ratio * 96.0 / 0.0254).round() as u32;
    let mut chunk = b"pHYs".to_vec();
    chunk.extend_from_slice(&per_metre.to_be_bytes());
    chunk.extend_from_slice(&per_metre.to_be_bytes());
    chunk.push(1);
    let check = crc32(&chunk);
    let mut whole = 9u32.to_be_bytes().to_vec();
    whole.extend_from_slice(&chunk);
    whole.extend_from_slice(&check.to_be_bytes());
    // After the signature (8 bytes) and the header chunk (25 bytes).
    image.splice(33..33, whole);
    image
}

/// The checksum of a PNG chunk (PNG specification, annex D).
fn crc32(bytes: &[u8]) -> u32 {
    let byte = |crc: u32, byte: &u8| {
        let bit = |crc: u32, _| if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 };
        (0..8).fold(crc ^ u32::from(*byte), bit)
    };
    !bytes.iter().fold(!0, byte)
}

/// The margin of the page, the space between panels, and the space below a horizontal axis with
/// text \[px\].
const MARGIN: f64 = 12.0;
const BETWEEN: f64 = 14.0;
const WORDS: f64 = 40.0;
/// The sizes of titles \[px\].
const TITLE: f64 = 16.0;
const PANEL_TITLE: f64 = 13.5;

/// The columns of the page that all panels share \[px\].
struct Columns {
    left: f64,
    width: f64,
}

/// The file, its width and its height \[px\].
fn draw(figure: &Figure, trace: &Trace, plan: &Plan, lettering: Lettering) -> (String, f64, f64) {
    let mut canvas = Canvas::new(lettering);
    let legends = legend::plan_all(figure, &plan.panels, canvas.letters());
    let (columns, page) = columns(figure, plan, &legends, &canvas);
    let mut top = MARGIN;
    if let Some(title) = &figure.title {
        let middle = columns.left + columns.width / 2.0;
        canvas.text(Text::new(title, middle, top + TITLE, TITLE, Anchor::Middle));
        top += TITLE + 10.0;
    }
    let scale =
        TimeScale::new(plan.time.range, plan.time.bands.clone(), columns.left, columns.width);
    let sheet = Sheet { trace, plan, time: &scale, name: MARGIN + NAMES - 2.0 };
    for (place, (panel, legend)) in plan.panels.iter().zip(&legends).enumerate() {
        let width = panel.width.map_or(columns.width, |own| own.min(columns.width));
        // From top to bottom: title, legend, notes, and the frame.
        if let Some(title) = &panel.title {
            let middle = columns.left + width / 2.0;
            let (y, size) = (top + PANEL_TITLE, PANEL_TITLE);
            canvas.text(Text::new(title, middle, y, size, Anchor::Middle));
            top += PANEL_TITLE + 8.0;
        }
        let names = top;
        top += legend.as_ref().map_or(0.0, |legend| legend.height(width));
        top += sheet.notes(panel, place);
        let frame = Frame { left: columns.left, top, width, height: panel.height };
        sheet.panel(&mut canvas, panel, frame, place);
        if let Some(legend) = legend {
            legend.draw(&mut canvas, frame, names);
        }
        top = frame.bottom() + if sheet.is_written(place) { WORDS } else { 0.0 } + BETWEEN;
    }
    let height = (top - BETWEEN + 4.0).max(2.0 * MARGIN);
    (canvas.finish(page, height), page.ceil(), height.ceil())
}

/// The columns, and the width of the page.
fn columns(
    figure: &Figure,
    plan: &Plan,
    legends: &[Option<legend::Plan>],
    canvas: &Canvas,
) -> (Columns, f64) {
    let mut left = 0.0f64;
    let mut right = 0.0f64;
    for (panel, legend) in plan.panels.iter().zip(legends) {
        let labels = panel.y.ticks.labels.iter();
        let numbers = labels.map(|label| canvas.letters().width(label, NUMBERS));
        let name =
            panel.y.label.as_ref().map_or(0.0, |label| {
                axes::Name::fit(label, panel.height, canvas.letters()).width()
            });
        left = left.max(numbers.fold(0.0, f64::max) + name);
        right = right.max(legend.as_ref().map_or(0.0, legend::Plan::width));
    }
    // The ticks, and half of a number that may be at the right end.
    let (left, right) = (MARGIN + left + 10.0, MARGIN + right.max(10.0));
    let most = (figure.width - left - right).max(60.0);
    // A page that has only phase plots is no wider than they are.
    let own = plan.panels.iter().map(|panel| panel.width.unwrap_or(f64::INFINITY));
    let width = most.min(own.fold(0.0, f64::max));
    let width = if plan.panels.is_empty() { most } else { width };
    (Columns { left, width }, left + width + right)
}

/// What panels have in common.
struct Sheet<'a> {
    trace: &'a Trace,
    plan: &'a Plan,
    time: &'a TimeScale,
    /// The horizontal position of the names of vertical axes.
    name: f64,
}

impl Sheet<'_> {
    /// Whether the horizontal axis of a panel has text: it does if the next panel has a different
    /// axis.
    fn is_written(&self, place: usize) -> bool {
        let over_time = |place: usize| {
            self.plan.panels.get(place).is_some_and(|p| matches!(p.body, Body::Time { .. }))
        };
        !over_time(place) || !over_time(place + 1)
    }

    /// Whether a panel is the first of those that share the time axis.
    fn is_first(&self, place: usize) -> bool {
        place == 0 || self.is_written(place - 1)
    }

    /// The height of the line right above the frame, if there is anything in it \[px\].
    fn notes(&self, panel: &PanelPlan, place: usize) -> f64 {
        let over_time = matches!(panel.body, Body::Time { .. });
        let opened = over_time && !self.time.bands().is_empty() && self.is_first(place);
        let used = panel.y.ticks.note.is_some() || panel.warning.is_some() || opened;
        if used { 16.0 } else { 2.0 }
    }

    fn panel(&self, canvas: &mut Canvas, panel: &PanelPlan, frame: Frame, place: usize) {
        let y = panel.y.scale(frame.bottom(), frame.top);
        let written = self.is_written(place);
        match &panel.body {
            Body::Time { curves, solver_steps } => {
                let placed = axes::time_ticks(&self.plan.time, self.time, frame.width);
                if let Some(source) = &self.plan.shade
                    && panel.strips().is_empty()
                {
                    shade::draw_behind(canvas, frame, self.trace, source, self.time);
                }
                axes::draw_bands(canvas, frame, self.time, self.is_first(place));
                self.ground(canvas, panel, frame, &placed, &y);
                let easel = Easel { trace: self.trace, frame, time: self.time, y: &y };
                easel.draw(canvas, curves, *solver_steps);
                axes::draw_lines(canvas, frame);
                let name = Some(self.plan.time.label.as_str());
                axes::draw_horizontal(canvas, frame, &placed, name, written);
                if written {
                    axes::draw_microsteps(canvas, frame, self.time);
                }
            }
            Body::Phase { orbits, x } => {
                let across = x.scale(frame.left, frame.right());
                let placed = axes::value_ticks(x, &across);
                self.ground(canvas, panel, frame, &placed, &y);
                for orbit in orbits {
                    let range = self.plan.time.range;
                    draw_orbit(canvas, self.trace, orbit, range, frame, (&across, &y));
                }
                axes::draw_lines(canvas, frame);
                axes::draw_horizontal(canvas, frame, &placed, x.label.as_deref(), written);
            }
        }
        self.words(canvas, panel, frame);
    }

    /// Draws what is below the curves.
    fn ground(
        &self,
        canvas: &mut Canvas,
        panel: &PanelPlan,
        frame: Frame,
        placed: &Placed,
        y: &Linear,
    ) {
        if panel.message.is_none() {
            axes::draw_columns(canvas, frame, placed);
        }
        axes::draw_vertical(canvas, frame, &panel.y, y, self.name);
        if panel.ground {
            draw_ground(canvas, frame, y);
        }
    }

    /// The warning and the message of a panel.
    fn words(&self, canvas: &mut Canvas, panel: &PanelPlan, frame: Frame) {
        let middle = frame.left + frame.width / 2.0;
        if let Some(message) = &panel.message {
            let y = frame.top + frame.height / 2.0 + 4.0;
            let text = Text::new(message, middle, y, NAMES, Anchor::Middle);
            canvas.text(Text { fill: PALE, ..text });
        }
        if let Some(warning) = &panel.warning {
            let text = Text::new(warning, frame.right(), frame.top - 5.0, 11.0, Anchor::End);
            canvas.text(Text { fill: "#b00020", ..text });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_png() {
        // The checksum of the last chunk of every PNG.
        assert_eq!(crc32(b"IEND"), 0xae42_6082);
    }
}
