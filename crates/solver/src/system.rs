//! What a solver integrates.
//!
//! The engine implements this trait on the compiled smooth phase; the solver calls it and
//! nothing else. Values arrive in slices that the solver owns, so a call never allocates.

use base::Interval;

use crate::Method;
use crate::drift::Drift;
use crate::pattern::Pattern;
use crate::segment::Segment;
use crate::step_span::StepSpan;

/// What a crossing function is for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum CrossingRole {
    /// Passing zero is an event.
    Event {
        /// 1 if it must rise, -1 if it must fall, 0 for either.
        direction: f64,
        /// How far past zero a step may end; 0 for the tolerance of the solver.
        tolerance: f64,
    },
    /// The system is another one beyond zero, or something may be decided by that.
    Branch,
}

/// A step that has been tried by the rules of Ptolemy II, as far as guards need it.
#[derive(Clone, Copy, Debug)]
pub struct GuardTrial<'a> {
    /// The offset of its end.
    pub t: f64,
    /// The state there.
    pub x: &'a [f64],
    /// Its length \[s\].
    pub h: f64,
    /// The functions at its start.
    pub last: &'a [f64],
    /// The functions at its end.
    pub now: &'a [f64],
    /// Which states have errors that are too large.
    pub refused: &'a [bool],
    /// Which functions have events that it has missed.
    pub missed: &'a [bool],
    /// How far past its change a comparison may be.
    pub tolerance: f64,
}

impl GuardTrial<'_> {
    /// The step after which a straight line is half a tolerance past the point at which a function
    /// changes, from its distances to that point at the start and at the end of this one.
    pub fn step_to(&self, last: f64, now: f64, tolerance: f64) -> f64 {
        self.h * (last + 0.5 * tolerance) / (last + now)
    }
}

/// The smooth phase of a model: between events it is a pure function of time and state.
///
/// The receiver is mutable only so that an implementation can keep working space; the same
/// arguments must give the same bits, because trial steps are repeated and thrown away.
pub trait System {
    /// Writes dx/dt at (t, x).
    fn derivative(&mut self, t: f64, x: &[f64], dx: &mut [f64]);

    /// The entries of df/dx of `n` states that may be other than zero; by default all of them.
    /// Implicit methods ask once, and again after [`crate::Solver::resize`].
    fn pattern(&mut self, n: usize) -> Pattern {
        Pattern::dense(n, true)
    }

    /// Writes df/dx at (t, x) in the order of the pattern, column after column, and df/dt with
    /// the states held still. The latter is empty if the pattern says that the rates do not
    /// move with time. Only implicit methods ask for them.
    fn jacobian(&mut self, t: f64, x: &[f64], values: &mut [f64], rate: &mut [f64]);

    /// Writes every crossing function and its time derivative along the flow.
    ///
    /// `dx` is the derivative at (t, x). Inside a step it is the derivative of the dense
    /// output instead, so that `rate` is the slope of the very function that is searched and
    /// a look inside a step costs no evaluation of the model.
    fn crossings(&mut self, t: f64, x: &[f64], dx: &[f64], g: &mut [f64], rate: &mut [f64]);

    /// What it means that a function has passed zero at the end of a step that is not searched.
    fn role(&self, function: usize) -> CrossingRole {
        let _ = function;
        CrossingRole::Event { direction: 0.0, tolerance: 0.0 }
    }

    /// Sees a stage of a step by the rules of Ptolemy II, also of one that is then refused.
    fn round(&mut self, t: f64, x: &[f64]) {
        let _ = (t, x);
    }

    /// Whether [`System::round`] has to see the stages of a step without states, too.
    fn follows_rounds(&self) -> bool {
        false
    }

    /// The tolerance of a state by the rules of Ptolemy II, if it is not that of the run.
    fn tolerance(&self, state: usize) -> Option<f64> {
        let _ = state;
        None
    }

    /// The step to try instead of one at whose end guards decide something that they decide only
    /// far behind the point at which they change; infinity if there is no such guard.
    fn refine_for_guards(&mut self, trial: &GuardTrial) -> f64 {
        let _ = trial;
        f64::INFINITY
    }

    /// Computes a whole trial step of an explicit method, if the system can: every slope but
    /// the first, the state at the end, and the mean square of the error in units of the tolerance,
    /// which is returned. The arithmetic must be that of the stages in `explicit.rs`, operation by
    /// operation, so that the bits are the same as without it.
    ///
    /// A system may go on by itself as far as the trial allows, and returns from the last one.
    fn trial(&mut self, _trial: &mut Trial) -> Option<f64> {
        None
    }

