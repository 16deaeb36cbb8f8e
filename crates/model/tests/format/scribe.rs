//! Random model files in random style.

/// Writes random model files in random style.
pub struct Scribe {
    pub state: u64,
    pub comments: usize,
    pub out: String,
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

    pub fn file(&mut self) {
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
