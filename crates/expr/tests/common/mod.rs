//! Parsing and evaluating texts in tests.
#![allow(dead_code)] // Each test file uses some of these.
#![allow(clippy::result_large_err)] // As in the crate itself.

use base::{Diagnostic, SourceMap, Value};
use superdense_expr::{Expr, Place, evaluate, parse};

/// The tree of a text that stands alone in its file.
pub fn tree(text: &str) -> Result<Expr, Diagnostic> {
    parse(text, Place::Verbatim(base::FileId(0), 0))
}

/// The value of a constant; `n` is 3, `v` is [1, 2], nothing else has a value.
pub fn value(text: &str) -> Result<Value, Diagnostic> {
    evaluate(&tree(text)?, &mut |name, span| match name {
        "n" => Ok(Value::int(3)),
        "v" => Ok(Value::vector(vec![1.0, 2.0])),
        _ => Err(Diagnostic::error("unknown-name", format!("there is no `{name}`")).at(span, "")),
    })
}

/// The message of an error with its line.
pub fn shown<T: std::fmt::Debug>(text: &str, result: Result<T, Diagnostic>) -> String {
    let mut sources = SourceMap::default();
    sources.add("model.yaml", text);
    result.expect_err(text).render(&sources, false)
}

/// Checks the message of an error, with the code, the words that its first label covers and
/// a part of the rest.
pub fn refused<T: std::fmt::Debug>(
    text: &str,
    result: Result<T, Diagnostic>,
    code: &str,
    words: &str,
    part: &str,
) {
    let diagnostic = result.expect_err(text);
    let mut sources = SourceMap::default();
    sources.add("model.yaml", text);
    let rendered = diagnostic.render(&sources, false);
    assert_eq!(diagnostic.code, code, "{rendered}");
    assert_eq!(sources.snippet(diagnostic.labels[0].span), words, "{rendered}");
    assert!(rendered.contains(part), "{rendered}");
}
