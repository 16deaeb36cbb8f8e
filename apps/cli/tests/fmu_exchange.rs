//! FMUs for Model Exchange as blocks, through the binary: a small library in C that refuses every
//! call that the standard does not allow, as FMI 2.0 and 3.0, and what goes wrong in it.

use std::fs;
use std::path::{Path, PathBuf};

use superdense::{Library, System, Time, Trace};

use crate::common::{accepted, refused, scratch};
use crate::fmu_import::{compiled_with, fails, pack, place, rows, run};

const TWO: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="ball" guid="{token}" numberOfEventIndicators="1">
  <ModelExchange modelIdentifier="ball" canGetAndSetFMUstate="true" canSerializeFMUstate="true"/>
  <ModelVariables>
    <ScalarVariable name="h" valueReference="0" initial="exact"><Real start="1"/></ScalarVariable>
    <ScalarVariable name="v" valueReference="1"><Real/></ScalarVariable>
    <ScalarVariable name="der(h)" valueReference="2"><Real derivative="1"/></ScalarVariable>
    <ScalarVariable name="der(v)" valueReference="3"><Real derivative="2"/></ScalarVariable>
    <ScalarVariable name="e" valueReference="4" causality="parameter" variability="fixed">
      <Real start="0.7"/></ScalarVariable>
    <ScalarVariable name="u" valueReference="5" causality="input"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="gate" valueReference="6" causality="input" variability="discrete">
      <Boolean start="false"/></ScalarVariable>
    <ScalarVariable name="count" valueReference="7" causality="output" variability="discrete">
      <Integer/></ScalarVariable>
    <ScalarVariable name="w" valueReference="8" causality="output"><Real/></ScalarVariable>
    <ScalarVariable name="z" valueReference="9" causality="output"><Real/></ScalarVariable>
    <ScalarVariable name="low" valueReference="10" causality="output" variability="discrete">
      <Real/></ScalarVariable>
    <ScalarVariable name="level" valueReference="11" causality="input" variability="discrete">
      <Real start="0.25"/></ScalarVariable>
  </ModelVariables>
  <ModelStructure>
    <Outputs><Unknown index="8" dependencies=""/><Unknown index="9"/>
      <Unknown index="10" dependencies="1"/><Unknown index="11" dependencies=""/></Outputs>
    <Derivatives><Unknown index="3"/><Unknown index="4"/></Derivatives>
  </ModelStructure>
</fmiModelDescription>"#;

const THREE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="ball" instantiationToken="{token}">
  <ModelExchange modelIdentifier="ball" needsCompletedIntegratorStep="true"/>
  <ModelVariables>
    <Float64 name="h" valueReference="0" initial="exact" start="1"/>
    <Float64 name="v" valueReference="1"/>
    <Float64 name="der(h)" valueReference="2" derivative="0"/>
    <Float64 name="der(v)" valueReference="3" derivative="1"/>
    <Float64 name="e" valueReference="4" causality="parameter" variability="fixed" start="0.7"/>
    <Float64 name="u" valueReference="5" causality="input" start="0"/>
    <Boolean name="gate" valueReference="6" causality="input" start="false"/>
    <Int32 name="count" valueReference="7" causality="output"/>
    <Float64 name="w" valueReference="8" causality="output"/>
    <Float64 name="z" valueReference="9" causality="output"/>
    <Float64 name="low" valueReference="10" causality="output" variability="discrete"/>
    <Float64 name="level" valueReference="11" causality="input" variability="discrete" start="0.25"/>
    <Float64 name="gap" valueReference="12"/>
  </ModelVariables>
  <ModelStructure>
    <Output valueReference="7" dependencies=""/><Output valueReference="8"/>
    <Output valueReference="9" dependencies="0"/><Output valueReference="10" dependencies=""/>
    <ContinuousStateDerivative valueReference="2"/>
    <ContinuousStateDerivative valueReference="3"/>
    <EventIndicator valueReference="12"/>
  </ModelStructure>
</fmiModelDescription>"#;

