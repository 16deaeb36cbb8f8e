//! Grids: the tensor product of tables of one signal, exact on the polynomials of their degree, and
//! located at their breakpoints.

use superdense::Trace;

use super::super::same_everywhere;
use super::{assert_fails, assert_follows, assert_located, assert_refused, events, sampled};
use crate::common::{assert_near, failure, last_elements, simulate};

/// Holds: closed form of LookupTable2D.
#[test]
fn a_grid_is_bilinear_in_each_cell() {
    let grid = "x: [0, 1, 3], y: [0, 2], z: '[[0, 2], [1, 5], [3, 7]]'";
    let run = |first: &str, second: &str, more: &str| {
        let block =
            format!("  y: {{type: LookupTable2D, first: {first}, second: {second}, {grid}{more}}}");
        let text = sampled(&["-1", "0", "0.5", "1", "2", "3", "4"], &block, "y");
        events(&simulate(&text).trace, "y")
    };
    assert_eq!(run("u", "0", ""), [0.0, 0.0, 0.5, 1.0, 2.0, 3.0, 3.0]);
    assert_eq!(run("u", "2", ""), [2.0, 2.0, 3.5, 5.0, 6.0, 7.0, 7.0]);
    assert_eq!(run("u", "1", ""), [1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 5.0]);
    assert_eq!(run("0.5", "u", ""), [0.5, 0.5, 1.25, 2.0, 3.5, 3.5, 3.5]);
    let on = ", extrapolation: linear";
    assert_eq!(run("u", "2", on), [-1.0, 2.0, 3.5, 5.0, 6.0, 7.0, 8.0]);
    assert_eq!(run("0.5", "u", on), [-1.0, 0.5, 1.25, 2.0, 3.5, 5.0, 6.5]);
}

#[test]
fn a_grid_is_located_along_both_axes() {
    let trace = simulate(
        "blocks:
  y: {type: LookupTable2D, first: time, second: 3 - time, x: [0, 1, 3], y: [0, 0.5, 2],
    z: [[0, 2, 1], [1, 5, 4], [3, 7, 0]]}
  v: {type: LookupTable2D, first: [time, 1], second: 2, x: [0, 3], y: [0, 2], z: [[0, 1], [0, 4]]}
record: [y, v]
simulate: {stop: 3.5, maximum_step: 0.2}
",
    )
    .trace;
    assert_located(&trace, &[1.0, 2.5, 3.0]);
    let grid = |t: f64| {
        let v = (3.0 - t).clamp(0.0, 2.0);
        let row = |z: [f64; 3]| match v {
            v if v < 0.5 => z[0] + (z[1] - z[0]) * v / 0.5,
            v => z[1] + (z[2] - z[1]) * (v - 0.5) / 1.5,
        };
        let rows = [[0.0, 2.0, 1.0], [1.0, 5.0, 4.0], [3.0, 7.0, 0.0]].map(row);
        match t.min(3.0) {
            u if u < 1.0 => rows[0] + (rows[1] - rows[0]) * u,
            u => rows[1] + (rows[2] - rows[1]) * (u - 1.0) / 2.0,
        }
    };
    assert_follows(&trace, "y", grid, 1e-13);
    assert_eq!(last_elements(&trace, "v"), [4.0, 2.0]);
    assert_fails(
        "blocks:
  y: {type: LookupTable2D, first: 0, second: time, x: [0, 1], y: [0, 1], z: [[0, 1], [2, 3]],
    extrapolation: error}
simulate: {stop: 2}
",
        "outside the breakpoints",
    );
}

/// The greatest absolute value of a signal in all rows.
fn greatest(trace: &Trace, name: &str) -> f64 {
    trace.series(name).iter().map(|(_, value)| value.abs()).fold(0.0, f64::max)
}

const X: &str = "[-1, 0.5, 1, 2.25, 4]";
const Y: &str = "[0, 1, 3]";

