//! The functions of Model Exchange, of both versions.

use std::ffi::c_int;

use crate::component::{Component, Failure, Status};
use crate::memory::{put, slice, slice_mut};

/// What FMI 2.0 reports about an event iteration.
#[repr(C)]
#[derive(Debug)]
pub struct EventInfo {
    again: c_int,
    terminate: c_int,
    nominals: c_int,
    states: c_int,
    has_next: c_int,
    next: f64,
}

fn completed(component: &mut Component) -> Result<(bool, bool), Failure> {
    Ok((component.instance.completed_step()?, component.terminated))
}

/// All states have the same magnitude; a wrong number of them is refused.
fn give_nominals(component: &Component, nominals: &mut [f64]) -> Result<Status, Failure> {
    let interface = component.instance.interface();
    if nominals.len() != interface.state_count() {
        return Err(Failure::Wrong("there is another number of states"));
    }
    nominals.fill(interface.nominal());
    Ok(Status::Ok)
}

functions! {
    /// Begins the handling of an event.
    fn fmi2EnterEventMode(component) {
        component.enter_event()
    }

    /// One iteration at an event.
    fn fmi2NewDiscreteStates(component, info: *mut EventInfo) {
        let found = component.iterate()?;
        put(info, EventInfo {
            again: c_int::from(found.again),
            terminate: c_int::from(found.terminated),
            nominals: 0,
            states: c_int::from(found.states_changed),
            has_next: c_int::from(found.next.is_some()),
            next: found.next.unwrap_or(0.0),
        });
        Ok(Status::Ok)
    }

    /// Goes on between events.
    fn fmi2EnterContinuousTimeMode(component) {
        component.instance.enter_continuous()?;
        Ok(Status::Ok)
    }

    /// Goes on between events.
    fn fmi3EnterContinuousTimeMode(component) {
        component.instance.enter_continuous()?;
        Ok(Status::Ok)
    }

    /// A step of the importer is complete.
    fn fmi2CompletedIntegratorStep(
        component, _no_return: c_int, event: *mut c_int, terminate: *mut c_int,
    ) {
        let (enter, end) = completed(component)?;
        put(event, c_int::from(enter));
        put(terminate, c_int::from(end));
        Ok(Status::Ok)
    }

    /// A step of the importer is complete.
    fn fmi3CompletedIntegratorStep(
        component, _no_return: bool, event: *mut bool, terminate: *mut bool,
    ) {
        let (enter, end) = completed(component)?;
        put(event, enter);
        put(terminate, end);
        Ok(Status::Ok)
    }

    /// Sets the time.
    fn fmi2SetTime(component, time: f64) {
        component.instance.set_time(time)?;
        Ok(Status::Ok)
    }

    /// Sets the time.
    fn fmi3SetTime(component, time: f64) {
        component.instance.set_time(time)?;
        Ok(Status::Ok)
    }

    /// Sets the continuous states.
    fn fmi2SetContinuousStates(component, states: *const f64, count: usize) {
        component.instance.set_states(slice(states, count)?)?;
        Ok(Status::Ok)
    }

    /// Sets the continuous states.
    fn fmi3SetContinuousStates(component, states: *const f64, count: usize) {
        component.instance.set_states(slice(states, count)?)?;
        Ok(Status::Ok)
    }

    /// The derivatives of the continuous states.
    fn fmi2GetDerivatives(component, rates: *mut f64, count: usize) {
        component.instance.derivatives(slice_mut(rates, count)?)?;
        Ok(Status::Ok)
    }

    /// The derivatives of the continuous states.
    fn fmi3GetContinuousStateDerivatives(component, rates: *mut f64, count: usize) {
        component.instance.derivatives(slice_mut(rates, count)?)?;
        Ok(Status::Ok)
    }

    /// The event indicators.
    fn fmi2GetEventIndicators(component, indicators: *mut f64, count: usize) {
        component.instance.indicators(slice_mut(indicators, count)?)?;
        Ok(Status::Ok)
    }

    /// The event indicators.
    fn fmi3GetEventIndicators(component, indicators: *mut f64, count: usize) {
        component.instance.indicators(slice_mut(indicators, count)?)?;
        Ok(Status::Ok)
    }

    /// The continuous states.
    fn fmi2GetContinuousStates(component, states: *mut f64, count: usize) {
        component.instance.states(slice_mut(states, count)?)?;
        Ok(Status::Ok)
    }

    /// The continuous states.
    fn fmi3GetContinuousStates(component, states: *mut f64, count: usize) {
        component.instance.states(slice_mut(states, count)?)?;
        Ok(Status::Ok)
    }

    /// The magnitudes of the states.
    fn fmi2GetNominalsOfContinuousStates(component, nominals: *mut f64, count: usize) {
        give_nominals(component, slice_mut(nominals, count)?)
    }

    /// The magnitudes of the states.
    fn fmi3GetNominalsOfContinuousStates(component, nominals: *mut f64, count: usize) {
        give_nominals(component, slice_mut(nominals, count)?)
    }

    /// How many continuous states there are.
    fn fmi3GetNumberOfContinuousStates(component, count: *mut usize) {
        put(count, component.instance.interface().state_count());
        Ok(Status::Ok)
    }

    /// How many event indicators there are.
    fn fmi3GetNumberOfEventIndicators(component, count: *mut usize) {
        put(count, component.instance.interface().indicator_count());
        Ok(Status::Ok)
    }

    /// How unknowns change with knowns.
    fn fmi2GetDirectionalDerivative(
        component, unknowns: *const u32, unknown_count: usize, knowns: *const u32,
        known_count: usize, seed: *const f64, result: *mut f64,
    ) {
        let arrays = (slice(unknowns, unknown_count)?, slice(knowns, known_count)?);
        let seed = slice(seed, known_count)?;
        component.instance.directional(arrays, seed, slice_mut(result, unknown_count)?)?;
        Ok(Status::Ok)
    }

    /// How unknowns change with knowns.
    fn fmi3GetDirectionalDerivative(
        component, unknowns: *const u32, unknown_count: usize, knowns: *const u32,
        known_count: usize, seed: *const f64, seed_count: usize, result: *mut f64,
        result_count: usize,
    ) {
        let arrays = (slice(unknowns, unknown_count)?, slice(knowns, known_count)?);
        let seed = slice(seed, seed_count)?;
        component.instance.directional(arrays, seed, slice_mut(result, result_count)?)?;
        Ok(Status::Ok)
    }

    /// Adjoint derivatives are not provided.
    fn fmi3GetAdjointDerivative(
        _component, _unknowns: *const u32, _unknown_count: usize, _knowns: *const u32,
        _known_count: usize, _seed: *const f64, _seed_count: usize, _result: *mut f64,
        _result_count: usize,
    ) {
        Err(Failure::Wrong("adjoint derivatives are not provided"))
    }

    /// Dependencies do not depend on anything.
    fn fmi3GetNumberOfVariableDependencies(_component, _reference: u32, count: *mut usize) {
        put(count, 0);
        Err(Failure::Wrong("dependencies are those of the description"))
    }

    /// Dependencies do not depend on anything.
    fn fmi3GetVariableDependencies(
        _component, _reference: u32, _elements: *mut usize, _independents: *mut u32,
        _of_independents: *mut usize, _kinds: *mut c_int, _count: usize,
    ) {
        Err(Failure::Wrong("dependencies are those of the description"))
    }
}
