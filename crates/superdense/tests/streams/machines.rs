//! State machines on streams: against the same finite state written as an expression and against
//! closed forms, and what is refused.

use superdense::{Evaluations, StreamError, Streaming, Sums};

use super::common::draws::Draws;
use super::common::{assert_near, compile};
use super::machines_held::{assert_like_native, beside_oscillator, held};
use super::{accepted, get, shared, stream, streamed, switches, with_step};

/// Every number of the solver and of some signals, bit by bit.
fn table(run: &Evaluations, signals: &[&str]) -> Vec<Vec<Option<u64>>> {
    let columns: Vec<&str> =
        ["time", "stage", "h", "p", "error"].iter().chain(signals).copied().collect();
    let row = |e| columns.iter().map(|name| run.get(e, name).map(f64::to_bits)).collect();
    (0..run.len()).map(row).collect()
}

pub const MODAL_THERMOSTAT: &str = "
blocks:
  room: {type: Integrator, input: (target - room) / 10, initial: 10}
  target: {type: Expression, expression: if m.on > 0 then 30 else 10}
  m:
    type: Modal
    initial: heating
    states:
      heating:
        outputs: {on: 1}
        transitions: [{to: waiting, when: room > 21}]
      waiting:
        outputs: {on: 0}
        transitions: [{to: heating, when: room < 19}]
record: [room, m.on, m.state, m.heating]
simulate: {stop: 29, tolerance: 1e-2}
";

/// The same with the state of the evaluation before.
const PREVIOUS_THERMOSTAT: &str = "
blocks:
  room: {type: Integrator, input: (target - room) / 10, initial: 10}
  target: {type: Expression, expression: if on > 0 then 30 else 10}
  on: {type: Expression, expression: 'if previous(room) < 19 then 1 else (if previous(room) > 21 then 0 else previous(on))'}
simulate: {stop: 29, tolerance: 1e-2}
";

#[test]
fn a_machine_is_the_expression_over_the_evaluation_before() {
    let mut reversals = 0;
    for streaming in [with_step(0.01), shared(0.01), with_step(0.5), shared(0.5)] {
        let machine = stream(MODAL_THERMOSTAT, &streaming);
        let expression = stream(PREVIOUS_THERMOSTAT, &streaming);
        reversals += machine.reversals().len();
        let own = table(&machine, &["room", "contribution(room)", "m.on"]);
        assert!(own == table(&expression, &["room", "contribution(room)", "on"]));
        for e in 0..machine.len() {
            let on = get(&machine, e, "m.on");
            assert_eq!(get(&machine, e, "m.state"), 1.0 - on);
            assert_eq!(get(&machine, e, "m.heating"), on);
        }
    }
    assert!(reversals > 10, "{reversals} rejections are too few to show anything");
}

/// The paper's ball with its floor as a machine, beside a controller whose ticks are taken back.
#[test]
fn the_ball_on_a_floor_that_is_a_machine_is_that_of_the_paper() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/pulled-ball/model.yaml");
    let text = std::fs::read_to_string(path).expect("a model");
    let contact = text.lines().find(|line| line.starts_with("  contact:")).expect("the floor");
    let machine = "  ground: {type: Modal, initial: free, states: {free: {transitions: [{to: met, when: x < 0}]}, met: {transitions: [{to: free, when: x >= 0}]}}}
  contact: {type: Expression, expression: ground.met}";
    let modal = text.replace(contact, machine);
    let previous = text.replace("machine: 0", "machine: 1");
    for streaming in
        [Streaming::default(), Streaming { sums: Sums::Shared, ..Streaming::default() }]
    {
        let (own, paper) = (stream(&modal, &streaming), stream(&previous, &streaming));
        let columns = ["x", "v", "floor_force", "contact", "pull", "contribution(v)", "error(v)"];
        assert!(own.reversals().len() > 100, "{}", own.reversals().len());
        assert!(table(&own, &columns) == table(&paper, &columns));
    }
}

