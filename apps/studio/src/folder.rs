//! The files that the studio may touch: those below one folder, and copies of unsaved texts beside
//! them.

use std::collections::hash_map::DefaultHasher;
use std::ffi::OsStr;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail};
use superdense::traces;

/// The largest number of files that are listed, and how deep folders are looked through.
const MOST_FILES: usize = 2000;
const DEEPEST: usize = 6;

/// A bundled model.
#[derive(Clone, Debug)]
pub struct Example {
    /// Its name.
    pub name: String,
    /// What it shows, in a sentence.
    pub summary: String,
    /// The name and text of each of its files; the first is the model.
    pub files: Vec<(String, String)>,
}

/// The folder that is served.
#[derive(Debug)]
pub(crate) struct Folder {
    /// Its path without symbolic links.
    root: PathBuf,
    /// The model to open first, below the root.
    pub first: Option<String>,
    pub examples: Vec<Example>,
}

/// Why a text was not saved.
pub(crate) enum Unsaved {
    /// The file has changed since it was read; this is its text now.
    Conflict(String),
    /// Another reason.
    Failed(anyhow::Error),
}

impl Folder {
    pub fn new(path: Option<&Path>, examples: Vec<Example>) -> Result<Folder> {
        let path = path.unwrap_or(Path::new("."));
        let whole =
            path.canonicalize().with_context(|| format!("cannot open {}", path.display()))?;
        if whole.is_dir() {
            return Ok(Folder { root: whole, first: None, examples });
        }
        let name = whole.file_name().and_then(OsStr::to_str).map(str::to_owned);
        let name = name.with_context(|| format!("{} has no name in UTF-8", path.display()))?;
        let root = whole.parent().map_or_else(PathBuf::new, Path::to_owned);
        Ok(Folder { root, first: Some(name), examples })
    }

    /// The name of the folder.
    pub fn name(&self) -> String {
        self.root.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    /// The model files below the folder.
    pub fn files(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut waiting = vec![(self.root.clone(), 0)];
        while let Some((folder, depth)) = waiting.pop() {
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for entry in entries.flatten() {
                let (path, name) = (entry.path(), entry.file_name());
                let Ok(kind) = entry.file_type() else { continue };
                let name = name.to_string_lossy();
                if name.starts_with('.') || name == "target" || name == "node_modules" {
                    continue;
                }
                if kind.is_dir() && depth < DEEPEST {
                    waiting.push((path, depth + 1));
                } else if kind.is_file() && is_model(&path) && found.len() < MOST_FILES {
                    let below = path.strip_prefix(&self.root).unwrap_or(&path);
                    found.push(below.to_string_lossy().replace('\\', "/"));
                }
            }
        }
        found.sort();
        found
    }

    /// The names of unsaved texts in the folder itself whose files were never written.
    pub fn unsaved(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.root).into_iter().flatten().flatten();
        let name = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().ok()?;
            let name = name.strip_prefix('.')?.strip_suffix(".unsaved")?.to_owned();
            (!self.path(&name).ok()?.exists()).then_some(name)
        };
        let mut found: Vec<String> = entries.filter_map(name).take(MOST_FILES).collect();
        found.sort();
        found
    }

    /// The whole path of a model file below the folder. Its own folder must exist, and a symbolic
    /// link must not lead out.
    pub fn path(&self, name: &str) -> Result<PathBuf> {
        let below = Path::new(name);
        let plain = below.components().all(|own| matches!(own, Component::Normal(_)));
        if name.is_empty() || !plain || name.contains('\\') || !is_model(below) {
            bail!("`{name}` is no model file below {}", self.root.display());
        }
        let path = self.root.join(below);
        let parent = path.parent().unwrap_or(&self.root);
        let parent = parent.canonicalize().with_context(|| format!("`{name}` has no folder"))?;
        let whole = match path.canonicalize() {
            Ok(whole) => whole,
            Err(_) => parent.join(path.file_name().unwrap_or_default()),
        };
        if !whole.starts_with(&self.root) || path.is_symlink() && !path.exists() {
            bail!("`{name}` leads out of {}", self.root.display());
        }
        Ok(whole)
    }

    /// The text of a model file.
    pub fn read(&self, name: &str) -> Result<String> {
        let path = self.path(name)?;
        superdense::read_text(&path).map_err(|refused| anyhow::anyhow!("{refused}"))
    }

    /// Saves a text, unless the file no longer has the text that the page knows.
    pub fn save(&self, name: &str, text: &str, known: Option<&str>) -> Result<(), Unsaved> {
        let path = self.path(name).map_err(Unsaved::Failed)?;
        if path.exists() {
            let now = self.read(name).map_err(Unsaved::Failed)?;
            if now != text && known.is_none_or(|known| known != fingerprint(&now)) {
                return Err(Unsaved::Conflict(now));
            }
        }
        traces::replace(&path, text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))
            .map_err(Unsaved::Failed)?;
        self.forget(name);
        Ok(())
    }

    /// Keeps a copy of an unsaved text beside its file.
    pub fn keep(&self, name: &str, text: &str) -> Result<()> {
        let copy = self.copy(name)?;
        fs::write(&copy, text).with_context(|| format!("cannot write {}", copy.display()))
    }

    /// The copy of an unsaved text, if it differs from the file.
    pub fn kept(&self, name: &str, text: &str) -> Option<String> {
        let kept = superdense::read_text(&self.copy(name).ok()?).ok()?;
        (kept != text).then_some(kept)
    }

    /// Removes the copy of a text that has been saved or given up.
    pub fn forget(&self, name: &str) {
        // Nobody misses a copy that was never made.
        let _ = self.copy(name).map(fs::remove_file);
    }

    fn copy(&self, name: &str) -> Result<PathBuf> {
        let path = self.path(name)?;
        let own = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let copy = path.with_file_name(format!(".{own}.unsaved"));
        if copy.is_symlink() {
            bail!("{} is a symbolic link", copy.display());
        }
        Ok(copy)
    }

    /// What identifies the present content of a file; none if there is no file.
    pub fn state(&self, name: &str) -> Option<String> {
        self.read(name).ok().map(|text| fingerprint(&text))
    }

    /// When a file was last changed, and its size, to see cheaply whether to look at it.
    pub fn stamp(&self, name: &str) -> Option<(std::time::SystemTime, u64)> {
        let own = fs::metadata(self.path(name).ok()?).ok()?;
        Some((own.modified().ok()?, own.len()))
    }
}

