//! Which regions a tick may reach, found once from the structure.
//!
//! The left limits of a region must be in the buffer before anything that it reads changes, so all
//! regions that an event may reach are evaluated when its tick begins. Other regions are not
//! evaluated, and do not take shorter steps because of it.

use base::{Table, TypedId};
use diagram::{MachineId, RegionId};
use rustc_hash::FxHashMap;

use crate::Program;
use crate::delay_line::LineId;
use crate::inputs::InputId;
use crate::tracked::{TimerId, TrackedId};
use crate::unit::{Unit, UnitId};

/// For each source of ticks, the regions that it may reach.
#[derive(Clone, Debug, Default)]
pub struct Influence {
    /// For each timer, the regions that it may reach.
    pub timers: Table<TimerId, Vec<RegionId>>,
    /// For each region, the regions that its crossings may reach, itself included.
    pub crossings: Table<RegionId, Vec<RegionId>>,
    /// For each region, the timers that may reach it.
    pub timers_of: Table<RegionId, Vec<TimerId>>,
    /// For each delay line, the regions that it may reach.
    pub lines: Table<LineId, Vec<RegionId>>,
    /// For each region, the delay lines that may reach it.
    pub lines_of: Table<RegionId, Vec<LineId>>,
    /// The regions with delays that are signals.
    pub readers: Vec<RegionId>,
    /// For each signal from outside, the regions that it may reach.
    pub inputs: Table<InputId, Vec<RegionId>>,
}

impl Influence {
    /// Finds the influence in a program that is otherwise complete.
    pub(crate) fn find(program: &Program) -> Influence {
        let mut search = Search::new(program);
        let timers: Table<TimerId, Vec<RegionId>> = program
            .timers
            .iter()
            .map(|timer| search.reached([timer.woken, timer.wakings]))
            .collect();
        let mut crossings: Table<RegionId, Vec<RegionId>> =
            program.regions.ids().map(|id| search.reached_by_region(id)).collect();
        let lines: Table<LineId, Vec<RegionId>> = program
            .lines
            .iter()
            .map(|line| {
                let mut found = search.reached(line.to.iter().copied());
                let own = line.track.map(|track| track.region);
                found.extend(own.filter(|own| !found.contains(own)));
                found
            })
            .collect();
        // What is read with a delay that is a signal changes when a crossing says so.
        let mut readers = Vec::new();
        for line in program.readers.iter().copied() {
            let region = program.origins.block(program.lines[line].block).region;
            readers.push(region);
            let own = &mut crossings[region];
            own.extend(&lines[line]);
            own.sort_unstable();
            own.dedup();
        }
        let inputs = program.inputs.iter().map(|input| {
            let states = input.states().map(|state| program.states[state].tracked);
            search.reached(states.collect::<Vec<_>>())
        });
        let inputs = inputs.collect();
        let count = program.regions.len();
        let (timers_of, lines_of) = (turned(&timers, count), turned(&lines, count));
        readers.sort_unstable();
        readers.dedup();
        Influence { timers, crossings, timers_of, lines, lines_of, readers, inputs }
    }
}

/// For each region, what reaches it.
fn turned<I: TypedId>(
    regions_of: &Table<I, Vec<RegionId>>,
    count: usize,
) -> Table<RegionId, Vec<I>> {
    let mut turned: Table<RegionId, Vec<I>> = Table::filled(Vec::new(), count);
    for (id, regions) in regions_of.entries() {
        regions.iter().for_each(|region| turned[*region].push(id));
    }
    turned
}

/// Follows changes of tracked signals through the units that read them, the outputs and commits of
/// these, and the crossings that they move. Everything visited is marked with the number of the
/// search, so that a search costs no more than what it reaches.
struct Search<'a> {
    program: &'a Program,
    number: u32,
    units: Table<UnitId, u32>,
    machines: Table<MachineId, u32>,
    open: Vec<TrackedId>,
    /// For each part of a wire that is read with a delay that is a signal, the times of changes that
    /// move when it changes.
    bounds: FxHashMap<TrackedId, Vec<TrackedId>>,
    /// The regions that each machine may reach, once computed: many timers lead to the same
    /// machine, and its search need not be repeated for each.
    by_machine: Table<MachineId, Option<Vec<RegionId>>>,
}