/// A folder with `ball.fmu` of a version, of which something is wrong.
fn ball(test: &str, version: u32, fault: u32) -> PathBuf {
    let folder = scratch(&format!("{test}-{version}"));
    pack_ball(&folder, version, fault);
    folder
}

/// Puts `ball.fmu` into a folder.
pub fn pack_ball(folder: &Path, version: u32, fault: u32) {
    let library = compiled_with(folder, "exchange", &[("FAULT", fault), ("VERSION", version)]);
    let text = if version == 2 { TWO } else { THREE };
    let files = [("modelDescription.xml", text.as_bytes()), (&*place(version, "ball"), &library)];
    pack(&folder.join("ball.fmu"), &files);
}

fn model(folder: &Path, blocks: &str, record: &str, stop: f64) {
    let text = format!(
        "superdense: 1\nblocks:\n{blocks}record: {record}\n\
         simulate: {{stop: {stop}, solver: rk45, tolerance: 1e-10}}\n"
    );
    fs::write(folder.join("model.yaml"), text).expect("a model can be written");
}

fn ran(folder: &Path) -> Vec<Vec<f64>> {
    let done = run(folder);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    rows(folder)
}

/// The height of a ball that is dropped from 1, at a time before its third bounce.
fn height(t: f64) -> f64 {
    let first = (2.0f64 / 10.0).sqrt();
    let mut speed = 10.0 * first * 0.7;
    let (mut begun, mut length) = (first, 2.0 * speed / 10.0);
    if t < first {
        return 1.0 - 5.0 * t * t;
    }
    while t > begun + length {
        begun += length;
        speed *= 0.7;
        length *= 0.7;
    }
    speed * (t - begun) - 5.0 * (t - begun) * (t - begun)
}

/// A ball, a counter and inputs: heights of the closed form, bounces at its times, time events at
/// decimals, two iterations at each, an event at the end of a step, feedthrough of a continuous input.
/// Versions and processes give the same bits.
#[test]
fn a_ball_bounces_at_the_times_of_the_closed_form() {
    let mut known: Option<Vec<Vec<f64>>> = None;
    for (version, process) in [(2, "own"), (2, "here"), (3, "own"), (3, "here")] {
        let folder = ball(&format!("fmu-exchange-{process}"), version, 0);
        let blocks = format!(
            "  p: {{type: FMU, file: ball.fmu, process: {process}, u: 2 * time}}\n  \
             hit: {{type: LevelCrossing, input: p.z, direction: falling}}\n"
        );
        model(&folder, &blocks, "[p.z, p.w, p.count, p.low, hit]", 1.5);
        let rows = ran(&folder);
        for row in rows.iter().filter(|row| row[0] > 0.0) {
            assert!((row[2] - height(row[0])).abs() < 1e-9, "{row:?} {}", height(row[0]));
            assert!((row[3] - row[2] - 2.0 * row[0]).abs() < 1e-14, "{row:?}");
            let events = (row[0] * 10.0 + 1e-9).floor();
            assert_eq!(row[4], 11.0 * events, "{row:?}");
        }
        let third = rows.iter().find(|row| row[4] == 33.0).expect("a third time event");
        assert_eq!(third[0], 0.1 + 0.2);
        let low = rows.iter().find(|row| row[5] == 1.0).expect("an event after a step");
        assert!(low[2] < 0.25 && low[0] < 0.45, "{low:?}");
        match &known {
            None => known = Some(rows),
            Some(known) => assert_eq!(format!("{known:?}"), format!("{rows:?}")),
        }
    }
}

