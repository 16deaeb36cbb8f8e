//! Runs that fail: where, and which block is blamed.

use crate::common;
use crate::common::{assert_near, belongs, exact, failure, simulate, tag};
use superdense::RunError;

/// The run of a model ends at a tag with a number that is not finite, for which a block is blamed.
#[track_caller]
fn not_finite(at: superdense::Tag, blamed: &str, text: &str) {
    match failure(text).error {
        RunError::NotFinite { tag, block, .. } => {
            assert_eq!(tag, at);
            assert!(belongs(&block, blamed), "{block}");
        }
        other => panic!("{other}"),
    }
}

/// The block that is blamed for the end of a run near a time at which a signal leaves the finite
/// numbers. What ends it first, the value or the step, depends on rounding.
#[track_caller]
fn blamed_near(seconds: f64, tolerance: f64, text: &str) -> String {
    match failure(text).error {
        RunError::NotFinite { tag, block, .. } | RunError::StepTooSmall { tag, block, .. } => {
            assert_near(tag.time.seconds(), seconds, tolerance);
            block.to_string()
        }
        other => panic!("{other}"),
    }
}

/// Holds: bad input of Divide.
#[test]
fn division_by_zero_at_a_tick() {
    not_finite(
        exact("1", 1),
        "q",
        "
blocks:
  x: {type: Step, time: 1, before: 1, after: 0}
  q: {type: Divide, numerator: 1, denominator: x}
  r: {type: Gain, input: q, gain: 2}
record: [r]
simulate: {stop: 2}
",
    );
}

#[test]
fn division_by_zero_of_a_reset_state() {
    not_finite(
        exact("0.5", 1),
        "q",
        "
blocks:
  c: {type: Clock, period: 0.5, offset: 0.5, value: 0}
  x: {type: Integrator, input: 1, initial: 1, reset: c}
  q: {type: Expression, expression: 1 / x}
  y: {type: Integrator, input: q}
record: [y]
simulate: {stop: 2}
",
    );
}

#[test]
fn division_by_zero_at_the_start() {
    not_finite(
        tag(0.0, 0),
        "q",
        "
blocks:
  x: {type: Integrator, input: 1}
  q: {type: Divide, numerator: 1, denominator: x}
record: [q]
simulate: {stop: 2}
",
    );
}

/// What never moves is checked at the start too.
#[test]
fn division_by_zero_of_a_held_value_at_the_start() {
    not_finite(
        tag(0.0, 0),
        "q",
        "
blocks:
  c: {type: Clock, period: 1, offset: 0.5}
  h: {type: ZeroOrderHold, input: c}
  q: {type: Divide, numerator: 1, denominator: h}
record: [q]
simulate: {stop: 2}
",
    );
}

#[test]
fn the_first_block_with_nan_is_blamed() {
    not_finite(
        exact("1", 1),
        "b",
        "
blocks:
  c: {type: Expression, expression: b + 1}
  b: {type: Expression, expression: sqrt(a)}
  a: {type: Step, time: 1, before: 1, after: -1}
  d: {type: Integrator, input: c}
record: [d]
simulate: {stop: 2}
",
    );
}

#[test]
fn nan_of_smooth_motion_is_blamed() {
    let block = blamed_near(
        1.0,
        1e-6,
        "
blocks:
  y: {type: Integrator, input: s}
  s: {type: Gain, input: r, gain: 3}
  r: {type: Expression, expression: sqrt(1 - time)}
record: [y]
simulate: {stop: 2}
",
    );
    assert!(belongs(&block, "r"), "{block}");
}

#[test]
fn growth_without_bound_ends_the_run() {
    // x' = x^2 from 1 is 1 / (1 - t).
    let block = blamed_near(
        1.0,
        1e-4,
        "
blocks:
  x: {type: Integrator, input: x * x, initial: 1}
record: [x]
simulate: {stop: 2}
",
    );
    assert_eq!(block, "x");
}

