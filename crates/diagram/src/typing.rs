//! Types, sizes and orders of impulses: found by defining blocks until nothing changes.

use std::collections::VecDeque;

use base::{Diagnostic, Diagnostics, Shape, Type};
use blocks::{Context, Definition, Impulses};

use crate::flat::{BlockId, WireId};
use crate::flatten::{Draft, UNTYPED};
use crate::open::Opening;

/// The greatest order of impulses that is followed.
const MAXIMUM_ORDERS: u32 = 16;
/// The greatest order of derivatives that is followed.
const MAXIMUM_DERIVATIVES: u32 = 24;
/// How often a block may be defined again before an error reports that its types do not settle.
const MAXIMUM_ROUNDS: usize = 64;
/// How many sizes are tried for a loop that does not fit together as one of real numbers.
const MAXIMUM_TRIES: usize = 32;

/// Blocks with their functions, and what their outputs carry.
pub(crate) struct Typed {
    pub blocks: Vec<(Draft, Definition)>,
    /// Block, output, type, orders of impulses, orders of derivatives.
    pub wires: Vec<(BlockId, usize, Type, u32, u32)>,
    /// Whether the run goes by fixed steps.
    pub stepped: bool,
}

/// What is known of a wire: its type and how many orders of impulses it carries.
type Known = Option<(Type, u32)>;

/// A wire and the type that it is supposed to have, until its block determines it.
type Supposition = (WireId, Type);

pub(crate) fn infer(
    drafts: Vec<Draft>,
    wire_blocks: Vec<(BlockId, usize)>,
    guesses: Vec<(WireId, Type)>,
    (impulses, by_steps): (Impulses, bool),
    opening: &Opening,
) -> Result<Typed, Diagnostics> {
    let mut inference = Inference::new(drafts, wire_blocks, opening);
    inference.impulses = impulses;
    inference.by_steps = by_steps;
    inference.guesses = guesses;
    inference.run()?;
    let Inference { drafts, definitions, wires, wire_blocks, asked, .. } = inference;
    let wires = wire_blocks
        .into_iter()
        .zip(wires)
        .zip(asked)
        .map(|(((block, port), known), asked)| {
            let (ty, orders) = known.unwrap_or((UNTYPED, 0));
            (block, port, ty, orders, asked)
        })
        .collect();
    let definitions = definitions.into_iter().map(|d| d.expect("every block is defined"));
    let blocks = drafts.into_iter().zip(definitions).collect();
    Ok(Typed { blocks, wires, stepped: impulses.steps() })
}

struct Inference<'o> {
    opening: &'o Opening,
    drafts: Vec<Draft>,
    wire_blocks: Vec<(BlockId, usize)>,
    wires: Vec<Known>,
    /// How many orders of derivatives of each wire are read.
    asked: Vec<u32>,
    definitions: Vec<Option<Definition>>,
    consumers: Vec<Vec<BlockId>>,
    rounds: Vec<usize>,
    /// Types of the guesses of loops that are solved.
    guesses: Vec<Supposition>,
    /// Types that were supposed and fit, in order.
    supposed: Vec<Vec<Supposition>>,
    /// Whether parameters of blocks in loops may still name types, and the number of blocks from the
    /// first on that are in no loop without a type.
    promised: bool,
    looked_at: usize,
    /// Blocks to define, each once.
    ready: VecDeque<BlockId>,
    queued: Vec<bool>,
    /// How many inputs of each block have no type yet.
    missing: Vec<usize>,
    impulses: Impulses,
    /// Whether blocks may follow the steps of the solver.
    by_steps: bool,
    errors: Diagnostics,
}

