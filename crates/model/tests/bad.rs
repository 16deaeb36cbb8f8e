//! Every mistake in a model file, with the whole message that it gives.

use crate::common::refused;

#[test]
fn the_version_is_needed() {
    refused(
        "\
name: a
",
        r"
error[missing-version]: this file does not say which version of the format it is written in
 --> model.yaml:1:1
  |
1 | name: a
  | ^
  |
  = help: begin it with `superdense: 1`",
    );
    refused(
        "\
superdense: 2
foo: 1
",
        r"
error[unsupported-version]: this version of the format is unknown
 --> model.yaml:1:13
  |
1 | superdense: 2
  |             ^
  |
  = help: this program reads version 1: `superdense: 1`",
    );
    refused(
        "\
",
        r"
error[missing-version]: this file does not say which version of the format it is written in
 --> model.yaml:1:1
  |
1 |
  | ^
  |
  = help: begin it with `superdense: 1`",
    );
    refused(
        "\
- a
",
        r"
error[wrong-kind]: a model file is a mapping, not a list
 --> model.yaml:1:1
  |
1 | - a
  | ^^^
  |
  = help: write it like `superdense: 1`",
    );
}

#[test]
fn unknown_fields_are_refused() {
    refused(
        "\
superdense: 1
paramters: {g: 1}
",
        r"
error[unknown-field]: a model file has no field `paramters`
 --> model.yaml:2:1
  |
2 | paramters: {g: 1}
  | ^^^^^^^^^
  |
  = help: did you mean `parameters`?",
    );
    refused(
        "\
superdense: 1
simulate: {stopp: 1}
",
        r"
error[unknown-field]: `simulate` has no field `stopp`
 --> model.yaml:2:12
  |
2 | simulate: {stopp: 1}
  |            ^^^^^
  |
  = help: did you mean `stop`?",
    );
    refused(
        "\
superdense: 1
diagrams: {A: {output: {y: 1}}}
",
        r"
error[unknown-field]: a diagram has no field `output`
 --> model.yaml:2:16
  |
2 | diagrams: {A: {output: {y: 1}}}
  |                ^^^^^^
  |
  = help: did you mean `outputs`?",
    );
}

#[test]
fn yaml_is_checked() {
    refused(
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
    );
    refused(
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
    );
    refused(
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
    );
    refused(
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
    );
    refused(
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
    );
    refused(
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
    );
    refused(
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
    );
}

#[test]
fn names_are_checked() {
    refused(
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
    );
    refused(
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
    );
    refused(
        "\
superdense: 1
blocks: {sin: {type: Gain}}
",
        r"
error[reserved-name]: `sin` cannot be the name of a block
 --> model.yaml:2:10
  |
2 | blocks: {sin: {type: Gain}}
  |          ^^^ it is a function
  |
  = help: choose another name, such as `sin_1`",
    );
    refused(
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
    );
    refused(
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
    );
    refused(
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
    );
    refused(
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
    );
}

#[test]
fn names_are_given_once() {
    refused(
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
    );
    refused(
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
    );
    refused(
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
    );
    refused(
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
    );
    refused(
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
    );
}

#[test]
fn kinds_of_values_are_checked() {
    refused(
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
    );
    refused(
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
    );
    refused(
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
    );
    refused(
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
    );
    refused(
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
    );
    refused(
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
    );
    refused(
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
    );
    refused(
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
    );
    refused(
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
    );
    refused(
        "\
superdense: 1
diagrams: {A: {inputs: {u: 1}}}
",
        r"
error[wrong-kind]: `inputs` is a list, not a mapping
 --> model.yaml:2:24
  |
2 | diagrams: {A: {inputs: {u: 1}}}
  |                        ^^^^^^
  |
  = help: write it like `inputs: [u, v]`",
    );
    refused(
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
    );
    refused(
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
    );
    refused(
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
    );
}

#[test]
fn expressions_are_shown_in_place() {
    refused(
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
    );
    refused(
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
    );
    refused(
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
    );
    refused(
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
    );
    refused(
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
    );
}

#[test]
fn imports_are_checked() {
    refused(
        "\
superdense: 1
import: [lib.yaml]
",
        r"
error[import-failed]: cannot read `lib.yaml`: there is no lib.yaml
 --> model.yaml:2:10
  |
2 | import: [lib.yaml]
  |          ^^^^^^^^
  |
  = note: paths are relative to the file that imports",
    );
    refused(
        "\
superdense: 1
import: {time: lib.yaml}
",
        r"
error[reserved-name]: `time` cannot be the name of an import
 --> model.yaml:2:10
  |
2 | import: {time: lib.yaml}
  |          ^^^^ it has a meaning in expressions
  |
  = help: choose another name, such as `time_1`

error[import-failed]: cannot read `lib.yaml`: there is no lib.yaml
 --> model.yaml:2:16
  |
2 | import: {time: lib.yaml}
  |                ^^^^^^^^
  |
  = note: paths are relative to the file that imports",
    );
    refused(
        "\
superdense: 1
import: [[a]]
",
        r"
error[wrong-kind]: an import is the path of a file, not a list
 --> model.yaml:2:10
  |
2 | import: [[a]]
  |          ^^^
  |
  = help: write it like `import: [library.yaml]`",
    );
}

#[test]
fn many_mistakes_are_shown_at_once() {
    refused(
        "\
superdense: 1
nme: a
parameters: {g: 1 +}
blocks: {v: {}}
",
        r"
error[unknown-field]: a model file has no field `nme`
 --> model.yaml:2:1
  |
2 | nme: a
  | ^^^
  |
  = help: did you mean `name`?

error[expression-syntax]: a value is missing after `+`: found the end of the expression
 --> model.yaml:3:20
  |
3 | parameters: {g: 1 +}
  |                    ^ a value is expected here

error[missing-field]: block `v` has no type
 --> model.yaml:4:10
  |
4 | blocks: {v: {}}
  |          ^
  |
  = help: say what it is, as in `type: Integrator`",
    );
}

#[test]
fn two_diagrams_of_one_name_are_refused() {
    let main = "superdense: 1\nimport: [a.yaml, b.yaml]\n";
    let library = "superdense: 1\ndiagrams: {Motor: {}}\n";
    let read = superdense_model::parse("main.yaml", main, &mut |path| {
        Ok((path.to_owned(), library.to_owned()))
    });
    assert_eq!(
        read.map(|_| ()).unwrap_err().render(false),
        "\
error[duplicate-name]: there are two diagrams called `Motor`
 --> main.yaml:2:18
  |
2 | import: [a.yaml, b.yaml]
  |          ------  ^^^^^^ this file has one
  |          |
  |          the other comes from here
  |
  = help: import the file under a name, `import: {library: path.yaml}`, to use `library.Name`"
    );
}

#[test]
fn mistakes_in_imported_files_are_shown_there() {
    let read =
        superdense_model::parse("main.yaml", "superdense: 1\nimport: [a.yaml]\n", &mut |path| {
            Ok((path.to_owned(), "superdense: 1\ndiagrams: {A: {outputs: {y: 1 +}}}\n".to_owned()))
        });
    let message = read.map(|_| ()).unwrap_err().render(false);
    assert!(message.contains("--> a.yaml:2:32"), "{message}");
}
