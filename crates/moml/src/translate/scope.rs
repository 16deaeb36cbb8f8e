//! What names mean in expressions: parameters of the composite and of those around it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::expression::{self, Name, Node, Printed};

/// The names of one composite.
#[derive(Debug, Default)]
pub struct Scope {
    parent: Option<Rc<Scope>>,
    /// Whether it is a diagram, which sees nothing of what is around it.
    boundary: bool,
    names: RefCell<BTreeMap<String, Result<Name, String>>>,
    /// The values of parameters as written.
    raw: RefCell<BTreeMap<String, String>>,
    /// Values of string parameters.
    strings: RefCell<BTreeMap<String, String>>,
    /// Texts of parameters that are connected inputs instead.
    inputs: RefCell<BTreeSet<String>>,
    /// Names that were asked for.
    asked: RefCell<BTreeSet<String>>,
    /// Names of the scopes around a diagram that it needs, with their texts there.
    needs: RefCell<BTreeMap<String, String>>,
}

impl Scope {
    /// A scope inside another one.
    pub fn within(parent: &Rc<Scope>, boundary: bool) -> Rc<Scope> {
        Rc::new(Scope { parent: Some(parent.clone()), boundary, ..Scope::default() })
    }

    /// Says what a name means.
    pub fn define(&self, name: &str, means: Result<Name, String>) {
        self.names.borrow_mut().insert(name.to_owned(), means);
    }

    /// Says how the value of a parameter is written.
    pub fn define_raw(&self, name: &str, text: &str) {
        self.raw.borrow_mut().insert(name.to_owned(), text.to_owned());
    }

    /// How the value of a parameter is written, here or around.
    pub fn raw(&self, name: &str) -> Option<String> {
        let own = self.raw.borrow().get(name).cloned();
        own.filter(|text| text != name).or_else(|| self.parent.as_ref()?.raw(name))
    }

    /// What a name means, without asking for it.
    pub fn peek(&self, name: &str, except: Option<&str>) -> Result<Name, String> {
        if except != Some(name)
            && let Some(own) = self.names.borrow().get(name)
        {
            return own.clone();
        }
        match &self.parent {
            Some(parent) => parent.peek(name, None),
            None => Err(format!("there is no parameter `{name}`")),
        }
    }

    /// The value of an expression over parameters, if it is a constant number.
    pub fn constant(&self, text: &str) -> Option<f64> {
        self.constant_node(&expression::parse(text).ok()?)
    }

    /// The same for an expression that has been parsed.
    pub fn constant_node(&self, node: &Node) -> Option<f64> {
        super::tests::number(&self.closed_node(node, None, 0).ok()?)
    }

    /// An expression with the values of all parameters in place.
    fn closed(&self, text: &str, except: Option<&str>, depth: usize) -> Result<String, String> {
        if depth > 30 {
            return Err("parameters depend on each other".to_owned());
        }
        self.closed_node(&expression::parse(text)?, except, depth)
    }

    fn closed_node(
        &self,
        node: &Node,
        except: Option<&str>,
        depth: usize,
    ) -> Result<String, String> {
        let printed = expression::print(node, &mut |name| {
            let own = self.raw.borrow().get(name).cloned().filter(|_| except != Some(name));
            let text = match (own, &self.parent) {
                (Some(own), _) => self.closed(&own, Some(name), depth + 1)?,
                (None, Some(parent)) => parent.closed(name, None, depth + 1)?,
                (None, None) => return Err(format!("there is no parameter `{name}`")),
            };
            Ok(Name::Text(text, false))
        })?;
        Ok(printed.text)
    }

    /// Makes a parameter the signal at its port.
    pub fn define_input(&self, name: &str, signal: &str) {
        self.inputs.borrow_mut().insert(signal.to_owned());
        self.define(name, Ok(Name::Text(signal.to_owned(), false)));
    }

    /// Whether the text of a name is that of a connected input.
    pub fn is_input(&self, text: &str) -> bool {
        self.inputs.borrow().contains(text)
    }

    /// Whether the text of a name is that of something that changes, here or around in
    /// the same diagram.
    pub fn is_set(&self, text: &str) -> bool {
        let around = self.parent.as_ref().filter(|_| !self.boundary);
        self.is_input(text) || around.is_some_and(|own| own.is_set(text))
    }

    /// Gives a string parameter its value.
    pub fn define_string(&self, name: &str, value: &str) {
        self.strings.borrow_mut().insert(name.to_owned(), value.to_owned());
        // Where it is a value, it is a number like any other text.
        let code = expression::code(value).to_string();
        self.define(name, Ok(Name::Text(code, true)));
    }

    /// Whether a name was asked for.
    pub fn is_asked(&self, name: &str) -> bool {
        self.asked.borrow().contains(name)
    }

    /// What the diagram needs of the scopes around it: names and their texts there.
    pub fn needs(&self) -> BTreeMap<String, String> {
        self.needs.borrow().clone()
    }

    /// All names that can be seen, so that blocks can have others.
    pub fn visible(&self) -> BTreeSet<String> {
        let mut names: BTreeSet<String> = self.names.borrow().keys().cloned().collect();
        if let Some(parent) = &self.parent {
            names.extend(parent.visible());
        }
        names
    }

    /// What a name means here; `except` is the name of the parameter whose value is asked for, which
    /// does not see itself.
    pub fn find(&self, name: &str, except: Option<&str>) -> Result<Name, String> {
        if except != Some(name)
            && let Some(own) = self.names.borrow().get(name)
        {
            self.asked.borrow_mut().insert(name.to_owned());
            return own.clone();
        }
        let unknown = || Err(format!("there is no parameter `{name}`"));
        let Some(parent) = &self.parent else { return unknown() };
        match parent.find(name, None)? {
            Name::Text(text, int) if self.boundary => {
                if self.names.borrow().contains_key(name) {
                    return Err(format!("`{name}` means two things in one diagram"));
                }
                self.needs.borrow_mut().insert(name.to_owned(), text);
                Ok(Name::Text(name.to_owned(), int))
            }
            other => Ok(other),
        }
    }

    /// The scope around this one.
    pub fn parent(&self) -> Option<&Rc<Scope>> {
        self.parent.as_ref()
    }

    /// The value of a string parameter.
    pub fn string(&self, name: &str) -> Option<String> {
        let own = self.strings.borrow().get(name).cloned();
        own.or_else(|| self.parent.as_ref()?.string(name))
    }

    /// A string with `$name` replaced.
    pub fn substituted(&self, text: &str) -> String {
        let Some(at) = text.find('$') else { return text.trim().to_owned() };
        let rest = &text[at + 1..];
        let inner = rest.trim_start_matches(['{', '(']);
        let opened = rest.len() - inner.len();
        let end = inner.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(inner.len());
        let value = self.string(&inner[..end]).unwrap_or_default();
        let after = inner[end..].get(opened..).unwrap_or_default();
        format!("{}{value}{}", &text[..at], self.substituted(after)).trim().to_owned()
    }

    /// Prints an expression as seen from here.
    pub fn print(&self, text: &str, except: Option<&str>) -> Result<Printed, String> {
        let node = expression::parse(text)?;
        self.print_node(&node, except)
    }

    /// The same for an expression that has been parsed.
    pub fn print_node(&self, node: &Node, except: Option<&str>) -> Result<Printed, String> {
        expression::print(node, &mut |name| self.find(name, except))
    }
}