/// Discrete inputs are set in event mode, at a jump and from outputs of another FMU; without its
/// dependency on `u` the output `z` can be fed back.
#[test]
fn inputs_jump_and_loops_close() {
    for version in [2, 3] {
        let folder = ball("fmu-exchange-loop", version, 0);
        let blocks = "  on: {type: Step, time: 0.2}\n  p: {type: FMU, file: ball.fmu, gate: on > 0.5, u: q.w - p.z}\n  \
                      q: {type: FMU, file: ball.fmu, u: p.z, level: 0.1 + on}\n";
        model(&folder, blocks, "[p.z, p.w, q.w, q.low]", 0.3);
        let rows = ran(&folder);
        for row in rows.iter().filter(|row| row[0] > 0.0) {
            let t = row[0];
            let late = (t - 0.2).max(0.0);
            let z = 1.0 - 5.0 * t * t - 5.0 * late * late;
            let q = 1.0 - 5.0 * t * t;
            assert!((row[2] - z).abs() < 1e-9, "{row:?} {z}");
            assert!((row[4] - q - z).abs() < 1e-9, "{row:?}");
            assert!((row[3] - row[4]).abs() < 1e-14, "{row:?}");
            assert_eq!(row[5], f64::from(u8::from(t >= 0.2)), "{row:?}");
        }
    }
}

/// A point that the FMU discards makes the step shorter.
#[test]
fn a_discarded_point_makes_a_step_shorter() {
    let folder = ball("fmu-exchange-discard", 2, 5);
    model(&folder, "  p: {type: FMU, file: ball.fmu, level: -1}\n", "[p.z]", 1.9);
    let last = ran(&folder).pop().expect("rows");
    assert!((last[2] - 0.05f64.powi(2)).abs() < 1e-8, "{last:?}");
    model(&folder, "  p: {type: FMU, file: ball.fmu, level: -1}\n", "[p.z]", 2.5);
    assert_eq!(run(&folder).status.code(), Some(1));
}

/// What a library does wrong is said with the time and the block, and the run ends.
#[test]
fn libraries_that_fail_in_model_exchange() {
    let faults: [(u32, &str, &[&str]); 5] = [
        (1, "", &["signal: 11", "it was evaluated at 0.3", "in `p`"]),
        (2, ", time_limit: 0.5", &["did not answer within 0.5 s", "it was evaluated at 0.3"]),
        (3, "", &["step-too-small", "at t = 0.3", "`p`"]),
        (4, "", &["returned Error: too hot", "in `p`"]),
        (7, "", &["`fmi2NewDiscreteStates` returned Error: no update"]),
    ];
    for (fault, fields, expected) in faults {
        let folder = ball(&format!("fmu-exchange-fault-{fault}"), 2, fault);
        model(&folder, &format!("  p: {{type: FMU, file: ball.fmu{fields}}}\n"), "[p.z]", 1.0);
        fails(&folder, fault, expected);
    }
}

/// An FMU ends the run at an event.
#[test]
fn an_event_that_ends_the_run() {
    let folder = ball("fmu-exchange-ends", 3, 6);
    model(&folder, "  p: {type: FMU, file: ball.fmu}\n", "[p.z]", 1.0);
    assert_eq!(ran(&folder).pop().expect("rows")[0], 0.4);
}

/// Implicit steps take Jacobians by differences.
#[test]
fn an_implicit_solver_takes_differences() {
    let folder = ball("fmu-exchange-stiff", 3, 0);
    model(&folder, "  p: {type: FMU, file: ball.fmu}\n", "[p.z]", 1.2);
    let path = folder.join("model.yaml");
    let text = fs::read_to_string(&path).expect("a model");
    fs::write(&path, text.replace("rk45", "rodas5p")).expect("a model");
    let last = ran(&folder).pop().expect("rows");
    assert!((last[2] - height(1.2)).abs() < 1e-7, "{last:?}");
}

/// An event at the end of a step, which nothing but the step announces.
#[test]
fn an_event_at_the_end_of_a_step() {
    let folder = ball("fmu-exchange-steps", 2, 0);
    model(&folder, "  p: {type: FMU, file: ball.fmu}\n", "[p.z, p.low]", 0.4);
    let path = folder.join("model.yaml");
    let text = fs::read_to_string(&path).expect("a model");
    fs::write(&path, text.replace("solver: rk45", "solver: rk45, maximum_step: 0.001"))
        .expect("a model");
    let rows = ran(&folder);
    let low = rows.iter().find(|row| row[3] == 1.0).expect("an event");
    let crossing = 0.15f64.sqrt();
    assert!(crossing < low[0] && low[0] < crossing + 0.001, "{low:?}");
}