    /// Whether the rates are functions of the states alone, so that the times of a trial may count
    /// from anywhere.
    fn is_timeless(&self) -> bool {
        false
    }

    /// Bounds of a crossing function and of its time derivative over a part of a step, for every
    /// value that time and the dense output have there. They are asked for if
    /// `Sides::gain` is infinite.
    fn enclose(&mut self, _function: usize, _span: &StepSpan) -> Enclosure {
        Enclosure { value: Interval::ALL, rate: Interval::ALL }
    }

    /// How far rounding may have moved a crossing function and its time derivative at (t, x), if
    /// each state has gathered a further error `drift`; none if the system does not know.
    fn noise(&mut self, _function: usize, _at: At) -> Option<Noise> {
        None
    }

    /// A bound of the noise of a function's value that is quick to compute, from the largest state
    /// and the largest drift; infinite if there is none.
    fn most_noise(&mut self, _function: usize, _t: f64, _state: f64, _drift: f64) -> f64 {
        f64::INFINITY
    }

    /// The time of an offset \[s\], whose last places say how well it can be known.
    fn time(&self, t: f64) -> f64 {
        t
    }

    /// The least distance of two times in the present phase \[s\]; offsets, as floats, may be
    /// finer.
    fn resolution(&self) -> f64 {
        0.0
    }

    /// Puts a point that is not finite in the system, so that a search for the reason finds it
    /// there.
    fn stand_at(&mut self, _t: f64, _x: &[f64]) {}
}

/// Bounds of a function over a part of a step.
#[derive(Clone, Copy, Debug)]
pub struct Enclosure {
    /// Of its value.
    pub value: Interval,
    /// Of its time derivative.
    pub rate: Interval,
}

/// The point at which the noise of a function is asked for. A function needs few states, and only
/// those are computed.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// Offset.
    pub t: f64,
    pub(crate) segment: &'a Segment,
    pub(crate) drift: &'a Drift,
}

impl At<'_> {
    /// A state there, by the dense output.
    pub fn state(&self, number: usize) -> f64 {
        let mut x = [0.0];
        self.segment.values(self.t, number, &mut x);
        x[0]
    }

    /// Its derivative.
    pub fn slope(&self, number: usize) -> f64 {
        let mut dx = [0.0];
        self.segment.rates(self.t, number, &mut dx);
        dx[0]
    }

    /// The rounding that steps have gathered in it.
    pub fn drift(&self, number: usize) -> f64 {
        self.drift.of(number)
    }
}

/// How far rounding may have moved a function.
#[derive(Clone, Copy, Debug, Default)]
pub struct Noise {
    /// Its value.
    pub value: f64,
    /// Its time derivative.
    pub rate: f64,
    /// Whether a pole or a branch cut is within rounding.
    pub torn: bool,
}

/// A trial step, for a system that computes it whole.
#[derive(Debug)]
pub struct Trial<'a> {
    /// The method.
    pub method: Method,
    /// Its start.
    pub start: f64,
    /// Its end.
    pub end: f64,
    /// Error allowed relative to each state.
    pub relative: f64,
    /// Error allowed beside that.
    pub absolute: f64,
    /// The state at the start.
    pub x0: &'a mut [f64],
    /// The state at the end.
    pub x1: &'a mut [f64],
    /// The slopes of the stages, of which the first is known.
    pub slopes: &'a mut [Vec<f64>],
    /// How far the system may go on by itself; none for this trial alone.
    pub batch: Option<&'a mut StepBatch>,
    /// Room for the points that it passes then: for each step the offset of its end and the states
    /// there, one after the other. It is empty if nobody asks for them.
    pub passed: &'a mut [f64],
}

/// Steps that a system takes by itself, one after the other, if it computes them whole.
///
/// While a trial is *plain* it becomes a step, and its end the start of the next trial. A trial is
/// plain if its error is accepted, no rate may have passed a pole in it, no horizon has cut it
/// short, and another of the length that [`crate::StepRules`] suggests fits before the horizon. The
/// first that is not plain, or for which there is no room, is the one that [`System::trial`]
/// returns, with its start, its end and its first slope; the solver decides about it.
///
/// Native code reads and writes it by the offsets of its fields, hence the layout of C.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
#[repr(C)]
pub struct StepBatch {
    /// The time that no step goes past.
    pub horizon: f64,
    /// The time from which on no step starts.
    pub before: f64,
    /// The longest step.
    pub longest: f64,
    /// How many steps may be taken before the trial that is returned; none if it is 0.
    pub most: u64,
    /// The step that is wanted, at first and in the end.
    pub wanted: f64,
    /// The logarithm of the error before, at first and in the end.
    pub previous: f64,
    /// How many steps were taken.
    pub taken: u64,
}
