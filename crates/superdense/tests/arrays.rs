//! Arrays of blocks: one for each value of their indices.

use crate::common::{assert_near, compile, last_elements, refusal, simulate};
use std::f64::consts::PI;

/// A plate with cold edges that starts as a product of sines, an eigenvector of the cells' equations,
/// and so decays by exp(-t k (8 sin^2(pi / (2 n)))).
fn plate(n: usize) -> String {
    format!(
        "
parameters: {{n: {n}, k: 3}}
diagrams:
  Cell:
    parameters: {{k:, start: 0}}
    inputs: [west, east, south, north]
    outputs: [T]
    blocks:
      T:
        type: Integrator
        input: k * (west + east + south + north - 4 * T)
        initial: start
blocks:
  cell:
    type: Cell
    for: {{i: n - 1, j: n - 1}}
    k: k
    start: sin(pi * (i + 1) / n) * sin(pi * (j + 1) / n)
    west: if i > 0 then cell[i - 1, j] else 0
    east: if i < n - 2 then cell[i + 1, j] else 0
    south: if j > 0 then cell[i, j - 1] else 0
    north: if j < n - 2 then cell.T[i, j + 1] else 0
record:
  T: cell
  row: cell[0]
  one: cell.T[2, 1]
simulate: {{stop: 0.2, tolerance: 1e-10}}
"
    )
}

#[test]
fn a_plate_of_cells_decays_like_its_eigenvector() {
    for n in [5usize, 12] {
        let trace = simulate(&plate(n)).trace;
        let rate = 3.0 * 8.0 * (PI / (2.0 * n as f64)).sin().powi(2);
        let truth = |i: usize, j: usize| {
            let sine = |i: usize| (PI * (i + 1) as f64 / n as f64).sin();
            sine(i) * sine(j) * (-0.2 * rate).exp()
        };
        let all = last_elements(&trace, "T");
        assert_eq!(all.len(), (n - 1) * (n - 1));
        for (at, value) in all.iter().enumerate() {
            assert_near(*value, truth(at / (n - 1), at % (n - 1)), 1e-8);
        }
        assert_eq!(last_elements(&trace, "row"), all[..n - 1]);
        assert_eq!(trace.last("one"), Some(all[2 * (n - 1) + 1]));
    }
}

/// The blocks and the results of an array are those of blocks that are written one by one.
#[test]
fn an_array_is_what_is_written_one_by_one() {
    let array = "
parameters: {n: 6}
blocks:
  x:
    type: Integrator
    for: {i: n}
    input: (if i == 0 then 1 else x[i - 1]) - (1 + i / 10) * x[i]
    initial: i
  over: {type: LevelCrossing, for: {i: n}, input: 'x[i]', level: 0.9}
  count: {type: Counter, for: {i: n}, increment: 'over[n - 1 - i]'}
  seen: {type: ZeroOrderHold, for: {i: n}, input: 'count[i]', initial: 0}
record: [x, seen]
simulate: {stop: 5}
";
    let mut blocks = String::new();
    let mut lists = [String::new(), String::new()];
    for i in 0..6 {
        let before = if i == 0 { "1".to_owned() } else { format!("x{}", i - 1) };
        blocks += &format!("  x{i}: {{type: Integrator, initial: {i}, ");
        blocks += &format!("input: {before} - (1 + {i} / 10) * x{i}}}\n");
        blocks += &format!("  over{i}: {{type: LevelCrossing, input: x{i}, level: 0.9}}\n");
        blocks += &format!("  count{i}: {{type: Counter, increment: over{}}}\n", 5 - i);
        blocks += &format!("  seen{i}: {{type: ZeroOrderHold, input: count{i}, initial: 0}}\n");
        lists[0] += &format!("x{i}, ");
        lists[1] += &format!("seen{i}, ");
    }
    let one_by_one = format!(
        "blocks:\n{blocks}record: {{x: '[{}]', seen: '[{}]'}}\nsimulate: {{stop: 5}}\n",
        lists[0].trim_end_matches(", "),
        lists[1].trim_end_matches(", "),
    );
    let (array, one_by_one) = (simulate(array).trace, simulate(&one_by_one).trace);
    assert_eq!(array.tags(), one_by_one.tags());
    assert_eq!(last_elements(&array, "x"), last_elements(&one_by_one, "x"));
    assert_eq!(last_elements(&array, "seen"), last_elements(&one_by_one, "seen"));
    assert!(last_elements(&array, "seen").iter().any(|count| *count > 0.0));
}

