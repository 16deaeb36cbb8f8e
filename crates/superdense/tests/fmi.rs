//! Models as FMUs: instances in the hands of an importer.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use superdense::fmi::{Instance, Interface, Kind, Role, Version};
use superdense::{Library, Settings, System, Time, parse, read};

fn interface_of(text: &str) -> Arc<Interface> {
    let model = parse("m.yaml", text, &mut |path| Err(path.to_owned())).expect("a model");
    let system = System::compile(&model, &Library::standard()).expect("it compiles");
    Arc::new(Interface::new(&system).expect("it can be exported"))
}

fn reference(interface: &Interface, name: &str) -> u32 {
    let port = interface.ports().iter().find(|own| own.name == name);
    port.expect("a variable").first as u32
}

fn begun(interface: &Arc<Interface>, stop: f64) -> Instance {
    let mut instance = Instance::new(interface, Kind::CoSimulation).expect("an instance");
    instance.set_up(0.0, Some(stop), None).expect("set up");
    instance.enter_initialization().expect("entered");
    instance.exit_initialization().expect("initialised");
    instance
}

fn models() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let folders = std::fs::read_dir(folder).expect("models");
    let files = folders.map(|own| own.expect("a folder").path().join("model.yaml"));
    let mut files: Vec<PathBuf> = files.filter(|own| own.is_file()).collect();
    files.sort();
    files
}

/// In Co-Simulation an instance has the bits of our own run, advanced to the same times.
#[test]
fn every_model_is_bit_identical_to_its_run() {
    let mut exported = 0;
    for path in models() {
        let model = read(&path).expect("a model");
        let system = System::compile(&model, &Library::standard()).expect("it compiles");
        let Ok(interface) = Interface::new(&system) else { continue };
        exported += 1;
        let interface = Arc::new(interface);
        let end = system.settings().stop.seconds().min(4.0);
        let step = end / 16.0;
        let stop = superdense::Value::rational(Time::rational_of(end).expect("a time"));
        let mut run = system.start(&Settings::default().stop(stop)).expect("a run");
        let mut instance = begun(&interface, end);
        run.advance_to(run.time()).expect("it starts");
        for k in 0..16 {
            let from = k as f64 * step;
            let stepped = instance.step(from, step, false).expect("a step");
            let time = Time::from_f64(from + step)
                .expect("a time")
                .min(Time::from_f64(end).expect("a time"));
            let reason = run.advance_to(time).expect("it advances");
            for port in interface.ports() {
                let Role::Signal { signal, .. } = &port.role else { continue };
                let Some(own) = run.get(signal).expect("a value") else { continue };
                let given = instance.get(port.first as u32, port.ty.len()).expect("a value");
                let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                let (name, at) = (&port.name, path.display());
                assert_eq!(bits(given), bits(own), "{at}: {name} at {time}");
            }
            if stepped.terminated || reason.is_some() {
                break;
            }
        }
    }
    assert!(exported > 60, "{exported} models could be exported");
}

const OPEN: &str = "superdense: 1
parameters:
  k: {value: 2, tunable: true, unit: 1/s}
inputs:
  u: {initial: 1, unit: m}
  steps: {kind: held, initial: 0}
blocks:
  x: {type: Integrator, input: k * u - x + steps}
  hit: {type: LevelCrossing, input: x, level: 1}
  count: {type: Counter, increment: hit}
outputs:
  x: {value: x, unit: m, description: a state}
  count: count
simulate: {stop: 10, tolerance: 1e-9}
";

/// What an importer sets takes effect at the next step, as `Run::set` does.
#[test]
fn inputs_and_tunable_parameters_are_those_of_a_run() {
    let interface = interface_of(OPEN);
    let mut instance = begun(&interface, 10.0);
    let (u, k) = (reference(&interface, "u"), reference(&interface, "k"));
    let (steps, x) = (reference(&interface, "steps"), reference(&interface, "x"));
    let settings = Settings::default().stop(superdense::Value::real(10.0));
    let mut run = interface.system().start(&settings).expect("a run");
    let signal = interface.system().signal("x").expect("a signal");
    run.advance_to(Time::ZERO).expect("it starts");
    for step in 0..20 {
        let from = f64::from(step) * 0.25;
        if step == 4 {
            instance.set(u, &[3.0]).expect("set");
            run.set_input("u", &[3.0]).expect("set");
        }
        if step == 8 {
            instance.set(k, &[0.5]).expect("set");
            run.set_parameter("k", &[0.5]).expect("set");
        }
        if step == 12 {
            instance.set(steps, &[1.0]).expect("set");
            run.set_input("steps", &[1.0]).expect("set");
        }
        // A value that the variable has already is no event.
        instance.set(u, &[if step < 4 { 1.0 } else { 3.0 }]).expect("set");
        instance.step(from, 0.25, false).expect("a step");
        run.advance_to(Time::from_f64(from + 0.25).expect("a time")).expect("it advances");
        let own = run.get(&signal).expect("a value").expect("present")[0];
        assert_eq!(instance.get(x, 1).expect("a value")[0].to_bits(), own.to_bits());
    }
}