fn is_model(path: &Path) -> bool {
    let end = path.extension().and_then(OsStr::to_str);
    matches!(end, Some("yaml" | "yml"))
}

/// What identifies a text within this process.
pub(crate) fn fingerprint(text: &str) -> String {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    format!("{:016x}-{}", hasher.finish(), text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, Folder) {
        let place = tempfile::tempdir().expect("a folder");
        fs::create_dir(place.path().join("in")).expect("a folder");
        fs::write(place.path().join("secret.yaml"), "no").expect("a file");
        fs::write(place.path().join("in/a.yaml"), "a: 1\n").expect("a file");
        let folder = Folder::new(Some(&place.path().join("in")), Vec::new()).expect("a folder");
        (place, folder)
    }

    #[test]
    fn no_path_leads_out() {
        let (place, folder) = folder();
        assert_eq!(folder.read("a.yaml").expect("a text"), "a: 1\n");
        let outside = place.path().join("secret.yaml");
        for name in ["../secret.yaml", "", ".", "/etc/passwd", "a.txt", "in/../../secret.yaml"] {
            assert!(folder.path(name).is_err(), "{name}");
        }
        assert!(folder.path(outside.to_str().expect("UTF-8")).is_err());
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&outside, place.path().join("in/link.yaml"))
                .expect("a link");
            std::os::unix::fs::symlink(place.path(), place.path().join("in/up")).expect("a link");
            std::os::unix::fs::symlink("/nowhere/x.yaml", place.path().join("in/dangling.yaml"))
                .expect("a link");
            for name in ["link.yaml", "up/secret.yaml", "dangling.yaml"] {
                assert!(folder.path(name).is_err(), "{name}");
            }
        }
    }

    #[test]
    fn a_file_changed_by_others_is_not_overwritten() {
        let (place, folder) = folder();
        let known = fingerprint("a: 1\n");
        assert!(folder.save("a.yaml", "a: 2\n", Some(&known)).is_ok());
        fs::write(place.path().join("in/a.yaml"), "a: 3\n").expect("a file");
        let known = fingerprint("a: 2\n");
        let refused = folder.save("a.yaml", "a: 4\n", Some(&known));
        assert!(matches!(refused, Err(Unsaved::Conflict(text)) if text == "a: 3\n"));
        assert_eq!(folder.read("a.yaml").expect("a text"), "a: 3\n");
    }

    #[test]
    fn an_unsaved_text_comes_back() {
        let (_place, folder) = folder();
        folder.keep("new.yaml", "n: 1\n").expect("kept");
        assert_eq!(folder.unsaved(), ["new.yaml"]);
        assert_eq!(folder.kept("new.yaml", "").as_deref(), Some("n: 1\n"));
        folder.forget("new.yaml");
        assert!(folder.unsaved().is_empty());
        folder.keep("a.yaml", "a: 5\n").expect("kept");
        assert_eq!(folder.kept("a.yaml", "a: 1\n").as_deref(), Some("a: 5\n"));
        assert_eq!(folder.files(), ["a.yaml"]);
        assert!(folder.save("a.yaml", "a: 5\n", Some(&fingerprint("a: 1\n"))).is_ok());
        assert_eq!(folder.kept("a.yaml", "a: 5\n"), None);
    }
}
