//! Results of flattening besides the blocks: what is recorded, solved for and shown.
//!
//! In come the scopes and drafts of all instances; out go the recorded wires, the loops that are to
//! be solved, and the names of instances and ports by which pictures and messages refer to them.

use std::collections::{BTreeMap, HashSet};

use base::{Diagnostic, Elem, Type};
use expr::{BinaryOp, Expr, ExprKind, UnaryOp};

use super::Flattener;
use crate::flat::{InstancePort, Invariant, Record, Solve, WireId};
use crate::scope::{Entity, Port, ScopeId};

impl Flattener<'_> {
    /// The signals that the model records; every block of the main diagram if it lists none.
    pub(super) fn records(&mut self) -> Vec<Record> {
        let main = ScopeId::new(0);
        let mut records = Vec::new();
        for record in &self.model.record {
            let path = format!("record.{}", record.name);
            let wire = self.wire(main, &record.value, path);
            if let Some(wire) = self.errors.keep(wire) {
                records.push(Record {
                    name: record.name.clone(),
                    wire,
                    implied: false,
                    hidden: false,
                });
            }
        }
        for output in &self.model.diagram(self.model.root).outputs {
            let name = &output.name.value;
            let written = self.model.record.iter().find(|record| record.name == *name);
            if let Some(written) = written {
                if written.value.to_string() != output.value.to_string() {
                    let message = format!("`{name}` is recorded and an output, and not the same");
                    let error = Diagnostic::error("duplicate-name", message)
                        .at(output.name.span, "this output")
                        .at(written.value.span, "this column")
                        .help("give one of them another name; outputs are recorded anyway");
                    self.errors.push(error);
                }
                continue;
            }
            let wire = self.wire(main, &output.value, format!("output.{name}"));
            if let Some(wire) = self.errors.keep(wire) {
                records.push(Record { name: name.clone(), wire, implied: false, hidden: false });
            }
        }
        if self.model.record.is_empty() {
            for block in &self.model.diagram(self.model.root).blocks {
                let entity = self.scopes[0].entities.get(block.name.value.as_str()).copied();
                let wire = match entity {
                    Some(Entity::Block(id)) => Some(self.drafts[id.index()].outputs[0]),
                    Some(Entity::Array(array)) => self.recorded_array(array),
                    _ => None,
                };
                let name = block.name.value.clone();
                if records.iter().any(|record: &Record| record.name == name) {
                    continue;
                }
                records.extend(wire.map(|wire| Record {
                    name,
                    wire,
                    implied: true,
                    hidden: false,
                }));
                if let Some(Entity::Instance(inner)) = entity {
                    self.record_instance(block, inner, &mut records);
                }
                self.record_machine(block, &mut records);
            }
        }
        records
    }

    /// Adds the signals that are not yet recorded.
    pub(super) fn record_others(&self, records: &mut Vec<Record>) {
        let known: HashSet<WireId> = records.iter().map(|record| record.wire).collect();
        for draft in &self.drafts {
            let names = draft.kind.info().outputs.iter().map(|output| &output.name);
            for (wire, name) in draft.outputs.iter().zip(names) {
                if !known.contains(wire) {
                    let name = format!("~{}.{name}", draft.path);
                    records.push(Record { name, wire: *wire, implied: true, hidden: false });
                }
            }
        }
    }

    /// The invariants of the model, whose values and terms become hidden records. The magnitude of
    /// a sum may be much smaller than that of its terms, as that of a total momentum often is; so
    /// both are looked at.
    pub(super) fn invariants(&mut self, records: &mut Vec<Record>) -> Vec<Invariant> {
        let mut found = Vec::new();
        for own in &self.model.invariants {
            let name = own.name.value.clone();
            let Some(Entity::Block(id)) = self.scopes[0].entities.get(name.as_str()).copied()
            else {
                continue;
            };
            let whole = self.drafts[id.index()].outputs[0];
            let hidden = |wire| Record { name: name.clone(), wire, implied: false, hidden: true };
            records.push(hidden(whole));
            let terms = terms(&own.value);
            for (place, term) in terms.iter().enumerate() {
                let wire = self.wire(ScopeId::new(0), term, format!("{name}.term{place}"));
                records.extend(self.errors.keep(wire).map(hidden));
            }
            found.push(Invariant {
                name: own.name.clone(),
                terms: terms.len(),
                within: own.within.clone(),
                absolute: own.absolute,
            });
        }
        found
    }

    /// Records the outputs of an instance of the main diagram, if nothing was requested.
    fn record_instance(&mut self, block: &model::Block, inner: ScopeId, records: &mut Vec<Record>) {
        let outputs = &self.scope(inner).diagram.outputs;
        for output in outputs {
            let (port, span) = (output.name.value.as_str(), output.name.span);
            let own = &block.name.value;
            let name = if outputs.len() == 1 { own.clone() } else { format!("{own}.{port}") };
            let wire = self.instance_output(inner, own, Some(port), span);
            let wire = self.errors.keep(wire);
            records.extend(wire.map(|wire| Record { name, wire, implied: true, hidden: false }));
        }
    }

    /// The ports of instances that something uses, in the order in which they were written.
    pub(super) fn instance_ports(&self) -> Vec<InstancePort> {
        let mut found = Vec::new();
        for scope in &self.scopes {
            let diagram = scope.diagram;
            let fields = scope.parent.map_or(&[][..], |(_, block)| &block.fields);
            let inputs = diagram.inputs.iter().map(|input| {
                let name = &input.name;
                let field = fields.iter().find(|field| field.name.value == name.value);
                (&name.value, true, field.map_or(name.span, |field| field.value.span))
            });
            let outputs = diagram.outputs.iter();
            let outputs = outputs.map(|output| (&output.name.value, false, output.value.span));
            for (name, is_input, span) in inputs.chain(outputs) {
                let port = if is_input { Port::Input(name) } else { Port::Output(name) };
                if let Some(Some(wire)) = scope.ports.get(&port) {
                    let instance = scope.prefix.trim_end_matches('.').to_owned();
                    let (name, wire) = (name.clone(), *wire);
                    found.push(InstancePort { instance, name, is_input, wire, span });
                }
            }
        }
        found
    }

    /// The name of the diagram of each instance, by the path of the instance.
    pub(super) fn instances(&self) -> BTreeMap<String, String> {
        let named = self.scopes.iter().filter_map(|scope| {
            let (_, block) = scope.parent?;
            let path = scope.prefix.strip_suffix('.')?.to_owned();
            (block.modal.is_none()).then(|| (path, block.kind.value.clone()))
        });
        named.collect()
    }

    /// Which loops are solved, and the types of the guesses.
    pub(super) fn solve(&mut self) -> (Solve, Vec<(WireId, Type)>) {
        let (mut solve, mut types) = (Solve::default(), Vec::new());
        for index in 0..self.scopes.len() {
            let scope = ScopeId::new(index);
            match &self.scopes[index].diagram.solve {
                model::Solve::No => {}
                model::Solve::All(_) => solve.everywhere.push(self.scopes[index].prefix.clone()),
                model::Solve::Signals(signals) => {
                    for named in signals {
                        let guess = self.decided(scope, &named.value, "the guess of a solved loop");
                        let wire = self.signal(scope, &named.name.value, named.name.span);
                        let (guess, wire) = (self.errors.keep(guess), self.errors.keep(wire));
                        if let (Some(guess), Some(wire)) = (guess, wire) {
                            solve.wires.insert(wire, guess.data().to_vec());
                            types.push((wire, guess.ty().with_elem(Elem::Real)));
                        }
                    }
                }
            }
        }
        (solve, types)
    }
}

/// The terms of a sum; none if the expression is no sum.
fn terms(expr: &Expr) -> Vec<&Expr> {
    let mut found = Vec::new();
    let mut rest = vec![expr];
    while let Some(expr) = rest.pop() {
        match &expr.kind {
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, left, right) => {
                rest.extend([&**right, &**left]);
            }
            ExprKind::Unary(UnaryOp::Negate, inner) => rest.push(inner),
            _ => found.push(expr),
        }
    }
    if found.len() < 2 { Vec::new() } else { found }
}
