//! The log of a run: everything that happens at ticks, as one line of JSON each.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use anyhow::{Context, Result};
use superdense::{Event, Listener, System};

/// A log that is being written. A full disk does not end the run; the failure is reported when the
/// run ends.
pub struct Log {
    path: PathBuf,
    lines: Arc<Mutex<Lines>>,
}

struct Lines {
    out: BufWriter<Box<dyn Write + Send>>,
    /// The result of writing so far; after an error nothing more is written.
    written: io::Result<()>,
}

impl Log {
    /// Creates a log; `-` is standard output.
    pub fn create(path: &Path) -> Result<Log> {
        let out: Box<dyn Write + Send> = match path.as_os_str() == "-" {
            true => Box::new(io::stdout()),
            false => {
                let file = File::create(path);
                Box::new(file.with_context(|| format!("cannot write {}", path.display()))?)
            }
        };
        let lines = Lines { out: BufWriter::new(out), written: Ok(()) };
        Ok(Log { path: path.to_owned(), lines: Arc::new(Mutex::new(lines)) })
    }

    /// A listener that writes every event of a run.
    pub fn listener(&self, system: &System) -> Listener {
        let (lines, system) = (self.lines.clone(), system.clone());
        Box::new(move |event: &Event| {
            let lines = &mut *lines.lock().expect("no listener panics");
            if lines.written.is_ok() {
                lines.written = writeln!(lines.out, "{}", system.event_json(event));
            }
        })
    }

    /// Writes the last lines, and reports a failure. It is no failure if the reader of a pipe stops
    /// early.
    pub fn finish(self) -> Result<()> {
        let lines = &mut *self.lines.lock().expect("no listener panics");
        let written = std::mem::replace(&mut lines.written, Ok(()));
        match written.and_then(|()| lines.out.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                let name = self.path.display();
                Err(error).with_context(|| format!("the log {name} is not complete"))
            }
            _ => Ok(()),
        }
    }
}