/// Saved between events and at them, forked and reset: the same bits as a run that was not
/// interrupted.
#[test]
fn saved_forked_and_reset_in_model_exchange() {
    let folder = ball("fmu-exchange-saved", 2, 0);
    let blocks = "  p: {type: FMU, file: ball.fmu, process: here, u: x, gate: p.count > 50}\n  \
                  x: {type: Integrator, input: p.w}\n";
    model(&folder, blocks, "[p.z, p.count, p.low, x]", 1.2);
    let model = superdense::read(&folder.join("model.yaml")).expect("a model");
    let system = System::compile(&model, &Library::standard()).expect("a system");
    let last = |trace: &Trace| {
        ["p.z", "p.count", "p.low", "x"].map(|name| trace.last(name).expect("a value").to_bits())
    };
    let whole = last(&system.simulate().expect("a run").trace);
    for time in [0.0, 0.05, 0.1, 0.41, 0.45, 0.5, 1.0] {
        let mut run = system.begin();
        run.advance_to(Time::from_f64(time).expect("a time")).expect("an advance");
        assert_eq!(run.unsaved(), None);
        let (bytes, other) = (run.save(), run.fork());
        assert_eq!(last(&run.finish().expect("a run").trace), whole, "{time}");
        let resumed = system.resume(&bytes).expect("a saved run");
        assert_eq!(last(&resumed.finish().expect("a run").trace), whole, "{time}");
        assert_eq!(last(&other.finish().expect("a run").trace), whole, "{time}");
    }
    let mut run = system.begin();
    run.advance_to_end().expect("a run");
    run.reset();
    assert_eq!(last(&run.finish().expect("a run").trace), whole);
}

/// `fmu check` runs an FMU that is for Model Exchange only.
#[test]
fn check_runs_model_exchange() {
    let folder = ball("fmu-exchange-check", 2, 0);
    accepted(&folder, &["fmu", "check", "ball.fmu", "--stop", "1"]);
    let bad = ball("fmu-exchange-check-bad", 2, 4);
    refused(&bad, &["fmu", "check", "ball.fmu", "--stop", "1"], &["too hot"]);
}

/// A folder that a killed run has left behind is removed by the next one.
#[test]
fn a_folder_that_was_left_behind() {
    let folder = ball("fmu-exchange-left", 3, 0);
    let left = folder.join("tmp/superdense-fmu-killed");
    fs::create_dir_all(left.join("binaries")).expect("a folder");
    fs::write(left.join(".owned"), "").expect("a file");
    model(&folder, "  p: {type: FMU, file: ball.fmu}\n", "[p.z]", 0.1);
    // That nothing is left is checked there.
    ran(&folder);
}

/// States are as accurate as their nominal values ask for: a small oscillation, whose absolute error
/// no tolerance of the run would limit.
#[test]
fn errors_are_relative_to_nominal_values() {
    let folder = ball("fmu-exchange-nominal", 2, 8);
    let library = compiled_with(&folder, "exchange", &[("FAULT", 8), ("VERSION", 2)]);
    let text = TWO
        .replace("<Real start=\"1\"/>", "<Real start=\"1\" nominal=\"1e-9\"/>")
        .replace("valueReference=\"1\"><Real/>", "valueReference=\"1\"><Real nominal=\"1e-8\"/>");
    let files = [("modelDescription.xml", text.as_bytes()), (&*place(2, "ball"), &library)];
    pack(&folder.join("ball.fmu"), &files);
    let blocks = "  p: {type: FMU, file: ball.fmu, h: 1e-9, level: -1, process: here}\n";
    let text = format!(
        "superdense: 1\nblocks:\n{blocks}record: [p.z]\nsimulate: {{stop: 2, solver: rk45, tolerance: 1e-6}}\n"
    );
    fs::write(folder.join("model.yaml"), text).expect("a model can be written");
    for row in ran(&folder) {
        assert!((row[2] - 1e-9 * (10.0 * row[0]).cos()).abs() < 1e-13, "{row:?}");
    }
}
