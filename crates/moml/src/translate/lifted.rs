//! What transitions set deep inside a refinement, as parameters of the refinement itself. A transition
//! that sets `on.Source.value` then sets `on.Source_value`, and the value of `Source` is the name of
//! that parameter.

use super::actor::is_machine;
use super::modal::separated;
use super::names;
use crate::expression::{self, Name, Node};
use crate::tree::{Component, Property};

/// Lifts what the machines of a model set.
pub fn lift(own: &mut Component) {
    own.entities.iter_mut().for_each(lift);
    if is_machine(own) || own.entity("_Controller").is_some() {
        let mut relations = match own.entities.iter_mut().find(|own| own.name == "_Controller") {
            Some(controller) => std::mem::take(&mut controller.relations),
            None => std::mem::take(&mut own.relations),
        };
        let all = relations.iter_mut().flat_map(|relation| &mut relation.properties);
        let actions = |own: &&mut Property| matches!(&*own.name, "setActions" | "commitActions");
        for property in all.filter(actions) {
            let lifted = property.text().map(|text| actions_of(own, text));
            property.value = lifted.or(property.value.take());
        }
        match own.entities.iter_mut().find(|own| own.name == "_Controller") {
            Some(controller) => controller.relations = relations,
            None => own.relations = relations,
        }
    }
}

/// The actions of a transition with lifted targets.
fn actions_of(machine: &mut Component, text: &str) -> String {
    let mut all = Vec::new();
    for part in separated(text) {
        let lifted = part.split_once('=').and_then(|(target, value)| {
            let path: Vec<&str> = target.trim().split('.').collect();
            let (refinement, inner) = path.split_first().filter(|(_, inner)| inner.len() > 1)?;
            let own = machine.entities.iter_mut().find(|own| own.name == *refinement)?;
            Some(format!("{refinement}.{} = {value}", parameter(own, inner)?))
        });
        all.push(lifted.unwrap_or_else(|| part.to_owned()));
    }
    all.join(";")
}

/// The name of a parameter of a composite that stands for what is at a path inside it, if it can be
/// one. What an integrator starts from is set as its state.
fn parameter(own: &mut Component, path: &[&str]) -> Option<String> {
    let (first, rest) = path.split_first()?;
    if rest.is_empty() {
        let parameter = own.property(first)?;
        return parameter.text().map(|_| (*first).to_owned());
    }
    if is_machine(own) || own.entity("_Controller").is_some() {
        return None;
    }
    let wanted = names::plain(&path.join("_"));
    let entity = own.entities.iter_mut().find(|own| own.name == *first)?;
    if is_machine(entity) || entity.kind() == "Integrator" && rest == ["initialState"] {
        return None;
    }
    let inner = parameter(entity, rest)?;
    let property = entity.properties.iter().position(|own| own.name == inner)?;
    let text = entity.properties[property].text()?.to_owned();
    if text == wanted || text == format!("${wanted}") {
        return Some(wanted);
    }
    let is_text = entity.properties[property]
        .class
        .rsplit('.')
        .next()
        .is_some_and(|class| matches!(class, "StringParameter" | "StringAttribute"));
    if own.property(&wanted).is_some() || !is_text && names_own(own.entity(first)?, &text) {
        return None;
    }
    let entity = own.entities.iter_mut().find(|own| own.name == *first)?;
    let property = &mut entity.properties[property];
    let line = property.line;
    property.value = Some(if is_text { format!("${wanted}") } else { wanted.clone() });
    let quoted = text.starts_with('"') || !is_text;
    own.properties.push(Property {
        name: wanted.clone(),
        class: "ptolemy.data.expr.Parameter".to_owned(),
        value: Some(if quoted { text } else { format!("\"{text}\"") }),
        line,
        properties: Vec::new(),
    });
    Some(wanted)
}

/// Whether an expression names a parameter of an entity itself, which nothing around that knows.
fn names_own(entity: &Component, text: &str) -> bool {
    let mut found = false;
    let node = expression::parse(text).unwrap_or(Node::Bool(false));
    let _ = expression::print(&node, &mut |name| {
        found |= entity.property(name).is_some();
        Ok(Name::Text(name.to_owned(), false))
    });
    found
}
