//! Linear models against closed forms.

use crate::common::compile;
use superdense::{Complex, Linearize, Run, Settings};

use super::{close, linear, linear_at, names, number, reached, start};

const PENDULUM: &str = "
parameters: {g: 9.81, l: 2, d: 0.3, m: 1.5}
inputs: {torque: {unit: N m, initial: 0}}
outputs:
  angle: {value: phi, unit: rad}
  energy: 0.5 * m * l^2 * w^2 - m * g * l * cos(phi)
blocks:
  phi: {type: Integrator, input: w, initial: 0.7}
  w: {type: Integrator, input: -g / l * sin(phi) - d * w + torque / (m * l^2), initial: 0.2}
simulate: {stop: 5, tolerance: 1e-10}
";

#[test]
fn a_pendulum_has_its_textbook_model() {
    let system = compile(PENDULUM);
    let found = system.linearize(&start(&system), &Linearize::default()).unwrap();
    assert_eq!(names(&found.states), ["phi", "w"]);
    assert_eq!(
        (names(&found.inputs), names(&found.outputs)),
        (vec!["torque"], vec!["angle", "energy"])
    );
    assert_eq!(found.inputs[0].unit.as_deref(), Some("N m"));
    assert_eq!(found.outputs[0].unit.as_deref(), Some("rad"));
    let (phi, w, g, l, d, m) = (0.7f64, 0.2, 9.81, 2.0, 0.3, 1.5);
    close(found.system.a.data(), &[0.0, 1.0, -g / l * phi.cos(), -d]);
    close(found.system.b.data(), &[0.0, 1.0 / (m * l * l)]);
    close(found.system.c.data(), &[1.0, 0.0, m * g * l * phi.sin(), m * l * l * w]);
    close(found.system.d.data(), &[0.0, 0.0]);
    close(&[number(&found.rates, "phi"), number(&found.outputs, "angle")], &[w, phi]);
    assert!(found.held.is_empty() && found.switches.is_empty() && found.depend_on_time.is_empty());
}

#[test]
fn poles_are_those_of_the_closed_form() {
    let system = compile(&PENDULUM.replace("initial: 0.7", "initial: 0").replace("0.2}", "0}"));
    let found = linear(&system, &[], &["phi"]);
    let (re, im) = (-0.15, (9.81 / 2.0 - 0.15f64 * 0.15).sqrt());
    let poles = found.system.poles().unwrap();
    for (own, expected) in poles.iter().zip([Complex { re, im }, Complex { re, im: -im }]) {
        close(&[own.re, own.im], &[expected.re, expected.im]);
    }
}

#[test]
fn the_model_at_a_time_is_that_of_the_state_there() {
    let system = compile(PENDULUM);
    let point = reached(&system, 1.7);
    let found = linear_at(&system, &point, &["torque"], &["phi", "w"]);
    let (phi, w) = (number(&found.states, "phi"), number(&found.states, "w"));
    let times = Settings::default().stop(1.7);
    let end = system.with(&times).unwrap().simulate().unwrap().trace;
    assert!((phi - end.last("phi").unwrap()).abs() < 1e-8, "{phi}");
    assert!((w - end.last("w").unwrap()).abs() < 1e-8);
    close(found.system.a.data(), &[0.0, 1.0, -9.81 / 2.0 * phi.cos(), -0.3]);
    // A run that somebody holds has the same point, and goes on to the same bits.
    let mut run = system.begin();
    run.advance_to(point.time()).unwrap();
    let own = run.operating_point().unwrap();
    assert_eq!(linear_at(&system, &own, &["torque"], &["phi", "w"]).system, found.system);
    let bits = |run: Run| run.finish().unwrap().trace.last("phi").unwrap().to_bits();
    assert_eq!(bits(run), bits(system.begin()));
}

