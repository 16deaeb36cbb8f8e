//! Models built in Rust: calls in, the text of a model file out, which is then read like any other.
//!
//! So all checks exist once, and a message shows the line that a call produced.

use crate::{Model, Refused};

/// Builds a model without a file.
///
/// ```
/// # use superdense_model as model;
/// let ball = model::Builder::new("ball")
///     .parameter("g", "9.81")
///     .block("v", "Integrator", &[("input", "-g"), ("initial", "0")])
///     .block("y", "Integrator", &[("input", "v"), ("initial", "10")])
///     .record("height", "y")
///     .simulate("stop", "1")
///     .build()?;
/// assert_eq!(ball.diagram(ball.root).blocks.len(), 2);
/// # Ok::<(), model::Refused>(())
/// ```
#[derive(Clone, Default, Debug)]
pub struct Builder {
    name: String,
    description: Option<String>,
    functions: Vec<(String, String)>,
    root: DiagramBuilder,
    diagrams: Vec<(String, DiagramBuilder)>,
    invariants: Vec<(String, String)>,
    record: Vec<(String, String)>,
    simulate: Vec<(String, String)>,
}

/// Builds one diagram of a model.
#[derive(Clone, Default, Debug)]
pub struct DiagramBuilder {
    parameters: Vec<(String, Option<String>)>,
    inputs: Vec<String>,
    outputs: Vec<(String, String)>,
    blocks: Vec<(String, Vec<(String, String)>)>,
    solve: Loops,
}

#[derive(Clone, Default, Debug)]
enum Loops {
    #[default]
    None,
    All,
    Signals(Vec<(String, String)>),
}

impl Builder {
    /// A model without blocks.
    pub fn new(name: &str) -> Self {
        Builder { name: name.to_owned(), ..Builder::default() }
    }

    /// Sets the description of the model.
    pub fn description(mut self, text: &str) -> Self {
        self.description = Some(text.to_owned());
        self
    }

    /// Adds a function that all expressions may call; its head is such as `f(x, y)`.
    pub fn function(mut self, head: &str, expression: &str) -> Self {
        self.functions.push((head.to_owned(), expression.to_owned()));
        self
    }

    /// Adds a parameter of the main diagram.
    pub fn parameter(mut self, name: &str, value: &str) -> Self {
        self.root = self.root.parameter(name, value);
        self
    }

    /// Adds a parameter that must be given to run the model.
    pub fn required(mut self, name: &str) -> Self {
        self.root = self.root.required(name);
        self
    }

    /// Adds a block with its inputs and parameters to the main diagram.
    pub fn block(mut self, name: &str, kind: &str, fields: &[(&str, &str)]) -> Self {
        self.root = self.root.block(name, kind, fields);
        self
    }

    /// Adds a diagram that can be the type of blocks.
    pub fn diagram(
        mut self,
        name: &str,
        build: impl FnOnce(DiagramBuilder) -> DiagramBuilder,
    ) -> Self {
        self.diagrams.push((name.to_owned(), build(DiagramBuilder::default())));
        self
    }

    /// Solves the algebraic loops through these signals, starting from these guesses.
    pub fn solve(mut self, signals: &[(&str, &str)]) -> Self {
        self.root = self.root.solve(signals);
        self
    }

    /// Solves every algebraic loop of the main diagram.
    pub fn solve_all(mut self) -> Self {
        self.root = self.root.solve_all();
        self
    }