/// A table of the products of two tables is the product of the tables, inside and outside.
#[test]
fn a_grid_of_products_is_the_product_of_tables() {
    let (f, g) = ([1.0, 2.0, 0.0, 3.0, 1.0], [2.0, -1.0, 5.0]);
    let row = |f: &f64| format!("{:?}", g.map(|g| f * g));
    let z: Vec<String> = f.iter().map(row).collect();
    for kind in ["linear", "nearest", "cubic"] {
        for extrapolation in ["hold", "linear"] {
            let how = format!("interpolation: {kind}, extrapolation: {extrapolation}");
            let text = format!(
                "blocks:
  u: {{type: Expression, expression: 1.5 + 4 * sin(time)}}
  v: {{type: Expression, expression: 1.5 + 3 * cos(1.7 * time)}}
  f: {{type: LookupTable, input: u, x: {X}, y: {f:?}, {how}}}
  g: {{type: LookupTable, input: v, x: {Y}, y: {g:?}, {how}}}
  z: {{type: LookupTable2D, first: u, second: v, x: {X}, y: {Y}, z: [{}], {how}}}
  n: {{type: LookupTableND, input: '[u, v]', breakpoints: [{}, {}], sizes: [5, 3], values: [{}]{}}}
  error: {{type: Expression, expression: z - f * g}}
  other: {{type: Expression, expression: z - n}}
record: [z, error, other]
simulate: {{stop: 7, maximum_step: 0.1}}
",
                z.join(", "),
                X.trim_matches(['[', ']']),
                Y.trim_matches(['[', ']']),
                z.join(", ").replace(['[', ']'], ""),
                if kind == "cubic" { String::new() } else { format!(", {how}") },
            );
            let trace = same_everywhere(&text);
            assert!(greatest(&trace, "z") > 5.0, "{how}");
            assert!(greatest(&trace, "error") < 1e-12, "{how}: {}", greatest(&trace, "error"));
            if kind != "cubic" {
                assert_eq!(greatest(&trace, "other"), 0.0, "{how}");
            }
        }
    }
}

#[test]
fn grids_are_exact_on_polynomials_of_their_degree() {
    for (kind, polynomial) in [
        ("linear", "3 - 2 * u + v - u * v"),
        ("cubic", "1 + u - 2 * u^2 + v * u^2 - v^2 * u + 0.5 * u^2 * v^2 - v^2"),
    ] {
        let at = |u: &str, v: &str| {
            polynomial.replace('u', &format!("({u})")).replace('v', &format!("({v})"))
        };
        let numbers = |all: &'static str| all.trim_matches(['[', ']']).split(", ");
        let row = |u| numbers(Y).map(|v| at(u, v)).collect::<Vec<_>>().join(", ");
        let z: Vec<String> = numbers(X).map(|u| format!("[{}]", row(u))).collect();
        let text = format!(
            "blocks:
  u: {{type: Expression, expression: 1.5 + 2.5 * sin(time)}}
  v: {{type: Expression, expression: 1.5 + 1.5 * cos(1.7 * time)}}
  z: {{type: LookupTable2D, first: u, second: v, x: {X}, y: {Y}, z: [{}], interpolation: {kind}}}
  error: {{type: Expression, expression: z - ({polynomial})}}
record: [z, error]
simulate: {{stop: 7, maximum_step: 0.1}}
",
            z.join(", "),
        );
        let trace = simulate(&text).trace;
        assert!(greatest(&trace, "z") > 5.0);
        assert!(greatest(&trace, "error") < 1e-11, "{kind}: {}", greatest(&trace, "error"));
    }
}

/// At every breakpoint that the signals pass, the slope of a cubic is the same on both sides; that of
/// a linear table is not.
#[test]
fn a_cubic_grid_has_continuous_derivatives() {
    let greatest_change = |kind: &str| {
        let text = format!(
            "blocks:
  z: {{type: LookupTable2D, first: time, second: 3 - 0.7 * time, x: {X}, y: {Y},
    z: [[1, 2, 3], [2, 0, 5], [4, 4, 1], [0, 3, 2], [5, 1, 1]], interpolation: {kind}}}
  slope: {{type: Derivative, input: z}}
record: [slope]
simulate: {{stop: 3.9}}
"
        );
        let trace = simulate(&text).trace;
        assert_located(&trace, &[0.5, 1.0, 2.0 / 0.7, 2.25]);
        let slopes = trace.series("slope");
        let same_time = slopes.windows(2).filter(|pair| pair[0].0.time == pair[1].0.time);
        same_time.map(|pair| (pair[1].1 - pair[0].1).abs()).fold(0.0, f64::max)
    };
    assert!(greatest_change("cubic") < 1e-12);
    assert!(greatest_change("linear") > 1.0);
}

