//! The blocks and wires that are drawn: those of the flat diagram, with the elements of each array
//! of blocks merged into one.
//!
//! Ids are those of the flat diagram; the first element represents all of them. The source of an
//! element's input may depend on its indices, so an input may have several wires. If an expression
//! was made for the input of some elements, it represents what is written there for all of them. An
//! input of an instance always has such an expression, with an id past those of the flat diagram if
//! that has none, so that a wire from one element to another visibly leaves the box and comes back.

use std::collections::{HashMap, HashSet};

use base::Span;
use blocks::Role;
use diagram::{BlockId, Diagram, InstancePort, WireId};

use super::arrays::Names;
use super::kind::Kind;
use super::machines::{drawn_in_charts, reads};
use super::selections::Selections;

/// What is drawn, without the hierarchy.
pub(crate) struct Drawn<'a> {
    pub diagram: &'a Diagram,
    names: Names,
    blocks: Vec<DrawnBlock>,
    /// For each block, the one that represents it.
    stands: Vec<BlockId>,
    /// For each wire, the one that represents it.
    wires: Vec<WireId>,
    /// For each wire, its block and output.
    sources: Vec<(BlockId, usize)>,
    kinds: Vec<Kind>,
    /// Connections that pass through the expression at an input of an array of instances.
    pub by_way_of: HashMap<(WireId, BlockId), BlockId>,
    /// The ports of instances.
    pub ports: Vec<InstancePort>,
    /// The blocks of the flat diagram that the charts of machines show.
    charted: Vec<bool>,
}

/// A block, or all elements of an array.
pub(crate) struct DrawnBlock {
    /// Its path, with the sizes of arrays.
    pub path: String,
    /// How many arrays it is an element of, or is inside of.
    pub arrays: usize,
    /// Where it was written.
    pub span: Span,
    /// Whether it was made for an expression.
    pub made: bool,
    /// Its outputs.
    pub outputs: Vec<WireId>,
    /// Its inputs, counting every signal of a list.
    pub inputs: Vec<DrawnInput>,
    /// The blocks that it represents.
    pub of: Vec<BlockId>,
    /// Whether it passes on what some elements read without it.
    passes: bool,
    /// Whether it represents itself, rather than being represented by another block.
    drawn: bool,
}

impl DrawnBlock {
    /// The last name in its path.
    pub fn name(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or(&self.path)
    }

    /// Makes an expression represent what is written at an input that also reads other wires.
    pub(super) fn stand_for(&mut self, written: Span, others: impl Iterator<Item = WireId>) {
        self.span = written;
        for wire in others {
            self.passes = true;
            if !self.inputs.iter().any(|known| known.wires[0] == wire) {
                let at = (0, self.inputs.len());
                self.inputs.push(DrawnInput { at, wires: vec![wire], span: written });
            }
        }
    }

    /// Whether an input is a list of several signals.
    pub fn has_list(&self, input: usize) -> bool {
        self.inputs.iter().filter(|known| known.at.0 == input).count() > 1
    }
}

/// An input with what is connected to it.
#[derive(Clone)]
pub(crate) struct DrawnInput {
    /// The index among the inputs of the block, and the position in a list.
    pub at: (usize, usize),
    /// The wires; several if the source depends on the indices of an element.
    pub wires: Vec<WireId>,
    /// Where it was written.
    pub span: Span,
}

