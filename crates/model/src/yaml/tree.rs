//! Builds the tree from the events of the YAML parser, without recursion.

use std::collections::HashMap;

use base::{Diagnostic, FileId, Span, Spanned};
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Tag};

use super::position::Positions;
use super::{Entry, Node, NodeKind, Scalar};
use crate::names;
use crate::refused::Report;

/// The maximum nesting depth of collections.
const MAX_DEPTH: usize = 100;

/// Help for a colon in a conditional.
const CHOICE: &str = "write `if c then a else b`, or put an expression with `:` in quotes";

/// The maximum number of nodes in a file.
const MAX_NODES: usize = 5_000_000;

/// The tree of a text; `None` if it is malformed, which is reported. A text without a document
/// counts as a missing value.
pub(crate) fn tree(text: &str, file: FileId, report: &mut Report) -> Option<Node> {
    let positions = Positions::new(text, file);
    let mut building = Building { positions, open: Vec::new(), root: None, nodes: 0, report };
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let outcome = match event {
            Ok((event, span)) => building.event(event, span),
            Err(error) => Err(building.malformed(&error)),
        };
        if let Err(diagnostic) = outcome {
            building.report.push(diagnostic);
            return None;
        }
    }
    let nowhere = Span::new(file, 0, 0);
    let nothing = building.scalar(String::new(), ScalarStyle::Plain, nowhere, false);
    building.root.or(Some(nothing))
}

/// A collection whose end has not been reached yet.
struct Open {
    span: Span,
    in_flow: bool,
    /// Whether it is written in brackets.
    bracketed: bool,
    content: Content,
}

enum Content {
    Sequence(Vec<Node>),
    Mapping { entries: Vec<Entry>, key: Key, seen: Seen },
}

/// The keys of a mapping with many entries and where they are; for few entries it is empty, since
/// these are looked through as fast.
type Seen = HashMap<String, Span>;

/// The largest number of entries that are looked through.
const FEW: usize = 16;

/// The state of the next entry of a mapping.
enum Key {
    Missing,
    Given(Spanned<String>),
    /// The key is unusable and has been reported; its value is skipped.
    Refused,
}

struct Building<'a> {
    positions: Positions<'a>,
    open: Vec<Open>,
    root: Option<Node>,
    nodes: usize,
    report: &'a mut Report,
}

