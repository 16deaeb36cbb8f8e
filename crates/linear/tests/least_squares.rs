//! Least squares within bounds on problems with known answers.

use proptest::prelude::*;
use superdense_linear::{Ended, Matrix, Problem, solve};

/// A function given by closures.
struct Given<F, J> {
    values: F,
    derivatives: J,
    bounds: Vec<(f64, f64)>,
    magnitudes: Vec<f64>,
}

impl<F: Fn(&[f64]) -> Vec<f64>, J: Fn(&[f64]) -> Matrix> Problem for Given<F, J> {
    fn values(&mut self, z: &[f64]) -> Vec<f64> {
        (self.values)(z)
    }

    fn derivatives(&mut self, z: &[f64]) -> (Vec<f64>, Matrix) {
        ((self.values)(z), (self.derivatives)(z))
    }

    fn bounds(&self) -> &[(f64, f64)] {
        &self.bounds
    }

    fn magnitudes(&self) -> &[f64] {
        &self.magnitudes
    }
}

const ANY: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

type Values = fn(&[f64]) -> Vec<f64>;
type Derivatives = fn(&[f64]) -> Matrix;

/// Rosenbrock's valley, whose values 10 (y - x^2) and 1 - x are zero at (1, 1).
fn valley(bounds: Vec<(f64, f64)>) -> Given<Values, Derivatives> {
    Given {
        values: |z: &[f64]| vec![10.0 * (z[1] - z[0] * z[0]), 1.0 - z[0]],
        derivatives: |z: &[f64]| {
            let rows = [[-20.0 * z[0], 10.0], [-1.0, 0.0]];
            Matrix::of(2, 2, |i, j| rows[i][j])
        },
        bounds,
        magnitudes: vec![1.0; 2],
    }
}

#[test]
fn a_curved_valley_leads_to_its_zero() {
    let found = solve(&mut valley(vec![ANY; 2]), &[-1.2, 1.0]);
    assert_eq!((found.ended, found.open), (Ended::Zero, 0));
    assert!(found.z.iter().all(|z| (z - 1.0).abs() < 1e-14), "{found:?}");
}

#[test]
fn a_bound_holds_what_would_leave_it() {
    let found = solve(&mut valley(vec![(-2.0, 0.5), ANY]), &[-1.2, 1.0]);
    assert_eq!((found.ended, &found.bound[..]), (Ended::Nearest, &[0][..]));
    assert!((found.z[0] - 0.5).abs() < 1e-15 && (found.z[1] - 0.25).abs() < 1e-9, "{found:?}");
    // A zero on the bound itself is a zero.
    let found = solve(&mut valley(vec![(-2.0, 1.0), ANY]), &[-1.2, 1.0]);
    assert_eq!(found.ended, Ended::Zero);
}

#[test]
fn what_no_value_determines_stays_where_it_was() {
    let mut plane = Given {
        values: |z: &[f64]| vec![z[0] + z[1] - 2.0],
        derivatives: |_: &[f64]| Matrix::of(1, 3, |_, j| if j < 2 { 1.0 } else { 0.0 }),
        bounds: vec![ANY; 3],
        magnitudes: vec![1.0; 3],
    };
    let found = solve(&mut plane, &[0.0, 0.0, 7.0]);
    assert_eq!((found.ended, found.open), (Ended::Zero, 2));
    assert!(found.z.iter().zip([1.0, 1.0, 7.0]).all(|(z, own)| (z - own).abs() < 1e-15));
    assert!(found.openness[2] > 0.999 && (found.openness[0] - 0.5f64.sqrt()).abs() < 1e-12);
}

#[test]
fn contradictions_end_at_the_nearest_point() {
    let mut twice = Given {
        values: |z: &[f64]| vec![z[0] - 1.0, z[0] - 3.0],
        derivatives: |_: &[f64]| Matrix::of(2, 1, |_, _| 1.0),
        bounds: vec![ANY],
        magnitudes: vec![1.0],
    };
    let found = solve(&mut twice, &[0.0]);
    assert_eq!(found.ended, Ended::Nearest);
    assert!(found.values.iter().all(|x| (x.abs() - 1.0).abs() < 0.2), "{found:?}");
    let mut log = Given {
        values: |z: &[f64]| vec![z[0].ln()],
        derivatives: |z: &[f64]| Matrix::of(1, 1, |_, _| 1.0 / z[0]),
        bounds: vec![ANY],
        magnitudes: vec![1.0],
    };
    assert_eq!(solve(&mut log, &[-1.0]).ended, Ended::NotFinite);
    // Newton's full step from 20 would leave the domain.
    let found = solve(&mut log, &[20.0]);
    assert!(found.ended == Ended::Zero && (found.z[0] - 1.0).abs() < 1e-14);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    /// A regular linear problem is solved in one step, whatever its units.
    #[test]
    fn linear_problems_are_solved(
        entries in proptest::collection::vec(-1.0f64..1.0, 9),
        solution in proptest::collection::vec(-10.0f64..10.0, 3),
        units in proptest::collection::vec(-6i32..6, 3),
    ) {
        let unit = |j: usize| 10f64.powi(units[j]);
        let a = Matrix::of(3, 3, |i, j| {
            (entries[3 * i + j] + if i == j { 4.0 } else { 0.0 }) / unit(j)
        });
        let right: Vec<f64> =
            (0..3).map(|i| (0..3).map(|j| a.get(i, j) * solution[j] * unit(j)).sum()).collect();
        let values = |z: &[f64]| -> Vec<f64> {
            (0..3).map(|i| (0..3).map(|j| a.get(i, j) * z[j]).sum::<f64>() - right[i]).collect()
        };
        let derivatives = |_: &[f64]| a.clone();
        let magnitudes = (0..3).map(unit).collect();
        let mut problem = Given { values, derivatives, bounds: vec![ANY; 3], magnitudes };
        let found = solve(&mut problem, &[0.0; 3]);
        prop_assert_eq!(found.ended, Ended::Zero);
        for (j, (z, own)) in found.z.iter().zip(&solution).enumerate() {
            prop_assert!((z / unit(j) - own).abs() < 1e-11);
        }
    }
}
