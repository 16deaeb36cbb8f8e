//! FMUs as blocks, through the binary: small libraries in C are compiled, packed and run, good ones
//! and bad ones. Whatever happens in a library, the run ends with a result or a message, and nothing
//! is left behind.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::common::{accepted, refused, repository, scratch, superdense};

const TWO: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="lag" guid="{token}">
  <CoSimulation modelIdentifier="lag" canHandleVariableCommunicationStepSize="true"/>
  <DefaultExperiment stepSize="0.125"/>
  <ModelVariables>
    <ScalarVariable name="u" valueReference="0" causality="input"><Real start="1"/></ScalarVariable>
    <ScalarVariable name="body.k" valueReference="1" causality="parameter" variability="fixed">
      <Real start="2"/></ScalarVariable>
    <ScalarVariable name="y" valueReference="2" causality="output" initial="exact">
      <Real start="0.5"/></ScalarVariable>
    <ScalarVariable name="n" valueReference="3" causality="output" variability="discrete">
      <Integer/></ScalarVariable>
    <ScalarVariable name="on" valueReference="4" causality="output" variability="discrete">
      <Boolean/></ScalarVariable>
  </ModelVariables>
  <ModelStructure><Outputs><Unknown index="3"/><Unknown index="4"/><Unknown index="5"/></Outputs>
  </ModelStructure>
</fmiModelDescription>"#;

const THREE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="sums" instantiationToken="{token}">
  <CoSimulation modelIdentifier="sums"/>
  <ModelVariables>
    <Float64 name="u" valueReference="1" causality="input" start="1 1 1">
      <Dimension start="3"/></Float64>
    <Float64 name="y" valueReference="2" causality="output"><Dimension start="3"/></Float64>
    <Int64 name="count" valueReference="3" causality="output" initial="exact" start="0"/>
    <Float32 name="half" valueReference="4" causality="output" variability="discrete"/>
    <Boolean name="on" valueReference="5" causality="input" start="false"/>
    <Boolean name="off" valueReference="6" causality="output"/>
  </ModelVariables>
  <ModelStructure><Output valueReference="2"/><Output valueReference="3"/>
    <Output valueReference="4"/><Output valueReference="6"/></ModelStructure>
</fmiModelDescription>"#;

/// The path of the library for this machine in an archive.
pub fn place(version: u32, name: &str) -> String {
    let (architecture, system) = (std::env::consts::ARCH, std::env::consts::OS);
    let folder = match (version, system) {
        (2, "macos") => "darwin64".to_owned(),
        (2, _) => format!("{system}64"),
        (_, "macos") => format!("{architecture}-darwin"),
        _ => format!("{architecture}-{system}"),
    };
    format!("binaries/{folder}/{name}{}", std::env::consts::DLL_SUFFIX)
}

/// The bytes of a library that is compiled from a file in C.
fn compiled(folder: &Path, source: &str, fault: u32) -> Vec<u8> {
    compiled_with(folder, source, &[("FAULT", fault)])
}

/// The same with definitions.
pub fn compiled_with(folder: &Path, source: &str, definitions: &[(&str, u32)]) -> Vec<u8> {
    let library = folder.join(format!("{source}.so"));
    let done = Command::new("cc")
        .args(["-shared", "-fPIC", "-w", "-O1"])
        .args(definitions.iter().map(|(name, value)| format!("-D{name}={value}")))
        .arg("-o")
        .arg(&library)
        .arg(repository().join("apps/cli/tests/fmu").join(format!("{source}.c")))
        .status();
    assert!(done.expect("cc is there, since Rust links with it").success());
    fs::read(library).expect("the library is there")
}

pub fn pack(path: &Path, files: &[(&str, &[u8])]) {
    let mut writer = ZipWriter::new(File::create(path).expect("a file can be made"));
    for (name, bytes) in files {
        writer.start_file(*name, SimpleFileOptions::default()).expect("an entry");
        writer.write_all(bytes).expect("bytes");
    }
    writer.finish().expect("an archive");
}

