//! A signal over a time interval, as the movements of a pen.

use std::ops::Range;

use base::Time;
use trace::Trace;

use crate::cubic::{Nodes, Piece, divide};
use crate::curve::Source;
use crate::scale::TimeScale;

/// The rows from one time to another, both included.
pub(crate) fn rows(trace: &Trace, (from, to): (Time, Time)) -> Range<usize> {
    let tags = trace.tags();
    tags.partition_point(|tag| tag.time < from)..tags.partition_point(|tag| tag.time <= to)
}

/// The rows of each instant.
pub(crate) fn instants(trace: &Trace, rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut next = rows.start;
    std::iter::from_fn(move || {
        let first = next;
        let time = trace.tags()[..rows.end].get(first)?.time;
        while next < rows.end && trace.tags()[next].time == time {
            next += 1;
        }
        Some(first..next)
    })
}

/// What a pen does. Positions are pixels from the left; values are those of the signal.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Step {
    /// The signal becomes present here.
    Start(f64, f64),
    /// The signal continues to here without a jump.
    Flow(f64, f64),
    /// The signal jumps here, from the first value to the second.
    Jump(f64, f64, f64),
}

/// The distance between the points of a curve between two rows \[px\].
const SHORT: f64 = 1.5;

/// Follows a signal through the range of a scale, from left to right.
///
/// At an instant, the value at microstep 0 is the left limit, which is reached by a line from the
/// instant before; every change after it is a jump. If microstep 0 is missing, the left limit is
/// not known and no line leads to the instant, unless each instant of the trace has only one row.
/// Lines end at the edges of the range.
pub(crate) fn walk(trace: &Trace, source: &Source, scale: &TimeScale, visit: impl FnMut(Step)) {
    let nodes = Nodes::new(trace, source, Some(scale));
    Walk { trace, source, scale, nodes, current: None, visit }.all();
}

struct Walk<'a, V> {
    trace: &'a Trace,
    source: &'a Source,
    scale: &'a TimeScale,
    nodes: Nodes<'a>,
    /// The row, its value and the time that the pen has reached, if the signal is present.
    current: Option<Reached>,
    visit: V,
}

#[derive(Clone, Copy)]
struct Reached {
    row: usize,
    time: Time,
    value: f64,
}

