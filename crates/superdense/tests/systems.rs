//! Systems of differential equations, written as the rates of their states.

use superdense::Backend;

use crate::common::{
    assert_near, at, bits, by, codes, compile, exact, refusal, simulate, try_compile,
};

/// A driven oscillator whose parts are called by every kind of name: states, inputs, parameters of
/// its own and from around it, and time.
///
/// Holds: closed form of DifferentialSystem.
#[test]
fn a_driven_oscillator_follows_its_closed_form() {
    let text = "
parameters: {w: 3, v: 100}
blocks:
  u: {type: Expression, expression: sin(time)}
  s:
    type: DifferentialSystem
    parameters: {w2: w^2}
    inputs: {force: 2 * u}
    states:
      x: {rate: v, initial: 1}
      v: force - w2 * x + time
    outputs: {x: x, v: v, energy: v^2 / 2 + w2 * x^2 / 2}
record: [s.x, s.v, s.energy]
simulate: {stop: 5, tolerance: 1e-11, every: 0.5}
";
    // x'' + 9 x = 2 sin t + t: x = a cos 3t + b sin 3t + sin(t) / 4 + t / 9.
    let trace = simulate(text).trace;
    let (a, b) = (1.0, -(0.25 + 1.0 / 9.0) / 3.0);
    for k in 0..=10 {
        let t = f64::from(k) * 0.5;
        let x = a * (3.0 * t).cos() + b * (3.0 * t).sin() + t.sin() / 4.0 + t / 9.0;
        let v = 3.0 * (b * (3.0 * t).cos() - a * (3.0 * t).sin()) + t.cos() / 4.0 + 1.0 / 9.0;
        let tag = exact(&t.to_string(), 0);
        assert_near(at(&trace, "s.x", tag).unwrap(), x, 1e-8);
        assert_near(at(&trace, "s.v", tag).unwrap(), v, 1e-8);
        assert_near(at(&trace, "s.energy", tag).unwrap(), v * v / 2.0 + 4.5 * x * x, 1e-7);
    }
}

/// The same equations as integrators written one by one: the same bits, by interpreter and native
/// code, and the same as a vector.
#[test]
fn a_system_is_its_integrators() {
    let run = "simulate: {stop: 8, tolerance: 1e-9}";
    let system = format!(
        "blocks:
  s:
    type: DifferentialSystem
    states:
      x: {{rate: 10 * (y - x), initial: 1}}
      y: {{rate: x * (28 - z) - y, initial: 1}}
      z: {{rate: x * y - 8 / 3 * z, initial: 1}}
record: {{x: s.x, y: s.y, z: s.z}}
{run}"
    );
    let blocks = format!(
        "blocks:
  x: {{type: Integrator, input: 10 * (y - x), initial: 1}}
  y: {{type: Integrator, input: x * (28 - z) - y, initial: 1}}
  z: {{type: Integrator, input: x * y - 8 / 3 * z, initial: 1}}
record: [x, y, z]
{run}"
    );
    let (system, blocks) = (compile(&system), compile(&blocks));
    let expected = by(&blocks, Backend::Interpreter);
    assert_eq!(by(&system, Backend::Interpreter), expected);
    assert_eq!(by(&system, Backend::Native), expected);
    let vector = "blocks:
  s: {type: DifferentialSystem, states: {x: {rate: '[[0, 1], [-4, 0]] * x', initial: [1, 0]}}}
record: {x: 's[0]', v: 's[1]'}
simulate: {stop: 3, tolerance: 1e-11}";
    let trace = simulate(vector).trace;
    assert_near(at(&trace, "x", exact("3", 0)).unwrap(), 6f64.cos(), 1e-8);
}

/// Holds: jump, absence and impulse of DifferentialSystem.
#[test]
fn states_jump_by_resets_events_and_impulses() {
    let text = "blocks:
  u: {type: Step, time: 1, after: 2}
  c: {type: Clock, period: 4, offset: 2}
  gate: {type: Gate, input: 1, condition: time < 3}
  s:
    type: DifferentialSystem
    inputs: {u: u, kick: 5 * c, gate: gate}
    states:
      a: u
      b: {rate: u, initial: 1, impulse: kick}
      c: {rate: 1, reset: kick - 5}
      d: 3 * delta(time - 2) + a * 0
      e: gate
    outputs: {a: a, b: b, c: c, d: d, e: e, u: u, gate: 2 * gate}
record: [s.a, s.b, s.c, s.d, s.e, s.u, s.gate]
simulate: {stop: 5}";
    let trace = simulate(text).trace;
    let near = |name: &str, expected: &[(&str, u32, f64)]| {
        for (time, microstep, value) in expected {
            let found = at(&trace, name, exact(time, *microstep));
            assert_near(found.unwrap_or_else(|| panic!("{name} at {time}")), *value, 1e-12);
        }
    };
    near("s.u", &[("1", 0, 0.0), ("1", 1, 2.0)]);
    near("s.a", &[("1", 1, 0.0), ("5", 0, 8.0)]);
    near("s.b", &[("2", 0, 3.0), ("2", 1, 8.0), ("5", 0, 14.0)]);
    near("s.c", &[("2", 0, 2.0), ("2", 1, 0.0), ("5", 0, 3.0)]);
    near("s.d", &[("2", 0, 0.0), ("2", 1, 3.0), ("5", 0, 3.0)]);
    // While the gate is closed, the rate is absent and the state waits, and so is the output.
    near("s.e", &[("2", 0, 2.0), ("5", 0, 3.0)]);
    assert_eq!(at(&trace, "s.gate", exact("2", 0)), Some(2.0));
    assert_eq!(at(&trace, "s.gate", exact("5", 0)), None);
}

