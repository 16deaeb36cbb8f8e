//! Functions that a file defines: `f(x, y): x^2 + y`.
//!
//! A call is replaced by the function's expression as soon as it is parsed, so that nothing after
//! the parser knows these functions. A function sees its arguments alone: its meaning does not
//! depend on where it is called. What calls add is counted, because functions that call each other
//! can describe more than any memory holds.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};

use base::{Diagnostic, FileId, Span, Spanned};

use crate::lexer::{Kind, Token, tokens};
use crate::parser::parse_with;
use crate::{Expr, ExprKind, Function, MAX_HEIGHT, Place, is_named_value};

/// How many parts all calls of one file together may add.
const MAX_ADDED: usize = 2_000_000;

/// The functions of a file by their names.
#[derive(Debug, Default)]
pub struct Functions {
    by_name: BTreeMap<String, Defined>,
    /// How many parts calls have added.
    added: AtomicUsize,
}

/// A function as it was written.
pub struct Definition<'t> {
    /// Its name and its arguments, such as `f(x, y)`.
    pub head: &'t str,
    /// Where the head was written.
    pub head_place: Place,
    /// Its expression.
    pub body: &'t str,
    /// Where the expression was written.
    pub body_place: Place,
}

#[derive(Debug)]
struct Defined {
    name: Spanned<String>,
    arguments: Vec<Spanned<String>>,
    body: Expr,
    /// How many parts the body has, apart from the arguments.
    size: usize,
    /// How often each argument occurs.
    uses: Vec<usize>,
}

/// A function whose body has not been parsed yet.
struct Draft<'d, 't> {
    name: Spanned<String>,
    arguments: Vec<Spanned<String>>,
    definition: &'d Definition<'t>,
    /// The functions that it calls, as indices into the list of drafts.
    calls: Vec<usize>,
}

