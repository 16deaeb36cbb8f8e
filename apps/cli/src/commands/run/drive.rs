//! Drives a run to its end, to an error or to an interrupt, and keeps or writes its rows.
//!
//! A run that is interrupted must still close its file, so the file is held here and not by the
//! run. To stay in bounded memory the run is then saved and resumed each time its rows have been
//! written: a resumed run goes on with the same bits, and without the rows of the first.

use std::cell::RefCell;
use std::rc::Rc;

use superdense::{
    Event, Impulse, Listener, Run, RunError, StopReason, System, Tag, Trace, WriteError, Writer,
};

use super::interrupt;
use super::progress::Progress;

/// How many values a run gathers before they are written.
const VALUES: usize = 1 << 15;

/// How often the progress is told, in things that the run does.
const STRIDE: u64 = 64;

/// Why a run is over.
#[derive(Debug)]
pub enum End {
    Reached(StopReason),
    Interrupted(Tag),
    Failed(RunError),
    /// The rest could not be written, so there was no use in going on.
    Unwritten(WriteError),
}

/// A run that is over.
pub struct Driven {
    pub end: End,
    /// The run, with the rows since the last ones that were written to make room.
    pub run: Run,
    /// How many rows were recorded, in memory or to a file.
    pub rows: u64,
}

/// Where a run tells its events and leaves its rows.
pub struct Outputs {
    pub listener: Option<Listener>,
    /// Where rows go as they come; where there is none they stay in memory.
    pub writer: Option<Writer>,
}

/// Runs a model.
pub fn drive(system: &System, outputs: Outputs, progress: &mut Progress) -> Driven {
    let listener = outputs.listener.map(|listener| Rc::new(RefCell::new(listener)));
    let listening = |mut run: Run| {
        if let Some(listener) = listener.clone() {
            run.listen(Box::new(move |event: &Event| (listener.borrow_mut())(event)));
        }
        run
    };
    let width: usize = system.schema().columns().iter().map(|column| column.ty.len()).sum();
    let most = (VALUES / width.max(1)).max(1);
    let (mut run, mut writer) = (listening(system.start()), outputs.writer);
    let mut written = 0;
    let end = loop {
        if let Some(end) = advance(&mut run, most, writer.is_some(), progress) {
            break end;
        }
        if let Err(error) = writer.as_mut().map_or(Ok(()), |writer| push(writer, run.trace())) {
            // After an error a writer takes no more, and leaves nothing behind.
            return Driven { end: End::Unwritten(error), run, rows: written };
        }
        written += run.trace().len() as u64;
        let resumed = system.resume(&run.save());
        run = listening(resumed.expect("a run resumes with the model that it was saved from"));
    };
    let rows = written + run.trace().len() as u64;
    let closed = writer.map_or(Ok(()), |mut writer| {
        push(&mut writer, run.trace())?;
        writer.finish()
    });
    match closed {
        Ok(()) => Driven { end, run, rows },
        Err(error) => Driven { end: End::Unwritten(error), run, rows },
    }
}

/// Goes on to the end, or to the time to write rows, where they are to be written.
fn advance(run: &mut Run, most: usize, writes: bool, progress: &mut Progress) -> Option<End> {
    let mut count = 0u64;
    loop {
        match run.advance() {
            Ok(None) => {}
            Ok(Some(reason)) => return Some(End::Reached(reason)),
            Err(error) => return Some(End::Failed(error)),
        }
        if interrupt::asked() {
            return Some(End::Interrupted(run.tag()));
        }
        count += 1;
        if count.is_multiple_of(STRIDE) {
            progress.at(run.tag().time);
        }
        if writes && run.trace().len() >= most {
            return None;
        }
    }
}

/// Writes the rows of a trace with their impulses, which are in the order of rows.
fn push(writer: &mut Writer, trace: &Trace) -> Result<(), WriteError> {
    let mut impulses = trace.impulses();
    for (row, tag) in trace.tags().iter().enumerate() {
        let (here, later) = impulses.split_at(impulses.partition_point(|i| i.tag <= *tag));
        impulses = later;
        let weight = |column: usize, order: usize| {
            let found = here.iter().find(|i: &&Impulse| i.column == column && i.order == order);
            found.map(|impulse| &impulse.weight[..])
        };
        writer.push(*tag, |column| trace.get(row, column), weight)?;
    }
    Ok(())
}
