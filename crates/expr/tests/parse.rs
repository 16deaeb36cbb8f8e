//! What the parser accepts, how it groups, and what it says about the rest.

use crate::common;
use crate::common::{refused, shown, tree};
use base::{FileId, Rational, Span};
use superdense_expr::{ExprKind, Place};

/// A text and the same with every grouping written out must give trees that print alike.
fn same(text: &str, grouped: &str) {
    let (text, grouped) = (tree(text).unwrap(), tree(grouped).unwrap());
    assert_eq!(text.to_string(), grouped.to_string());
}

/// A text is refused at these of its words, by a message with this part.
#[track_caller]
fn syntax(text: &str, words: &str, part: &str) {
    refused(text, tree(text), "expression-syntax", words, part);
}

#[test]
fn operators_group_as_the_table_says() {
    same("a or b and c", "a or (b and c)");
    same("a and b or c", "(a and b) or c");
    same("not a and b", "(not a) and b");
    same("not a == b", "not (a == b)");
    same("!a || b && c", "(not a) or (b and c)");
    same("a + b < c * d", "(a + b) < (c * d)");
    same("a == b and c != d", "(a == b) and (c != d)");
    same("a - b - c", "(a - b) - c");
    same("a / b * c", "(a / b) * c");
    same("a + b * c ^ d", "a + (b * (c ^ d))");
    same("-a ^ 2", "-(a ^ 2)");
    same("-a * b", "(-a) * b");
    same("2 ^ -1", "2 ^ (-1)");
    same("2 ^ 3 ^ 2", "2 ^ (3 ^ 2)");
    same("2 ^ -a ^ b", "2 ^ (-(a ^ b))");
    same("-x[0] ^ 2", "-((x[0]) ^ 2)");
    same("a ? b : c ? d : e", "if a then b else (if c then d else e)");
    same("a or b ? c + 1 : d", "if (a or b) then (c + 1) else d");
    same("1 + if a then b else c + 2", "1 + (if a then b else (c + 2))");
    same("+a - +b", "a - b");
    same("x[i, j + 1][0]", "(x[i, (j + 1)])[0]");
}

#[test]
fn the_tree_is_what_the_print_says() {
    let text = |text: &str| tree(text).unwrap().to_string();
    assert_eq!(text("(a-b)-(c-d)"), "a - b - (c - d)");
    assert_eq!(text("(-a)^2"), "(-a)^2");
    assert_eq!(text("(2^3)^2"), "(2^3)^2");
    assert_eq!(text("(a<b)==(c<d)"), "(a < b) == (c < d)");
    assert_eq!(text("-( a*b )"), "-(a * b)");
    assert_eq!(text("min( a,b , 3 )"), "min(a, b, 3)");
    assert_eq!(text("[[1,2],[3,4]][ 1 ]"), "[[1, 2], [3, 4]][1]");
    assert_eq!(text("(c ? a : b) + 1"), "(if c then a else b) + 1");
}

#[test]
fn numbers_are_exact_where_their_digits_allow() {
    let exact = |text: &str| match tree(text).unwrap().kind {
        ExprKind::Literal(value) => value.exact(),
        other => panic!("{other:?}"),
    };
    assert_eq!(exact("0.1"), Some(Rational::new(1, 10)));
    assert_eq!(exact(".5"), Some(Rational::new(1, 2)));
    assert_eq!(exact("5."), Some(Rational::from_integer(5)));
    assert_eq!(exact("1_000.5e-1"), Some(Rational::new(2001, 20)));
    assert_eq!(exact("2E3"), Some(Rational::from_integer(2000)));
    assert_eq!(exact("1e99"), None);
    refused("1 + 1e999", tree("1 + 1e999"), "expression-syntax", "1e999", "write `inf`");
}

#[test]
fn names_have_dots_and_places() {
    let expr = tree("ball.y + g * time").unwrap();
    let names: Vec<_> = expr.names().map(|(name, span)| (name, span.start, span.end)).collect();
    assert_eq!(names, [("ball.y", 0, 6), ("g", 9, 10), ("time", 13, 17)]);
    assert_eq!(tree(" falling ").unwrap().as_word(), Some("falling"));
    assert_eq!(tree("sin").unwrap().as_word(), Some("sin"));
    assert_eq!(tree("1").unwrap().as_word(), None);
}

#[test]
fn spans_point_into_the_file() {
    let file = FileId(2);
    let expr = superdense_expr::parse("(a + b) * c", Place::Verbatim(file, 100)).unwrap();
    assert_eq!(expr.span, Span::new(file, 100, 111));
    let ExprKind::Binary(_, left, right) = &expr.kind else { panic!() };
    assert_eq!(left.span, Span::new(file, 100, 107));
    assert_eq!(right.span, Span::new(file, 110, 111));
    let whole = Span::new(file, 7, 20);
    assert_eq!(superdense_expr::parse("a + b", Place::Whole(whole)).unwrap().span, whole);
}

