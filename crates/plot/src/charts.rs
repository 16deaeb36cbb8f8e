//! Charts of many runs: histograms, scatter plots and their matrix, heat maps, and bands of quantiles
//! with curves.
//!
//! Numbers come in, each chart in a cell of a grid; SVG or PNG goes out. A value that is not finite
//! is left out.

use std::fmt::Write;

use crate::canvas::{Anchor, Canvas, Frame, GRID, INK, Stroke, Text};
use crate::thin::Path;
use crate::ticks::ticks;
use crate::{Color, Error, Lettering, raster};

/// A chart with the names of its axes.
#[derive(Clone, PartialEq, Debug)]
pub struct Chart {
    /// The horizontal axis.
    pub x: String,
    /// The vertical axis.
    pub y: String,
    /// What is drawn.
    pub content: ChartContent,
}

/// What a chart shows.
#[derive(Clone, PartialEq, Debug)]
pub enum ChartContent {
    /// How many values lie in each of evenly spaced intervals.
    Histogram(Vec<f64>),
    /// Points.
    Scatter(Vec<(f64, f64)>),
    /// A value for each pair of two coordinates, row after row of y.
    Heat {
        /// The values of x, in increasing order.
        x: Vec<f64>,
        /// The values of y, in increasing order.
        y: Vec<f64>,
        /// The values; not finite where there is none.
        z: Vec<f64>,
        /// What they are.
        name: String,
    },
    /// Curves over one x: bands between two of them, the widest first, and lines.
    Curves {
        /// The values of x.
        x: Vec<f64>,
        /// The lower and upper ends of each band.
        bands: Vec<Band>,
        /// Lines, and whether each is emphasised.
        lines: Vec<(Vec<f64>, bool)>,
    },
}

/// The size of a cell, and the space around its frame \[px\].
const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 300.0;
const SMALL: f64 = 210.0;
const LEFT: f64 = 66.0;
const RIGHT: f64 = 18.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 46.0;
/// The width of the scale of colours beside a heat map \[px\].
const KEY: f64 = 84.0;
const TITLE: f64 = 30.0;

/// Draws rows of charts under a title as SVG.
pub fn charts_svg(rows: &[Vec<Chart>], title: &str) -> String {
    draw(rows, title, Lettering::Text)
}

/// The same as a PNG image.
pub fn charts_png(rows: &[Vec<Chart>], title: &str) -> Result<Vec<u8>, Error> {
    raster(&draw(rows, title, Lettering::Outlines), 2.0)
}

fn draw(rows: &[Vec<Chart>], title: &str, lettering: Lettering) -> String {
    let mut canvas = Canvas::new(lettering);
    let most = rows.iter().map(Vec::len).max().unwrap_or(1);
    let is_small = most > 1 || rows.len() > 1;
    let (width, height) = if is_small { (SMALL, SMALL) } else { (WIDTH, HEIGHT) };
    let (cell_width, cell_height) = (width + LEFT + RIGHT, height + TOP + BOTTOM);
    let has_key = rows.iter().flatten().any(|own| matches!(own.content, ChartContent::Heat { .. }));
    let page = cell_width * most as f64 + if has_key { KEY } else { 0.0 };
    canvas.text(Text::new(title, (cell_width * most as f64) / 2.0, 22.0, 15.0, Anchor::Middle));
    for (row, charts) in rows.iter().enumerate() {
        for (column, chart) in charts.iter().enumerate() {
            let left = LEFT + cell_width * column as f64;
            let top = TITLE + TOP + cell_height * row as f64;
            chart.draw(&mut canvas, Frame { left, top, width, height });
        }
    }
    canvas.finish(page, TITLE + cell_height * rows.len() as f64)
}

/// Nothing farther out than this is drawn anyway \[px\].
const FAR: f64 = 1e6;

/// The range of finite values, with some room; 0 to 1 if there are none.
fn range(values: impl Iterator<Item = f64>, room: f64) -> (f64, f64) {
    let fold = |(low, high): (f64, f64), x: f64| (low.min(x), high.max(x));
    let finite = values.filter(|x| x.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), fold);
    let length = high - low;
    match low.is_finite() && length.is_finite() {
        false => (0.0, 1.0),
        true if length <= 1e-9 * low.abs().max(high.abs()) => {
            let half = if low == 0.0 { 0.5 } else { 0.05 * low.abs() };
            (low - half, high + half)
        }
        true => (low - room * length, high + room * length),
    }
}

