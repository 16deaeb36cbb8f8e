//! State machines: modes, their clocks, guards, actions and hierarchy.

use crate::common;
use crate::common::{
    assert_near, at, bits, codes, compile, exact, failure, refusal, simulate, tags, times,
};
use superdense::{RunError, StopReason, Trace};

const G: f64 = 9.81;

/// A ball that comes to rest below a speed.
fn ball(transitions: &str, simulate: &str) -> String {
    format!(
        "
superdense: 1
name: modal-ball
parameters: {{g: 9.81, e: 0.8, y0: 10}}
blocks:
  ball:
    type: Modal
    initial: free
    states:
      free:
        blocks:
          v: {{type: Integrator, input: -g}}
          y: {{type: Integrator, input: v, initial: y0}}
        outputs: [y, v]
        transitions:
{transitions}
      rest:
        outputs: {{y: 0, v: 0}}
record: [ball.y, ball.v, ball.state]
simulate: {{{simulate}}}
"
    )
}

/// Where a column takes another value: the first tag of each.
fn changes(trace: &Trace, name: &str) -> Vec<(f64, u32, f64)> {
    let mut last = None;
    let mut found = Vec::new();
    for (tag, value) in trace.series(name) {
        if last != Some(value) {
            last = Some(value);
            found.push((tag.time.seconds(), tag.microstep, value));
        }
    }
    found
}

#[test]
fn the_ball_comes_to_rest_at_its_time() {
    let transitions = "
          - {to: free, when: y < 0 and v < -0.5, set: {v: -e * v}, history: true}
          - {to: rest, when: y < 0 and v >= -0.5}";
    let trace = simulate(&ball(transitions, "stop: 14, tolerance: 1e-9")).trace;
    // The speed after k bounces is e^k times that of the fall.
    let speed = (2.0 * G * 10.0f64).sqrt();
    let fall = speed / G;
    let last = (0..).find(|k| 0.8f64.powi(*k) * speed < 0.5).unwrap();
    let end = fall * (1.0 + 2.0 * (1..=last).map(|k| 0.8f64.powi(k)).sum::<f64>());
    let states = changes(&trace, "ball.state");
    assert_eq!(states.len(), 2);
    assert_near(states[1].0, end, 1e-9);
    assert_eq!((states[1].1, states[1].2), (1, 1.0), "the new state speaks at microstep 1");
    assert!(trace.series("ball.y").iter().all(|(_, y)| *y > -1e-9));
    assert_eq!(trace.last("ball.v"), Some(0.0));
}

#[test]
fn without_rest_the_ball_is_zeno_and_named() {
    let transitions = "
          - {to: free, when: y < 0, set: {v: -e * v}, history: true}
          - {to: rest, when: y > 1000}";
    let text = ball(transitions, "stop: 20, tolerance: 1e-9");
    let fall = (2.0 * 10.0 / G).sqrt();
    match failure(&text).error {
        RunError::Zeno { accumulation, blocks, .. } => {
            assert_near(accumulation, fall * (1.0 + 2.0 * 0.8 / 0.2), 1e-8);
            assert!(blocks[0].starts_with("ball.free"), "{blocks:?}");
        }
        other => panic!("{other}"),
    }
    let stopped = simulate(&ball(transitions, "stop: 20, tolerance: 1e-9, zeno: stop"));
    assert!(matches!(stopped.stop, StopReason::Zeno(_)));
    let above = stopped.trace.series("ball.y").iter().all(|(_, y)| *y > -1e-9);
    assert!(above, "the ball does not tunnel");
}

/// Example 9.9 of the book: a state that only starts, a level crossing inside, entry anew with
/// other initial values.
#[test]
fn the_book_s_ball_starts_anew_at_every_bounce() {
    let text = "
superdense: 1
name: book-ball
parameters: {elasticity: 0.7, initial_position: 3, stop_speed: 0.5}
blocks:
  ball:
    type: Modal
    initial: init
    states:
      init:
        transitions:
          - {to: free, set: {p0: initial_position, v0: 0}}
      free:
        parameters: {p0: 0, v0: 0}
        blocks:
          v: {type: Integrator, input: -9.81, initial: v0}
          p: {type: Integrator, input: v, initial: p0}
          bump: {type: LevelCrossing, input: p, level: 0, direction: falling}
        outputs: {position: p, bump: bump}
        transitions:
          - {to: free, when: present(bump) and abs(v) >= stop_speed, set: {p0: 0, v0: -elasticity * v}}
          - {to: stop, when: present(bump) and abs(v) < stop_speed}
      stop: {}
record: [ball.position, ball.bump, ball.state]
simulate: {stop: 6, tolerance: 1e-9}
";
    let trace = simulate(text).trace;
    assert_eq!(at(&trace, "ball.position", exact("0", 0)), None, "no diagram, no output");
    assert_eq!(at(&trace, "ball.position", exact("0", 1)), Some(3.0));
    let speed = (2.0 * G * 3.0f64).sqrt();
    let bumps = tags(&trace, "ball.bump");
    let mut time = speed / G;
    for (k, bump) in bumps.iter().enumerate() {
        assert_near(bump.time.seconds(), time, 1e-8);
        assert_eq!(bump.microstep, 1);
        time += 2.0 * speed * 0.7f64.powi(k as i32 + 1) / G;
    }
    let slow = (0..).find(|k| speed * 0.7f64.powi(*k) < 0.5).unwrap() as usize;
    assert_eq!(bumps.len(), slow + 1);
    let end = bumps.last().unwrap().time;
    let after = trace.series("ball.position");
    assert!(after.iter().all(|(tag, _)| tag.time <= end), "nothing is said in the last state");
}

