//! The blocks and wires that are drawn: those of the flat diagram, with the elements of each array
//! of blocks merged into one.
//!
//! Ids are those of the flat diagram; the first of the elements stands for all of them. What an
//! input of an element is connected to may depend on its indices, so an input may have several
//! wires; where an expression was made for the input of some elements, it stands for what is
//! written there for all.

use std::collections::HashMap;

use base::Span;
use diagram::{BlockId, Diagram, InstancePort, WireId};

use super::arrays::Names;
use super::kind::Kind;

/// What is drawn, without the hierarchy.
pub(crate) struct Drawn<'a> {
    pub diagram: &'a Diagram,
    names: Names,
    blocks: Vec<DrawnBlock>,
    /// For each block, the one that stands for it.
    stands: Vec<BlockId>,
    /// For each wire, the one that stands for it.
    wires: Vec<WireId>,
    kinds: Vec<Kind>,
    /// The ports of instances.
    pub ports: Vec<InstancePort>,
}

/// A block, or all elements of an array.
pub(crate) struct DrawnBlock {
    /// Its path, with the sizes of arrays.
    pub path: String,
    /// How many arrays it is an element of, or inside of.
    pub arrays: usize,
    /// Where it was written.
    pub span: Span,
    /// Its inputs, counting every signal of a list.
    pub inputs: Vec<DrawnInput>,
    /// The blocks that it stands for; none where another one stands for it.
    pub of: Vec<BlockId>,
}

impl DrawnBlock {
    /// The last name in its path.
    pub fn name(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or(&self.path)
    }

    /// Whether an input is a list of several signals.
    pub fn has_list(&self, input: usize) -> bool {
        self.inputs.iter().filter(|known| known.at.0 == input).count() > 1
    }
}

/// An input with what is connected to it.
#[derive(Clone)]
pub(crate) struct DrawnInput {
    /// Its number among the inputs of the block, and its place in a list.
    pub at: (usize, usize),
    /// The wires; several where it depends on the indices of an element.
    pub wires: Vec<WireId>,
    /// Where it was written.
    pub span: Span,
}

