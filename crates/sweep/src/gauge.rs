//! A measure as it grows, row by row.
//!
//! Rows come in the order of their tags: (t, 0) with the left limit, then the microsteps of an event.
//! Between two ticks a signal is smooth, and three rows after each other make a parabola. Integrals
//! take the mean of the two parabolas that an interval is part of, and an extremum is the vertex of
//! the parabola through a greatest row and its neighbours: the error is of fourth order in the
//! distance of the rows. No parabola reaches across a tick.

use base::{Tag, Time};

use crate::measure::{Kind, Measure};

/// What a measure has seen of a run.
#[derive(Clone, Debug)]
pub struct Gauge {
    kind: Kind,
    /// Whether the signal is an event or a condition.
    events: bool,
    start: Time,
    first: Option<f64>,
    last: Option<f64>,
    /// The last tag, and whether the signal was true there.
    tag: Option<Tag>,
    truth: bool,
    count: u64,
    found: Option<f64>,
    low: f64,
    high: f64,
    sum: f64,
    /// How long the signal was there \[s\].
    length: f64,
    piece: Piece,
    /// The points of the curve, if the measure needs them at the end.
    points: Vec<(f64, f64)>,
}

/// The last points of the present piece of the curve.
#[derive(Clone, Debug, Default)]
struct Piece {
    points: Vec<(f64, f64)>,
    /// The integral over the last interval by the parabola before it.
    before: Option<f64>,
}

impl Gauge {
    /// The gauge of a measure of an event or of a condition if `events`, before a run from `start`.
    pub fn new(measure: &Measure, events: bool, start: Time) -> Gauge {
        Gauge {
            kind: measure.kind,
            events,
            start,
            first: None,
            last: None,
            tag: None,
            truth: false,
            count: 0,
            found: None,
            low: f64::INFINITY,
            high: f64::NEG_INFINITY,
            sum: 0.0,
            length: 0.0,
            piece: Piece::default(),
            points: Vec::new(),
        }
    }

    /// Takes the value at a tag; none if the signal is absent. `is_truth` says that the value is
    /// a condition, which counts when it becomes true.
    pub fn row(&mut self, tag: Tag, value: Option<f64>, is_truth: bool) {
        if self.kind.counts() {
            return self.happen(tag, value, is_truth);
        }
        let before = self.tag.replace(tag);
        let t = tag.time.since(self.start);
        let Some(value) = value else { return self.end_piece() };
        self.first.get_or_insert(value);
        self.last = Some(value);
        if let Kind::At(time) = self.kind {
            if Time::from_f64(time).is_some_and(|time| time == tag.time) {
                self.found = Some(value);
            }
            return;
        }
        if !self.kind.is_of_a_curve() {
            return;
        }
        (self.low, self.high) = (self.low.min(value), self.high.max(value));
        if tag.microstep > 0 && before.is_some_and(|before| before.time == tag.time) {
            self.end_piece();
        }
        self.points.extend(self.keeps().then_some((t, value)));
        self.extend(t, value);
    }

    /// Takes the coefficient of an impulse of an order at the tag of the row before: its integral is
    /// the coefficient, that of its derivatives is 0, and the square of neither has one.
    pub fn impulse(&mut self, order: usize, coefficient: f64) {
        match self.kind {
            Kind::Integral | Kind::Mean if order == 0 => self.sum += coefficient,
            Kind::Rms if coefficient != 0.0 => self.sum = f64::INFINITY,
            _ => {}
        }
    }

    /// Counts an event.
    fn happen(&mut self, tag: Tag, value: Option<f64>, is_truth: bool) {
        let now = match (value, is_truth && !self.events) {
            (Some(value), true) => value != 0.0,
            (value, _) => value.is_some(),
        };
        let began = now && (self.events || !self.truth);
        self.truth = now;
        if began {
            self.count += 1;
            if self.kind == Kind::Time(self.count) {
                self.found = Some(tag.time.seconds());
            }
        }
    }

    /// Whether the measure needs the curve at the end.
    fn keeps(&self) -> bool {
        matches!(self.kind, Kind::Settling { .. })
    }

    /// Adds a point to the present piece.
    fn extend(&mut self, t: f64, value: f64) {
        let value = if self.kind == Kind::Rms { value * value } else { value };
        let points = &mut self.piece.points;
        if points.last().is_some_and(|last| last.0 >= t) {
            return;
        }
        points.push((t, value));
        let [a, b, c] = points[..] else { return };
        let parabola = Parabola::through(a, b, c);
        let (left, right) = (parabola.integral(a.0, b.0), parabola.integral(b.0, c.0));
        self.sum += self.piece.before.map_or(left, |before| 0.5 * (before + left));
        self.length += b.0 - a.0;
        self.piece.before = Some(right);
        if let Some(vertex) = parabola.vertex_beyond(a, b, c) {
            self.low = self.low.min(vertex);
            self.high = self.high.max(vertex);
        }
        points.remove(0);
    }

