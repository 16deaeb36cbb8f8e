//! Truths about linear systems, filters, controllers and limited integrators: closed forms.

mod bands;
mod control;
mod filters;
mod limits;
mod linear;

use superdense::{Tag, Trace};

use crate::common::{assert_near, codes, refusal, simulate};

/// Checks a scalar signal at the last microstep of each time against a function of time.
#[track_caller]
fn follows(text: &str, name: &str, tolerance: f64, truth: impl Fn(f64) -> f64) {
    let trace = simulate(text).trace;
    let series = trace.series(name);
    assert!(series.len() > 5, "{} rows of {name}", series.len());
    for (place, (tag, value)) in series.iter().enumerate() {
        let is_last = series.get(place + 1).is_none_or(|(next, _)| next.time > tag.time);
        if is_last {
            let time = tag.time.seconds();
            let off = value - truth(time);
            assert!(off.abs() <= tolerance, "{name} is {value} at {time}: off by {off:e}");
        }
    }
}

/// Checks that two signals agree in every row in which both are present.
#[track_caller]
fn agree(text: &str, one: &str, other: &str, tolerance: f64) {
    let trace = simulate(text).trace;
    let (one, other) = (trace.series(one), trace.series(other));
    assert!(one.len() > 5 && one.len() == other.len());
    for ((tag, a), (same, b)) in one.iter().zip(&other) {
        assert_eq!(tag, same);
        assert!((a - b).abs() <= tolerance, "{a} and {b} at {tag}: off by {:e}", a - b);
    }
}

/// Checks that a block is refused for one reason alone.
#[track_caller]
fn refused(block: &str, code: &str, reason: &str) {
    let refused = refusal(&format!("blocks:\n  b: {block}\nrecord: [b]\n"));
    assert_eq!(codes(&refused)[0], code, "{refused}");
    assert!(refused.to_string().contains(reason), "{refused}");
    let others = codes(&refused).into_iter().filter(|other| *other != "unknown-name");
    assert_eq!(others.count(), 1, "{refused}");
}

/// Checks that a scalar signal carries one impulse, and the tag and weight of it.
#[track_caller]
fn weighs(trace: &Trace, name: &str, tag: Tag, weight: f64) {
    let column = trace.column(name).expect("a column");
    let own = trace.impulses().iter().filter(|impulse| impulse.column == column);
    let own: Vec<_> = own.map(|own| (own.tag, own.order, own.weight.clone())).collect();
    assert_eq!(own, [(tag, 0, vec![weight])], "{name}");
}

/// The gain of a system for a sine of a frequency, after everything else has died away: two
/// samples that are a quarter of a period apart are the legs of a triangle.
#[track_caller]
fn gain_is(block: &str, frequency: f64, settled: f64, expected: f64) {
    let quarter = std::f64::consts::FRAC_PI_2 / frequency;
    let settled = (settled / quarter).ceil() * quarter;
    let text = format!(
        "blocks:
  u: {{type: Expression, expression: sin({frequency} * time)}}
  y: {block}
record: [y]
simulate: {{stop: {}, times: [{settled}, {}], tolerance: 1e-10}}
",
        settled + quarter,
        settled + quarter
    );
    let series = simulate(&text).trace.series("y");
    let last = &series[series.len() - 2..];
    assert_near(last[0].1.hypot(last[1].1), expected, 1e-8);
}
