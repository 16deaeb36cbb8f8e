//! Truths about sources: a wave through samples against closed forms, at exact times.

use superdense::{Tag, Time, Trace};

use super::same_everywhere;
use crate::common::{
    assert_at, assert_near, at, codes, compile_over, exact, has_row, refusal, simulate, tags,
};

/// Runs a model with one wave `y` and more blocks.
fn wave(fields: &str, more: &str, record: &str, simulate: &str) -> Trace {
    let text = format!(
        "blocks:
  y: {{type: Waveform, {fields}}}
{more}
record: [{record}]
simulate: {{{simulate}}}
"
    );
    same_everywhere(&text)
}

/// Checks a scalar signal against a function of time in every row.
#[track_caller]
fn assert_follows(trace: &Trace, name: &str, tolerance: f64, truth: impl Fn(f64) -> f64) {
    let rows = trace.series(name);
    assert!(rows.len() > 5);
    for (tag, value) in rows {
        let expected = truth(tag.time.seconds());
        assert!(
            (value - expected).abs() <= tolerance,
            "{name} is {value}, not {expected} at {tag}"
        );
    }
}

const UNEVEN: &str = "times: [0.05, 0.1, 0.3], values: [0.3, 1.1, 0.7], period: 0.7";

/// One cycle of the wave above, from sample to sample.
fn straight(time: f64) -> f64 {
    let points = [(-0.4, 0.7), (0.05, 0.3), (0.1, 1.1), (0.3, 0.7), (0.75, 0.3)];
    let time = time.rem_euclid(0.7);
    let after = points.iter().position(|(at, _)| time < *at).unwrap();
    let ((t0, y0), (t1, y1)) = (points[after - 1], points[after]);
    y0 + (y1 - y0) * (time - t0) / (t1 - t0)
}

/// Holds: closed form of Waveform.
#[test]
fn a_linear_wave_goes_from_sample_to_sample() {
    let trace = wave(UNEVEN, "", "y", "stop: 7, every: 0.037, rows: microsteps");
    assert_follows(&trace, "y", 1e-13, straight);
    // The first cycle begins in the middle of the segment from 0.7 at -0.4 s to 0.3 at 0.05 s.
    assert_near(at(&trace, "y", exact("0", 0)).unwrap(), 0.3 + 0.4 * 0.05 / 0.45, 1e-15);
    // Samples are exact on both sides, at every repetition.
    for microstep in [0, 1] {
        assert_at(&trace, "y", &[("0.05", microstep, 0.3), ("0.1", microstep, 1.1)]);
        assert_at(&trace, "y", &[("0.3", microstep, 0.7), ("6.35", microstep, 0.3)]);
        assert_at(&trace, "y", &[("6.4", microstep, 1.1), ("6.6", microstep, 0.7)]);
    }
}

/// The integral over a cycle is a sum of trapezia: 0.5 s before 1.1, and so on.
#[test]
fn a_wave_is_integrated_exactly() {
    let more = "  area: {type: Integrator, input: y}";
    let trace = wave(UNEVEN, more, "area", "stop: 70, tolerance: 1e-10");
    let cycle = (0.3 + 1.1) / 2.0 * 0.05 + (1.1 + 0.7) / 2.0 * 0.2 + (0.7 + 0.3) / 2.0 * 0.45;
    assert_near(trace.series("area").last().unwrap().1, 100.0 * cycle, 1e-9);
}

/// Events of the same pattern, in exact fractions, have the tags of the samples.
#[test]
fn samples_do_not_drift() {
    let fields = "times: [0, 1/7, 0.1 + 1/3], values: [2, 5, 3], period: 2/3, interpolation: hold";
    let more =
        "  e: {type: EventSource, offsets: [0, 1/7, 0.1 + 1/3], period: 2/3, values: [2, 5, 3]}
  c: {type: Clock, period: 2}";
    let trace = wave(fields, more, "y, e, c", "stop: 2000");
    let samples = trace.series("e");
    assert_eq!(samples.len(), 9001);
    for (tag, value) in &samples {
        let before = [3.0, 2.0, 5.0][[2.0, 5.0, 3.0].iter().position(|v| v == value).unwrap()];
        assert_eq!(at_left(&trace, *tag), Some(before), "{tag}");
    }
    // What is recorded at a sample is its value, and every second brings the first one at a clock.
    for (tag, value) in trace.series("y").iter().filter(|(tag, _)| tag.microstep == 1) {
        let sample = samples.binary_search_by_key(tag, |sample| sample.0).unwrap();
        assert_eq!(*value, samples[sample].1);
    }
    let ticks = tags(&trace, "c");
    assert_eq!(ticks.len(), 1001);
    for tick in ticks {
        let sample = samples.binary_search_by_key(&tick, |sample| sample.0).unwrap();
        assert_eq!(samples[sample].1, 2.0);
    }
}

/// The value of `y` at microstep 0 of an instant.
fn at_left(trace: &Trace, tag: Tag) -> Option<f64> {
    let row = trace.tags().binary_search(&Tag::new(tag.time, 0)).ok()?;
    trace.get(row, trace.column("y").unwrap()).map(|value| value[0])
}

