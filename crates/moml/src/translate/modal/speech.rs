//! What transitions emit. In Ptolemy II a machine that takes a transition emits its output actions
//! at that very microstep, in place of what the diagram of the state emits. So the outputs of a state
//! are those of its diagram unless a guard holds:
//!
//! ```text
//! output:  if a guard holds    what its transition emits, or else, if it leads on at once, what the
//!                              immediate transition emits
//!          otherwise           what the diagram emits
//! ```
//!
//! Of several transitions whose guards hold, a preemptive one is taken before the others, and a
//! default one after those of its kind.

use std::collections::BTreeMap;

use super::super::composite::{expression_block, tick_port};
use super::super::{Content, names};
use super::transition::{Transition, is_for_errors, leaving, refinements};
use super::{Machine, Translated};
use crate::Problem;
use crate::tree::{Component, Property, Relation, find};

fn text<'a>(relation: &'a Relation, name: &str) -> Option<&'a str> {
    find(&relation.properties, name).and_then(Property::text)
}

/// Which of several transitions of a state is taken if their guards hold: the one of the lowest rank.
pub fn rank(relation: &Relation) -> u8 {
    let is = |name: &str| text(relation, name) == Some("true");
    2 * u8::from(!is("preemptive")) + u8::from(is("defaultTransition"))
}

/// Whether more than a guard decides about a transition.
fn is_odd(relation: &Relation) -> bool {
    let odd = ["nondeterministic", "error", "errorTransition", "termination"];
    let waits = |text: &str| text.contains("timeout") || text.contains("random()");
    let mut texts = ["guardExpression", "outputActions"].iter();
    odd.iter().any(|name| text(relation, name) == Some("true"))
        || texts.any(|name| text(relation, name).is_some_and(waits))
}

/// Whether a transition fails to be taken if another one of its state can be. What silences the
/// state needs no such care.
fn yields(relation: &Relation, other: &Relation, state: &Component) -> bool {
    let silences = rank(other) < 2 && !refinements(state).is_empty();
    !silences && !is_for_errors(other) && rank(other) < rank(relation)
}

