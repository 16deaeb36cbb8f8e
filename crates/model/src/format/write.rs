//! Writes the layout as text: on one line if it fits, otherwise one line for each entry.

use super::layout::{Collection, Item, Line, Value};
use super::{breaks, scalar};

/// The maximum length of a line \[characters\].
const WIDTH: usize = 100;

/// The indentation of each level \[characters\].
const INDENT: usize = 2;

/// Writes a whole file.
pub(super) fn write(root: &Collection) -> String {
    let mut writer = Writer { out: String::new(), kept: false };
    writer.collection(root, 0, false);
    writer.out
}

struct Writer {
    out: String,
    /// Whether an empty line here would belong to the text above it.
    kept: bool,
}

impl Writer {
    /// Writes a collection with one line for each item. If `begun`, the first item continues the
    /// current line.
    fn collection(&mut self, collection: &Collection, indent: usize, begun: bool) {
        let mut top = true;
        for (index, item) in collection.items.iter().enumerate() {
            let form = Form::of(item, indent);
            self.comments(&item.above, indent, &mut top);
            self.comments(&form.hoisted(item), indent, &mut top);
            self.blank(item.blank && !top);
            top = false;
            if index > 0 || !begun {
                self.indent(indent);
            }
            self.item(item, &form, indent);
        }
        self.comments(&collection.below, indent, &mut top);
    }

    fn comments(&mut self, lines: &[Line], indent: usize, top: &mut bool) {
        for line in lines {
            self.blank(line.blank && !*top);
            *top = false;
            self.indent(indent);
            self.out += &line.words;
            self.out.push('\n');
        }
    }

    /// Writes an empty line, if wanted.
    fn blank(&mut self, wanted: bool) {
        if wanted && !self.kept {
            self.out.push('\n');
        }
        self.kept = false;
    }

    fn indent(&mut self, indent: usize) {
        self.out.extend(std::iter::repeat_n(' ', indent));
    }

    /// Ends a line, with the comment at its end.
    fn end(&mut self, beside: Option<&String>) {
        if let Some(words) = beside {
            self.out += "  ";
            self.out += words;
        }
        self.out.push('\n');
    }

    fn item(&mut self, item: &Item, form: &Form, indent: usize) {
        self.out += &lead(item, false);
        let (inner, beside) = (indent + INDENT, item.beside.first());
        match (form, &item.value) {
            (Form::Line(text), _) => {
                self.out += text;
                self.end(beside);
            }
            (Form::Lines(lines), _) => {
                self.out.push(' ');
                self.out += &lines.join(&format!("\n{:inner$}", ""));
                self.end(beside);
            }
            (Form::Block(header, lines), _) => {
                self.out += header;
                self.end(beside);
                for line in lines {
                    if !line.is_empty() {
                        self.indent(inner);
                    }
                    self.out += line;
                    self.out.push('\n');
                }
                self.kept = header.ends_with('+');
            }
            (Form::Opened, Value::Collection(collection)) if item.key.is_some() => {
                self.end(beside);
                self.collection(collection, inner, false);
            }
            (Form::Opened, Value::Collection(collection)) => {
                let begun = collection.items.first().is_some_and(|first| !first.has_lines_above());
                self.out.push(if begun { ' ' } else { '\n' });
                self.collection(collection, inner, begun);
            }
            (Form::Opened, _) => unreachable!("only a collection is opened"),
        }
    }
}

/// What an item starts with.
fn lead(item: &Item, in_brackets: bool) -> String {
    let key = |key: &String| format!("{}:", scalar::key(key, in_brackets));
    item.key.as_ref().map_or("-".to_owned(), key)
}

impl Item {
    /// Whether there are comments above it on lines of their own.
    fn has_lines_above(&self) -> bool {
        let hoisted = match &self.value {
            Value::Collection(inner) if inner.items.is_empty() => !inner.below.is_empty(),
            Value::Collection(_) if self.key.is_none() => !self.beside.is_empty(),
            _ => false,
        };
        hoisted || !self.above.is_empty() || self.beside.len() > 1
    }

    fn has_comments(&self) -> bool {
        let inside = match &self.value {
            Value::Collection(inner) => inner.has_comments(),
            _ => false,
        };
        inside || !self.above.is_empty() || !self.beside.is_empty()
    }
}

impl Collection {
    fn has_comments(&self) -> bool {
        !self.below.is_empty() || self.items.iter().any(Item::has_comments)
    }
}

/// How the value of an item is written.
enum Form {
    /// On the line of its key.
    Line(String),
    /// Starting on the line of its key, broken at blanks.
    Lines(Vec<String>),
    /// Below its key, after a block header that says how its lines are read.
    Block(String, Vec<String>),
    /// One line for each of its own items.
    Opened,
}

