//! Draws one figure of each kind into a folder, from traces made by hand.
//!
//! `cargo run -p superdense-plot --example gallery -- pictures`

use std::f64::consts::PI;
use std::fs;
use std::path::Path;

use base::{Tag, Time, Type};
use superdense_plot::{Axis, Figure, Pair, Panel, Signal, png, svg};
use trace::{Column, Impulse, Trace};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("name the folder to draw into")?;
    fs::create_dir_all(&folder)?;
    let ball = bouncing_ball(0.8, 12.0);
    let wave = square_wave();
    let train = impulse_train();
    let orbit = oscillator();
    let cradle = cradle();
    let figures: Vec<(&str, Figure, &Trace)> = vec![
        ("ball-default", Figure::of(&ball), &ball),
        ("ball", paper_ball(), &ball),
        ("ball-phase", Figure::new([Panel::phase("y", "v")]), &ball),
        ("wave-default", Figure::of(&wave), &wave),
        ("wave", paper_wave(), &wave),
        ("wave-steps", wave_steps(), &wave),
        ("train-default", Figure::of(&train), &train),
        ("orbit-default", Figure::of(&orbit), &orbit),
        ("orbit", paper_orbit(), &orbit),
        ("cradle", Figure::of(&cradle), &cradle),
        ("cradle-open", Figure::of(&cradle).open(time(1.0)), &cradle),
    ];
    for (name, figure, trace) in figures {
        draw(&folder, name, &figure, trace)?;
    }
    for (name, trace) in
        [("events", events()), ("zeno", zeno()), ("gaps", gaps()), ("million", million())]
    {
        draw(&folder, name, &Figure::of(&trace), &trace)?;
    }
    for (name, trace) in [("empty", ball_columns()), ("nothing", Trace::default())] {
        draw(&folder, name, &Figure::of(&trace), &trace)?;
    }
    let many = many();
    draw(&folder, "many", &Figure::of(&many), &many)?;
    let far = Figure::new([Panel::over_time(["y"])]).between(time(3.000001), time(3.000002));
    draw(&folder, "far", &far, &ball)?;
    Ok(())
}

fn draw(
    folder: &str,
    name: &str,
    figure: &Figure,
    trace: &Trace,
) -> Result<(), Box<dyn std::error::Error>> {
    let started = std::time::Instant::now();
    let text = svg(figure, trace)?;
    let image = png(figure, trace)?;
    let place = Path::new(folder).join(name);
    println!("{name}: {} rows, {} bytes of SVG, {:?}", trace.len(), text.len(), started.elapsed());
    fs::write(place.with_extension("svg"), text)?;
    fs::write(place.with_extension("png"), image)?;
    Ok(())
}

fn time(seconds: f64) -> Time {
    Time::from_f64(seconds).expect("the time is in range")
}

fn table(columns: &[(&str, Type)]) -> Trace {
    let column = |(name, ty): &(&str, Type)| Column { name: (*name).to_owned(), ty: *ty };
    Trace::new(columns.iter().map(column).collect())
}

/// Adds a row; what is NaN is absent.
fn push(trace: &mut Trace, t: f64, microstep: u32, row: &[f64]) {
    let value = |column: usize| (!row[column].is_nan()).then_some(&row[column..=column]);
    trace.push(Tag::new(time(t), microstep), value);
}

const ABSENT: f64 = f64::NAN;

fn ball_columns() -> Trace {
    let real = Type::REAL;
    table(&[("y", real), ("v", real), ("a", real), ("kick", real), ("hit", Type::BOOL)])
}

/// A ball dropped from ten metres that keeps the part `e` of its speed at each bounce, in closed
/// form: its acceleration has an impulse where it bounces.
fn bouncing_ball(e: f64, stop: f64) -> Trace {
    const G: f64 = 9.81;
    let mut trace = ball_columns();
    let (mut from, mut y, mut v) = (0.0, 10.0, 0.0);
    while from < stop {
        let flight: f64 = (v + f64::sqrt(v * v + 2.0 * G * y)) / G;
        let to = f64::min(stop, from + flight);
        let steps = (flight * 20.0).ceil().max(3.0) as u32;
        for k in 0..=steps {
            let s = (to - from) * f64::from(k) / f64::from(steps);
            let row = [y + v * s - G * s * s / 2.0, v - G * s, -G, ABSENT, ABSENT];
            if k > 0 || from == 0.0 {
                push(&mut trace, from + s, 0, &row);
            }
        }
        if from + flight > stop || flight < 1e-3 {
            break;
        }
        let speed = G * flight - v;
        let kick = (1.0 + e) * speed;
        push(&mut trace, to, 1, &[0.0, e * speed, -G, kick, 1.0]);
        let tag = Tag::new(time(to), 1);
        trace.push_impulse(Impulse { tag, column: 2, order: 0, weight: vec![kick] });
        (from, y, v) = (to, 0.0, e * speed);
    }
    trace
}