#[test]
fn foreign_operators_are_explained() {
    syntax("a = b", "=", "`==` compares two values");
    syntax("a ** 2", "**", "`^` raises to a power");
    syntax("a % 2", "%", "`mod(x, y)`");
    syntax("a & b", "&", "write `and`");
    syntax("a − b", "−", "write `-`");
    syntax("x ≤ 1", "≤", "write `<=`");
    syntax("a == = b", "=", "`==` compares");
    syntax("größe", "ö", "names are made of the letters");
    syntax("'up'", "'", "without quotes");
}

#[test]
fn mistakes_are_shown_where_they_are() {
    syntax("a < b < c", "<", "write `a < b and b < c`");
    syntax("2x", "x", "a product is written with `*`");
    syntax("(a + b", "", "a closing `)` is missing");
    syntax("a + b)", ")", "`)` closes nothing");
    syntax("[a, b)", ")", "`]` is expected here");
    syntax("(a b)", "b", "an operator is missing before `b`");
    syntax("a +", "", "a value is missing after `+`");
    syntax("* a", "*", "an expression cannot begin with `*`");
    syntax("if a then b", "", "expected `else`");
    syntax("if a b", "b", "expected `then`");
    syntax("a ? b", "", "expected `:`");
    syntax("x[]", "[]", "`x[i]` or `x[i, j]`");
    syntax("x[1, 2, 3]", "[1, 2, 3]", "an index is one or two numbers");
    syntax("   ", "   ", "an expression is missing here");
    syntax("a : b", ":", "unexpected `:` after an expression");
    syntax("a.", ".", "a dot joins two names");
    refused("sine(x)", tree("sine(x)"), "unknown-function", "sine", "did you mean `sin`?");
    refused("ln(x)", tree("ln(x)"), "unknown-function", "ln", "did you mean `log`?");
    refused("a.b(x)", tree("a.b(x)"), "unknown-function", "a.b", "only functions are called");
    refused("sin()", tree("sin()"), "wrong-arguments", "sin()", "takes 1 argument, not 0");
    refused("min()", tree("min()"), "wrong-arguments", "min()", "at least 1 argument");
    refused(
        "zeros(1, 2, 3)",
        tree("zeros(1, 2, 3)"),
        "wrong-arguments",
        "zeros(1, 2, 3)",
        "1 or 2",
    );
}

#[test]
fn a_message_looks_like_this() {
    assert_eq!(
        shown("1 + min(a, b", tree("1 + min(a, b")),
        "\
error[expression-syntax]: a closing `)` is missing
 --> model.yaml:1:13
  |
1 | 1 + min(a, b
  |        -    ^ `)` is expected here
  |        |
  |        opened here"
    );
}

#[test]
fn depth_is_bounded_and_said() {
    for text in [
        "(".repeat(100_000),
        "-".repeat(100_000),
        "not ".repeat(100_000),
        "[".repeat(100_000),
        "sin(".repeat(100_000),
        "a?".repeat(100_000),
        "if ".repeat(100_000),
        "a^".repeat(100_000),
        vec!["a"; 100_000].join("+"),
        format!("a{}", "[0]".repeat(100_000)),
        format!("a{} )", "+a".repeat(100_000)),
    ] {
        assert_eq!(tree(&text).unwrap_err().code, "expression-depth");
    }
    assert!(tree(&vec!["a"; 250].join("+")).is_ok());
    assert!(tree(&format!("{}a{}", "(".repeat(99), ")".repeat(99))).is_ok());
    assert!(tree(&format!("[{}]", vec!["1"; 100_000].join(","))).is_ok());
}

/// The highest trees are parsed, printed, evaluated and dropped on the stack that a thread has, also
/// without optimisation.
#[test]
fn the_stack_suffices() {
    let work = || {
        let nested =
            |open: &str, close: &str, n: usize| format!("{}1{}", open.repeat(n), close.repeat(n));
        let texts = [
            vec!["1"; superdense_expr::MAX_HEIGHT].join("+"),
            nested("(", ")", 99),
            nested("-(", ")", 49),
            nested("abs(", ")", 99),
            nested("if true then ", " else 0", 99),
            nested("2^", "", 99),
        ];
        for text in texts {
            let expr = tree(&text).unwrap_or_else(|error| panic!("{error}"));
            assert!(tree(&expr.to_string()).is_ok());
            assert!(common::value(&text).is_ok());
        }
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
}