/// Example 9.10: `in > 1 ? in + 1 : 0` as a machine is piecewise continuous.
#[test]
fn a_jump_by_modes_has_both_limits() {
    let text = "
superdense: 1
name: jump
blocks:
  x: {type: Integrator, input: 1}
  second:
    type: Modal
    initial: zero
    states:
      zero: {outputs: {y: 0}, transitions: [{to: increment, when: x > 1}]}
      increment: {outputs: {y: x + 1}}
  third: {type: Integrator, input: second.y}
record: [x, second.y, third]
simulate: {stop: 3, tolerance: 1e-10}
";
    let trace = simulate(text).trace;
    let jump = trace.series("second.y");
    let last_zero = jump.iter().rev().find(|(_, y)| *y == 0.0).unwrap();
    let first = jump.iter().find(|(_, y)| *y != 0.0).unwrap();
    assert_eq!(last_zero.0.time, first.0.time);
    assert_eq!((last_zero.0.microstep, first.0.microstep), (0, 1));
    assert_near(first.0.time.seconds(), 1.0, 1e-12);
    assert_near(first.1, 2.0, 1e-12);
    // The integral of x + 1 from 1 to 3.
    assert_near(trace.last("third").unwrap(), 6.0, 1e-9);
}

#[test]
fn a_thermostat_switches_at_exact_times() {
    let text = "
superdense: 1
name: thermostat
blocks:
  room: {type: Integrator, input: -0.1 * (room - 10) + heater.q, initial: 18}
  heater:
    type: Modal
    initial: warm
    states:
      warm: {outputs: {q: 2}, transitions: [{to: cool, when: room > 21}]}
      cool: {outputs: {q: 0}, transitions: [{to: warm, when: room < 19}]}
record: [room, heater.state, heater.warm]
simulate: {stop: 30, tolerance: 1e-10}
";
    let trace = simulate(text).trace;
    let found = changes(&trace, "heater.state");
    // From a to b with the limit c and the rate 0.1.
    let way = |a: f64, b: f64, c: f64| 10.0 * ((a - c) / (b - c)).ln();
    let mut time = way(18.0, 21.0, 30.0);
    assert!(found.len() > 10);
    for (k, (at, microstep, state)) in found[1..].iter().enumerate() {
        assert_near(*at, time, 1e-8);
        assert_eq!((*microstep, *state), (1, if k % 2 == 0 { 1.0 } else { 0.0 }));
        time += if k % 2 == 0 { way(21.0, 19.0, 10.0) } else { way(19.0, 21.0, 30.0) };
    }
    let warm = changes(&trace, "heater.warm");
    assert_eq!(warm.len(), found.len(), "the name of a state says whether it is there");
}

#[test]
fn time_stands_still_in_a_state_that_is_left() {
    let text = "
superdense: 1
name: still
blocks:
  m:
    type: Modal
    initial: a
    states:
      a:
        blocks:
          c: {type: Clock, period: 0.4, offset: 0.4}
          n: {type: Counter, increment: c}
        outputs: {t: time, c: c, n: n}
        transitions: [{to: b, after: 1}]
      b:
        outputs: {t: time}
        transitions: [{to: a, after: 0.5, history: true}]
record: [m.t, m.c, m.n, m.state]
simulate: {stop: 5, maximum_step: 0.05}
";
    let trace = simulate(text).trace;
    // a: [0, 1], [1.5, 2.5], [3, 4], [4.5, 5]; its own clock shows 0 to 1, 1 to 2, 2 to 3, 3 to 3.5.
    let states: Vec<f64> = changes(&trace, "m.state").iter().map(|c| c.0).collect();
    assert_eq!(states, [0.0, 1.0, 1.5, 2.5, 3.0, 4.0, 4.5]);
    let ticks: Vec<String> = tags(&trace, "m.c").iter().map(|tag| tag.time.decimal()).collect();
    // The tick of local time 2 is due when the state is left, and comes when it goes on.
    let expected = ["0.4", "0.8", "1.7", "2.1", "3", "3.4", "3.8", "4.7"];
    assert_eq!(ticks, expected, "local times 0.4, 0.8, ... 3.2");
    let shown = trace.series("m.t");
    let at = |t: f64| shown.iter().rfind(|(tag, _)| tag.time.seconds() <= t + 1e-12).unwrap().1;
    assert_near(at(2.0), 1.5, 1e-12);
    assert_near(at(2.75), 0.25, 1e-12);
    assert_near(at(5.0), 3.5, 1e-12);
}

