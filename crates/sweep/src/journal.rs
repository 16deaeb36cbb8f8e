//! Finished rows in a file beside the table in the making, so that a sweep that was killed goes on.
//!
//! ```text
//! head    identity of the sweep, and which runs
//! frame   the rows of a chunk, in order
//! ...
//! ```
//!
//! Each has its length and a checksum before it. A process that is killed leaves a last frame that is
//! cut; it is dropped, and its runs are computed again. The table is made of the journal alone, so that
//! it has the same bytes whether the sweep was interrupted or not.

use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::row::Row;

/// The version of the layout.
const VERSION: u32 = 1;

/// No frame is longer; a length beyond it is damage \[bytes\].
const LONGEST: u64 = 1 << 30;

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Head {
    version: u32,
    identity: u64,
    start: u64,
    end: u64,
}

/// Rows in a file.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    runs: Range<u64>,
    /// The next run that has no row.
    next: u64,
    /// Where the first frame begins.
    body: u64,
}

/// Why there is no journal.
#[derive(Debug)]
pub enum JournalError {
    /// It cannot be read or written.
    File(io::Error),
    /// It belongs to another sweep.
    OtherSweep,
    /// It is no journal.
    Damaged,
    /// Another process writes to it.
    Busy,
}

impl From<io::Error> for JournalError {
    fn from(error: io::Error) -> Self {
        JournalError::File(error)
    }
}

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JournalError::File(error) => error.fmt(f),
            JournalError::OtherSweep => f.write_str("it belongs to another sweep"),
            JournalError::Damaged => f.write_str("it is no journal of a sweep"),
            JournalError::Busy => f.write_str("another process is at work on it"),
        }
    }
}

impl std::error::Error for JournalError {}

impl Journal {
    /// Begins a journal; what a file with this name holds is lost.
    pub fn create(path: &Path, identity: u64, runs: Range<u64>) -> Result<Journal, JournalError> {
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(path)?;
        locked(&file)?;
        file.set_len(0)?;
        let head = Head { version: VERSION, identity, start: runs.start, end: runs.end };
        let next = runs.start;
        let mut journal = Journal { path: path.to_owned(), file, runs, next, body: 0 };
        journal.body = journal.write(&head)?;
        Ok(journal)
    }

    /// Opens the journal of a sweep that was interrupted, to go on after its last whole frame.
    pub fn resume(path: &Path, identity: u64, runs: Range<u64>) -> Result<Journal, JournalError> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        locked(&file)?;
        if file.metadata()?.len() == 0 {
            // It was killed before it wrote anything.
            drop(file);
            return Journal::create(path, identity, runs);
        }
        let mut frames = Frames { file: BufReader::new(file.try_clone()?), at: 0 };
        frames.file.seek(SeekFrom::Start(0))?;
        let head: Option<Head> = frames.next()?;
        let head = head.filter(|head| head.version == VERSION).ok_or(JournalError::Damaged)?;
        if head != (Head { version: VERSION, identity, start: runs.start, end: runs.end }) {
            return Err(JournalError::OtherSweep);
        }
        let body = frames.at;
        let (mut next, mut whole) = (runs.start, body);
        while let Some(rows) = frames.next::<Vec<Row>>()? {
            if !rows.iter().map(|row| row.run).eq(next..next + rows.len() as u64) {
                break;
            }
            (next, whole) = (next + rows.len() as u64, frames.at);
        }
        let mut file = file;
        file.set_len(whole)?;
        file.seek(SeekFrom::Start(whole))?;
        Ok(Journal { path: path.to_owned(), file, runs, next, body })
    }

    /// The next run that has no row.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Adds the rows of the next runs.
    pub fn add(&mut self, rows: &[Row]) -> io::Result<()> {
        debug_assert!(rows.first().is_none_or(|row| row.run == self.next), "rows come in order");
        self.write(&rows)?;
        self.next += rows.len() as u64;
        Ok(())
    }

    /// Calls a function with each row so far, in order.
    pub fn for_each<E: From<io::Error>>(
        &mut self,
        mut each: impl FnMut(Row) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(self.body))?;
        let mut frames = Frames { file: BufReader::new(file), at: self.body };
        let mut next = self.runs.start;
        while next < self.next {
            let rows: Option<Vec<Row>> = frames.next()?;
            let rows = rows.ok_or_else(|| io::Error::other("the journal has changed"))?;
            next += rows.len() as u64;
            rows.into_iter().try_for_each(&mut each)?;
        }
        self.file.seek(SeekFrom::End(0))?;
        Ok(())
    }

    /// Removes the file, once the table is there.
    pub fn remove(self) -> io::Result<()> {
        std::fs::remove_file(&self.path)
    }

    /// Writes a frame by one call, and returns its length.
    fn write(&mut self, content: &impl Serialize) -> io::Result<u64> {
        let body = postcard::to_allocvec(content).map_err(io::Error::other)?;
        let mut frame = Vec::with_capacity(body.len() + 16);
        frame.extend((body.len() as u64).to_le_bytes());
        frame.extend(sum(&body).to_le_bytes());
        frame.extend(body);
        self.file.write_all(&frame)?;
        Ok(frame.len() as u64)
    }
}