impl<'a> Drawn<'a> {
    /// Merges the arrays, or leaves every element as it is.
    pub fn new(diagram: &'a Diagram, open_arrays: bool) -> Drawn<'a> {
        let names = if open_arrays { Names::default() } else { Names::new(diagram) };
        let (blocks, stands) = named(diagram, &names);
        let driver = |wire: usize| (stands[diagram.wires[wire].block.index()], wire);
        let output = |(block, wire): (BlockId, usize)| {
            diagram.block(block).outputs[diagram.wires[wire].port]
        };
        let wires = (0..diagram.wires.len()).map(driver).map(output).collect();
        let (kinds, ports) = (Vec::new(), Vec::new());
        let mut drawn = Drawn { diagram, names, blocks, stands, wires, kinds, ports };
        let wholes = if open_arrays { Vec::new() } else { drawn.leave_out_wholes() };
        drawn.connect(&wholes);
        drawn.gather();
        drawn.find_kinds();
        drawn.name_ports();
        drawn
    }

    /// The vector of an output of all elements is that of the array itself. Gives the blocks that
    /// are not drawn for that.
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

    fn connect(&mut self, left_out: &[bool]) {
        for (index, block) in self.diagram.blocks.iter().enumerate() {
            if left_out.get(index) == Some(&true) {
                continue;
            }
            let (id, stands) = (BlockId::new(index), self.stands[index]);
            self.blocks[stands.index()].of.push(id);
            for (input, (wires, spans)) in block.inputs.iter().zip(&block.input_spans).enumerate() {
                for (place, (wire, span)) in wires.iter().zip(spans).enumerate() {
                    let made = DrawnInput { at: (input, place), wires: vec![*wire], span: *span };
                    self.add(id, stands, made);
                }
            }
        }
    }

    /// Adds what is connected to an input of one of the blocks that one stands for.
    fn add(&mut self, id: BlockId, stands: BlockId, mut input: DrawnInput) {
        let driver = self.diagram.wire(input.wires[0]).block;
        let several = id != stands || self.blocks[driver.index()].arrays > 0;
        let wire = self.wires[input.wires[0].index()];
        let expression = is_made(self.diagram, id);
        let inputs = &mut self.blocks[stands.index()].inputs;
        // The operands of an expression have no places: each wire is one.
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

    /// Where an expression was made for an input of some elements and not for others, lets it
    /// stand for what is written there.
    fn gather(&mut self) {
        for index in 0..self.diagram.blocks.len() {
            let id = BlockId::new(index);
            if self.blocks[index].arrays == 0 || is_made(self.diagram, id) {
                continue;
            }
            for place in 0..self.blocks[index].inputs.len() {
                let input = self.blocks[index].inputs[place].clone();
                let made = input.wires.iter().find(|wire| self.is_made_for(**wire, id, &input));
                let Some(made) = made.copied() else { continue };
                self.blocks[index].inputs[place].wires = vec![made];
                let expression = &mut self.blocks[self.diagram.wire(made).block.index()];
                expression.span = input.span;
                for wire in input.wires.into_iter().filter(|wire| *wire != made) {
                    if !expression.inputs.iter().any(|known| known.wires[0] == wire) {
                        let at = (0, expression.inputs.len());
                        let operand = DrawnInput { at, wires: vec![wire], span: input.span };
                        expression.inputs.push(operand);
                    }
                }
            }
        }
    }

    /// Whether a wire comes from an expression that was made for an input of a block.
    pub fn is_made_for(&self, wire: WireId, block: BlockId, input: &DrawnInput) -> bool {
        let driver = self.diagram.wire(wire).block;
        let name = self.diagram.block(block).kind.info().inputs[input.at.0].name;
        let path = format!("{}.{name}", self.block(block).path);
        let rest = self.block(driver).path.strip_prefix(&path);
        let place = format!("[{}]", input.at.1);
        is_made(self.diagram, driver) && rest.is_some_and(|rest| rest.is_empty() || rest == place)
    }

    /// A wire that stands for several is of the liveliest of their kinds.
    fn find_kinds(&mut self) {
        self.kinds = vec![Kind::Constant; self.wires.len()];
        for (wire, stands) in self.diagram.wires.iter().zip(&self.wires) {
            let known = &mut self.kinds[stands.index()];
            *known = known.livelier(Kind::of(wire));
        }
    }

    fn name_ports(&mut self) {
        let mut known = std::collections::HashSet::new();
        for port in &self.diagram.ports {
            let wire = self.wires[port.wire.index()];
            let instance = self.names.drawn(&port.instance).0;
            if known.insert((instance.clone(), &port.name, port.is_input, wire)) {
                self.ports.push(InstancePort { instance, wire, ..port.clone() });
            }
        }
    }

    pub fn block(&self, id: BlockId) -> &DrawnBlock {
        &self.blocks[id.index()]
    }

    /// The blocks that stand for themselves.
    pub fn ids(&self) -> impl Iterator<Item = BlockId> {
        let ids = (0..self.blocks.len()).map(BlockId::new);
        ids.filter(|id| !self.block(*id).of.is_empty())
    }

    /// The block that stands for one.
    pub fn standing_for(&self, id: BlockId) -> BlockId {
        self.stands[id.index()]
    }

    /// The wire that stands for one.
    pub fn wire(&self, wire: WireId) -> WireId {
        self.wires[wire.index()]
    }

    /// What a wire carries.
    pub fn kind(&self, wire: WireId) -> Kind {
        self.kinds[wire.index()]
    }

    /// The wires that lead to a block.
    pub fn operands(&self, id: BlockId) -> impl Iterator<Item = WireId> {
        self.block(id).inputs.iter().flat_map(|input| input.wires.iter().copied())
    }

    /// The name of a wire: that of its block, with the port where there are several.
    pub fn wire_name(&self, wire: WireId) -> String {
        let wire = self.diagram.wire(wire);
        let outputs = self.diagram.block(wire.block).kind.info().outputs;
        let path = &self.block(wire.block).path;
        match outputs.len() {
            1 => path.clone(),
            _ => format!("{path}.{}", outputs[wire.port].name),
        }
    }

    /// What the elements of the array are that is drawn at a path.
    pub fn kind_of_elements(&self, path: &str) -> Option<&str> {
        self.names.kind(path)
    }
}

/// Whether a block was made for an expression.
pub(super) fn is_made(diagram: &Diagram, block: BlockId) -> bool {
    let block = diagram.block(block);
    block.settings.is_empty() && block.kind.info().name == "expression"
}

/// The blocks with their names, and for each the first one of the same name. Blocks that have one
/// path in the flat diagram stay apart.
fn named(diagram: &Diagram, names: &Names) -> (Vec<DrawnBlock>, Vec<BlockId>) {
    let (mut seen, mut first) = (HashMap::<&str, usize>::new(), HashMap::new());
    let (mut blocks, mut stands) = (Vec::new(), Vec::new());
    for (index, block) in diagram.blocks.iter().enumerate() {
        let (path, arrays) = names.drawn(&block.path);
        let number = seen.entry(&block.path).or_default();
        *number += 1;
        let id = BlockId::new(index);
        stands.push(*first.entry((path.clone(), *number)).or_insert(id));
        let (inputs, of) = (Vec::new(), Vec::new());
        blocks.push(DrawnBlock { path, arrays, span: block.span, inputs, of });
    }
    (blocks, stands)
}
