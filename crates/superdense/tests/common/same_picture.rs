//! Compares a drawn SVG picture with one that is kept in the repository, by geometry.
//!
//! Two pictures are the same if they have the same elements, texts and attributes, and if no place
//! has moved by more than a tolerance. The tests of the command line take this file by its path.

use std::fs;
use std::path::Path;

use roxmltree::{Document, Node};

/// How far a place may move \[px\]. Pictures are written with two decimals, and another processor
/// or mathematical library may round the last one to the other side, also in each of a few numbers
/// that are added. Five of these units cover that, and a twentieth of a pixel is not visible.
const TOLERANCE: f64 = 0.05;

/// The attributes that hold places. All others (colours, widths of lines, sizes of letters) are
/// constants of the code, so that their numbers have to be equal.
const PLACES: [&str; 19] = [
    "cx",
    "cy",
    "d",
    "dx",
    "dy",
    "height",
    "points",
    "r",
    "rx",
    "ry",
    "transform",
    "viewBox",
    "width",
    "x",
    "x1",
    "x2",
    "y",
    "y1",
    "y2",
];

/// Whether kept files are to be renewed: `SUPERDENSE_BLESS=1`.
pub fn bless() -> bool {
    std::env::var_os("SUPERDENSE_BLESS").is_some_and(|value| value == "1")
}

/// Compares a drawn picture with a kept file, or writes that file anew.
pub fn check(kept: &Path, drawn: &str, renew: bool) -> Result<(), String> {
    let old = fs::read_to_string(kept).map_err(|error| format!("{}: {error}", kept.display()));
    if renew {
        if old.as_deref() != Ok(drawn) {
            fs::create_dir_all(kept.parent().expect("a folder")).expect("a folder can be made");
            fs::write(kept, drawn).expect("a picture can be written");
        }
        return Ok(());
    }
    difference(&old?, drawn).map_err(|found| format!("{} is old: {found}", kept.display()))
}

/// The first difference between two pictures, as an error.
pub fn difference(kept: &str, drawn: &str) -> Result<(), String> {
    let parse = |which: &str, text| {
        Document::parse(text).map_err(|error| format!("the {which} picture is no XML: {error}"))
    };
    let (kept, drawn) = (parse("kept", kept)?, parse("drawn", drawn)?);
    same_element(kept.root_element(), drawn.root_element())
}

/// The children that are seen: elements and texts, without the white space between elements.
fn children<'a, 'i>(of: Node<'a, 'i>) -> Vec<Node<'a, 'i>> {
    let seen = |child: &Node| {
        child.is_element() || child.is_text() && !child.text().unwrap_or_default().trim().is_empty()
    };
    of.children().filter(seen).collect()
}

/// An element by its name and its line in its own file, or a text as it is.
fn named(node: Option<&Node>) -> String {
    match node {
        None => "nothing".to_owned(),
        Some(node) if node.is_text() => format!("`{}`", node.text().unwrap_or_default()),
        Some(node) => {
            let line = node.document().text_pos_at(node.range().start).row;
            format!("<{}> of line {line}", node.tag_name().name())
        }
    }
}

fn same_element(kept: Node, drawn: Node) -> Result<(), String> {
    if kept.tag_name() != drawn.tag_name() {
        return Err(format!("{} is now {}", named(Some(&kept)), named(Some(&drawn))));
    }
    let differs = |wrong: String| format!("{}: {wrong}", named(Some(&kept)));
    if let Some(attribute) = drawn.attributes().find(|own| !kept.has_attribute(own.name())) {
        let (name, value) = (attribute.name(), attribute.value());
        return Err(differs(format!("attribute `{name}` was absent, and is `{value}`")));
    }
    for attribute in kept.attributes() {
        let (name, was) = (attribute.name(), attribute.value());
        let Some(is) = drawn.attribute(name) else {
            return Err(differs(format!("attribute `{name}` was `{was}`, and is absent")));
        };
        same_value(name, was, is)
            .map_err(|wrong| differs(format!("attribute `{name}` {wrong}")))?;
    }
    let (kept, drawn) = (children(kept), children(drawn));
    for index in 0..kept.len().max(drawn.len()) {
        match (kept.get(index), drawn.get(index)) {
            (Some(kept), Some(drawn)) if kept.is_element() && drawn.is_element() => {
                same_element(*kept, *drawn)?;
            }
            (Some(kept), Some(drawn)) if kept.is_text() && kept.text() == drawn.text() => {}
            (kept, drawn) => {
                return Err(differs(format!("{} is now {}", named(kept), named(drawn))));
            }
        }
    }
    Ok(())
}

/// Compares two values of an attribute, part by part.
fn same_value(name: &str, was: &str, is: &str) -> Result<(), String> {
    let tolerance = if PLACES.contains(&name) { TOLERANCE } else { 0.0 };
    let (old, new) = (parts(was), parts(is));
    for (index, (was, is)) in old.iter().zip(&new).enumerate() {
        let same = match (was.parse::<f64>(), is.parse::<f64>()) {
            _ if was == is => true,
            (Ok(was), Ok(is)) => (was - is).abs() <= tolerance,
            _ => was == is,
        };
        if !same {
            let part = index + 1;
            return Err(format!("was `{was}`, and is `{is}` (part {part} of {})", new.len()));
        }
    }
    match (old.len(), new.len()) {
        (old, new) if old == new => Ok(()),
        (old, new) => Err(format!("was `{was}`, and is `{is}` ({old} and {new} parts)")),
    }
}

/// The numbers and words of a value. What separates them, white space and commas, does not count.
fn parts(value: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = value;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        let Some(first) = rest.chars().next() else { return parts };
        let run = |belongs: fn(char) -> bool| {
            let after = &rest[first.len_utf8()..];
            rest.len() - after.trim_start_matches(belongs).len()
        };
        let length = match number_length(rest) {
            // The digits of a colour or of a reference are no number.
            0 if first == '#' => run(char::is_alphanumeric),
            0 if first.is_alphabetic() => run(char::is_alphabetic),
            0 => first.len_utf8(),
            length => length,
        };
        parts.push(&rest[..length]);
        rest = &rest[length..];
    }
}

/// How many bytes at the beginning are a number as SVG writes it; 0 if there is none.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is = |at: usize, any: &[u8]| bytes.get(at).is_some_and(|byte| any.contains(byte));
    let digits = |from: usize| (from..).take_while(|at| is(*at, b"0123456789")).count();
    let sign = usize::from(is(0, b"+-"));
    let mut end = sign + digits(sign);
    if is(end, b".") && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    if end == sign {
        return 0;
    }
    let exponent = end + 1 + usize::from(is(end + 1, b"+-"));
    if is(end, b"eE") && digits(exponent) > 0 { exponent + digits(exponent) } else { end }
}
