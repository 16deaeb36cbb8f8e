//! Edits that the diagram makes of the text.

use serde_json::{Value as Json, json};
use superdense::edit::{
    BlockEdit, EditError, Replacement, edit_all, edited, fields, path_at, value_in_brackets,
    written,
};
use superdense::{Library, System, parse};

use crate::first;
use crate::messages::{At, Edit};

/// The answer to an edit: what to replace, in bytes of the text, or why not.
pub(crate) fn edit(id: u64, text: &str, edit: Edit) -> Json {
    match found(text, edit, true) {
        Ok(found) => json!({
            "kind": "edited", "id": id,
            "replacements": found.iter().map(|own| json!({
                "from": own.range.start, "to": own.range.end, "text": own.text,
            })).collect::<Vec<_>>(),
        }),
        Err(error) => json!({"kind": "edited", "id": id, "error": error}),
    }
}

/// The replacements of an edit. If `careful`, edits that must keep a model valid are refused if
/// they do not.
pub(crate) fn found(text: &str, edit: Edit, careful: bool) -> Result<Vec<Replacement>, String> {
    let keeps = match edit {
        Edit::Rename { .. } => Some("with this name"),
        Edit::Group { .. } => Some("with a diagram of these blocks"),
        Edit::Ungroup { .. } => Some("with the blocks of this diagram"),
        _ => None,
    };
    let changes = changes(text, edit)?;
    let found = edit_all(text, &changes).map_err(|error| error.to_string())?;
    match keeps.filter(|_| careful && is_whole(text)) {
        Some(how) if !is_whole(&edited(text, &found)) => {
            Err(format!("{how} the model would not be valid; nothing was changed"))
        }
        _ => Ok(found),
    }
}

fn changes(text: &str, edit: Edit) -> Result<Vec<BlockEdit>, String> {
    let path = |at: &At| {
        path_of(text, at).ok_or_else(|| match at {
            At::Node(node) => format!("`{node}` is written in another file"),
            _ => EditError::Malformed.to_string(),
        })
    };
    let one = |change| Ok(vec![change]);
    match edit {
        Edit::Set { at, field, value } => {
            let mut path = path(&at)?;
            path.extend(field.iter().flat_map(|own| own.split('/').map(str::to_owned)));
            let value = one_line(&value);
            match value.is_empty() {
                true if fields(text, &path).is_err() => Ok(Vec::new()),
                true => one(BlockEdit::Remove { path }),
                false => one(BlockEdit::Set { path, value }),
            }
        }
        Edit::Remove { all } => {
            let mut paths = all.iter().map(path).collect::<Result<Vec<_>, _>>()?;
            // Of several items of a list, the last is removed first.
            paths.sort_by(|a, b| b.cmp(a));
            paths.dedup();
            Ok(paths.into_iter().map(|path| BlockEdit::Remove { path }).collect())
        }
        Edit::Add { within, name, value } => {
            one(BlockEdit::Add { blocks: blocks_of(text, within)?, name, value })
        }
        Edit::AddBlock { within, name, kind } => {
            let value = first::entry(&kind).ok_or_else(|| format!("there is no block `{kind}`"))?;
            one(BlockEdit::Add { blocks: blocks_of(text, within)?, name, value })
        }
        Edit::Record { name, panel } => Ok(recorded(text, &name, panel)),
        Edit::Rename { at, to } => one(BlockEdit::Rename { path: path(&at)?, to }),
        Edit::Group { all, diagram, instance } => {
            let paths = all.iter().map(path).collect::<Result<Vec<_>, _>>()?;
            let (_, blocks) =
                paths.first().and_then(|own| own.split_last()).ok_or("nothing is selected")?;
            if paths.iter().any(|own| own.split_last().is_none_or(|own| own.1 != blocks)) {
                return Err("only blocks of the same diagram can be grouped".to_owned());
            }
            let blocks = blocks.to_vec();
            let names = paths.iter().filter_map(|own| own.last().cloned()).collect();
            one(BlockEdit::Group { blocks, names, diagram, instance })
        }
        Edit::Ungroup { at } => one(BlockEdit::Ungroup { path: path(&at)? }),
        Edit::AddState { machine, name, from } => {
            let machine = path(&machine)?;
            let blocks = machine.iter().cloned().chain(["states".to_owned()]).collect();
            let add = BlockEdit::Add { blocks, name: name.clone(), value: "{}".to_owned() };
            Ok(vec![add, transition(machine, from, &name)])
        }
        Edit::RemoveState { machine, name } => removed_state(text, &path(&machine)?, &name),
        Edit::AddTransition { machine, from, to } => one(transition(path(&machine)?, from, &to)),
    }
}

