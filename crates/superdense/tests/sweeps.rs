//! Sweeps whose runs go on side by side give every row the bits of a run by itself.

use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use superdense::sweeps::Flow;
use superdense::traces::Cell;
use superdense::{
    Backend, LaneRefusal, Library, Settings, Sweep, SweepRequest, WriteError, parse, parse_value,
};

use crate::common::try_parse;

/// Terms of rates of the states x, y and z, which stay bounded with some friction.
const TERMS: [&str; 16] = [
    "a * y",
    "-b * x",
    "sin(3 * x + a)",
    "cos(2 * time) * b",
    "tanh(y - z)",
    "exp(-x * x)",
    "sqrt(abs(z) + 1)",
    "x * y / (1 + x * x + y * y)",
    "atan2(y, 1 + z * z)",
    "hypot(x, z) / (2 + abs(x))",
    "(1 + y * y) ^ 0.3",
    "log(2 + x * x)",
    "min(z, a * x)",
    "a",
    "abs(y) - 1",
    "floor(2) * z",
];

/// What happens in a model beside its motion.
const EVENTS: [&str; 8] = [
    "",
    "  c: {type: Clock, period: 0.7}\n  r: {type: Integrator, input: a - r * y, reset: c}\n",
    "  u: {type: Integrator, input: 'if x > 0.3 then 1 - u else -b * u', initial: 0.1}\n",
    "  hit: {type: LevelCrossing, input: y, level: 0.2, direction: rising}
  r: {type: Integrator, input: x - r, reset: hit, initial: b}\n",
    "  v: {type: Integrator, input: x / 9 - 9.81, initial: 0, impulse: kick}
  q: {type: Integrator, input: v, initial: 1 + a}
  hit: {type: LevelCrossing, input: q, level: 0, direction: falling}
  kick: {type: Sample, input: -1.8 * previous(v), trigger: hit}\n",
    "  w: {type: Integrator, input: 'max(x, 0.5) - w * sign(w - b)', initial: 2}\n",
    "  c: {type: Clock, period: 0.05}
  held: {type: Sample, input: x, trigger: c}\n",
    "  m:
    type: Modal
    initial: rising
    states:
      rising: {outputs: {u: 1 + a * y}, transitions: [{to: falling, when: q > 1}]}
      falling: {outputs: {u: -b * q - 0.2 + x / 99}, transitions: [{to: rising, when: q < 0.3}]}
  q: {type: Integrator, input: m.u, initial: 0.5}\n",
];

#[derive(Clone, Debug)]
struct Case {
    text: String,
    /// The measures, and the same as signals of a run by itself.
    count: bool,
    runs: Vec<f64>,
}

fn cases() -> impl Strategy<Value = Case> {
    let rate = || prop::collection::vec(0..TERMS.len(), 1..4);
    let method = prop::sample::select(vec!["rk45", "rk23", "cash-karp", "euler-adaptive"]);
    let runs = prop::collection::vec(0.1..2.0f64, 17..24);
    ([rate(), rate(), rate()], 0..EVENTS.len(), method, 0.5..6.0f64, 2..7i32, runs).prop_map(
        |(rates, event, method, stop, digits, runs)| {
            let mut text = "superdense: 1\nparameters: {a: 1, b: 0.5}\nblocks:\n".to_owned();
            for (name, own) in ["x", "y", "z"].iter().zip(rates) {
                let terms: Vec<&str> = own.iter().map(|term| TERMS[*term]).collect();
                // All states belong together: lanes take models of one part.
                let rate = format!("{} + (x + y + z) / 9 - {name}", terms.join(" + "));
                text += &format!("  {name}: {{type: Integrator, input: '{rate}', initial: b}}\n");
            }
            text += EVENTS[event];
            let count = text.contains("hit:");
            text += "record: [x, y, z";
            text += if count { ", hit]\n" } else { "]\n" };
            let digits = if method == "euler-adaptive" { 2 } else { digits };
            text +=
                &format!("simulate: {{stop: {stop}, solver: {method}, tolerance: 1e-{digits}}}\n");
            Case { text, count, runs }
        },
    )
}

/// A sweep over `a` at these values.
fn sweep(case: &Case) -> Sweep {
    let model = try_parse(&case.text).unwrap_or_else(|refused| panic!("{refused}"));
    let values: Vec<String> = case.runs.iter().map(f64::to_string).collect();
    let mut measures: Vec<String> = ["x", "y", "z"].map(|own| format!("{own}=end({own})")).into();
    measures.extend(case.count.then(|| "hits=count(hit)".to_owned()));
    measures.push("half=at(x, 0.25)".to_owned());
    let request = SweepRequest {
        parameters: vec![("a".to_owned(), values.join(", "))],
        measures,
        ..SweepRequest::default()
    };
    Sweep::new(&model, &Library::standard(), &Settings::default(), &request)
        .unwrap_or_else(|refused| panic!("{refused}"))
}