/// Whether nothing but guards decides about a transition of a state, which may be one of `others`.
/// A preemptive one silences whatever the state emits.
pub fn is_plain(relation: &Relation, state: &Component, others: &[&Relation]) -> bool {
    let silences = rank(relation) < 2 && !refinements(state).is_empty();
    let mut before = others.iter().filter(|other| yields(relation, other, state));
    !silences && !is_odd(relation) && !before.any(|other| is_odd(other))
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
    let all: Vec<&Relation> = leaving.iter().map(|(own, _)| *own).collect();
    let mut plain: Vec<(Transition, Vec<(String, String)>)> = Vec::new();
    for (relation, to) in leaving.into_iter().filter(|(own, _)| is_plain(own, states[at], &all)) {
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
        let taken =
            speech.taken(&transition, states[at], &all, &mut content).map_err(|reason| {
                Problem::unsupported(&controller.file, transition.relation.line, &subject, reason)
            })?;
        for (output, value) in said.into_iter().filter(|_| taken != "false") {
            let other = outputs.get(&output).map_or("absent", String::as_str);
            let mut text = choice(&taken, &value, other);
            if let Some(fires) = speech.fires(&transition, &mut content) {
                // A machine that fires at events says nothing between them.
                let others =
                    if other == "absent" { String::new() } else { format!(" or present({other})") };
                text = format!("when({fires}{others}, {text})");
            }
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

    /// When a machine that fires at events alone fires, as far as a transition is concerned: at the
    /// firings of the model, or with its inputs. A guard that names no input holds from the start.
    fn fires(&self, transition: &Transition, content: &mut Content) -> Option<String> {
        if let Some(tick) = self.machine.inputs.get(&tick_port()) {
            return Some(format!("present({tick})"));
        }
        if !self.machine.events {
            return None;
        }
        let guard = transition.guard(transition.text("guardExpression").unwrap_or("true")).ok()?.0;
        let guard = guard.unwrap_or_default();
        let inputs: Vec<&String> = self.machine.inputs.values().collect();
        let mut all: Vec<String> = inputs.iter().map(|own| format!("present({own})")).collect();
        if !inputs.iter().any(|own| guard.contains(own.as_str())) {
            all.push(format!("present({})", entry(content)));
        }
        Some(all.join(" or "))
    }

    /// The condition under which a transition of a state is taken, which is never absent: its guard
    /// holds, and that of none of `others` that comes before it.
    fn taken(
        &self,
        transition: &Transition<'a>,
        state: &Component,
        others: &[&'a Relation],
        content: &mut Content,
    ) -> Result<String, String> {
        let leaves = state.path == self.states[self.at].path;
        let own = self.enabled(transition, leaves, content)?;
        let mut before = Vec::new();
        for other in others.iter().filter(|other| yields(transition.relation, other, state)) {
            match &*self.enabled(&self.transition(other, transition.to), leaves, content)? {
                "false" => {}
                "true" => return Ok("false".to_owned()),
                other => before.push(other.to_owned()),
            }
        }
        if before.is_empty() || own == "false" {
            return Ok(own);
        }
        let taken = names::fresh("taken", &mut content.used);
        let text = format!("{own} and not ({})", before.join(" or "));
        content.blocks.push((taken.clone(), expression_block(&text)));
        Ok(taken)
    }

    /// The condition under which a transition can be taken, which is never absent. It leaves the
    /// present state, or one that is left as soon as it is entered.
    fn enabled(
        &self,
        transition: &Transition,
        leaves: bool,
        content: &mut Content,
    ) -> Result<String, String> {
        let text = transition.text("guardExpression").unwrap_or("true");
        let tick = self.machine.inputs.get(&tick_port()).map(|tick| {
            // The firing at which an error has led here is over.
            let hurt =
                leaves && self.machine.hurt.contains(&self.at) && !transition.is("immediate");
            format!("present({tick}){}", if hurt { " and time > 0" } else { "" })
        });
        let (Some(guard), _) = transition.guard(text)? else {
            return Ok(match tick {
                Some(tick) => tick,
                None if self.machine.events && leaves => format!("present({})", entry(content)),
                None => "true".to_owned(),
            });
        };
        if guard == "false" {
            return Ok(guard);
        }
        let name = names::fresh("guard", &mut content.used);
        content.blocks.push((name.clone(), expression_block(&guard)));
        let taken = names::fresh("taken", &mut content.used);
        let fires = tick.map_or(String::new(), |tick| format!("{tick} and "));
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
        let entered = self.states[transition.to];
        let mut at_once = leaving(self.machine, entered, self.states);
        at_once.retain(|(own, _)| text(own, "immediate") == Some("true"));
        let others: Vec<&Relation> = at_once.iter().map(|(own, _)| *own).collect();
        for (relation, to) in at_once {
            let next = self.transition(relation, to);
            if !is_plain(relation, entered, &others) {
                continue;
            }
            let said = self.said(&next, visited, content)?;
            let taken = match said.is_empty() {
                true => String::new(),
                false => self.taken(&next, entered, &others, content)?,
            };
            for (output, value) in said.into_iter().filter(|_| taken != "false") {
                let own = all.iter().position(|(name, _)| *name == output);
                let other = own.map_or("absent".to_owned(), |own| all.remove(own).1);
                all.push((output, choice(&taken, &value, &other)));
            }
        }
        visited.pop();
        Ok(all)
    }
}

/// The event at which a state of a machine that fires at events is entered.
pub fn entry(content: &mut Content) -> String {
    let block = super::super::composite::once_at_the_start();
    let found = content.blocks.iter().find(|(_, own)| *own == block);
    if let Some((name, _)) = found {
        return name.clone();
    }
    let name = names::fresh("entered", &mut content.used);
    content.blocks.push((name.clone(), block));
    name
}