#[test]
fn vectors_and_matrices_have_named_elements() {
    let system = compile(
        "
inputs: {u: {type: 'real[2]', initial: [0, 0]}}
blocks:
  x: {type: Integrator, input: '[[0, 2], [-3, -1]] * x + u', initial: [1, 2]}
  z: {type: Integrator, input: '-z * [[1, 2], [0, 4]]', initial: [[1, 2], [3, 4]]}
  y: {type: Gain, input: x, gain: [[1, 1]]}
record: [y, z]
",
    );
    let found = linear(&system, &["u"], &["y"]);
    assert_eq!(names(&found.states), ["x[0]", "x[1]", "z[0,0]", "z[0,1]", "z[1,0]", "z[1,1]"]);
    assert_eq!((names(&found.inputs), names(&found.outputs)), (vec!["u[0]", "u[1]"], vec!["y[0]"]));
    let a = &found.system.a;
    close(&a.row(0)[..2], &[0.0, 2.0]);
    close(&a.row(1)[..2], &[-3.0, -1.0]);
    close(&a.row(2)[2..], &[-1.0, 0.0, 0.0, 0.0]);
    close(&a.row(3)[2..], &[-2.0, -4.0, 0.0, 0.0]);
    close(found.system.b.part(&[0, 1], &[0, 1]).data(), &[1.0, 0.0, 0.0, 1.0]);
    close(&found.system.c.row(0)[..2], &[1.0, 1.0]);
}

/// A transfer function block comes back as itself.
#[test]
fn a_transfer_function_is_its_own_model() {
    let system = compile(
        "
inputs: {u: {initial: 0}}
blocks:
  y: {type: TransferFunction, input: u, numerator: [3, 1], denominator: [1, 0.4, 4]}
record: [y]
",
    );
    let found = linear(&system, &["u"], &["y"]);
    assert_eq!(found.states.len(), 2);
    for w in [0.1, 1.0, 2.0, 9.0f64] {
        let own = found.system.response(w, 0, 0).unwrap();
        // (3 s + 1) / (s^2 + 0.4 s + 4)
        let (dr, di) = (4.0 - w * w, 0.4 * w);
        let square = dr * dr + di * di;
        let (re, im) = ((dr + 3.0 * w * di) / square, (3.0 * w * dr - di) / square);
        assert!((own.re - re).abs() < 1e-12 && (own.im - im).abs() < 1e-12, "{own:?}");
    }
}

/// x' = -z with z + z^3 = x solved: dz/dx = 1 / (1 + 3 z^2).
#[test]
fn solved_loops_are_differentiated_implicitly() {
    let system = compile(
        "
inputs: {u: {initial: 0}}
blocks:
  x: {type: Integrator, input: u - z, initial: 10}
  z: {type: Expression, expression: x - z^3}
solve: {z: 1}
record: [x, z]
",
    );
    let found = linear(&system, &["u"], &["z"]);
    let z = number(&found.outputs, "z");
    assert!((z - 2.0).abs() < 1e-14, "{z}");
    close(found.system.a.data(), &[-1.0 / 13.0]);
    close(found.system.c.data(), &[1.0 / 13.0]);
}

#[test]
fn held_inputs_tunable_parameters_and_samplers_are_moved() {
    let system = compile(
        "
parameters: {k: {value: 2, tunable: true}, c: 3}
inputs: {u: {kind: held, initial: 4}}
blocks:
  clock: {type: Clock, period: 0.5}
  hold: {type: ZeroOrderHold, input: sample}
  sample: {type: Sample, input: -x^2, trigger: clock}
  twice: {type: Gain, input: u, gain: 2}
  x: {type: Integrator, input: -k * x + c * hold + twice * x, initial: 1}
record: [x, hold]
simulate: {stop: 3}
",
    );
    // Up to the first sample after the start the hold has what the start left in it.
    let found = linear(&system, &["u", "k", "hold"], &["x"]);
    close(found.system.a.data(), &[-2.0 + 8.0]);
    close(found.system.b.data(), &[2.0, -1.0, 3.0]);
    close(&[number(&found.inputs, "u"), number(&found.inputs, "k")], &[4.0, 2.0]);
    let without = linear(&system, &[], &["x"]);
    assert_eq!(without.held.len(), 1, "{:?}", without.held);
    assert_eq!(without.held[0].0, "hold");
    close(without.system.a.data(), found.system.a.data());
}

