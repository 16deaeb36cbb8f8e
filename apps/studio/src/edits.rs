//! Edits that the diagram makes of the text.

use serde_json::{Value as Json, json};
use superdense::edit::{BlockEdit, EditError, edit as replacements, edited, fields, path_at};
use superdense::{Library, System, parse};

use crate::messages::Edit;

/// The answer to an edit: what to replace, in bytes of the text, or why not.
pub(crate) fn edit(id: u64, text: &str, edit: Edit) -> Json {
    match found(text, edit) {
        Ok(found) => json!({
            "kind": "edited", "id": id,
            "replacements": found.iter().map(|own| json!({
                "from": own.range.start, "to": own.range.end, "text": own.text,
            })).collect::<Vec<_>>(),
        }),
        Err(error) => json!({"kind": "edited", "id": id, "error": error}),
    }
}

fn found(text: &str, edit: Edit) -> Result<Vec<superdense::edit::Replacement>, String> {
    let block = |byte| block_at(text, byte).ok_or_else(|| EditError::Malformed.to_string());
    let change = match edit {
        Edit::Set { path, value } => BlockEdit::Set { path, value: one_line(&value) },
        Edit::Remove { path } => BlockEdit::Remove { path },
        Edit::Add { blocks, name, value } => BlockEdit::Add { blocks, name, value },
        Edit::Rename { path, to } => BlockEdit::Rename { path, to },
        Edit::SetAt { byte, field, value } => {
            let mut path = block(byte)?;
            path.extend(field.split('/').map(str::to_owned));
            let value = one_line(&value);
            match value.is_empty() {
                true => BlockEdit::Remove { path },
                false => BlockEdit::Set { path, value },
            }
        }
        Edit::RemoveAt { byte } => BlockEdit::Remove { path: block(byte)? },
        Edit::RenameAt { byte, to } => BlockEdit::Rename { path: block(byte)?, to },
    };
    let found = replacements(text, &change).map_err(|error| error.to_string())?;
    let renames = matches!(change, BlockEdit::Rename { .. });
    if renames && is_whole(text) && !is_whole(&edited(text, &found)) {
        return Err("with this name the model would not be valid; nothing was changed".to_owned());
    }
    Ok(found)
}

/// Whether a text is a model without mistakes, as far as one can tell without other files.
fn is_whole(text: &str) -> bool {
    let model = parse("model.yaml", text, &mut |_| Err("not read".to_owned()));
    model.is_ok_and(|model| System::compile(&model, &Library::standard()).is_ok())
}

/// A value as YAML on one line; quotes are added where YAML needs them.
fn one_line(value: &str) -> String {
    superdense::edit::value_in_brackets(value.trim())
}

/// The path of the block that contains a byte: the entry of a mapping `blocks`.
pub(crate) fn block_at(text: &str, byte: usize) -> Option<Vec<String>> {
    let mut path = path_at(text, byte)?;
    let blocks = path.iter().rposition(|own| own == "blocks")?;
    path.truncate(blocks + 2);
    (path.len() == blocks + 2).then_some(path)
}

/// The answer to a question about a block: its path, and its fields.
pub(crate) fn entry(id: u64, text: &str, path: Option<Vec<String>>) -> Json {
    let fields = path.as_ref().and_then(|path| fields(text, path).ok());
    json!({"kind": "entry", "id": id, "path": path, "fields": fields})
}
