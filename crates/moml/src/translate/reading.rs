//! The actor Expression: what the names in its text mean.

use super::actor::Actor;
use crate::Problem;
use crate::expression::{self, Name};
use crate::yaml::Yaml;

/// Translates an Expression.
pub fn translate(actor: &mut Actor) -> Result<(), Problem> {
    let text = actor.own.value("expression").unwrap_or("0").to_owned();
    let reading = Reading::of(actor, &text)?;
    let node = expression::parse(&text).map_err(|reason| actor.unsupported(reason))?;
    if super::records::makes(actor.own) {
        return super::records::computed(actor, &mut |actor, node| {
            let names = &mut |name: &str| reading.name(name);
            let printed = actor.print_parsed(node, Some("expression"), names)?;
            Ok(reading.gated(printed.text))
        });
    }
    let printed = actor.print_parsed(&node, Some("expression"), &mut |name| reading.name(name))?;
    actor.expression(&reading.gated(printed.text));
    Ok(())
}

/// What the names in an expression mean: the ports of its actor.
struct Reading {
    /// Each port, or each field of a record at a port, with its signal.
    ports: Vec<(String, Option<String>)>,
    functions: Vec<(String, Name)>,
    /// Ports at which records come.
    records: Vec<String>,
    /// Ports whose values are integers.
    integers: Vec<String>,
    /// The number of firings, if the expression names it.
    iteration: Option<String>,
    /// What else must be present for the actor to fire.
    others: Vec<String>,
}

impl Reading {
    fn of(actor: &mut Actor, text: &str) -> Result<Reading, Problem> {
        let (mut ports, mut functions, mut records) = (Vec::new(), Vec::new(), Vec::new());
        for port in actor.own.ports.iter().filter(|port| port.name != "output") {
            if let Some(function) = actor.constant_function(&port.name) {
                functions.push((port.name.clone(), function));
            } else if let Some(fields) = actor.record(&port.name) {
                let named = |(field, signal)| (format!("{}.{field}", port.name), Some(signal));
                ports.extend(fields.into_iter().map(named));
                records.push(port.name.clone());
            } else {
                ports.push((port.name.clone(), actor.input(&port.name)));
            }
        }
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let mentions = |name: &str| {
            let is = |word: &str| {
                word == name || word.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'))
            };
            text.split(|c: char| !is_name(c)).any(is)
        };
        // Events of several sources can be combined where all of them come.
        let read = ports.iter().filter(|(name, _)| mentions(name));
        let mut signals: Vec<String> = read.filter_map(|(_, signal)| signal.clone()).collect();
        signals.sort_unstable();
        signals.dedup();
        let joint = actor.frame.events && signals.len() > 1 && !text.contains("_isPresent");
        let values = if joint { actor.together(&signals) } else { signals.clone() };
        let present = |(_, signal): &(String, Option<String>)| {
            signal.as_ref().map(|own| format!("present({own})"))
        };
        // It fires only if all connected ports have a value, read or not.
        let others = ports.iter().filter(|(name, _)| !mentions(name)).filter_map(present).collect();
        let all: Vec<String> = ports.iter().filter_map(present).collect();
        let counts = mentions("iteration") && !ports.iter().any(|(name, _)| name == "iteration");
        let iteration = match counts {
            true => Some(iteration(actor, &all)?),
            false => None,
        };
        for signal in ports.iter_mut().filter_map(|(_, signal)| signal.as_mut()) {
            if let Some(at) = signals.iter().position(|own| own == signal) {
                signal.clone_from(&values[at]);
            }
        }
        let is_int = |(port, _): &&(String, Option<String>)| {
            super::integers::at_port(actor.frame, &actor.own.name, port, 0)
        };
        let integers = ports.iter().filter(is_int).map(|(port, _)| port.clone()).collect();
        Ok(Reading { ports, functions, records, integers, iteration, others })
    }

    fn name(&self, name: &str) -> Option<Name> {
        let find = |name: &str| self.ports.iter().find(|(own, _)| own == name);
        if let Some((_, function)) = self.functions.iter().find(|(own, _)| own == name) {
            return Some(function.clone());
        }
        if let Some((_, signal)) = find(name) {
            let text = signal.clone().unwrap_or_else(|| "absent".to_owned());
            return Some(Name::Text(text, self.integers.iter().any(|own| own == name)));
        }
        if self.records.iter().any(|own| own == name) {
            // A record as a whole is no value.
            return Some(Name::Function(Vec::new(), expression::Node::Bool(false)));
        }
        if name == "iteration" {
            return self.iteration.clone().map(|count| Name::Text(count, true));
        }
        let port = name.strip_suffix("_isPresent")?;
        let field = |(own, _): &&(String, Option<String>)| {
            own.strip_prefix(port).is_some_and(|rest| rest.starts_with('.'))
        };
        let (_, signal) = match self.records.iter().any(|own| own == port) {
            true => self.ports.iter().find(field)?,
            false => find(port)?,
        };
        let text = signal.as_ref().map_or("false".to_owned(), |own| format!("present({own})"));
        Some(Name::Text(text, false))
    }

    /// A value that is only there if all ports have one.
    fn gated(&self, text: String) -> String {
        match self.others.is_empty() {
            true => text,
            false => format!("when({}, {text})", self.others.join(" and ")),
        }
    }
}

/// The number of this firing, from 1 on.
fn iteration(actor: &mut Actor, ports: &[String]) -> Result<String, Problem> {
    let event = match ports.is_empty() {
        true => actor.firing()?,
        false if actor.frame.events || actor.frame.tick().is_some() => {
            format!("when({}, 1)", ports.join(" and "))
        }
        false => return Err(actor.unsupported("the number of a firing between events")),
    };
    let count = actor.part("iteration");
    actor.block(&count, "Counter", vec![("increment", Yaml::Text(event))]);
    Ok(count)
}
