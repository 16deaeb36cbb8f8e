//! What can go wrong with files, each with a stable code, a reason and a remedy.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use base::Diagnostic;

use crate::header::FORMAT_VERSION;

/// A file that could not be written. Its previous content is untouched.
#[derive(Debug)]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub problem: WriteProblem,
}

/// Why a file could not be written.
#[derive(Debug)]
pub enum WriteProblem {
    /// The extension names no format; use another name or an explicit format.
    UnknownFormat,
    /// This program was built without Parquet (the feature `parquet`); use another format.
    NotBuilt,
    /// The file or its folder cannot be written to.
    Unwritable(io::Error),
    /// There is no space left. The run may continue without recording.
    DiskFull(io::Error),
}

/// A file that could not be read.
#[derive(Debug)]
pub struct ReadError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub problem: ReadProblem,
}

/// Why a file could not be read.
#[derive(Debug)]
pub enum ReadProblem {
    /// The extension names no format; use another name or an explicit format.
    UnknownFormat,
    /// This program was built without Parquet (the feature `parquet`).
    NotBuilt,
    /// The file cannot be opened or read.
    Unreadable(io::Error),
    /// The file is something else; the text says what is missing.
    NotATrace(String),
    /// The file was made with another version of the layout, which is given.
    OtherVersion(String),
    /// The file ends too early; the text says where.
    Cut(String),
    /// The file contradicts itself; the text says where.
    Damaged(String),
}

impl WriteError {
    pub(crate) fn new(path: &Path, error: io::Error) -> WriteError {
        WriteError { path: path.to_owned(), problem: error.into() }
    }

    /// A code that is stable across versions.
    pub fn code(&self) -> &'static str {
        match self.problem {
            WriteProblem::UnknownFormat => "trace-format",
            WriteProblem::NotBuilt => "not-built",
            WriteProblem::Unwritable(_) => "trace-unwritable",
            WriteProblem::DiskFull(_) => "trace-disk-full",
        }
    }

    /// What to do.
    pub fn help(&self) -> &'static str {
        match self.problem {
            WriteProblem::UnknownFormat => FORMATS,
            WriteProblem::NotBuilt => {
                "name it with .csv or .json at the end, or build with the feature `parquet`"
            }
            WriteProblem::Unwritable(ref error) => match error.kind() {
                io::ErrorKind::NotFound => "make the folder first, or choose another",
                io::ErrorKind::IsADirectory => "choose the name of a file",
                io::ErrorKind::InvalidFilename => "choose a shorter name",
                io::ErrorKind::BrokenPipe => "what reads it has ended before the run",
                _ => "choose a file in a folder that you may write to",
            },
            WriteProblem::DiskFull(_) => {
                "make room, record fewer signals or rows, or write Parquet, which is the smallest"
            }
        }
    }

    /// The same as a diagnostic.
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic::error(self.code(), self.to_string()).help(self.help())
    }

    /// Whether the reader of a pipe has closed it, which is not an error.
    pub fn is_broken_pipe(&self) -> bool {
        let error = std::error::Error::source(self).and_then(|e| e.downcast_ref::<io::Error>());
        error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl ReadError {
    /// A code that is stable across versions.
    pub fn code(&self) -> &'static str {
        match self.problem {
            ReadProblem::UnknownFormat => "trace-format",
            ReadProblem::NotBuilt => "not-built",
            ReadProblem::Unreadable(_) => "trace-unreadable",
            ReadProblem::NotATrace(_) => "not-a-trace",
            ReadProblem::OtherVersion(_) => "trace-version",
            ReadProblem::Cut(_) => "trace-cut",
            ReadProblem::Damaged(_) => "trace-damaged",
        }
    }

    /// What to do.
    pub fn help(&self) -> &'static str {
        match self.problem {
            ReadProblem::UnknownFormat => FORMATS,
            ReadProblem::NotBuilt => {
                "write it as .csv or .json, or build with the feature `parquet`"
            }
            ReadProblem::Unreadable(_) => "check the name of the file and whether you may read it",
            ReadProblem::NotATrace(_) => "give a file that a run has written",
            ReadProblem::OtherVersion(_) => "read it with the version that wrote it, or run again",
            ReadProblem::Cut(_) => "copy the file again from where it is whole, or run again",
            ReadProblem::Damaged(_) => "run again; the file was changed after it was written",
        }
    }

    /// The same as a diagnostic.
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic::error(self.code(), self.to_string()).help(self.help())
    }
}

const FORMATS: &str = match cfg!(feature = "parquet") {
    true => "name it with .csv, .parquet or .json at the end",
    false => "name it with .csv or .json at the end",
};

const NOT_BUILT: &str = "this program was built without Parquet";

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.problem {
            WriteProblem::UnknownFormat => {
                write!(f, "{path}: the ending of the name is not that of a format")
            }
            WriteProblem::NotBuilt => write!(f, "cannot write {path}: {NOT_BUILT}"),
            WriteProblem::Unwritable(error) => write!(f, "cannot write {path}: {error}"),
            WriteProblem::DiskFull(error) => write!(f, "no room to write {path}: {error}"),
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.problem {
            ReadProblem::UnknownFormat => {
                write!(f, "{path}: the ending of the name is not that of a format")
            }
            ReadProblem::NotBuilt => write!(f, "cannot read {path}: {NOT_BUILT}"),
            ReadProblem::Unreadable(error) => write!(f, "cannot read {path}: {error}"),
            ReadProblem::NotATrace(reason) => write!(f, "{path} is no trace: {reason}"),
            ReadProblem::OtherVersion(found) => {
                write!(f, "{path} has layout {found}, and this version reads {FORMAT_VERSION}")
            }
            ReadProblem::Cut(reason) => write!(f, "{path} is cut: {reason}"),
            ReadProblem::Damaged(reason) => write!(f, "{path} is damaged: {reason}"),
        }
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.problem {
            WriteProblem::UnknownFormat | WriteProblem::NotBuilt => None,
            WriteProblem::Unwritable(error) | WriteProblem::DiskFull(error) => Some(error),
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.problem {
            ReadProblem::Unreadable(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for WriteProblem {
    fn from(error: io::Error) -> Self {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull, WriteZero};
        match error.kind() {
            FileTooLarge | QuotaExceeded | StorageFull | WriteZero => WriteProblem::DiskFull(error),
            _ => WriteProblem::Unwritable(error),
        }
    }
}

impl From<io::Error> for ReadProblem {
    fn from(error: io::Error) -> Self {
        ReadProblem::Unreadable(error)
    }
}
