//! Curves, stems and arrows.

use base::Time;
use trace::Trace;

use crate::Mark;
use crate::arrows::{draw_labels, shots};
use crate::canvas::{Canvas, Frame, INK, Stroke};
use crate::curve::Curve;
use crate::phase::{self, Orbit};
use crate::scale::{Linear, TimeScale};
use crate::shade;
use crate::thin::{Path, Peaks, Pen, Verticals, coordinate};
use crate::window::{Step, rows, walk};

/// The widths of lines, of stems and of the strokes at jumps \[px\].
const LINE: f64 = 1.6;
const STEM: f64 = 1.1;
const JUMP: f64 = 0.9;
/// Dots that are on average closer than this are smaller, down to this fraction of their size.
const CROWDED: f64 = 7.0;
const SMALLEST_DOT: f64 = 0.43;
/// The dash pattern of the strokes at jumps.
const JUMP_DASH: &str = "2.4 2";

/// What curves are drawn with.
pub(crate) struct Easel<'a> {
    /// The data.
    pub trace: &'a Trace,
    /// The area of the panel.
    pub frame: Frame,
    /// The map from tags to pixels.
    pub time: &'a TimeScale,
    /// The map from values to pixels.
    pub y: &'a Linear,
}

impl Easel<'_> {
    /// Draws all curves of a panel, clipped to its frame.
    pub fn draw(&self, canvas: &mut Canvas, curves: &[Curve], solver_steps: bool) {
        // Marks at the edges are drawn in full.
        let f = self.frame;
        let (left, width) = (f.left - 6.0, f.width + 12.0);
        let frame = Frame { left, width, top: f.top - 4.0, height: f.height + 8.0 };
        canvas.clipped(frame, |canvas| {
            for curve in curves.iter().filter(|curve| curve.is_strip()) {
                let heights = (self.height(curve, 1.0), self.height(curve, 0.0));
                shade::draw_strip(canvas, heights, self.trace, curve, self.time);
            }
            let marked = |mark| {
                let drawn = |c: &&Curve| c.shows_values() && !c.is_strip();
                curves.iter().filter(drawn).filter(move |c| c.mark == mark)
            };
            if solver_steps {
                let marks = [Mark::Line, Mark::Dots];
                marks.into_iter().flat_map(marked).for_each(|curve| self.steps(canvas, curve));
            }
            marked(Mark::Line).for_each(|curve| self.line(canvas, curve));
            marked(Mark::Stems).for_each(|curve| self.stems(canvas, curve));
            marked(Mark::Dots).for_each(|curve| self.dots(canvas, curve));
        });
        let shots = shots(self.trace, curves, self.time, self.y);
        canvas.clipped(frame, |canvas| shots.iter().for_each(|shot| shot.draw(canvas)));
        draw_labels(canvas, &shots, self.frame);
    }

    fn line(&self, canvas: &mut Canvas, curve: &Curve) {
        let (mut pen, mut jumps) = (Pen::default(), Verticals::default());
        walk(self.trace, &curve.source, self.time, |step| match step {
            Step::Start(x, value) => pen.move_to(x, self.height(curve, value)),
            Step::Flow(x, value) => pen.line_to(x, self.height(curve, value)),
            Step::Jump(x, from, to) => {
                let (from, to) = (self.height(curve, from), self.height(curve, to));
                jumps.push(x, from, to);
                pen.move_to(x, to);
            }
        });
        let color = curve.color.css();
        let jumps = jumps.finish().data;
        // Adjacent dashes would form a meaningless pattern.
        let dense = jumps.matches('M').count() as f64 > self.frame.width / 3.0;
        let dash = (!dense).then_some(JUMP_DASH);
        let width = if dense { JUMP / 2.0 } else { JUMP };
        canvas.path(&jumps, Stroke { dash, ..Stroke::new(&color, width) });
        let path = pen.finish();
        canvas.path(&path.data, Stroke::new(&color, LINE).dashed(curve.dash));
        let dots: String = path.dots.iter().map(|(x, y)| disc(*x, *y, 1.8)).collect();
        canvas.fill(&dots, &color);
    }

    /// A stem at each step that the solver took.
    fn steps(&self, canvas: &mut Canvas, curve: &Curve) {
        let at_zero = |row: usize| self.trace.tags()[row].microstep == 0;
        let peaks = self.peaks(curve, at_zero);
        let (ground, color) = (self.ground(curve), curve.color.css());
        let mut stems = Path::default();
        let mut heads = String::new();
        for (x, y) in peaks {
            stems.move_to(x, ground);
            stems.line_to(x, y);
            heads.push_str(&disc(x, y, 2.0));
        }
        canvas.path(&stems.data, Stroke::new(&color, 0.6));
        canvas.fill(&heads, &color);
    }

    fn stems(&self, canvas: &mut Canvas, curve: &Curve) {
        let (ground, color) = (self.ground(curve), curve.color.css());
        let mut stems = Path::default();
        let mut heads = String::new();
        for (x, y) in self.peaks(curve, |_| true) {
            stems.move_to(x, ground);
            stems.line_to(x, y);
            heads.push_str(&symbol(curve.place, x, y, 1.0));
        }
        canvas.path(&stems.data, Stroke::new(&color, STEM));
        canvas.fill(&heads, &color);
    }

    fn dots(&self, canvas: &mut Canvas, curve: &Curve) {
        let peaks = self.peaks(curve, |_| true);
        let apart = self.frame.width / peaks.len().max(1) as f64;
        let size = (apart / CROWDED).clamp(SMALLEST_DOT, 1.0);
        let heads: String = peaks.iter().map(|(x, y)| symbol(curve.place, *x, *y, size)).collect();
        canvas.fill(&heads, &curve.color.css());
    }

    /// The points of the rows that `chosen` accepts, thinned to what pixels can resolve.
    fn peaks(&self, curve: &Curve, chosen: impl Fn(usize) -> bool) -> Vec<(f64, f64)> {
        let mut peaks = Peaks::new();
        for row in rows(self.trace, self.time.range()).filter(|row| chosen(*row)) {
            if let Some(value) = curve.source.value(self.trace, row) {
                let (x, y) = (self.time.place(self.trace.tags()[row]), self.height(curve, value));
                peaks.push(x, y, (x, y));
            }
        }
        peaks.finish()
    }

    /// The pixel of a value of a curve.
    fn height(&self, curve: &Curve, value: f64) -> f64 {
        self.y.at(curve.height(value))
    }

    /// The pixel that stems and arrows of a curve rise from.
    fn ground(&self, curve: &Curve) -> f64 {
        self.y.at(self.y.clamp(curve.height(0.0)))
    }
}

