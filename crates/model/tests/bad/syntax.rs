//! What is not well-formed: the YAML of the file, and the expressions in it.

use super::{Case, refuse_all};

/// Texts that are not the YAML of a model file.
const YAML: &[Case] = &[
    (
        "\
superdense: 1
blocks:
  a: {type: Gain, input: [1, 2}
",
        r"
error[yaml-syntax]: this is not well-formed YAML
 --> model.yaml:3:31
  |
3 |   a: {type: Gain, input: [1, 2}
  |                          -    ^ while parsing a flow sequence, expected ',' or ']'
  |                          |
  |                          inside this bracket",
    ),
    (
        "\
superdense: 1
blocks:
  a:
    type: Gain
    input: c ? x : y
",
        r"
error[yaml-syntax]: this is not well-formed YAML
 --> model.yaml:5:18
  |
5 |     input: c ? x : y
  |                  ^ mapping values are not allowed in this context
  |
  = help: write `if c then a else b`, or put an expression with `:` in quotes",
    ),
    (
        "\
superdense: 1
blocks:
\ta: 1
",
        r"
error[yaml-syntax]: this is not well-formed YAML
 --> model.yaml:3:2
  |
3 |     a: 1
  |     ^ tabs disallowed within this context (block indentation)
  |
  = help: indent with blanks, not with tabs",
    ),
    (
        "\
superdense: 1
parameters: {a: &x 1}
",
        r"
error[yaml-syntax]: anchors and aliases are not used in model files
 --> model.yaml:2:17
  |
2 | parameters: {a: &x 1}
  |                 ^^^^
  |
  = help: name a value under `parameters`, or a part under `diagrams`, to use it twice",
    ),
    (
        "\
superdense: 1
parameters:
  a: !b
",
        r"
error[yaml-syntax]: YAML reads `!b` as a tag
 --> model.yaml:3:6
  |
3 |   a: !b
  |      ^^ model files have no tags
  |
  = help: for a negation write `not x`, or put the expression in quotes",
    ),
    (
        "\
superdense: 1
---
name: b
",
        r"
error[yaml-syntax]: a model file holds one document
 --> model.yaml:2:1
  |
2 | ---
  | ^^^ a second one begins here",
    ),
    (
        "\
superdense: 1
[a, b]: c
",
        r"
error[yaml-syntax]: a key is a name, not a list or a mapping
 --> model.yaml:2:1
  |
2 | [a, b]: c
  | ^^^^^^",
    ),
];

#[test]
fn yaml_is_checked() {
    refuse_all(YAML);
}

/// Expressions that cannot be read.
const EXPRESSIONS: &[Case] = &[
    (
        "\
superdense: 1
description: größer
blocks:
  v: {type: Gain, input: 2 + größe}
",
        r"
error[expression-syntax]: unexpected character `ö` in an expression
 --> model.yaml:4:32
  |
4 |   v: {type: Gain, input: 2 + größe}
  |                                ^
  |
  = help: names are made of the letters a-z and A-Z, digits and `_`",
    ),
    (
        "\
superdense: 1
blocks: {v: {type: Gain, input: min(a, b)}}
",
        r"
error[expression-syntax]: a closing `)` is missing
 --> model.yaml:2:38
  |
2 | blocks: {v: {type: Gain, input: min(a, b)}}
  |                                    - ^ `)` is expected here
  |                                    |
  |                                    opened here
  |
  = help: inside `{ }` and `[ ]` a comma ends a value: put the expression in quotes

error[invalid-name]: `b)` cannot be the name of a field
 --> model.yaml:2:40
  |
2 | blocks: {v: {type: Gain, input: min(a, b)}}
  |                                        ^^
  |
  = note: a name is a letter or `_`, then letters, digits and `_`
  = help: inside `{ }` and `[ ]` a comma ends a value: put the expression in quotes",
    ),
    (
        "\
superdense: 1
parameters:
  a: \"1 +\\t* 2\"
",
        r#"
error[expression-syntax]: a value is missing after `+`: found `*`
 --> model.yaml:3:6
  |
3 |   a: "1 +\t* 2"
  |      ^^^^^^^^^^ a value is expected here"#,
    ),
    (
        "\
superdense: 1
parameters:
  a: 1 +
    2 ) 3
",
        r"
error[expression-syntax]: `)` closes nothing
 --> model.yaml:4:7
  |
4 |     2 ) 3
  |       ^ there is no `(` before it",
    ),
    (
        "\
superdense: 1
parameters: {a: [1, [2, 3 4]]}
",
        r"
error[expression-syntax]: an operator is missing before `4`
 --> model.yaml:2:27
  |
2 | parameters: {a: [1, [2, 3 4]]}
  |                           ^
  |
  = help: a product is written with `*`",
    ),
];

#[test]
fn expressions_are_shown_in_place() {
    refuse_all(EXPRESSIONS);
}
