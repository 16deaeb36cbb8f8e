//! A diagram: parameters, inputs, outputs, and the loops to solve.

use std::collections::HashMap;

use base::{Diagnostic, Span, Spanned, Value};
use expr::{Expr, ExprKind};

use super::blocks::blocks;
use crate::fields::{Context, get};
use crate::forms::FORMS;
use crate::names;
use crate::yaml::{Entry, Node, NodeKind};
use crate::{
    About, DataColumn, Diagram, Documentation, Input, Invariant, Named, Output, OutsideInput,
    Parameter, Requirement, Solve,
};

/// The fields of a diagram, in canonical order.
pub(crate) const KEYS: [&str; 14] = [
    "description",
    "category",
    "aliases",
    "equations",
    "absence",
    "impulses",
    "parameters",
    "inputs",
    "outputs",
    "require",
    "tolerance",
    "domain",
    "blocks",
    "solve",
];

/// A named diagram under `diagrams`.
pub(crate) fn diagram(context: &mut Context, entry: &Entry) -> Diagram {
    context.report.keep(names::check(&entry.key, "a diagram"));
    if FORMS.iter().any(|form| form.name == entry.key.value) {
        let message = format!("`{}` is a block of the language", entry.key.value);
        let error = Diagnostic::error("reserved-name", message).at(entry.key.span, "");
        context.report.push(error.help("give the diagram another name"));
    }
    let entries = context.mapping(&entry.value, "a diagram", "Name: {inputs: [u], blocks: ...}");
    context.check_keys(entries, &KEYS, "a diagram");
    let documentation = documentation(context, entries);
    let requirements =
        get(entries, "require").map_or(Vec::new(), |entry| requirements(context, &entry.value));
    let content = content(context, entries, entry.key.clone());
    Diagram { documentation, requirements, ..content }
}

fn documentation(context: &mut Context, entries: &[Entry]) -> Documentation {
    let mut text = |key: &str| {
        let word = get(entries, key).and_then(|entry| context.word(entry, &format!("`{key}`")));
        word.map_or(String::new(), |word| word.value)
    };
    let mut documentation = Documentation {
        description: text("description"),
        category: text("category"),
        aliases: Vec::new(),
        equations: text("equations"),
        absence: text("absence"),
        impulses: text("impulses"),
    };
    if let Some(entry) = get(entries, "aliases") {
        for item in context.list(&entry.value, "`aliases`", "aliases: [Unit Delay, z^-1]") {
            match &item.kind {
                NodeKind::Scalar(scalar) => documentation.aliases.push(scalar.value.clone()),
                _ => context.unexpected(item, "an alias", "a text", "aliases: [Unit Delay]"),
            }
        }
    }
    documentation
}

/// The fields of a condition on parameters.
pub(crate) const REQUIREMENT_KEYS: [&str; 2] = ["check", "message"];

fn requirements(context: &mut Context, node: &Node) -> Vec<Requirement> {
    const EXAMPLE: &str = "require: [{check: period > 0, message: the period must be positive}]";
    let mut found = Vec::new();
    for item in context.list(node, "`require`", EXAMPLE) {
        let entries = context.mapping(item, "a condition", EXAMPLE);
        context.check_keys(entries, &REQUIREMENT_KEYS, "a condition");
        let check = get(entries, "check").and_then(|entry| context.field(entry));
        let message = get(entries, "message").and_then(|entry| context.word(entry, "`message`"));
        match (check, message) {
            (Some(check), Some(message)) => {
                found.push(Requirement { check, message: message.value });
            }
            _ if get(entries, "check").is_some() && get(entries, "message").is_some() => {}
            _ => context.unexpected(item, "a condition", "a `check` with a `message`", EXAMPLE),
        }
    }
    found
}

/// The main diagram: the sections at the top of a file.
pub(crate) fn root(
    context: &mut Context,
    entries: &[Entry],
    name: Spanned<String>,
    (inputs, invariants): (Vec<Spanned<String>>, &[Invariant]),
) -> Diagram {
    let inputs = inputs.into_iter().map(plain_input).collect();
    let mut diagram = with_inputs(context, entries, name, inputs);
    diagram.blocks.extend(invariants.iter().map(super::invariants::block));
    let first = diagram.blocks.len() - invariants.len();
    let word = |index: usize| if index < first { "a block" } else { "an invariant" };
    check_unique(context, &diagram, word);
    diagram
}

