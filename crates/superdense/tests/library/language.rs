//! What the language offers to those who write diagrams: memory of events, presence by conditions,
//! optional inputs, words, conditions on parameters, and fields that are passed on.

use superdense::{Backend, Library, Settings, Value};

use crate::common::{at, bits, by, codes, compile, compile_with, refusal, simulate, tag};

/// `last` is strictly before this tag; an earlier microstep of the same time counts.
#[test]
fn the_last_value_is_that_of_an_earlier_tag() {
    let text = "blocks:
  c: {type: Clock, period: 1}
  n: {type: Counter, increment: c}
  again: {type: MicrostepDelay, input: 10 * n}
  both: {type: Merge, inputs: [n, again]}
  l: {type: Expression, expression: \"last(both, -1)\"}
record: [both, l]
simulate: {stop: 1}
";
    let trace = simulate(text).trace;
    let expected = [
        (tag(0.0, 0), None, -1.0),
        (tag(0.0, 1), Some(1.0), -1.0),
        (tag(0.0, 2), Some(10.0), 1.0),
        (tag(0.0, 3), None, 10.0),
        (tag(1.0, 1), Some(2.0), 10.0),
        (tag(1.0, 2), Some(20.0), 2.0),
        (tag(1.0, 3), None, 20.0),
    ];
    for (tag, both, last) in expected {
        assert_eq!(at(&trace, "both", tag), both, "{tag}");
        assert_eq!(at(&trace, "l", tag), Some(last), "{tag}");
    }
}

/// A filter is its equation, also for vectors; setting a parameter gives the same as editing it.
#[test]
fn a_filter_needs_no_other_memory() {
    let text = |a: &str, first: &str| {
        format!(
            "parameters: {{a: {a}, first: {first}}}
blocks:
  c: {{type: Clock, period: 0.5}}
  n: {{type: Counter, increment: c}}
  y: {{type: Sample, input: \"a * last(y, first) + (1 - a) * [n, -n]\", trigger: c}}
record: [y]
simulate: {{stop: 4}}
"
        )
    };
    let system = compile(&text("0.5", "8"));
    let trace = system.simulate().unwrap().trace;
    let (mut up, mut down) = (8.0, 8.0);
    for k in 0..9 {
        let n = f64::from(k + 1);
        (up, down) = (0.5 * up + 0.5 * n, 0.5 * down - 0.5 * n);
        let row = trace.tags().iter().position(|own| *own == tag(0.5 * f64::from(k), 1)).unwrap();
        assert_eq!(trace.get(row, 0), Some(&[up, down][..]), "{k}");
    }
    let parameters =
        vec![("a".to_owned(), Value::real(0.25)), ("first".to_owned(), Value::real(-3.0))];
    let set = system.with(&Settings { parameters, ..Settings::default() }).unwrap();
    assert!(set.is_same_program(&system));
    let edited = compile(&text("0.25", "-3"));
    assert_eq!(bits(&set.simulate().unwrap().trace, 0), bits(&edited.simulate().unwrap().trace, 0));
    assert_eq!(by(&system, Backend::Interpreter).0, by(&system, Backend::Native).0);
}

#[test]
fn the_last_value_of_what_is_always_there_is_refused() {
    for (expression, code) in [
        ("last(x, 0)", "not-events"),
        ("last(x + n, 0)", ""),
        ("last(time, 0)", "not-events"),
        ("last(n, x)", "not-constant"),
        ("last(n, true)", "type-mismatch"),
        ("last(n, [1, 2])", "size-mismatch"),
        ("last(delta(time - 0.5), 0)", "not-events"),
        ("when(n, n)", "type-mismatch"),
        ("when([true, false], n)", "size-mismatch"),
        ("last(absent, 4)", ""),
    ] {
        let text = format!(
            "blocks:
  x: {{type: Integrator, input: 1}}
  c: {{type: Clock, period: 1}}
  n: {{type: Counter, increment: c}}
  e: {{type: Expression, expression: \"{expression}\"}}
record: [e]
"
        );
        match code {
            "" => drop(simulate(&text)),
            code => assert_eq!(codes(&refusal(&text)), [code], "{expression}"),
        }
    }
}

/// A condition lets events pass; between events it makes a signal that is there at times.
#[test]
fn a_condition_decides_what_is_present() {
    let text = "blocks:
  c: {type: Clock, period: 1}
  n: {type: Counter, increment: c}
  x: {type: Integrator, input: 1}
  odd: {type: Expression, expression: \"when(mod(n, 2) == 1, n)\"}
  same: {type: Expression, expression: \"if mod(n, 2) == 1 then n else absent\"}
  late: {type: Expression, expression: \"when(x > 1.5, x)\"}
  never: {type: Expression, expression: \"when(false, n)\"}
record: [odd, same, late, never, x]
simulate: {stop: 4}
";
    let trace = simulate(text).trace;
    for k in 0..5 {
        let now = tag(f64::from(k), 1);
        let odd = (k % 2 == 0).then(|| f64::from(k + 1));
        assert_eq!((at(&trace, "odd", now), at(&trace, "same", now)), (odd, odd), "{k}");
    }
    assert!(trace.series("never").is_empty());
    let (first, x) = trace.series("late")[0];
    assert!((first.time.seconds() - 1.5).abs() < 1e-14 && (x - 1.5).abs() < 1e-14, "{first} {x}");
    assert_eq!(first.microstep, 1);
    let late = trace.series("late");
    assert!(late.iter().all(|(tag, x)| tag.time.seconds() >= 1.5 && *x >= 1.5));
    assert!(late.len() > 3);
}

const PARTS: &str = "diagrams:
  Part:
    parameters: {k: 2, kind: {value: slow, words: [slow, fast]}, sizes: [1, 2]}
    inputs: {u: {description: The input.}, stop: {default: absent}, offset: {default: 10 * k}}
    outputs: {y: x, count: length(sizes), o: offset, rate: {value: if kind == fast then 2 else 1}}
    require:
      - {check: k > 0, message: \"`k` must be positive\"}
      - {check: length(sizes) <= 3, message: there are at most three sizes}
    blocks:
      x: {type: Integrator, input: (if kind == fast then 2 else 1) * k * u, reset: 0 * stop}
  Whole:
    parameters: {k: 3, kind: {value: fast, words: [slow, fast]}}
    inputs: [u]
    outputs: {y: part.y, rate: part.rate}
    blocks: {part: {type: Part, pass: [u, k, kind]}}
";

#[test]
fn inputs_have_defaults_and_fields_are_passed_on() {
    let text = format!(
        "{PARTS}parameters: {{g: [1, 2, 3]}}
blocks:
  c: {{type: Clock, period: 0.75}}
  a: {{type: Part, u: 1, sizes: g}}
  b: {{type: Part, u: 1, kind: fast, offset: -1, stop: c}}
  w: {{type: Whole, u: 1}}
  v: {{type: Whole, u: 1, kind: slow, k: 5}}
record: [a.y, a.count, a.o, b.y, b.o, b.rate, w.y, w.rate, v.y, v.rate]
simulate: {{stop: 1}}
"
    );
    let trace = simulate(&text).trace;
    let last = |name: &str| trace.last(name).unwrap();
    for (name, value) in [
        ("a.y", 2.0),
        ("a.count", 3.0),
        ("a.o", 20.0),
        ("b.y", 1.0),
        ("b.o", -1.0),
        ("b.rate", 2.0),
        ("w.y", 6.0),
        ("w.rate", 2.0),
        ("v.y", 5.0),
        ("v.rate", 1.0),
    ] {
        assert!((last(name) - value).abs() < 1e-12, "{name} = {}", last(name));
    }
}

#[test]
fn what_a_diagram_does_not_allow_is_refused() {
    for (fields, code, words) in [
        ("u: 1, k: 0", "bad-parameter", "`k` must be positive"),
        ("u: 1, sizes: [1, 2, 3, 4]", "bad-parameter", "at most three"),
        ("u: 1, kind: quick", "bad-parameter", "one of slow, fast"),
        ("u: 1, kind: 2", "bad-parameter", "one of slow, fast"),
        ("k: 1", "missing-input", "`u`"),
        ("u: 1, pass: [u]", "duplicate-name", "given twice"),
        ("u: 1, pass: [nothing]", "unknown-field", "nothing"),
    ] {
        let refused =
            refusal(&format!("{PARTS}blocks:\n  p: {{type: Part, {fields}}}\nrecord: [p.y]\n"));
        assert!(codes(&refused).contains(&code), "{fields}: {refused}");
        assert!(refused.to_string().contains(words), "{fields}: {refused}");
    }
}

/// A condition that holds for the compiled values is checked again for those of a run.
#[test]
fn conditions_hold_for_the_values_of_a_run() {
    let text = format!(
        "{PARTS}parameters: {{k: 1}}\nblocks:\n  p: {{type: Part, u: 1, pass: [k]}}\nrecord: [p.y]\n"
    );
    let system = compile(&text);
    let with = |k: f64| {
        let parameters = vec![("k".to_owned(), Value::real(k))];
        system.with(&Settings { parameters, ..Settings::default() })
    };
    assert!(with(2.0).unwrap().is_same_program(&system));
    assert!(codes(&with(-2.0).unwrap_err()).contains(&"bad-parameter"));
}

/// A function is always followed by a bracket, so that its name may be that of something else.
#[test]
fn names_of_functions_may_be_names() {
    let text = "parameters: {length: 3, last: 2}
blocks:
  when: {type: Constant, value: \"length * length([1, 2]) + last\"}
  sin: {type: Expression, expression: sin(0) + when}
record: [sin]
";
    assert_eq!(simulate(text).trace.last("sin"), Some(8.0));
    let text = "blocks:\n  x: {type: Constant, value: 2 * length}\nrecord: [x]\n";
    assert_eq!(codes(&refusal(text)), ["type-mismatch"]);
}

/// Who uses the name of another tool is told the name here.
#[test]
fn names_of_other_tools_are_understood() {
    for (kind, name) in [
        ("Unit Delay", "`UnitDelay`"),
        ("Gaussian", "`GaussianRandom`"),
        ("ResettableIntegrator", "`Integrator`"),
        ("DiscreteClock", "`EventSource`"),
    ] {
        let refused = refusal(&format!("blocks:\n  b: {{type: {kind}}}\n"));
        assert!(refused.to_string().contains(&format!("it is called {name}")), "{refused}");
    }
}

/// A function gives the bits of its expression written where it is called, also with memory in it,
/// in nested diagrams, in constants, and on inputs that a run is given.
#[test]
fn a_function_is_its_expression() {
    let text = |functions: &str, drag: &str, filter: &str, k: &str, inner: &str| {
        format!(
            "{functions}
parameters: {{k: {k}}}
inputs: {{u: {{initial: 0}}}}
diagrams: {{Part: {{inputs: [u], outputs: {{y: \"{inner}\"}}}}}}
blocks:
  v: {{type: Integrator, input: \"u - {drag}\", initial: 1}}
  c: {{type: PeriodicSampler, input: v, period: 0.25}}
  f: {{type: Expression, expression: \"{filter}\"}}
  p: {{type: Part, u: v}}
record: [v, f, p]
simulate: {{stop: 2}}
"
        )
    };
    let functions = "functions:
  filter(s, a): a * last(s, 0) + (1 - a) * s
  drag(v, k): k * v * abs(v) + square(v)
  square(x): x * x";
    let called = text(functions, "drag(v, k)", "filter(c, 0.5)", "square(3)", "drag(u, 2)");
    let plain = text(
        "",
        "(k * v * abs(v) + v * v)",
        "0.5 * last(c, 0) + (1 - 0.5) * c",
        "3 * 3",
        "2 * u * abs(u) + u * u",
    );
    for backend in [Backend::Interpreter, Backend::Native] {
        let run = |text: &str, input: &str| {
            let inputs = vec![("u".to_owned(), input.to_owned())];
            let settings = Settings { inputs, ..Settings::default() };
            let system = compile_with(text, &Library::standard(), &settings);
            by(&system.unwrap_or_else(|refused| panic!("{refused}")), backend)
        };
        assert_eq!(run(&called, "square(time)"), run(&plain, "time * time"), "{backend:?}");
    }
}

/// An output may have the name of an input: inside it is the input, from outside the output.
#[test]
fn an_output_may_be_named_like_an_input() {
    let text = "diagrams:
  Rounded: {inputs: [u], outputs: {u: y}, blocks: {y: {type: Quantizer, input: u}}}
  Twice: {inputs: [u], outputs: {u: 2 * u}}
  Same: {inputs: [u], outputs: [u]}
blocks:
  r: {type: Rounded, u: 2.7}
  t: {type: Twice, u: 1 + r.u}
  s: {type: Same, u: t.u}
record: [r.u, t, s.u]
simulate: {stop: 1}
";
    let trace = simulate(text).trace;
    let value = |name: &str| at(&trace, name, tag(1.0, 0));
    assert_eq!([value("r.u"), value("t"), value("s.u")], [Some(3.0), Some(8.0), Some(8.0)]);
}

/// A position outside is an error wherever the element is used, also in a comparison, and in each
/// direction of a matrix; what is not used is not looked at.
#[test]
fn a_position_outside_is_never_silent() {
    let text = |expression: &str| {
        format!(
            "blocks:
  c: {{type: Clock, period: 1}}
  n: {{type: Counter, increment: c}}
  v: {{type: Constant, value: [1, 0]}}
  m: {{type: Constant, value: [[1, 2], [3, 4]]}}
  y: {{type: Expression, expression: \"{expression}\"}}
record: [y]
simulate: {{stop: 3}}
"
        )
    };
    for outside in [
        "if v[n] > 0 then 1 else 2",
        "m[0, n]",
        "m[n, 0] > 1",
        "v[-n]",
        "if n < 3 then v[n] else 0",
    ] {
        let system = compile(&text(outside));
        let failure = system.simulate().expect_err(outside);
        let told = system.explain_with(&failure.error, &failure.inputs);
        assert_eq!(told.code, "index-out-of-range", "{outside}: {told:?}");
    }
    for inside in ["if n < 2 then v[n] else 0", "m[mod(n, 2), 0]", "v[min(n, 2) - 1]"] {
        assert!(compile(&text(inside)).simulate().is_ok(), "{inside}");
    }
}

/// A parameter that is missing is reported once.
#[test]
fn a_condition_on_a_missing_parameter_says_nothing() {
    let text = "diagrams:
  Band:
    parameters: {lower:, upper:}
    require: [{check: lower < upper, message: the lower edge must be below the upper one}]
    outputs: {y: lower + upper}
blocks: {b: {type: Band, lower: 1}}
record: [b]
";
    assert_eq!(codes(&refusal(text)), ["missing-parameter"]);
}

/// `absent` has the type of the branch beside it: truth values, integers, vectors, matrices.
#[test]
fn absent_has_the_type_of_the_other_branch() {
    let text = "blocks:
  k: {type: Clock, period: 1}
  n: {type: Counter, increment: k}
  truth: {type: Expression, expression: if time > 0.5 then time > 1.5 else absent}
  first: {type: Expression, expression: if n < 2 then absent else n}
  vector: {type: Expression, expression: 'if n < 2 then absent else [n, 2 * n]'}
  matrix: {type: Expression, expression: 'if time < 1 then [[1, time]] else absent'}
  nested: {type: Expression, expression: 'if time < 0.5 then absent else if time < 1.5 then time > 1 else absent'}
  rises: {type: Edge, input: truth}
record: [truth, first, vector, matrix, nested, rises]
simulate: {stop: 2}
";
    let system = compile(text);
    let outcome = system.simulate().unwrap();
    let trace = &outcome.trace;
    assert_eq!(by(&system, Backend::Interpreter), by(&system, Backend::Native));
    assert_eq!(at(trace, "truth", tag(0.0, 0)), None);
    assert_eq!(at(trace, "truth", tag(1.0, 1)), Some(0.0));
    assert_eq!(at(trace, "truth", tag(2.0, 0)), Some(1.0));
    assert_eq!(trace.series("rises"), vec![(tag(1.5, 1), 1.0)]);
    assert_eq!(at(trace, "first", tag(0.0, 1)), None);
    assert_eq!(at(trace, "first", tag(1.0, 1)), Some(2.0));
    assert_eq!(at(trace, "vector", tag(2.0, 1)), Some(3.0));
    assert_eq!(at(trace, "matrix", tag(1.0, 0)), Some(1.0));
    assert_eq!(at(trace, "matrix", tag(2.0, 0)), None);
    assert_eq!(at(trace, "nested", tag(0.0, 0)), None);
    assert_eq!(at(trace, "nested", tag(1.5, 0)), Some(1.0));
    assert_eq!(at(trace, "nested", tag(2.0, 0)), None);
}

/// A signal that falls back on a number is present between events and has that number there, so that
/// it is a rate; its events last no time.
#[test]
fn a_signal_with_a_value_between_events_is_a_rate() {
    let text = "blocks:
  k: {type: Clock, period: 1}
  x: {type: Integrator, input: if present(k) then 100 * k else 0}
  y: {type: Integrator, input: if present(k) then 100 * k else 2}
record: [x, y]
simulate: {stop: 3}
";
    let trace = simulate(text).trace;
    assert_eq!(at(&trace, "x", tag(3.0, 0)), Some(0.0));
    let y = at(&trace, "y", tag(3.0, 0)).unwrap();
    assert!((y - 6.0).abs() < 1e-12, "{y}");
}

/// The states of an array of machines have their names in a result, too.
#[test]
fn arrays_of_machines_have_the_names_of_their_states() {
    let text = "diagrams:
  Switch:
    parameters: {delay:}
    outputs: {state: m.state}
    blocks:
      m:
        type: Modal
        initial: off
        states:
          off: {transitions: [{to: on, after: delay}]}
          on: {}
blocks:
  row: {type: Switch, for: {i: 3}, delay: i + 1}
  grid: {type: Switch, for: {i: 2, j: 2}, delay: i + j + 1}
record: {row: row.state, grid: grid.state, one: 'row.state[1]'}
simulate: {stop: 2.5}
";
    let trace = simulate(text).trace;
    for name in ["row", "grid", "one"] {
        let column = trace.column(name).unwrap();
        assert_eq!(trace.schema().labels(column), ["off", "on"], "{name}");
    }
    let column = trace.column("row").unwrap();
    let last: Vec<_> = trace.get(trace.len() - 1, column).unwrap().to_vec();
    let names: Vec<_> = last.iter().map(|x| trace.label_of(column, *x).unwrap()).collect();
    assert_eq!(names, ["on", "on", "off"]);
    let mut csv = Vec::new();
    superdense::write_csv(&trace, &mut csv).unwrap();
    let csv = String::from_utf8(csv).unwrap();
    assert!(csv.contains("on,on,off"), "{csv}");
}
