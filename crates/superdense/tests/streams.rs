//! Models on streams of evaluations, against closed forms and against a solver written by hand.

mod machines;
mod machines_held;

use crate::common;
use crate::common::{assert_near, compile, compile_over};
use superdense::{Evaluations, StreamError, Streamed, Streaming, Sums, System};

fn streamed(system: &System, streaming: &Streaming) -> Streamed {
    system.stream(streaming).unwrap_or_else(|refused| panic!("{refused}"))
}

fn stream(text: &str, streaming: &Streaming) -> Evaluations {
    let streamed = streamed(&compile(text), streaming);
    assert_eq!(streamed.error, None);
    streamed.evaluations
}

fn with_step(step: f64) -> Streaming {
    Streaming { step: Some(step), ..Streaming::default() }
}

fn shared(step: f64) -> Streaming {
    Streaming { sums: Sums::Shared, ..with_step(step) }
}

fn get(run: &Evaluations, e: usize, column: &str) -> f64 {
    run.get(e, column).unwrap_or_else(|| panic!("{column} at {e}"))
}

fn last(run: &Evaluations, column: &str) -> f64 {
    get(run, run.len() - 1, column)
}

/// Evaluations of accepted steps.
fn accepted(run: &Evaluations) -> impl Iterator<Item = usize> + '_ {
    (0..run.len()).filter(|e| get(run, *e, "stage") == 2.0 && get(run, *e, "p") == 0.0)
}

const OSCILLATOR: &str = "
blocks:
  x: {type: Integrator, input: v, initial: 1}
  v: {type: Integrator, input: -x, initial: 0}
simulate: {stop: 2, tolerance: 1000}
";

/// The error at 2 s for steps that are each half the one before.
fn errors(streaming: impl Fn(f64) -> Streaming) -> Vec<f64> {
    let steps = [1.0 / 32.0, 1.0 / 64.0, 1.0 / 128.0, 1.0 / 256.0];
    let error = |step| (last(&stream(OSCILLATOR, &streaming(step)), "x") - 2f64.cos()).abs();
    steps.into_iter().map(error).collect()
}

#[test]
fn two_separate_sums_are_of_first_order() {
    for pair in errors(with_step).windows(2) {
        assert_near(pair[0] / pair[1], 2.0, 0.1);
    }
}

#[test]
fn a_shared_sum_is_of_second_order() {
    for pair in errors(shared).windows(2) {
        assert_near(pair[0] / pair[1], 4.0, 0.1);
    }
}

/// Where the tolerance rejects steps the shared sum converges with the tolerance too.
#[test]
fn a_smaller_tolerance_gives_a_smaller_error() {
    let error = |tolerance: &str| {
        let text = OSCILLATOR.replace("1000", tolerance);
        let run = stream(&text, &shared(0.1));
        assert!(!run.reversals().is_empty());
        (last(&run, "x") - last(&run, "time").cos()).abs()
    };
    let errors = ["1e-4", "1e-5", "1e-6"].map(error);
    assert!(errors[0] < 1e-3 && errors[1] < errors[0] && errors[2] < errors[1], "{errors:?}");
}

const VAN_DER_POL: &str = "
blocks:
  x: {type: Integrator, input: v, initial: 0.5}
  v: {type: Integrator, input: 2 * (1 - x^2) * v - x, initial: 0}
simulate: {stop: 3, tolerance: 1e-3}
";

