//! Parameters as values of a run: setting one gives the bits of editing it in the file.

use superdense::{
    Library, MainParameter, Model, ParameterKind, Refused, Settings, Stage, System, Value, parse,
    parse_value, read,
};

use crate::common::draws::Draws;
use crate::common::{bits, codes, compile, gallery, try_parse};

/// The settings that set one parameter.
fn set(name: &str, value: &str) -> Settings {
    let value = parse_value(value).expect("a value");
    Settings { parameters: vec![(name.to_owned(), value)], ..Settings::default() }
}

/// The text of a model with another expression for a parameter.
fn edited(model: &Model, name: &str, value: &str) -> String {
    let main = model.diagram(model.root);
    let own = main.parameters.iter().find(|own| own.name.value == name).expect("a parameter");
    let span = own.value.as_ref().expect("a parameter with a value").span;
    let (_, text) = model.sources.files().nth(span.file.index()).expect("the main file");
    format!("{}{value}{}", &text[..span.start as usize], &text[span.end as usize..])
}

/// What a run of a system gives, bit by bit.
fn result(system: &System) -> (Vec<crate::common::Bits>, String) {
    match system.simulate() {
        Ok(outcome) => {
            (bits(&outcome.trace, 0), format!("{:?} {:?}", outcome.stop, outcome.counters))
        }
        Err(failure) => (bits(&failure.trace, 0), failure.to_string()),
    }
}

/// Sets a parameter of a compiled model and compares it with the model whose text is edited. Gives
/// whether the program was shared.
fn check(path: &str, model: &Model, system: &System, own: &MainParameter, value: &str) -> bool {
    let name = &own.name;
    let mut no_imports = |path: &str| Err::<(String, String), _>(format!("no file {path}"));
    let text = edited(model, name, value);
    let edited = parse(path, &text, &mut no_imports)
        .and_then(|model| System::compile(&model, &Library::standard()));
    match (system.with(&set(name, value)), edited) {
        (Ok(ours), Ok(edited)) => {
            assert_eq!(result(&ours), result(&edited), "{path}: {name} = {value}");
            ours.is_same_program(system)
        }
        (Err(ours), Err(edited)) => {
            assert_eq!(codes(&ours), codes(&edited), "{path}: {name} = {value}");
            false
        }
        (ours, edited) => panic!(
            "{path}: {name} = {value}: {:?} and {:?}",
            ours.map(drop).map_err(|refused| refused.to_string()),
            edited.map(drop).map_err(|refused| refused.to_string())
        ),
    }
}

#[test]
fn setting_a_parameter_gives_the_bits_of_editing_it() {
    let (mut shared, mut compiled) = (0, 0);
    for path in gallery() {
        let Ok(model) = read(&path) else { continue };
        if model.sources.files().count() > 1 {
            continue;
        }
        let shown = path.display().to_string();
        let system = System::compile(&model, &Library::standard()).unwrap();
        for own in system.parameters() {
            let Some(value) = own.value.as_f64().filter(|_| own.value.as_bool().is_none()) else {
                continue;
            };
            let other = if value == 0.0 { 0.01 } else { value * 1.01 };
            let other = match own.kind {
                ParameterKind::Structural(_) => continue,
                _ => format!("{other:?}"),
            };
            match check(&shown, &model, &system, &own, &other) {
                true => shared += 1,
                false => compiled += 1,
            }
        }
    }
    assert!(shared > 50, "{shared} shared");
    assert_eq!(compiled, 0, "programs that were compiled for a value of a fixed parameter");
}

#[test]
fn a_program_does_not_depend_on_the_numbers_of_fixed_parameters() {
    for path in gallery() {
        let Ok(model) = read(&path) else { continue };
        let system = System::compile(&model, &Library::standard()).unwrap();
        let fixed = |own: &&MainParameter| own.kind == ParameterKind::Fixed;
        let all = system.parameters();
        let others = all.iter().filter(fixed).map(|own| {
            let data = own.value.data().iter().map(|x| x * 1.25).collect();
            (own.name.clone(), Value::new(own.value.ty(), data))
        });
        let over = |values| Settings { parameters: values, ..Settings::default() };
        let same = all.iter().filter(fixed).map(|own| (own.name.clone(), own.value.clone()));
        let compile = |over: Settings| System::compile_with(&model, &Library::standard(), &over);
        let (one, other) = (compile(over(same.collect())), compile(over(others.collect())));
        let (Ok(one), Ok(other)) = (one, other) else { continue };
        assert_eq!(one.print(Stage::Program), other.print(Stage::Program), "{}", path.display());
    }
}

