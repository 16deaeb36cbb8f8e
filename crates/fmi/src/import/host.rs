//! The life of an instance: what each request means in calls of the standard.

use super::ahead::{Going, Scout};
use super::calls::{Calls, Stepped};
use super::exchange::Exchange;
use super::message::{FmuError, Reply, Request, Setup, Start};
use crate::description::Kind;

/// A library with at most one instance.
#[derive(Debug)]
pub struct Host {
    setup: Setup,
    calls: Calls,
    phase: Phase,
    exchange: Exchange,
    ahead: Going,
}

/// Where an instance is in its life.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// There is none.
    None,
    /// In initialisation mode.
    Initialising,
    /// Initialised.
    Running,
}

impl Host {
    /// Loads a library.
    pub fn open(setup: Setup) -> Result<Host, FmuError> {
        let calls = Calls::load(&setup)?;
        Ok(Host {
            setup,
            calls,
            phase: Phase::None,
            exchange: Exchange::default(),
            ahead: Going::default(),
        })
    }

    /// Does what is asked.
    pub fn handle(&mut self, request: &Request) -> Reply {
        self.answer(request).unwrap_or_else(Reply::Failed)
    }

    fn answer(&mut self, request: &Request) -> Result<Reply, FmuError> {
        match request {
            Request::Open(_) => Err(FmuError::OutOfOrder),
            Request::Begin(start, inputs) => {
                self.begin(start)?;
                match self.setup.kind {
                    Kind::CoSimulation => self.exchange(inputs),
                    Kind::ModelExchange => Ok(Reply::Done),
                }
            }
            Request::Inputs(inputs) if self.phase == Phase::Initialising => self.exchange(inputs),
            Request::Inputs(_) => Err(FmuError::OutOfOrder),
            Request::Step { from, length, inputs, slopes } => {
                self.step((*from, *length), inputs, slopes)
            }
            Request::Look(..) | Request::Tangent(..) | Request::Event(_) | Request::Complete(_) => {
                if self.phase == Phase::None {
                    return Err(FmuError::OutOfOrder);
                }
                self.exchange.answer(request, &self.setup, &mut self.calls)
            }
            Request::Arrive(time, inputs) => {
                self.running().and_then(|mut own| own.arrive(*time, inputs))
            }
            Request::Ahead(inputs) => {
                if self.phase == Phase::Initialising {
                    self.calls.set(&self.setup.inputs, inputs)?;
                    self.leave_initialisation()?;
                    self.running()?.start(inputs)?;
                }
                self.running()?.go(inputs).map(Reply::Coming)
            }
            Request::Save => {
                let kept = match self.setup.ahead {
                    Some(_) => Some(self.calls.save_kept()?),
                    None => None,
                };
                let saved = (self.calls.save()?, kept, &self.exchange, &self.ahead);
                let bytes = postcard::to_allocvec(&saved).map_err(|_| FmuError::NotSaved)?;
                Ok(Reply::Bytes(bytes))
            }
            Request::Load(start, inputs, bytes) => self.load(start, inputs, bytes),
            Request::Close => {
                self.calls.free();
                self.phase = Phase::None;
                Ok(Reply::Done)
            }
        }
    }

    fn load(&mut self, start: &Start, inputs: &[f64], bytes: &[u8]) -> Result<Reply, FmuError> {
        type Saved = (Vec<u8>, Option<Vec<u8>>, Exchange, Going);
        let saved: Result<Saved, _> = postcard::from_bytes(bytes);
        let (bytes, kept, exchange, ahead) = saved.map_err(|_| FmuError::OutOfOrder)?;
        self.begin(start)?;
        match self.setup.kind {
            Kind::CoSimulation => {
                self.calls.set(&self.setup.inputs, inputs)?;
                self.leave_initialisation()?;
                if self.setup.ahead.is_some() {
                    self.running()?.start(inputs)?;
                }
            }
            Kind::ModelExchange => {
                exchange.go_to(&self.setup, &mut self.calls)?;
                self.phase = Phase::Running;
            }
        }
        (self.exchange, self.ahead) = (exchange, ahead);
        self.calls.load_state(&bytes)?;
        if let Some(kept) = kept {
            self.calls.load_kept(&kept)?;
        }
        Ok(Reply::Done)
    }

    fn begin(&mut self, start: &Start) -> Result<(), FmuError> {
        self.calls.free();
        self.calls.instantiate(&self.setup)?;
        for (port, values) in &start.values {
            self.calls.set(std::slice::from_ref(port), values)?;
        }
        self.calls.enter_initialisation(start.time, start.tolerance)?;
        self.phase = Phase::Initialising;
        self.exchange = Exchange::begin(&self.setup, start.time);
        self.ahead = Going::begin(start.time);
        Ok(())
    }

    fn exchange(&mut self, inputs: &[f64]) -> Result<Reply, FmuError> {
        self.calls.set(&self.setup.inputs, inputs)?;
        self.calls.get(&self.setup.outputs).map(Reply::Values)
    }

    fn leave_initialisation(&mut self) -> Result<(), FmuError> {
        self.phase = Phase::Running;
        self.calls.exit_initialisation()
    }

    /// An instance that goes ahead.
    fn running(&mut self) -> Result<Scout<'_>, FmuError> {
        let Host { setup, calls, phase, ahead, .. } = self;
        match (&setup.ahead, phase) {
            (Some(rules), Phase::Running) => Ok(Scout { own: ahead, rules, setup, calls }),
            _ => Err(FmuError::OutOfOrder),
        }
    }

    fn step(
        &mut self,
        (from, length): (f64, f64),
        inputs: &[f64],
        slopes: &[f64],
    ) -> Result<Reply, FmuError> {
        if self.phase == Phase::None {
            return Err(FmuError::OutOfOrder);
        }
        self.calls.set(&self.setup.inputs, inputs)?;
        if self.phase == Phase::Initialising {
            self.leave_initialisation()?;
        }
        if !slopes.is_empty() {
            self.calls.set_slopes(&self.setup.inputs, slopes)?;
        }
        let mut at = from;
        let end = from + length;
        loop {
            // A step may end early although that was not allowed; it is then continued.
            let length = if at == from { length } else { end - at };
            match self.calls.step(at, length)? {
                Stepped::Whole(_) => break self.calls.get(&self.setup.outputs).map(Reply::Values),
                Stepped::Ended(_) => break self.calls.get(&self.setup.outputs).map(Reply::Ended),
                Stepped::Early(time, _) if time > at && time < end => at = time,
                Stepped::Early(..) | Stepped::Discarded(_) => break Err(self.calls.discarded()),
            }
        }
    }
}
