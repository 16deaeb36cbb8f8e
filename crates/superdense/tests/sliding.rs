//! Sliding along surfaces (`sliding: filippov`) against closed forms.

mod readers;

use crate::common::{at, bits, by, compile, failure, has_row, simulate};
use proptest::prelude::*;
use superdense::{Backend, RunError, SlidingFailure, Switching};

const METHODS: [&str; 8] =
    ["heun", "rk4", "trapezoidal", "rk23", "rk45", "rodas5p", "tr-bdf2", "auto"];

fn near(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance, "{what}: {found} for {expected}");
}

/// The shortest example, from the issues of another tool: two comparisons of one difference.
fn difference(settings: &str) -> String {
    format!(
        "
blocks:
  x: {{type: Integrator, input: if x > y then -2 else 2, initial: 1}}
  y: {{type: Integrator, input: if y > x then -3 else 1.5}}
  u: {{type: Expression, expression: if x > y then -2 else 2}}
  square: {{type: Expression, expression: u * u}}
record: [x, y, u, square]
simulate: {{stop: 2, {settings}}}
"
    )
}

/// Both move with -6/17 on the surface. A product is the mean of the products.
#[test]
fn comparisons_of_one_difference_are_one_surface() {
    let trace = simulate(&difference("sliding: filippov")).trace;
    let entry = 1.0 / 3.5;
    let end = 1.0 - 2.0 * entry - 6.0 / 17.0 * (2.0 - entry);
    for name in ["x", "y"] {
        near(trace.last(name).unwrap(), end, 1e-12, name);
    }
    near(trace.last("u").unwrap(), -6.0 / 17.0, 1e-12, "u");
    assert_eq!(trace.last("square"), Some(4.0));
    // The left limit, then the value on the surface.
    let entry: Vec<_> = trace.tags().iter().filter(|tag| tag.microstep == 1).collect();
    assert_eq!(entry.len(), 1);
    let before = superdense::Tag { microstep: 0, ..*entry[0] };
    assert_eq!(at(&trace, "u", before), Some(-2.0));
    near(at(&trace, "u", *entry[0]).unwrap(), -6.0 / 17.0, 1e-12, "u");
}

/// Whatever the factors and the order of the operands are, and whichever way each is written.
#[test]
fn functions_that_differ_by_a_factor_are_one_surface() {
    let others = ["x - y > 0", "2 * x > 2 * y", "not (x < y)", "-3 * (y - x) > 0", "k * x > k * y"];
    for other in others {
        let text = format!(
            "
parameters: {{k: 0.7}}
blocks:
  x: {{type: Integrator, input: if x > y then -2 else 2, initial: 1}}
  y: {{type: Integrator, input: if {other} then 1.5 else -3}}
record: [x]
simulate: {{stop: 2, sliding: filippov}}
"
        );
        let entry = 1.0 / 3.5;
        let end = 1.0 - 2.0 * entry - 6.0 / 17.0 * (2.0 - entry);
        near(simulate(&text).trace.last("x").unwrap(), end, 1e-12, other);
    }
}

/// x' = a - sign(x): rest where the drift is below 1, for every drift.
#[test]
fn a_relay_holds_against_a_drift() {
    for drift in [-1.5, -0.9, -0.25, 0.0, 0.5, 0.999] {
        let text = format!(
            "
blocks:
  x: {{type: Integrator, input: {drift} - sign(x), initial: 1}}
  u: {{type: Expression, expression: sign(x)}}
record: [x, u]
simulate: {{stop: 30, sliding: filippov}}
"
        );
        let trace = simulate(&text).trace;
        let entry = 1.0 / (1.0 - drift);
        let (x, u) = match drift {
            drift if drift < -1.0 => (-(30.0 - entry) * (-1.0 - drift), -1.0),
            drift if entry > 30.0 => (1.0 + 30.0 * (drift - 1.0), 1.0),
            drift => (0.0, drift),
        };
        near(trace.last("x").unwrap(), x, 1e-9, &format!("x at drift {drift}"));
        near(trace.last("u").unwrap(), u, 1e-9, &format!("u at drift {drift}"));
    }
}

