//! Parses text into a tree by precedence climbing over tokens.
//!
//! From the loosest to the tightest: `c ? a : b`, `or`, `and`, `not`, comparisons (which do not
//! chain), `+ -`, `* /`, a sign, `^` (right-associative), and `x[i]`. The height of a tree is
//! bounded while it is built, so that neither this parser nor code that walks or drops a tree can
//! run out of stack.

mod syntax;

use base::{Diagnostic, Span, Spanned, Value, parse_decimal};

use crate::defined::{self, Functions};
use crate::lexer::{Kind, Token, tokens};
use crate::{BinaryOp, Expr, ExprKind, Function, Place, UnaryOp};

/// The maximum nesting of brackets, signs and branches.
pub const MAX_NESTING: usize = 100;

/// The maximum height of a tree; a sum of `n` terms is a tree of height `n`.
pub const MAX_HEIGHT: usize = 250;

/// Parses an expression. Spans in the tree and in messages refer to where its text was written.
pub fn parse(text: &str, place: Place) -> Result<Expr, Diagnostic> {
    parse_with(text, place, &Functions::default())
}

/// Parses an expression that may call functions of its file.
pub fn parse_with(text: &str, place: Place, functions: &Functions) -> Result<Expr, Diagnostic> {
    let tokens = tokens(text, place)?;
    let mut parser = Parser { text, place, functions, tokens, at: 0, nesting: 0 };
    if parser.peek().kind == Kind::End {
        let span = place.span(0, text.len());
        return Err(Diagnostic::error("expression-syntax", "an expression is missing here")
            .at(span, "this is empty"));
    }
    let tree = parser.expression(LOOSEST)?;
    match parser.peek().kind {
        Kind::End => Ok(tree.expr),
        _ => Err(parser.left_over()),
    }
}

/// An expression and its height; a leaf has height 1.
struct Tree {
    expr: Expr,
    height: usize,
}

struct Parser<'a> {
    text: &'a str,
    place: Place,
    functions: &'a Functions,
    /// Never empty: the last token is the end.
    tokens: Vec<Token>,
    at: usize,
    nesting: usize,
}

const LOOSEST: u8 = 0;
const NOT: u8 = 5;
const SIGN: u8 = 13;

/// How tightly a binary operator binds to its left and to its right.
fn binding(symbol: &str) -> Option<(BinaryOp, u8, u8)> {
    use BinaryOp::*;
    Some(match symbol {
        "or" => (Or, 1, 2),
        "and" => (And, 3, 4),
        "==" => (Equal, 7, 8),
        "!=" => (NotEqual, 7, 8),
        "<" => (Less, 7, 8),
        "<=" => (LessEqual, 7, 8),
        ">" => (Greater, 7, 8),
        ">=" => (GreaterEqual, 7, 8),
        "+" => (Add, 9, 10),
        "-" => (Subtract, 9, 10),
        "*" => (Multiply, 11, 12),
        "/" => (Divide, 11, 12),
        // The right operand may be a signed number, 2^-1, or another power, 2^3^2.
        "^" => (Power, 15, 14),
        _ => return None,
    })
}

