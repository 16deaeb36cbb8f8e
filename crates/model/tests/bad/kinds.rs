//! Values of a kind that does not fit the field.

use super::{Case, refuse_all};

/// Values of the wrong kind, and values that are missing.
const KINDS: &[Case] = &[
    (
        "\
superdense: 1
blocks: [a, b]
",
        r"
error[wrong-kind]: `blocks` is a mapping, not a list
 --> model.yaml:2:9
  |
2 | blocks: [a, b]
  |         ^^^^^^
  |
  = help: write it like `blocks: {x: {type: Integrator, input: 1}}`",
    ),
    (
        "\
superdense: 1
blocks: {v: Integrator}
",
        r"
error[wrong-kind]: a block is a mapping, not a single value
 --> model.yaml:2:13
  |
2 | blocks: {v: Integrator}
  |             ^^^^^^^^^^
  |
  = help: write it like `x: {type: Integrator, input: 1}`",
    ),
    (
        "\
superdense: 1
blocks: {v: {input: 1}}
",
        r"
error[missing-field]: block `v` has no type
 --> model.yaml:2:10
  |
2 | blocks: {v: {input: 1}}
  |          ^
  |
  = help: say what it is, as in `type: Integrator`",
    ),
    (
        "\
superdense: 1
blocks: {v: }
",
        r"
error[missing-value]: `v` has no value
 --> model.yaml:2:10
  |
2 | blocks: {v: }
  |          ^",
    ),
    (
        "\
superdense: 1
blocks:
  v:
    type: Gain
    input:
      a: 1
      b: 2
",
        r"
error[wrong-kind]: a mapping cannot be used here
 --> model.yaml:6:7
  |
6 |       a: 1
  |       ^^^^ an expression is expected
  |
  = help: write a number, a name, an expression, or a list of them",
    ),
    (
        "\
superdense: 1
blocks: {v: {type: Gain, input: }}
",
        r"
error[missing-value]: `input` has no value
 --> model.yaml:2:26
  |
2 | blocks: {v: {type: Gain, input: }}
  |                          ^^^^^",
    ),
    (
        "\
superdense: 1
record: y
",
        r"
error[wrong-kind]: `record` is a list or a mapping, not a single value
 --> model.yaml:2:9
  |
2 | record: y
  |         ^
  |
  = help: write it like `record: [y, v]`",
    ),
    (
        "\
superdense: 1
solve: maybe
",
        r"
error[wrong-kind]: `solve` is `true`, `false`, a list of signals or a mapping, not a single value
 --> model.yaml:2:8
  |
2 | solve: maybe
  |        ^^^^^
  |
  = help: write it like `solve: {x: 0.5}`",
    ),
    (
        "\
superdense: 1
import: lib.yaml
",
        r"
error[wrong-kind]: `import` is a list of files, or a mapping from names to files, not a single value
 --> model.yaml:2:9
  |
2 | import: lib.yaml
  |         ^^^^^^^^
  |
  = help: write it like `import: [library.yaml]`",
    ),
    (
        "\
superdense: 1
diagrams: {A: {inputs: {u: 1}}}
",
        r"
error[wrong-kind]: an input is a mapping, not a single value
 --> model.yaml:2:28
  |
2 | diagrams: {A: {inputs: {u: 1}}}
  |                            ^
  |
  = help: write it like `u: {default: 0}`",
    ),
    (
        "\
superdense: 1
simulate: {zeno: stopp}
",
        r"
error[unknown-word]: `zeno` cannot be `stopp`
 --> model.yaml:2:18
  |
2 | simulate: {zeno: stopp}
  |                  ^^^^^
  |
  = help: did you mean `stop`?",
    ),
    (
        "\
superdense: 1
simulate: {solver: [a]}
",
        r"
error[wrong-kind]: `solver` is a single value, not a list
 --> model.yaml:2:20
  |
2 | simulate: {solver: [a]}
  |                    ^^^
  |
  = help: write it like `solver: text`",
    ),
    (
        "\
superdense: 1
diagrams: {A: {outputs: 1}}
",
        r"
error[wrong-kind]: `outputs` is a mapping or a list of names, not a single value
 --> model.yaml:2:25
  |
2 | diagrams: {A: {outputs: 1}}
  |                         ^
  |
  = help: write it like `outputs: {y: 2 * x}`",
    ),
];

#[test]
fn kinds_of_values_are_checked() {
    refuse_all(KINDS);
}