fn kinds(text: &str) -> Vec<(String, bool)> {
    let structural = |own: &MainParameter| matches!(own.kind, ParameterKind::Structural(_));
    compile(text).parameters().iter().map(|own| (own.name.clone(), structural(own))).collect()
}

#[test]
fn what_decides_structure_is_structural() {
    let found = kinds(
        "name: kinds
parameters:
  n: 3
  order: 2
  which: 1
  exponent: 2
  table: [1, 2, 3]
  gain: 2
  start: 0.5
  T: 0.25
  slow: T * 4
blocks:
  x: {type: Integrator, for: {i: n}, input: \"-gain * x[i]\", initial: start}
  hit: {type: ImpulseSource, times: [0.5], order: order}
  h: {type: Integrator, input: hit}
  e: {type: Expression, expression: \"h ^ exponent + table[which]\"}
  b: {type: Expression, expression: if which > 0 then 1 else h}
  c: {type: Clock, period: T, offset: slow}
  k: {type: Counter, increment: c}
record: [x, h, e, b, k]
simulate: {stop: 2}
",
    );
    let expected = [
        ("n", true),
        ("order", true),
        ("which", true),
        ("exponent", true),
        ("table", false),
        ("gain", false),
        ("start", false),
        ("T", false),
        ("slow", false),
    ];
    let expected: Vec<_> = expected.map(|(name, kind)| (name.to_owned(), kind)).into();
    assert_eq!(found, expected);
}

#[test]
fn values_that_need_another_program_get_one() {
    let text = "name: another
parameters: {d: 0.5, n: 2, v: [1, 2], w: 1}
blocks:
  c: {type: Clock, period: 1}
  e: {type: EventDelay, input: c, delay: d}
  x: {type: Integrator, for: {i: n}, input: w}
  y: {type: Integrator, input: v}
record: [e, x, y]
simulate: {stop: 3}
";
    let system = compile(text);
    let model = try_parse(text).unwrap();
    for (name, value, shares) in [
        ("d", "0.25", true),
        ("d", "0", false),
        ("n", "3", false),
        ("v", "[3, 4]", true),
        ("v", "[3, 4, 5]", false),
        ("w", "7", true),
        ("w", "2 / 3", true),
        ("w", "true", false),
        ("d", "-1", false),
    ] {
        let own = system.parameters();
        let own = own.iter().find(|own| own.name == name).unwrap();
        assert_eq!(check("test.yaml", &model, &system, own, value), shares, "{name} = {value}");
    }
}

#[test]
fn a_value_that_is_refused_leaves_the_system_as_it_was() {
    let system = compile(
        "name: kept
parameters: {T: 0.5}
blocks: {c: {type: Clock, period: T}, n: {type: Counter, increment: c}}
simulate: {stop: 2}
",
    );
    let before = result(&system);
    let message = |refused: Refused| refused.to_string();
    let error = system.with(&set("T", "-1")).map_err(message).unwrap_err();
    assert!(error.contains("must be positive"), "{error}");
    let error = system.with(&set("t", "1")).map_err(message).unwrap_err();
    assert!(error.contains("no parameter `t`") && error.contains('T'), "{error}");
    assert_eq!(result(&system), before);
}

/// Settings may be expressions of parameters, and exact times stay exact.
#[test]
fn settings_and_times_follow_the_parameters_of_a_run() {
    let system = compile(
        "name: follow
parameters: {T: 1, third: T / 3}
blocks:
  a: {type: Clock, period: T}
  b: {type: Clock, period: third}
  n: {type: Counter, increment: a}
  m: {type: Counter, increment: b}
record: [n, m]
simulate: {stop: 3 * T}
",
    );
    let longer = system.with(&set("T", "0.3")).unwrap();
    assert!(longer.is_same_program(&system));
    let trace = longer.simulate().unwrap().trace;
    assert_eq!((trace.last("n"), trace.last("m")), (Some(4.0), Some(10.0)));
    // Every third tick of b is one of a, at exactly the same time.
    let ticks: std::collections::BTreeSet<_> = trace.tags().iter().map(|tag| tag.time).collect();
    assert_eq!(ticks.len(), 10);
}

/// A random expression over signals and parameters.
fn expression(draws: &mut Draws, depth: u64) -> String {
    let leaf = depth == 0 || draws.chance(25);
    if leaf {
        let leaves = ["x", "y", "h", "p", "q", "r", "time", "0.5", "2", "p * q", "q / 3"];
        return (*draws.pick(&leaves)).to_owned();
    }
    let (a, b) = (expression(draws, depth - 1), expression(draws, depth - 1));
    match draws.below(9) {
        0 => format!("({a} + {b})"),
        1 => format!("({a} - {b})"),
        2 => format!("({a} * {b} / (1 + ({b})^2))"),
        3 => format!("sin({a})"),
        4 => format!("max({a}, {b})"),
        5 => format!("(if {a} > {b} then {a} else {b})"),
        6 => format!("abs({a})"),
        7 => format!("(p + {a}) / (2 + abs({b}))"),
        _ => format!("cos({a} * r)"),
    }
}

/// A random model with continuous states, clocks, delays, crossings, an instance and a machine, all
/// of which use parameters.
fn random_model(draws: &mut Draws) -> String {
    let mut number = |from: f64, to: f64| format!("{:.3}", draws.number(from, to));
    let (p, q, r) = (number(-2.0, 2.0), number(0.2, 2.0), number(0.5, 3.0));
    let (u, v, w) = (expression(draws, 3), expression(draws, 3), expression(draws, 2));
    format!(
        "superdense: 1
name: random
parameters: {{p: {p}, q: {q}, r: {r}, T: q / 4, s: r * p}}
diagrams:
  Lag:
    parameters: {{k: 1, start: 2 * k}}
    inputs: [u]
    outputs: {{y: z}}
    blocks: {{z: {{type: Integrator, input: k * (u - z), initial: start}}}}
blocks:
  x: {{type: Integrator, input: \"({u}) - x\", initial: p}}
  y: {{type: Integrator, input: \"({v}) / 4 - y\", initial: s / 3}}
  c: {{type: Clock, period: T, offset: q / 7}}
  e: {{type: Sample, input: \"{w}\", trigger: c}}
  h: {{type: ZeroOrderHold, input: e, initial: q}}
  d: {{type: TransportDelay, input: x, delay: q / 3, initial: p}}
  f: {{type: EventDelay, input: e, delay: r / 5}}
  n: {{type: Counter, increment: f, initial: p}}
  l: {{type: LevelCrossing, input: x - q * y, level: p / 2}}
  lag: {{type: Lag, u: d + h, k: r / 2}}
  m:
    type: Modal
    initial: a
    states:
      a: {{outputs: {{o: q * x}}, transitions: [{{to: b, after: T * 3}}, {{to: b, when: y > r}}]}}
      b: {{outputs: {{o: -p}}, transitions: [{{to: a, after: r / 3}}]}}
record: [x, y, h, d, n, l, lag.y, m.o, m.state]
simulate: {{stop: q + 2, tolerance: 1e-5}}
"
    )
}

/// The truth of the whole module on random models: a value that is set gives the bits of one that
/// is edited, and needs no compiling unless its parameter decides a structure.
#[test]
fn random_diagrams_have_the_bits_of_edited_ones() {
    let seed = std::env::var("PROPTEST_RNG_SEED").ok().and_then(|seed| seed.parse().ok());
    let mut draws = Draws::new(seed.unwrap_or(7));
    let (mut ran, mut shared) = (0, 0);
    while ran < 120 {
        let text = random_model(&mut draws);
        let Ok(model) = try_parse(&text) else { panic!("{text}") };
        let Ok(system) = System::compile(&model, &Library::standard()) else { continue };
        for name in ["p", "q", "r"] {
            let value = format!("{:.4}", draws.number(0.3, 1.9));
            let all = system.parameters();
            let own = all.iter().find(|own| own.name == name).unwrap();
            let same = check("random.yaml", &model, &system, own, &value);
            let structural = matches!(own.kind, ParameterKind::Structural(_));
            assert!(same || structural, "{name} = {value} compiled again:\n{text}");
            ran += 1;
            shared += usize::from(same);
        }
    }
    assert!(shared > ran / 2, "{shared} of {ran} shared the program");
}

/// A word is a constant in its diagram: it must not hide a signal, and has one index.
#[test]
fn words_share_the_namespace_of_their_diagram() {
    let model = |words: &str| {
        format!(
            "
diagrams:
  Lag:
    parameters:
      of: {{value: input, words: {words}}}
      other: {{value: none, words: [none, some]}}
    inputs: [u]
    outputs: [x]
    blocks:
      x: {{type: Integrator, input: u - x}}
blocks:
  lag: {{type: Lag, u: 1}}
"
        )
    };
    for (words, expected) in [
        ("[input, u]", "`u` is both an input and a word"),
        ("[input, x]", "`x` is both a block and a word"),
        ("[input, other]", "`other` is both a parameter and a word"),
        ("[input, none]", "`none` is a word twice"),
    ] {
        let refused = try_parse(&model(words)).unwrap_err();
        assert_eq!(codes(&refused), ["duplicate-name"], "{refused}");
        assert!(refused.to_string().contains(expected), "{refused}");
    }
    assert!(try_parse(&model("[input, some]")).is_ok());
}
