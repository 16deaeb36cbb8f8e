//! Test actors: what they see is recorded, and what they expect is returned beside the model.

use std::collections::BTreeMap;

use super::actor::Actor;
use super::{Content, Translation, names};
use crate::Problem;
use crate::expression::{self, Name, Node};

/// What a test actor of a model expects.
#[derive(Clone, PartialEq, Debug)]
pub struct Expectation {
    /// The path of the actor in the model.
    pub test: String,
    /// Its line.
    pub line: u32,
    /// The recorded column of each channel of its input.
    pub columns: Vec<String>,
    /// For each value that it sees, what each channel must be.
    pub values: Vec<Vec<Reference>>,
    /// How far a number may be from what is expected.
    pub tolerance: f64,
    /// Whether every firing must have a value at each channel (`Test`), and not only those with a
    /// value count (`NonStrictTest`).
    pub strict: bool,
    /// Whether it sees every evaluation, also the stages of steps that are then refused: a `Test`
    /// under a Continuous director.
    pub rounds: bool,
    /// Whether all of the values must have been seen at the end.
    pub all: bool,
}

/// A value that is expected.
#[derive(Clone, PartialEq, Debug)]
pub enum Reference {
    /// A number.
    Number(f64),
    /// A truth value.
    Bool(bool),
    /// A text, whose signal is a number.
    Text(String),
    /// An array or a matrix, element by element.
    List(Vec<Reference>),
}

impl Reference {
    /// The number that stands for a text.
    pub fn code(text: &str) -> f64 {
        expression::code(text) as f64
    }
}

impl Translation {
    /// Records what a test actor sees.
    pub fn test(&mut self, actor: &mut Actor) -> Result<(), Problem> {
        let (own, width) = (actor.own, actor.width("input"));
        let text = own.value("correctValues").unwrap_or("{true}");
        let array = self.references(actor, text)?;
        let Reference::List(values) = array else {
            return Err(actor.unsupported("`correctValues` is not an array"));
        };
        // A `Test` of one channel may list the channels of a value, too.
        let single = |value: &Reference| matches!(value, Reference::List(list) if list.len() == 1);
        let listed = own.kind() == "Test" && values.iter().all(single);
        let split = |value: Reference| match value {
            Reference::List(list) if width > 1 || listed => list,
            value => vec![value],
        };
        let base = names::plain(&own.name);
        let columns: Vec<String> = (0..width)
            .map(|channel| if channel == 0 { base.clone() } else { format!("{base}_{channel}") })
            .collect();
        for (channel, column) in columns.iter().enumerate() {
            let signal = actor.channel("input", channel);
            actor.content.tests.push((column.clone(), signal));
        }
        let channels = actor.frame.wiring.channels(Some(&own.name), "input");
        let mut ends = channels.iter().flat_map(|channel| actor.frame.wiring.ends(*channel));
        self.sees_motion |= ends.any(|(end, _)| {
            let source = end.entity.as_ref().and_then(|name| actor.frame.component.entity(name));
            source.is_some_and(|source| super::is_moving(actor.frame.component, source))
        });
        let tolerance = actor.parameter("tolerance", "1e-9")?;
        let tolerance = number(&tolerance)
            .ok_or_else(|| actor.unsupported(format!("the tolerance `{tolerance}`")))?;
        self.expectations.push(Expectation {
            test: own.path.clone(),
            line: own.line,
            columns,
            values: values.into_iter().map(split).collect(),
            tolerance,
            strict: own.kind() == "Test",
            rounds: own.kind() == "Test" && self.directors.last().is_some_and(|own| *own),
            all: actor.flag("requireAllCorrectValues", true),
        });
        Ok(())
    }

    /// Names of columns grow with the instances around a test: `longer` has the new name of each
    /// column inside `around`. All change at once, since a new name may be the old one of another.
    pub fn rename_columns(&mut self, around: &str, longer: &BTreeMap<String, String>) {
        let inside = format!("{around}.");
        let tests = self.expectations.iter_mut().filter(|own| own.test.starts_with(&inside));
        for own in tests.flat_map(|own| &mut own.columns) {
            if let Some(longer) = longer.get(own) {
                own.clone_from(longer);
            }
        }
    }

    fn references(&self, actor: &Actor, text: &str) -> Result<Reference, Problem> {
        let failed = |reason: String| actor.unsupported(format!("`correctValues`: {reason}"));
        let node = expression::parse(text).map_err(failed)?;
        reference(&node, actor).map_err(failed)
    }
}

