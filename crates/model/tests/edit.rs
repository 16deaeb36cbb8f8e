//! Edits of texts: each changes only its bytes, and leads to the values that it should lead to. The
//! expected values come from a reader of YAML that has nothing in common with the edits but the
//! parser.

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use saphyr_parser::{Event, Parser};
use superdense_model::edit::{BlockEdit, EditError, Replacement, edit, edited, fields, path_at};

/// The values of a text.
#[derive(Clone, PartialEq, Debug)]
enum Value {
    One(String),
    List(Vec<Value>),
    Map(Vec<(String, Value)>),
}

fn value(text: &str) -> Value {
    let mut events = Vec::new();
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        events.push(event.expect("well-formed").0);
    }
    let mut own = events.into_iter().filter(|event| {
        matches!(
            event,
            Event::Scalar(..)
                | Event::MappingStart(..)
                | Event::MappingEnd
                | Event::SequenceStart(..)
                | Event::SequenceEnd
        )
    });
    let first = own.next().expect("a value");
    built(first, &mut own)
}

fn built<'e>(first: Event<'e>, events: &mut impl Iterator<Item = Event<'e>>) -> Value {
    match first {
        Event::MappingStart(..) => {
            let mut all = Vec::new();
            loop {
                match events.next().expect("an end") {
                    Event::MappingEnd => return Value::Map(all),
                    Event::Scalar(key, ..) => {
                        let next = events.next().expect("a value");
                        all.push((key.into_owned(), built(next, events)));
                    }
                    other => panic!("{other:?} as a key"),
                }
            }
        }
        Event::SequenceStart(..) => {
            let mut all = Vec::new();
            loop {
                match events.next().expect("an end") {
                    Event::SequenceEnd => return Value::List(all),
                    other => all.push(built(other, events)),
                }
            }
        }
        Event::Scalar(text, ..) => Value::One(text.into_owned()),
        other => panic!("{other:?}"),
    }
}

impl Value {
    fn at(&mut self, path: &[String]) -> Option<&mut Value> {
        path.iter().try_fold(self, |own, step| match own {
            Value::Map(all) => all.iter_mut().find(|(key, _)| key == step).map(|own| &mut own.1),
            Value::List(all) => all.get_mut(step.parse::<usize>().ok()?),
            Value::One(_) => None,
        })
    }

    /// All paths to values.
    fn paths(&self, before: &[String], found: &mut Vec<Vec<String>>) {
        let mut add = |key: String, own: &Value| {
            let path: Vec<String> = before.iter().cloned().chain([key]).collect();
            found.push(path.clone());
            own.paths(&path, found);
        };
        match self {
            Value::Map(all) => all.iter().for_each(|(key, own)| add(key.clone(), own)),
            Value::List(all) => {
                all.iter().enumerate().for_each(|(index, own)| add(index.to_string(), own));
            }
            Value::One(_) => {}
        }
    }
}

/// The comments of a text, in order; `#` is in no other place of these texts.
fn comments(text: &str) -> Vec<&str> {
    text.lines()
        .filter_map(|line| line.split_once(" #").or(line.split_once("\n#")))
        .map(|own| own.1)
        .collect()
}

/// The texts of all bundled models.
fn models() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        if let Ok(text) = fs::read_to_string(entry.path().join("model.yaml")) {
            found.push((entry.file_name().to_string_lossy().into_owned(), text));
        }
    }
    found.sort();
    assert!(found.len() > 50);
    found
}

