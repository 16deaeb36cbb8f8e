//! Encodes the chunks of a file: on the caller's thread if there is only one chunk, otherwise on a
//! separate thread, so that a long run does not wait for its recording.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

use crate::chunk::Chunk;
use crate::writer::Encoder;

/// An encoder on the caller's thread, or on a thread of its own.
pub(crate) enum EncoderPlace {
    Here(Box<dyn Encoder>),
    EncoderThread(EncoderThread),
    /// After an error.
    Closed,
}

/// An encoder on a thread: it receives full chunks and returns them empty.
pub(crate) struct EncoderThread {
    full: SyncSender<Chunk>,
    empty: Receiver<Chunk>,
    thread: JoinHandle<io::Result<Box<dyn Encoder>>>,
}

impl EncoderThread {
    /// Moves an encoder to a thread; `spare` is the chunk that is filled while another is encoded.
    fn start(mut encoder: Box<dyn Encoder>, spare: Chunk) -> io::Result<EncoderThread> {
        let (full, chunks) = sync_channel::<Chunk>(0);
        let (back, empty) = channel();
        // The thread has not started yet, so the channel has room for it.
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
        Ok(EncoderThread { full, empty, thread })
    }

    /// Waits for the thread to end and returns the encoder.
    fn end(self) -> io::Result<Box<dyn Encoder>> {
        drop(self.full);
        match self.thread.join() {
            Ok(ended) => ended,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

impl EncoderPlace {
    /// Encodes a chunk, on this thread or the other, and leaves an empty one in its place. An error
    /// on the other thread is reported with a later chunk, or at the end.
    pub fn take(&mut self, chunk: &mut Chunk, spare: Option<Chunk>) -> io::Result<()> {
        if let (EncoderPlace::Here(_), Some(spare)) = (&*self, spare) {
            let EncoderPlace::Here(encoder) = std::mem::replace(self, EncoderPlace::Closed) else {
                unreachable!("the encoder is here");
            };
            *self = EncoderPlace::EncoderThread(EncoderThread::start(encoder, spare)?);
        }
        match self {
            EncoderPlace::Here(encoder) => {
                encoder.write(chunk)?;
                chunk.clear();
                Ok(())
            }
            EncoderPlace::EncoderThread(beside) => {
                // An empty chunk is available as soon as the previous one has been encoded.
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
            EncoderPlace::Closed => Err(io::Error::other("the encoder has stopped")),
        }
    }

    /// Returns the encoder once everything handed over has been encoded.
    pub fn come_back(&mut self) -> io::Result<&mut Box<dyn Encoder>> {
        match std::mem::replace(self, EncoderPlace::Closed) {
            EncoderPlace::EncoderThread(beside) => *self = EncoderPlace::Here(beside.end()?),
            other => *self = other,
        }
        match self {
            EncoderPlace::Here(encoder) => Ok(encoder),
            _ => Err(io::Error::other("the encoder has stopped")),
        }
    }
}
