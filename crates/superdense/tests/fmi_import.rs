//! FMUs as blocks in the hands of a program: runs that are saved, resumed, forked and reset. The
//! libraries run in this process; those that fail are tested through the command line.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::Command;

use superdense::fmi::platform;
use superdense::{Library, Settings, System, Time, Trace, read};
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const DESCRIPTION: &str = r#"<fmiModelDescription fmiVersion="2.0" modelName="lag" guid="{token}">
  <CoSimulation modelIdentifier="lag" canHandleVariableCommunicationStepSize="true"/>
  <ModelVariables>
    <ScalarVariable name="u" valueReference="0" causality="input"><Real start="1"/></ScalarVariable>
    <ScalarVariable name="k" valueReference="1" causality="parameter" variability="fixed">
      <Real start="2"/></ScalarVariable>
    <ScalarVariable name="y" valueReference="2" causality="output" initial="exact">
      <Real start="0.5"/></ScalarVariable>
  </ModelVariables>
  <ModelStructure><Outputs><Unknown index="3"/></Outputs></ModelStructure>
</fmiModelDescription>"#;

const MODEL: &str = "superdense: 1
parameters: {gain: 2}
blocks:
  p: {type: FMU, file: lag.fmu, period: 0.1, u: sin(time) - 0.1 * x, k: gain, process: here}
  x: {type: Integrator, input: p.y}
record: [p.y, x]
simulate: {stop: 2}
";

/// A folder with the library of `apps/cli/tests/fmu/two.c` as an FMU, and a system with it.
fn system(fault: u32) -> (TempDir, System) {
    let folder = TempDir::new().expect("a folder");
    let library = folder.path().join("lag.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../apps/cli/tests/fmu/two.c");
    let done = Command::new("cc")
        .args(["-shared", "-fPIC", "-w", &format!("-DFAULT={fault}"), "-o"])
        .args([&library, &source])
        .status();
    assert!(done.expect("cc is there, since Rust links with it").success());
    let file = File::create(folder.path().join("lag.fmu")).expect("a file");
    let mut writer = ZipWriter::new(file);
    let own = format!(
        "binaries/{}/lag{}",
        platform(superdense::fmi::Version::Two),
        std::env::consts::DLL_SUFFIX
    );
    let bytes = fs::read(&library).expect("the library");
    for (name, bytes) in [("modelDescription.xml", DESCRIPTION.as_bytes()), (&*own, &bytes)] {
        writer.start_file(name, SimpleFileOptions::default()).expect("an entry");
        writer.write_all(bytes).expect("bytes");
    }
    writer.finish().expect("an archive");
    let path = folder.path().join("model.yaml");
    fs::write(&path, MODEL).expect("a model");
    let model = read(&path).expect("a model");
    let system = System::compile(&model, &Library::standard()).expect("a system");
    (folder, system)
}

fn bits(trace: &Trace) -> Vec<u64> {
    trace.values().iter().map(|x| x.to_bits()).collect()
}

fn last(trace: &Trace) -> [u64; 2] {
    ["p.y", "x"].map(|name| trace.last(name).expect("a value").to_bits())
}

/// The value at the end, computed here: Euler steps with the inputs of the point before.
///
/// Holds: closed form of FMU.
#[test]
fn a_run_has_the_values_of_the_library() {
    let (_folder, system) = system(0);
    let trace = system.simulate().expect("a run").trace;
    let x = trace.series("x");
    let at = |time: f64| {
        let own = x.iter().filter(|(tag, _)| tag.time.seconds() == time);
        own.map(|(_, value)| *value).next_back().expect("a row")
    };
    let mut y = 0.5f64;
    for k in 0..20 {
        let (now, next) = (f64::from(k) / 10.0, f64::from(k + 1) / 10.0);
        y += (next - now) * (2.0 * (now.sin() - 0.1 * at(now)) - y);
    }
    let found = trace.last("p.y").expect("a value");
    assert!((found - y).abs() < 1e-15, "{found} {y}");
}

/// Saved in the middle, also between a communication point and the next, forked, reset and with
/// another parameter: the same bits as a run that was not interrupted.
#[test]
fn saved_forked_and_reset() {
    let (_folder, system) = system(0);
    let whole = system.simulate().expect("a run").trace;
    for time in [0.0, 0.05, 0.1, 0.75, 1.0] {
        let mut run = system.begin();
        run.advance_to(Time::from_f64(time).expect("a time")).expect("an advance");
        assert_eq!(run.unsaved(), None);
        let bytes = run.save();
        let other = run.fork();
        let ended = last(&run.finish().expect("a run").trace);
        let resumed = system.resume(&bytes).expect("a saved run");
        assert_eq!(last(&resumed.finish().expect("a run").trace), ended, "{time}");
        assert_eq!(last(&other.finish().expect("a run").trace), ended, "{time}");
    }
    let mut run = system.begin();
    run.advance_to_end().expect("a run");
    assert_eq!(bits(run.trace()), bits(&whole));
    run.reset();
    run.advance_to_end().expect("a run");
    assert_eq!(bits(run.trace()), bits(&whole));
    let value = superdense::parse_value("3").expect("a value");
    let settings = Settings { parameters: vec![("gain".to_owned(), value)], ..Settings::default() };
    let other = system.with(&settings).expect("a system").simulate().expect("a run").trace;
    assert_ne!(last(&other), last(&whole));
}

/// An FMU that cannot save its state: the reason is said, and a run that goes on from there fails
/// with it.
///
/// Holds: bad input of FMU.
#[test]
fn what_cannot_be_saved() {
    let (_folder, system) = system(5);
    let mut run = system.begin();
    run.advance_to(Time::from_f64(0.15).expect("a time")).expect("an advance");
    let reason = run.unsaved().expect("a reason");
    assert!(reason.contains("cannot save its state"), "{reason}");
    for run in [run.fork(), system.resume(&run.save()).expect("bytes")] {
        let error = run.finish().expect_err("no run").to_string();
        assert!(error.contains("cannot save its state") && error.contains("`p`"), "{error}");
    }
}

/// A model with an FMU in it is not exported.
#[test]
fn an_fmu_in_an_fmu() {
    let (_folder, system) = system(0);
    let refused = superdense::fmi::Interface::new(&system).expect_err("a refusal");
    assert_eq!(refused.diagnostics.0[0].code, "not-exportable");
}