/// A position that moves reads the array as a vector; without `record` arrays of blocks are there.
#[test]
fn an_array_is_a_vector_as_a_whole() {
    let trace = simulate(
        "
blocks:
  c: {type: Constant, for: {i: 4}, value: i * i}
  tick: {type: Clock, period: 1}
  n: {type: Counter, increment: tick}
  picked: {type: Expression, expression: 'c[mod(n, 4)] + sum(c)'}
  d: {type: Constant, value: [0, 1, 4, 9]}
  same: {type: Expression, expression: 'd[mod(n, 4)] + sum(d)'}
simulate: {stop: 2.5}
",
    )
    .trace;
    assert_eq!(last_elements(&trace, "c"), [0.0, 1.0, 4.0, 9.0]);
    let column = |name: &str| trace.columns().iter().position(|c| c.name == name).unwrap();
    let (picked, same) = (column("picked"), column("same"));
    let rows: Vec<_> = (0..trace.len()).map(|row| trace.get(row, picked)).collect();
    assert_eq!(rows, (0..trace.len()).map(|row| trace.get(row, same)).collect::<Vec<_>>());
    assert!(rows.iter().flatten().any(|value| value[..] == [23.0]), "{rows:?}");
}

#[test]
fn arrays_nest_and_follow_parameters() {
    // Each pair has two states of its own, and the last pair is read from outside.
    let system = compile(
        "
parameters: {many: 3}
diagrams:
  Pair:
    parameters: {rate:}
    outputs: {both: x}
    blocks:
      x: {type: Integrator, for: {side: 2}, input: rate * (1 + side)}
blocks:
  pair: {type: Pair, for: {i: many}, rate: 10 * i}
record: {last: 'pair[many - 1]', all: pair}
simulate: {stop: 1}
",
    );
    assert_eq!(system.state_count(), 6);
    let trace = system.simulate().unwrap_or_else(|failure| panic!("{failure}")).trace;
    for (value, truth) in last_elements(&trace, "last").iter().zip([20.0, 40.0]) {
        assert_near(*value, truth, 1e-12);
    }
    for (value, truth) in
        last_elements(&trace, "all").iter().zip([0.0, 0.0, 10.0, 20.0, 20.0, 40.0])
    {
        assert_near(*value, truth, 1e-12);
    }
}

#[test]
fn mistakes_are_told_once() {
    let model = |fields: &str| {
        format!("parameters: {{n: 50}}\nblocks:\n  x: {{type: Integrator, {fields}}}\n")
    };
    let cases = [
        ("for: {i: n}, input: 'x[i - 1]'", "index-out-of-range", "edge"),
        ("for: {i: n}, input: 'x[i, 0]'", "index-out-of-range", "1 index"),
        ("for: {i: n}, input: y", "unknown-name", "`y`"),
        ("for: {i: n}, input: 1, initial: k", "unknown-name", "`k`"),
        ("for: {i: n}, input: 1, wrong: i", "unknown-field", "`wrong`"),
        ("for: {i: -1}, input: 1", "bad-setting", "whole number"),
        (
            "for: {i: 0}, input: 1}\n  y: {type: Gain, input: 'x[0]'",
            "index-out-of-range",
            "no elements",
        ),
        ("for: {i: 2.5}, input: 1", "bad-setting", "whole number"),
        ("for: {i: 3000, j: 3000}, input: 1", "too-large", "blocks"),
        ("for: {n: 3}, input: 1", "duplicate-name", "index"),
        ("for: {x: 3}, input: 1", "duplicate-name", "index"),
        ("for: {pi: 3}, input: 1", "reserved-name", "meaning"),
        ("for: 3, input: 1", "wrong-kind", "mapping"),
        ("for: {i: 2, j: 2, k: 2}, input: 'sum(x)'", "size-mismatch", "3 indices"),
    ];
    for (fields, code, words) in cases {
        let refused = refusal(&model(fields));
        let text = refused.to_string();
        assert_eq!(refused.diagnostics.0.len(), 1, "{fields}: {text}");
        assert_eq!(refused.diagnostics.0[0].code, code, "{fields}: {text}");
        assert!(text.contains(words), "{fields}: {text}");
    }
}

/// A chain of n lags, of which there may be none.
#[test]
fn an_array_may_be_empty() {
    let run = |n: usize| {
        let text = format!(
            "
parameters: {{n: {n}}}
blocks:
  x: {{type: Integrator, for: {{i: n}}, input: '(if i > 0 then x[i - 1] else 1) - x[i]'}}
  y: {{type: Expression, expression: 'if n > 0 then x[n - 1] else 1'}}
  total: {{type: Expression, expression: 'sum(x) + length(x)'}}
simulate: {{stop: 1}}
"
        );
        let trace = simulate(&text).trace;
        (trace.last("y").unwrap(), trace.last("total").unwrap(), last_elements(&trace, "x").len())
    };
    assert_eq!(run(0), (1.0, 0.0, 0));
    let (y, total, size) = run(1);
    assert_eq!((total, size), (y + 1.0, 1));
    assert!((y - (1.0 - (-1f64).exp())).abs() < 1e-5, "{y}");
}
