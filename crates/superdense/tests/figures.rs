//! The figures of the page on impulses are current: drawn again they are the same.

use std::fs;
use std::path::Path;

use crate::common::{same_picture, simulate};
use superdense::plots::{Axis, Color, Dash, Figure, Panel, Signal, TimeAxis, png, svg};

/// Compares a figure with its file; with `SUPERDENSE_BLESS=1`, the file is written instead.
/// `SUPERDENSE_PICTURES` names a folder for the same as images, to look at.
fn check(name: &str, figure: &Figure, trace: &superdense::Trace) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("two folders deep");
    let path = root.join("docs/pictures/impulses").join(name).with_extension("svg");
    if let Some(folder) = std::env::var_os("SUPERDENSE_PICTURES") {
        let image = png(figure, trace).expect("a figure that can be drawn");
        fs::write(Path::new(&folder).join(name).with_extension("png"), image).expect("a folder");
    }
    let drawn = svg(figure, trace).expect("a figure that can be drawn");
    same_picture::check(&path, &drawn, same_picture::bless())
        .unwrap_or_else(|old| panic!("{old}\nSUPERDENSE_BLESS=1 draws it again"));
}

fn over_x(figure: Figure) -> Figure {
    let time =
        TimeAxis { label: Some("x".to_owned()), unit: Some(String::new()), ..TimeAxis::default() };
    Figure { time, ..figure }
}

/// Figure 2 of Gomes et al.: triangles of the area 1 that get narrower, and their limit.
#[test]
fn an_impulse_is_a_limit() {
    let trace = simulate(
        "
blocks:
  f1: {type: Expression, expression: 'max(0, 1 - abs(time))'}
  f2: {type: Expression, expression: 'max(0, 2 - 4 * abs(time))'}
  f4: {type: Expression, expression: 'max(0, 4 - 16 * abs(time))'}
  f8: {type: Expression, expression: 'max(0, 8 - 64 * abs(time))'}
  d: {type: Expression, expression: delta(time)}
simulate: {start: -1.5, stop: 1.5, every: 1/32, rows: microsteps}
",
    )
    .trace;
    let width = [("f1", "k = 1"), ("f2", "k = 2"), ("f4", "k = 4"), ("f8", "k = 8")];
    let triangles = width.map(|(name, label)| match name {
        "f1" => Signal::new(name).label(label).dash(Dash::Dashed),
        _ => Signal::new(name).label(label),
    });
    let functions =
        Panel::over_time(triangles).y(Axis::new("f(x)").between(0.0, 8.5)).height(190.0);
    let limit = Panel::over_time([Signal::new("d").color(Color::new(0xd5, 0x5e, 0x00))])
        .y(Axis::new("limit").between(0.0, 1.4))
        .height(90.0);
    let figure = Figure::new([functions, limit]).title("Triangles of area 1, and their limit");
    check("impulse-limit", &over_x(figure), &trace);
}

/// Figure 3: the derivative of such a triangle is two pulses, which see the slope of what they are
/// multiplied with.
#[test]
fn a_derivative_of_an_impulse_sees_a_slope() {
    let trace = simulate(
        "
parameters: {k: 2}
blocks:
  up: {type: Step, time: -1 / k, after: k^2}
  down: {type: Step, time: 0, after: -2 * k^2}
  back: {type: Step, time: 1 / k, after: k^2}
  pulses: {type: Sum, inputs: [up, down, back]}
  u: {type: Expression, expression: (time - 0.4) / 1.4}
  phi: {type: Expression, expression: if abs(u) < 0.98 then exp(1 - 1 / (1 - u^2)) else 0}
  product: {type: Product, inputs: [pulses, phi]}
  d: {type: Expression, expression: 'delta(time, 1)'}
record: [pulses, phi, product, d]
simulate: {start: -1.5, stop: 1.5, every: 1/64, rows: microsteps}
",
    )
    .trace;
    let pulses = Panel::over_time([
        Signal::new("pulses").label("f′(x), k = 2"),
        Signal::new("product").label("f′(x) φ(x)").dash(Dash::Dashed),
    ])
    .y(Axis::new("pulses").between(-4.6, 4.6))
    .height(160.0);
    let phi = Panel::over_time([Signal::new("phi").label("φ(x)").color(Color::new(0, 0x9e, 0x73))])
        .y(Axis::new("φ(x)"))
        .height(80.0);
    let limit = Panel::over_time([Signal::new("d").color(Color::new(0xd5, 0x5e, 0x00))])
        .y(Axis::new("limit").between(0.0, 1.4))
        .height(80.0);
    let title = "The derivative of a triangle, times a test function";
    check("impulse-derivative", &over_x(Figure::new([pulses, phi, limit]).title(title)), &trace);
}
