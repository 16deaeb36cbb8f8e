//! Conserved quantities: what a run says about their drift, against closed forms.

use crate::common::{assert_near, bits, codes, compile, failure, refusal, simulate, tags};
use superdense::{Backend, Invariant, Outcome, Settings};

fn invariant<'o>(outcome: &'o Outcome, name: &str) -> &'o Invariant {
    let mut all = outcome.invariants.iter();
    all.find(|own| own.name == name).unwrap_or_else(|| panic!("no invariant `{name}`"))
}

const SPRING: &str = "
blocks:
  x: {type: Integrator, input: v, initial: 1}
  v: {type: Integrator, input: -x}
invariants: {energy: 0.5 * v^2 + 0.5 * x^2}
record: [x]
";

const BALL: &str = "
parameters: {g: 10, m: 2, e: 0.5}
blocks:
  v: {type: Integrator, input: -g, impulse: kick}
  y: {type: Integrator, input: v, initial: 5}
  hit: {type: LevelCrossing, input: y, direction: falling}
  kick: {type: Sample, input: -(1 + e) * previous(v), trigger: hit}
invariants: {energy: 0.5 * m * v^2 + m * g * y}
record: [y, kick]
simulate: {stop: 1.9}
";

/// Three equal balls, of which two touch; masses as given.
const CRADLE: &str = "
blocks:
  x1: {type: Integrator, input: v1, initial: -1}
  x2: {type: Integrator, input: v2}
  x3: {type: Integrator, input: v3}
  v1: {type: Integrator, input: 0, initial: 1, impulse: -p12}
  v2: {type: Integrator, input: 0, impulse: p2}
  p2: {type: Sum, inputs: [p12, -p23]}
  v3: {type: Integrator, input: 0, impulse: p23}
  hit12: {type: LevelCrossing, input: x2 - x1, direction: falling}
  hit23: {type: LevelCrossing, input: x3 - x2, direction: falling}
  p12: {type: Sample, input: previous(v1) - previous(v2), trigger: hit12}
  p23: {type: Sample, input: previous(v2) - previous(v3), trigger: hit23}
invariants:
  energy: 0.5 * (v1^2 + v2^2 + v3^2)
  momentum: v1 + v2 + v3
record: [v1, v2, v3]
simulate: {stop: 2}
";

/// The drift of a spring's energy in 10 s with fixed steps.
fn spring_drift(solver: &str, step: &str) -> f64 {
    let simulate_section = format!("simulate: {{stop: 10, solver: {solver}, step: {step}}}\n");
    let outcome = simulate(&format!("{SPRING}{simulate_section}"));
    invariant(&outcome, "energy").smooth.size
}

#[test]
fn the_energy_of_a_spring_drifts_with_the_order_of_the_solver() {
    // Euler multiplies the energy by 1 + h^2 at each step: 2 E' / E = h, and 5.0 in 10 s.
    let euler = spring_drift("euler", "0.001");
    assert_near(euler, 0.5 * (1.000_001f64.powi(10_000) - 1.0), 1e-9);
    // |R(ih)|^2 = 1 - h^6 / 72 + h^8 / 576 for the fourth-order method.
    let rk4 = [spring_drift("rk4", "0.1"), spring_drift("rk4", "0.05")];
    let exact = |h: f64| 0.5 * (1.0 - (1.0 - h.powi(6) / 72.0 + h.powi(8) / 576.0).powf(10.0 / h));
    assert_near(rk4[0], exact(0.1), 1e-12);
    assert_near(rk4[0] / rk4[1], 32.0, 1.0);
}

#[test]
fn a_run_within_its_tolerance_has_a_small_drift_and_no_ticks() {
    let outcome = simulate(&format!("{SPRING}simulate: {{stop: 10, tolerance: 1e-10}}\n"));
    let energy = invariant(&outcome, "energy");
    assert_eq!(energy.first, Some(vec![0.5]));
    assert!(energy.smooth.size > 0.0 && energy.smooth.size < 1e-7, "{:?}", energy.smooth);
    assert_eq!((energy.tick.size, energy.breaks), (0.0, 0));
    // It is looked at, not recorded.
    assert_eq!(outcome.trace.columns().len(), 1);
}