/// A state is gone back to over an event, in memory and as bytes, and what follows is the same.
#[test]
fn states_are_gone_back_to_over_an_event() {
    let interface = interface_of(OPEN);
    let (x, count) = (reference(&interface, "x"), reference(&interface, "count"));
    let mut instance = begun(&interface, 10.0);
    instance.step(0.0, 0.5, false).expect("a step");
    let before = [x, count].map(|own| instance.get(own, 1).expect("a value")[0].to_bits());
    assert_eq!(instance.get(count, 1).expect("a value")[0], 0.0);
    let saved = instance.save();
    let bytes = saved.bytes();
    let go_on = |instance: &mut Instance| {
        instance.step(0.5, 0.5, false).expect("a step");
        [x, count].map(|own| instance.get(own, 1).expect("a value")[0].to_bits())
    };
    let after = go_on(&mut instance);
    assert_eq!(f64::from_bits(after[1]), 1.0, "x = 2 - 2 exp(-t) passes 1 at ln 2");
    instance.restore(&saved);
    assert_eq!([x, count].map(|own| instance.get(own, 1).expect("a value")[0].to_bits()), before);
    assert_eq!(go_on(&mut instance), after);
    let mut other = Instance::new(&interface, Kind::CoSimulation).expect("an instance");
    let saved = other.saved_of(&bytes).expect("a state");
    other.restore(&saved);
    assert_eq!(go_on(&mut other), after);
    assert!(other.saved_of(&bytes[..bytes.len() / 2]).is_err(), "cut bytes are refused");
}

/// With early return a step ends at the first event, at the time of the closed form.
#[test]
fn a_step_ends_at_an_event() {
    let interface = interface_of(OPEN);
    let mut instance = begun(&interface, 10.0);
    let stepped = instance.step(0.0, 5.0, true).expect("a step");
    assert!(stepped.event);
    assert!((stepped.time - 2f64.ln()).abs() < 1e-8, "{}", stepped.time);
    let stepped = instance.step(stepped.time, 5.0 - stepped.time, true).expect("a step");
    assert!(!stepped.event);
    assert_eq!(stepped.time, 5.0);
}

/// What cannot be exported, set or stepped is refused with the reason.
#[test]
fn mistakes_are_named() {
    let text = "superdense: 1\nblocks:\n  d: {type: ImpulseSource, times: [1]}\noutputs: {d: d}\n";
    let model = parse("m.yaml", text, &mut |path| Err(path.to_owned())).expect("a model");
    let system = System::compile(&model, &Library::standard()).expect("it compiles");
    let refused = Interface::new(&system).expect_err("an impulse at an output");
    assert!(refused.render(false).contains("may carry an impulse"), "{}", refused.render(false));
    let interface = interface_of(OPEN);
    let mut instance = begun(&interface, 10.0);
    let x = reference(&interface, "x");
    let message = |error: superdense::fmi::InstanceError| error.to_string();
    assert!(message(instance.set(x, &[1.0]).expect_err("computed")).contains("computed"));
    assert!(message(instance.set(99, &[1.0]).expect_err("none")).contains("99"));
    let u = reference(&interface, "u");
    assert!(message(instance.set(u, &[f64::NAN]).expect_err("NaN")).contains("NaN"));
    instance.step(0.0, 1.0, false).expect("a step");
    assert!(message(instance.step(0.0, 0.5, false).expect_err("past")).contains("before"));
    assert!(message(instance.step(1.0, 50.0, false).expect_err("far")).contains("stop time"));
}

/// The variables have the causality, variability and units of the model.
#[test]
fn variables_are_those_of_the_model() {
    let interface = interface_of(OPEN);
    let listed: Vec<String> = interface
        .variables(Version::Three)
        .iter()
        .map(|own| format!("{} {:?} {:?} {:?}", own.name, own.causality, own.variability, own.unit))
        .collect();
    let expected = [
        "time Independent Continuous None",
        "k Parameter Tunable Some(\"1/s\")",
        "u Input Continuous Some(\"m\")",
        "steps Input Discrete None",
        "x Output Continuous Some(\"m\")",
        "count Output Discrete None",
        "hit Local Discrete None",
        "x.state Local Continuous None",
        "der(x.state) Local Continuous None",
        "indicator[0] Local Continuous None",
    ];
    assert_eq!(listed, expected);
}
