//! Delays in linear models.

use crate::common::compile;
use superdense::{Complex, Delays, Linearize};

use super::{close, linear, start};

const LOOP: &str = "
parameters: {T: 0.3}
inputs: {u: {initial: 0}}
blocks:
  late: {type: TransportDelay, input: x^2, delay: T, initial: 4}
  x: {type: Integrator, input: u - 0.5 * late, initial: 2}
record: [x, late]
";

fn approximated(order: usize) -> superdense::Linearization {
    let system = compile(LOOP);
    let about = Linearize { delays: Delays::Pade(order), ..Linearize::default() };
    system.linearize(&start(&system), &about).unwrap()
}

#[test]
fn a_delay_is_refused_with_its_block() {
    let system = compile(LOOP);
    let error = system.linearize(&start(&system), &Linearize::default()).unwrap_err();
    assert_eq!(error.code(), "delay-not-linear");
    assert!(error.to_string().contains("`late` delays by 0.3 s"), "{error}");
    for order in [0, 11] {
        let about = Linearize { delays: Delays::Pade(order), ..Linearize::default() };
        let error = system.linearize(&start(&system), &about).unwrap_err();
        assert!(error.to_string().contains("an order from 1 to 10"), "{error}");
    }
}

/// s x = u - 2 exp(-0.3 s) x, since the derivative of x^2 / 2 at 2 is 2.
#[test]
fn an_approximated_loop_has_the_response_of_the_delay() {
    let found = approximated(6);
    assert_eq!(found.states.len(), 7);
    assert_eq!((&found.states[0].name[..], &found.states[1].name[..]), ("x", "late.delay0"));
    let x = found.outputs.iter().position(|own| own.name == "x").unwrap();
    for w in [0.0, 0.5, 2.0, 6.0f64] {
        let own = found.system.response(w, x, 0).unwrap();
        // 1 / (i w + 2 exp(-0.3 i w))
        let (re, im) = (2.0 * (0.3 * w).cos(), w - 2.0 * (0.3 * w).sin());
        let square = re * re + im * im;
        let off = (own.re - re / square).hypot(own.im + im / square);
        assert!(off < 1e-9, "at {w}: {own:?}");
    }
}

/// Order 1 by hand: v' = -(2 / T) v + ..., from (1 - T s / 2) / (1 + T s / 2).
#[test]
fn the_first_order_is_that_of_the_textbook() {
    let found = approximated(1);
    let poles = found.system.poles().unwrap();
    // s (1 + 0.15 s) + 2 (1 - 0.15 s) = 0.15 s^2 + 0.7 s + 2
    let (re, im) = (-0.7 / 0.3, (4.0 * 0.15 * 2.0 - 0.49f64).sqrt() / 0.3);
    close(&[poles[0].re, poles[0].im], &[re, im]);
    assert_eq!(poles[1], Complex { re: poles[0].re, im: -poles[0].im });
}

#[test]
fn a_delay_that_nothing_depends_on_is_no_obstacle() {
    let system = compile(
        "
inputs: {u: {initial: 0}}
blocks:
  late: {type: TransportDelay, input: sin(time), delay: 0.3}
  x: {type: Integrator, input: u - x + late}
record: [x]
",
    );
    close(linear(&system, &["u"], &["x"]).system.a.data(), &[-1.0]);
}

#[test]
fn a_held_signal_is_delayed_too() {
    let system = compile(
        "
inputs: {u: {kind: held, initial: 1}}
blocks:
  late: {type: TransportDelay, input: 2 * u, delay: 1, initial: 0}
  x: {type: Integrator, input: late - x}
record: [x]
simulate: {stop: 5}
",
    );
    let error = system.linearize(&start(&system), &Linearize::default()).unwrap_err();
    assert_eq!(error.code(), "delay-not-linear", "{error}");
    let about = Linearize { delays: Delays::Pade(3), ..Linearize::default() };
    let found = system.linearize(&start(&system), &about).unwrap();
    let gain = found.system.response(0.0, 0, 0).unwrap();
    close(&[gain.re, gain.im], &[2.0, 0.0]);
}
