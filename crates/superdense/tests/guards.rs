//! Functions that are guarded by a comparison from leaving their domain.

use crate::common::{assert_near, simulate};

#[test]
fn a_guarded_root_is_integrated_past_its_end() {
    for rate in ["'sqrt(max(h, 0))'", "'if h > 0 then sqrt(h) else 0'"] {
        let text = format!(
            "
blocks:
  h: {{type: Integrator, input: -1, initial: 1}}
  q: {{type: Integrator, input: {rate}}}
record: [h, q]
simulate: {{stop: 3, tolerance: 1e-9}}
"
        );
        assert_near(simulate(&text).trace.last("q").unwrap(), 2.0 / 3.0, 1e-7);
    }
}

#[test]
fn a_guarded_root_is_recorded_on_both_sides() {
    let trace = simulate(
        "
blocks:
  r: {type: Ramp}
  q: {type: Expression, expression: 'sqrt(max(0, sin(3 * r)))'}
  a: {type: Expression, expression: 'asin(min(r, 1))'}
record: [q, a]
simulate: {stop: 6, every: 0.01}
",
    )
    .trace;
    for (tag, q) in trace.series("q") {
        let t = tag.time.seconds();
        assert_near(q, (3.0 * t).sin().max(0.0).sqrt(), 1e-7);
    }
    for (tag, a) in trace.series("a") {
        assert_near(a, tag.time.seconds().min(1.0).asin(), 1e-7);
    }
}

/// h = (1 - t / 2)^2 until the tank is empty, and 0 from then on.
#[test]
fn a_tank_runs_empty_and_stays_empty() {
    for solver in ["rk45", "rk23", "rk4"] {
        let text = format!(
            "
blocks:
  h: {{type: Integrator, input: '-sqrt(max(h, 0))', initial: 1}}
record: [h]
simulate: {{stop: 4, solver: {solver}, step: 0.01, tolerance: 1e-8}}
"
        );
        let trace = simulate(&text).trace;
        for (tag, h) in trace.series("h") {
            let t = tag.time.seconds();
            let exact = if t < 2.0 { (1.0 - t / 2.0).powi(2) } else { 0.0 };
            assert_near(h, exact, 2e-4);
        }
    }
}

/// An event at the start and a grid: every tag once, in order.
#[test]
fn a_grid_and_an_event_at_the_start_share_their_rows() {
    let trace = simulate(
        "
blocks:
  u: {type: Step, time: 0}
  x: {type: Integrator, input: u}
record: [u, x]
simulate: {stop: 1, every: 0.5, rows: microsteps}
",
    )
    .trace;
    assert!(trace.tags().windows(2).all(|pair| pair[0] < pair[1]), "{:?}", trace.tags());
    assert_eq!(trace.len(), 4);
}
