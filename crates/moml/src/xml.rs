//! XML text in, a tree of elements with lines out, in memory that the size of the text bounds.
//!
//! A MoML file names a document type, so these are allowed, but nothing is loaded from elsewhere,
//! and a file that defines entities is refused: no MoML file does, and repeated entities are how a
//! short text becomes a long one.

use roxmltree::{Document, Node, ParsingOptions};

use crate::Problem;

/// The longest text \[bytes\].
const LONGEST: usize = 64 << 20;
/// The most elements, attributes and texts together.
const MOST_NODES: u32 = 4_000_000;
/// How deep elements may be nested.
const DEEPEST: usize = 200;

/// An element as written.
#[derive(Clone, Debug)]
pub struct Element {
    /// Its tag, such as `entity`.
    pub tag: String,
    pub attributes: Vec<(String, String)>,
    pub line: u32,
    pub children: Vec<Element>,
}

impl Element {
    /// The value of an attribute.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

/// The root element of a text.
pub fn parse(file: &str, text: &str) -> Result<Element, Problem> {
    if text.len() > LONGEST {
        return Err(Problem::wrong(file, 1, "", "the file has more than 64 MiB"));
    }
    check(file, text)?;
    let options =
        ParsingOptions { allow_dtd: true, nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        Problem::wrong(file, error.pos().row, "", format!("this is not XML: {error}"))
    })?;
    Ok(element(document.root_element(), &mut Lines { text, at: 0, line: 1 }))
}

/// Refuses nesting and entities before the text becomes a tree.
fn check(file: &str, text: &str) -> Result<(), Problem> {
    let (mut depth, mut line) = (0usize, 1);
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let skip = |end: &str| rest.find(end).map_or(rest.len(), |found| found + end.len());
        let length = match bytes[at] {
            b'<' if rest.starts_with("<!--") => skip("-->"),
            b'<' if rest.starts_with("<![CDATA[") => skip("]]>"),
            b'<' if rest.starts_with("<?") => skip("?>"),
            b'<' if rest.starts_with("<!ENTITY") => {
                let reason = "the file defines an entity, which MoML files do not";
                return Err(Problem::wrong(file, line, "", reason));
            }
            b'<' if rest.starts_with("<!") => 2,
            b'<' => {
                let length = tag_length(rest);
                let tag = &rest[..length];
                match () {
                    () if tag.starts_with("</") => depth = depth.saturating_sub(1),
                    () if tag.ends_with("/>") => {}
                    () => depth += 1,
                }
                if depth > DEEPEST {
                    let reason = format!("elements are nested more than {DEEPEST} deep");
                    return Err(Problem::wrong(file, line, "", reason));
                }
                length
            }
            _ => rest.find('<').unwrap_or(rest.len()),
        };
        line += bytes[at..at + length].iter().filter(|byte| **byte == b'\n').count() as u32;
        at += length;
    }
    Ok(())
}

/// The length of a tag, whose attributes may contain `>`.
fn tag_length(rest: &str) -> usize {
    let mut quote = None;
    for (at, byte) in rest.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// Lines of positions that only grow.
struct Lines<'a> {
    text: &'a str,
    at: usize,
    line: u32,
}

impl Lines<'_> {
    fn of(&mut self, position: usize) -> u32 {
        let passed = &self.text.as_bytes()[self.at.min(position)..position];
        self.line += passed.iter().filter(|byte| **byte == b'\n').count() as u32;
        self.at = self.at.max(position);
        self.line
    }
}

fn element(node: Node, lines: &mut Lines) -> Element {
    let line = lines.of(node.range().start);
    let attribute = |own: roxmltree::Attribute| (own.name().to_owned(), own.value().to_owned());
    let children = node.children().filter(Node::is_element);
    Element {
        tag: node.tag_name().name().to_owned(),
        attributes: node.attributes().map(attribute).collect(),
        line,
        children: children.map(|child| element(child, lines)).collect(),
    }
}
