//! What models are made of: every block, every function and the values that examples give to
//! fields. All of it comes from the program itself, so that a new block or function is tried without
//! a change here.

use std::collections::BTreeMap;

use superdense::{
    Accepts, Arity, Elem, Function, Info, Input, Library, Shape, descriptions, parse_value,
};

/// What an expression gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    Real,
    Bool,
    /// A vector of three.
    Vector,
    /// A matrix of two rows and two columns.
    Matrix,
}

impl Sort {
    pub const ALL: [Sort; 4] = [Sort::Real, Sort::Bool, Sort::Vector, Sort::Matrix];

    /// A value of this sort.
    pub fn sample(self) -> &'static str {
        match self {
            Sort::Real => "0.5",
            Sort::Bool => "true",
            Sort::Vector => "[1, 2, 3]",
            Sort::Matrix => "[[2, 1], [1, 3]]",
        }
    }

    fn of(text: &str) -> Option<Sort> {
        let ty = parse_value(text).ok()?.ty();
        match (ty.elem, ty.shape) {
            (Elem::Bool, Shape::Scalar) => Some(Sort::Bool),
            (_, Shape::Scalar) => Some(Sort::Real),
            (_, Shape::Vector(3)) => Some(Sort::Vector),
            (_, Shape::Matrix(2, 2)) => Some(Sort::Matrix),
            _ => None,
        }
    }
}

/// A function with arguments that it takes, and what it gives.
#[derive(Clone, Debug)]
pub struct Rule {
    pub name: &'static str,
    pub arguments: Vec<Sort>,
    pub result: Sort,
}

/// What models are made of.
pub struct Vocabulary {
    pub blocks: Vec<Info>,
    /// Functions that have values.
    pub rules: Vec<Rule>,
    /// Functions that ask about signals.
    pub asking: Vec<&'static str>,
    /// Values that the examples give to a field, by its name.
    given: BTreeMap<String, Vec<String>>,
}

impl Vocabulary {
    pub fn new() -> Vocabulary {
        let mut blocks = descriptions(&Library::standard());
        blocks.iter_mut().flat_map(|info| &mut info.inputs).for_each(expect_events);
        let (mut rules, mut asking) = (Vec::new(), Vec::new());
        for (function, name, arity, _) in Function::table() {
            match function.asks_about_signals() {
                true => asking.push(*name),
                false => rules.extend(rules_of(name, *arity)),
            }
        }
        let mut given = BTreeMap::new();
        blocks.iter().for_each(|info| gather(&info.example, &mut given));
        assert!(blocks.len() > 100 && rules.len() > 60 && asking.len() > 5, "what there is");
        Vocabulary { blocks, rules, asking, given }
    }

    /// The values that examples give to a field of this name.
    pub fn given(&self, field: &str) -> &[String] {
        self.given.get(field).map_or(&[], Vec::as_slice)
    }
}

/// A diagram does not declare which of its inputs take events; their descriptions say so.
fn expect_events(input: &mut Input) {
    if input.presence == Accepts::Any && input.about.contains("event") {
        input.presence = Accepts::Discrete;
    }
}

/// What functions take; constants may be truth values where signals may not.
const NUMBERS: [Sort; 3] = [Sort::Real, Sort::Vector, Sort::Matrix];

/// The arguments that a function takes, found by trying.
fn rules_of(name: &'static str, arity: Arity) -> Vec<Rule> {
    let counts = match arity {
        Arity::Exactly(count) => count..=count,
        Arity::AtLeast(count) => count..=count + 1,
    };
    let mut rules = Vec::new();
    for count in counts {
        let mut lists: Vec<Vec<Sort>> = vec![Vec::new()];
        for _ in 0..count {
            let longer = |list: &Vec<Sort>| {
                let list = list.clone();
                NUMBERS.map(|sort| [list.clone(), vec![sort]].concat())
            };
            lists = lists.iter().flat_map(longer).collect();
        }
        for arguments in lists {
            let samples: Vec<&str> = arguments.iter().map(|sort| sort.sample()).collect();
            if let Some(result) = Sort::of(&format!("{name}({})", samples.join(", "))) {
                rules.push(Rule { name, arguments, result });
            }
        }
    }
    rules
}

/// Adds the values of the fields of a text.
fn gather(text: &str, given: &mut BTreeMap<String, Vec<String>>) {
    for (at, _) in text.match_indices(": ") {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let name = text[..at].rsplit(|c| !is_name(c)).next().unwrap_or_default();
        let value = value(&text[at + 2..]);
        // What names something of its example means nothing elsewhere.
        let plain = parse_value(value.trim_matches(['"', '\''])).is_ok();
        if !name.is_empty() && plain {
            let values = given.entry(name.to_owned()).or_default();
            if !values.iter().any(|known| known == value) {
                values.push(value.to_owned());
            }
        }
    }
}

/// The value at the beginning of a text: to the end of its brackets, its quotes, its mapping or its
/// line.
fn value(text: &str) -> &str {
    let (mut depth, mut quote) = (0, None);
    for (at, c) in text.char_indices() {
        match (c, quote) {
            ('\n', _) => return text[..at].trim(),
            (_, Some(own)) if c == own => quote = None,
            (_, Some(_)) => {}
            ('"' | '\'', None) => quote = Some(c),
            ('[' | '(' | '{', None) => depth += 1,
            (',', None) if depth == 0 => return text[..at].trim(),
            (']' | ')' | '}', None) if depth == 0 => return text[..at].trim(),
            (']' | ')' | '}', None) => depth -= 1,
            _ => {}
        }
    }
    text.trim()
}
