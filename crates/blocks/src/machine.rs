//! The blocks that make up a state machine: its state, its outputs, what transitions set, and how
//! long a state has lasted. The engine decides which transition is taken and writes their states;
//! in every other respect they are ordinary blocks.

use std::sync::Arc;

use base::{Diagnostic, Elem, ExactTime, Type, Value};
use ir::NodeId;

use crate::{Block, Context, Info, Input, Instants, Leaf, Parameter, Role, Signal};

/// The current state of a machine.
#[derive(Clone, Debug)]
pub struct CurrentState {
    /// The names of the states.
    pub names: Vec<String>,
    /// For each state, whether it is final.
    pub last: Vec<bool>,
    /// The index of the initial state.
    pub initial: usize,
}

impl Block for CurrentState {
    fn info(&self) -> Info {
        Info::new("mode", "Modes", "The state in which a machine is.")
            .output("state", "The state in which the machine is.")
            .output("done", "Whether that is a final one.")
    }

    fn role(&self) -> Role {
        Role::MachinePart
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let state = cx.state("state", Value::int(self.initial as i64));
        let truths: Vec<NodeId> = self.last.iter().map(|last| cx.graph.bool(*last)).collect();
        let done = cx.graph.choose(state, &truths, &vec![0; truths.len()]);
        let (state, done) = (cx.always(state), cx.always(done));
        cx.output("state", state);
        cx.output("done", done);
        Ok(())
    }

    fn labels(&self) -> Option<&[String]> {
        Some(&self.names)
    }

    fn finals(&self) -> Option<&[bool]> {
        Some(&self.last)
    }
}

/// An output of a machine: the output of the diagram of its state, or what a transition emits.
#[derive(Clone, Default, Debug)]
pub struct ModeOutput {
    /// For each state, which of `arms` it selects.
    pub arms: Vec<Option<usize>>,
    /// For each state, the fragment whose blocks compute the output.
    pub guards: Vec<u32>,
    /// For each state, its preemptive transitions and the fragment of their guards. Each transition
    /// lists the indices of its guards among `preemptive`; it silences the state if all of them
    /// hold.
    pub preemptive: Vec<(Vec<Vec<usize>>, u32)>,
    /// For each state, whether a machine in its diagram may emit something at the microstep at
    /// which the state is left.
    pub last_words: Vec<bool>,
    /// What it is in states that do not give it.
    pub otherwise: Otherwise,
}

/// What an output of a machine is in a state that does not give it.
#[derive(Clone, PartialEq, Default, Debug)]
pub enum Otherwise {
    /// Absent.
    #[default]
    Absent,
    /// The last value that it had, and 0 or false before any state has given it.
    Held,
    /// The last value that it had, and this one before any state has given it.
    HeldFrom(Value),
}

impl ModeOutput {
    /// The states in which the engine writes what a transition emits: whether it emits anything,
    /// and the value.
    pub const SAID: [usize; 2] = [0, 1];
    /// The state in which the engine writes whose last words count, if there can be any: 0 for
    /// none, or the state whose diagram was left, counted from 1.
    pub const LEFT: usize = 2;

    /// The value and presence of what is emitted in a diagram that has just been left.
    fn last_words(
        &self,
        cx: &mut Context,
        arms: &[Signal],
        zero: NodeId,
    ) -> Option<(NodeId, NodeId)> {
        if !self.last_words.contains(&true) && self.otherwise == Otherwise::Absent {
            return None;
        }
        let left = cx.state("left", Value::int(0));
        let never = cx.graph.bool(false);
        let (mut values, mut presences) = (vec![zero], vec![never]);
        for (arm, may_speak) in self.arms.iter().zip(&self.last_words) {
            let arm = arm.filter(|_| *may_speak).map(|arm| &arms[arm]);
            values.push(arm.map_or(zero, |arm| arm.value));
            presences.push(arm.map_or(never, |arm| arm.present));
        }
        let always = vec![0; values.len()];
        let value = cx.graph.choose(left, &values, &always);
        let present = cx.graph.choose(left, &presences, &always);
        let ticking = cx.ticking();
        let shape = cx.graph.ty(zero).shape;
        Some((cx.graph.splat(value, shape), cx.graph.and(ticking, present)))
    }

