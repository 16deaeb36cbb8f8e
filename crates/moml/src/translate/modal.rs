//! State machines: a ModalModel becomes a block of type Modal.
//!
//! The refinements of a state become the diagram of the state; composites inside are inlined, since
//! transitions may set what is inside.

mod closures;
mod speech;
mod transition;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::composite::{Frame, Inside};
use super::scope::Scope;
use super::tests::longer_column;
use super::{Content, Signals, Translation, names, parameters};
use crate::Problem;
use crate::expression::{self, Name, Node};
use crate::tree::{Component, Property, Relation, find};
use crate::yaml::Yaml;
use closures::{Closure, closures};
pub use transition::separated;
use transition::{Transition, hoisted, is_for_errors, leaving, refinements, transitions};

/// A machine being translated.
struct Machine<'a> {
    own: &'a Component,
    controller: &'a Component,
    /// The signals at its input ports.
    inputs: Signals,
    /// Our names of its outputs, by port.
    outputs: BTreeMap<String, String>,
    /// Our names of its states.
    states: BTreeMap<String, String>,
    scope: Rc<Scope>,
    /// Parameters of refinements that transitions set, which become parameters of the machine: their
    /// names, by refinement and parameter.
    set: BTreeMap<(String, String), String>,
    /// Those of them that are functions.
    closures: BTreeMap<(String, String), Closure>,
    /// The output at which every transition emits an event, if one of them draws random numbers, and
    /// how many of these there are.
    draw: Option<String>,
    drawn: Cell<usize>,
    /// The output at which transitions that resume a Continuous model ahead of its surroundings emit
    /// an event.
    resumed: Option<String>,
    /// The name of its block.
    name: String,
    /// Whether a transition that says nothing about it resumes the diagram that it enters.
    resumes: bool,
    /// Whether it fires at events alone.
    events: bool,
    /// The states to which errors lead.
    hurt: BTreeSet<usize>,
    /// For each state, whether it has outputs of its own: no other state has the same refinements.
    alone: Vec<bool>,
}

impl Machine<'_> {
    /// Whether what the transitions of a state emit is part of the outputs of the state.
    fn speaks(&self, state: usize) -> bool {
        self.alone[state]
    }

    /// The signal that has another random number after each transition.
    fn draw(&self) -> String {
        self.drawn.set(self.drawn.get() + 1);
        format!("{}_random{}", self.name, self.drawn.get())
    }
}

/// A state after its refinements have been translated.
struct Translated {
    content: Content,
    outputs: Signals,
    /// The scope of each refinement that is not a machine.
    scopes: BTreeMap<String, Rc<Scope>>,
    /// The names of its refinements that are machines.
    machines: Vec<String>,
    /// The event at which it is entered, if a transition without a guard leaves it then.
    entered: Option<String>,
}

/// Where a machine is.
struct Place {
    /// The name of its block.
    name: String,
    /// What the time of the model is there.
    now: String,
    inputs: Signals,
    scope: Rc<Scope>,
    /// Whether its director is one of discrete events.
    events: bool,
}

impl Translation {
    /// Translates a ModalModel.
    pub fn machine(
        &mut self,
        frame: &Frame,
        own: &Component,
        content: &mut Content,
    ) -> Result<(), Problem> {
        let now = frame.inside.as_ref().map_or("time", |inside| inside.now.as_str()).to_owned();
        let (name, mut inputs) = (frame.names[&own.name].clone(), self.connected(frame, own));
        inputs.extend(frame.tick());
        let (scope, events) = (frame.scope.clone(), frame.events);
        self.machine_at(own, Place { name, now, inputs, scope, events }, content)
    }