/// A random machine over an oscillator that it drives, and the same as an expression: each state
/// has an output and some guards by priority, and a parameter counts the transitions.
fn random_machine(draw: &mut Draws) -> (String, String) {
    let count = 2 + draw.below(3);
    let level = |draw: &mut Draws| (draw.below(41) as f64 - 20.0) / 16.0;
    let (mut states, mut next, mut push, mut goes) = <(String, String, String, String)>::default();
    for state in 0..count {
        let own = level(draw);
        let mut ways = Vec::new();
        // Each state leads to the next one at least, so that all are reached.
        for number in 0..=draw.below(2) {
            let to = if number == 0 { (state + 1) % count } else { draw.below(count) };
            let name = ["x", "v"][draw.below(2) as usize];
            let sign = ["<", ">"][draw.below(2) as usize];
            ways.push((to, name, format!("{sign} {}", level(draw))));
        }
        let mut transitions = String::new();
        let (mut to, mut go) = (state.to_string(), "0".to_owned());
        for (priority, (target, name, than)) in ways.iter().enumerate() {
            transitions += &format!(
                "{{to: s{target}, when: {name} {than}, priority: {priority}, set: {{n: n + 1}}}}, "
            );
        }
        for (target, name, than) in ways.iter().rev() {
            to = format!("(if previous({name}) {than} then {target} else {to})");
            go = format!("(if previous({name}) {than} then 1 else {go})");
        }
        states += &format!(
            "      s{state}: {{outputs: {{push: {own}, n: n}}, transitions: [{transitions}]}}\n"
        );
        let edge = state as f64 + 0.5;
        next += &format!("if previous(s) < {edge} then {to} else ");
        push += &format!("if s < {edge} then {own} else ");
        goes += &format!("if previous(s) < {edge} then {go} else ");
    }
    let model = |push: &str, blocks: String, record: &str| {
        format!(
            "
blocks:
  x: {{type: Integrator, input: v, initial: 0.5}}
  v: {{type: Integrator, input: {push} - x, initial: 0}}
{blocks}record: [x, v, {record}]
simulate: {{stop: 6, tolerance: 1e-2}}
"
        )
    };
    let machine = format!(
        "  m:\n    type: Modal\n    initial: s0\n    parameters: {{n: 0}}\n    states:\n{states}"
    );
    // Before the first evaluation everything is 0.
    let expression = format!(
        "  begun: {{type: Expression, expression: previous(time + 1) > 0.5}}
  s: {{type: Expression, expression: 'if begun then ({next}0) else 0'}}
  push: {{type: Expression, expression: '{push}0'}}
  n: {{type: Expression, expression: 'if begun then previous(n) + ({goes}0) else 0'}}
"
    );
    let machine = model("m.push", machine, "m.state, m.push, m.n");
    (machine, model("push", expression, "s, push, n"))
}

const CLOCK: &str =
    "  tick: {type: Clock, period: 0.037}\n  ticks: {type: Counter, increment: tick}\n";

#[test]
fn random_machines_are_their_expressions() {
    let (mut moved, mut reversals) = (0, 0);
    for seed in 0..60 {
        let (machine, expression) = random_machine(&mut Draws::new(seed));
        let streaming = if seed % 2 == 0 { with_step(0.1) } else { shared(0.1) };
        let (own, other) = (stream(&machine, &streaming), stream(&expression, &streaming));
        let signals = ["x", "v", "contribution(v)"];
        let own_table = table(&own, &[&signals[..], &["m.state", "m.push", "m.n"]].concat());
        assert!(
            own_table == table(&other, &[&signals[..], &["s", "push", "n"]].concat()),
            "seed {seed}\n{machine}\n{expression}"
        );
        moved += usize::from(switches(&own, "m.state").len() > 2);
        reversals += own.reversals().len();
        // Ticks that are taken back take no transition with them that does not hang on them.
        let ticking = machine.replace("blocks:\n", &format!("blocks:\n{CLOCK}"));
        let ticking = stream(&ticking, &streaming);
        let own = table(&own, &["x", "v", "m.state", "m.push", "m.n"]);
        assert!(own == table(&ticking, &["x", "v", "m.state", "m.push", "m.n"]), "seed {seed}");
    }
    assert!(moved > 20 && reversals > 500, "{moved} have moved, {reversals} steps were rejected");
}

