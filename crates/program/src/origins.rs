//! The origins of a program in the model: names for messages, and the little structure of the
//! diagram that a run follows after a failure.
//!
//! This is all that a run knows of its diagram, so that running a program needs nothing else.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use base::Table;
use diagram::{BlockId, Diagram, FlatBlock, FragmentId, MachineId, RegionId, WireId};

/// The most blocks of a region that a message may list.
const LISTED: usize = 8;

/// The blocks, wires, state machines and regions that a program was made from.
#[derive(Clone, Debug)]
pub struct Origins {
    /// The name of the model.
    pub model: String,
    blocks: Table<BlockId, BlockOrigin>,
    wires: Table<WireId, WireOrigin>,
    machines: Table<MachineId, MachineOrigin>,
    /// The fragment around each fragment; the root is its own parent.
    parents: Table<FragmentId, FragmentId>,
    regions: Table<RegionId, RegionOrigin>,
}

/// A block of the diagram.
#[derive(Clone, Debug)]
pub struct BlockOrigin {
    /// Its path through the hierarchy.
    pub path: Arc<str>,
    /// The length of the prefix of the path that names the block as the user has written it: for an
    /// expression at an input, the block with the input.
    written: usize,
    /// The fragment that it is in.
    pub fragment: FragmentId,
    /// The region that it is in.
    pub region: RegionId,
    /// The wires that it reads, port by port.
    pub inputs: Vec<WireId>,
    /// The wires that it writes.
    pub outputs: Vec<WireId>,
    /// Whether it is evaluated only when a transition is taken.
    pub passive: bool,
    /// Whether nothing that happens depends on it, because all its readers, too, only listen.
    pub listens: bool,
}

impl BlockOrigin {
    /// The path of the block as the user has written it.
    pub fn written(&self) -> &str {
        &self.path[..self.written]
    }
}

/// A block that an error or an event names by its path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockName {
    path: Arc<str>,
    /// The block in the flat diagram; none if the path is that of the model.
    id: Option<BlockId>,
}

impl BlockName {
    /// The path of the block through the hierarchy, such as `motor.speed`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The block in the flat diagram, for the stages of this program.
    #[doc(hidden)]
    pub fn id(&self) -> Option<BlockId> {
        self.id
    }
}

impl Deref for BlockName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.path
    }
}

impl PartialEq<str> for BlockName {
    fn eq(&self, path: &str) -> bool {
        *self.path == *path
    }
}

impl fmt::Display for BlockName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)
    }
}

/// A wire of the diagram.
#[derive(Clone, Debug)]
struct WireOrigin {
    block: BlockId,
    /// The name of the output, if its block has several.
    port: Option<String>,
}

/// A state machine of the diagram.
#[derive(Clone, Debug)]
pub struct MachineOrigin {
    /// Its path through the hierarchy.
    pub path: String,
    /// The names of its states.
    pub states: Vec<String>,
}

/// A region of the diagram.
#[derive(Clone, Debug)]
struct RegionOrigin {
    /// Its first blocks, for messages.
    blocks: Vec<BlockId>,
}

impl Origins {
    /// Collects everything that a run may have to name.
    pub fn of(diagram: &Diagram) -> Origins {
        let listens = listeners(diagram);
        let block = |(block, listens): (&FlatBlock, bool)| BlockOrigin {
            path: block.path.as_str().into(),
            written: block.written().len(),
            fragment: block.fragment,
            region: block.region,
            inputs: block.inputs.iter().flatten().copied().collect(),
            outputs: block.outputs.clone(),
            passive: block.passive,
            listens,
        };
        let wire = |wire: &diagram::Wire| WireOrigin {
            block: wire.block,
            port: diagram.port_name(wire).map(str::to_owned),
        };
        let machine = |machine: &diagram::StateMachine| MachineOrigin {
            path: machine.path.clone(),
            states: machine.states.iter().map(|state| state.name.clone()).collect(),
        };
        let region = |region: &diagram::Region| RegionOrigin {
            blocks: region.blocks.iter().take(LISTED).copied().collect(),
        };
        Origins {
            model: diagram.name.clone(),
            blocks: diagram.blocks.iter().zip(listens).map(block).collect(),
            wires: diagram.wires.iter().map(wire).collect(),
            machines: diagram.modes.machines.iter().map(machine).collect(),
            parents: diagram.modes.fragments.iter().map(|fragment| fragment.parent).collect(),
            regions: diagram.regions.iter().map(region).collect(),
        }
    }

