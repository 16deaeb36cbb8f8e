//! `new`: a folder with a runnable model to start from.

use std::path::Path;

use anyhow::{Context, Result};

use super::examples::{invite, make_folder, write_schema};
use crate::report::write_file;

const TEMPLATE: &str = include_str!("template.yaml");

pub fn new(folder: &Path) -> Result<()> {
    let name = folder.file_name().and_then(|name| name.to_str());
    let name = name.with_context(|| format!("`{}` is no name", folder.display()))?;
    make_folder(folder)?;
    let path = folder.join("model.yaml");
    write_file(&path, TEMPLATE.replace("NAME", &model_name(name)).as_bytes())?;
    write_schema(folder)?;
    invite(folder);
    Ok(())
}

/// The nearest valid name of a model: letters, digits, `_` and `-`, not starting with a digit or
/// `-`.
fn model_name(folder: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let name: String = folder.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { format!("_{name}") }
}
