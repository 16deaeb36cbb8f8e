//! Values of constants, and the mistakes in them.

use crate::common::{refused, value};
use base::{Elem, Rational, Shape, Type, Value};

fn exact(text: &str) -> Rational {
    value(text).unwrap().exact().unwrap_or_else(|| panic!("{text} is not exact"))
}

fn number(text: &str) -> f64 {
    value(text).unwrap().as_f64().unwrap()
}

fn truth(text: &str) -> bool {
    value(text).unwrap().as_bool().unwrap()
}

/// A constant is refused with a code, at these of its words, by a message with this part.
#[track_caller]
fn wrong(text: &str, code: &str, words: &str, part: &str) {
    refused(text, value(text), code, words, part);
}

#[test]
fn fractions_stay_exact() {
    assert_eq!(exact("0.1 * 3"), Rational::new(3, 10));
    assert_eq!(exact("1 / 3 + 1 / 6"), Rational::new(1, 2));
    assert_eq!(exact("-2.5e-3 - 1"), Rational::new(-401, 400));
    assert_eq!(exact("(2 / 3) ^ -2"), Rational::new(9, 4));
    assert_eq!(exact("2 ^ 100"), Rational::from_integer(1 << 100));
    assert_eq!(exact("min(0.1, 1 / 9, n)"), Rational::new(1, 10));
    assert_eq!(exact("max(0.1, 1 / 9)"), Rational::new(1, 9));
    assert_eq!(exact("abs(-0.1)"), Rational::new(1, 10));
    assert_eq!(exact("mod(-0.1, 0.3)"), Rational::new(1, 5));
    assert_eq!(exact("mod(7, -3)"), Rational::from_integer(-2));
    assert_eq!(exact("if 0.1 * 3 == 0.3 then 1 / 3 else 0"), Rational::new(1, 3));
    assert!(truth("0.1 + 0.2 == 0.3"));
    assert!(truth("1 / 3 > 0.3333333333333333333333"), "as floats they are equal");
}

#[test]
fn rounding_is_exact() {
    assert_eq!(exact("floor(-0.1)"), Rational::from_integer(-1));
    assert_eq!(exact("ceil(-0.1)"), Rational::from_integer(0));
    assert_eq!(exact("round(2.5)"), Rational::from_integer(3));
    assert_eq!(exact("round(-2.5)"), Rational::from_integer(-2));
    assert_eq!(exact("sign(-1 / 3)"), Rational::from_integer(-1));
    assert_eq!(number("round(sin(0) + 0.49999999999999994)"), 0.0);
    assert_eq!(number("sign(sin(0))"), 0.0);
}

#[test]
fn whole_numbers_stay_whole() {
    for text in ["2 + 3", "6 / 2", "2 ^ 3", "n * 2", "floor(pi)", "[1, 2][1]", "sum([1, 2])"] {
        assert_eq!(value(text).unwrap().ty(), Type::INT, "{text}");
    }
    for text in ["1 / 2", "pi", "sqrt(4)", "2 ^ -1"] {
        assert_eq!(value(text).unwrap().ty(), Type::REAL, "{text}");
    }
    assert_eq!(value("[1, 2] * 2").unwrap().ty().elem, Elem::Int);
    assert_eq!(value("[1, 2] / 2").unwrap().ty().elem, Elem::Real);
    assert_eq!(value("[1, 0.5]").unwrap().ty().elem, Elem::Real);
}

#[test]
fn fractions_that_grow_too_long_become_floats() {
    assert_eq!(value("1e30 * 1e30").unwrap().exact(), None);
    assert!((number("1e30 * 1e30") / 1e60 - 1.0).abs() < 1e-15);
    assert_eq!(number("2 ^ 1000"), 2f64.powi(1000));
    // The least number of 128 bits has no positive counterpart.
    let least = "(-170141183460469231731687303715884105727 - 1)";
    for text in ["-{}", "abs({})", "1 / {}", "{} / -1", "{} * {}", "floor({})", "mod({}, 3)"] {
        let text = text.replace("{}", least);
        assert_eq!(value(&text).unwrap().exact(), None, "{text}");
    }
    assert!(number("(1 / 170141183460469231731687303715884105727) ^ 2") > 0.0);
    assert!(truth("170141183460469231731687303715884105727 > 1 / 3"));
}