impl<V: FnMut(Step)> Walk<'_, V> {
    fn all(mut self) {
        let (from, to) = self.scale.range();
        let rows = rows(self.trace, (from, to));
        if let Some(before) = self.nodes.before(rows.start) {
            self.enter(before, rows.start, from);
        }
        for instant in instants(self.trace, rows.clone()) {
            if !self.nodes.is_node(instant.start) {
                continue;
            }
            self.arrive(instant.start);
            // Nearly every instant consists of a single left limit, which has just been reached.
            if instant.len() > 1 || self.current.is_none() || !self.scale.bands().is_empty() {
                self.pass(instant);
            }
        }
        if let Some(now) = self.current.filter(|now| now.time < to)
            && let Some(piece) = self.piece(now.row, rows.end)
        {
            self.follow(piece, (now.time, to));
            (self.visit)(Step::Flow(self.scale.at(to), piece.at(to)));
        }
    }

    /// The curve from a row to the first row of the signal at or after `next`, if that is a left
    /// limit.
    fn piece(&self, row: usize, next: usize) -> Option<Piece> {
        let next = self.nodes.from(next)?;
        self.nodes.left_limit(next)?;
        self.nodes.piece(row, next)
    }

    /// Starts at the left edge, on the curve between the rows before and after it.
    fn enter(&mut self, before: usize, after: usize, edge: Time) {
        let Some(piece) = self.piece(before, after) else { return };
        if piece.end() > edge {
            let value = piece.at(edge);
            (self.visit)(Step::Start(self.scale.at(edge), value));
            self.current = Some(Reached { row: before, time: edge, value });
        }
    }

    /// Draws the points of a curve between two times, without the ends.
    fn follow(&mut self, piece: Piece, (from, to): (Time, Time)) {
        // A straight line is curved on a logarithmic axis.
        if piece.is_straight() && (!self.source.positive || piece.is_flat()) {
            return;
        }
        let count = ((self.scale.at(to) - self.scale.at(from)) / SHORT) as u32;
        for time in divide(from, to, count) {
            (self.visit)(Step::Flow(self.scale.at(time), piece.at(time)));
        }
    }

    /// Moves to the left limit at an instant.
    fn arrive(&mut self, row: usize) {
        let reached = self.nodes.left_limit(row);
        if let Some((time, value)) = reached {
            let x = self.scale.at(time);
            match self.current {
                Some(now) => {
                    // Most rows are too close together for a curve between them to be visible.
                    if x - self.scale.at(now.time) > 2.0 * SHORT
                        && let Some(piece) = self.nodes.piece(now.row, row)
                    {
                        self.follow(piece, (now.time, time));
                    }
                    (self.visit)(Step::Flow(x, value));
                }
                None => (self.visit)(Step::Start(x, value)),
            }
        }
        self.current = reached.map(|(time, value)| Reached { row, time, value });
    }

    /// Draws the microsteps of an instant.
    fn pass(&mut self, instant: Range<usize>) {
        for row in instant {
            let tag = self.trace.tags()[row];
            let value = self.source.value(self.trace, row);
            let cell = self.scale.cell(tag);
            let x = || cell.map_or_else(|| self.scale.at(tag.time), |(left, _)| left);
            match (self.current, value) {
                (Some(now), Some(value)) if now.value != value => {
                    (self.visit)(Step::Jump(x(), now.value, value));
                }
                (None, Some(value)) => (self.visit)(Step::Start(x(), value)),
                _ => {}
            }
            if let (Some((_, right)), Some(value)) = (cell, value) {
                (self.visit)(Step::Flow(right, value));
            }
            self.current = value.map(|value| Reached { row, time: tag.time, value });
        }
    }
}

#[cfg(test)]
mod tests {
    use base::{Tag, Type};
    use trace::Column;

    use super::*;

    const NAN: f64 = f64::NAN;

    fn time(seconds: f64) -> Time {
        Time::from_f64(seconds).unwrap()
    }

    /// The steps over 0..10 with ten pixels; negative zero marks an absent value.
    fn steps(rows: &[(f64, u32, f64)], range: (f64, f64)) -> Vec<Step> {
        let mut trace = Trace::new(vec![Column { name: "x".to_owned(), ty: Type::REAL }]);
        for (t, n, value) in rows {
            let absent = value.to_bits() == (-0.0f64).to_bits();
            let value = (!absent).then_some(std::slice::from_ref(value));
            trace.push(Tag::new(time(*t), *n), |_| value);
        }
        let source =
            Source { column: 0, element: 0, name: "x".to_owned(), positive: false, zero: 0.0 };
        let width = range.1 - range.0;
        let scale = TimeScale::new((time(range.0), time(range.1)), Vec::new(), range.0, width);
        let mut steps = Vec::new();
        walk(&trace, &source, &scale, |step| steps.push(step));
        steps
    }

    use Step::{Flow, Jump, Start};

    #[test]
    fn a_jump_is_no_line() {
        let rows = [(0.0, 0, 1.0), (2.0, 0, 1.0), (2.0, 1, 5.0), (4.0, 0, 5.0)];
        let expected = [Start(0.0, 1.0), Flow(2.0, 1.0), Jump(2.0, 1.0, 5.0), Flow(4.0, 5.0)];
        assert_eq!(steps(&rows, (0.0, 4.0)), expected);
    }

    #[test]
    fn microsteps_without_change_do_not_break_the_line() {
        let rows = [(0.0, 0, 1.0), (2.0, 0, 2.0), (2.0, 1, 2.0), (2.0, 2, 2.0), (4.0, 0, 3.0)];
        let expected = [Start(0.0, 1.0), Flow(2.0, 2.0), Flow(4.0, 3.0)];
        assert_eq!(steps(&rows, (0.0, 4.0)), expected);
    }

