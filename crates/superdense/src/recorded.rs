//! A model that records something other than what it specifies.

use expr::{Expr, Place};
use model::{Model, Record, Refused};

/// The same model recording one thing only: a column that it already records, by name, or an
/// expression over its signals.
pub fn record_only(model: &Model, name: &str, expression: &str) -> Result<Model, Refused> {
    let mut model = model.clone();
    let known = model.record.iter().find(|record| record.name == expression);
    let value = match known.map(|record| record.value.clone()) {
        Some(value) => value,
        None => parsed(&mut model, name, expression)?,
    };
    model.record = vec![Record { name: name.to_owned(), value }];
    // The figures refer to signals that are no longer recorded.
    model.plots.clear();
    Ok(model)
}

fn parsed(model: &mut Model, name: &str, expression: &str) -> Result<Expr, Refused> {
    let file = model.sources.add(name, expression);
    expr::parse(expression, Place::Verbatim(file, 0))
        .map_err(|error| Refused { diagnostics: error.into(), sources: model.sources.clone() })
}
