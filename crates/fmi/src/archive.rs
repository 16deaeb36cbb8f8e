//! Archives: written from files in memory, and unpacked into a folder that vanishes with its owner.
//!
//! An archive comes from somebody else. What is unpacked is bounded in number and size, stays inside
//! the folder, and consists of plain files only.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Cursor, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::description::Version;
use crate::{Description, DescriptionError};

/// The name of the description in an archive.
const DESCRIPTION: &str = "modelDescription.xml";

/// Why an archive cannot be used.
#[derive(Debug)]
pub enum ArchiveError {
    /// The file cannot be read or written.
    Io(PathBuf, io::Error),
    /// It is no zip archive, or it is cut.
    NotAnArchive(String),
    /// It has more files or bytes than the limits allow.
    TooLarge(String),
    /// A file in it would be written outside its folder, or is no plain file.
    BadPath(String),
    /// It has no description.
    NoDescription,
    /// Its description is wrong.
    Description(DescriptionError),
}

impl fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArchiveError::Io(path, error) => write!(f, "{}: {error}", path.display()),
            ArchiveError::NotAnArchive(why) => {
                write!(f, "it is not a zip archive, or not a whole one: {why}")
            }
            ArchiveError::TooLarge(what) => write!(f, "it is too large: {what}"),
            ArchiveError::BadPath(path) => write!(
                f,
                "its file `{path}` has a path that leads out of the archive, or is no plain file"
            ),
            ArchiveError::NoDescription => write!(f, "it has no {DESCRIPTION}: it is no FMU"),
            ArchiveError::Description(error) => write!(f, "its {DESCRIPTION} is wrong: {error}"),
        }
    }
}

impl std::error::Error for ArchiveError {}

/// How much an archive may contain.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The number of files.
    pub files: usize,
    /// The size of all files together, unpacked \[bytes\].
    pub bytes: u64,
    /// The size of the description \[bytes\].
    pub description: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { files: 20_000, bytes: 2 << 30, description: 64 << 20 }
    }
}

/// Writes an archive of files in memory, each with its path in the archive.
pub fn write_archive(path: &Path, files: &[(String, Vec<u8>)]) -> Result<(), ArchiveError> {
    let io = |error: io::Error| ArchiveError::Io(path.to_owned(), error);
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .unix_permissions(0o755);
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        let started = writer.start_file(name.as_str(), options);
        started.map_err(|error| io(io::Error::other(error)))?;
        writer.write_all(bytes).map_err(io)?;
    }
    let bytes = writer.finish().map_err(|error| io(io::Error::other(error)))?.into_inner();
    // The file appears under its name when it is whole.
    let folder = path.parent().filter(|own| !own.as_os_str().is_empty());
    let mut temporary =
        tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new("."))).map_err(io)?;
    temporary.write_all(&bytes).map_err(io)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let readable = fs::Permissions::from_mode(0o644);
        temporary.as_file().set_permissions(readable).map_err(io)?;
    }
    temporary.persist(path).map_err(|error| io(error.error))?;
    Ok(())
}

/// The description of an archive and the names of its files; nothing is unpacked.
#[derive(Debug)]
pub struct Contents {
    /// The description.
    pub description: Description,
    /// The paths of all files in the archive, with their sizes \[bytes\].
    pub files: Vec<(String, u64)>,
    /// What is wrong with the description and does not prevent its use.
    pub mistakes: Vec<String>,
}

impl Contents {
    /// Reads the description of an archive.
    pub fn read(path: &Path, limits: &Limits) -> Result<Contents, ArchiveError> {
        let mut archive = open(path, limits)?;
        contents(&mut archive, limits)
    }

