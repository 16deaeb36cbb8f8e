//! The canonical text of any tree reads back as that tree, and no text makes the parser panic.

use crate::common::{tree, value};
use base::{FileId, Span, Spanned, Value, parse_decimal};
use proptest::prelude::*;
use superdense_expr::{
    Arity, BinaryOp, Definition, Expr, ExprKind, Function, Functions, Place, UnaryOp, parse_with,
};

fn here() -> Span {
    Span::new(FileId(0), 0, 0)
}

fn at(kind: ExprKind) -> Expr {
    Expr { kind, span: here() }
}

/// The same tree with all places forgotten.
fn placeless(expr: Expr) -> Expr {
    let boxed = |expr: Box<Expr>| Box::new(placeless(*expr));
    let all = |items: Vec<Expr>| items.into_iter().map(placeless).collect();
    at(match expr.kind {
        leaf @ (ExprKind::Literal(_) | ExprKind::Name(_)) => leaf,
        ExprKind::Unary(op, operand) => ExprKind::Unary(op, boxed(operand)),
        ExprKind::Binary(op, left, right) => ExprKind::Binary(op, boxed(left), boxed(right)),
        ExprKind::Conditional(parts) => ExprKind::Conditional(Box::new(parts.map(placeless))),
        ExprKind::Call(f, items) => ExprKind::Call(Spanned::new(f.value, here()), all(items)),
        ExprKind::Vector(items) => ExprKind::Vector(all(items)),
        ExprKind::Index(operand, items) => ExprKind::Index(boxed(operand), all(items)),
    })
}

fn literal() -> impl Strategy<Value = ExprKind> {
    let decimal = (0u64.., 0usize..20).prop_map(|(digits, places)| {
        let digits = format!("{digits:021}");
        let (whole, rest) = digits.split_at(21 - places);
        Value::rational(parse_decimal(&format!("{whole}.{rest}")).unwrap())
    });
    let large = (40i32..300).prop_map(|e| Value::real(10f64.powi(e)));
    prop_oneof![decimal, large, any::<bool>().prop_map(Value::bool)].prop_map(ExprKind::Literal)
}

/// The operators of two operands, as the parser reads them.
fn operators() -> Vec<BinaryOp> {
    let signs = ["or", "and", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "^"];
    let operator = |sign: &str| match tree(&format!("a {sign} b")).unwrap().kind {
        ExprKind::Binary(operator, ..) => operator,
        other => panic!("{sign}: {other:?}"),
    };
    signs.map(operator).to_vec()
}

fn trees() -> impl Strategy<Value = Expr> {
    let name = prop_oneof![Just("a"), Just("ball.y"), Just("time"), Just("_x1"), Just("e")];
    let leaf = prop_oneof![literal(), name.prop_map(|name| ExprKind::Name(name.to_owned()))];
    leaf.prop_map(at).prop_recursive(8, 64, 3, |inner| {
        let binary = prop::sample::select(operators());
        let unary = prop_oneof![Just(UnaryOp::Negate), Just(UnaryOp::Not)];
        let function = prop::sample::select(Function::table());
        let some = |n| prop::collection::vec(inner.clone(), n);
        prop_oneof![
            (unary, inner.clone()).prop_map(|(op, x)| ExprKind::Unary(op, Box::new(x))),
            (binary, inner.clone(), inner.clone()).prop_map(|(op, x, y)| ExprKind::Binary(
                op,
                Box::new(x),
                Box::new(y)
            )),
            [inner.clone(), inner.clone(), inner.clone()]
                .prop_map(|parts| ExprKind::Conditional(Box::new(parts))),
            (function, some(2..=2)).prop_map(|(row, mut items)| {
                if let Arity::Exactly(n) = row.2 {
                    items.truncate(n);
                }
                ExprKind::Call(Spanned::new(row.0, here()), items)
            }),
            some(0..=3).prop_map(ExprKind::Vector),
            (inner.clone(), some(1..=2)).prop_map(|(x, i)| ExprKind::Index(Box::new(x), i)),
        ]
        .prop_map(at)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn printing_and_parsing_give_the_same_tree(expr in trees()) {
        let text = expr.to_string();
        let again = tree(&text).map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
        prop_assert_eq!(placeless(again), expr, "{}", text);
    }

    #[test]
    fn constants_never_panic(expr in trees()) {
        let _ = value(&expr.to_string().replace("ball.y", "n").replace("_x1", "v"));
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,40}") {
        let _ = tree(&text);
    }

    #[test]
    fn no_words_panic(words in prop::collection::vec(prop::sample::select(vec![
        "a", "1", "0.1", "sin", "min", "zeros", "(", ")", "[", "]", ",", "+", "-", "*", "/", "^",
        "==", "<", "=", "?", ":", "if", "then", "else", "not", "and", "true", ".", "ü", "1e9",
    ]), 0..30)) {
        let _ = value(&words.join(" "));
    }
}

#[test]
fn literals_that_no_text_spells_are_printed_as_what_they_mean() {
    let text = |value: Value| at(ExprKind::Literal(value)).to_string();
    assert_eq!(text(Value::rational(base::Rational::new(-1, 3))), "(-1 / 3)");
    assert_eq!(text(Value::real(f64::INFINITY)), "inf");
    assert_eq!(text(Value::vector(vec![1.5, -2.0])), "[1.5, -2]");
    let power = |base| {
        ExprKind::Binary(
            BinaryOp::Power,
            Box::new(base),
            Box::new(at(ExprKind::Literal(Value::int(2)))),
        )
    };
    assert_eq!(at(power(at(ExprKind::Literal(Value::int(-3))))).to_string(), "(-3)^2");
}

/// The tree with each name replaced by a tree.
fn replaced(expr: &Expr, names: &[&str], by: &[Expr]) -> Expr {
    match expr.as_word().and_then(|word| names.iter().position(|name| *name == word)) {
        Some(at) => by[at].clone(),
        None => expr.with_children(&mut |child| replaced(child, names, by)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    /// A call of a function is its expression with the arguments put in, whatever they are.
    #[test]
    fn a_call_is_the_body_with_its_arguments(body in trees(), first in trees(), second in trees()) {
        let place = Place::Whole(here());
        // What a function does not take cannot occur in it.
        let [a, e] = ["a", "e"].map(|name| at(ExprKind::Name(name.to_owned())));
        let body = replaced(&body, &["ball.y", "_x1"], &[a, e]);
        let text = body.to_string();
        let definition =
            Definition { head: "f(a, e)", head_place: place, body: &text, body_place: place };
        let (functions, wrong) = Functions::read(&[definition]);
        prop_assert!(wrong.is_empty(), "{:?}", wrong);
        let call = format!("f({first}, {second})");
        match parse_with(&call, place, &functions) {
            Ok(call) => {
                let expected = replaced(&body, &["a", "e"], &[first, second]);
                prop_assert_eq!(placeless(call), placeless(expected));
            }
            Err(error) => prop_assert_eq!(error.code, "expression-depth"),
        }
    }
}
