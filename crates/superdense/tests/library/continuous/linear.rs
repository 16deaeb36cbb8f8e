//! Linear systems: transfer functions, state equations, zeros and poles, and lags.

use super::{agree, follows, gain_is, refused, weighs};
use crate::common::{
    assert_at, assert_near, at, codes, compile_over, exact, last_elements, refusal, simulate,
};

#[test]
fn a_transfer_function_equals_integrators_wired_by_hand() {
    let text = "blocks:
  u: {type: Pulse, period: 1, width: 0.5, low: -1, high: 1}
  y: {type: TransferFunction, input: u, denominator: [0.001, 0.01, 1]}
  rate: {type: Integrator, input: 1000 * u - 10 * rate - 1000 * hand}
  hand: {type: Integrator, input: rate}
record: [y, hand]
simulate: {stop: 3, every: 0.01, tolerance: 1e-11}
";
    agree(text, "y", "hand", 1e-9);
}

/// Its states have the magnitude of the input, so that the absolute tolerance means something.
#[test]
fn a_transfer_function_is_as_accurate_as_its_tolerance() {
    let text = "blocks:
  u: {type: Step, time: 0, after: 2}
  y: {type: TransferFunction, input: u, denominator: [0.001, 0.01, 1]}
  once: {type: TransferFunction, input: u, denominator: [1e-6, 1e-3, 0]}
record: [y, once]
simulate: {stop: 1, every: 0.01, tolerance: 1e-6}
";
    let fast = 975f64.sqrt();
    follows(text, "y", 2e-6, |time| {
        2.0 - 2.0 * (-5.0 * time).exp() * ((fast * time).cos() + 5.0 / fast * (fast * time).sin())
    });
    // 1 / (1e-6 s^2 + 1e-3 s), an integrator with a short lag.
    follows(text, "once", 4e-3, |time| 2e3 * time - 2.0 * (1.0 - (-1e3 * time).exp()));
}

/// A pole near 0 or to the right of it does not make the states small: 1 / (s + p) is an integrator
/// for a time, and 109 s + 539 over two such poles has an output of about the input times 30.
#[test]
fn slow_poles_are_as_accurate_as_others() {
    let text = "blocks:
  leaky: {type: TransferFunction, input: sin(time), denominator: [1, 1e-6]}
  chain: {type: ZeroPole, input: sin(time), real_poles: [-1e-6, -1e-3]}
  grows: {type: TransferFunction, input: 1, denominator: [1, -1e-9]}
  small: {type: TransferFunction, input: sin(time), numerator: [1e-3], denominator: [1, 1e-6]}
  proper: {type: TransferFunction, input: sin(time), numerator: [1, 1], denominator: [1, 1e-6]}
record: [leaky, chain, grows, small, proper]
simulate: {stop: 10, tolerance: 1e-6}
";
    // Alone, so that no other state asks for shorter steps.
    let alone = |name: &str| {
        let kept = |line: &&str| !line.starts_with("  ") || line.contains(&format!("{name}:"));
        let lines: Vec<&str> = text.lines().filter(kept).collect();
        let record = "record: [leaky, chain, grows, small, proper]";
        lines.join("\n").replace(record, &format!("record: [{name}]")) + "\n"
    };
    // To the first order in the pole p: y = 1 - cos(t) - p (t - sin(t)).
    let leaky = |p: f64, t: f64| 1.0 - t.cos() - p * (t - t.sin());
    follows(&alone("leaky"), "leaky", 5e-6, |t| leaky(1e-6, t));
    follows(&alone("small"), "small", 5e-6, |t| 1e-3 * leaky(1e-6, t));
    follows(&alone("proper"), "proper", 5e-6, |t| t.sin() + leaky(1e-6, t));
    follows(&alone("grows"), "grows", 1e-5, |t| t * (1.0 + 0.5e-9 * t));
    // To the first order in the sum of both: t - sin(t) - p (t^2 / 2 - 1 + cos(t)).
    follows(&alone("chain"), "chain", 5e-5, |t| {
        t - t.sin() - 1.001e-3 * (t * t / 2.0 - 1.0 + t.cos())
            + 1e-6 * (t * t * t / 6.0 - t + t.sin())
    });
}

