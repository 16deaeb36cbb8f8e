//! A file that is complete or absent.
//!
//! What is written goes to a file beside the target, which takes the target's name at the end. If
//! the end is not reached the file beside is removed and the target keeps what it had; a process
//! that is killed leaves the file beside (`.NAME.PID-K.partial`) and the old target. Pipes and
//! devices have no name to take, so they are written to directly.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) struct Target {
    path: PathBuf,
    file: File,
    /// The file beside; nothing once it has taken the target's name, or for pipes and devices.
    beside: Option<PathBuf>,
}

impl Target {
    /// Opens the file beside the target.
    pub fn create(path: &Path) -> io::Result<Target> {
        // A link stays a link: what it points to is replaced.
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
        loop {
            let mut hidden = OsString::from(".");
            hidden.push(name);
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            hidden.push(format!(".{}-{count}.partial", std::process::id()));
            let beside = path.with_file_name(hidden);
            match OpenOptions::new().write(true).create_new(true).open(&beside) {
                Ok(file) => return Ok(Target { path, file, beside: Some(beside) }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Where to write.
    pub fn file(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Gives the complete file its name, once its bytes are on the disk: some file systems say
    /// only then that there was no room.
    pub fn finish(mut self) -> io::Result<()> {
        let Some(beside) = &self.beside else { return Ok(()) };
        self.file.sync_all()?;
        fs::rename(beside, &self.path)?;
        self.beside = None;
        Ok(())
    }
}

/// Writes a file as a whole: it has the new bytes in the end, or what it had before. One that was
/// there keeps its permissions.
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
            // There is nobody left to tell; the name says what it is.
            let _ = fs::remove_file(beside);
        }
    }
}
