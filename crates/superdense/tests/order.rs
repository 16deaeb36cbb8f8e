//! Random diagrams: with their blocks in another order, and as native code, they give the same bits,
//! and delayed signals repeat their inputs.

use crate::common::{bits, by, compile};
use proptest::prelude::*;
use superdense::{Backend, Rational, Time, Trace};

/// One block of a random diagram. Numbers choose among the signals before it.
#[derive(Clone, Debug)]
enum Piece {
    Sine(u8),
    Step(u8),
    Clock(u8),
    Sum(usize, usize),
    Gain(usize, i8),
    Integrator { input: usize, leak: bool, impulse: Option<usize>, reset: Option<usize> },
    Sample(usize, usize),
    Hold(usize),
    Merge(usize, usize),
    Crossing(usize, i8),
    Choice(usize, usize, usize),
    Kink(usize),
    Floor(usize),
    Previous(usize),
    Delay(usize, u8),
    Echo(usize, u8),
}

fn piece() -> impl Strategy<Value = Piece> {
    let some = || 0..64usize;
    prop_oneof![
        (1..8u8).prop_map(Piece::Sine),
        (1..8u8).prop_map(Piece::Step),
        (1..8u8).prop_map(Piece::Clock),
        (some(), some()).prop_map(|(a, b)| Piece::Sum(a, b)),
        (some(), -9..9i8).prop_map(|(a, g)| Piece::Gain(a, g)),
        (some(), any::<bool>(), prop::option::of(some()), prop::option::of(some())).prop_map(
            |(input, leak, impulse, reset)| Piece::Integrator { input, leak, impulse, reset }
        ),
        (some(), some()).prop_map(|(a, b)| Piece::Sample(a, b)),
        some().prop_map(Piece::Hold),
        (some(), some()).prop_map(|(a, b)| Piece::Merge(a, b)),
        (some(), -5..5i8).prop_map(|(a, level)| Piece::Crossing(a, level)),
        (some(), some(), some()).prop_map(|(a, b, c)| Piece::Choice(a, b, c)),
        some().prop_map(Piece::Kink),
        some().prop_map(Piece::Floor),
        some().prop_map(Piece::Previous),
        (some(), 1..5u8).prop_map(|(a, delay)| Piece::Delay(a, delay)),
        (some(), 1..5u8).prop_map(|(a, delay)| Piece::Echo(a, delay)),
    ]
}

/// The lines of the blocks, each of which uses only those before it, and the names of all signals.
fn lines(pieces: &[Piece]) -> (Vec<String>, Vec<String>) {
    let mut moving = vec!["m0".to_owned()];
    let mut events = vec!["e0".to_owned()];
    let mut lines = vec![
        "m0: {type: Sine, frequency: 0.7}".to_owned(),
        "e0: {type: Clock, period: 0.3, value: 0.5}".to_owned(),
    ];
    for (k, piece) in pieces.iter().enumerate() {
        let m = |i: &usize| moving[i % moving.len()].clone();
        let e = |i: &usize| events[i % events.len()].clone();
        let (is_event, body) = match piece {
            Piece::Sine(f) => (false, format!("{{type: Sine, frequency: 0.{f}, phase: {f}}}")),
            Piece::Step(t) => (false, format!("{{type: Step, time: 0.{t}, after: -1}}")),
            Piece::Clock(p) => (true, format!("{{type: Clock, period: 0.{p}, value: 0.{p}}}")),
            Piece::Sum(a, b) => (false, format!("{{type: Sum, inputs: [{}, {}]}}", m(a), m(b))),
            Piece::Gain(a, g) => {
                (false, format!("{{type: Gain, input: {}, gain: {g} / 10}}", m(a)))
            }
            Piece::Integrator { input, leak, impulse, reset } => {
                let leak = if *leak { format!(" - b{k}") } else { String::new() };
                let impulse = impulse.map_or(String::new(), |i| format!(", impulse: {}", e(&i)));
                let reset = reset.map_or(String::new(), |i| format!(", reset: {}", e(&i)));
                let input = m(input);
                (false, format!("{{type: Integrator, input: {input}{leak}{impulse}{reset}}}"))
            }
            Piece::Sample(a, b) => {
                (true, format!("{{type: Sample, input: {}, trigger: {}}}", m(a), e(b)))
            }
            Piece::Hold(a) => (false, format!("{{type: ZeroOrderHold, input: {}}}", e(a))),
            Piece::Merge(a, b) => {
                (true, format!("{{type: Merge, inputs: [{}, 2 * {}]}}", e(a), e(b)))
            }
            Piece::Crossing(a, level) => {
                (true, format!("{{type: LevelCrossing, input: {}, level: {level} / 10}}", m(a)))
            }
            Piece::Choice(a, b, c) => {
                let text = format!("if {} > {} then {} else 0.3", m(a), m(b), m(c));
                (false, format!("{{type: Expression, expression: {text}}}"))
            }
            Piece::Kink(a) => (false, format!("{{type: Expression, expression: abs({})}}", m(a))),
            Piece::Floor(a) => {
                (false, format!("{{type: Expression, expression: floor(3 * {}) / 3}}", m(a)))
            }
            Piece::Previous(a) => {
                (true, format!("{{type: Sample, input: previous({}), trigger: e0}}", m(a)))
            }
            Piece::Delay(a, d) => {
                (false, format!("{{type: TransportDelay, input: {}, delay: 0.{d}}}", m(a)))
            }
            Piece::Echo(a, d) => {
                (true, format!("{{type: TransportDelay, input: {}, delay: 0.{d}}}", e(a)))
            }
        };
        lines.push(format!("b{k}: {body}"));
        if is_event { &mut events } else { &mut moving }.push(format!("b{k}"));
    }
    let names = moving.into_iter().chain(events).collect();
    (lines, names)
}