/// Keeps other processes away. Where files cannot be locked, nothing does.
fn locked(file: &File) -> Result<(), JournalError> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(JournalError::Busy),
        _ => Ok(()),
    }
}

struct Frames {
    file: BufReader<File>,
    /// The end of the last whole frame.
    at: u64,
}

impl Frames {
    /// The next frame; none if there is none that is whole.
    fn next<T: DeserializeOwned>(&mut self) -> io::Result<Option<T>> {
        let mut head = [0; 16];
        if !filled(&mut self.file, &mut head)? {
            return Ok(None);
        }
        let (length, check) = head.split_at(8);
        let number = |bytes: &[u8]| bytes.try_into().map_or(u64::MAX, u64::from_le_bytes);
        let (length, check) = (number(length), number(check));
        if length > LONGEST {
            return Ok(None);
        }
        // What is not there is not given memory.
        let mut body = Vec::new();
        (&mut self.file).take(length).read_to_end(&mut body)?;
        if body.len() as u64 != length || sum(&body) != check {
            return Ok(None);
        }
        self.at += length + 16;
        Ok(postcard::from_bytes(&body).ok())
    }
}

/// Fills a buffer; returns whether there was enough.
fn filled(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match file.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// FNV-1a.
fn sum(bytes: &[u8]) -> u64 {
    let step = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use trace::Cell;

    use super::*;

    fn row(run: u64) -> Row {
        Row { run, cells: vec![Cell::Number(run as f64 / 3.0), Cell::Text("ok".to_owned())] }
    }

    fn rows(journal: &mut Journal) -> Vec<Row> {
        let mut all = Vec::new();
        let found: io::Result<()> = journal.for_each(|row| {
            all.push(row);
            Ok(())
        });
        found.expect("it can be read");
        all
    }

    #[test]
    fn a_journal_cut_at_any_byte_goes_on_with_the_rows_before() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal");
        let mut journal = Journal::create(&path, 7, 10..20).expect("a journal");
        journal.add(&[row(10), row(11)]).expect("space");
        journal.add(&[row(12)]).expect("space");
        drop(journal);
        let whole = std::fs::read(&path).expect("a file");
        let mut most = 0;
        for length in 0..=whole.len() {
            std::fs::write(&path, &whole[..length]).expect("a file");
            let Ok(mut journal) = Journal::resume(&path, 7, 10..20) else {
                assert!(length < 40, "{length}");
                continue;
            };
            let next = journal.next();
            assert!(next >= most);
            most = next;
            journal.add(&[row(next)]).expect("space");
            assert!(rows(&mut journal).into_iter().eq((10..=next).map(row)), "{length}");
        }
        assert_eq!(most, 13);
    }

    #[test]
    fn another_sweep_and_another_process_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal");
        let journal = Journal::create(&path, 7, 0..9).expect("a journal");
        assert!(matches!(Journal::resume(&path, 7, 0..9), Err(JournalError::Busy)));
        drop(journal);
        assert!(matches!(Journal::resume(&path, 8, 0..9), Err(JournalError::OtherSweep)));
        assert!(matches!(Journal::resume(&path, 7, 0..8), Err(JournalError::OtherSweep)));
        std::fs::write(&path, "run,e\n0,1\n and so on, more than a head").expect("a file");
        assert!(matches!(Journal::resume(&path, 7, 0..9), Err(JournalError::Damaged)));
    }
}