impl Functions {
    /// Reads definitions, in any order. What is wrong with some of them is returned beside those
    /// that neither are wrong nor call one that is.
    pub fn read(definitions: &[Definition<'_>]) -> (Functions, Vec<Diagnostic>) {
        let mut wrong = Vec::new();
        let mut drafts: Vec<Draft> = Vec::new();
        let mut seen: HashMap<String, Span> = HashMap::new();
        for definition in definitions {
            match head(definition) {
                Ok((name, arguments)) => {
                    let first = seen.insert(name.value.clone(), name.span);
                    wrong.extend(first.map(|first| twice(&name, first)));
                    drafts.push(Draft { name, arguments, definition, calls: Vec::new() });
                }
                Err(error) => wrong.push(error),
            }
        }
        find_calls(&mut drafts);
        let mut functions = Functions::default();
        for next in in_order(&drafts, &mut wrong) {
            let mut calls = drafts[next].calls.iter().map(|called| &drafts[*called].name.value);
            if !calls.all(|called| functions.contains(called)) {
                continue;
            }
            match functions.define(&drafts[next]) {
                Ok(defined) => {
                    functions.by_name.insert(defined.name.value.clone(), defined);
                }
                Err(error) => wrong.push(error),
            }
        }
        (functions, wrong)
    }

    /// The names of the functions.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// Whether a text calls one of the functions.
    pub fn are_called(&self, text: &str) -> bool {
        let place = Place::Whole(Span::new(FileId::new(0), 0, 0));
        let tokens = tokens(text, place).unwrap_or_default();
        called(text, &tokens).any(|name| self.contains(name))
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    fn define(&self, draft: &Draft) -> Result<Defined, Diagnostic> {
        let body = parse_with(draft.definition.body, draft.definition.body_place, self)?;
        let mut uses = vec![0; draft.arguments.len()];
        for (name, span) in body.names() {
            match draft.arguments.iter().position(|argument| argument.value == name) {
                Some(argument) => uses[argument] += 1,
                None if is_named_value(name) => {}
                None => return Err(not_an_argument(draft, name, span)),
            }
        }
        let size = body.descendants().count() - uses.iter().sum::<usize>();
        let (name, arguments) = (draft.name.clone(), draft.arguments.clone());
        Ok(Defined { name, arguments, body, size, uses })
    }

    /// What a call stands for: the body of the function with its arguments replaced. `span` is that
    /// of the call.
    pub(crate) fn call(&self, name: &str, given: &[Expr], span: Span) -> Result<Expr, Diagnostic> {
        let function = &self.by_name[name];
        if given.len() != function.arguments.len() {
            return Err(function.wrong_arguments(given.len(), span));
        }
        let parts = given.iter().zip(&function.uses);
        let size = parts.map(|(given, uses)| uses.saturating_mul(given.descendants().count()));
        let size = size.fold(function.size, usize::saturating_add);
        let before = self.added.fetch_add(size.min(MAX_ADDED), Ordering::Relaxed);
        if before.saturating_add(size) > MAX_ADDED {
            let message = format!("calls of functions add more than {MAX_ADDED} operations");
            return Err(Diagnostic::error("model-too-large", message)
                .at(span, "this call exceeds the limit")
                .at(function.name.span, "the function")
                .help("give a part of it to a block of its own, whose output is computed once"));
        }
        Ok(function.replaced(&function.body, given))
    }
}

impl Defined {
    /// A part of the body with arguments replaced. The recursion is bounded because the height of
    /// the body is.
    fn replaced(&self, part: &Expr, given: &[Expr]) -> Expr {
        let ExprKind::Name(name) = &part.kind else {
            return part.with_children(&mut |child| self.replaced(child, given));
        };
        let argument = self.arguments.iter().position(|argument| argument.value == *name);
        argument.map_or_else(|| part.clone(), |at| given[at].clone())
    }

    fn wrong_arguments(&self, count: usize, span: Span) -> Diagnostic {
        let (name, arguments) = (&self.name.value, &self.arguments);
        let plural = if arguments.len() == 1 { "argument" } else { "arguments" };
        let message = format!("`{name}` takes {} {plural}, not {count}", arguments.len());
        Diagnostic::error("wrong-arguments", message)
            .at(span, "")
            .at(self.name.span, "defined here")
    }
}

/// The name and the arguments of a definition.
fn head(definition: &Definition) -> Result<(Spanned<String>, Vec<Spanned<String>>), Diagnostic> {
    let (text, place) = (definition.head, definition.head_place);
    let whole = place.span(0, text.len());
    let malformed = || {
        Diagnostic::error("invalid-name", format!("`{text}` does not say what a function takes"))
            .at(whole, "")
            .help(
                "write `f(x, y): x^2 + y` on a line of its own, or in quotes inside `{ }`, where a \
                 comma ends a key",
            )
    };
    let tokens = tokens(text, place).map_err(|_| malformed())?;
    let named = |token: &Token| {
        let name = &text[token.start..token.end];
        let plain = token.kind == Kind::Name && !name.contains('.');
        plain.then(|| Spanned::new(name.to_owned(), place.span(token.start, token.end)))
    };
    let symbol = |token: &Token, symbol: &'static str| token.kind == Kind::Symbol(symbol);
    let [first, open, inner @ .., close, _end] = &tokens[..] else { return Err(malformed()) };
    let name = named(first).filter(|_| symbol(open, "(") && symbol(close, ")"));
    let name = name.ok_or_else(malformed)?;
    let mut arguments: Vec<Spanned<String>> = Vec::new();
    for (at, token) in inner.iter().enumerate() {
        match at % 2 {
            0 => arguments.push(named(token).ok_or_else(malformed)?),
            _ if symbol(token, ",") && at + 1 < inner.len() => {}
            _ => return Err(malformed()),
        }
    }
    if Function::named(&name.value).is_some() {
        let message = format!("`{}` is a function of the language", name.value);
        return Err(Diagnostic::error("duplicate-name", message)
            .at(name.span, "")
            .help("choose another name"));
    }
    for (at, argument) in arguments.iter().enumerate() {
        let word = &argument.value;
        if is_named_value(word) {
            let message = format!("`{word}` cannot be the name of an argument");
            return Err(Diagnostic::error("reserved-name", message)
                .at(argument.span, "it has a meaning in expressions"));
        }
        if arguments[..at].iter().any(|before| before.value == *word) {
            let message = format!("`{word}` is an argument twice");
            return Err(Diagnostic::error("duplicate-name", message).at(argument.span, ""));
        }
    }
    Ok((name, arguments))
}

fn twice(name: &Spanned<String>, first: Span) -> Diagnostic {
    let message = format!("`{}` is a function twice", name.value);
    Diagnostic::error("duplicate-name", message)
        .at(name.span, "defined again here")
        .at(first, "first defined here")
}

/// The names before a bracket.
fn called<'t>(text: &'t str, tokens: &[Token]) -> impl Iterator<Item = &'t str> {
    let called = tokens
        .windows(2)
        .filter(|pair| pair[0].kind == Kind::Name && pair[1].kind == Kind::Symbol("("));
    called.map(|pair| &text[pair[0].start..pair[0].end])
}

