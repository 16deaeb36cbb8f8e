//! Functions of vectors and matrices, as constants and as signals.

use super::{assert_fails, assert_refused};
use crate::common::{assert_near, last_elements, simulate};

/// The elements of an expression, evaluated as a constant and as a signal; `T` in it is 2.
fn both(expression: &str) -> [Vec<f64>; 2] {
    let constant = expression.replace('T', "2");
    let signal = expression.replace('T', "time");
    let text = format!(
        "parameters: {{p: '{constant}'}}
blocks:
  c: {{type: Constant, value: p}}
  s: {{type: Expression, expression: '{signal}'}}
record: [c, s]
simulate: {{start: 1, stop: 2}}
"
    );
    let trace = simulate(&text).trace;
    ["c", "s"].map(|name| last_elements(&trace, name))
}

#[track_caller]
fn assert_both(expression: &str, expected: &[f64]) {
    for found in both(expression) {
        assert_eq!(found.len(), expected.len(), "{expression}");
        for (x, y) in found.iter().zip(expected) {
            assert!((x - y).abs() <= 1e-13 * (1.0 + y.abs()), "{expression}: {found:?}");
        }
    }
}

#[test]
fn products_and_extremes_of_all_elements() {
    assert_both("prod([3, T, 5])", &[30.0]);
    assert_both("max([3, -T, 5, T])", &[5.0]);
    assert_both("min([[3, T], [5, 7]])", &[2.0]);
    assert_both("max(T)", &[2.0]);
    assert_both("cross([1, T, 3], [4, 5, 6])", &[-3.0, 6.0, -3.0]);
    assert_both("cross([T, 0, 0], [0, T, 0])", &[0.0, 0.0, 4.0]);
}

#[test]
fn determinants_of_small_matrices() {
    assert_both("det([[T, 1], [5, 3]])", &[1.0]);
    assert_both("det([[0, T, 1], [1, 0, 3], [T, 1, 0]])", &[13.0]);
    assert_both("det([[0, T, 1, 0], [1, 0, 3, 1], [T, 1, 0, 1], [1, 1, 1, T]])", &[18.0]);
    assert_both("det([[1, T, 3], [4, 5, 6], [7, 8, 9]])", &[0.0]);
    assert_both("det(T)", &[2.0]);
}

#[test]
fn systems_that_need_an_exchange_of_rows() {
    assert_both("solve([[0, T], [1, 1]], [4, 3])", &[1.0, 2.0]);
    assert_both("inverse([[0, T], [4, 0]])", &[0.0, 0.25, 0.5, 0.0]);
    assert_both(
        "solve([[T, 1, 0], [1, 0, 1], [0, 3, 1]], [[1, 0], [0, 1], [T, 5]])",
        &[1.0 / 7.0, -4.0 / 7.0, 5.0 / 7.0, 8.0 / 7.0, -1.0 / 7.0, 11.0 / 7.0],
    );
    assert_both("inverse([[1, 1, 0], [T, 0, 1], [0, 0, 4]]) * [3, 5, 4]", &[2.0, 1.0, 1.0]);
}

/// A matrix that turns: its inverse is its transpose, at all times.
#[test]
fn the_inverse_of_a_rotation_is_its_transpose() {
    let trace = simulate(
        "blocks:
  R: {type: Expression, expression: '[[cos(time), -sin(time)], [sin(time), cos(time)]]'}
  error: {type: Expression, expression: max(abs(inverse(R) - transpose(R)))}
  x: {type: Integrator, input: 'solve(R, [1, 0])', initial: [0, 0]}
record: [error, x]
simulate: {stop: 3, tolerance: 1e-10}
",
    )
    .trace;
    assert!(trace.series("error").iter().all(|(_, error)| *error < 1e-15));
    let x = last_elements(&trace, "x");
    assert_near(x[0], 3f64.sin(), 1e-9);
    assert_near(x[1], 3f64.cos() - 1.0, 1e-9);
}

#[test]
fn linear_functions_pass_impulses_on() {
    let trace = simulate(
        "blocks:
  x: {type: Integrator, input: 'solve([[2, 1], [1, 3]], delta(time - 1) * [3, 5])', initial: [0, 0]}
  y: {type: Integrator, input: 'cross([1, 2, 3], delta(time - 1) * [0, 1, 0])', initial: [0, 0, 0]}
record: [x, y]
simulate: {stop: 2}
",
    )
    .trace;
    let x = last_elements(&trace, "x");
    assert_near(x[0], 0.8, 1e-15);
    assert_near(x[1], 1.4, 1e-15);
    assert_eq!(last_elements(&trace, "y"), [-3.0, 0.0, 1.0]);
    for expression in [
        "prod([delta(time - 1), 2])",
        "max([delta(time - 1), 2])",
        "det([[delta(time - 1), 2], [1, 1]])",
        "solve([[time, 0], [0, 1]], [delta(time - 1), 2])",
    ] {
        let block = format!("  y: {{type: Expression, expression: '{expression}'}}");
        assert_fails(&format!("blocks:\n{block}\nsimulate: {{start: 0.5, stop: 2}}\n"), "impulse");
    }
}

#[test]
fn what_has_no_inverse_is_refused() {
    let wrong = |expression: &str, code: &str, contains: &str| {
        for place in ["{type: Constant, value: 'X'}", "{type: Expression, expression: 'X'}"] {
            let block = place.replace('X', expression);
            assert_refused(&format!("blocks:\n  y: {block}\n"), code, contains);
        }
    };
    wrong("inverse([[1, 2], [2, 4]])", "division-by-zero", "singular");
    wrong("inverse([[1, 2, 3], [4, 5, 6], [7, 8, 9]])", "division-by-zero", "singular");
    wrong("solve([[0.1, 0.2], [0.3, 0.6]], [1, 2])", "division-by-zero", "singular");
    wrong("inverse([1, 2])", "size-mismatch", "square matrix");
    wrong("det([[1, 2, 3], [4, 5, 6]])", "size-mismatch", "square matrix");
    wrong("cross([1, 2], [3, 4])", "size-mismatch", "three elements");
    wrong("max([])", "size-mismatch", "no elements");
    let large = "blocks:
  y: {type: Expression, expression: 'det(identity(5) * time)'}
";
    assert_refused(large, "size-mismatch", "more than 4 rows");
    let sizes = "blocks:
  y: {type: Expression, expression: 'solve(identity(2) * time, [1, 2, 3])'}
";
    assert_refused(sizes, "size-mismatch", "must have 2 rows");
    let singular = "blocks:
  y: {type: Expression, expression: 'solve([[time - 1, 0], [0, 1]], [1, 1])'}
simulate: {stop: 2, times: [1]}
";
    assert_fails(singular, "not finite");
}
