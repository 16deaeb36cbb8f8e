//! What can be read of an instance: parameters and inputs as they were set, and signals of its run.

use super::instance::{Instance, InstanceError, Phase};
use super::interface::Role;
use crate::run::Executor;

impl Instance {
    /// The elements from a reference on.
    pub fn get(&mut self, reference: u32, count: usize) -> Result<&[f64], InstanceError> {
        let first = reference as usize;
        let interface = self.interface.clone();
        let port = interface.port_at(first).ok_or(InstanceError::NoVariable(reference))?;
        if first + count > port.range().end {
            return Err(InstanceError::NoVariable(reference));
        }
        let follows = self.fed[self.index_of(port)] && self.phase != Phase::Setup;
        let given =
            !follows && matches!(port.role, Role::Time | Role::Parameter(_) | Role::Input(_));
        if !given && !self.fresh {
            self.look()?;
        }
        Ok(&self.values[first..first + count])
    }

    /// Reads all signals of the run.
    pub(crate) fn look(&mut self) -> Result<(), InstanceError> {
        if self.fresh {
            return Ok(());
        }
        if self.phase == Phase::Setup {
            return Err(InstanceError::WrongState("signals are computed in initialisation"));
        }
        self.started()?;
        self.look_at_data();
        if self.owner.is_some() {
            return self.look_owned();
        }
        if self.event && self.changed.contains(&true) {
            return self.look_ahead();
        }
        let Instance { interface, values, held, run, .. } = self;
        let Some(run) = run else { return Ok(()) };
        let held = held.lock().unwrap_or_else(|own| own.into_inner());
        for port in interface.ports() {
            let Role::Signal { signal, absent, .. } = &port.role else { continue };
            match run.get(signal)? {
                Some(now) => values[port.range()].copy_from_slice(now),
                None if *absent => values[port.range()].copy_from_slice(&held[port.range()]),
                None => {}
            }
        }
        self.fresh = true;
        Ok(())
    }

    /// Takes the present values of inputs that follow the data of the model.
    fn look_at_data(&mut self) {
        let Instance { interface, values, fed, run, owner, .. } = self;
        let Some(Executor::Exact(simulation)) = run.as_ref().map(|own| &own.executor) else {
            return;
        };
        let time = owner.as_ref().map_or(values[0], |own| own.time);
        for (port, _) in interface.ports().iter().zip(fed).filter(|(_, fed)| **fed) {
            if let Role::Input(input) = &port.role {
                values[port.range()].copy_from_slice(&simulation.input_at(input.id(), time));
            }
        }
    }

    /// Reads signals as what was set at an event will make them, which happens in the coming
    /// iteration.
    pub(crate) fn look_ahead(&mut self) -> Result<(), InstanceError> {
        let before = self.save();
        let done = self.update_discrete().and_then(|_| self.look());
        let seen = std::mem::take(&mut self.values);
        self.restore(&before);
        done?;
        for port in self.interface.ports() {
            if matches!(port.role, Role::Signal { .. }) {
                self.values[port.range()].copy_from_slice(&seen[port.range()]);
            }
        }
        self.fresh = true;
        Ok(())
    }
}