/// A folder with `lag.fmu`, of which something is wrong.
fn lag(test: &str, fault: u32) -> PathBuf {
    let folder = scratch(test);
    pack_lag(&folder, fault, TWO);
    folder
}

fn pack_lag(folder: &Path, fault: u32, description: &str) {
    let library = compiled(folder, "two", fault);
    let files = [("modelDescription.xml", description.as_bytes()), (&*place(2, "lag"), &library)];
    pack(&folder.join("lag.fmu"), &files);
}

/// Puts `lag.fmu` into a folder, whose input may move within a step.
pub fn pack_able_lag(folder: &Path) {
    let able = "<CoSimulation canInterpolateInputs=\"true\"";
    pack_lag(folder, 0, &TWO.replace("<CoSimulation", able));
}

/// A model of one FMU with some fields.
fn model(folder: &Path, fields: &str) {
    let text = format!(
        "superdense: 1\nblocks:\n  p: {{type: FMU, file: lag.fmu{fields}}}\n\
         record: [p.y, p.n, p.on]\nsimulate: {{stop: 1}}\n"
    );
    fs::write(folder.join("model.yaml"), text).expect("a model can be written");
}

/// Runs the model with a folder for temporary files of its own, which must be empty afterwards.
pub fn run(folder: &Path) -> std::process::Output {
    let own = folder.join("tmp");
    fs::create_dir_all(&own).expect("a folder can be made");
    let done = Command::new(env!("CARGO_BIN_EXE_superdense"))
        .current_dir(folder)
        .env("TMPDIR", &own)
        .args(["run", "model.yaml", "-q", "-o", "out.csv"])
        .output()
        .expect("the binary can be started");
    let left: Vec<_> = fs::read_dir(&own).expect("a folder").collect();
    assert!(left.is_empty(), "left behind: {left:?}");
    done
}

/// A run of the model in a folder fails soon, with a message that contains all of these.
pub fn fails(folder: &Path, fault: u32, expected: &[&str]) {
    let begun = Instant::now();
    let done = run(folder);
    let words = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(1), "{fault}: {words}");
    for part in expected {
        assert!(words.contains(part), "{fault}: {part} is not in\n{words}");
    }
    assert!(begun.elapsed() < Duration::from_secs(40), "{fault}");
}

/// The rows of the result, the last of each time, as numbers.
pub fn rows(folder: &Path) -> Vec<Vec<f64>> {
    let text = fs::read_to_string(folder.join("out.csv")).expect("a result");
    let number = |word: &str| match word {
        "true" => 1.0,
        "false" => 0.0,
        word => word.parse().unwrap_or(f64::NAN),
    };
    let all = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    let mut found: Vec<Vec<f64>> = Vec::new();
    for line in all {
        let row: Vec<f64> = line.split(',').map(number).collect();
        if found.last().is_some_and(|last| last[0] == row[0]) {
            found.pop();
        }
        found.push(row);
    }
    found
}

/// The outputs at communication points are those of the recurrence in the library, bit for bit, in a
/// process of its own and in this one; inputs are those at the point before.
#[test]
fn a_step_has_the_inputs_of_the_point_before() {
    let folder = lag("fmu-lag", 0);
    for process in ["own", "here"] {
        model(
            &folder,
            &format!(", period: 0.1, u: 1 + time, body_k: 3, y: 0.25, process: {process}"),
        );
        let done = run(&folder);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let rows = rows(&folder);
        let mut x = 0.25f64;
        for k in 0..10 {
            let (now, next) = (f64::from(k) / 10.0, f64::from(k + 1) / 10.0);
            let at = |time: f64| rows.iter().find(|row| row[0] == time).expect("a row");
            assert_eq!(at(now)[2].to_bits(), x.to_bits(), "{process} at {now}");
            assert_eq!(at(now)[3], f64::from(k));
            assert_eq!(at(now)[4] != 0.0, x > 1.5);
            x += (next - now) * (3.0 * (1.0 + now) - x);
        }
    }
}