/// Whether everything outside of the replacements is as before, and they do not overlap.
fn keeps_the_rest(text: &str, after: &str, all: &[Replacement]) -> bool {
    let (mut at, mut shift) = (0, 0isize);
    for own in all {
        if own.range.start < at {
            return false;
        }
        let begin = (at as isize + shift) as usize;
        let end = (own.range.start as isize + shift) as usize;
        if text[at..own.range.start] != after[begin..end] {
            return false;
        }
        shift += own.text.len() as isize - own.range.len() as isize;
        at = own.range.end;
    }
    text[at..] == after[(at as isize + shift) as usize..]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn a_value_is_set(which in any::<prop::sample::Index>(), place in any::<prop::sample::Index>()) {
        let all = models();
        let (name, text) = which.get(&all);
        let mut wanted = value(text);
        let mut paths = Vec::new();
        wanted.paths(&[], &mut paths);
        let path = place.get(&paths).clone();
        let change = BlockEdit::Set { path: path.clone(), value: "7 * q".to_owned() };
        let found = edit(text, &change);
        prop_assert!(found.is_ok(), "{name} {path:?}: {found:?}");
        let found = found.expect("edited");
        let after = edited(text, &found);
        *wanted.at(&path).expect("there") = Value::One("7 * q".to_owned());
        prop_assert_eq!(value(&after), wanted, "{} {:?}\n{}", name, path, after);
        prop_assert!(keeps_the_rest(text, &after, &found));
    }

    #[test]
    fn an_entry_is_removed(
        which in any::<prop::sample::Index>(), place in any::<prop::sample::Index>(),
    ) {
        let all = models();
        let (name, text) = which.get(&all);
        let mut wanted = value(text);
        let mut paths = Vec::new();
        wanted.paths(&[], &mut paths);
        let path = place.get(&paths).clone();
        let (last, before) = path.split_last().expect("a path");
        match wanted.at(before).expect("there") {
            Value::Map(all) => all.retain(|(key, _)| key != last),
            Value::List(all) => drop(all.remove(last.parse::<usize>().expect("an index"))),
            Value::One(_) => unreachable!(),
        }
        match edit(text, &BlockEdit::Remove { path: path.clone() }) {
            Ok(found) => {
                let after = edited(text, &found);
                prop_assert_eq!(value(&after), wanted, "{} {:?}\n{}", name, path, after);
                prop_assert!(keeps_the_rest(text, &after, &found));
                prop_assert!(found.iter().all(|own| own.text.len() <= 3));
            }
            // Never a wrong text; the one entry of an item of a list is left to the user.
            Err(error) => prop_assert_eq!(error, EditError::Unsure, "{} {:?}", name, path),
        }
    }

    #[test]
    fn a_block_is_added_and_removed(which in any::<prop::sample::Index>()) {
        let all = models();
        let (name, text) = which.get(&all);
        let add = BlockEdit::Add {
            blocks: vec!["blocks".to_owned()],
            name: "quite_new".to_owned(),
            value: "{type: Gain, input: 0, gain: 2}".to_owned(),
        };
        let found = edit(text, &add);
        prop_assert!(found.is_ok(), "{name}: {found:?}");
        let found = found.expect("added");
        let more = edited(text, &found);
        prop_assert_eq!(comments(&more), comments(text), "{}", name);
        let path = vec!["blocks".to_owned(), "quite_new".to_owned()];
        prop_assert_eq!(
            fields(&more, &path).expect("fields")[0].clone(),
            ("type".to_owned(), "Gain".to_owned())
        );
        prop_assert!(edit(&more, &add).is_err(), "the name is taken");
        // Models of one section on one line get the entry in braces, which then stay.
        let found = edit(&more, &BlockEdit::Remove { path });
        prop_assert!(found.is_ok(), "{name}: {found:?}");
        let back = edited(&more, &found.expect("removed"));
        if value(text).at(&["blocks".to_owned()]).is_some() {
            prop_assert_eq!(&back, text, "{}", name);
        }
    }

    /// Whatever the text is, nothing panics, and a text that is edited means what it should.
    #[test]
    fn no_text_is_damaged(text in "([a-c]: |- |\\{|\\}|\\[|\\]|, |\n|  |x|#y|'|\"|: |é){0,24}", byte in 0usize..40) {
        let _ = path_at(&text, byte);
        let path = path_at(&text, byte).unwrap_or_default();
        for change in [
            BlockEdit::Set { path: path.clone(), value: "1".to_owned() },
            BlockEdit::Set { path: path.iter().cloned().chain(["new".to_owned()]).collect(), value: "{a: 1}".to_owned() },
            BlockEdit::Remove { path: path.clone() },
            BlockEdit::Rename { path, to: "z".to_owned() },
        ] {
            if let Ok(found) = edit(&text, &change) {
                let after = edited(&text, &found);
                prop_assert!(keeps_the_rest(&text, &after, &found));
            }
        }
    }
}

fn renamed(text: &str, path: &[&str], to: &str) -> Result<String, EditError> {
    let path = path.iter().map(|own| (*own).to_owned()).collect();
    let found = edit(text, &BlockEdit::Rename { path, to: to.to_owned() })?;
    Ok(edited(text, &found))
}