    /// The platforms that it has libraries for, as its version names them.
    pub fn platforms(&self) -> Vec<&str> {
        let folders = self.files.iter().filter_map(|(name, _)| {
            let (platform, _) = name.strip_prefix("binaries/")?.split_once('/')?;
            Some(platform)
        });
        let mut found: Vec<&str> = folders.collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn open(path: &Path, limits: &Limits) -> Result<ZipArchive<File>, ArchiveError> {
    let io = |error: io::Error| ArchiveError::Io(path.to_owned(), error);
    // A device, or a pipe that nobody writes to, would be read without end.
    if !fs::metadata(path).map_err(io)?.is_file() {
        return Err(io(io::Error::other("it is not a file")));
    }
    let file = File::open(path).map_err(io)?;
    let archive =
        ZipArchive::new(file).map_err(|error| ArchiveError::NotAnArchive(error.to_string()))?;
    if archive.len() > limits.files {
        let what =
            format!("it has {} files, and at most {} are taken", archive.len(), limits.files);
        return Err(ArchiveError::TooLarge(what));
    }
    Ok(archive)
}

fn contents(archive: &mut ZipArchive<File>, limits: &Limits) -> Result<Contents, ArchiveError> {
    let broken = |error: zip::result::ZipError| ArchiveError::NotAnArchive(error.to_string());
    let mut files = Vec::new();
    for index in 0..archive.len() {
        let file = archive.by_index_raw(index).map_err(broken)?;
        if file.is_file() {
            files.push((file.name().map_err(broken)?.into_owned(), file.size()));
        }
    }
    let file = match archive.by_name(DESCRIPTION) {
        Ok(file) => file,
        Err(zip::result::ZipError::FileNotFound) => return Err(ArchiveError::NoDescription),
        Err(error) => return Err(broken(error)),
    };
    let mut bytes = Vec::new();
    file.take(limits.description + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| ArchiveError::NotAnArchive(error.to_string()))?;
    if bytes.len() as u64 > limits.description {
        let what = format!("its description has more than {} bytes", limits.description);
        return Err(ArchiveError::TooLarge(what));
    }
    let (description, mistakes) = crate::read::read(&bytes).map_err(ArchiveError::Description)?;
    Ok(Contents { description, files, mistakes })
}

/// How the names of folders begin into which archives are unpacked.
const PREFIX: &str = "superdense-fmu-";

/// The file in such a folder that its owner keeps locked.
const OWNED: &str = ".owned";

/// An archive that has been unpacked into a folder of its own, which is removed with it.
#[derive(Debug)]
pub struct Archive {
    /// Locked as long as somebody uses the folder.
    _owned: File,
    folder: TempDir,
    /// The description.
    pub contents: Contents,
}

impl Archive {
    /// Unpacks an archive.
    pub fn unpack(path: &Path, limits: &Limits) -> Result<Archive, ArchiveError> {
        let mut archive = open(path, limits)?;
        let contents = contents(&mut archive, limits)?;
        let io = |error: io::Error| ArchiveError::Io(path.to_owned(), error);
        remove_abandoned(&std::env::temp_dir());
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir().map_err(io)?;
        let owned = own(folder.path()).map_err(io)?;
        let mut left = limits.bytes;
        for index in 0..archive.len() {
            unpack_file(&mut archive, index, folder.path(), (&mut left, limits))?;
        }
        Ok(Archive { _owned: owned, folder, contents })
    }

    /// The folder with its files.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The library for this machine, or the platforms that there are libraries for.
    pub fn library(&self, identifier: &str) -> Result<PathBuf, Vec<String>> {
        let name = format!("{identifier}{}", std::env::consts::DLL_SUFFIX);
        let platform = platform(self.contents.description.version);
        let path = self.folder().join("binaries").join(platform).join(name);
        // Identifiers are checked when they are read: they are names, not paths.
        match path.is_file() {
            true => Ok(path),
            false => Err(self.contents.platforms().into_iter().map(str::to_owned).collect()),
        }
    }
}

/// Marks a folder as used. The file appears in it when it is locked.
fn own(folder: &Path) -> io::Result<File> {
    let file = tempfile::NamedTempFile::new_in(folder)?;
    file.as_file().lock()?;
    Ok(file.persist(folder.join(OWNED))?)
}

/// Removes the folders whose owners have ended without doing so, for example by a signal. Whatever
/// cannot be removed is left.
fn remove_abandoned(place: &Path) {
    let Ok(entries) = fs::read_dir(place) else { return };
    let ours = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX))
    };
    for folder in entries.flatten().map(|entry| entry.path()).filter(ours) {
        let unused = File::open(folder.join(OWNED)).is_ok_and(|file| file.try_lock().is_ok());
        if unused {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

fn unpack_file(
    archive: &mut ZipArchive<File>,
    index: usize,
    folder: &Path,
    (left, limits): (&mut u64, &Limits),
) -> Result<(), ArchiveError> {
    let mut file =
        archive.by_index(index).map_err(|error| ArchiveError::NotAnArchive(error.to_string()))?;
    let name = file.name().map_err(|error| ArchiveError::NotAnArchive(error.to_string()))?;
    let name = name.into_owned();
    let bad = || ArchiveError::BadPath(name.clone());
    let inside = file.enclosed_name().ok_or_else(bad)?;
    if file.is_symlink() {
        return Err(bad());
    }
    let target = folder.join(inside);
    let io = |error: io::Error| ArchiveError::Io(target.clone(), error);
    if file.is_dir() {
        return fs::create_dir_all(&target).map_err(io);
    }
    if let Some(parent) = target.parent() {
        fs::create_dir_all(parent).map_err(io)?;
    }
    let mut out = File::create(&target).map_err(io)?;
    let mut bounded = (&mut file).take(*left + 1);
    let copied = io::copy(&mut bounded, &mut out);
    let copied = copied.map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
            ArchiveError::NotAnArchive(format!("`{name}`: {error}"))
        }
        _ => io(error),
    })?;
    if copied > *left {
        let what = format!("unpacked it has more than {} bytes", limits.bytes);
        return Err(ArchiveError::TooLarge(what));
    }
    *left -= copied;
    Ok(())
}

/// The folder of libraries for this machine, as a version of the standard names it.
pub fn platform(version: Version) -> String {
    let (architecture, system) = (std::env::consts::ARCH, std::env::consts::OS);
    match version {
        Version::Two => {
            let system = match system {
                "macos" => "darwin",
                "windows" => "win",
                other => other,
            };
            let bits = if cfg!(target_pointer_width = "64") { "64" } else { "32" };
            match architecture {
                "x86_64" | "x86" => format!("{system}{bits}"),
                other => format!("{other}-{system}"),
            }
        }
        Version::Three => {
            let system = if system == "macos" { "darwin" } else { system };
            format!("{architecture}-{system}")
        }
    }
}