/// The sections that every diagram has, including that of a state.
pub(super) fn content(context: &mut Context, entries: &[Entry], name: Spanned<String>) -> Diagram {
    let node = get(entries, "inputs").map(|entry| &entry.value);
    let inputs = node.map_or(Vec::new(), |node| inputs(context, node));
    let diagram = with_inputs(context, entries, name, inputs);
    check_unique(context, &diagram, |_| "a block");
    diagram
}

fn plain_input(name: Spanned<String>) -> Input {
    Input { name, default: None, about: About::default() }
}

/// The sections of a diagram except its inputs, which are written in several ways.
pub(super) fn with_inputs(
    context: &mut Context,
    entries: &[Entry],
    name: Spanned<String>,
    inputs: Vec<Input>,
) -> Diagram {
    let section = |key: &str| get(entries, key).map(|entry| &entry.value);
    Diagram {
        name,
        documentation: Documentation::default(),
        requirements: Vec::new(),
        parameters: section("parameters").map_or(Vec::new(), |node| parameters(context, node)),
        inputs,
        outputs: section("outputs").map_or(Vec::new(), |node| outputs(context, node)),
        blocks: section("blocks").map_or(Vec::new(), |node| blocks(context, node)),
        solve: section("solve").map_or(Solve::No, |node| solve(context, node)),
        tolerance: get(entries, "tolerance").and_then(|entry| context.field(entry)),
        discrete: get(entries, "domain").and_then(|entry| domain(context, entry)),
    }
}

pub(super) fn parameters(context: &mut Context, node: &Node) -> Vec<Parameter> {
    let entries = context.mapping(node, "`parameters`", "parameters: {g: 9.81}");
    let mut found = Vec::with_capacity(entries.len());
    for entry in entries {
        context.report.keep(names::check(&entry.key, "a parameter"));
        found.push(parameter(context, entry));
    }
    found
}

/// The fields of a parameter that is written as a mapping.
pub(crate) const PARAMETER_KEYS: [&str; 5] = ["value", "unit", "description", "tunable", "words"];

/// A parameter: an expression, nothing, or a mapping that says more about it.
fn parameter(context: &mut Context, entry: &Entry) -> Parameter {
    let NodeKind::Mapping(entries) = &entry.value.kind else {
        let given = !entry.value.is_null();
        let value = given.then(|| context.expression(&entry.value)).flatten();
        return Parameter::plain(entry.key.clone(), value);
    };
    context.check_keys(entries, &PARAMETER_KEYS, "a parameter");
    let value = get(entries, "value").filter(|entry| !entry.value.is_null());
    Parameter {
        name: entry.key.clone(),
        value: value.and_then(|entry| context.expression(&entry.value)),
        about: about(context, entries),
        tunable: context.flag(entries, "tunable"),
        words: get(entries, "words").map_or(Vec::new(), |entry| {
            let items = context.list(&entry.value, "`words`", "words: [forward, backward]");
            items.iter().filter_map(|item| name_in_list(context, item, "a word")).collect()
        }),
    }
}

/// The unit and the description that a mapping gives.
fn about(context: &mut Context, entries: &[Entry]) -> About {
    let mut text = |key: &str| {
        let word = context.word(get(entries, key)?, &format!("`{key}`"))?;
        Some(word.value)
    };
    About { unit: text("unit"), description: text("description") }
}

/// The span of `domain: discrete`; `None` for `continuous`, which is the default.
fn domain(context: &mut Context, entry: &Entry) -> Option<Span> {
    let word = context.word(entry, "`domain`")?;
    match word.value.as_str() {
        "discrete" => Some(entry.key.span),
        "continuous" => None,
        _ => {
            let message = "`domain` must be `continuous` or `discrete`";
            context.report.push(Diagnostic::error("wrong-kind", message).at(word.span, "").help(
                "in a discrete diagram everything happens at events; leave it out otherwise",
            ));
            None
        }
    }
}

/// The fields of an input of a diagram that is written as a mapping.
pub(crate) const PORT_KEYS: [&str; 3] = ["default", "unit", "description"];

/// The inputs of a diagram: a list of names, or a mapping that says more about each.
fn inputs(context: &mut Context, node: &Node) -> Vec<Input> {
    let NodeKind::Mapping(entries) = &node.kind else {
        return input_names(context, node).into_iter().map(plain_input).collect();
    };
    let mut found = Vec::new();
    for entry in entries {
        context.report.keep(names::check(&entry.key, "an input"));
        let fields = context.mapping(&entry.value, "an input", "u: {default: 0}");
        context.check_keys(fields, &PORT_KEYS, "an input");
        let default = get(fields, "default").and_then(|entry| context.field(entry));
        found.push(Input { name: entry.key.clone(), default, about: about(context, fields) });
    }
    found
}