impl<'a> Drawn<'a> {
    /// Merges the arrays, or keeps every element separate.
    pub fn new(diagram: &'a Diagram, open_arrays: bool) -> Drawn<'a> {
        let names = if open_arrays { Names::default() } else { Names::new(diagram) };
        let (blocks, stands) = named(diagram, &names);
        let driver = |wire: usize| (stands[diagram.wires[wire].block.index()], wire);
        let output = |(block, wire): (BlockId, usize)| {
            diagram.block(block).outputs[diagram.wires[wire].port]
        };
        let wires = (0..diagram.wires.len()).map(driver).map(output).collect();
        let sources = diagram.wires.iter().map(|wire| (wire.block, wire.port)).collect();
        let (kinds, ports, by_way_of) = (Vec::new(), Vec::new(), HashMap::new());
        let charted = drawn_in_charts(diagram);
        let mut drawn = Drawn {
            diagram,
            names,
            blocks,
            stands,
            wires,
            sources,
            kinds,
            ports,
            by_way_of,
            charted,
        };
        let wholes = if open_arrays { Vec::new() } else { drawn.leave_out_wholes() };
        let selections = Selections::new(&mut drawn);
        drawn.connect(&wholes, &selections);
        drawn.connect_machines();
        selections.gather(&mut drawn);
        drawn.gather();
        drawn.find_kinds();
        drawn.name_ports(&selections);
        drawn
    }

    /// The vector of an output of all elements is the output of the array itself. Returns the
    /// blocks that are not drawn for this reason.
    fn leave_out_wholes(&mut self) -> Vec<bool> {
        let mut out = vec![false; self.blocks.len()];
        for whole in self.diagram.arrays.iter().flat_map(|array| &array.wholes) {
            let block = self.diagram.wire(*whole).block;
            let parts = self.diagram.block(block).inputs.iter().flatten();
            let mut parts = parts.map(|part| self.wires[part.index()]);
            if let Some(first) = parts.next()
                && parts.all(|part| part == first)
            {
                self.wires[whole.index()] = first;
                out[block.index()] = true;
            }
        }
        out
    }

    fn connect(&mut self, left_out: &[bool], selections: &Selections) {
        for (index, block) in self.diagram.blocks.iter().enumerate() {
            if left_out.get(index) == Some(&true) {
                continue;
            }
            let (id, stands) = (BlockId::new(index), self.stands[index]);
            self.blocks[stands.index()].of.push(id);
            self.blocks[stands.index()].drawn = true;
            for (input, (wires, spans)) in block.inputs.iter().zip(&block.input_spans).enumerate() {
                for (place, (wire, span)) in wires.iter().zip(spans).enumerate() {
                    let through = selections.through(self, id, *wire, *span);
                    if let Some(through) = through {
                        self.by_way_of.insert((*wire, id), self.sources[through.index()].0);
                    }
                    let wires = vec![through.unwrap_or(*wire)];
                    self.add(id, stands, DrawnInput { at: (input, place), wires, span: *span });
                }
            }
        }
    }

    /// Connects each machine to what its guards and actions read.
    fn connect_machines(&mut self) {
        for machine in &self.diagram.modes.machines {
            let stands = self.stands[machine.current.index()];
            for (wire, span) in reads(self.diagram, &self.charted, machine) {
                let wire = self.wire(wire);
                let inputs = &mut self.blocks[stands.index()].inputs;
                if !inputs.iter().any(|known| known.wires.contains(&wire)) {
                    let at = (0, inputs.len());
                    inputs.push(DrawnInput { at, wires: vec![wire], span });
                }
            }
        }
    }

    /// For each block of the flat diagram, whether the charts of machines show it.
    pub fn charted(&self) -> &[bool] {
        &self.charted
    }

    /// Adds what is connected to an input of one of the blocks that `stands` represents.
    fn add(&mut self, id: BlockId, stands: BlockId, mut input: DrawnInput) {
        let several = id != stands || self.block(self.source(input.wires[0])).arrays > 0;
        let wire = self.wire(input.wires[0]);
        let expression = self.block(stands).made;
        let inputs = &mut self.blocks[stands.index()].inputs;
        // The operands of an expression have no positions: each wire is one operand.
        if expression && several && inputs.iter().any(|known| known.wires[0] == wire) {
            return;
        }
        match inputs.iter_mut().find(|known| !expression && known.at == input.at) {
            Some(known) if known.wires.contains(&wire) => {}
            Some(known) => known.wires.push(wire),
            None => {
                if expression {
                    input.at.1 = inputs.len();
                }
                input.wires[0] = wire;
                inputs.push(input);
            }
        }
    }

    /// If an expression was made for an input of some elements but not of others, makes it
    /// represent what is written there.
    fn gather(&mut self) {
        for index in 0..self.diagram.blocks.len() {
            let id = BlockId::new(index);
            if self.blocks[index].arrays == 0 || self.blocks[index].made {
                continue;
            }
            for place in 0..self.blocks[index].inputs.len() {
                let input = self.blocks[index].inputs[place].clone();
                let made = input.wires.iter().find(|wire| self.is_made_for(**wire, id, &input));
                let Some(made) = made.copied() else { continue };
                self.blocks[index].inputs[place].wires = vec![made];
                let others = input.wires.into_iter().filter(|wire| *wire != made);
                let expression = self.source(made);
                self.blocks[expression.index()].stand_for(input.span, others);
            }
        }
    }

    /// Whether a wire comes from an expression that was made for an input of a block.
    pub fn is_made_for(&self, wire: WireId, block: BlockId, input: &DrawnInput) -> bool {
        let driver = self.source(wire);
        // The signals that a machine reads have no inputs of their own.
        let inputs = &self.diagram.block(block).kind.info().inputs;
        let Some(name) = inputs.get(input.at.0).map(|input| &input.name) else { return false };
        let path = format!("{}.{name}", self.block(block).path);
        let rest = self.block(driver).path.strip_prefix(&path);
        let place = format!("[{}]", input.at.1);
        self.block(driver).made && rest.is_some_and(|rest| rest.is_empty() || rest == place)
    }

    /// A wire that represents several has the liveliest of their kinds.
    fn find_kinds(&mut self) {
        self.kinds = vec![Kind::Constant; self.sources.len()];
        for (wire, stands) in self.diagram.wires.iter().zip(&self.wires) {
            let known = &mut self.kinds[stands.index()];
            *known = known.livelier(Kind::of(wire));
        }
        while self.pass_kinds_on() {}
    }

    /// An expression that represents an input of all elements is as lively as what it reads.
    /// Returns whether anything has changed.
    fn pass_kinds_on(&mut self) -> bool {
        let mut changed = false;
        for block in self.blocks.iter().filter(|block| block.drawn && block.passes) {
            let wire = block.outputs[0].index();
            let read = block.inputs.iter().flat_map(|input| &input.wires);
            let kind =
                read.map(|read| self.kinds[read.index()]).fold(self.kinds[wire], Kind::livelier);
            changed |= kind != self.kinds[wire];
            self.kinds[wire] = kind;
        }
        changed
    }

    fn name_ports(&mut self, selections: &Selections) {
        let mut known = HashSet::new();
        for port in &self.diagram.ports {
            let instance = self.names.drawn(&port.instance).0;
            let selected = selections.at(port, &instance);
            let wire = selected.unwrap_or(self.wires[port.wire.index()]);
            if known.insert((instance.clone(), &port.name, port.is_input, wire)) {
                self.ports.push(InstancePort { instance, wire, ..port.clone() });
            }
        }
    }

    pub fn block(&self, id: BlockId) -> &DrawnBlock {
        &self.blocks[id.index()]
    }

    /// The blocks that represent themselves.
    pub fn ids(&self) -> impl Iterator<Item = BlockId> {
        (0..self.blocks.len()).map(BlockId::new).filter(|id| self.block(*id).drawn)
    }

    /// The number of ids.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// The block that a wire comes from.
    pub fn source(&self, wire: WireId) -> BlockId {
        self.sources[wire.index()].0
    }

    /// Which output of its block a wire is.
    pub fn output(&self, wire: WireId) -> usize {
        self.sources[wire.index()].1
    }

    /// Adds an expression that has no block in the flat diagram.
    pub(super) fn add_expression(&mut self, path: String, arrays: usize, span: Span) -> WireId {
        let (id, wire) = (BlockId::new(self.blocks.len()), WireId::new(self.sources.len()));
        let (inputs, of, outputs) = (Vec::new(), Vec::new(), vec![wire]);
        let (made, passes, drawn) = (true, false, true);
        let own = DrawnBlock { path, arrays, span, made, outputs, inputs, of, passes, drawn };
        self.blocks.push(own);
        self.sources.push((id, 0));
        wire
    }

    /// The block that represents this one.
    pub fn standing_for(&self, id: BlockId) -> BlockId {
        self.stands[id.index()]
    }

    /// Stops drawing an expression.
    pub(super) fn withdraw(&mut self, wire: WireId) {
        let block = self.source(wire);
        self.blocks[block.index()].drawn = false;
    }

    /// The wire that represents this one.
    pub fn wire(&self, wire: WireId) -> WireId {
        self.wires.get(wire.index()).copied().unwrap_or(wire)
    }

    /// The path under which a path is drawn, and how many arrays it passes through.
    pub fn path(&self, path: &str) -> (String, usize) {
        self.names.drawn(path)
    }

    /// Gives access to a block whose inputs change.
    pub(super) fn block_mut(&mut self, id: BlockId) -> &mut DrawnBlock {
        &mut self.blocks[id.index()]
    }

    /// What a wire carries.
    pub fn kind(&self, wire: WireId) -> Kind {
        self.kinds[wire.index()]
    }

    /// The wires that lead to a block.
    pub fn operands(&self, id: BlockId) -> impl Iterator<Item = WireId> {
        self.block(id).inputs.iter().flat_map(|input| input.wires.iter().copied())
    }

    /// The name of a wire: that of its block, followed by the port if the block has several.
    pub fn wire_name(&self, wire: WireId) -> String {
        let block = self.block(self.source(wire));
        match block.outputs.len() {
            1 => block.path.clone(),
            _ => {
                let info = self.diagram.block(self.source(wire)).kind.info();
                format!("{}.{}", block.path, info.outputs[self.output(wire)].name)
            }
        }
    }

    /// What kind the elements of the array drawn at a path are.
    pub fn kind_of_elements(&self, path: &str) -> Option<&str> {
        self.names.kind(path)
    }
}

/// Whether a block was made for an expression.
fn is_made(diagram: &Diagram, block: BlockId) -> bool {
    diagram.block(block).kind.role() == Role::Formula
}

/// The blocks with their names, and for each the first one with the same name. Blocks that share a
/// path in the flat diagram are kept separate.
fn named(diagram: &Diagram, names: &Names) -> (Vec<DrawnBlock>, Vec<BlockId>) {
    let (mut seen, mut first) = (HashMap::<&str, usize>::new(), HashMap::new());
    let (mut blocks, mut stands) = (Vec::new(), Vec::new());
    for (index, block) in diagram.blocks.iter().enumerate() {
        let (path, arrays) = names.drawn(&block.path);
        let number = seen.entry(&block.path).or_default();
        *number += 1;
        let id = BlockId::new(index);
        stands.push(*first.entry((path.clone(), *number)).or_insert(id));
        let (span, made, outputs) = (block.span, is_made(diagram, id), block.outputs.clone());
        let (inputs, of, passes, drawn) = (Vec::new(), Vec::new(), false, false);
        blocks.push(DrawnBlock { path, arrays, span, made, outputs, inputs, of, passes, drawn });
    }
    (blocks, stands)
}
