//! The derivatives of rates with forces at rest, for implicit methods.
//!
//! ```text
//! F = f + sum of l_i J_i
//! dF/dx = df/dx + sum of (J_i dl_i/dx + l_i dJ_i/dx),   where l_i depends on x, on time and on f
//! ```

use program::tape::{Dual, Jet};
use solver::Pattern;

use crate::smooth::flow::Flow;

impl Flow<'_> {
    /// Writes the derivatives with forces at rest, column after column: every rate may move with
    /// the forces.
    pub(crate) fn pressed_jacobian(
        &mut self,
        t: f64,
        x: &[f64],
        values: &mut [f64],
        rate: &mut [f64],
    ) {
        let n = x.len();
        let free = self.free_pattern(n);
        let mut entries = vec![0.0; free.len()];
        let mut moving = vec![0.0; if free.moves_with_time() { n } else { 0 }];
        self.free_jacobian(t, x, &mut entries, &mut moving);
        let mut rates = vec![0.0; n];
        self.free_rates(t, x, &mut rates);
        let mut from = 0;
        for (column, own) in values.chunks_exact_mut(n).enumerate() {
            own.fill(0.0);
            for row in free.column(column) {
                own[*row] = entries[from];
                from += 1;
            }
            let seeded: Vec<Dual> =
                x.iter().enumerate().map(|(i, x)| Jet([*x, f64::from(i == column)])).collect();
            self.add_forces(Dual::still(self.origin + t), &seeded, &rates, own);
        }
        rate.fill(0.0);
        rate.iter_mut().zip(moving).for_each(|(rate, own)| *rate = own);
        let still: Vec<Dual> = x.iter().map(|x| Dual::still(*x)).collect();
        self.add_forces(Dual::time(self.origin + t), &still, &rates, rate);
    }

    /// Adds how the forces move along a direction to how the rates without them do.
    fn add_forces(&mut self, time: Dual, x: &[Dual], rates: &[f64], sum: &mut [f64]) {
        let rates: Vec<Dual> = rates.iter().zip(&*sum).map(|(f, own)| Jet([*f, *own])).collect();
        let directions = self.directions(time, x);
        let forces = self.forces((time, x), &rates, &directions);
        for (direction, force) in directions.iter().zip(forces) {
            for (sum, jump) in sum.iter_mut().zip(direction) {
                *sum += force.0[1] * jump.0[0];
                if jump.0[1] != 0.0 {
                    *sum += force.0[0] * jump.0[1];
                }
            }
        }
    }

    /// The pattern of all derivatives at rest.
    pub(crate) fn pressed_pattern(&self, n: usize) -> Pattern {
        Pattern::dense(n, true)
    }
}