impl<'o> Inference<'o> {
    fn new(drafts: Vec<Draft>, wire_blocks: Vec<(BlockId, usize)>, opening: &'o Opening) -> Self {
        let mut consumers = vec![Vec::new(); wire_blocks.len()];
        for (index, draft) in drafts.iter().enumerate() {
            for wire in draft.inputs.iter().flatten() {
                consumers[wire.index()].push(BlockId::new(index));
            }
        }
        let missing = drafts.iter().map(|d| d.inputs.iter().map(Vec::len).sum()).collect();
        Inference {
            opening,
            wires: vec![None; wire_blocks.len()],
            asked: vec![0; wire_blocks.len()],
            definitions: drafts.iter().map(|_| None).collect(),
            rounds: vec![0; drafts.len()],
            guesses: Vec::new(),
            supposed: Vec::new(),
            promised: true,
            looked_at: 0,
            ready: (0..drafts.len()).map(BlockId::new).collect(),
            queued: vec![true; drafts.len()],
            missing,
            drafts,
            wire_blocks,
            consumers,
            impulses: Impulses::default(),
            by_steps: false,
            errors: Diagnostics::default(),
        }
    }

    fn run(&mut self) -> Result<(), Diagnostics> {
        self.settle()?;
        loop {
            let supposed = self.suppositions();
            if supposed.is_empty() {
                break;
            }
            self.suppose(supposed)?;
        }
        let left = self.stuck().next();
        if let Some(block) = left {
            self.errors.push(self.unsettled(BlockId::new(block)));
        }
        std::mem::take(&mut self.errors).or(())
    }

    /// Defines what knows its inputs, until nothing changes. A block that does not fit may fit when
    /// its inputs have changed: a state with a scalar as its initial value is a vector if its rate
    /// is one, which those who read the state may learn before or after.
    fn settle(&mut self) -> Result<(), Diagnostics> {
        let mut failed: Vec<(BlockId, Diagnostics)> = Vec::new();
        while let Some(block) = self.ready.pop_front() {
            self.queued[block.index()] = false;
            if self.missing[block.index()] > 0 {
                continue;
            }
            let known = failed.iter().position(|(other, _)| *other == block);
            match (self.define(block), known) {
                (Ok(()), None) => {}
                (Ok(()), Some(known)) => drop(failed.remove(known)),
                (Err(error), None) => failed.push((block, error)),
                (Err(error), Some(known)) => failed[known].1 = error,
            }
        }
        failed.into_iter().next().map_or(Ok(()), |(_, error)| Err(error))
    }

    fn queue(&mut self, id: BlockId) {
        if !std::mem::replace(&mut self.queued[id.index()], true) {
            self.ready.push_back(id);
        }
    }

    /// Notes what a wire carries; those who read it are defined once they know all their inputs.
    fn learn(&mut self, wire: WireId, new: (Type, u32)) {
        let known = self.wires[wire.index()].replace(new);
        if known == Some(new) {
            return;
        }
        for at in 0..self.consumers[wire.index()].len() {
            let consumer = self.consumers[wire.index()][at];
            self.missing[consumer.index()] -= usize::from(known.is_none());
            if self.missing[consumer.index()] == 0 {
                self.queue(consumer);
            }
        }
    }

