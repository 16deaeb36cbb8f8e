//! What is to be drawn, before anything has a position: merged arrays, the hierarchy recovered from
//! the paths, the connections of each level, names of ports, kinds of wires, and marks.

mod arrays;
mod drawn;
mod machines;
mod selections;

mod scopes;

mod nets;
mod ports;

mod kind;
mod marks;

use std::collections::BTreeMap;

use blocks::Role;
use diagram::{BlockId, Diagram, StateMachine, WireId};

use crate::Options;
use crate::letters::shortened;
use drawn::Drawn;
use scopes::Scopes;

pub(crate) use drawn::DrawnBlock;
pub use kind::Kind;
pub(crate) use nets::{LevelNet, Sink, Source};
pub(crate) use scopes::{Scope, ScopeId};

/// A diagram ready to be drawn.
pub(crate) struct Scene<'a> {
    pub diagram: &'a Diagram,
    pub options: Options<'a>,
    drawn: Drawn<'a>,
    scopes: Scopes,
    /// The connections of each open level, by wire.
    nets: BTreeMap<(ScopeId, WireId), LevelNet>,
    /// The number of each block in the order of evaluation.
    numbers: Vec<Option<usize>>,
    loops: marks::Loops,
}

impl<'a> Scene<'a> {
    pub fn new(diagram: &'a Diagram, options: &Options<'a>) -> Scene<'a> {
        let drawn = Drawn::new(diagram, options.open_arrays);
        let scopes = Scopes::new(&drawn, options);
        let loops = marks::Loops::new(&drawn, options.loops);
        let nets = nets::nets(&drawn, &scopes, &loops);
        let numbers = marks::numbers(diagram, options.order);
        Scene { diagram, options: *options, drawn, scopes, nets, numbers, loops }
    }

    pub fn root(&self) -> ScopeId {
        ScopeId(0)
    }

    pub fn scope(&self, id: ScopeId) -> &Scope {
        self.scopes.get(id)
    }

    /// The connections of one level.
    pub fn level(&self, scope: ScopeId) -> impl Iterator<Item = (WireId, &LevelNet)> {
        let all = (scope, WireId(0))..=(scope, WireId(u32::MAX));
        self.nets.range(all).map(|((_, wire), net)| (*wire, net))
    }

    /// A block as it is drawn: its name, and what is connected to it.
    pub fn block(&self, id: BlockId) -> &DrawnBlock {
        self.drawn.block(id)
    }

    /// The blocks that are drawn or that are inside closed instances.
    pub fn ids(&self) -> impl Iterator<Item = BlockId> {
        self.drawn.ids()
    }

    /// Whether a block represents several elements of an array, and nothing around it does.
    pub fn is_stack(&self, block: BlockId) -> bool {
        self.block(block).arrays > self.scope(self.scopes.of(block)).arrays
    }

    /// What is written at an input if it distinguishes elements of arrays.
    pub fn selection(&self, block: BlockId, port: usize) -> Option<String> {
        if self.is_expression(block) {
            return None;
        }
        let input = &self.block(block).inputs[port];
        let driver = |wire: &WireId| self.block(self.drawn.source(*wire));
        let written = self.diagram.sources.snippet(input.span);
        let indexed = |wire: &WireId| {
            let made = self.drawn.is_made_for(*wire, block, input);
            !made && driver(wire).arrays > 0 && written.contains('[')
        };
        let selects = input.wires.len() > 1 || input.wires.iter().any(indexed);
        selects.then(|| shortened(written, 44))
    }

    /// The block that a wire comes from.
    pub fn source(&self, wire: WireId) -> BlockId {
        self.drawn.source(wire)
    }

    /// The kind of a wire.
    pub fn kind(&self, wire: WireId) -> Kind {
        self.drawn.kind(wire)
    }

    /// The name of a wire.
    pub fn wire_name(&self, wire: WireId) -> String {
        self.drawn.wire_name(wire)
    }

    /// Whether a wire comes from a block that is drawn.
    pub fn is_drawn(&self, wire: WireId) -> bool {
        self.scopes.is_shown(self.drawn.source(wire))
    }

    /// Whether anything that is drawn reads a wire.
    pub fn is_read(&self, wire: WireId) -> bool {
        self.nets.keys().any(|(_, known)| *known == wire)
    }

    /// Whether a block was made for an expression.
    pub fn is_expression(&self, block: BlockId) -> bool {
        scopes::is_expression(&self.drawn, block)
    }

    /// Whether a block is the state of a machine.
    pub fn is_machine(&self, block: BlockId) -> bool {
        self.diagram.modes.machines.iter().any(|machine| machine.current == block)
    }

    /// The name under which an expression that feeds nothing else is recorded.
    pub fn recorded(&self, block: BlockId) -> Option<&str> {
        let wire = *self.block(block).outputs.first()?;
        let fed = self.nets.contains_key(&(self.scopes.of(block), wire));
        let name = self.block(block).path.strip_prefix("record.")?;
        (!fed && self.scopes.of(block) == self.root()).then_some(name)
    }

    /// The text of an expression, line by line.
    pub fn expression(&self, block: BlockId) -> Vec<String> {
        if scopes::is_machine_output(&self.drawn, block) {
            let path = &self.block(block).path;
            return vec![path.rsplit('.').next().unwrap_or(path).to_owned()];
        }
        let written = self.diagram.sources.snippet(self.block(block).span);
        let lines = written.lines().map(|line| line.trim().trim_start_matches("- "));
        let mut lines: Vec<String> =
            lines.filter(|line| !line.is_empty()).map(|line| shortened(line, 48)).collect();
        if lines.len() > 6 {
            lines.truncate(5);
            lines.push("…".to_owned());
        }
        lines
    }

    /// The node that an expression is written into instead of being a node of its own: the block
    /// that names it or, if expressions are folded, the only node that it feeds.
    pub fn host(&self, block: BlockId) -> Option<Sink> {
        if !self.is_expression(block) {
            return None;
        }
        if !self.scopes.is_shown(block) {
            return None;
        }
        let wire = *self.block(block).outputs.first()?;
        let net = self.nets.get(&(self.scopes.of(block), wire))?;
        let [(sink, _)] = net.to[..] else { return None };
        match sink {
            Sink::Block(owner, _) if self.is_expression(owner) => None,
            Sink::Block(owner, _) if self.absorbs(owner) => Some(sink),
            Sink::Block(owner, _) if self.adds(owner) && self.is_negation(block) => Some(sink),
            Sink::Group(scope) if self.scope(scope).open => None,
            Sink::Block(..) | Sink::Group(_) if self.options.fold_expressions => Some(sink),
            _ => None,
        }
    }

    /// Whether a block only names an expression.
    pub fn absorbs(&self, block: BlockId) -> bool {
        if self.is_expression(block) {
            return false;
        }
        self.diagram.block(block).kind.role() == Role::NamedExpression
    }

    /// Whether a block is a sum that shows the signs of its inputs.
    pub fn adds(&self, block: BlockId) -> bool {
        !self.is_expression(block) && self.diagram.block(block).kind.adds()
    }

    /// Whether an expression is a signal with a minus sign.
    pub fn is_negation(&self, block: BlockId) -> bool {
        let [line] = &self.expression(block)[..] else { return false };
        let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || "_.".contains(c));
        let named = line.strip_prefix('-').map(str::trim);
        self.is_expression(block)
            && self.block(block).inputs.len() == 1
            && named.is_some_and(|name| !name.is_empty() && is_name(name))
    }

    /// The only node that a visible expression feeds.
    pub fn led(&self, block: BlockId) -> Option<Sink> {
        let wire = *self.block(block).outputs.first()?;
        let net = self.nets.get(&(self.scopes.of(block), wire))?;
        match net.to[..] {
            [(sink, _)] if sink != Sink::Outside && self.is_expression(block) => Some(sink),
            _ => None,
        }
    }

    pub fn is_looped(&self, block: BlockId) -> bool {
        self.loops.blocks[block.index()]
    }

    /// The evaluation numbers of some blocks: a single one, or the first and the last.
    pub fn order(&self, blocks: impl Iterator<Item = BlockId>) -> String {
        let all = blocks.flat_map(|block| &self.block(block).of);
        let numbers: Vec<usize> = all.filter_map(|b| self.numbers[b.index()]).collect();
        match (numbers.iter().min(), numbers.iter().max()) {
            (Some(first), Some(last)) if first == last => first.to_string(),
            (Some(first), Some(last)) => format!("{first}–{last}"),
            _ => String::new(),
        }
    }

    /// The name of the port through which a wire enters an instance.
    pub fn input_name(&self, scope: ScopeId, wire: WireId) -> String {
        ports::input_name(&self.drawn, &self.scopes, scope, wire)
    }

    /// The name of the port through which a wire leaves an instance.
    pub fn output_name(&self, scope: ScopeId, wire: WireId) -> String {
        ports::output_name(&self.drawn, &self.scopes, scope, wire)
    }

    /// The visible ends of a connection of the flat diagram, and whether it is part of a refused
    /// loop; `None` if both ends are hidden in one instance.
    pub fn ends(&self, wire: WireId, sink: Sink) -> Option<(Source, Sink, bool)> {
        let Sink::Block(block, _) = sink else { return None };
        let driver = self.drawn.source(wire);
        if !self.scopes.is_shown(block) || !self.scopes.is_shown(driver) {
            return None;
        }
        let (hiding, hidden) = (self.scopes.chain(driver).1, self.scopes.chain(block).1);
        if hiding.is_some() && hiding == hidden {
            return None;
        }
        let port = self.drawn.output(wire);
        let from = hiding.map_or(Source::Block(driver, port), Source::Group);
        let to = hidden.map_or(sink, Sink::Group);
        Some((from, to, self.loops.contains(wire, block)))
    }

    /// The state machines; one represents all of an array.
    pub fn machines(&self) -> impl Iterator<Item = &'a StateMachine> {
        let machines = self.diagram.modes.machines.iter();
        machines.filter(|machine| self.drawn.standing_for(machine.current) == machine.current)
    }

    /// How many blocks are below a scope, counting every element of arrays inside it; if the scope
    /// is in an array, only those in the first element.
    pub fn count_below(&self, scope: ScopeId) -> usize {
        let below = self.blocks_below(scope);
        let scope = self.scope(scope);
        let names = scope.path.matches('.').count() + usize::from(scope.elements.is_none());
        let around = |id: &BlockId| self.diagram.block(*id).path.split('.').take(names);
        let all = || below.iter().flat_map(|block| &self.block(*block).of);
        let Some(first) = all().next() else { return 0 };
        all().filter(|id| around(id).eq(around(first))).count()
    }

    /// What is written above an open instance.
    pub fn title(&self, scope: ScopeId) -> String {
        let scope = self.scope(scope);
        match &scope.elements {
            Some(kind) => format!("{}: {kind}", scope.name()),
            None => match self.diagram.instances.get(&scope.path) {
                Some(kind) => format!("{}: {kind}", scope.name()),
                None => scope.name().to_owned(),
            },
        }
    }

    /// The small print in a closed instance.
    pub fn kind_of_closed(&self, scope: ScopeId) -> String {
        let count = self.count_below(scope);
        let scope = self.scope(scope);
        match scope.elements.as_ref().or(self.diagram.instances.get(&scope.path)) {
            Some(kind) => format!("{kind}, {count} blocks"),
            None => format!("{count} blocks"),
        }
    }

    /// All blocks below a scope.
    pub fn blocks_below(&self, scope: ScopeId) -> Vec<BlockId> {
        self.scopes.below(scope)
    }
}