    fn machine_at(
        &mut self,
        own: &Component,
        place: Place,
        content: &mut Content,
    ) -> Result<(), Problem> {
        self.enter(own)?;
        let controller = own.entity("_Controller").unwrap_or(own);
        let states: Vec<&Component> =
            controller.entities.iter().filter(|own| own.kind() == "State").collect();
        if states.is_empty() {
            return Err(wrong(own, "a machine without states"));
        }
        let (name, outer_now) = (place.name.clone(), place.now.clone());
        let now = format!("{name}_now");
        let mut inner = Content { used: content.used.clone(), ..Content::default() };
        let machine = self.declared(own, controller, &states, place, &mut inner)?;
        let mut translated = self.states(&machine, &states, &now, &inner.used)?;
        let tests = columns(&mut translated);
        let mut all = Vec::new();
        for (at, state) in states.iter().enumerate() {
            let extra: Vec<(String, String)> = tests
                .iter()
                .filter_map(|(column, of)| Some((format!("test_{column}"), of.get(&at)?.clone())))
                .collect();
            let yaml = self.state_yaml(&machine, state, &mut translated, at, &states, extra)?;
            all.push((machine.states[&state.name].clone(), yaml));
        }
        super::settle::settle_parameters(own, &machine.scope, &mut inner)?;
        if !std::ptr::eq(own, controller) {
            super::settle::settle_parameters(controller, &machine.scope, &mut inner)?;
        }
        let initial = self.initial(&machine, &states, &translated, &mut all, &mut inner)?;
        let mut outputs: Vec<String> = machine.outputs.values().cloned().collect();
        outputs.extend(tests.keys().map(|column| format!("test_{column}")));
        outputs.extend(machine.draw.clone());
        outputs.extend(machine.resumed.clone());
        let whole = modal_block(initial, &inner, outputs, all);
        if mentions(&whole, &now) {
            content.blocks.push((now.clone(), super::composite::expression_block(&outer_now)));
            content.used.insert(now);
        }
        content.blocks.push((name.clone(), whole));
        for number in 1..=machine.drawn.get() {
            let Some(draw) = &machine.draw else { break };
            let held = format!("{name}_random{number}");
            super::random::held(&held, &format!("{name}.{draw}"), content);
        }
        if let Some(resumed) = &machine.resumed {
            super::ahead::follow(&format!("{name}.{resumed}"), content);
        }
        self.record(own, &name, tests.keys(), content);
        self.leave();
        Ok(())
    }

