//! A run saved after any advance and resumed goes on with the same bits.

use crate::common;
use crate::common::{bits, compile, compile_over};
use superdense::{RestoreError, System};

const BALL: &str = "
parameters: {e: 0.7}
blocks:
  v: {type: Integrator, input: -9.81 - 0.1 * v, impulse: kick}
  y: {type: Integrator, input: v, initial: 1}
  hit: {type: LevelCrossing, input: y, direction: falling}
  kick: {type: Sample, input: -(1 + e) * previous(v), trigger: hit}
  n: {type: Counter, increment: hit}
record: [y, v, kick, n]
simulate: {stop: 2, tolerance: 1e-7}
";

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
record: [v1, v2, v3, x1, p12, p23]
simulate: {stop: 2}
";

const EVENTS: &str = "
blocks:
  a: {type: Clock, period: 1/3}
  b: {type: Clock, period: 0.25, offset: 0.1, value: 2}
  m: {type: Merge, inputs: [a, b]}
  d: {type: MicrostepDelay, input: m}
  d2: {type: MicrostepDelay, input: d}
  h: {type: ZeroOrderHold, input: d2}
  p: {type: Pulse, period: 0.4, width: 0.1}
  l: {type: LeftLimit, input: p}
  q: {type: Previous, input: h}
  x: {type: Integrator, input: sin(5 * time) + h - x, reset: d}
  f: {type: Expression, expression: floor(4 * x) + abs(x - 0.5)}
record: [m, d, d2, h, p, l, q, x, f]
simulate: {stop: 1, solver: rk23, tolerance: 1e-5}
";

const LOOP: &str = "
blocks:
  hit: {type: ImpulseSource, times: [0.25, 0.5], weight: [0.5, -0.25]}
  x: {type: Integrator, input: z + hit}
  z: {type: Expression, expression: cos(z) - x}
solve: {z: 0.5}
record: [x, z, hit]
simulate: {stop: 1, tolerance: 1e-8}
";

const APART: &str = "
blocks:
  x: {type: Integrator, input: -x, initial: 1}
  v: {type: Integrator, input: -w}
  w: {type: Integrator, input: 100 * v, initial: 1}
  e: {type: LevelCrossing, input: w}
  s: {type: Sample, input: x, trigger: e}
  y: {type: Integrator, input: 2 * time - y, impulse: s}
record: [x, w, e, s, y]
simulate: {stop: 1, tolerance: 1e-6}
";

const IMPLICIT: &str = "
blocks:
  x: {type: Integrator, input: -50 * (x - cos(time))}
  e: {type: LevelCrossing, input: x, level: 0.5}
record: [x, e]
";

const DELAYS: &str = "
blocks:
  s: {type: Step, time: 0.3, after: 2}
  hit: {type: ImpulseSource, times: [0.45], weight: 0.5, order: 1}
  x: {type: Integrator, input: s - y - x + hit, initial: 1}
  y: {type: TransportDelay, input: x, delay: 0.2, initial: 1}
  d: {type: Derivative, input: y}
  z: {type: TransportDelay, input: sin(3 * time) * y, delay: 1/7}
  e: {type: LevelCrossing, input: z, level: 0.4}
  l: {type: TransportDelay, input: e, delay: 0.05}
  h: {type: ZeroOrderHold, input: l}
  k: {type: TransportDelay, input: h, delay: 0.1, initial: 3}
record: [x, y, d, z, e, l, k]
simulate: {stop: 1.2, tolerance: 1e-6}
";

