//! Reads a model: a file and everything that it imports, each file once.
//!
//! Only diagrams are imported, so files may import each other cyclically. A name means the same
//! everywhere in a file: its scope is the file's own diagrams and those of the files that it
//! imports directly.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use base::{Diagnostic, FileId, SourceMap, Span};

use crate::conditional;
use crate::document::{Document, Import, Main, document};
use crate::fields::Context;
use crate::refused::Report;
use crate::standard;
use crate::yaml;
use crate::{Diagram, DiagramId, Model, Refused};

/// The maximum size of a file \[bytes\]; spans are 32-bit byte offsets.
pub(crate) const MAX_BYTES: usize = 256 << 20;

/// The maximum number of files of a model.
const MAX_FILES: usize = 1000;

/// Returns the name for messages and the text of a file, or why it cannot be read.
pub type Loader<'l> = dyn FnMut(&str) -> Result<(String, String), String> + 'l;

/// Reads a model file and the files that it imports.
pub fn read(path: &Path) -> Result<Model, Refused> {
    let name = path.to_string_lossy();
    let text = read_text(path)?;
    parse(&name, &text, &mut |path| Ok((path.to_owned(), text_of(Path::new(path))?)))
}

/// The text of a model file, without parsing it.
pub fn read_text(path: &Path) -> Result<String, Refused> {
    text_of(path).map_err(|reason| {
        let message = format!("cannot read `{}`: {reason}", path.display());
        Refused {
            diagnostics: Diagnostic::error("cannot-read", message).into(),
            sources: SourceMap::default(),
        }
    })
}

/// Reads a model from a text. `name` is shown in messages and is the path that imports are relative
/// to. `loader` is called with the path of each imported file, already joined to the folder of the
/// importing file, and returns that file's name and text.
pub fn parse(name: &str, text: &str, loader: &mut Loader<'_>) -> Result<Model, Refused> {
    let mut reading = Reading {
        loader,
        sources: SourceMap::default(),
        report: Report::default(),
        by_path: HashMap::new(),
        waiting: VecDeque::new(),
        diagrams: Vec::new(),
        files: Vec::new(),
        main: None,
        standard: BTreeMap::new(),
        examined: 0,
    };
    if text.len() > MAX_BYTES {
        let message = format!("`{name}` has more than {MAX_BYTES} bytes");
        reading.report.push(Diagnostic::error("model-too-large", message));
        return reading.finish();
    }
    reading.add(name.to_owned(), joined("", name), text);
    loop {
        while let Some((file, text)) = reading.waiting.pop_front() {
            reading.file(file, &text);
        }
        if !reading.load_standard() {
            return reading.finish();
        }
    }
}

/// The text of a file. Reading stops as soon as the file is known to be too long.
fn text_of(path: &Path) -> Result<String, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    let longest = MAX_BYTES as u64 + 1;
    file.take(longest).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() > MAX_BYTES {
        return Err(format!("it has more than {MAX_BYTES} bytes"));
    }
    String::from_utf8(bytes)
        .map_err(|error| format!("it is not UTF-8 (byte {})", error.utf8_error().valid_up_to()))
}

/// A path relative to the importing file, without `.`, and without `..` if possible.
fn joined(importing: &str, path: &str) -> String {
    let folder = Path::new(importing).parent().unwrap_or(Path::new(""));
    let mut plain = PathBuf::new();
    for component in folder.join(path).components() {
        let above = matches!(plain.components().next_back(), Some(Component::Normal(_)));
        match component {
            Component::CurDir => {}
            Component::ParentDir if above => {
                plain.pop();
            }
            _ => plain.push(component),
        }
    }
    plain.to_string_lossy().into_owned()
}

/// The diagrams that a file defines and the files that it imports.
#[derive(Default)]
struct Links {
    own: Vec<DiagramId>,
    imports: Vec<(Import, FileId)>,
}

struct Reading<'l> {
    loader: &'l mut Loader<'l>,
    sources: SourceMap,
    report: Report,
    by_path: HashMap<String, FileId>,
    waiting: VecDeque<(FileId, Arc<str>)>,
    diagrams: Vec<Diagram>,
    /// Indexed by `FileId`.
    files: Vec<Links>,
    main: Option<(Main, DiagramId)>,
    /// The files of the standard library that the model may use, by the names of their diagrams.
    standard: BTreeMap<&'static str, FileId>,
    /// How many diagrams have been searched for such names.
    examined: usize,
}

