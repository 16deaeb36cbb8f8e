//! What is due in a state when it is left or silenced, what is said there at that moment, and delays
//! measured by the time spent in it.

use crate::common::{assert_near, at, bits, by, compile, exact, failure, refusal, simulate, tags};
use superdense::{Backend, Rational, RunError, Tag, Time, Trace};

fn model(blocks: &str, record: &str, stop: &str) -> String {
    format!(
        "
name: due
blocks:
  c: {{type: Clock, period: 1, offset: 1}}
{blocks}
record: [{record}]
simulate: {{stop: {stop}, tolerance: 1e-9}}
"
    )
}

/// Runs a model by both backends and saved at every advance: all must agree.
fn agreed(text: &str) -> Trace {
    let system = compile(text);
    let interpreted = by(&system, Backend::Interpreter);
    assert_eq!(interpreted, by(&system, Backend::Native));
    let whole = simulate(text).trace;
    let mut run = system.begin();
    for cut in 0..60 {
        let saved = run.save();
        let rest = system.resume(&saved).unwrap().finish().unwrap().trace;
        let from = whole.len() - rest.len();
        assert_eq!(bits(&whole, from), bits(&rest, 0), "cut after {cut}");
        if run.advance().unwrap().is_some() {
            break;
        }
    }
    whole
}

fn events(trace: &Trace, name: &str) -> Vec<(String, u32)> {
    tags(trace, name).iter().map(|tag| (tag.time.decimal(), tag.microstep)).collect()
}

#[track_caller]
fn assert_events(trace: &Trace, name: &str, expected: &[(&str, u32)]) {
    let expected: Vec<(String, u32)> =
        expected.iter().map(|(time, n)| ((*time).to_owned(), *n)).collect();
    assert_eq!(events(trace, name), expected, "{name}");
}

/// A state that an outside event preempts, and another that lasts half a second.
fn preempted(inside: &str, when: &str, back: &str) -> String {
    let blocks = format!(
        "
  later: {{type: MicrostepDelay, input: c}}
  m:
    type: Modal
    initial: on
    states:
      on:
        blocks:
          {inside}
          n: {{type: Counter, increment: e}}
          h: {{type: ZeroOrderHold, input: n}}
        outputs: {{e: e, n: h}}
        transitions: [{{to: off, when: {when}, preemptive: true}}]
      off:
        outputs: {{n: -1}}
        transitions: [{{to: on, after: 0.5{back}}}]"
    );
    model(&blocks, "m.e, m.n, m.state", "1.9")
}

/// Things that happen inside at 1 s, at the microstep at which the state is preempted.
const INSIDE: [(&str, &str); 6] = [
    ("e: {type: Clock, period: 5, offset: 1}", "present(c)"),
    (
        "k: {type: Clock, period: 5, offset: 1}\n          e: {type: MicrostepDelay, input: k}",
        "present(later)",
    ),
    (
        "k: {type: Clock, period: 5, offset: 0.25}\n          e: {type: EventDelay, input: k, delay: 0.75}",
        "present(c)",
    ),
    (
        "k: {type: Clock, period: 5, offset: 0.25}\n          e: {type: TransportDelay, input: k, delay: 0.75}",
        "present(c)",
    ),
    (
        "x: {type: Integrator, input: 1}\n          e: {type: LevelCrossing, input: x, level: 1}",
        "present(c)",
    ),
    (
        "i: {type: Modal, initial: p, states: {p: {transitions: [{to: q, after: 1, output: {e: 7}}]}, q: {}}}\n          e: {type: Gain, input: i.e, gain: 1}",
        "present(c)",
    ),
];

#[test]
fn what_is_due_comes_when_the_state_goes_on() {
    for (inside, when) in INSIDE {
        let trace = agreed(&preempted(inside, when, ", history: true"));
        assert_events(&trace, "m.e", &[("1.5", 1)]);
        assert_eq!(at(&trace, "m.n", exact("1.5", 2)), Some(1.0), "{inside}");
        assert_eq!(trace.last("m.n"), Some(1.0), "{inside}");
    }
}

