//! One entity: what its ports are, and what an actor is asked for while it is translated.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::composite::{Frame, expression_block};
use super::{Content, Translation};
use crate::Problem;
use crate::expression::{self, Name, Printed};
use crate::tree::{Component, Port};
use crate::yaml::Yaml;

/// Whether an entity is a composite or a state machine, whose ports are in the file.
pub fn has_ports(entity: &Component) -> bool {
    entity.is_composite() || is_machine(entity)
}

/// Whether an entity is a state machine with its refinements.
pub fn is_machine(entity: &Component) -> bool {
    matches!(entity.kind(), "ModalModel" | "FSMActor" | "ModalBSC")
}

/// Whether an entity becomes a block at all.
pub fn is_block(entity: &Component) -> bool {
    !matches!(entity.kind(), "ModalController" | "State" | "CompositeEntity")
}

/// The names of the output ports of an entity, the main one first.
pub fn outputs(entity: &Component) -> Vec<String> {
    if has_ports(entity) {
        let outputs = entity.ports.iter().filter(|port| port.output);
        return outputs.map(|port| port.name.clone()).collect();
    }
    let known: &[&str] = match entity.kind() {
        "Integrator" => &["state"],
        "PolarToCartesian" => &["x", "y"],
        "CartesianToPolar" => &["magnitude", "angle"],
        "Minimum" => &["minimumValue", "channelNumber"],
        "Maximum" => &["maximumValue", "channelNumber"],
        "Derivative" => &["derivative", "impulse"],
        "DifferentialSystem" => {
            let of_file = entity.ports.iter().filter(|port| port.output || !port.input);
            return of_file.map(|port| port.name.clone()).collect();
        }
        "Queue" | "Server" => &["output", "size"],
        "BooleanSwitch" => &["trueOutput", "falseOutput"],
        "LinearStateSpace" => &["output", "stateOutput"],
        "RecordDisassembler" | "Case" => {
            let of_file = entity.ports.iter().filter(|port| port.output);
            return of_file.map(|port| port.name.clone()).collect();
        }
        "GetCausalityInterface" => &["output", "dependents", "equivalences"],
        _ => &["output"],
    };
    known.iter().map(|name| (*name).to_owned()).collect()
}

/// An actor being translated.
pub struct Actor<'a, 'c> {
    pub frame: &'a Frame<'c>,
    pub own: &'a Component,
    /// The name of its block.
    pub name: String,
    pub content: &'a mut Content,
    /// The ports that its translation has asked for.
    pub asked: RefCell<BTreeSet<String>>,
    /// Those of them at which it takes records.
    pub records: RefCell<BTreeSet<String>>,
}

impl Translation {
    /// Translates one entity of a composite.
    pub fn entity(
        &mut self,
        frame: &Frame,
        own: &Component,
        content: &mut Content,
    ) -> Result<(), Problem> {
        if !is_block(own) {
            return Ok(());
        }
        let kept = |port: &&Port| port.usual.as_ref().is_some_and(|text| !text.trim().is_empty());
        if let Some(port) =
            own.ports.iter().find(kept).filter(|_| !super::variables::keeps(frame, own))
        {
            let subject = format!("entity {}", own.path);
            let reason = format!("a default value of the port `{}`", port.name);
            return Err(Problem::unsupported(&own.file, own.line, &subject, reason));
        }
        if own.is_composite() {
            return self.composite(frame, own, content);
        }
        if own.kind() == "Case" {
            return self.case(frame, own, content);
        }
        if is_machine(own) {
            return self.machine(frame, own, content);
        }
        let name = frame.names[&own.name].clone();
        let mut actor = Actor {
            frame,
            own,
            name,
            content,
            asked: RefCell::default(),
            records: RefCell::default(),
        };
        match own.kind() {
            "SetVariable" => Ok(()),
            "Test" | "NonStrictTest" => self.test(&mut actor),
            kind if is_display(kind) => {
                self.skipped.insert(own.base.clone());
                Ok(())
            }
            _ => {
                super::actors::translate(&mut actor)?;
                actor.check_ports()?;
                if actor.is_unread() {
                    // The solver follows it nevertheless, and a display would show it.
                    self.sees_motion = true;
                    let used = &content.tests;
                    let mut used = used.iter().map(|(column, _)| column.clone()).collect();
                    let column = super::names::fresh(&super::names::plain(&own.name), &mut used);
                    content.tests.push((column, frame.names[&own.name].clone()));
                }
                Ok(())
            }
        }
    }
}

/// Whether a class only shows something, and so has no meaning here.
fn is_display(kind: &str) -> bool {
    let shows = ["Plotter", "Scope", "Viewer", "Writer", "Monitor"];
    let others = ["Display", "MonitorValue", "Recorder", "Discard", "TestExceptionHandler"];
    shows.iter().any(|end| kind.ends_with(end)) || others.contains(&kind)
}

