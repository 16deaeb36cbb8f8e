//! When expressions are present: an operator is absent whenever an operand that it uses is absent,
//! and events that come apart are refused.

mod operators;
mod random;

use crate::common;
use crate::common::{at, codes, exact, refusal, simulate, tag, tags, try_compile};

/// The only message of a model that must be refused, without colours.
fn message(text: &str) -> String {
    let refused = refusal(text);
    assert_eq!(refused.diagnostics.0.len(), 1, "{refused}");
    refused.to_string()
}

#[test]
fn a_filter_of_a_sampled_signal_is_present_where_the_signal_is() {
    let trace = simulate(
        "
superdense: 1
parameters: {alpha: 0.25}
blocks:
  c: {type: Clock, period: 1}
  raw: {type: Sample, input: 4 * time, trigger: c}
  y: {type: Expression, expression: alpha * raw + (1 - alpha) * previous(h)}
  h: {type: ZeroOrderHold, input: y}
  change: {type: Expression, expression: y - raw}
record: [raw, y, change]
simulate: {stop: 4}
",
    )
    .trace;
    assert_eq!(tags(&trace, "y"), tags(&trace, "raw"));
    assert_eq!(tags(&trace, "change"), tags(&trace, "raw"));
    let mut filtered = 0.0;
    for second in 0..=4 {
        let raw = 4.0 * f64::from(second);
        filtered = 0.25 * raw + 0.75 * filtered;
        let now = tag(f64::from(second), 1);
        assert_eq!(at(&trace, "y", now), Some(filtered));
        assert_eq!(at(&trace, "change", now), Some(filtered - raw));
    }
}

const LOOP: &str = "
superdense: 1
parameters: {kp: 2, r: 1}
blocks:
  clock: {type: Clock, period: 0.1}
  ys: {type: Sample, input: x, trigger: clock}
  held: {type: ZeroOrderHold, input: ys}
  u: {type: Expression, expression: kp * (r - SIGNAL)}
  x: {type: Integrator, input: RATE}
record: [u, x]
simulate: {stop: 1, tolerance: 1e-12}
";

