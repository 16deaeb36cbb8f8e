//! What transitions emit. In Ptolemy II a machine that takes a transition emits its output actions
//! at that very microstep, in place of what the diagram of the state emits. So the outputs of a state
//! are those of its diagram unless a guard holds:
//!
//! ```text
//! output:  if a guard holds    what its transition emits, or else, if it leads on at once, what the
//!                              immediate transition emits
//!          otherwise           what the diagram emits
//! ```

use std::collections::BTreeMap;

use super::super::composite::{expression_block, tick_port};
use super::super::{Content, names};
use super::transition::{Transition, leaving, refinements};
use super::{Machine, Translated};
use crate::Problem;
use crate::tree::{Component, Property, Relation, find};

/// Whether nothing but a guard decides about a transition of a state. A preemptive one silences
/// whatever the state emits.
pub fn is_plain(relation: &Relation, state: &Component) -> bool {
    let text = |name: &str| find(&relation.properties, name).and_then(Property::text);
    let odd = ["nondeterministic", "defaultTransition", "error", "errorTransition", "termination"];
    let waits = |text: &str| text.contains("timeout") || text.contains("random()");
    let texts = ["guardExpression", "outputActions"].iter().filter_map(|name| text(name));
    let silences = text("preemptive") == Some("true") && !refinements(state).is_empty();
    !silences && !odd.iter().any(|name| text(name) == Some("true")) && !texts.into_iter().any(waits)
}

/// The outputs of a state with what its transitions emit. `states` has all states and the number of
/// this one; what the outputs need becomes blocks of the state.
pub fn outputs(
    machine: &Machine,
    (states, at): (&[&Component], usize),
    translated: &mut [Translated],
    mut outputs: BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>, Problem> {
    if !machine.speaks(at) {
        return Ok(outputs);
    }
    let controller = machine.controller;
    let mut content = std::mem::take(&mut translated[at].content);
    let speech = Speech { machine, states, translated, at };
    let leaving = leaving(machine, states[at], states);
    let mut plain: Vec<(Transition, Vec<(String, String)>)> = Vec::new();
    for (relation, to) in leaving.into_iter().filter(|(own, _)| is_plain(own, states[at])) {
        let transition = speech.transition(relation, to);
        let subject = format!("transition {}.{}", controller.path, relation.name);
        let said = speech.said(&transition, &mut vec![at], &mut content).map_err(|reason| {
            Problem::unsupported(&controller.file, relation.line, &subject, reason)
        })?;
        plain.push((transition, said));
    }
    for (transition, said) in plain {
        if said.is_empty() {
            continue;
        }
        let subject = format!("transition {}.{}", controller.path, transition.relation.name);
        let taken = speech.taken(&transition, &mut content).map_err(|reason| {
            Problem::unsupported(&controller.file, transition.relation.line, &subject, reason)
        })?;
        for (output, value) in said {
            let other = outputs.get(&output).map_or("absent", String::as_str);
            let text = choice(&taken, &value, other);
            let name = names::fresh(&format!("{output}_said"), &mut content.used);
            content.blocks.push((name.clone(), expression_block(&text)));
            outputs.insert(output, name);
        }
    }
    translated[at].content = content;
    Ok(outputs)
}

fn choice(taken: &str, value: &str, other: &str) -> String {
    match taken {
        "true" => value.to_owned(),
        taken => format!("if {taken} then {value} else {other}"),
    }
}

/// What is known while the outputs of a state are found.
struct Speech<'a> {
    machine: &'a Machine<'a>,
    states: &'a [&'a Component],
    translated: &'a [Translated],
    at: usize,
}

impl<'a> Speech<'a> {
    fn transition(&self, relation: &'a Relation, to: usize) -> Transition<'a> {
        let (machine, states, translated) = (self.machine, self.states, self.translated);
        Transition { machine, relation, states, translated, from: self.at, to, spoken: true }
    }

    /// The condition under which a transition is taken, which is never absent.
    fn taken(&self, transition: &Transition, content: &mut Content) -> Result<String, String> {
        let text = transition.text("guardExpression").unwrap_or("true");
        let tick = self.machine.inputs.get(&tick_port());
        let (Some(guard), _) = transition.guard(text)? else {
            return Ok(tick.map_or("true".to_owned(), |tick| format!("present({tick})")));
        };
        let name = names::fresh("guard", &mut content.used);
        content.blocks.push((name.clone(), expression_block(&guard)));
        let taken = names::fresh("taken", &mut content.used);
        let fires = tick.map_or(String::new(), |tick| format!("present({tick}) and "));
        let text = format!("if {fires}present({name}) then {name} else false");
        content.blocks.push((taken.clone(), expression_block(&text)));
        Ok(taken)
    }

    /// What a transition emits, with the immediate ones that follow it.
    fn said(
        &self,
        transition: &Transition<'a>,
        visited: &mut Vec<usize>,
        content: &mut Content,
    ) -> Result<Vec<(String, String)>, String> {
        let mut all = transition.output_actions()?;
        if visited.contains(&transition.to) || !self.machine.speaks(transition.to) {
            return Ok(all);
        }
        visited.push(transition.to);
        for (relation, to) in leaving(self.machine, self.states[transition.to], self.states) {
            let next = self.transition(relation, to);
            if !next.is("immediate") || !is_plain(relation, self.states[transition.to]) {
                continue;
            }
            let said = self.said(&next, visited, content)?;
            let taken = if said.is_empty() { String::new() } else { self.taken(&next, content)? };
            for (output, value) in said {
                let own = all.iter().position(|(name, _)| *name == output);
                let other = own.map_or("absent".to_owned(), |own| all.remove(own).1);
                all.push((output, choice(&taken, &value, &other)));
            }
        }
        visited.pop();
        Ok(all)
    }
}
