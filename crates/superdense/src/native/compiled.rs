//! Native code from `jit`: when compiling pays off, and the glue between its routines and the traits
//! of the engine.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use base::Table;
use engine::{LaneCode, RegionCode, Routines, UnitCode};
use ir::{Slot, SlotRange, Tape};
use jit::{LaneRoutine, Plan, Routine, StepPlan, StepRoutine};
use program::{Program, RegionId, RegionProgram};
use solver::{LaneLayout, LaneTrials, Method, Trial};

use super::words::Words;
use crate::NativeError;

/// How much the interpreter must have done before compiling pays off, in executed instructions per
/// instruction of the program. By then it has taken about as long as compiling will.
const WORTH_COMPILING: u64 = 2000;

/// The fixed cost of compiling, independent of program size, in instructions.
const ANY_SIZE: u64 = 500;

/// The fixed cost of compiling each further region, in instructions.
const ANY_REGION: u64 = 100;

/// The minimum number of steps or advances between two checks for native code.
const LOOK_EVERY: u32 = 32;

/// The native code of a program, compiled once for all runs.
#[derive(Debug, Default)]
pub(crate) struct Native {
    begun: AtomicBool,
    /// Instructions that the interpreter has executed, over all runs.
    executed: AtomicU64,
    made: OnceLock<Result<Arc<Routines>, NativeError>>,
    lanes: OnceLock<Option<Arc<dyn LaneCode>>>,
}

impl Native {
    /// The code for steps of several runs side by side, of the region that moves; none if its steps
    /// are not compiled whole. It is compiled now if that has not been done yet.
    pub fn lanes(
        &self,
        program: &Program,
        region: RegionId,
        method: Method,
    ) -> Option<Arc<dyn LaneCode>> {
        let compiled = || {
            let plan = step(program, &program.regions[region], method)?;
            let routine = jit::compile_lanes(&plan).ok().flatten()?;
            Some(Arc::new(Lanes(routine)) as Arc<dyn LaneCode>)
        };
        self.lanes.get_or_init(compiled).clone()
    }

    /// The code, if it has been compiled.
    fn get(&self) -> Option<Arc<Routines>> {
        self.made.get()?.as_ref().ok().cloned()
    }

    /// The code; compiles it now if that has not been done yet.
    pub fn now(
        &self,
        program: &Arc<Program>,
        method: Method,
    ) -> Result<Arc<Routines>, NativeError> {
        self.begun.store(true, Ordering::Relaxed);
        self.made.get_or_init(|| compile(program, method)).clone()
    }

    /// Compiles in a separate thread, unless a thread is already doing so.
    fn begin(self: &Arc<Self>, program: &Arc<Program>, method: Method) {
        if self.begun.swap(true, Ordering::Relaxed) {
            return;
        }
        let (native, program) = (self.clone(), program.clone());
        std::thread::spawn(move || {
            // If compiling fails, the run stays on the interpreter.
            let _ = native.now(&program, method);
        });
    }
}

/// Watches a run until it has native code.
#[derive(Debug)]
pub(crate) struct NativeSwitch {
    native: Arc<Native>,
    program: Arc<Program>,
    method: Method,
    /// The number of executed instructions at which compiling pays off.
    worth: u64,
    /// The instructions of this run that have been counted.
    counted: u64,
    /// Advances since the last check.
    passed: u32,
}

impl NativeSwitch {
    pub fn new(native: &Arc<Native>, program: &Arc<Program>, method: Method) -> NativeSwitch {
        let lengths = program.regions.iter();
        let lengths = lengths.map(|region| region.derivative.len() + region.crossings.len());
        let size: u64 = lengths.map(|length| length as u64).sum();
        let moving = program.regions.iter().filter(|region| region.moves).count() as u64;
        let fixed = ANY_SIZE + ANY_REGION * moving.saturating_sub(1);
        let worth = WORTH_COMPILING * (size + fixed);
        let (native, program) = (native.clone(), program.clone());
        NativeSwitch { native, program, method, worth, counted: 0, passed: 0 }
    }

    /// Whether a check is due, before up to `most` steps are taken. A check asks every region for
    /// its work, so there are at least as many advances between two checks as there are regions.
    pub fn is_due(&mut self, most: u32) -> bool {
        let regions = self.program.regions.len() as u32;
        // With several regions, an advance takes a single step.
        self.passed += if regions > 2 { 1 } else { most };
        let due = self.passed >= LOOK_EVERY.max(regions);
        if due {
            self.passed = 0;
        }
        due
    }

    /// The run begins anew, and counts its instructions from 0.
    pub fn reset(&mut self) {
        self.counted = 0;
    }

    /// The code if it has been compiled; starts compiling if that pays off by now.
    pub fn look(&mut self, executed: u64) -> Option<Arc<Routines>> {
        let code = self.native.get();
        if code.is_none() {
            let new = executed.saturating_sub(std::mem::replace(&mut self.counted, executed));
            let before = self.native.executed.fetch_add(new, Ordering::Relaxed);
            if before + new >= self.worth {
                self.native.begin(&self.program, self.method);
            }
        }
        code
    }
}

/// The code of one region.
#[derive(Debug)]
struct Region {
    derivative: Routine,
    crossings: Routine,
    left: Routine,
    jacobian: Routine,
    step: Option<StepRoutine>,
    method: Method,
}

impl RegionCode for Region {
    fn derivative(&self, slots: &mut [f64], x: &[f64], dx: &mut [f64]) {
        self.derivative.run(slots, [x, &[]], [dx, &mut []]);
    }

    fn crossings(&self, slots: &mut [f64], x: &[f64], dx: &[f64], g: &mut [f64], rate: &mut [f64]) {
        self.crossings.run(slots, [x, dx], [g, rate]);
    }