impl Building<'_> {
    fn event(&mut self, event: Event, at: saphyr_parser::Span) -> Result<(), Diagnostic> {
        let span = self.positions.span(at);
        match event {
            Event::Scalar(value, style, anchor, tag) => {
                let marked = anchor != 0 || tag.is_some();
                self.refuse_marks(anchor, tag.as_deref(), span);
                let node = self.scalar(value.into_owned(), style, span, marked);
                self.place(node)
            }
            Event::Alias(_) => {
                self.refuse_alias(span);
                let node = self.scalar(String::new(), ScalarStyle::Plain, span, true);
                self.place(node)
            }
            Event::SequenceStart(anchor, tag) => {
                self.refuse_marks(anchor, tag.as_deref(), span);
                self.begin(span, Content::Sequence(Vec::new()))
            }
            Event::MappingStart(anchor, tag) => {
                self.refuse_marks(anchor, tag.as_deref(), span);
                let (entries, seen) = (Vec::new(), Seen::new());
                self.begin(span, Content::Mapping { entries, key: Key::Missing, seen })
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(span),
            Event::DocumentStart(_) if self.root.is_some() => {
                let message = "a model file holds one document";
                Err(Diagnostic::error("yaml-syntax", message).at(span, "a second one begins here"))
            }
            _ => Ok(()),
        }
    }

    fn in_flow(&self) -> bool {
        self.open.last().is_some_and(|open| open.in_flow || open.bracketed)
    }

    fn begin(&mut self, span: Span, content: Content) -> Result<(), Diagnostic> {
        if self.open.len() == MAX_DEPTH {
            return Err(Diagnostic::error("model-too-large", "this file is nested too deeply")
                .at(span, format!("more than {MAX_DEPTH} levels")));
        }
        let bracketed = span.end > span.start;
        self.open.push(Open { span, in_flow: self.in_flow(), bracketed, content });
        Ok(())
    }

    fn end(&mut self, closing: Span) -> Result<(), Diagnostic> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let (kind, last) = match open.content {
            Content::Sequence(items) => {
                let last = items.last().map(|item| item.span);
                (NodeKind::Sequence(items), last)
            }
            Content::Mapping { entries, .. } => {
                let last = entries.last().map(|entry| entry.key.span.to(entry.value.span));
                (NodeKind::Mapping(entries), last)
            }
        };
        let last = last.unwrap_or(open.span);
        // The parser knows the end of a collection without brackets only at the next token.
        let last = if open.bracketed { self.positions.bracket(last, closing) } else { last };
        self.place(Node { span: open.span.to(last), in_flow: open.in_flow, kind })
    }

    /// A scalar. `marked` says that it has an anchor or a tag or is an alias, which has been
    /// reported; if it has no value, it counts as 0, so that nothing more is reported about it.
    fn scalar(&self, value: String, style: ScalarStyle, span: Span, marked: bool) -> Node {
        let value = if marked && value.is_empty() { "0".to_owned() } else { value };
        let plain = style == ScalarStyle::Plain;
        // The parser reports an empty value somewhere before the next token.
        let end = if value.is_empty() && plain && !marked { span.start } else { span.end };
        let span = Span { end, ..span };
        let quoted = matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted);
        // The parser includes blanks and a comment after the closing quote.
        let span = if quoted { self.positions.quoted(span) } else { span };
        let quotes = usize::from(quoted);
        let inner = span.start as usize + quotes..(span.end as usize).saturating_sub(quotes);
        let raw = self.positions.text().get(inner.clone()).filter(|_| !marked);
        let verbatim = raw.is_some_and(|raw| raw.split_whitespace().eq(value.split_whitespace()));
        let verbatim = verbatim.then_some(inner);
        let kind = NodeKind::Scalar(Scalar { value, plain, verbatim });
        Node { span, in_flow: self.in_flow(), kind }
    }

    /// Adds a finished node to its parent.
    fn place(&mut self, node: Node) -> Result<(), Diagnostic> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(Diagnostic::error("model-too-large", "this file has too many values")
                .at(node.span, format!("more than {MAX_NODES}")));
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        match &mut open.content {
            Content::Sequence(items) => items.push(node),
            Content::Mapping { entries, key, seen } => match std::mem::replace(key, Key::Missing) {
                Key::Missing => *key = usable_key(node, entries, seen, self.report),
                Key::Given(key) => entries.push(Entry { key, value: node }),
                Key::Refused => {}
            },
        }
        Ok(())
    }

    fn refuse_marks(&mut self, anchor: usize, tag: Option<&Tag>, span: Span) {
        if anchor != 0 {
            self.refuse_alias(span);
        }
        if let Some(tag) = tag {
            let mark = format!("{}{}", tag.handle, tag.suffix);
            self.report.push(
                Diagnostic::error("yaml-syntax", format!("YAML reads `{mark}` as a tag"))
                    .at(span, "model files have no tags")
                    .help("for a negation write `not x`, or put the expression in quotes"),
            );
        }
    }

    fn refuse_alias(&mut self, span: Span) {
        self.report.push(
            Diagnostic::error("yaml-syntax", "anchors and aliases are not used in model files")
                .at(span, "")
                .help(
                    "name a value under `parameters`, or a part under `diagrams`, to use it twice",
                ),
        );
    }

    /// The parser's error, with the innermost bracket that is still open, if any.
    fn malformed(&self, error: &ScanError) -> Diagnostic {
        let span = self.positions.character(*error.marker());
        let diagnostic =
            Diagnostic::error("yaml-syntax", "this is not well-formed YAML").at(span, error.info());
        let open = self.open.iter().rev().find(|open| open.bracketed);
        let line = self.positions.line(span.start as usize);
        let colon = error.info().contains("mapping values");
        let missing = self.missing_colon(span);
        match open {
            None if missing.is_some() => diagnostic.maybe_help(missing),
            Some(open) => {
                let help = match self.positions.text().as_bytes().get(span.start as usize) {
                    Some(b'[') => Some("put an expression with `[ ]` in quotes".to_owned()),
                    Some(b':') if line.contains('?') => Some(CHOICE.to_owned()),
                    _ => None,
                };
                diagnostic.at(open.span, "inside this bracket").maybe_help(help)
            }
            None if colon && line.contains('?') => diagnostic.help(CHOICE),
            None if colon => match name_before_brace(line) {
                Some(name) => diagnostic
                    .help(format!("is a colon missing after `{name}`? write `{name}: {{...}}`")),
                None => diagnostic.help("put a text with `: ` in it in quotes"),
            },
            None if line.contains('\t') => diagnostic.help("indent with blanks, not with tabs"),
            None => diagnostic.maybe_help(self.indentation(line, span)),
        }
    }

    /// A suggestion if the line of the error, or the one before, has a name without a colon.
    fn missing_colon(&self, span: Span) -> Option<String> {
        let text = self.positions.text();
        let before = &text[..span.start as usize];
        let mut lines = before.lines().rev().filter(|line| {
            let line = line.trim();
            !line.is_empty() && !line.starts_with('#')
        });
        let own = if before.ends_with('\n') { None } else { lines.next() };
        let line = lines.next()?;
        let words = line.split(" #").next().unwrap_or(line).trim().trim_start_matches("- ");
        if words.contains(':') || own.is_some_and(|own| indent(own) < indent(line)) {
            return None;
        }
        let (name, value) = words.split_once(' ').unwrap_or((words, ""));
        let written = format!("{name}: {}", value.trim());
        names::is_name(name).then(|| {
            format!(
                "is a colon missing in the line before, after `{name}`? write `{}`",
                written.trim_end()
            )
        })
    }

    /// An explanation for a line with inconsistent indentation.
    fn indentation(&self, line: &str, span: Span) -> Option<String> {
        let text = self.positions.text();
        let column = |open: &Open| {
            let start = open.span.start as usize;
            let line = text[..start].rfind('\n').map_or(0, |end| end + 1);
            text[line..start].chars().count()
        };
        let mappings = self.open.iter().filter(|open| !open.bracketed);
        let mut columns: Vec<usize> = mappings.map(column).collect();
        let mut lines = text[..span.start as usize].lines().rev().skip(1);
        columns.extend(lines.find(|line| !line.trim().is_empty()).map(indent));
        columns.sort_unstable();
        columns.dedup();
        let own = indent(line);
        if line.trim().is_empty() || columns.contains(&own) {
            return None;
        }
        let known: Vec<String> = columns.iter().rev().map(usize::to_string).collect();
        Some(format!(
            "entries of one mapping begin in the same column: this line has {own} blanks before it, \
             and those around it have {}",
            known.join(" or ")
        ))
    }
}