/// A frame with its ranges.
struct Sheet {
    frame: Frame,
    x: (f64, f64),
    y: (f64, f64),
}

impl Sheet {
    fn x(&self, x: f64) -> f64 {
        let x = self.frame.left + self.frame.width * (x - self.x.0) / (self.x.1 - self.x.0);
        x.clamp(-FAR, FAR)
    }

    fn y(&self, y: f64) -> f64 {
        let y = self.frame.bottom() - self.frame.height * (y - self.y.0) / (self.y.1 - self.y.0);
        y.clamp(-FAR, FAR)
    }

    /// Grid lines, numbers and names.
    fn axes(&self, canvas: &mut Canvas, chart: &Chart, grid: bool) {
        let frame = self.frame;
        let across = ticks(self.x.0, self.x.1, frame.width / 75.0, 0.0);
        let up = ticks(self.y.0, self.y.1, frame.height / 45.0, 0.0);
        let line = |from, to, canvas: &mut Canvas| {
            if grid {
                canvas.line(from, to, Stroke::new(GRID, 1.0));
            }
        };
        for (value, label) in across.values.iter().zip(&across.labels) {
            let x = self.x(*value);
            line((x, frame.top), (x, frame.bottom()), canvas);
            canvas.text(Text::new(label, x, frame.bottom() + 15.0, 11.0, Anchor::Middle));
        }
        for (value, label) in up.values.iter().zip(&up.labels) {
            let y = self.y(*value);
            line((frame.left, y), (frame.right(), y), canvas);
            canvas.text(Text::new(label, frame.left - 6.0, y + 4.0, 11.0, Anchor::End));
        }
        let named = |name: &str, note: &Option<String>| match note {
            Some(note) => format!("{name} ({note})"),
            None => name.to_owned(),
        };
        let (x, y) = (named(&chart.x, &across.note), named(&chart.y, &up.note));
        let x = canvas.letters().shortened(&x, 12.5, frame.width + 40.0);
        let y = canvas.letters().shortened(&y, 12.5, frame.height + 10.0);
        let middle = frame.left + frame.width / 2.0;
        canvas.text(Text::new(&x, middle, frame.bottom() + 34.0, 12.5, Anchor::Middle));
        let text =
            Text::new(&y, frame.left - 50.0, frame.top + frame.height / 2.0, 12.5, Anchor::Middle);
        canvas.text(Text { upright: true, ..text });
    }

    fn border(&self, canvas: &mut Canvas) {
        let Frame { left, top, .. } = self.frame;
        let (right, bottom) = (self.frame.right(), self.frame.bottom());
        let stroke = Stroke::new(INK, 1.0);
        canvas.line((left, bottom), (right, bottom), stroke);
        canvas.line((left, top), (left, bottom), stroke);
    }

    fn path(&self, x: &[f64], y: &[f64]) -> String {
        let mut path = Path::default();
        let mut open = false;
        for (x, y) in x.iter().zip(y) {
            if !x.is_finite() || !y.is_finite() {
                open = false;
                continue;
            }
            match open {
                true => path.line_to(self.x(*x), self.y(*y)),
                false => path.move_to(self.x(*x), self.y(*y)),
            }
            open = true;
        }
        path.data
    }
}

impl Chart {
    fn draw(&self, canvas: &mut Canvas, frame: Frame) {
        match &self.content {
            ChartContent::Histogram(values) => self.histogram(canvas, frame, values),
            ChartContent::Scatter(points) => self.scatter(canvas, frame, points),
            ChartContent::Heat { x, y, z, name } => self.heat(canvas, frame, (x, y, z), name),
            ChartContent::Curves { x, bands, lines } => {
                self.curves(canvas, frame, x, (bands, lines));
            }
        }
    }

    fn histogram(&self, canvas: &mut Canvas, frame: Frame, values: &[f64]) {
        let finite: Vec<f64> = values.iter().copied().filter(|x| x.is_finite()).collect();
        let (low, high) = range(finite.iter().copied(), 0.0);
        // The square root of the number of values, so that the noise of a bar is even.
        let bars = ((finite.len() as f64).sqrt().ceil() as usize).clamp(5, 60);
        let mut counts = vec![0u32; bars];
        for value in &finite {
            let place = ((value - low) / (high - low) * bars as f64) as usize;
            counts[place.min(bars - 1)] += 1;
        }
        let most = f64::from(counts.iter().copied().max().unwrap_or(0).max(1));
        let sheet = Sheet { frame, x: (low, high), y: (0.0, 1.05 * most) };
        sheet.axes(canvas, self, true);
        let color = Color::nth(0).css();
        let width = frame.width / bars as f64;
        for (bar, count) in counts.iter().enumerate() {
            let (left, top) = (frame.left + width * bar as f64, sheet.y(f64::from(*count)));
            let height = frame.bottom() - top;
            let width = (width - 1.0).max(0.5);
            canvas.rectangle(Frame { left: left + 0.5, top, width, height }, &color);
        }
        sheet.border(canvas);
    }