#[test]
fn functions_are_those_of_floats() {
    assert_eq!(number("sin(pi / 2)"), 1.0);
    assert_eq!(number("atan2(1, -1)"), 1f64.atan2(-1.0));
    assert_eq!(number("hypot(3, 4)"), 5.0);
    assert_eq!(number("norm([3, 4])"), 5.0);
    assert_eq!(number("dot([1, 2], [3, 4])"), 11.0);
    assert_eq!(number("dot(3, 4)"), 12.0);
    assert_eq!(number("log(exp(1))"), 1.0);
    assert_eq!(number("-inf"), f64::NEG_INFINITY);
    assert!(truth("inf > 1e308"));
    assert_eq!(value("cos([0, 0])").unwrap().data(), [1.0, 1.0]);
    assert_eq!(value("max([1, 5], 3)").unwrap().data(), [3.0, 5.0]);
}

#[test]
fn matrices_multiply() {
    let matrix = "[[1, 2], [3, 4]]";
    let data = |text: &str| value(&text.replace('M', matrix)).unwrap().data().to_vec();
    assert_eq!(data("M * M"), [7.0, 10.0, 15.0, 22.0]);
    assert_eq!(data("M * v"), [5.0, 11.0]);
    assert_eq!(data("M * 2"), [2.0, 4.0, 6.0, 8.0]);
    assert_eq!(data("v * v"), [1.0, 4.0]);
    assert_eq!(data("transpose(M)"), [1.0, 3.0, 2.0, 4.0]);
    assert_eq!(data("M[1]"), [3.0, 4.0]);
    assert_eq!(data("M[1, 0]"), [3.0]);
    assert_eq!(data("identity(2) + M"), [2.0, 2.0, 3.0, 5.0]);
    assert_eq!(data("zeros(1, 2)"), [0.0, 0.0]);
    assert_eq!(value("transpose(v)").unwrap().ty().shape, Shape::Matrix(1, 2));
    assert_eq!(value("ones(n)").unwrap().ty().shape, Shape::Vector(3));
    assert_eq!(value("[]").unwrap(), Value::vector(vec![]));
}

#[test]
fn matrices_are_inverted_with_exchanges_of_rows() {
    assert_eq!(value("inverse([[0, 2], [4, 0]])").unwrap().data(), [0.0, 0.25, 0.5, 0.0]);
    assert_eq!(value("solve([[0, 2], [1, 1]], [4, 3])").unwrap().data(), [1.0, 2.0]);
    assert_eq!(number("det([[0, 2, 1], [1, 0, 3], [2, 1, 0]])"), 13.0);
    assert_eq!(number("det([[1, 2, 3], [4, 5, 6], [7, 8, 9]])"), 0.0);
    assert_eq!(number("det([[1e-20, 0], [0, 1]])"), 1e-20, "small, but not singular");
    assert_eq!(value("cross([1, 2, 3], [4, 5, 6])").unwrap().data(), [-3.0, 6.0, -3.0]);
    assert_eq!(exact("prod([2, 3, 4])"), Rational::from_integer(24));
    assert_eq!(exact("max([2, 7, 4])"), Rational::from_integer(7));
    assert_eq!(exact("min(1 / 3)"), Rational::new(1, 3));
    wrong("inverse([[1, 2], [2, 4]])", "division-by-zero", "[[1, 2], [2, 4]]", "singular");
    wrong(
        "solve([[0.1, 0.2], [0.3, 0.6]], v)",
        "division-by-zero",
        "[[0.1, 0.2], [0.3, 0.6]]",
        "singular",
    );
    wrong("inverse(v)", "size-mismatch", "v", "square matrix");
    wrong("cross(v, v)", "size-mismatch", "v", "three elements");
    wrong("solve(identity(3), v)", "size-mismatch", "v", "3 rows");
    wrong("min([])", "size-mismatch", "min([])", "no elements");
}

