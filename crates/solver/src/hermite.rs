//! The cubic through two values and two slopes, on [0, 1].
//!
//! The search for crossings reasons about a function between two looks by this cubic; how far
//! it is off is measured by a third look.

/// Values and slopes at both ends; slopes are already times the interval's width.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cubic {
    pub value: [f64; 2],
    pub slope: [f64; 2],
}

/// By how much bounds of zeros are too wide, because of rounding.
const BOUND_SLACK: f64 = 1e-9;

/// A local minimum strictly inside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Minimum {
    pub at: f64,
    pub value: f64,
}

impl Cubic {
    /// Coefficients of θ, θ² and θ³ beside the value at 0.
    #[inline]
    fn coefficients(&self) -> [f64; 3] {
        let rise = self.value[1] - self.value[0];
        let [first, last] = self.slope;
        [first, 3.0 * rise - 2.0 * first - last, first + last - 2.0 * rise]
    }

    /// The value at θ.
    #[inline]
    pub fn at(&self, theta: f64) -> f64 {
        let [a, b, c] = self.coefficients();
        self.value[0] + theta * (a + theta * (b + theta * c))
    }

    /// The slope at θ.
    #[inline]
    pub fn slope_at(&self, theta: f64) -> f64 {
        let [a, b, c] = self.coefficients();
        a + theta * (2.0 * b + theta * 3.0 * c)
    }

    /// The local minimum inside, if there is one: the point at which the slope a + 2bθ + 3cθ² rises
    /// through zero.
    #[inline]
    pub fn minimum(&self) -> Option<Minimum> {
        let [a, b, c] = self.coefficients();
        // What is curved downwards from end to end has its least value at an end; most arcs are.
        if b <= 0.0 && b + 3.0 * c <= 0.0 {
            return None;
        }
        let discriminant = b * b - 3.0 * a * c;
        if discriminant <= 0.0 {
            return None;
        }
        // The root with positive curvature b + 3cθ = √discriminant, in its stable form.
        let root = discriminant.sqrt();
        let at = if b > 0.0 { -a / (b + root) } else { (root - b) / (3.0 * c) };
        (at > 0.0 && at < 1.0).then(|| Minimum { at, value: self.at(at) })
    }

    /// A zero in [0, 1] of a cubic that is not negative at 0 and not positive at 1, to about
    /// `fine`, by Newton's method held between bounds. Only an estimate: its caller brackets.
    #[inline]
    pub fn falling_zero(&self, fine: f64) -> f64 {
        let [a, b, c] = self.coefficients();
        let (mut low, mut high) = (0.0, 1.0);
        let mut theta = self.guess(a, b);
        for _ in 0..40 {
            let value = self.value[0] + theta * (a + theta * (b + theta * c));
            let bound = if value > 0.0 { &mut low } else { &mut high };
            *bound = theta;
            let newton = theta - value / (a + theta * (2.0 * b + theta * 3.0 * c));
            let next = if low <= newton && newton <= high { newton } else { 0.5 * (low + high) };
            let moved = (next - theta).abs();
            theta = next;
            if moved <= fine.max(4.0 * f64::EPSILON * theta) {
                break;
            }
        }
        theta
    }

    /// The least and the greatest slope, or bounds of them: the Bernstein coefficients of the slope.
    #[inline]
    fn slopes(&self) -> [f64; 2] {
        let [first, last] = self.slope;
        let middle = 3.0 * (self.value[1] - self.value[0]) - first - last;
        [first.min(last).min(middle), first.max(last).max(middle)]
    }

    /// A lower bound of the zeros of a cubic that is positive at 0 and negative at 1, by its steepest
    /// fall. It takes a tenth of the time of [`Cubic::falling_zero`], whose result is not less.
    #[inline]
    pub fn earliest_zero(&self) -> f64 {
        self.value[0] / -self.slopes()[0] - BOUND_SLACK
    }

    /// An upper bound of the same, by the least steep fall.
    #[inline]
    pub fn latest_zero(&self) -> f64 {
        let [steepest, flattest] = self.slopes();
        // If the slopes differ by more than this factor, the bound may lose its digits.
        const ALIKE: f64 = 1e-3;
        let latest = match flattest < ALIKE * steepest {
            true => (self.value[0] / -flattest).min(1.0),
            false => 1.0,
        };
        latest + BOUND_SLACK
    }

    /// The same from the other end, with the other sign: what falls through zero still does.
    #[inline]
    pub fn mirrored(&self) -> Cubic {
        let ([first, last], [from, to]) = (self.value, self.slope);
        Cubic { value: [-last, -first], slope: [to, from] }
    }

