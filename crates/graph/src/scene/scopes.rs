//! The hierarchy, recovered from the paths of the blocks.

use std::collections::{BTreeMap, BTreeSet};

use diagram::BlockId;

use super::drawn::Drawn;
use super::machines::joins_states;
use crate::Options;

/// An instance of a diagram; 0 is the main diagram.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ScopeId(pub usize);

/// An instance of a diagram.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    /// Its path; empty for the main diagram.
    pub path: String,
    /// The enclosing instance.
    pub parent: Option<ScopeId>,
    /// How many arrays it is an element of, or is inside of.
    pub arrays: usize,
    /// The kind of its elements, if it represents all elements of an array.
    pub elements: Option<String>,
    /// Whether its inside is drawn.
    pub open: bool,
    /// The instances inside it.
    pub children: Vec<ScopeId>,
    /// The blocks directly inside it.
    pub blocks: Vec<BlockId>,
}

impl Scope {
    /// Its name in the enclosing instance.
    pub fn name(&self) -> &str {
        split(&self.path).1
    }
}

/// All instances, and the instance of each block.
pub(crate) struct Scopes {
    all: Vec<Scope>,
    /// The instance of each block; `None` if the block is not shown.
    of: Vec<Option<ScopeId>>,
}

/// Whether a block was made for an expression, or joins the outputs of the states of a machine.
pub(super) fn is_expression(drawn: &Drawn, block: BlockId) -> bool {
    drawn.block(block).made || is_machine_output(drawn, block)
}

/// Whether a block is an output of a state machine.
pub(super) fn is_machine_output(drawn: &Drawn, block: BlockId) -> bool {
    !drawn.block(block).made && joins_states(drawn.diagram, block.index())
}

/// A path without its last name, followed by that name.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('.').unwrap_or(("", path))
}

impl Scopes {
    pub fn new(drawn: &Drawn, options: &Options) -> Scopes {
        let homes = homes(drawn, options.records);
        let mut paths: BTreeSet<&str> = BTreeSet::new();
        for mut path in homes.iter().flatten().copied() {
            while !path.is_empty() && paths.insert(path) {
                path = split(path).0;
            }
        }
        let root = Scope {
            path: String::new(),
            parent: None,
            arrays: 0,
            elements: None,
            open: true,
            children: Vec::new(),
            blocks: Vec::new(),
        };
        let mut all = vec![root.clone()];
        let mut ids = BTreeMap::from([("", ScopeId(0))]);
        // A path comes before those inside it because it is shorter.
        for path in paths {
            let id = ScopeId(all.len());
            let parent = ids[split(path).0];
            let depth = path.matches('.').count() + 1;
            let open = options.depth.is_none_or(|limit| depth <= limit)
                || options.opened.iter().any(|own| own == path);
            let elements = drawn.kind_of_elements(path).map(str::to_owned);
            let arrays = all[parent.0].arrays + usize::from(elements.is_some());
            all[parent.0].children.push(id);
            let own = Scope { path: path.to_owned(), parent: Some(parent), open, ..root.clone() };
            all.push(Scope { arrays, elements, ..own });
            ids.insert(path, id);
        }
        let of: Vec<Option<ScopeId>> =
            homes.iter().map(|home| home.map(|path| ids[path])).collect();
        for (index, scope) in of.iter().enumerate() {
            if let Some(scope) = scope {
                all[scope.0].blocks.push(BlockId::new(index));
            }
        }
        Scopes { all, of }
    }

    pub fn get(&self, id: ScopeId) -> &Scope {
        &self.all[id.0]
    }

    /// The instance of a block that is shown.
    pub fn of(&self, block: BlockId) -> ScopeId {
        self.of[block.index()].expect("the block is shown")
    }

    pub fn is_shown(&self, block: BlockId) -> bool {
        self.of[block.index()].is_some()
    }

    /// The open instances around a block from the outside in, and the closed one that hides it.
    pub fn chain(&self, block: BlockId) -> (Vec<ScopeId>, Option<ScopeId>) {
        let mut chain = Vec::new();
        let mut scope = Some(self.of(block));
        while let Some(id) = scope {
            chain.push(id);
            scope = self.get(id).parent;
        }
        chain.reverse();
        match chain.iter().position(|id| !self.get(*id).open) {
            Some(place) => {
                let hidden = chain[place];
                chain.truncate(place);
                (chain, Some(hidden))
            }
            None => (chain, None),
        }
    }

    pub fn below(&self, scope: ScopeId) -> Vec<BlockId> {
        let mut blocks = self.get(scope).blocks.clone();
        for child in &self.get(scope).children {
            blocks.extend(self.below(*child));
        }
        blocks
    }
}

/// The path of the instance in which each block is drawn; `None` if it is not shown.
fn homes<'d>(drawn: &'d Drawn, records: bool) -> Vec<Option<&'d str>> {
    let diagram = drawn.diagram;
    let charted = drawn.charted();
    let modes: BTreeSet<BlockId> = diagram.modes.machines.iter().map(|m| m.current).collect();
    let plain = drawn.ids().filter(|id| !is_expression(drawn, *id) && !modes.contains(id));
    let written: BTreeSet<&str> = plain.map(|id| drawn.block(id).path.as_str()).collect();
    let instances: BTreeSet<&str> = written.iter().map(|path| split(path).0).collect();
    let mut fed = vec![Vec::new(); drawn.len()];
    for id in drawn.ids() {
        for wire in drawn.operands(id) {
            fed[drawn.source(wire).index()].push(id);
        }
    }
    let home = |id: BlockId| {
        let path = drawn.block(id).path.as_str();
        let (above, _) = split(path);
        if modes.contains(&id) && !drawn.block(id).inputs.is_empty() {
            return Some(path);
        }
        if charted.get(id.index()) == Some(&true) {
            return None;
        }
        if modes.contains(&id) {
            return Some(path);
        }
        if !is_expression(drawn, id) || is_machine_output(drawn, id) {
            return Some(above);
        }
        // An expression is named after the block and the input that it feeds, after the port of an
        // instance, or after a recorded column.
        if written.contains(above) {
            return Some(split(above).0);
        }
        let fed = &fed[id.index()];
        if above == "record" && !instances.contains("record") && fed.is_empty() {
            return records.then_some("");
        }
        let inside = |other: &&BlockId| is_inside(&drawn.block(**other).path, above);
        let outside = fed.iter().any(|other| !inside(&other)) || fed.is_empty();
        let made_inside = outside || reads_inside(drawn, id, above);
        Some(if made_inside { above } else { split(above).0 })
    };
    let mut homes = vec![None; drawn.len()];
    drawn.ids().for_each(|id| homes[id.index()] = home(id));
    homes
}

fn is_inside(path: &str, instance: &str) -> bool {
    path.strip_prefix(instance).is_some_and(|rest| rest.starts_with('.'))
}

/// Whether an expression at a port of an instance refers to a signal inside: then it is an output
/// that is fed back to the instance.
fn reads_inside(drawn: &Drawn, id: BlockId, instance: &str) -> bool {
    drawn.block(id).inputs.iter().any(|input| {
        let name = drawn.diagram.sources.snippet(input.span);
        let first = name.split('.').next().unwrap_or(name);
        let driver = &drawn.block(drawn.source(input.wires[0])).path;
        let inner = driver.strip_prefix(instance).and_then(|rest| rest.strip_prefix('.'));
        inner.is_some_and(|rest| rest == first || is_inside(rest, first))
    })
}