#[test]
fn a_name_is_renamed_where_it_is_meant() {
    let text = "superdense: 1 # x\nblocks:\n  x: {type: Integrator, input: -x + xx.x + car.x}  # of x\n  \
                y: {type: Gain, input: 'x', gain: 2}\nrecord: [x, previous(x) * 2]\n\
                diagrams:\n  car:\n    blocks: {x: {type: Abs, input: x}}\n";
    let after = renamed(text, &["blocks", "x"], "speed").expect("renamed");
    assert_eq!(
        after,
        "superdense: 1 # x\nblocks:\n  speed: {type: Integrator, input: -speed + xx.x + car.x}  # of x\n  \
         y: {type: Gain, input: 'speed', gain: 2}\nrecord: [speed, previous(speed) * 2]\n\
         diagrams:\n  car:\n    blocks: {x: {type: Abs, input: x}}\n"
    );
    assert_eq!(renamed(&after, &["blocks", "speed"], "x").expect("renamed"), text);
    assert_eq!(renamed(text, &["blocks", "x"], "y"), Err(EditError::Taken("y".to_owned())));
    assert_eq!(renamed(text, &["blocks", "x"], "1y"), Err(EditError::NoName("1y".to_owned())));
    assert!(renamed(text, &["blocks", "q"], "z").is_err());
}

#[test]
fn a_missing_section_is_made() {
    let text = "superdense: 1\n# nothing yet\n";
    let set = |text: &str, path: &[&str], value: &str| {
        let path = path.iter().map(|own| (*own).to_owned()).collect();
        edit(text, &BlockEdit::Set { path, value: value.to_owned() })
            .map(|found| edited(text, &found))
    };
    let after = set(text, &["blocks", "x"], "{type: Abs, input: 1}").expect("set");
    assert_eq!(after, "superdense: 1\nblocks: {x: {type: Abs, input: 1}}\n# nothing yet\n");
    let empty = "superdense: 1\nblocks:\nrecord: [x]\n";
    let after = set(empty, &["blocks", "x"], "{type: Abs, input: 1}").expect("set");
    assert_eq!(after, "superdense: 1\nblocks: {x: {type: Abs, input: 1}}\nrecord: [x]\n");
    assert_eq!(
        set(text, &["superdense", "x"], "1"),
        Err(EditError::Missing("superdense.x".to_owned()))
    );
    assert_eq!(set("a: [", &["a"], "1"), Err(EditError::Malformed));
}

fn path(own: &[&str]) -> Vec<String> {
    own.iter().map(|own| (*own).to_owned()).collect()
}

const CAR: &str = "\
superdense: 1
parameters: {g: 9.81, k: 2}
blocks:
  # How hard it is pushed.
  push: {type: Sine, amplitude: k}
  # The speed of the car.
  v: {type: Integrator, input: push - g * hill.slope, initial: 0}  # [m/s]
  x:
    type: Integrator
    input: v
  hill: {type: Modal, states: {flat: {outputs: {slope: 0}}}}
record: [x, hill.slope]
plots: {way: [{signals: [x]}]}
";

fn grouped(text: &str, names: &[&str]) -> Result<String, EditError> {
    let change = BlockEdit::Group {
        blocks: path(&["blocks"]),
        names: path(names),
        diagram: "Car".to_owned(),
        instance: "car".to_owned(),
    };
    Ok(edited(text, &edit(text, &change)?))
}

#[test]
fn blocks_become_a_diagram_and_come_back() {
    let after = grouped(CAR, &["v", "x"]).expect("grouped");
    assert_eq!(
        after,
        "\
superdense: 1
parameters: {g: 9.81, k: 2}
diagrams:
  Car:
    parameters:
      g:
    inputs: [push, hill_slope]
    outputs: [x]
    blocks:
      # The speed of the car.
      v: {type: Integrator, input: push - g * hill_slope, initial: 0}  # [m/s]
      x:
        type: Integrator
        input: v
blocks:
  # How hard it is pushed.
  push: {type: Sine, amplitude: k}
  car: {type: Car, push: push, hill_slope: hill.slope, g: g}
  hill: {type: Modal, states: {flat: {outputs: {slope: 0}}}}
record: {x: car.x, hill.slope: hill.slope}
plots: {way: [{signals: [x]}]}
"
    );
    let ungroup = BlockEdit::Ungroup { path: path(&["blocks", "car"]) };
    let back = edited(&after, &edit(&after, &ungroup).expect("ungrouped"));
    let listed = "record: {x: x, hill.slope: hill.slope}";
    assert_eq!(back, CAR.replace("record: [x, hill.slope]", listed));
    for names in [&["v", "nothing"][..], &[]] {
        assert!(grouped(CAR, names).is_err(), "{names:?}");
    }
    let taken = CAR.replace("push", "car");
    assert_eq!(grouped(&taken, &["v"]), Err(EditError::Taken("car".to_owned())));
}

