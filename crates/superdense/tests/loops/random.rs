//! Random linear loops against elimination.

use crate::common::{exact, failure, last_elements, simulate};
use proptest::prelude::*;

/// A random linear loop z = A z + b, and its solution.
#[derive(Clone, Debug)]
struct Linear {
    a: Vec<Vec<f64>>,
    b: Vec<f64>,
}

impl Linear {
    /// By elimination with row pivoting, in floats; `None` if the matrix is singular or nearly so.
    fn solution(&self) -> Option<Vec<f64>> {
        let n = self.b.len();
        let mut m: Vec<Vec<f64>> = (0..n)
            .map(|i| (0..n).map(|j| f64::from(i == j) - self.a[i][j]).chain([self.b[i]]).collect())
            .collect();
        for k in 0..n {
            let pivot = (k..n).max_by(|x, y| m[*x][k].abs().total_cmp(&m[*y][k].abs())).unwrap();
            m.swap(k, pivot);
            if m[k][k].abs() < 1e-6 {
                return None;
            }
            for i in (0..n).filter(|i| *i != k) {
                let (factor, upper) = (m[i][k] / m[k][k], m[k].clone());
                m[i].iter_mut().zip(upper).for_each(|(x, y)| *x -= factor * y);
            }
        }
        Some((0..n).map(|i| m[i][n] / m[i][i]).collect())
    }

    /// The loop as blocks: scalars, one vector, or events with the clock; `t` is 1.
    fn text(&self, kind: usize) -> String {
        let n = self.b.len();
        let mut text = String::from("superdense: 1\nblocks:\n");
        let mut names: Vec<String> = (0..n).map(|i| format!("z{i}")).collect();
        if kind == 1 {
            let rows: Vec<String> = self.a.iter().map(|row| format!("{row:?}")).collect();
            text += &format!(
                "  z: {{type: Expression, expression: '[{}] * z + {:?} * t'}}\n",
                rows.join(", "),
                self.b
            );
            names = vec!["z".to_owned()];
        } else {
            for i in 0..n {
                let terms: Vec<String> =
                    (0..n).map(|j| format!("({}) * z{j}", self.a[i][j])).collect();
                text += &format!(
                    "  z{i}: {{type: Expression, expression: '({}) * t + {}'}}\n",
                    self.b[i],
                    terms.join(" + ")
                );
            }
        }
        text += match kind {
            0 => "  t: {type: Expression, expression: time + 1}\n",
            1 => "  t: {type: Integrator, input: 0, initial: 1}\n",
            _ => "  t: {type: Clock, period: 1, offset: 0.5}\n",
        };
        text + &format!("solve: true\nrecord: [{}]\nsimulate: {{stop: 0.7}}\n", names.join(", "))
    }
}

fn linear() -> impl Strategy<Value = Linear> {
    let entry = (-8i32..9).prop_map(|k| f64::from(k) / 10.0);
    (1usize..5).prop_flat_map(move |n| {
        let row = || prop::collection::vec(entry.clone(), n);
        (prop::collection::vec(row(), n), prop::collection::vec(1i32..9, n))
            .prop_map(|(a, b)| Linear { a, b: b.into_iter().map(f64::from).collect() })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..Default::default() })]

    /// Random linear loops of scalars, of a vector and of events have their direct solution.
    #[test]
    fn linear_loops_have_their_solution(model in linear(), kind in 0usize..3) {
        let solution = model.solution();
        prop_assume!(solution.is_some());
        let z = solution.unwrap();
        let size = z.iter().fold(1.0f64, |most, z| most.max(z.abs()));
        let trace = simulate(&model.text(kind)).trace;
        let found: Vec<f64> = match kind {
            0 => (0..z.len()).map(|i| trace.series(&format!("z{i}"))[0].1).collect(),
            1 => last_elements(&trace, "z"),
            _ => {
                let once = |i: usize| {
                    let series = trace.series(&format!("z{i}"));
                    assert_eq!((series.len(), series[0].0), (1, exact("0.5", 1)));
                    series[0].1
                };
                (0..z.len()).map(once).collect()
            }
        };
        for (found, z) in found.iter().zip(&z) {
            prop_assert!((found - z).abs() <= 1e-9 * size, "{found:?} is not {z:?}");
        }
    }

    /// A last equation that repeats the others leaves the loop open; one that contradicts them
    /// leaves it without a solution.
    #[test]
    fn singular_loops_are_refused(
        model in linear(),
        factors in prop::collection::vec(-3i32..4, 4),
        agrees: bool,
        kind in 0usize..3,
    ) {
        let (mut model, n) = (model.clone(), model.b.len());
        // Row n - 1 of I - A becomes a sum of the others, and so does b.
        let rows = 0..n - 1;
        let factor = |i: usize| f64::from(factors[i]);
        for j in 0..n {
            let unit = |i: usize| f64::from(i == j);
            let sum: f64 = rows.clone().map(|i| factor(i) * (unit(i) - model.a[i][j])).sum();
            model.a[n - 1][j] = unit(n - 1) - sum;
        }
        let sum: f64 = rows.clone().map(|i| factor(i) * model.b[i]).sum();
        model.b[n - 1] = sum + f64::from(!agrees);
        prop_assume!(n == 1 || {
            // The others must be independent, or the kind of the whole is another.
            let a = model.a[..n - 1].iter().map(|row| row[..n - 1].to_vec()).collect();
            let part = Linear { a, b: model.b[..n - 1].to_vec() };
            part.solution().is_some_and(|z| z.iter().all(|z| z.abs() < 1e6))
        });
        let error = failure(&model.text(kind)).error;
        let code = if agrees { "not-determined" } else { "no-solution" };
        prop_assert_eq!(error.code(), code, "{}", model.text(kind));
    }
}
