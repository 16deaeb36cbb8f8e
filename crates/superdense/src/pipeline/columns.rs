//! What a run records: columns, tables, the names that numbers represent, and the provenance.

use std::collections::HashMap;
use std::sync::Arc;

use base::{Diagnostic, Diagnostics};
use blocks::Role;
use program::RecordSlots;
use trace::{Column, Header, Schema, Trace};

use super::{Code, System};

impl System {
    /// The columns that a run records, how many orders of impulses each may carry, and the tables
    /// of file formats with several tables.
    pub fn schema(&self) -> Schema {
        let schema = self.columns().with_tables(self.tables());
        let named = self.record_labels().into_iter().enumerate();
        let named = named.filter(|(_, labels)| !labels.is_empty());
        named.fold(schema, |schema, (index, labels)| schema.with_labels(index, labels))
    }

    /// For each recorded signal, the names that its numbers represent.
    pub(crate) fn record_labels(&self) -> Vec<Vec<String>> {
        let labels = |record: &diagram::Record| self.labels(record.wire).unwrap_or_default();
        let shown = self.diagram.records.iter().filter(|record| !record.hidden);
        shown.map(|record| labels(record).to_vec()).collect()
    }

    /// The same, also for arrays whose elements all have the same names: those of machines in
    /// instances of an array.
    pub(crate) fn element_labels(&self) -> Vec<Vec<String>> {
        let gathered = |record: &diagram::Record| {
            let block = self.diagram.block(self.diagram.wire(record.wire).block);
            let array = self.diagram.arrays.iter().any(|own| own.wholes.contains(&record.wire));
            let mut parts = block.inputs.iter().flatten().filter(|_| array);
            let first = self.labels(*parts.next()?)?;
            parts.all(|part| self.labels(*part) == Some(first)).then(|| first.to_vec())
        };
        let shown = self.diagram.records.iter().filter(|record| !record.hidden);
        let own = self.record_labels().into_iter().zip(shown);
        own.map(|(own, record)| match own.is_empty() {
            true => gathered(record).unwrap_or_default(),
            false => own,
        })
        .collect()
    }

    /// A table for the rows of a run. All runs share its names, so that short runs do not spend
    /// their time on them.
    pub(crate) fn empty_trace(&self) -> Trace {
        self.empty.get_or_init(|| Trace::with_schema(self.schema())).clone()
    }

    /// The columns that a run records, without tables and labels.
    pub(crate) fn columns(&self) -> Schema {
        schema(self.code.records())
    }

    /// The table of each recorded signal: that of its region, unless the signal consists of events
    /// only. A fixed-step run has one table for all signals.
    fn tables(&self) -> Vec<Option<String>> {
        let stepped = matches!(self.code, Code::FixedStep(_));
        let is_events = |record: &diagram::Record| {
            self.diagram.wire(record.wire).between == diagram::Presence::Never
        };
        let table = |(record, cells): (&diagram::Record, &RecordSlots)| {
            (stepped || !is_events(record)).then(|| match cells.region.index() {
                _ if stepped => "steps".to_owned(),
                0 => "held".to_owned(),
                region => format!("region {region}"),
            })
        };
        self.diagram.records.iter().zip(self.code.records()).map(table).collect()
    }

    /// The names that the numbers on a wire represent: the states of a machine, even if it is
    /// inside another machine whose states pass them on.
    fn labels(&self, wire: diagram::WireId) -> Option<&[String]> {
        self.handed_labels(wire, &mut HashMap::new())
    }

    /// The same, with a cache of the wires visited so far. Wires that pass names on in a circle
    /// have none.
    fn handed_labels<'a>(
        &'a self,
        id: diagram::WireId,
        known: &mut HashMap<diagram::WireId, Option<&'a [String]>>,
    ) -> Option<&'a [String]> {
        if let Some(known) = known.get(&id) {
            return *known;
        }
        known.insert(id, None);
        let wire = self.diagram.wire(id);
        let block = self.diagram.block(wire.block);
        let own = block.kind.labels().filter(|_| wire.port == 0);
        let found = own.or_else(|| {
            // An array of machines as a whole has the names that all its elements have.
            if self.diagram.arrays.iter().any(|array| array.wholes.contains(&id)) {
                let mut elements = block.inputs.iter().flatten();
                let first = self.handed_labels(*elements.next()?, known)?;
                let mut others = elements.map(|own| self.handed_labels(*own, known));
                return others.all(|own| own == Some(first)).then_some(first);
            }
            let handed = block.kind.role() == Role::MachineOutput;
            let [_, arms, said, _] = &block.inputs[..] else { return None };
            let mut arms = arms.iter().filter(|_| handed && said.is_empty());
            let first = self.handed_labels(*arms.next()?, known)?;
            arms.all(|arm| self.handed_labels(*arm, known) == Some(first)).then_some(first)
        });
        known.insert(id, found);
        found
    }

    /// The provenance that is written into a trace.
    pub fn header(&self) -> Header {
        Header::clone(&self.shared_header())
    }

    /// The same, which all runs share, so that short runs do not spend their time on it.
    pub(crate) fn shared_header(&self) -> Arc<Header> {
        self.header.get_or_init(|| Arc::new(self.make_header())).clone()
    }

    fn make_header(&self) -> Header {
        let run = &self.run;
        let main = self.diagram.parameters.main().iter().zip(self.parameters.iter());
        Header {
            model: self.diagram.name.clone(),
            hash: format!("{:016x}", self.identity()),
            parameters: main.map(|(own, value)| (own.name.clone(), value.to_string())).collect(),
            seed: Some(run.seed),
            solver: match run.impulses.steps() {
                true => run.impulses.name().to_owned(),
                false => run.solver.0.clone(),
            },
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

/// The columns that a program records, and how many orders of impulses each may carry.
fn schema(records: &[RecordSlots]) -> Schema {
    let column = |record: &RecordSlots| Column { name: record.name.clone(), ty: record.ty };
    let orders = records.iter().map(|record| record.impulses.len()).collect();
    Schema::new(records.iter().map(column).collect()).with_orders(orders)
}

/// Refuses two columns with the same name, such as an element of a recorded vector and another
/// signal.
pub(super) fn check_columns(records: &[RecordSlots]) -> Result<(), Diagnostics> {
    let mut seen = std::collections::HashSet::new();
    for record in records {
        let column = Column { name: record.name.clone(), ty: record.ty };
        for name in column.element_names() {
            if let Some(name) = seen.replace(name) {
                let message = format!("two recorded columns are called `{name}`");
                return Err(Diagnostic::error("duplicate-name", message)
                    .help("give one of them another name: `record: {name: expression}`")
                    .into());
            }
        }
    }
    Ok(())
}
