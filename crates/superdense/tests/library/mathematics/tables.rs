//! Tables: exact on the polynomials of their degree, and located at their breakpoints.

use std::f64::consts::PI;

use super::{assert_fails, assert_follows, assert_located, assert_refused, events, sampled};
use crate::common::{assert_at, assert_near, last_elements, simulate};

/// The outputs of a table of samples.
fn samples(values: &[&str], table: &str) -> Vec<f64> {
    let block = format!("  y: {{type: LookupTable, input: u, {table}}}");
    events(&simulate(&sampled(values, &block, "y")).trace, "y")
}

const UNEVEN: &str = "x: [0, 1, 3, 4, 6], y: [1, 2, 0, 3, 1]";

/// Holds: closed form of LookupTable.
#[test]
fn a_linear_table_of_a_sine_is_located_at_its_breakpoints() {
    let trace = simulate(
        "blocks:
  u: {type: Expression, expression: 2 + 3 * sin(time)}
  y: {type: LookupTable, input: u, x: [0, 1, 2, 4], y: [0, 1, 4, 16]}
  area: {type: Integrator, input: y}
record: [y, area]
simulate: {stop: 2 * pi, tolerance: 1e-10}
",
    )
    .trace;
    let table = |u: f64| match u {
        u if u < 0.0 => 0.0,
        u if u < 1.0 => u,
        u if u < 2.0 => 1.0 + 3.0 * (u - 1.0),
        u if u < 4.0 => 4.0 + 6.0 * (u - 2.0),
        _ => 16.0,
    };
    assert_follows(&trace, "y", |t| table(2.0 + 3.0 * t.sin()), 1e-13);
    let (third, two_thirds) = ((1.0f64 / 3.0).asin(), (2.0f64 / 3.0).asin());
    assert_located(&trace, &[two_thirds, PI - two_thirds, PI, PI + third, PI + two_thirds]);
    assert_located(&trace, &[2.0 * PI - two_thirds, 2.0 * PI - third]);
    // The same pieces, integrated with the antiderivative of a + 3 b sin(t).
    let piece =
        |a: f64, b: f64, from: f64, to: f64| a * (to - from) + 3.0 * b * (from.cos() - to.cos());
    let half = PI / 2.0;
    let upper = piece(4.0, 6.0, 0.0, two_thirds) + 16.0 * (half - two_thirds);
    let lower = piece(4.0, -3.0, 0.0, third) + piece(2.0, -1.0, third, two_thirds);
    assert_near(last_elements(&trace, "area")[0], 2.0 * (upper + lower), 1e-8);
}

/// Holds: jump of LookupTable.
#[test]
fn a_table_starts_anywhere_and_jumps_over_breakpoints() {
    let trace = simulate(
        "blocks:
  jump: {type: Step, time: 1, before: 4.5, after: 0.5}
  back: {type: Step, time: 2, before: 0, after: 9}
  u: {type: Expression, expression: jump + back - time / 4}
  y: {type: LookupTable, input: u, x: [0, 1, 2, 4, 5], y: [0, 1, 4, 16, 25], extrapolation: linear}
record: [u, y]
simulate: {stop: 6}
",
    )
    .trace;
    assert_at(&trace, "y", &[("0", 0, 20.5), ("1", 0, 16.0 + 9.0 * 0.25)]);
    assert_at(&trace, "y", &[("1", 1, 0.25), ("2", 0, 0.0), ("2", 1, 25.0 + 4.0 * 9.0)]);
    assert_at(&trace, "y", &[("6", 0, 25.0 + 3.0 * 9.0)]);
    // In between, 0.5 - t / 4 has become 0 at 2 s, where it is a breakpoint and jumps at once.
    assert_follows(
        &trace,
        "y",
        |t| match t {
            t if t <= 1.0 => {
                let u = 4.5 - t / 4.0;
                16.0 + 9.0 * (u - 4.0)
            }
            t if t <= 2.0 => 0.5 - t / 4.0,
            t => 25.0 + 9.0 * (9.5 - t / 4.0 - 5.0),
        },
        1e-13,
    );
}

