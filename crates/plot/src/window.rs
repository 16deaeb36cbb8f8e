//! A signal over a stretch of time, as a pen would follow it.

use std::ops::Range;

use base::Time;
use trace::Trace;

use crate::curve::Source;
use crate::scale::{TimeScale, between};

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

/// What a pen does. Places are pixels from the left, values are those of the signal.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Step {
    /// The signal begins to be present here.
    Start(f64, f64),
    /// The signal goes on to here without a jump.
    Flow(f64, f64),
    /// The signal jumps here, from the first value to the second.
    Jump(f64, f64, f64),
}

/// Follows a signal through the range of a scale, from the left to the right.
///
/// At an instant the value at microstep 0 is the left limit, which a line from the instant before
/// reaches; every change after it is a jump. Where microstep 0 is missing the left limit is not
/// known, and no line leads to the instant. Lines end at the edges of the range.
pub(crate) fn walk(trace: &Trace, source: &Source, scale: &TimeScale, visit: impl FnMut(Step)) {
    Walk { trace, source, scale, current: None, visit }.all();
}

struct Walk<'a, V> {
    trace: &'a Trace,
    source: &'a Source,
    scale: &'a TimeScale,
    /// The time and the value that the pen has reached, where the signal is present.
    current: Option<(Time, f64)>,
    visit: V,
}

impl<V: FnMut(Step)> Walk<'_, V> {
    fn all(mut self) {
        let (from, to) = self.scale.range();
        let rows = rows(self.trace, (from, to));
        if let Some(before) = rows.start.checked_sub(1) {
            self.enter(before, rows.start, from);
        }
        for instant in instants(self.trace, rows.clone()) {
            self.arrive(instant.start);
            // Nearly every instant is a single left limit, which has just been reached.
            if instant.len() > 1 || self.current.is_none() || !self.scale.bands().is_empty() {
                self.pass(instant);
            }
        }
        if let (Some(now), Some(next)) = (self.current, self.left_limit(rows.end))
            && now.0 < to
        {
            (self.visit)(Step::Flow(self.scale.at(to), interpolate(now, next, to)));
        }
    }

    /// Begins at the left edge, on the line between the rows before and after it.
    fn enter(&mut self, before: usize, after: usize, edge: Time) {
        let value = self.source.value(self.trace, before);
        let Some((last, next)) = value.zip(self.left_limit(after)) else { return };
        if next.0 > edge {
            let value = interpolate((self.trace.tags()[before].time, last), next, edge);
            (self.visit)(Step::Start(self.scale.at(edge), value));
            self.current = Some((edge, value));
        }
    }

    /// The time and value of a row, where it is a left limit.
    fn left_limit(&self, row: usize) -> Option<(Time, f64)> {
        let tag = self.trace.tags().get(row).filter(|tag| tag.microstep == 0)?;
        Some((tag.time, self.source.value(self.trace, row)?))
    }

    /// Goes to the left limit at an instant.
    fn arrive(&mut self, row: usize) {
        let reached = self.left_limit(row);
        if let Some((time, value)) = reached {
            let x = self.scale.at(time);
            (self.visit)(match self.current {
                Some(_) => Step::Flow(x, value),
                None => Step::Start(x, value),
            });
        }
        self.current = reached;
    }

    /// Goes through the microsteps of an instant.
    fn pass(&mut self, instant: Range<usize>) {
        for row in instant {
            let tag = self.trace.tags()[row];
            let value = self.source.value(self.trace, row);
            let cell = self.scale.cell(tag);
            let x = || cell.map_or_else(|| self.scale.at(tag.time), |(left, _)| left);
            match (self.current, value) {
                (Some((_, last)), Some(value)) if last != value => {
                    (self.visit)(Step::Jump(x(), last, value));
                }
                (None, Some(value)) => (self.visit)(Step::Start(x(), value)),
                _ => {}
            }
            if let (Some((_, right)), Some(value)) = (cell, value) {
                (self.visit)(Step::Flow(right, value));
            }
            self.current = value.map(|value| (tag.time, value));
        }
    }
}

/// The value at a time on the line between two points.
fn interpolate(a: (Time, f64), b: (Time, f64), time: Time) -> f64 {
    let part = between(a.0, time) / between(a.0, b.0);
    a.1 * (1.0 - part) + b.1 * part
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

    /// The steps over 0..10 at ten pixels; a value that is negative zero is absent.
    fn steps(rows: &[(f64, u32, f64)], range: (f64, f64)) -> Vec<Step> {
        let mut trace = Trace::new(vec![Column { name: "x".to_owned(), ty: Type::REAL }]);
        for (t, n, value) in rows {
            let absent = value.to_bits() == (-0.0f64).to_bits();
            let value = (!absent).then_some(std::slice::from_ref(value));
            trace.push(Tag::new(time(*t), *n), |_| value);
        }
        let source = Source { column: 0, element: 0, name: "x".to_owned() };
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
        let rows = [(0.0, 0, 1.0), (1.0, 1, 2.0), (2.0, 0, 3.0)];
        let expected = [Start(0.0, 1.0), Start(1.0, 2.0), Flow(2.0, 3.0)];
        assert_eq!(steps(&rows, (0.0, 2.0)), expected);
    }

    #[test]
    fn lines_end_at_the_edges_of_the_range() {
        let rows = [(0.0, 0, 0.0), (4.0, 0, 4.0), (8.0, 0, 0.0)];
        let expected = [Start(3.0, 3.0), Flow(4.0, 4.0), Flow(6.0, 2.0)];
        assert_eq!(steps(&rows, (3.0, 6.0)), expected);
        // No row lies in the range at all.
        assert_eq!(steps(&rows, (1.0, 3.0)), [Start(1.0, 1.0), Flow(3.0, 3.0)]);
        assert_eq!(steps(&rows, (9.0, 10.0)), []);
    }

    #[test]
    fn an_opened_instant_is_a_staircase() {
        let mut trace = Trace::new(vec![Column { name: "x".to_owned(), ty: Type::REAL }]);
        for (t, n, value) in [(0.0, 0, 1.0), (1.0, 0, 2.0), (1.0, 1, 5.0), (2.0, 0, 6.0)] {
            trace.push(Tag::new(time(t), n), |_| Some(std::slice::from_ref(&value)));
        }
        let source = Source { column: 0, element: 0, name: "x".to_owned() };
        let band = crate::scale::Band { time: time(1.0), microsteps: vec![0, 1] };
        let scale = TimeScale::new((time(0.0), time(2.0)), vec![band], 0.0, 160.0);
        let mut steps = Vec::new();
        walk(&trace, &source, &scale, |step| steps.push(step));
        let inside = [Flow(50.0, 2.0), Flow(80.0, 2.0), Jump(80.0, 2.0, 5.0), Flow(110.0, 5.0)];
        assert_eq!(steps, [&[Start(0.0, 1.0)][..], &inside, &[Flow(160.0, 6.0)]].concat());
    }
}
