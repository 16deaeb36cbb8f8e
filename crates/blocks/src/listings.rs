//! What blocks of the library define; `listings` has a file for each.
//!
//! ```text
//! Gain                    the block
//! input real impulses 1   its inputs, with the orders of impulses that may reach them
//! set gain 3              its parameters, without those that have a default
//! ```

use std::collections::BTreeMap;

use base::{Type, Value};

use crate::{Context, Info, Kind, Library, Setting};

#[path = "../../base/tests/filetests.rs"]
mod filetests;

fn setting(info: &Info, name: &str, text: &str) -> Setting {
    let parameter = info.parameters.iter().find(|parameter| parameter.name == name);
    let number: i64 = text.parse().unwrap_or_default();
    match parameter.map(|parameter| &parameter.kind) {
        Some(Kind::Time) => Setting::Time(Value::int(number)),
        Some(Kind::Times) => Setting::Times(vec![Value::int(number)]),
        Some(Kind::Word(_)) => Setting::Word(text.to_owned()),
        _ => Setting::Value(Value::real(text.parse().expect("a number"))),
    }
}

fn input(words: &[&str]) -> (Type, u32) {
    let orders = match words.iter().position(|word| *word == "impulses") {
        Some(place) => words[place + 1].parse().expect("a number of orders"),
        None => 0,
    };
    match words[0] {
        "vector" => (Type::vector(words[1].parse().expect("a size")), orders),
        "boolean" => (Type::BOOL, orders),
        _ => (Type::REAL, orders),
    }
}

fn listing(text: &str) -> String {
    let mut lines = text.lines();
    let library = Library::standard();
    let block = library.get(lines.next().expect("a block")).expect("a block of the library");
    let info = block.info();
    let (mut settings, mut inputs) = (BTreeMap::new(), Vec::new());
    for parameter in info.parameters.iter() {
        if let Some(default) = &parameter.default {
            settings.insert(parameter.name.to_string(), setting(info, &parameter.name, default));
        }
    }
    for line in lines {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["input", words @ ..] => inputs.push(vec![input(words)]),
            ["set", name, value] => {
                settings.insert((*name).to_owned(), setting(info, name, value));
            }
            _ => panic!("{line}"),
        }
    }
    inputs.resize_with(info.inputs.len(), Vec::new);
    let asked = vec![0; info.outputs.len()];
    let mut context = Context::new(info, &settings, &inputs, asked);
    match block.define(&mut context) {
        Ok(()) => context.finish().listing(),
        Err(error) => format!("{}: {}\n", error.code, error.message),
    }
}

#[test]
fn definitions_are_as_listed() {
    filetests::check(concat!(env!("CARGO_MANIFEST_DIR"), "/listings"), listing);
}
