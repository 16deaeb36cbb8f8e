//! Instances of FMUs of other tools, in this process or in one of their own.
//!
//! In come requests ([`Request`]) of the side that knows a model of ours, out go replies. A [`Guest`]
//! takes them to the library of the FMU: directly, or through a process that loads it, so that a
//! library that crashes or hangs is an error here and nothing else.

mod ahead;
mod calls;
mod exchange;
mod host;
mod message;
mod process;

use std::time::Duration;

use process::Child;

pub use host::Host;
pub use message::{
    Ahead, Changed, Coming, Event, FmuError, Look, Point, Port, Reply, Request, Setup, Start,
};
pub use process::{HOST_COMMAND, HOST_VARIABLE, serve};

/// Where the library of an FMU runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// In this process: fast, and a crash of the library is one of this process.
    Here,
    /// In a process of its own, which must answer each request within a time.
    Apart(Duration),
}

/// An instance of an FMU.
#[derive(Debug)]
pub struct Guest(Inner);

#[derive(Debug)]
enum Inner {
    Here(Box<Host>),
    Apart(Child),
}

impl Guest {
    /// Loads the library of an FMU.
    pub fn open(setup: Setup, place: Place) -> Result<Guest, FmuError> {
        Ok(Guest(match place {
            Place::Here => Inner::Here(Box::new(Host::open(setup)?)),
            Place::Apart(limit) => {
                let mut child = Child::start(limit)?;
                match child.ask(&Request::Open(Box::new(setup)))? {
                    Reply::Failed(error) => return Err(error),
                    _ => Inner::Apart(child),
                }
            }
        }))
    }

    /// Has something done. After an error the instance is of no use any more.
    pub fn ask(&mut self, request: &Request) -> Result<Reply, FmuError> {
        let reply = match &mut self.0 {
            Inner::Here(host) => host.handle(request),
            Inner::Apart(child) => child.ask(request)?,
        };
        match reply {
            Reply::Failed(error) => Err(error),
            reply => Ok(reply),
        }
    }
}
