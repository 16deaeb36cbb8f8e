//! The parameters of an instance, as names inside it.

use super::{
    Content, Frame, Name, Signals, Translation, define_special, is_int, names, value_around,
};
use crate::Problem;
use crate::translate::scope::Scope;
use crate::tree::Component;

/// Defines the parameters of an instance inside it; returns the fields that give it the first values
/// of those that are ports, too.
pub(super) fn define_parameters(
    frame: &Frame,
    own: &Component,
    scope: &Scope,
    inputs: &Signals,
    inner: &mut Content,
) -> Result<Vec<(String, String)>, Problem> {
    let mut fields = Vec::new();
    for parameter in own.properties.iter().filter(|own| own.is_parameter()) {
        let Some(text) = parameter.text() else { continue };
        if let Some(signal) = inputs.get(&(parameter.name.clone(), 0)) {
            if !frame.events {
                scope.define_input(&parameter.name, signal);
                continue;
            }
            let given = format!("{}_initial", parameter.name);
            let given = names::fresh(&given, &mut inner.used);
            let initial = value_around(own, parameter, text, &frame.scope)?;
            inner.parameters.push((given.clone(), None));
            fields.push((given.clone(), initial));
            let held = Translation::kept(&parameter.name, signal, &given, inner);
            scope.define_input(&parameter.name, &held);
        } else if !define_special(scope, parameter, text) {
            // A name that is also visible outside may be used again inside.
            inner.used.remove(&names::plain(&parameter.name));
            let name = names::fresh(&parameter.name, &mut inner.used);
            scope.define_raw(&parameter.name, text);
            let int = is_int(text, scope, &parameter.name);
            scope.define(&parameter.name, Ok(Name::Text(name, int)));
        }
    }
    Ok(fields)
}