#[test]
fn entry_anew_starts_everything_again() {
    let text = "
superdense: 1
name: anew
blocks:
  m:
    type: Modal
    initial: a
    states:
      a:
        blocks:
          x: {type: Integrator, input: 1, initial: 5}
          c: {type: Clock, period: 0.4}
          n: {type: Counter, increment: c}
        outputs: {x: x, c: c, n: n, t: time}
        transitions: [{to: b, after: 1}]
      b: {transitions: [{to: a, after: 0.25}]}
record: [m.x, m.c, m.n, m.t]
simulate: {start: 2, stop: 5, tolerance: 1e-9}
";
    let trace = simulate(text).trace;
    let ticks: Vec<(String, u32)> =
        tags(&trace, "m.c").iter().map(|tag| (tag.time.decimal(), tag.microstep)).collect();
    // A clock with offset 0 ticks when its diagram starts: one microstep after its first.
    let expected = [("2", 1), ("2.4", 1), ("2.8", 1), ("3.25", 2), ("3.65", 1), ("4.05", 1)];
    let expected: Vec<(String, u32)> =
        expected.iter().map(|(t, n)| ((*t).to_owned(), *n)).collect();
    assert_eq!(ticks[..6], expected);
    assert_eq!(at(&trace, "m.x", exact("3.25", 1)), Some(5.0));
    assert_eq!(at(&trace, "m.t", exact("3.25", 1)), Some(2.0), "as at the start of the run");
    assert_eq!(at(&trace, "m.x", exact("3", 0)), Some(6.0));
    assert_eq!(at(&trace, "m.x", exact("3", 1)), None);
}

#[test]
fn a_gear_shift_with_history() {
    // Each gear remembers its own integral of the throttle; only the one in use grows.
    let gear = |name: &str, next: &str, ratio: f64| {
        format!(
            "
      {name}:
        blocks:
          used: {{type: Integrator, input: {ratio}}}
        outputs: {{work: used, ratio: {ratio}}}
        transitions: [{{to: {next}, after: 1.5, history: true}}]"
        )
    };
    let text = format!(
        "
superdense: 1
name: gears
blocks:
  box:
    type: Modal
    initial: first
    states:{}{}{}
  speed: {{type: Integrator, input: box.ratio}}
record: [box.work, speed, box.state]
simulate: {{stop: 10, tolerance: 1e-9}}
",
        gear("first", "second", 1.0),
        gear("second", "third", 2.0),
        gear("third", "first", 4.0)
    );
    let trace = simulate(&text).trace;
    // 1.5 s each: at t = 4.5 the first goes on from 1.5, at 9 again from 3.
    assert_near(at(&trace, "box.work", exact("4.5", 1)).unwrap(), 1.5, 1e-9);
    assert_near(at(&trace, "box.work", exact("9", 1)).unwrap(), 3.0, 1e-9);
    assert_near(at(&trace, "box.work", exact("6", 1)).unwrap(), 3.0, 1e-9);
    assert_near(trace.last("box.work").unwrap(), 4.0, 1e-9);
    assert_near(trace.last("speed").unwrap(), 2.0 * 1.5 * 7.0 + 1.0, 1e-9);
}

#[test]
fn output_actions_speak_once_at_the_next_microstep() {
    let text = "
superdense: 1
name: actions
blocks:
  c: {type: Clock, period: 1, offset: 1}
  m:
    type: Modal
    initial: idle
    parameters: {count: 0}
    states:
      idle:
        transitions:
          - {to: busy, when: present(c), set: {count: count + 1}, output: {said: 10 * count}}
      busy:
        transitions:
          - {to: idle, after: 0.5, output: {said: -count}}
  total: {type: Counter, increment: m.said}
record: [m.said, total, m.state]
simulate: {stop: 3.75}
";
    let trace = simulate(text).trace;
    let said: Vec<(String, u32, f64)> = trace
        .series("m.said")
        .into_iter()
        .map(|(tag, value)| (tag.time.decimal(), tag.microstep, value))
        .collect();
    let expected = [
        // A clock's event is there at microstep 1, what it causes at 2; a delay ends at 0.
        ("1", 2, 0.0),
        ("1.5", 1, -1.0),
        ("2", 2, 10.0),
        ("2.5", 1, -2.0),
        ("3", 2, 20.0),
        ("3.5", 1, -3.0),
    ];
    let expected: Vec<(String, u32, f64)> =
        expected.iter().map(|(t, n, x)| ((*t).to_owned(), *n, *x)).collect();
    assert_eq!(said, expected);
    assert_eq!(trace.last("total"), Some(6.0));
}

#[test]
fn immediate_transitions_chain_in_one_microstep() {
    let text = |more: &str| {
        format!(
            "
superdense: 1
name: chain
blocks:
  m:
    type: Modal
    initial: a
    states:
      a: {{transitions: [{{to: b, after: 1}}]}}
      b: {{transitions: [{{to: c, immediate: true}}]}}
      c: {{transitions: [{{to: d, immediate: true}}]}}
      d: {{outputs: {{y: 1}}{more}}}
record: [m.state, m.y]
simulate: {{stop: 2}}
"
        )
    };
    let trace = simulate(&text("")).trace;
    assert_eq!(changes(&trace, "m.state"), [(0.0, 0, 0.0), (1.0, 1, 3.0)]);
    let round = failure(&text(", transitions: [{to: b, immediate: true}]")).error;
    match round {
        RunError::ImmediateCycle { states, .. } => assert_eq!(states, ["b", "c", "d", "b"]),
        other => panic!("{other}"),
    }
}

