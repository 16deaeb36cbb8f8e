//! Which tests hold what a page says, from a table that the tests of this crate gather from their
//! own sources. The program has the table as text and needs no sources.

/// Lines of a block, a kind of check and a test, separated by ` | `.
const TABLE: &str = include_str!("held.txt");

/// What a test can check about a block, and the words for it on a page.
const KINDS: [(&str, &str); 5] = [
    ("closed form", "Closed form"),
    ("jump", "Jump"),
    ("absence", "Absence"),
    ("impulse", "Impulse"),
    ("bad input", "Bad input"),
];

/// The section of a page on the tests of a block. A block without inputs has nothing that could be
/// absent or carry an impulse.
pub(super) fn section(block: &str, has_inputs: bool) -> String {
    let mut out = "\n## Tests\n\n| What is checked | Tests |\n|---|---|\n".to_owned();
    for (kind, title) in KINDS {
        let needs_inputs = matches!(kind, "absence" | "impulse");
        let cell = match needs_inputs && !has_inputs {
            true => "It has no inputs.".to_owned(),
            false => {
                tests(block, kind).map(|test| format!("`{test}`")).collect::<Vec<_>>().join(", ")
            }
        };
        out += &format!("| {title} | {cell} |\n");
    }
    out
}

/// The tests that check one kind of thing about a block.
fn tests<'a>(block: &'a str, kind: &'a str) -> impl Iterator<Item = &'static str> + 'a {
    TABLE.lines().filter_map(move |line| {
        let mut fields = line.split(" | ");
        let own = fields.next() == Some(block) && fields.next() == Some(kind);
        if own { fields.next() } else { None }
    })
}
