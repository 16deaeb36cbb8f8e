//! One signal plotted against another.

use std::collections::HashSet;

use base::Time;
use trace::Trace;

use crate::cubic::Nodes;
use crate::curve::{Source, resolve_one};
use crate::scale::Linear;
use crate::thin::Path;
use crate::window::{instants, rows};
use crate::{Color, Dash, Error, Pair, style};

/// A pair of sources with its appearance.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Orbit {
    /// The horizontal signal.
    pub x: Source,
    /// The vertical signal.
    pub y: Source,
    /// Its label in the legend.
    pub label: String,
    /// Its colour.
    pub color: Color,
    /// Its dash pattern.
    pub dash: Dash,
}

/// The orbits of the pairs of a panel.
pub(crate) fn orbits(trace: &Trace, pairs: &[Pair]) -> Result<Vec<Orbit>, Error> {
    let orbit = |(place, pair): (usize, &Pair)| {
        let (x, y) = (resolve_one(trace, &pair.x)?, resolve_one(trace, &pair.y)?);
        let (color, dash) = style::nth(place);
        let label = pair.label.clone().unwrap_or_else(|| format!("{} over {}", y.name, x.name));
        let dash = pair.dash.unwrap_or(if pair.color.is_some() { Dash::Solid } else { dash });
        Ok(Orbit { x, y, label, color: pair.color.unwrap_or(color), dash })
    };
    pairs.iter().enumerate().map(orbit).collect()
}

/// A point of the plane.
pub(crate) type Point = (f64, f64);

/// What a pen does in the plane.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Step {
    /// The orbit begins here.
    Start(Point),
    /// The orbit continues to here.
    Flow(Point),
    /// The orbit jumps from the first point to the second.
    Jump(Point, Point),
}

/// Follows an orbit through the rows of a time range; `pieces` says into how many pieces to divide
/// the curve between two points.
pub(crate) fn walk(
    trace: &Trace,
    orbit: &Orbit,
    range: (Time, Time),
    pieces: impl Fn(Point, Point) -> u32,
    mut visit: impl FnMut(Step),
) {
    let point = |row| Some((orbit.x.value(trace, row)?, orbit.y.value(trace, row)?));
    let (across, up) = (Nodes::new(trace, &orbit.x, None), Nodes::new(trace, &orbit.y, None));
    let mut current: Option<(usize, Point)> = None;
    for instant in instants(trace, rows(trace, range)) {
        for row in instant.clone() {
            let (next, arrives) = (point(row), row == instant.start);
            let known = across.is_reached(row);
            match (current, next) {
                (Some((last, from)), Some(to)) if arrives && known => {
                    let count = pieces(from, to);
                    if count > 1
                        && let Some((x, y)) = across.piece(last, row).zip(up.piece(last, row))
                        && !(x.is_straight() && y.is_straight())
                    {
                        let times = x.times(count);
                        times.for_each(|time| visit(Step::Flow((x.at(time), y.at(time)))));
                    }
                    visit(Step::Flow(to));
                }
                (Some((_, from)), Some(to)) if !arrives && from != to => {
                    visit(Step::Jump(from, to));
                }
                (Some(_), Some(_)) if !arrives => {}
                (_, Some(to)) => visit(Step::Start(to)),
                (_, None) => {}
            }
            current = next.map(|next| (row, next));
        }
    }
}

/// The paths of an orbit.
#[derive(Debug, Default)]
pub(crate) struct Drawn {
    /// The lines.
    pub lines: Path,
    /// The jumps.
    pub jumps: Path,
    /// Where the orbit begins.
    pub start: Option<Point>,
    /// Where it ends.
    pub end: Option<Point>,
}

/// Points closer together than this are merged \[px\]; the second value applies after `FREE`
/// points.
const NEAR: f64 = 0.3;
const NEAR_LATER: f64 = 1.0;
/// After this many points, a line is drawn only if there is none in its place yet.
const FREE: usize = 20_000;