    fn define(&mut self, id: BlockId) -> Result<(), Diagnostics> {
        let draft = &self.drafts[id.index()];
        let known = |wire: &WireId| self.wires[wire.index()];
        let inputs: Option<Vec<Vec<(Type, u32)>>> =
            draft.inputs.iter().map(|wires| wires.iter().map(known).collect()).collect();
        let Some(inputs) = inputs else { return Ok(()) };
        self.rounds[id.index()] += 1;
        if self.rounds[id.index()] > MAXIMUM_ROUNDS {
            return Err(self.unsettled(id).into());
        }
        let asked = draft.outputs.iter().map(|wire| self.asked[wire.index()]).collect();
        let mut context = Context::new(draft.kind.info(), &draft.settings, &inputs, asked)
            .with_impulses(self.impulses)
            .with_steps(self.by_steps);
        let defined = draft.kind.define(&mut context);
        for (id, why) in context.take_structural() {
            self.opening.decides(id, &format!("{why} (block `{}`)", draft.path));
        }
        if let Err(error) = defined {
            return Err(self.located(id, error).into());
        }
        let definition = self.checked(id, context.finish())?;
        for (port, wire) in self.drafts[id.index()].outputs.clone().into_iter().enumerate() {
            let orders = carried(&definition, port);
            if orders > MAXIMUM_ORDERS {
                return Err(self.unbounded(id).into());
            }
            self.learn(wire, (definition.output_type(port), orders));
        }
        let ports: Vec<WireId> = self.drafts[id.index()].inputs.iter().flatten().copied().collect();
        for (wire, demand) in ports.into_iter().zip(&definition.demands) {
            let asked = &mut self.asked[wire.index()];
            if *demand > *asked {
                *asked = *demand;
                if *demand > MAXIMUM_DERIVATIVES {
                    return Err(self.endless(id).into());
                }
                self.queue(self.wire_blocks[wire.index()].0);
            }
        }
        self.definitions[id.index()] = Some(definition);
        Ok(())
    }

    /// The definition of a block as the run will use it, if its functions are sound.
    fn checked(&self, id: BlockId, mut definition: Definition) -> Result<Definition, Diagnostics> {
        if let Some(function) = unknown_derivative(&definition) {
            let message = format!("the derivative of `{function}` is not known");
            let help = "give it one (in Rust `Opaque::tangent` and `Opaque::has_tangent`, in Python \
                        `@f.derivative` or `derivative=\"difference\"`), or differentiate another signal";
            let error = Diagnostic::error("opaque-derivative", message)
                .note("it is a function that gives no derivative of its own")
                .help(help);
            return Err(self.located(id, error).into());
        }
        if self.impulses.steps() {
            definition = crate::discretise::discretise(definition);
        }
        if definition.graph.nodes().iter().any(|node| node.ty.len() > expr::MAX_ELEMENTS) {
            let message = format!("a value of more than {} elements", expr::MAX_ELEMENTS);
            return Err(self.located(id, Diagnostic::error("value-too-large", message)).into());
        }
        if let Err(wrong) = ir::verify(&definition.graph, true) {
            let message = "the sizes of the signals at this block do not fit together";
            let error = Diagnostic::error("size-mismatch", message).note(wrong.reason);
            return Err(self.located(id, error).into());
        }
        Ok(definition)
    }

    /// Where loops leave blocks undefined, takes a type from a block's parameters, the larger ones
    /// first; a loop without any is one of real numbers.
    fn suppositions(&mut self) -> Vec<Supposition> {
        // The guess of a loop that is solved gives the type of its unknowns.
        let open = |wire: WireId| self.wires[wire.index()].is_none();
        let named: Vec<Supposition> = self.guesses.iter().filter(|g| open(g.0)).copied().collect();
        if !named.is_empty() {
            return named;
        }
        if !self.promised {
            return self.next_free();
        }
        let output = |i: usize| self.drafts[i].outputs[0];
        let promise = |i: usize| {
            let ty = self.drafts[i].kind.promise(&self.drafts[i].settings)?;
            open(output(i)).then_some((output(i), ty))
        };
        let promises: Vec<Supposition> = self.stuck().filter_map(promise).collect();
        let large = promises.iter().any(|(_, ty)| !ty.is_scalar());
        if promises.is_empty() {
            self.promised = false;
            return self.next_free();
        }
        promises.into_iter().filter(|(_, ty)| !large || !ty.is_scalar()).collect()
    }

