//! The functions of FMI 3.0.

use std::ffi::{c_char, c_int, c_void};

use superdense::Time;
use superdense::fmi::{Kind, Stepped};

use crate::call::with;
use crate::component::{
    Birth, Component, Failure, IntermediateUpdate, Logger, LoggerThree, Status,
};
use crate::memory::{put, slice, slice_mut, text, texts};

/// The version of the standard.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetVersion() -> *const c_char {
    c"3.0".as_ptr()
}

/// Makes an instance.
///
/// # Safety
/// The texts end with a zero, and the logger is null or a function of the importer.
unsafe fn make(
    kind: Kind,
    texts: [*const c_char; 3],
    (logger, logging): (Option<LoggerThree>, bool),
    environment: *mut c_void,
) -> Option<Box<Component>> {
    // SAFETY: the caller guarantees it.
    let [name, token, resources] = texts.map(|own| unsafe { text(own) });
    let logger = logger.map_or(Logger::None, |own| Logger::Three(own, environment));
    let birth = Birth { name, token, resources, kind, logger, logging };
    let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| Component::make(birth)));
    made.ok().flatten()
}

/// Makes an instance for Co-Simulation.
///
/// # Safety
/// The arguments are those that the standard requires.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn fmi3InstantiateCoSimulation(
    name: *const c_char,
    token: *const c_char,
    resources: *const c_char,
    _visible: bool,
    logging: bool,
    event_mode: bool,
    early_return: bool,
    _intermediate: *const u32,
    _count: usize,
    environment: *mut c_void,
    logger: Option<LoggerThree>,
    update: Option<IntermediateUpdate>,
) -> *mut Component {
    // SAFETY: the importer calls the function as the standard requires.
    let made = unsafe {
        make(Kind::CoSimulation, [name, token, resources], (logger, logging), environment)
    };
    made.map_or(std::ptr::null_mut(), |mut own| {
        (own.event_mode, own.early_return) = (event_mode, early_return);
        own.update = update.map(|update| (update, environment));
        Box::into_raw(own)
    })
}

/// Makes an instance for Model Exchange.
///
/// # Safety
/// The arguments are those that the standard requires.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3InstantiateModelExchange(
    name: *const c_char,
    token: *const c_char,
    resources: *const c_char,
    _visible: bool,
    logging: bool,
    environment: *mut c_void,
    logger: Option<LoggerThree>,
) -> *mut Component {
    // SAFETY: the importer calls the function as the standard requires.
    let made = unsafe {
        make(Kind::ModelExchange, [name, token, resources], (logger, logging), environment)
    };
    made.map_or(std::ptr::null_mut(), Box::into_raw)
}

/// There is no Scheduled Execution.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub extern "C" fn fmi3InstantiateScheduledExecution(
    _name: *const c_char,
    _token: *const c_char,
    _resources: *const c_char,
    _visible: bool,
    _logging: bool,
    _environment: *mut c_void,
    _logger: Option<LoggerThree>,
    _clock: *mut c_void,
    _lock: *mut c_void,
    _unlock: *mut c_void,
) -> *mut Component {
    std::ptr::null_mut()
}

/// Frees an instance.
///
/// # Safety
/// `component` is null or comes from an instantiate function and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3FreeInstance(component: *mut Component) {
    if !component.is_null() {
        // SAFETY: it was made by `Box::into_raw`, and the importer gives it back once.
        drop(unsafe { Box::from_raw(component) });
    }
}

/// The elements of variables, one after the other.
fn read<T>(
    component: &mut Component,
    (references, values): (&[u32], &mut [T]),
    convert: impl Fn(f64) -> T,
) -> Result<Status, Failure> {
    let mut place = values.iter_mut();
    for reference in references {
        let length = length_of(component, *reference)?;
        for x in component.instance.get(*reference, length)? {
            *place.next().ok_or(Failure::Wrong(OTHER_COUNT))? = convert(*x);
        }
    }
    if place.next().is_some() { Err(Failure::Wrong(OTHER_COUNT)) } else { Ok(Status::Ok) }
}

fn assign<T: Copy>(
    component: &mut Component,
    (references, values): (&[u32], &[T]),
    convert: impl Fn(T) -> f64,
) -> Result<Status, Failure> {
    let mut rest = values;
    for reference in references {
        let length = length_of(component, *reference)?;
        let (own, after) = rest.split_at_checked(length).ok_or(Failure::Wrong(OTHER_COUNT))?;
        let own: Vec<f64> = own.iter().map(|x| convert(*x)).collect();
        component.instance.set(*reference, &own)?;
        rest = after;
    }
    if rest.is_empty() { Ok(Status::Ok) } else { Err(Failure::Wrong(OTHER_COUNT)) }
}

/// How many elements the variable of a reference has.
fn length_of(component: &Component, reference: u32) -> Result<usize, Failure> {
    let none = superdense::fmi::InstanceError::NoVariable(reference);
    let interface = component.instance.interface();
    let port = interface.port_at(reference as usize);
    let port = port.filter(|own| own.first == reference as usize).ok_or(none)?;
    Ok(port.ty.len())
}

