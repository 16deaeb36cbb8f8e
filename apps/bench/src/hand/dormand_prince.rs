//! The Dormand-Prince 5(4) pair with PI control, for a fixed number of states.
//!
//! The step control is that of DOPRI5 (E. Hairer, S. P. Nørsett, G. Wanner, "Solving Ordinary
//! Differential Equations I", II.4), so that the same tolerance leads to the same steps as in a
//! model.

use super::Equations;

/// The current point of a solution, with what the next step needs.
pub(crate) struct DormandPrince<const N: usize> {
    tolerance: f64,
    /// The step to try next.
    step: f64,
    /// ln of the last error, at least ln 1e-4.
    previous: f64,
    pub t: f64,
    pub x: [f64; N],
    /// Start of the last step.
    pub t0: f64,
    pub x0: [f64; N],
    k: [[f64; N]; 7],
    argument: [f64; N],
    /// Accepted steps.
    pub steps: u64,
}

const FLOOR: f64 = -4.0 * std::f64::consts::LN_10;

impl<const N: usize> DormandPrince<N> {
    /// Starts a solution, with an automatic first step.
    pub fn new(equations: &impl Equations<N>, x: [f64; N], tolerance: f64) -> Self {
        let zero = [0.0; N];
        let mut solver = DormandPrince {
            tolerance,
            step: 0.0,
            previous: FLOOR,
            t: 0.0,
            x,
            t0: 0.0,
            x0: x,
            k: [zero; 7],
            argument: zero,
            steps: 0,
        };
        solver.restart(equations);
        solver.step = solver.first_step(equations);
        solver
    }

    /// Continues from a modified state; the current step size is kept.
    pub fn restart(&mut self, equations: &impl Equations<N>) {
        self.previous = FLOOR;
        equations.slopes(self.t, &self.x, &mut self.k[6]);
    }

    /// One accepted step, not beyond `stop`. It is inlined into the calling loop, so that a small
    /// state stays in registers.
    #[inline(always)]
    pub fn step(&mut self, equations: &impl Equations<N>, stop: f64) {
        self.t0 = self.t;
        self.x0 = self.x;
        self.k[0] = self.k[6];
        let wanted = self.step;
        let mut step = wanted;
        loop {
            let rest = stop - self.t0;
            self.t = match step {
                _ if rest <= 1.1 * step => stop,
                _ if rest < 2.0 * step => self.t0 + 0.5 * rest,
                _ => self.t0 + step,
            };
            let h = self.t - self.t0;
            self.stages(equations, h);
            let square = self.square_error(h);
            if square <= 1.0 {
                self.suggest(square, h, step, wanted);
                self.steps += 1;
                return;
            }
            step = h * (0.9 / square.sqrt().powf(0.17)).max(0.2);
        }
    }

    /// Sets the step to try next, after one of length h with this error.
    #[inline(always)]
    fn suggest(&mut self, square: f64, h: f64, tried: f64, wanted: f64) {
        let growth = if tried < wanted { 1.0 } else { 5.0 };
        // An error below 4e-6 gives the maximum growth regardless of the previous error, and then
        // counts as 1e-4.
        let (size, factor) = if square < 1.6e-11 {
            (FLOOR, growth)
        } else {
            let size = square.sqrt().ln();
            (size.max(FLOOR), 0.9 * (0.04 * self.previous - 0.17 * size).exp())
        };
        let next = h * factor.clamp(0.2, growth);
        // A step that was cut only by the stop time does not shorten the next one.
        if tried == wanted && h < wanted && next >= 5.0 * h {
            self.step = wanted.max(next);
        } else {
            self.previous = size;
            self.step = next;
        }
    }

    #[rustfmt::skip]
    #[inline(always)]
    fn stages(&mut self, equations: &impl Equations<N>, h: f64) {
        let (t, x, y) = (self.t0, &self.x0, &mut self.argument);
        let [k1, k2, k3, k4, k5, k6, k7] = &mut self.k;
        for i in 0..N {
            y[i] = x[i] + h * (0.2 * k1[i]);
        }
        equations.slopes(t + 0.2 * h, y, k2);
        for i in 0..N {
            y[i] = x[i] + h * (3.0 / 40.0 * k1[i] + 9.0 / 40.0 * k2[i]);
        }
        equations.slopes(t + 0.3 * h, y, k3);
        for i in 0..N {
            y[i] = x[i] + h * (44.0 / 45.0 * k1[i] - 56.0 / 15.0 * k2[i] + 32.0 / 9.0 * k3[i]);
        }
        equations.slopes(t + 0.8 * h, y, k4);
        for i in 0..N {
            y[i] = x[i] + h * (19372.0 / 6561.0 * k1[i] - 25360.0 / 2187.0 * k2[i]
                + 64448.0 / 6561.0 * k3[i] - 212.0 / 729.0 * k4[i]);
        }
        equations.slopes(t + 8.0 / 9.0 * h, y, k5);
        for i in 0..N {
            y[i] = x[i] + h * (9017.0 / 3168.0 * k1[i] - 355.0 / 33.0 * k2[i]
                + 46732.0 / 5247.0 * k3[i] + 49.0 / 176.0 * k4[i] - 5103.0 / 18656.0 * k5[i]);
        }
        equations.slopes(self.t, y, k6);
        for i in 0..N {
            self.x[i] = x[i] + h * (35.0 / 384.0 * k1[i] + 500.0 / 1113.0 * k3[i]
                + 125.0 / 192.0 * k4[i] - 2187.0 / 6784.0 * k5[i] + 11.0 / 84.0 * k6[i]);
        }
        equations.slopes(self.t, &self.x, k7);
    }

