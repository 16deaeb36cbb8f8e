//! Comparisons at and around a point.

use crate::common::compile;
use superdense::{AnalysisError, Linearize, Side, Trim};

use super::{close, linear, linear_at, number, reached, start, trimmed, values};

/// A saturation at its limit has two derivatives.
#[test]
fn a_kink_at_the_point_is_reported() {
    let system = compile(
        "
inputs: {u: {initial: 1}}
blocks:
  x: {type: Integrator, input: 'min(u, 1) - x', initial: 1}
  z: {type: Integrator, input: abs(u) - z}
record: [x]
",
    );
    let found = linear(&system, &["u"], &["x"]);
    assert_eq!(found.switches.len(), 1, "{:?}", found.switches);
    let own = &found.switches[0];
    assert!(own.block.starts_with('x') && !own.jumps, "{own:?}");
    let slope = |side| {
        let about = Linearize {
            inputs: Some(vec!["u".to_owned()]),
            side: Some(side),
            ..Linearize::default()
        };
        system.linearize(&start(&system), &about).unwrap().system.b.data().to_vec()
    };
    let mut both = [slope(Side::Above)[0], slope(Side::Below)[0]];
    both.sort_by(f64::total_cmp);
    assert_eq!(both, [0.0, 1.0]);
    assert_eq!(slope(Side::Above)[1], 1.0);
}

/// Away from its switches a piecewise function has one derivative, that of its piece.
#[test]
fn the_piece_at_the_point_counts() {
    let text = "
inputs: {u: {initial: VALUE}}
blocks: {x: {type: Integrator, input: 'if u > 0 then 2 * u else -u^2'}}
record: [x]
";
    for (value, slope) in [("3", 2.0), ("-3", 6.0)] {
        let found = linear(&compile(&text.replace("VALUE", value)), &["u"], &["x"]);
        close(found.system.b.data(), &[slope]);
        assert!(found.switches.is_empty());
    }
    // At 0 the pieces meet with other slopes, and the start is on the side of `u <= 0`.
    let found = linear(&compile(&text.replace("VALUE", "0")), &["u"], &["x"]);
    assert_eq!(found.switches.len(), 1);
}

/// The search goes across kinks and jumps with comparisons read from values.
#[test]
fn a_search_crosses_switches() {
    let system = compile(
        "
inputs: {u: {initial: -4}}
blocks:
  x: {type: Integrator, input: 'u - (if x > 1 then 5 * (x - 1) + 1 else x)', initial: -3}
  stop: {type: Expression, expression: 'max(0, abs(x) - 2)'}
record: [x, stop]
",
    );
    let about = Trim { inputs: values(&[("u", 6.0)]), ..Trim::default() };
    let found = trimmed(&system, &about);
    close(&[number(&found.states, "x")], &[2.0]);
    let about = Trim { inputs: values(&[("u", 0.5)]), ..Trim::default() };
    let found = trimmed(&system, &about);
    close(&[number(&found.states, "x")], &[0.5]);
    // The steady state may be the switch itself.
    let about = Trim { inputs: values(&[("u", 1.0)]), ..Trim::default() };
    let found = trimmed(&system, &about);
    close(&[number(&found.states, "x")], &[1.0]);
    assert_eq!(found.switches.len(), 1, "{:?}", found.switches);
    let model = |side| {
        let about = Linearize { side: Some(side), ..Linearize::default() };
        system.linearize(&found.point, &about).unwrap().system.a.data().to_vec()
    };
    assert_eq!((model(Side::Above), model(Side::Below)), (vec![-5.0], vec![-1.0]));
}

/// A relay keeps its state: the point of a run has the one that it is in there.
#[test]
fn hysteresis_is_held() {
    let system = compile(
        "
blocks:
  heat: {type: Relay, input: 20 - x, on_level: 1, off_level: -1, on_value: 10}
  x: {type: Integrator, input: heat - 0.2 * x, initial: 15}
record: [x, heat]
simulate: {stop: 10}
",
    );
    let found = linear_at(&system, &reached(&system, 0.5), &["heat"], &["x"]);
    close(found.system.a.data(), &[-0.2]);
    close(found.system.b.data(), &[1.0]);
    assert_eq!(number(&found.inputs, "heat"), 10.0);
}

#[test]
fn a_sliding_motion_is_refused() {
    let system = compile(
        "
blocks:
  x: {type: Integrator, input: 'if x > 0 then -1 else 2', initial: 1}
record: [x]
simulate: {stop: 3, sliding: filippov}
",
    );
    let found = linear_at(&system, &reached(&system, 0.5), &[], &["x"]);
    assert_eq!(found.system.a.data(), [0.0]);
    let time = superdense::Time::from_f64(2.0);
    let error = system.operating_point(time, &[]).unwrap_err();
    let AnalysisError::OnSurface { blocks, .. } = &error else { panic!("{error}") };
    assert_eq!(blocks, &["x"]);
}
