//! Rodas5P (G. Steinebach, BIT Numer. Math. 63, 2023) with PI control, written out for a fixed
//! number of states and rates that do not move with time.

use super::Equations;

/// Equations with their derivatives.
pub(crate) trait Stiff<const N: usize>: Equations<N> {
    /// Writes df/dx at x, row by row.
    fn jacobian(&self, x: &[f64; N], rows: &mut [[f64; N]; N]);
}

/// A solution in progress.
pub(crate) struct Rodas5p<const N: usize> {
    relative: f64,
    absolute: f64,
    /// The step to try next.
    step: f64,
    /// ln of the last error, not below ln 1e-4.
    previous: f64,
    pub t: f64,
    pub x: [f64; N],
    slope: [f64; N],
    /// Accepted steps.
    pub steps: u64,
}

const FLOOR: f64 = -4.0 * std::f64::consts::LN_10;
const GAMMA: f64 = 0.21193756319429014;

/// A factored matrix with its row exchanges.
struct Factors<const N: usize> {
    rows: [[f64; N]; N],
    pivots: [usize; N],
}

impl<const N: usize> Factors<N> {
    /// Factors a I - J by elimination with partial pivoting.
    #[inline(always)]
    fn of(jacobian: &[[f64; N]; N], a: f64) -> Self {
        let mut rows: [[f64; N]; N] = std::array::from_fn(|i| jacobian[i].map(|value| -value));
        let mut pivots = [0; N];
        (0..N).for_each(|i| rows[i][i] += a);
        for k in 0..N {
            let mut pivot = k;
            for i in k + 1..N {
                if rows[i][k].abs() > rows[pivot][k].abs() {
                    pivot = i;
                }
            }
            pivots[k] = pivot;
            rows.swap(k, pivot);
            let head = 1.0 / rows[k][k];
            for i in k + 1..N {
                let factor = rows[i][k] * head;
                rows[i][k] = factor;
                let pivot = rows[k];
                for (value, above) in rows[i].iter_mut().zip(pivot).skip(k + 1) {
                    *value -= factor * above;
                }
            }
            // Only divided by from here on.
            rows[k][k] = head;
        }
        Factors { rows, pivots }
    }

    #[inline(always)]
    fn solve(&self, b: &mut [f64; N]) {
        for k in 0..N {
            b.swap(k, self.pivots[k]);
        }
        for i in 1..N {
            for j in 0..i {
                b[i] -= self.rows[i][j] * b[j];
            }
        }
        for i in (0..N).rev() {
            for j in i + 1..N {
                b[i] -= self.rows[i][j] * b[j];
            }
            b[i] *= self.rows[i][i];
        }
    }
}

impl<const N: usize> Rodas5p<N> {
    /// Stands at the start of a solution, with a first step chosen.
    pub fn new(equations: &impl Stiff<N>, x: [f64; N], relative: f64, absolute: f64) -> Self {
        let mut slope = [0.0; N];
        equations.slopes(0.0, &x, &mut slope);
        let mut solver =
            Rodas5p { relative, absolute, step: 0.0, previous: FLOOR, t: 0.0, x, slope, steps: 0 };
        solver.step = solver.first_step(equations);
        solver
    }

    /// One accepted step, not past `stop`.
    #[inline(always)]
    pub fn step(&mut self, equations: &impl Stiff<N>, stop: f64) {
        let (t0, x0) = (self.t, self.x);
        let mut jacobian = [[0.0; N]; N];
        equations.jacobian(&x0, &mut jacobian);
        let wanted = self.step;
        let mut step = wanted;
        loop {
            let rest = stop - t0;
            self.t = match step {
                _ if rest <= 1.1 * step => stop,
                _ if rest < 2.0 * step => t0 + 0.5 * rest,
                _ => t0 + step,
            };
            let h = self.t - t0;
            let factors = Factors::of(&jacobian, 1.0 / (h * GAMMA));
            let error = self.stages(equations, &x0, &factors, h);
            if error <= 1.0 {
                equations.slopes(self.t, &self.x, &mut self.slope);
                self.suggest(error, h, step, wanted);
                self.steps += 1;
                return;
            }
            step = h * (0.9 / error.powf(0.17)).max(0.2);
        }
    }

    /// The step to try next, after one of length h with this error.
    fn suggest(&mut self, error: f64, h: f64, tried: f64, wanted: f64) {
        let growth = if tried < wanted { 1.0 } else { 5.0 };
        let size = error.ln();
        let factor = 0.9 * (0.04 * self.previous - 0.17 * size).exp();
        let next = h * factor.clamp(0.2, growth);
        // A step that only the stop made short does not shorten the next one.
        if tried == wanted && h < wanted && next >= 5.0 * h {
            self.step = wanted.max(next);
        } else {
            self.previous = size.max(FLOOR);
            self.step = next;
        }
    }