#[test]
fn a_trial_stage_below_zero_shrinks_the_step() {
    let outcome = simulate(
        "
blocks:
  h: {type: Integrator, input: -sqrt(h), initial: 1}
record: [h]
simulate: {stop: 1.9, tolerance: 1e-9, initial_step: 1.9}
",
    );
    assert_near(outcome.trace.last("h").unwrap(), 0.0025, 1e-7);
    assert!(outcome.counters.rejected > 0, "no trial stage went below zero");
}

#[test]
fn chattering_names_the_blocks() {
    let failure = failure(
        "
blocks:
  c: {type: Clock, period: 1, offset: 1}
  again: {type: MicrostepDelay, input: loop}
  loop: {type: Merge, inputs: [c, again]}
  idle: {type: Clock, period: 1, offset: 1}
record: [loop]
simulate: {stop: 3, microsteps: 50}
",
    );
    match failure.error {
        RunError::Chattering { time, limit, blocks, endless, .. } => {
            assert_eq!((time, limit, endless), (exact("1", 0).time, 50, true));
            assert!(blocks.contains(&"again".to_owned()), "{blocks:?}");
            assert!(!blocks.contains(&"idle".to_owned()), "{blocks:?}");
            assert!(!blocks.contains(&"c".to_owned()), "{blocks:?}");
        }
        other => panic!("{other}"),
    }
}

/// A relay that pushes its input back at once, on both sides: it switches without end.
#[test]
fn a_sliding_relay_does_not_hang() {
    let failure = failure(
        "
blocks:
  x: {type: Integrator, input: if x > 0 then -1 else 1, initial: 0.5}
record: [x]
simulate: {stop: 3, microsteps: 50}
",
    );
    assert!(
        matches!(failure.error, RunError::Chattering { .. } | RunError::Zeno { .. }),
        "{}",
        failure.error
    );
    let last = failure.trace.tags().last().unwrap();
    assert_near(last.time.seconds(), 0.5, 1e-9);
}

#[test]
fn a_failure_keeps_the_trace() {
    let failure = failure(
        "
blocks:
  t: {type: Integrator, input: 1}
  x: {type: Step, time: 1, before: 1, after: 0}
  q: {type: Divide, numerator: 1, denominator: x}
  c: {type: Clock, period: 0.1}
record: [t, q, c]
simulate: {stop: 2}
",
    );
    assert_eq!(common::tags(&failure.trace, "c").len(), 10);
    assert!(failure.counters.ticks >= 10);
}

#[test]
fn an_error_at_run_time_points_into_the_text() {
    let text = "
blocks:
  x: {type: Step, time: 1, before: 1, after: 0}
  q: {type: Divide, numerator: 1, denominator: x}
record: [q]
simulate: {stop: 2}
";
    let system = common::compile(text);
    let failure = system.simulate().expect_err("a division by zero");
    let shown = system.explain(&failure.error).render(system.sources(), false);
    assert!(shown.contains("not-finite"), "{shown}");
    assert!(shown.contains("test.yaml:5"), "{shown}");
}

/// The solution of x' = -1/(2x) ends at t = 1, where its rate is infinite; it is not stepped over,
/// with any tolerance.
#[test]
fn a_pole_that_is_reached_in_finite_time() {
    for tolerance in ["1e-3", "1e-6", "1e-9"] {
        let error = failure(&format!(
            "
blocks:
  x: {{type: Integrator, input: -1 / (2 * x), initial: 1}}
record: [x]
simulate: {{stop: 5, tolerance: {tolerance}}}
"
        ))
        .error;
        let (RunError::NotFinite { tag, block, .. } | RunError::StepTooSmall { tag, block, .. }) =
            error
        else {
            panic!("{error}");
        };
        assert!((tag.time.seconds() - 1.0).abs() < 0.05, "{tolerance}: {tag}");
        assert!(belongs(&block, "x"), "{block}");
    }
}