#[test]
fn two_ways_out_are_an_error_unless_both_are_drawn() {
    let text = |mark: &str| {
        format!(
            "
superdense: 1
name: ways
blocks:
  m:
    type: Modal
    initial: a
    states:
      a:
        transitions:
          - {{to: b, after: 1{mark}}}
          - {{to: c, when: time >= 1{mark}}}
          - {{to: d, default: true, when: time > 5}}
      b: {{transitions: [{{to: a, after: 0.1}}]}}
      c: {{transitions: [{{to: a, after: 0.1}}]}}
      d: {{}}
record: [m.state]
simulate: {{stop: 30, seed: 3}}
"
        )
    };
    match failure(&text("")).error {
        RunError::Ambiguous { tag, state, to, .. } => {
            assert_eq!((state.as_str(), to), ("a", vec!["b".to_owned(), "c".to_owned()]));
            assert_eq!(tag, exact("1", 0));
        }
        other => panic!("{other}"),
    }
    let trace = simulate(&text(", nondeterministic: true")).trace;
    let first = trace.series("m.state").iter().find(|(_, s)| *s != 0.0).unwrap().1;
    assert!(first == 1.0 || first == 2.0);
    let again = simulate(&text(", nondeterministic: true")).trace;
    assert_eq!(bits(&trace, 0), bits(&again, 0), "the same seed draws the same");
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..20 {
        let text = text(", nondeterministic: true").replace("seed: 3", &format!("seed: {seed}"));
        let trace = simulate(&text).trace;
        seen.insert(trace.series("m.state").iter().find(|(_, s)| *s != 0.0).unwrap().1 as i64);
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [1, 2], "each is drawn by some seed");
}

#[test]
fn nested_machines_with_preemption_at_both_levels() {
    let text = |outer: &str, inner: &str| {
        format!(
            "
superdense: 1
name: nested
blocks:
  c: {{type: Clock, period: 1, offset: 1}}
  outer:
    type: Modal
    initial: on
    states:
      on:
        blocks:
          inner:
            type: Modal
            initial: a
            states:
              a:
                blocks: {{n: {{type: Counter, increment: c}}}}
                outputs: {{n: n}}
                transitions: [{{to: b, when: present(c){inner}}}]
              b: {{outputs: {{n: -1}}}}
        outputs: {{n: inner.n, inner: inner.state}}
        transitions: [{{to: off, when: present(c){outer}}}]
      off:
        outputs: {{n: 100}}
        transitions: [{{to: on, after: 0.5, history: true}}]
record: [outer.n, outer.inner, outer.state]
simulate: {{stop: 1.75}}
"
        )
    };
    let early = ", preemptive: true";
    let seen = |outer: &str, inner: &str| {
        let trace = simulate(&text(outer, inner)).trace;
        let at_1 = at(&trace, "outer.n", exact("1", 1));
        (at_1, at(&trace, "outer.n", exact("1", 2)), at(&trace, "outer.inner", exact("1.5", 1)))
    };
    // Without preemption the counter counts, both machines move, and history finds the inner one
    // in its new state.
    assert_eq!(seen("", ""), (Some(1.0), Some(100.0), Some(1.0)));
    // The inner preemption silences the counter.
    assert_eq!(seen("", early), (None, Some(100.0), Some(1.0)));
    // The outer one silences the inner machine altogether, whatever that would do.
    assert_eq!(seen(early, ""), (None, Some(100.0), Some(0.0)));
    assert_eq!(seen(early, early), (None, Some(100.0), Some(0.0)));
}

#[test]
fn a_state_that_shares_the_diagram_of_another() {
    let text = "
superdense: 1
name: shared
blocks:
  m:
    type: Modal
    initial: slow
    parameters: {rate: 1}
    states:
      slow:
        blocks: {x: {type: Integrator, input: rate}}
        outputs: [x]
        transitions: [{to: fast, when: x > 1, set: {rate: 10}, history: true}]
      fast:
        like: slow
        transitions: [{to: slow, when: elapsed > 0.5, set: {rate: 1, x: 0}, history: true}]
record: [m.x, m.state]
simulate: {stop: 4, tolerance: 1e-10}
";
    let trace = simulate(text).trace;
    let found = changes(&trace, "m.state");
    for (k, (time, ..)) in found.iter().enumerate() {
        assert_near(*time, (k / 2) as f64 * 1.5 + (k % 2) as f64, 1e-9);
    }
    assert!(found.len() >= 5);
    let series = trace.series("m.x");
    let top = series.iter().map(|(_, x)| *x).fold(0.0, f64::max);
    assert_near(top, 6.0, 1e-8);
}