fn paper_ball() -> Figure {
    Figure::new([
        Panel::over_time([Signal::new("y").label("height").unit("m")]),
        Panel::over_time([Signal::new("v").label("speed").unit("m/s")]),
        Panel::over_time([Signal::new("a").label("acceleration").unit("m/s²")]),
    ])
    .title("A bouncing ball")
}

/// A square wave and the answer of a resonant low pass to it, with steps that adapt.
fn square_wave() -> Trace {
    let mut trace = table(&[("square wave", Type::REAL), ("response", Type::REAL)]);
    let (omega, zeta): (f64, f64) = (9.0, 0.25);
    let damped = omega * (1.0 - zeta * zeta).sqrt();
    let (mut x, mut dx) = (0.0, 0.0);
    for half in 0..8 {
        let start = f64::from(half);
        let level = if half % 2 == 0 { 1.0 } else { -1.0 };
        push(&mut trace, start, u32::from(half > 0), &[level, x]);
        let (a, b) = (x - level, (dx + zeta * omega * (x - level)) / damped);
        let at = |s: f64| {
            let (sin, cos) = (damped * s).sin_cos();
            let decay = (-zeta * omega * s).exp();
            let value = decay * (a * cos + b * sin);
            let slope = decay * damped * (b * cos - a * sin) - zeta * omega * value;
            (level + value, slope)
        };
        let mut s: f64 = 0.0;
        while s < 1.0 {
            s = (s + 0.01 + 0.03 * s.sqrt()).min(1.0);
            push(&mut trace, start + s, 0, &[level, at(s).0]);
        }
        (x, dx) = at(1.0);
    }
    trace
}

fn paper_wave() -> Figure {
    let signals = [Signal::new("square wave").unit("V"), Signal::new("response").unit("V")];
    Figure::new([Panel::over_time(signals).y(Axis::new("voltage"))])
}

fn wave_steps() -> Figure {
    let panel = Panel::over_time(["square wave", "response"]).solver_steps();
    Figure::new([panel]).between(time(0.9), time(2.3))
}

/// Impulses of several orders on a signal that is not zero between them.
fn impulse_train() -> Trace {
    let mut trace = table(&[("u", Type::REAL), ("du", Type::REAL), ("x", Type::REAL)]);
    let mut total = 0.0;
    for k in 0..=100u32 {
        let t = f64::from(k) / 10.0;
        push(&mut trace, t, 0, &[0.4 * t.sin(), 0.4 * t.cos(), total]);
        if k % 10 == 5 {
            let weight = if k % 20 == 5 { 2.0 } else { -1.25 };
            total += weight;
            push(&mut trace, t, 1, &[0.4 * t.sin(), 0.4 * t.cos(), total]);
            let tag = Tag::new(time(t), 1);
            let mut impulse = |column, order, weight| {
                let weight = vec![weight];
                trace.push_impulse(Impulse { tag, column, order, weight });
            };
            impulse(0, 0, weight);
            impulse(1, 1, weight);
            if k % 40 == 5 {
                impulse(1, 0, 1.0);
                impulse(1, 2, -1.5);
            }
        }
    }
    trace
}

/// A damped oscillator as a vector of place and speed.
fn oscillator() -> Trace {
    let mut trace = table(&[("x", Type::vector(2))]);
    for k in 0..=2000u32 {
        let t = f64::from(k) * 0.02;
        let (sin, cos) = t.sin_cos();
        let decay = (-0.06 * t).exp();
        let row = [decay * cos, -decay * sin];
        trace.push(Tag::new(time(t), 0), |_| Some(&row[..]));
    }
    trace
}

fn paper_orbit() -> Figure {
    let pair = Pair::new("x[0]", "x[1]");
    let panel = Panel::phases([pair]).x(Axis::new("displacement").unit("m"));
    Figure::new([panel.y(Axis::new("velocity").unit("m/s")).equal_scales()])
}

