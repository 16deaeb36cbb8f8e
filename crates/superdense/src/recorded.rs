//! A model that records something else than it says.

use expr::{Expr, Place};
use model::{Model, Record, Refused};

/// The same model with one thing recorded: a column that it records already, by its name, or an
/// expression over its signals.
pub fn record_only(model: &Model, name: &str, expression: &str) -> Result<Model, Refused> {
    let mut model = model.clone();
    let known = model.record.iter().find(|record| record.name == expression);
    let value = match known.map(|record| record.value.clone()) {
        Some(value) => value,
        None => parsed(&mut model, name, expression)?,
    };
    model.record = vec![Record { name: name.to_owned(), value }];
    // Figures are of signals that are recorded no more.
    model.plots.clear();
    Ok(model)
}

fn parsed(model: &mut Model, name: &str, expression: &str) -> Result<Expr, Refused> {
    let file = model.sources.add(name, expression);
    expr::parse(expression, Place::Verbatim(file, 0))
        .map_err(|error| Refused { diagnostics: error.into(), sources: model.sources.clone() })
}