/// Cells that are passed faster than an attosecond, or than a float of time can tell, are an error
/// and no endless run.
#[test]
fn cells_that_change_faster_than_time() {
    for (from, expression) in [(0, "floor(1e20 * time)"), (1000, "ceil(1e18 * time)")] {
        let error = failure(&format!(
            "
blocks:
  y: {{type: Expression, expression: {expression}}}
record: [y]
simulate: {{start: {from}, stop: 1005}}
"
        ))
        .error;
        let RunError::StepTooSmall { tag, block, .. } = error else { panic!("{error}") };
        assert!((tag.time.seconds() - f64::from(from)).abs() < 1e-9, "{tag}");
        assert!(belongs(&block, "y"), "{block}");
    }
}

/// Twice integrated sines start with a zero of the third order. It is no event, and not located
/// again and again.
#[test]
fn a_zero_of_high_order_at_the_start() {
    for solver in ["rk45", "rk23", "heun", "rk4", "trapezoidal"] {
        let outcome = simulate(&format!(
            "
blocks:
  u: {{type: Sine, frequency: 0.2}}
  a: {{type: Integrator, input: u}}
  b: {{type: Integrator, input: a}}
  y: {{type: Expression, expression: abs(b)}}
record: [y, b]
simulate: {{stop: 2, solver: {solver}}}
"
        ));
        assert_eq!(outcome.counters.ticks, 0, "{solver}");
    }
}

/// Tolerances that floats cannot meet, and steps below the resolution of time.
#[test]
fn tolerances_beyond_floats_are_named() {
    for solver in ["rk45", "rk23", "tr-bdf2", "rodas5p", "auto", "euler-adaptive"] {
        for tolerance in ["1e-30", "1e-300"] {
            let error = failure(&format!(
                "
blocks:
  z: {{type: Integrator, input: cos(time)}}
  x: {{type: Integrator, input: z - x, initial: 1}}
record: [x]
simulate: {{stop: 3, tolerance: {tolerance}, solver: {solver}}}
"
            ))
            .error;
            let RunError::ToleranceTooSmall { tag, block, allowed, .. } = &error else {
                panic!("{solver} {tolerance}: {error}");
            };
            assert!(tag.time.seconds() < 1e-3, "{tag}");
            assert!(["x", "z"].contains(&block.path()), "{block}");
            assert!(*allowed < 1e-29);
            assert!(error.help().contains("1e-15"));
        }
    }
}

/// A tolerance relative to a small state, or one that the other tolerance makes up for, can be met.
#[test]
fn small_tolerances_that_can_be_met_are_met() {
    for (size, settings) in [
        ("1", "relative_tolerance: 1e-30, absolute_tolerance: 1e-9"),
        ("1", "relative_tolerance: 1e-9, absolute_tolerance: 1e-300"),
        ("1", "tolerance: 1e-15"),
        ("1e-20", "tolerance: 1e-30"),
    ] {
        let outcome = simulate(&format!(
            "
blocks:
  x: {{type: Integrator, input: -x, initial: {size}}}
record: [x]
simulate: {{stop: 1, {settings}}}
"
        ));
        let size: f64 = size.parse().unwrap();
        assert_near(outcome.trace.last("x").unwrap() / size, (-1.0f64).exp(), 1e-7);
    }
}

#[test]
fn steps_below_the_resolution_of_time_are_refused() {
    for settings in [
        "step: 1e-30, solver: rk4",
        "maximum_step: 1e-30",
        "maximum_step: 1e-19, stop: 1e-6",
        "maximum_step: 1e-14, stop: 1000",
        "step: 1e-15, solver: euler, start: 1e6",
    ] {
        let stop = if settings.contains("stop") { "" } else { "stop: 2e6, " };
        let refused = common::refusal(&format!(
            "
blocks:
  x: {{type: Integrator, input: -x, initial: 1}}
record: [x]
simulate: {{{stop}{settings}}}
"
        ));
        assert_eq!(common::codes(&refused), ["bad-setting"], "{settings}: {refused}");
        assert!(refused.to_string().contains("resolution of time"), "{refused}");
    }
    let error = failure(
        "
blocks:
  s: {type: Sine, frequency: 1e20}
  x: {type: Integrator, input: s}
record: [x]
simulate: {stop: 1}
",
    )
    .error;
    assert!(matches!(&error, RunError::StepTooSmall { block, .. } if block == "s"), "{error}");
}