#[test]
fn an_inelastic_impact_loses_what_restitution_says() {
    let outcome = simulate(BALL);
    let energy = invariant(&outcome, "energy");
    // The ball comes down with v = -10 at t = 1, and has energy 100: (1 - e^2) m v^2 / 2 = 75.
    let hit = tags(&outcome.trace, "kick")[0];
    assert_near(energy.tick.size, 75.0, 1e-12);
    assert_eq!(energy.tick.tag, Some(hit));
    assert_eq!(energy.breaks, 1);
    assert!(energy.smooth.size < 1e-11, "{:?}", energy.smooth);
    let broken = energy.broken.as_ref().expect("the impact");
    assert_eq!(broken.tag, hit);
    for block in ["hit", "kick", "v"] {
        assert!(broken.blocks.iter().any(|own| own == block), "{block} in {:?}", broken.blocks);
    }
    assert!(!broken.blocks.iter().any(|own| own == "energy"), "{:?}", broken.blocks);
    let warning = compile(BALL).explain_invariant(energy).expect("a warning");
    assert_eq!(warning.code, "invariant-broken");
}

#[test]
fn an_elastic_impact_keeps_the_energy() {
    let outcome = simulate(&BALL.replace("e: 0.5", "e: 1"));
    let energy = invariant(&outcome, "energy");
    assert_eq!(energy.breaks, 0);
    assert!(energy.tick.size < 1e-11, "{:?}", energy.tick);
}

#[test]
fn a_cradle_keeps_energy_and_momentum_at_every_microstep() {
    let outcome = simulate(CRADLE);
    for name in ["energy", "momentum"] {
        let own = invariant(&outcome, name);
        assert_eq!((own.microstep.size, own.smooth.size, own.breaks), (0.0, 0.0, 0), "{name}");
    }
    assert_eq!(invariant(&outcome, "momentum").first, Some(vec![1.0]));
}

#[test]
fn superposed_impacts_that_lose_energy_are_reported() {
    // A ball that two others strike at once from both sides takes both impulses as if each had come
    // alone: momentum is kept, and energy is not, unless the balls interleave their hits.
    let outcome = simulate(
        "
blocks:
  x1: {type: Integrator, input: v1, initial: -1}
  x2: {type: Integrator, input: v2}
  x3: {type: Integrator, input: v3, initial: 1}
  v1: {type: Integrator, input: 0, initial: 1, impulse: -p12}
  v2: {type: Integrator, input: 0, impulse: p2}
  p2: {type: Sum, inputs: [p12, -p23]}
  v3: {type: Integrator, input: 0, initial: -1, impulse: p23}
  hit12: {type: LevelCrossing, input: x2 - x1, direction: falling}
  hit23: {type: LevelCrossing, input: x3 - x2, direction: falling}
  p12: {type: Sample, input: left(v1) - left(v2), trigger: hit12}
  p23: {type: Sample, input: left(v2) - left(v3), trigger: hit23}
invariants:
  energy: 0.5 * (v1^2 + v2^2 + v3^2)
  momentum: v1 + v2 + v3
record: [v1, v2, v3]
simulate: {stop: 2}
",
    );
    let (energy, momentum) = (invariant(&outcome, "energy"), invariant(&outcome, "momentum"));
    assert_eq!(momentum.breaks, 0);
    assert_near(energy.tick.size, 1.0, 1e-12);
    assert_eq!(energy.breaks, 1);
    assert_near(energy.broken.as_ref().expect("the impact").tag.time.seconds(), 1.0, 1e-12);
}

#[test]
fn the_magnitude_of_a_sum_is_that_of_its_terms() {
    // The momentum is zero up to rounding: relative to itself it would change completely.
    let outcome = simulate(
        "
blocks:
  c: {type: Clock, period: 0.1}
  count: {type: Counter, increment: c}
  n: {type: ZeroOrderHold, input: count}
  a: {type: Expression, expression: 0.1 * n}
  b: {type: Expression, expression: 0.3 * n / 3}
invariants: {momentum: a - b}
record: [a]
simulate: {stop: 1}
",
    );
    let momentum = invariant(&outcome, "momentum");
    assert!(momentum.tick.size > 0.0, "rounding shows");
    assert_eq!(momentum.breaks, 0);
    assert!(momentum.magnitude > 1.9, "{}", momentum.magnitude);
}

#[test]
fn vectors_are_invariants_element_by_element() {
    let outcome = simulate(
        "
blocks:
  k: {type: Step, time: 1, before: 0, after: 1}
  v: {type: Expression, expression: '[1 - 0.5 * k, 2]'}
invariants: {momentum: 2 * v}
record: [v]
simulate: {stop: 2}
",
    );
    let momentum = invariant(&outcome, "momentum");
    assert_eq!(
        (momentum.first.clone(), momentum.last.clone()),
        (Some(vec![2.0, 4.0]), Some(vec![1.0, 4.0]))
    );
    assert_eq!((momentum.tick.size, momentum.breaks), (1.0, 1));
}