/// A pendulum whose string goes slack: swing, then free flight, then swing again where the string
/// is taut; without loss at the catch only the radial speed is lost.
#[test]
fn a_pendulum_that_flies_keeps_its_energy() {
    let text = "
superdense: 1
name: slack-pendulum
parameters: {g: 9.81, l: 1, w0: 6.5}
blocks:
  p:
    type: Modal
    initial: swing
    states:
      swing:
        parameters: {a0: 0, w0s: w0}
        blocks:
          a: {type: Integrator, input: w, initial: a0}
          w: {type: Integrator, input: -g / l * sin(a), initial: w0s}
        outputs:
          x: l * sin(a)
          y: -l * cos(a)
          e: (l * w) ^ 2 / 2 - g * l * cos(a)
          tension: l * w ^ 2 + g * cos(a)
        transitions:
          - to: flight
            when: tension < 0
            set: {x0: l * sin(a), y0: -l * cos(a), u0: l * w * cos(a), v0: l * w * sin(a)}
      flight:
        parameters: {x0: 0, y0: 0, u0: 0, v0: 0}
        blocks:
          x: {type: Integrator, input: u0, initial: x0}
          v: {type: Integrator, input: -g, initial: v0}
          y: {type: Integrator, input: v, initial: y0}
        outputs: {x: x, y: y, e: (u0 ^ 2 + v ^ 2) / 2 + g * y}
        transitions:
          - {to: over, when: x ^ 2 + y ^ 2 > l ^ 2}
      over: {final: true}
record: [p.x, p.y, p.e, p.state, p.done]
simulate: {stop: 5, tolerance: 1e-10}
";
    let trace = simulate(text).trace;
    let energy = 6.5f64 * 6.5 / 2.0 - G;
    for (_, e) in trace.series("p.e") {
        assert_near(e, energy, 1e-7);
    }
    let states = changes(&trace, "p.state");
    assert_eq!(states.len(), 3);
    // The string is slack where v^2 / l = -g cos a, that is cos a = -(w0^2 l - 2 g) / (3 g).
    let cosine = -(6.5f64 * 6.5 - 2.0 * G) / (3.0 * G);
    let y =
        trace.series("p.y").iter().find(|(tag, _)| tag.time.seconds() == states[1].0).unwrap().1;
    assert_near(y, -cosine, 1e-8);
    assert_eq!(trace.last("p.done"), Some(1.0));
}

/// Coulomb friction: a block on a table that is pushed by a spring, sliding and sticking.
#[test]
fn a_block_slides_and_sticks_at_analytic_times() {
    let text = "
superdense: 1
name: friction
parameters: {mu: 0.5}
blocks:
  m:
    type: Modal
    initial: right
    states:
      right:
        parameters: {x0: 0, v0: 3}
        blocks:
          v: {type: Integrator, input: -x - mu, initial: v0}
          x: {type: Integrator, input: v, initial: x0}
        outputs: [x, v]
        transitions:
          - {to: left, when: v < 0 and x > mu, set: {x0: x}}
          - {to: stuck, when: v < 0 and x <= mu, set: {rest: x}}
      left:
        parameters: {x0: 0, v0: 0}
        blocks:
          v: {type: Integrator, input: -x + mu, initial: v0}
          x: {type: Integrator, input: v, initial: x0}
        outputs: [x, v]
        transitions:
          - {to: right, when: v > 0 and x < -mu, set: {x0: x, v0: 0}}
          - {to: stuck, when: v > 0 and x >= -mu, set: {rest: x}}
      stuck:
        parameters: {rest: 0}
        outputs: {x: rest, v: 0}
record: [m.x, m.v, m.state]
simulate: {stop: 12, tolerance: 1e-10}
";
    let trace = simulate(text).trace;
    // x + mu = 3 sin t + mu cos t at first; each half swing of length pi loses 2 mu.
    let amplitude = (9.0f64 + 0.25).sqrt();
    let first = std::f64::consts::PI / 2.0 - (0.5f64 / 3.0).atan();
    let mut expected = vec![(0.0, 0.0)];
    let mut extreme = amplitude - 0.5;
    let (mut time, mut state) = (first, 1.0);
    while extreme > 0.5 {
        expected.push((time, state));
        time += std::f64::consts::PI;
        extreme -= 1.0;
        state = 1.0 - state;
    }
    expected.push((time, 2.0));
    let found = changes(&trace, "m.state");
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for ((at, _, state), (time, number)) in found.iter().zip(&expected) {
        assert_near(*at, *time, 1e-7);
        assert_eq!(state, number);
    }
    assert_near(trace.last("m.x").unwrap().abs(), extreme.abs(), 1e-7);
}

#[test]
fn a_machine_that_never_moves_is_its_diagram() {
    let body = "
          x: {type: Integrator, input: 10 * (y - x), initial: 1}
          y: {type: Integrator, input: x * (28 - z) - y, initial: 1}
          z: {type: Integrator, input: x * y - 8 / 3 * z, initial: 1}
          c: {type: Clock, period: 0.37}
          n: {type: Counter, increment: c}
          h: {type: Sample, input: x + previous(z), trigger: c}";
    let modal = format!(
        "
superdense: 1
name: modal
blocks:
  m:
    type: Modal
    initial: a
    states:
      a:
        blocks:{body}
        outputs: [x, y, z, n, h]
        transitions: [{{to: b, when: x > 1000}}]
      b: {{}}
record: {{x: m.x, y: m.y, z: m.z, n: m.n, h: m.h}}
simulate: {{stop: 8, tolerance: 1e-6}}
"
    );
    let plain = format!(
        "
superdense: 1
name: plain
blocks:{}
record: [x, y, z, n, h]
simulate: {{stop: 8, tolerance: 1e-6}}
",
        body.replace("\n          ", "\n  ")
    );
    let (modal, plain) = (simulate(&modal).trace, simulate(&plain).trace);
    assert_eq!(bits(&modal, 0), bits(&plain, 0));
}

#[test]
fn a_snapshot_in_the_middle_of_a_mode_goes_on_with_the_same_bits() {
    let transitions = "
          - {to: free, when: y < 0 and v < -0.5, set: {v: -e * v}, history: true}
          - {to: rest, when: y < 0 and v >= -0.5}";
    let text = ball(transitions, "stop: 14, tolerance: 1e-9");
    let whole = simulate(&text).trace;
    let system = compile(&text);
    for cut in [1, 7, 30, 80, 120] {
        let mut run = system.start();
        for _ in 0..cut {
            run.advance().unwrap();
        }
        let saved = run.save();
        let rest = system.resume(&saved).unwrap().finish().unwrap().trace;
        let from = whole.len() - rest.len();
        assert_eq!(bits(&whole, from), bits(&rest, 0), "cut after {cut}");
    }
}