/// A system in an array sees its index, in a state of a machine the names around it, and while it is
/// not enabled it waits.
#[test]
fn systems_are_repeated_enabled_and_parts_of_states() {
    let text = "parameters: {k: [1, 2, 3]}
blocks:
  decay:
    type: DifferentialSystem
    for: {i: 3}
    states: {x: {rate: '-k[i] * x', initial: i + 1}}
  clock:
    type: DifferentialSystem
    enabled: time > 1
    hold: true
    states: {t: 1}
  m:
    type: Modal
    initial: first
    states:
      first:
        blocks: {s: {type: DifferentialSystem, states: {y: '-decay[0]'}}}
        outputs: {y: s}
        transitions: [{to: second, after: 1, set: {s.y: 7}}]
      second:
        blocks: {s: {type: DifferentialSystem, states: {y: elapsed}}}
        outputs: {y: s}
record: {d2: 'decay.x[2]', all: decay, t: clock.t, y: m.y}
simulate: {stop: 2, tolerance: 1e-10}";
    let trace = simulate(text).trace;
    assert_near(at(&trace, "d2", exact("2", 0)).unwrap(), 3.0 * (-6f64).exp(), 1e-8);
    assert_near(at(&trace, "t", exact("2", 0)).unwrap(), 1.0, 1e-9);
    assert_near(at(&trace, "y", exact("1", 0)).unwrap(), (-1f64).exp() - 1.0, 1e-8);
    assert_near(at(&trace, "y", exact("2", 0)).unwrap(), 7.5, 1e-9);
}

/// What a run saves of a system is what it resumes with.
#[test]
fn a_system_is_saved_and_resumed() {
    let text = "blocks:
  s: {type: DifferentialSystem, states: {x: v, v: {rate: -x, initial: 1}}}
record: [s.x, s.v]
simulate: {stop: 3}";
    let system = compile(text);
    let whole = system.simulate().unwrap().trace;
    let mut first = system.begin();
    for _ in 0..5 {
        first.advance().unwrap();
    }
    let begun = first.trace().len();
    let rest = system.resume(&first.save()).unwrap().finish().unwrap();
    assert_eq!(bits(&rest.trace, 0), bits(&whole, begun));
}

const MISTAKES: &[(&str, &str)] = &[
    ("", "missing-states"),
    ("states: {}", "missing-states"),
    ("states: [x]", "wrong-kind"),
    ("states: {x: {initial: 1}}", "missing-field"),
    ("states: {x: {rate: 1, input: 2}}", "unknown-field"),
    ("states: {x: }", "missing-value"),
    ("states: {x: 1}, inputs: {x: 1}", "duplicate-name"),
    ("states: {x: 1}, parameters: {x: 1}", "duplicate-name"),
    ("states: {time: 1}", "reserved-name"),
    ("states: {x: -t}", "unknown-name"),
    ("states: {x: 1 +}", "expression-syntax"),
    ("states: {x: {rate: '[1, 2]', initial: [1, 2, 3]}}", "size-mismatch"),
    ("states: {x: {rate: 1, initial: x}}", "not-constant"),
    ("states: {x: 1}, outputs: {y: z}", "unknown-name"),
    ("states: {x: 1}, trigger: c", "unknown-field"),
    ("states: {x: 1}, hold: true", "missing-field"),
    ("states: {x: 1}, enabled: true, inputs: {enabled: 1}", "duplicate-name"),
    ("states: {x: 1}, parameters: {k: {value: 1, tunable: true}}", "bad-parameter"),
    ("states: {x: c}", "only-events"),
];

/// Holds: bad input of DifferentialSystem.
#[test]
fn mistakes_are_refused_with_their_reasons() {
    for (fields, code) in MISTAKES {
        let comma = if fields.is_empty() { "" } else { ", " };
        let text = format!(
            "blocks: {{c: {{type: Clock, period: 1}}, s: {{type: DifferentialSystem{comma}{fields}}}}}"
        );
        assert!(try_compile(&text).is_err(), "{fields}");
        let refused = refusal(&text);
        assert!(codes(&refused).contains(code), "{fields}\n{refused}");
    }
    let own = refusal("diagrams: {DifferentialSystem: {outputs: {y: 1}}}\nblocks: {}");
    assert!(codes(&own).contains(&"reserved-name"), "{own}");
    let known = refusal("blocks: {s: {type: DEE}, m: {type: Stateflow}}").to_string();
    assert!(known.contains("here it is called `DifferentialSystem`"), "{known}");
    assert!(known.contains("here it is called `Modal`"), "{known}");
    let name = refusal("blocks: {s: {type: DifferentialSystem, states: {speed: -sped}}}");
    assert!(name.to_string().contains("did you mean `speed`"), "{name}");
}