const OTHER_COUNT: &str = "there are fewer or more values than elements of the variables";
const NO_SUCH: &str = "the model has no variables of this type";

/// Functions that read and set variables of a type.
macro_rules! variables {
    ($($get:ident $set:ident $ty:ty, $to:expr, $from:expr;)*) => {
        functions! { $(
            /// Reads variables.
            fn $get(
                component, references: *const u32, count: usize, values: *mut $ty, length: usize,
            ) {
                let arrays = (slice(references, count)?, slice_mut(values, length)?);
                read(component, arrays, $to)
            }

            /// Sets variables.
            fn $set(
                component, references: *const u32, count: usize, values: *const $ty, length: usize,
            ) {
                let arrays = (slice(references, count)?, slice(values, length)?);
                assign(component, arrays, $from)
            }
        )* }
    };
}

/// Functions for types that no variable has.
macro_rules! without {
    ($($name:ident($($argument:ident: $ty:ty),*);)*) => {
        functions! { $(
            /// There are no such variables.
            fn $name(_component, _references: *const u32, count: usize $(, $argument: $ty)*) {
                $(let _ = $argument;)*
                if count == 0 { Ok(Status::Ok) } else { Err(Failure::Wrong(NO_SUCH)) }
            }
        )* }
    };
}

variables! {
    fmi3GetFloat64 fmi3SetFloat64 f64, |x| x, |x| x;
    fmi3GetInt64 fmi3SetInt64 i64, |x| x as i64, |x| x as f64;
    fmi3GetBoolean fmi3SetBoolean bool, |x| x != 0.0, |x| f64::from(u8::from(x));
}

without! {
    fmi3GetFloat32(values: *mut f32, length: usize);
    fmi3SetFloat32(values: *const f32, length: usize);
    fmi3GetInt8(values: *mut i8, length: usize);
    fmi3SetInt8(values: *const i8, length: usize);
    fmi3GetUInt8(values: *mut u8, length: usize);
    fmi3SetUInt8(values: *const u8, length: usize);
    fmi3GetInt16(values: *mut i16, length: usize);
    fmi3SetInt16(values: *const i16, length: usize);
    fmi3GetUInt16(values: *mut u16, length: usize);
    fmi3SetUInt16(values: *const u16, length: usize);
    fmi3GetInt32(values: *mut i32, length: usize);
    fmi3SetInt32(values: *const i32, length: usize);
    fmi3GetUInt32(values: *mut u32, length: usize);
    fmi3SetUInt32(values: *const u32, length: usize);
    fmi3GetUInt64(values: *mut u64, length: usize);
    fmi3SetUInt64(values: *const u64, length: usize);
    fmi3GetString(values: *mut *const c_char, length: usize);
    fmi3SetString(values: *const *const c_char, length: usize);
    fmi3GetBinary(sizes: *mut usize, values: *mut *const u8, length: usize);
    fmi3SetBinary(sizes: *const usize, values: *const *const u8, length: usize);
    fmi3GetClock(values: *mut bool);
    fmi3SetClock(values: *const bool);
    fmi3GetIntervalDecimal(intervals: *mut f64, qualifiers: *mut c_int);
    fmi3GetIntervalFraction(counters: *mut u64, resolutions: *mut u64, qualifiers: *mut c_int);
    fmi3GetShiftDecimal(shifts: *mut f64);
    fmi3GetShiftFraction(counters: *mut u64, resolutions: *mut u64);
    fmi3SetIntervalDecimal(intervals: *const f64);
    fmi3SetIntervalFraction(counters: *const u64, resolutions: *const u64);
    fmi3SetShiftDecimal(shifts: *const f64);
    fmi3SetShiftFraction(counters: *const u64, resolutions: *const u64);
    fmi3GetOutputDerivatives(orders: *const i32, values: *mut f64, length: usize);
}

functions! {
    /// Chooses which messages are sent.
    fn fmi3SetDebugLogging(
        component, on: bool, count: usize, categories: *const *const c_char,
    ) {
        component.choose_messages(on, &texts(categories, count)?)
    }

    /// Begins initialisation of a run.
    fn fmi3EnterInitializationMode(
        component, has_tolerance: bool, tolerance: f64, start: f64, has_stop: bool, stop: f64,
    ) {
        let tolerance = has_tolerance.then_some(tolerance);
        component.instance.set_up(start, has_stop.then_some(stop), tolerance)?;
        component.instance.enter_initialization()?;
        component.reached = start;
        Ok(Status::Ok)
    }

    /// Ends initialisation.
    fn fmi3ExitInitializationMode(component) {
        component.instance.exit_initialization()?;
        Ok(Status::Ok)
    }

    /// Begins the handling of an event.
    fn fmi3EnterEventMode(component) {
        component.enter_event()
    }

    /// Goes on with steps.
    fn fmi3EnterStepMode(component) {
        component.instance.enter_step()?;
        Ok(Status::Ok)
    }

    /// Ends the run.
    fn fmi3Terminate(component) {
        component.instance.terminate()?;
        Ok(Status::Ok)
    }

    /// Back to before initialisation.
    fn fmi3Reset(component) {
        component.instance.reset();
        component.terminated = false;
        Ok(Status::Ok)
    }

    /// There are no structural parameters to configure.
    fn fmi3EnterConfigurationMode(_component) {
        Err(Failure::Wrong("the model has no structural parameters"))
    }

    /// There are no structural parameters to configure.
    fn fmi3ExitConfigurationMode(_component) {
        Err(Failure::Wrong("the model has no structural parameters"))
    }
}

