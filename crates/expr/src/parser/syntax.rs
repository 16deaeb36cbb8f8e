//! Errors of the parser for text that is not an expression.

use base::{Diagnostic, Span, did_you_mean, nearest};

use super::Parser;
use crate::lexer::{Kind, Token};
use crate::{Arity, Expr, Function, Functions};

fn error(message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("expression-syntax", message)
}

impl Parser<'_> {
    fn shown(&self, token: Token) -> String {
        match token.kind {
            Kind::End => "the end of the expression".to_owned(),
            _ => format!("`{}`", &self.text[token.start..token.end]),
        }
    }

    /// Refuses operators of other languages that would otherwise be read as the end of an
    /// expression.
    pub(super) fn refuse_foreign(&self, symbol: &str) -> Result<(), Diagnostic> {
        let help = match symbol {
            "=" => "`==` compares two values",
            "**" => "`^` raises to a power",
            "%" => "`mod(x, y)` gives the rest of a division",
            _ => return Ok(()),
        };
        let message = format!("`{symbol}` is not an operator");
        Err(error(message).at(self.span(self.peek()), "").help(help))
    }

    /// The error for text that follows a complete expression.
    pub(super) fn left_over(&self) -> Diagnostic {
        let token = self.peek();
        let span = self.span(token);
        let found = self.shown(token);
        match token.kind {
            Kind::Symbol(close @ (")" | "]")) => {
                let open = if close == ")" { "(" } else { "[" };
                error(format!("{found} closes nothing"))
                    .at(span, format!("there is no `{open}` before it"))
            }
            Kind::Number | Kind::Name | Kind::Symbol("(" | "true" | "false" | "if" | "not") => {
                let product = matches!(token.kind, Kind::Number | Kind::Name | Kind::Symbol("("));
                let help = || self.unit().unwrap_or("a product is written with `*`".to_owned());
                error(format!("an operator is missing before {found}"))
                    .at(span, "")
                    .maybe_help(product.then(help))
            }
            _ => error(format!("unexpected {found} after an expression"))
                .at(span, "")
                .maybe_help(self.decimal_comma()),
        }
    }

    /// Help for a unit after a number, as in `5 mH`.
    fn unit(&self) -> Option<String> {
        let token = self.peek();
        let before = self.tokens[self.at.checked_sub(1)?];
        let unit = &self.text[token.start..token.end];
        let number = &self.text[before.start..before.end];
        let power = power_of_unit(unit).filter(|_| before.kind == Kind::Number)?;
        let written = match power {
            0 => number.to_owned(),
            _ if number.contains(['e', 'E']) => format!("{number} * 1e{power}"),
            _ => format!("{number}e{power}"),
        };
        Some(format!(
            "units are no part of expressions: write `{written}` for {number} {unit}; a product is \
             written with `*`"
        ))
    }

    /// Help for a comma between two numbers, as in `1,5`.
    fn decimal_comma(&self) -> Option<String> {
        let comma = self.peek();
        let before = self.tokens[self.at.checked_sub(1)?];
        let after = self.tokens.get(self.at + 1)?;
        let numbers = before.kind == Kind::Number && after.kind == Kind::Number;
        let close = before.end == comma.start && comma.end == after.start;
        let (whole, rest) =
            (&self.text[before.start..before.end], &self.text[after.start..after.end]);
        (comma.kind == Kind::Symbol(",") && numbers && close)
            .then(|| format!("a decimal number has a point: write `{whole}.{rest}`"))
    }

    /// The error for a missing operand.
    pub(super) fn operand_missing(&self) -> Diagnostic {
        let token = self.peek();
        let found = self.shown(token);
        let message = match self.at.checked_sub(1).map(|before| self.tokens[before]) {
            Some(before) if before.kind != Kind::End => {
                let before = self.shown(before);
                format!("a value is missing after {before}: found {found}")
            }
            _ => format!("an expression cannot begin with {found}"),
        };
        let diagnostic = error(message).at(self.span(token), "a value is expected here");
        match token.kind {
            Kind::Symbol("=") => diagnostic.help("`==` compares two values"),
            _ => diagnostic,
        }
    }

    /// The error for a missing keyword of a conditional.
    pub(super) fn expected(&self, what: &str, help: &str, start: Option<Token>) -> Diagnostic {
        let token = self.peek();
        let diagnostic = error(format!("expected {what}, found {}", self.shown(token)))
            .at(self.span(token), format!("{what} is expected here"))
            .help(help);
        match start {
            Some(start) => diagnostic.at(self.span(start), "it belongs to this"),
            None => diagnostic,
        }
    }

    /// The error for a bracket that is not closed.
    pub(super) fn unclosed(&self, open: Token, close: &str) -> Diagnostic {
        let token = self.peek();
        let opened = self.span(open);
        if token.kind == Kind::End {
            let missing = error(format!("a closing `{close}` is missing"));
            return missing
                .at(self.span(token), format!("`{close}` is expected here"))
                .at(opened, "opened here");
        }
        if matches!(token.kind, Kind::Symbol(")" | "]")) {
            return error(format!("{} does not close this bracket", self.shown(token)))
                .at(self.span(token), format!("`{close}` is expected here"))
                .at(opened, "opened here");
        }
        let mut diagnostic = self.left_over();
        diagnostic.help = diagnostic
            .help
            .or_else(|| Some(format!("is `{close}` or an operator missing before it?")));
        diagnostic.at(opened, "inside this bracket")
    }

    /// The error for `a < b < c`, which would compare a truth value with a number.
    pub(super) fn chained(&self, left: &Expr) -> Diagnostic {
        error("comparisons do not chain")
            .at(self.span(self.peek()), "a second comparison")
            .at(left.span, "this is already true or false")
            .help("write `a < b and b < c`")
    }

    /// The error for a tree that would be higher than allowed.
    pub(super) fn too_deep(&self, span: Span) -> Diagnostic {
        let limits = format!(
            "brackets may be nested {} deep, and {} operators may follow one another",
            super::MAX_NESTING,
            super::MAX_HEIGHT
        );
        Diagnostic::error("expression-depth", "an expression is nested too deeply")
            .at(span, "")
            .note(limits)
            .help("name a part of it, or write a long sum as `sum([a, b, c])`")
    }
}

