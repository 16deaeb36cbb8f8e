//! Transitions of a state machine: guards, actions, and what actions set inside refinements.

use std::collections::BTreeMap;

use super::super::actor::grouped;
use super::super::composite::tick_port;
use super::super::scope::Scope;
use super::super::{Content, names};
use super::speech::{is_plain, rank};
use super::{Machine, Translated};
use crate::Problem;
use crate::expression::{self, Name, Node};
use crate::tree::{Component, Link, Property, Relation, find};
use crate::yaml::Yaml;

/// The transitions that leave a state, each with the number of the state that it leads to.
pub fn leaving<'a>(
    machine: &Machine<'a>,
    state: &Component,
    states: &[&Component],
) -> Vec<(&'a Relation, usize)> {
    let controller = machine.controller;
    let linked = |port: String, relation: &str| {
        let is = |own: &&Link| matches!(own, Link::Port { port: end, relation: by, .. } if *end == port && by == relation);
        controller.links.iter().find(is).is_some()
    };
    let leaves = controller
        .relations
        .iter()
        .filter(|own| linked(format!("{}.outgoingPort", state.name), &own.name));
    let to = |own: &&Relation| {
        states.iter().position(|to| linked(format!("{}.incomingPort", to.name), &own.name))
    };
    leaves.filter(|own| !is_idle(own)).filter_map(|own| Some((own, to(&own)?))).collect()
}

/// Whether a transition is taken if its state fails.
pub fn is_for_errors(relation: &Relation) -> bool {
    let text = |name: &str| find(&relation.properties, name).and_then(Property::text);
    ["error", "errorTransition"].iter().any(|name| text(name) == Some("true"))
}

/// Whether a transition for errors never answers one.
fn is_idle(relation: &Relation) -> bool {
    let guard = find(&relation.properties, "guardExpression").and_then(Property::text);
    is_for_errors(relation) && guard == Some("false")
}

/// The names of the refinements of a state.
pub fn refinements(state: &Component) -> Vec<String> {
    let names = state.value("refinementName").unwrap_or_default();
    names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// The transitions that leave a state, as they are written here.
pub fn transitions(
    machine: &Machine,
    state: &Component,
    states: &[&Component],
    translated: &[Translated],
    at: usize,
) -> Result<Vec<Yaml>, Problem> {
    let controller = machine.controller;
    let linked = |port: &str| -> Vec<&str> {
        let links = controller.links.iter().filter_map(|link| match link {
            Link::Port { port: own, relation, .. } if own == port => Some(relation.as_str()),
            _ => None,
        });
        links.collect()
    };
    let mut all = Vec::new();
    for name in linked(&format!("{}.outgoingPort", state.name)) {
        let Some(relation) = controller.relations.iter().find(|own| own.name == name) else {
            continue;
        };
        let to = states
            .iter()
            .position(|other| linked(&format!("{}.incomingPort", other.name)).contains(&name));
        if is_idle(relation) {
            continue;
        }
        let subject = format!("transition {}.{name}", controller.path);
        let failed = |reason: String| {
            Problem::unsupported(&controller.file, relation.line, &subject, reason)
        };
        let Some(to) = to else { return Err(failed("it leads to no state".to_owned())) };
        let others = leaving(machine, state, states);
        let others: Vec<&Relation> = others.iter().map(|(own, _)| *own).collect();
        let spoken = machine.speaks(at) && is_plain(relation, state, &others);
        let transition = Transition { machine, relation, states, translated, from: at, to, spoken };
        all.push(transition.yaml().map_err(failed)?);
    }
    Ok(all)
}

/// A transition being translated.
pub struct Transition<'a> {
    pub machine: &'a Machine<'a>,
    pub relation: &'a Relation,
    pub states: &'a [&'a Component],
    pub translated: &'a [Translated],
    /// The state whose diagram runs when the guard is looked at.
    pub from: usize,
    pub to: usize,
    /// Whether the outputs of the state have what the transition emits.
    pub spoken: bool,
}

