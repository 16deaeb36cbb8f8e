//! No native code: this program was built without the feature `native`. Runs stay on the interpreter
//! unless they ask for native code, which is an error.

use std::sync::Arc;

use engine::{LaneCode, Routines};
use program::{Program, RegionId};
use solver::Method;

use crate::NativeError;

/// The native code of a program, of which there is none.
#[derive(Debug, Default)]
pub(crate) struct Native;

impl Native {
    pub fn now(&self, _: &Arc<Program>, _: Method) -> Result<Arc<Routines>, NativeError> {
        Err(NativeError::NotBuilt)
    }

    pub fn lanes(&self, _: &Program, _: RegionId, _: Method) -> Option<Arc<dyn LaneCode>> {
        None
    }
}

/// Watches a run, which never gets native code.
#[derive(Debug)]
pub(crate) struct NativeSwitch;

impl NativeSwitch {
    pub fn new(_: &Arc<Native>, _: &Arc<Program>, _: Method) -> NativeSwitch {
        NativeSwitch
    }

    pub fn is_due(&mut self, _: u32) -> bool {
        false
    }

    pub fn reset(&mut self) {}

    pub fn look(&mut self, _: u64) -> Option<Arc<Routines>> {
        None
    }
}