    fn scatter(&self, canvas: &mut Canvas, frame: Frame, points: &[(f64, f64)]) {
        let sheet = Sheet {
            frame,
            x: range(points.iter().map(|own| own.0), 0.03),
            y: range(points.iter().map(|own| own.1), 0.03),
        };
        sheet.axes(canvas, self, true);
        let color = Color::nth(0).css();
        // A pixel that has its dot needs no other one.
        let mut seen = std::collections::HashSet::new();
        let mut data = String::new();
        for (x, y) in points.iter().filter(|own| own.0.is_finite() && own.1.is_finite()) {
            let (x, y) = (sheet.x(*x), sheet.y(*y));
            if seen.insert(((2.0 * x) as i64, (2.0 * y) as i64)) {
                write!(data, "M{:.1} {:.1}h0", x, y).expect("a string takes all text");
            }
        }
        let radius = if points.len() > 2000 { 2.0 } else { 4.0 };
        canvas.dots(&data, &color, radius);
        sheet.border(canvas);
    }

    fn heat(&self, canvas: &mut Canvas, frame: Frame, (x, y, z): Grid<'_>, name: &str) {
        let (low, high) = range(z.iter().copied(), 0.0);
        let (across, up) = (edges(x), edges(y));
        let sheet =
            Sheet { frame, x: (across[0], across[across.len() - 1]), y: (up[0], up[up.len() - 1]) };
        canvas.rectangle(frame, "#f0f0f0");
        for (row, rows) in up.windows(2).enumerate() {
            for (column, columns) in across.windows(2).enumerate() {
                let value = z[row * x.len() + column];
                if !value.is_finite() {
                    continue;
                }
                let (left, top) = (sheet.x(columns[0]), sheet.y(rows[1]));
                // Half a pixel more leaves no seam.
                let width = sheet.x(columns[1]) - left + 0.5;
                let height = sheet.y(rows[0]) - top + 0.5;
                let (width, height) =
                    (width.min(frame.right() - left), height.min(frame.bottom() - top));
                canvas.rectangle(
                    Frame { left, top, width, height },
                    &shade((value - low) / (high - low)),
                );
            }
        }
        sheet.axes(canvas, self, false);
        sheet.border(canvas);
        self.key(canvas, frame, (low, high), name);
    }

    /// The scale of colours.
    fn key(&self, canvas: &mut Canvas, frame: Frame, (low, high): (f64, f64), name: &str) {
        let left = frame.right() + 16.0;
        const STEPS: usize = 64;
        let height = frame.height / STEPS as f64;
        for step in 0..STEPS {
            let top = frame.bottom() - height * (step + 1) as f64;
            let part = (step as f64 + 0.5) / STEPS as f64;
            canvas.rectangle(Frame { left, top, width: 14.0, height: height + 0.3 }, &shade(part));
        }
        let scale = Sheet { frame, x: (0.0, 1.0), y: (low, high) };
        let ticks = ticks(low, high, frame.height / 45.0, 0.0);
        for (value, label) in ticks.values.iter().zip(&ticks.labels) {
            let text = Text::new(label, left + 19.0, scale.y(*value) + 4.0, 11.0, Anchor::Start);
            canvas.text(text);
        }
        let name = match &ticks.note {
            Some(note) => format!("{name} ({note})"),
            None => name.to_owned(),
        };
        let (x, y) = (left + 72.0, frame.top + frame.height / 2.0);
        canvas.text(Text { upright: true, ..Text::new(&name, x, y, 12.5, Anchor::Middle) });
    }