    /// A machine with its names, and with what its parameters are inside it.
    fn declared<'a>(
        &self,
        own: &'a Component,
        controller: &'a Component,
        states: &[&Component],
        Place { name, inputs, scope: outer, events, .. }: Place,
        content: &mut Content,
    ) -> Result<Machine<'a>, Problem> {
        let mut used = BTreeSet::from(["state".to_owned(), "done".to_owned()]);
        let mut named = |name: &str| (name.to_owned(), names::fresh(name, &mut used));
        let states_named = states.iter().map(|state| named(&state.name)).collect();
        let ports = own.ports.iter().filter(|port| port.output);
        let outputs = ports.map(|port| named(&port.name)).collect();
        let scope = Scope::within(&outer, false);
        let wholes = if std::ptr::eq(own, controller) { vec![own] } else { vec![own, controller] };
        for whole in wholes {
            let parameters = whole.properties.iter().filter(|own| own.is_parameter());
            let given = parameters.filter(|own| own.text().is_some());
            for parameter in given.filter(|own| own.name != "directorClass") {
                let inner = names::fresh(&parameter.name, &mut content.used);
                scope.define(&parameter.name, Ok(Name::Text(inner, false)));
            }
        }
        let closures = closures(own, controller, &scope, content)?;
        let set = hoisted(own, controller, &scope, content)?;
        let draws = |relation: &Relation| {
            let mut texts = relation.properties.iter().filter_map(Property::text);
            texts.any(|text| text.contains("random()"))
        };
        let draw = controller.relations.iter().any(draws);
        let mut machine = Machine {
            draw: draw.then(|| names::fresh("draw", &mut used)),
            drawn: Cell::new(0),
            resumed: (self.directors.last() == Some(&false) && super::ahead::resumes(own))
                .then(|| names::fresh("resumed", &mut used)),
            name,
            resumes: self.resumes,
            events,
            alone: states.iter().map(|own| is_alone(own, states)).collect(),
            own,
            controller,
            inputs,
            outputs,
            states: states_named,
            scope,
            set,
            closures,
            hurt: BTreeSet::new(),
        };
        for state in states {
            let mut leaving = leaving(&machine, state, states);
            leaving.retain(|(own, _)| is_for_errors(own));
            machine.hurt.extend(leaving.into_iter().map(|(_, to)| to));
        }
        Ok(machine)
    }

    /// The states of a machine with their refinements translated.
    fn states(
        &mut self,
        machine: &Machine,
        states: &[&Component],
        now: &str,
        used: &BTreeSet<String>,
    ) -> Result<Vec<Translated>, Problem> {
        let mut translated: Vec<Translated> = Vec::new();
        let around = std::mem::take(&mut self.longest);
        let mut longest = Some(0.0);
        for state in states {
            let inside = Inside { now: now.to_owned(), start: 0.0 };
            let mut own = self.state(machine, state, inside, used.clone())?;
            let speaks = machine.alone[translated.len()] && machine.events;
            if speaks && is_left_at_entry(machine, state, states) {
                own.entered = Some(speech::entry(&mut own.content));
            }
            translated.push(own);
            // Only the director of the current state is asked: what all of them ask for counts.
            let own = std::mem::take(&mut self.longest).into_iter().min_by(f64::total_cmp);
            if !is_left_at_once(machine, state, states) {
                longest = longest.zip(own).map(|(all, own)| f64::max(all, own));
            }
        }
        self.longest = around;
        self.longest.extend(longest.filter(|longest| *longest > 0.0));
        Ok(translated)
    }

    /// The name of the state in which a machine begins. States to which no way leads from there are
    /// left out, such as those that were only there to be left at once.
    fn initial(
        &self,
        machine: &Machine,
        states: &[&Component],
        translated: &[Translated],
        all: &mut Vec<(String, Yaml)>,
        content: &mut Content,
    ) -> Result<String, Problem> {
        let initial = states.iter().find(|own| own.value("isInitialState") == Some("true"));
        let named = machine.controller.value("initialStateName");
        let initial = initial.map(|own| own.name.as_str()).or(named);
        let initial = initial.map_or(states[0].name.clone(), str::to_owned);
        let initial = self.entered(machine, states, translated, initial, all, content)?;
        let Some(initial) = machine.states.get(&initial) else {
            return Err(wrong(machine.own, "the initial state does not exist"));
        };
        let number = |name: &str| states.iter().position(|own| machine.states[&own.name] == name);
        let mut reached: Vec<usize> = number(initial).into_iter().collect();
        let mut next = 0;
        while let Some(from) = reached.get(next).copied() {
            let to = leaving(machine, states[from], states).into_iter().map(|(_, to)| to);
            let new: Vec<usize> = to.filter(|to| !reached.contains(to)).collect();
            reached.extend(new);
            next += 1;
        }
        all.retain(|(name, _)| number(name).is_none_or(|own| reached.contains(&own)));
        Ok(initial.clone())
    }

    /// Records the columns of the tests inside a machine.
    fn record<'a>(
        &mut self,
        own: &Component,
        name: &str,
        columns: impl Iterator<Item = &'a String>,
        content: &mut Content,
    ) {
        let mut renamed = BTreeMap::new();
        for column in columns {
            let longer = longer_column(&own.name, column, content);
            renamed.insert(column.clone(), longer.clone());
            content.tests.push((longer, format!("{name}.test_{column}")));
        }
        self.rename_columns(&own.path, &renamed);
    }

    /// The state in which a machine begins: immediate transitions without a guard are taken before
    /// the first tick. What they set are then initial values.
    fn entered(
        &self,
        machine: &Machine,
        states: &[&Component],
        translated: &[Translated],
        initial: String,
        yaml: &mut [(String, Yaml)],
        content: &mut Content,
    ) -> Result<String, Problem> {
        let mut at = states.iter().position(|own| own.name == initial);
        let mut passed = Vec::new();
        while let Some(from) = at {
            if passed.contains(&from) {
                break;
            }
            passed.push(from);
            let found = leaving(machine, states[from], states).into_iter().find(|(relation, _)| {
                let text = |name: &str| find(&relation.properties, name).and_then(Property::text);
                text("immediate") == Some("true")
                    && text("guardExpression").is_none_or(|guard| guard == "true")
                    && text("outputActions").is_none()
            });
            let Some((relation, to)) = found else { break };
            let spoken = false;
            let transition = Transition { machine, relation, states, translated, from, to, spoken };
            let subject = format!("transition {}.{}", machine.controller.path, relation.name);
            let failed = |reason: String| {
                Problem::unsupported(&machine.controller.file, relation.line, &subject, reason)
            };
            for (target, value) in transition.set_actions().map_err(failed)? {
                let own = content.parameters.iter_mut().find(|(name, _)| *name == target);
                match own {
                    Some((_, own)) => *own = Some(value),
                    None => start_from(&mut yaml[to].1, &target, &value),
                }
            }
            at = Some(to);
        }
        Ok(at.map_or(initial, |at| states[at].name.clone()))
    }

    /// The refinements of a state.
    fn state(
        &mut self,
        machine: &Machine,
        state: &Component,
        inside: Inside,
        used: BTreeSet<String>,
    ) -> Result<Translated, Problem> {
        let mut content = Content { used, ..Content::default() };
        let (mut outputs, mut scopes) = (Signals::new(), BTreeMap::new());
        let mut machines = Vec::new();
        let refinements = refinements(state);
        for (at, name) in refinements.iter().enumerate() {
            let Some(refinement) = machine.own.entity(name) else {
                let subject = format!("state {}", state.path);
                let reason = format!("there is no refinement `{name}`");
                return Err(Problem::wrong(&state.file, state.line, &subject, reason));
            };
            if refinement.entity("_Controller").is_some() || refinement.kind() == "ModalController"
            {
                let name = names::fresh(&refinement.name, &mut content.used);
                let (now, inputs) = (inside.now.clone(), machine.inputs.clone());
                let (scope, events) = (machine.scope.clone(), machine.events);
                let place = Place { name: name.clone(), now, inputs, scope, events };
                self.machine_at(refinement, place, &mut content)?;
                for port in refinement.ports.iter().filter(|port| port.output) {
                    let signal = format!("{name}.{}", names::plain(&port.name));
                    outputs.insert((port.name.clone(), 0), signal);
                }
                machines.push(name);
                continue;
            }
            super::director::check(refinement)?;
            let start = super::director::inner_start(refinement)?;
            let scope = Scope::within(&machine.scope, false);
            let prefix = if at == 0 { String::new() } else { format!("{}_", names::plain(name)) };
            machine.define_parameters(refinement, name, (&scope, &prefix), &mut content.used);
            let mut inputs = machine.inputs.clone();
            if !refinement.director().is_none_or(super::director::fires) {
                inputs.remove(&super::composite::tick_port());
            }
            let inner = Some(Inside { start, ..inside.clone() });
            self.longest.extend(super::director::longest_step(refinement, &scope));
            if let Some(own) = self.tolerance_of(refinement, &scope)? {
                content.tolerance = Some(own);
            }
            outputs.extend(self.fill(refinement, &scope, inputs, inner, &prefix, &mut content)?);
            scopes.insert(name.clone(), scope);
        }
        Ok(Translated { content, outputs, scopes, machines, entered: None })
    }

    fn state_yaml(
        &mut self,
        machine: &Machine,
        state: &Component,
        translated: &mut [Translated],
        at: usize,
        states: &[&Component],
        extra: Vec<(String, String)>,
    ) -> Result<Yaml, Problem> {
        let mut entries = Vec::new();
        let own = refinements(state);
        let shared = states[..at].iter().find(|other| !own.is_empty() && refinements(other) == own);
        let transitions = transitions(machine, state, states, translated, at)?;
        match shared {
            Some(other) => {
                entries.push(("like".to_owned(), Yaml::text(machine.states[&other.name].clone())));
            }
            None => {
                let here = &mut translated[at];
                for name in &own {
                    let Some(refinement) = machine.own.entity(name) else { continue };
                    let Some(scope) = here.scopes.get(name).cloned() else { continue };
                    super::settle::settle_parameters(refinement, &scope, &mut here.content)?;
                }
                let outputs = here.outputs.iter().filter(|((_, channel), _)| *channel == 0);
                let outputs = outputs.filter_map(|((port, _), signal)| {
                    Some((machine.outputs.get(port)?.clone(), signal.clone()))
                });
                let outputs: BTreeMap<String, String> = outputs.collect();
                let outputs = speech::outputs(machine, (states, at), translated, outputs)?;
                let outputs: Vec<(String, String)> = outputs.into_iter().chain(extra).collect();
                let content = &mut translated[at].content;
                if !content.parameters.is_empty() {
                    entries.push(("parameters".to_owned(), parameters(&content.parameters)));
                }
                if let Some(own) = content.tolerance.take() {
                    entries.push(("tolerance".to_owned(), Yaml::Text(own)));
                }
                if !content.blocks.is_empty() {
                    let blocks = std::mem::take(&mut content.blocks);
                    entries.push(("blocks".to_owned(), Yaml::Map(blocks)));
                }
                if !outputs.is_empty() {
                    entries.push(("outputs".to_owned(), Yaml::map(outputs)));
                }
            }
        }
        if !transitions.is_empty() {
            entries.push(("transitions".to_owned(), Yaml::List(transitions)));
        }
        if state.value("isFinalState") == Some("true") {
            entries.push(("final".to_owned(), Yaml::text("true")));
        }
        Ok(Yaml::Map(entries))
    }
}