#[test]
fn an_instance_brings_its_values_with_it() {
    let text = "\
superdense: 1
diagrams:
  Lag:
    parameters: {tau: 1, top: {value: 2 * tau, unit: m}}
    inputs: [u]
    outputs: {y: x, rate: (u - x) / tau}
    blocks:
      x: {type: Integrator, input: \"min(u - x, top) / tau\"}
blocks:
  x: {type: Constant, value: 3}
  lag: {type: Lag, u: x + 1, tau: 4}
  sum: {type: Gain, input: lag.y * lag.rate, gain: 1}
  other: {type: Lag, u: 1}
";
    let ungroup = BlockEdit::Ungroup { path: path(&["blocks", "lag"]) };
    let after = edited(text, &edit(text, &ungroup).expect("ungrouped"));
    let lines = "  lag_x: {type: Integrator, input: \"min((x + 1) - lag_x, (2 * 4)) / 4\"}\n  \
                 sum: {type: Gain, input: lag_x * (((x + 1) - lag_x) / 4), gain: 1}\n";
    assert!(after.contains(lines), "{after}");
    assert!(after.contains("  Lag:\n"), "the other instance needs it");
    // More than the blocks of a diagram, or a diagram of another file.
    for (from, to) in
        [(", tau: 4}", ", tau: 4, enabled: x > 1}"), ("type: Lag, u: x", "type: Log, u: x")]
    {
        let text = text.replace(from, to);
        assert!(edit(&text, &ungroup).is_err(), "{to}");
    }
}

#[test]
fn an_array_of_instances_becomes_arrays_of_blocks() {
    let text = "\
superdense: 1
parameters: {n: 3}
diagrams:
  Motor:
    parameters: {k: 2}
    inputs: [u]
    outputs: {speed: w, power: k * w * u, filtered: low.y}
    blocks:
      w: {type: Integrator, input: k * u - w}
      low:
        type: Low
        u: w
        pass: [k]
  Low:
    parameters: {k: 1}
    inputs: [u]
    outputs: {y: x}
    blocks: {x: {type: Integrator, input: k * (u - x)}}
blocks:
  w: {type: Ramp}
  motors: {type: Motor, for: {i: n}, u: w * i}
  sum: {type: Gain, input: \"motors.speed[n - 1] + sum(motors.power)\", gain: 1}
record: [motors.filtered]
";
    let ungroup = BlockEdit::Ungroup { path: path(&["blocks", "motors"]) };
    let after = edited(text, &edit(text, &ungroup).expect("ungrouped"));
    let blocks = after.split_once("\nblocks:\n").expect("blocks").1;
    assert_eq!(
        blocks,
        "  w: {type: Ramp}
  motors_w: {type: Integrator, for: {i: n}, input: \"2 * (w * i) - motors_w[i]\"}
  low:
    type: Low
    for: {i: n}
    u: \"motors_w[i]\"
    k: 2
  motors_power: {type: Expression, for: {i: n}, expression: \"2 * motors_w[i] * (w * i)\"}
  sum: {type: Gain, input: \"motors_w[n - 1] + sum(motors_power)\", gain: 1}
record: [low.y]
"
    );
    // An array inside, an element of an element, a name that means the index there, and a condition.
    for (from, to) in [
        ("      w: {type: Integrator,", "      w: {type: Integrator, for: {j: 2},"),
        ("u: w\n", "u: w[0]\n"),
        ("inputs: [u]\n    outputs: {speed", "inputs: [u, i]\n    outputs: {speed"),
        ("u: w * i}", "u: w * i, enabled: w > 1}"),
    ] {
        assert!(text.contains(from), "{from}");
        assert!(edit(&text.replace(from, to), &ungroup).is_err(), "{to}");
    }
}

#[test]
fn a_transition_is_appended() {
    let append = |text: &str| {
        let path = path(&["s", "transitions"]);
        let change = BlockEdit::Append { path, value: "{to: on}".to_owned() };
        edit(text, &change).map(|found| edited(text, &found))
    };
    for (text, wanted) in [
        ("s: {}\n", "s: {transitions: [{to: on}]}\n"),
        ("s:\nt: 1\n", "s: {transitions: [{to: on}]}\nt: 1\n"),
        ("s: {transitions: []}\n", "s: {transitions: [{to: on}]}\n"),
        ("s: {transitions: [{to: a}]}  # b\n", "s: {transitions: [{to: a}, {to: on}]}  # b\n"),
        (
            "s:\n  transitions:\n    - to: a\n      when: x  # why\n  final: false\n",
            "s:\n  transitions:\n    - to: a\n      when: x  # why\n    - {to: on}\n  final: false\n",
        ),
    ] {
        assert_eq!(append(text).as_deref(), Ok(wanted));
    }
    assert!(append("s: {transitions: 1}\n").is_err());
}

#[test]
fn a_passed_name_is_renamed_on_its_side_alone() {
    let text = "\
superdense: 1
parameters: {k: 2, lag: 1}
diagrams:
  Low:
    parameters: {k: , lag: 1}
    inputs: [u]
    outputs: [y]
    blocks: {y: {type: Integrator, input: (k * u - y) / lag}}
  Two:
    parameters: {k: 1}
    inputs: [u]
    outputs: [b]
    blocks:
      b:
        type: Low
        u: u
        pass: [lag, k]
      lag: {type: Constant, value: 1}
blocks:
  one: {type: Low, u: k, pass: [k]}
  two: {type: Two, u: 1, pass: [k]}
  all: {type: Low, pass: [k, lag], u: 3}
";
    let check = |at: &[&str], to: &str, pairs: &[(&str, &str)]| {
        let wanted = pairs.iter().fold(text.to_owned(), |own, (from, to)| {
            assert!(own.contains(from), "{from}");
            own.replace(from, to)
        });
        assert_eq!(renamed(text, at, to).expect("renamed"), wanted);
    };
    // The parameter of the model: the fields of the blocks keep their names.
    check(
        &["parameters", "k"],
        "gain",
        &[
            ("{k: 2,", "{gain: 2,"),
            ("u: k, pass: [k]", "u: gain, k: gain"),
            ("u: 1, pass: [k]", "u: 1, k: gain"),
            ("pass: [k, lag], u: 3", "k: gain, pass: [lag], u: 3"),
        ],
    );
    // The parameter of a diagram: so do the values.
    check(
        &["diagrams", "Low", "parameters", "k"],
        "gain",
        &[
            ("{k: , lag", "{gain: , lag"),
            ("(k * u", "(gain * u"),
            ("pass: [lag, k]", "gain: k\n        pass: [lag]"),
            ("u: k, pass: [k]", "u: k, gain: k"),
            ("pass: [k, lag], u: 3", "gain: k, pass: [lag], u: 3"),
        ],
    );
    let commented = text.replace("pass: [lag, k]", "pass:\n          - lag  # why\n          - k");
    let path = ["diagrams", "Two", "parameters", "k"];
    assert_eq!(renamed(&commented, &path, "gain"), Err(EditError::Unsure));
}

#[test]
// A table of cases, and so longer than a function should otherwise be.
fn states_diagrams_and_parameters_are_renamed_everywhere() {
    let text = "\
superdense: 1
parameters: {e: 1}
diagrams:
  Box:
    parameters: {e: 2}
    inputs: [u]
    outputs: [y]
    blocks: {y: {type: Gain, input: u, gain: e}}
blocks:
  b: {type: Box, u: m.off, e: e}
  v: {type: Integrator, input: e}
  m:
    type: Modal
    initial: off
    states:
      off: {transitions: [{to: on, when: e > 1, set: {v: e * v}}]}
      on: {like: off, transitions: [{to: off, when: m.on and v > 1}]}
sweep: {parameters: {e: 1:2:0.5}}
";
    let check = |at: &[&str], to: &str, pairs: &[(&str, &str)]| {
        let after = renamed(text, at, to).expect("renamed");
        let mut wanted = text.to_owned();
        for (from, to) in pairs {
            assert!(wanted.contains(from), "{from}");
            wanted = wanted.replace(from, to);
        }
        assert_eq!(after, wanted);
    };
    check(&["diagrams", "Box"], "Crate", &[("Box", "Crate")]);
    check(
        &["blocks", "m", "states", "off"],
        "idle",
        &[("off:", "idle:"), ("m.off", "m.idle"), (": off", ": idle")],
    );
    check(
        &["parameters", "e"],
        "bounce",
        &[
            ("parameters: {e: 1}", "parameters: {bounce: 1}"),
            ("e: e}", "e: bounce}"),
            ("input: e}", "input: bounce}"),
            ("when: e", "when: bounce"),
            ("{v: e", "{v: bounce"),
            ("{e: 1:2", "{bounce: 1:2"),
        ],
    );
    check(
        &["diagrams", "Box", "parameters", "e"],
        "gain",
        &[("{e: 2}", "{gain: 2}"), ("gain: e", "gain: gain"), ("e: e}", "gain: e}")],
    );
    check(
        &["diagrams", "Box", "inputs", "0"],
        "in1",
        &[("[u]", "[in1]"), ("input: u", "input: in1"), ("u: m.off", "in1: m.off")],
    );
    check(
        &["blocks", "v"],
        "speed",
        &[("  v:", "  speed:"), ("{v: e * v}", "{speed: e * speed}"), ("v > 1", "speed > 1")],
    );
    assert!(renamed(text, &["blocks", "m", "states", "off"], "on").is_err());
}