/// It is left at the time at which the drift exceeds the relay, by each method; a level crossing of
/// the same function has no event while it slides, and one when it leaves.
#[test]
fn a_surface_is_left_at_the_right_time() {
    for method in METHODS {
        let text = format!(
            "
blocks:
  x: {{type: Integrator, input: time - sign(x), initial: 0.02}}
  cross: {{type: LevelCrossing, input: x}}
  down: {{type: LevelCrossing, input: -x, level: 0}}
record: [x, cross, down]
simulate: {{stop: 3, sliding: filippov, solver: {method}, tolerance: 1e-9, step: 0.01}}
"
        );
        let trace = simulate(&text).trace;
        near(trace.last("x").unwrap(), 2.0, 1e-6, method);
        for name in ["cross", "down"] {
            let events = crate::common::times(&trace, name);
            assert_eq!(events.len(), 1, "{method}: {events:?}");
            near(events[0], 1.0, 1e-6, method);
        }
    }
}

/// An oscillator with dry friction: each half period ends 2 mu nearer, until it sticks.
#[test]
fn dry_friction_sticks() {
    for method in ["rk45", "rodas5p", "rk4"] {
        let text = format!(
            "
parameters: {{mu: 0.3}}
blocks:
  v: {{type: Integrator, input: -x - mu * sign(v)}}
  x: {{type: Integrator, input: v, initial: 2.5}}
  force: {{type: Expression, expression: -mu * sign(v)}}
record: [x, v, force]
simulate: {{stop: 20, sliding: filippov, solver: {method}, tolerance: 1e-10, step: 0.002}}
"
        );
        let trace = simulate(&text).trace;
        near(trace.last("x").unwrap(), 0.1, 1e-7, method);
        near(trace.last("v").unwrap(), 0.0, 1e-12, method);
        near(trace.last("force").unwrap(), 0.1, 1e-7, method);
        let stops: Vec<f64> =
            trace.tags().iter().filter(|t| t.microstep == 1).map(|t| t.time.seconds()).collect();
        assert_eq!(stops.len(), 4, "{method}");
        for (k, stop) in stops.iter().enumerate() {
            near(*stop, (k + 1) as f64 * std::f64::consts::PI, 1e-7, method);
        }
    }
}

/// A motion on a curved surface stays on it: steps do not add up.
#[test]
fn curved_surfaces_are_kept() {
    for method in METHODS {
        let text = format!(
            "
blocks:
  x: {{type: Integrator, input: -y - x * sign(x^2 + y^2 - 1), initial: 2}}
  y: {{type: Integrator, input: x - y * sign(x^2 + y^2 - 1)}}
record: [x, y]
simulate: {{stop: 20, sliding: filippov, solver: {method}, tolerance: 1e-8, step: 0.01}}
"
        );
        let trace = simulate(&text).trace;
        let (x, y) = (trace.last("x").unwrap(), trace.last("y").unwrap());
        let order_two = matches!(method, "heun" | "trapezoidal" | "tr-bdf2");
        near(x.hypot(y), 1.0, 1e-8, method);
        near(
            y.atan2(x),
            20f64.sin().atan2(20f64.cos()),
            if order_two { 3e-4 } else { 1e-6 },
            method,
        );
    }
}

/// Two relays that see each other slide first along one surface, then rest where both meet.
#[test]
fn surfaces_meet() {
    let text = "
blocks:
  x: {type: Integrator, input: 0.5 * sign(y) - sign(x) + 0.1, initial: 1}
  y: {type: Integrator, input: -0.5 * sign(x) - sign(y), initial: 0.4}
  a: {type: Expression, expression: sign(x)}
  b: {type: Expression, expression: sign(y)}
record: [x, y, a, b]
simulate: {stop: 5, sliding: filippov}
";
    let trace = simulate(text).trace;
    // On y = 0: b = -a / 2 = -1/2, so that x' = -1.15; on both: a = 0.08, b = -0.04.
    let entry = 0.4 / 1.5;
    let both = entry + (1.0 - 0.4 * entry) / 1.15;
    let times: Vec<f64> =
        trace.tags().iter().filter(|t| t.microstep == 1).map(|t| t.time.seconds()).collect();
    near(times[0], entry, 1e-12, "on y = 0");
    near(times[1], both, 1e-12, "on both");
    near(trace.last("a").unwrap(), 0.08, 1e-12, "a");
    near(trace.last("b").unwrap(), -0.04, 1e-12, "b");
    near(trace.last("x").unwrap(), 0.0, 1e-15, "x");
}