/// Van der Pol's oscillator at a time by the classical method of Runge and Kutta, written by hand.
fn van_der_pol(stop: f64) -> [f64; 2] {
    let f = |y: [f64; 2]| [y[1], 2.0 * (1.0 - y[0] * y[0]) * y[1] - y[0]];
    let along = |y: [f64; 2], k: [f64; 2], h: f64| [y[0] + h * k[0], y[1] + h * k[1]];
    let (mut y, h) = ([0.5, 0.0], stop / 10_000.0);
    for _ in 0..10_000 {
        let k1 = f(y);
        let k2 = f(along(y, k1, h / 2.0));
        let k3 = f(along(y, k2, h / 2.0));
        let k4 = f(along(y, k3, h));
        y = [0, 1].map(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    y
}

/// The greatest difference from it at the end of a run.
fn van_der_pol_error(stop: f64, streaming: &Streaming) -> f64 {
    let run = stream(&VAN_DER_POL.replace("stop: 3", &format!("stop: {stop}")), streaming);
    assert_near(last(&run, "time"), stop, 1e-9);
    let [x, v] = van_der_pol(stop);
    (last(&run, "x") - x).abs().max((last(&run, "v") - v).abs())
}

#[test]
fn van_der_pol_is_that_of_another_solver() {
    let separate = [0.002, 0.001].map(|step| van_der_pol_error(3.0, &with_step(step)));
    assert!(separate[0] < 0.05 && separate[1] < 0.6 * separate[0], "{separate:?}");
    let shared = [0.002, 0.001].map(|step| van_der_pol_error(10.0, &shared(step)));
    assert!(shared[0] < 1e-3 && shared[1] < 0.3 * shared[0], "{shared:?}");
}

const THERMOSTAT: &str = "
blocks:
  room: {type: Integrator, input: (target - room) / 10, initial: 10}
  target: {type: Expression, expression: if heater > 0 then 30 else 10}
  heater: {type: Expression, expression: if room < 19 then 1 else (if room > 21 then 0 else previous(heater))}
simulate: {stop: 29, tolerance: 1e-2}
";

/// The times at which a column changes from one accepted step to the next.
fn switches(run: &Evaluations, column: &str) -> Vec<f64> {
    let rows: Vec<usize> = accepted(run).collect();
    let changes =
        rows.windows(2).filter(|pair| get(run, pair[0], column) != get(run, pair[1], column));
    changes.map(|pair| get(run, pair[1], "time")).collect()
}

/// Towards 30 with the heater on and towards 10 with it off: the first way up takes 10 log(20 / 9),
/// every way between 19 and 21 takes 10 log(11 / 9).
#[test]
fn a_thermostat_switches_when_it_should() {
    let (first, way) = (10.0 * (20.0f64 / 9.0).ln(), 10.0 * (11.0f64 / 9.0).ln());
    let expected: Vec<f64> = (0..11).map(|k| first + f64::from(k) * way).collect();
    let held = Streaming { hold: Some(1e-5), ..shared(0.01) };
    for (streaming, within) in [(with_step(0.01), 0.25), (shared(0.01), 0.15), (held, 1e-3)] {
        let times = switches(&stream(THERMOSTAT, &streaming), "heater");
        assert_eq!(times.len(), expected.len(), "{times:?}");
        for (time, expected) in times.iter().zip(&expected) {
            assert_near(*time, *expected, within);
        }
    }
}

/// A fast loop that follows a slow one: the plant is x' = u - x, the fast controller sets u every
/// 0.1 s, the slow one moves what it follows every 0.4 s.
const TWO_RATES: &str = "
blocks:
  fast: {type: Clock, period: 0.1}
  slow: {type: Clock, period: 0.4}
  x: {type: Integrator, input: u - x, initial: 0}
  move: {type: Sample, input: previous(r) + 0.2 * (1 - x), trigger: slow}
  r: {type: ZeroOrderHold, input: move, initial: 0}
  act: {type: Sample, input: 4 * (r - x), trigger: fast}
  u: {type: ZeroOrderHold, input: act, initial: 0}
simulate: {stop: 4, tolerance: 1e-3}
";

/// The plant under a held input is known in closed form, so the loop is a recursion.
fn two_rates() -> [f64; 2] {
    let (mut x, mut r) = (0.0, 0.0);
    let decay = (-0.1f64).exp();
    for tick in 0..40 {
        if tick % 4 == 0 {
            r += 0.2 * (1.0 - x);
        }
        let u = 4.0 * (r - x);
        x = decay * x + (1.0 - decay) * u;
    }
    [x, r]
}

#[test]
fn a_loop_of_two_rates_is_that_of_its_recursion() {
    let [x, r] = two_rates();
    let mut errors = Vec::new();
    for step in [0.01, 0.005, 0.0025] {
        let run = stream(TWO_RATES, &with_step(step));
        // The tick at the end may or may not be seen.
        let end = accepted(&run).filter(|e| get(&run, *e, "time") < 3.99).last().expect("a row");
        assert_near(get(&run, end, "r"), r, 10.0 * step);
        errors.push((get(&run, end, "x") - x).abs());
    }
    assert!(errors[0] < 0.05 && errors[2] < 0.012, "{errors:?}");
    let held = Streaming { hold: Some(1e-6), ..shared(0.01) };
    let run = stream(TWO_RATES, &held);
    let end = accepted(&run).filter(|e| get(&run, *e, "time") < 3.9999).last().expect("a row");
    assert_near(get(&run, end, "r"), r, 1e-4);
    assert_near(get(&run, end, "x"), x, 1e-3);
}

const COUNTED: &str = "
parameters: {period: 0.5}
blocks:
  x: {type: Integrator, input: if k < 1.5 then 1 else -1, initial: 0}
  tick: {type: Clock, period: period}
  n: {type: Counter, increment: tick}
  k: {type: ZeroOrderHold, input: n, initial: 0}
  padded: {type: Expression, expression: if present(n) then n else 0}
record: [x, n, k, padded]
simulate: {stop: 3, tolerance: 1e-4}
";

/// A hold is a function of time alone, as in the paper's (17), wherever time goes to.
#[test]
fn what_hangs_on_a_clock_recedes_with_time() {
    for period in ["0.5", "0.25", "1/3"] {
        let system = compile_over(COUNTED, &[("period", period)]);
        let seconds = superdense::parse_value(period).expect("a value").as_f64().expect("a number");
        let run = streamed(&system, &with_step(0.01)).evaluations;
        assert!(!run.reversals().is_empty(), "nothing was taken back");
        for e in 0..run.len() {
            let (time, k) = (get(&run, e, "time"), get(&run, e, "k"));
            let ticks = (0..100).filter(|i| f64::from(*i) * seconds <= time).count();
            assert!(
                k == ticks as f64 || (time / seconds - k + 1.0).abs() < 1e-12,
                "{e}: {time} {k}"
            );
        }
    }
}

/// Ticks that lie between two evaluations follow one another at the second.
#[test]
fn no_tick_is_lost_in_a_long_step() {
    let system = compile_over(COUNTED, &[("period", "0.125")]);
    let run = streamed(&system, &with_step(0.5)).evaluations;
    for e in 0..run.len() {
        let time = get(&run, e, "time");
        assert_eq!(get(&run, e, "k"), (time / 0.125).floor() + 1.0, "{e}");
    }
}

/// The other rate transition: the value at the evaluation that sees the tick, 0 at all others.
#[test]
fn zero_padding_is_there_once_for_each_tick() {
    let run = stream(COUNTED, &Streaming { sums: Sums::Shared, ..with_step(0.125) });
    let padded: Vec<(f64, f64)> = (0..run.len())
        .map(|e| (get(&run, e, "time"), get(&run, e, "padded")))
        .filter(|(_, value)| *value != 0.0)
        .collect();
    let last = padded.last().expect("a tick");
    assert_eq!((padded[0], *last), ((0.0, 1.0), (3.0, 7.0)));
    assert!((0..run.len()).all(|e| run.get(e, "n").unwrap_or(0.0) == get(&run, e, "padded")));
}

const DROP: &str = "
blocks:
  x: {type: Integrator, input: v, initial: 1}
  v: {type: Integrator, input: -10 + push, initial: 0}
  push: {type: Expression, expression: if contact then -1000 * x else 0}
  contact: {type: Expression, expression: x < 0}
record: [x, v, contact]
simulate: {stop: 3, tolerance: 1e-3}
";

/// Held back, a comparison changes only at the end of an accepted step that is short enough, and
/// does not chatter; without that it changes and changes back.
#[test]
fn a_switch_that_is_held_back_is_located() {
    let within = 1e-5;
    let held = stream(DROP, &Streaming { hold: Some(within), ..shared(0.004) });
    let free = stream(DROP, &shared(0.004));
    let changes = |run: &Evaluations| -> Vec<usize> {
        (1..run.len()).filter(|e| get(run, *e, "contact") != get(run, *e - 1, "contact")).collect()
    };
    for e in changes(&held) {
        assert!(get(&held, e, "stage") == 2.0 && get(&held, e, "p") == 0.0, "{e}");
        assert!(get(&held, e, "h") <= within, "{e}");
    }
    // A fall takes sqrt(2 / 10); on the floor the ball turns by a half swing and a little more:
    // x'' = -10 - 1000 x from x = 0 with v = -sqrt(20).
    let (fall, w) = (0.2f64.sqrt(), 1000f64.sqrt());
    let dive = 2.0 * (std::f64::consts::FRAC_PI_2 + (10.0 / w / 20f64.sqrt()).atan()) / w;
    let mut expected = vec![fall];
    while expected.len() < 6 {
        let way = if expected.len() % 2 == 1 { dive } else { 2.0 * fall };
        expected.push(expected[expected.len() - 1] + way);
    }
    let times: Vec<f64> = changes(&held).iter().map(|e| get(&held, *e, "time")).collect();
    assert!(times.len() >= 5, "{times:?}");
    for (time, expected) in times.iter().zip(&expected) {
        assert_near(*time, *expected, 1e-3);
    }
    assert!(changes(&free).len() > changes(&held).len(), "no chattering to avoid");
}

/// Blocks that streams cannot express are refused, each by its name.
#[test]
fn what_streams_cannot_express_is_refused() {
    let cases = [
        ("hit: {type: LevelCrossing, input: x}", "hit"),
        ("blow: {type: ImpulseSource, times: [1]}", "blow"),
        ("y: {type: Integrator, input: delta(time - 1)}", "y"),
        ("slope: {type: Derivative, input: x}", "slope"),
        ("y: {type: Integrator, input: 1, reset: clock}\n  clock: {type: Clock, period: 1}", "y"),
        ("y: {type: Integrator, input: 1, impulse: clock}\n  clock: {type: Clock, period: 1}", "y"),
        ("y: {type: LeftLimit, input: x}", "y"),
        ("y: {type: Expression, expression: left(x) + 1}", "y"),
        ("y: {type: TransportDelay, input: x, delay: 0.5}", "y"),
    ];
    for (block, name) in cases {
        let text = format!(
            "blocks:\n  x: {{type: Integrator, input: 1}}\n  {block}\nsimulate: {{stop: 1}}\n"
        );
        let refused = compile(&text).stream(&Streaming::default()).expect_err(block);
        let found = &refused.diagnostics.0[0];
        assert_eq!((found.code, found.path.as_str()), ("not-a-stream", name), "{block}");
        assert!(found.message.contains(&format!("`{name}`")) && !found.labels.is_empty());
    }
}

#[test]
fn settings_without_meaning_are_refused() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        for streaming in [
            Streaming { step: Some(bad), ..Streaming::default() },
            Streaming { hold: Some(bad), ..Streaming::default() },
        ] {
            let refused = compile(OSCILLATOR).stream(&streaming).expect_err("a bad setting");
            assert_eq!(refused.diagnostics.0[0].code, "bad-setting");
        }
    }
}