#[test]
fn rows_do_not_decide_what_is_looked_at() {
    let whole = simulate(&format!("{SPRING}simulate: {{stop: 10}}\n"));
    let sparse = simulate(&format!("{SPRING}simulate: {{stop: 10, every: 5}}\n"));
    assert_eq!(sparse.trace.len(), 3);
    // The rows of the grid are looked at besides the steps.
    let (whole, sparse) = (invariant(&whole, "energy"), invariant(&sparse, "energy"));
    assert!(
        sparse.smooth.size >= whole.smooth.size && sparse.smooth.size < 2.0 * whole.smooth.size
    );
}

#[test]
fn an_invariant_changes_no_row_of_the_signals() {
    for text in [BALL, CRADLE] {
        let from = text.find("invariants:").expect("a section");
        let to = text.find("record:").expect("a section");
        let without = format!("{}{}", &text[..from], &text[to..]);
        assert_eq!(bits(&simulate(text).trace, 0), bits(&simulate(&without).trace, 0));
    }
}

#[test]
fn an_invariant_can_be_recorded_and_read_like_a_signal() {
    let text = BALL.replace("record: [y, kick]", "record: {energy: energy, loss: 100 - energy}");
    let outcome = simulate(&text);
    assert_near(outcome.trace.last("energy").expect("a value"), 25.0, 1e-10);
    assert_near(outcome.trace.last("loss").expect("a value"), 75.0, 1e-10);
}

#[test]
fn native_code_and_resumed_runs_report_the_same() {
    for text in [BALL, CRADLE] {
        let system = compile(text);
        let reported = |backend: Backend| {
            let mut run = system.begin();
            run.set_backend(backend).expect("this machine has native code");
            run.finish().unwrap_or_else(|failure| panic!("{failure}")).invariants
        };
        let expected = reported(Backend::Interpreter);
        assert_eq!(reported(Backend::Native), expected);
        let mut run = system.begin();
        loop {
            run = system.resume(&run.save()).expect("a saved run");
            if run.advance().expect("no error").is_some() {
                break;
            }
        }
        assert_eq!(run.invariants(), expected);
        let mut fork = system.begin();
        fork.advance_by(4).expect("no error");
        let mut fork = fork.fork();
        fork.advance_to_end().expect("no error");
        assert_eq!(fork.invariants(), expected);
        fork.reset();
        fork.advance_to_end().expect("no error");
        assert_eq!(fork.invariants(), expected);
    }
}

#[test]
fn a_limit_may_depend_on_parameters_and_be_absolute() {
    let limited = |limit: &str| {
        BALL.replace(
            "{energy: 0.5 * m * v^2 + m * g * y}",
            &format!("{{energy: {{value: 0.5 * m * v^2 + m * g * y, {limit}}}}}"),
        )
    };
    for (limit, breaks) in [
        ("within: 0.74", 1),
        ("within: 0.76", 0),
        ("within: 74, relative: false", 1),
        ("within: 76, relative: false", 0),
        ("within: 38 * m, relative: false", 0),
    ] {
        assert_eq!(invariant(&simulate(&limited(limit)), "energy").breaks, breaks, "{limit}");
    }
    assert_eq!(codes(&refusal(&limited("within: -1"))), ["bad-setting"]);
    assert_eq!(codes(&refusal(&limited("within: y"))), ["unknown-name"]);
    let system = compile(&limited("within: e - 0.25"));
    let low = superdense::parse_value("0.1").expect("a number");
    let settings = Settings { parameters: vec![("e".to_owned(), low)], ..Settings::default() };
    assert!(system.with(&settings).is_err(), "a negative limit");
}

#[test]
fn what_cannot_be_an_invariant_is_refused() {
    let with = |section: &str| {
        format!("{SPRING}invariants: {section}\n").replacen(
            "invariants: {energy: 0.5 * v^2 + 0.5 * x^2}\n",
            "",
            1,
        )
    };
    for (section, code) in [
        ("{energy: 0.5 * w^2}", "unknown-name"),
        ("{positive: x > 0}", "bad-invariant"),
        ("{x: v}", "duplicate-name"),
        ("{energy: {within: 1}}", "wrong-kind"),
        ("{energy: {value: x, near: 1}}", "unknown-field"),
        ("{energy: {value: x, relative: 3}}", "wrong-kind"),
        ("[x]", "wrong-kind"),
    ] {
        let found = codes(&refusal(&with(section)));
        assert!(found.contains(&code), "{section}: {found:?}");
    }
    let events = "
blocks:
  c: {type: Clock, period: 1}
invariants: {ticks: 2 * c}
";
    assert_eq!(codes(&refusal(events)), ["bad-invariant"]);
}

#[test]
fn an_invariant_that_is_no_number_ends_the_run() {
    let text = "
blocks:
  x: {type: Integrator, input: -1, initial: 1}
invariants: {root: sqrt(x)}
simulate: {stop: 2}
";
    assert_eq!(failure(text).error.code(), "not-finite");
}
