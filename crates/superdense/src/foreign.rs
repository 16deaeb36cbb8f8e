//! What is outside of a model: blocks that files describe, and their instances in a run.

use std::borrow::Cow;
use std::sync::Arc;

use base::{Diagnostics, Value};
use blocks::{Begins, Component, Library};
use model::{Block, Model};
use program::StateId;

use crate::System;
use crate::pipeline::Code;
use crate::run::Executor;

#[cfg(feature = "fmi")]
use crate::fmi::kind;

/// Refuses a block that this program is built without.
#[cfg(not(feature = "fmi"))]
fn kind(_model: &Model, block: &Block) -> Result<Arc<dyn blocks::Block>, base::Diagnostic> {
    let message = "this program was built without FMUs (the feature `fmi`)";
    Err(base::Diagnostic::error("not-built", message).at(block.kind.span, ""))
}

/// The library of a model: the given one, and the blocks that files describe.
pub(crate) fn library<'a>(
    model: &Model,
    library: &'a Library,
) -> Result<Cow<'a, Library>, Diagnostics> {
    let mut found = Vec::new();
    model.diagrams.iter().for_each(|diagram| gather(&diagram.blocks, &mut found));
    if found.is_empty() {
        return Ok(Cow::Borrowed(library));
    }
    let (mut all, mut errors) = (library.clone(), Diagnostics::default());
    for block in found {
        let name = block.kind_name();
        if all.get(&name).is_none() {
            match kind(model, block) {
                Ok(kind) => all = all.with_named(name.into_owned(), kind),
                Err(error) => errors.push(error),
            }
        }
    }
    if errors.0.is_empty() { Ok(Cow::Owned(all)) } else { Err(errors) }
}

fn gather<'m>(blocks: &'m [Block], found: &mut Vec<&'m Block>) {
    for block in blocks {
        if block.file.is_some() {
            found.push(block);
        }
        if let Some(content) = &block.content {
            gather(&content.blocks, found);
        }
        for state in block.modal.iter().flat_map(|modal| &modal.states) {
            gather(&state.content.blocks, found);
        }
    }
}

/// The instances of a run, which end with it.
#[derive(Default, Debug)]
pub(crate) struct Instances(Vec<Lease>);

/// An instance, and the state of the run that names it.
#[derive(Debug)]
struct Lease {
    component: Arc<dyn Component>,
    state: StateId,
    number: f64,
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.component.end(self.number);
    }
}

/// An instance as it is saved: bytes, or why it could not be.
pub(crate) type SavedInstances = Vec<Result<Vec<u8>, String>>;

impl Instances {
    /// New instances for a run of a system.
    pub fn begin(system: &System) -> Instances {
        let Code::Exact(program) = &system.code else { return Instances::default() };
        let named = program.states.entries().filter(|(_, own)| own.begins == Begins::Instance);
        let leases = named.filter_map(|(state, own)| {
            let (_, component) = system.diagram.block(own.block).definition.component.clone()?;
            Some(Lease { number: component.begin(), component, state })
        });
        Instances(leases.collect())
    }

    /// New instances in place of these.
    pub fn again(&mut self) {
        for own in &mut self.0 {
            own.component.end(own.number);
            own.number = own.component.begin();
        }
    }

    /// Instances that go on from where others were when they were saved.
    pub fn load(&mut self, saved: SavedInstances) {
        for (own, saved) in self.0.iter_mut().zip(saved) {
            own.component.end(own.number);
            own.number = match saved {
                Ok(bytes) => own.component.load(bytes),
                Err(reason) => own.component.refuse(reason),
            };
        }
    }

    /// All of them as bytes, as far as they can be saved.
    pub fn save(&self) -> SavedInstances {
        self.0.iter().map(|own| own.component.save(own.number)).collect()
    }

    /// Writes their numbers where the blocks read them.
    pub fn write(&self, executor: &mut Executor) {
        let Executor::Exact(simulation) = executor else { return };
        for own in &self.0 {
            simulation.write_state(own.state, Value::real(own.number).data());
        }
    }

    /// Why one of them has failed, if one has.
    pub fn failure(&self) -> Option<String> {
        self.0.iter().find_map(|own| own.component.failure(own.number))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
