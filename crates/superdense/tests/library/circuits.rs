//! Truths about ideal circuits, against closed forms.

use std::f64::consts::PI;

use proptest::prelude::*;
use superdense::{Settings, parse_value};

use crate::common::draws::Draws;
use crate::common::{assert_at, assert_near, compile, simulate, tags, times};

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, failure_persistence: None, ..Default::default() })]

    /// A coil charged through a switch, whose current then flows on through a diode, and stops.
    ///
    /// Holds: closed form and jump of IdealDiode, IdealSwitch, Inductor.
    #[test]
    fn the_current_of_a_coil_flows_on_through_a_diode(
        u in 0.5f64..20.0,
        resistance in 0.5f64..10.0,
        inductance in 0.01f64..2.0,
        drop in 0.1f64..1.0,
        tau in 0.5f64..4.0,
    ) {
        let opens = tau * inductance / resistance;
        let peak = u / resistance * (1.0 - (-tau).exp());
        let stops = opens + inductance * peak / drop;
        let text = format!(
            "
parameters: {{u: {u}, R: {resistance}, L: {inductance}, drop: {drop}}}
blocks:
  closed: {{type: Expression, expression: time < {opens}}}
  switch: {{type: IdealSwitch, closed: closed, on_current: (u + diode.voltage) / R, off_voltage: u + diode.voltage}}
  diode:
    type: IdealDiode
    on_current: coil - switch.current
    off_voltage: 'if closed then R * coil - u else if coil > 0 then drop + 1 else 0'
    drop: drop
  coil: {{type: Inductor, L: L, voltage: -diode.voltage, jump: diode.stop}}
record: {{i: coil, stop: diode.stop, conducts: diode.conducts}}
simulate: {{stop: {}, tolerance: 1e-11}}
",
            stops * 1.1
        );
        let trace = simulate(&text).trace;
        let most = trace.series("i").iter().map(|(_, i)| *i).fold(0.0, f64::max);
        assert_near(most, peak, 1e-9 * peak);
        let stopped = times(&trace, "stop");
        prop_assert_eq!(stopped.len(), 1);
        assert_near(stopped[0], stops, 1e-9 * stops);
        prop_assert_eq!(trace.last("i"), Some(0.0));
        prop_assert_eq!(trace.last("conducts"), Some(0.0));
    }

    /// Two capacitors that are connected share their charge at once; the energy that is lost does
    /// not depend on how.
    ///
    /// Holds: closed form and jump of Capacitor.
    #[test]
    fn two_capacitors_share_their_charge(
        c1 in 0.1f64..10.0,
        c2 in 0.1f64..10.0,
        u1 in -5.0f64..5.0,
        u2 in -5.0f64..5.0,
    ) {
        let text = format!(
            "
blocks:
  closes: {{type: OneShot, at: 1}}
  charge: {{type: ImpulsiveForce, collision: closes, v1: previous(a), v2: previous(b), m1: {c1}, m2: {c2}, e: 0}}
  a: {{type: Capacitor, C: {c1}, v0: {u1}, charge: -charge}}
  b: {{type: Capacitor, C: {c2}, v0: {u2}, charge: charge}}
record: [a, b]
simulate: {{stop: 2}}
"
        );
        let trace = simulate(&text).trace;
        let both = (c1 * u1 + c2 * u2) / (c1 + c2);
        assert_near(trace.last("a").unwrap(), both, 1e-13);
        assert_near(trace.last("b").unwrap(), both, 1e-13);
        let energy = |a: f64, b: f64| (c1 * a * a + c2 * b * b) / 2.0;
        let lost = energy(u1, u2) - energy(both, both);
        assert_near(lost, c1 * c2 / (c1 + c2) * (u1 - u2).powi(2) / 2.0, 1e-10);
    }
}

/// A diode and an inductor between a sine and a constant voltage: the current is known piece by
/// piece, and the diode blocks when the area above the voltage has been returned.
///
/// Holds: closed form of Resistor.
#[test]
fn a_diode_charges_a_battery() {
    let text = "
blocks:
  source: {type: Sine, amplitude: 10, frequency: 1}
  diode: {type: IdealDiode, on_current: coil, off_voltage: source - 5}
  coil: {type: Inductor, L: 0.5, voltage: source - 5 - diode.voltage, jump: diode.stop}
  drop: {type: Resistor, R: 3, given: current, input: coil}
  leak: {type: Resistor, R: 4, input: drop}
record: {i: coil, stop: diode.stop, drop: drop, leak: leak, on: diode.conducts}
simulate: {stop: 3, tolerance: 1e-11}
";
    let trace = simulate(text).trace;
    // It conducts from sin = 1/2 on, at 1/12 s, and then L i = 10 (cos(pi / 6) - cos(2 pi t)) / (2 pi)
    // - 5 (t - 1/12), which returns to 0 in the second half of the period.
    let current = |t: f64| {
        (10.0 * ((PI / 6.0).cos() - (2.0 * PI * t).cos()) / (2.0 * PI) - 5.0 * (t - 1.0 / 12.0))
            / 0.5
    };
    let (mut low, mut high) = (0.5f64, 1.0f64);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if current(middle) > 0.0 { low = middle } else { high = middle }
    }
    let stops = times(&trace, "stop");
    assert_eq!(stops.len(), 3);
    for (period, stop) in stops.iter().enumerate() {
        assert_near(*stop, low + period as f64, 1e-9);
    }
    for (tag, i) in trace.series("i") {
        let t = tag.time.seconds().fract();
        let expected = if t > 1.0 / 12.0 && t < low { current(t) } else { 0.0 };
        assert_near(i, expected, 1e-8);
    }
    for ((_, drop), (_, leak)) in trace.series("drop").into_iter().zip(trace.series("leak")) {
        assert_near(leak, drop / 4.0, 1e-15 * drop.abs());
    }
}

