//! Models of everything that the language has: sections, blocks with random settings, state
//! machines, enabled and triggered instances, arrays, inputs from data files, expressions of all
//! sorts.

mod expressions;
mod sections;
mod vocabulary;

use superdense::{Accepts, Count, Info, Input, Kind, Parameter};

use crate::common::draws::Draws;
use expressions::{Expressions, Known};
use vocabulary::Sort;

pub use sections::DATA;
pub use vocabulary::Vocabulary;

/// Settings of all kinds, beside those that examples have.
const NUMBERS: [&str; 18] = [
    "0", "1", "2", "3", "-1", "0.5", "0.1", "0.25", "1e-3", "1e-9", "1e9", "1/3", "10", "100",
    "inf", "-inf", "k", "2 * k",
];
const TIMES: [&str; 14] = [
    "0.1", "0.25", "1/3", "0.5", "1", "0.01", "1e-3", "0", "-0.1", "1e-18", "1e-19", "2", "k",
    "inf",
];
const LISTS: [&str; 6] = ["[0.1]", "[0.1, 0.4]", "[0, 0.2, 0.2]", "[]", "[0.3, 0.1]", "[1/3, k]"];
const OTHERS: [&str; 8] =
    ["[1, 2, 3]", "[1, 2]", "[[1, 2], [3, 4]]", "[]", "true", "[[1]]", "'zeros(3)'", "'[1, k]'"];

/// A model of a few blocks that read each other.
pub fn model(vocabulary: &Vocabulary, draws: &mut Draws) -> String {
    let wild = *draws.pick(&[0, 0, 1, 5]);
    let names = Vec::new();
    let expressions = Expressions { vocabulary, names, functions: Vec::new(), wild };
    Maker { expressions, draws, text: String::new() }.model()
}

/// A text in the making.
struct Maker<'v, 'd> {
    expressions: Expressions<'v>,
    draws: &'d mut Draws,
    text: String,
}

impl<'v> Maker<'v, '_> {
    /// Adds a line with an indentation.
    fn line(&mut self, indent: usize, line: &str) {
        self.text += &format!("{:indent$}{line}\n", "");
    }

    /// Makes a name known to expressions.
    fn know(&mut self, name: &str, sort: Sort, event: bool) {
        self.expressions.names.push(Known { name: name.to_owned(), sort, event });
    }

    /// An expression over signals that are always present.
    fn expression(&mut self, sort: Sort, depth: usize) -> String {
        self.expressions.make(sort, depth, None, self.draws)
    }

    /// An expression over an event.
    fn event(&mut self, depth: usize) -> String {
        let Some(name) = self.expressions.name(Sort::Real, true, self.draws) else {
            return "absent".to_owned();
        };
        let name = name.to_owned();
        match self.draws.chance(60) {
            true => name,
            false => self.expressions.make(Sort::Real, depth, Some(&name), self.draws),
        }
    }

    /// A signal for an input, in quotes; whether it is an event.
    fn signal(&mut self, accepts: Accepts) -> (String, bool) {
        let percent = match accepts {
            Accepts::Any => 25,
            Accepts::Discrete => 95,
            Accepts::Continuous => 3,
        };
        let event = self.draws.chance(percent);
        let signal = match event {
            true => self.event(2),
            false if self.draws.chance(50) => self.expression(Sort::Real, 2),
            false => {
                let sort = match self.draws.below(30) {
                    0 => Sort::Bool,
                    1..=3 => Sort::Vector,
                    _ => Sort::Real,
                };
                let name = self.expressions.name(sort, false, self.draws).map(str::to_owned);
                name.unwrap_or_else(|| "time".to_owned())
            }
        };
        (format!("'{signal}'"), event)
    }

    /// A block of any kind, with any settings.
    fn block(&mut self, name: &str, indent: usize) {
        match self.draws.below(10) {
            0..=2 => self.expression_block(name, indent),
            _ => {
                let vocabulary = self.expressions.vocabulary;
                let info = self.draws.pick(&vocabulary.blocks);
                self.library_block(info, name, indent);
            }
        }
    }

    fn expression_block(&mut self, name: &str, indent: usize) {
        let event = self.draws.chance(25);
        let sort =
            *self.draws.pick(&[Sort::Real, Sort::Real, Sort::Real, Sort::Bool, Sort::Vector]);
        let sort = if event { Sort::Real } else { sort };
        let expression = if event { self.event(3) } else { self.expression(sort, 3) };
        let block = format!("{name}: {{type: Expression, expression: '{expression}'}}");
        self.line(indent, &block);
        self.know(name, sort, event);
    }

    fn library_block(&mut self, info: &Info, name: &str, indent: usize) {
        self.line(indent, &format!("{name}:"));
        self.line(indent + 2, &format!("type: {}", info.name));
        if self.draws.chance(3) {
            self.line(indent + 2, "for: {i: 2}");
        }
        let mut event = false;
        for input in &info.inputs {
            if input.count == Count::Optional && self.draws.chance(50) {
                continue;
            }
            event |= self.input(input, indent + 2);
        }
        for parameter in &info.parameters {
            if parameter.default.is_none() || self.draws.chance(25) {
                let value = self.setting(parameter);
                self.line(indent + 2, &format!("{}: {value}", parameter.name));
            }
        }
        let source = info.inputs.is_empty() && info.category.contains("vent");
        // What becomes of an event that goes in depends on the block.
        if source || !event || self.draws.chance(10) {
            for output in &info.outputs {
                let alone = info.outputs.len() == 1;
                let output = format!("{name}.{}", output.name);
                self.know(if alone { name } else { &output }, Sort::Real, source);
            }
        }
    }

    /// A line for an input; whether an event goes in.
    fn input(&mut self, input: &Input, indent: usize) -> bool {
        let count = match input.count {
            Count::Many => 1 + self.draws.place(3),
            _ => 1,
        };
        let signals: Vec<(String, bool)> =
            (0..count).map(|_| self.signal(input.presence)).collect();
        let texts: Vec<&str> = signals.iter().map(|(text, _)| text.as_str()).collect();
        let value = match input.count {
            Count::Many => format!("[{}]", texts.join(", ")),
            _ => texts.concat(),
        };
        self.line(indent, &format!("{}: {value}", input.name));
        signals.iter().any(|(_, event)| *event)
    }

    /// A value for a parameter of a block: one that an example gives, its default, or any.
    fn setting(&mut self, parameter: &Parameter) -> String {
        if let Kind::Word(words) = &parameter.kind {
            return self.draws.pick(words).to_string();
        }
        let given = self.expressions.vocabulary.given(&parameter.name);
        if !given.is_empty() && self.draws.chance(80) {
            return self.draws.pick(given).clone();
        }
        if let Some(default) = &parameter.default
            && self.draws.chance(50)
        {
            return format!("'{default}'");
        }
        match parameter.kind {
            Kind::Time => self.draws.pick(&TIMES),
            Kind::Times => self.draws.pick(&LISTS),
            Kind::Value if self.draws.chance(30) => self.draws.pick(&OTHERS),
            _ => self.draws.pick(&NUMBERS),
        }
        .to_string()
    }
}
