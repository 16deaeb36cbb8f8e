//! An instance in a process of its own, and that process.
//!
//! Both speak over a socket that is the standard input of the process: a length of eight bytes, then
//! a request or a reply. Standard output and error lead nowhere, so that what a library prints
//! disturbs nobody.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::message::{FmuError, Reply, Request};

/// The arguments with which the program hosts an instance.
pub const HOST_COMMAND: [&str; 2] = ["fmu", "host"];

/// The environment variable that names the program that hosts instances.
pub const HOST_VARIABLE: &str = "SUPERDENSE_FMU_HOST";

/// The largest message \[bytes\].
const MOST: u64 = 1 << 30;

/// How long an instance may take to be freed.
const FAREWELL: Duration = Duration::from_secs(5);

#[cfg(unix)]
type Socket = std::os::unix::net::UnixStream;
#[cfg(not(unix))]
type Socket = std::net::TcpStream;

fn send(socket: &mut Socket, message: &impl Serialize) -> io::Result<()> {
    let body = postcard::to_allocvec(message).map_err(io::Error::other)?;
    let mut bytes = (body.len() as u64).to_le_bytes().to_vec();
    bytes.extend(body);
    socket.write_all(&bytes)
}

fn receive<T: DeserializeOwned>(socket: &mut Socket) -> io::Result<T> {
    let mut length = [0; 8];
    socket.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    if length > MOST {
        return Err(io::Error::other("a message of this length is not taken"));
    }
    // A length that is wrong must not take memory: bytes are kept as they come.
    let mut body = Vec::new();
    socket.take(length).read_to_end(&mut body)?;
    if body.len() as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    postcard::from_bytes(&body).map_err(io::Error::other)
}

/// The program that hosts instances: the one that the environment names, this one if it is the
/// command line, or the command line beside it or on the path.
fn host() -> Result<PathBuf, FmuError> {
    if let Some(named) = std::env::var_os(HOST_VARIABLE) {
        return Ok(named.into());
    }
    let name = format!("superdense{}", std::env::consts::EXE_SUFFIX);
    let own = std::env::current_exe().unwrap_or_default();
    let beside = own.with_file_name(&name);
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let places = [beside].into_iter().chain(std::env::split_paths(&paths).map(|p| p.join(&name)));
    places.into_iter().find(|place| Path::is_file(place)).ok_or_else(|| {
        FmuError::Process(format!(
            "there is no program `{name}` beside this one or on the path to run it in a process of \
             its own: name one in the environment variable {HOST_VARIABLE}, or write `process: here`"
        ))
    })
}

/// A process that hosts an instance; it ends with its owner.
#[derive(Debug)]
pub(super) struct Child {
    process: process::Child,
    socket: Socket,
    limit: Duration,
    /// Whether requests still make sense.
    well: bool,
}

impl Child {
    /// Starts a process whose answers may take a time.
    #[cfg(unix)]
    pub fn start(limit: Duration) -> Result<Child, FmuError> {
        use std::os::fd::OwnedFd;
        use std::os::unix::process::CommandExt;
        use std::process::Stdio;

        let program = host()?;
        let broken = |error: io::Error| {
            let program = program.display();
            FmuError::Process(format!("`{program}` cannot be started for it: {error}"))
        };
        let (socket, theirs) = Socket::pair().map_err(broken)?;
        let process = Command::new(&program)
            .args(HOST_COMMAND)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // An interrupt at the terminal is for the run, which then ends this process.
            .process_group(0)
            .spawn()
            .map_err(broken)?;
        Ok(Child { process, socket, limit, well: true })
    }

    /// There are no such processes on this system.
    #[cfg(not(unix))]
    pub fn start(_limit: Duration) -> Result<Child, FmuError> {
        let _ = (host(), Command::new(""));
        let why = "processes of their own are not provided on this system: write `process: here`";
        Err(FmuError::Process(why.to_owned()))
    }

    /// Has something done; an error ends the process.
    pub fn ask(&mut self, request: &Request) -> Result<Reply, FmuError> {
        if !self.well {
            return Err(FmuError::OutOfOrder);
        }
        let reply = self.exchange(request, self.limit);
        self.well = reply.as_ref().is_ok_and(|reply| !matches!(reply, Reply::Failed(_)));
        reply
    }

    fn exchange(&mut self, request: &Request, limit: Duration) -> Result<Reply, FmuError> {
        let begun = Instant::now();
        let timed = self.socket.set_read_timeout(Some(limit));
        let timed = timed.and_then(|()| self.socket.set_write_timeout(Some(limit)));
        timed.map_err(|error| FmuError::Process(error.to_string()))?;
        let done = send(&mut self.socket, request).and_then(|()| receive(&mut self.socket));
        done.map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                request.silent(limit.as_secs_f64())
            }
            _ => request.crashed(self.ending(limit.saturating_sub(begun.elapsed()))),
        })
    }

    /// How the process has ended; it is killed if it has only closed its socket.
    fn ending(&mut self, patience: Duration) -> String {
        let deadline = Instant::now() + patience.min(FAREWELL);
        while Instant::now() < deadline {
            match self.process.try_wait() {
                Ok(Some(status)) => return format!("ended ({status})"),
                Ok(None) => std::thread::sleep(Duration::from_millis(1)),
                Err(_) => break,
            }
        }
        "stopped speaking".to_owned()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.well {
            // What it does with the farewell is of no interest.
            let _ = self.exchange(&Request::Close, FAREWELL);
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Hosts an instance for the process at the other end of standard input, until that closes it.
#[cfg(unix)]
pub fn serve() -> io::Result<()> {
    use std::os::fd::AsFd;

    let mut socket = Socket::from(io::stdin().as_fd().try_clone_to_owned()?);
    let mut host: Option<super::Host> = None;
    loop {
        let request: Request = match receive(&mut socket) {
            Ok(request) => request,
            // The other side has ended.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error),
        };
        let reply = match (request, &mut host) {
            (Request::Open(setup), None) => match super::Host::open(*setup) {
                Ok(made) => {
                    host = Some(made);
                    Reply::Done
                }
                Err(error) => Reply::Failed(error),
            },
            (Request::Close, _) => {
                drop(host.take());
                send(&mut socket, &Reply::Done)?;
                return Ok(());
            }
            (request, Some(host)) => host.handle(&request),
            (_, None) => Reply::Failed(FmuError::OutOfOrder),
        };
        send(&mut socket, &reply)?;
    }
}

/// There are no such processes on this system.
#[cfg(not(unix))]
pub fn serve() -> io::Result<()> {
    let _ = (receive::<Request>, send::<Reply>);
    Err(io::Error::other("processes of their own are not provided on this system"))
}
