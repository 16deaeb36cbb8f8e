//! Which regions a tick may reach, found once from the structure.
//!
//! The left limits of a region must be in the buffer before anything that it reads changes, so all
//! regions that an event may reach are looked at when its tick begins. The others neither are
//! looked at nor step shorter because of it.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use program::{CellId, Program};

use crate::simulation::Simulation;

/// For each source of ticks, the regions that it may reach.
#[derive(Debug, Default)]
pub(crate) struct Reach {
    /// For each timer, the regions.
    pub timers: Vec<Vec<usize>>,
    /// For each region, the regions that its crossings may reach, itself included.
    pub crossings: Vec<Vec<usize>>,
    /// For each region, the timers that may reach it.
    pub timers_of: Vec<Vec<u32>>,
    /// For each delayed signal, the regions, and for each region the delayed signals.
    pub lines: Vec<Vec<usize>>,
    pub lines_of: Vec<Vec<u32>>,
}

impl Simulation {
    /// Finds what can be reached, once for a simulation.
    pub(crate) fn reaches(&mut self) {
        if self.reach.crossings.len() == self.program.regions.len() {
            return;
        }
        let region_of = |unit: usize| {
            let block = self.program.units[unit].block;
            self.diagram.block(block).region.index()
        };
        let program = &*self.program;
        let timers: Vec<Vec<usize>> = program
            .timers
            .iter()
            .map(|timer| reached(program, &[timer.woken, timer.wakings], &region_of))
            .collect();
        let crossings = program
            .regions
            .iter()
            .enumerate()
            .map(|(index, region)| {
                let cells: Vec<CellId> = region
                    .watches
                    .iter()
                    .map(|watch| &program.crossings[watch.crossing])
                    .flat_map(|crossing| [Some(crossing.frozen), crossing.crossed])
                    .flatten()
                    .collect();
                let mut found = reached(program, &cells, &region_of);
                if !found.contains(&index) {
                    found.push(index);
                }
                found
            })
            .collect();
        let mut timers_of = vec![Vec::new(); program.regions.len()];
        for (timer, regions) in timers.iter().enumerate() {
            regions.iter().for_each(|region| timers_of[*region].push(timer as u32));
        }
        let lines: Vec<Vec<usize>> = program
            .lines
            .iter()
            .map(|line| {
                let mut found = reached(program, &line.to, &region_of);
                let own = line.track.map(|track| track.region.index());
                found.extend(own.filter(|own| !found.contains(own)));
                found
            })
            .collect();
        let mut lines_of = vec![Vec::new(); program.regions.len()];
        for (line, regions) in lines.iter().enumerate() {
            regions.iter().for_each(|region| lines_of[*region].push(line as u32));
        }
        self.reach = Arc::new(Reach { timers, crossings, timers_of, lines, lines_of });
    }
}

/// The regions that changes of some cells may reach: through the units that read them, what these
/// write and commit, and the crossings that they move.
fn reached(program: &Program, from: &[CellId], region_of: &dyn Fn(usize) -> usize) -> Vec<usize> {
    let mut regions = BTreeSet::new();
    let (mut seen, mut machines) = (HashSet::new(), HashSet::new());
    let mut cells: Vec<CellId> = from.to_vec();
    while let Some(cell) = cells.pop() {
        regions.extend(program.cell(cell).regions.iter().map(|region| region.index()));
        for machine in &program.cell(cell).machines {
            if machines.insert(*machine) {
                let machine = &program.machines[*machine as usize];
                regions.extend(machine.regions.iter().map(|region| region.index()));
                cells.extend(machine.cells.iter());
            }
        }
        for unit in &program.cell(cell).readers {
            if !seen.insert(*unit) {
                continue;
            }
            regions.insert(region_of(unit.index()));
            let unit = &program.units[unit.index()];
            cells.extend(unit.outputs.iter().map(|(_, cell, _)| *cell));
            cells.extend(unit.nexts.iter().map(|(_, state)| program.states[*state].cell));
            for (_, crossing) in &unit.crossings {
                let crossing = &program.crossings[*crossing];
                cells.extend([Some(crossing.frozen), crossing.crossed].into_iter().flatten());
            }
        }
    }
    regions.into_iter().collect()
}
