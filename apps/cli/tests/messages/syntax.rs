//! Texts that cannot be read: YAML, sections and expressions.

use super::{Case, DECAY, underlined};

#[test]
fn malformed_yaml() {
    let model = "superdense: 1\nblocks:\n  x: {type: Integrator, input: -x\nrecord: [x]\n";
    Case::new(
        "malformed",
        model,
        &["error[yaml-syntax]", "model.yaml:4:7", "inside this bracket", "',' or '}'"],
    )
    .check();
}

#[test]
fn tabs() {
    let model = "superdense: 1\nblocks:\n\tx: {type: Integrator, input: -x}\n";
    let expected = ["error[yaml-syntax]", "model.yaml:3:2", "help: indent with blanks"];
    Case::new("tabs", model, &expected).check();
}

#[test]
fn a_missing_version() {
    let model = "blocks:\n  x: {type: Integrator, input: -x, initial: 1}\n";
    let expected =
        ["error[missing-version]", "model.yaml:1:1", "help: begin it with `superdense: 1`"];
    Case::new("missing-version", model, &expected).check();
}

#[test]
fn an_empty_file() {
    Case::new("empty", "", &["error[missing-version]", "help: begin it with `superdense: 1`"])
        .check();
}

#[test]
fn an_unknown_version() {
    let model = "superdense: 2\nblocks:\n  x: {type: Integrator, input: -x}\n";
    let text =
        Case::new("version", model, &["error[unsupported-version]", "model.yaml:1:13"]).check();
    assert_eq!(underlined(&text), "2");
}

#[test]
fn an_unknown_section() {
    let model = "superdense: 1\nblock:\n  x: {type: Integrator, input: -x}\n";
    let expected = ["error[unknown-field]", "model.yaml:2:1", "help: did you mean `blocks`?"];
    let text = Case::new("section", model, &expected).check();
    assert_eq!(underlined(&text), "block");
}

#[test]
fn absurd_depths() {
    let (open, close) = ("(".repeat(100_000), ")".repeat(100_000));
    let model =
        format!("superdense: 1\nblocks:\n  x: {{type: Integrator, input: {open}1{close}}}\n");
    let expected =
        ["error[expression-depth]", "model.yaml:3:", "100 deep", "help: name a part of it"];
    Case::new("depth-brackets", &model, &expected).check();
    let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
    let model = format!("superdense: 1\nblocks: {open}{close}\n");
    Case::new("depth-yaml", &model, &["error[", "model.yaml:2:"]).check();
    let model = format!(
        "superdense: 1\nblocks:\n  x: {{type: Integrator, input: 1{}}}\n",
        " + 1".repeat(100_000)
    );
    Case::new("depth-sum", &model, &["error[expression-depth]", "sum([a, b, c])"]).check();
}

#[test]
fn a_key_whose_first_letters_are_right() {
    let model = DECAY.replace("stop: 1", "stp: 1");
    let expected = ["error[unknown-field]: `simulate` has no field `stp`", "did you mean `stop`?"];
    Case::new("stp", &model, &expected).check();
}

#[test]
fn a_missing_colon() {
    let expected = ["model.yaml:3:", "help: is a colon missing after `x`? write `x: {...}`"];
    for (name, block) in [("colon", "{type: Integrator, input: 1}"), ("colon-one", "{type: Clock}")]
    {
        let model = format!("superdense: 1\nblocks:\n  x {block}\n");
        Case::new(name, &model, &expected).check();
    }
}

#[test]
fn a_choice_without_quotes() {
    let expected =
        ["error[yaml-syntax]", "help: write `if c then a else b`, or put an expression with `:`"];
    let inline = "superdense: 1\nblocks:\n  x: {type: Integrator, input: x > 0 ? 1 : 2}\n";
    Case::new("choice-inline", inline, &expected).check();
    let lines = "superdense: 1\nblocks:\n  x:\n    type: Gain\n    input: x > 0 ? 1 : 2\n";
    Case::new("choice-lines", lines, &expected).check();
}

#[test]
fn a_decimal_comma() {
    let lines = "superdense: 1\nblocks:\n  x:\n    type: Gain\n    input: 1\n    gain: 1,5\n";
    let expected = ["error[expression-syntax]", "a decimal number has a point: write `1.5`"];
    let text = Case::new("comma", lines, &expected).check();
    assert_eq!(underlined(&text), ",");
    let inline = "superdense: 1\nblocks:\n  x: {type: Gain, input: 1, gain: 1,5}\n";
    let expected = ["error[invalid-name]", "a decimal number has a point, as in `1.5`"];
    let text = Case::new("comma-inline", inline, &expected).check();
    assert_eq!(underlined(&text), "5");
    let parameter = "superdense: 1\nparameters: {a: 1,5}\n";
    Case::new("comma-parameter", parameter, &expected).check();
}

#[test]
fn units_are_no_part_of_expressions() {
    let cases = [
        ("5 mH", "write `5e-3` for 5 mH"),
        ("2.5 kHz", "write `2.5e3` for 2.5 kHz"),
        ("10 ms", "write `10e-3` for 10 ms"),
        ("3 V", "write `3` for 3 V"),
        ("1e2 uF", "write `1e2 * 1e-6` for 1e2 uF"),
    ];
    for (written, help) in cases {
        let model = format!(
            "superdense: 1\nparameters: {{L: {written}}}\nblocks:\n  x: {{type: Integrator, input: L}}\n"
        );
        let expected = ["error[expression-syntax]", "units are no part of expressions", help];
        Case::new("unit", &model, &expected).check();
    }
    let product = "superdense: 1\nblocks:\n  x: {type: Integrator, input: 2 x}\n";
    let text = Case::new("product", product, &["a product is written with `*`"]).check();
    assert!(!text.contains("units"), "{text}");
}

#[test]
fn operators_with_a_dot() {
    let power = "superdense: 1\nblocks:\n  x: {type: Integrator, input: \"[1, 2] .^ 2\"}\n";
    Case::new("dot", power, &["`^` works on each element: write it without the dot"]).check();
    let product = "superdense: 1\nblocks:\n  x: {type: Integrator, input: x .* x}\n";
    Case::new("dot", product, &["`*` works on each element of vectors"]).check();
}

#[test]
fn bad_indentation() {
    let model = "superdense: 1\nblocks:\n  a: {type: Sine}\n   b: {type: Sine}\n";
    let expected = [
        "error[yaml-syntax]",
        "model.yaml:4:4",
        "begin in the same column: this line has 3 blanks before it",
        "have 2 or 0",
    ];
    Case::new("indentation", model, &expected).check();
    let model = "superdense: 1\nblocks:\n    a: {type: Sine}\n  b: {type: Sine}\n";
    Case::new("indentation", model, &["has 2 blanks before it", "have 4 or 0"]).check();
}

#[test]
fn a_colon_that_is_missing_in_the_line_before() {
    let cases = [
        ("superdense: 1\nblocks\n  a: {type: Sine}\n", "after `blocks`? write `blocks:`"),
        ("superdense: 1\nblocks:\n  a\n    type: Sine\n", "after `a`? write `a:`"),
        (
            "superdense: 1\nblocks:\n  a:\n    type Sine\n    amplitude: 2\n",
            "after `type`? write `type: Sine`",
        ),
        (
            "superdense: 1\nblocks:\n  a: {type: Sine, amplitude 2}\n",
            "is a colon missing after `amplitude`? write `amplitude: 2`",
        ),
    ];
    for (model, help) in cases {
        Case::new("colon", model, &["is a colon missing", help]).check();
    }
}