    #[test]
    fn no_line_crosses_absence_or_nan() {
        for gap in [-0.0, NAN, f64::INFINITY] {
            let rows = [(0.0, 0, 1.0), (1.0, 0, gap), (2.0, 0, 3.0), (3.0, 0, 4.0)];
            let expected = [Start(0.0, 1.0), Start(2.0, 3.0), Flow(3.0, 4.0)];
            assert_eq!(steps(&rows, (0.0, 3.0)), expected);
        }
    }

    #[test]
    fn an_unknown_left_limit_is_a_gap() {
        let rows = [(0.0, 0, 1.0), (1.0, 1, 2.0), (2.0, 0, 3.0), (2.0, 1, 3.0)];
        let expected = [Start(0.0, 1.0), Start(1.0, 2.0), Flow(2.0, 3.0)];
        assert_eq!(steps(&rows, (0.0, 2.0)), expected);
    }

    #[test]
    fn one_row_an_instant_is_joined_by_straight_lines() {
        let rows = [(0.0, 0, 1.0), (8.0, 2, 2.0), (16.0, 1, 9.0), (32.0, 0, 10.0)];
        let expected = [Start(0.0, 1.0), Flow(8.0, 2.0), Flow(16.0, 9.0), Flow(32.0, 10.0)];
        assert_eq!(steps(&rows, (0.0, 32.0)), expected);
    }

    #[test]
    fn lines_end_at_the_edges_of_the_range() {
        let rows = [(0.0, 0, 0.0), (4.0, 0, 4.0), (4.0, 1, 4.0), (8.0, 0, 0.0)];
        let expected = [Start(3.0, 3.0), Flow(4.0, 4.0), Flow(6.0, 2.0)];
        assert_eq!(steps(&rows, (3.0, 6.0)), expected);
        // No row lies in the range.
        assert_eq!(steps(&rows, (1.0, 3.0)), [Start(1.0, 1.0), Flow(3.0, 3.0)]);
        assert_eq!(steps(&rows, (9.0, 10.0)), []);
    }

    #[test]
    fn a_curve_goes_through_long_steps() {
        let rows: Vec<_> = (0..4).map(|k| (f64::from(k) * 10.0, 0, f64::from(k * k))).collect();
        let found = steps(&rows, (5.0, 25.0));
        assert!(found.len() > 10, "{found:?}");
        for step in &found[1..] {
            let Flow(x, value) = step else { panic!("{step:?} is no flow") };
            let exact = (x / 10.0) * (x / 10.0);
            assert!((value - exact).abs() < 0.08, "{x} {value} {exact}");
        }
        // A straight line needs no intermediate points.
        let rows: Vec<_> = (0..4).map(|k| (f64::from(k) * 10.0, 0, f64::from(k))).collect();
        assert_eq!(steps(&rows, (0.0, 10.0)), [Start(0.0, 0.0), Flow(10.0, 1.0)]);
    }

    #[test]
    fn an_opened_instant_is_a_staircase() {
        let mut trace = Trace::new(vec![Column { name: "x".to_owned(), ty: Type::REAL }]);
        for (t, n, value) in [(0.0, 0, 1.0), (1.0, 0, 2.0), (1.0, 1, 5.0), (2.0, 0, 6.0)] {
            trace.push(Tag::new(time(t), n), |_| Some(std::slice::from_ref(&value)));
        }
        let source =
            Source { column: 0, element: 0, name: "x".to_owned(), positive: false, zero: 0.0 };
        let band = crate::scale::Band { time: time(1.0), microsteps: vec![0, 1] };
        let scale = TimeScale::new((time(0.0), time(2.0)), vec![band], 0.0, 160.0);
        let mut steps = Vec::new();
        walk(&trace, &source, &scale, |step| steps.push(step));
        let inside = [Flow(50.0, 2.0), Flow(80.0, 2.0), Jump(80.0, 2.0, 5.0), Flow(110.0, 5.0)];
        assert_eq!(steps, [&[Start(0.0, 1.0)][..], &inside, &[Flow(160.0, 6.0)]].concat());
    }
}