/// Something that turns ever faster towards a time, without any event: the steps creep.
#[test]
fn steps_that_creep_are_named() {
    for (power, solver) in [(2, "rk45"), (2, "rk23"), (3, "rk45")] {
        let error = failure(&format!(
            "
blocks:
  x: {{type: Integrator, input: v / (2 - time)^{power}, initial: 1}}
  v: {{type: Integrator, input: -x / (2 - time)^{power}}}
record: []
simulate: {{stop: 30, every: 30, solver: {solver}}}
"
        ))
        .error;
        let RunError::Creeping { tag, limit, block, .. } = &error else { panic!("{error}") };
        assert_near(*limit, 2.0, 1e-2);
        assert!(tag.time.seconds() < 2.0 && tag.time.seconds() > 1.9, "{tag}");
        assert!(["x", "v"].contains(&block.path()), "{block}");
    }
}

/// A relay that no limit of microsteps would end is told apart from a chain that ends.
#[test]
fn advice_on_microsteps_only_where_it_helps() {
    let relay = "
blocks:
  x: {type: Integrator, input: -sign(x), initial: 0.5}
record: [x]
simulate: {stop: 3}
";
    let error = failure(relay).error;
    assert_eq!(error.code(), "chattering");
    assert!(!error.help().contains("microsteps under"), "{}", error.help());
    assert!(!error.help().contains("`microsteps`"), "{}", error.help());
    let chain = "
blocks:
  c: {type: Clock, period: 1, offset: 1, value: 0}
  again: {type: MicrostepDelay, input: up}
  up: {type: Merge, inputs: [c, more]}
  more: {type: Expression, expression: again + 1}
record: [up]
simulate: {stop: 1.5, microsteps: 300}
";
    let error = failure(chain).error;
    assert_eq!(error.code(), "chattering");
    assert!(error.help().contains("`microsteps`"), "{}", error.help());
}

/// A failure inside a diagram of the library shows the line of the model that uses it: the innermost
/// one, also in a state of a machine.
#[test]
fn a_failure_in_the_library_shows_who_uses_it() {
    for (text, line) in [
        (
            "blocks:
  k: {type: Clock, period: 1, offset: 1}
  w: {type: ImpulsiveForce, collision: k, v1: 1 + delta(time - 1), v2: 0}
record: [w]
simulate: {stop: 2}",
            "  w: {type: ImpulsiveForce",
        ),
        (
            "diagrams:
  Pair:
    outputs: {y: inner}
    blocks:
      k: {type: Clock, period: 1, offset: 1}
      inner: {type: ImpulsiveForce, collision: k, v1: 1 + delta(time - 1), v2: 0}
blocks:
  all: {type: Pair, for: {i: 2}}
record: {y: 'all[1]'}
simulate: {stop: 2}",
            "      inner: {type: ImpulsiveForce",
        ),
        (
            "blocks:
  k: {type: Clock, period: 1, offset: 1}
  m:
    type: Modal
    states:
      only:
        blocks: {deep: {type: ImpulsiveForce, collision: k, v1: 1 + delta(time - 1), v2: 0}}
        outputs: {y: deep}
record: [m.y]
simulate: {stop: 2}",
            "        blocks: {deep: {type: ImpulsiveForce",
        ),
    ] {
        let system = common::compile(text);
        let failed = system.simulate().expect_err("an impulse is sampled");
        let told = system.explain(&failed.error);
        let used = told.labels.iter().find(|label| label.text == "used here");
        let used = used.unwrap_or_else(|| panic!("{told:?}"));
        let source = system.sources().text(used.span.file);
        let start = used.span.start as usize;
        let from = source[..start].rfind('\n').map_or(0, |at| at + 1);
        assert!(source[from..].starts_with(line), "{}", &source[from..]);
        let first = told.labels.first().expect("the block itself");
        assert_ne!(first.span.file.index(), 0, "it is in the library");
    }
}