#[test]
fn points_of_a_grid_have_their_values_exactly() {
    let z = "[[0.1, 0.7, 0.3], [0.4, -0.9, 1.1], [2.3, 0.6, 0.2]]";
    for kind in ["linear", "nearest", "cubic"] {
        for (v, column) in
            [("-5", [0.1, 0.4, 2.3]), ("0.1", [0.7, -0.9, 0.6]), ("9", [0.3, 1.1, 0.2])]
        {
            let block = format!(
                "  y: {{type: LookupTable2D, first: u, second: {v}, x: [0.1, 0.3, 0.7], \
                 y: [0, 0.1, 0.3], z: {z}, interpolation: {kind}}}"
            );
            let [low, middle, high] = column;
            let text = sampled(&["-1", "0.1", "0.3", "0.7", "8"], &block, "y");
            let found = events(&simulate(&text).trace, "y");
            assert_eq!(found, [low, low, middle, high, high], "{kind}");
        }
    }
}

/// Holds: jump of LookupTable2D.
#[test]
fn a_grid_of_the_nearest_points_jumps_halfway() {
    let text = "blocks:
  y: {type: LookupTable2D, first: time, second: 4 - time, x: [0, 1, 3], y: [0, 3],
    z: [[1, 2], [3, 4], [5, 6]], interpolation: nearest}
record: [y]
simulate: {stop: 4}
";
    let trace = same_everywhere(text);
    let values = trace.series("y");
    let jumps: Vec<_> = values.windows(2).filter(|pair| pair[0].1 != pair[1].1).collect();
    // Along x at 0.5 and 2 s, along y at 2.5 s.
    let expected = [(0.5, 2.0, 4.0), (2.0, 4.0, 6.0), (2.5, 6.0, 5.0)];
    assert_eq!(jumps.len(), expected.len());
    for (jump, (time, before, after)) in jumps.into_iter().zip(expected) {
        assert_near(jump[1].0.time.seconds(), time, 1e-15);
        assert_eq!((jump[0].0.time, jump[0].0.microstep), (jump[1].0.time, 0));
        assert_eq!((jump[0].1, jump[1].1, jump[1].0.microstep), (before, after, 1));
    }
}