/// Blocks on a rough table, joined by springs and pulled to and fro at one end: a surface for each
/// of them. The reference is a time-stepping method with friction as a set-valued law (J. J. Moreau,
/// 1988), of first order.
#[test]
fn a_chain_of_blocks_sticks_and_slips() {
    let run = |n: usize| {
        let text = format!(
            "
parameters: {{n: {n}}}
blocks:
  v: {{type: Integrator, for: {{i: n}}, input: '(if i == n - 1 then force else 0) - sign(v[i]) + 2 * left[i] + 2 * right[i]'}}
  x: {{type: Integrator, for: {{i: n}}, input: 'v[i]'}}
  left: {{type: Expression, for: {{i: n}}, expression: 'if i > 0 then x[max(i - 1, 0)] - x[i] else 0'}}
  right: {{type: Expression, for: {{i: n}}, expression: 'if i < n - 1 then x[min(i + 1, n - 1)] - x[i] else 0'}}
  force: {{type: Expression, expression: 3 * sin(0.3 * time)}}
record: ['x[0]', 'x[{last}]']
simulate: {{stop: 30, sliding: filippov, tolerance: 1e-8}}
",
            last = n - 1
        );
        let trace = simulate(&text).trace;
        [trace.last("x[0]").unwrap(), trace.last(&format!("x[{}]", n - 1)).unwrap()]
    };
    let stepped = |n: usize, dt: f64| {
        let (mut x, mut v) = (vec![0.0; n], vec![0.0f64; n]);
        for step in 1..=(30.0 / dt).round() as usize {
            for i in 0..n {
                let force = if i == n - 1 { 3.0 * (0.3 * step as f64 * dt).sin() } else { 0.0 };
                let left = if i > 0 { x[i - 1] - x[i] } else { 0.0 };
                let right = if i + 1 < n { x[i + 1] - x[i] } else { 0.0 };
                let free: f64 = v[i] + dt * (force + 2.0 * left + 2.0 * right);
                v[i] = free.signum() * (free.abs() - dt).max(0.0);
            }
            (0..n).for_each(|i| x[i] += dt * v[i]);
        }
        [x[0], x[n - 1]]
    };
    for n in [4, 8] {
        let (found, coarse, fine) = (run(n), stepped(n, 2e-3), stepped(n, 1e-3));
        for i in 0..2 {
            // The error of first order is taken away by extrapolation.
            near(found[i], 2.0 * fine[i] - coarse[i], 2e-4, &format!("{n} blocks"));
        }
    }
    assert!(run(20)[1] > 1.0);
}

/// A product of two comparisons is no sum: where both surfaces meet there is no unique motion.
#[test]
fn surfaces_that_do_not_separate_are_refused() {
    let text = "
blocks:
  x: {type: Integrator, input: 0.6 * sign(x) * sign(y) - sign(x), initial: 0.5}
  y: {type: Integrator, input: -sign(y), initial: 1}
record: [x, y]
simulate: {stop: 5, sliding: filippov}
";
    match failure(text).error {
        RunError::Sliding { blocks, failure, .. } => {
            assert_eq!(failure, SlidingFailure::NotSeparable);
            assert_eq!(blocks, ["x.input", "x.input"]);
        }
        other => panic!("{other}"),
    }
}

/// Sliding-mode control of a double integrator under a disturbance: on the surface the state decays
/// like the surface says, and the mean of the control is the equivalent control.
#[test]
fn the_equivalent_control_is_the_mean() {
    let text = "
parameters: {c: 2, k: 3}
blocks:
  s: {type: Sum, inputs: [v, c * x]}
  u: {type: Gain, input: sign(s), gain: -k}
  d: {type: Expression, expression: sin(3 * time)}
  v: {type: Integrator, input: u + d}
  x: {type: Integrator, input: v, initial: 1}
record: [x, v, u, s]
simulate: {stop: 6, sliding: filippov, tolerance: 1e-10, every: 0.5}
";
    let trace = simulate(text).trace;
    let (x1, x2) =
        (at(&trace, "x", crate::common::tag(2.0, 0)), at(&trace, "x", crate::common::tag(5.0, 0)));
    near(x2.unwrap() / x1.unwrap(), (-6f64).exp(), 1e-9, "decay");
    for time in [2.0, 3.5, 5.0] {
        let value = |name| at(&trace, name, crate::common::tag(time, 0)).unwrap();
        near(value("u"), -2.0 * value("v") - (3.0 * time).sin(), 1e-9, "equivalent control");
        near(value("s"), 0.0, 1e-12, "surface");
    }
}

