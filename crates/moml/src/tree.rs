//! What a model consists of after its classes have been instantiated.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Where classes in other files are found: `a.b.C` is the file `a/b/C.xml` under the root of a
/// Ptolemy II tree.
#[derive(Clone, Default, Debug)]
pub struct Classes {
    /// The root of the tree, if there is one.
    pub root: Option<PathBuf>,
}

impl Classes {
    /// The root for a model file: what was given, or else the folder above the file under which
    /// the class `name` of its first part lies. A file `R/doc/x/M.xml` of a tree with the root `R`
    /// shows this by the folders `doc` or `ptolemy` that the tree consists of.
    pub fn of(model: &Path, given: Option<&Path>) -> Classes {
        if let Some(root) = given {
            return Classes { root: Some(root.to_owned()) };
        }
        let full = std::path::absolute(model).unwrap_or_else(|_| model.to_owned());
        let is_part = |folder: &Path| {
            folder.file_name().is_some_and(|name| name == "ptolemy" || name == "doc")
        };
        // The outermost folder of that name whose parent has the model below a tree.
        let above = full.ancestors().skip(1).filter(|folder| is_part(folder));
        let root = above
            .filter_map(Path::parent)
            .find(|root| full.strip_prefix(root).is_ok_and(|inner| inner.components().count() > 2));
        Classes { root: root.map(Path::to_owned) }
    }

    /// The file of a class, if there is one. Only plain names are followed, so that a class cannot
    /// name a file outside the tree.
    pub(crate) fn file(&self, class: &str) -> Option<PathBuf> {
        let plain = |part: &str| {
            !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
        };
        if !class.split('.').all(plain) {
            return None;
        }
        let path = self.root.as_ref()?.join(class.replace('.', "/")).with_extension("xml");
        path.is_file().then_some(path)
    }
}

/// A property: a parameter, a director or an attribute, with those inside it.
#[derive(Clone, Debug)]
pub struct Property {
    pub name: String,
    pub class: String,
    pub value: Option<String>,
    pub line: u32,
    pub properties: Vec<Property>,
}

/// A port of a composite, or a port that a file adds to an actor.
#[derive(Clone, Debug)]
pub struct Port {
    pub name: String,
    pub input: bool,
    pub output: bool,
    pub multiport: bool,
    /// The type that the file gives it.
    pub ty: Option<String>,
    /// Its value while nothing comes, if it has one.
    pub usual: Option<String>,
}

/// A relation, which joins ports; in a state machine it is a transition.
#[derive(Clone, Debug)]
pub struct Relation {
    pub name: String,
    pub line: u32,
    pub properties: Vec<Property>,
}

/// A link as written.
#[derive(Clone, Debug)]
pub enum Link {
    Port { port: String, relation: String, line: u32 },
    Relations(String, String),
}

/// An entity: an actor, a composite, a state, or the class of one.
#[derive(Clone, Debug)]
pub struct Component {
    pub name: String,
    /// The class as written.
    pub class: String,
    /// The class in Java at the end of the chain of classes.
    pub base: String,
    pub file: Rc<str>,
    pub line: u32,
    /// The name with those around it, for messages.
    pub path: String,
    pub properties: Vec<Property>,
    pub ports: Vec<Port>,
    pub relations: Vec<Relation>,
    pub entities: Vec<Component>,
    pub links: Vec<Link>,
    /// Classes defined inside, by name.
    pub classes: HashMap<String, Rc<Component>>,
}

impl Component {
    /// The last part of the name of its Java class.
    pub fn kind(&self) -> &str {
        self.base.rsplit('.').next().unwrap_or(&self.base)
    }

    pub fn property(&self, name: &str) -> Option<&Property> {
        find(&self.properties, name)
    }

    /// The text of a property, if it has one that is not empty.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.property(name).and_then(Property::text)
    }

    pub fn entity(&self, name: &str) -> Option<&Component> {
        self.entities.iter().find(|own| own.name == name)
    }

    pub fn port(&self, name: &str) -> Option<&Port> {
        self.ports.iter().find(|own| own.name == name)
    }

    /// The director of a composite, if it has one of its own.
    pub fn director(&self) -> Option<&Property> {
        let is_director = |own: &&Property| own.class.ends_with("Director");
        self.properties.iter().find(is_director)
    }

    /// Whether it consists of other entities.
    pub fn is_composite(&self) -> bool {
        matches!(
            self.kind(),
            "TypedCompositeActor"
                | "CompositeActor"
                | "Refinement"
                | "TransitionRefinement"
                | "EnabledComposite"
        )
    }
}

impl Property {
    /// Its text, if that is not empty.
    pub fn text(&self) -> Option<&str> {
        self.value.as_deref().map(str::trim).filter(|value| !value.is_empty())
    }

    pub fn property(&self, name: &str) -> Option<&Property> {
        find(&self.properties, name)
    }

    /// Whether expressions may name it.
    pub fn is_parameter(&self) -> bool {
        let class = self.class.rsplit('.').next().unwrap_or_default();
        let kind = matches!(
            class,
            "Parameter"
                | "PortParameter"
                | "SharedParameter"
                | "StringParameter"
                | "ExpertParameter"
                | "FileParameter"
                | "DoubleRangeParameter"
                | "MirrorPortParameter"
        );
        kind && !self.name.starts_with('_')
    }
}

/// A property by its name.
pub fn find<'a>(properties: &'a [Property], name: &str) -> Option<&'a Property> {
    properties.iter().find(|own| own.name == name)
}
