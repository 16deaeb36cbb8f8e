//! State machines on streams: against the same finite state written as an expression, against
//! closed forms, and against the native engine.

use superdense::{Evaluations, StreamError, Streaming, Sums};

use super::common::{assert_near, compile, simulate};
use super::{accepted, get, shared, stream, streamed, switches, with_step};

/// Every number of the solver and of some signals, bit by bit.
fn table(run: &Evaluations, signals: &[&str]) -> Vec<Vec<Option<u64>>> {
    let columns: Vec<&str> =
        ["time", "stage", "h", "p", "error"].iter().chain(signals).copied().collect();
    let row = |e| columns.iter().map(|name| run.get(e, name).map(f64::to_bits)).collect();
    (0..run.len()).map(row).collect()
}

const MODAL_THERMOSTAT: &str = "
superdense: 1
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
superdense: 1
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

/// Numbers drawn one after the other (the generator is SplitMix64).
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
}

/// A random machine over an oscillator that it drives, and the same as an expression: each state
/// has an output and some guards by priority, and a parameter counts the transitions.
fn random_machine(draw: &mut Draw) -> (String, String) {
    let count = 2 + draw.below(3);
    let level = |draw: &mut Draw| (draw.below(41) as f64 - 20.0) / 16.0;
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
            "superdense: 1
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
        let (machine, expression) = random_machine(&mut Draw(seed));
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
superdense: 1
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

/// When a column of a native run changes, and to what.
fn native_switches(text: &str, column: &str) -> Vec<(f64, f64)> {
    let series = simulate(text).trace.series(column);
    let rows = series.into_iter().map(|(tag, value)| (tag.time.seconds(), value));
    let rows: Vec<(f64, f64)> = rows.collect();
    rows.windows(2).filter(|pair| pair[0].1 != pair[1].1).map(|pair| pair[1]).collect()
}

/// The same where switches are held back: the evaluation before the new value is the located one.
fn held_switches(run: &Evaluations, column: &str) -> Vec<(f64, f64)> {
    let rows = (0..run.len()).filter_map(|e| Some((e, run.get(e, column)?)));
    let rows: Vec<(usize, f64)> = rows.collect();
    let changes = rows.windows(2).filter(|pair| pair[0].1 != pair[1].1).map(|pair| pair[1]);
    changes.map(|(e, value)| (get(run, e - 1, "time"), value)).collect()
}

fn held(step: f64) -> Streaming {
    Streaming { hold: Some(1e-6), limit: 1_000_000, ..shared(step) }
}

/// Held back, machines go the way of the native engine.
fn assert_like_native(text: &str, columns: &[&str], least: usize) {
    let run = stream(text, &held(1.0 / 512.0));
    let stop = get(&run, run.len() - 1, "time") - 1e-4;
    let exact = text.replace("tolerance: 1e-3", "tolerance: 1e-9");
    let exact = exact.replace("tolerance: 1e-5", "tolerance: 1e-9");
    for column in columns {
        let native = native_switches(&exact, column);
        let native: Vec<(f64, f64)> = native.into_iter().filter(|(t, _)| *t < stop).collect();
        let own = held_switches(&run, column);
        let own: Vec<(f64, f64)> = own.into_iter().filter(|(t, _)| *t < stop).collect();
        let values = |all: &[(f64, f64)]| all.iter().map(|(_, value)| *value).collect::<Vec<_>>();
        assert_eq!(values(&own), values(&native), "{column}: {own:?} {native:?}");
        assert!(own.len() >= least, "{column}: {own:?}");
        for ((own, _), (native, _)) in own.iter().zip(&native) {
            assert_near(*own, *native, 1e-5);
        }
    }
}

/// Each as a machine `m` beside the oscillator x'' = -x from 1, which it may push.
fn beside_oscillator(machine: &str, more: &str, push: &str) -> String {
    format!(
        "superdense: 1
blocks:
  x: {{type: Integrator, input: v, initial: 1}}
  v: {{type: Integrator, input: {push} - x, initial: 0}}
{more}  m:
    type: Modal
{machine}
simulate: {{stop: 10, tolerance: 1e-5}}
"
    )
}

#[test]
fn held_back_a_thermostat_switches_as_in_the_native_engine() {
    let text = MODAL_THERMOSTAT.replace("1e-2", "1e-5").replace("stop: 29", "stop: 17");
    assert_like_native(&text, &["m.state", "m.on"], 5);
}

#[test]
fn guards_over_values_and_times_go_together() {
    let machine = "    initial: a
    states:
      a: {outputs: {y: 0.25}, transitions: [{to: b, when: x < 0.2, after: 0.75}]}
      b: {outputs: {y: -0.5}, transitions: [{to: c, after: 1/3}]}
      c: {outputs: {y: 0}, transitions: [{to: a, when: elapsed > 0.4 and v < 0.3}]}";
    let text = beside_oscillator(machine, "", "m.y");
    assert_like_native(&text, &["m.state", "m.y"], 6);
}

#[test]
fn machines_in_machines_have_their_history() {
    let machine = "    initial: work
    states:
      work:
        blocks:
          inner:
            type: Modal
            initial: one
            states:
              one: {transitions: [{to: two, after: 0.3}]}
              two: {transitions: [{to: three, when: v < 0.5, after: 0.2}]}
              three: {transitions: [{to: one, after: 0.35}]}
        outputs: {y: inner.state, z: 0}
        transitions:
          - {to: pause, when: x < -0.5}
          - {to: reset, when: x > 0.95 and time > 1}
      pause:
        outputs: {y: -1, z: 1}
        transitions: [{to: work, after: 0.45, history: true}]
      reset:
        outputs: {y: -2, z: 2}
        transitions: [{to: work, after: 0.5}]";
    // Each pause ends while x is still below, so that the next one begins at once.
    let text = beside_oscillator(machine, "", "0");
    assert_like_native(&text, &["m.state", "m.y"], 10);
}

#[test]
fn parameters_are_set_and_chains_are_immediate() {
    let machine = "    initial: a
    parameters: {k: 0, best: 0}
    states:
      a:
        blocks:
          seen: {type: Sample, input: x, trigger: tick}
          n: {type: Counter, increment: seen, initial: k}
          held: {type: ZeroOrderHold, input: n, initial: k}
        outputs: {y: held}
        transitions: [{to: b, when: v > 0.5, set: {best: best + x, k: k + 10}}]
      b:
        outputs: {y: -1}
        transitions:
          - {to: c, when: best > -2, immediate: true}
          - {to: d, when: best <= -2, immediate: true}
      c: {outputs: {y: best}, transitions: [{to: a, when: v < -0.5}]}
      d: {outputs: {y: -best}, transitions: [{to: a, when: v < -0.5}]}";
    let text = beside_oscillator(machine, "  tick: {type: Clock, period: 0.3, offset: 0.1}\n", "0");
    let run = stream(&text, &held(0.02));
    assert!((0..run.len()).all(|e| get(&run, e, "m.state") != 1.0), "b lasts no evaluation");
    assert_like_native(
        &text.replace("y: best}", "y: -5}").replace("y: -best}", "y: -6}"),
        &["m.y", "m.state"],
        3,
    );
}

#[test]
fn what_is_said_is_there_once() {
    let machine = "    initial: a
    states:
      a: {transitions: [{to: b, when: x < 0, after: 0.2, output: {said: v}}]}
      b: {transitions: [{to: a, after: 0.6, output: {said: 7}}]}";
    let more = "  n: {type: Counter, increment: m.said}\n  k: {type: ZeroOrderHold, input: n, initial: 0}\n";
    let text = beside_oscillator(machine, more, "0");
    let text = text.replace("simulate:", "record: [m.said, m.state, k]\nsimulate:");
    for streaming in [with_step(0.02), shared(0.02), held(1.0 / 512.0)] {
        let run = stream(&text, &streaming);
        for e in 1..run.len() {
            let moved = get(&run, e, "m.state") != get(&run, e - 1, "m.state");
            assert!(moved || run.get(e, "m.said").is_none(), "{e}");
        }
        // What is taken back is not counted.
        let end = accepted(&run).last().expect("a row");
        let moves = switches(&run, "m.state").len() as f64;
        assert!(moves > 3.0 && get(&run, end, "k") == moves, "{moves}: {}", get(&run, end, "k"));
    }
}

#[test]
fn a_preemptive_transition_comes_first() {
    let machine = "    initial: on
    states:
      on:
        blocks:
          n: {type: Counter, increment: tick}
          k: {type: ZeroOrderHold, input: n, initial: 0}
        outputs: {n: k, e: n}
        transitions: [{to: off, when: present(stop), preemptive: true}]
      off:
        outputs: {n: 100}
        transitions: [{to: on, after: 0.7, history: true}]";
    let more = "  tick: {type: Clock, period: 0.5, offset: 0.5}\n  stop: {type: Clock, period: 2, offset: 1}\n";
    let text = beside_oscillator(machine, more, "0");
    assert_like_native(&text, &["m.n", "m.state"], 8);
}

/// What an inner machine says when the outer one leaves at the same time is heard all the same.
#[test]
fn last_words_are_heard() {
    let machine = "    initial: a
    states:
      a:
        blocks:
          inner:
            type: Modal
            initial: one
            states:
              one: {transitions: [{to: two, when: x < 0, output: {word: 1}}]}
              two: {transitions: [{to: one, when: x > 0.5, output: {word: 2}}]}
          n: {type: Counter, increment: inner.word}
          k: {type: ZeroOrderHold, input: n, initial: 0}
        outputs: {word: inner.word, k: k}
        transitions: [{to: b, when: x < 0 and v < 0}]
      b:
        outputs: {k: -1}
        transitions: [{to: a, when: x > 0 and v > 0, history: true}]";
    let more = "  n: {type: Counter, increment: m.word}
  heard: {type: ZeroOrderHold, input: n, initial: 0}
";
    let text = beside_oscillator(machine, more, "0");
    assert_like_native(&text, &["m.state", "m.k", "heard"], 3);
}

/// The clocks of states stand still with them, and states may share a diagram.
#[test]
fn clocks_in_states_are_local() {
    let machine = "    initial: a
    parameters: {g: 1}
    states:
      a:
        blocks:
          c: {type: Clock, period: 0.7, offset: 0.3}
          s: {type: Sample, input: floor(10 * time + 0.01) + 100 * g, trigger: c}
          k: {type: ZeroOrderHold, input: s, initial: 0}
        outputs: {k: k}
        transitions:
          - {to: b, when: x < -0.3 and v < 0, history: true, set: {g: g + 1}}
          - {to: c, when: x > 0.9 and v > 0 and elapsed > 1}
      b:
        like: a
        transitions: [{to: c, when: v > 0.2, history: true}]
      c:
        outputs: {k: -1}
        transitions: [{to: a, after: 0.45, history: true}]";
    let text = beside_oscillator(machine, "", "0");
    assert_like_native(&text, &["m.state", "m.k"], 4);
}

/// Drawn by the seed of the run, in the same order as in the native engine.
#[test]
fn the_seed_draws_the_same_transitions() {
    let machine = "    initial: a
    states:
      a: {transitions: [{to: b, after: 0.3, nondeterministic: true}, {to: c, after: 0.3, nondeterministic: true}]}
      b: {transitions: [{to: a, after: 0.2, nondeterministic: true}, {to: c, after: 0.2, nondeterministic: true}]}
      c: {transitions: [{to: a, default: true, when: x < 2, after: 0.1}, {to: b, when: x > 0, after: 0.1}]}";
    for seed in [1, 2, 3] {
        let text = beside_oscillator(machine, "", "0");
        let text = text.replace("tolerance", &format!("seed: {seed}, tolerance"));
        assert_like_native(&text, &["m.state"], 15);
    }
}

/// Two stop watches: each runs in its own state alone, and neither is ever put back.
#[test]
fn what_flows_in_a_state_stands_still_elsewhere() {
    let text = "
superdense: 1
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
            "superdense: 1\nblocks:\n  c: {{type: Clock, period: 1}}\n  x: {{type: Integrator, input: 1, initial: 0.25}}\n  y: {{type: Modal, initial: a, states: {{{states}}}}}\nsimulate: {{stop: 1}}\n"
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
            "superdense: 1\nblocks:\n  y: {{type: Modal, initial: a, states: {{{states}}}}}\nsimulate: {{stop: 1}}\n"
        );
        stream(&text, &with_step(0.01));
    }
}

fn failure_of(states: &str) -> StreamError {
    let text = format!(
        "superdense: 1\nblocks:\n  x: {{type: Integrator, input: 1}}\n{states}simulate: {{stop: 1}}\n"
    );
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