    /// The first output of a block in a loop, as a real number. Blocks that are defined stay so, so
    /// that those before the last one need not be looked at again: a model may have a loop in each
    /// of its many parts.
    fn next_free(&mut self) -> Vec<Supposition> {
        let free = |wire: &WireId| self.wires[wire.index()].is_none();
        let is_free = |i: &usize| {
            self.definitions[*i].is_none() && self.drafts[*i].outputs.first().is_some_and(free)
        };
        let found = (self.looked_at..self.drafts.len()).find(is_free);
        self.looked_at = found.unwrap_or(self.drafts.len());
        let mut others = self.stuck().flat_map(|i| &self.drafts[i].outputs).copied();
        let wire = match found {
            Some(block) => Some(self.drafts[block].outputs[0]),
            None => others.find(free),
        };
        wire.map(|wire| (wire, UNTYPED)).into_iter().collect()
    }

    /// Blocks that are not defined.
    fn stuck(&self) -> impl Iterator<Item = usize> {
        (0..self.drafts.len()).filter(|i| self.definitions[*i].is_none())
    }

    /// Goes on with types that are supposed. Where real numbers do not fit, a signal of the loop
    /// has one of the sizes that the blocks of the loop and those who read it name: the first that
    /// fits is taken.
    fn suppose(&mut self, supposed: Vec<Supposition>) -> Result<(), Diagnostics> {
        let Err(error) = self.try_types(supposed.clone()) else { return Ok(()) };
        if is_about_kinds(&error) {
            self.replay()?;
            return self.suppose_truth(supposed).map_err(|()| error);
        }
        if !is_about_sizes(&error) {
            return Err(error);
        }
        self.replay()?;
        let scalars: Vec<usize> =
            (0..supposed.len()).filter(|i| self.is_free(supposed[*i])).collect();
        // One signal of another size first, then all of them.
        let all = Some(scalars.clone()).filter(|all| all.len() > 1);
        let others: Vec<Vec<usize>> = scalars.iter().map(|i| vec![*i]).chain(all).collect();
        let shapes = self.shapes();
        let tries = others.iter().flat_map(|own| shapes.iter().map(move |shape| (own, *shape)));
        for (own, shape) in tries.take(MAXIMUM_TRIES) {
            let mut other = supposed.clone();
            own.iter().for_each(|i| other[*i].1.shape = shape);
            if self.try_types(other).is_ok() {
                return Ok(());
            }
            self.replay()?;
        }
        Err(error)
    }

    /// Goes on with truth values in place of real numbers that were assumed because nothing
    /// determines them, as in `b = c or last(b, false)`.
    fn suppose_truth(&mut self, mut supposed: Vec<Supposition>) -> Result<(), ()> {
        for own in &mut supposed {
            if self.is_free(*own) {
                own.1 = Type::BOOL;
            }
        }
        self.try_types(supposed).map_err(|_| ())
    }

    /// Whether a type was assumed because nothing determines it, or from one number.
    fn is_free(&self, (wire, ty): Supposition) -> bool {
        let block = self.wire_blocks[wire.index()].0.index();
        let draft = &self.drafts[block];
        ty.is_scalar() && (self.is_guessed(wire) || draft.kind.promise(&draft.settings).is_none())
    }

    fn is_guessed(&self, wire: WireId) -> bool {
        self.guesses.iter().any(|(guessed, _)| *guessed == wire)
    }

    fn try_types(&mut self, supposed: Vec<Supposition>) -> Result<(), Diagnostics> {
        supposed.iter().for_each(|(wire, ty)| self.learn(*wire, (*ty, 0)));
        self.settle()?;
        self.supposed.push(supposed);
        Ok(())
    }

    /// Starts anew and takes the types that were supposed with success.
    fn replay(&mut self) -> Result<(), Diagnostics> {
        let (drafts, wires) =
            (std::mem::take(&mut self.drafts), std::mem::take(&mut self.wire_blocks));
        let (guesses, impulses) = (std::mem::take(&mut self.guesses), self.impulses);
        let by_steps = self.by_steps;
        let supposed = std::mem::take(&mut self.supposed);
        let anew = Inference::new(drafts, wires, self.opening);
        *self = Inference { guesses, impulses, by_steps, ..anew };
        self.settle()?;
        supposed.into_iter().try_for_each(|supposed| self.try_types(supposed))
    }