fn text(lines: &[String], names: &[String], solver: &str) -> String {
    format!(
        "blocks:\n  {}\nrecord: [{}]\nsimulate: {{stop: 1.5, {solver}, microsteps: 40}}\n",
        lines.join("\n  "),
        names.join(", ")
    )
}

fn outcome(lines: &[String], names: &[String], solver: &str) -> String {
    let system = compile(&text(lines, names, solver));
    match system.simulate() {
        Ok(outcome) => format!("{:?}", bits(&outcome.trace, 0)),
        // Which of the blocks is named first may depend on the order; where it ends may not.
        Err(failure) => format!("{:?} {}", bits(&failure.trace, 0), failure.error.code()),
    }
}

fn permuted(lines: &[String], keys: &[u64]) -> Vec<String> {
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|i| (keys[i % keys.len()].wrapping_mul(2 * *i as u64 + 1), *i));
    order.into_iter().map(|i| lines[i].clone()).collect()
}

fn check(pieces: &[Piece], keys: &[u64], solver: &str) -> Result<(), TestCaseError> {
    let (lines, names) = lines(pieces);
    let shuffled = permuted(&lines, keys);
    let (first, second) = (outcome(&lines, &names, solver), outcome(&shuffled, &names, solver));
    prop_assert!(
        first == second,
        "with {solver}\n  {}\nand\n  {}",
        lines.join("\n  "),
        shuffled.join("\n  ")
    );
    Ok(())
}

/// A signal at a tag: at its last row up to the microstep, so that what does not change any more
/// stays; an event is absent after its microstep.
fn signal_at(trace: &Trace, name: &str, time: Time, microstep: u32) -> Option<f64> {
    let column = trace.column(name).expect("a recorded signal");
    let mut rows = (0..trace.len()).filter(|row| trace.tags()[*row].time == time);
    let row = rows.rfind(|row| trace.tags()[*row].microstep <= microstep)?;
    trace.get(row, column).map(|value| value[0])
}

