//! Splits text into tokens; a token is a kind and the bytes that it covers.
//!
//! Only the form of words and numbers is checked here. A character that starts no token is refused,
//! with the operator that was probably intended.

use base::Diagnostic;

use crate::Place;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// An unsigned number.
    Number,
    /// A name, including its dots.
    Name,
    /// An operator, a bracket or a keyword, in one spelling: `&&` and `and` are both `and`.
    Symbol(&'static str),
    /// The end of the text.
    End,
}

/// One token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

const KEYWORDS: [&str; 8] = ["and", "or", "not", "if", "then", "else", "true", "false"];

/// Operators as written and as the parser sees them, longer ones first.
const SYMBOLS: [(&str, &str); 24] = [
    ("==", "=="),
    ("!=", "!="),
    ("<=", "<="),
    (">=", ">="),
    ("&&", "and"),
    ("||", "or"),
    ("**", "**"),
    ("+", "+"),
    ("-", "-"),
    ("*", "*"),
    ("/", "/"),
    ("^", "^"),
    ("<", "<"),
    (">", ">"),
    ("=", "="),
    ("!", "not"),
    ("?", "?"),
    (":", ":"),
    (",", ","),
    ("(", "("),
    (")", ")"),
    ("[", "["),
    ("]", "]"),
    ("%", "%"),
];

/// All tokens of a text, the last of them [`Kind::End`].
pub(crate) fn tokens(text: &str, place: Place) -> Result<Vec<Token>, Diagnostic> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let token = token(text, at).ok_or_else(|| stray(text, at, first, place))?;
        at = token.end;
        found.push(token);
    }
    found.push(Token { kind: Kind::End, start: at, end: at });
    Ok(found)
}

/// The token that starts at a byte, if any.
fn token(text: &str, start: usize) -> Option<Token> {
    let rest = &text[start..];
    let bytes = rest.as_bytes();
    let digit_at = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    if digit_at(0) || (bytes[0] == b'.' && digit_at(1)) {
        return Some(Token { kind: Kind::Number, start, end: start + number_length(bytes) });
    }
    if is_name_start(bytes[0]) {
        let end = start + name_length(bytes);
        let word = &text[start..end];
        let keyword = KEYWORDS.iter().find(|keyword| **keyword == word);
        let kind = keyword.map_or(Kind::Name, |keyword| Kind::Symbol(keyword));
        return Some(Token { kind, start, end });
    }
    let (written, meant) = SYMBOLS.iter().find(|(written, _)| rest.starts_with(written))?;
    Some(Token { kind: Kind::Symbol(meant), start, end: start + written.len() })
}

fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// The length of a name whose components are joined by dots.
fn name_length(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        at += bytes[at..].iter().take_while(|b| is_name_start(**b) || b.is_ascii_digit()).count();
        let joined = bytes.get(at) == Some(&b'.');
        if !joined || !bytes.get(at + 1).is_some_and(|b| is_name_start(*b)) {
            return at;
        }
        at += 1;
    }
}

/// The length of a number: digits with a decimal point, and an exponent if digits follow its
/// letter.
fn number_length(bytes: &[u8]) -> usize {
    let digits = |from: usize| {
        let run = |b: &&u8| b.is_ascii_digit() || **b == b'_';
        bytes[from..].iter().take_while(run).count()
    };
    let mut at = digits(0);
    if bytes.get(at) == Some(&b'.') {
        at += 1 + digits(at + 1);
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = bytes[at + 1 + sign..].iter().take_while(|b| b.is_ascii_digit()).count();
        if exponent > 0 {
            at += 1 + sign + exponent;
        }
    }
    at
}

/// The error for a character that starts no token.
fn stray(text: &str, at: usize, found: char, place: Place) -> Diagnostic {
    let span = place.span(at, at + found.len_utf8());
    let shown = if found.is_control() { found.escape_default().to_string() } else { found.into() };
    let message = format!("unexpected character `{shown}` in an expression");
    let rest = &text[at..];
    let help = match found {
        '.' if rest.starts_with(".^") => "`^` works on each element: write it without the dot",
        '.' if rest.starts_with("./") => "`/` works on each element: write it without the dot",
        '.' if rest.starts_with(".*") => {
            "`*` works on each element of vectors: write it without the dot; between matrices it is \
             the matrix product"
        }
        '&' => "write `and` or `&&`",
        '|' => "write `or` or `||`",
        '"' | '\'' if text.len() > 1 => "a word such as `falling` is written without quotes",
        '−' | '–' => "write `-`",
        '×' | '·' => "write `*`",
        '÷' => "write `/`",
        '≤' => "write `<=`",
        '≥' => "write `>=`",
        '≠' => "write `!=`",
        'π' => "write `pi`",
        '∞' => "write `inf`",
        ';' => "a matrix is a vector of rows: `[[a, b], [c, d]]`",
        '.' => "a dot joins two names, as in `ball.y`, or stands before a digit",
        _ if found.is_alphabetic() => "names are made of the letters a-z and A-Z, digits and `_`",
        _ => return Diagnostic::error("expression-syntax", message).at(span, ""),
    };
    Diagnostic::error("expression-syntax", message).at(span, "").help(help)
}