/// The measures of all rows, as bits.
fn rows(sweep: &Sweep, threads: usize) -> Vec<Vec<u64>> {
    let mut rows = Vec::new();
    let done = sweep.rows(0..sweep.count(), threads, &AtomicBool::new(false), |_, own| {
        rows.extend(own);
        Ok::<Flow, WriteError>(Flow::On)
    });
    assert_eq!(done.expect("nothing is written"), sweep.count());
    let bits = |cell: &Cell| match cell {
        Cell::Number(x) => x.to_bits(),
        Cell::Integer(count) => count.cast_unsigned(),
        // How it ended, with the message if it failed.
        Cell::Text(text) => {
            text.bytes().fold(0, |sum: u64, byte| sum.wrapping_mul(257).wrapping_add(byte.into()))
        }
        Cell::Missing => 1,
        other => panic!("{other:?}"),
    };
    rows.iter().map(|row| row.cells[2..].iter().map(bits).collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, failure_persistence: None, ..ProptestConfig::default() })]

    /// Random models with and without events: rows by lanes, on one thread and on two, are those of
    /// the interpreter, which goes from run to run.
    #[test]
    fn lanes_have_the_bits_of_runs_one_by_one(case in cases()) {
        let plain = sweep(&case);
        let expected = rows(&plain, 1);
        let found = sweep(&case);
        found.system().compile_native().expect("this machine has native code");
        for threads in [1, 2] {
            prop_assert_eq!(&rows(&found, threads), &expected);
        }
        // The guards of a state machine belong to its states, each with functions of its own.
        let machine = case.text.contains("Modal").then_some(LaneRefusal::Fragments);
        // Runs that take long get native code, and with it lanes, while the sweep goes on.
        let why = plain.one_by_one();
        prop_assert!(why == machine.or(Some(LaneRefusal::Short)) || machine.is_none() && why.is_none());
        prop_assert_eq!(found.one_by_one(), machine);
        let system = found.system();
        for (value, row) in case.runs.iter().zip(&expected).step_by(7) {
            let value = parse_value(&value.to_string()).expect("a number");
            let parameters = vec![("a".to_owned(), value)];
            let settings = Settings { parameters, ..Settings::default() };
            let mut run = system.start(&settings).expect("a run");
            run.set_backend(Backend::Interpreter).expect("there is one");
            // The message of a run that fails is part of its row.
            let Ok(outcome) = run.finish() else { continue };
            let trace = outcome.trace;
            for (index, name) in ["x", "y", "z"].iter().enumerate() {
                let last = trace.last(name).expect("it is recorded");
                prop_assert_eq!(last.to_bits(), row[index], "{}", name);
            }
        }
    }
}

/// What lanes do not cover runs one by one, and the sweep says why.
#[test]
fn runs_one_by_one_say_why() {
    let moving = "  x: {type: Integrator, input: -p * x, initial: 1}\n";
    let apart = format!("{moving}  y: {{type: Integrator, input: p - y}}\n");
    let cases = [
        (apart.as_str(), "", "end(x)", "2 parts of the model move apart from each other"),
        (moving, ", solver: rk4", "end(x)", "`rk4` has no explicit steps of variable length"),
        (moving, ", solver: rodas5p", "end(x)", "`rodas5p` has no explicit steps"),
        (moving, "", "mean(x)", "each step has a row"),
        ("  x: {type: Sine, amplitude: p}\n", "", "end(x)", "nothing moves between events"),
    ];
    for (blocks, settings, measure, why) in cases {
        let text = format!(
            "superdense: 1\nparameters: {{p: 1}}\nblocks:\n{blocks}record: [x]\nsimulate: {{stop: 1{settings}}}\n"
        );
        let model = parse("test.yaml", &text, &mut |path| Err(path.to_owned())).expect("a model");
        let request = SweepRequest {
            parameters: vec![("p".to_owned(), "linspace(1, 2, 40)".to_owned())],
            measures: vec![format!("m={measure}")],
            ..SweepRequest::default()
        };
        let sweep = Sweep::new(&model, &Library::standard(), &Settings::default(), &request);
        let sweep = sweep.unwrap_or_else(|refused| panic!("{refused}"));
        sweep.system().compile_native().expect("this machine has native code");
        rows(&sweep, 1);
        let found = sweep.one_by_one().expect("lanes do not cover it").to_string();
        assert!(found.starts_with(why), "{found}");
    }
}
