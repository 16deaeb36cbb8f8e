//! Types, sizes and orders of impulses: found by defining blocks until nothing changes.

use std::collections::VecDeque;

use base::{Diagnostic, Diagnostics, Type};
use blocks::{Context, Definition, Impulses};

use crate::flat::{BlockId, WireId};
use crate::flatten::{Draft, UNTYPED};

/// The greatest order of impulses that is followed.
const MAXIMUM_ORDERS: u32 = 16;
/// The greatest order of derivatives that is followed.
const MAXIMUM_DERIVATIVES: u32 = 24;
/// How often a block may be defined again before its types are said not to settle.
const MAXIMUM_ROUNDS: usize = 64;

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

pub(crate) fn infer(
    drafts: Vec<Draft>,
    wire_blocks: Vec<(BlockId, usize)>,
    guesses: Vec<(WireId, Type)>,
    impulses: Impulses,
) -> Result<Typed, Diagnostics> {
    let mut inference = Inference::new(drafts, wire_blocks);
    inference.impulses = impulses;
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

struct Inference {
    drafts: Vec<Draft>,
    wire_blocks: Vec<(BlockId, usize)>,
    wires: Vec<Known>,
    /// How many orders of derivatives are asked of each wire.
    asked: Vec<u32>,
    definitions: Vec<Option<Definition>>,
    consumers: Vec<Vec<BlockId>>,
    rounds: Vec<usize>,
    /// Types of the guesses of loops that are solved.
    guesses: Vec<(WireId, Type)>,
    /// Blocks to define, each once.
    ready: VecDeque<BlockId>,
    queued: Vec<bool>,
    /// How many inputs of each block have no type yet.
    missing: Vec<usize>,
    impulses: Impulses,
    errors: Diagnostics,
}

impl Inference {
    fn new(drafts: Vec<Draft>, wire_blocks: Vec<(BlockId, usize)>) -> Self {
        let mut consumers = vec![Vec::new(); wire_blocks.len()];
        for (index, draft) in drafts.iter().enumerate() {
            for wire in draft.inputs.iter().flatten() {
                consumers[wire.index()].push(BlockId::new(index));
            }
        }
        let missing = drafts.iter().map(|d| d.inputs.iter().map(Vec::len).sum()).collect();
        Inference {
            wires: vec![None; wire_blocks.len()],
            asked: vec![0; wire_blocks.len()],
            definitions: drafts.iter().map(|_| None).collect(),
            rounds: vec![0; drafts.len()],
            guesses: Vec::new(),
            ready: (0..drafts.len()).map(BlockId::new).collect(),
            queued: vec![true; drafts.len()],
            missing,
            drafts,
            wire_blocks,
            consumers,
            impulses: Impulses::default(),
            errors: Diagnostics::default(),
        }
    }

    fn run(&mut self) -> Result<(), Diagnostics> {
        loop {
            while let Some(block) = self.ready.pop_front() {
                self.queued[block.index()] = false;
                if self.missing[block.index()] == 0 {
                    self.define(block)?;
                }
            }
            if !self.guess() {
                break;
            }
        }
        std::mem::take(&mut self.errors).or(())
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
        let mut context =
            Context::new(draft.info, &draft.settings, &inputs, asked).with_impulses(self.impulses);
        if let Err(error) = draft.kind.define(&mut context) {
            return Err(self.located(id, error).into());
        }
        let mut definition = context.finish();
        if let Some(function) = unknown_derivative(&definition) {
            let message = format!("the derivative of `{function}` is not known");
            let help = "give it `Opaque::tangent` and `Opaque::has_tangent`, or differentiate another signal";
            let error = Diagnostic::error("opaque-derivative", message)
                .note("it is a function in Rust that gives no derivative of its own")
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
        debug_assert_eq!(ir::verify(&definition.graph, true), Ok(()));
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

    /// Where loops leave blocks undefined, takes a type from a block's parameters, the larger ones
    /// first; a loop without any is one of real numbers.
    fn guess(&mut self) -> bool {
        // The guess of a loop that is solved says what the loop is about.
        let open = |(wire, _): &(WireId, Type)| self.wires[wire.index()].is_none();
        let named: Vec<(WireId, Type)> = self.guesses.iter().filter(|g| open(g)).copied().collect();
        for (wire, ty) in &named {
            self.learn(*wire, (*ty, 0));
        }
        if !named.is_empty() {
            return true;
        }
        let undefined = |i: &usize| self.definitions[*i].is_none();
        let promise = |i: usize| {
            let ty = self.drafts[i].kind.promise(&self.drafts[i].settings)?;
            self.wires[self.drafts[i].outputs[0].index()].is_none().then_some((ty, i))
        };
        let stuck: Vec<usize> = (0..self.drafts.len()).filter(undefined).collect();
        let promises: Vec<(Type, usize)> = stuck.iter().filter_map(|i| promise(*i)).collect();
        let large = promises.iter().any(|(ty, _)| !ty.is_scalar());
        let mut taken: Vec<(Type, usize)> =
            promises.into_iter().filter(|(ty, _)| !large || !ty.is_scalar()).collect();
        if taken.is_empty() {
            let open = |i: &&usize| self.wires[self.drafts[**i].outputs[0].index()].is_none();
            taken.extend(stuck.iter().find(open).map(|i| (UNTYPED, *i)));
        }
        for (ty, block) in &taken {
            self.learn(self.drafts[*block].outputs[0], (*ty, 0));
        }
        !taken.is_empty()
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

/// An opaque function whose derivative is asked for and not known.
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
