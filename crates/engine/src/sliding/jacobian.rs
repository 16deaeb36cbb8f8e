//! The derivatives of combined rates, for implicit methods.
//!
//! ```text
//! f = f_0 + sum of w_i d_i,   d_i = f_i - f_0,   M w = -c
//! df/dx = (1 - sum of w_i) df_0/dx + sum of w_i df_i/dx + sum of d_i dw_i/dx
//! M dw/dx = -(the derivative of the slopes c + M w with the weights held still)
//! ```

use program::WatchId;
use program::tape::{Dual, Jet, Scalar};
use solver::Pattern;

use super::flow::Point;
use super::weights::solve;
use super::{Slide, Surface, put_all};
use crate::smooth::flow::{Flow, counted, states};

/// What a slope is differentiated by.
#[derive(Clone, Copy, PartialEq)]
enum By {
    State(usize),
    Time,
}

impl Flow<'_> {
    /// The numbers of the states that move the slopes of the surfaces, and with them the weights.
    fn weighing(&self, surfaces: &[Surface]) -> Vec<usize> {
        let of = |surface: &Surface| WatchId { region: self.region, index: surface.watch() };
        let moving = surfaces.iter().flat_map(|surface| self.whole_program.states_of(of(surface)));
        let mut numbers: Vec<usize> =
            moving.filter_map(|state| counted(states(self.ranges), state)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// The pattern of the derivatives: every rate may move with the weights.
    pub(crate) fn combined_pattern(&self, plain: &Pattern, slide: &Slide) -> Pattern {
        let n = plain.dimension();
        let weighing = self.weighing(slide.surfaces);
        let rows = (0..n).map(|column| match weighing.binary_search(&column) {
            Ok(_) => (0..n).collect(),
            Err(_) => plain.column(column).to_vec(),
        });
        Pattern::from_columns(rows, true)
    }

    /// Writes the derivatives in the order of the pattern.
    pub(crate) fn combined_jacobian(
        &mut self,
        t: f64,
        x: &[f64],
        values: &mut [f64],
        rate: &mut [f64],
    ) {
        let Some(mut slide) = self.slide.take() else { return };
        let (surfaces, sides) = (slide.surfaces, self.program.side);
        self.weigh(&mut slide, t, x);
        let weights = slide.space.weights.clone();
        let rest = 1.0 - weights.iter().sum::<f64>();
        let plain = self.plain_pattern(x.len());
        let pattern = self.combined_pattern(&plain, &slide);
        values.fill(0.0);
        rate.fill(0.0);
        let mut entries = vec![0.0; plain.len()];
        let mut moving = vec![0.0; if plain.moves_with_time() { rate.len() } else { 0 }];
        let mut add = |flow: &mut Self, weight: f64, values: &mut [f64], rate: &mut [f64]| {
            flow.plain_jacobian(t, x, &mut entries, &mut moving);
            spread(&plain, &pattern, &entries, weight, values);
            rate.iter_mut().zip(&moving).for_each(|(rate, own)| *rate += weight * own);
        };
        put_all(surfaces, self.slots, sides, -1.0);
        add(self, rest, values, rate);
        for (surface, weight) in surfaces.iter().zip(&weights) {
            surface.put(self.slots, sides, 1.0);
            add(self, *weight, values, rate);
            surface.put(self.slots, sides, -1.0);
        }
        let mut from = 0;
        let weighing = self.weighing(surfaces);
        for column in 0..x.len() {
            if weighing.binary_search(&column).is_ok() {
                let own = &mut values[from..from + x.len()];
                self.add_weights(&slide, (t, x), By::State(column), own);
            }
            from += pattern.column(column).len();
        }
        if !rate.is_empty() {
            self.add_weights(&slide, (t, x), By::Time, rate);
        }
        put_all(surfaces, self.slots, sides, 0.0);
        self.slide = Some(slide);
    }

    /// Adds how the rates move with the weights, by a state or by time.
    fn add_weights(&mut self, slide: &Slide, (t, x): (f64, &[f64]), by: By, sum: &mut [f64]) {
        let space = &*slide.space;
        let seed = |value: f64, own: By| Jet([value, f64::from(own == by)]);
        let state = |number: usize| seed(x[number], By::State(number));
        let time = seed(self.origin + t, By::Time);
        let at = Point { time, state: &state, frozen: &Dual::constant };
        let sides = self.program.side;
        let rest = 1.0 - space.weights.iter().sum::<f64>();
        let slopes = |flow: &mut Self, weight: f64, moved: &mut Vec<f64>| {
            for (surface, moved) in slide.surfaces.iter().zip(moved) {
                *moved -= weight * flow.slope(surface.watch(), &at).0[1];
            }
        };
        let mut moved = vec![0.0; slide.surfaces.len()];
        put_all(slide.surfaces, self.slots, sides, -1.0);
        slopes(self, rest, &mut moved);
        for (surface, weight) in slide.surfaces.iter().zip(&space.weights) {
            surface.put(self.slots, sides, 1.0);
            slopes(self, *weight, &mut moved);
            surface.put(self.slots, sides, -1.0);
        }
        if !solve(&mut space.matrix.clone(), &mut moved) {
            return sum.fill(f64::NAN);
        }
        for (weight, above) in moved.iter().zip(&space.above) {
            for ((sum, above), below) in sum.iter_mut().zip(above).zip(&space.below) {
                *sum += weight * (above - below);
            }
        }
    }
}

/// Adds entries of one pattern, times a weight, to those of another that has them all.
fn spread(of: &Pattern, into: &Pattern, entries: &[f64], weight: f64, values: &mut [f64]) {
    let (mut from, mut to) = (0, 0);
    for column in 0..of.dimension() {
        let rows = into.column(column);
        for (row, entry) in of.column(column).iter().zip(&entries[from..]) {
            if let Ok(place) = rows.binary_search(row) {
                values[to + place] += weight * entry;
            }
        }
        from += of.column(column).len();
        to += rows.len();
    }
}