    /// Mean square of the error over the tolerance.
    #[rustfmt::skip]
    #[inline(always)]
    fn square_error(&self, h: f64) -> f64 {
        let [k1, _, k3, k4, k5, k6, k7] = &self.k;
        // Four interleaved partial sums, which the processor adds in parallel.
        let mut sums = [0.0; 4];
        for i in 0..N {
            let e = 71.0 / 57600.0 * k1[i] - 71.0 / 16695.0 * k3[i] + 71.0 / 1920.0 * k4[i]
                - 17253.0 / 339200.0 * k5[i] + 22.0 / 525.0 * k6[i] - 1.0 / 40.0 * k7[i];
            let size = self.x0[i].abs().max(self.x[i].abs());
            let ratio = h * e / (self.tolerance + self.tolerance * size);
            sums[i % 4] += ratio * ratio;
        }
        sums.iter().sum::<f64>() / N as f64
    }

    /// The first step, from the magnitudes of the state, its slope and its curvature.
    fn first_step(&mut self, equations: &impl Equations<N>) -> f64 {
        let (x, tolerance) = (self.x, self.tolerance);
        let rms = |v: [f64; N]| {
            let square = |i: usize| (v[i] / (tolerance + tolerance * x[i].abs())).powi(2);
            ((0..N).map(square).sum::<f64>() / N as f64).sqrt()
        };
        let slope = self.k[6];
        let (d0, d1) = (rms(x), rms(slope));
        let trial = if d0 < 1e-5 || d1 < 1e-5 { 1e-6 } else { 0.01 * d0 / d1 };
        let moved = std::array::from_fn(|i| x[i] + trial * slope[i]);
        equations.slopes(self.t + trial, &moved, &mut self.k[0]);
        let d2 = rms(std::array::from_fn(|i| self.k[0][i] - slope[i])) / trial;
        let steepest = d1.max(d2);
        let curved = match steepest <= 1e-15 {
            true => (1e-3 * trial).max(1e-6),
            false => (0.01 / steepest).powf(0.2),
        };
        (100.0 * trial).min(curved)
    }

    /// The quartic of one state over the last step, as a polynomial in the fraction of the step.
    #[rustfmt::skip]
    pub fn quartic(&self, i: usize) -> Quartic {
        let h = self.t - self.t0;
        let [k1, _, k3, k4, k5, k6, k7] = &self.k;
        let rise = self.x[i] - self.x0[i];
        let first = h * k1[i] - rise;
        let second = rise - h * k7[i] - first;
        let third = h * (-12_715_105_075.0 / 11_282_082_432.0 * k1[i]
            + 87_487_479_700.0 / 32_700_410_799.0 * k3[i]
            - 10_690_763_975.0 / 1_880_347_072.0 * k4[i]
            + 701_980_252_875.0 / 199_316_789_632.0 * k5[i]
            - 1_453_857_185.0 / 822_651_844.0 * k6[i]
            + 69_997_945.0 / 29_380_423.0 * k7[i]);
        // The expansion of x0 + s (rise + (1 - s) (first + s (second + (1 - s) third))).
        Quartic([self.x0[i], rise + first, second + third - first, -second - 2.0 * third, third])
    }
}

/// A quartic polynomial in the fraction of a step.
pub(crate) struct Quartic([f64; 5]);

impl Quartic {
    /// Its value.
    pub fn value(&self, s: f64) -> f64 {
        let c = &self.0;
        c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * c[4])))
    }

    /// Its slope.
    fn slope(&self, s: f64) -> f64 {
        let c = &self.0;
        c[1] + s * (2.0 * c[2] + s * (3.0 * c[3] + s * 4.0 * c[4]))
    }

    /// The falling zero of a quartic that starts at or above zero and ends below: Newton's method
    /// in a bracket, until it moves by no more than `resolution`.
    pub fn fall(&self, resolution: f64) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        let mut s = self.guess();
        loop {
            let (y, dy) = (self.value(s), self.slope(s));
            *(if y > 0.0 { &mut low } else { &mut high }) = s;
            let newton = s - y / dy;
            if (newton - s).abs() <= resolution {
                return newton;
            }
            s = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        }
    }

    /// The falling zero of the parabola with the same start, initial slope and end; steps are short
    /// enough that this is close.
    fn guess(&self) -> f64 {
        let (y, b) = (self.0[0], self.0[1]);
        let a = self.value(1.0) - y - b;
        let root = (b * b - 4.0 * a * y).max(0.0).sqrt();
        let s = if b > 0.0 { (b + root) / (-2.0 * a) } else { 2.0 * y / (root - b) };
        if s > 0.0 && s < 1.0 { s } else { 1.0 }
    }
}