    /// The signal jumps or is gone.
    fn end_piece(&mut self) {
        if let [a, b] = self.piece.points[..] {
            let line = 0.5 * (a.1 + b.1) * (b.0 - a.0);
            self.sum += self.piece.before.unwrap_or(line);
            self.length += b.0 - a.0;
        }
        self.piece.points.clear();
        self.piece.before = None;
    }

    /// The measure at the end of the run; none if there is none, such as the time of an event that
    /// did not happen.
    pub fn result(&mut self) -> Option<f64> {
        self.end_piece();
        let seen = |value: f64| self.first.map(|_| value);
        match self.kind {
            Kind::End => self.last,
            Kind::Initial => self.first,
            Kind::Min => seen(self.low),
            Kind::Max => seen(self.high),
            Kind::Integral => seen(self.sum),
            Kind::Mean if self.length > 0.0 => seen(self.sum / self.length),
            Kind::Rms if self.length > 0.0 => seen((self.sum / self.length).max(0.0).sqrt()),
            Kind::Mean => self.last,
            Kind::Rms => self.last.map(f64::abs),
            Kind::At(_) | Kind::Time(_) => self.found,
            Kind::Count => Some(self.count as f64),
            Kind::Settling { band, target } => self.settling(band, target),
            Kind::Overshoot { target } => self.overshoot(target),
        }
    }

    /// The point after which the curve stays in the band; the way into it is a line between rows.
    fn settling(&self, band: f64, target: Option<f64>) -> Option<f64> {
        let (first, target) = (self.first?, target.or(self.last)?);
        let most = band * (target - first).abs();
        let off = |value: f64| (value - target).abs() - most;
        let Some(outside) = self.points.iter().rposition(|own| off(own.1) > 0.0) else {
            return Some(0.0);
        };
        let ((t, a), (next, b)) = (self.points[outside], *self.points.get(outside + 1)?);
        let (from, to) = (off(a), off(b));
        Some(t + (next - t) * from / (from - to))
    }

    fn overshoot(&self, target: Option<f64>) -> Option<f64> {
        let (first, target) = (self.first?, target.or(self.last)?);
        let way = target - first;
        let beyond = if way >= 0.0 { self.high - target } else { target - self.low };
        (way != 0.0).then(|| beyond.max(0.0) / way.abs())
    }
}

/// A parabola in Newton's form.
struct Parabola {
    from: f64,
    to: f64,
    value: f64,
    slope: f64,
    bend: f64,
}

impl Parabola {
    fn through(a: (f64, f64), b: (f64, f64), c: (f64, f64)) -> Parabola {
        let slope = (b.1 - a.1) / (b.0 - a.0);
        let bend = ((c.1 - b.1) / (c.0 - b.0) - slope) / (c.0 - a.0);
        Parabola { from: a.0, to: b.0, value: a.1, slope, bend }
    }

    fn at(&self, t: f64) -> f64 {
        self.value + (t - self.from) * (self.slope + self.bend * (t - self.to))
    }

    /// Simpson's rule is exact for parabolas.
    fn integral(&self, from: f64, to: f64) -> f64 {
        (to - from) / 6.0 * (self.at(from) + 4.0 * self.at(0.5 * (from + to)) + self.at(to))
    }

