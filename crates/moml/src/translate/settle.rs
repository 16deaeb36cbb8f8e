//! Parameters of composites: what is given where, and what asks for what.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::composite::Frame;
use super::scope::Scope;
use super::{Content, Signals, Translation, names};
use crate::Problem;
use crate::expression::{self, Name, Node};
use crate::tree::{Component, Property};

/// Makes the parameters of an inlined composite the expressions that they are: what they need may be
/// a signal in a state. One that needs another of the same composite comes after it.
pub fn inline_parameters(own: &Component, scope: &Scope, inputs: &Signals) -> Result<(), Problem> {
    let mut open: Vec<&Property> =
        own.properties.iter().filter(|own| own.is_parameter() && own.text().is_some()).collect();
    while !open.is_empty() {
        let names: BTreeSet<&str> = open.iter().map(|own| own.name.as_str()).collect();
        let before = open.len();
        open.retain(|parameter| {
            let text = parameter.text().unwrap_or_default();
            if let Some(signal) = inputs.get(&(parameter.name.clone(), 0)) {
                scope.define_input(&parameter.name, signal);
                return false;
            }
            let mut waits = false;
            if let Ok(node) = expression::parse(text) {
                let _ = expression::print(&node, &mut |other| {
                    waits |= other != parameter.name && names.contains(other);
                    Ok(Name::Text(other.to_owned(), false))
                });
            }
            if !waits && !define_special(scope, parameter, text) {
                scope.define_raw(&parameter.name, text);
                let printed = scope.print(text, Some(&parameter.name));
                scope.define(&parameter.name, printed.map(|own| Name::Text(own.text, own.int)));
            }
            waits
        });
        if open.len() == before {
            let subject = format!("entity {}", own.path);
            let reason = "parameters depend on each other";
            return Err(Problem::wrong(&own.file, own.line, &subject, reason));
        }
    }
    Ok(())
}

/// Defines functions and strings, which are no parameters of ours. Returns whether it is one.
pub fn define_special(scope: &Scope, parameter: &Property, text: &str) -> bool {
    if parameter.class.ends_with("StringParameter") {
        scope.define_string(&parameter.name, &scope.substituted(text));
        return true;
    }
    match expression::parse(text) {
        Ok(Node::Function(names, body)) => {
            scope.define(&parameter.name, Ok(Name::Function(names, *body)));
            true
        }
        Ok(Node::Text(value)) => {
            scope.define_string(&parameter.name, &value);
            true
        }
        Ok(_) => false,
        // It is an error only if something asks for it.
        Err(error) => {
            scope.define(&parameter.name, Err(error));
            true
        }
    }
}

pub fn is_int(text: &str, scope: &Scope, name: &str) -> bool {
    let mut quiet = |other: &str| scope.peek(other, Some(name));
    let node = expression::parse(text);
    node.and_then(|node| expression::print(&node, &mut quiet)).is_ok_and(|own| own.int)
}

/// Gives the parameters that were asked for their values, in the scope of the composite itself.
pub fn settle_parameters(
    own: &Component,
    scope: &Rc<Scope>,
    content: &mut Content,
) -> Result<(), Problem> {
    for (parameter, name) in asked(own, scope) {
        let text = print(own, parameter, scope, Some(&parameter.name))?;
        content.parameters.push((name, Some(text)));
    }
    Ok(())
}

/// The parameters of a diagram: those that need its own are its defaults, the others are given where
/// it is used.
pub fn instance_parameters(
    own: &Component,
    scope: &Rc<Scope>,
    inner: &mut Content,
) -> Result<Vec<(String, String)>, Problem> {
    let mut fields = Vec::new();
    let Some(outer) = scope.parent() else { return Ok(fields) };
    for (parameter, name) in asked(own, scope) {
        let text = parameter.text().unwrap_or_default();
        let node = expression::parse(text).unwrap_or(Node::Bool(false));
        let mut needs_own = false;
        let _ = expression::print(&node, &mut |other| {
            let is_own = other != parameter.name
                && own.properties.iter().any(|own| own.is_parameter() && own.name == other);
            needs_own |= is_own;
            Ok(Name::Text(other.to_owned(), false))
        });
        match needs_own {
            true => {
                let text = print(own, parameter, scope, Some(&parameter.name))?;
                inner.parameters.push((name, Some(text)));
            }
            false => {
                inner.parameters.push((name.clone(), None));
                fields.push((name, print(own, parameter, outer, None)?));
            }
        }
    }
    Ok(fields)
}

/// Parameters of a composite that something asks for, those that their values ask for included.
fn asked<'a>(own: &'a Component, scope: &Rc<Scope>) -> Vec<(&'a Property, String)> {
    let mut found: BTreeMap<usize, String> = BTreeMap::new();
    loop {
        let before = found.len();
        for (at, parameter) in own.properties.iter().enumerate() {
            let text = parameter.text();
            let (true, Some(text)) = (parameter.is_parameter(), text) else { continue };
            if !scope.is_asked(&parameter.name) || found.contains_key(&at) {
                continue;
            }
            let Ok(Name::Text(name, _)) = scope.find(&parameter.name, None) else { continue };
            if scope.is_input(&name) {
                continue;
            }
            found.insert(at, name);
            let Ok(node) = expression::parse(text) else { continue };
            let _ = expression::print(&node, &mut |other| {
                let is_own = other != parameter.name
                    && own.properties.iter().any(|own| own.is_parameter() && own.name == other);
                if is_own {
                    let _ = scope.find(other, None);
                }
                Ok(Name::Text(other.to_owned(), false))
            });
        }
        if found.len() == before {
            return found.into_iter().map(|(at, name)| (&own.properties[at], name)).collect();
        }
    }
}

fn print(
    own: &Component,
    parameter: &Property,
    scope: &Scope,
    except: Option<&str>,
) -> Result<String, Problem> {
    let text = parameter.text().unwrap_or_default();
    scope.print(text, except).map(|own| own.text).map_err(|reason| {
        let subject = format!("property {}.{}", own.path, parameter.name);
        let reason = format!("`{text}`: {reason}");
        Problem::unsupported(&own.file, parameter.line, &subject, reason)
    })
}

/// The value of a parameter of a composite as seen from around it.
pub fn value_around(
    own: &Component,
    parameter: &Property,
    text: &str,
    scope: &Scope,
) -> Result<String, Problem> {
    scope.print(text, None).map(|own| own.text).map_err(|reason| {
        let subject = format!("property {}.{}", own.path, parameter.name);
        Problem::unsupported(&own.file, parameter.line, &subject, format!("`{text}`: {reason}"))
    })
}

/// Defines the parameters of an instance inside it; returns the fields that give it the first values
/// of those that are ports, too.
pub fn define_parameters(
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
