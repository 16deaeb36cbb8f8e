//! A sweep into files: the table, beside it a journal while it is in the making, and the traces of all
//! runs on request.
//!
//! The journal, `.NAME.sweep` beside the table NAME, has the rows so far. When the last run has its
//! row, the table is made of the journal and takes its name at once; then the journal is removed. A
//! process may be killed at any of these points: `resume` goes on from there, and the table has the
//! same bytes.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use base::Diagnostic;
use engine::LaneRefusal;
use sweep::{Flow, Journal, JournalError, Row};
use trace::{Cell, FlatWriter, Format, WriteError, WriteProblem};

use super::worker::{Unfinished, finished};
use super::{Runs, Sweep, SweepWorker};

/// Where a sweep goes.
#[derive(Clone, Debug)]
pub struct SweepTarget {
    /// The table: .csv, .parquet or .json.
    pub table: PathBuf,
    /// The runs: all, or a part of them.
    pub runs: Range<u64>,
    /// How many threads compute rows.
    pub threads: usize,
    /// Whether a sweep that was interrupted goes on.
    pub resume: bool,
}

/// How far a sweep is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SweepProgress {
    /// How many runs have their rows.
    pub done: u64,
    /// How many of these had them before.
    pub before: u64,
    /// How many runs there are.
    pub of: u64,
    /// How many runs have failed.
    pub failed: u64,
}

/// What has become of a sweep.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SweepSummary {
    /// How far it has come.
    pub progress: SweepProgress,
    /// Whether the table is complete; otherwise it was stopped, and can go on.
    pub complete: bool,
    /// Why runs have gone on one by one, and not with their steps side by side.
    pub one_by_one: Option<LaneRefusal>,
    /// The code and message of each kind of failure, with how many runs and the first of them.
    pub failures: Vec<(String, String, u64, u64)>,
}

/// Why a sweep could not be done.
#[derive(Debug)]
pub enum SweepError {
    /// A file could not be written.
    Write(WriteError),
    /// The journal cannot be used.
    Journal {
        /// The journal.
        path: PathBuf,
        /// Why.
        error: JournalError,
    },
    /// There is a journal, and nobody said that the sweep is to go on.
    Unfinished(PathBuf),
    /// The folder for traces holds something else.
    OtherFolder(PathBuf),
}

impl SweepError {
    /// The error as a diagnostic.
    pub fn diagnostic(&self) -> Diagnostic {
        match self {
            SweepError::Write(error) => {
                error.diagnostic().note("the rows so far are kept: `--resume` goes on from there")
            }
            SweepError::Journal { path, error } => {
                let message = format!("{}: {error}", path.display());
                Diagnostic::error("sweep-journal", message).help(match error {
                    JournalError::OtherSweep => {
                        "go on with the same model, parameters, measures and settings, or delete \
                         this file to begin anew"
                    }
                    JournalError::Damaged => "delete this file to begin anew",
                    JournalError::Busy => "wait until that sweep has ended",
                    JournalError::File(_) => "choose a folder that you may write to",
                })
            }
            SweepError::Unfinished(path) => {
                let message = format!("{} is of a sweep that was interrupted", path.display());
                Diagnostic::error("sweep-unfinished", message)
                    .help("go on with `--resume`, or delete this file to begin anew")
            }
            SweepError::OtherFolder(path) => {
                let message = format!("{} holds other results", path.display());
                Diagnostic::error("sweep-folder", message)
                    .help("choose a new folder for the traces, or an empty one")
            }
        }
    }
}

/// The file that says whose traces a folder holds.
const MARK: &str = ".superdense-sweep";

impl Sweep {
    /// A number that differs between sweeps, except by chance: of the model with its settings, of the
    /// points and of the measures.
    pub fn identity(&self) -> u64 {
        let own = format!(
            "{:x} {:?} {:?} {:?} {}",
            self.system.identity(),
            self.plan,
            self.columns,
            self.measured.iter().map(|own| &own.measure).collect::<Vec<_>>(),
            env!("CARGO_PKG_VERSION"),
        );
        crate::saved::sum(own.as_bytes())
    }