/// Saves after every advance, and resumes from every save.
fn check(name: &str, system: &System) {
    let mut run = system.begin();
    let mut saves = vec![(run.save(), 0)];
    let mut microsteps = 0;
    loop {
        let done = run.advance().unwrap_or_else(|error| panic!("{name}: {error}"));
        saves.push((run.save(), run.trace().len()));
        microsteps = microsteps.max(run.tag().microstep);
        if done.is_some() {
            break;
        }
    }
    let whole = system.simulate().unwrap();
    assert!(bits(&whole.trace, 0) == bits(run.trace(), 0), "{name}: saving changes the run");
    assert!(saves.len() > 20, "{name}: only {} advances", saves.len());
    for (bytes, from) in saves {
        let resumed = system.resume(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(resumed.save() == bytes, "{name}: another save without an advance");
        let rest = resumed.finish().unwrap_or_else(|failure| panic!("{name}: {failure}"));
        let (rest, expected) = (rest.trace, &whole.trace);
        let tag = expected.tags().get(from);
        assert!(bits(&rest, 0) == bits(expected, from), "{name}: resumed at {tag:?} of row {from}");
        let impulses: Vec<_> = expected.impulses().to_vec();
        let kept = rest.impulses();
        assert!(impulses.ends_with(kept), "{name}: other impulses");
    }
}

#[test]
fn runs_resume_anywhere() {
    let models = [
        ("ball", BALL),
        ("events", EVENTS),
        ("loop", LOOP),
        ("regions that step apart", APART),
        ("delays", DELAYS),
    ];
    for (name, text) in models {
        check(name, &compile(text));
    }
}

/// The row of an instant that a run is saved in goes on in the resumed run.
#[test]
fn one_row_an_instant_resumes_anywhere() {
    let merged = |text: &str| text.replace("simulate: {", "simulate: {rows: instants, ");
    check("ball", &compile(&merged(BALL)));
    check("events", &compile(&merged(EVENTS)));
    check("steps", &compile(&merged(BALL).replace("stop", "impulses: stepped, step: 0.01, stop")));
}

#[test]
fn cradle_resumes_between_its_hits() {
    let system = compile(CRADLE);
    let mut run = system.begin();
    while run.tag().microstep != 1 {
        assert_eq!(run.advance(), Ok(None));
    }
    common::assert_near(run.tag().time.seconds(), 1.0, 1e-12);
    let resumed = system.resume(&run.save()).unwrap();
    assert_eq!(resumed.tag(), run.tag());
    let end = resumed.finish().unwrap().trace;
    assert_eq!(["v1", "v2", "v3"].map(|name| end.last(name).unwrap()), [0.0, 0.0, 1.0]);
}

#[test]
fn implicit_steps_resume_anywhere() {
    for settings in [
        "solver: trapezoidal, step: 0.03",
        "solver: tr-bdf2, tolerance: 1e-4",
        "solver: rodas5p, tolerance: 1e-6, maximum_step: 0.03",
        "solver: auto, tolerance: 1e-4",
    ] {
        let mut text = format!("{IMPLICIT}simulate: {{stop: 1, {settings}}}\n");
        if settings.contains("auto") {
            // Steps of rk45, and then of rodas5p.
            text = text.replace("-50", "-5000");
            let outcome = compile(&text).simulate().unwrap();
            assert!(!outcome.work().parts[0].switches.is_empty());
        }
        check(settings, &compile(&text));
    }
}

/// The save of a run after some advances.
fn saved_after(system: &System, advances: usize) -> Vec<u8> {
    let mut run = system.begin();
    for _ in 0..advances {
        run.advance().unwrap();
    }
    run.save()
}

#[test]
fn other_models_and_parameters_are_refused() {
    let system = compile(BALL);
    let bytes = saved_after(&system, 5);
    let refuse = |other: &System| other.resume(&bytes).err();
    assert_eq!(refuse(&compile(CRADLE)), Some(RestoreError::OtherModel));
    assert_eq!(refuse(&compile_over(BALL, &[("e", "0.6")])), Some(RestoreError::OtherModel));
    let other = BALL.replace("1e-7", "1e-6");
    assert_eq!(refuse(&compile(&other)), Some(RestoreError::OtherModel));
    assert_eq!(refuse(&compile(BALL)), None);
}

#[test]
fn damaged_bytes_are_refused() {
    let system = compile(BALL);
    let bytes = saved_after(&system, 9);
    assert_eq!(system.resume(&[]).err(), Some(RestoreError::Damaged));
    for length in 0..bytes.len() {
        assert!(system.resume(&bytes[..length]).is_err(), "cut to {length}");
    }
    let mut longer = bytes;
    longer.push(0);
    assert_eq!(system.resume(&longer).err(), Some(RestoreError::Damaged), "a byte too many");
}

#[test]
fn changed_bytes_are_refused() {
    let system = compile(BALL);
    let bytes = saved_after(&system, 9);
    for position in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[position] ^= 0x15;
        assert!(system.resume(&flipped).is_err(), "byte {position} of {}", bytes.len());
    }
}