fn wrong(own: &Component, reason: &str) -> Problem {
    Problem::unsupported(&own.file, own.line, &format!("entity {}", own.path), reason)
}

/// The columns of the tests in states: for each, its signal in each state that has it.
fn columns(translated: &mut [Translated]) -> BTreeMap<String, BTreeMap<usize, String>> {
    let mut tests: BTreeMap<String, BTreeMap<usize, String>> = BTreeMap::new();
    for (at, state) in translated.iter_mut().enumerate() {
        for (column, signal) in std::mem::take(&mut state.content.tests) {
            tests.entry(column).or_default().insert(at, signal);
        }
    }
    tests
}

/// Whether a state without refinements has a transition that is always enabled.
fn is_left_at_once(machine: &Machine, state: &Component, states: &[&Component]) -> bool {
    let always = |(relation, _): &(&Relation, usize)| {
        let guard = find(&relation.properties, "guardExpression").and_then(Property::text);
        guard.is_none_or(|guard| guard == "true")
    };
    refinements(state).is_empty() && leaving(machine, state, states).iter().any(always)
}

/// Whether a transition of a state that fires at events needs no other one than its entry.
fn is_left_at_entry(machine: &Machine, state: &Component, states: &[&Component]) -> bool {
    let free = |(own, _): &(&Relation, usize)| {
        let text = |name: &str| find(&own.properties, name).and_then(Property::text);
        let guard = text("guardExpression").is_none_or(|guard| guard == "true");
        guard && text("immediate") != Some("true") && !is_for_errors(own)
    };
    let ticks = machine.inputs.contains_key(&super::composite::tick_port());
    !ticks && leaving(machine, state, states).iter().any(free)
}

