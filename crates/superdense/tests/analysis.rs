//! Steady states and linear models, against closed forms and differences in high precision.

mod delays;
mod linear;
mod precise;
mod refused;
mod steady;
mod switches;

use superdense::{
    Linearization, Linearize, NamedValue, OperatingPoint, System, Time, Trim, Trimmed,
};

/// The linear model of a text at its start.
pub fn linear(system: &System, inputs: &[&str], outputs: &[&str]) -> Linearization {
    linear_at(system, &start(system), inputs, outputs)
}

/// The same at a point.
pub fn linear_at(
    system: &System,
    point: &OperatingPoint,
    inputs: &[&str],
    outputs: &[&str],
) -> Linearization {
    let names = |of: &[&str]| Some(of.iter().map(|name| (*name).to_owned()).collect());
    let about =
        Linearize { inputs: names(inputs), outputs: names(outputs), ..Linearize::default() };
    system.linearize(point, &about).unwrap_or_else(|error| panic!("{error}"))
}

pub fn start(system: &System) -> OperatingPoint {
    system.operating_point(None, &[]).unwrap_or_else(|error| panic!("{error}"))
}

pub fn reached(system: &System, seconds: f64) -> OperatingPoint {
    let time = Time::from_f64(seconds);
    system.operating_point(time, &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// Names with a number each.
pub fn values(of: &[(&str, f64)]) -> Vec<(String, Vec<f64>)> {
    of.iter().map(|(name, value)| ((*name).to_owned(), vec![*value])).collect()
}

pub fn trimmed(system: &System, about: &Trim) -> Trimmed {
    system.trim(&start(system), about).unwrap_or_else(|error| panic!("{error}"))
}

/// The number with a name.
pub fn number(of: &[NamedValue], name: &str) -> f64 {
    let found = of.iter().find(|own| own.name == name);
    found.unwrap_or_else(|| panic!("no {name} among {of:?}")).value
}

pub fn names(of: &[NamedValue]) -> Vec<&str> {
    of.iter().map(|own| own.name.as_str()).collect()
}

/// Checks numbers up to rounding.
#[track_caller]
pub fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{found:?} {expected:?}");
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-13 * b.abs().max(1.0), "{found:?} is not {expected:?}");
    }
}