    fn left(&self, slots: &mut [f64]) {
        self.left.run(slots, [&[], &[]], [&mut [], &mut []]);
    }

    fn jacobian(&self, slots: &mut [f64]) {
        self.jacobian.run(slots, [&[], &[]], [&mut [], &mut []]);
    }

    fn trial(&self, slots: &mut [f64], origin: f64, trial: &mut Trial) -> Option<f64> {
        let step = self.step.as_ref().filter(|_| self.method == trial.method)?;
        Some(step.run(slots, origin, trial))
    }
}

/// The code of several runs side by side.
#[derive(Debug)]
struct Lanes(LaneRoutine);

impl LaneCode for Lanes {
    fn layout(&self) -> LaneLayout {
        self.0.layout()
    }

    fn inputs(&self) -> &[Slot] {
        self.0.inputs()
    }

    fn trial(&self, trials: &mut LaneTrials) {
        self.0.run(trials);
    }
}

/// Compiles the moving regions of a program, and the units of a tick.
fn compile(program: &Arc<Program>, method: Method) -> Result<Arc<Routines>, NativeError> {
    let slots = program.image.len();
    let moves = |region: &RegionId| program.regions[*region].moves;
    let moving: Vec<RegionId> = program.regions.ids().filter(moves).collect();
    let (mut plans, none) = (Vec::new(), Tape::default());
    let mut steps = Vec::new();
    for region in moving.iter().map(|region| &program.regions[*region]) {
        plans.extend(tapes(region, slots, &none));
        steps.push(step(program, region, method));
    }
    let wanted: Vec<StepPlan> = steps.iter().flatten().cloned().collect();
    let words = Words::new(program);
    let units = words.at_once();
    let compiled = jit::compile(&plans, &wanted, units.as_ref())?;
    let (mut routines, mut made) = (compiled.routines.into_iter(), compiled.steps.into_iter());
    let mut regions: Table<RegionId, Option<Box<dyn RegionCode>>> =
        program.regions.ids().map(|_| None).collect();
    for (id, step) in moving.into_iter().zip(&steps) {
        let own: [Option<Routine>; TAPES] = std::array::from_fn(|_| routines.next());
        let [Some(derivative), Some(crossings), Some(left), Some(jacobian)] = own else { break };
        let step = step.as_ref().and_then(|_| made.next().flatten());
        let region = Region { derivative, crossings, left, jacobian, step, method };
        regions[id] = Some(Box::new(region));
    }
    drop(units);
    words.take(compiled.words);
    let units = (!words.is_empty()).then(|| Box::new(words) as Box<dyn UnitCode>);
    Ok(Arc::new(Routines { regions, units }))
}

/// How many tapes of a region are compiled.
const TAPES: usize = 4;

/// The rates, the watched functions, the left limits and the derivatives of the rates of a region.
/// `none` is an empty tape, for a program that lacks some of them.
fn tapes<'a>(region: &'a RegionProgram, slots: usize, none: &'a Tape) -> [Plan<'a>; TAPES] {
    let jacobian = region.jacobian.as_ref().map_or(none, |jacobian| &jacobian.tape);
    let tapes = [&region.derivative, &region.crossings, &region.left, jacobian];
    let [mut derivative, mut crossings, left, jacobian] = tapes.map(|tape| Plan {
        tape,
        slots,
        inputs: [SlotRange::default(); 2],
        outputs: [SlotRange::default(); 2],
    });
    if region.is_whole() {
        let (n, watches, none) = (region.dimension, region.watches.len(), SlotRange::default());
        let (state, rate) = (region.state.slots(n), region.rate.slots(n));
        derivative.inputs = [state, none];
        derivative.outputs = [rate, none];
        crossings.inputs = [state, rate];
        crossings.outputs = [region.g.slots(watches), region.g_rate.slots(watches)];
    }
    [derivative, crossings, left, jacobian]
}

/// A whole step of a region; only for explicit methods and regions without delayed signals.
fn step<'a>(program: &Program, region: &'a RegionProgram, method: Method) -> Option<StepPlan<'a>> {
    let tableau = method.tableau().filter(|_| region.is_whole())?;
    region.lines.is_empty().then(|| StepPlan {
        tape: &region.derivative,
        slots: program.image.len(),
        state: region.state.slots(region.dimension),
        rate: region.rate.slots(region.dimension),
        time: program.time,
        tableau,
        rules: method.step_rules(),
        watched: !region.live.derivative.is_empty(),
    })
}

impl From<jit::NativeError> for NativeError {
    fn from(error: jit::NativeError) -> NativeError {
        match error {
            jit::NativeError::Unsupported(why) => NativeError::Unsupported(why),
            jit::NativeError::Refused(why) => NativeError::Refused(why),
            jit::NativeError::Invalid(why) => NativeError::Refused(why.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Library, System, parse};

    /// A short run of many regions evaluates each of them a few times, which is no reason to compile
    /// all of them, however many evaluations that is together.
    #[test]
    fn many_regions_are_not_compiled_for_a_few_steps() {
        let mut text = "superdense: 1\nblocks:\n".to_owned();
        for i in 0..2000 {
            text += &format!("  x{i}: {{type: Integrator, input: {} - x{i}}}\n", i + 1);
        }
        text += "record: [x0]\nsimulate: {stop: 1}\n";
        let model = parse("many.yaml", &text, &mut |path| Err(path.to_owned())).expect("a model");
        let system = System::compile(&model, &Library::standard()).expect("it compiles");
        let evaluations = system.simulate().expect("it runs").counters.evaluations;
        assert!(evaluations > 10 * WORTH_COMPILING, "{evaluations} evaluations");
        assert!(!system.native.begun.load(Ordering::Relaxed));
    }
}