/// Whether no other state of a machine has the refinements of a state.
fn is_alone(state: &Component, states: &[&Component]) -> bool {
    let own = refinements(state);
    let same = states.iter().filter(|other| refinements(other) == own).count();
    own.is_empty() || same == 1
}

/// Gives an integrator of a state another initial value.
fn start_from(state: &mut Yaml, block: &str, value: &str) {
    let Yaml::Map(entries) = state else { return };
    for (_, blocks) in entries.iter_mut().filter(|(key, _)| key == "blocks") {
        let Yaml::Map(blocks) = blocks else { continue };
        for (_, fields) in blocks.iter_mut().filter(|(name, _)| name == block) {
            let Yaml::Map(fields) = fields else { continue };
            for (_, initial) in fields.iter_mut().filter(|(key, _)| key == "initial") {
                *initial = Yaml::text(value);
            }
        }
    }
}

/// Whether a text of a tree names a signal.
fn mentions(tree: &Yaml, name: &str) -> bool {
    match tree {
        Yaml::Nothing => false,
        Yaml::Text(text) => text.contains(name),
        Yaml::List(items) => items.iter().any(|item| mentions(item, name)),
        Yaml::Map(entries) => entries.iter().any(|(_, value)| mentions(value, name)),
    }
}

impl Machine<'_> {
    /// Defines the parameters of a refinement inside it.
    fn define_parameters(
        &self,
        refinement: &Component,
        name: &str,
        (scope, prefix): (&Scope, &str),
        used: &mut BTreeSet<String>,
    ) {
        for parameter in refinement.properties.iter().filter(|own| own.is_parameter()) {
            let Some(text) = parameter.text() else { continue };
            let key = (name.to_owned(), parameter.name.clone());
            if let Some(Closure { names, body, .. }) = self.closures.get(&key) {
                let function = Name::Function(names.clone(), body.clone());
                scope.define(&parameter.name, Ok(function));
                continue;
            }
            if let Some(own) = self.set.get(&key) {
                scope.define_input(&parameter.name, own);
                continue;
            }
            match expression::parse(text) {
                Ok(Node::Function(names, body)) => {
                    scope.define(&parameter.name, Ok(Name::Function(names, *body)));
                }
                Ok(Node::Text(value)) => scope.define_string(&parameter.name, &value),
                _ if parameter.class.ends_with("StringParameter") => {
                    scope.define_string(&parameter.name, &scope.substituted(text));
                }
                _ => {
                    let own = format!("{prefix}{}", names::plain(&parameter.name));
                    let own = names::fresh(&own, used);
                    scope.define_raw(&parameter.name, text);
                    scope.define(&parameter.name, Ok(Name::Text(own, false)));
                }
            }
        }
    }
}

/// A machine as a block of a model file.
fn modal_block(
    initial: String,
    inner: &Content,
    outputs: Vec<String>,
    states: Vec<(String, Yaml)>,
) -> Yaml {
    let mut block =
        vec![("type".to_owned(), Yaml::text("Modal")), ("initial".to_owned(), Yaml::text(initial))];
    if !inner.parameters.is_empty() {
        block.push(("parameters".to_owned(), parameters(&inner.parameters)));
    }
    if !outputs.is_empty() {
        block.push(("outputs".to_owned(), Yaml::list(outputs)));
    }
    block.push(("states".to_owned(), Yaml::Map(states)));
    Yaml::Map(block)
}