impl Reading<'_> {
    fn add(&mut self, name: String, path: String, text: &str) -> FileId {
        let text: Arc<str> = text.into();
        let file = self.sources.add(name, text.clone());
        self.by_path.insert(path, file);
        self.files.push(Links::default());
        self.waiting.push_back((file, text));
        file
    }

    fn file(&mut self, file: FileId, text: &str) {
        let Some(tree) = yaml::tree(text, file, &mut self.report) else { return };
        let first = file.index() == 0;
        let stem = Path::new(self.sources.name(file)).file_stem();
        let default_name = stem.map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
        let mut context = Context::new(text, &mut self.report);
        let read = document(&mut context, &tree, first.then_some(default_name.as_str()));
        let Some(Document { imports, diagrams, main }) = read else { return };
        if let Some((main, root)) = main {
            self.main = Some((main, self.keep(root)));
        }
        for diagram in diagrams {
            let id = self.keep(diagram);
            self.files[file.index()].own.push(id);
        }
        for import in imports {
            self.import(file, import);
        }
    }

    /// Adds the files of the standard library whose diagrams are types of blocks; returns whether
    /// there were new ones. A type may still turn out to be something else of the same name.
    fn load_standard(&mut self) -> bool {
        let mut names = Vec::new();
        for diagram in &self.diagrams[self.examined..] {
            types(diagram, &mut names);
        }
        self.examined = self.diagrams.len();
        let files = names.iter().filter_map(|name| standard::find(name));
        let files: Vec<_> = files.filter(|file| !self.standard.contains_key(file.name)).collect();
        for file in &files {
            if !self.standard.contains_key(file.name) {
                let id = self.add(file.path.to_owned(), file.path.to_owned(), file.text);
                self.standard.insert(file.name, id);
            }
        }
        !files.is_empty()
    }

    fn keep(&mut self, diagram: Diagram) -> DiagramId {
        self.diagrams.push(diagram);
        DiagramId::new(self.diagrams.len() - 1)
    }

    /// Finds the file of an import, and reads it if that has not been done yet.
    fn import(&mut self, from: FileId, import: Import) {
        let path = joined(self.sources.name(from), &import.path.value);
        let known = self.by_path.get(&path).copied();
        let Some(file) = known.or_else(|| self.load(path, import.path.span)) else { return };
        self.files[from.index()].imports.push((import, file));
    }

    fn load(&mut self, path: String, at: Span) -> Option<FileId> {
        if self.files.len() == MAX_FILES {
            let message = format!("a model has at most {MAX_FILES} files");
            self.report.push(Diagnostic::error("model-too-large", message).at(at, ""));
            return None;
        }
        let loaded = (self.loader)(&path).and_then(|(name, text)| match text.len() {
            0..=MAX_BYTES => Ok((name, text)),
            _ => Err(format!("it has more than {MAX_BYTES} bytes")),
        });
        match loaded {
            Ok((name, text)) => Some(self.add(name, path, &text)),
            Err(reason) => {
                let message = format!("cannot read `{path}`: {reason}");
                let diagnostic = Diagnostic::error("import-failed", message).at(at, "");
                self.report.push(diagnostic.note("paths are relative to the file that imports"));
                None
            }
        }
    }

    fn finish(mut self) -> Result<Model, Refused> {
        let count = self.files.len();
        let scopes: Vec<BTreeMap<String, DiagramId>> =
            (0..count).map(|file| self.scope(file)).collect();
        let standard = self.standard.iter().filter_map(|(name, file)| {
            Some(((*name).to_owned(), *scopes[file.index()].get(*name)?))
        });
        let standard: BTreeMap<String, DiagramId> = standard.collect();
        conditional::rewrite(&mut self.diagrams, &scopes, &standard, &mut self.report);
        match self.main {
            Some((main, root)) if !self.report.0.has_errors() => Ok(Model {
                name: main.name,
                description: main.description,
                functions: main.functions,
                inputs: main.inputs,
                diagrams: self.diagrams.into(),
                root,
                standard,
                scopes,
                invariants: main.invariants,
                record: main.record,
                simulate: main.simulate,
                sweep: main.sweep,
                plots: main.plots,
                sources: self.sources,
            }),
            _ => Err(Refused { diagnostics: self.report.0, sources: self.sources }),
        }
    }

    /// The diagrams that a file can name: its own, then those of its imports.
    fn scope(&mut self, file: usize) -> BTreeMap<String, DiagramId> {
        let mut seen: HashMap<String, (DiagramId, Span)> = HashMap::new();
        let mut scope = BTreeMap::new();
        let own = self.files[file].own.iter().map(|id| (None, *id));
        let imported = self.files[file].imports.iter().flat_map(|(import, from)| {
            self.files[from.index()].own.iter().map(move |id| (Some(import), *id))
        });
        for (import, id) in own.chain(imported) {
            let plain = &self.diagrams[id.index()].name;
            let name = match import.and_then(|import| import.alias.as_ref()) {
                Some(alias) => format!("{}.{}", alias.value, plain.value),
                None => plain.value.clone(),
            };
            let place = import.map_or(plain.span, |import| import.path.span);
            match seen.get(&name) {
                Some((first, _)) if *first == id => {}
                Some((_, first)) => self.report.push(ambiguous(&name, place, *first)),
                None => {
                    seen.insert(name.clone(), (id, place));
                    scope.insert(name, id);
                }
            }
        }
        scope
    }
}

/// The types of all blocks in a diagram, also of those in states.
fn types(diagram: &Diagram, names: &mut Vec<String>) {
    for block in &diagram.blocks {
        match &block.modal {
            Some(modal) => modal.states.iter().for_each(|state| types(&state.content, names)),
            None => names.push(block.kind.value.clone()),
        }
    }
}

/// The error for two diagrams with the same name.
fn ambiguous(name: &str, again: Span, first: Span) -> Diagnostic {
    Diagnostic::error("duplicate-name", format!("there are two diagrams called `{name}`"))
        .at(again, "this file has one")
        .at(first, "the other comes from here")
        .help("import the file under a name, `import: {library: path.yaml}`, to use `library.Name`")
}
