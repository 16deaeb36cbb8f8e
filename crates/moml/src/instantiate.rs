//! Elements in, instantiated components out: classes are copied with their overrides.

use std::collections::HashMap;
use std::rc::Rc;

use crate::Problem;
use crate::tree::{Classes, Component, Link, Port, Property, Relation};
use crate::xml::{self, Element};

/// How many entities a model may have, with all copies of classes.
const MOST_ENTITIES: usize = 200_000;
/// How many files a class may lead through.
const DEEPEST: usize = 40;

/// Reads files and instantiates what they contain.
pub struct Instantiation<'a> {
    classes: &'a Classes,
    /// Classes of other files that have been read.
    read: HashMap<String, Rc<Component>>,
    /// Classes being read, outermost first.
    reading: Vec<String>,
    entities: usize,
}

/// The classes that an element can name, innermost last.
type Scope = Vec<(String, Rc<Component>)>;

impl<'a> Instantiation<'a> {
    pub fn new(classes: &'a Classes) -> Instantiation<'a> {
        Instantiation { classes, read: HashMap::new(), reading: Vec::new(), entities: 0 }
    }

    /// The component of a file.
    pub fn file(&mut self, file: &str, text: &str) -> Result<Component, Problem> {
        let root = xml::parse(file, text)?;
        let file: Rc<str> = file.into();
        if !matches!(root.tag.as_str(), "entity" | "class") {
            let reason = format!("the file is not a model: it is a `{}`", root.tag);
            return Err(Problem::wrong(&file, root.line, "", reason));
        }
        self.component(&root, &file, "", &mut Scope::new())
    }

    fn component(
        &mut self,
        element: &Element,
        file: &Rc<str>,
        around: &str,
        scope: &mut Scope,
    ) -> Result<Component, Problem> {
        let name = element.get("name").unwrap_or_default().to_owned();
        let path = if around.is_empty() { name.clone() } else { format!("{around}.{name}") };
        self.entities += 1;
        let subject = format!("{} {path}", element.tag);
        if self.entities > MOST_ENTITIES {
            let reason = format!("the model has more than {MOST_ENTITIES} entities");
            return Err(Problem::wrong(file, element.line, &subject, reason));
        }
        let class = element.get("class").or(element.get("extends"));
        let class = class.unwrap_or("ptolemy.actor.TypedCompositeActor").to_owned();
        let mut component = match self.class(&class, file, element.line, &subject, scope)? {
            Some(class) => self.copy(&class, &path, file, element.line)?,
            None => Component {
                base: class.clone(),
                class: class.clone(),
                name: name.clone(),
                file: file.clone(),
                line: element.line,
                path: path.clone(),
                properties: Vec::new(),
                ports: Vec::new(),
                relations: Vec::new(),
                entities: Vec::new(),
                links: Vec::new(),
                classes: HashMap::new(),
            },
        };
        (component.name, component.class, component.path) = (name, class, path);
        (component.line, component.file) = (element.line, file.clone());
        self.apply(&mut component, element, scope)?;
        Ok(component)
    }

    /// A copy of a class, counted with everything in it.
    fn copy(
        &mut self,
        class: &Component,
        path: &str,
        file: &str,
        line: u32,
    ) -> Result<Component, Problem> {
        self.entities += count(class);
        if self.entities > MOST_ENTITIES {
            let reason = format!("the model has more than {MOST_ENTITIES} entities");
            return Err(Problem::wrong(file, line, path, reason));
        }
        let mut copy = class.clone();
        rename(&mut copy, path);
        Ok(copy)
    }

    /// The class of a name: one that the file defines, or one of another file; none if it is a class
    /// in Java.
    fn class(
        &mut self,
        name: &str,
        file: &Rc<str>,
        line: u32,
        subject: &str,
        scope: &Scope,
    ) -> Result<Option<Rc<Component>>, Problem> {
        let plain = name.trim_start_matches('.');
        let local = scope.iter().rev().find(|(own, _)| {
            own == plain
                || plain.strip_suffix(own.as_str()).is_some_and(|rest| rest.ends_with('.'))
                    && name.starts_with('.')
        });
        if let Some((_, class)) = local {
            return Ok(Some(class.clone()));
        }
        if let Some(class) = self.read.get(name) {
            return Ok(Some(class.clone()));
        }
        let Some(path) = self.classes.file(name) else {
            return match name.contains('.') {
                true => Ok(None),
                false => {
                    let reason = format!("there is no class `{name}`");
                    Err(Problem::wrong(file, line, subject, reason))
                }
            };
        };
        if self.reading.iter().any(|own| own == name) {
            let reason = format!("the class `{name}` contains itself");
            return Err(Problem::wrong(file, line, subject, reason));
        }
        if self.reading.len() >= DEEPEST {
            let reason = format!("classes lead through more than {DEEPEST} files");
            return Err(Problem::wrong(file, line, subject, reason));
        }
        let text = std::fs::read_to_string(&path).map_err(|error| {
            let reason = format!("the class `{name}` cannot be read: {error}");
            Problem::wrong(file, line, subject, reason)
        })?;
        self.reading.push(name.to_owned());
        let class = self.file(&path.display().to_string(), &text);
        self.reading.pop();
        let class = Rc::new(class?);
        self.read.insert(name.to_owned(), class.clone());
        Ok(Some(class))
    }

    /// Applies the children of an element to a component, which may have some of them from its
    /// class.
    fn apply(
        &mut self,
        component: &mut Component,
        element: &Element,
        scope: &mut Scope,
    ) -> Result<(), Problem> {
        let outer = scope.len();
        let inherited: Scope =
            component.classes.iter().map(|(name, class)| (name.clone(), class.clone())).collect();
        scope.extend(inherited);
        for child in &element.children {
            self.apply_child(component, child, scope)?;
        }
        scope.truncate(outer);
        Ok(())
    }

    // One arm for each tag of MoML: a table, and so longer than a function should otherwise be.
    fn apply_child(
        &mut self,
        component: &mut Component,
        child: &Element,
        scope: &mut Scope,
    ) -> Result<(), Problem> {
        let name = child.get("name").unwrap_or_default();
        let file = component.file.clone();
        match child.tag.as_str() {
            "entity" => match component.entities.iter().position(|own| own.name == name) {
                Some(at) => {
                    let mut inner = component.entities.remove(at);
                    inner.line = child.line;
                    inner.file = file;
                    self.apply(&mut inner, child, scope)?;
                    component.entities.insert(at, inner);
                }
                None => {
                    let inner = self.component(child, &file, &component.path, scope)?;
                    component.entities.push(inner);
                }
            },
            "class" => {
                let subject = format!("class {name}");
                let extends = child.get("extends").unwrap_or_default();
                if extends.trim_start_matches('.') == name {
                    let reason = format!("the class `{name}` extends itself");
                    return Err(Problem::wrong(&file, child.line, &subject, reason));
                }
                let class = Rc::new(self.component(child, &file, &component.path, scope)?);
                component.classes.insert(name.to_owned(), class.clone());
                scope.push((name.to_owned(), class));
            }
            "property" => apply_property(&mut component.properties, child),
            "port" => apply_port(&mut component.ports, child),
            "relation" => {
                let relations = &mut component.relations;
                let at = relations.iter().position(|own| own.name == name);
                let at = at.unwrap_or_else(|| {
                    let (name, line) = (name.to_owned(), child.line);
                    relations.push(Relation { name, line, properties: Vec::new() });
                    relations.len() - 1
                });
                for inner in child.children.iter().filter(|own| own.tag == "property") {
                    apply_property(&mut relations[at].properties, inner);
                }
            }
            "link" => component.links.push(link(child, &file, &component.path)?),
            "unlink" => {
                let same = |own: &Link| match own {
                    Link::Port { port, relation, .. } => {
                        child.get("port") == Some(port) && child.get("relation") == Some(relation)
                    }
                    Link::Relations(a, b) => {
                        child.get("relation1") == Some(a) && child.get("relation2") == Some(b)
                    }
                };
                component.links.retain(|own| !same(own));
            }
            "deleteEntity" => {
                component.entities.retain(|own| own.name != name);
                let of_it = |port: &str| port.split('.').next() == Some(name) && port.contains('.');
                component
                    .links
                    .retain(|own| !matches!(own, Link::Port { port, .. } if of_it(port)));
            }
            "deletePort" => component.ports.retain(|own| own.name != name),
            "deleteProperty" => component.properties.retain(|own| own.name != name),
            "deleteRelation" => {
                component.relations.retain(|own| own.name != name);
                component
                    .links
                    .retain(|own| !matches!(own, Link::Port { relation, .. } if relation == name));
            }
            "group" => {
                for inner in &child.children {
                    self.apply_child(component, inner, scope)?;
                }
            }
            // Graphics, documentation and the libraries of editors have no meaning here.
            "doc" | "display" | "configure" | "input" | "vertex" | "director" | "rename" => {}
            other => {
                let reason = format!("`{other}` is not known in MoML");
                let subject = format!("{other} {name}");
                return Err(Problem::wrong(&file, child.line, subject.trim(), reason));
            }
        }
        Ok(())
    }
}

fn link(child: &Element, file: &str, path: &str) -> Result<Link, Problem> {
    match (child.get("port"), child.get("relation"), child.get("relation1"), child.get("relation2"))
    {
        (Some(port), Some(relation), ..) => {
            let (port, relation) = (port.to_owned(), relation.to_owned());
            Ok(Link::Port { port, relation, line: child.line })
        }
        (_, _, Some(a), Some(b)) => Ok(Link::Relations(a.to_owned(), b.to_owned())),
        _ => {
            let subject = format!("link in {path}");
            let reason = "a link needs a port and a relation, or two relations";
            Err(Problem::wrong(file, child.line, &subject, reason))
        }
    }
}

fn apply_property(properties: &mut Vec<Property>, child: &Element) {
    let name = child.get("name").unwrap_or_default();
    let at = properties.iter().position(|own| own.name == name);
    let at = at.unwrap_or_else(|| {
        let class = child.get("class").unwrap_or_default().to_owned();
        let (name, line) = (name.to_owned(), child.line);
        properties.push(Property { name, class, value: None, line, properties: Vec::new() });
        properties.len() - 1
    });
    let own = &mut properties[at];
    own.line = child.line;
    if let Some(class) = child.get("class") {
        own.class = class.to_owned();
    }
    if let Some(value) = child.get("value") {
        own.value = Some(value.to_owned());
    }
    for inner in child.children.iter().filter(|inner| inner.tag == "property") {
        apply_property(&mut own.properties, inner);
    }
}

fn apply_port(ports: &mut Vec<Port>, child: &Element) {
    let name = child.get("name").unwrap_or_default();
    let at = ports.iter().position(|own| own.name == name);
    let at = at.unwrap_or_else(|| {
        let name = name.to_owned();
        ports.push(Port {
            name,
            input: false,
            output: false,
            multiport: false,
            ty: None,
            usual: None,
        });
        ports.len() - 1
    });
    let says = |what: &str| {
        let own = child.children.iter().find(|own| own.get("name") == Some(what))?;
        Some(own.get("value").is_none_or(|value| value != "false"))
    };
    let own = &mut ports[at];
    let given = |name: &str| {
        let property = child.children.iter().find(|own| own.get("name") == Some(name));
        property.and_then(|own| own.get("value")).map(str::to_owned)
    };
    own.ty = given("_type").or(own.ty.take());
    own.usual = given("defaultValue").or(own.usual.take());
    own.input = says("input").unwrap_or(own.input);
    own.output = says("output").unwrap_or(own.output);
    own.multiport = says("multiport").unwrap_or(own.multiport);
}

fn count(component: &Component) -> usize {
    component.entities.iter().map(|own| 1 + count(own)).sum()
}

/// Gives a copy and everything in it their own paths.
fn rename(component: &mut Component, path: &str) {
    component.path = path.to_owned();
    for inner in &mut component.entities {
        let own = format!("{path}.{}", inner.name);
        rename(inner, &own);
    }
}