/// All eight products of powers up to 1, between uneven breakpoints, and beyond.
///
/// Holds: closed form of LookupTableND.
#[test]
fn a_table_of_three_signals_is_linear_in_each() {
    let truth = |x: f64, y: f64, z: f64| {
        1.0 + 2.0 * x - y + 3.0 * z + x * y - 2.0 * y * z + 0.5 * x * z + x * y * z
    };
    let [xs, ys, zs] = [vec![-1.0, 0.0, 2.0], vec![0.0, 1.5], vec![-2.0, -0.5, 0.0, 1.0]];
    let mut values = Vec::new();
    for x in &xs {
        for y in &ys {
            values.extend(zs.iter().map(|z| truth(*x, *y, *z)));
        }
    }
    let all = [xs, ys, zs].concat();
    let model = |input: &str, stop: f64, how: &str| {
        format!(
            "blocks:
  y: {{type: LookupTableND, input: '{input}', breakpoints: {all:?}, sizes: [3, 2, 4],
    values: {values:?}{how}}}
record: [y]
simulate: {{stop: {stop}, maximum_step: 0.1}}
"
        )
    };
    let path = |t: f64| (0.5 + 1.5 * t.sin(), 0.75 + 0.75 * (2.0 * t).cos(), -2.0 + t / 2.0);
    let input = "[0.5 + 1.5 * sin(time), 0.75 + 0.75 * cos(2 * time), -2 + time / 2]";
    let trace = same_everywhere(&model(input, 6.0, ""));
    let on = |t: f64| {
        let (x, y, z) = path(t);
        truth(x, y, z)
    };
    assert_follows(&trace, "y", on, 1e-13);
    assert_located(&trace, &[3.0, 4.0, std::f64::consts::PI + (1.0f64 / 3.0).asin()]);
    let straight = "[-2 + 2 * time, 3 - 2 * time, 2 - 2 * time]";
    let along = |t: f64| [-2.0 + 2.0 * t, 3.0 - 2.0 * t, 2.0 - 2.0 * t];
    let beyond = simulate(&model(straight, 2.5, ", extrapolation: linear")).trace;
    let goes_on = |t: f64| {
        let [x, y, z] = along(t);
        truth(x, y, z)
    };
    assert_follows(&beyond, "y", goes_on, 1e-12);
    let held = |t: f64| {
        let [x, y, z] = along(t);
        truth(x.clamp(-1.0, 2.0), y.clamp(0.0, 1.5), z.clamp(-2.0, 1.0))
    };
    assert_follows(&simulate(&model(straight, 2.5, "")).trace, "y", held, 1e-12);
    let leaves = model("[0, 0, time]", 2.0, ", extrapolation: error");
    assert_fails(&leaves, "outside the breakpoints");
    let tag = failure(&leaves).error.tag().unwrap();
    assert_near(tag.time.seconds(), 1.0, 1e-15);
}

/// A cubic table is exact for polynomials of degree 2 along each axis, also beyond one of its cells.
///
/// Holds: closed form of LookupTableND.
#[test]
fn a_cubic_table_of_three_axes_is_exact_for_squares() {
    let (xs, ys, zs) = ([-1.0, 0.0, 0.5, 2.0], [0.0, 0.5, 1.5], [-2.0, -1.0, -0.5, 0.0, 1.0]);
    let truth = |x: f64, y: f64, z: f64| (1.0 + x - x * x) * (2.0 - y * y) * (z * z - 3.0 * z);
    let mut values = Vec::new();
    for x in xs {
        for y in ys {
            values.extend(zs.map(|z| truth(x, y, z)));
        }
    }
    let all = [&xs[..], &ys, &zs].concat();
    let model = |how: &str| {
        format!(
            "blocks:
  y: {{type: LookupTableND, input: '[0.5 + 1.5 * sin(time), 1.5 * sin(time)^2, -2 + time / 2]',
    breakpoints: {all:?}, sizes: [4, 3, 5], values: {values:?}, interpolation: {how}}}
record: [y]
simulate: {{stop: 6, maximum_step: 0.1}}
"
        )
    };
    let path = |t: f64| (0.5 + 1.5 * t.sin(), 1.5 * t.sin().powi(2), -2.0 + t / 2.0);
    let on = |t: f64| {
        let (x, y, z) = path(t);
        truth(x, y, z)
    };
    assert_follows(&same_everywhere(&model("cubic")), "y", on, 1e-12);
    // The points at or below, along each axis.
    let trace = simulate(&model("previous")).trace;
    let below =
        |all: &[f64], x: f64| all.iter().copied().filter(|own| *own <= x).fold(all[0], f64::max);
    for (tag, y) in trace.series("y").into_iter().filter(|(tag, _)| tag.microstep == 0).skip(1) {
        let (a, b, c) = path(tag.time.seconds());
        let near = |all: &[f64], x: f64| all.iter().any(|own| (own - x).abs() < 1e-9);
        if !near(&xs, a) && !near(&ys, b) && !near(&zs, c) {
            assert_near(y, truth(below(&xs, a), below(&ys, b), below(&zs, c)), 1e-12);
        }
    }
}