impl Actor<'_, '_> {
    /// The signals at a port, without channels that have no source.
    pub fn inputs(&self, port: &str) -> Vec<String> {
        self.sources(port).into_iter().flatten().collect()
    }

    /// The signals at a port, one for each channel.
    fn sources(&self, port: &str) -> Vec<Option<String>> {
        self.asked.borrow_mut().insert(port.to_owned());
        self.frame.sources(&self.own.name, port)
    }

    /// Whether it is an integrator whose state goes nowhere but to displays.
    fn is_unread(&self) -> bool {
        if self.own.kind() != "Integrator" || self.frame.inside.is_some() {
            return false;
        }
        let channels = self.frame.wiring.channels(Some(&self.own.name), "state");
        let mut ends = channels.iter().flat_map(|channel| self.frame.wiring.ends(*channel));
        ends.all(|(end, _)| {
            let entity = end.entity.as_ref().and_then(|name| self.frame.component.entity(name));
            entity.is_some_and(|own| own.name == self.own.name || is_display(own.kind()))
        })
    }

    /// The fields of the record at a port, with their signals, if it is one.
    pub fn record(&self, port: &str) -> Option<Vec<(String, String)>> {
        let found = super::records::at_port(self.frame, &self.own.name, port)?;
        self.asked.borrow_mut().insert(port.to_owned());
        self.records.borrow_mut().insert(port.to_owned());
        Some(found)
    }

    /// Refuses a connected port that its translation knows nothing of.
    fn check_ports(&self) -> Result<(), Problem> {
        let (asked, outputs) = (self.asked.borrow(), outputs(self.own));
        let known = |port: &str| asked.contains(port) || outputs.iter().any(|own| own == port);
        let linked = self.frame.wiring.linked(&self.own.name);
        let record = |port: &str| super::records::at_port(self.frame, &self.own.name, port);
        let taken = self.records.borrow();
        let wrong = |port: &&&str| !taken.contains(**port) && record(port).is_some();
        if let Some(port) = linked.iter().find(wrong) {
            return Err(self.unsupported(format!("a record at the port `{port}`")));
        }
        let sent =
            |port: &str| self.frame.sources(&self.own.name, port).iter().any(Option::is_some);
        match linked.into_iter().find(|port| !known(port) && sent(port)) {
            None => Ok(()),
            Some(port) => Err(self.unsupported(format!("a connected port `{port}`"))),
        }
    }

    /// The signal at a port.
    pub fn input(&self, port: &str) -> Option<String> {
        self.inputs(port).into_iter().next()
    }

    /// The signal at a port; an unconnected port is never present.
    pub fn signal(&self, port: &str) -> String {
        self.input(port).unwrap_or_else(|| "absent".to_owned())
    }

    /// The number of channels of a port.
    pub fn width(&self, port: &str) -> usize {
        self.sources(port).len()
    }

    /// The signal at a channel of a port.
    pub fn channel(&self, port: &str, channel: usize) -> String {
        self.sources(port).into_iter().nth(channel).flatten().unwrap_or_else(|| "absent".to_owned())
    }

    /// The name of the signal at an output port.
    pub fn output(&self, port: &str, channel: usize) -> String {
        self.frame.output(self.own, port, channel)
    }

    /// The time of the state around it when that is entered.
    pub fn start(&self) -> f64 {
        self.frame.inside.as_ref().map_or(self.frame.start, |inside| inside.start)
    }

    /// A parameter as an expression of ours.
    pub fn parameter(&self, name: &str, default: &str) -> Result<String, Problem> {
        self.printed(name, default).map(|own| own.text)
    }

    /// The same in parentheses if it is not a plain number or name.
    pub fn factor(&self, name: &str, default: &str) -> Result<String, Problem> {
        Ok(grouped(&self.parameter(name, default)?))
    }

    /// A parameter, with what is known about it.
    pub fn printed(&self, name: &str, default: &str) -> Result<Printed, Problem> {
        let text = self.own.value(name).unwrap_or(default);
        self.print(text, Some(name), &mut |_| None)
    }

    /// A parameter if the file has it.
    pub fn optional(&self, name: &str) -> Result<Option<String>, Problem> {
        match self.own.value(name) {
            None => Ok(None),
            Some(_) => self.parameter(name, "").map(Some),
        }
    }

    /// Prints an expression of this actor: names are first those of `special`, then its own
    /// parameters, then those around it.
    pub fn print(
        &self,
        text: &str,
        except: Option<&str>,
        special: &mut dyn FnMut(&str) -> Option<Name>,
    ) -> Result<Printed, Problem> {
        let failed = |reason: String| self.about(except, text, &reason);
        let node = expression::parse(text).map_err(failed)?;
        self.print_node(&node, except, 0, special).map_err(failed)
    }

