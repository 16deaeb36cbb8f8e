//! One file: its version, imports, named diagrams, and main diagram.

use std::sync::Arc;

use base::{Diagnostic, FileId, Span, Spanned};
use expr::Functions;

use crate::fields::{Context, get};
use crate::names;
use crate::sections;
use crate::yaml::{Entry, Node, NodeKind};
use crate::{Diagram, Invariant, OutsideInput, Plot, Record, Simulate, SweepSection};

/// The fields at the top of a file, in canonical order.
pub(crate) const KEYS: [&str; 16] = [
    "superdense",
    "name",
    "description",
    "import",
    "functions",
    "parameters",
    "inputs",
    "outputs",
    "diagrams",
    "blocks",
    "solve",
    "invariants",
    "record",
    "simulate",
    "sweep",
    "plots",
];

/// The content of one file.
pub(crate) struct Document {
    pub imports: Vec<Import>,
    pub diagrams: Vec<Diagram>,
    /// The sections that only the main file has, and its main diagram.
    pub main: Option<(Main, Diagram)>,
}

/// What the main file says about the whole model.
pub(crate) struct Main {
    pub name: String,
    pub description: String,
    pub functions: Arc<Functions>,
    pub inputs: Vec<OutsideInput>,
    pub invariants: Vec<Invariant>,
    pub record: Vec<Record>,
    pub simulate: Simulate,
    pub sweep: SweepSection,
    pub plots: Vec<Plot>,
}

/// Another file whose diagrams are used.
pub(crate) struct Import {
    /// The prefix before the dot, if there is one.
    pub alias: Option<Spanned<String>>,
    pub path: Spanned<String>,
}

/// Reads the tree of a file. In an imported file, only `import`, `functions` and `diagrams` are
/// used.
pub(crate) fn document(context: &mut Context, node: &Node, main: Option<&str>) -> Option<Document> {
    let file = node.span.file;
    let entries = context.mapping(node, "a model file", "superdense: 1");
    if !matches!(node.kind, NodeKind::Mapping(_)) && !node.is_null() {
        return None;
    }
    let version = check_version(entries, file);
    context.report.keep(version)?;
    context.check_keys(entries, &KEYS, "a model file");
    if let Some(entry) = get(entries, "functions") {
        sections::functions(context, &entry.value)?;
    }
    let imports = get(entries, "import").map_or(Vec::new(), |entry| imports(context, &entry.value));
    let diagrams =
        get(entries, "diagrams").map_or(Vec::new(), |entry| diagrams(context, &entry.value));
    let main = main.map(|default_name| self::main(context, entries, default_name, file));
    Some(Document { imports, diagrams, main })
}

fn check_version(entries: &[Entry], file: FileId) -> Result<(), Diagnostic> {
    let Some(entry) = get(entries, "superdense") else {
        let message = "this file does not say which version of the format it is written in";
        return Err(Diagnostic::error("missing-version", message)
            .at(Span::new(file, 0, 0), "")
            .help("begin it with `superdense: 1`"));
    };
    match &entry.value.kind {
        NodeKind::Scalar(scalar) if scalar.value == "1" => Ok(()),
        _ => Err(Diagnostic::error("unsupported-version", "this version of the format is unknown")
            .at(entry.value.span, "")
            .help("this program reads version 1: `superdense: 1`")),
    }
}

fn main(
    context: &mut Context,
    entries: &[Entry],
    default_name: &str,
    file: FileId,
) -> (Main, Diagram) {
    let given = get(entries, "name").and_then(|entry| context.word(entry, "`name`"));
    if let Some(name) = given.as_ref().filter(|name| !names::is_model_name(&name.value)) {
        context.report.push(names::malformed(name, "a model").help("hyphens are allowed, too"));
    }
    let name =
        given.unwrap_or_else(|| Spanned::new(default_name.to_owned(), Span::new(file, 0, 0)));
    let description =
        get(entries, "description").and_then(|entry| context.word(entry, "`description`"));
    let main = Main {
        name: name.value.clone(),
        description: description.map_or(String::new(), |text| text.value),
        functions: context.functions.clone(),
        inputs: get(entries, "inputs")
            .map_or(Vec::new(), |entry| sections::outside_inputs(context, &entry.value)),
        invariants: get(entries, "invariants")
            .map_or(Vec::new(), |entry| sections::invariants(context, &entry.value)),
        record: get(entries, "record")
            .map_or(Vec::new(), |entry| sections::record(context, &entry.value)),
        simulate: get(entries, "simulate")
            .map_or(Simulate::default(), |entry| sections::simulate(context, &entry.value)),
        sweep: get(entries, "sweep")
            .map_or(SweepSection::default(), |entry| sections::sweep(context, &entry.value)),
        plots: get(entries, "plots")
            .map_or(Vec::new(), |entry| sections::plots(context, &entry.value)),
    };
    let inputs = main.inputs.iter().map(|input| input.name.clone()).collect();
    let root = sections::root(context, entries, name, (inputs, &main.invariants));
    (main, root)
}

fn diagrams(context: &mut Context, node: &Node) -> Vec<Diagram> {
    let entries = context.mapping(node, "`diagrams`", "diagrams: {Name: {blocks: ...}}");
    entries.iter().map(|entry| sections::diagram(context, entry)).collect()
}

fn imports(context: &mut Context, node: &Node) -> Vec<Import> {
    match &node.kind {
        NodeKind::Sequence(items) => {
            items.iter().filter_map(|item| import(context, None, item)).collect()
        }
        NodeKind::Mapping(entries) => entries
            .iter()
            .filter_map(|Entry { key, value }| {
                context.report.keep(names::check(key, "an import"));
                import(context, Some(key.clone()), value)
            })
            .collect(),
        _ if node.is_null() => Vec::new(),
        _ => {
            let expected = "a list of files, or a mapping from names to files";
            context.unexpected(node, "`import`", expected, "import: [library.yaml]");
            Vec::new()
        }
    }
}

fn import(context: &mut Context, alias: Option<Spanned<String>>, node: &Node) -> Option<Import> {
    match &node.kind {
        NodeKind::Scalar(scalar) if !scalar.value.trim().is_empty() => {
            Some(Import { alias, path: Spanned::new(scalar.value.trim().to_owned(), node.span) })
        }
        _ => {
            context.unexpected(node, "an import", "the path of a file", "import: [library.yaml]");
            None
        }
    }
}