    /// The stages; returns the root mean square of the error over the tolerance.
    ///
    /// This is one formula written out by hand, and so longer than a function should otherwise be:
    /// eight stages with the coefficients of the method, in straight-line code so that the compiler
    /// sees all of it. A loop over stages would be the general solver, against which this one is
    /// measured.
    #[rustfmt::skip]
    #[inline(always)]
    fn stages(&mut self, f: &impl Stiff<N>, x: &[f64; N], w: &Factors<N>, h: f64) -> f64 {
        let (t0, s, mut y) = (self.t - h, 1.0 / h, [0.0; N]);
        let mut u1 = self.slope;
        w.solve(&mut u1);
        for i in 0..N {
            y[i] = x[i] + 3.0 * u1[i];
        }
        let mut u2 = [0.0; N];
        f.slopes(t0 + 0.6358126895828704 * h, &y, &mut u2);
        for i in 0..N {
            u2[i] += s * (-14.155112264123755 * u1[i]);
        }
        w.solve(&mut u2);
        for i in 0..N {
            y[i] = x[i] + (2.849394379747939 * u1[i] + 0.45842242204463923 * u2[i]);
        }
        let mut u3 = [0.0; N];
        f.slopes(t0 + 0.4095798393397535 * h, &y, &mut u3);
        for i in 0..N {
            u3[i] += s * (-17.97296035885952 * u1[i] - 2.859693295451294 * u2[i]);
        }
        w.solve(&mut u3);
        for i in 0..N {
            y[i] = x[i] + (-6.954028509809101 * u1[i] + 2.489845061869568 * u2[i]
                - 10.358996098473584 * u3[i]);
        }
        let mut u4 = [0.0; N];
        f.slopes(t0 + 0.9769306725060716 * h, &y, &mut u4);
        for i in 0..N {
            u4[i] += s * (147.12150275711716 * u1[i] - 1.41221402718213 * u2[i]
                + 71.68940251302358 * u3[i]);
        }
        w.solve(&mut u4);
        for i in 0..N {
            y[i] = x[i] + (2.8029986275628964 * u1[i] + 0.5072464736228206 * u2[i]
                - 0.3988312541770524 * u3[i] - 0.04721187230404641 * u4[i]);
        }
        let mut u5 = [0.0; N];
        f.slopes(t0 + 0.4288403609558664 * h, &y, &mut u5);
        for i in 0..N {
            u5[i] += s * (165.43517024871676 * u1[i] - 0.4592823456491126 * u2[i]
                + 42.90938336958603 * u3[i] - 5.961986721573306 * u4[i]);
        }
        w.solve(&mut u5);
        for i in 0..N {
            y[i] = x[i] + (-7.502846399306121 * u1[i] + 2.561846144803919 * u2[i]
                - 11.627539656261098 * u3[i] - 0.18268767659942256 * u4[i]
                + 0.030198172008377946 * u5[i]);
        }
        let mut u6 = [0.0; N];
        f.slopes(self.t, &y, &mut u6);
        for i in 0..N {
            u6[i] += s * (24.854864614690072 * u1[i] - 3.0009227002832186 * u2[i]
                + 47.4931110020768 * u3[i] + 5.5814197821558125 * u4[i]
                - 0.6610691825249471 * u5[i]);
        }
        w.solve(&mut u6);
        for i in 0..N {
            y[i] += u6[i];
        }
        let mut u7 = [0.0; N];
        f.slopes(self.t, &y, &mut u7);
        for i in 0..N {
            u7[i] += s * (30.91273214028599 * u1[i] - 3.1208243349937974 * u2[i]
                + 77.79954646070892 * u3[i] + 34.28646028294783 * u4[i]
                - 19.097331116725623 * u5[i] - 28.087943162872662 * u6[i]);
        }
        w.solve(&mut u7);
        for i in 0..N {
            y[i] += u7[i];
        }
        let mut u8 = [0.0; N];
        f.slopes(self.t, &y, &mut u8);
        for i in 0..N {
            u8[i] += s * (37.80277123390563 * u1[i] - 3.2571969029072276 * u2[i]
                + 112.26918849496327 * u3[i] + 66.9347231244047 * u4[i]
                - 40.06618937091002 * u5[i] - 54.66780262877968 * u6[i]
                - 9.48861652309627 * u7[i]);
        }
        w.solve(&mut u8);
        let mut sum = 0.0;
        for i in 0..N {
            self.x[i] = y[i] + u8[i];
            let size = x[i].abs().max(self.x[i].abs());
            let ratio = u8[i] / (self.absolute + self.relative * size);
            sum += ratio * ratio;
        }
        (sum / N as f64).sqrt()
    }

    /// The first step, from the sizes of the state, its slope and its curvature.
    fn first_step(&self, equations: &impl Stiff<N>) -> f64 {
        let (x, slope) = (self.x, self.slope);
        let rms = |v: &dyn Fn(usize) -> f64| {
            let square = |i: usize| (v(i) / (self.absolute + self.relative * x[i].abs())).powi(2);
            ((0..N).map(square).sum::<f64>() / N as f64).sqrt()
        };
        let (d0, d1) = (rms(&|i| x[i]), rms(&|i| slope[i]));
        let trial = if d0 < 1e-5 || d1 < 1e-5 { 1e-6 } else { 0.01 * d0 / d1 };
        let moved = std::array::from_fn(|i| x[i] + trial * slope[i]);
        let mut after = [0.0; N];
        equations.slopes(self.t + trial, &moved, &mut after);
        let d2 = rms(&|i| after[i] - slope[i]) / trial;
        let steepest = d1.max(d2);
        let curved = match steepest <= 1e-15 {
            true => (1e-3 * trial).max(1e-6),
            false => (0.01 / steepest).powf(0.2),
        };
        (100.0 * trial).min(curved)
    }
}
