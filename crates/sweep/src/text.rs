//! Texts of parameter values and measures, taken apart at commas and colons.

use base::{Diagnostic, Span, Value};
use expr::Place;

/// A text with its place, of which parts know theirs.
#[derive(Clone, Copy, Debug)]
pub struct Written<'t> {
    /// The text.
    pub text: &'t str,
    /// Where it is.
    pub place: Place,
}

impl<'t> Written<'t> {
    /// A text and where it is.
    pub fn new(text: &'t str, place: Place) -> Written<'t> {
        Written { text, place }
    }

    /// The part from one byte to another, without space around it.
    pub fn part(&self, from: usize, to: usize) -> Written<'t> {
        let part = &self.text[from..to];
        let from = from + part.len() - part.trim_start().len();
        let place = match self.place {
            Place::Verbatim(file, offset) => Place::Verbatim(file, offset + from),
            whole => whole,
        };
        Written { text: part.trim(), place }
    }

    /// The same without space around it.
    pub fn trimmed(&self) -> Written<'t> {
        self.part(0, self.text.len())
    }

    /// The span of the whole text.
    pub fn span(&self) -> Span {
        self.place.span(0, self.text.len())
    }

    /// The name and the arguments, if the text is a call such as `normal(1, 0.1)`.
    pub fn call(&self) -> Option<(&'t str, Written<'t>)> {
        let open = self.text.find('(')?;
        let name = self.text[..open].trim_end();
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let closed = closing(self.text, open)? == self.text.len() - 1;
        let named = !name.is_empty() && name.chars().all(is_name);
        (closed && named).then(|| (name, self.part(open + 1, self.text.len() - 1)))
    }

    /// The value of the text as an expression of numbers.
    pub fn value(&self) -> Result<Value, Diagnostic> {
        let expr = expr::parse(self.text, self.place)?;
        expr::evaluate(&expr, &mut |name, span| {
            Err(Diagnostic::error("unknown-name", format!("`{name}` is not known here"))
                .at(span, "give a number"))
        })
    }

    /// The number that the text is.
    pub fn number(&self) -> Result<f64, Diagnostic> {
        let value = self.value()?;
        let number = value.as_f64().filter(|number| !number.is_nan() && value.as_bool().is_none());
        number.ok_or_else(|| self.wrong(format!("`{}` is no number", self.text)))
    }

    /// The error for this text.
    pub fn wrong(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error("bad-sweep", message).at(self.span(), "here")
    }
}

/// Where the parenthesis that opens at a byte is closed.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0u32;
    for (at, c) in text.char_indices().skip_while(|(at, _)| *at < open) {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// The parts of a text between a separator, which does not count within parentheses and brackets.
pub fn divided<'t>(written: Written<'t>, separator: char) -> Vec<Written<'t>> {
    let (mut parts, mut from, mut depth) = (Vec::new(), 0, 0i64);
    for (at, c) in written.text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ if c == separator && depth == 0 => {
                parts.push(written.part(from, at));
                from = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(written.part(from, written.text.len()));
    parts
}
