//! A file that is complete or absent.
//!
//! Data are written to a temporary file next to the target, which takes the target's name at the
//! end. If the end is not reached, the temporary file is removed and the target keeps its content.
//! A process that is killed leaves the temporary file (`.NAME.PID-K.partial`, with the start of a
//! long NAME) and the old target; the next process that writes to the same target removes the
//! leftover. Pipes and devices cannot be renamed, so they are written to directly.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The temporary files that this process is writing.
static OPEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// An unlocked file younger than this may belong to a process that cannot be seen and has just
/// created it.
const NEW: Duration = Duration::from_secs(2);

/// Removes all incomplete files, for a process that is about to end.
pub fn discard() {
    let open = OPEN.lock().map(|mut open| std::mem::take(&mut *open)).unwrap_or_default();
    for beside in open {
        let _ = fs::remove_file(beside);
    }
}

pub(crate) struct Target {
    path: PathBuf,
    file: File,
    /// The temporary file; `None` once it has taken the target's name, or for pipes and devices.
    beside: Option<PathBuf>,
}

impl Target {
    /// Opens the temporary file next to the target.
    pub fn create(path: &Path) -> io::Result<Target> {
        // A link stays a link: the file that it points to is replaced.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        match fs::metadata(&path) {
            Ok(found) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            Ok(found) if !found.is_file() => {
                let file = OpenOptions::new().write(true).open(&path)?;
                Ok(Target { path, file, beside: None })
            }
            Ok(found) if found.permissions().readonly() => {
                Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"))
            }
            _ => Target::beside(path),
        }
    }

    fn beside(path: PathBuf) -> io::Result<Target> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        let name = start_of(name);
        remove_left(&path, &name);
        loop {
            let mut hidden = OsString::from(".");
            hidden.push(&name);
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            hidden.push(format!(".{}-{count}.partial", std::process::id()));
            let beside = path.with_file_name(hidden);
            match OpenOptions::new().write(true).create_new(true).open(&beside) {
                Ok(file) => {
                    // If files cannot be locked, nobody mistakes this one for a leftover.
                    let _ = file.try_lock();
                    if let Ok(mut open) = OPEN.lock() {
                        open.push(beside.clone());
                    }
                    return Ok(Target { path, file, beside: Some(beside) });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Where to write.
    pub fn file(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Gives the complete file its name once its bytes are on the disk: some file systems report
    /// only then that there was no space.
    pub fn finish(mut self) -> io::Result<()> {
        let Some(beside) = &self.beside else { return Ok(()) };
        self.file.sync_all()?;
        fs::rename(beside, &self.path)?;
        forget(beside);
        self.beside = None;
        Ok(())
    }
}

fn forget(beside: &Path) {
    if let Ok(mut open) = OPEN.lock() {
        open.retain(|other| other != beside);
    }
}

/// The target's name as it appears in that of the temporary file: as much of it as leaves room for
/// the rest. File systems allow names of 255 bytes.
fn start_of(name: &OsStr) -> OsString {
    const MOST: usize = 200;
    match name.to_str() {
        Some(text) if text.len() > MOST => text[..text.floor_char_boundary(MOST)].into(),
        _ => name.to_owned(),
    }
}

/// Removes temporary files next to a target that killed processes have left.
fn remove_left(path: &Path, name: &OsStr) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let Ok(entries) = fs::read_dir(folder.unwrap_or(Path::new("."))) else { return };
    let (Some(name), own) = (name.to_str(), std::process::id()) else { return };
    for entry in entries.flatten() {
        let found = entry.file_name();
        let middle = found.to_str().and_then(|found| found.strip_prefix('.')?.strip_prefix(name));
        let middle = middle.and_then(|rest| rest.strip_prefix('.')?.strip_suffix(".partial"));
        let process = middle.and_then(|middle| middle.split_once('-')?.0.parse::<u32>().ok());
        if process.is_some_and(|process| process != own && is_left(&entry.path(), process)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether no process writes to the file any more: a writer keeps it locked.
fn is_left(beside: &Path, process: u32) -> bool {
    let Ok(file) = OpenOptions::new().write(true).open(beside) else { return false };
    let gone = Path::new("/proc/self").exists() && !Path::new(&format!("/proc/{process}")).exists();
    let age = file.metadata().and_then(|found| found.modified()).ok();
    let old = age.and_then(|time| time.elapsed().ok()).is_some_and(|age| age > NEW);
    (gone || old) && file.try_lock().is_ok()
}

/// Writes a file atomically: in the end it has either the new bytes or its old content. An existing
/// file keeps its permissions.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = Target::create(path)?;
    let mut file = target.file()?;
    file.write_all(bytes)?;
    if target.beside.is_some()
        && let Ok(found) = fs::metadata(&target.path)
    {
        file.set_permissions(found.permissions())?;
    }
    target.finish()
}

impl Drop for Target {
    fn drop(&mut self) {
        if let Some(beside) = &self.beside {
            forget(beside);
            // There is nobody to report an error to; the name of the file says what it is.
            let _ = fs::remove_file(beside);
        }
    }
}