impl<'a> Search<'a> {
    fn new(program: &'a Program) -> Self {
        let units = Table::filled(0, program.units.len());
        let machines = Table::filled(0, program.machines.len());
        let by_machine = Table::filled(None, program.machines.len());
        let mut bounds: FxHashMap<TrackedId, Vec<TrackedId>> = FxHashMap::default();
        for line in program.readers.iter().map(|line| &program.lines[*line]) {
            for part in &line.from {
                bounds.entry(*part).or_default().extend(line.reading.iter().flat_map(|r| r.bounds));
            }
        }
        Search { program, number: 0, units, machines, open: Vec::new(), bounds, by_machine }
    }

    /// The regions that the crossings of a region may reach, and itself.
    fn reached_by_region(&mut self, region: RegionId) -> Vec<RegionId> {
        let program = self.program;
        let watched = program.regions[region].watches.iter();
        let crossings = watched.map(|watch| &program.crossings[watch.crossing]);
        let tracked = crossings.flat_map(|crossing| [Some(crossing.frozen), crossing.crossed]);
        let mut found = self.reached(tracked.flatten());
        if !found.contains(&region) {
            found.push(region);
        }
        found
    }

    /// The regions that changes of some tracked signals may reach, in order.
    fn reached(&mut self, tracked: impl IntoIterator<Item = TrackedId>) -> Vec<RegionId> {
        self.open.extend(tracked);
        let (mut regions, machines) = self.follow_all(false);
        for machine in machines {
            regions.extend(self.reached_by_machine(machine));
        }
        regions.sort_unstable();
        regions.dedup();
        regions
    }

    /// The regions that a machine may reach when it changes state.
    fn reached_by_machine(&mut self, machine: MachineId) -> &[RegionId] {
        if self.by_machine[machine].is_none() {
            let own = &self.program.machines[machine];
            self.open.extend(own.tracked.iter());
            let (mut regions, _) = self.follow_all(true);
            regions.extend(&own.regions);
            regions.sort_unstable();
            regions.dedup();
            self.by_machine[machine] = Some(regions);
        }
        self.by_machine[machine].as_deref().unwrap_or_default()
    }

    /// Follows all open tracked signals to the regions and machines that they lead to; with
    /// `through`, machines are followed as well.
    fn follow_all(&mut self, through: bool) -> (Vec<RegionId>, Vec<MachineId>) {
        let program = self.program;
        self.number += 1;
        let (mut regions, mut machines) = (Vec::new(), Vec::new());
        while let Some(tracked) = self.open.pop() {
            self.open.extend(self.bounds.get(&tracked).into_iter().flatten());
            let tracked = program.tracked(tracked);
            regions.extend(&tracked.regions);
            for machine in tracked.machines.iter().copied() {
                if std::mem::replace(&mut self.machines[machine], self.number) == self.number {
                    continue;
                }
                machines.push(machine);
                if through {
                    let machine = &program.machines[machine];
                    regions.extend(&machine.regions);
                    self.open.extend(machine.tracked.iter());
                }
            }
            for unit in &tracked.readers {
                if std::mem::replace(&mut self.units[*unit], self.number) != self.number {
                    regions.push(program.units[*unit].region);
                    self.follow(&program.units[*unit]);
                }
            }
        }
        (regions, machines)
    }

    fn follow(&mut self, unit: &Unit) {
        let program = self.program;
        self.open.extend(unit.outputs.iter().map(|output| output.tracked));
        self.open.extend(unit.nexts.iter().map(|next| program.states[next.state].tracked));
        for crossing in unit.crossings.iter().map(|own| &program.crossings[own.crossing]) {
            self.open.extend([Some(crossing.frozen), crossing.crossed].into_iter().flatten());
        }
    }
}