/// The keys of the blocks of a diagram or a state, or of the main diagram.
fn blocks_of(text: &str, within: Option<String>) -> Result<Vec<String>, String> {
    let around = match within.filter(|own| !own.is_empty()) {
        Some(node) => {
            inside(text, &node).ok_or_else(|| format!("`{node}` is written in another file"))?
        }
        None => Vec::new(),
    };
    Ok(below(&around, "blocks"))
}

/// Records a signal unless it is recorded already, and adds its column to a panel. A model without
/// `record` records everything that has a name.
fn recorded(text: &str, name: &str, panel: Option<usize>) -> Vec<BlockEdit> {
    let record = vec!["record".to_owned()];
    let columns = fields(text, &record).unwrap_or_default();
    let listed = items(text, &record);
    let known = columns.iter().find(|own| own.1 == name).map(|own| own.0.as_str());
    let known = known.or_else(|| listed.iter().any(|own| own == name).then_some(name));
    let column = known.unwrap_or(name).to_owned();
    let mut all = Vec::new();
    if known.is_none() && !columns.is_empty() {
        all.push(BlockEdit::Set { path: below(&record, name), value: one_line(name) });
    } else if known.is_none() && !listed.is_empty() {
        all.push(BlockEdit::Append { path: record, value: one_line(name) });
    }
    all.extend(panel.and_then(|panel| drawn(text, &column, panel)));
    all
}

/// Adds a column to a panel over time of the first figure; nothing if it is there.
fn drawn(text: &str, column: &str, panel: usize) -> Option<BlockEdit> {
    let plots = ["plots".to_owned()];
    let (figure, _) = fields(text, &plots).ok()?.into_iter().next()?;
    let figure = below(&plots, &figure);
    let inner = below(&figure, "panels");
    let panels = if written(text, &inner).is_some() { inner } else { figure };
    let count = items(text, &panels).len();
    let mut over_time = (0..count)
        .map(|index| below(&panels, &index.to_string()))
        .filter(|own| written(text, &below(own, "phase")).is_none());
    let panel = over_time.nth(panel)?;
    let inner = below(&panel, "signals");
    let signals = if written(text, &inner).is_some() { inner } else { panel };
    let value = one_line(column);
    let shown = items(text, &signals);
    if shown.is_empty() {
        let only = written(text, &signals)?;
        let both = format!("[{}, {value}]", one_line(&only));
        return (only != column).then_some(BlockEdit::Set { path: signals, value: both });
    }
    let is_shown = (0..shown.len()).any(|index| {
        let own = below(&signals, &index.to_string());
        written(text, &below(&own, "name")).or_else(|| written(text, &own)).as_deref()
            == Some(column)
    });
    (!is_shown).then_some(BlockEdit::Append { path: signals, value })
}

/// The items of a list as they are written; none if it is something else.
fn items(text: &str, path: &[String]) -> Vec<String> {
    (0..).map_while(|index: usize| written(text, &below(path, &index.to_string()))).collect()
}

fn below(path: &[String], key: &str) -> Vec<String> {
    path.iter().cloned().chain([key.to_owned()]).collect()
}

/// Adds a transition that is never taken until it gets a guard, so that the model stays valid: a
/// state must be reachable, and two transitions must not be enabled at once.
fn transition(machine: Vec<String>, from: String, to: &str) -> BlockEdit {
    let list = ["states".to_owned(), from, "transitions".to_owned()];
    let path = machine.into_iter().chain(list).collect();
    BlockEdit::Append { path, value: format!("{{to: {}, when: false}}", one_line(to)) }
}