#[test]
fn breakpoints_have_their_values_exactly() {
    for kind in ["linear", "nearest", "previous", "cubic", "spline"] {
        let table = format!("{UNEVEN}, interpolation: {kind}");
        let y = samples(&["0", "1", "3", "4", "6"], &table);
        assert_eq!(y, [1.0, 2.0, 0.0, 3.0, 1.0], "{kind}");
        let held = samples(&["-1", "7", "1e300", "-1e300"], &table);
        assert_eq!(held, [1.0, 1.0, 1.0, 1.0], "{kind}");
    }
}

#[test]
fn the_nearest_and_the_previous_point() {
    let at = ["0.4", "0.5", "1.9", "2", "3.5", "4.9", "5"];
    let nearest = samples(&at, &format!("{UNEVEN}, interpolation: nearest"));
    assert_eq!(nearest, [1.0, 2.0, 2.0, 0.0, 3.0, 3.0, 1.0]);
    let previous = samples(&at, &format!("{UNEVEN}, interpolation: previous"));
    assert_eq!(previous, [1.0, 1.0, 2.0, 2.0, 0.0, 3.0, 3.0]);
    let trace = simulate(
        "blocks:
  y: {type: LookupTable, input: time, x: [0, 1, 3], y: [5, 6, 7], interpolation: nearest}
record: [y]
simulate: {stop: 4}
",
    )
    .trace;
    let jumps: Vec<_> =
        trace.series("y").windows(2).filter(|pair| pair[0].1 != pair[1].1).map(|p| p[1]).collect();
    assert_eq!(jumps.len(), 2);
    for ((tag, y), (time, expected)) in jumps.into_iter().zip([(0.5, 6.0), (2.0, 7.0)]) {
        assert_near(tag.time.seconds(), time, 1e-15);
        assert_eq!((tag.microstep, y), (1, expected));
    }
}

/// The values of the spline are those of the system of all coefficients, solved in exact fractions;
/// the values of the cubic are those of Lagrange's parabolas.
#[test]
fn cubics_and_splines_are_those_of_their_definitions() {
    let at = ["0.5", "2", "3.5", "5"];
    let truths = [
        ("spline", [965.0 / 468.0, 47.0 / 117.0, 289.0 / 234.0, 614.0 / 117.0]),
        ("cubic", [5.0 / 3.0, 2.0 / 3.0, 1.5, 10.0 / 3.0]),
    ];
    for (kind, expected) in truths {
        let found = samples(&at, &format!("{UNEVEN}, interpolation: {kind}"));
        for (found, expected) in found.into_iter().zip(expected) {
            assert_near(found, expected, 1e-14);
        }
    }
}

#[test]
fn tables_are_exact_on_polynomials_of_their_degree() {
    let polynomials = [
        ("linear", "3 - 2 * u", 2),
        ("cubic", "1 + u - 2 * u^2", 3),
        ("spline", "1 + u - 2 * u^2 + u^3", 4),
        ("spline", "1 + u - 2 * u^2", 3),
        ("cubic", "2 * u", 2),
    ];
    for (kind, polynomial, least) in polynomials {
        let points = ["-1", "0.5", "1", "2.25", "4"];
        let x = &points[..points.len().max(least)];
        let y: Vec<String> = x.iter().map(|x| polynomial.replace('u', &format!("({x})"))).collect();
        let text = format!(
            "blocks:
  u: {{type: Expression, expression: 1.5 + 2.5 * sin(time)}}
  y: {{type: LookupTable, input: u, x: [{}], y: [{}], interpolation: {kind}}}
  error: {{type: Expression, expression: y - ({polynomial})}}
record: [error]
simulate: {{stop: 7, maximum_step: 0.1}}
",
            x.join(", "),
            y.join(", "),
        );
        let errors = simulate(&text).trace.series("error");
        let worst = errors.iter().map(|(_, error)| error.abs()).fold(0.0, f64::max);
        assert!(worst < 1e-12, "{kind} of {polynomial}: {worst}");
    }
}