    /// The same for an expression that has been parsed.
    pub fn print_parsed(
        &self,
        node: &expression::Node,
        except: Option<&str>,
        special: &mut dyn FnMut(&str) -> Option<Name>,
    ) -> Result<Printed, Problem> {
        let text = except.and_then(|name| self.own.value(name)).unwrap_or_default();
        let failed = |reason: String| self.about(except, text, &reason);
        self.print_node(node, except, 0, special).map_err(failed)
    }

    /// What is wrong with the text of a parameter.
    fn about(&self, name: Option<&str>, text: &str, reason: &str) -> Problem {
        let property = name.and_then(|name| self.own.property(name));
        let line = property.map_or(self.own.line, |own| own.line);
        let subject = format!("entity {}", self.own.path);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Problem::unsupported(&self.own.file, line, &subject, format!("`{text}`: {reason}"))
    }

    fn print_node(
        &self,
        node: &expression::Node,
        except: Option<&str>,
        depth: usize,
        special: &mut dyn FnMut(&str) -> Option<Name>,
    ) -> Result<Printed, String> {
        if depth > 20 {
            return Err("parameters depend on each other".to_owned());
        }
        expression::print(node, &mut |name| {
            if let Some(own) = special(name) {
                return Ok(own);
            }
            let own = self.own.property(name).filter(|own| own.is_parameter());
            let own = own.filter(|own| except != Some(own.name.as_str()));
            let own = own.and_then(|own| own.text());
            // The value of a parameter does not see the parameter itself, but one around it.
            let usual = || default(self.own.kind(), name).filter(|_| except != Some(name));
            let text = own.or_else(usual);
            match text {
                None => self.frame.scope.find(name, None),
                Some(text) => match expression::parse(text)? {
                    expression::Node::Function(names, body) => Ok(Name::Function(names, *body)),
                    node => {
                        let own = self.print_node(&node, Some(name), depth + 1, &mut |_| None)?;
                        Ok(Name::Text(own.text, own.int))
                    }
                },
            }
        })
    }

    /// The value of a parameter, if it is a constant number.
    pub fn number(&self, name: &str, default: &str) -> Option<f64> {
        self.frame.scope.constant(self.own.value(name).unwrap_or(default))
    }

    /// The elements of a parameter that is an array of constant numbers.
    pub fn numbers(&self, name: &str, default: &str) -> Option<Vec<f64>> {
        let mut text = self.own.value(name).unwrap_or(default).to_owned();
        for _ in 0..20 {
            match expression::parse(&text).ok()? {
                expression::Node::Array(elements) => {
                    let constant = |own| self.frame.scope.constant_node(own);
                    return elements.iter().map(constant).collect();
                }
                expression::Node::Name(name) => text = self.frame.scope.raw(&name)?,
                _ => return None,
            }
        }
        None
    }

    /// The elements of a parameter that is an array written out, as expressions of ours.
    pub fn elements(&self, name: &str, default: &str) -> Result<Vec<String>, Problem> {
        let text = self.own.value(name).unwrap_or(default);
        let Ok(expression::Node::Array(elements)) = expression::parse(text) else {
            return Ok(Vec::new());
        };
        let print = |element: &expression::Node| {
            let printed = self.print_node(element, Some(name), 0, &mut |_| None);
            printed.map(|own| own.text).map_err(|reason| self.unsupported(reason))
        };
        elements.iter().map(print).collect()
    }

    /// A parameter that is a word.
    pub fn word(&self, name: &str, default: &str) -> String {
        let text = self.own.value(name).unwrap_or(default);
        self.frame.scope.substituted(text).trim_matches('"').to_owned()
    }

    /// Whether a parameter is the word true.
    pub fn flag(&self, name: &str, default: bool) -> bool {
        self.own.value(name).map_or(default, |value| value == "true")
    }

    /// The function at a port, if that comes from a constant that is one.
    pub fn constant_function(&self, port: &str) -> Option<Name> {
        self.asked.borrow_mut().insert(port.to_owned());
        let wiring = &self.frame.wiring;
        let channels = wiring.channels(Some(&self.own.name), port);
        let mut ends = channels.iter().flat_map(|channel| wiring.ends(*channel));
        ends.find_map(|(end, _)| {
            let source = self.frame.component.entity(end.entity.as_ref()?)?;
            if source.kind() != "Const" {
                return None;
            }
            match expression::parse(source.value("value")?).ok()? {
                expression::Node::Function(names, body) => Some(Name::Function(names, *body)),
                _ => None,
            }
        })
    }