/// With `inputs: linear` an input moves within a step, from its value at the point before to its left
/// limit at this one.
#[test]
fn inputs_that_move_within_a_step() {
    let folder = scratch("fmu-linear");
    pack_able_lag(&folder);
    model(&folder, ", u: time + (if time >= 0.5 then 1 else 0), inputs: linear");
    let done = run(&folder);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let x = (0..8).fold(0.5, |x, k| {
        let begin = 0.125 * f64::from(k) + f64::from(u8::from(k >= 4));
        x + 0.125 * (2.0 * (begin + 0.0625) - x)
    });
    let last = rows(&folder).pop().expect("rows");
    assert!((last[2] - x).abs() < 1e-14, "{last:?} {x}");
    model(&folder, ", period: 0.1, inputs: cubic");
    refused(&folder, &["check", "model.yaml"], &["`inputs` must be one of constant, linear"]);
}

/// The default period is that of the description, and inputs that are not connected have their start
/// values.
#[test]
fn defaults_are_those_of_the_description() {
    let folder = lag("fmu-defaults", 0);
    model(&folder, "");
    assert!(run(&folder).status.success());
    let last = rows(&folder).pop().expect("rows");
    let x = (0..8).fold(0.5, |x, _| x + 0.125 * (2.0 - x));
    assert_eq!(last[2].to_bits(), f64::to_bits(x));
}

/// An FMU without outputs shows its local variables. What a variable lacks is taken from its declared
/// type.
#[test]
fn local_variables_and_declared_types() {
    let folder = lag("fmu-local", 0);
    let library = compiled(&folder, "two", 0);
    let text = TWO
        .replace("causality=\"output\"", "causality=\"local\"")
        .replace("<Real start=\"0.5\"/>", "<Real declaredType=\"Length\" start=\"0.5\"/>")
        .replace(
            "<DefaultExperiment",
            "<TypeDefinitions><SimpleType name=\"Length\"><Real unit=\"m\" nominal=\"5\"/>\
             </SimpleType></TypeDefinitions><DefaultExperiment",
        );
    let from = text.find("<ModelStructure>").expect("a structure");
    let text = format!("{}<ModelStructure/></fmiModelDescription>", &text[..from]);
    let path = folder.join("lag.fmu");
    pack(&path, &[("modelDescription.xml", text.as_bytes()), (&*place(2, "lag"), &library)]);
    model(&folder, "");
    assert!(run(&folder).status.success());
    assert_eq!(rows(&folder).pop().expect("rows")[3], 8.0);
    let own = superdense::fmi::Contents::read(&path, &superdense::fmi::Limits::default());
    let own = own.expect("an archive").description;
    let y = own.variable("y").expect("a variable");
    assert_eq!((y.unit.as_deref(), y.nominal), (Some("m"), Some(5.0)));
}

/// Two FMUs in a loop: each takes the output that the other had at the point before.
#[test]
fn two_in_a_loop() {
    let folder = lag("fmu-loop", 0);
    let text = "superdense: 1\nblocks:\n  a: {type: FMU, file: lag.fmu, period: 0.125, u: b.y, y: 1}\n  \
                b: {type: FMU, file: lag.fmu, period: 0.125, u: -a.y, y: 0}\n\
                record: [a.y, b.y]\nsimulate: {stop: 1}\n";
    fs::write(folder.join("model.yaml"), text).expect("a model");
    let done = run(&folder);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let last = rows(&folder).pop().expect("rows");
    let (a, b) = (0..8).fold((1.0f64, 0.0f64), |(a, b), _| {
        (a + 0.125 * (2.0 * b - a), b + 0.125 * (2.0 * -a - b))
    });
    assert_eq!((last[2], last[3]), (a, b));
}