const TIMED: &str = "
blocks:
  x: {type: Integrator, input: if m.long then 1 else -20, initial: 0}
  w: {type: Integrator, input: if sin(40 * time) > 0 then 5 else -5, initial: 0}
  m:
    type: Modal
    initial: long
    states:
      long: {transitions: [{to: short, after: 0.5}]}
      short: {transitions: [{to: long, after: 0.25}]}
record: [x, m.state]
simulate: {stop: 3, tolerance: 1e-3}
";

/// How many transitions of it there are up to a time.
fn transitions_up_to(time: f64) -> usize {
    let times = (0..100).flat_map(|round| [0.5, 0.75].map(|first| first + f64::from(round) * 0.75));
    times.take_while(|t| *t <= time).count()
}

/// A transition that hangs on time alone is a function of time, as the tick of a clock is: it is
/// there at the evaluation after the one that has seen its time, and is taken back where that
/// evaluation belongs to a step that is rejected.
#[test]
fn what_hangs_on_after_recedes_with_time() {
    let run = stream(TIMED, &with_step(1.0 / 64.0));
    let state = |e| get(&run, e, "m.state");
    let back = run.reversals().into_iter().filter(|e| state(*e) != state(e - 1)).count();
    assert!(back > 0, "nothing was taken back");
    for e in 1..run.len() {
        let again = get(&run, e, "stage") == 1.0 && get(&run, e, "p") == 1.0;
        // The steps are sums of powers of two, so that times are exact.
        let seen = match again {
            true => accepted(&run).take_while(|before| *before < e).last().expect("the start"),
            false => e - 1,
        };
        let count = transitions_up_to(get(&run, seen, "time"));
        assert_eq!(get(&run, e, "m.state"), (count % 2) as f64, "{e}");
    }
}

/// Times of transitions do not drift, whatever the steps are: those that lie between two evaluations
/// follow one another at the second.
#[test]
fn no_transition_is_lost_in_a_long_step() {
    let run = stream(&TIMED.replace("-20", "1").replace("-5", "5"), &with_step(2.0));
    for e in 1..run.len() {
        let (before, now) = (get(&run, e - 1, "time"), get(&run, e, "time"));
        let (seen, due) = (transitions_up_to(before), transitions_up_to(now));
        // The last that is due is decided here and is there at the next evaluation.
        let count = if due > seen { due - 1 } else { seen };
        assert_eq!(get(&run, e, "m.state"), (count % 2) as f64, "{e}");
    }
}

