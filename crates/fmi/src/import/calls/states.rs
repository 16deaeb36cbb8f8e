//! States of an instance: kept to be gone back to, and as bytes.

use std::ffi::c_void;
use std::ptr;

use super::{Calls, Instance};
use crate::description::Version;
use crate::import::message::FmuError;
use std::ffi::c_int;

impl Calls {
    /// Keeps the present state, in place of one that was kept before.
    pub fn keep(&mut self) -> Result<(), FmuError> {
        let mut state = self.kept;
        let name = self.names().get;
        let done = call!(self, name, (*mut *mut c_void), &mut state);
        self.kept = state;
        done
    }

    /// Goes back to the state that was kept.
    pub fn go_back(&mut self) -> Result<(), FmuError> {
        if self.kept.is_null() {
            return Err(FmuError::OutOfOrder);
        }
        let name = self.names().set;
        call!(self, name, (*mut c_void), self.kept)
    }

    /// Frees the state that was kept, if there is one.
    pub fn forget(&mut self) -> Result<(), FmuError> {
        let mut state = std::mem::replace(&mut self.kept, ptr::null_mut());
        if state.is_null() || self.lost {
            return Ok(());
        }
        let name = self.names().free;
        call!(self, name, (*mut *mut c_void), &mut state)
    }

    /// The present state as bytes.
    pub fn save(&mut self) -> Result<Vec<u8>, FmuError> {
        let names = self.names();
        if [names.get, names.size, names.write].iter().any(|name| !self.has(name)) {
            return Err(FmuError::NotSaved);
        }
        let mut state: *mut c_void = ptr::null_mut();
        call!(self, names.get, (*mut *mut c_void), &mut state)?;
        let bytes = self.written(state);
        call!(self, names.free, (*mut *mut c_void), &mut state)?;
        bytes
    }

    /// The state that was kept as bytes.
    pub fn save_kept(&mut self) -> Result<Vec<u8>, FmuError> {
        let names = self.names();
        if [names.size, names.write].iter().any(|name| !self.has(name)) {
            return Err(FmuError::NotSaved);
        }
        self.written(self.kept)
    }

    fn written(&mut self, state: *mut c_void) -> Result<Vec<u8>, FmuError> {
        let names = self.names();
        let mut size = 0usize;
        call!(self, names.size, (*mut c_void, *mut usize), state, &mut size)?;
        let mut bytes = vec![0u8; size];
        let place = bytes.as_mut_ptr();
        call!(self, names.write, (*mut c_void, *mut u8, usize), state, place, size)?;
        Ok(bytes)
    }

    /// Gives the instance a state that was saved.
    pub fn load_state(&mut self, bytes: &[u8]) -> Result<(), FmuError> {
        let names = self.names();
        let mut state = self.read(bytes)?;
        let done = call!(self, names.set, (*mut c_void), state);
        call!(self, names.free, (*mut *mut c_void), &mut state)?;
        done
    }

    /// Keeps a state that was saved.
    pub fn load_kept(&mut self, bytes: &[u8]) -> Result<(), FmuError> {
        self.forget()?;
        self.kept = self.read(bytes)?;
        Ok(())
    }

    fn read(&mut self, bytes: &[u8]) -> Result<*mut c_void, FmuError> {
        let mut state: *mut c_void = ptr::null_mut();
        let name = self.names().read;
        let (place, size) = (bytes.as_ptr(), bytes.len());
        call!(self, name, (*const u8, usize, *mut *mut c_void), place, size, &mut state)?;
        Ok(state)
    }

    fn has(&self, name: &str) -> bool {
        self.symbol::<usize>(name).is_ok()
    }

    fn names(&self) -> &'static Names {
        match self.version {
            Version::Two => &TWO,
            Version::Three => &THREE,
        }
    }
}

/// The names of the functions that keep a state, take it, free it, measure it, write it and read it.
struct Names {
    get: &'static str,
    set: &'static str,
    free: &'static str,
    size: &'static str,
    write: &'static str,
    read: &'static str,
}

const TWO: Names = Names {
    get: "GetFMUstate",
    set: "SetFMUstate",
    free: "FreeFMUstate",
    size: "SerializedFMUstateSize",
    write: "SerializeFMUstate",
    read: "DeSerializeFMUstate",
};

const THREE: Names = Names {
    get: "GetFMUState",
    set: "SetFMUState",
    free: "FreeFMUState",
    size: "SerializedFMUStateSize",
    write: "SerializeFMUState",
    read: "DeserializeFMUState",
};