#[test]
fn a_forgotten_hold_is_refused_with_the_signal_to_hold() {
    let text = message(&LOOP.replace("SIGNAL", "ys").replace("RATE", "u"));
    let expected = [
        "error[only-events]: `input` needs a signal between events",
        "present at events only",
        "note: in block `x`",
        "note: `u` is present only where `ys` is",
        "help: hold the last value of `u` with a ZeroOrderHold block, and use the held signal here",
    ];
    for part in expected {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let text = message(&LOOP.replace("SIGNAL", "ys").replace("RATE", "(u - x) / 3"));
    assert!(text.contains("help: hold the last value of `u` with"), "{text}");
    let text = message(&LOOP.replace("SIGNAL", "held").replace("RATE", "kp * (ys - r) / ys"));
    assert!(text.contains("help: hold the last value of `ys` with"), "{text}");
    assert!(text.contains("these are events"), "{text}");
    let text = message(&LOOP.replace("SIGNAL", "ys").replace("RATE", "u * ys"));
    let both = "help: hold the last value of `u` and `ys` with ZeroOrderHold blocks, and use the \
                held signals here";
    assert!(text.contains(both), "{text}");
}

#[test]
fn with_the_hold_the_loop_is_a_sampled_controller() {
    let trace = simulate(&LOOP.replace("SIGNAL", "held").replace("RATE", "u")).trace;
    let mut x: f64 = 0.0;
    for _ in 0..10 {
        x += 0.1 * 2.0 * (1.0 - x);
    }
    let last = trace.last("x").expect("present at the end");
    assert!((last - x).abs() < 1e-9, "{last} is not {x}");
}

/// Holds: absence of Sum, Product, Divide.
#[test]
fn sums_products_and_quotients_leave_out_what_is_absent_on_request() {
    let trace = simulate(
        "
superdense: 1
blocks:
  a: {type: Clock, period: 2, value: 3}
  b: {type: Clock, period: 3, value: 5}
  v: {type: Clock, period: 3, value: [2, 4]}
  m: {type: Clock, period: 2, value: [[1, 2], [3, 4]]}
  w: {type: Clock, period: 3, value: [[0, 1], [1, 0]]}
  total: {type: Sum, inputs: [a, b]}
  both: {type: Product, inputs: [a, b]}
  any: {type: Product, inputs: [a, b], absent: skip}
  thrice: {type: Product, inputs: [a, 2, b], absent: skip}
  scaled: {type: Product, inputs: [a, v], absent: skip}
  turned: {type: Product, inputs: [m, w], absent: skip}
  ratio: {type: Divide, numerator: a, denominator: b}
  rest: {type: Divide, numerator: a, denominator: b, absent: skip}
record: [total, both, any, thrice, scaled, turned, ratio, rest]
simulate: {stop: 3}
",
    )
    .trace;
    let all = |name: &str| {
        let column = trace.column(name).expect("a column");
        [0, 1, 2, 3].map(|second| {
            let row = trace.tags().iter().position(|t| *t == exact(&second.to_string(), 1))?;
            trace.get(row, column).map(<[f64]>::to_vec)
        })
    };
    let scalar = |values: [Option<f64>; 4]| values.map(|value| value.map(|value| vec![value]));
    assert_eq!(all("total"), scalar([Some(8.0), None, Some(3.0), Some(5.0)]));
    assert_eq!(all("both"), scalar([Some(15.0), None, None, None]));
    assert_eq!(all("any"), scalar([Some(15.0), None, Some(3.0), Some(5.0)]));
    assert_eq!(all("ratio"), scalar([Some(0.6), None, None, None]));
    assert_eq!(all("rest"), scalar([Some(0.6), None, Some(3.0), Some(0.2)]));
    // The constant is always there; at 1 s nothing happens, so that there is no row.
    assert_eq!(all("thrice"), scalar([Some(30.0), None, Some(6.0), Some(10.0)]));
    assert_eq!(at(&trace, "thrice", exact("2", 2)), Some(2.0));
    let vectors = [Some(vec![6.0, 12.0]), None, Some(vec![3.0, 3.0]), Some(vec![2.0, 4.0])];
    assert_eq!(all("scaled"), vectors);
    let matrices = [
        Some(vec![2.0, 1.0, 4.0, 3.0]),
        None,
        Some(vec![1.0, 2.0, 3.0, 4.0]),
        Some(vec![0.0, 1.0, 1.0, 0.0]),
    ];
    assert_eq!(all("turned"), matrices);
}

#[test]
fn a_product_that_would_change_its_size_cannot_skip() {
    for (factor, refused) in [("[1, 2]", true), ("[[1], [2]]", true), ("[[1, 0], [0, 1]]", false)] {
        let text = format!(
            "
superdense: 1
blocks:
  m: {{type: Clock, value: [[1, 2], [3, 4]]}}
  p: {{type: Product, inputs: [m, {factor}], absent: skip}}
"
        );
        match refused {
            true => assert_eq!(codes(&refusal(&text)), ["size-mismatch"], "{factor}"),
            false => assert!(try_compile(&text).is_ok(), "{factor}"),
        }
    }
}

/// Impulses keep their rules: the factor that is left out scales nothing, and one that comes at the
/// same microstep jumps.
#[test]
fn a_skipping_product_scales_impulses_by_what_is_present() {
    let model = |clock: &str| {
        format!(
            "
superdense: 1
blocks:
  e: {{type: Clock, period: 10, offset: {clock}, value: 3}}
  hit: {{type: ImpulseSource, times: [1], weight: 2}}
  p: {{type: Product, inputs: [hit, e], absent: skip}}
  x: {{type: Integrator, input: p}}
record: [x]
simulate: {{stop: 2}}
"
        )
    };
    assert_eq!(simulate(&model("0.5")).trace.last("x"), Some(2.0));
    assert!(common::failure(&model("1")).to_string().contains("jumps at the same microstep"));
}

/// Holds: absence of Expression, Integrator.
#[test]
fn a_signal_that_is_absent_over_intervals_makes_its_expressions_absent() {
    let trace = simulate(
        "
superdense: 1
blocks:
  c: {type: Clock, period: 0.5}
  m:
    type: Modal
    initial: on
    states:
      on: {outputs: {y: 2}, transitions: [{to: off, after: 1.25}]}
      off: {transitions: [{to: on, after: 1}]}
  h: {type: Constant, value: 1}
  hit: {type: ImpulseSource, times: [1, 2], weight: 5}
  x: {type: Integrator, input: m.y + h}
  z: {type: Integrator, input: m.y + hit}
  events: {type: Expression, expression: m.y * c}
  difference: {type: Expression, expression: m.y - m.y}
record: [x, z, events, difference]
simulate: {stop: 3}
",
    )
    .trace;
    let there = ["0", "0.5", "1", "2.5", "3"].map(|time| exact(time, 1));
    assert_eq!(tags(&trace, "events"), there);
    assert_eq!(at(&trace, "difference", exact("1", 1)), Some(0.0));
    assert_eq!(at(&trace, "difference", exact("2", 1)), None);
    // 3 is the rate while there is one, over 2 of the 3 seconds; of the impulses one is absent.
    assert!((trace.last("x").expect("always there") - 6.0).abs() < 1e-9);
    assert!((trace.last("z").expect("always there") - 9.0).abs() < 1e-9);
}

#[test]
fn what_the_same_transitions_say_is_present_together() {
    let model = |expression: &str| {
        format!(
            "
superdense: 1
blocks:
  c: {{type: Clock, period: 0.75}}
  m:
    type: Modal
    initial: a
    states:
      a: {{transitions: [{{to: b, after: 1, output: {{p: 2, q: 5, r: c, s: 1}}}}]}}
      b: {{transitions: [{{to: a, after: 1, output: {{p: 3, q: 1, s: c}}}}]}}
record: {{y: {expression}}}
simulate: {{stop: 2.5}}
"
        )
    };
    let trace = simulate(&model("m.p * m.q")).trace;
    assert_eq!(trace.series("y"), [(exact("1", 1), 10.0), (exact("2", 1), 3.0)]);
    for apart in ["m.p + m.r", "m.p - m.s", "m.r * m.s", "m.p + c"] {
        let refused = refusal(&model(apart));
        assert_eq!(codes(&refused), ["presence-mismatch"], "{apart}: {refused}");
    }
}

/// Clocks inside a state go by its own time, and are present together with each other alone.
#[test]
fn events_in_a_state_are_compared_by_their_own_time() {
    let model = |expression: &str| {
        format!(
            "
superdense: 1
blocks:
  c: {{type: Clock, period: 0.25}}
  m:
    type: Modal
    initial: wait
    states:
      wait: {{transitions: [{{to: run, after: 0.1}}]}}
      run:
        blocks:
          a: {{type: Clock, period: 0.25}}
          b: {{type: PeriodicSampler, input: time, period: 1/4}}
          s: {{type: Sample, input: b0, trigger: c}}
          b0: {{type: ZeroOrderHold, input: b}}
        outputs: {{y: {expression}}}
record: [m.y]
simulate: {{stop: 1}}
"
        )
    };
    let trace = simulate(&model("a + b")).trace;
    let sums: Vec<f64> = trace.series("m.y").into_iter().map(|(_, value)| value).collect();
    assert_eq!(sums, [1.0, 1.25, 1.5, 1.75]);
    assert_eq!(tags(&simulate(&model("c + s")).trace, "m.y").len(), 4);
    assert_eq!(codes(&refusal(&model("a + c"))), ["presence-mismatch"]);
    assert_eq!(codes(&refusal(&model("a + s"))), ["presence-mismatch"]);
}

#[test]
fn an_array_of_events_has_no_whole_and_is_recorded_by_its_elements() {
    let model = |record: &str| {
        format!(
            "
superdense: 1
blocks:
  x: {{type: Integrator, input: 1}}
  hit: {{type: LevelCrossing, for: {{i: 3}}, input: x, level: 0.5 + i / 4}}
{record}
simulate: {{stop: 2}}
"
        )
    };
    let trace = simulate(&model("")).trace;
    assert_eq!(tags(&trace, "hit[1]").len(), 1);
    assert_eq!(tags(&trace, "hit[2]").len(), 1);
    for record in ["record: [hit]", "record: {y: sum(hit)}"] {
        assert_eq!(codes(&refusal(&model(record))), ["presence-mismatch"], "{record}");
    }
    let clocks = model("record: [hit]")
        .replace("LevelCrossing", "Clock")
        .replace("input: x, level: 0.5 + i / 4", "period: 1, value: i");
    let trace = simulate(&clocks).trace;
    let column = trace.column("hit").expect("a column");
    let whole: Vec<_> = (0..trace.len()).filter_map(|row| trace.get(row, column)).collect();
    assert_eq!(whole, [[0.0, 1.0, 2.0]; 3]);
}