impl Transition<'_> {
    pub fn text(&self, name: &str) -> Option<&str> {
        find(&self.relation.properties, name).and_then(Property::text)
    }

    pub fn is(&self, name: &str) -> bool {
        self.text(name) == Some("true")
    }

    /// Whether the diagram that the transition enters goes on where it was left. Before version 9.1
    /// it did unless the transition said `reset`; since then it does if this says `history`.
    fn resumes(&self) -> bool {
        match (self.machine.resumes, self.text("reset")) {
            (true, reset) => self.is("history") || reset != Some("true"),
            (false, _) => self.is("history"),
        }
    }

    /// The guard, with what else must hold for the transition to be taken, and the time that the
    /// state must have lasted.
    fn condition(&self) -> Result<(Option<String>, Option<String>), String> {
        let guard = self.text("guardExpression").unwrap_or("true");
        let (mut guard, after) = self.guard(guard)?;
        if self.is("termination") {
            guard = Some(self.terminated(guard)?);
        }
        let fails = is_for_errors(self.relation);
        if fails && guard.is_some() {
            return Err("an error transition with a guard".to_owned());
        }
        let tick = self.machine.inputs.get(&tick_port());
        if let Some(tick) = tick.filter(|_| after.is_none() && !fails) {
            // At a tick only one transition is taken, one for an error included.
            let own = guard.map_or(String::new(), |own| format!(" and {}", conjunct(&own)));
            let hurt = self.machine.hurt.contains(&self.from) && !self.is("immediate");
            let later = if hurt { " and elapsed > 0" } else { "" };
            guard = Some(format!("present({tick}){later}{own}"));
        } else if guard.is_none() && after.is_none() && !fails {
            let entered = self.translated[self.from].entered.as_ref();
            let entered = entered.filter(|_| !self.is("immediate") && !self.is("termination"));
            guard = entered.map(|entered| format!("present({entered})"));
        }
        Ok((guard, after))
    }

    fn yaml(&self) -> Result<Yaml, String> {
        let to = self.machine.states[&self.states[self.to].name].clone();
        let mut entries = vec![("to".to_owned(), Yaml::Text(to))];
        if self.text("refinementName").is_some() {
            return Err("a refinement of a transition".to_owned());
        }
        let (guard, after) = self.condition()?;
        if let Some(guard) = guard {
            entries.push(("when".to_owned(), Yaml::Text(guard)));
        }
        if let Some(after) = after {
            entries.push(("after".to_owned(), Yaml::Text(after)));
        }
        let set = self.set_actions()?;
        if !set.is_empty() {
            entries.push(("set".to_owned(), Yaml::map(set)));
        }
        let mut output = if self.spoken { Vec::new() } else { self.output_actions()? };
        if let Some(draw) = &self.machine.draw {
            output.push((draw.clone(), "1".to_owned()));
        }
        if let Some(resumed) = self.machine.resumed.as_ref().filter(|_| self.resumes_from_outside())
        {
            output.push((resumed.clone(), "1".to_owned()));
        }
        if !output.is_empty() {
            entries.push(("output".to_owned(), Yaml::map(output)));
        }
        // Without a diagram that it would silence, a preemptive transition only comes first.
        let silences = !refinements(self.states[self.from]).is_empty();
        let first = !silences && self.is("preemptive");
        if first {
            let priority = i32::from(rank(self.relation)) - 2;
            entries.push(("priority".to_owned(), Yaml::Text(priority.to_string())));
        }
        let flags = [
            ("history", self.resumes()),
            ("immediate", self.is("immediate")),
            ("preemptive", self.is("preemptive") && silences),
            ("nondeterministic", self.is("nondeterministic")),
            ("default", self.is("defaultTransition") && !first),
            ("error", is_for_errors(self.relation)),
        ];
        for (name, holds) in flags {
            if holds {
                entries.push((name.to_owned(), Yaml::text("true")));
            }
        }
        Ok(Yaml::Map(entries))
    }

    /// Whether the transition resumes a diagram because of an event from around the machine.
    fn resumes_from_outside(&self) -> bool {
        let of_outside = |port: &crate::tree::Port| {
            let key = (port.name.clone(), 0);
            port.input && self.machine.inputs.contains_key(&key) && !port.output
        };
        let guard = self.text("guardExpression").unwrap_or("true");
        let plain = |c: char| !c.is_alphanumeric() && c != '_';
        let names = |port: &crate::tree::Port| {
            let word = |word: &str| word.strip_suffix("_isPresent").unwrap_or(word) == port.name;
            guard.split(plain).any(word)
        };
        self.resumes()
            && !refinements(self.states[self.to]).is_empty()
            && self.machine.own.ports.iter().filter(|port| of_outside(port)).any(names)
    }

    /// A guard that holds only once all refinements of the state have come to a final state.
    fn terminated(&self, guard: Option<String>) -> Result<String, String> {
        let (state, here) = (self.states[self.from], &self.translated[self.from]);
        if here.machines.is_empty() || here.machines.len() < refinements(state).len() {
            return Err("the end of a refinement that is no state machine".to_owned());
        }
        let ends = here.machines.iter().map(|name| format!("{name}.done"));
        let all: Vec<String> = ends.chain(guard.map(|own| conjunct(&own))).collect();
        Ok(all.join(" and "))
    }

    /// The condition, and the time that the state must have lasted.
    pub fn guard(&self, text: &str) -> Result<(Option<String>, Option<String>), String> {
        let node = expression::parse(text)?;
        let (mut rest, mut after) = (Vec::new(), None);
        for part in conjuncts(&node) {
            match part {
                Node::Call(name, args) if name == "timeout" && args.len() == 1 => {
                    after = Some(self.print(&args[0])?);
                }
                Node::Bool(true) => {}
                part => rest.push(part),
            }
        }
        let texts: Result<Vec<String>, String> =
            rest.iter().map(|part| self.print(part).map(|text| conjunct(&text))).collect();
        let texts = texts?;
        Ok(((!texts.is_empty()).then(|| texts.join(" and ")), after))
    }

    fn print(&self, node: &Node) -> Result<String, String> {
        expression::print(node, &mut |name| self.resolve(name)).map(|own| own.text)
    }

    /// What a name means in a guard or an action: a port of the machine, or a parameter.
    fn resolve(&self, name: &str) -> Result<Name, String> {
        let plain = |text: &str| Ok(Name::Text(text.to_owned(), false));
        let signal = |port: &str| {
            let port = port.to_owned();
            let here = &self.translated[self.from];
            let key = (port.clone(), 0);
            let declared = self.machine.own.port(&port);
            let own = declared.is_some_and(|port| port.output).then(|| here.outputs.get(&key));
            own.flatten().or_else(|| self.machine.inputs.get(&key)).cloned()
        };
        if name == "random()" {
            return plain(&self.machine.draw());
        }
        let is_port = |name: &str| self.machine.own.port(name).is_some();
        if is_port(name) {
            return match signal(name) {
                Some(signal) => plain(&signal),
                None => plain("absent"),
            };
        }
        if let Some(port) = name.strip_suffix("_isPresent").filter(|port| is_port(port)) {
            return match signal(port) {
                Some(signal) => plain(&format!("present({signal})")),
                None => plain("false"),
            };
        }
        if let Some((refinement, path)) = name.split_once('.')
            && let Some(scope) = self.translated[self.from].scopes.get(refinement)
        {
            return scope.find(path, None);
        }
        self.machine.scope.find(name, None)
    }

    pub fn output_actions(&self) -> Result<Vec<(String, String)>, String> {
        let mut all = Vec::new();
        for (target, value) in assignments(self.text("outputActions").unwrap_or_default())? {
            let name = self.machine.outputs.get(&target);
            let name = name.ok_or_else(|| format!("there is no output `{target}`"))?;
            all.push((name.clone(), self.print(&value)?));
        }
        Ok(all)
    }

    /// What the transition sets, and to what.
    pub fn set_actions(&self) -> Result<Vec<(String, String)>, String> {
        let text = self.text("setActions").or(self.text("commitActions")).unwrap_or_default();
        let mut all: Vec<(String, String)> = Vec::new();
        for (target, value) in assignments(text)? {
            if let Node::Function(..) = value {
                all.extend(self.made(&target)?);
                continue;
            }
            let value = self.print(&value)?;
            for name in self.targets(&target)? {
                all.push((name, value.clone()));
            }
        }
        Ok(all)
    }

    /// What is set if a transition makes a function: its number, and what it takes from ports.
    fn made(&self, target: &str) -> Result<Vec<(String, String)>, String> {
        let key = target.split_once('.').map(|(a, b)| (a.to_owned(), b.to_owned()));
        let closure = key.and_then(|key| self.machine.closures.get(&key));
        let made = closure.and_then(|own| Some((own, own.made.get(&self.relation.name)?)));
        let Some((closure, (number, read))) = made else {
            return Err(format!("there is no function to set at `{target}`"));
        };
        let mut all = vec![(closure.choice.clone(), number.to_string())];
        for (port, parameter) in read {
            all.push((parameter.clone(), self.print(&Node::Name(port.clone()))?));
        }
        Ok(all)
    }

    /// What an action sets: a parameter, and the states of the integrators that start from it.
    fn targets(&self, path: &str) -> Result<Vec<String>, String> {
        let parts: Vec<&str> = path.split('.').collect();
        let unknown = || format!("there is nothing to set at `{path}`");
        if let [name] = parts.as_slice() {
            return match self.machine.scope.find(name, None)? {
                Name::Text(text, _) => Ok(vec![text]),
                Name::Function(..) => Err("a function cannot be set".to_owned()),
            };
        }
        let (refinement, inner) = (parts[0], &parts[1..]);
        let component = self.machine.own.entity(refinement).ok_or_else(unknown)?;
        let state = &self.translated[self.to];
        let entered = state.scopes.contains_key(refinement);
        match inner {
            [name] => {
                let key = (refinement.to_owned(), (*name).to_owned());
                let (machine, scope) = (self.machine, &self.machine.scope);
                if stays(machine.own, machine.controller, scope, &key)? {
                    return Ok(Vec::new());
                }
                let mut all = vec![self.machine.set.get(&key).cloned().ok_or_else(unknown)?];
                if entered {
                    started_from(component, name, &state.content, &mut all);
                }
                Ok(all)
            }
            [entity, name] => {
                let inner = component.entity(entity).ok_or_else(unknown)?;
                if !entered {
                    let reason = "is no refinement of the state that it leads to";
                    return Err(format!("`{refinement}` {reason}"));
                }
                if inner.kind() == "Integrator" && *name == "initialState" {
                    return Ok(state
                        .content
                        .placed
                        .get(&inner.path)
                        .cloned()
                        .into_iter()
                        .collect());
                }
                if !inner.is_composite() {
                    return Err(format!("`{path}` is a parameter of an actor"));
                }
                let mut all = Vec::new();
                started_from(inner, name, &state.content, &mut all);
                match all.is_empty() {
                    true => Err(unknown()),
                    false => Ok(all),
                }
            }
            _ => Err(unknown()),
        }
    }
}