/// Holds: jump of Waveform.
#[test]
fn a_held_wave_jumps_at_its_samples() {
    let trace = wave(&format!("{UNEVEN}, interpolation: hold"), "", "y", "stop: 1");
    let jumps = [("0", 0, 0.7), ("0.05", 0, 0.7), ("0.05", 1, 0.3), ("0.1", 0, 0.3)];
    assert_at(&trace, "y", &jumps);
    let jumps = [("0.1", 1, 1.1), ("0.3", 0, 1.1), ("0.3", 1, 0.7), ("0.75", 0, 0.7)];
    assert_at(&trace, "y", &jumps);
    assert_at(&trace, "y", &[("0.75", 1, 0.3), ("0.8", 1, 1.1), ("1", 0, 1.1), ("1", 1, 0.7)]);
}

/// Neither a linear nor a cubic wave has a jump that its derivative shows, far from the start too.
#[test]
fn the_derivative_of_a_wave_has_no_impulses() {
    for kind in ["linear", "hermite"] {
        let fields = format!("{UNEVEN}, interpolation: {kind}");
        let more =
            "  d: {type: Derivative, input: y}\n  square: {type: Expression, expression: d * d}";
        let trace = wave(&fields, more, "d, square", "start: 1000000 / 3, stop: 1000000 / 3 + 20");
        assert!(trace.impulses().is_empty(), "{kind}");
        let slopes = trace.series("d");
        let greatest = slopes
            .windows(2)
            .filter(|pair| pair[0].0.time == pair[1].0.time && pair[1].0.time > Time::ZERO)
            .map(|pair| (pair[1].1 - pair[0].1).abs())
            .fold(0.0, f64::max);
        assert_eq!(greatest > 1.0, kind == "linear", "{kind}: {greatest}");
    }
    let trace = wave(UNEVEN, "  d: {type: Derivative, input: y}", "d", "stop: 1");
    for (time, slope) in [("0.05", 16.0), ("0.1", -2.0), ("0.3", -0.4 / 0.45)] {
        assert_near(at(&trace, "d", exact(time, 1)).unwrap(), slope, 1e-13);
    }
}

/// x^3 - x on [-1, 2] with its own slopes at three uneven samples.
#[test]
fn a_cubic_wave_is_exact_on_cubics() {
    let fields = "times: [0, 0.5, 3], values: [0, 0.375, 6], derivatives: [2, -0.25, 11], repeat: once, \
        interpolation: hermite, start: -1";
    let trace = wave(fields, "", "y", "start: -2, stop: 3, every: 0.03");
    assert_follows(&trace, "y", 1e-13, |t| t.clamp(-1.0, 2.0).powi(3) - t.clamp(-1.0, 2.0));
}

/// Without slopes, those of the lines through the neighbours; in the middle of a segment a cubic is
/// (y0 + y1) / 2 + h (m0 - m1) / 8.
#[test]
fn a_cubic_wave_takes_its_slopes_from_its_neighbours() {
    let fields = format!("{UNEVEN}, interpolation: hermite");
    let trace = wave(&fields, "", "y", "stop: 2, times: [0.075, 0.2, 0.525, 0.775]");
    let (m0, m1, m2) = ((1.1 - 0.7) / 0.5, (0.7 - 0.3) / 0.25, (0.3 - 1.1) / 0.65);
    let middle = |y0: f64, y1: f64, h: f64, m0: f64, m1: f64| (y0 + y1) / 2.0 + h * (m0 - m1) / 8.0;
    for (time, expected) in [
        ("0.075", middle(0.3, 1.1, 0.05, m0, m1)),
        ("0.2", middle(1.1, 0.7, 0.2, m1, m2)),
        ("0.525", middle(0.7, 0.3, 0.45, m2, m0)),
        ("0.775", middle(0.3, 1.1, 0.05, m0, m1)),
    ] {
        assert_near(at(&trace, "y", exact(time, 0)).unwrap(), expected, 1e-14);
    }
    // Played once, the slopes at both ends are 0, so that the signal goes on smoothly.
    let fields =
        "times: [0, 1, 3], values: [0, 1, 5], repeat: once, interpolation: hermite, start: 1";
    let trace = wave(fields, "", "y", "stop: 5, times: [0.5, 1.5, 3, 4.5]");
    for (time, expected) in [
        ("0.5", 0.0),
        ("1.5", middle(0.0, 1.0, 1.0, 0.0, 5.0 / 3.0)),
        ("3", middle(1.0, 5.0, 2.0, 5.0 / 3.0, 0.0)),
        ("4.5", 5.0),
    ] {
        assert_near(at(&trace, "y", exact(time, 0)).unwrap(), expected, 1e-14);
    }
}

/// A triangle wave whose first sample is after the start: the values that Ptolemy's own test of its
/// Waveform expects.
#[test]
fn the_first_cycle_begins_between_samples() {
    let fields = "times: [0.5, 1], values: [1, -1], period: 2";
    let trace = wave(fields, "", "y", "stop: 1.5, every: 0.1, rows: microsteps");
    let values = [1.0 / 3.0, 7.0 / 15.0, 0.6, 11.0 / 15.0, 13.0 / 15.0, 1.0, 0.6, 0.2, -0.2, -0.6];
    let times = ["0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9"];
    for (time, value) in times.into_iter().zip(values) {
        assert_near(at(&trace, "y", exact(time, 0)).unwrap(), value, 1e-13);
    }
}

