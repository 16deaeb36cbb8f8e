//! The standard library of diagrams: what holds for every one of them. Truths about each are in the
//! module of its category.

mod absences;
mod circuits;
mod collisions;
mod continuous;
mod events;
mod language;
mod mathematics;
mod random;
mod random_inputs;
mod rules;
mod sampled;
mod sources;

use superdense::{Backend, Library, Trace, descriptions, standard_files};

use crate::common::{bits, by, compile, simulate};

/// Runs a good model on the interpreter and as native code, and in one piece and saved in between;
/// all rows must be the same.
fn same_everywhere(text: &str) -> Trace {
    let system = compile(text);
    let (plain, _) = by(&system, Backend::Interpreter);
    assert_eq!(by(&system, Backend::Native).0, plain, "{text}");
    let mut first = system.begin();
    for _ in 0..plain.len() / 2 {
        first.advance().unwrap_or_else(|error| panic!("{error}: {text}"));
    }
    let rest = system.resume(&first.save()).unwrap().finish().unwrap().trace;
    assert_eq!(bits(&rest, 0), plain[first.trace().len()..], "{text}");
    let whole = simulate(text).trace;
    assert_eq!(bits(&whole, 0), plain, "{text}");
    whole
}

/// Every diagram says what it is, and its file shows it at work.
#[test]
fn every_diagram_is_documented() {
    let all = descriptions(&Library::standard());
    assert!(!standard_files().is_empty());
    for file in standard_files() {
        let info = all.iter().find(|info| info.name == file.name);
        let info = info.unwrap_or_else(|| panic!("{} has no such diagram", file.path));
        for (what, text) in [
            ("description", &info.summary),
            ("category", &info.category),
            ("equations", &info.equations),
            ("absence", &info.absence),
            ("impulses", &info.impulses),
            ("example", &info.example),
        ] {
            assert!(!text.is_empty(), "{} has no {what}", file.path);
        }
        assert!(info.summary.ends_with('.'), "{}: {}", file.path, info.summary);
        assert!(!info.aliases.is_empty(), "{} has no aliases", file.path);
        for alias in &info.aliases {
            assert!(file.is_known_as(alias), "{} is not found as {alias}", file.path);
        }
        assert!(!info.outputs.is_empty(), "{} has no outputs", file.path);
        let inputs = info.inputs.iter().map(|input| (&input.name, &input.about));
        let outputs = info.outputs.iter().map(|output| (&output.name, &output.about));
        let parameters = info.parameters.iter().map(|own| (&own.name, &own.about));
        for (name, about) in inputs.chain(outputs).chain(parameters) {
            assert!(!about.is_empty(), "{}: {name} has no description", file.path);
        }
        let used = format!("type: {}", file.name);
        assert!(info.example.contains(&used), "{} does not use its diagram", file.path);
    }
}

/// Whoever knows a block by the name that it has in another tool finds it.
#[test]
fn every_block_has_names_of_other_tools() {
    for info in descriptions(&Library::standard()) {
        assert!(!info.aliases.is_empty(), "{} has no aliases", info.name);
        for alias in &info.aliases {
            assert!(info.is_known_as(alias), "{} is not found as {alias}", info.name);
        }
    }
}

/// The example of each diagram runs by itself, as it is on the page, with the same result as its
/// file, on the interpreter and as native code, and in one piece and saved in between.
#[test]
fn every_example_runs_the_same_everywhere() {
    for info in descriptions(&Library::standard()) {
        let Some(file) = standard_files().iter().find(|file| file.name == info.name) else {
            continue;
        };
        let plain = same_everywhere(file.text);
        assert!(plain.len() > 1, "{} records nothing", file.path);
        let page = simulate(&info.example).trace;
        assert_eq!(bits(&page, 0), bits(&plain, 0), "{}", file.path);
    }
}

/// What a standard diagram records is warned of by nothing: its file is a good example.
#[test]
fn no_example_has_warnings() {
    for file in standard_files() {
        let warnings = compile(file.text).warnings();
        assert!(warnings.0.is_empty(), "{}: {:?}", file.path, warnings.0);
    }
}

#[test]
fn a_notation_hides_no_block() {
    let blocks = descriptions(&Library::standard());
    for notation in superdense::notation_descriptions() {
        for block in &blocks {
            assert!(!notation.is_known_as(&block.name), "{} is {}", block.name, notation.name);
        }
    }
}
