//! Parameters as values of a run: setting one gives the bits of editing it in the file.

use std::path::{Path, PathBuf};

use superdense::{
    Library, MainParameter, Model, ParameterKind, Refused, Settings, Stage, System, Value, parse,
    parse_value, read,
};

use crate::common::{bits, codes, compile, try_parse};

/// The models of the gallery.
fn gallery() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let folders = std::fs::read_dir(folder).expect("the folder of models");
    let mut models: Vec<PathBuf> =
        folders.map(|folder| folder.expect("a folder").path().join("model.yaml")).collect();
    models.sort();
    models
}

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