/// Two stop watches: each runs in its own state alone, and neither is ever put back.
#[test]
fn what_flows_in_a_state_stands_still_elsewhere() {
    let text = "
blocks:
  m:
    type: Modal
    initial: a
    states:
      a:
        blocks: {x: {type: Integrator, input: 1}, tick: {type: Clock, period: 0.4, offset: 0.4}, n: {type: Counter, increment: tick}, k: {type: ZeroOrderHold, input: n, initial: 0}}
        outputs: {x: x, k: k}
        transitions: [{to: b, after: 0.5, history: true}]
      b:
        blocks: {x: {type: Integrator, input: 2, initial: 5}}
        outputs: {x: x}
        transitions: [{to: a, after: 0.25, history: true}]
record: [m.x, m.k, m.state]
simulate: {stop: 3, tolerance: 1e-3}
";
    let run = stream(text, &with_step(1.0 / 64.0));
    for e in 2..run.len() {
        let in_a = |e| get(&run, e, "m.state") == 0.0;
        assert_eq!(run.get(e, "m.k").is_some(), in_a(e), "{e}");
        // Rates are those of the two evaluations before.
        if in_a(e - 1) == in_a(e - 2) {
            let [a, b] = ["contribution(m.a.x)", "contribution(m.b.x)"].map(|x| get(&run, e, x));
            let h = get(&run, e, "h");
            assert_eq!([a, b], if in_a(e - 1) { [h, 0.0] } else { [0.0, 2.0 * h] }, "{e}");
        }
    }
    let run = stream(text, &held(1.0 / 64.0));
    for e in accepted(&run) {
        let (time, state) = (get(&run, e, "time"), get(&run, e, "m.state"));
        let (rounds, rest) = ((time / 0.75).floor(), time % 0.75);
        if (rest - 0.5).abs() < 1e-4 || !(1e-4..0.7499).contains(&rest) {
            continue;
        }
        let expected = match state {
            0.0 => rounds * 0.5 + rest.min(0.5),
            _ => 5.0 + 2.0 * (rounds * 0.25 + (rest - 0.5).max(0.0)),
        };
        assert_near(get(&run, e, "m.x"), expected, 1e-4);
    }
    assert_like_native(text, &["m.state"], 7);
}

/// A state that stays when time recedes past its entry counts as entered there.
#[test]
fn elapsed_is_never_negative() {
    let machine = "    initial: a
    states:
      a: {outputs: {push: 20, t: 0}, transitions: [{to: b, when: x > 1.2}]}
      b: {blocks: {d: {type: Gain, input: time, gain: 1}}, outputs: {push: -20, t: d}, transitions: [{to: a, when: elapsed > 0.1 and x < 1}]}";
    let text = beside_oscillator(machine, "", "m.push");
    let run = stream(&text.replace("1e-5", "1e-3"), &with_step(0.02));
    assert!(run.reversals().len() > 10, "{:?}", run.reversals().len());
    assert!(switches(&run, "m.state").len() > 3);
    assert!((0..run.len()).all(|e| get(&run, e, "m.t") >= 0.0));
}

/// What a sum cannot do, and what streams do not have, is refused by name.
#[test]
fn machines_that_streams_cannot_express_are_refused() {
    let cases = [
        // Entered anew.
        (
            "a: {blocks: {z: {type: Integrator, input: 1}}, outputs: [z], transitions: [{to: b, when: x > 0.5}]}, b: {transitions: [{to: a, after: 1}]}",
            "y.a.z",
            "enters `a` anew",
        ),
        (
            "a: {blocks: {z: {type: Integrator, input: 1}}, outputs: [z], transitions: [{to: a, after: 1}]}",
            "y.a.z",
            "enters `a` anew",
        ),
        // Set.
        (
            "a: {blocks: {z: {type: Integrator, input: 1}}, outputs: [z], transitions: [{to: a, after: 1, set: {z: 0}, history: true}]}",
            "y.a.z",
            "`y` sets it",
        ),
        // Handed over.
        (
            "a: {transitions: [{to: b, after: 1, set: {z0: x}}]}, b: {parameters: {z0: 0}, blocks: {z: {type: Integrator, input: 1, initial: z0}}, outputs: [z]}",
            "y.b.z",
            "hands over",
        ),
        // In an inner machine of a state that is entered anew.
        (
            "a: {blocks: {w: {type: Modal, initial: c, states: {c: {blocks: {z: {type: Integrator, input: 1}}, outputs: [z]}}}}, outputs: {z: w.z}, transitions: [{to: a, after: 1}]}",
            "y.a.w.c.z",
            "enters `a` anew",
        ),
        ("a: {outputs: {q: 1 / x}, transitions: [{to: b, error: true}]}, b: {}", "y", "way out"),
        ("a: {transitions: [{to: b, when: left(x) > 0.5}]}, b: {}", "y", "left limit"),
        (
            "a: {blocks: {z: {type: Counter, increment: c}, h: {type: ZeroOrderHold, input: z, initial: 0}}, transitions: [{to: b, when: present(c), preemptive: true, set: {k: h}}]}, b: {parameters: {k: 0}, outputs: {k: k}}",
            "y",
            "preemptive",
        ),
        (
            "a: {blocks: {z: {type: TransportDelay, input: x, delay: 0.5}}, outputs: [z]}",
            "y.a.z",
            "more of a run",
        ),
    ];
    for (states, path, said) in cases {
        let text = format!(
            "blocks:\n  c: {{type: Clock, period: 1}}\n  x: {{type: Integrator, input: 1, initial: 0.25}}\n  y: {{type: Modal, initial: a, states: {{{states}}}}}\nsimulate: {{stop: 1}}\n"
        );
        let refused = compile(&text).stream(&Streaming::default()).expect_err(states);
        let found = &refused.diagnostics.0[0];
        assert_eq!(found.code, "not-a-stream", "{states}");
        assert!(found.message.contains(said), "{states}: {}", found.message);
        assert!(found.path.starts_with(path), "{states}: {}", found.path);
        assert!(!found.labels.is_empty() && found.help.is_some());
    }
}

