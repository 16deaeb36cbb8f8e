//! The curve between two rows of a continuously changing signal.
//!
//! A trace holds values and no slopes. Between rows, a changing signal is drawn as a piecewise
//! cubic with slopes estimated from the neighbouring rows, limited so that the curve is monotone
//! between any two of them: it never leaves the range of its end values (Fritsch and Butland, SIAM
//! J. Sci. Stat. Comput. 5, 1984; the slopes at the ends are those of Fritsch and Carlson's PCHIP).
//! No slope is taken across an instant with several microsteps, where a signal may jump or have a
//! corner. Held signals, integers and truth values are joined by straight lines.

use base::{Elem, Time};
use trace::Trace;

use crate::curve::Source;
use crate::scale::{TimeScale, between};

/// A point of a signal.
pub(crate) type Point = (Time, f64);

/// The rows that belong to a signal. A row that was filled in from others says nothing about the
/// course of the signal; it counts only if its instant is opened on the axis.
pub(crate) struct Nodes<'a> {
    trace: &'a Trace,
    source: &'a Source,
    scale: Option<&'a TimeScale>,
    moves: bool,
    /// Whether each instant has a single row, which then includes its left limit.
    one_row: bool,
}

impl<'a> Nodes<'a> {
    /// The rows of a signal, drawn along a time axis if there is one.
    pub fn new(trace: &'a Trace, source: &'a Source, scale: Option<&'a TimeScale>) -> Nodes<'a> {
        let schema = trace.schema();
        let table = schema.table_of(source.column).map(|table| schema.tables()[table].as_str());
        // A fixed-step run has its jumps and impulses as steps, and nothing between them.
        let moves = source.elem(trace) == Elem::Real && !matches!(table, Some("held" | "steps"));
        Nodes { trace, source, scale, moves, one_row: trace.has_one_row_an_instant() }
    }

    /// Whether the signal has its own row here, or one that must be visible.
    pub fn is_node(&self, row: usize) -> bool {
        if !self.trace.is_filled(row, self.source.column) {
            return true;
        }
        let time = self.trace.tags()[row].time;
        let here = |row: &usize| self.trace.tags()[*row].time == time;
        let own = |row: usize| !self.trace.is_filled(row, self.source.column);
        self.scale.is_some_and(|scale| scale.opens(time))
            || (0..row).rev().take_while(here).any(own)
            || (row..self.trace.len()).take_while(here).any(own)
    }

    /// The last row of the signal before this one.
    pub fn before(&self, row: usize) -> Option<usize> {
        (0..row).rev().find(|row| self.is_node(*row))
    }

    /// The first row of the signal at or after this one.
    pub fn from(&self, row: usize) -> Option<usize> {
        (row..self.trace.len()).find(|row| self.is_node(*row))
    }

    /// The point of a row, if the signal is present and finite.
    pub fn point(&self, row: usize) -> Option<Point> {
        Some((self.trace.tags()[row].time, self.source.value(self.trace, row)?))
    }

    /// The same, if it is a left limit or the only row of its instant.
    pub fn left_limit(&self, row: usize) -> Option<Point> {
        self.is_reached(row).then(|| self.point(row)).flatten()
    }

    /// Whether a line leads to a row from an earlier instant.
    pub fn is_reached(&self, row: usize) -> bool {
        self.one_row || self.is_limit(row)
    }

    /// Whether a row is a true left limit rather than a substitute for one.
    fn is_limit(&self, row: usize) -> bool {
        self.trace.tags()[row].microstep == 0
    }

    /// The next row that the signal reaches continuously from this one.
    fn next(&self, row: usize) -> Option<usize> {
        let next = self.from(row + 1)?;
        let later = self.trace.tags()[next].time > self.trace.tags()[row].time;
        (later && self.is_limit(next) && self.point(next).is_some()).then_some(next)
    }

    /// The previous row from which the signal reaches this one continuously.
    fn previous(&self, row: usize) -> Option<usize> {
        let previous = self.before(row)?;
        let earlier = self.trace.tags()[previous].time < self.trace.tags()[row].time;
        let moves = earlier && self.is_limit(row);
        (moves && self.point(previous).is_some()).then_some(previous)
    }

    /// The curve between two rows, the second of which is a left limit that follows the first; a
    /// straight line to a row that may be on the other side of a jump.
    pub fn piece(&self, from: usize, to: usize) -> Option<Piece> {
        let (start, end) = (self.point(from)?, self.point(to)?);
        let rise = end.1 - start.1;
        let (left, right) = (self.moves && self.is_limit(to))
            .then(|| self.slopes(from, to, (start, end)))
            .filter(|(left, right)| left.is_finite() && right.is_finite())
            .unwrap_or((rise, rise));
        Some(Piece { start, end, left, right })
    }

    /// The slopes at the ends of a piece, scaled to the change of the signal over the whole piece.
    fn slopes(&self, from: usize, to: usize, (start, end): (Point, Point)) -> (f64, f64) {
        let first = self.previous(from).and_then(|row| self.point(row));
        let last = self.next(to).and_then(|row| self.point(row));
        let left = match (first, last) {
            (Some(first), _) => inner(first, start, end),
            (None, Some(last)) => outer(start, end, last),
            (None, None) => slope(start, end),
        };
        let right = match (first, last) {
            (_, Some(last)) => inner(start, end, last),
            (Some(first), None) => outer(end, start, first),
            (None, None) => slope(start, end),
        };
        let length = between(start.0, end.0);
        (left * length, right * length)
    }
}

/// The curve of a signal between two rows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Piece {
    start: Point,
    end: Point,
    /// The slopes at the ends, scaled to the change of the signal over the whole piece.
    left: f64,
    right: f64,
}

