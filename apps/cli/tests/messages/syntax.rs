//! Texts that cannot be read: YAML, sections and expressions.

use super::{Case, DECAY};

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
fn an_empty_file() {
    Case::new("empty", "", &["error[missing-version]", "help: begin it with `superdense: 1`"])
        .check();
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