/// H(s) = 1 / (0.001 s^2 + 0.01 s + 1): omega = sqrt(1000), damping rate 5.
///
/// Holds: closed form of TransferFunction.
#[test]
fn its_step_response_is_a_decaying_oscillation() {
    let text = "blocks:
  u: {type: Step, time: 0.25}
  y: {type: TransferFunction, input: u, denominator: [0.001, 0.01, 1]}
record: [y]
simulate: {stop: 2, every: 0.01, tolerance: 1e-11}
";
    let fast = 975f64.sqrt();
    follows(text, "y", 1e-8, |time| {
        let s = (time - 0.25).max(0.0);
        1.0 - (-5.0 * s).exp() * ((fast * s).cos() + 5.0 / fast * (fast * s).sin())
    });
}

#[test]
fn its_response_to_a_sine_has_a_transient() {
    let text = "blocks:
  y: {type: TransferFunction, input: sin(time), numerator: [3], denominator: [2, 2]}
record: [y]
simulate: {stop: 5, every: 0.1, tolerance: 1e-10}
";
    follows(text, "y", 1e-8, |time| 1.5 * (time.sin() - time.cos() + (-time).exp()) / 2.0);
}

/// (s + 3) / (s^2 + 2 s + 5) has the impulse response exp(-t) (cos 2t + sin 2t).
///
/// Holds: closed form and impulse of TransferFunction.
#[test]
fn an_impulse_gives_the_impulse_response() {
    let text = "blocks:
  y: {type: TransferFunction, input: delta(time - 1), numerator: [1, 3], denominator: [1, 2, 5]}
  slope: {type: TransferFunction, input: \"delta(time - 1, 1)\", numerator: [1, 3], denominator: [1, 2, 5]}
record: [y, slope]
simulate: {stop: 4, every: 0.1, rows: microsteps, tolerance: 1e-10}
";
    let trace = simulate(text).trace;
    assert_at(&trace, "y", &[("1", 0, 0.0), ("1", 1, 1.0)]);
    // The derivative of the response: an impulse of weight h(0) and from there on h'.
    assert_at(&trace, "slope", &[("1", 0, 0.0), ("1", 1, 1.0)]);
    weighs(&trace, "slope", exact("1", 1), 1.0);
    let response = |time: f64| match time - 1.0 {
        s if s < 0.0 => 0.0,
        s => (-s).exp() * ((2.0 * s).cos() + (2.0 * s).sin()),
    };
    follows(text, "y", 1e-8, response);
    follows(text, "slope", 1e-8, |time| match time - 1.0 {
        s if s < 0.0 => 0.0,
        s => (-s).exp() * ((2.0 * s).cos() - 3.0 * (2.0 * s).sin()),
    });
}

/// (s + 3) / (s + 1) = 1 + 2 / (s + 1), and (2 s^2 + 7 s + 5) / (s^2 + 3 s + 2) = 2 + 1 / (s + 2).
///
/// Holds: jump and impulse of TransferFunction.
#[test]
fn a_proper_one_passes_jumps_and_impulses() {
    let text = "blocks:
  u: {type: Step, time: 0.5}
  y: {type: TransferFunction, input: u, numerator: [1, 3], denominator: [1, 1]}
  z: {type: TransferFunction, input: u, numerator: [2, 7, 5], denominator: [1, 3, 2]}
  h: {type: TransferFunction, input: delta(time - 0.5), numerator: [3, 9], denominator: [3, 3]}
record: [y, z, h]
simulate: {stop: 3, every: 0.1, rows: microsteps, tolerance: 1e-10}
";
    let trace = simulate(text).trace;
    assert_at(&trace, "y", &[("0.5", 0, 0.0), ("0.5", 1, 1.0)]);
    assert_at(&trace, "h", &[("0.5", 0, 0.0), ("0.5", 1, 2.0)]);
    weighs(&trace, "h", exact("0.5", 1), 1.0);
    let since = |time: f64| time - 0.5;
    let after = |value: fn(f64) -> f64| {
        move |time| if since(time) < 0.0 { 0.0 } else { value(since(time)) }
    };
    follows(text, "y", 1e-8, after(|s| 3.0 - 2.0 * (-s).exp()));
    follows(text, "z", 1e-8, after(|s| 2.5 - 0.5 * (-2.0 * s).exp()));
    follows(text, "h", 1e-8, after(|s| 2.0 * (-s).exp()));
}

#[test]
fn one_of_order_zero_is_a_gain() {
    let text = "blocks:
  y: {type: TransferFunction, input: time, numerator: [6], denominator: [4]}
record: [y]
simulate: {stop: 1, every: 0.1}
";
    follows(text, "y", 1e-15, |time| 1.5 * time);
}

#[test]
fn only_a_proper_one_closes_a_loop() {
    let closed = |numerator: &str| {
        format!(
            "blocks:
  y: {{type: TransferFunction, input: 1 - y, numerator: {numerator}, denominator: [1, 2], initial: [2]}}
record: [y]
simulate: {{stop: 2, every: 0.1, tolerance: 1e-10}}
"
        )
    };
    for strictly in ["[1]", "[0, 1]"] {
        let truth = |time: f64| 1.0 / 3.0 + (2.0 - 1.0 / 3.0) * (-3.0 * time).exp();
        follows(&closed(strictly), "y", 1e-8, truth);
    }
    assert_eq!(codes(&refusal(&closed("[1, 0]"))), ["causality-loop"]);
}

#[test]
fn a_transfer_function_filters_vectors_and_takes_other_coefficients() {
    let text = "parameters: {top: [1], bottom: [1, 1]}
blocks:
  y: {type: TransferFunction, input: \"[1, 10 * time]\", numerator: top, denominator: bottom}
record: [y]
simulate: {stop: 1, tolerance: 1e-10}
";
    let elements = last_elements(&simulate(text).trace, "y");
    let decay = (-1f64).exp();
    assert_near(elements[0], 1.0 - decay, 1e-9);
    assert_near(elements[1], 10.0 * decay, 1e-8);
    for (top, bottom, value) in [("[4]", "[2, 2]", 2.0), ("[3]", "[1]", 3.0)] {
        let outcome = compile_over(text, &[("top", top), ("bottom", bottom)]).simulate();
        let elements = last_elements(&outcome.unwrap().trace, "y");
        let truth = if bottom == "[1]" { value } else { value * (1.0 - decay) };
        assert_near(elements[0], truth, 1e-9);
    }
}

/// Holds: bad input of TransferFunction.
#[test]
fn bad_transfer_functions_are_refused() {
    for (coefficients, reason) in [
        ("numerator: [1, 2, 3], denominator: [1, 2]", "improper"),
        ("denominator: [0, 1]", "the first coefficient of the denominator must not be 0"),
        ("denominator: []", "the denominator must have at least one coefficient"),
        ("numerator: [], denominator: [1]", "the numerator must have at least one coefficient"),
    ] {
        let block = format!("{{type: TransferFunction, input: 1, {coefficients}}}");
        refused(&block, "bad-parameter", reason);
    }
    let block = "{type: TransferFunction, input: 1, denominator: [1, 2, 3], initial: [1]}";
    let model = format!("blocks:\n  b: {block}\nrecord: [b]\n");
    assert!(codes(&refusal(&model)).contains(&"size-mismatch"));
    let event = "blocks:
  c: {type: Clock, period: 1}
  y: {type: TransferFunction, input: c, denominator: [1, 1]}
record: [y]
";
    assert_eq!(codes(&refusal(event)), ["only-events"]);
}

/// A source that is absent from 1 s to 2 s.
const SOMETIMES: &str = "
  u:
    type: Modal
    initial: on
    states:
      on: {outputs: {y: 1}, transitions: [{to: off, after: 1}]}
      off: {transitions: [{to: on, after: 1}]}
";

/// Holds: absence of TransferFunction, SecondOrder, StateSpace, FirstOrder, LeadLag.
#[test]
fn states_stay_while_the_input_is_absent() {
    let stays = |time: f64| if time < 1.0 { time } else { (time - 1.0).max(1.0) };
    for (block, value) in [
        ("{type: TransferFunction, input: u.y, denominator: [1, 2, 1]}", 0),
        ("{type: SecondOrder, input: u.y}", 0),
        ("{type: StateSpace, input: u.y, A: [[-2, -1], [1, 0]], B: [1, 0], C: [0, 1]}", 0),
        ("{type: FirstOrder, input: u.y}", 1),
        ("{type: LeadLag, input: u.y, lead: 0, lag: 1}", 1),
    ] {
        let text = format!(
            "blocks:\n  y: {block}{SOMETIMES}record: [y]
simulate: {{stop: 2.9, every: 0.1, tolerance: 1e-10}}\n"
        );
        follows(&text, "y", 1e-8, |time| match (stays(time), value) {
            (s, 0) => 1.0 - (1.0 + s) * (-s).exp(),
            (s, _) => 1.0 - (-s).exp(),
        });
    }
}

/// Modes exp(-t) and exp(-2 t); the inputs are a step and a ramp.
///
/// Holds: closed form of StateSpace.
#[test]
fn state_equations_with_two_inputs_and_three_outputs() {
    let text = "blocks:
  y:
    type: StateSpace
    input: [1, time]
    A: [[-1, 0], [0, -2]]
    B: [[1, 0], [1, 2]]
    C: [[1, 0], [0, 1], [1, -1]]
    D: [[0, 1], [0, 0], [2, 0]]
    initial: [3, 1]
  a: {type: Expression, expression: \"y[0]\"}
  b: {type: Expression, expression: \"y[1]\"}
  c: {type: Expression, expression: \"y[2]\"}
record: [a, b, c]
simulate: {stop: 2, every: 0.1, tolerance: 1e-10}
";
    let first = |t: f64| 1.0 + 2.0 * (-t).exp();
    // x' = -2 x + 1 + 2 t: x = t + c exp(-2 t), c = 1.
    let second = |t: f64| t + (-2.0 * t).exp();
    follows(text, "a", 1e-8, |t| first(t) + t);
    follows(text, "b", 1e-8, second);
    follows(text, "c", 1e-8, |t| first(t) - second(t) + 2.0);
}

/// Holds: closed form and impulse of StateSpace.
#[test]
fn an_impulse_makes_states_jump_by_b() {
    let text = "blocks:
  k: {type: ImpulseSource, times: [0.5], weight: 3}
  y: {type: StateSpace, input: k, A: [[0, 1], [-4, 0]], B: [2, 1], C: [[1, 0], [0, 1]]}
  d: {type: StateSpace, input: k, A: [[0, 1], [-4, 0]], B: [2, 1], C: [1, 0], D: 5}
  p: {type: Expression, expression: \"y[0]\"}
record: [y, d, p]
simulate: {stop: 2, every: 0.1, rows: microsteps, tolerance: 1e-10}
";
    let trace = simulate(text).trace;
    let column = trace.column("y").unwrap();
    let row = trace.tags().iter().position(|tag| *tag == exact("0.5", 1)).unwrap();
    assert_eq!(trace.get(row, column), Some(&[6.0, 3.0][..]));
    assert_at(&trace, "d", &[("0.5", 0, 0.0), ("0.5", 1, 6.0)]);
    weighs(&trace, "d", exact("0.5", 1), 15.0);
    follows(text, "p", 1e-8, |time| match time - 0.5 {
        s if s < 0.0 => 0.0,
        s => 6.0 * (2.0 * s).cos() + 1.5 * (2.0 * s).sin(),
    });
}

#[test]
fn only_feedthrough_closes_a_loop_of_state_equations() {
    let loops = |d: &str| {
        format!(
            "blocks:
  y: {{type: StateSpace, input: 1 - y, A: [[-1]], B: [1], C: [1]{d}}}
record: [y]
simulate: {{stop: 2, every: 0.1, tolerance: 1e-10}}
"
        )
    };
    follows(&loops(""), "y", 1e-8, |time| (1.0 - (-2.0 * time).exp()) / 2.0);
    assert_eq!(codes(&refusal(&loops(", D: 1"))), ["causality-loop"]);
}

/// Holds: bad input of StateSpace.
#[test]
fn bad_state_equations_are_refused() {
    for (matrices, reason) in [
        ("A: [[1, 2]], B: [1], C: [1]", "A must be a square matrix"),
        ("A: [[1, 2], [3, 4]], B: [1, 2, 3], C: [1, 0]", "B must have a row for each state"),
        ("A: [[1, 2], [3, 4]], B: [1, 2], C: [[1, 0, 0]]", "C must have a column for each state"),
        ("A: [[1, 2], [3, 4]], B: [1, 2], C: [1, 0], D: [1, 2]", "D must be 0, or have a row"),
    ] {
        let block = format!("{{type: StateSpace, input: 1, {matrices}}}");
        refused(&block, "bad-parameter", reason);
    }
    // Neither a vector of inputs for one column nor a scalar for two.
    for (input, b) in [("\"[1, 2]\"", "[1, 2]"), ("1", "[[1, 2], [3, 4]]")] {
        let block =
            format!("{{type: StateSpace, input: {input}, A: [[1, 2], [3, 4]], B: {b}, C: [1, 0]}}");
        refused(&block, "size-mismatch", "");
    }
}

/// A zero blocks its frequency, and the chain of sections equals the product of its factors.
///
/// Holds: closed form and bad input of ZeroPole.
#[test]
fn zeros_and_poles() {
    let notch = "{type: ZeroPole, input: u, zero_pairs: [[0, 5]], pole_pairs: [[-1, 4]], gain: 3}";
    gain_is(notch, 5.0, 30.0, 0.0);
    // |(25 - 4) / (17 - 4 + 4 i)| at 2 rad/s.
    gain_is(notch, 2.0, 30.0, 3.0 * 21.0 / 13f64.hypot(4.0));
    for (factors, numerator, denominator) in [
        // (s + 1)(s^2 + 4) over (s + 2)(s + 3)(s + 4)
        (
            "real_zeros: [-1], zero_pairs: [[0, 2]], real_poles: [-2, -3, -4], gain: 2",
            "[2, 2, 8, 8]",
            "[1, 9, 26, 24]",
        ),
        // 1 over (s^2 + 2 s + 5)(s + 1)
        ("pole_pairs: [[-1, 2]], real_poles: [-1]", "[1]", "[1, 3, 7, 5]"),
        // (s - 1)(s + 2)(s + 3) over (s^2 + 2 s + 5)(s + 1)(s + 4)
        (
            "real_zeros: [1, -2, -3], pole_pairs: [[-1, 2]], real_poles: [-1, -4]",
            "[1, 4, 1, -6]",
            "[1, 7, 19, 33, 20]",
        ),
        ("gain: 4", "[4]", "[1]"),
    ] {
        let text = format!(
            "blocks:
  u: {{type: Expression, expression: sin(3 * time) + time}}
  y: {{type: ZeroPole, input: u, {factors}}}
  z: {{type: TransferFunction, input: u, numerator: {numerator}, denominator: {denominator}}}
record: [y, z]
simulate: {{stop: 5, every: 0.1, tolerance: 1e-11}}
"
        );
        agree(&text, "y", "z", 1e-8);
    }
    let improper = "{type: ZeroPole, input: 1, real_zeros: [1, 2], real_poles: [-1]}";
    refused(improper, "bad-parameter", "improper: it has more zeros than poles");
    let row = "{type: ZeroPole, input: 1, pole_pairs: [[-1, 2, 3]]}";
    refused(row, "bad-parameter", "each row of pole_pairs must have a real and an imaginary part");
    let row = "{type: ZeroPole, input: 1, real_poles: [-1, -2], zero_pairs: [[-1]]}";
    refused(row, "bad-parameter", "each row of zero_pairs must have a real and an imaginary part");
}

/// (s + 1) / (s + 2) = 1 - 1 / (s + 2).
///
/// Holds: impulse of ZeroPole.
#[test]
fn an_impulse_passes_as_many_zeros_as_poles() {
    let text = "blocks:
  y: {type: ZeroPole, input: delta(time - 0.5), real_zeros: [-1], real_poles: [-2], gain: 4}
record: [y]
simulate: {stop: 2, every: 0.1, rows: microsteps, tolerance: 1e-10}
";
    let trace = simulate(text).trace;
    weighs(&trace, "y", exact("0.5", 1), 4.0);
    follows(text, "y", 1e-8, |time| match time - 0.5 {
        s if s < 0.0 => 0.0,
        s => -4.0 * (-2.0 * s).exp(),
    });
}

/// Holds: closed form, impulse and bad input of FirstOrder, SecondOrder.
#[test]
fn lags_of_first_and_second_order() {
    let text = "blocks:
  u: {type: Step, time: 0.5, before: 1, after: 3}
  first: {type: FirstOrder, input: u, gain: 2, time_constant: 0.5, initial: 2}
  second: {type: SecondOrder, input: u - 1, gain: 2, frequency: 5, damping: 0.6}
  critical: {type: SecondOrder, input: 0, frequency: 3, initial: 1, initial_rate: 2}
  hit: {type: FirstOrder, input: delta(time - 0.5), gain: 2, time_constant: 0.5}
  rung: {type: SecondOrder, input: delta(time - 0.5), frequency: 2, damping: 0}
record: [first, second, critical, hit, rung]
simulate: {stop: 3, every: 0.1, rows: microsteps, tolerance: 1e-10}
";
    let trace = simulate(text).trace;
    assert_at(&trace, "hit", &[("0.5", 0, 0.0), ("0.5", 1, 4.0)]);
    let after = |value: fn(f64) -> f64| {
        move |time: f64| if time < 0.5 { value(0.0) } else { value(time - 0.5) }
    };
    follows(text, "first", 1e-8, after(|s| 6.0 - 4.0 * (-2.0 * s).exp()));
    follows(
        text,
        "second",
        1e-8,
        after(|s| 4.0 * (1.0 - (-3.0 * s).exp() * ((4.0 * s).cos() + 0.75 * (4.0 * s).sin()))),
    );
    follows(text, "critical", 1e-8, |time| (1.0 + 5.0 * time) * (-3.0 * time).exp());
    follows(text, "rung", 1e-8, after(|s| 2.0 * (2.0 * s).sin()));
    refused("{type: FirstOrder, input: 1, time_constant: 0}", "bad-parameter", "must be positive");
    refused("{type: SecondOrder, input: 1, frequency: 0}", "bad-parameter", "must be positive");
}

/// (0.4 s + 1) / (0.2 s + 1) = 2 - 1 / (0.2 s + 1).
///
/// Holds: closed form, jump and bad input of LeadLag.
#[test]
fn a_lead_and_a_lag() {
    let text = "blocks:
  u: {type: Step, time: 0.5}
  lead: {type: LeadLag, input: \"[u, 3 * u]\", lead: 0.4, lag: 0.2}
  y: {type: Expression, expression: \"lead[1]\"}
  lag: {type: LeadLag, input: 2 - lag, gain: 3, lead: 0, lag: 2}
record: [y, lag]
simulate: {stop: 2, every: 0.1, rows: microsteps, tolerance: 1e-10}
";
    let trace = simulate(text).trace;
    assert_eq!(at(&trace, "y", exact("0.5", 1)), Some(6.0));
    follows(text, "y", 1e-8, |time| match time - 0.5 {
        s if s < 0.0 => 0.0,
        s => 3.0 * (2.0 - (1.0 - (-5.0 * s).exp())),
    });
    follows(text, "lag", 1e-8, |time| 1.5 * (1.0 - (-2.0 * time).exp()));
    refused("{type: LeadLag, input: 1, lag: 0}", "bad-parameter", "must be positive");
}
