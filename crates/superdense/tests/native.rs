//! Native code gives the bits of the interpreter, whenever it takes over.

use std::fs;
use std::path::Path;

use crate::common::{Bits, bits, by, compile};
use proptest::prelude::*;
use superdense::{Backend, BackendUsed, Library, Run, Stage, System, read};

fn started(system: &System, backend: Backend) -> Run {
    let mut run = system.begin();
    run.set_backend(backend).expect("this machine has native code");
    run
}

fn agree(name: &str, system: &System) {
    assert_eq!(started(system, Backend::Interpreter).ran(), BackendUsed::Interpreter);
    let (expected, end) = by(system, Backend::Interpreter);
    let (found, other_end) = by(system, Backend::Native);
    assert_eq!(end, other_end, "{name}");
    assert_eq!(expected, found, "{name}");
}

/// The rows of a run that goes on to its end.
fn rows(run: Run) -> Vec<Bits> {
    bits(&run.finish().unwrap_or_else(|failure| panic!("{failure}")).trace, 0)
}

/// Every model of the project, as it is.
#[test]
fn the_models_run_the_same() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("two folders deep");
    let mut count = 0;
    for folder in fs::read_dir(root.join("models")).expect("the models") {
        let path = folder.expect("a folder").path().join("model.yaml");
        if !path.exists() {
            continue;
        }
        let model = read(&path).expect("a model that can be read");
        let system = System::compile(&model, &Library::standard());
        agree(&path.display().to_string(), &system.expect("a model that is right"));
        count += 1;
    }
    assert!(count > 10, "{count} models");
}

const METHODS: [&str; 6] = ["euler", "heun", "rk4", "euler-adaptive", "rk23", "rk45"];

/// States of all shapes, time, functions, comparisons, a clock and a reset, by every method whose
/// steps are made whole.
fn mixed(method: &str) -> String {
    format!(
        "
parameters: {{k: 3}}
blocks:
  x: {{type: Integrator, input: y, initial: 1}}
  y: {{type: Integrator, input: -k * x - 0.1 * y * abs(y) + cos(2 * time)}}
  w: {{type: Integrator, input: '[y, x, -w[1]] * 0.3', initial: '[0.1, 0.2, 0.3]'}}
  c: {{type: Clock, period: 0.3}}
  r: {{type: Integrator, input: if x > 0.2 then sqrt(x + 1) else -r, reset: c}}
  s: {{type: Expression, expression: 'max(x, y) + floor(3 * x)'}}
record: [x, y, w, r, s]
simulate: {{stop: 3, solver: {method}, tolerance: 1e-6, step: 0.01}}
"
    )
}

#[test]
fn every_explicit_method_has_the_same_bits() {
    for method in METHODS {
        agree(method, &compile(&mixed(method)));
    }
}

#[test]
fn every_implicit_method_has_the_same_bits() {
    for method in ["trapezoidal", "rodas5p", "tr-bdf2", "auto"] {
        agree(method, &compile(&mixed(method)));
    }
}

/// A branch that is not defined beyond the point where its condition turns.
#[test]
fn functions_for_what_is_not_finite_take_over() {
    let text = "
blocks:
  h: {type: Integrator, input: '-2 * sqrt(max(h, 0))', initial: 1}
  z: {type: Integrator, input: if h > 0.25 then log(h) else 0}
record: [h, z]
simulate: {stop: 2, tolerance: 1e-8}
";
    agree("an outflow", &compile(text));
}