impl Piece {
    /// When it ends.
    pub fn end(&self) -> Time {
        self.end.0
    }

    /// The times that divide it into `count` pieces.
    pub fn times(&self, count: u32) -> impl Iterator<Item = Time> {
        divide(self.start.0, self.end.0, count)
    }

    /// Whether it is constant.
    pub fn is_flat(&self) -> bool {
        self.start.1 == self.end.1
    }

    /// Whether it is visually a straight line.
    pub fn is_straight(&self) -> bool {
        let rise = self.end.1 - self.start.1;
        let near = |slope: f64| (slope - rise).abs() <= 1e-6 * rise.abs();
        near(self.left) && near(self.right)
    }

    /// The value at a time between the ends.
    pub fn at(&self, time: Time) -> f64 {
        let part = between(self.start.0, time) / between(self.start.0, self.end.0);
        let ((_, from), (_, to)) = (self.start, self.end);
        let line = from * (1.0 - part) + to * part;
        let rest = 1.0 - part;
        // The Hermite basis, as a deviation from the straight line.
        let rise = to - from;
        let bend = part * rest * ((self.left - rise) * rest - (self.right - rise) * part);
        let value = line + bend;
        if value.is_finite() { value.clamp(from.min(to), from.max(to)) } else { line }
    }
}

/// The times that divide an interval into `count` pieces.
pub(crate) fn divide(from: Time, to: Time, count: u32) -> impl Iterator<Item = Time> {
    let length = between(from, to);
    let at = move |k| length * f64::from(k) / f64::from(count);
    (1..count).map(move |k| from + Time::from_attoseconds(at(k) as i128))
}

/// The slope between two points in either order, in units of the value per attosecond.
fn slope(a: Point, b: Point) -> f64 {
    if a.0 < b.0 { (b.1 - a.1) / distance(a, b) } else { (a.1 - b.1) / distance(a, b) }
}

fn distance(a: Point, b: Point) -> f64 {
    between(a.0.min(b.0), a.0.max(b.0))
}

/// The slope at the second of three points: a harmonic mean, or zero at a turning point.
fn inner(a: Point, b: Point, c: Point) -> f64 {
    let (before, after) = (slope(a, b), slope(b, c));
    if before == 0.0 || after == 0.0 || before.signum() != after.signum() {
        return 0.0;
    }
    let (short, long) = (distance(a, b), distance(b, c));
    let (first, second) = (short + 2.0 * long, 2.0 * short + long);
    (first + second) / (first / before + second / after)
}

