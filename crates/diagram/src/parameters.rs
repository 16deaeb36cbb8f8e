//! Parameters of a diagram: expressions over each other, in any order, without cycles.

use std::collections::HashMap;

use base::{Diagnostic, Span, Value, did_you_mean};
use expr::{Expr, evaluate};
use model::Diagram;

/// The values of all parameters of an instance. `given` has those that come from outside.
pub(crate) fn evaluate_all(
    diagram: &Diagram,
    given: HashMap<String, Value>,
    errors: &mut base::Diagnostics,
    missing_at: Option<Span>,
) -> HashMap<String, Value> {
    let mut table = Table { diagram, values: given, visiting: Vec::new(), failed: Vec::new() };
    for parameter in &diagram.parameters {
        let name = &parameter.name.value;
        if table.failed.contains(name) {
            continue;
        }
        let at = missing_at.unwrap_or(parameter.name.span);
        if let Err(error) = table.get(name, at) {
            table.failed.append(&mut table.visiting);
            errors.push(error);
        }
    }
    for parameter in &diagram.parameters {
        // A parameter that failed has been reported; a value stands in for it, so that the rest of
        // the model can be checked.
        table.values.entry(parameter.name.value.clone()).or_insert(Value::real(1.0));
    }
    table.values
}

struct Table<'m> {
    diagram: &'m Diagram,
    values: HashMap<String, Value>,
    visiting: Vec<String>,
    failed: Vec<String>,
}

impl Table<'_> {
    fn get(&mut self, name: &str, span: Span) -> Result<Value, Diagnostic> {
        if let Some(value) = self.values.get(name) {
            return Ok(value.clone());
        }
        let known = self.diagram.parameters.iter().map(|p| p.name.value.as_str());
        let Some(parameter) = self.diagram.parameters.iter().find(|p| p.name.value == name) else {
            let message = format!("there is no parameter `{name}`");
            return Err(Diagnostic::error("unknown-name", message)
                .at(span, "a parameter is an expression over other parameters")
                .maybe_help(did_you_mean(name, known)));
        };
        if let Some(first) = self.visiting.iter().position(|visited| visited == name) {
            let mut cycle = self.visiting[first..].to_vec();
            cycle.push(name.to_owned());
            let message = format!("parameter `{name}` is defined by itself");
            return Err(Diagnostic::error("parameter-cycle", message)
                .at(parameter.name.span, "defined here")
                .note(format!("the cycle is {}", cycle.join(" -> ")))
                .help("give one of them a number"));
        }
        let Some(value) = &parameter.value else {
            let message = format!("parameter `{name}` has no value");
            return Err(Diagnostic::error("missing-parameter", message)
                .at(span, format!("`{name}` must be given")));
        };
        self.visiting.push(name.to_owned());
        let result = evaluate(value, &mut |name, span| self.get(name, span))?;
        self.visiting.pop();
        self.values.insert(name.to_owned(), result.clone());
        Ok(result)
    }
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
    let message = format!("parameter `{name}` depends on `{on}`, which a transition sets");
    Diagnostic::error("not-constant", message)
        .at(span, "a parameter is fixed before the run")
        .help(format!("write the expression where `{name}` is used, or set `{name}` as well"))
}

/// The value of an expression over the parameters of an instance.
pub(crate) fn constant(
    expr: &Expr,
    parameters: &HashMap<String, Value>,
    moving: &dyn Fn(&str) -> Moving,
) -> Result<Value, Diagnostic> {
    evaluate(expr, &mut |name, span| match (parameters.get(name), moving(name)) {
        (Some(value), _) => Ok(value.clone()),
        (None, Moving::Set) => {
            let message = format!("a transition sets `{name}`, and this must be constant");
            Err(Diagnostic::error("not-constant", message)
                .at(span, "not fixed before the run")
                .help("give a number, or a parameter that no transition sets"))
        }
        (None, moving) if moving == Moving::Signal || name == "time" => {
            let message = format!("`{name}` is a signal, and a parameter must be constant");
            Err(Diagnostic::error("not-constant", message).at(span, "a signal"))
        }
        (None, _) => {
            let message = format!("there is no parameter `{name}`");
            Err(Diagnostic::error("unknown-name", message)
                .at(span, "not found")
                .maybe_help(did_you_mean(name, parameters.keys().map(String::as_str))))
        }
    })
}