fn input_names(context: &mut Context, node: &Node) -> Vec<Spanned<String>> {
    let items = context.list(node, "`inputs`", "inputs: [u, v]");
    items.iter().filter_map(|item| name_in_list(context, item, "an input")).collect()
}

/// The fields of an input of the main diagram that is written as a mapping.
pub(crate) const INPUT_KEYS: [&str; 8] =
    ["kind", "type", "initial", "file", "column", "interpolation", "unit", "description"];

/// The inputs of the main diagram: a list of names, or a mapping that says more about each.
pub(crate) fn outside_inputs(context: &mut Context, node: &Node) -> Vec<OutsideInput> {
    let NodeKind::Mapping(entries) = &node.kind else {
        let plain = |name| OutsideInput {
            name,
            kind: None,
            ty: None,
            initial: None,
            data: None,
            about: About::default(),
        };
        return input_names(context, node).into_iter().map(plain).collect();
    };
    let mut found = Vec::new();
    for entry in entries {
        context.report.keep(names::check(&entry.key, "an input"));
        let fields = context.mapping(&entry.value, "an input", "u: {kind: held, initial: 0}");
        context.check_keys(fields, &INPUT_KEYS, "an input");
        let kind = get(fields, "kind").and_then(|entry| context.word(entry, "`kind`"));
        let ty = get(fields, "type").and_then(|entry| context.word(entry, "`type`"));
        let initial = get(fields, "initial").and_then(|entry| context.field(entry));
        let data = data_column(context, fields);
        let about = about(context, fields);
        found.push(OutsideInput { name: entry.key.clone(), kind, ty, initial, data, about });
    }
    found
}

/// The column of a file that an input is.
fn data_column(context: &mut Context, fields: &[Entry]) -> Option<DataColumn> {
    let mut word = |key: &str| get(fields, key).and_then(|e| context.word(e, &format!("`{key}`")));
    let (file, column, interpolation) = (word("file"), word("column"), word("interpolation"));
    if let Some(file) = file {
        return Some(DataColumn { file, column, interpolation });
    }
    for key in ["column", "interpolation"] {
        if let Some(entry) = get(fields, key).filter(|_| get(fields, "file").is_none()) {
            let message = format!("`{key}` without `file` says nothing");
            let error = Diagnostic::error("missing-field", message).at(entry.key.span, "");
            context.report.push(error.help("add `file: data.csv`"));
        }
    }
    None
}

/// A list item that must be a name.
pub(super) fn name_in_list(
    context: &mut Context,
    item: &Node,
    what: &str,
) -> Option<Spanned<String>> {
    let NodeKind::Scalar(scalar) = &item.kind else {
        context.unexpected(item, what, "a name", "[u, v]");
        return None;
    };
    let name = Spanned::new(scalar.value.clone(), item.span);
    context.report.keep(names::check(&name, what))?;
    Some(name)
}

/// The fields of an output that is written as a mapping.
pub(crate) const OUTPUT_KEYS: [&str; 3] = ["value", "unit", "description"];

fn outputs(context: &mut Context, node: &Node) -> Vec<Output> {
    let mut found = Vec::new();
    match &node.kind {
        NodeKind::Sequence(items) => {
            for item in items {
                let Some(name) = name_in_list(context, item, "an output") else { continue };
                let kind = ExprKind::Name(name.value.clone());
                let value = Expr { kind, span: name.span };
                found.push(Output { name, value, about: About::default() });
            }
        }
        NodeKind::Mapping(entries) => {
            for entry in entries {
                context.report.keep(names::check(&entry.key, "an output"));
                let (value, about) = output(context, entry);
                found.extend(value.map(|value| Output { name: entry.key.clone(), value, about }));
            }
        }
        _ if node.is_null() => {}
        _ => {
            let expected = "a mapping or a list of names";
            context.unexpected(node, "`outputs`", expected, "outputs: {y: 2 * x}");
        }
    }
    report_repeated(context, found.iter().map(|output| &output.name), "an output");
    found
}

/// The value of an output: an expression, or a mapping that says more about it. Without a value it
/// is the signal of its name.
fn output(context: &mut Context, entry: &Entry) -> (Option<Expr>, About) {
    let NodeKind::Mapping(fields) = &entry.value.kind else {
        return (context.field(entry), About::default());
    };
    context.check_keys(fields, &OUTPUT_KEYS, "an output");
    let own = || Expr { kind: ExprKind::Name(entry.key.value.clone()), span: entry.key.span };
    let value = match get(fields, "value") {
        Some(value) => context.field(value),
        None => Some(own()),
    };
    (value, about(context, fields))
}

