//! Energy and momentum over thousands of collisions.

use superdense::{Library, Settings, System, Trace, parse_value, read};

use super::vectors;
use crate::common::gallery;

/// Runs a model of the gallery that reverses all velocities at `turn`, without that; returns the
/// number of ticks. Every recorded value of the named signals is the first one within a part of 1e-12
/// of `size`.
fn keeps(name: &str, stop: &str, signals: &[(&str, f64)]) -> u64 {
    let path = gallery().into_iter().find(|path| path.to_string_lossy().contains(name));
    let model = read(&path.expect("a model of the gallery")).expect("a model");
    let system = System::compile(&model, &Library::standard()).expect("compiles");
    let value = |text: &str| parse_value(text).expect("a number");
    let turn = ("turn".to_owned(), value("1e6"));
    let settings = Settings { parameters: vec![turn], ..Settings::default() };
    let settings = settings.stop(stop).every("1");
    let run = system.start(&settings).unwrap_or_else(|refused| panic!("{refused}"));
    let outcome = run.finish().unwrap_or_else(|failure| panic!("{failure}"));
    for (signal, size) in signals {
        let rows: Vec<f64> = numbers(&outcome.trace, signal);
        assert!(rows.len() > 100, "{signal}");
        for x in &rows {
            assert!((x - rows[0]).abs() < 1e-12 * size, "{signal}: {x}, first {}", rows[0]);
        }
    }
    outcome.counters.ticks
}

/// The values of a signal, or of an element of a vector: `balance[0]`.
fn numbers(trace: &Trace, signal: &str) -> Vec<f64> {
    match signal.strip_suffix(']').and_then(|name| name.split_once('[')) {
        None => trace.series(signal).into_iter().map(|(_, x)| x).collect(),
        Some((name, place)) => {
            let place: usize = place.parse().expect("a position");
            vectors(trace, name).into_iter().map(|(_, x)| x[place]).collect()
        }
    }
}

/// Twenty equal balls between walls: ten thousand collisions, each an instant of its own.
#[test]
fn ten_thousand_collisions_on_a_line_keep_energy_and_momentum() {
    let ticks = keeps("billiards-on-a-line", "450", &[("energy", 12.6), ("balance", 10.0)]);
    assert!(ticks > 10_000, "{ticks}");
}

/// Six discs in a box.
#[test]
fn collisions_in_a_box_keep_energy_and_momentum() {
    let signals = [("energy", 4.57), ("balance[0]", 3.0), ("balance[1]", 3.0)];
    let ticks = keeps("billiards-of-discs", "200", &signals);
    assert!(ticks > 1_500, "{ticks}");
}
