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
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

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