/// An input that is added to a moving signal: from there to it is the open loop.
#[test]
fn any_signal_may_be_disturbed() {
    let system = compile(
        "
blocks:
  e: {type: Sum, inputs: [1, -y]}
  x: {type: Integrator, input: 3 * e - x}
  y: {type: Gain, input: x, gain: 2}
record: [x, y, e]
",
    );
    let found = linear(&system, &["e"], &["y", "e"]);
    close(found.system.a.data(), &[-7.0]);
    close(found.system.b.data(), &[3.0]);
    close(found.system.c.data(), &[2.0, -2.0]);
    close(found.system.d.data(), &[0.0, 1.0]);
    assert_eq!(number(&found.inputs, "e"), 1.0);
}

#[test]
fn several_regions_make_one_model() {
    let system = compile(
        "
inputs: {u: {initial: 0}, v: {initial: 0}}
blocks:
  a: {type: Integrator, input: u - 2 * a}
  b: {type: Integrator, input: v - 5 * b}
record: [a, b]
simulate: {stop: 3}
",
    );
    let found = linear_at(&system, &reached(&system, 1.0), &["u", "v"], &["a", "b"]);
    close(found.system.a.data(), &[-2.0, 0.0, 0.0, -5.0]);
    close(found.system.b.data(), &[1.0, 0.0, 0.0, 1.0]);
    close(found.system.c.data(), &[1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn only_the_states_of_the_present_mode_count() {
    let system = compile(
        "
blocks:
  m:
    type: Modal
    initial: first
    states:
      first:
        blocks: {x: {type: Integrator, input: -x, initial: 1}}
        outputs: {y: 2 * x}
        transitions: [{to: second, when: y < 1}]
      second:
        blocks: {z: {type: Integrator, input: -3 * z + 1, initial: 5}}
        outputs: {y: 4 * z}
  sum: {type: Integrator, input: m.y}
record: [m.y, sum]
simulate: {stop: 3}
",
    );
    let first = linear_at(&system, &reached(&system, 0.1), &[], &["m.y"]);
    assert_eq!(names(&first.states), ["m.first.x", "sum"]);
    close(first.system.a.data(), &[-1.0, 0.0, 2.0, 0.0]);
    let second = linear_at(&system, &reached(&system, 2.0), &[], &["m.y"]);
    assert_eq!(names(&second.states), ["m.second.z", "sum"]);
    close(second.system.a.data(), &[-3.0, 0.0, 4.0, 0.0]);
    close(second.system.c.data(), &[4.0, 0.0]);
}

/// At an event the point is what the event leaves behind.
#[test]
fn an_impulse_is_over_at_the_point() {
    let system = compile(
        "
blocks:
  push: {type: ImpulseSource, times: [1], weight: 2}
  v: {type: Integrator, input: -v^2 + push, initial: 1}
record: [v]
simulate: {stop: 3}
",
    );
    let found = linear_at(&system, &reached(&system, 1.0), &[], &["v"]);
    let v = number(&found.states, "v");
    assert!((v - 2.5).abs() < 1e-5, "{v}");
    close(found.system.a.data(), &[-2.0 * v]);
}

#[test]
fn what_depends_on_time_is_said() {
    let system = compile(
        "
blocks:
  x: {type: Integrator, input: sin(time) - x}
  z: {type: Integrator, input: -z, initial: 1}
record: [x, z]
",
    );
    let found = linear(&system, &[], &["x"]);
    assert_eq!(found.depend_on_time, ["x"]);
}

#[test]
fn outputs_may_be_expressions() {
    let system = compile(PENDULUM);
    let seen = system.observing(&["l * sin(phi)".to_owned()]).unwrap();
    let found = linear(&seen, &[], &["l * sin(phi)"]);
    close(found.system.c.data(), &[2.0 * 0.7f64.cos(), 0.0]);
}
