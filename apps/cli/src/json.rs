//! Mistakes as JSON for tools: one object to a line, on standard error.

use serde_json::{Value, json};
use superdense::{Diagnostic, Diagnostics, SourceMap};

use crate::report::Problem;

/// The lines that tell an error: one for each diagnostic, or one for an error without any.
pub fn lines(error: &anyhow::Error) -> String {
    match error.downcast_ref::<Problem>() {
        Some(Problem { diagnostics, sources, .. }) => objects(diagnostics, sources),
        None => format!("{}\n", message("error", &format!("{error:#}"))),
    }
}

/// The lines that tell diagnostics, one for each.
pub fn objects(diagnostics: &Diagnostics, sources: &SourceMap) -> String {
    let objects = diagnostics.0.iter().map(|diagnostic| object(diagnostic, sources));
    objects.map(|object| format!("{object}\n")).collect()
}

/// An object that is about no text and has no code.
pub fn message(severity: &str, message: &str) -> Value {
    json!({
        "severity": severity, "code": null, "message": message, "file": null, "line": null,
        "column": null, "block": null, "notes": [], "help": null,
    })
}

/// Lines and columns count from 1; columns count characters.
fn object(diagnostic: &Diagnostic, sources: &SourceMap) -> Value {
    let place = diagnostic.labels.first().map(|label| label.span);
    let position = place.map(|span| sources.position(span));
    json!({
        "severity": format!("{:?}", diagnostic.severity).to_lowercase(),
        "code": diagnostic.code,
        "message": diagnostic.message,
        "file": place.map(|span| sources.name(span.file)),
        "line": position.map(|position| position.0),
        "column": position.map(|position| position.1),
        "block": Some(&diagnostic.path).filter(|path| !path.is_empty()),
        "notes": diagnostic.notes,
        "help": diagnostic.help,
    })
}
