//! The canonical form of model files: it means the same, keeps every comment, and stays as it is
//! when it is formatted again.

mod scribe;

use scribe::Scribe;

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{codes, model};
use base::SourceMap;
use proptest::prelude::*;
use superdense_model::{Model, format, parse};

/// The canonical form of a text, which must be one that stays.
#[track_caller]
fn formatted(text: &str) -> String {
    let once = format("model.yaml", text).unwrap_or_else(|refused| panic!("{refused}\n{text}"));
    let twice = format("model.yaml", &once).unwrap_or_else(|refused| panic!("{refused}\n{once}"));
    assert_eq!(once, twice, "formatted again it is another");
    once
}

/// A model without the places in its text.
fn meaning(model: Model) -> String {
    let text = format!("{:#?}", Model { sources: SourceMap::default(), ..model });
    let mut kept = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find("Span {") {
        kept += &rest[..at];
        rest = &rest[at + rest[at..].find('}').expect("a span has an end")..];
    }
    kept + rest
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(formatted(text), expected);
}

#[test]
fn the_head_of_a_function_needs_no_quotes() {
    check(
        "superdense: 1\nfunctions: {\"f(x, y)\": x + y, g(x): \"f(x, 2)\"}\n\
         blocks: {x: {type: Integrator, input: \"f(1, 2)\"}}\n",
        "\
superdense: 1
functions:
  f(x, y): x + y
  g(x): f(x, 2)
blocks:
  x: {type: Integrator, input: \"f(1, 2)\"}
",
    );
}

#[test]
fn sections_and_types_come_in_order() {
    check(
        "simulate: {stop: 1}\nrecord: [a.y]\nblocks: {a: {u: 1, type: D}}\n\
         diagrams: {D: {blocks: {g: {input: u, type: Gain}}, outputs: {y: g}, inputs: [u]}}\n\
         superdense: 1\n",
        "\
superdense: 1
diagrams:
  D:
    inputs: [u]
    outputs: {y: g}
    blocks:
      g: {type: Gain, input: u}
blocks:
  a: {type: D, u: 1}
record: [a.y]
simulate: {stop: 1}
",
    );
}

#[test]
fn what_fits_goes_on_one_line() {
    let wide = "x".repeat(40);
    check(
        &format!(
            "superdense: 1\nparameters:\n    a:   1\n    b:\n    c: [1,\n     2]\n\
             blocks:\n  x:\n    type: Gain\n    input: 1\n  y: {{type: Gain, input: {wide} + {wide}}}\n"
        ),
        &format!(
            "superdense: 1\nparameters: {{a: 1, b:, c: [1, 2]}}\nblocks:\n  x: {{type: Gain, input: 1}}\n\
             \x20 y:\n    type: Gain\n    input: {wide} + {wide}\n"
        ),
    );
}

#[test]
fn quotes_stand_where_they_are_needed() {
    check(
        r#"
superdense: "1"
name: 'quotes'
description: "it's: a # text"
blocks:
  a: {type: "Gain", "input": 'b', gain: "2 * pi"}
  b: {type: Expression, expression: "min(a, time)"}
  c:
    type: Expression
    expression: "max(min(aaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb), ccccccccccccc)"
  v: {type: Sum, inputs: ["a[0]", "a[1]"]}
record: {x: "v[0]", c: "a > 1 ? b : c"}
"#,
        r#"superdense: "1"
name: quotes
description: "it's: a # text"
blocks:
  a: {type: Gain, input: b, gain: 2 * pi}
  b: {type: Expression, expression: "min(a, time)"}
  c:
    type: Expression
    expression: max(min(aaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb), ccccccccccccc)
  v:
    type: Sum
    inputs:
      - a[0]
      - a[1]
record: {x: "v[0]", c: "a > 1 ? b : c"}
"#,
    );
}

#[test]
fn comments_keep_their_places() {
    check(
        "\
# About the file.

# More about it.
name: comments   # a name
superdense: 1

parameters: # all of them
  a: 1   # one
  # about b
  b: [1,  # first
      # second comes
      2]
  # the end of parameters


# about the blocks
blocks: {
  # about x
  x: {type: Gain, input: 1}, # a gain
  # nothing more
}
simulate: {} # defaults
# the end
",
        "\
# About the file.

# More about it.
superdense: 1
name: comments  # a name

parameters:  # all of them
  a: 1  # one
  # about b
  b:
    - 1  # first
    # second comes
    - 2
  # the end of parameters

# about the blocks
blocks:
  # about x
  x: {type: Gain, input: 1}  # a gain
  # nothing more
simulate: {}  # defaults
# the end
",
    );
}

#[test]
fn comments_at_odd_places_survive() {
    check(
        "\
superdense: 1
description: | # how it is told
  One.

  # no comment
  Two.
parameters: {
  # nothing yet
  }
blocks:
  v:
    type: Constant
    value:
      - # a row
        - 1
        - 2
      - [3, 4] # another
      # below
    # of v
  w: {type: Gain,
     input: # a
       # b
       v # c
     } # d
",
        "\
superdense: 1
description: |  # how it is told
  One.

  # no comment
  Two.
# nothing yet
parameters: {}
blocks:
  v:
    type: Constant
    value:
      - [1, 2]  # a row
      - [3, 4]  # another
      # below
    # of v
  w:  # d
    type: Gain
    # b
    # c
    input: v  # a
",
    );
}

#[test]
fn long_texts_go_on_in_the_next_line() {
    let text = "word ".repeat(30);
    let colon = "word: ".repeat(30);
    let sum = "word + ".repeat(30);
    let model = format!("superdense: 1\ndescription: {text}\nparameters:\n  a:\n    {sum}1\n");
    let out = formatted(&model);
    assert!(out.lines().all(|line| line.chars().count() <= 100), "{out}");
    let out = formatted(&format!("superdense: 1\ndescription: '{colon}'\n"));
    assert!(out.starts_with("superdense: 1\ndescription: >-\n  word: word:"), "{out}");
    assert!(out.lines().all(|line| line.chars().count() <= 100), "{out}");
}

#[test]
fn line_breaks_at_the_end_of_a_text_stay() {
    for header in ["|-", "|", "|+"] {
        let text = format!("superdense: 1\ndescription: {header}\n  One.\n\n  Two.\n");
        let blank = if header == "|+" { "\n" } else { "" };
        let text = format!("{text}{blank}blocks:\n  x: {{type: Gain, input: 1}}\n");
        check(&text, &text);
    }
    check(
        "superdense: 1\ndescription: \"One.\\nTwo.\"\n",
        "superdense: 1\ndescription: |-\n  One.\n  Two.\n",
    );
    check(
        "superdense: 1\ndescription: >-\n  One\n  line.\n",
        "superdense: 1\ndescription: One line.\n",
    );
    check(
        "superdense: 1\ndescription: >\n  One\n  line.\n",
        "superdense: 1\ndescription: |\n  One line.\n",
    );
    let long = "word ".repeat(30);
    let out = formatted(&format!("superdense: 1\ndescription: >\n  {long}\n"));
    assert!(out.starts_with("superdense: 1\ndescription: >\n  word word"), "{out}");
}

#[test]
fn long_expressions_break_at_good_places() {
    let row = "[0, 0, 1, 0, 0, 0]";
    let rows = [row; 6].join(", ");
    check(
        &format!(
            "superdense: 1\nblocks:\n  x:\n    type: Integrator\n    input: \"[{rows}] * x\"\n\
             \x20 y:\n    type: Integrator\n    \
             input: first_coefficient * first_position - second_coefficient * second_position - \
             third_coefficient * third_position\n"
        ),
        &format!(
            "superdense: 1\nblocks:\n  x:\n    type: Integrator\n    input: >-\n\
             \x20     [{},\n      {row}, {row}] * x\n\
             \x20 y:\n    type: Integrator\n    \
             input: first_coefficient * first_position - second_coefficient * second_position\n      \
             - third_coefficient * third_position\n",
            [row; 4].join(", ")
        ),
    );
}

#[test]
fn other_line_ends_and_marks_are_read() {
    check(
        "\u{feff}superdense: 1\r\nname: a # b\r\n\r\nblocks:\r\n  x: {type: Gain, input: 1}\r\n",
        "superdense: 1\nname: a  # b\n\nblocks:\n  x: {type: Gain, input: 1}\n",
    );
    check("---\n# head\nsuperdense: 1\n...\n", "# head\nsuperdense: 1\n");
}

#[test]
fn what_is_no_model_file_is_refused() {
    for text in ["", "a: [", "superdense: 1\nfoo: 1\n", "superdense: 1\nblocks: {x: {type: }}\n"] {
        let refused = format("model.yaml", text).expect_err(text);
        let found: Vec<_> = refused.diagnostics.0.iter().map(|found| found.code).collect();
        assert_eq!(found, codes(text));
    }
}

#[test]
fn imports_are_left_alone() {
    check("import:\n  - nowhere.yaml\nsuperdense: 1\n", "superdense: 1\nimport: [nowhere.yaml]\n");
}

fn model_files() -> Vec<PathBuf> {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let folders = fs::read_dir(models).expect("a folder").map(|entry| entry.expect("a folder"));
    let files = folders.flat_map(|folder| fs::read_dir(folder.path()).expect("a model's folder"));
    let paths = files.map(|file| file.expect("a file").path());
    let is_model = |path: &PathBuf| {
        path.extension().is_some_and(|end| end == "yaml") && !path.ends_with("expected.yaml")
    };
    paths.filter(is_model).collect()
}

#[test]
fn the_models_are_formatted() {
    let files = model_files();
    assert!(files.len() > 10);
    for path in files {
        let text = fs::read_to_string(&path).expect("a text");
        assert_eq!(formatted(&text), text, "superdense fmt {}", path.display());
    }
}

#[test]
fn the_models_keep_their_meaning_in_any_style() {
    for path in model_files() {
        let text = fs::read_to_string(&path).expect("a text");
        let mut sections: Vec<String> = Vec::new();
        for line in text.lines() {
            match line.starts_with([' ', '#']) && !sections.is_empty() {
                true => *sections.last_mut().expect("one is there") += &format!("\n{line}"),
                false => sections.push(line.to_owned()),
            }
        }
        sections.reverse();
        let mixed = sections.join("\n") + "\n";
        let read = |text: &str| {
            let loader = &mut |path: &str| match fs::read_to_string(path) {
                Ok(text) => Ok((path.to_owned(), text)),
                Err(error) => Err(error.to_string()),
            };
            meaning(parse(&path.to_string_lossy(), text, loader).expect("a model"))
        };
        assert_eq!(read(&formatted(&mixed)), read(&text), "{mixed}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..Default::default() })]

    #[test]
    fn random_files_keep_meaning_and_comments(seed in any::<u64>()) {
        let mut scribe = Scribe { state: seed | 1, comments: 0, out: String::new() };
        scribe.file();
        let text = scribe.out;
        let out = formatted(&text);
        prop_assert_eq!(meaning(model(&out)), meaning(model(&text)), "{}\n---\n{}", text, out);
        for number in 0..scribe.comments {
            let mark = format!("#{number}:");
            prop_assert_eq!(out.matches(&mark).count(), 1, "{} in\n{}\n---\n{}", mark, text, out);
        }
    }
}