#[test]
fn what_is_due_is_gone_when_the_state_starts_anew() {
    for (inside, when) in INSIDE {
        let trace = agreed(&preempted(inside, when, ""));
        assert_events(&trace, "m.e", &[]);
        assert_eq!(trace.last("m.n"), Some(0.0), "{inside}");
    }
}

/// Preempted into itself with history, what was due comes one microstep later.
#[test]
fn a_preemptive_transition_into_the_same_state() {
    for (inside, when) in INSIDE {
        let text = preempted(inside, when, "").replace("{to: off,", "{to: on, history: true,");
        let text = text.replace(
            "      off:\n        outputs: {n: -1}\n        transitions: [{to: on, after: 0.5}]",
            "",
        );
        let trace = agreed(&text);
        let microstep = if when.contains("later") { 3 } else { 2 };
        assert_events(&trace, "m.e", &[("1", microstep)]);
        assert_eq!(trace.last("m.n"), Some(1.0), "{inside}");
    }
}

/// The same without preemption: left at microstep 0, before anything of that instant has happened.
#[test]
fn what_is_due_at_the_instant_of_leaving_comes_later() {
    for (inside, when) in INSIDE {
        if when.contains("later") || inside.contains("Modal") {
            continue;
        }
        let text = preempted(inside, when, ", history: true");
        let text = text.replace("when: present(c), preemptive: true", "when: elapsed >= 1");
        let trace = agreed(&text);
        assert_eq!(events(&trace, "m.e")[0], ("1.5".to_owned(), 1), "{inside}");
    }
}

