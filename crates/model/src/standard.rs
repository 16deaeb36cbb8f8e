//! The standard library: diagrams in the language of model files, embedded in the program.
//!
//! Each file of the folder `library` has one diagram with the name of the file, perhaps with others
//! that only it uses, and around it a small model that shows what the diagram does. A model uses
//! these diagrams without importing them. Its own diagrams come first, then the blocks of the
//! library in Rust, then these.

use crate::Diagram;

/// A file of the standard library.
#[derive(Clone, Copy, Debug)]
pub struct StandardFile {
    /// The name of its diagram.
    pub name: &'static str,
    /// Its path from the folder of the project, for messages.
    pub path: &'static str,
    /// Its text.
    pub text: &'static str,
}

impl StandardFile {
    /// The diagram, read from the text.
    pub fn diagram(&self) -> Option<Diagram> {
        let none = &mut |_: &str| Err("the standard library imports nothing".to_owned());
        let model = crate::parse(self.path, self.text, none).ok()?;
        let id = *model.scopes.first()?.get(self.name)?;
        Some(model.diagram(id).clone())
    }

    /// Whether users of other tools know the diagram by a name. Spaces and capitals do not count.
    pub fn is_known_as(&self, name: &str) -> bool {
        let plain = |name: &str| name.to_lowercase().replace(' ', "");
        let aliases = self.diagram().map_or(Vec::new(), |own| own.documentation.aliases);
        aliases.iter().any(|alias| plain(alias) == plain(name))
    }
}

include!(concat!(env!("OUT_DIR"), "/standard.rs"));

/// The files of the standard library, sorted by name.
pub fn standard_files() -> &'static [StandardFile] {
    FILES
}

/// The file with a diagram of this name.
pub(crate) fn find(name: &str) -> Option<&'static StandardFile> {
    let index = FILES.binary_search_by(|file| file.name.cmp(name)).ok()?;
    Some(&FILES[index])
}