/// Arrays, whole numbers, small floats and truth values of FMI 3.0; the FMU ends the run.
#[test]
fn types_of_fmi_three() {
    let folder = scratch("fmu-three");
    let library = compiled(&folder, "three", 0);
    let files = [("modelDescription.xml", THREE.as_bytes()), (&*place(3, "sums"), &library)];
    pack(&folder.join("sums.fmu"), &files);
    let text = "superdense: 1\nblocks:\n  p:\n    type: FMU\n    file: sums.fmu\n    period: 1\n    \
                u: [1, time, 2]\n    count: 100\n    on: time > 1.5\n\
                record: [p.y, p.count, p.half, p.off]\nsimulate: {stop: 9}\n";
    fs::write(folder.join("model.yaml"), text).expect("a model");
    let done = run(&folder);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let rows = rows(&folder);
    let last = rows.last().expect("rows");
    // Steps from 0, 1, 2 and 3: time is summed there.
    assert_eq!(last[0], 4.0);
    assert_eq!(last[2..], [4.0, 12.0, 24.0, 104.0, 52.0, 0.0]);
    let early = rows.iter().find(|row| row[0] == 1.0).expect("a row");
    assert_eq!(early[2..], [1.0, 0.0, 6.0, 101.0, 50.5, 1.0]);
    fs::write(folder.join("model.yaml"), text.replace("count: 100", "count: 0.5"))
        .expect("a model");
    let done = run(&folder);
    let words = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(words.contains("`count` cannot have the value 0.5"), "{words}");
}

/// What a library does wrong is said with the time and the block, and the run ends.
#[test]
fn libraries_that_fail() {
    let faults: [(u32, &str, &[&str]); 9] = [
        (1, "", &["signal: 11", "while it took the step from 0.3", "in `p`", "0.4"]),
        (2, ", time_limit: 0.5", &["did not answer within 0.5 s", "from 0.3"]),
        (3, "", &["not finite", "`p"]),
        (4, "", &["`fmi2DoStep` returned Error: too hot", "in `p`"]),
        (5, "", &["`fmi2DoStep` discarded the step", "shorter `period`"]),
        (7, "", &["could not be instantiated: no licence"]),
        (8, "", &["no function `fmi2DoStep`"]),
        (9, "", &["ended (exit status: 3)"]),
        (10, "", &["its process"]),
    ];
    for (fault, fields, expected) in faults {
        let folder = lag(&format!("fmu-fault-{fault}"), fault);
        model(&folder, &format!(", period: 0.1{fields}"));
        fails(&folder, fault, expected);
    }
}

/// A discarded step of an FMU that says it has terminated ends the run well.
#[test]
fn an_fmu_that_ends_the_run() {
    let folder = lag("fmu-ends", 6);
    model(&folder, ", period: 0.125");
    let done = run(&folder);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(rows(&folder).pop().expect("rows")[0], 0.5);
}