#[test]
fn a_value_that_is_not_finite_is_named() {
    let text = "
blocks:
  h: {type: Integrator, input: -root, initial: 1}
  root: {type: Expression, expression: sqrt(h)}
simulate: {stop: 4, tolerance: 1}
";
    let run = streamed(&compile(text), &with_step(0.3));
    let Some(StreamError::NotFinite { e, time, block }) = run.error else {
        panic!("{:?}", run.error)
    };
    assert_eq!(block, "root");
    assert!(time > 1.0 && e == run.evaluations.len(), "{e} at {time}");
}

#[test]
fn evaluations_have_a_limit() {
    let run = streamed(&compile(VAN_DER_POL), &Streaming { limit: 100, ..with_step(0.01) });
    let limit = matches!(run.error, Some(StreamError::TooManyEvaluations { limit: 100, .. }));
    assert!(limit && run.evaluations.len() == 100, "{:?}", run.error);
    let none = streamed(&compile(VAN_DER_POL), &Streaming { limit: 0, ..with_step(0.01) });
    assert!(none.error.is_some() && none.evaluations.is_empty());
}

/// What a run gives at an evaluation does not depend on how far it goes on.
#[test]
fn a_shorter_run_is_the_beginning_of_a_longer_one() {
    for (text, hold) in [(TWO_RATES, None), (TWO_RATES, Some(1e-4)), (DROP, None)] {
        let with = |limit| Streaming { hold, limit, ..with_step(0.01) };
        let rows =
            |limit| common::bits(streamed(&compile(text), &with(limit)).evaluations.trace(), 0);
        let whole = rows(2000);
        for limit in [1, 2, 7, 160, 333, 800] {
            assert_eq!(rows(limit), whole[..limit.min(whole.len())], "{limit}");
        }
    }
}