/// Draws an orbit, with a ring at its start and a disc at its end.
pub(crate) fn draw_orbit(
    canvas: &mut Canvas,
    trace: &Trace,
    orbit: &Orbit,
    range: (Time, Time),
    frame: Frame,
    (x, y): (&Linear, &Linear),
) {
    let drawn = phase::draw(trace, orbit, range, x, y);
    let color = orbit.color.css();
    canvas.clipped(frame, |canvas| {
        let jump = Stroke { dash: Some(JUMP_DASH), ..Stroke::new(&color, JUMP) };
        canvas.path(&drawn.jumps.data, jump);
        canvas.path(&drawn.lines.data, Stroke::new(&color, 1.3).dashed(orbit.dash));
        let dots: String = drawn.lines.dots.iter().map(|(x, y)| disc(*x, *y, 1.8)).collect();
        canvas.fill(&dots, &color);
    });
    let f = frame;
    let inside =
        |p: &(f64, f64)| (f.left..=f.right()).contains(&p.0) && (f.top..=f.bottom()).contains(&p.1);
    if let Some((x, y)) = drawn.start.filter(inside) {
        canvas.fill(&disc(x, y, 3.4), &color);
        canvas.fill(&disc(x, y, 2.1), "#ffffff");
    }
    if let Some((x, y)) = drawn.end.filter(inside) {
        canvas.fill(&disc(x, y, 3.2), &color);
    }
}

/// A line at zero.
pub(crate) fn draw_ground(canvas: &mut Canvas, frame: Frame, y: &Linear) {
    let zero = y.at(0.0);
    if frame.top <= zero && zero <= frame.bottom() {
        canvas.line((frame.left, zero), (frame.right(), zero), Stroke::new(INK, 0.6));
    }
}

/// The head of an arrow of this length with its tip here; it points down if the length is negative.
pub(crate) fn arrow_head(x: f64, tip: f64, length: f64) -> String {
    let half = 0.42 * length.abs();
    polygon(&[(x, tip), (x - half, tip + length), (x + half, tip + length)])
}

/// The marker of a stem or a dot, `size` times as large as usual; its shape distinguishes curves if
/// colours do not.
pub(crate) fn symbol(place: usize, x: f64, y: f64, size: f64) -> String {
    let box_of = |a: f64, b: f64| {
        let (a, b) = (a * size, b * size);
        polygon(&[(x - a, y - b), (x + a, y - b), (x + a, y + b), (x - a, y + b)])
    };
    match place % 4 {
        0 => disc(x, y, (2.8 * size * 100.0).round() / 100.0),
        1 => box_of(2.6, 2.6),
        2 => {
            let (a, b) = (3.3 * size, 3.7 * size);
            polygon(&[(x, y - b), (x + a, y), (x, y + b), (x - a, y)])
        }
        _ => box_of(3.4, 1.0) + &box_of(1.0, 3.4),
    }
}

fn polygon(points: &[(f64, f64)]) -> String {
    let mut path = Path::default();
    path.move_to(points[0].0, points[0].1);
    points[1..].iter().for_each(|(x, y)| path.line_to(*x, *y));
    path.data + "Z"
}

fn disc(x: f64, y: f64, radius: f64) -> String {
    let mut out = String::from("M");
    coordinate(&mut out, x - radius);
    out.push(' ');
    coordinate(&mut out, y);
    for direction in [2.0, -2.0] {
        out.push_str(&format!("a{radius} {radius} 0 1 0 {} 0", direction * radius));
    }
    out.push('Z');
    out
}