/// What is only left and gone on with, or never entered again, does not jump.
#[test]
fn continuous_states_with_history_are_accepted() {
    for states in [
        "a: {blocks: {z: {type: Integrator, input: 1}}, outputs: [z], transitions: [{to: b, after: 0.2, history: true}]}, b: {transitions: [{to: a, after: 0.2, history: true}]}",
        "a: {transitions: [{to: b, after: 0.2}]}, b: {blocks: {z: {type: Integrator, input: 1}}, outputs: [z]}",
        "a: {blocks: {z: {type: Integrator, input: 1}}, outputs: [z], transitions: [{to: b, when: z > 0.5}]}, b: {}",
    ] {
        let text = format!(
            "blocks:\n  y: {{type: Modal, initial: a, states: {{{states}}}}}\nsimulate: {{stop: 1}}\n"
        );
        stream(&text, &with_step(0.01));
    }
}

fn failure_of(states: &str) -> StreamError {
    let text =
        format!("blocks:\n  x: {{type: Integrator, input: 1}}\n{states}simulate: {{stop: 1}}\n");
    let error = streamed(&compile(&text), &with_step(0.01)).error;
    error.expect("a failure")
}

#[test]
fn transitions_that_contradict_are_named() {
    let ambiguous = failure_of(
        "  y: {type: Modal, initial: a, states: {a: {transitions: [{to: b, when: x > 0.5}, {to: c, when: x > 0.5}]}, b: {}, c: {}}}\n",
    );
    assert_eq!((ambiguous.code(), ambiguous.block()), ("ambiguous-transitions", "y"));
    let circle = failure_of(
        "  y: {type: Modal, initial: a, states: {a: {transitions: [{to: b, when: x > 0.5}]}, b: {transitions: [{to: c, immediate: true}]}, c: {transitions: [{to: b, immediate: true}]}}}\n",
    );
    assert_eq!((circle.code(), circle.block()), ("immediate-cycle", "y"));
    assert!(circle.to_string().contains("b -> c -> b"), "{circle}");
    let twice = failure_of(
        "  y:
    type: Modal
    initial: a
    parameters: {k: 0}
    states:
      a:
        blocks:
          z: {type: Modal, initial: c, states: {c: {transitions: [{to: c, when: x > 0.5, set: {k: 1}}]}}}
        transitions: [{to: a, when: x > 0.5, set: {k: 2}}]
",
    );
    assert_eq!((twice.code(), twice.block()), ("set-twice", "y"));
}