/// Removes a state, the transitions into it and its being the first one.
fn removed_state(text: &str, machine: &[String], name: &str) -> Result<Vec<BlockEdit>, String> {
    let below = |more: &[&str]| more.iter().fold(machine.to_vec(), |path, key| below(&path, key));
    let states = fields(text, &below(&["states"])).map_err(|error| error.to_string())?;
    let mut all = Vec::new();
    for (state, _) in states.iter().filter(|own| own.0 != name) {
        let transition =
            |index: usize| below(&["states", state, "transitions", &index.to_string()]);
        let count = (0..).take_while(|index| fields(text, &transition(*index)).is_ok()).count();
        for index in (0..count).rev() {
            let own = fields(text, &transition(index)).unwrap_or_default();
            if own.iter().any(|(key, value)| key == "to" && value == name) {
                all.push(BlockEdit::Remove { path: transition(index) });
            }
        }
    }
    let first = fields(text, machine).map_err(|error| error.to_string())?;
    if first.iter().any(|(key, value)| key == "initial" && value == name) {
        let other = states.iter().find(|own| own.0 != name);
        let (other, _) = other.ok_or("a machine has at least one state")?;
        all.push(BlockEdit::Set { path: below(&["initial"]), value: other.clone() });
    }
    all.push(BlockEdit::Remove { path: below(&["states", name]) });
    Ok(all)
}

/// Whether a text is a model without mistakes, as far as one can tell without other files.
fn is_whole(text: &str) -> bool {
    is_valid(text, &Library::standard())
}

pub(crate) fn is_valid(text: &str, library: &Library) -> bool {
    let model = parse("model.yaml", text, &mut |_| Err("not read".to_owned()));
    model.is_ok_and(|model| System::compile(&model, library).is_ok())
}

/// A value as YAML on one line; quotes are added where YAML needs them.
fn one_line(value: &str) -> String {
    value_in_brackets(value.trim())
}

/// The keys of what is meant.
pub(crate) fn path_of(text: &str, at: &At) -> Option<Vec<String>> {
    match at {
        At::Path(path) => Some(path.clone()),
        At::Byte(byte) => path_at(text, *byte).map(entry_around),
        At::Node(node) => written_at(text, node),
    }
}

/// The block, the state or the transition that a path leads into.
fn entry_around(mut path: Vec<String>) -> Vec<String> {
    let last = |key: &str| path.iter().rposition(|own| own == key).map(|at| at + 2);
    let end = [last("blocks"), last("transitions")].into_iter().flatten().max();
    path.truncate(end.unwrap_or(path.len()));
    path
}

/// The keys of a node of the diagram that is written in this text.
fn written_at(text: &str, node: &str) -> Option<Vec<String>> {
    let (above, name) = node.rsplit_once('.').unwrap_or(("", node));
    // An array has one entry for all of its elements.
    let name = name.split('[').next().unwrap_or(name).to_owned();
    let around = if above.is_empty() { Vec::new() } else { inside(text, above)? };
    let path: Vec<String> = around.iter().cloned().chain(["blocks".to_owned(), name]).collect();
    fields(text, &path).is_ok().then_some(path)
}

/// The keys of what is inside a node: its diagram, its machine's state, or the machine itself.
fn inside(text: &str, node: &str) -> Option<Vec<String>> {
    if let Some(path) = written_at(text, node) {
        let own = fields(text, &path).ok()?;
        let kind = own.into_iter().find(|own| own.0 == "type")?.1;
        let diagram = vec!["diagrams".to_owned(), kind.clone()];
        return match kind == "Modal" {
            true => Some(path),
            false => fields(text, &diagram).is_ok().then_some(diagram),
        };
    }
    let (machine, state) = node.rsplit_once('.')?;
    let path = written_at(text, machine)?;
    let path: Vec<String> =
        path.into_iter().chain(["states".to_owned(), state.to_owned()]).collect();
    fields(text, &path).is_ok().then_some(path)
}

/// The answer to a question about an entry: its path, its fields, and the inputs and parameters of
/// the diagram of this file that it is.
pub(crate) fn entry(id: u64, text: &str, at: &At) -> Json {
    let path = path_of(text, at);
    let own = path.as_ref().and_then(|path| fields(text, path).ok());
    let kind = own.iter().flatten().find(|own| own.0 == "type").map(|own| own.1.clone());
    let names = |section: &str| {
        let diagram = ["diagrams".to_owned(), kind.clone()?, section.to_owned()];
        let mut all = fields(text, &diagram).ok()?;
        // A list of inputs has no keys.
        all.extend(items(text, &diagram).into_iter().map(|name| (name, String::new())));
        Some(all)
    };
    json!({
        "kind": "entry", "id": id, "path": path, "fields": own,
        "inputs": names("inputs"), "parameters": names("parameters"),
    })
}