impl Form {
    fn of(item: &Item, indent: usize) -> Form {
        let used = indent + lead(item, false).chars().count() + 1;
        let room = WIDTH.saturating_sub(used);
        match &item.value {
            Value::Null if item.key.is_some() => Form::Line(String::new()),
            Value::Null => Form::Line(" null".to_owned()),
            Value::Text { words, quoted, breaks } => {
                Form::of_text(words, (*quoted, *breaks), room, indent + INDENT)
            }
            Value::Collection(inner) if inner.items.is_empty() => {
                Form::Line(if inner.mapping { " {}" } else { " []" }.to_owned())
            }
            Value::Collection(inner) => match on_one_line(inner, room) {
                Some(text) => Form::Line(format!(" {text}")),
                None => Form::Opened,
            },
        }
    }

    fn of_text(words: &str, (quoted, breaks): (bool, usize), room: usize, inner: usize) -> Form {
        let unusual = |c| c != '\n' && scalar::is_unusual(c);
        let indented = words.lines().any(|line| line.starts_with(' '));
        let as_block = !words.contains(unusual) && !indented;
        let rest = WIDTH.saturating_sub(inner);
        let several = words.contains('\n');
        if as_block && (several || breaks > 0) {
            let folded = !several && words.chars().count() > rest;
            let lines = match folded {
                true => breaks::lines(words, rest, rest),
                false => words.split('\n').map(str::to_owned).collect(),
            };
            return Form::block(if folded { '>' } else { '|' }, lines, breaks);
        }
        let whole = words.to_owned() + &"\n".repeat(breaks);
        let text = scalar::on_a_line(&whole, quoted, false);
        if text.chars().count() <= room || whole.contains('\n') {
            Form::Line(format!(" {text}"))
        } else if scalar::is_plain(words, false) {
            Form::Lines(breaks::lines(words, room, rest))
        } else if as_block {
            Form::block('>', breaks::lines(words, rest, rest), 0)
        } else {
            Form::Line(format!(" {text}"))
        }
    }

    /// A block with a header that keeps the number of line breaks at its end.
    fn block(style: char, mut lines: Vec<String>, breaks: usize) -> Form {
        let end = match breaks {
            0 => "-",
            1 => "",
            _ => "+",
        };
        lines.extend((1..breaks).map(|_| String::new()));
        Form::Block(format!(" {style}{end}"), lines)
    }

    /// Comments at the end of an item that do not fit on its line.
    fn hoisted(&self, item: &Item) -> Vec<Line> {
        let line = |words: &String| Line { blank: false, words: words.clone() };
        // The line of a dash continues with the first item of its value.
        let kept = usize::from(!(matches!(self, Form::Opened) && item.key.is_none()));
        let mut lines: Vec<Line> = item.beside.iter().skip(kept).map(line).collect();
        if let Value::Collection(inner) = &item.value
            && inner.items.is_empty()
        {
            lines.extend(inner.below.iter().map(|below| line(&below.words)));
        }
        lines
    }
}

/// A collection in brackets, if it fits on one line and has no comments. A list with an item that
/// would need quotes only because of the brackets is easier to read with one line for each item.
fn on_one_line(collection: &Collection, room: usize) -> Option<String> {
    if collection.role.is_open() || collection.has_comments() {
        return None;
    }
    let mut out = String::from(if collection.mapping { "{" } else { "[" });
    for (index, item) in collection.items.iter().enumerate() {
        if index > 0 {
            out += ", ";
        }
        if item.key.is_some() {
            out += &lead(item, true);
        }
        let left = room.checked_sub(out.chars().count())?;
        let value = match &item.value {
            Value::Null if item.key.is_some() => continue,
            Value::Null => "null".to_owned(),
            Value::Text { words, breaks, .. } if words.contains('\n') || *breaks > 0 => {
                return None;
            }
            Value::Text { words, quoted, .. } => {
                let outside = scalar::on_a_line(words, *quoted, false);
                let inside = scalar::on_a_line(words, *quoted, true);
                if item.key.is_none() && inside != outside {
                    return None;
                }
                inside
            }
            Value::Collection(inner) if inner.items.is_empty() => {
                if inner.mapping { "{}" } else { "[]" }.to_owned()
            }
            Value::Collection(inner) => on_one_line(inner, left)?,
        };
        if item.key.is_some() {
            out.push(' ');
        }
        out += &value;
    }
    out.push(if collection.mapping { '}' } else { ']' });
    (out.chars().count() <= room).then_some(out)
}