#[test]
fn ticks_without_number_are_refused() {
    let system = compile_over(COUNTED, &[("period", "1e-12")]);
    let error = streamed(&system, &with_step(0.5)).error;
    let Some(StreamError::TooManyTicks { block, .. }) = error else { panic!("{error:?}") };
    assert_eq!(block, "tick");
}

/// A loop that is to be solved is solved at each evaluation, from the model's guess.
#[test]
fn algebraic_loops_are_solved() {
    let text = "
blocks:
  x: {type: Integrator, input: -y, initial: 1}
  y: {type: Expression, expression: x - 0.5 * y^3}
solve: {y: 0.5}
record: [x, y]
simulate: {stop: 1, tolerance: 1}
";
    let run = stream(text, &shared(0.01));
    for e in 0..run.len() {
        let (x, y) = (get(&run, e, "x"), get(&run, e, "y"));
        assert_near(y + 0.5 * y.powi(3), x, 1e-9);
    }
}

/// States in vectors, several regions, and a start that is not 0.
#[test]
fn vectors_and_regions_run() {
    let text = "
blocks:
  a: {type: Integrator, input: \"[a[1], -a[0]]\", initial: \"[1, 0]\"}
  b: {type: Integrator, input: time, initial: 2}
record: [a, b]
simulate: {start: 1, stop: 2, tolerance: 1}
";
    let run = stream(text, &shared(1.0 / 256.0));
    let trace = run.trace();
    let row = trace.get(run.len() - 1, trace.column("a").expect("a column")).expect("present");
    assert_near(row[0], 1f64.cos(), 1e-5);
    assert_near(row[1], -1f64.sin(), 1e-5);
    assert_near(last(&run, "b"), 2.0 + 1.5, 1e-12);
    assert!(run.get(3, "error(a[1])").is_some() && run.get(3, "contribution(b)").is_some());
}
