//! Names that are not allowed or are given twice.

use super::{Case, refuse_all};

/// Names that are not allowed.
const NAMES: &[Case] = &[
    (
        "\
superdense: 1
parameters: {2a: 1}
",
        r"
error[invalid-name]: `2a` cannot be the name of a parameter
 --> model.yaml:2:14
  |
2 | parameters: {2a: 1}
  |              ^^
  |
  = note: a name is a letter or `_`, then letters, digits and `_`",
    ),
    (
        "\
superdense: 1
parameters: {time: 1}
",
        r"
error[reserved-name]: `time` cannot be the name of a parameter
 --> model.yaml:2:14
  |
2 | parameters: {time: 1}
  |              ^^^^ it has a meaning in expressions
  |
  = help: choose another name, such as `time_1`",
    ),
    (
        "\
superdense: 1
blocks: {absent: {type: Gain}}
",
        r"
error[reserved-name]: `absent` cannot be the name of a block
 --> model.yaml:2:10
  |
2 | blocks: {absent: {type: Gain}}
  |          ^^^^^^ it has a meaning in expressions
  |
  = help: choose another name, such as `absent_1`",
    ),
    (
        "\
superdense: 1
name: my model
",
        r"
error[invalid-name]: `my model` cannot be the name of a model
 --> model.yaml:2:7
  |
2 | name: my model
  |       ^^^^^^^^
  |
  = note: a name is a letter or `_`, then letters, digits and `_`
  = help: hyphens are allowed, too",
    ),
    (
        "\
superdense: 1
blocks: {a: {type: My-Gain}}
",
        r"
error[invalid-name]: `My-Gain` cannot be the name of a type of block
 --> model.yaml:2:20
  |
2 | blocks: {a: {type: My-Gain}}
  |                    ^^^^^^^
  |
  = note: a name is a letter or `_`, then letters, digits and `_`",
    ),
    (
        "\
superdense: 1
diagrams: {A: {inputs: [u.v]}}
",
        r"
error[invalid-name]: `u.v` cannot be the name of an input
 --> model.yaml:2:25
  |
2 | diagrams: {A: {inputs: [u.v]}}
  |                         ^^^
  |
  = note: a name is a letter or `_`, then letters, digits and `_`",
    ),
    (
        "\
superdense: 1
solve: [x+y]
",
        r"
error[invalid-name]: `x+y` cannot be the name of a signal
 --> model.yaml:2:9
  |
2 | solve: [x+y]
  |         ^^^
  |
  = note: a name is a letter or `_`, then letters, digits and `_`",
    ),
];

#[test]
fn names_are_checked() {
    refuse_all(NAMES);
}

/// Names that are given twice.
const DUPLICATES: &[Case] = &[
    (
        "\
superdense: 1
blocks:
  v: {type: Gain}
  w: {type: Gain}
  v: {type: Integrator}
",
        r"
error[duplicate-name]: `v` is given twice
 --> model.yaml:5:3
  |
3 |   v: {type: Gain}
  |   - first given here
4 |   w: {type: Gain}
5 |   v: {type: Integrator}
  |   ^ given again here",
    ),
    (
        "\
superdense: 1
parameters: {g: 1}
blocks: {g: {type: Gain}}
",
        r"
error[duplicate-name]: `g` is both a parameter and a block
 --> model.yaml:3:10
  |
2 | parameters: {g: 1}
  |              - a parameter here
3 | blocks: {g: {type: Gain}}
  |          ^ a block here",
    ),
    (
        "\
superdense: 1
diagrams: {A: {inputs: [u, u]}}
",
        r"
error[duplicate-name]: `u` is an input twice
 --> model.yaml:2:28
  |
2 | diagrams: {A: {inputs: [u, u]}}
  |                         -  ^ an input here
  |                         |
  |                         an input here",
    ),
    (
        "\
superdense: 1
diagrams: {A: {outputs: [y, y]}}
",
        r"
error[duplicate-name]: `y` is an output twice
 --> model.yaml:2:29
  |
2 | diagrams: {A: {outputs: [y, y]}}
  |                          -  ^ given again here
  |                          |
  |                          first given here",
    ),
    (
        "\
superdense: 1
record: [y, v, y]
",
        r"
error[duplicate-name]: `y` is recorded twice
 --> model.yaml:2:16
  |
2 | record: [y, v, y]
  |          -     ^ again here
  |          |
  |          first here",
    ),
];

#[test]
fn names_are_given_once() {
    refuse_all(DUPLICATES);
}

/// Functions that cannot be defined. What calls them is not reported as well.
const FUNCTIONS: &[Case] = &[
    (
        "\
superdense: 1
functions:
  a(x): b(x)
  b(x): c(x) + 1
  c(x): a(x)
  d(x): a(x)
blocks: {x: {type: Gain, input: a(1)}}
",
        r"
error[circular-functions]: functions call themselves: a -> b -> c -> a
 --> model.yaml:3:3
  |
3 |   a(x): b(x)
  |   ^
  |
  = help: a function cannot be recursive; for a sequence, use a state or an array of blocks",
    ),
    (
        "\
superdense: 1
parameters: {k: 2}
functions: {f(x): k * x}
blocks: {x: {type: Gain, input: f(1)}}
",
        r"
error[unknown-name]: `k` is no argument of the function `f`
 --> model.yaml:3:19
  |
3 | functions: {f(x): k * x}
  |                   ^ its arguments are `x`
  |
  = help: a function sees its arguments alone: add `k` to them",
    ),
    (
        "\
superdense: 1
functions: {sin(x): x}
",
        r"
error[duplicate-name]: `sin` is a function of the language
 --> model.yaml:2:13
  |
2 | functions: {sin(x): x}
  |             ^^^
  |
  = help: choose another name",
    ),
    (
        "\
superdense: 1
functions: {f(x y): x}
",
        r"
error[invalid-name]: `f(x y)` does not say what a function takes
 --> model.yaml:2:13
  |
2 | functions: {f(x y): x}
  |             ^^^^^^
  |
  = help: write `f(x, y): x^2 + y` on a line of its own, or in quotes inside `{ }`, where a comma ends a key",
    ),
    (
        "\
superdense: 1
functions: {f(x): x}
blocks: {x: {type: Gain, input: f()}}
",
        r"
error[wrong-arguments]: `f` takes 1 argument, not 0
 --> model.yaml:3:33
  |
2 | functions: {f(x): x}
  |             - defined here
3 | blocks: {x: {type: Gain, input: f()}}
  |                                 ^^^",
    ),
];

#[test]
fn functions_are_checked() {
    refuse_all(FUNCTIONS);
}