#[test]
fn beyond_its_ends_a_table_holds_goes_on_or_ends_the_run() {
    let straight = "x: [0, 1, 3], y: [0, 2, 3], extrapolation: linear";
    assert_eq!(samples(&["-2", "5"], straight), [-4.0, 4.0]);
    // The parabola x^2 goes on along its tangents, of slope 0 and 6.
    let curved = "x: [0, 1, 3], y: [0, 1, 9], extrapolation: linear, interpolation: spline";
    let found = samples(&["-2", "5"], curved);
    assert_near(found[0], 0.0, 1e-14);
    assert_near(found[1], 21.0, 1e-13);
    let model = |input: &str| {
        format!(
            "blocks:
  y: {{type: LookupTable, input: {input}, x: [-1, 0, 1], y: [1, 0, 1], extrapolation: error}}
record: [y]
simulate: {{stop: 7}}
"
        )
    };
    assert_fails(&model("time - 1"), "outside the breakpoints of the table");
    assert_fails(&model("time - 1"), "(2, ");
    // A sine touches both ends and leaves neither.
    assert_follows(&simulate(&model("sin(time)")).trace, "y", |t| t.sin().abs(), 1e-14);
}

#[test]
fn a_vector_is_looked_up_element_by_element() {
    let trace = simulate(
        "blocks:
  y: {type: LookupTable, input: [time, 2 * time, 10], x: [0, 1, 2], y: [0, 1, 4]}
record: [y]
simulate: {stop: 0.75}
",
    )
    .trace;
    assert_eq!(last_elements(&trace, "y"), [0.75, 2.5, 4.0]);
    assert_located(&trace, &[0.5]);
}

/// The slope of a table is known to whatever differentiates it.
#[test]
fn a_table_has_a_derivative() {
    let trace = simulate(
        "blocks:
  y: {type: LookupTable, input: time, x: [0, 1, 3], y: [0, 2, 3]}
  d: {type: Derivative, input: y}
record: [d]
simulate: {stop: 4}
",
    )
    .trace;
    assert_at(&trace, "d", &[("0", 0, 2.0), ("1", 0, 2.0), ("4", 0, 0.0)]);
}

/// A step costs the same whatever the size of the table: its function has as many operations.
#[test]
fn a_table_of_ten_thousand_points() {
    let n = 10_000;
    let numbers = |f: &dyn Fn(f64) -> f64| {
        (0..n).map(|i| f(f64::from(i) / 100.0).to_string()).collect::<Vec<_>>().join(", ")
    };
    let text = format!(
        "parameters: {{xs: [{}], ys: [{}]}}
blocks:
  y: {{type: LookupTable, input: 50 + time, x: xs, y: ys, interpolation: spline}}
record: [y]
simulate: {{stop: 10}}
",
        numbers(&|x| x),
        numbers(&|x| x.sin()),
    );
    let trace = simulate(&text).trace;
    assert_follows(&trace, "y", |t| (50.0 + t).sin(), 1e-9);
    assert!(trace.len() >= 1000);
}

/// Holds: bad input of LookupTable.
#[test]
fn bad_tables_are_refused() {
    let table =
        |fields: &str| format!("blocks:\n  y: {{type: LookupTable, input: time, {fields}}}\n");
    for (text, code, message) in [
        (table("x: [0, 1, 1], y: [0, 1, 2]"), "bad-parameter", "must increase: 1 follows 1"),
        (table("x: [0, 2, 1], y: [0, 1, 2]"), "bad-parameter", "must increase: 1 follows 2"),
        (table("x: [0], y: [0]"), "bad-parameter", "at least 2 breakpoints"),
        (table("x: 0, y: 0"), "bad-parameter", "at least 2 breakpoints"),
        (table("x: [0, inf], y: [0, 1]"), "bad-parameter", "must be finite"),
        (table("x: [0, 1], y: [0, 1, 2]"), "size-mismatch", "`x` is"),
        (table("x: [0, 1], y: [0, 1], interpolation: quintic"), "bad-parameter", "quintic"),
    ] {
        assert_refused(&text, code, message);
    }
}
