//! A model that records something other than what it specifies.

use expr::{Expr, Place};
use model::{Model, Record, Refused};

/// The same model recording these things only, each a name and what it stands for: a column that
/// the model already records, by name, or an expression over its signals.
pub fn record_only(model: &Model, recorded: &[(&str, &str)]) -> Result<Model, Refused> {
    let mut model = model.clone();
    let mut records = Vec::new();
    for (name, expression) in recorded {
        let known = model.record.iter().find(|record| record.name == *expression);
        let value = match known.map(|record| record.value.clone()) {
            Some(value) => value,
            None => parsed(&mut model, name, expression)?,
        };
        records.push(Record { name: (*name).to_owned(), value });
    }
    model.record = records;
    // The figures refer to signals that are no longer recorded.
    model.plots.clear();
    Ok(model)
}

fn parsed(model: &mut Model, name: &str, expression: &str) -> Result<Expr, Refused> {
    let file = model.sources.add(name, expression);
    expr::parse(expression, Place::Verbatim(file, 0))
        .map_err(|error| Refused { diagnostics: error.into(), sources: model.sources.clone() })
}
