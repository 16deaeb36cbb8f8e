//! Regions: blocks that share a continuous signal step together, the others apart.

use crate::flat::{BlockId, Diagram, Region, RegionId, WireId};

/// Region 0 holds every block through which nothing moves between events; the others follow in the
/// order of their first block.
pub(crate) fn find(diagram: &mut Diagram) {
    let mut parent: Vec<usize> = (0..diagram.blocks.len()).collect();
    let mut moving = vec![false; diagram.blocks.len()];
    let moves = |wire: &WireId| diagram.wire(*wire).moving || diagram.wire(*wire).slides;
    for (index, block) in diagram.blocks.iter().enumerate() {
        let flows = block.definition.states.iter().any(|state| state.derivative.is_some());
        moving[index] |= flows || block.outputs.iter().any(moves);
        moving[index] |= !block.located.is_empty();
        for wire in block.inputs.iter().flatten().filter(|wire| moves(wire)) {
            moving[index] = true;
            let (a, b) =
                (root(&mut parent, index), root(&mut parent, diagram.wire(*wire).block.index()));
            parent[a.max(b)] = a.min(b);
        }
    }
    let together = diagram.run.profile == crate::Profile::Ptolemy;
    diagram.regions = vec![Region::default()];
    let mut of_root = vec![None; diagram.blocks.len()];
    for (index, moves) in moving.into_iter().enumerate() {
        let region = if moves {
            // In Ptolemy II everything steps together.
            let root = if together { 0 } else { root(&mut parent, index) };
            *of_root[root].get_or_insert_with(|| {
                diagram.regions.push(Region::default());
                RegionId::new(diagram.regions.len() - 1)
            })
        } else {
            RegionId(0)
        };
        diagram.blocks[index].region = region;
        diagram.regions[region.index()].blocks.push(BlockId::new(index));
    }
}

fn root(parent: &mut [usize], mut index: usize) -> usize {
    while parent[index] != index {
        parent[index] = parent[parent[index]];
        index = parent[index];
    }
    index
}