/// Half the step of a fourth-order method leaves a sixteenth of the error, across entry and exit.
#[test]
fn the_order_is_kept_across_entry_and_exit() {
    // The truth by a tight tolerance; the drift grows until the surface is left.
    let text = |settings: &str| {
        format!(
            "
blocks:
  z: {{type: Integrator, input: 0.3 * z + 0.2, initial: 0.5}}
  x: {{type: Integrator, input: z * z - 0.2 * x - sign(x), initial: 0.11}}
record: [x]
simulate: {{stop: 4, sliding: filippov, {settings}}}
"
        )
    };
    let truth = simulate(&text("tolerance: 1e-13")).trace.last("x").unwrap();
    let error = |step: f64| {
        let run = simulate(&text(&format!("solver: rk4, step: {step}")));
        (run.trace.last("x").unwrap() - truth).abs()
    };
    let (coarse, fine) = (error(0.1), error(0.0125));
    // Three halvings of a method of order 4 leave 1/4096; of one of order 3, 1/512.
    assert!(coarse / fine > 1400.0, "{coarse} {fine}");
}

/// A stiff part beside the surface is stepped over by implicit methods with exact derivatives of
/// the combined rates.
#[test]
fn stiff_models_slide() {
    let text = |solver: &str| {
        format!(
            "
blocks:
  v: {{type: Integrator, input: -1000 * (v - w) - 0.1 * v}}
  w: {{type: Integrator, input: -w + 2 * cos(0.5 * time) - 1.2 * sign(w), initial: 1}}
record: [v, w]
simulate: {{stop: 10, sliding: filippov, solver: {solver}, tolerance: 1e-7}}
"
        )
    };
    let truth = simulate(&text("rk45")).trace;
    for method in ["rodas5p", "tr-bdf2", "auto"] {
        let run = simulate(&text(method));
        near(run.trace.last("w").unwrap(), truth.last("w").unwrap(), 1e-5, method);
        near(run.trace.last("v").unwrap(), truth.last("v").unwrap(), 1e-5, method);
        if method == "rodas5p" {
            assert!(run.counters.steps < 400, "{} steps", run.counters.steps);
        }
    }
}

/// A jump of the drift at an event, and an impulse off the surface: decided at that commit.
#[test]
fn events_begin_and_end_sliding() {
    let text = "
blocks:
  drift: {type: Step, time: 2, before: 0.5, after: 3}
  back: {type: Step, time: 3, before: 0, after: -3}
  kick: {type: ImpulseSource, times: [1, 5], weight: 0.7}
  x: {type: Integrator, input: drift + back - sign(x) + kick}
  u: {type: Expression, expression: sign(x)}
record: [x, u]
simulate: {stop: 8, sliding: filippov}
";
    let trace = simulate(text).trace;
    let value = |name: &str, time: &str, microstep| {
        at(&trace, name, crate::common::exact(time, microstep)).unwrap()
    };
    // It rests from the start on, is kicked off, comes back, is driven off and comes back.
    near(value("u", "0", 0), 0.5, 1e-12, "at the start");
    near(value("x", "1", 1), 0.7, 1e-12, "kicked");
    near(value("u", "2", 0), 1.0, 1e-12, "still on its way back");
    near(value("x", "2", 0), 0.7 - 0.5, 1e-12, "still on its way back");
    near(value("x", "3", 0), 0.2 + 2.0, 1e-12, "driven");
    let last = trace.tags().len() - 1;
    assert!(last > 10);
    near(trace.last("x").unwrap(), 0.0, 1e-12, "at rest");
    near(trace.last("u").unwrap(), 0.0, 1e-12, "at rest");
}

/// A model without the setting ends with an error that offers it; with it for one block alone that
/// block slides.
#[test]
fn blocks_say_for_themselves() {
    let text = |block: &str, model: &str| {
        format!(
            "
blocks:
  x: {{type: Integrator, input: 0.5 - sign(x), initial: 1{block}}}
record: [x]
simulate: {{stop: 5{model}}}
"
        )
    };
    match failure(&text("", "")).error {
        error @ RunError::Chattering { .. } => {
            assert!(error.help().contains("sliding: filippov"), "{}", error.help());
            assert!(error.to_string().contains("`x.input` switches"), "{error}");
        }
        other => panic!("{other}"),
    }
    let slides = simulate(&text(", sliding: filippov", ""));
    near(slides.trace.last("x").unwrap(), 0.0, 1e-12, "x");
    let stays = failure(&text(", sliding: error", ", sliding: filippov"));
    assert!(matches!(stays.error, RunError::Chattering { .. }), "{}", stays.error);
}

const SAVED: &str = "
blocks:
  x: {type: Integrator, input: -y - x * sign(x^2 + y^2 - 1) + 1.4 * sin(time), initial: 1.5}
  y: {type: Integrator, input: x - y * sign(x^2 + y^2 - 1)}
  v: {type: Integrator, input: sin(2 * time) - 0.6 * sign(v), initial: 0.3}
  r: {type: Expression, expression: sqrt(x^2 + y^2)}
  on: {type: Expression, expression: sign(v)}
  c: {type: Clock, period: 0.7}
  z: {type: Integrator, input: on - z, reset: c}