    /// Computes the rows and writes the table, and goes on if it was interrupted and is to.
    /// `each` is called with each row, in order, `watch` after each chunk; the sweep is stopped when it returns false, and `stop`
    /// stops it within a run.
    pub fn write(
        &self,
        target: &SweepTarget,
        stop: &AtomicBool,
        mut each: impl FnMut(&Row),
        mut watch: impl FnMut(SweepProgress) -> bool,
    ) -> Result<SweepSummary, SweepError> {
        check_format(&target.table).map_err(SweepError::Write)?;
        let path = journal_of(&target.table);
        let mut journal = self.journal(target, &path)?;
        let mut summary = SweepSummary::default();
        summary.progress.of = target.runs.end - target.runs.start;
        let failed = |error: io::Error| {
            SweepError::Write(WriteError { path: path.clone(), problem: error.into() })
        };
        let read: io::Result<()> = journal.for_each(|row| {
            summary.take(&row);
            each(&row);
            Ok(())
        });
        read.map_err(failed)?;
        summary.progress.before = summary.progress.done;
        let work = |worker: &mut SweepWorker<'_>, queue: &mut Runs<'_>| worker.work(queue, stop);
        let rest = journal.next()..target.runs.end;
        let end = sweep::in_order(
            rest,
            target.threads,
            || self.worker(),
            work,
            |_, found| {
                let (rows, broken) = finished(found);
                journal.add(&rows).map_err(failed)?;
                for row in &rows {
                    summary.take(row);
                    each(row);
                }
                match broken {
                    Some(Unfinished::Unwritten(error)) => return Err(SweepError::Write(error)),
                    Some(Unfinished::Stopped) => return Ok(Flow::Stop),
                    None => {}
                }
                Ok(if watch(summary.progress) { Flow::On } else { Flow::Stop })
            },
        )?;
        summary.one_by_one = self.one_by_one();
        summary.complete = end == target.runs.end && journal.next() == end;
        if summary.complete {
            self.finish(journal, target)?;
        }
        Ok(summary)
    }

    fn journal(&self, target: &SweepTarget, path: &Path) -> Result<Journal, SweepError> {
        let (identity, runs) = (self.identity(), target.runs.clone());
        let found = match (path.exists(), target.resume) {
            (true, false) => return Err(SweepError::Unfinished(path.to_owned())),
            (true, true) => Journal::resume(path, identity, runs),
            (false, _) => Journal::create(path, identity, runs),
        };
        found.map_err(|error| SweepError::Journal { path: path.to_owned(), error })
    }

    /// Marks the folder for traces, or refuses it if it holds something else.
    pub(super) fn claim(&self, folder: &Path) -> Result<(), SweepError> {
        let (mark, own) = (folder.join(MARK), format!("{:016x}\n", self.identity()));
        let unwritten = |error: io::Error| {
            SweepError::Write(WriteError { path: folder.to_owned(), problem: error.into() })
        };
        fs::create_dir_all(folder).map_err(unwritten)?;
        if fs::read_to_string(&mark).is_ok_and(|found| found == own) {
            return Ok(());
        }
        let mut all = fs::read_dir(folder).map_err(unwritten)?;
        if all.any(|entry| entry.is_ok_and(|entry| entry.file_name() != MARK)) {
            return Err(SweepError::OtherFolder(folder.to_owned()));
        }
        trace::replace(&mark, own.as_bytes()).map_err(unwritten)
    }

    /// Makes the table of the journal.
    fn finish(&self, mut journal: Journal, target: &SweepTarget) -> Result<(), SweepError> {
        let mut writer =
            FlatWriter::create(&target.table, &self.columns).map_err(SweepError::Write)?;
        journal.for_each(|row| writer.push(&row.cells).map_err(Broken::Write)).map_err(
            |error| {
                SweepError::Write(match error {
                    Broken::Write(error) => error,
                    Broken::Read(error) => {
                        WriteError { path: journal_of(&target.table), problem: error.into() }
                    }
                })
            },
        )?;
        writer.finish().map_err(SweepError::Write)?;
        // A journal that is left says that nothing is left to do.
        let _ = journal.remove();
        Ok(())
    }
}

enum Broken {
    Write(WriteError),
    Read(io::Error),
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Self {
        Broken::Read(error)
    }
}

/// The journal beside a table.
fn journal_of(table: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(table.file_name().unwrap_or_default());
    name.push(".sweep");
    table.with_file_name(name)
}

/// Refuses the name of a table before anything runs.
fn check_format(table: &Path) -> Result<(), WriteError> {
    let problem = match Format::of(table) {
        None => WriteProblem::UnknownFormat,
        Some(Format::Parquet) if !cfg!(feature = "parquet") => WriteProblem::NotBuilt,
        Some(_) if table.is_dir() => WriteProblem::Unwritable(io::ErrorKind::IsADirectory.into()),
        Some(_) => return Ok(()),
    };
    Err(WriteError { path: table.to_owned(), problem })
}

/// How many kinds of failures are distinguished.
const KINDS: usize = 16;

impl SweepSummary {
    fn take(&mut self, row: &Row) {
        self.progress.done += 1;
        let [.., Cell::Text(code), Cell::Text(message)] = &row.cells[..] else { return };
        self.progress.failed += 1;
        let place = self.failures.iter().position(|own| own.0 == *code);
        match place {
            Some(place) => self.failures[place].2 += 1,
            None if self.failures.len() < KINDS => {
                self.failures.push((code.clone(), message.clone(), 1, row.run));
            }
            None => {}
        }
    }
}
