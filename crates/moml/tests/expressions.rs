//! Expressions of Ptolemy II, as they come out at a constant.

use crate::common::{ramp, translate};

/// The expression that a value becomes.
fn printed(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    let imported = translate(&ramp(&text)).unwrap_or_else(|problem| panic!("{problem}"));
    let line = imported.text.lines().find(|line| line.contains("type: Constant")).unwrap();
    let value = line.split("value: ").nth(1).unwrap().trim_end_matches('}');
    value.trim_matches('"').to_owned()
}

fn refused(text: &str) -> String {
    translate(&ramp(text)).unwrap_err().reason
}

#[test]
fn operators_keep_their_meaning() {
    assert_eq!(printed("1.0 + 2*3"), "1.0 + 2 * 3");
    assert_eq!(printed("(1.0 + 2)*3"), "(1.0 + 2) * 3");
    assert_eq!(printed("1.0 - (2 - 3)"), "1.0 - (2 - 3)");
    assert_eq!(printed("2.0 > 1 && !false"), "2.0 > 1 and not false");
    assert_eq!(printed("true ? 1.0 : 2.0"), "if true then 1.0 else 2.0");
    assert_eq!(printed("pow(2.0, 3)"), "2.0^3");
    assert_eq!(printed("PI/2"), "pi / 2");
}

#[test]
fn a_sign_binds_more_tightly_than_a_power() {
    assert_eq!(printed("-2.0^2"), "(-2.0)^2");
    assert_eq!(printed("-(2.0^2)"), "-2.0^2");
}

#[test]
fn the_quotient_of_integers_is_cut_off() {
    assert_eq!(printed("1/2"), "floor(1 / 2)");
    assert_eq!(printed("1/2.0"), "1 / 2.0");
    assert_eq!(printed("1.0/2"), "1.0 / 2");
}

#[test]
fn comments_and_numbers() {
    assert_eq!(printed("1.5 /* half */ + 0x10"), "1.5 + 16");
    assert_eq!(printed("1.0E-3"), "1.0E-3");
    assert_eq!(printed(".5d"), "0.5");
    assert_eq!(printed("2L + 1.0"), "2 + 1.0");
}

#[test]
fn what_is_not_known_is_refused() {
    assert!(refused("nothing + 1").contains("there is no parameter `nothing`"));
    assert!(refused("3i").contains("complex"));
    assert!(refused("fnord(3)").contains("`fnord`"));
    assert!(refused("1 +").contains("ends too early"));
    assert!(refused(&"(".repeat(5000)).contains("nested too deeply"));
    assert!(refused(&"-".repeat(5000)).contains("nested too deeply"));
}