/// Three equal balls, two of which touch: the momentum passes through the middle one in no time.
fn cradle() -> Trace {
    let names = ["v1", "v2", "v3", "force on 2", "collision"];
    let mut trace = table(&names.map(|name| (name, Type::REAL)));
    for k in 0..=10u32 {
        let t = f64::from(k) / 10.0;
        push(&mut trace, t, 0, &[1.0, 0.0, 0.0, 0.0, ABSENT]);
    }
    push(&mut trace, 1.0, 1, &[0.0, 1.0, 0.0, 0.0, 12.0]);
    push(&mut trace, 1.0, 2, &[0.0, 0.0, 1.0, 0.0, 23.0]);
    push(&mut trace, 1.0, 3, &[0.0, 0.0, 1.0, 0.0, ABSENT]);
    for k in 11..=20u32 {
        let t = f64::from(k) / 10.0;
        push(&mut trace, t, 0, &[0.0, 0.0, 1.0, 0.0, ABSENT]);
    }
    for (microstep, weight) in [(1, 1.0), (2, -1.0)] {
        let (tag, weight) = (Tag::new(time(1.0), microstep), vec![weight]);
        trace.push_impulse(Impulse { tag, column: 3, order: 0, weight });
    }
    trace
}

/// Clocks, samples, a counter and truth values.
fn events() -> Trace {
    let mut trace = table(&[
        ("arrivals", Type::REAL),
        ("departures", Type::REAL),
        ("queue length", Type::INT),
        ("busy", Type::BOOL),
        ("alarm", Type::BOOL),
        ("reset", Type::BOOL),
        ("unused", Type::REAL),
    ]);
    let mut queue = 0.0;
    for k in 0..60u32 {
        let t = f64::from(k) * 0.25;
        let now = |queue: f64| [f64::from(queue > 0.0), f64::from(queue > 3.0)];
        let [busy, alarm] = now(queue);
        push(&mut trace, t, 0, &[ABSENT, ABSENT, queue, busy, alarm, ABSENT, ABSENT]);
        let arrives = if k % 3 == 1 || k % 7 == 2 { 1.0 + f64::from(k % 4) } else { ABSENT };
        let departs = if k % 4 == 3 && queue > 0.0 { 1.5 } else { ABSENT };
        let reset = if k % 24 == 23 { 1.0 } else { ABSENT };
        queue += f64::from(!arrives.is_nan()) - f64::from(!departs.is_nan());
        queue = if reset == 1.0 { 0.0 } else { queue };
        let [busy, alarm] = now(queue);
        push(&mut trace, t, 1, &[arrives, departs, queue, busy, alarm, reset, ABSENT]);
    }
    trace
}

/// Events that crowd towards an instant.
fn zeno() -> Trace {
    let mut trace = table(&[("event", Type::REAL), ("level", Type::REAL)]);
    let (mut t, mut level) = (0.0, 1.0);
    push(&mut trace, 0.0, 0, &[ABSENT, level]);
    for k in 1..=100_000u32 {
        t = 5.0 * (1.0 - 0.9997f64.powf(f64::from(k)));
        push(&mut trace, t, 0, &[ABSENT, level]);
        level = if k % 2 == 0 { 1.0 } else { -1.0 } * (5.0 - t) / 5.0;
        push(&mut trace, t, 1, &[level, level]);
    }
    push(&mut trace, t.max(5.5), 0, &[ABSENT, level]);
    trace
}

/// A signal that is present over intervals, and one with values that are not finite.
fn gaps() -> Trace {
    let mut trace = table(&[("mixed", Type::REAL), ("1/x & <more>", Type::REAL)]);
    for k in 0..=400u32 {
        let t = f64::from(k) * 0.01;
        let on = (t * 1.5).fract() < 0.6;
        let inverse = if k == 200 { f64::INFINITY } else { (0.2 / (t - 2.0)).clamp(-5.0, 5.0) };
        push(&mut trace, t, 0, &[if on { (t * PI).sin() * 3.0 } else { ABSENT }, inverse]);
    }
    trace
}

/// Noise with one peak.
fn million() -> Trace {
    let mut trace = table(&[("noise with a single peak", Type::REAL), ("smooth", Type::REAL)]);
    let mut state = 1u64;
    for k in 0..1_000_000u32 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let noise = (state >> 40) as f64 / 16_777_216.0 - 0.5;
        let peak = if k == 654_321 { 3.0 } else { 0.0 };
        let t = f64::from(k) * 1e-8;
        push(&mut trace, t, 0, &[noise + peak, 2.0 * (f64::from(k) * 1e-5).sin()]);
    }
    trace
}

/// More signals than a panel takes, with long names.
fn many() -> Trace {
    let names: Vec<String> =
        (0..9).map(|k| format!("plant.controller.inner_loop.output_{k}")).collect();
    let columns: Vec<(&str, Type)> = names.iter().map(|name| (&**name, Type::REAL)).collect();
    let mut trace = table(&columns);
    for k in 0..=200u32 {
        let t = f64::from(k) * 100.0;
        let row: Vec<f64> = (0..9).map(|i| 2e5 * (t * 5e-4 + f64::from(i) * 0.4).sin()).collect();
        push(&mut trace, t, 0, &row);
    }
    trace
}
