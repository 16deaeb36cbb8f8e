//! Who encodes the chunks of a file: the caller as long as there is one, then a thread beside it,
//! so that a long run does not wait for what it records.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

use crate::chunk::Chunk;
use crate::writer::Encoder;

/// An encoder here, or at work on a thread of its own.
pub(crate) enum Desk {
    Here(Box<dyn Encoder>),
    Beside(Beside),
    /// After an error.
    Closed,
}

/// An encoder on a thread: full chunks go to it, and come back empty.
pub(crate) struct Beside {
    full: SyncSender<Chunk>,
    empty: Receiver<Chunk>,
    thread: JoinHandle<io::Result<Box<dyn Encoder>>>,
}

impl Beside {
    /// Moves an encoder to a thread; `spare` is the chunk that is filled while another is encoded.
    fn start(mut encoder: Box<dyn Encoder>, spare: Chunk) -> io::Result<Beside> {
        let (full, chunks) = sync_channel::<Chunk>(0);
        let (back, empty) = channel();
        // The thread is not there yet, so the channel takes it.
        let _ = back.send(spare);
        let work = move || {
            while let Ok(mut chunk) = chunks.recv() {
                encoder.write(&chunk)?;
                chunk.clear();
                if back.send(chunk).is_err() {
                    break;
                }
            }
            Ok(encoder)
        };
        let thread = std::thread::Builder::new().name("trace".to_owned()).spawn(work)?;
        Ok(Beside { full, empty, thread })
    }

    /// Waits for the thread to end; gives the encoder back.
    fn end(self) -> io::Result<Box<dyn Encoder>> {
        drop(self.full);
        match self.thread.join() {
            Ok(ended) => ended,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

impl Desk {
    /// Encodes a chunk, here or beside, and leaves an empty one in its place. An error beside comes
    /// with a later chunk, or at the end.
    pub fn take(&mut self, chunk: &mut Chunk, spare: Option<Chunk>) -> io::Result<()> {
        if let (Desk::Here(_), Some(spare)) = (&*self, spare) {
            let Desk::Here(encoder) = std::mem::replace(self, Desk::Closed) else {
                unreachable!("the encoder is here");
            };
            *self = Desk::Beside(Beside::start(encoder, spare)?);
        }
        match self {
            Desk::Here(encoder) => {
                encoder.write(chunk)?;
                chunk.clear();
                Ok(())
            }
            Desk::Beside(beside) => {
                // An empty chunk is back as soon as the one before has been encoded.
                let handed = beside
                    .empty
                    .recv()
                    .is_ok_and(|empty| beside.full.send(std::mem::replace(chunk, empty)).is_ok());
                if handed {
                    return Ok(());
                }
                self.come_back().map(drop)?;
                Err(io::Error::other("the encoder has stopped"))
            }
            Desk::Closed => Err(io::Error::other("the encoder has stopped")),
        }
    }

    /// The encoder, once everything that was handed over has been encoded.
    pub fn come_back(&mut self) -> io::Result<&mut Box<dyn Encoder>> {
        match std::mem::replace(self, Desk::Closed) {
            Desk::Beside(beside) => *self = Desk::Here(beside.end()?),
            other => *self = other,
        }
        match self {
            Desk::Here(encoder) => Ok(encoder),
            _ => Err(io::Error::other("the encoder has stopped")),
        }
    }
}
