//! The functions of FMI 2.0.

use std::ffi::{c_char, c_int, c_void};

use superdense::fmi::Kind;

use crate::component::{Birth, Component, Failure, Logger, LoggerTwo, Status};
use crate::memory::{put, slice, slice_mut, text, texts};

/// The functions that an importer gives an instance.
#[repr(C)]
#[derive(Debug)]
pub struct Callbacks {
    logger: Option<LoggerTwo>,
    allocate: *mut c_void,
    free: *mut c_void,
    step_finished: *mut c_void,
    environment: *mut c_void,
}

/// The types that the functions use.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetTypesPlatform() -> *const c_char {
    c"default".as_ptr()
}

/// The version of the standard.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetVersion() -> *const c_char {
    c"2.0".as_ptr()
}

/// Makes an instance.
///
/// # Safety
/// The arguments are those that the standard requires.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2Instantiate(
    name: *const c_char,
    kind: c_int,
    token: *const c_char,
    resources: *const c_char,
    callbacks: *const Callbacks,
    _visible: c_int,
    logging: c_int,
) -> *mut Component {
    // SAFETY: the importer gives texts that end with a zero, and null or its functions.
    let (birth, callbacks) = unsafe {
        let birth = (text(name), text(token), text(resources));
        (birth, callbacks.as_ref())
    };
    let logger = callbacks.and_then(|own| Some(Logger::Two(own.logger?, own.environment)));
    let (name, token, resources) = birth;
    let kind = if kind == 0 { Kind::ModelExchange } else { Kind::CoSimulation };
    let (logger, logging) = (logger.unwrap_or(Logger::None), logging != 0);
    let birth = Birth { name, token, resources, kind, logger, logging };
    let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| Component::make(birth)));
    made.ok().flatten().map_or(std::ptr::null_mut(), Box::into_raw)
}

/// Frees an instance.
///
/// # Safety
/// `component` is null or comes from [`fmi2Instantiate`] and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2FreeInstance(component: *mut Component) {
    if !component.is_null() {
        // SAFETY: it was made by `Box::into_raw`, and the importer gives it back once.
        drop(unsafe { Box::from_raw(component) });
    }
}

/// The values of variables as numbers of another type.
fn read<T>(
    component: &mut Component,
    (references, values): (&[u32], &mut [T]),
    convert: impl Fn(f64) -> T,
) -> Result<Status, Failure> {
    for (reference, value) in references.iter().zip(values) {
        *value = convert(component.instance.get(*reference, 1)?[0]);
    }
    Ok(Status::Ok)
}

fn assign<T: Copy>(
    component: &mut Component,
    (references, values): (&[u32], &[T]),
    convert: impl Fn(T) -> f64,
) -> Result<Status, Failure> {
    for (reference, value) in references.iter().zip(values) {
        component.instance.set(*reference, &[convert(*value)])?;
    }
    Ok(Status::Ok)
}

const NO_TEXTS: &str = "the model has no texts as variables";