    /// The value at the vertex, if the middle one of three points is the greatest or the least.
    fn vertex_beyond(&self, a: (f64, f64), b: (f64, f64), c: (f64, f64)) -> Option<f64> {
        let greatest = b.1 > a.1 && b.1 > c.1;
        let least = b.1 < a.1 && b.1 < c.1;
        let t = 0.5 * (self.from + self.to - self.slope / self.bend);
        ((greatest || least) && a.0 < t && t < c.0).then(|| self.at(t))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gauge(kind: Kind) -> Gauge {
        let measure = Measure { name: String::new(), kind, of: String::new() };
        Gauge::new(&measure, false, Time::ZERO)
    }

    fn tag(t: f64, microstep: u32) -> Tag {
        Tag::new(Time::from_f64(t).expect("a time"), microstep)
    }

    /// The measure of a function over rows at uneven times from 0 to `end`.
    fn over(kind: Kind, end: f64, rows: u32, f: impl Fn(f64) -> f64) -> f64 {
        let mut gauge = gauge(kind);
        for k in 0..=rows {
            let part = f64::from(k) / f64::from(rows);
            let t = end * (part + 0.05 * (6.0 * part).sin() * part * (1.0 - part));
            gauge.row(tag(t, 0), Some(f(t)), false);
        }
        gauge.result().expect("a measure")
    }

    #[test]
    fn halving_the_distance_of_rows_divides_the_error_of_an_integral_by_sixteen() {
        let exact = 1.0 - (-3f64).exp();
        let error = |rows| (over(Kind::Integral, 3.0, rows, |t| (-t).exp()) - exact).abs();
        let ratio = error(100) / error(200);
        assert!((14.0..18.0).contains(&ratio), "{ratio}");
        assert!(error(1000) < 1e-11, "{}", error(1000));
    }

    #[test]
    fn extremes_lie_between_rows() {
        assert!((over(Kind::Max, 6.0, 100, f64::sin) - 1.0).abs() < 1e-6);
        assert!((over(Kind::Min, 6.0, 100, f64::sin) + 1.0).abs() < 1e-6);
        assert!((over(Kind::Mean, 6.0, 400, f64::sin) - (1.0 - 6f64.cos()) / 6.0).abs() < 1e-7);
        let rms = (0.5 - (12f64).sin() / 24.0).sqrt();
        assert!((over(Kind::Rms, 6.0, 400, f64::sin) - rms).abs() < 1e-6);
    }

    #[test]
    fn a_jump_ends_a_piece() {
        for (kind, expected) in [
            (Kind::Integral, 1.0 + 2.0 * 5.0),
            (Kind::Max, 7.0),
            (Kind::Min, 1.0),
            (Kind::Initial, 1.0),
            (Kind::End, 5.0),
            (Kind::At(1.0), 5.0),
            (Kind::At(2.0), 5.0),
        ] {
            let mut gauge = gauge(kind);
            let rows = [(0.0, 0, 1.0), (0.5, 0, 1.0), (1.0, 0, 1.0), (1.0, 1, 7.0), (1.0, 2, 5.0)];
            rows.into_iter().for_each(|(t, n, y)| gauge.row(tag(t, n), Some(y), false));
            gauge.row(tag(2.0, 0), Some(5.0), false);
            gauge.row(tag(3.0, 0), Some(5.0), false);
            assert_eq!(gauge.result(), Some(expected), "{kind:?}");
        }
    }

    #[test]
    fn an_impulse_is_part_of_an_integral() {
        let measure = |kind, order| {
            let mut gauge = gauge(kind);
            for (t, n) in [(0.0, 0), (1.0, 0), (1.0, 1), (1.0, 2), (4.0, 0)] {
                gauge.row(tag(t, n), Some(2.0), false);
                if n == 1 {
                    gauge.impulse(order, -3.0);
                }
            }
            gauge.result()
        };
        assert_eq!(measure(Kind::Integral, 0), Some(5.0));
        assert_eq!(measure(Kind::Mean, 0), Some(1.25));
        assert_eq!(measure(Kind::Rms, 0), Some(f64::INFINITY));
        assert_eq!(measure(Kind::Max, 0), Some(2.0));
        assert_eq!(measure(Kind::Integral, 1), Some(8.0));
    }

    #[test]
    fn settling_and_overshoot_of_a_step_response() {
        // y = 1 - exp(-t): within 2 % from ln 50 on.
        let rise = |t: f64| 1.0 - (-t).exp();
        let settling = Kind::Settling { band: 0.02, target: Some(1.0) };
        assert!((over(settling, 20.0, 4000, rise) - 50f64.ln()).abs() < 1e-4);
        // A damping of 0.5: exp(-pi zeta / sqrt(1 - zeta^2)).
        let (zeta, beta) = (0.5f64, 0.75f64.sqrt());
        let wave =
            |t: f64| 1.0 - (-zeta * t).exp() * ((beta * t).cos() + zeta / beta * (beta * t).sin());
        let expected = (-std::f64::consts::PI * zeta / beta).exp();
        assert!((over(Kind::Overshoot { target: None }, 60.0, 4000, wave) - expected).abs() < 1e-8);
        let down = |t: f64| -wave(t);
        assert!((over(Kind::Overshoot { target: None }, 60.0, 4000, down) - expected).abs() < 1e-8);
        assert_eq!(over(Kind::Overshoot { target: Some(1.0) }, 20.0, 400, rise), 0.0);
    }

    #[test]
    fn events_and_conditions_are_counted() {
        let measure = |kind| Measure { name: String::new(), kind, of: String::new() };
        let mut count = Gauge::new(&measure(Kind::Count), true, Time::ZERO);
        let mut second = Gauge::new(&measure(Kind::Time(2)), true, Time::ZERO);
        let mut third = Gauge::new(&measure(Kind::Time(3)), true, Time::ZERO);
        for (t, n, value) in
            [(0.0, 0, None), (1.0, 1, Some(4.0)), (1.5, 1, Some(4.0)), (2.0, 0, None)]
        {
            for gauge in [&mut count, &mut second, &mut third] {
                gauge.row(tag(t, n), value, false);
            }
        }
        assert_eq!((count.result(), second.result(), third.result()), (Some(2.0), Some(1.5), None));
        let mut truth = gauge(Kind::Count);
        for (t, value) in [(0.0, 1.0), (1.0, 1.0), (2.0, 0.0), (3.0, 1.0)] {
            truth.row(tag(t, 0), Some(value), true);
        }
        assert_eq!(truth.result(), Some(2.0));
    }
}