    /// All blocks.
    pub fn blocks(&self) -> &Table<BlockId, BlockOrigin> {
        &self.blocks
    }

    /// A block.
    pub fn block(&self, id: BlockId) -> &BlockOrigin {
        &self.blocks[id]
    }

    /// The path of a block.
    pub fn path(&self, id: BlockId) -> String {
        self.block(id).path.to_string()
    }

    /// The name of a block for errors and events.
    pub fn name(&self, id: BlockId) -> BlockName {
        BlockName { path: self.block(id).path.clone(), id: Some(id) }
    }

    /// The name of a block, or the name of the model if no block is to blame.
    pub fn name_or_model(&self, id: Option<BlockId>) -> BlockName {
        match id {
            Some(id) => self.name(id),
            None => BlockName { path: self.model.as_str().into(), id: None },
        }
    }

    /// The block that writes a wire.
    pub fn source(&self, wire: WireId) -> BlockId {
        self.wires[wire].block
    }

    /// The name of a wire: that of its block, with the output if the block has several.
    pub fn wire_name(&self, wire: WireId) -> String {
        let WireOrigin { block, port } = &self.wires[wire];
        let path = &self.block(*block).path;
        port.as_ref().map_or_else(|| path.to_string(), |port| format!("{path}.{port}"))
    }

    /// A state machine.
    pub fn machine(&self, machine: MachineId) -> &MachineOrigin {
        &self.machines[machine]
    }

    /// The paths of the first blocks of a region.
    pub fn paths_in(&self, region: RegionId) -> Vec<String> {
        self.regions[region].blocks.iter().map(|block| self.path(*block)).collect()
    }

    /// The first block of a region.
    pub fn first_in(&self, region: RegionId) -> Option<&BlockOrigin> {
        self.regions[region].blocks.first().map(|block| self.block(*block))
    }

    /// The number of regions.
    pub fn region_count(&self) -> usize {
        self.regions.len()
    }

    /// Whether a fragment equals another one or is inside it.
    pub fn is_inside(&self, inner: FragmentId, outer: FragmentId) -> bool {
        inner.is_inside(outer, |own| self.parents[own])
    }
}

/// For each block, whether nothing that happens depends on it, because all its readers, too, only
/// listen.
fn listeners(diagram: &Diagram) -> Vec<bool> {
    let blocks = &diagram.blocks;
    let driver = |wire: &WireId| diagram.wire(*wire).block.index();
    let mut readers = vec![0usize; blocks.len()];
    for block in blocks {
        block.inputs.iter().flatten().for_each(|wire| readers[driver(wire)] += 1);
    }
    // State machines read these although no block does.
    for machine in &diagram.modes.machines {
        readers[machine.current.index()] += 1;
        for transition in machine.states.iter().flat_map(|state| &state.transitions) {
            let sets = transition.sets.iter().flat_map(|set| [set.value, set.target]);
            let says = transition.says.iter().map(|(_, value)| *value);
            let read = transition.guards.iter().copied().chain(sets).chain(says);
            read.for_each(|block| readers[block.index()] += 1);
        }
    }
    for entry in &diagram.modes.entries {
        readers[driver(&entry.wire)] += 1;
    }
    let mut listens = vec![false; blocks.len()];
    let mut found: Vec<usize> = (0..blocks.len()).filter(|block| readers[*block] == 0).collect();
    while let Some(block) = found.pop() {
        listens[block] = true;
        for wire in blocks[block].inputs.iter().flatten() {
            readers[driver(wire)] -= 1;
            if readers[driver(wire)] == 0 {
                found.push(driver(wire));
            }
        }
    }
    listens
}