record: [x, y, v, r, on, z]
simulate: {stop: 6, sliding: filippov, tolerance: 1e-7}
";

/// A run that slides can be saved after any advance, and native code is bit-identical.
#[test]
fn sliding_is_saved_and_compiled() {
    for solver in ["rk45", "rodas5p"] {
        let text = SAVED.replace("tolerance", &format!("solver: {solver}, tolerance"));
        let system = compile(&text);
        assert_eq!(by(&system, Backend::Interpreter), by(&system, Backend::Native), "{solver}");
        let whole = system.simulate().unwrap_or_else(|failure| panic!("{failure}"));
        let mut run = system.begin();
        let mut saves = Vec::new();
        while run.advance().unwrap_or_else(|error| panic!("{error}")).is_none() {
            saves.push((run.save(), run.trace().len()));
        }
        for (bytes, from) in saves.into_iter().step_by(7) {
            let resumed = system.resume(&bytes).unwrap_or_else(|error| panic!("{error}"));
            let rest = resumed.finish().unwrap_or_else(|failure| panic!("{failure}"));
            assert!(bits(&rest.trace, 0) == bits(&whole.trace, from), "{solver}: row {from}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() })]

    /// A linear plant with a relay: what the run says on the surface is what the closed form of the
    /// equivalent control says, whatever the numbers are, and the surface is never left while the
    /// weight is inside.
    #[test]
    fn random_relays_follow_their_equivalent_control(
        c in 0.3f64..3.0, k in 1.5f64..4.0, drift in -1.0f64..1.0, x0 in -2.0f64..2.0,
        omega in 0.5f64..3.0,
    ) {
        let text = format!(
            "
blocks:
  s: {{type: Expression, expression: v + {c} * x}}
  u: {{type: Expression, expression: if s > 0 then -{k} else {k}}}
  v: {{type: Integrator, input: u + {drift} * cos({omega} * time)}}
  x: {{type: Integrator, input: v, initial: {x0}}}
record: [x, v, u, s]
simulate: {{stop: 8, sliding: filippov, tolerance: 1e-9, every: 0.25}}
"
        );
        let trace = simulate(&text).trace;
        let column = |name: &str| trace.column(name).unwrap();
        let mut slid = 0;
        for row in 0..trace.len() {
            let tag = trace.tags()[row];
            let value = |name: &str| trace.get(row, column(name)).unwrap()[0];
            let (time, s, u) = (tag.time.seconds(), value("s"), value("u"));
            if u.abs() < k * (1.0 - 1e-9) {
                slid += 1;
                let equivalent = -c * value("v") - drift * (omega * time).cos();
                prop_assert!((u - equivalent).abs() < 1e-7, "{u} for {equivalent} at {tag}");
                prop_assert!(s.abs() < 1e-10, "{s} at {tag}");
            } else {
                prop_assert!(s * u <= 1e-9, "{u} at s = {s}, {tag}");
            }
        }
        prop_assert!(slid > 0 || x0 == 0.0, "it never slid");
    }
}

/// What is asked to slide and cannot is reported: a block without a comparison, a fixed-step run, and
/// a floor, whose error says why.
#[test]
fn sliding_without_an_effect_is_reported() {
    let warnings = |text: &str| {
        let found = compile(text).unused().0;
        found.into_iter().map(|own| (own.code, own.path)).collect::<Vec<_>>()
    };
    let still = "
blocks:
  x: {type: Integrator, input: -r}
  r: {type: Gain, input: x, gain: 2, sliding: filippov}
simulate: {stop: 1}
";
    assert_eq!(warnings(still), [("unused-sliding", "r".to_owned())]);
    let compares = "
blocks:
  x: {type: Integrator, input: -sign(x), initial: 1, sliding: filippov}
simulate: {stop: 1}
";
    assert_eq!(warnings(compares), []);
    let stepped = compares.replace("stop: 1", "stop: 1, impulses: numeric, step: 0.1");
    assert_eq!(warnings(&stepped), [("unused-sliding", String::new())]);
    let floor = "
blocks:
  x: {type: Integrator, input: -(floor(x) + 0.5), initial: 0.3}
simulate: {stop: 2, sliding: filippov}
";
    let message = failure(floor).error.to_string();
    assert!(message.contains("a surface at every whole number"), "{message}");
}
