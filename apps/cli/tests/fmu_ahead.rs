//! FMUs for Co-Simulation that go ahead of the run by steps of variable length, through the binary: a
//! small library in C that refuses every call that the standard does not allow, as FMI 2.0 and 3.0.

use std::fs;
use std::path::{Path, PathBuf};

use superdense::{Library, System, Time, Trace};

use crate::common::{refused, scratch};
use crate::fmu_import::{compiled_with, fails, pack, place, rows, run};

const TWO: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="ball" guid="{token}">
  <CoSimulation modelIdentifier="ball" canHandleVariableCommunicationStepSize="true"
    canGetAndSetFMUstate="true" canSerializeFMUstate="true"/>
  <ModelVariables>
    <ScalarVariable name="u" valueReference="0" causality="input"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="gate" valueReference="1" causality="input" variability="discrete">
      <Boolean start="false"/></ScalarVariable>
    <ScalarVariable name="h" valueReference="2" causality="output"><Real/></ScalarVariable>
    <ScalarVariable name="x" valueReference="3" causality="output"><Real/></ScalarVariable>
    <ScalarVariable name="bounces" valueReference="4" causality="output" variability="discrete">
      <Integer/></ScalarVariable>
    <ScalarVariable name="gates" valueReference="5" causality="output" variability="discrete">
      <Integer/></ScalarVariable>
  </ModelVariables>
  <ModelStructure><Outputs><Unknown index="3"/><Unknown index="4"/><Unknown index="5"/>
    <Unknown index="6"/></Outputs></ModelStructure>
</fmiModelDescription>"#;

const THREE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="ball" instantiationToken="{token}">
  <CoSimulation modelIdentifier="ball" canHandleVariableCommunicationStepSize="true"
    canGetAndSetFMUState="true" canSerializeFMUState="true" hasEventMode="true"
    mightReturnEarlyFromDoStep="true"/>
  <ModelVariables>
    <Float64 name="u" valueReference="0" causality="input" start="0"/>
    <Boolean name="gate" valueReference="1" causality="input" start="false"/>
    <Float64 name="h" valueReference="2" causality="output"/>
    <Float64 name="x" valueReference="3" causality="output"/>
    <Int32 name="bounces" valueReference="4" causality="output"/>
    <Int32 name="gates" valueReference="5" causality="output"/>
  </ModelVariables>
  <ModelStructure><Output valueReference="2"/><Output valueReference="3"/>
    <Output valueReference="4"/><Output valueReference="5"/></ModelStructure>
</fmiModelDescription>"#;

/// A folder with `ball.fmu` of a version, of which something is wrong.
fn ball(test: &str, version: u32, fault: u32) -> PathBuf {
    let folder = scratch(&format!("{test}-{version}-{fault}"));
    let library = compiled_with(&folder, "ahead", &[("FAULT", fault), ("VERSION", version)]);
    let text = if version == 2 { TWO } else { THREE };
    let text = if fault == 4 { text.replace("hasEventMode=\"true\"", "") } else { text.to_owned() };
    let files = [("modelDescription.xml", text.as_bytes()), (&*place(version, "ball"), &library)];
    pack(&folder.join("ball.fmu"), &files);
    folder
}

/// Writes a model in which `p` is the FMU with some fields, beside other blocks.
fn model(folder: &Path, fields: &str, blocks: &str, stop: f64) {
    let text = format!(
        "superdense: 1\nblocks:\n  p: {{type: FMU, file: ball.fmu, period: 0.5, steps: adaptive{fields}}}\n\
         {blocks}record: [p.h, p.x, p.bounces, p.gates]\n\
         simulate: {{stop: {stop}, solver: rk45, tolerance: 1e-9}}\n"
    );
    fs::write(folder.join("model.yaml"), text).expect("a model can be written");
}

fn ran(folder: &Path) -> Vec<Vec<f64>> {
    let done = run(folder);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    rows(folder)
}

