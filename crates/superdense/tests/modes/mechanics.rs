//! Machines that are mechanical systems, against closed forms.

use super::changes;
use crate::common::{assert_near, at, bits, compile, exact, failure, simulate, tags};
use superdense::{RunError, StopReason};

const G: f64 = 9.81;

/// A ball that comes to rest below a speed.
fn ball(transitions: &str, simulate: &str) -> String {
    format!(
        "
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

/// A pendulum whose string goes slack: swing, then free flight, then swing again when the string
/// is taut; without loss at the catch only the radial speed is lost.
#[test]
fn a_pendulum_that_flies_keeps_its_energy() {
    let text = "
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
fn a_snapshot_in_the_middle_of_a_mode_goes_on_with_the_same_bits() {
    let transitions = "
          - {to: free, when: y < 0 and v < -0.5, set: {v: -e * v}, history: true}
          - {to: rest, when: y < 0 and v >= -0.5}";
    let text = ball(transitions, "stop: 14, tolerance: 1e-9");
    let whole = simulate(&text).trace;
    let system = compile(&text);
    for cut in [1, 7, 30, 80, 120] {
        let mut run = system.begin();
        for _ in 0..cut {
            run.advance().unwrap();
        }
        let saved = run.save();
        let rest = system.resume(&saved).unwrap().finish().unwrap().trace;
        let from = whole.len() - rest.len();
        assert_eq!(bits(&whole, from), bits(&rest, 0), "cut after {cut}");
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

/// The ball at a time and the times at which its phase, free or in contact, changes: as soon as
/// `change` holds.
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

/// The model of the pulled ball on a floor.
fn pulled(ground: &str) -> String {
    format!(
        "
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
}

/// The floor as an expression of inequalities.
const INEQUALITIES: &str = "
  ground: {type: Floor, x: x, v: v, R: R, C: C}
diagrams:
  Floor:
    parameters: {R: 5, C: 1}
    inputs: [x, v]
    outputs: {force: if x < 0 then -(R * v + x / C) else 0}";

/// The floor as a machine of the same inequalities.
const MACHINE: &str = "
  ground:
    type: Modal
    initial: free
    states:
      free: {outputs: {force: 0}, transitions: [{to: contact, when: x < 0}]}
      contact: {outputs: {force: -(R * v + x / C)}, transitions: [{to: free, when: x >= 0}]}";

/// The floor as a machine that lets the ball go before it would pull.
const NEVER_PULLS: &str = "
  ground:
    type: Modal
    initial: free
    states:
      free: {outputs: {force: 0}, transitions: [{to: contact, when: x < 0 and v < 0}]}
      contact: {outputs: {force: -(R * v + x / C)}, transitions: [{to: free, when: force < 0}]}";

#[test]
fn a_pulled_ball_on_a_soft_floor_three_ways() {
    let [inequalities, machine, never_pulls] = [INEQUALITIES, MACHINE, NEVER_PULLS].map(pulled);
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