#[test]
fn a_wave_begins_at_its_start() {
    let fields = format!("{UNEVEN}, start: 0.5");
    let trace = wave(&fields, "", "y", "start: -1, stop: 2, every: 0.05, rows: microsteps");
    assert_follows(&trace, "y", 1e-13, |t| straight((t - 0.5).max(0.0)));
    assert!(has_row(&trace, exact("0.5", 0)));
    let once = "times: [-0.5, 0.25], values: [[1, 10], [4, 20]], repeat: once";
    let trace =
        wave(once, "", "'y[0]', 'y[1]'", "start: -1, stop: 1, every: 0.25, rows: microsteps");
    assert_follows(&trace, "y[0]", 1e-14, |t| 1.0 + 4.0 * (t.clamp(-0.5, 0.25) + 0.5));
    assert_follows(&trace, "y[1]", 1e-13, |t| 10.0 + 40.0 / 3.0 * (t.clamp(-0.5, 0.25) + 0.5));
}

/// In a state, times count from its entry.
#[test]
fn a_wave_in_a_state_begins_with_it() {
    let text = "blocks:
  m:
    type: Modal
    states:
      a:
        blocks: {w: {type: Waveform, times: [0, 0.3], values: [0, 3], period: 0.6}}
        outputs: {y: w}
        transitions: [{to: a, after: 0.5}]
record: [m.y]
simulate: {stop: 2.4, every: 0.1, rows: microsteps}
";
    let trace = same_everywhere(text);
    for (time, value) in [("0.1", 1.0), ("0.3", 3.0), ("0.4", 2.0), ("0.7", 2.0), ("2.2", 2.0)] {
        assert_near(at(&trace, "m.y", exact(time, 0)).unwrap(), value, 1e-13);
    }
}

/// After the events of a point, which are those up to its time.
#[test]
fn a_fixed_step_run_has_the_same_wave() {
    let text = format!(
        "blocks:
  y: {{type: Waveform, {UNEVEN}}}
record: [y]
simulate: {{stop: 7, impulses: numeric, step: 0.013, rows: instants}}
"
    );
    assert_follows(&simulate(&text).trace, "y", 1e-13, straight);
}

/// Values can change between runs; so can times, by compiling again.
#[test]
fn samples_are_values_of_a_run() {
    let text = "parameters: {top: 2, width: 0.5}
blocks:
  y: {type: Waveform, times: [0, width], values: [0, top], period: 1, interpolation: hermite}
record: [y]
simulate: {stop: 3}
";
    for (top, width, time) in [("2", "0.5", "2.5"), ("7", "0.5", "2.5"), ("2", "0.25", "2.25")] {
        let system = compile_over(text, &[("top", top), ("width", width)]);
        let trace = system.simulate().unwrap_or_else(|failure| panic!("{failure}")).trace;
        assert_at(&trace, "y", &[(time, 0, top.parse().unwrap()), (time, 1, top.parse().unwrap())]);
    }
}

/// Holds: bad input of Waveform.
#[test]
fn bad_waves_are_refused() {
    for (fields, code, message) in [
        ("times: [0, 0.5, 0.5], values: [1, 2, 3]", "bad-parameter", "`times` must rise"),
        ("times: [0, 2]", "bad-parameter", "up to, but not including, the period"),
        ("times: [-0.1, 0]", "bad-parameter", "up to, but not including, the period"),
        ("times: []", "bad-parameter", "at least one time"),
        ("times: [0]", "size-mismatch", "`times` has 1 elements and `values` has 2"),
        ("values: 3", "size-mismatch", "`times` has 2 elements and `values` has 1"),
        ("period: 0", "bad-parameter", "`period` must be positive"),
        ("interpolation: spline", "bad-parameter", "spline"),
        ("derivatives: [1, 2]", "bad-parameter", "only with `interpolation: hermite`"),
        (
            "interpolation: hermite, derivatives: [1, 2, 3]",
            "size-mismatch",
            "`times` has 2 elements and `derivatives` has 3",
        ),
        (
            "interpolation: hermite, derivatives: [[1, 2], [3, 4]]",
            "size-mismatch",
            "`values` is an integer vector of 2 and `derivatives` is an integer 2x2 matrix",
        ),
        ("values: [true, false]", "type-mismatch", "`values` are truth values"),
    ] {
        let text = format!("blocks:\n  y: {{type: Waveform, {fields}}}\nrecord: [y]\n");
        let refused = refusal(&text);
        assert_eq!(codes(&refused), [code], "{refused}");
        assert!(refused.to_string().contains(message), "{refused}");
    }
    let held = wave("values: [true, false], interpolation: hold", "", "y", "stop: 3");
    assert_at(&held, "y", &[("0", 0, 0.0), ("0", 1, 1.0), ("1", 1, 0.0), ("2", 1, 1.0)]);
}