#[test]
fn only_what_is_needed_is_evaluated() {
    assert_eq!(number("if n > 2 then 1 else missing"), 1.0);
    assert!(!truth("n < 2 and 1 / 0 > 1"));
    assert!(truth("n > 2 or missing"));
    assert!(truth("not (true and false) and true != false"));
    assert_eq!(value("[true, false] or [false, false]").unwrap().data(), [1.0, 0.0]);
}

#[test]
fn wrong_types_are_refused() {
    wrong("1 + true", "type-mismatch", "true", "`+` needs numbers");
    wrong("sin(1 < 2)", "type-mismatch", "1 < 2", "`sin` needs numbers");
    wrong("-true", "type-mismatch", "true", "a sign needs numbers");
    wrong("n and true", "type-mismatch", "n", "compare it");
    wrong("not 1", "type-mismatch", "1", "`not` needs truth values");
    wrong("if n then 1 else 2", "type-mismatch", "n", "a condition is true or false");
    wrong("true < false", "type-mismatch", "true", "have no order");
    wrong("true == 1", "type-mismatch", "1", "compared with a number");
    wrong("[1, true]", "type-mismatch", "true", "mixed");
    wrong("sin + 1", "type-mismatch", "sin", "call it: `sin(...)`");
    wrong("n[0]", "type-mismatch", "n", "a scalar has no elements");
    wrong("v[0, 0]", "type-mismatch", "v", "more indices");
    wrong("v[0.5]", "type-mismatch", "0.5", "whole number");
    wrong("[[[1]]]", "type-mismatch", "[[1]]", "rows of a matrix");
    wrong("zeros(-1)", "type-mismatch", "-1", "0 or more");
}

#[test]
fn wrong_sizes_are_refused() {
    wrong("v + [1, 2, 3]", "size-mismatch", "[1, 2, 3]", "vector of 3");
    wrong("[[1], [2, 3]]", "size-mismatch", "[2, 3]", "rows have different sizes");
    wrong("[[1, 2]] * [[1, 2]]", "size-mismatch", "[[1, 2]]", "2 columns and the right 1 rows");
    wrong("v * [[1, 2]]", "size-mismatch", "[[1, 2]]", "1x2 matrix");
    wrong("v[2]", "index-out-of-range", "2", "indices go from 0 to 1");
    wrong("v[-1]", "index-out-of-range", "-1", "no element -1");
    wrong("[][0]", "index-out-of-range", "0", "no elements");
    wrong("zeros(1e9)", "value-too-large", "zeros(1e9)", "10000000");
    wrong("zeros(1e7, 1e7)", "value-too-large", "zeros(1e7, 1e7)", "10000000");
    wrong("identity(1e5)", "value-too-large", "identity(1e5)", "10000000");
    wrong("[zeros(6e6), zeros(6e6)]", "value-too-large", "zeros(6e6)", "10000000");
    wrong("ones(9000, 1) * ones(1, 9000)", "value-too-large", "ones(9000, 1) * ones(1, 9000)", "");
}

#[test]
fn undefined_values_are_refused() {
    wrong("1 / (n - 3)", "division-by-zero", "(n - 3)", "this is 0");
    wrong("v / [1, 0]", "division-by-zero", "[1, 0]", "this is 0");
    wrong("0 ^ -1", "division-by-zero", "0", "negative power");
    wrong("mod(1, 0)", "division-by-zero", "0", "this is 0");
    wrong("sqrt(-1)", "not-a-number", "sqrt(-1)", "undefined");
    wrong("1 + (inf - inf)", "not-a-number", "(inf - inf)", "undefined");
    wrong("(-8) ^ 0.5", "not-a-number", "(-8) ^ 0.5", "undefined");
    wrong("1 + previous(n)", "not-constant", "previous", "only while a model runs");
    wrong("present(n)", "not-constant", "present", "");
    wrong("1 + foo", "unknown-name", "foo", "");
}