/// How many blanks a line starts with.
fn indent(line: &str) -> usize {
    line.chars().take_while(|c| *c == ' ').count()
}

/// The name in a line that continues with a brace and has no colon in between.
fn name_before_brace(line: &str) -> Option<&str> {
    let (name, _) = line.split_once('{')?;
    Some(name.trim()).filter(|name| names::is_name(name))
}

/// A key that has not been used before in its mapping.
fn usable_key(node: Node, entries: &[Entry], seen: &mut Seen, report: &mut Report) -> Key {
    let span = node.span;
    let NodeKind::Scalar(scalar) = node.kind else {
        let message = "a key is a name, not a list or a mapping";
        report.push(Diagnostic::error("yaml-syntax", message).at(span, ""));
        return Key::Refused;
    };
    if let Some(first) = earlier(&scalar.value, entries, seen) {
        let message = format!("`{}` is given twice", scalar.value);
        report.push(
            Diagnostic::error("duplicate-name", message)
                .at(span, "given again here")
                .at(first, "first given here"),
        );
        return Key::Refused;
    }
    Key::Given(Spanned::new(scalar.value, span))
}

/// Where a key was given before.
fn earlier(key: &str, entries: &[Entry], seen: &mut Seen) -> Option<Span> {
    if entries.len() <= FEW {
        let same = |entry: &&Entry| entry.key.value == key;
        return entries.iter().find(same).map(|entry| entry.key.span);
    }
    // Each key has been looked up before it became an entry, so that few are new.
    for entry in &entries[seen.len()..] {
        seen.insert(entry.key.value.clone(), entry.key.span);
    }
    seen.get(key).copied()
}