/// A tick with more units than a word has bits, vectors of many numbers, events that come and go,
/// impulses and a crossing; `last` is the operand of one more, which may fail at some time.
fn ticking(last: &str) -> String {
    let mut text = String::from(
        "
blocks:
  x: {type: Integrator, input: u - x, initial: 2, impulse: kick}
  y: {type: Integrator, input: -1}
  hit: {type: LevelCrossing, input: x - 1.2, direction: falling}
  kick: {type: Sample, input: 0.3 * previous(x), trigger: hit}
  clock: {type: Clock, period: 0.1}
  slow: {type: Clock, period: 0.4}
  e0: {type: Sample, input: x, trigger: clock}
  wide: {type: Expression, expression: 'e0 * [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]'}
  few: {type: Sample, input: '[x, y]', trigger: slow}
  held: {type: ZeroOrderHold, input: few, initial: '[0, 0]'}
  u: {type: ZeroOrderHold, input: 'e69 - 0.05 * wide[11]', initial: 0}
",
    );
    for k in 1..70 {
        let expression = match k % 3 {
            0 => format!("e{} * 0.99 - 0.01", k - 1),
            1 => format!("max(e{}, 0.1)", k - 1),
            _ => format!("if e{} > 1 then 0.9 else 0.5", k - 1),
        };
        text += &format!("  e{k}: {{type: Expression, expression: '{expression}'}}\n");
    }
    text + &format!(
        "  last: {{type: Sample, input: '{last}', trigger: clock}}
record: [x, u, hit, kick, wide, held, e69, last]
simulate: {{stop: 2}}
"
    )
}

#[test]
fn ticks_have_the_same_bits() {
    for last in ["held[0]", "log(held[1] + 1.3)"] {
        let system = compile(&ticking(last));
        agree(last, &system);
        let work = |backend| started(&system, backend).finish().map(|outcome| outcome.work());
        assert_eq!(work(Backend::Interpreter).ok(), work(Backend::Native).ok(), "{last}");
    }
}

/// What is not finite is told in the same words.
#[test]
fn failures_are_the_same() {
    for solver in ["rk4", "rk45"] {
        let text = format!(
            "
blocks:
  x: {{type: Integrator, input: x * x, initial: 1}}
  y: {{type: Integrator, input: exp(x) + log(2 - x), initial: 1}}
record: [x, y]
simulate: {{stop: 2, solver: {solver}, step: 0.01}}
"
        );
        agree(solver, &compile(&text));
    }
}

/// Native code taken after any number of advances leads on with the same bits.
#[test]
fn it_does_not_matter_when_it_takes_over() {
    let system = compile(&mixed("rk45"));
    let expected = rows(started(&system, Backend::Interpreter));
    for before in [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144] {
        let mut run = started(&system, Backend::Interpreter);
        for _ in 0..before {
            run.advance().expect("a run that goes well");
        }
        run.set_backend(Backend::Native).expect("this machine has native code");
        assert_eq!(expected, rows(run), "after {before}");
    }
}

/// A run saved on one backend goes on on the other.
#[test]
fn saved_runs_go_on_elsewhere() {
    let system = compile(&mixed("rk45"));
    let expected = rows(started(&system, Backend::Interpreter));
    for (first, second) in
        [(Backend::Native, Backend::Interpreter), (Backend::Interpreter, Backend::Native)]
    {
        for before in [1, 7, 40, 111] {
            let mut run = started(&system, first);
            for _ in 0..before {
                run.advance().expect("a run that goes well");
            }
            let known = run.trace().len();
            let mut resumed = system.resume(&run.save()).expect("bytes that were just saved");
            resumed.set_backend(second).expect("this machine has native code");
            assert_eq!(expected[known..], rows(resumed), "after {before}");
        }
    }
}

/// A long run has native code before its end, without being asked; the next run begins with it.
#[test]
fn a_long_run_goes_native() {
    let text = "
blocks:
  x: {type: Integrator, input: y, initial: 1}
  y: {type: Integrator, input: -x}
record: [0]
simulate: {stop: 100000, solver: rk4, step: 0.01}
";
    let system = compile(text);
    let mut run = system.begin();
    while run.ran() == BackendUsed::Interpreter
        && run.advance().expect("a run that goes well").is_none()
    {}
    assert_eq!(run.ran(), BackendUsed::Both);
    assert_eq!(system.begin().ran(), BackendUsed::Native);
}

