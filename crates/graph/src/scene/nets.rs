//! The connections of each level. A wire between blocks of different instances is drawn in pieces,
//! one in each level that it passes through, and meets the edges of the boxes in between.

use std::collections::BTreeMap;

use diagram::{BlockId, WireId};

use super::drawn::Drawn;
use super::marks::Loops;
use super::scopes::{ScopeId, Scopes};

/// Where a wire comes from, within one level.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Source {
    /// An output of a block.
    Block(BlockId, usize),
    /// An output of an instance.
    Group(ScopeId),
    /// An input of the level.
    Outside,
}

/// Where a wire leads to, within one level.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Sink {
    /// An input of a block, counting every signal of a list.
    Block(BlockId, usize),
    /// An input of an instance.
    Group(ScopeId),
    /// An output of the level.
    Outside,
}

/// A wire within one level.
#[derive(Clone, Debug)]
pub(crate) struct LevelNet {
    pub from: Source,
    /// Where it leads to, and whether that connection is part of a refused loop.
    pub to: Vec<(Sink, bool)>,
}

/// The connections of all open levels.
pub(super) fn nets(
    drawn: &Drawn,
    scopes: &Scopes,
    loops: &Loops,
) -> BTreeMap<(ScopeId, WireId), LevelNet> {
    let mut nets = BTreeMap::new();
    for id in drawn.ids().filter(|id| scopes.is_shown(*id)) {
        for (port, input) in drawn.block(id).inputs.iter().enumerate() {
            for wire in &input.wires {
                let looped = loops.contains(*wire, id);
                connect(drawn, scopes, &mut nets, (*wire, id, port), looped);
            }
        }
    }
    nets
}

fn connect(
    drawn: &Drawn,
    scopes: &Scopes,
    nets: &mut BTreeMap<(ScopeId, WireId), LevelNet>,
    (wire, block, port): (WireId, BlockId, usize),
    looped: bool,
) {
    let driver = drawn.source(wire);
    if !scopes.is_shown(driver) {
        return;
    }
    let (up, hiding) = scopes.chain(driver);
    let (down, hidden) = scopes.chain(block);
    if hiding.is_some() && hiding == hidden {
        return;
    }
    let first = hiding.map_or(Source::Block(driver, drawn.output(wire)), Source::Group);
    let last = hidden.map_or(Sink::Block(block, port), Sink::Group);
    let shared = up.iter().zip(&down).take_while(|(a, b)| a == b).count();
    let source = |place: usize| up.get(place + 1).map_or(first, |scope| Source::Group(*scope));
    let sink = |place: usize| down.get(place + 1).map_or(last, |scope| Sink::Group(*scope));
    let mut add = |scope: ScopeId, from: Source, to: Sink| {
        let fresh = || LevelNet { from, to: Vec::new() };
        let net: &mut LevelNet = nets.entry((scope, wire)).or_insert_with(fresh);
        match net.to.iter_mut().find(|(known, _)| *known == to) {
            Some((_, known)) => *known |= looped,
            None => net.to.push((to, looped)),
        }
    };
    for (place, scope) in up.iter().enumerate().skip(shared) {
        add(*scope, source(place), Sink::Outside);
    }
    add(up[shared - 1], source(shared - 1), sink(shared - 1));
    for (place, scope) in down.iter().enumerate().skip(shared) {
        add(*scope, Source::Outside, sink(place));
    }
}
