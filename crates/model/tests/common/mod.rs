//! Reading texts in tests.
#![allow(dead_code)] // Each test file uses some of these.

use superdense_model::{Model, Refused, parse};

/// Reads a text that imports nothing.
pub fn read(text: &str) -> Result<Model, Refused> {
    parse("model.yaml", text, &mut |path| Err(format!("there is no {path}")))
}

/// The model of a text that must be good.
pub fn model(text: &str) -> Model {
    read(text).unwrap_or_else(|refused| panic!("{refused}"))
}

/// Codes of the mistakes of a text, in order.
pub fn codes(text: &str) -> Vec<&'static str> {
    let refused = read(text).map(|_| ()).expect_err(text);
    refused.diagnostics.0.iter().map(|diagnostic| diagnostic.code).collect()
}

/// Checks all messages of a text, as they are shown.
pub fn refused(text: &str, message: &str) {
    let refused = read(text).map(|_| ()).expect_err(text);
    assert_eq!(refused.render(false), message.trim(), "\n{}\n", refused.render(false));
}