    fn choose(
        &self,
        cx: &mut Context,
        mode: NodeId,
        arms: &[Signal],
        part: &dyn Fn(&Signal) -> Option<NodeId>,
        none: NodeId,
    ) -> NodeId {
        let each = |arm: &Option<usize>| arm.and_then(|arm| part(&arms[arm])).unwrap_or(none);
        let parts: Vec<NodeId> = self.arms.iter().map(each).collect();
        cx.graph.choose(mode, &parts, &self.guards)
    }

    /// Whether a preemptive transition of the current state is about to be taken.
    fn silenced(&self, cx: &mut Context, mode: NodeId) -> NodeId {
        let guards = cx.inputs("preemptive");
        let (never, always) = (cx.graph.bool(false), cx.graph.bool(true));
        let mut each = Vec::new();
        for (transitions, _) in &self.preemptive {
            let mut any = never;
            for own in transitions {
                let mut all = always;
                for index in own {
                    let met = cx.graph.and(guards[*index].present, guards[*index].value);
                    all = cx.graph.and(all, met);
                }
                any = cx.graph.or(any, all);
            }
            each.push(any);
        }
        let fragments: Vec<u32> = self.preemptive.iter().map(|(_, fragment)| *fragment).collect();
        let met = cx.graph.choose(mode, &each, &fragments);
        let ticking = cx.ticking();
        cx.graph.and(ticking, met)
    }
}

impl Block for ModeOutput {
    fn info(&self) -> Info {
        Info::new("modal output", "Modes", "An output of a machine.")
            .input(Input::one("mode", "The state of the machine."))
            .input(Input::optional("arms", "What the diagrams of its states give."))
            .input(Input::optional("said", "What transitions say."))
            .input(Input::optional("preemptive", "Guards that silence the diagrams."))
            .output("output", "The output.")
    }

    fn role(&self) -> Role {
        Role::MachineOutput
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let mode = cx.input("mode").value;
        let (arms, actions) = (cx.inputs("arms"), cx.inputs("said"));
        let ty = common_type(cx, arms.iter().chain(&actions))?;
        let said = cx.state("said", Value::new(Type::BOOL, vec![0.0]));
        let word = cx.state("what is said", Value::new(ty, vec![0.0; ty.len()]));
        let ticking = cx.ticking();
        let says = match actions.is_empty() {
            true => cx.graph.bool(false),
            false => cx.graph.and(ticking, said),
        };
        let zero = cx.graph.filled(ty, 0.0);
        let never = cx.graph.bool(false);
        let value = self.choose(cx, mode, &arms, &|arm| Some(arm.value), zero);
        let value = cx.graph.splat(value, ty.shape);
        let present = self.choose(cx, mode, &arms, &|arm| Some(arm.present), never);
        let silenced = self.silenced(cx, mode);
        let audible = cx.graph.not(silenced);
        let present = cx.graph.and(present, audible);
        let orders = arms.iter().map(|arm| arm.impulses.len()).max().unwrap_or(0);
        let mut impulses = Vec::new();
        for order in 0..orders {
            let part = |arm: &Signal| arm.impulses.get(order).copied();
            let impulse = self.choose(cx, mode, &arms, &part, zero);
            impulses.push(cx.graph.select(audible, impulse, zero));
        }
        let (value, present) = match self.last_words(cx, &arms, zero) {
            Some((last, heard)) => {
                (cx.graph.select(heard, last, value), cx.graph.or(heard, present))
            }
            None => (value, present),
        };
        let value = cx.graph.select(says, word, value);
        let present = cx.graph.or(says, present);
        let given = Signal { value, present, impulses };
        let output = match &self.otherwise {
            Otherwise::Absent => given,
            Otherwise::Held => hold(cx, given, Value::new(ty, vec![0.0; ty.len()])),
            Otherwise::HeldFrom(first) => {
                let first = cx.filling(first, "the first value of `hold`", ty)?;
                hold(cx, given, first)
            }
        };
        cx.output("output", output);
        Ok(())
    }
}