/// The parameters of refinements that transitions set, as parameters of the machine.
pub fn hoisted(
    own: &Component,
    controller: &Component,
    scope: &Scope,
    content: &mut Content,
) -> Result<BTreeMap<(String, String), String>, Problem> {
    let mut set = BTreeMap::new();
    for relation in &controller.relations {
        let text = |name: &str| find(&relation.properties, name).and_then(Property::text);
        let text = text("setActions").or(text("commitActions")).unwrap_or_default();
        let subject = format!("transition {}.{}", controller.path, relation.name);
        let failed =
            |reason: String| Problem::unsupported(&own.file, relation.line, &subject, reason);
        for (target, value) in assignments(text).map_err(failed)? {
            let Some((refinement, name)) = target.split_once('.') else { continue };
            if let Node::Function(..) = value {
                continue;
            }
            if name == "direction" && value == Node::Text("both".to_owned()) {
                return Err(failed("a direction that is set to `both`".to_owned()));
            }
            let parameter = own.entity(refinement).and_then(|own| own.property(name));
            let key = (refinement.to_owned(), name.to_owned());
            if stays(own, controller, scope, &key).map_err(failed)? {
                continue;
            }
            let Some(value) = parameter.and_then(|own| own.text()) else { continue };
            if set.contains_key(&key) {
                continue;
            }
            let wanted = format!("{}_{}", names::plain(refinement), names::plain(name));
            let hoisted = names::fresh(&wanted, &mut content.used);
            let value = scope.print(value, None).map_err(failed)?.text;
            content.parameters.push((hoisted.clone(), Some(value)));
            set.insert(key, hoisted);
        }
    }
    Ok(set)
}

