//! The functions of Model Exchange.

use std::ffi::c_int;

use super::{Calls, Instance};
use crate::description::Version;
use crate::import::message::FmuError;

/// What an event iteration has found.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::import) struct Update {
    /// Whether another iteration must follow at this time.
    pub more: bool,
    /// Whether the instance ends the run.
    pub ends: bool,
    /// Whether continuous states have other values.
    pub moved: bool,
    /// The time of the next time event, if there is one \[s\].
    pub next: Option<f64>,
}

/// The result of an event iteration in FMI 2.0.
#[repr(C)]
#[derive(Default)]
struct EventInfo {
    more: c_int,
    ends: c_int,
    nominals: c_int,
    moved: c_int,
    has_next: c_int,
    next: f64,
}

impl Calls {
    pub fn set_time(&mut self, time: f64) -> Result<(), FmuError> {
        call!(self, "SetTime", (f64), time)
    }

    pub fn set_states(&mut self, states: &[f64]) -> Result<(), FmuError> {
        let (place, count) = (states.as_ptr(), states.len());
        call!(self, "SetContinuousStates", (*const f64, usize), place, count)
    }

    pub fn states(&mut self, states: &mut [f64]) -> Result<(), FmuError> {
        let (place, count) = (states.as_mut_ptr(), states.len());
        call!(self, "GetContinuousStates", (*mut f64, usize), place, count)
    }

    pub fn rates(&mut self, rates: &mut [f64]) -> Result<(), FmuError> {
        let name = match self.version {
            Version::Two => "GetDerivatives",
            Version::Three => "GetContinuousStateDerivatives",
        };
        let (place, count) = (rates.as_mut_ptr(), rates.len());
        call!(self, name, (*mut f64, usize), place, count)
    }

    pub fn indicators(&mut self, values: &mut [f64]) -> Result<(), FmuError> {
        let (place, count) = (values.as_mut_ptr(), values.len());
        call!(self, "GetEventIndicators", (*mut f64, usize), place, count)
    }

    pub fn enter_event_mode(&mut self) -> Result<(), FmuError> {
        call!(self, "EnterEventMode", (),)
    }

    /// Goes on with steps after an event (Co-Simulation of FMI 3.0).
    pub fn enter_step_mode(&mut self) -> Result<(), FmuError> {
        call!(self, "EnterStepMode", (),)
    }

    pub fn enter_continuous_mode(&mut self) -> Result<(), FmuError> {
        call!(self, "EnterContinuousTimeMode", (),)
    }

    /// Whether the instance wants an event at the end of a step that is not taken back, and whether
    /// it ends the run.
    pub fn completed(&mut self) -> Result<(bool, bool), FmuError> {
        match self.version {
            Version::Two => {
                let (mut event, mut end): (c_int, c_int) = (0, 0);
                let name = "CompletedIntegratorStep";
                call!(self, name, (c_int, *mut c_int, *mut c_int), 1, &mut event, &mut end)?;
                Ok((event != 0, end != 0))
            }
            Version::Three => {
                let (mut event, mut end) = (0u8, 0u8);
                let name = "CompletedIntegratorStep";
                call!(self, name, (bool, *mut u8, *mut u8), true, &mut event, &mut end)?;
                Ok((event != 0, end != 0))
            }
        }
    }

    /// One event iteration.
    pub fn update(&mut self) -> Result<Update, FmuError> {
        match self.version {
            Version::Two => {
                let mut info = EventInfo::default();
                call!(self, "NewDiscreteStates", (*mut EventInfo), &mut info)?;
                Ok(Update {
                    more: info.more != 0,
                    ends: info.ends != 0,
                    moved: info.moved != 0,
                    next: (info.has_next != 0).then_some(info.next),
                })
            }
            Version::Three => {
                type Flag = *mut u8;
                let (mut more, mut ends, mut nominals, mut moved, mut has_next) = (0, 0, 0, 0, 0);
                let mut next = 0.0;
                call!(
                    self,
                    "UpdateDiscreteStates",
                    (Flag, Flag, Flag, Flag, Flag, *mut f64),
                    &mut more,
                    &mut ends,
                    &mut nominals,
                    &mut moved,
                    &mut has_next,
                    &mut next
                )?;
                let next = (has_next != 0).then_some(next);
                Ok(Update { more: more != 0, ends: ends != 0, moved: moved != 0, next })
            }
        }
    }

    /// The derivatives of unknowns with respect to knowns in a direction.
    pub fn directional(
        &mut self,
        unknowns: &[u32],
        knowns: &[u32],
        seed: &[f64],
        result: &mut [f64],
    ) -> Result<(), FmuError> {
        let (y, count) = (unknowns.as_ptr(), unknowns.len());
        let (x, knowing) = (knowns.as_ptr(), knowns.len());
        let (from, to) = (seed.as_ptr(), result.as_mut_ptr());
        type Names = *const u32;
        match self.version {
            Version::Two => call!(
                self,
                "GetDirectionalDerivative",
                (Names, usize, Names, usize, *const f64, *mut f64),
                y,
                count,
                x,
                knowing,
                from,
                to
            ),
            Version::Three => call!(
                self,
                "GetDirectionalDerivative",
                (Names, usize, Names, usize, *const f64, usize, *mut f64, usize),
                y,
                count,
                x,
                knowing,
                from,
                seed.len(),
                to,
                result.len()
            ),
        }
    }
}