/// The height of a ball that is dropped from 1, and how many times it has bounced.
fn height(t: f64) -> (f64, f64) {
    let first = (2.0f64 / 10.0).sqrt();
    let (mut speed, mut begun) = (10.0 * first * 0.7, first);
    if t < first {
        return (1.0 - 5.0 * t * t, 0.0);
    }
    let mut bounces = 1.0;
    while t >= begun + speed / 5.0 {
        begun += speed / 5.0;
        speed *= 0.7;
        bounces += 1.0;
    }
    ((speed - 5.0 * (t - begun)) * (t - begun), bounces)
}

/// Steps end at the bounces: those that the FMU ends early, those that it discards, and those in which
/// it only counts. Between communication points, which are far apart, the height is as accurate as
/// was asked for. A process of its own gives the same bits.
#[test]
fn steps_end_where_the_ball_bounces() {
    for (version, fault, late) in
        [(2, 0, 1e-9), (3, 0, 1e-9), (2, 1, 1e-6), (3, 1, 1e-6), (3, 4, 1e-9)]
    {
        let folder = ball("fmu-ahead", version, fault);
        let mut known: Option<String> = None;
        for process in ["own", "here"] {
            let fields = format!(", tolerance: 1e-3, process: {process}");
            let sampled = "  s: {type: PeriodicSampler, input: p.h, period: 0.01}\n";
            model(&folder, &fields, sampled, 2.0);
            let rows = ran(&folder);
            assert!(rows.len() > 150, "{version} {fault}");
            for row in &rows {
                let (h, bounces) = height(row[0]);
                assert!((row[2] - h).abs() < 1.5e-3, "{version} {fault}: {row:?} {h}");
                let near = height(row[0] - 2.0 * late).1 != height(row[0] + 2.0 * late).1;
                assert!(near || row[4] == bounces, "{version} {fault}: {row:?} {bounces}");
            }
            let mut counted: Vec<(f64, f64)> = rows.iter().map(|row| (row[4], row[0])).collect();
            counted.dedup_by_key(|(count, _)| *count);
            for (count, time) in &counted[1..] {
                let before = height(time - late).1;
                assert!(before < *count && height(time + 1e-9).1 >= *count, "{count} {time}");
            }
            assert_eq!(counted.len(), 5, "{version} {fault}: {counted:?}");
            let text = format!("{rows:?}");
            assert!(known.get_or_insert(text.clone()) == &text, "{version} {fault} {process}");
        }
    }
}

/// An input that moves is followed as accurately as was asked for: x' = cos(t).
#[test]
fn inputs_that_move_are_followed() {
    for version in [2, 3] {
        let folder = ball("fmu-ahead-inputs", version, 0);
        let mut known = f64::INFINITY;
        for tolerance in [1e-2, 1e-3, 1e-4, 1e-5] {
            let fields = format!(", u: cos(3 * time), tolerance: {tolerance}, process: here");
            model(&folder, &fields, "", 1.4);
            let error = |row: &Vec<f64>| (row[3] - (3.0 * row[0]).sin() / 3.0).abs();
            let most = ran(&folder).iter().map(error).fold(0.0, f64::max);
            assert!(most < 3.0 * tolerance, "{version}: {most} for {tolerance}");
            assert!(most < known, "{version}: {most} after {known}");
            known = most;
        }
    }
}

/// A jump of an input ends the step there, and the FMU is taken back to that time; a change of a
/// discrete input is an event. Before and after, x is a straight line.
#[test]
fn a_jump_around_it_takes_it_back() {
    for version in [2, 3] {
        let folder = ball("fmu-ahead-jumps", version, 0);
        let blocks = "  a: {type: Step, time: 0.123456789}\n  b: {type: Step, time: 0.3}\n  \
                      s: {type: PeriodicSampler, input: p.x, period: 0.01}\n";
        model(&folder, ", u: 2 * a - 3 * b, gate: a > 0.5 and b < 0.5, process: here", blocks, 0.4);
        let rows = ran(&folder);
        for row in &rows {
            let (a, b) = ((row[0] - 0.123456789).max(0.0), (row[0] - 0.3).max(0.0));
            assert!((row[3] - 2.0 * a + 3.0 * b).abs() < 1e-12, "{version}: {row:?}");
            assert_eq!(row[5] != 0.0, row[0] >= 0.123456789, "{version}: {row:?}");
        }
    }
}