fn solve(context: &mut Context, node: &Node) -> Solve {
    let mut signals = Vec::new();
    match &node.kind {
        NodeKind::Scalar(scalar) if scalar.value == "true" => return Solve::All(node.span),
        NodeKind::Scalar(scalar) if scalar.value == "false" || node.is_null() => return Solve::No,
        NodeKind::Scalar(_) => {
            let expected = "`true`, `false`, a list of signals or a mapping";
            context.unexpected(node, "`solve`", expected, "solve: {x: 0.5}");
        }
        NodeKind::Sequence(items) => {
            for item in items {
                let NodeKind::Scalar(scalar) = &item.kind else {
                    context.unexpected(item, "a signal to solve", "a name", "solve: [x, y]");
                    continue;
                };
                let name = Spanned::new(scalar.value.clone(), item.span);
                signals.push(Named { value: zero(item.span), name });
            }
        }
        NodeKind::Mapping(entries) => {
            for entry in entries {
                let guess = context.field(entry);
                signals.extend(guess.map(|value| Named { name: entry.key.clone(), value }));
            }
        }
    }
    for signal in signals.iter().filter(|signal| !names::is_path(&signal.name.value)) {
        context.report.push(names::malformed(&signal.name, "a signal"));
    }
    report_repeated(context, signals.iter().map(|signal| &signal.name), "a signal");
    Solve::Signals(signals)
}

fn zero(span: Span) -> Expr {
    Expr { kind: ExprKind::Literal(Value::int(0)), span }
}

/// Parameters, inputs and blocks share one namespace. The words of parameters are constants in it.
/// `word` names what the block at a position was written as.
pub(super) fn check_unique(
    context: &mut Context,
    diagram: &Diagram,
    word: impl Fn(usize) -> &'static str,
) {
    let parameters = diagram.parameters.iter().map(|parameter| (&parameter.name, "a parameter"));
    let inputs = diagram.inputs.iter().map(|input| (&input.name, "an input"));
    let blocks = diagram.blocks.iter().enumerate();
    let blocks = blocks.map(|(index, block)| (&block.name, word(index)));
    let indices = diagram.blocks.iter().filter_map(|block| block.repeated.as_ref());
    let mut seen = HashMap::new();
    let twice = |name: &Spanned<String>, what: &str, (first, first_what): (Span, &str)| {
        let message = match what == first_what {
            true => format!("`{}` is {what} twice", name.value),
            false => format!("`{}` is both {first_what} and {what}", name.value),
        };
        Diagnostic::error("duplicate-name", message)
            .at(name.span, format!("{what} here"))
            .at(first, format!("{first_what} here"))
    };
    for (name, what) in parameters.chain(inputs).chain(blocks) {
        if let Some(first) = seen.insert(name.value.as_str(), (name.span, what)) {
            context.report.push(twice(name, what, first));
        }
    }
    // Indices are visible only in their own block, but must not hide names of the enclosing
    // diagram.
    for index in indices.flat_map(|repeated| &repeated.indices) {
        if let Some(first) = seen.get(index.name.value.as_str()) {
            context.report.push(twice(&index.name, "an index", *first));
        }
    }
    // A word has one index, also if several parameters have it.
    let mut numbers = HashMap::new();
    let words = diagram.parameters.iter().flat_map(|own| own.words.iter().enumerate());
    for (number, word) in words {
        if let Some(first) = seen.get(word.value.as_str()) {
            context.report.push(twice(word, "a word", *first));
        }
        let (first, span) = *numbers.entry(word.value.as_str()).or_insert((number, word.span));
        if first != number {
            context.report.push(
                twice(word, "a word", (span, "a word"))
                    .help("put it at the same place in both lists, or use different words"),
            );
        }
    }
}

/// Reports names that occur twice in a list; a mapping has already reported them.
fn report_repeated<'n>(
    context: &mut Context,
    names: impl Iterator<Item = &'n Spanned<String>>,
    what: &str,
) {
    let mut seen = HashMap::new();
    for name in names {
        if let Some(first) = seen.insert(name.value.as_str(), name.span) {
            context.report.push(
                Diagnostic::error("duplicate-name", format!("`{}` is {what} twice", name.value))
                    .at(name.span, "given again here")
                    .at(first, "first given here"),
            );
        }
    }
}