    /// The falling zero of the parabola without the cubic's last term, or of the chord.
    #[inline]
    fn guess(&self, a: f64, b: f64) -> f64 {
        let [first, last] = self.value;
        let theta = 2.0 * first / ((a * a - 4.0 * b * first).sqrt() - a);
        if (0.0..=1.0).contains(&theta) {
            return theta;
        }
        let drop = first - last;
        if drop > 0.0 { (first / drop).clamp(0.0, 1.0) } else { 0.5 }
    }

    /// The end of the arc of a cubic that leaves zero at 0 and is negative at 1: the zero of
    /// a + bθ + cθ², in its stable form. None if it does not rise first.
    #[inline]
    pub fn end_of_arc(&self) -> Option<f64> {
        let [a, b, c] = Cubic { value: [0.0, self.value[1]], ..*self }.coefficients();
        let end = 2.0 * a / ((b * b - 4.0 * a * c).sqrt() - b);
        (a > 0.0 && end > 0.0 && end < 1.0).then_some(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (θ - p)² (θ - q) as a cubic of this form.
    fn double(p: f64, q: f64) -> Cubic {
        let value = |x: f64| (x - p) * (x - p) * (x - q);
        let slope = |x: f64| (x - p) * (3.0 * x - p - 2.0 * q);
        Cubic { value: [value(0.0), value(1.0)], slope: [slope(0.0), slope(1.0)] }
    }

    #[test]
    fn the_minimum_of_a_double_root_is_found() {
        let minimum = double(0.375, -2.0).minimum().unwrap();
        assert!((minimum.at - 0.375).abs() < 1e-14);
        assert!(minimum.value.abs() < 1e-14);
        assert!(double(-0.5, -2.0).minimum().is_none());
        // Curved downwards at first, or in the end, and with a minimum all the same.
        assert!((double(0.75, 0.0).minimum().unwrap().at - 0.75).abs() < 1e-14);
        let Cubic { value: [from, to], slope: [first, last] } = double(0.25, 1.0);
        let back = Cubic { value: [-from, -to], slope: [-first, -last] };
        assert!((back.minimum().unwrap().at - 0.25).abs() < 1e-14);
    }

    #[test]
    fn a_falling_zero_is_found() {
        let Cubic { value, slope } = double(3.0, 0.3);
        let falling = Cubic { value: value.map(|v| -v), slope: slope.map(|v| -v) };
        assert!((falling.falling_zero(0.0) - 0.3).abs() < 1e-14);
    }

    #[test]
    fn a_zero_is_between_its_bounds() {
        let values = [1e-12, 0.01, 0.3, 1.0, 40.0];
        let slopes = [-90.0, -3.0, -1.0, -0.2, -1e-6, 0.0, 0.1, 2.0, 50.0];
        let pairs = values.iter().flat_map(|from| values.iter().map(move |to| [*from, -to]));
        let mut near = 0;
        for value in pairs {
            for first in slopes {
                for last in slopes {
                    let cubic = Cubic { value, slope: [first, last] };
                    let (earliest, latest) = (cubic.earliest_zero(), cubic.latest_zero());
                    let zero = cubic.falling_zero(0.0);
                    assert!(earliest <= zero && zero <= latest, "{cubic:?}: {zero}");
                    near += usize::from(latest - earliest < 0.5);
                }
            }
        }
        assert!(near > 50, "bounds that exclude something: {near}");
        let line = Cubic { value: [1.0, -3.0], slope: [-4.0, -4.0] };
        let (earliest, latest) = (line.earliest_zero(), line.latest_zero());
        assert!(0.25 - earliest < 2e-9 && latest - 0.25 < 2e-9);
    }

    #[test]
    fn an_arc_from_zero_ends_at_its_next_zero() {
        let arc = |end: f64| Cubic { value: [0.0, end - 1.0], slope: [end, end - 2.0] };
        for end in [1e-9, 0.3, 0.9] {
            assert!((arc(end).end_of_arc().unwrap() - end).abs() < 1e-15);
        }
        assert_eq!(Cubic { value: [0.0, -1.0], slope: [0.0, -2.0] }.end_of_arc(), None);
        assert_eq!(Cubic { value: [0.0, 1.0], slope: [1.0, 1.0] }.end_of_arc(), None);
    }

    #[test]
    fn straight_lines_and_parabolas_are_cubics_too() {
        let line = Cubic { value: [1.0, -3.0], slope: [-4.0, -4.0] };
        assert_eq!(line.falling_zero(0.0), 0.25);
        assert!(line.minimum().is_none());
        let parabola = Cubic { value: [1.0, 1.0], slope: [-4.0, 4.0] };
        assert_eq!(parabola.minimum().unwrap().at, 0.5);
    }
}
