//! The standard library: diagrams in the language of model files, embedded in the program.
//!
//! Each file of the folder `library` has one diagram with the name of the file, perhaps with others
//! that only it uses, and around it a small model that shows what the diagram does. A model uses
//! these diagrams without importing them. Its own diagrams come first, then the blocks of the
//! library in Rust, then these.

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
    /// Whether users of other tools know the diagram by a name. Spaces and capitals do not count.
    pub fn is_known_as(&self, name: &str) -> bool {
        // The text is searched instead of read: this is for one message.
        let aliases = self.text.lines().find_map(|line| line.trim().strip_prefix("aliases:"));
        let aliases = aliases.unwrap_or("").trim().trim_start_matches('[').trim_end_matches(']');
        let plain = |name: &str| name.to_lowercase().replace([' ', '"'], "");
        aliases.split(',').any(|alias| plain(alias) == plain(name))
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