#[test]
fn mistakes_are_refused_with_their_reasons() {
    let machine = |states: &str| {
        format!(
            "
superdense: 1
name: bad
blocks:
  x: {{type: Integrator, input: 1}}
  c: {{type: Clock, period: 1}}
  m:
    type: Modal
{states}
simulate: {{stop: 1}}
"
        )
    };
    let cases = [
        ("    initial: a\n    states: {a: {}, b: {}}", "unreachable-state"),
        ("    initial: a\n    states: {a: {transitions: [{to: q, when: x > 1}]}}", "unknown-state"),
        ("    initial: q\n    states: {a: {}}", "unknown-state"),
        ("    states: {a: {transitions: [{to: b}]}, b: {}}", "missing-initial-state"),
        ("    initial: a", "missing-states"),
        ("    initial: a\n    states: {a: {transitions: [{to: a, when: x}]}}", "bad-guard"),
        ("    initial: a\n    states: {a: {transitions: [{to: a, when: c}]}}", "bad-guard"),
        (
            "    initial: a\n    states: {a: {transitions: [{to: a, when: x > 1, set: {v: 1}}]}}",
            "set-into-nothing",
        ),
        (
            "    initial: a\n    outputs: [y]\n    states: {a: {outputs: {y: 1}, transitions: [{to: a, when: x > 1, output: {z: 1}}]}}",
            "unknown-output",
        ),
        (
            "    initial: a\n    outputs: [y]\n    states: {a: {outputs: {y: 1, z: 2}}}",
            "unknown-output",
        ),
        (
            "    initial: a\n    states: {a: {final: true, transitions: [{to: a, when: x > 1}]}}",
            "bad-transition",
        ),
        ("    initial: a\n    states: {a: {transitions: [{when: x > 1}]}}", "missing-field"),
        (
            "    initial: a\n    states: {a: {like: b, transitions: [{to: b, when: x > 1}]}, b: {}}",
            "bad-state",
        ),
        (
            "    initial: a\n    states: {a: {outputs: {y: 1}, transitions: [{to: b, when: x > 1}]}, b: {outputs: {y: [1, 2]}}}",
            "size-mismatch",
        ),
        (
            "    initial: a\n    states: {a: {blocks: {g: {type: Gain, input: x, gain: 2}}, transitions: [{to: a, when: x > 1, set: {g: 1}}]}}",
            "set-into-nothing",
        ),
        ("    initial: a\n    stats: {a: {}}", "unknown-field"),
    ];
    for (states, code) in cases {
        let text = machine(states);
        assert!(common::try_compile(&text).is_err(), "{states}");
        let refused = refusal(&text);
        assert!(codes(&refused).contains(&code), "{states}\n{refused}");
    }
}

#[test]
fn machines_side_by_side_do_not_touch_each_other() {
    let one = |name: &str, period: &str| {
        format!(
            "
  {name}:
    type: Modal
    initial: up
    states:
      up:
        blocks: {{x: {{type: Integrator, input: 1}}}}
        outputs: [x]
        transitions: [{{to: down, after: {period}}}]
      down:
        outputs: {{x: 0}}
        transitions: [{{to: up, after: {period}}}]"
        )
    };
    let text = format!(
        "
superdense: 1
name: two
blocks:{}{}
record: [a.x, b.x, a.state, b.state]
simulate: {{stop: 3, tolerance: 1e-9}}
",
        one("a", "0.3"),
        one("b", "0.5")
    );
    let outcome = simulate(&text);
    let of = |name: &str| changes(&outcome.trace, name).iter().map(|c| c.0).collect::<Vec<_>>();
    let expected =
        |period: f64| (0..).map(move |k| k as f64 * period).take_while(|t| *t < 3.0 + 1e-9);
    for (name, period) in [("a.state", 0.3), ("b.state", 0.5)] {
        for (found, time) in of(name).iter().zip(expected(period)) {
            assert_near(*found, time, 1e-12);
        }
    }
    assert!(times(&outcome.trace, "a.x").len() > 10);
}

/// A diagram that runs into a division by zero, or an operation without meaning, and the way out.
#[test]
fn a_failing_diagram_leads_to_the_error_state() {
    let text = |inner: &str, stop: &str| {
        format!(
            "
superdense: 1
name: recover
blocks:
  c: {{type: Clock, period: 1, offset: 1}}
  m:
    type: Modal
    initial: try
    parameters: {{tries: 0}}
    states:
      try:
        blocks:
          {inner}
        outputs: {{y: y}}
        transitions: [{{to: safe, error: true, set: {{tries: tries + 1}}, output: {{alarm: 7}}}}]
      safe:
        outputs: {{y: -1}}
        transitions: [{{to: try, after: 10}}]
record: [m.y, m.state, m.alarm]
simulate: {{stop: {stop}, tolerance: 1e-9}}
"
        )
    };
    // y' = y^2 from 1 blows up at t = 1.
    let trace = simulate(&text("y: {type: Integrator, input: y ^ 2, initial: 1}", "3")).trace;
    let found = changes(&trace, "m.state");
    assert_eq!(found.len(), 2);
    assert_near(found[1].0, 1.0, 1e-6);
    assert_eq!(trace.last("m.y"), Some(-1.0));
    assert_eq!(trace.series("m.alarm").len(), 1);
    // At a tick: 1 / (1 - 1) at the clock's first event.
    let inner = "n: {type: Counter, increment: c}\n          y: {type: Sample, input: 1 / (1 - n), trigger: c}";
    let trace = simulate(&text(inner, "3")).trace;
    assert_eq!(changes(&trace, "m.state"), [(0.0, 0, 0.0), (1.0, 1, 1.0)]);
    // Without the way out the run fails.
    let plain = text("y: {type: Integrator, input: y ^ 2, initial: 1}", "3")
        .replace("error: true", "when: y > 1e300");
    assert!(compile(&plain).simulate().is_err());
}

