//! One model of Ptolemy II, run and compared with what its test actors expect.

use std::path::Path;

use base::Tag;
use blocks::Library;
use diagram::Settings;
use moml::{Expectation, Reference};

use crate::{Run, System};

/// Whether a model of Ptolemy II gives the values that it expects.
#[derive(Clone, PartialEq, Debug)]
pub enum Conformity {
    /// Every test has seen its values.
    Pass {
        /// How many values were compared.
        values: usize,
    },
    /// A test has seen another value, or too few.
    Differs {
        /// The path of the test actor.
        test: String,
        /// The number of the value, from 0 on.
        iteration: usize,
        /// What it expects.
        expected: String,
        /// What it saw.
        found: String,
    },
    /// The model has something that is not supported.
    Unsupported(String),
    /// The model is wrong, cannot be compiled, or its run failed.
    Error(String),
    /// The run was ended before its end.
    TimedOut,
}

/// The most evaluations of a run that are kept for tests that see all of them.
const MOST_ROUNDS: usize = 200_000;

/// Runs a model and compares what its tests see. `going` is asked from time to time whether to go
/// on.
pub fn conform(
    path: &Path,
    root: Option<&Path>,
    settings: &Settings,
    going: &mut dyn FnMut() -> bool,
) -> Conformity {
    let imported = match super::import(path, root) {
        Ok(imported) => imported,
        Err(refused) => {
            let first = refused.diagnostics.0.first();
            let text = first.map(|own| own.message.clone()).unwrap_or_default();
            return match first.is_some_and(|own| own.code == "moml-unsupported") {
                true => Conformity::Unsupported(text),
                false => Conformity::Error(text),
            };
        }
    };
    let refused = |refused: model::Refused| {
        let first = refused.diagnostics.0.first();
        let text = first.map(|own| {
            let notes: String = own.notes.iter().map(|note| format!(" ({note})")).collect();
            format!("{}: {}{notes}", own.code, own.message)
        });
        Conformity::Error(text.unwrap_or_default())
    };
    let model = match super::model_of(path, &imported) {
        Ok(model) => model,
        Err(error) => return refused(error),
    };
    let system = match System::compile_with(&model, &Library::standard(), settings) {
        Ok(system) => system,
        Err(error) => return refused(error),
    };
    let mut run = system.begin();
    if imported.expectations.iter().any(|own| own.rounds) {
        run.follow_rounds(MOST_ROUNDS, imported.speculates);
    }
    loop {
        match run.advance_by(1000) {
            Err(error) => return Conformity::Error(error.to_string()),
            Ok(Some(_)) => break,
            Ok(None) if going() => {}
            Ok(None) => return Conformity::TimedOut,
        }
    }
    let values: usize = imported.expectations.iter().map(|own| own.values.len()).sum();
    let failed = imported.expectations.iter().find_map(|own| compare(own, &run));
    match failed {
        Some(failed) => failed,
        None if values == 0 => Conformity::Unsupported("no test that expects a value".to_owned()),
        None => Conformity::Pass { values },
    }
}

/// The first difference between what a test expects and what it saw.
fn compare(test: &Expectation, run: &Run) -> Option<Conformity> {
    let trace = run.trace();
    let columns: Option<Vec<usize>> = test.columns.iter().map(|name| trace.column(name)).collect();
    let Some(columns) = columns else {
        return Some(Conformity::Error(format!("`{}` is not recorded", test.test)));
    };
    let mut iteration = 0;
    let differs = |iteration: usize, expected: String, found: String| {
        Some(Conformity::Differs { test: test.test.clone(), iteration, expected, found })
    };
    for (tag, seen) in seen(run, test, &columns) {
        if seen.iter().all(Option::is_none) {
            continue;
        }
        let Some(expected) = test.values.get(iteration) else { break };
        for (channel, seen) in seen.iter().enumerate() {
            let expected = expected.get(channel);
            let fits = match (expected, seen) {
                (Some(expected), Some(seen)) => fits(expected, seen, test.tolerance),
                _ => false,
            };
            if !fits {
                let found = seen.map_or("nothing".to_owned(), shown);
                let expected = expected.map_or("nothing".to_owned(), written);
                return differs(iteration, expected, format!("{found} at {tag}"));
            }
        }
        iteration += 1;
    }
    if iteration < test.values.len() && test.all {
        let expected = format!("{} values", test.values.len());
        return differs(iteration, expected, "no more values".to_owned());
    }
    None
}

/// What a test sees at a tag: the value of each of its columns, none if it is absent.
type Seen<'a> = (Tag, Vec<Option<&'a [f64]>>);

/// What a test sees: its columns in each row, or at each evaluation.
fn seen<'a>(
    run: &'a Run,
    test: &Expectation,
    columns: &'a [usize],
) -> Box<dyn Iterator<Item = Seen<'a>> + 'a> {
    if test.rounds && !run.rounds().is_empty() {
        return Box::new(run.rounds().iter().map(|round| {
            let value = |column: &usize| round.values.get(*column)?.as_deref();
            (round.tag, columns.iter().map(value).collect())
        }));
    }
    let trace = run.trace();
    Box::new((0..trace.len()).map(move |row| {
        let value =
            |column: &usize| trace.get(row, *column).filter(|_| !trace.is_filled(row, *column));
        (trace.tags()[row], columns.iter().map(value).collect())
    }))
}

fn fits(expected: &Reference, seen: &[f64], tolerance: f64) -> bool {
    match (expected, seen) {
        (Reference::Number(expected), [seen]) => {
            (expected - seen).abs() <= tolerance || expected == seen
        }
        (Reference::Bool(expected), [seen]) => (*seen != 0.0) == *expected,
        (Reference::Text(expected), [seen]) => *seen == Reference::code(expected),
        (Reference::List(list), seen) => {
            list.len() == seen.len()
                && list.iter().zip(seen).all(|(own, seen)| fits(own, &[*seen], tolerance))
        }
        _ => false,
    }
}

fn shown(values: &[f64]) -> String {
    match values {
        [value] => value.to_string(),
        values => format!("{values:?}"),
    }
}

fn written(reference: &Reference) -> String {
    match reference {
        Reference::Number(value) => value.to_string(),
        Reference::Bool(value) => value.to_string(),
        Reference::Text(text) => format!("{text:?}"),
        Reference::List(list) => {
            let items: Vec<String> = list.iter().map(written).collect();
            format!("{{{}}}", items.join(", "))
        }
    }
}
