//! Parameters of refinements that are functions, and that transitions set.
//!
//! A signal here is a number and no function. So what is set is the number of the function that was
//! chosen, and the values that it reads of the ports of the machine where it is made. A call becomes
//! a choice among the bodies of all of them.

use std::collections::BTreeMap;

use super::super::scope::Scope;
use super::super::{Content, names};
use super::transition::assignments;
use crate::Problem;
use crate::expression::{self, Name, Node};
use crate::tree::{Component, Property, find};

/// A parameter of a refinement whose values are functions.
#[derive(Debug)]
pub struct Closure {
    /// The names of the arguments.
    pub names: Vec<String>,
    /// The choice among the bodies.
    pub body: Node,
    /// The parameter of the machine that has the number of the function.
    pub choice: String,
    /// For each transition the number of the function that it makes, and the parameters of the
    /// machine that take the values of ports.
    pub made: BTreeMap<String, (usize, Vec<(String, String)>)>,
}

/// The parameters of refinements that are functions, by refinement and parameter.
pub fn closures(
    own: &Component,
    controller: &Component,
    scope: &Scope,
    content: &mut Content,
) -> Result<BTreeMap<(String, String), Closure>, Problem> {
    let mut all: BTreeMap<(String, String), Closure> = BTreeMap::new();
    for relation in &controller.relations {
        let text = |name: &str| find(&relation.properties, name).and_then(Property::text);
        let text = text("setActions").or(text("commitActions")).unwrap_or_default();
        let subject = format!("transition {}.{}", controller.path, relation.name);
        let failed =
            |reason: String| Problem::unsupported(&own.file, relation.line, &subject, reason);
        for (target, value) in assignments(text).map_err(failed)? {
            let Some((refinement, name)) = target.split_once('.') else { continue };
            let Node::Function(names, body) = value else { continue };
            let key = (refinement.to_owned(), name.to_owned());
            let first = own.entity(refinement).and_then(|own| own.property(name));
            let first =
                first.and_then(|own| own.text()).and_then(|text| expression::parse(text).ok());
            let closure = match all.get_mut(&key) {
                Some(known) => known,
                None => {
                    let Some(Node::Function(names, body)) = first else {
                        return Err(failed(format!("`{target}` is no function at first")));
                    };
                    let plain = format!("{}_{}", names::plain(refinement), names::plain(name));
                    let choice = names::fresh(&plain, &mut content.used);
                    parameter(&choice, scope, content);
                    let made = BTreeMap::new();
                    let closure = Closure { names, body: *body, choice, made };
                    all.entry(key).or_insert(closure)
                }
            };
            if names.len() != closure.names.len() {
                return Err(failed(format!("`{target}` has functions of several arguments")));
            }
            let number = closure.made.len() + 1;
            let mut read = Vec::new();
            for port in ports_of(own, &body).filter(|port| !names.contains(port)) {
                let wanted = format!("{}_{}", closure.choice, names::plain(port));
                let taken = names::fresh(&wanted, &mut content.used);
                parameter(&taken, scope, content);
                read.push((port.clone(), taken));
            }
            let body = body.renamed(&|name| {
                let argument = names.iter().position(|own| own == name);
                let taken = read.iter().find(|(port, _)| port == name);
                argument.map(|at| closure.names[at].clone()).or(taken.map(|(_, own)| own.clone()))
            });
            closure.choose(number, body);
            closure.made.insert(relation.name.clone(), (number, read));
        }
    }
    Ok(all)
}

impl Closure {
    /// Makes the function this one if its number has been chosen.
    fn choose(&mut self, number: usize, body: Node) {
        let chosen = Node::Binary(
            "==",
            Box::new(Node::Name(self.choice.clone())),
            Box::new(Node::Number(number.to_string(), true)),
        );
        let rest = std::mem::replace(&mut self.body, Node::Bool(false));
        self.body = Node::If(Box::new(chosen), Box::new(body), Box::new(rest));
    }
}

/// The ports of a machine that an expression mentions.
fn ports_of<'a>(own: &'a Component, body: &'a Node) -> impl Iterator<Item = &'a String> {
    let mentions = |port: &&String| {
        let mut mentioned = false;
        let _ = expression::print(body, &mut |name| {
            mentioned |= name == port.as_str();
            Ok(Name::Text(name.to_owned(), false))
        });
        mentioned
    };
    own.ports.iter().map(|port| &port.name).filter(mentions)
}

/// A parameter of the machine that is 0 at first.
fn parameter(name: &str, scope: &Scope, content: &mut Content) {
    content.parameters.push((name.to_owned(), Some("0".to_owned())));
    scope.define(name, Ok(Name::Text(name.to_owned(), false)));
}