    /// Sizes that a signal of a loop may have, those of the loop's own blocks first.
    fn shapes(&self) -> Vec<Shape> {
        let mut shapes = Vec::new();
        let readers =
            |i: usize| self.drafts[i].outputs.iter().flat_map(|w| &self.consumers[w.index()]);
        let stuck: Vec<usize> = self.stuck().collect();
        let next = stuck.iter().flat_map(|i| readers(*i)).map(|reader| reader.index());
        for block in stuck.iter().copied().chain(next) {
            let draft = &self.drafts[block];
            let inputs = draft.inputs.iter().flatten();
            let known = inputs.filter_map(|wire| self.wires[wire.index()].map(|(ty, _)| ty));
            for ty in known.chain(draft.kind.named_types(&draft.settings)) {
                let found = match ty.shape {
                    Shape::Scalar => vec![],
                    Shape::Vector(n) => vec![Shape::Vector(n)],
                    Shape::Matrix(rows, columns) => {
                        vec![Shape::Vector(columns), Shape::Vector(rows), ty.shape]
                    }
                };
                let fresh = |shape: &Shape| !shape.is_empty() && !shapes.contains(shape);
                let found: Vec<Shape> = found.into_iter().filter(fresh).collect();
                shapes.extend(found);
            }
        }
        shapes.dedup();
        // Vectors are more common in loops than matrices.
        shapes.sort_by_key(|shape| matches!(shape, Shape::Matrix(..)));
        shapes
    }

    fn located(&self, id: BlockId, error: Diagnostic) -> Diagnostic {
        let draft = &self.drafts[id.index()];
        let error = if error.path.is_empty() { error.block(&draft.path) } else { error };
        if error.labels.is_empty() { error.at(draft.span, "") } else { error }
    }

    fn unsettled(&self, id: BlockId) -> Diagnostic {
        let error = Diagnostic::error("size-mismatch", "the size of this signal does not settle")
            .note("it depends on itself through a loop in which it changes every time")
            .help("give an `initial` of the size that is meant, such as [0, 0]");
        self.located(id, error)
    }

    fn endless(&self, id: BlockId) -> Diagnostic {
        let message = "this loop asks for ever higher derivatives of itself";
        self.located(id, Diagnostic::error("derivative-unbounded", message))
    }

    fn unbounded(&self, id: BlockId) -> Diagnostic {
        let message = "the order of impulses in this loop grows without bound";
        self.located(id, Diagnostic::error("impulse-unbounded", message))
    }
}

/// Whether truth values instead of numbers might help.
fn is_about_kinds(errors: &Diagnostics) -> bool {
    errors.0.iter().all(|error| error.code == "type-mismatch")
}

/// Whether types of another size might help.
fn is_about_sizes(errors: &Diagnostics) -> bool {
    errors.0.iter().all(|error| matches!(error.code, "size-mismatch" | "index-outside"))
}

/// An opaque function whose derivative is needed and not known.
fn unknown_derivative(definition: &Definition) -> Option<String> {
    let asked: Vec<ir::NodeId> = definition.derivatives.iter().flatten().copied().collect();
    let graph = &definition.graph;
    graph.reachable(&asked).into_iter().find_map(|id| match graph.node(id).op {
        ir::Op::Call(call) if !graph.opaque(call).is_exact() => {
            Some(graph.opaque(call).name().to_owned())
        }
        _ => None,
    })
}

/// How many orders of impulses an output carries: trailing coefficients that are zero do not count.
fn carried(definition: &Definition, port: usize) -> u32 {
    let impulses = &definition.outputs[port].impulses;
    let zero =
        |node| definition.graph.constant_of(node).is_some_and(|c| c.iter().all(|x| *x == 0.0));
    let length = impulses.iter().rposition(|node| !zero(*node)).map_or(0, |last| last + 1);
    length as u32
}
