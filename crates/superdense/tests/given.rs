//! Parameters that a run is given by handle, before it starts: the bits of a run that was started
//! with them, and after a reset those of the system.

use superdense::{
    HoldError, Library, ParameterKind, Run, Settings, StopReason, System, Value, read,
};

use crate::common::{Bits, bits, compile, gallery};

fn with(system: &System, name: &str, value: Value) -> System {
    let parameters = vec![(name.to_owned(), value)];
    system.with(&Settings { parameters, ..Settings::default() }).unwrap()
}

/// Everything that a run to its end gives.
fn result(run: &mut Run) -> (Vec<Bits>, String) {
    let end: Result<StopReason, String> = run.advance_to_end().map_err(|error| error.to_string());
    (bits(run.trace(), 0), format!("{end:?} {:?}", run.counters()))
}

/// A number that is no multiple of the value, so that exact fractions differ too.
fn other(value: &Value) -> Value {
    let data = value.data().iter().map(|x| if *x == 0.0 { 0.01 } else { x * 1.01 }).collect();
    Value::new(value.ty(), data)
}

#[test]
fn a_parameter_that_a_run_is_given_has_the_bits_of_a_run_started_with_it() {
    let mut tried = 0;
    for path in gallery() {
        let Ok(model) = read(&path) else { continue };
        let system = System::compile(&model, &Library::standard()).unwrap();
        let mut run = system.begin();
        let plain = result(&mut run);
        for own in system.parameters() {
            let Ok(handle) = system.parameter(&own.name) else { continue };
            let value = other(&own.value);
            run.reset();
            if own.value.as_bool().is_some() || run.give(&handle, value.clone()).is_err() {
                continue;
            }
            let shown = format!("{}: {}", path.display(), own.name);
            let started = with(&system, &own.name, value);
            assert_eq!(result(&mut run), result(&mut started.begin()), "{shown}");
            assert_eq!(run.save(), run.fork().save(), "{shown}");
            assert!(started.resume(&run.save()).is_ok(), "{shown}: it is a run of that system");
            run.reset();
            assert_eq!(result(&mut run), plain, "{shown}: after a reset");
            tried += 1;
        }
    }
    assert!(tried > 50, "{tried} parameters");
}

const LAG: &str = "name: lag
parameters: {gain: 2, twice: 2 * gain, period: 0.1, last: 10 * period, flag: true, n: 2}
blocks:
  clock: {type: Clock, period: period}
  held: {type: Sample, input: 0.5 * x^n, trigger: clock}
  u: {type: ZeroOrderHold, input: held, initial: gain}
  x: {type: Integrator, input: \"if flag then twice - u else 0\", initial: gain}
record: [x, u]
simulate: {stop: last, tolerance: 1e-8}
";

/// What follows from a parameter follows it, unless it is given itself; the order does not matter.
#[test]
fn what_follows_from_a_parameter_follows_it() {
    let system = compile(LAG);
    let handle = |name: &str| system.parameter(name).unwrap();
    let mut run = system.begin();
    let values = [("gain", 3.0), ("period", 0.125), ("twice", 5.0)];
    let parameters = values.map(|(name, value)| (name.to_owned(), Value::real(value))).to_vec();
    let started = system.with(&Settings { parameters, ..Settings::default() }).unwrap();
    let expected = result(&mut started.begin());
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
        run.reset();
        for (name, value) in order.map(|place| values[place]) {
            run.give(&handle(name), Value::real(value + 1.0)).unwrap();
            run.give(&handle(name), Value::real(value)).unwrap();
        }
        assert_eq!(result(&mut run), expected, "{order:?}");
    }
    assert_eq!(run.finish().unwrap().trace.header(), started.simulate().unwrap().trace.header());
}

#[test]
fn what_a_run_cannot_be_given_leaves_it_as_it_is() {
    let system = compile(LAG);
    let gain = system.parameter("gain").unwrap();
    let mut run = system.begin();
    let plain = result(&mut system.begin());
    let text = |result: Result<(), HoldError>| result.unwrap_err().to_string();
    assert_eq!(
        system.parameter("gian").map(drop).unwrap_err().to_string(),
        "the model has no parameter `gian`; did you mean `gain`?"
    );
    let structural = system.parameter("n").map(|handle| handle.name().to_owned()).unwrap_err();
    let HoldError::NotTunable { kind: ParameterKind::Structural(_), .. } = structural else {
        panic!("{structural}")
    };
    for other in [Value::vector(vec![1.0, 2.0]), Value::bool(true)] {
        let shown = text(run.give(&gain, other.clone()));
        let expected = format!("`gain` is a real, and {} was given", other.ty().with_article());
        assert_eq!(shown, expected);
    }
    let refused = "this run cannot be given this value of `gain`, which may need another program; \
                   start another run with it";
    assert_eq!(text(run.give(&gain, Value::real(f64::INFINITY))), refused);
    let period = system.parameter("period").unwrap();
    let refused = refused.replace("gain", "period");
    assert_eq!(text(run.give(&period, Value::real(-1.0))), refused);
    assert_eq!(
        text(run.give(&compile(LAG).parameter("gain").unwrap(), Value::real(1.0))),
        "the handle of `gain` belongs to another system: look it up in this one"
    );
    run.advance().unwrap();
    assert_eq!(
        text(run.give(&gain, Value::real(1.0))),
        "`gain` is fixed during a run; start another run with it, or declare it `tunable: true`"
    );
    assert_eq!(result(&mut run), plain);
}

/// A tunable parameter is given before the start and changes later.
#[test]
fn a_tunable_parameter_can_be_given_at_any_time() {
    let system = compile(
        "name: lag
parameters: {gain: {value: 2, tunable: true}}
blocks: {x: {type: Integrator, input: gain, initial: 0}}
record: [x]
simulate: {stop: 2}
",
    );
    let (gain, x) = (system.parameter("gain").unwrap(), system.signal("x").unwrap());
    let mut run = system.begin();
    for slope in [1.0, 4.0] {
        run.reset();
        run.give(&gain, Value::real(slope)).unwrap();
        run.advance_to(superdense::Time::from_f64(1.0).unwrap()).unwrap();
        run.give(&gain, Value::real(-1.0)).unwrap();
        run.advance_to_end().unwrap();
        let end = run.get(&x).unwrap().unwrap()[0];
        assert!((end - (slope - 1.0)).abs() < 1e-9, "{end}");
    }
}
