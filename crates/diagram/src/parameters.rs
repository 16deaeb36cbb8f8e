//! Parameters of a diagram: expressions over each other, in any order, without cycles.

use base::{Diagnostic, Span, Value, did_you_mean};
use expr::{Expr, evaluate};
use model::Diagram;
use rustc_hash::FxHashMap;

use crate::open::{Names, Opening, sorted};

/// How many names of a long cycle are shown at its beginning and at its end.
const SHOWN: usize = 8;

/// The values of all parameters of an instance. `given` has those that come from outside; `main`
/// says whether it is the main diagram, whose parameters each run may set.
pub(crate) fn evaluate_all(
    diagram: &Diagram,
    given: Names,
    (opening, main): (&Opening, bool),
    errors: &mut base::Diagnostics,
    missing_at: Option<Span>,
) -> Names {
    let numbers = diagram.parameters.iter().enumerate().map(|(i, p)| (p.name.value.as_str(), i));
    let mut values = given;
    for parameter in &diagram.parameters {
        for (index, word) in parameter.words.iter().enumerate() {
            values.entry(word.value.clone()).or_insert(Value::int(index as i64));
        }
    }
    let mut table = Table {
        diagram,
        numbers: numbers.collect(),
        values,
        opening,
        main,
        state: vec![State::New; diagram.parameters.len()],
    };
    for (number, parameter) in diagram.parameters.iter().enumerate() {
        if table.state[number] == State::New {
            let at = missing_at.unwrap_or(parameter.name.span);
            table.find(number, at).unwrap_or_else(|error| errors.push(error));
        }
    }
    for parameter in &diagram.parameters {
        // A parameter that failed has been reported; a value replaces it, so that the rest of
        // the model can be checked.
        if !table.values.contains_key(&parameter.name.value) {
            table.values.insert(parameter.name.value.clone(), Value::real(1.0));
        }
    }
    table.values
}

/// What was done about a parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    /// It waits for others, or it has failed and so have those that wait for it.
    Open,
    Known,
}

struct Table<'m> {
    diagram: &'m Diagram,
    numbers: FxHashMap<&'m str, usize>,
    values: Names,
    opening: &'m Opening,
    main: bool,
    state: Vec<State>,
}

impl Table<'_> {
    /// Finds the value of a parameter, after those that it turns out to need. They wait in a list,
    /// not on the stack of calls: there may be any number of them.
    fn find(&mut self, number: usize, span: Span) -> Result<(), Diagnostic> {
        let mut waiting = vec![(number, span)];
        while let Some((number, span)) = waiting.last().copied() {
            self.state[number] = State::Open;
            match self.attempt(number, span)? {
                None => {
                    self.state[number] = State::Known;
                    waiting.pop();
                }
                Some((needed, _)) if self.state[needed] == State::Open => {
                    let first = waiting.iter().position(|(number, _)| *number == needed);
                    // What is not waiting has failed, and that was reported.
                    return first.map_or(Ok(()), |first| Err(self.cycle(&waiting[first..])));
                }
                Some(needed) => waiting.push(needed),
            }
        }
        Ok(())
    }

    /// Evaluates a parameter, or returns which other one has to be known before, and its place.
    fn attempt(&mut self, number: usize, span: Span) -> Result<Option<(usize, Span)>, Diagnostic> {
        let parameter = &self.diagram.parameters[number];
        let name = &parameter.name.value;
        if self.values.contains_key(name) {
            return Ok(None);
        }
        let Some(value) = &parameter.value else {
            let message = format!("parameter `{name}` has no value");
            return Err(Diagnostic::error("missing-parameter", message)
                .at(span, format!("`{name}` must be given")));
        };
        let mut needed = None;
        let result = evaluate(value, &mut |name, span| {
            if let Some(value) = self.values.get(name) {
                return Ok(value.clone());
            }
            needed = self.numbers.get(name).map(|number| (*number, span));
            Err(self.unknown(name, span))
        });
        match (needed, result) {
            (Some(needed), _) => Ok(Some(needed)),
            (None, Err(error)) => Err(error),
            (None, Ok(found)) => {
                let found = match self.main {
                    true => self.opening.main(name, Some(value), &self.values, found),
                    false => self.opening.open(value, &self.values, found),
                };
                self.values.insert(name.clone(), found);
                Ok(None)
            }
        }
    }

    fn unknown(&self, name: &str, span: Span) -> Diagnostic {
        let error = Diagnostic::error("unknown-name", format!("there is no parameter `{name}`"))
            .at(span, "a parameter is an expression over other parameters");
        match self.numbers.contains_key(name) {
            true => error,
            false => {
                let mut known: Vec<&str> = self.numbers.keys().copied().collect();
                known.sort_unstable();
                error.maybe_help(did_you_mean(name, known))
            }
        }
    }

    /// The refusal of a parameter that needs itself, by way of those that wait.
    fn cycle(&self, waiting: &[(usize, Span)]) -> Diagnostic {
        let parameters = &self.diagram.parameters;
        let around = waiting.iter().chain(waiting.first());
        let mut names: Vec<&str> =
            around.map(|(number, _)| parameters[*number].name.value.as_str()).collect();
        if names.len() > 2 * SHOWN {
            names.splice(SHOWN..names.len() - SHOWN, ["..."]);
        }
        let own = &parameters[waiting[0].0].name;
        let message = format!("parameter `{}` is defined by itself", own.value);
        Diagnostic::error("parameter-cycle", message)
            .at(own.span, "defined here")
            .note(format!("the cycle is {}", names.join(" -> ")))
            .help("give one of them a number")
    }
}

/// The refusal of a value for a parameter that the main diagram does not have.
pub fn unknown_parameter<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Diagnostic {
    Diagnostic::error("unknown-parameter", format!("the model has no parameter `{name}`"))
        .maybe_help(did_you_mean(name, known))
}

/// What a name is that is not the name of a constant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moving {
    /// A signal.
    Signal,
    /// A parameter that a transition sets.
    Set,
    /// Nothing that is known.
    Unknown,
}

/// The refusal of a parameter that depends on one that a transition sets.
pub(crate) fn depends_on_set(name: &str, on: &str, span: Span) -> Diagnostic {
    let message = format!("parameter `{name}` depends on `{on}`, which may change during a run");
    Diagnostic::error("not-constant", message)
        .at(span, "a parameter is fixed before the run")
        .help(format!("write the expression where `{name}` is used, or set `{name}` as well"))
}

/// The value of an expression over the parameters of an instance.
pub(crate) fn constant(
    expr: &Expr,
    parameters: &Names,
    opening: &Opening,
    moving: &dyn Fn(&str) -> Moving,
) -> Result<Value, Diagnostic> {
    opening.evaluate(expr, parameters, &mut |name, span| match moving(name) {
        Moving::Set => {
            let message = format!("`{name}` may change during a run, and this must be constant");
            Diagnostic::error("not-constant", message).at(span, "not fixed before the run").help(
                "give a number, or a parameter that is not tunable and that no transition sets",
            )
        }
        moving if moving == Moving::Signal || name == "time" => {
            let message = format!("`{name}` is a signal, and a parameter must be constant");
            Diagnostic::error("not-constant", message).at(span, "a signal")
        }
        _ => {
            let message = format!("there is no parameter `{name}`");
            Diagnostic::error("unknown-name", message)
                .at(span, "not found")
                .maybe_help(did_you_mean(name, sorted(parameters)))
        }
    })
}
