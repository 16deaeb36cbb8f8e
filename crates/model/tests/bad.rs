//! Every mistake in a model file, with the whole message that it gives.

mod kinds;
mod names;
mod syntax;

use crate::common::refused;

/// A model file, and all messages that it gives.
type Case = (&'static str, &'static str);

fn refuse_all(cases: &[Case]) {
    for (text, message) in cases {
        refused(text, message);
    }
}

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
