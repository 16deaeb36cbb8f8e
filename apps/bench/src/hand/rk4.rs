//! The classical Runge-Kutta method of order 4 with a fixed step, for a fixed number of states.

use super::Equations;

/// The current point of a solution.
pub(crate) struct Rk4<const N: usize> {
    pub t: f64,
    pub x: [f64; N],
    /// Steps taken.
    pub steps: u32,
    slope: [f64; N],
}

impl<const N: usize> Rk4<N> {
    /// Starts a solution.
    pub fn new(equations: &impl Equations<N>, x: [f64; N]) -> Self {
        let mut slope = [0.0; N];
        equations.slopes(0.0, &x, &mut slope);
        Rk4 { t: 0.0, x, steps: 0, slope }
    }

    /// One step of length h. The slope at its end is the first slope of the next step.
    pub fn step(&mut self, equations: &impl Equations<N>, h: f64) {
        let (t, x, k1) = (self.t, self.x, self.slope);
        let mut y = [0.0; N];
        let [mut k2, mut k3, mut k4] = [[0.0; N]; 3];
        for i in 0..N {
            y[i] = x[i] + h * (0.5 * k1[i]);
        }
        equations.slopes(t + 0.5 * h, &y, &mut k2);
        for i in 0..N {
            y[i] = x[i] + h * (0.5 * k2[i]);
        }
        equations.slopes(t + 0.5 * h, &y, &mut k3);
        for i in 0..N {
            y[i] = x[i] + h * k3[i];
        }
        equations.slopes(t + h, &y, &mut k4);
        for i in 0..N {
            let sum = 1.0 / 6.0 * k1[i] + 1.0 / 3.0 * k2[i] + 1.0 / 3.0 * k3[i] + 1.0 / 6.0 * k4[i];
            self.x[i] = x[i] + h * sum;
        }
        self.steps += 1;
        self.t = f64::from(self.steps) * h;
        equations.slopes(self.t, &self.x, &mut self.slope);
    }
}
