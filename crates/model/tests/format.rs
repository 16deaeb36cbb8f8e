//! The canonical form of model files: it means the same, keeps every comment, and stays as it is
//! when it is formatted again.

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

/// Writes random model files in random style.
struct Scribe {
    state: u64,
    comments: usize,
    out: String,
}

enum Tree {
    Null,
    Text(String),
    List(Vec<Tree>),
    Map(Vec<(String, Tree)>),
}

const EXPRESSIONS: [&str; 14] = [
    "1",
    "-1.5e3",
    "a + b",
    "-(a + b)  *  c",
    "min(a, b)",
    "x[0]",
    "a > 1 ? b : c",
    "!a",
    "[1, 2]",
    "if a > 0 then b else c",
    "not (a && b) || c",
    "\"",
    "true",
    "a",
];
const TEXTS: [&str; 8] = [
    "plain words",
    "it's",
    "say \"yes\"",
    "a: b",
    "a #b",
    "one\ntwo\n\n  # three",
    "50 % \\ °C ",
    "12",
];
const REMARKS: [&str; 5] = ["", " plain", " {a: [1", " \"it's", " x: y # z"];

impl Scribe {
    fn below(&mut self, bound: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 20) as usize % bound
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn expression(&mut self) -> Tree {
        let text = EXPRESSIONS[self.below(EXPRESSIONS.len())];
        let words = if text == "\"" { "a + ".repeat(40) + "b" } else { text.to_owned() };
        if self.one_in(6) {
            let count = self.below(4);
            return Tree::List((0..count).map(|_| self.expression()).collect());
        }
        Tree::Text(words)
    }

    fn entries(&mut self, prefix: &str, most: usize) -> Tree {
        let count = self.below(most + 1);
        Tree::Map((0..count).map(|k| (format!("{prefix}{k}"), self.expression())).collect())
    }

    fn blocks(&mut self) -> Tree {
        let count = self.below(4);
        let block = |scribe: &mut Self, k| {
            let Tree::Map(mut fields) = scribe.entries("field", 4) else { unreachable!() };
            let at = scribe.below(fields.len() + 1);
            fields.insert(at, ("type".to_owned(), Tree::Text("Gain".to_owned())));
            (format!("block{k}"), Tree::Map(fields))
        };
        Tree::Map((0..count).map(|k| block(self, k)).collect())
    }

    fn diagram(&mut self) -> Tree {
        let mut sections = vec![
            ("blocks", self.blocks()),
            ("outputs", self.entries("out", 2)),
            ("inputs", Tree::List(vec![Tree::Text("u".to_owned()), Tree::Text("w".to_owned())])),
            ("solve", Tree::Text("true".to_owned())),
        ];
        self.shuffle(&mut sections);
        Tree::Map(sections.into_iter().map(|(key, tree)| (key.to_owned(), tree)).collect())
    }

    fn shuffle<T>(&mut self, items: &mut Vec<T>) {
        for last in (1..items.len()).rev() {
            let other = self.below(last + 1);
            items.swap(last, other);
        }
        let keep = items.len() - self.below(2).min(items.len());
        items.truncate(keep);
    }

    fn file(&mut self) {
        let text = TEXTS[self.below(TEXTS.len())].to_owned();
        let text = if self.one_in(4) { [text.as_str(); 12].join(" ") } else { text };
        let mut sections = vec![
            ("name", Tree::Text("a-name".to_owned())),
            ("description", Tree::Text(text)),
            (
                "parameters",
                match self.below(8) {
                    0 => Tree::Null,
                    _ => self.entries("p", 5),
                },
            ),
            ("diagrams", Tree::Map(vec![("D".to_owned(), self.diagram())])),
            ("blocks", self.blocks()),
            ("solve", self.entries("s", 2)),
            ("record", self.entries("r", 6)),
            ("simulate", Tree::Map(vec![("stop".to_owned(), self.expression())])),
        ];
        if let Tree::Map(parameters) = &mut sections[2].1
            && let Some(first) = parameters.first_mut()
        {
            first.1 = Tree::Null;
        }
        self.shuffle(&mut sections);
        let at = self.below(sections.len() + 1);
        sections.insert(at, ("superdense", Tree::Text("1".to_owned())));
        let entries = sections.into_iter().map(|(key, tree)| (key.to_owned(), tree)).collect();
        self.block(&Tree::Map(entries), 0);
        self.lines();
    }