/// A term of a rate: what is read, how, and by how much.
fn term() -> impl Strategy<Value = String> {
    let state = || 0..4usize;
    let factor = || (-20..20i32).prop_map(|tenths| f64::from(tenths) / 10.0);
    prop_oneof![
        4 => (factor(), state()).prop_map(|(c, i)| format!("{c} * x{i}")),
        3 => (factor(), state(), state()).prop_map(|(c, i, j)| format!("{c} * x{i} * x{j}")),
        2 => (factor(), state()).prop_map(|(c, i)| format!("{c} * sin(x{i})")),
        1 => factor().prop_map(|c| format!("{c} * cos(3 * time)")),
        1 => (factor(), state()).prop_map(|(c, i)| format!("{c} / (1 + x{i}^2)")),
        1 => (factor(), state()).prop_map(|(c, i)| format!("{c} / (x{i} + 0.3)")),
    ]
}

/// Four states whose steps nobody looks at, and a clock that some of them end at.
fn unseen() -> impl Strategy<Value = String> {
    let rate = || prop::collection::vec(term(), 1..4).prop_map(|terms| terms.join(" + "));
    let method = prop::sample::select(vec!["rk45", "rk45", "rk23", "euler-adaptive"]);
    let rates = prop::array::uniform4(rate());
    let bound = prop::option::of(prop::sample::select(vec!["0.01", "0.2"]));
    (rates, method, 2..9i32, 1..40i32, bound).prop_map(|(rates, method, digits, period, bound)| {
        let mut text = String::from("blocks:\n");
        for (i, rate) in rates.iter().enumerate() {
            let from = 0.2 * i as f64 - 0.3;
            let reset = if i == 3 { ", reset: c" } else { "" };
            let rate = format!("{rate} - 0 * (x0 + x1 + x2 + x3)");
            text +=
                &format!("  x{i}: {{type: Integrator, input: {rate}, initial: {from}{reset}}}\n");
        }
        let longest = bound.map_or(String::new(), |bound| format!(", maximum_step: {bound}"));
        let digits = if method == "euler-adaptive" { digits.min(4) } else { digits };
        text + &format!(
            "  c: {{type: Clock, period: {period} / 20}}\nrecord: [0]\n\
             simulate: {{stop: 3, solver: {method}, tolerance: 1e-{digits}{longest}}}\n"
        )
    })
}

/// Everything that a run remembers in the end, and how it ended, where so many steps are asked for
/// at once.
fn memory(system: &System, most: u32) -> (Vec<u8>, String) {
    let mut run = started(system, Backend::Native);
    let end = loop {
        match run.advance_by(most) {
            Ok(None) => {}
            Ok(Some(stop)) => break format!("{stop:?}"),
            Err(error) => break error.to_string(),
        }
    };
    (run.save(), format!("{end} {:?}", run.counters()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() })]

    /// Steps that native code takes one after the other are those of the solver: the same memory,
    /// the same counters, the same failures, however many are asked for at once.
    #[test]
    fn steps_that_nobody_looks_at_are_the_same(text in unseen(), most in 2..50u32) {
        let system = compile(&text);
        // A run that creeps towards a pole takes millions of steps before it is given up.
        let mut probe = started(&system, Backend::Native);
        while let Ok(None) = probe.advance_by(1000) {
            prop_assume!(probe.counters().steps < 200_000);
        }
        agree(&text, &system);
        prop_assert_eq!(memory(&system, 1), memory(&system, most));
    }
}