    fn curves(
        &self,
        canvas: &mut Canvas,
        frame: Frame,
        x: &[f64],
        (bands, lines): (&[Band], &[(Vec<f64>, bool)]),
    ) {
        let ends = bands.iter().flat_map(|(low, high)| low.iter().chain(high));
        let all = ends.chain(lines.iter().flat_map(|(line, _)| line)).copied();
        let sheet = Sheet { frame, x: range(x.iter().copied(), 0.0), y: range(all, 0.04) };
        sheet.axes(canvas, self, true);
        let color = Color::nth(0);
        for (index, (low, high)) in bands.iter().enumerate() {
            let part = 0.25 + 0.25 * index as f64;
            let back: Vec<f64> = x.iter().rev().copied().collect();
            let known = |own: &f64| own.is_finite();
            if !low.iter().chain(high).all(known) {
                // A band with a gap is drawn by its ends alone.
                for line in [low, high] {
                    let stroke = color.paler(part).css();
                    canvas.path(&sheet.path(x, line), Stroke::new(&stroke, 1.0));
                }
                continue;
            }
            let there = sheet.path(x, low);
            let upper: Vec<f64> = high.iter().rev().copied().collect();
            let again = sheet.path(&back, &upper).replacen('M', "L", 1);
            canvas.fill(&format!("{there}{again}Z"), &color.paler(part).css());
        }
        let only = lines.iter().all(|(_, strong)| !strong);
        for (line, strong) in lines {
            let (color, width) = match (strong, only) {
                (true, _) => (color.css(), 2.0),
                (false, true) => (color.css(), 0.8),
                (false, false) => (color.paler(0.4).css(), 0.8),
            };
            canvas.path(&sheet.path(x, line), Stroke::new(&color, width));
        }
        sheet.border(canvas);
    }
}

/// The lower and the upper end of a band.
pub type Band = (Vec<f64>, Vec<f64>);
type Grid<'g> = (&'g [f64], &'g [f64], &'g [f64]);

/// The borders of cells around values: halfway between neighbours.
fn edges(values: &[f64]) -> Vec<f64> {
    let count = values.len();
    if count < 2 {
        let (low, high) = range(values.iter().copied(), 0.0);
        return vec![low, high];
    }
    let mut all = vec![values[0] - (values[1] - values[0]) / 2.0];
    all.extend(values.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0));
    all.push(values[count - 1] + (values[count - 1] - values[count - 2]) / 2.0);
    all
}

/// The colour of a part from 0 to 1, dark to bright: viridis (S. van der Walt and N. Smith), at nine
/// points.
fn shade(part: f64) -> String {
    const POINTS: [[f64; 3]; 9] = [
        [68.0, 1.0, 84.0],
        [71.0, 44.0, 122.0],
        [59.0, 81.0, 139.0],
        [44.0, 113.0, 142.0],
        [33.0, 144.0, 141.0],
        [39.0, 173.0, 129.0],
        [92.0, 200.0, 99.0],
        [170.0, 220.0, 50.0],
        [253.0, 231.0, 37.0],
    ];
    let at = part.clamp(0.0, 1.0) * (POINTS.len() - 1) as f64;
    let index = (at as usize).min(POINTS.len() - 2);
    let rest = at - index as f64;
    let mix = |k: usize| {
        (POINTS[index][k] + rest * (POINTS[index + 1][k] - POINTS[index][k])).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn svg(content: ChartContent) -> String {
        let chart = Chart { x: "x".to_owned(), y: "y".to_owned(), content };
        charts_svg(&[vec![chart]], "a < b")
    }

    #[test]
    fn charts_of_nothing_and_of_one_value_can_be_drawn() {
        for values in [vec![], vec![f64::NAN], vec![3.0; 5], vec![f64::MAX, -f64::MAX]] {
            let points = values.iter().map(|x| (*x, *x)).collect();
            for content in [
                ChartContent::Histogram(values.clone()),
                ChartContent::Scatter(points),
                ChartContent::Curves {
                    x: values.clone(),
                    bands: vec![(values.clone(), values.clone())],
                    lines: vec![(values.clone(), true)],
                },
            ] {
                let drawn = svg(content);
                assert!(drawn.starts_with("<svg") && drawn.contains("a &lt; b"));
                assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
            }
        }
    }

    #[test]
    fn a_heat_map_has_a_cell_for_each_value() {
        let z = vec![0.0, 1.0, 2.0, 3.0, f64::NAN, 5.0];
        let drawn = svg(ChartContent::Heat {
            x: vec![0.0, 1.0, 2.0],
            y: vec![0.0, 1.0],
            z,
            name: "z".to_owned(),
        });
        // The page, the ground, five values and the scale.
        assert_eq!(drawn.matches("<rect").count() + drawn.matches("Z\" fill").count(), 7 + 64);
    }
}