/// The error for a name before `(` that is not a function.
pub(super) fn unknown_function(name: &str, span: Span, own: &Functions) -> Diagnostic {
    let names = || Function::table().iter().map(|row| row.1).chain(own.names());
    let foreign = match name {
        "ln" => Some("log"),
        "pow" => return unknown(name, span).help("`x ^ y` raises to a power"),
        "fmod" | "rem" => Some("mod"),
        "pre" => Some("previous"),
        "arctan" => Some("atan"),
        "arcsin" => Some("asin"),
        "arccos" => Some("acos"),
        "eye" => Some("identity"),
        "fabs" => Some("abs"),
        "sgn" => Some("sign"),
        "ceiling" => Some("ceil"),
        _ => None,
    };
    let near = foreign.or_else(|| nearest(name, names()));
    match near {
        Some(near) => unknown(name, span).help(format!("did you mean `{near}`?")),
        None => unknown(name, span)
            .maybe_help(did_you_mean(name, names()))
            .note("only functions are called with parentheses; a product is written with `*`"),
    }
}

/// Units that people write after a number; a prefix may precede them.
const UNITS: [&str; 22] = [
    "s", "m", "g", "A", "V", "W", "Hz", "H", "F", "Ohm", "ohm", "N", "Pa", "J", "C", "K", "rad",
    "T", "Nm", "bar", "kg", "mol",
];
const PREFIXES: [(&str, i32); 9] = [
    ("p", -12),
    ("n", -9),
    ("u", -6),
    ("m", -3),
    ("c", -2),
    ("k", 3),
    ("M", 6),
    ("G", 9),
    ("T", 12),
];

/// The power of ten that replaces this unit after a number.
fn power_of_unit(unit: &str) -> Option<i32> {
    let known = |name: &str| UNITS.contains(&name);
    if known(unit) {
        return Some(0);
    }
    let mut found = PREFIXES.iter().filter_map(|(prefix, power)| {
        unit.strip_prefix(prefix).filter(|rest| known(rest)).map(|_| *power)
    });
    found.next()
}

fn unknown(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("unknown-function", format!("there is no function `{name}`")).at(span, "")
}

/// Refuses a call with too few or too many arguments.
pub(super) fn check_arity(function: Function, count: usize, span: Span) -> Result<(), Diagnostic> {
    let plural = |n: usize| if n == 1 { "1 argument".to_owned() } else { format!("{n} arguments") };
    // `zeros` and `ones` make at most matrices.
    let sizes = matches!(function, Function::Zeros | Function::Ones);
    let wanted = match function.arity() {
        Arity::Exactly(n) if count != n => plural(n),
        Arity::AtLeast(n) if count < n => format!("at least {}", plural(n)),
        Arity::AtLeast(_) if sizes && count > 2 => "1 or 2 arguments".to_owned(),
        _ => return Ok(()),
    };
    let name = function.name();
    let about = Function::table().iter().find(|row| row.0 == function).map_or("", |row| row.3);
    Err(Diagnostic::error("wrong-arguments", format!("`{name}` takes {wanted}, not {count}"))
        .at(span, "")
        .note(format!("`{name}`: {about}")))
}
