//! Which words can be names.

use base::{Diagnostic, Spanned};

/// Words with a fixed meaning in every expression.
const RESERVED: [&str; 10] =
    ["if", "then", "else", "and", "or", "not", "true", "false", "time", "for"];

/// Whether a word has the form of a name.
pub(crate) fn is_name(word: &str) -> bool {
    let starts = |c: char| c.is_ascii_alphabetic() || c == '_';
    word.starts_with(starts) && word.chars().all(|c| starts(c) || c.is_ascii_digit())
}

/// Whether a word consists of digits only.
pub(crate) fn is_digits(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a word is a name or a path of names joined by dots.
pub(crate) fn is_path(word: &str) -> bool {
    word.split('.').all(is_name)
}

/// Whether a word can be the name of a model, which may contain hyphens after the first letter.
pub(crate) fn is_model_name(word: &str) -> bool {
    is_name(&word.replace('-', "_")) && !word.starts_with('-')
}

/// Refuses a word that cannot be the name of a parameter, an input, a block or a diagram.
pub(crate) fn check(name: &Spanned<String>, what: &str) -> Result<(), Diagnostic> {
    check_form(name, what)?;
    let word = name.value.as_str();
    if !RESERVED.contains(&word) && !expr::is_named_value(word) {
        return Ok(());
    }
    let meaning = "it has a meaning in expressions";
    Err(Diagnostic::error("reserved-name", format!("`{word}` cannot be the name of {what}"))
        .at(name.span, meaning)
        .help(format!("choose another name, such as `{word}_1`")))
}

/// Refuses a word that does not have the form of a name.
pub(crate) fn check_form(name: &Spanned<String>, what: &str) -> Result<(), Diagnostic> {
    if is_name(&name.value) { Ok(()) } else { Err(malformed(name, what)) }
}

/// The error for a word that does not have the form of a name.
pub(crate) fn malformed(name: &Spanned<String>, what: &str) -> Diagnostic {
    let message = match name.value.as_str() {
        "" => format!("the name of {what} is missing"),
        word => format!("`{word}` cannot be the name of {what}"),
    };
    let word = name.value.as_str();
    let help = match word.split_once('{').map(|(before, _)| before.trim_end()) {
        Some(before) if is_name(before) => {
            Some(format!("is a colon missing after `{before}`? write `{before}: {{...}}`"))
        }
        // YAML reads `{gain: 1,5}` as the keys `gain: 1` and `5`.
        _ if is_digits(word) => {
            Some(format!("a comma ends a value; a decimal number has a point, as in `1.{word}`"))
        }
        _ => without_colon(word),
    };
    Diagnostic::error("invalid-name", message)
        .at(name.span, "")
        .note("a name is a letter or `_`, then letters, digits and `_`")
        .maybe_help(help)
}

/// Help for a name followed by a value without a colon, as in `input 1`.
fn without_colon(word: &str) -> Option<String> {
    let (name, value) = word.split_once(' ')?;
    let value = value.trim();
    let begins = value.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
    (is_name(name) && begins)
        .then(|| format!("is a colon missing after `{name}`? write `{name}: {value}`"))
}
