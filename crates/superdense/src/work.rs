//! How much work a run has done, for each region and each block.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Table, Time};
use engine::{Counters, Simulation, Switch};
use program::{BlockOrigin, Origins, Program, RegionId};
use solver::Method;

/// The work of a run by region and block, so that what is slow can be found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// The regions of the model: they share no continuous signal, and each has its own solver.
    pub parts: Vec<RegionWork>,
    /// The blocks as written, including the expressions at their inputs.
    pub blocks: Vec<BlockWork>,
}

/// The work of a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionWork {
    /// The name of its first block.
    pub name: String,
    /// Accepted steps.
    pub steps: u64,
    /// Rejected steps.
    pub rejected: u64,
    /// Evaluations of rates.
    pub evaluations: u64,
    /// When the region changed its solver, if the run chooses the solver.
    pub switches: Vec<SolverSwitch>,
}

/// A region continues with another solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolverSwitch {
    /// The time of the change.
    pub time: Time,
    /// The new solver.
    pub solver: Method,
}

/// The work of a block at ticks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockWork {
    /// Its path in the hierarchy.
    pub name: String,
    /// How often its functions ran at ticks.
    pub firings: u64,
}

/// The counts of a run without names. A large model has many names, so they are looked up only on
/// request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    program: Option<Arc<Program>>,
    /// The work of each region.
    regions: Table<RegionId, Counters>,
    /// How often each block has run at ticks.
    firings: Vec<u64>,
    /// When regions changed their method.
    switches: Vec<Switch>,
}

impl Tally {
    pub fn of(simulation: &Simulation) -> Tally {
        let program = simulation.program();
        let regions = program.regions.ids();
        Tally {
            program: Some(program.clone()),
            regions: regions.map(|region| simulation.region_counters(region)).collect(),
            firings: simulation.firings(),
            switches: simulation.switches().to_vec(),
        }
    }

    /// The same with names.
    pub fn work(&self) -> Work {
        let Some(program) = &self.program else { return Work::default() };
        let origins = &program.origins;
        Work { parts: parts(self, origins), blocks: blocks(self, origins) }
    }
}

/// The region that holds whatever never moves takes no steps of its own.
fn parts(tally: &Tally, origins: &Origins) -> Vec<RegionWork> {
    let moving = tally.regions.entries().filter(|(id, _)| *id != RegionId::STILL);
    moving
        .map(|(id, work)| {
            let first = origins.first_in(id).map(BlockOrigin::written);
            RegionWork {
                name: first.unwrap_or_default().to_owned(),
                steps: work.steps,
                rejected: work.rejected,
                evaluations: work.evaluations,
                switches: switches(tally, id),
            }
        })
        .collect()
}

fn switches(tally: &Tally, region: RegionId) -> Vec<SolverSwitch> {
    let own = tally.switches.iter().filter(|switch| switch.region == region);
    own.map(|switch| SolverSwitch { time: switch.time, solver: switch.method }).collect()
}

fn blocks(tally: &Tally, origins: &Origins) -> Vec<BlockWork> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut found: Vec<BlockWork> = Vec::new();
    for (index, block) in origins.blocks().iter().enumerate() {
        let name = block.written();
        let place = *places.entry(name).or_insert_with(|| {
            found.push(BlockWork { name: name.to_owned(), firings: 0 });
            found.len() - 1
        });
        found[place].firings += tally.firings[index];
    }
    found
}