/// Holds: closed form of LookupTableND.
#[test]
fn the_nearest_point_of_four_axes() {
    // The value of a point is the number that its indices write.
    let values: Vec<String> = (0..36)
        .map(|n| format!("{}", n % 3 + n / 3 % 2 * 10 + n / 6 % 3 * 100 + n / 18 * 1000))
        .collect();
    let block = format!(
        "  y: {{type: LookupTableND, input: '[u, 2 - u, 10 * u, -u]', sizes: [2, 3, 2, 3],
    breakpoints: [0, 1, 0, 1, 2, 0, 20, -2, -1, 0], values: [{}], interpolation: nearest}}",
        values.join(", ")
    );
    let text = sampled(&["0", "0.4", "0.6", "1.2", "2.5"], &block, "y");
    let found = events(&simulate(&text).trace, "y");
    assert_eq!(found, [202.0, 202.0, 1101.0, 1111.0, 1010.0]);
}

#[test]
fn one_axis_is_a_table_of_one_signal() {
    let how = "extrapolation: linear";
    let text = format!(
        "blocks:
  u: {{type: Expression, expression: 3 * sin(time)}}
  f: {{type: LookupTable, input: u, x: {X}, y: [1, 2, 0, 3, 1], {how}}}
  g: {{type: LookupTableND, input: u, breakpoints: {X}, sizes: 5, values: [1, 2, 0, 3, 1], {how}}}
  error: {{type: Expression, expression: f - g}}
record: [error]
simulate: {{stop: 7, maximum_step: 0.1}}
"
    );
    assert!(greatest(&simulate(&text).trace, "error") < 1e-14);
}

/// Holds: bad input of LookupTable2D, LookupTableND.
#[test]
fn bad_grids_are_refused() {
    let grid = |fields: &str| {
        format!("blocks:\n  y: {{type: LookupTable2D, first: 0, second: 0, {fields}}}\n")
    };
    let table = |fields: &str| {
        format!("blocks:\n  y: {{type: LookupTableND, input: [0, time], {fields}}}\n")
    };
    let good = "breakpoints: [0, 1, 0, 1], sizes: [2, 2], values: [0, 1, 2, 3]";
    let with = |from: &str, to: &str| table(&good.replace(from, to));
    for (text, code, message) in [
        (grid("x: [0, 1], y: [1, 0], z: [[0, 1], [2, 3]]"), "bad-parameter", "`y` must increase"),
        (grid("x: [0, 1], y: [0, 1, 2], z: [[0, 1], [2, 3]]"), "size-mismatch", "`z` is"),
        (
            grid("x: [0, 1], y: [0, 1], z: [[0, 1], [2, 3]], interpolation: spline"),
            "bad-parameter",
            "spline",
        ),
        (with("sizes: [2, 2]", "sizes: [2, 3]"), "size-mismatch", "there are 4 breakpoints"),
        (
            with("sizes: [2, 2]", "sizes: [1, 3]"),
            "bad-parameter",
            "whole numbers from 2 on, and not 1",
        ),
        (with("sizes: [2, 2]", "sizes: [1.5, 2.5]"), "bad-parameter", "and not 1.5"),
        (with("sizes: [2, 2]", "sizes: []"), "bad-parameter", "it needs from 1 to 10"),
        (with("sizes: [2, 2]", "sizes: '2 * ones(11)'"), "bad-parameter", "it needs from 1 to 10"),
        (with("[0, 1, 0, 1]", "[0, 1, 1, 0]"), "bad-parameter", "must increase: 0 follows 1"),
        (with("[0, 1, 0, 1]", "[0, inf, 0, 1]"), "bad-parameter", "must be finite"),
        (with("[0, 1, 2, 3]", "[0, 1, 2]"), "size-mismatch", "a vector of 4 numbers"),
        (with("[0, 1, 2, 3]", "[[0, 1], [2, 3]]"), "size-mismatch", "a vector of 4 numbers"),
        (with("[0, 1, 2, 3]", "[0, 1, 2, inf]"), "bad-parameter", "must be finite"),
        (
            table("breakpoints: [0, 1, 2], sizes: 3, values: [0, 1, 2]"),
            "size-mismatch",
            "the table has 1 axes",
        ),
    ] {
        assert_refused(&text, code, message);
    }
}
