//! Names of Ptolemy II as names of ours.

use std::collections::BTreeSet;

const RESERVED: [&str; 20] = [
    "if", "then", "else", "and", "or", "not", "for", "true", "false", "time", "pi", "inf",
    "absent", "elapsed", "type", "trigger", "enabled", "hold", "restart", "pass",
];

/// A name of letters, digits and `_` that is not in use, which is then in use.
pub fn fresh(name: &str, used: &mut BTreeSet<String>) -> String {
    let plain = plain(name);
    let mut own = plain.clone();
    let mut number = 1;
    while RESERVED.contains(&own.as_str()) || used.contains(&own) {
        number += 1;
        own = format!("{plain}_{number}");
    }
    used.insert(own.clone());
    own
}

/// A name with everything replaced that our names do not have.
pub fn plain(name: &str) -> String {
    let legal = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
    let own: String = name.chars().map(legal).collect();
    match own.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        true => own,
        false => format!("_{own}"),
    }
}

/// The name of a model, which may have hyphens.
pub fn file_name(name: &str) -> String {
    plain(name)
}
