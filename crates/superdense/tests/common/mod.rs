//! What the truth tests share: a model text in, a run out, and values at tags.

#![allow(dead_code)]

pub mod draws;
pub mod same_picture;

use std::path::{Path, PathBuf};

use superdense::{
    Backend, Failure, Library, Model, Outcome, Refused, Settings, System, Tag, Time, Trace, parse,
    parse_value,
};

/// Compiles a model text with the standard library, or says why it is refused.
pub fn try_compile(text: &str) -> Result<System, Refused> {
    compile_with(text, &Library::standard(), &Settings::default())
}

/// Compiles a model text with a library and overrides.
pub fn compile_with(
    text: &str,
    library: &Library,
    overrides: &Settings,
) -> Result<System, Refused> {
    System::compile_with(&try_parse(text)?, library, overrides)
}

/// Reads a model text that imports nothing. The line with the version of the format may be missing.
pub fn try_parse(text: &str) -> Result<Model, Refused> {
    let mut no_imports = |path: &str| Err::<(String, String), _>(format!("no file {path}"));
    match text.lines().any(|line| line.starts_with("superdense:")) {
        true => parse("test.yaml", text, &mut no_imports),
        false => parse("test.yaml", &format!("superdense: 1\n{text}"), &mut no_imports),
    }
}

/// Compiles a good model.
pub fn compile(text: &str) -> System {
    try_compile(text).unwrap_or_else(|refused| panic!("{refused}"))
}

/// Compiles a good model with other values of its parameters.
pub fn compile_over(text: &str, parameters: &[(&str, &str)]) -> System {
    let value = |(name, value): &(&str, &str)| {
        ((*name).to_owned(), parse_value(value).unwrap_or_else(|refused| panic!("{refused}")))
    };
    let parameters = parameters.iter().map(value).collect();
    let overrides = Settings { parameters, ..Settings::default() };
    compile_with(text, &Library::standard(), &overrides)
        .unwrap_or_else(|refused| panic!("{refused}"))
}

/// Runs a good model to its end; its rows must be in the order of their tags.
pub fn simulate(text: &str) -> Outcome {
    let outcome = compile(text).simulate().unwrap_or_else(|failure| panic!("{failure}"));
    for pair in outcome.trace.tags().windows(2) {
        assert!(pair[0] < pair[1], "a row at {} after one at {}", pair[1], pair[0]);
    }
    outcome
}

/// Runs a model that compiles and must fail.
pub fn failure(text: &str) -> Failure {
    match compile(text).simulate() {
        Err(failure) => failure,
        Ok(outcome) => panic!("the run went through with {:?}", outcome.stop),
    }
}

/// The messages of a model that must be refused.
pub fn refusal(text: &str) -> Refused {
    match try_compile(text) {
        Err(refused) => refused,
        Ok(_) => panic!("the model was not refused"),
    }
}

/// The codes of the messages of a model that must be refused.
pub fn codes(refused: &Refused) -> Vec<&'static str> {
    refused.diagnostics.0.iter().map(|diagnostic| diagnostic.code).collect()
}

/// A tag of a time that a float gives exactly enough: rounded to the attosecond.
pub fn tag(seconds: f64, microstep: u32) -> Tag {
    Tag::new(Time::from_f64(seconds).expect("a time"), microstep)
}

/// A tag of a decimal time, exact.
pub fn exact(decimal: &str, microstep: u32) -> Tag {
    let (whole, rest) = decimal.split_once('.').unwrap_or((decimal, ""));
    let digits = format!("{whole}{rest:0<18}");
    Tag::new(Time::from_attoseconds(digits.parse().expect("a decimal number")), microstep)
}

/// The value of a scalar signal at a tag; nothing where it is absent there.
pub fn at(trace: &Trace, name: &str, tag: Tag) -> Option<f64> {
    let column = trace.column(name).unwrap_or_else(|| panic!("no column `{name}`"));
    let rows: Vec<usize> = (0..trace.len()).filter(|row| trace.tags()[*row] == tag).collect();
    assert_eq!(rows.len(), 1, "rows at {tag}");
    trace.get(rows[0], column).map(|value| value[0])
}

/// Checks a scalar signal at some tags, each given by a decimal time and a microstep.
pub fn assert_at(trace: &Trace, name: &str, expected: &[(&str, u32, f64)]) {
    for (time, microstep, value) in expected {
        assert_eq!(at(trace, name, exact(time, *microstep)), Some(*value), "{name} at {time}");
    }
}

/// Whether the trace has a row at a tag.
pub fn has_row(trace: &Trace, tag: Tag) -> bool {
    trace.tags().contains(&tag)
}

/// The tags at which a signal is present.
pub fn tags(trace: &Trace, name: &str) -> Vec<Tag> {
    trace.series(name).into_iter().map(|(tag, _)| tag).collect()
}

/// The times at which a signal is present \[s\].
pub fn times(trace: &Trace, name: &str) -> Vec<f64> {
    tags(trace, name).into_iter().map(|tag| tag.time.seconds()).collect()
}

/// A vector or matrix in the last row.
pub fn last_elements(trace: &Trace, name: &str) -> Vec<f64> {
    let column = trace.column(name).unwrap_or_else(|| panic!("no column `{name}`"));
    trace.get(trace.len() - 1, column).expect("present at the end").to_vec()
}

/// A row bit by bit: its tag and the numbers of every signal that is present.
pub type Bits = (Tag, Vec<Option<Vec<u64>>>);

/// Every row from one on as bits, with the impulses, so that two runs can be compared exactly.
pub fn bits(trace: &Trace, from: usize) -> Vec<Bits> {
    let columns = 0..trace.columns().len();
    (from..trace.len())
        .map(|row| {
            let value = |column| {
                trace.get(row, column).map(|value| value.iter().map(|x| x.to_bits()).collect())
            };
            (trace.tags()[row], columns.clone().map(value).collect())
        })
        .collect()
}

/// A run by one backend: its rows bit by bit, how it ended, and its work.
pub fn by(system: &System, backend: Backend) -> (Vec<Bits>, String) {
    let mut run = system.begin();
    run.set_backend(backend).expect("this machine has native code");
    match run.finish() {
        Ok(outcome) => {
            (bits(&outcome.trace, 0), format!("{:?} {:?}", outcome.stop, outcome.counters))
        }
        Err(failure) => {
            (bits(&failure.trace, 0), format!("{} {:?}", failure.error, failure.counters))
        }
    }
}

/// Checks that two numbers are as near as `tolerance` [absolute].
#[track_caller]
pub fn assert_near(actual: f64, expected: f64, tolerance: f64) {
    assert!(
        (actual - expected).abs() <= tolerance,
        "{actual} is not {expected}: off by {:e}, more than {tolerance:e}",
        actual - expected
    );
}

/// Whether a path is that of a block or of an expression at one of its inputs.
pub fn belongs(path: &str, block: &str) -> bool {
    path.strip_prefix(block).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The models of the gallery.
pub fn gallery() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let folders = std::fs::read_dir(folder).expect("the folder of models");
    let mut models: Vec<PathBuf> =
        folders.map(|folder| folder.expect("a folder").path().join("model.yaml")).collect();
    models.sort();
    models
}
