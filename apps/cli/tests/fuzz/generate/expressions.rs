//! Expressions of a wanted sort, over the names of a model.

use super::vocabulary::{Rule, Sort, Vocabulary};
use crate::common::draws::Draws;

const REALS: [&str; 16] = [
    "0", "1", "2", "-1", "0.5", "1e-3", "1e6", "1/3", "time", "pi", "-0.25", "3", "10", "0.1",
    "1e-9", "inf",
];
const VECTORS: [&str; 4] = ["[1, 2, 3]", "[0, 0, 1]", "zeros(3)", "[time, 1, -1]"];
const MATRICES: [&str; 4] =
    ["[[1, 2], [3, 4]]", "[[0, 1], [-1, 0]]", "identity(2)", "[[time, 1], [1, 2]]"];
/// Values whose size fits nothing.
const ODD: [&str; 6] = ["[]", "[1, 2]", "[[1, 2, 3]]", "zeros(0)", "[true, false]", "absent"];

/// A name and what it stands for.
#[derive(Clone, Debug)]
pub struct Known {
    pub name: String,
    pub sort: Sort,
    /// Whether it is present at some instants only, as far as that is known.
    pub event: bool,
}

/// What expressions are made of.
pub struct Expressions<'v> {
    pub vocabulary: &'v Vocabulary,
    pub names: Vec<Known>,
    /// Functions of the file, with the number of their arguments.
    pub functions: Vec<(String, usize)>,
    /// How many of a hundred parts of an expression are of any sort instead of the right one.
    pub wild: u64,
}

impl Expressions<'_> {
    /// A name, of a signal that is present at some instants only or of one that always is.
    pub fn name(&self, sort: Sort, event: bool, draws: &mut Draws) -> Option<&str> {
        let fits = |known: &&Known| known.sort == sort && known.event == event;
        let fitting: Vec<&Known> = self.names.iter().filter(fits).collect();
        (!fitting.is_empty()).then(|| draws.pick(&fitting).name.as_str())
    }

    /// An expression; if it is one over an event, that is the only one in it.
    pub fn make(&self, sort: Sort, depth: usize, event: Option<&str>, draws: &mut Draws) -> String {
        let sort = if draws.chance(self.wild) { *draws.pick(&Sort::ALL) } else { sort };
        if depth == 0 || draws.chance(20) {
            return self.leaf(sort, event, draws);
        }
        let make = |sort: Sort, draws: &mut Draws| self.make(sort, depth - 1, event, draws);
        match (draws.below(12), sort) {
            (0..=3, _) => self.call(sort, depth, event, draws),
            (4, _) => {
                let (c, a, b) = (make(Sort::Bool, draws), make(sort, draws), make(sort, draws));
                format!("(if {c} then {a} else {b})")
            }
            (5, _) if draws.chance(50) => self.ask(sort, depth, event, draws),
            (_, Sort::Bool) => match draws.below(3) {
                0 => format!("(not {})", make(Sort::Bool, draws)),
                1 => {
                    let operator = draws.pick(&["and", "or", "==", "!="]);
                    format!("({} {operator} {})", make(sort, draws), make(sort, draws))
                }
                _ => {
                    let operator = draws.pick(&["<", "<=", ">", ">=", ">", "<", "==", "!="]);
                    format!("({} {operator} {})", make(Sort::Real, draws), make(Sort::Real, draws))
                }
            },
            (6, Sort::Real) => {
                format!("{}[{}]", make(Sort::Vector, draws), self.index(3, depth, event, draws))
            }
            (7, Sort::Real) => {
                let matrix = make(Sort::Matrix, draws);
                let row = self.index(2, depth, event, draws);
                format!("{matrix}[{row}, {}]", self.index(2, depth, event, draws))
            }
            (6, Sort::Vector) => {
                let elements: Vec<String> = (0..3).map(|_| make(Sort::Real, draws)).collect();
                format!("[{}]", elements.join(", "))
            }
            (7, Sort::Vector | Sort::Matrix) => {
                format!("({} * {})", make(Sort::Real, draws), make(sort, draws))
            }
            _ => {
                let operator = draws.pick(&["+", "-", "*", "+", "-", "*", "/", "^"]);
                format!("({} {operator} {})", make(sort, draws), make(sort, draws))
            }
        }
    }

    /// An index below a count, most often a number.
    fn index(&self, count: u64, depth: usize, event: Option<&str>, draws: &mut Draws) -> String {
        match draws.below(20) {
            1 if draws.chance(10 * self.wild) => "-1".to_owned(),
            0 => self.make(Sort::Real, depth - 1, event, draws),
            _ => draws.below(count).to_string(),
        }
    }

    fn leaf(&self, sort: Sort, event: Option<&str>, draws: &mut Draws) -> String {
        if draws.chance(self.wild) {
            return (*draws.pick(&ODD)).to_owned();
        }
        if let Some(event) = event.filter(|_| sort == Sort::Real && draws.chance(50)) {
            return event.to_owned();
        }
        if draws.chance(60)
            && let Some(name) = self.name(sort, false, draws)
        {
            return name.to_owned();
        }
        match sort {
            Sort::Real => draws.pick(&REALS),
            Sort::Bool => draws.pick(&["true", "false", "(time > 0.5)", "(time < 0.3)"]),
            Sort::Vector => draws.pick(&VECTORS),
            Sort::Matrix => draws.pick(&MATRICES),
        }
        .to_string()
    }

    /// A call of a function of the language, or of one of the file.
    fn call(&self, sort: Sort, depth: usize, event: Option<&str>, draws: &mut Draws) -> String {
        if draws.chance(25) && !self.functions.is_empty() {
            let (name, count) = draws.pick(&self.functions).clone();
            let sort = |draws: &mut Draws| if draws.chance(80) { Sort::Real } else { sort };
            let arguments: Vec<String> = (0..count)
                .map(|_| {
                    let sort = sort(draws);
                    self.make(sort, depth - 1, event, draws)
                })
                .collect();
            return format!("{name}({})", arguments.join(", "));
        }
        let fitting: Vec<&Rule> =
            self.vocabulary.rules.iter().filter(|rule| rule.result == sort).collect();
        if fitting.is_empty() {
            return self.leaf(sort, event, draws);
        }
        let rule = *draws.pick(&fitting);
        let arguments = rule.arguments.iter().map(|sort| self.make(*sort, depth - 1, event, draws));
        format!("{}({})", rule.name, arguments.collect::<Vec<_>>().join(", "))
    }

    /// A function that asks about a signal.
    fn ask(&self, sort: Sort, depth: usize, event: Option<&str>, draws: &mut Draws) -> String {
        let name = *draws.pick(&self.vocabulary.asking);
        let signal = match draws.chance(50) {
            true => self.name(Sort::Real, true, draws).map(str::to_owned),
            false => None,
        };
        let signal = signal.unwrap_or_else(|| self.make(sort, depth - 1, event, draws));
        match name {
            // Its value is a truth value, whatever it asks about.
            "present" if sort != Sort::Bool && !draws.chance(self.wild) => {
                format!("(if present({signal}) then 1 else 0)")
            }
            "delta" if !draws.chance(20) => "delta(time - 0.3)".to_owned(),
            "last" => format!("last({signal}, {})", self.leaf(sort, None, draws)),
            "when" => {
                format!("when({}, {signal})", self.make(Sort::Bool, depth - 1, event, draws))
            }
            name => format!("{name}({signal})"),
        }
    }
}