/// Whether all transitions that set a parameter of a refinement give it the constant that it is
/// anyway, and no integrator starts from it, which would then start again.
fn stays(
    own: &Component,
    controller: &Component,
    scope: &Scope,
    (refinement, name): &(String, String),
) -> Result<bool, String> {
    let Some(component) = own.entity(refinement) else { return Ok(false) };
    let Some(value) = component.property(name).and_then(Property::text) else { return Ok(false) };
    let Some(value) = scope.constant(value) else { return Ok(false) };
    if starts(component, name) {
        return Ok(false);
    }
    for relation in &controller.relations {
        let text = |name: &str| find(&relation.properties, name).and_then(Property::text);
        let text = text("setActions").or(text("commitActions")).unwrap_or_default();
        for (target, to) in assignments(text)? {
            let same = target.split_once('.').is_some_and(|(a, b)| a == refinement && b == name);
            if same && scope.constant_node(&to) != Some(value) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Whether an integrator of a composite starts from a parameter of it.
fn starts(component: &Component, parameter: &str) -> bool {
    component.entities.iter().any(|entity| match entity.is_composite() {
        true => entity.properties.iter().any(|own| {
            own.is_parameter() && own.text() == Some(parameter) && starts(entity, &own.name)
        }),
        false => entity.kind() == "Integrator" && entity.value("initialState") == Some(parameter),
    })
}

/// The integrators of a composite whose initial state is a parameter of it.
fn started_from(component: &Component, parameter: &str, content: &Content, all: &mut Vec<String>) {
    for entity in &component.entities {
        if entity.kind() == "Integrator" && entity.value("initialState") == Some(parameter) {
            all.extend(content.placed.get(&entity.path).cloned());
        } else if entity.is_composite() {
            for own in &entity.properties {
                if own.is_parameter() && own.text() == Some(parameter) {
                    started_from(entity, &own.name, content, all);
                }
            }
        }
    }
}

/// The parts of a condition that must all hold.
fn conjuncts(node: &Node) -> Vec<&Node> {
    match node {
        Node::Binary("&&", a, b) => {
            let mut parts = conjuncts(a);
            parts.extend(conjuncts(b));
            parts
        }
        node => vec![node],
    }
}

fn conjunct(text: &str) -> String {
    match text.contains(" or ") || text.starts_with("if ") {
        true => grouped(text),
        false => text.to_owned(),
    }
}

/// Assignments `a = x; b = y`. Rows of matrices are divided by `;`, too.
pub fn assignments(text: &str) -> Result<Vec<(String, Node)>, String> {
    let parts = separated(text).into_iter().map(str::trim).filter(|part| !part.is_empty());
    let split = |part: &str| {
        let (target, value) = part.split_once('=').ok_or(format!("`{part}` is no assignment"))?;
        Ok((target.trim().to_owned(), expression::parse(value)?))
    };
    parts.map(split).collect()
}

/// The parts of a text between those `;` that are outside all brackets and quotes.
pub fn separated(text: &str) -> Vec<&str> {
    let (mut depth, mut quoted) = (0i64, false);
    text.split(|c: char| {
        match c {
            '"' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth -= 1,
            _ => {}
        }
        c == ';' && depth <= 0 && !quoted
    })
    .collect()
}