/// Notes which functions each draft calls.
fn find_calls(drafts: &mut [Draft]) {
    let numbers: HashMap<String, usize> =
        drafts.iter().enumerate().map(|(i, draft)| (draft.name.value.clone(), i)).collect();
    for draft in drafts {
        let text = draft.definition.body;
        // What is wrong with a text is reported when it is parsed.
        let Ok(tokens) = tokens(text, draft.definition.body_place) else { continue };
        draft.calls = called(text, &tokens).filter_map(|name| numbers.get(name).copied()).collect();
        draft.calls.sort_unstable();
        draft.calls.dedup();
    }
}

/// The drafts in an order in which each comes after those that it calls. A function that calls
/// itself, also by way of others, is reported and left out.
fn in_order(drafts: &[Draft], wrong: &mut Vec<Diagnostic>) -> Vec<usize> {
    let mut callers = vec![Vec::new(); drafts.len()];
    let mut waits: Vec<usize> = drafts.iter().map(|draft| draft.calls.len()).collect();
    for (caller, draft) in drafts.iter().enumerate() {
        draft.calls.iter().for_each(|called| callers[*called].push(caller));
    }
    let mut order: Vec<usize> = (0..drafts.len()).filter(|draft| waits[*draft] == 0).collect();
    let mut done = 0;
    while let Some(next) = order.get(done).copied() {
        done += 1;
        for caller in &callers[next] {
            waits[*caller] -= 1;
            if waits[*caller] == 0 {
                order.push(*caller);
            }
        }
    }
    if let Some(stuck) = (0..drafts.len()).find(|draft| waits[*draft] > 0) {
        wrong.push(circle(drafts, &waits, stuck));
    }
    order
}

/// The error for functions that call each other in a circle, which `stuck` leads to.
fn circle(drafts: &[Draft], waits: &[usize], stuck: usize) -> Diagnostic {
    let mut way = vec![stuck];
    let mut places = HashMap::from([(stuck, 0)]);
    let first = loop {
        let last = way[way.len() - 1];
        let next = drafts[last].calls.iter().find(|called| waits[**called] > 0);
        let next = *next.expect("a draft that waits calls one that waits");
        if let Some(first) = places.insert(next, way.len()) {
            break first;
        }
        way.push(next);
    };
    let name = |draft: &usize| drafts[*draft].name.value.as_str();
    let names: Vec<&str> = way[first..].iter().chain([&way[first]]).map(name).collect();
    let shown = match names.len() {
        0..=8 => names.join(" -> "),
        many => format!("{} -> ... ({} more)", names[..7].join(" -> "), many - 7),
    };
    Diagnostic::error("circular-functions", format!("functions call themselves: {shown}"))
        .at(drafts[way[first]].name.span, "")
        .help("a function cannot be recursive; for a sequence, use a state or an array of blocks")
}

fn not_an_argument(draft: &Draft, name: &str, span: Span) -> Diagnostic {
    let arguments: Vec<String> =
        draft.arguments.iter().map(|argument| format!("`{}`", argument.value)).collect();
    let known = match arguments.len() {
        0 => "it has no arguments".to_owned(),
        _ => format!("its arguments are {}", arguments.join(", ")),
    };
    let function = &draft.name.value;
    Diagnostic::error(
        "unknown-name",
        format!("`{name}` is no argument of the function `{function}`"),
    )
    .at(span, known)
    .help(format!("a function sees its arguments alone: add `{name}` to them"))
}

/// The error for a call whose expression would be too high.
pub(crate) fn too_high(span: Span) -> Diagnostic {
    Diagnostic::error("expression-depth", "this call makes an expression that is nested too deeply")
        .at(span, "")
        .note(format!(
            "{MAX_HEIGHT} operations may follow one another, those of functions included"
        ))
        .help("give a part of it to a block of its own")
}