    /// Adds an expression that should be conserved; every run looks at it.
    pub fn invariant(mut self, name: &str, value: &str) -> Self {
        self.invariants.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Records an expression as a column.
    pub fn record(mut self, name: &str, value: &str) -> Self {
        self.record.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sets how to run the model; the keys are those of `simulate` in a model file.
    pub fn simulate(mut self, key: &str, value: &str) -> Self {
        self.simulate.push((key.to_owned(), value.to_owned()));
        self
    }

    /// The equivalent model file.
    pub fn text(&self) -> String {
        let mut text = String::from("superdense: 1\n");
        line(&mut text, 0, "name", &self.name);
        if let Some(description) = &self.description {
            line(&mut text, 0, "description", description);
        }
        mapping(&mut text, 0, "functions", &self.functions);
        if !self.diagrams.is_empty() {
            text.push_str("diagrams:\n");
        }
        for (name, diagram) in &self.diagrams {
            opening(&mut text, 1, name);
            diagram.write(&mut text, 2);
        }
        self.root.write(&mut text, 0);
        mapping(&mut text, 0, "invariants", &self.invariants);
        mapping(&mut text, 0, "record", &self.record);
        mapping(&mut text, 0, "simulate", &self.simulate);
        text
    }

    /// Builds the model.
    pub fn build(&self) -> Result<Model, Refused> {
        crate::parse(&self.name, &self.text(), &mut |_| {
            Err("a model that was built in a program has no files".to_owned())
        })
    }
}

impl DiagramBuilder {
    /// Adds a parameter with its default.
    pub fn parameter(mut self, name: &str, value: &str) -> Self {
        self.parameters.push((name.to_owned(), Some(value.to_owned())));
        self
    }

    /// Adds a parameter that the user of the diagram must give.
    pub fn required(mut self, name: &str) -> Self {
        self.parameters.push((name.to_owned(), None));
        self
    }

    /// Adds an input.
    pub fn input(mut self, name: &str) -> Self {
        self.inputs.push(name.to_owned());
        self
    }

    /// Adds an output.
    pub fn output(mut self, name: &str, value: &str) -> Self {
        self.outputs.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Adds a block with its inputs and parameters.
    pub fn block(mut self, name: &str, kind: &str, fields: &[(&str, &str)]) -> Self {
        let kind = [("type", kind)];
        let fields = kind.iter().chain(fields).map(|(key, value)| pair(key, value));
        self.blocks.push((name.to_owned(), fields.collect()));
        self
    }

    /// Solves the algebraic loops through these signals, starting from these guesses.
    pub fn solve(mut self, signals: &[(&str, &str)]) -> Self {
        let signals = signals.iter().map(|(signal, guess)| pair(signal, guess));
        self.solve = Loops::Signals(signals.collect());
        self
    }

    /// Solves every algebraic loop.
    pub fn solve_all(mut self) -> Self {
        self.solve = Loops::All;
        self
    }

    fn write(&self, text: &mut String, level: usize) {
        if !self.parameters.is_empty() {
            opening(text, level, "parameters");
        }
        for (name, value) in &self.parameters {
            match value {
                Some(value) => line(text, level + 1, name, value),
                None => opening(text, level + 1, name),
            }
        }
        if !self.inputs.is_empty() {
            let inputs: Vec<_> = self.inputs.iter().map(|input| quoted(input)).collect();
            text.push_str(&format!("{}inputs: [{}]\n", indent(level), inputs.join(", ")));
        }
        mapping(text, level, "outputs", &self.outputs);
        if !self.blocks.is_empty() {
            opening(text, level, "blocks");
        }
        for (name, fields) in &self.blocks {
            mapping(text, level + 1, name, fields);
        }
        match &self.solve {
            Loops::None => {}
            Loops::All => line(text, level, "solve", "true"),
            Loops::Signals(signals) => mapping(text, level, "solve", signals),
        }
    }
}

fn pair(key: &str, value: &str) -> (String, String) {
    (key.to_owned(), value.to_owned())
}

fn indent(level: usize) -> String {
    "  ".repeat(level)
}

fn opening(text: &mut String, level: usize, key: &str) {
    text.push_str(&format!("{}{}:\n", indent(level), quoted(key)));
}

fn line(text: &mut String, level: usize, key: &str, value: &str) {
    text.push_str(&format!("{}{}: {}\n", indent(level), quoted(key), quoted(value)));
}

fn mapping(text: &mut String, level: usize, key: &str, entries: &[(String, String)]) {
    if entries.is_empty() {
        return;
    }
    opening(text, level, key);
    for (key, value) in entries {
        line(text, level + 1, key, value);
    }
}

/// A scalar: plain if none of its characters is special in YAML, otherwise in double quotes.
fn quoted(value: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_.+-*/^()<>= ".contains(c);
    let starts = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '(';
    let unsigned = value.strip_prefix('-').unwrap_or(value);
    let is_null = matches!(value, "null" | "Null" | "NULL");
    if unsigned.starts_with(starts) && value.chars().all(plain) && !value.ends_with(' ') && !is_null
    {
        return value.to_owned();
    }
    let mut text = String::from("\"");
    for c in value.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            c if c.is_control() || matches!(c, '\u{feff}' | '\u{2028}' | '\u{2029}') => {
                text.push_str(&format!("\\U{:08X}", c as u32));
            }
            c => text.push(c),
        }
    }
    text.push('"');
    text
}