state_functions! {
    fmi3GetFMUState fmi3SetFMUState fmi3FreeFMUState
    fmi3SerializedFMUStateSize fmi3SerializeFMUState fmi3DeserializeFMUState
}

functions! {
    /// What was set at an event takes effect.
    fn fmi3UpdateDiscreteStates(
        component, again: *mut bool, terminate: *mut bool, nominals: *mut bool, states: *mut bool,
        has_next: *mut bool, next: *mut f64,
    ) {
        let found = component.iterate()?;
        put(again, found.again);
        put(terminate, found.terminated);
        put(nominals, false);
        put(states, found.states_changed);
        put(has_next, found.next.is_some());
        put(next, found.next.unwrap_or(0.0));
        Ok(Status::Ok)
    }

    /// Discrete equations are evaluated as events are iterated.
    fn fmi3EvaluateDiscreteStates(_component) {
        Ok(Status::Ok)
    }

    /// Scheduled Execution is not provided.
    fn fmi3ActivateModelPartition(_component, _clock: u32, _time: f64) {
        Err(Failure::Wrong("the model has no partitions"))
    }
}

/// How a step has ended, as [`fmi3DoStep`] says it.
struct Ended {
    event: *mut bool,
    terminate: *mut bool,
    early: *mut bool,
    last: *mut f64,
}

impl Ended {
    /// Writes what a step up to a time was.
    ///
    /// # Safety
    /// Each pointer is null or refers to a value that nothing else uses during the call.
    unsafe fn say(&self, component: &mut Component, stepped: Stepped, to: f64) -> Status {
        component.reached = stepped.time;
        component.terminated = stepped.terminated;
        // SAFETY: the caller guarantees it.
        unsafe {
            put(self.event, stepped.event && component.event_mode);
            put(self.terminate, stepped.terminated);
            put(self.early, stepped.time < to);
            put(self.last, stepped.time);
        }
        Status::Ok
    }
}

/// Takes a step.
///
/// # Safety
/// The arguments are those that the standard requires.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn fmi3DoStep(
    component: *mut Component,
    from: f64,
    length: f64,
    _keep: bool,
    event: *mut bool,
    terminate: *mut bool,
    early: *mut bool,
    last: *mut f64,
) -> Status {
    let ended = Ended { event, terminate, early, last };
    // SAFETY: the importer calls the function as the standard requires.
    unsafe {
        match component.as_ref().and_then(|own| own.update) {
            Some(update) => step_in_parts(component, (from, length), update, &ended),
            None => with(component, |own| {
                let may_end_early = own.event_mode && own.early_return;
                let stepped = own.instance.step(from, length, may_end_early)?;
                Ok(ended.say(own, stepped, from + length))
            }),
        }
    }
}

/// Takes a step, with a call of the importer at the end of each step of the solver, where it may read
/// variables: nothing of the instance is borrowed while its function is called.
///
/// # Safety
/// As for [`fmi3DoStep`].
unsafe fn step_in_parts(
    component: *mut Component,
    (from, length): (f64, f64),
    (update, environment): (IntermediateUpdate, *mut c_void),
    ended: &Ended,
) -> Status {
    let (mut to, mut part, mut may_return) = (None, None, false);
    let (mut reached, mut wanted) = (from, f64::INFINITY);
    loop {
        // SAFETY: the importer calls the function as the standard requires.
        let status = unsafe {
            with(component, |own| {
                let end = match to {
                    Some(end) => end,
                    None => own.instance.begin_step(from, length)?,
                };
                to = Some(end);
                may_return = own.early_return;
                let until = Time::from_f64(wanted).map_or(end, |wanted| wanted.min(end));
                let stepped = own.instance.part_of_step(until)?;
                let over = stepped.terminated
                    || stepped.time >= end.seconds().min(wanted)
                    || stepped.event && own.event_mode && own.early_return;
                part = Some((stepped, over));
                Ok(if over { ended.say(own, stepped, end.seconds()) } else { Status::Ok })
            })
        };
        let Some((stepped, over)) = part.filter(|_| status == Status::Ok) else { return status };
        if over {
            return status;
        }
        if stepped.time > reached {
            reached = stepped.time;
            let (mut returns, mut at) = (0u8, reached);
            // SAFETY: the importer gave the function with its environment.
            unsafe {
                update(environment, reached, false, true, true, may_return, &mut returns, &mut at);
            }
            if may_return && returns != 0 {
                wanted = at.max(reached);
                if wanted <= reached {
                    // SAFETY: as above.
                    return unsafe {
                        with(component, |own| Ok(ended.say(own, stepped, from + length)))
                    };
                }
            }
        }
    }
}