/// Archives and descriptions that cannot be used are refused when the model is read.
#[test]
fn archives_that_cannot_be_used() {
    let folder = scratch("fmu-bad");
    let path = folder.join("lag.fmu");
    model(&folder, ", period: 0.1");
    let check = |expected: &[&str]| refused(&folder, &["check", "model.yaml"], expected);
    check(&["bad-fmu", "lag.fmu`: No such file", "relative to that of the model"]);
    fs::write(&path, b"PK\x03\x04 cut").expect("a file");
    check(&["bad-fmu", "not a zip archive"]);
    pack(&path, &[("modelDescription.xml", TWO.as_bytes())]);
    check(&["bad-fmu", "no library for this machine", "it has no libraries"]);
    pack(&path, &[("modelDescription.xml", TWO.as_bytes()), ("binaries/plan9/lag.so", b"")]);
    check(&["bad-fmu", "it has libraries for plan9"]);
    let old = TWO.replace("fmiVersion=\"2.0\"", "fmiVersion=\"1.0\"");
    pack(&path, &[("modelDescription.xml", old.as_bytes())]);
    check(&["bad-fmu", "FMI 1.0"]);
    let bomb = "<?xml version=\"1.0\"?><!DOCTYPE x [<!ENTITY a \"aaaa\">]><x>&a;</x>";
    pack(&path, &[("modelDescription.xml", bomb.as_bytes())]);
    check(&["bad-fmu", "modelDescription.xml is wrong"]);
    let library = compiled(&folder, "two", 0);
    let own = place(2, "lag");
    let files: [(&str, &[u8]); 3] =
        [("modelDescription.xml", TWO.as_bytes()), (&own, &library), ("../../out", b"x")];
    pack(&path, &files);
    let words = String::from_utf8_lossy(&run(&folder).stderr).into_owned();
    assert!(words.contains("leads out of the archive"), "{words}");
    pack(&path, &[("modelDescription.xml", TWO.as_bytes()), (&own, b"no library")]);
    let words = String::from_utf8_lossy(&run(&folder).stderr).into_owned();
    assert!(words.contains("its library cannot be loaded"), "{words}");
}

/// Fields that the FMU does not have, and signals of another size.
#[test]
fn fields_that_do_not_match() {
    let folder = lag("fmu-fields", 0);
    model(&folder, ", period: 0.1, v: 1");
    refused(&folder, &["check", "model.yaml"], &["unknown-field", "`v`"]);
    model(&folder, ", period: 0.1, u: [1, 2]");
    refused(&folder, &["check", "model.yaml"], &["type-mismatch", "`u`"]);
    let once =
        TWO.replace("<CoSimulation", "<CoSimulation canBeInstantiatedOnlyOncePerProcess=\"true\"");
    let library = compiled(&folder, "two", 0);
    let files = [("modelDescription.xml", once.as_bytes()), (&*place(2, "lag"), &library)];
    pack(&folder.join("lag.fmu"), &files);
    model(&folder, ", period: 0.1, process: here");
    refused(&folder, &["check", "model.yaml"], &["bad-fmu", "one instance in a process"]);
    model(&folder, ", period: 0");
    refused(&folder, &["check", "model.yaml"], &["`period` must be positive"]);
    fs::write(folder.join("model.yaml"), "superdense: 1\nblocks: {p: {type: FMU}}\n")
        .expect("a file");
    refused(&folder, &["check", "model.yaml"], &["missing-field", "file: plant.fmu"]);
}

/// `fmu check` runs an FMU and compares it with the reference in it.
#[test]
fn check_compares_with_the_reference() {
    let folder = lag("fmu-check", 0);
    let library = compiled(&folder, "two", 0);
    let own = place(2, "lag");
    let pack = |reference: &str| {
        let files: [(&str, &[u8]); 3] = [
            ("modelDescription.xml", TWO.as_bytes()),
            (&own, &library),
            ("documentation/lag_ref.csv", reference.as_bytes()),
        ];
        pack(&folder.join("lag.fmu"), &files);
    };
    let good: String = (0..=8)
        .scan(0.5f64, |x, k| {
            let row = format!("{},{}\n", f64::from(k) * 0.125, x);
            *x += 0.125 * (2.0 - *x);
            Some(row)
        })
        .collect();
    pack(&format!("\"time\",\"y\"\n{good}"));
    let said = accepted(&folder, &["fmu", "check", "lag.fmu", "--stop", "1"]);
    assert!(said.contains("agrees with documentation/lag_ref.csv"), "{said}");
    pack("time,y\n0,0.5\n1,7\n");
    refused(&folder, &["fmu", "check", "lag.fmu", "--stop", "1"], &["`y`", "7"]);
    let crash = lag("fmu-check-crash", 1);
    refused(&crash, &["fmu", "check", "lag.fmu"], &["signal: 11"]);
    assert!(superdense(&crash, &["fmu", "show", "lag.fmu"]).status.success());
}