    fn comment(&mut self) {
        let remark = REMARKS[self.below(REMARKS.len())];
        self.out += &format!("#{}:{remark}", self.comments);
        self.comments += 1;
    }

    /// Empty lines and comments on lines of their own, at any column.
    fn lines(&mut self) {
        for _ in 0..self.below(3) {
            if self.one_in(2) {
                let indent = self.below(8);
                self.out += &" ".repeat(indent);
                self.comment();
            }
            self.out.push('\n');
        }
    }

    fn end_of_line(&mut self) {
        if self.one_in(5) {
            let blanks = 1 + self.below(3);
            self.out += &" ".repeat(blanks);
            self.comment();
        }
        self.out.push('\n');
    }

    /// The items of a collection, each on lines of its own.
    fn block(&mut self, tree: &Tree, indent: usize) {
        let items: Vec<(Option<&str>, &Tree)> = match tree {
            Tree::List(items) => items.iter().map(|item| (None, item)).collect(),
            Tree::Map(entries) => {
                entries.iter().map(|(key, tree)| (Some(key.as_str()), tree)).collect()
            }
            _ => unreachable!("only collections have items"),
        };
        for (key, value) in items {
            self.lines();
            self.out += &" ".repeat(indent);
            match key {
                Some(key) if self.one_in(8) => self.out += &format!("\"{key}\":"),
                Some(key) => self.out += &format!("{key}:"),
                None => self.out.push('-'),
            }
            self.value(value, indent);
        }
    }

    fn value(&mut self, tree: &Tree, indent: usize) {
        let empty = match tree {
            Tree::List(items) => items.is_empty(),
            Tree::Map(entries) => entries.is_empty(),
            _ => false,
        };
        match tree {
            Tree::Null => {
                let which = self.below(3);
                self.out += ["", " ~", " null"][which];
                self.end_of_line();
            }
            Tree::Text(text) => self.scalar(text, indent),
            _ if empty || self.one_in(2) => {
                self.out.push(' ');
                self.flow(tree, indent);
                self.end_of_line();
            }
            _ => {
                self.end_of_line();
                let deeper = indent + 1 + self.below(4);
                self.block(tree, deeper);
            }
        }
    }

    fn scalar(&mut self, text: &str, indent: usize) {
        let literal = text.contains('\n') && !text.starts_with(' ');
        if literal && self.one_in(2) {
            self.out += " |";
            self.end_of_line();
            for line in text.split('\n') {
                self.out += &format!("{}{line}\n", " ".repeat(indent + 3));
            }
            return;
        }
        self.out.push(' ');
        let styled = self.styled(text, indent);
        self.out += &styled;
        self.end_of_line();
    }

    /// A text without quotes, where it is sure that none are needed, or with some.
    fn styled(&mut self, text: &str, indent: usize) -> String {
        let safe = |c: char| c.is_ascii_alphanumeric() || " +-*/()._>".contains(c);
        let plain = text.starts_with(|c: char| c.is_ascii_alphanumeric())
            && text.chars().all(safe)
            && !text.ends_with(' ');
        let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let broken = format!("\n{}", " ".repeat(indent + 2));
        match self.below(4) {
            0 if plain && !text.contains("  ") => text.replace(" + ", &format!(" +{broken}")),
            0 | 1 if plain => text.to_owned(),
            2 if !text.contains('\n') => format!("'{}'", text.replace('\'', "''")),
            _ => format!("\"{escaped}\""),
        }
    }

    /// A break of the line inside brackets, with comments.
    fn gap(&mut self, indent: usize) {
        match self.below(4) {
            0 => {
                self.end_of_line();
                self.lines();
                self.out += &" ".repeat(indent + 1);
            }
            _ => self.out.push(' '),
        }
    }

    fn flow(&mut self, tree: &Tree, indent: usize) {
        match tree {
            Tree::Null => self.out.push('~'),
            Tree::Text(text) => {
                let styled = self.styled(text, indent + 4);
                self.out += &styled;
            }
            Tree::List(items) => {
                self.out.push('[');
                for item in items {
                    self.gap(indent);
                    self.flow(item, indent);
                    self.out.push(',');
                }
                self.gap(indent);
                self.out.push(']');
            }
            Tree::Map(entries) => {
                self.out.push('{');
                for (key, item) in entries {
                    self.gap(indent);
                    self.out += &format!("{key}: ");
                    self.flow(item, indent);
                    self.out.push(',');
                }
                self.gap(indent);
                self.out.push('}');
            }
        }
    }
}