/// Draws an orbit. Points too close together to be distinguished are left out; an orbit that
/// repeats is not drawn over itself, so that the figure has a bounded size.
pub(crate) fn draw(
    trace: &Trace,
    orbit: &Orbit,
    range: (Time, Time),
    x: &Linear,
    y: &Linear,
) -> Drawn {
    let at = |(a, b): Point| (x.at(a), y.at(b));
    let mut pen = Pen::default();
    let mut drawn = Drawn::default();
    let pieces = |a: Point, b: Point| {
        let ((x0, y0), (x1, y1)) = (at(a), at(b));
        // Pieces of a few pixels; whatever is far outside the figure needs none.
        ((x1 - x0).hypot(y1 - y0) / 4.0).min(60.0) as u32
    };
    walk(trace, orbit, range, pieces, |step| {
        let to = match step {
            Step::Start(to) => {
                pen.start(at(to));
                to
            }
            Step::Flow(to) => {
                pen.flow(at(to));
                to
            }
            Step::Jump(from, to) => {
                let ((x0, y0), (x1, y1)) = (at(from), at(to));
                if pen.is_new((x0, y0), (x1, y1)) {
                    drawn.jumps.move_to(x0, y0);
                    drawn.jumps.line_to(x1, y1);
                }
                pen.start((x1, y1));
                to
            }
        };
        drawn.start.get_or_insert(at(to));
        drawn.end = Some(at(to));
    });
    drawn.lines = pen.finish();
    drawn.jumps.end();
    drawn
}

#[derive(Debug, Default)]
struct Pen {
    path: Path,
    /// The last point drawn, and the newest one if it was too close to draw.
    last: Point,
    skipped: Option<Point>,
    lifted: bool,
    points: usize,
    seen: HashSet<[i32; 4]>,
}

impl Pen {
    fn start(&mut self, to: Point) {
        self.settle();
        self.path.move_to(to.0, to.1);
        self.last = to;
        self.lifted = false;
    }

    fn flow(&mut self, to: Point) {
        let near = if self.points > FREE { NEAR_LATER } else { NEAR };
        if (to.0 - self.last.0).hypot(to.1 - self.last.1) < near {
            self.skipped = Some(to);
        } else {
            self.line(to);
        }
    }

    fn line(&mut self, to: Point) {
        self.skipped = None;
        self.points += 1;
        if self.points > FREE && !self.is_new(self.last, to) {
            self.lifted = true;
        } else {
            if self.lifted {
                self.path.move_to(self.last.0, self.last.1);
                self.lifted = false;
            }
            self.path.line_to(to.0, to.1);
        }
        self.last = to;
    }

    /// Whether no stroke between these two positions has been drawn yet, to half a pixel.
    fn is_new(&mut self, a: Point, b: Point) -> bool {
        let cell = |point: Point| ((point.0 * 2.0).round() as i32, (point.1 * 2.0).round() as i32);
        let (a, b) = (cell(a).min(cell(b)), cell(a).max(cell(b)));
        self.seen.insert([a.0, a.1, b.0, b.1])
    }

    fn settle(&mut self) {
        if let Some(to) = self.skipped {
            self.line(to);
        }
    }

    fn finish(mut self) -> Path {
        self.settle();
        self.path.end();
        self.path
    }
}

#[cfg(test)]
mod tests {
    use base::{Tag, Type};
    use trace::Column;

    use super::*;

    fn time(seconds: f64) -> Time {
        Time::from_f64(seconds).unwrap()
    }

    fn circle(rows: u32, step: f64) -> Trace {
        let column = |name: &str| Column { name: name.to_owned(), ty: Type::REAL };
        let mut trace = Trace::new(vec![column("x"), column("y")]);
        for k in 0..rows {
            let (sin, cos) = (f64::from(k) * step).sin_cos();
            let row = [[cos], [sin]];
            trace.push(Tag::new(time(f64::from(k)), 0), |column| Some(&row[column][..]));
        }
        trace
    }

    #[test]
    fn a_jump_is_no_flow() {
        let mut trace = circle(2, 1.0);
        let (x, y) = ([5.0], [6.0]);
        trace.push(Tag::new(time(1.0), 1), |column| Some([&x[..], &y[..]][column]));
        let orbit = &orbits(&trace, &[Pair::new("x", "y")]).unwrap()[0];
        let mut steps = Vec::new();
        walk(&trace, orbit, (time(0.0), time(1.0)), |_, _| 1, |step| steps.push(step));
        let b = (1f64.cos(), 1f64.sin());
        assert_eq!(steps, [Step::Start((1.0, 0.0)), Step::Flow(b), Step::Jump(b, (5.0, 6.0))]);
    }

    #[test]
    fn round_and_round_is_bounded_and_keeps_the_extent() {
        let trace = circle(500_000, 0.05);
        let orbit = &orbits(&trace, &[Pair::new("x", "y")]).unwrap()[0];
        let scale = Linear::new((-1.0, 1.0), 0.0, 400.0);
        let drawn = draw(&trace, orbit, (time(0.0), time(1e6)), &scale, &scale);
        assert!(drawn.lines.data.len() < 3_000_000, "{}", drawn.lines.data.len());
        for edge in ["M400 ", "L0 ", " 400L", " 0L"] {
            assert!(drawn.lines.data.contains(edge), "{edge}");
        }
    }
}