#[test]
fn a_diagram_with_its_own_tolerance() {
    let text = |tolerance: &str, coupled: &str| {
        format!(
            "
superdense: 1
name: tolerances
diagrams:
  Oscillator:
    {tolerance}
    inputs: [u]
    outputs: [x]
    blocks:
      x: {{type: Integrator, input: v + u, initial: 1}}
      v: {{type: Integrator, input: -x}}
blocks:
  a: {{type: Oscillator, u: {coupled}}}
  x: {{type: Integrator, input: v, initial: 1}}
  v: {{type: Integrator, input: -x}}
record: [a.x, x]
simulate: {{stop: 20, tolerance: 1e-6}}
"
        )
    };
    let error =
        |text: &str, name: &str| (simulate(text).trace.last(name).unwrap() - 20f64.cos()).abs();
    // Apart, each has its own tolerance.
    let (plain, fine) = (text("", "0"), text("tolerance: 1e-11", "0"));
    assert!(error(&fine, "a.x") < 1e-3 * error(&plain, "a.x"));
    assert_eq!(error(&fine, "x"), error(&plain, "x"));
    let coarse = text("tolerance: 1e-3", "0");
    assert!(error(&coarse, "a.x") > 10.0 * error(&plain, "a.x"));
    assert_eq!(error(&coarse, "x"), error(&plain, "x"));
    // Together, the tighter one holds for both.
    let tied = |tolerance: &str| text(tolerance, "0 * x");
    assert!(error(&tied("tolerance: 1e-11"), "x") < 1e-3 * error(&tied(""), "x"));
    assert_eq!(error(&tied("tolerance: 1e-3"), "x"), error(&tied(""), "x"));
    let refused = refusal(&text("tolerance: 2", "0"));
    assert!(codes(&refused).contains(&"bad-setting"));
}

#[test]
fn a_discrete_diagram_has_nothing_continuous() {
    let text = |block: &str| {
        format!(
            "
superdense: 1
name: discrete
diagrams:
  Controller:
    domain: discrete
    inputs: [e]
    outputs: [u]
    blocks:
      n: {{type: Counter, increment: e}}
      {block}
      u: {{type: Sample, input: 2 * e, trigger: e}}
blocks:
  x: {{type: Integrator, input: 1}}
  c: {{type: Clock, period: 1}}
  s: {{type: Sample, input: x, trigger: c}}
  k: {{type: Controller, e: s}}
record: [k.u]
simulate: {{stop: 2}}
"
        )
    };
    assert_near(simulate(&text("")).trace.last("k.u").unwrap(), 4.0, 1e-12);
    for block in ["y: {type: Integrator, input: 1}", "y: {type: Expression, expression: time}"] {
        let refused = refusal(&text(block));
        assert!(codes(&refused).contains(&"continuous-in-discrete"), "{refused}");
    }
}

/// A ball on a floor of spring and damper, pulled by a sampled controller: motion with a constant
/// force, free or in contact, in closed form.
#[derive(Clone, Copy)]
struct Ball {
    x: f64,
    v: f64,
}

const MASS: f64 = 7.0;
const DAMPER: f64 = 5.0;
const COMPLIANCE: f64 = 2.5e-3;
const WEIGHT: f64 = 9.81;

impl Ball {
    fn after(self, t: f64, pull: f64, contact: bool) -> Ball {
        let push = pull - WEIGHT;
        if !contact {
            let a = push / MASS;
            return Ball { x: self.x + self.v * t + a * t * t / 2.0, v: self.v + a * t };
        }
        let rest = COMPLIANCE * push;
        let (d, y) = (DAMPER / (2.0 * MASS), self.x - rest);
        let w = (1.0 / (MASS * COMPLIANCE) - d * d).sqrt();
        let b = (self.v + d * y) / w;
        let (sine, cosine) = (w * t).sin_cos();
        let decay = (-d * t).exp();
        let x = decay * (y * cosine + b * sine);
        let v = -d * x + decay * w * (b * cosine - y * sine);
        Ball { x: x + rest, v }
    }

    fn force(self) -> f64 {
        -(DAMPER * self.v + self.x / COMPLIANCE)
    }
}

