//! What a run finds anew from the values of its parameters besides numbers: timers, delays and the
//! largest steps. A block that makes them of open parameters is defined again with the values of
//! the run; if anything else comes out differently, the program does not fit those values.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{ExactTime, ParameterId, Type, Value};
use blocks::{Context, Definition, Setting, Timer};

use crate::NeedsCompiling;
use crate::flat::{BlockId, Diagram, FlatBlock, WireId};

/// What a block makes of the values of a run.
#[derive(Clone, Debug)]
pub struct AtStart {
    /// The block.
    pub block: BlockId,
    /// Its timers.
    pub timers: Vec<Arc<dyn Timer>>,
    /// The delays of its histories.
    pub delays: Vec<ExactTime>,
    /// The largest step that resolves it \[s\].
    pub maximum_step: f64,
}

impl Diagram {
    /// What blocks make of values that differ from those of the compiled model.
    pub fn at_start(&self, values: &[Value]) -> Result<Vec<AtStart>, NeedsCompiling> {
        let changed = |id: &ParameterId| *self.parameters.compiled(*id) != values[id.index()];
        let mut found = Vec::new();
        for (index, block) in self.blocks.iter().enumerate() {
            if block.definition.at_start.iter().any(changed) {
                let again = self.defined_with(block, values).ok_or(NeedsCompiling)?;
                if !block.definition.is_alike(&again) {
                    return Err(NeedsCompiling);
                }
                found.push(AtStart {
                    block: BlockId::new(index),
                    timers: again.timers,
                    delays: again.histories.iter().map(|history| history.delay).collect(),
                    maximum_step: again.maximum_step,
                });
            }
        }
        Ok(found)
    }

    /// Whether a block makes something of one of these values besides numbers.
    pub fn takes_at_start(&self, ids: &[ParameterId]) -> bool {
        let takes = |block: &FlatBlock| block.definition.at_start.iter().any(|id| ids.contains(id));
        self.blocks.iter().any(takes)
    }

    /// The definition of a block with the values of a run; none if it refuses them.
    fn defined_with(&self, block: &FlatBlock, values: &[Value]) -> Option<Definition> {
        let renewed = |value: &Value| match value.open() {
            Some(id) => values[id.index()].filling(value.ty()),
            None => value.clone(),
        };
        let setting = |(name, setting): (&String, &Setting)| {
            let setting = match setting {
                Setting::Value(value) => Setting::Value(renewed(value)),
                Setting::Time(time) => Setting::Time(exactly(time, values)),
                Setting::Times(times) => {
                    Setting::Times(times.iter().map(|time| exactly(time, values)).collect())
                }
                Setting::Word(word) => Setting::Word(word.clone()),
            };
            (name.clone(), setting)
        };
        let settings: BTreeMap<String, Setting> = block.settings.iter().map(setting).collect();
        let port = |wire: &WireId| (self.wire(*wire).ty, self.wire(*wire).orders);
        let ports = |wires: &Vec<WireId>| wires.iter().map(port).collect();
        let inputs: Vec<Vec<(Type, u32)>> = block.inputs.iter().map(ports).collect();
        let asked = block.outputs.iter().map(|wire| self.wire(*wire).derivatives).collect();
        let mut context = Context::new(block.kind.info(), &settings, &inputs, asked)
            .with_impulses(self.run.impulses)
            .with_steps(self.run.profile == crate::Profile::Ptolemy);
        let own = block.kind.with_values(&|id| values[id.index()].clone());
        let defined = match own {
            Some(own) => own.define(&mut context),
            None => block.kind.define(&mut context),
        };
        defined.ok().map(|()| context.finish())
    }
}

/// The value of a time in a run, with its exact fraction.
fn exactly(time: &Value, values: &[Value]) -> Value {
    time.open().map_or_else(|| time.clone(), |id| values[id.index()].clone())
}