/// Impulses are charges and fluxes, and pass a resistor.
///
/// Holds: impulse of Capacitor, Inductor, Resistor; absence of Capacitor, Inductor, Resistor; jump of
/// Resistor.
#[test]
fn impulses_are_charges_and_fluxes() {
    let text = "
blocks:
  k: {type: OneShot, at: 1, value: 6}
  r: {type: Resistor, R: 2, input: 8 * delta(time - 1)}
  c: {type: Capacitor, C: 2, current: r}
  l: {type: Inductor, L: 4, voltage: 8 * delta(time - 1)}
  e: {type: Resistor, R: 2, given: current, input: k}
  still_c: {type: Capacitor, C: 2, v0: 3}
  still_l: {type: Inductor, L: 2, i0: 3}
record: {c: c, l: l, e: e, still_c: still_c, still_l: still_l}
simulate: {stop: 2}
";
    let trace = simulate(text).trace;
    assert_at(&trace, "c", &[("1", 0, 0.0), ("1", 1, 2.0)]);
    assert_at(&trace, "l", &[("1", 0, 0.0), ("1", 1, 2.0)]);
    assert_at(&trace, "e", &[("1", 1, 12.0)]);
    assert_eq!(tags(&trace, "e").len(), 1);
    assert_eq!((trace.last("still_c"), trace.last("still_l")), (Some(3.0), Some(3.0)));
}

/// A buck converter with two diodes, whose current stops in each period: for 200 inductances the
/// result is that of the converter with one diode, written as a conditional.
#[test]
fn a_converter_with_two_diodes_runs_for_any_inductance() {
    let system = compile(
        "
parameters: {source: 12, duty: 5 / 12, period: 20e-6, L: 47e-6, C: 47e-6, load: 50}
blocks:
  switch: {type: Pulse, period: period, width: duty * period}
  closed: {type: Expression, expression: switch > 0.5}
  lower:
    type: IdealDiode
    on_current: 'if closed then -1e-6 else coil'
    off_voltage: 'if closed then -source else if coil > 1e-6 then source else -c'
  upper:
    type: IdealDiode
    on_current: 'if closed then -1e-6 else -coil'
    off_voltage: 'if closed then 0 else if coil < -1e-6 then source else c - source'
  node: {type: Expression, expression: 'if closed then source else if lower.conducts then 0 else if upper.conducts then source else c'}
  stops: {type: Sum, inputs: ['when(not closed, lower.stop)', 'when(not closed, -upper.stop)']}
  coil: {type: Inductor, L: L, voltage: node - c, jump: stops}
  c: {type: Capacitor, C: C, current: coil - c / load}
  drive: {type: Expression, expression: 'if closed then source - u else if i > 0 then -u else 0'}
  i: {type: Integrator, input: drive / L}
  u: {type: Integrator, input: (i - u / load) / C}
record: {off: c - u, between: coil - i, coil: coil, stops: stops}
simulate: {stop: 0.5e-3, tolerance: 1e-9}
",
    );
    let mut draws = Draws::new(11);
    for _ in 0..200 {
        let inductance = draws.number(5.0, 200.0) * 1e-6;
        let value = parse_value(&inductance.to_string()).unwrap();
        let settings =
            Settings { parameters: vec![("L".to_owned(), value)], ..Settings::default() };
        let run = system.start(&settings).unwrap_or_else(|refused| panic!("{refused}"));
        let trace = match run.finish() {
            Ok(outcome) => outcome.trace,
            Err(failure) => panic!("L = {inductance}: {failure}"),
        };
        assert!(!tags(&trace, "stops").is_empty(), "L = {inductance}: the current never stops");
        for name in ["off", "between"] {
            for (tag, value) in trace.series(name) {
                assert!(value.abs() < 1e-9, "L = {inductance}: {name} is {value} at {tag}");
            }
        }
        assert!(trace.series("coil").iter().all(|(_, i)| *i > -1e-12), "L = {inductance}");
    }
}