/// Every delayed signal is what its input was 0.3 s before, at the same microstep.
fn check_delays(pieces: &[Piece]) -> Result<(), TestCaseError> {
    let (mut lines, mut names) = lines(pieces);
    let delayed: Vec<(String, String)> = names
        .iter()
        .enumerate()
        .map(|(k, name)| {
            lines.push(format!("later{k}: {{type: TransportDelay, input: {name}, delay: 0.3}}"));
            (name.clone(), format!("later{k}"))
        })
        .collect();
    names.extend(delayed.iter().map(|(_, later)| later.clone()));
    let text = format!(
        "blocks:\n  {}\nrecord: [{}]\nsimulate: {{stop: 1.5, every: 0.1, rows: microsteps, tolerance: 1e-8, microsteps: 40}}\n",
        lines.join("\n  "),
        names.join(", ")
    );
    let Ok(outcome) = compile(&text).simulate() else { return Ok(()) };
    let (trace, delay) = (&outcome.trace, Time::from_rational(Rational::new(3, 10)).unwrap());
    for tag in trace.tags().iter().filter(|tag| tag.time > delay) {
        let before = tag.time - delay;
        if !trace.tags().iter().any(|tag| tag.time == before) {
            continue;
        }
        for (input, later) in &delayed {
            let (was, is) = (
                signal_at(trace, input, before, tag.microstep),
                signal_at(trace, later, tag.time, tag.microstep),
            );
            let last = trace.tags().iter().rfind(|tag| tag.time == before).unwrap();
            let over = tag.microstep > last.microstep && is.is_none();
            let near = match (was, is) {
                (Some(was), Some(is)) => (was - is).abs() <= 1e-6 * was.abs().max(1.0),
                (None, None) => true,
                _ => over,
            };
            prop_assert!(near, "{later} is {is:?} at {tag}, {input} was {was:?}:\n{text}");
        }
    }
    Ok(())
}

/// The same diagram as the only state that a machine is ever in: the same bits.
fn check_machine(pieces: &[Piece], solver: &str) -> Result<(), TestCaseError> {
    let still = |piece: &&Piece| !matches!(piece, Piece::Delay(..) | Piece::Echo(..));
    let pieces: Vec<Piece> = pieces.iter().filter(still).cloned().collect();
    let (lines, names) = lines(&pieces);
    let plain = outcome(&lines, &names, solver);
    let given: Vec<String> = names.iter().map(|name| format!("{name}: m.{name}")).collect();
    let text = format!(
        "
blocks:
  m:
    type: Modal
    initial: a
    states:
      a:
        blocks:
          {}
        outputs: [{}]
        transitions: [{{to: b, when: m0 > 1000 or time < -1}}]
      b: {{}}
record: {{{}}}
simulate: {{stop: 1.5, {solver}, microsteps: 40}}
",
        lines.join("\n          "),
        names.join(", "),
        given.join(", ")
    );
    let inside = match compile(&text).simulate() {
        Ok(outcome) => format!("{:?}", bits(&outcome.trace, 0)),
        Err(failure) => format!("{:?} {}", bits(&failure.trace, 0), failure.error.code()),
    };
    prop_assert!(plain == inside, "{text}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn order_of_blocks_does_not_matter_with_fixed_steps(
        pieces in prop::collection::vec(piece(), 1..16),
        keys in prop::collection::vec(any::<u64>(), 8),
    ) {
        check(&pieces, &keys, "solver: rk4, step: 0.05")?;
    }

    #[test]
    fn a_machine_that_stays_where_it_is_is_its_diagram(
        pieces in prop::collection::vec(piece(), 1..12),
    ) {
        check_machine(&pieces, "solver: rk4, step: 0.05")?;
        check_machine(&pieces, "solver: rk45, tolerance: 1e-5")?;
    }

    #[test]
    fn native_code_has_the_bits_of_the_interpreter(
        pieces in prop::collection::vec(piece(), 1..16),
    ) {
        let (lines, names) = lines(&pieces);
        for solver in ["solver: rk4, step: 0.05", "solver: rk45, tolerance: 1e-5"] {
            let text = text(&lines, &names, solver);
            let system = compile(&text);
            let (interpreted, native) = (by(&system, Backend::Interpreter), by(&system, Backend::Native));
            prop_assert!(interpreted == native, "{text}\n{}\n{}", interpreted.1, native.1);
        }
    }

    #[test]
    fn a_delayed_signal_is_what_its_input_was(
        pieces in prop::collection::vec(piece(), 1..8),
    ) {
        check_delays(&pieces)?;
    }

    #[test]
    fn order_of_blocks_does_not_matter_with_variable_steps(
        pieces in prop::collection::vec(piece(), 1..12),
        keys in prop::collection::vec(any::<u64>(), 8),
    ) {
        check(&pieces, &keys, "solver: rk45, tolerance: 1e-5")?;
    }
}
