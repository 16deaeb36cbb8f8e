//! A model that records something else than it says.

use expr::Place;
use model::{Model, Record, Refused};

/// The same model with an expression over its signals as the only thing that is recorded.
pub fn record_only(model: &Model, name: &str, expression: &str) -> Result<Model, Refused> {
    let mut model = model.clone();
    let file = model.sources.add(name, expression);
    match expr::parse(expression, Place::Verbatim(file, 0)) {
        Ok(value) => {
            model.record = vec![Record { name: name.to_owned(), value }];
            Ok(model)
        }
        Err(error) => Err(Refused { diagnostics: error.into(), sources: model.sources }),
    }
}