/// A name for the column of a test inside an instance that no other column of a content has.
pub fn longer_column(instance: &str, column: &str, content: &Content) -> String {
    let mut used = content.tests.iter().map(|(column, _)| column.clone()).collect();
    names::fresh(&format!("{}_{column}", names::plain(instance)), &mut used)
}

// One arm for each form of a constant: a table, and so longer than a function should otherwise be.
fn reference(node: &Node, actor: &Actor) -> Result<Reference, String> {
    match node {
        Node::Array(elements) => {
            let list: Result<Vec<Reference>, String> =
                elements.iter().map(|element| reference(element, actor)).collect();
            Ok(Reference::List(list?))
        }
        Node::Matrix(rows) => {
            let rows: Result<Vec<Vec<Reference>>, String> = rows
                .iter()
                .map(|row| row.iter().map(|element| reference(element, actor)).collect())
                .collect();
            Ok(Reference::List(rows?.into_iter().flatten().collect()))
        }
        Node::Bool(value) => Ok(Reference::Bool(*value)),
        Node::Text(text) => Ok(Reference::Text(text.clone())),
        Node::Number(text, _) => {
            text.parse().map(Reference::Number).map_err(|_| format!("`{text}` is not a number"))
        }
        Node::Call(name, args) if name == "repeat" && args.len() == 2 => {
            let Reference::Number(count) = reference(&args[0], actor)? else {
                return Err("the count of `repeat` is not a number".to_owned());
            };
            if !(0.0..=1e6).contains(&count) {
                return Err("the count of `repeat` is out of range".to_owned());
            }
            let value = reference(&args[1], actor)?;
            Ok(Reference::List(vec![value; count as usize]))
        }
        Node::Call(name, args) if name == "concatenate" => {
            let mut all = Vec::new();
            for arg in args {
                match reference(arg, actor)? {
                    Reference::List(list) => all.extend(list),
                    _ => return Err("an argument of `concatenate` is not an array".to_owned()),
                }
            }
            Ok(Reference::List(all))
        }
        Node::Call(name, args) if name == "createSequence" && args.len() == 3 => {
            let parts: Result<Vec<Reference>, String> =
                args.iter().map(|arg| reference(arg, actor)).collect();
            let [Reference::Number(first), Reference::Number(step), Reference::Number(count)] =
                parts?[..]
            else {
                return Err("the arguments of `createSequence` are not numbers".to_owned());
            };
            if !(0.0..=1e6).contains(&count) {
                return Err("the count of `createSequence` is out of range".to_owned());
            }
            // Ptolemy II adds the step again and again.
            let mut next = first;
            let mut list = Vec::new();
            for _ in 0..count as usize {
                list.push(Reference::Number(next));
                next += step;
            }
            Ok(Reference::List(list))
        }
        other => {
            let mut resolve = |name: &str| match name {
                "NaN" => Err("NaN is not supported".to_owned()),
                name => constant(actor, name, 0).map(|value| Name::Text(value, false)),
            };
            let printed = expression::print(other, &mut resolve)?;
            match printed.text.as_str() {
                "true" => Ok(Reference::Bool(true)),
                "false" => Ok(Reference::Bool(false)),
                text => number(text)
                    .map(Reference::Number)
                    .ok_or_else(|| format!("`{text}` is not a constant")),
            }
        }
    }
}

/// The text of a parameter with everything that it needs in place.
fn constant(actor: &Actor, name: &str, depth: usize) -> Result<String, String> {
    if depth > 20 {
        return Err("parameters depend on each other".to_owned());
    }
    let own = actor.own.property(name).or_else(|| actor.frame.component.property(name));
    let text = own.and_then(|own| own.text());
    let text = text.ok_or_else(|| format!("there is no parameter `{name}`"))?;
    let node = expression::parse(text)?;
    let printed = expression::print(&node, &mut |inner| {
        constant(actor, inner, depth + 1).map(|text| Name::Text(text, false))
    })?;
    Ok(format!("({})", printed.text))
}

/// The value of a constant expression of ours.
pub fn number(text: &str) -> Option<f64> {
    if text == "inf" || text == "-inf" {
        return text.parse().ok();
    }
    let mut sources = base::SourceMap::default();
    let file = sources.add("imported", text);
    let tree = expr::parse(text, expr::Place::Verbatim(file, 0)).ok()?;
    let value = expr::evaluate(&tree, &mut |_, span| {
        Err(base::Diagnostic::error("unknown-name", "not a constant").at(span, ""))
    })
    .ok()?;
    value.as_f64()
}
