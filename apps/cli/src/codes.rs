//! The explanations of message codes: what each means, why it is a mistake, and how to fix it.

/// Each code on a line of its own, with its explanation indented below it, sorted by code.
const TEXT: &str = include_str!("codes.txt");

/// All codes with their explanations, sorted by code.
pub fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    TEXT.split("\n\n").filter_map(|entry| entry.split_once('\n'))
}

/// The explanation of a code.
pub fn find(code: &str) -> Option<&'static str> {
    all().find(|(own, _)| *own == code).map(|(_, text)| text)
}
