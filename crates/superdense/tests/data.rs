//! Inputs whose data the model names.

use std::fs;
use std::path::PathBuf;

use superdense::{Backend, Interpolation, Library, Samples, Settings, Streaming, System};

use crate::common::{bits, by, codes, compile, compile_with, refusal, try_compile};

/// A file with data; its name is that of the test.
fn file(name: &str, text: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("superdense-{}-{name}.csv", std::process::id()));
    fs::write(&path, text).expect("a folder for temporary files");
    path
}

fn model(path: &str, further: &str) -> String {
    format!(
        "inputs:
  u: {{file: \"{path}\", column: speed{further}}}
  e: {{kind: event, file: \"{path}\"}}
blocks: {{x: {{type: Integrator, input: u}}, n: {{type: Counter, increment: e}}}}
record: [u, x, e, n]
simulate: {{stop: 4}}
"
    )
}

const TABLE: &str = "time,speed,e\n0,1,5\n0.3,2,6\n1,-1,7\n3,4,8\n";

/// Every run has the data, in one piece, after a reset, and saved and resumed.
#[test]
fn a_run_takes_the_data_that_the_model_names() {
    let path = file("runs", TABLE);
    let text = model(path.to_str().unwrap(), "");
    let system = compile(&text);
    let plain = by(&system, Backend::Interpreter);
    assert_eq!(plain, by(&system, Backend::Native));
    // The integral of the polygon is exact.
    let mut run = system.begin();
    let x = system.signal("x").unwrap();
    run.advance_to(superdense::Time::from_f64(3.0).unwrap()).unwrap();
    let area = 0.3 * 1.5 + 0.7 * 0.5 + 2.0 * 1.5;
    assert!((run.get(&x).unwrap().unwrap()[0] - area).abs() < 1e-6);
    let rest = system.resume(&run.save()).unwrap().finish().unwrap().trace;
    let begun = run.trace().len();
    assert_eq!(bits(&rest, 0), plain.0[begun..]);
    run.reset();
    assert_eq!(bits(&run.finish().unwrap().trace, 0), plain.0);
}

/// What a run is given takes the place of the data: samples, and an expression.
#[test]
fn a_run_may_be_given_something_else() {
    let path = file("given", TABLE);
    let text = model(path.to_str().unwrap(), ", interpolation: hold");
    let other = file("other", "time,v\n0,3\n2,5\n");
    let system = compile(&text);
    let (mut run, input) = (system.begin(), system.input("u").unwrap());
    let samples = Samples::read(&other, &["v".to_owned()], false).unwrap();
    run.feed_samples(&input, &samples, Interpolation::Hold).unwrap();
    let end = |system: System| {
        let trace = system.simulate().unwrap().trace;
        crate::common::last_elements(&trace, "x")[0]
    };
    let fed = run.finish().unwrap().trace;
    assert!((crate::common::last_elements(&fed, "x")[0] - 16.0).abs() < 1e-9);
    assert!((end(system) - (0.3 + 0.7 * 2.0 - 2.0 + 4.0)).abs() < 1e-9);
    let inputs = vec![("u".to_owned(), "2 * time".to_owned())];
    let settings = Settings { inputs, ..Settings::default() };
    let system = compile_with(&text, &Library::standard(), &settings).unwrap();
    assert!((end(system) - 16.0).abs() < 1e-6);
}

#[test]
fn data_that_cannot_be_used_are_refused() {
    let path = file("bad", "time,speed,e\n0,1,5\n0,2,6\n");
    let path = path.to_str().unwrap();
    for text in [
        model("no-such-file.csv", ""),
        model("/dev/zero", ""),
        model(path, ""),
        format!(
            "inputs: {{u: {{file: \"{path}\", column: w}}}}\nblocks: {{x: {{type: Gain, input: u}}}}\n"
        ),
    ] {
        assert_eq!(codes(&refusal(&text)), ["bad-input"], "{text}");
    }
    let word = model(path, ", interpolation: spline");
    assert_eq!(codes(&refusal(&word)), ["unknown-word"]);
    let alone = "inputs: {u: {column: w}}\nblocks: {x: {type: Gain, input: u}}\n";
    assert_eq!(codes(&refusal(alone)), ["missing-field"]);
    let steps = file("steps", TABLE);
    let text = model(steps.to_str().unwrap(), "")
        .replace("stop: 4", "stop: 4, impulses: numeric, step: 0.1");
    assert!(try_compile(&text).is_err());
}

/// Nothing feeds streams: an input that is not an expression is an error there, never 0.
#[test]
fn streams_refuse_what_they_cannot_be_given() {
    let path = file("streams", TABLE);
    let named = format!(
        "inputs: {{u: {{file: \"{}\", column: speed}}}}
blocks: {{x: {{type: Integrator, input: u}}}}
simulate: {{stop: 1}}
",
        path.to_str().unwrap()
    );
    let missing = "inputs: [u]\nblocks: {x: {type: Integrator, input: u}}\nsimulate: {stop: 1}\n";
    for (text, code) in [(named.as_str(), "bad-input"), (missing, "input-not-given")] {
        let refused = compile(text).stream(&Streaming::default()).map(drop).expect_err(text);
        assert_eq!(codes(&refused), [code]);
    }
}