#[test]
fn actions_of_a_preemptive_transition_see_what_is() {
    let blocks = "
  m:
    type: Modal
    initial: on
    parameters: {seen: -1, held: -1, event: -1, flow: -1}
    states:
      on:
        blocks:
          n: {type: Counter, increment: c}
          h: {type: ZeroOrderHold, input: n, initial: 40}
          d: {type: Expression, expression: h + 2}
          x: {type: Integrator, input: 1, impulse: 10 * c}
        outputs: {y: 0}
        transitions:
          - {to: off, when: present(c), preemptive: true, set: {seen: d, held: h, event: n, flow: x}, output: {said: d}}
      off: {outputs: {y: 1}}
  all: {type: Expression, expression: \"[m.y, 1]\"}";
    let text = model(blocks, "m.said, m.y", "1.5").replace(
        "off: {outputs: {y: 1}}",
        "off: {outputs: {y: 1, seen: seen, held: held, event: event, flow: flow}}",
    );
    let trace = agreed(&text.replace(
        "record: [m.said, m.y]",
        "record: [m.said, m.y, m.seen, m.held, m.event, m.flow]",
    ));
    assert_eq!(trace.last("m.seen"), Some(42.0));
    assert_eq!(trace.last("m.held"), Some(40.0));
    assert_eq!(trace.last("m.event"), Some(-1.0), "an event that does not happen is not set");
    assert_near(trace.last("m.flow").unwrap(), 1.0, 1e-9);
    assert_eq!(at(&trace, "m.said", exact("1", 2)), Some(42.0));
}

/// An inner and an outer machine that move at once; `outer` is what the outer one does.
fn last_words(outer: &str, given: &str) -> String {
    let blocks = format!(
        "
  m:
    type: Modal
    initial: on
    states:
      on:
        blocks:
          i:
            type: Modal
            initial: p
            states:
              p: {{transitions: [{{to: q, when: present(c), output: {{said: 5}}}}]}}
              q: {{transitions: [{{to: p, after: 0.1}}]}}
          heard: {{type: Counter, increment: i.said}}
          count: {{type: ZeroOrderHold, input: heard}}
        outputs: {{said: {given}, count: count}}
        transitions: [{{to: off, when: present(c){outer}}}]
      off:
        outputs: {{count: -1}}
        transitions: [{{to: on, after: 0.5, history: true}}]
  total: {{type: Counter, increment: m.said}}"
    );
    model(&blocks, "m.said, m.count, m.state, total", "2.9")
}

#[test]
fn what_an_inner_machine_says_is_heard_when_the_outer_one_leaves() {
    for (given, value) in [("i.said", 5.0), ("2 * i.said + 1", 11.0)] {
        let trace = agreed(&last_words("", given));
        assert_events(&trace, "m.said", &[("1", 2), ("2", 2)]);
        assert!(trace.series("m.said").iter().all(|(_, said)| *said == value));
        assert_eq!(at(&trace, "m.state", exact("1", 2)), Some(1.0));
        assert_eq!(trace.last("total"), Some(2.0));
        // The counter in the state that has stopped has heard it too, once.
        assert_eq!(at(&trace, "m.count", exact("1.5", 1)), Some(1.0));
        assert_eq!(trace.last("m.count"), Some(2.0));
    }
    // What the outer one says itself comes first, and one that preempts hears nothing.
    let trace = agreed(&last_words(", output: {said: 9}", "i.said"));
    assert_eq!(at(&trace, "m.said", exact("1", 2)), Some(9.0));
    let trace = agreed(&last_words(", preemptive: true", "i.said"));
    assert_events(&trace, "m.said", &[]);
}

#[test]
fn last_words_pass_through_several_machines() {
    let blocks = "
  m:
    type: Modal
    initial: on
    states:
      on:
        blocks:
          j:
            type: Modal
            initial: u
            states:
              u:
                blocks:
                  i:
                    type: Modal
                    initial: p
                    states:
                      p: {transitions: [{to: q, when: present(c), output: {said: 5}}]}
                      q: {}
                outputs: {said: i.said}
                transitions: [{to: v, when: present(c)}]
              v: {}
        outputs: {said: 3 * j.said}
        transitions: [{to: off, when: present(c)}]
      off: {}";
    let trace = agreed(&model(blocks, "m.said, m.state", "2.5"));
    assert_events(&trace, "m.said", &[("1", 2)]);
    assert_eq!(at(&trace, "m.said", exact("1", 2)), Some(15.0));
    let still = agreed(&model(
        &blocks.replace(
            "transitions: [{to: v, when: present(c)}]",
            "transitions: [{to: v, after: 9}]",
        ),
        "m.said, m.state",
        "2.5",
    ));
    assert_eq!(at(&still, "m.said", exact("1", 2)), Some(15.0));
}

/// A state with some transitions into `a`, `b` and `d`; the state that is taken at 1 s.
fn taken(transitions: &str, seed: u32) -> f64 {
    let blocks = format!(
        "
  n: {{type: Counter, increment: c}}
  m:
    type: Modal
    initial: s
    states:
      s:
        blocks: {{k: {{type: Counter, increment: c}}}}
        outputs: {{y: k}}
        transitions: [{transitions}]
      a: {{transitions: [{{to: b, after: 100}}]}}
      b: {{transitions: [{{to: d, after: 100}}]}}
      d: {{transitions: [{{to: a, after: 100}}]}}"
    );
    let text =
        model(&blocks, "m.state", "1.5").replace("tolerance", &format!("seed: {seed}, tolerance"));
    simulate(&text).trace.last("m.state").unwrap()
}

#[test]
fn priorities_say_which_is_taken() {
    let [a, b, d] = [1.0, 2.0, 3.0];
    let cases = [
        ("{to: a, when: present(c), priority: 2}, {to: b, when: present(c), priority: 1}", b),
        ("{to: a, when: present(c)}, {to: b, when: present(c), priority: -3}", b),
        ("{to: a, when: present(c)}, {to: b, when: present(c), priority: 1 + 1}", a),
        ("{to: a, when: present(c), priority: -9}, {to: b, when: present(c), preemptive: true}", b),
        (
            "{to: a, when: present(c), preemptive: true, priority: 4}, {to: b, when: present(c), preemptive: true, priority: 3}",
            b,
        ),
        (
            "{to: a, when: present(c), default: true, preemptive: true}, {to: b, when: present(c)}",
            a,
        ),
        (
            "{to: a, when: present(c), default: true, preemptive: true}, {to: b, when: present(c), preemptive: true}",
            b,
        ),
        (
            "{to: a, when: present(c), default: true, priority: 1}, {to: b, when: present(c), default: true, priority: 2}",
            a,
        ),
        ("{to: d, when: present(c), default: true, priority: -5}, {to: b, when: present(c)}", b),
    ];
    for (transitions, state) in cases {
        assert_eq!(taken(transitions, 1), state, "{transitions}");
    }
    let drawn = "{to: d, when: present(c)}, {to: a, when: present(c), priority: -1, nondeterministic: true}, {to: b, when: present(c), priority: -1, nondeterministic: true}";
    let mut seen: Vec<f64> = (0..20).map(|seed| taken(drawn, seed)).collect();
    seen.sort_by(f64::total_cmp);
    seen.dedup();
    assert_eq!(seen, [a, b], "drawn among those that come first, never {d}");
}

#[test]
fn equal_priorities_stay_ambiguous() {
    let text = |priorities: [i32; 2]| {
        let [p, q] = priorities;
        let blocks = format!(
            "
  m:
    type: Modal
    initial: s
    states:
      s: {{transitions: [{{to: a, when: present(c), priority: {p}}}, {{to: b, when: present(c), priority: {q}}}]}}
      a: {{}}
      b: {{}}"
        );
        model(&blocks, "m.state", "1.5")
    };
    assert!(matches!(failure(&text([2, 2])).error, RunError::Ambiguous { .. }));
    assert_eq!(simulate(&text([2, 3])).trace.last("m.state"), Some(1.0));
    let refused = refusal(&text([0, 0]).replace("priority: 0}, {", "priority: 0.5}, {"));
    assert!(refused.to_string().contains("must be a whole number"), "{refused}");
}

#[test]
fn immediate_transitions_have_the_same_order() {
    let text = |first: &str, second: &str| {
        let blocks = format!(
            "
  m:
    type: Modal
    initial: s
    states:
      s: {{transitions: [{{to: t, when: present(c)}}]}}
      t:
        blocks: {{k: {{type: Clock, period: 1}}}}
        outputs: {{k: k}}
        transitions: [{{to: a, immediate: true{first}}}, {{to: b, immediate: true{second}}}]
      a: {{}}
      b: {{}}"
        );
        model(&blocks, "m.state, m.k", "1.5")
    };
    for (first, second, state) in [
        ("", ", preemptive: true", 3.0),
        (", priority: 1", "", 3.0),
        (", default: true, preemptive: true", "", 2.0),
        (", default: true, preemptive: true", ", preemptive: true", 3.0),
    ] {
        let trace = agreed(&text(first, second));
        assert_eq!(at(&trace, "m.state", exact("1", 2)), Some(state), "{first} {second}");
        assert_events(&trace, "m.k", &[]);
    }
    assert!(matches!(failure(&text("", "")).error, RunError::Ambiguous { .. }));
}

#[test]
fn equality_of_discrete_values_in_guards() {
    let blocks = |when: &str| {
        format!(
            "
  n: {{type: Counter, increment: c}}
  h: {{type: ZeroOrderHold, input: n}}
  x: {{type: Integrator, input: 1}}
  o: {{type: Modal, initial: p, states: {{p: {{outputs: {{z: 1}}, transitions: [{{to: q, after: 2.5}}]}}, q: {{outputs: {{z: 2}}}}}}}}
  m:
    type: Modal
    initial: s
    parameters: {{k: 3}}
    states:
      s:
        blocks:
          i: {{type: Counter, increment: c}}
          j: {{type: ZeroOrderHold, input: i}}
        outputs: {{y: j}}
        transitions: [{{to: t, when: {when}}}]
      t: {{transitions: [{{to: s, when: time > 100, set: {{k: 4}}}}]}}"
        )
    };
    for (when, tag) in [
        ("h == 3", ("3", 2)),
        ("n == 2", ("2", 2)),
        ("h == k", ("3", 2)),
        ("j == k", ("3", 2)),
        ("i == k - 1", ("2", 2)),
        ("h != 0", ("1", 2)),
        ("o.state == 1", ("2.5", 2)),
        ("o.z == 2", ("2.5", 2)),
        ("o.q == true", ("2.5", 2)),
        ("h == 3 and x > 1", ("3", 2)),
        ("x > 2.25 and h == 2", ("2.25", 1)),
        ("k == 3 and h == 1", ("1", 2)),
        ("floor(x) == 2 and h > 0", ("2", 1)),
    ] {
        let trace = agreed(&model(&blocks(when), "m.y, m.state", "3.9"));
        let first = trace.series("m.state").into_iter().find(|(_, state)| *state == 1.0);
        let first = first.map(|(tag, _)| (tag.time.seconds(), tag.microstep));
        let (time, microstep) = first.unwrap_or_else(|| panic!("{when} is never met"));
        assert_near(time, tag.0.parse().unwrap(), 1e-9);
        assert_eq!(microstep, tag.1, "{when}");
    }
    for when in ["x == 2", "x != 2", "time == 1", "x == h"] {
        let refused = refusal(&model(&blocks(when), "m.y, m.state", "3.9")).to_string();
        assert!(refused.contains("equality-of-continuous"), "{when}\n{refused}");
    }
}

/// A state that lasts 0.5 s each time, and a pause of 0.25 s.
fn paused(inside: &str, outputs: &str, history: bool, stop: &str) -> String {
    let blocks = format!(
        "
  ramp: {{type: Ramp}}
  m:
    type: Modal
    initial: on
    states:
      on:
        blocks:
          {inside}
        outputs: {{{outputs}, s: time}}
        transitions: [{{to: off, after: 0.5, history: true}}]
      off: {{transitions: [{{to: on, after: 0.25, history: {history}}}]}}"
    );
    model(&blocks, "m.y, m.s", stop)
        .replace("tolerance: 1e-9", "tolerance: 1e-9, maximum_step: 0.03")
}

/// The values of `m.y` over the local time, at rows between ticks.
fn over_local_time(trace: &Trace) -> Vec<(f64, f64)> {
    let (y, s) = (trace.series("m.y"), trace.series("m.s"));
    let local = |tag| s.iter().find(|(other, _)| *other == tag).map(|(_, s)| *s);
    y.into_iter().filter_map(|(tag, y)| Some((local(tag)?, y))).collect()
}

#[test]
fn a_delay_in_a_state_is_measured_by_its_time() {
    let inside = "u: {type: Expression, expression: sin(3 * time)}\n          y: {type: TransportDelay, input: u, delay: 0.6, initial: -1}";
    let trace = agreed(&paused(inside, "y: y", true, "3.1"));
    let values = over_local_time(&trace);
    assert!(values.len() > 80);
    for (s, y) in values {
        if (s - 0.6).abs() > 1e-9 {
            let expected = if s < 0.6 { -1.0 } else { (3.0 * (s - 0.6)).sin() };
            assert_near(y, expected, 1e-7);
        }
    }
    let anew = over_local_time(&agreed(&paused(inside, "y: y", false, "3.1")));
    assert!(anew.iter().all(|(_, y)| *y == -1.0), "the state never lasts as long as the delay");
}

#[test]
fn a_signal_from_outside_that_is_delayed_in_a_state() {
    let inside = "y: {type: TransportDelay, input: ramp, delay: 0.3, initial: -1}";
    let trace = agreed(&paused(inside, "y: y", true, "3.1"));
    for (s, y) in over_local_time(&trace) {
        let past = s - 0.3;
        // The pauses of 0.25 s are steps of what the state sees, at local times 0.5, 1, ...
        let pauses = (past / 0.5 + 1e-12).floor();
        if past < -1e-9 {
            assert_eq!(y, -1.0);
        } else if (past / 0.5 - pauses).abs() > 1e-6 {
            assert_near(y, past + 0.25 * pauses, 1e-8);
        }
    }
}

#[test]
fn a_delay_equation_in_a_state_goes_on_with_history() {
    let inside = "x: {type: Integrator, input: -d, initial: 1}\n          d: {type: TransportDelay, input: x, delay: 0.7, initial: 1}";
    let trace = agreed(&paused(inside, "y: x", true, "4.4"));
    // By steps of the delay: a polynomial in each.
    let x = |s: f64| {
        let mut sum = 1.0;
        let (mut k, mut factor) = (1, 1.0);
        while s > 0.7 * f64::from(k - 1) {
            let h = s - 0.7 * f64::from(k - 1);
            factor /= -f64::from(k);
            sum += factor * h.powi(k);
            k += 1;
        }
        sum
    };
    for (s, y) in over_local_time(&trace) {
        assert_near(y, x(s), 1e-7);
    }
}

#[test]
fn delayed_events_wait_while_their_state_does_not_run() {
    let inside = "k: {type: Clock, period: 0.2, offset: 0.1}\n          y: {type: EventDelay, input: k, delay: 0.45}";
    let trace = agreed(&paused(inside, "y: y", true, "3"));
    let found: Vec<f64> = over_local_time(&trace).into_iter().map(|(s, _)| s).collect();
    let expected: Vec<f64> = (0..).map(|k| 0.55 + 0.2 * f64::from(k)).take(found.len()).collect();
    assert!(found.len() >= 7, "{found:?}");
    for (found, expected) in found.iter().zip(&expected) {
        assert_near(*found, *expected, 1e-12);
    }
    let anew = agreed(&paused(inside, "y: y", false, "3"));
    assert_events(&anew, "m.y", &[]);
}

/// The state runs for 3/7 of every second: neither its pauses nor the delays in it are whole
/// attoseconds, and no rounding is left over.
#[test]
fn delays_in_a_state_are_exact_over_pauses() {
    let blocks = "  s: {type: Clock, period: 1, offset: 3/7}
  m:
    type: Modal
    initial: on
    states:
      on:
        blocks:
          k: {type: Clock, period: 1/3, offset: 1/5}
          a: {type: EventDelay, input: k, delay: 1/3}
          b: {type: TransportDelay, input: a, delay: 1/3}
          e: {type: EventDelay, input: b, delay: 1/3}
          f: {type: EventDelay, input: k, delay: 1}
        outputs: {e: e, f: f}
        transitions: [{to: off, when: present(s)}]
      off:
        transitions: [{to: on, when: present(c), history: true}]";
    let trace = agreed(&model(blocks, "m.e, m.f", "30"));
    let (turn, mut count) = (Rational::new(3, 7), 0);
    for (n, (tag, _)) in (0..).zip(trace.series("m.e")) {
        let local = Rational::new(6, 5) + Rational::new(n, 3);
        let turns = (local / turn).floor();
        let time = Time::from_rational(turns + local - turns * turn).unwrap();
        assert_eq!(tag, Tag::new(time, 1));
        count += 1;
    }
    assert_eq!(count, 35);
    assert_eq!(tags(&trace, "m.e"), tags(&trace, "m.f"));
}

/// A ball that falls onto the floor at a tick of a clock, a rounding below it, and is thrown up from
/// there after a pause.
#[test]
fn a_crossing_that_was_located_is_not_found_again_after_a_pause() {
    for (like, factor) in (-3..=3).flat_map(|k| [(false, k), (true, k)]) {
        let height = 1.0 + f64::from(factor) * 8.0 * f64::EPSILON;
        let more =
            "\n      free2: {like: free, transitions: [{to: flash, when: y < 0, set: {w: -v}}]}";
        let (to, more) = if like { ("free2", more) } else { ("free", "") };
        let blocks = format!(
            "
  m:
    type: Modal
    initial: free
    parameters: {{w: 0}}
    states:
      free:
        blocks:
          k: {{type: Clock, period: 0.5, offset: 0.5}}
          v: {{type: Integrator, input: -8}}
          y: {{type: Integrator, input: v, initial: {height:?}}}
        outputs: {{y: y, k: k}}
        transitions: [{{to: flash, when: y < 0, set: {{w: -v}}}}]{more}
      flash:
        outputs: {{y: -1}}
        transitions: [{{to: {to}, after: 0.25, history: true, set: {{v: w}}}}]"
        );
        let trace = agreed(&model(&blocks, "m.y, m.state, m.flash", "4.1"));
        let mut flashes = trace.series("m.flash");
        flashes.dedup_by_key(|(_, is)| *is);
        let starts: Vec<f64> = flashes
            .iter()
            .filter(|(_, is)| *is == 1.0)
            .map(|(tag, _)| tag.time.seconds())
            .collect();
        assert_eq!(starts.len(), 3, "{height:?}: {starts:?}");
        for (found, expected) in starts.iter().zip([0.5, 1.75, 3.0]) {
            assert_near(*found, expected, 1e-7);
        }
    }
}