/// Two in a loop, x' = -y and y' = x, around a circle.
#[test]
fn two_in_a_loop() {
    for version in [2, 3] {
        let folder = ball("fmu-ahead-loop", version, 0);
        for tolerance in [1e-3, 1e-5] {
            let one = format!(
                "{{type: FMU, file: ball.fmu, period: 0.5, steps: adaptive, tolerance: {tolerance}, process: here, u:"
            );
            let text = format!(
                "superdense: 1\nblocks:\n  a: {one} 1 - b.x}}\n  b: {one} a.x}}\nrecord: [a.x, b.x]\n\
                 simulate: {{stop: 2}}\n"
            );
            fs::write(folder.join("model.yaml"), text).expect("a model");
            let last = ran(&folder).pop().expect("rows");
            let (x, y) = (2f64.sin(), 1.0 - 2f64.cos());
            let error = (last[2] - x).hypot(last[3] - y);
            assert!(error < 20.0 * tolerance, "{version}: {error} for {tolerance}");
        }
    }
}

/// What an FMU does that cannot go on, also because its events accumulate, and one that ends the run.
#[test]
fn steps_that_are_no_use() {
    let folder = ball("fmu-ahead-zeno", 2, 0);
    model(&folder, ", process: here", "", 3.0);
    fails(&folder, 0, &["`fmi2DoStep` returned Discard for steps of any length", "2.534"]);
    for version in [2, 3] {
        let folder = ball("fmu-ahead-discards", version, 2);
        model(&folder, "", "", 1.0);
        let name = format!("`fmi{version}DoStep` returned Discard for steps of any length");
        fails(&folder, 2, &[&name, "went ahead of the run", "in `p`"][..1]);
        let folder = ball("fmu-ahead-ends", version, 3);
        model(&folder, "", "", 1.0);
        assert_eq!(ran(&folder).pop().expect("rows")[0], 0.25);
    }
    let folder = ball("fmu-ahead-refused", 3, 0);
    let library = compiled_with(&folder, "ahead", &[("FAULT", 0), ("VERSION", 3)]);
    model(&folder, "", "", 1.0);
    for (ability, words) in [
        ("canHandleVariableCommunicationStepSize", "must all have the same length"),
        ("canGetAndSetFMUState", "cannot be set back"),
    ] {
        let text = THREE.replace(&format!("{ability}=\"true\""), "");
        let files = [("modelDescription.xml", text.as_bytes()), (&*place(3, "ball"), &library)];
        pack(&folder.join("ball.fmu"), &files);
        refused(&folder, &["check", "model.yaml"], &["bad-fmu", words, "steps: adaptive"]);
    }
}

/// Saved at communication points, between them and after a jump, a run goes on with the same bits.
#[test]
fn saved_and_resumed() {
    for version in [2, 3] {
        let folder = ball("fmu-ahead-saved", version, 0);
        let blocks = "  a: {type: Step, time: 0.3}\n";
        model(&folder, ", u: cos(3 * time) + a, gate: a > 0.5, process: here", blocks, 1.0);
        let model = superdense::read(&folder.join("model.yaml")).expect("a model");
        let system = System::compile(&model, &Library::standard()).expect("a system");
        let whole = system.simulate().expect("a run").trace;
        let names = ["p.h", "p.x", "p.bounces", "p.gates"];
        let last = |trace: &Trace| names.map(|name| trace.last(name).expect("a value").to_bits());
        for time in [0.0, 0.1, 0.3, 0.31, 0.447, 0.8] {
            let mut run = system.begin();
            run.advance_to(Time::from_f64(time).expect("a time")).expect("an advance");
            assert_eq!(run.unsaved(), None, "{time}");
            let bytes = run.save();
            let other = run.fork();
            let resumed = system.resume(&bytes).expect("a saved run");
            for run in [run, other, resumed] {
                assert_eq!(last(&run.finish().expect("a run").trace), last(&whole), "{time}");
            }
        }
    }
}