impl Parser<'_> {
    fn peek(&self) -> Token {
        self.tokens[self.at]
    }

    /// Takes a token; the end is never consumed.
    fn next(&mut self) -> Token {
        let token = self.tokens[self.at];
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn span(&self, token: Token) -> Span {
        self.place.span(token.start, token.end)
    }

    fn eat(&mut self, symbol: &str) -> bool {
        let found = matches!(self.peek().kind, Kind::Symbol(found) if found == symbol);
        if found {
            self.next();
        }
        found
    }

    /// An expression whose operators all bind at least as tightly as `least`.
    fn expression(&mut self, least: u8) -> Result<Tree, Diagnostic> {
        if self.nesting == MAX_NESTING {
            return Err(self.too_deep(self.span(self.peek())));
        }
        self.nesting += 1;
        let tree = self.climb(least);
        self.nesting -= 1;
        tree
    }

    fn climb(&mut self, least: u8) -> Result<Tree, Diagnostic> {
        let mut left = self.prefix()?;
        let mut compared = false;
        while let Kind::Symbol(symbol) = self.peek().kind {
            if symbol == "?" && least == LOOSEST {
                return self.question(left);
            }
            self.refuse_foreign(symbol)?;
            let Some((op, left_power, right_power)) = binding(symbol) else { break };
            if left_power < least {
                break;
            }
            let comparison = left_power == 7;
            if comparison && compared {
                return Err(self.chained(&left.expr));
            }
            compared = comparison;
            self.next();
            let right = self.expression(right_power)?;
            left = self.binary(op, left, right)?;
        }
        Ok(left)
    }

    fn binary(&self, op: BinaryOp, left: Tree, right: Tree) -> Result<Tree, Diagnostic> {
        let span = left.expr.span.to(right.expr.span);
        let below = left.height.max(right.height);
        let kind = ExprKind::Binary(op, Box::new(left.expr), Box::new(right.expr));
        self.node(kind, span, below)
    }

    /// A node over subexpressions of height `below`.
    fn node(&self, kind: ExprKind, span: Span, below: usize) -> Result<Tree, Diagnostic> {
        if below >= MAX_HEIGHT {
            return Err(self.too_deep(span));
        }
        Ok(Tree { expr: Expr { kind, span }, height: below + 1 })
    }

    /// The rest of `c ? a : b`.
    fn question(&mut self, condition: Tree) -> Result<Tree, Diagnostic> {
        let mark = self.next();
        let yes = self.expression(LOOSEST)?;
        if !self.eat(":") {
            return Err(self.expected("`:`", "`c ? a : b` needs both branches", Some(mark)));
        }
        let no = self.expression(LOOSEST)?;
        let span = condition.expr.span.to(no.expr.span);
        self.conditional([condition, yes, no], span)
    }

    /// The rest of `if c then a else b`.
    fn branches(&mut self, start: Token) -> Result<Tree, Diagnostic> {
        let condition = self.expression(LOOSEST)?;
        if !self.eat("then") {
            return Err(self.expected("`then`", "write `if c then a else b`", Some(start)));
        }
        let yes = self.expression(LOOSEST)?;
        if !self.eat("else") {
            return Err(self.expected("`else`", "write `if c then a else b`", Some(start)));
        }
        let no = self.expression(LOOSEST)?;
        let span = self.span(start).to(no.expr.span);
        self.conditional([condition, yes, no], span)
    }

    fn conditional(&self, parts: [Tree; 3], span: Span) -> Result<Tree, Diagnostic> {
        let below = parts.iter().map(|part| part.height).max().unwrap_or(0);
        let parts = parts.map(|part| part.expr);
        self.node(ExprKind::Conditional(Box::new(parts)), span, below)
    }

    /// An operand: signs, then a primary expression, then its indices.
    fn prefix(&mut self) -> Result<Tree, Diagnostic> {
        let token = self.peek();
        let (op, power) = match token.kind {
            Kind::Symbol("-") => (Some(UnaryOp::Negate), SIGN),
            Kind::Symbol("not") => (Some(UnaryOp::Not), NOT),
            Kind::Symbol("+") => (None, SIGN),
            _ => return self.indexed(),
        };
        self.next();
        let mut operand = self.expression(power)?;
        let span = self.span(token).to(operand.expr.span);
        let Some(op) = op else {
            operand.expr.span = span;
            return Ok(operand);
        };
        self.node(ExprKind::Unary(op, Box::new(operand.expr)), span, operand.height)
    }

    fn indexed(&mut self) -> Result<Tree, Diagnostic> {
        let mut tree = self.alone()?;
        while self.peek().kind == Kind::Symbol("[") {
            let open = self.next();
            let (indices, below) = self.list(open, "]")?;
            let span = tree.expr.span.to(self.last_span());
            if indices.is_empty() || indices.len() > 2 {
                return Err(Diagnostic::error(
                    "expression-syntax",
                    "an index is one or two numbers",
                )
                .at(self.span(open).to(self.last_span()), "")
                .help("write `x[i]` or `x[i, j]`, counted from 0"));
            }
            let below = below.max(tree.height);
            tree = self.node(ExprKind::Index(Box::new(tree.expr), indices), span, below)?;
        }
        Ok(tree)
    }

    /// The span of the last token taken.
    fn last_span(&self) -> Span {
        self.span(self.tokens[self.at.saturating_sub(1)])
    }

    /// A primary expression, which no operator can split.
    fn alone(&mut self) -> Result<Tree, Diagnostic> {
        let token = self.peek();
        match token.kind {
            Kind::Number => self.number(),
            Kind::Name => self.name_or_call(),
            Kind::Symbol(word @ ("true" | "false")) => {
                self.next();
                self.node(ExprKind::Literal(Value::bool(word == "true")), self.span(token), 0)
            }
            Kind::Symbol("if") => {
                self.next();
                self.branches(token)
            }
            Kind::Symbol("(") => self.parenthesised(),
            Kind::Symbol("[") => {
                self.next();
                let (items, below) = self.list(token, "]")?;
                let span = self.span(token).to(self.last_span());
                self.node(ExprKind::Vector(items), span, below)
            }
            _ => Err(self.operand_missing()),
        }
    }

    fn number(&mut self) -> Result<Tree, Diagnostic> {
        let token = self.next();
        let text = &self.text[token.start..token.end];
        let span = self.span(token);
        let value = match parse_decimal(text) {
            Some(exact) => Value::rational(exact),
            None => Value::real(text.replace('_', "").parse().unwrap_or(f64::INFINITY)),
        };
        if value.as_f64().is_none_or(|value| !value.is_finite()) {
            return Err(Diagnostic::error("expression-syntax", "a number is too large")
                .at(span, "")
                .help("the greatest is about 1.8e308; write `inf` for infinity"));
        }
        self.node(ExprKind::Literal(value), span, 0)
    }

    fn parenthesised(&mut self) -> Result<Tree, Diagnostic> {
        let open = self.next();
        let mut tree = self.expression(LOOSEST)?;
        if !self.eat(")") {
            return Err(self.unclosed(open, ")"));
        }
        tree.expr.span = self.span(open).to(self.last_span());
        Ok(tree)
    }

    fn name_or_call(&mut self) -> Result<Tree, Diagnostic> {
        let token = self.next();
        let name = &self.text[token.start..token.end];
        let span = self.span(token);
        if self.peek().kind != Kind::Symbol("(") {
            return self.node(ExprKind::Name(name.to_owned()), span, 0);
        }
        let function = Function::named(name);
        if function.is_none() && !self.functions.contains(name) {
            return Err(syntax::unknown_function(name, span, self.functions));
        }
        let open = self.next();
        let (arguments, below) = self.list(open, ")")?;
        let whole = span.to(self.last_span());
        let Some(function) = function else {
            let expr = self.functions.call(name, &arguments, whole)?;
            let height = expr.height();
            return if height > MAX_HEIGHT {
                Err(defined::too_high(whole))
            } else {
                Ok(Tree { expr, height })
            };
        };
        syntax::check_arity(function, arguments.len(), whole)?;
        self.node(ExprKind::Call(Spanned::new(function, span), arguments), whole, below)
    }

    /// Expressions up to a closing bracket, and the largest of their heights.
    fn list(&mut self, open: Token, close: &str) -> Result<(Vec<Expr>, usize), Diagnostic> {
        let mut items = Vec::new();
        let mut height = 0;
        while !self.eat(close) {
            let item = self.expression(LOOSEST)?;
            height = height.max(item.height);
            items.push(item.expr);
            if self.eat(close) {
                break;
            }
            if !self.eat(",") {
                return Err(self.unclosed(open, close));
            }
        }
        Ok((items, height))
    }
}
