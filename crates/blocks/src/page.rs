//! The page of a block, generated from its description.

use crate::{Accepts, Count, Info, Kind};

/// The page as Markdown.
pub fn page(info: &Info) -> String {
    let mut out = format!("# {}\n", info.name);
    if !info.summary.is_empty() {
        out += &format!("\n{}\n", info.summary);
    }
    out += &format!("\nCategory: {}.\n", info.category);
    if !info.aliases.is_empty() {
        out += &format!("\nAlso known as: {}.\n", info.aliases.join(", "));
    }
    if !info.equations.is_empty() {
        out += &format!("\n## Equations\n\n```text\n{}\n```\n", info.equations);
    }
    if !info.inputs.is_empty() {
        out += "\n## Inputs\n\n| Name | Signals | Description |\n|---|---|---|\n";
        for input in &info.inputs {
            let count = match input.count {
                Count::One => "one",
                Count::Optional => "optional",
                Count::Many => "list",
            };
            let presence = match input.presence {
                Accepts::Any => "",
                Accepts::Discrete => ", events only",
                Accepts::Continuous => ", not an event signal",
            };
            out += &format!("| `{}` | {count}{presence} | {} |\n", input.name, input.about);
        }
    }
    out += "\n## Outputs\n\n| Name | Description |\n|---|---|\n";
    for output in &info.outputs {
        out += &format!("| `{}` | {} |\n", output.name, output.about);
    }
    if !info.parameters.is_empty() {
        out += "\n## Parameters\n\n| Name | Kind | Default | Description |\n|---|---|---|---|\n";
        for parameter in &info.parameters {
            let kind = match &parameter.kind {
                Kind::Value => "value".to_owned(),
                Kind::Real => "real".to_owned(),
                Kind::Time => "exact time".to_owned(),
                Kind::Times => "list of exact times".to_owned(),
                Kind::Word(words) => words.join(", "),
            };
            let default =
                parameter.default.as_ref().map_or("required".into(), |d| format!("`{d}`"));
            out +=
                &format!("| `{}` | {kind} | {default} | {} |\n", parameter.name, parameter.about);
        }
    }
    if !info.absence.is_empty() {
        out += &format!("\n## Absence\n\n{}\n", info.absence);
    }
    if !info.impulses.is_empty() {
        out += &format!("\n## Impulses\n\n{}\n", info.impulses);
    }
    if !info.example.is_empty() {
        out += &format!("\n## Example\n\n```yaml\n{}\n```\n", info.example.trim());
    }
    out
}