    /// Adds a block.
    pub fn block(&mut self, name: &str, kind: &str, fields: Vec<(&str, Yaml)>) {
        self.content.used.insert(name.to_owned());
        let kind = [("type".to_owned(), Yaml::text(kind))];
        let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value));
        self.content
            .blocks
            .push((name.to_owned(), Yaml::Map(kind.into_iter().chain(fields).collect())));
    }

    /// Adds its block as an expression.
    pub fn expression(&mut self, text: &str) {
        let name = self.name.clone();
        self.named(&name, text);
    }

    /// Adds a block that is an expression.
    pub fn named(&mut self, name: &str, text: &str) {
        self.content.used.insert(name.to_owned());
        self.content.blocks.push((name.to_owned(), expression_block(text)));
    }

    /// A name for a further block of this actor.
    pub fn part(&mut self, part: &str) -> String {
        super::names::fresh(&format!("{}_{part}", self.name), &mut self.content.used)
    }

    /// Something that we cannot do.
    pub fn unsupported(&self, reason: impl Into<String>) -> Problem {
        let subject = format!("entity {}", self.own.path);
        Problem::unsupported(&self.own.file, self.own.line, &subject, reason)
    }

    /// Refuses a port that has a meaning which we do not have, if it is connected.
    pub fn refuse_port(&self, port: &str) -> Result<(), Problem> {
        match self.inputs(port).is_empty() {
            true => Ok(()),
            false => Err(self.unsupported(format!("a connected port `{port}`"))),
        }
    }

    /// The condition under which an actor fires that has nothing but triggers: one of them, or else
    /// the firings of the composite around it. Without either it is there all the time.
    pub fn fired(&self) -> Option<String> {
        let triggers = self.inputs("trigger");
        match triggers.is_empty() {
            true => self.frame.tick().map(|(_, tick)| format!("present({tick})")),
            false => Some(any_present(&triggers)),
        }
    }

    /// A value that is only present when an actor fires.
    pub fn triggered(&self, value: &str) -> String {
        match self.fired() {
            None => value.to_owned(),
            Some(fired) => format!("when({fired}, {value})"),
        }
    }

    /// An event at each firing of an actor that has nothing but triggers.
    pub fn firing(&self) -> Result<String, Problem> {
        let reason = "a source without a trigger, which fires at each step of the solver";
        let fired = self.fired().ok_or_else(|| self.unsupported(reason))?;
        Ok(format!("when({fired}, 1)"))
    }

    /// Events of several sources at the tags at which all of them come, as they can be combined.
    pub fn together(&mut self, signals: &[String]) -> Vec<String> {
        let all: Vec<String> = signals.iter().map(|own| format!("present({own})")).collect();
        let both = self.part("both");
        self.named(&both, &format!("when({}, 1)", all.join(" and ")));
        let sample = |signal: &String| {
            let value = self.part("value");
            let input = ("input", Yaml::text(signal.clone()));
            self.block(&value, "Sample", vec![input, ("trigger", Yaml::text(both.clone()))]);
            value
        };
        signals.iter().map(sample).collect()
    }

    /// A parameter that a port of the same name may give new values.
    pub fn port_parameter(&mut self, name: &str, default: &str) -> Result<String, Problem> {
        let initial = self.parameter(name, default)?;
        let Some(signal) = self.input(name) else { return Ok(grouped(&initial)) };
        if !self.frame.events && self.frame.tick().is_none() {
            return Err(self.unsupported(format!("a connected port `{name}`")));
        }
        let held = self.part(name);
        let fields = vec![("input", Yaml::Text(signal)), ("initial", Yaml::Text(initial))];
        self.block(&held, "ZeroOrderHold", fields);
        Ok(held)
    }

    /// The elements of a parameter that is a matrix of constant numbers.
    pub fn matrix(&self, name: &str, default: &str) -> Option<Vec<Vec<f64>>> {
        let mut text = self.own.value(name).unwrap_or(default).to_owned();
        for _ in 0..20 {
            match expression::parse(&text).ok()? {
                expression::Node::Matrix(rows) => {
                    let constant = |own: &expression::Node| self.frame.scope.constant_node(own);
                    return rows.iter().map(|row| row.iter().map(constant).collect()).collect();
                }
                expression::Node::Name(name) => text = self.frame.scope.raw(&name)?,
                _ => return None,
            }
        }
        None
    }
}

/// The value of a parameter that other parameters of the same actor may name.
fn default(kind: &str, name: &str) -> Option<&'static str> {
    match (kind, name) {
        ("LevelCrossingDetector", "errorTolerance") => Some("1e-4"),
        ("LevelCrossingDetector", "level") => Some("0.0"),
        _ => None,
    }
}

/// Whether one of several signals is present.
pub fn any_present(signals: &[String]) -> String {
    let parts: Vec<String> = signals.iter().map(|signal| format!("present({signal})")).collect();
    parts.join(" or ")
}

/// Text in parentheses if it is not a plain number or name.
pub fn grouped(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    match text.chars().all(plain) {
        true => text.to_owned(),
        false => format!("({text})"),
    }
}