functions! {
    /// Chooses which messages are sent.
    fn fmi2SetDebugLogging(
        component, on: c_int, count: usize, categories: *const *const c_char,
    ) {
        component.choose_messages(on != 0, &texts(categories, count)?)
    }

    /// What the run is to be.
    fn fmi2SetupExperiment(
        component, has_tolerance: c_int, tolerance: f64, start: f64, has_stop: c_int, stop: f64,
    ) {
        let tolerance = (has_tolerance != 0).then_some(tolerance);
        component.instance.set_up(start, (has_stop != 0).then_some(stop), tolerance)?;
        component.reached = start;
        Ok(Status::Ok)
    }

    /// Begins initialisation.
    fn fmi2EnterInitializationMode(component) {
        component.instance.enter_initialization()?;
        Ok(Status::Ok)
    }

    /// Ends initialisation.
    fn fmi2ExitInitializationMode(component) {
        component.instance.exit_initialization()?;
        Ok(Status::Ok)
    }

    /// Ends the run.
    fn fmi2Terminate(component) {
        component.instance.terminate()?;
        Ok(Status::Ok)
    }

    /// Back to before initialisation.
    fn fmi2Reset(component) {
        component.instance.reset();
        component.terminated = false;
        Ok(Status::Ok)
    }

    /// Reads real numbers.
    fn fmi2GetReal(component, references: *const u32, count: usize, values: *mut f64) {
        read(component, (slice(references, count)?, slice_mut(values, count)?), |x| x)
    }

    /// Reads integers.
    fn fmi2GetInteger(component, references: *const u32, count: usize, values: *mut c_int) {
        read(component, (slice(references, count)?, slice_mut(values, count)?), |x| x as c_int)
    }

    /// Reads truth values.
    fn fmi2GetBoolean(component, references: *const u32, count: usize, values: *mut c_int) {
        let arrays = (slice(references, count)?, slice_mut(values, count)?);
        read(component, arrays, |x| c_int::from(x != 0.0))
    }

    /// There are no texts.
    fn fmi2GetString(
        _component, _references: *const u32, count: usize, _values: *mut *const c_char,
    ) {
        if count == 0 { Ok(Status::Ok) } else { Err(Failure::Wrong(NO_TEXTS)) }
    }

    /// Sets real numbers.
    fn fmi2SetReal(component, references: *const u32, count: usize, values: *const f64) {
        assign(component, (slice(references, count)?, slice(values, count)?), |x| x)
    }

    /// Sets integers.
    fn fmi2SetInteger(component, references: *const u32, count: usize, values: *const c_int) {
        assign(component, (slice(references, count)?, slice(values, count)?), f64::from)
    }

    /// Sets truth values.
    fn fmi2SetBoolean(component, references: *const u32, count: usize, values: *const c_int) {
        let arrays = (slice(references, count)?, slice(values, count)?);
        assign(component, arrays, |x| f64::from(u8::from(x != 0)))
    }

    /// There are no texts.
    fn fmi2SetString(
        _component, _references: *const u32, count: usize, _values: *const *const c_char,
    ) {
        if count == 0 { Ok(Status::Ok) } else { Err(Failure::Wrong(NO_TEXTS)) }
    }
}

state_functions! {
    fmi2GetFMUstate fmi2SetFMUstate fmi2FreeFMUstate
    fmi2SerializedFMUstateSize fmi2SerializeFMUstate fmi2DeSerializeFMUstate
}

functions! {
    /// Gives inputs time derivatives for the next step.
    fn fmi2SetRealInputDerivatives(
        component, references: *const u32, count: usize, orders: *const c_int, values: *const f64,
    ) {
        let references = slice(references, count)?;
        let (orders, values) = (slice(orders, count)?, slice(values, count)?);
        for ((reference, order), value) in references.iter().zip(orders).zip(values) {
            let order = usize::try_from(*order).unwrap_or(0);
            component.instance.set_derivative(*reference, order, *value)?;
        }
        Ok(Status::Ok)
    }

    /// Outputs have no derivatives (`maxOutputDerivativeOrder` is 0).
    fn fmi2GetRealOutputDerivatives(
        _component, _references: *const u32, count: usize, _orders: *const c_int,
        _values: *mut f64,
    ) {
        match count {
            0 => Ok(Status::Ok),
            _ => Err(Failure::Wrong("derivatives of outputs are not provided")),
        }
    }

    /// Takes a step.
    fn fmi2DoStep(component, from: f64, length: f64, _keep: c_int) {
        let stepped = component.instance.step(from, length, false)?;
        component.reached = stepped.time;
        component.terminated = stepped.terminated;
        Ok(if stepped.terminated { Status::Discard } else { Status::Ok })
    }

    /// Steps are never pending.
    fn fmi2CancelStep(_component) {
        Err(Failure::Wrong("no step is pending"))
    }

    /// No status is pending.
    fn fmi2GetStatus(_component, _kind: c_int, _value: *mut c_int) {
        Ok(Status::Discard)
    }

    /// The time that the last step has reached.
    fn fmi2GetRealStatus(component, kind: c_int, value: *mut f64) {
        if kind != LAST_SUCCESSFUL_TIME {
            return Ok(Status::Discard);
        }
        put(value, component.reached);
        Ok(Status::Ok)
    }

    /// There is none.
    fn fmi2GetIntegerStatus(_component, _kind: c_int, _value: *mut c_int) {
        Ok(Status::Discard)
    }

    /// Whether the model has ended its run.
    fn fmi2GetBooleanStatus(component, kind: c_int, value: *mut c_int) {
        if kind != TERMINATED {
            return Ok(Status::Discard);
        }
        put(value, c_int::from(component.terminated));
        Ok(Status::Ok)
    }

    /// There is none.
    fn fmi2GetStringStatus(_component, _kind: c_int, _value: *mut *const c_char) {
        Ok(Status::Discard)
    }
}

/// The kinds of statuses that have a value.
const LAST_SUCCESSFUL_TIME: c_int = 2;
const TERMINATED: c_int = 3;