/// A plant under sampled control: clocks whose ticks coincide now and then, events that last for
/// several microsteps, memories and resets, and sometimes a block that fails or ends the run.
fn controlled() -> impl Strategy<Value = String> {
    let period = || prop::sample::select(vec!["0.05", "1/7", "0.1", "0.03", "0.25", "1"]);
    let more = vec![
        "d: {type: UnitDelay, input: e}",
        "h: {type: ZeroOrderHold, input: n}",
        "mm: {type: MicrostepDelay, input: 2 * m}",
        "r: {type: Integrator, input: 1 - r, reset: c1}",
        "z: {type: Sample, input: 'previous(x) - x', trigger: c1}",
        "v: {type: Expression, expression: 'e * [1, 2, x]'}",
        "i: {type: DiscreteIntegrator, input: e, period: 0.1}",
        "a: {type: Accumulator, input: e}",
        "w: {type: Expression, expression: 'if held > 2 then e else 0'}",
        "bad: {type: Sample, input: log(4 - held), trigger: c1}",
        "last: {type: Stop, input: late}",
    ];
    let count = more.len();
    let some = prop::sample::subsequence(more, 0..=count);
    let record = prop::sample::select(vec!["0", "x, u", "n", "e, held", "p, n", "time"]);
    let method = prop::sample::select(vec!["rk45", "rk45", "rk23", "rk4", "auto"]);
    let rows = prop::sample::select(vec!["", ", rows: instants", ", every: 0.07"]);
    let settings = (record, method, rows, 0..4i32);
    (period(), period(), some, settings).prop_map(|(one, other, some, settings)| {
        let (record, method, rows, tenths) = settings;
        let more: String = some.iter().map(|line| format!("  {line}\n")).collect();
        format!(
            "blocks:
  c0: {{type: Clock, period: {one}}}
  c1: {{type: Clock, period: {other}, offset: {tenths} / 10}}
  x: {{type: Integrator, input: 'u - x + sin(3 * time)', initial: 0.5}}
  e: {{type: Sample, input: 1 - x, trigger: c0}}
  u: {{type: ZeroOrderHold, input: 3 * e, initial: 0}}
  n: {{type: Counter, increment: c1}}
  held: {{type: ZeroOrderHold, input: n, initial: 0}}
  m: {{type: MicrostepDelay, input: c1}}
  late: {{type: Expression, expression: 'if n > 12 then n else absent'}}
  p: {{type: Expression, expression: x * held}}
{more}record: [{record}]
simulate: {{stop: 3, solver: {method}, step: 0.02, tolerance: 1e-6{rows}}}
"
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    /// Ticks that are done one after the other, with the steps between them, are those of the
    /// interpreter one microstep at a time: the same rows, counters, memory and failures.
    #[test]
    fn ticks_in_a_row_are_the_same(text in controlled(), most in 17..90u32) {
        let system = compile(&text);
        agree(&text, &system);
        let work = |backend| started(&system, backend).finish().map(|outcome| outcome.work());
        prop_assert_eq!(work(Backend::Interpreter).ok(), work(Backend::Native).ok());
        let (memory_by_one, end) = memory(&system, 1);
        let (found, other_end) = memory(&system, most);
        prop_assert_eq!(&end, &other_end);
        if !end.contains("not finite") {
            prop_assert_eq!(memory_by_one, found);
        }
    }
}

/// Events of crossings: a ball whose hops may accumulate, relays, edges and kinks of an oscillation,
/// a second region with pulse-width modulation, clocks, resets, and sometimes a block that fails or
/// ends the run.
fn bouncing() -> impl Strategy<Value = String> {
    let more = vec![
        "n: {type: Counter, increment: hit}",
        "far: {type: Expression, expression: 'if w > 0.4 then 1 else -1'}",
        "edge: {type: Expression, expression: 'floor(3 * w)'}",
        "kink: {type: Expression, expression: 'abs(w) + max(w, y)'}",
        "late: {type: Expression, expression: 'time > 0.3'}",
        "q: {type: Integrator, input: 'sin(5 * time) - q', reset: hit}",
        "s: {type: Sample, input: 'previous(v) + w', trigger: hit}",
        "k: {type: Sample, input: w, trigger: tick}\n  \
         kh: {type: ZeroOrderHold, input: k, initial: 0}\n  \
         saw: {type: Sawtooth, period: 0.17}\n  \
         on: {type: Expression, expression: 'kh + 0.5 > saw'}\n  \
         z: {type: Integrator, input: '(if on then 1 else 0) - z'}",
        "m: {type: MicrostepDelay, input: hit}\n  cm: {type: Counter, increment: m}",
        "top: {type: LevelCrossing, input: v, direction: falling}\n  \
         h: {type: Sample, input: y, trigger: top}",
        "back: {type: LevelCrossing, input: lim - 0.37}\n  \
         lim: {type: Integrator, input: 1, initial: 0.1, reset: tick}\n  \
         bc: {type: Counter, increment: back}",
        "bad: {type: Sample, input: 'log(0.8 - time)', trigger: hit}",
        "c: {type: Counter, increment: hit}\n  \
         last: {type: Stop, input: late2}\n  \
         late2: {type: Expression, expression: 'if c > 6 then c else absent'}",
    ];
    let count = more.len();
    let some = prop::sample::subsequence(more, 0..=count);
    let record = prop::sample::select(vec!["0", "y, v", "w", "y, w", "hit", "time"]);
    let method = prop::sample::select(vec!["rk45", "rk45", "rk23", "rk4", "auto"]);
    let rows = prop::sample::select(vec!["", ", rows: instants", ", every: 0.07"]);
    let end = prop::sample::select(vec!["", ", zeno: stop", ", zeno: stop", ", zeno: rest"]);
    let settings = (record, method, rows, end);
    (3..10i32, 0..30i32, some, settings).prop_map(|(tenths, start, some, settings)| {
        let (record, method, rows, end) = settings;
        let more: String = some.iter().map(|line| format!("  {line}\n")).collect();
        format!(
            "blocks:
  v: {{type: Integrator, input: -9.81, initial: 0, impulse: kick}}
  y: {{type: Integrator, input: v, initial: {start} / 10}}
  hit: {{type: LevelCrossing, input: y, level: 0, direction: falling}}
  kick: {{type: Sample, input: '-(1 + {tenths} / 10) * previous(v)', trigger: hit}}
  w: {{type: Integrator, input: u, initial: 1}}
  u: {{type: Integrator, input: -40 * w}}
  tick: {{type: Clock, period: 0.11}}
{more}record: [{record}]
simulate: {{stop: 2, solver: {method}, step: 0.02, tolerance: 1e-6{rows}{end}}}
"
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() })]

    /// The same of ticks of crossings, in regions that move each for itself.
    #[test]
    fn crossings_in_a_row_are_the_same(text in bouncing(), most in 17..90u32) {
        let system = compile(&text);
        // Hops that rounding sustains take long before they are recognised.
        let mut probe = started(&system, Backend::Native);
        while let Ok(None) = probe.advance_by(1000) {
            prop_assume!(probe.counters().ticks < 5_000);
        }
        agree(&text, &system);
        let work = |backend| started(&system, backend).finish().map(|outcome| outcome.work());
        prop_assert_eq!(work(Backend::Interpreter).ok(), work(Backend::Native).ok());
        let (memory_by_one, end) = memory(&system, 1);
        let (found, other_end) = memory(&system, most);
        prop_assert_eq!(&end, &other_end);
        if !end.contains("not finite") {
            prop_assert_eq!(memory_by_one, found);
        }
    }
}

/// Masses and their speeds in turn, at rest in the slowest shape of the chain.
fn chain(masses: usize, method: &str) -> String {
    let name = |i: usize| if i == 0 || i > masses { "0".to_owned() } else { format!("x{i}") };
    let blocks = (1..=masses).map(|i| {
        let shape = (std::f64::consts::PI * i as f64 / (masses + 1) as f64).sin();
        let force = format!("{} - 2 * x{i} + {}", name(i - 1), name(i + 1));
        let place = format!("  x{i}: {{type: Integrator, input: v{i}, initial: {shape}}}\n");
        format!("{place}  v{i}: {{type: Integrator, input: {force}}}\n")
    });
    let blocks: String = blocks.collect();
    format!(
        "blocks:\n{blocks}record: [x1, x7, x{masses}, v7]\n\
         simulate: {{stop: 30, solver: {method}, tolerance: 1e-9}}\n"
    )
}

/// States of one family are moved together; each is still the state of its own block.
#[test]
fn a_chain_swings_in_its_slowest_shape() {
    const MASSES: usize = 30;
    let angle = std::f64::consts::PI / (MASSES + 1) as f64;
    let frequency = 2.0 * (0.5 * angle).sin();
    for method in ["rk45", "rodas5p"] {
        let system = compile(&chain(MASSES, method));
        agree(method, &system);
        let outcome = started(&system, Backend::Native).finish();
        let trace = outcome.unwrap_or_else(|failure| panic!("{failure}")).trace;
        let (swing, speed) = ((30.0 * frequency).cos(), -frequency * (30.0 * frequency).sin());
        for (signal, mass, factor) in
            [("x1", 1, swing), ("x7", 7, swing), ("x30", MASSES, swing), ("v7", 7, speed)]
        {
            let expected = factor * (angle * mass as f64).sin();
            let found = trace.last(signal).expect("it is recorded");
            assert!((found - expected).abs() < 1e-7, "{method} {signal}: {found}, not {expected}");
        }
    }
}

/// The rates of a chain of a thousand cost as many instructions as those of a hundred, and speeds
/// are copied in one piece.
#[test]
fn loops_over_a_chain_leave_no_gaps() {
    let counts = [100, 1000].map(|masses| {
        let text = compile(&chain(masses, "rk45")).print(Stage::Program);
        let rates = text.split("\n  rates:\n").nth(1).expect("rates");
        let rates: Vec<&str> = rates.lines().take_while(|line| line.starts_with("    ")).collect();
        // The speeds lie side by side, and become the rates of the positions in one piece.
        let copies = rates.iter().filter(|line| line.ends_with(&format!("..{masses}")));
        assert_eq!(copies.count(), 1, "{rates:#?}");
        rates.len()
    });
    assert_eq!(counts[0], counts[1]);
}

#[test]
fn a_state_that_escapes_is_named_among_its_family() {
    let blocks = (0..20).map(|i| {
        let rate = if i == 13 { format!("a{i}^2 + 0 * b{i}") } else { format!("0 * b{i}") };
        let pair = format!("  a{i}: {{type: Integrator, input: {rate}, initial: 1}}\n");
        format!("{pair}  b{i}: {{type: Integrator, input: a{i} + 0 * b{}}}\n", (i + 1) % 20)
    });
    let blocks: String = blocks.collect();
    let text = format!("blocks:\n{blocks}simulate: {{stop: 2}}\n");
    let failure = compile(&text).simulate().expect_err("it goes to infinity at 1");
    assert_eq!(failure.error.block(), "a13", "{failure}");
}

/// A model with more units than are compiled at once gets their code while it runs.
#[test]
fn large_models_run_the_same_while_their_units_are_compiled() {
    let system = compile(
        "name: chain
blocks:
  clock: {type: Clock, period: 0.001}
  n: {type: Counter, increment: clock}
  d: {type: UnitDelay, for: {i: 300}, input: \"if i > 0 then d[i - 1] + 0.5 else n\"}
  x: {type: Integrator, input: \"1 - 1e-3 * held * x\", reset: reset}
  held: {type: ZeroOrderHold, input: \"d[299]\"}
  hit: {type: LevelCrossing, input: x, level: 0.05, direction: rising}
  reset: {type: Sample, input: 0.25 * previous(x), trigger: hit}
record: {end: \"d[299]\", middle: \"d[150]\", x: x}
simulate: {stop: 0.8}
",
    );
    let (expected, _) = by(&system, Backend::Interpreter);
    for round in 0..4 {
        let (found, _) = by(&system, Backend::Native);
        assert_eq!(expected, found, "round {round}");
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
}