/// The slope at the first of three points, which may go back in time: that of a parabola, limited
/// so that the curve does not turn before the second point.
fn outer(a: Point, b: Point, c: Point) -> f64 {
    let (near, far) = (slope(a, b), slope(b, c));
    let share = distance(a, b) / (distance(a, b) + distance(b, c));
    let slope = near + (near - far) * share;
    match near {
        _ if near == 0.0 || slope * near.signum() <= 0.0 => 0.0,
        _ if slope.abs() > 3.0 * near.abs() => 3.0 * near,
        _ => slope,
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

    fn trace(rows: &[(f64, u32, f64)], ty: Type) -> Trace {
        let mut trace = Trace::new(vec![Column { name: "x".to_owned(), ty }]);
        for (t, n, value) in rows {
            trace.push(Tag::new(time(*t), *n), |_| Some(std::slice::from_ref(value)));
        }
        trace
    }

    fn source() -> Source {
        Source { column: 0, element: 0, name: "x".to_owned(), positive: false, zero: 0.0 }
    }

    /// The largest deviation from a function, halfway between rows a step apart.
    fn error(step: f64, f: fn(f64) -> f64) -> f64 {
        let rows: Vec<_> = (0..=(3.0 / step) as u32)
            .map(|k| (f64::from(k) * step, 0, f(f64::from(k) * step)))
            .collect();
        let trace = trace(&rows, Type::REAL);
        let source = source();
        let nodes = Nodes::new(&trace, &source, None);
        let middle = |row: usize| {
            let t = rows[row].0 + step / 2.0;
            (nodes.piece(row, row + 1).unwrap().at(time(t)) - f(t)).abs()
        };
        (0..rows.len() - 1).map(middle).fold(0.0, f64::max)
    }

    #[test]
    fn monotone_data_are_followed_closely() {
        // Halving the step must divide the error by more than 4, the factor of straight lines.
        let (coarse, fine) = (error(0.5, f64::exp), error(0.25, f64::exp));
        assert!(coarse / fine > 5.0, "{coarse} {fine}");
        assert!(coarse < 0.15 * (0.25f64 / 8.0) * 3.0f64.exp(), "{coarse}");
    }

    #[test]
    fn the_curve_stays_between_its_ends() {
        let rows = [(0.0, 0, 0.0), (1.0, 0, 0.1), (1.1, 0, 8.0), (4.0, 0, 8.1), (5.0, 0, -3.0)];
        let trace = trace(&rows, Type::REAL);
        let source = source();
        let nodes = Nodes::new(&trace, &source, None);
        for (row, pair) in rows.windows(2).enumerate() {
            let piece = nodes.piece(row, row + 1).unwrap();
            let (low, high) = (pair[0].2.min(pair[1].2), pair[0].2.max(pair[1].2));
            let mut last = pair[0].2;
            for k in 0..=100 {
                let t = pair[0].0 + (pair[1].0 - pair[0].0) * f64::from(k) / 100.0;
                let value = piece.at(time(t));
                assert!((low - 1e-12..=high + 1e-12).contains(&value), "{t} {value}");
                assert!((value - last) * (pair[1].2 - pair[0].2) >= -1e-12, "{t} {value}");
                last = value;
            }
        }
    }

    #[test]
    fn no_slope_is_taken_across_an_instant_with_microsteps() {
        // A corner at 2, straight on either side.
        let rows = [
            (0.0, 0, 0.0),
            (1.0, 0, 1.0),
            (2.0, 0, 2.0),
            (2.0, 1, 2.0),
            (3.0, 0, -4.0),
            (4.0, 0, -10.0),
        ];
        let trace = trace(&rows, Type::REAL);
        let source = source();
        let nodes = Nodes::new(&trace, &source, None);
        assert!(nodes.piece(1, 2).unwrap().is_straight());
        assert!(nodes.piece(3, 4).unwrap().is_straight());
    }

    #[test]
    fn whole_numbers_are_joined_by_straight_lines() {
        let rows = [(0.0, 0, 0.0), (1.0, 0, 1.0), (2.0, 0, 4.0), (3.0, 0, 9.0)];
        let source = source();
        let whole = trace(&rows, Type::INT);
        assert!(Nodes::new(&whole, &source, None).piece(1, 2).unwrap().is_straight());
        let real = trace(&rows, Type::REAL);
        assert!(!Nodes::new(&real, &source, None).piece(1, 2).unwrap().is_straight());
    }

    #[test]
    fn huge_values_stay_finite() {
        let rows = [(0.0, 0, f64::MAX), (1.0, 0, -f64::MAX), (2.0, 0, f64::MAX)];
        let trace = trace(&rows, Type::REAL);
        let source = source();
        let nodes = Nodes::new(&trace, &source, None);
        assert!(nodes.piece(0, 1).unwrap().at(time(0.3)).is_finite());
    }
}