/// A signal that keeps its last value while it is absent. What it was before it became absent is
/// known one microstep later, because a state changes at a tick and its last value is a left limit.
fn hold(cx: &mut Context, given: Signal, first: Value) -> Signal {
    let before = cx.previous(&given);
    let held = cx.state("held", first);
    let kept = cx.graph.select(before.present, before.value, held);
    let value = cx.graph.select(given.present, given.value, kept);
    cx.next(held, value);
    Signal { impulses: given.impulses, ..cx.always(value) }
}

/// The common type of all signals; integers among reals count as reals.
fn common_type<'s>(
    cx: &Context,
    mut signals: impl Iterator<Item = &'s Signal>,
) -> Result<Type, Diagnostic> {
    let Some(first) = signals.next() else { return Ok(Type::REAL) };
    let mut common = cx.graph.ty(first.value);
    for signal in signals {
        let ty = cx.graph.ty(signal.value);
        let kinds = (common.elem == Elem::Bool) == (ty.elem == Elem::Bool);
        if ty.shape != common.shape || !kinds {
            let message = format!("this output is {common} in one place and {ty} in another");
            let code = if kinds { "size-mismatch" } else { "type-mismatch" };
            return Err(Diagnostic::error(code, message)
                .help("give it values of one type and size in all states and transitions"));
        }
        common.elem = common.elem.max(ty.elem);
    }
    Ok(common)
}

/// A parameter that transitions set.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its value before any transition sets it.
    pub initial: Value,
}

impl Block for Variable {
    fn info(&self) -> Info {
        Info::new("variable", "Modes", "A parameter that transitions set.")
            .output("output", "The value.")
    }

    fn role(&self) -> Role {
        Role::MachinePart
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        // Any number may be set later, whatever the initial value was.
        let initial = match self.initial.ty().elem {
            Elem::Bool => self.initial.clone(),
            _ => self.initial.clone().to_real(),
        };
        let state = cx.state("value", initial);
        let signal = cx.always(state);
        cx.output("output", signal);
        Ok(())
    }
}

/// How long the machine has been in a state \[s\].
#[derive(Clone, Debug)]
pub struct Elapsed;

impl Block for Elapsed {
    fn info(&self) -> Info {
        Info::new("elapsed", "Modes", "How long a state has lasted.")
            .output("output", "The time since the state was entered.")
    }

    fn role(&self) -> Role {
        Role::MachinePart
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let elapsed = cx.leaf(Leaf::Elapsed, Type::REAL);
        let signal = cx.always(elapsed);
        cx.output("output", signal);
        Ok(())
    }
}

/// Whether a state has lasted a given time.
#[derive(Clone, Debug)]
pub struct After;

impl Block for After {
    fn info(&self) -> Info {
        Info::new("after", "Modes", "Whether a state has lasted a given time.")
            .output("output", "Whether the time is over.")
            .parameter(Parameter::time("delay", "The time."))
    }

    fn role(&self) -> Role {
        Role::After
    }

    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
        let over = cx.state("over", Value::new(Type::BOOL, vec![0.0]));
        let delay = cx.instant("delay")?;
        if delay < ExactTime::default() {
            let message = "`after` must be a time, 0 or more";
            return Err(Diagnostic::error("bad-parameter", message));
        }
        let (woken, _) = cx.timer(Arc::new(Instants(vec![delay])));
        let now = cx.graph.or(over, woken);
        cx.next(over, now);
        let signal = cx.always(now);
        cx.output("output", signal);
        Ok(())
    }
}