/// The ball at a time, switching where `change` says that the phase ends.
fn reference(end: f64, change: impl Fn(Ball, bool) -> bool) -> (Ball, Vec<f64>) {
    let (mut t, mut contact) = (0.0, false);
    let mut ball = Ball { x: 0.0, v: 0.0 };
    let mut switches = Vec::new();
    while t < end {
        let (pull, until) = match t {
            t if t < 0.5 => (20.0, 0.5),
            t if t < 1.0 => (10.0, 1.0),
            _ => (0.0, end),
        };
        let h = (1e-4f64).min(until - t);
        let next = ball.after(h, pull, contact);
        if !change(next, contact) {
            (ball, t) = (next, if h == until - t { until } else { t + h });
            continue;
        }
        let (mut low, mut high) = (0.0, h);
        while high - low > 1e-17 * t.max(1.0)
            && low < (low + high) / 2.0
            && (low + high) / 2.0 < high
        {
            let middle = (low + high) / 2.0;
            match change(ball.after(middle, pull, contact), contact) {
                true => high = middle,
                false => low = middle,
            }
        }
        ball = ball.after(high, pull, contact);
        t += high;
        contact = !contact;
        switches.push(t);
    }
    (ball, switches)
}

#[test]
fn a_pulled_ball_on_a_soft_floor_three_ways() {
    let model = |ground: &str| {
        format!(
            "
superdense: 1
name: pulled-ball
parameters: {{m: 7, R: 5, C: 2.5e-3, weight: 9.81}}
blocks:
  x: {{type: Integrator, input: v}}
  v: {{type: Integrator, input: (pull - weight + ground.force) / m}}
  pull: {{type: Expression, expression: if time < 0.5 then 20 else (if time < 1 then 10 else 0)}}
{ground}
record: [x, v, ground.force]
simulate: {{stop: 6, tolerance: 1e-11}}
"
        )
    };
    let inequalities = model(
        "
  ground: {type: Floor, x: x, v: v, R: R, C: C}
diagrams:
  Floor:
    parameters: {R: 5, C: 1}
    inputs: [x, v]
    outputs: {force: if x < 0 then -(R * v + x / C) else 0}",
    );
    let machine = model(
        "
  ground:
    type: Modal
    initial: free
    states:
      free: {outputs: {force: 0}, transitions: [{to: contact, when: x < 0}]}
      contact: {outputs: {force: -(R * v + x / C)}, transitions: [{to: free, when: x >= 0}]}",
    );
    let never_pulls = model(
        "
  ground:
    type: Modal
    initial: free
    states:
      free: {outputs: {force: 0}, transitions: [{to: contact, when: x < 0 and v < 0}]}
      contact: {outputs: {force: -(R * v + x / C)}, transitions: [{to: free, when: force < 0}]}",
    );
    let (ball, switches) = reference(6.0, |ball, contact| (ball.x < 0.0) != contact);
    assert!(switches.len() >= 4, "{switches:?}");
    let pulls =
        |text: &str| simulate(text).trace.series("ground.force").iter().any(|f| f.1 < -1e-6);
    for text in [&inequalities, &machine] {
        let trace = simulate(text).trace;
        assert_near(trace.last("x").unwrap(), ball.x, 1e-8);
        assert_near(trace.last("v").unwrap(), ball.v, 1e-7);
        assert!(pulls(text), "this floor holds the ball back when it leaves");
    }
    let (ball, _) = reference(6.0, |ball, contact| match contact {
        true => ball.force() < 0.0,
        false => ball.x < 0.0 && ball.v < 0.0,
    });
    let trace = simulate(&never_pulls).trace;
    assert_near(trace.last("x").unwrap(), ball.x, 1e-8);
    assert_near(trace.last("v").unwrap(), ball.v, 1e-7);
    assert!(!pulls(&never_pulls));
}

/// Two comparisons in one guard, and a located guard in a state before: each has its own residual.
#[test]
fn a_located_guard_leaves_its_neighbour_alone() {
    let text = "
superdense: 1
name: neighbours
blocks:
  m:
    type: Modal
    initial: wait
    states:
      wait:
        blocks: {a: {type: Integrator, input: 1}}
        outputs: {x: a}
        transitions: [{to: dip, when: a > 0.25}]
      dip:
        blocks: {s: {type: Integrator, input: 1}}
        outputs: {x: s}
        transitions: [{to: end, when: s * (s - 1) > 0 and 2 * s > 1}]
      end: {}
record: [m.x, m.state]
simulate: {stop: 2, tolerance: 1e-10}
";
    let states = changes(&simulate(text).trace, "m.state");
    assert_eq!(states.len(), 3, "{states:?}");
    // s (s - 1) is negative until s = 1; 2 s > 1 from s = 0.5 on, where the product rises.
    assert_near(states[2].0, 1.25, 1e-9);
}

/// A state that is entered anew puts its far timers on the agenda each time; those of the times
/// before are forgotten.
#[test]
fn switching_often_does_not_fill_the_agenda() {
    let system = compile(
        "
superdense: 1
blocks:
  m:
    type: Modal
    initial: on
    states:
      on:
        blocks:
          far: {type: Clock, period: 1000, offset: 1000}
          x: {type: Counter, increment: far}
        transitions: [{to: off, after: 0.001}]
      off:
        transitions: [{to: on, after: 0.001}]
record: [m.state]
simulate: {stop: 20}
",
    );
    let mut run = system.start();
    let mut sizes = Vec::new();
    for ticks in [1000, 2000, 8000] {
        while run.counters().ticks < ticks {
            run.advance().unwrap();
        }
        sizes.push(run.save().len());
    }
    assert!(sizes[2] < sizes[0] + 3000, "{sizes:?}");
}
