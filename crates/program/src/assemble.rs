//! Assembles the parts of a program: tables say which units, regions and delay lines belong to
//! what.
use std::ops::Range;
use std::sync::Arc;

use base::Table;
use diagram::{BlockId, Diagram, RegionId, WireId};
use rustc_hash::FxHashMap;
use schedule::{Schedule, Step};

use crate::delay_line::{DelayLine, LineId};
use crate::influence::Influence;
use crate::inputs::inputs;
use crate::machines::Compiled;
use crate::origins::Origins;
use crate::program::{Code, Program, StepLimits};
use crate::region::{Crossing, CrossingId, RegionProgram};
use crate::slots::Slots;
use crate::smooth::Smooth;
use crate::tracked::{Tracked, TrackedId, TrackedWire, WireSlots};
use crate::unit::{CrossingValue, Unit, UnitEffects, UnitId, UnitWord};

/// Assembles the parts of a program. Most of it is one list of fields, and so longer than a function
/// should otherwise be.
pub(crate) fn program(
    diagram: &Diagram,
    schedule: &Schedule,
    smooth: Smooth,
    mut units: Table<UnitId, Unit>,
    machines: Compiled,
) -> Program {
    let Smooth { mut slots, graph, still, records, values } = smooth;
    place_residuals(&mut units, &slots.crossings, diagram.blocks.len());
    slots.tracked.iter_mut().for_each(Tracked::gather_readers);
    place_units(&units, &mut slots.regions);
    place_wires(&mut slots);
    for region in slots.regions.iter_mut() {
        let active = region.slices.iter().map(|slice| machines.fragments[slice.fragment].active);
        region.conditions = active.collect();
    }
    let unlocated = unlocated(&units, &slots.crossings);
    let switched = !machines.machines.is_empty();
    let watched_lines = place_still_lines(&mut units, &slots.lines, switched);
    let limits = limits(diagram, &slots.regions);
    let inputs = inputs(diagram, &slots);
    let image = image(&slots);
    let reading = |line: &LineId| slots.lines[*line].reading;
    let readers: Vec<LineId> = slots.lines.ids().filter(|line| reading(line).is_some()).collect();
    let passings = readers.iter().filter_map(reading).flat_map(|own| own.passing).collect();
    let code = Code {
        time: slots.time,
        microstep: slots.microstep,
        regions: slots.regions,
        effects: units.iter().map(UnitEffects::of).collect(),
        units,
        unlocated,
        tracked: slots.tracked,
        states: slots.states,
        crossings: slots.crossings,
        watched_lines,
        readers,
        passings,
        wires: slots.wires,
        records,
        hazards: slots.hazards,
        still,
        guesses: slots.guesses,
        solved: solved_wires(schedule),
        fragments: machines.fragments,
        preempted: machines.preempted,
        remembering: machines.remembering,
        follows_steps: diagram.blocks.iter().any(|block| block.definition.follows_steps),
        recovering: machines.recovering,
        machines: machines.machines,
        influence: Influence::default(),
        inputs,
        parameters: slots.parameters.into_values().collect(),
        origins: Origins::of(diagram),
        graph,
        values,
        layout: slots.layout,
    };
    let (timers, lines) = (Arc::new(slots.timers), Arc::new(slots.lines));
    let mut program = Program { image, timers, lines, limits, code: Arc::new(code) };
    let influence = Influence::find(&program);
    if let Some(code) = Arc::get_mut(&mut program.code) {
        code.influence = influence;
    }
    debug_assert_eq!(program.verify(), Ok(()));
    program
}

/// The largest steps that blocks allow.
fn limits(diagram: &Diagram, regions: &Table<RegionId, RegionProgram>) -> Arc<StepLimits> {
    let blocks: Table<BlockId, f64> =
        diagram.blocks.iter().map(|block| block.definition.maximum_step).collect();
    Arc::new(StepLimits { slices: StepLimits::by_slices(regions, &blocks), blocks })
}

/// The initial buffer: constants, presets and initial states.
fn image(slots: &Slots) -> Vec<f64> {
    let mut image = slots.layout.image().to_vec();
    for (slot, data) in &slots.presets {
        image[slot.range(data.len())].copy_from_slice(data);
    }
    for state in &slots.states {
        let from = slots.tracked[state.tracked].slot.index();
        image[from..from + state.initial.len()].copy_from_slice(&state.initial);
    }
    image
}

/// Assigns to each unit the delay lines that do not move between events and read its outputs. If
/// machines switch wires on and off, all these delay lines are returned instead, to be watched.
fn place_still_lines(
    units: &mut Table<UnitId, Unit>,
    lines: &Table<LineId, DelayLine>,
    switched: bool,
) -> Vec<LineId> {
    let still = lines.ids().filter(|line| lines[*line].track.is_none());
    if switched {
        return still.collect();
    }
    let mut makers: FxHashMap<TrackedId, UnitId> = FxHashMap::default();
    for (id, unit) in units.entries() {
        makers.extend(unit.outputs.iter().map(|output| (output.tracked, id)));
    }
    for line in still {
        let cancel = lines[line].variable.and_then(|own| own.cancel);
        let read = lines[line].from.iter().chain(&cancel);
        for unit in read.filter_map(|tracked| makers.get(tracked)) {
            let own = &mut units[*unit].lines;
            if own.last() != Some(&line) {
                own.push(line);
            }
        }
    }
    Vec::new()
}

/// Gives each unit the slots of the residuals of its block's crossings.
fn place_residuals(
    units: &mut Table<UnitId, Unit>,
    crossings: &Table<CrossingId, Crossing>,
    blocks: usize,
) {
    let mut of = vec![Vec::new(); blocks];
    for crossing in crossings {
        of[crossing.block.index()].push(crossing.residual);
    }
    units.iter_mut().for_each(|unit| unit.residuals.clone_from(&of[unit.block.index()]));
}

/// The units with a crossing that no region watches.
fn unlocated(units: &Table<UnitId, Unit>, crossings: &Table<CrossingId, Crossing>) -> Vec<UnitId> {
    let is_unlocated = |own: &CrossingValue| crossings[own.crossing].watch.is_none();
    units.ids().filter(|unit| units[*unit].crossings.iter().any(is_unlocated)).collect()
}

/// Gives each region the slots of the wires that its left limits compute.
fn place_wires(slots: &mut Slots) {
    let Slots { regions, wires, tracked, .. } = slots;
    let slots_of = |wire: &WireId| {
        let TrackedWire { value, present, .. } = &wires[*wire];
        let (value, present) = (&tracked[*value], &tracked[*present]);
        let (from, present) = (value.slot, present.slot);
        WireSlots { from, length: value.length, present }
    };
    for region in regions {
        region.wire_slots = region.wires.iter().map(slots_of).collect();
        region.wire_span = span(&region.wire_slots);
    }
}

/// The part of the buffer from the first to the last value of some wires, if these are not far
/// apart: to look whether all of it is finite is then quicker than to look at each of them.
fn span(wires: &[WireSlots]) -> Option<Range<usize>> {
    const WIDE: usize = 8;
    let first = wires.iter().map(|own| own.from.index()).min()?;
    let end = wires.iter().map(|own| own.from.index() + own.length).max()?;
    let length: usize = wires.iter().map(|own| own.length).sum();
    (wires.len() > 1 && end - first <= WIDE * length).then_some(first..end)
}

/// Gives each region the units of its blocks.
fn place_units(units: &Table<UnitId, Unit>, regions: &mut Table<RegionId, RegionProgram>) {
    let mut own: Table<RegionId, Vec<UnitId>> = Table::filled(Vec::new(), regions.len());
    for (id, unit) in units.entries() {
        own[unit.region].push(id);
    }
    for (region, units) in regions.iter_mut().zip(own) {
        region.units = UnitWord::gather(units.into_iter());
    }
}

pub(crate) fn solved_wires(schedule: &Schedule) -> Vec<WireId> {
    let mut wires = Vec::new();
    for step in schedule.smooth.iter().chain(&schedule.tick) {
        if let Step::Solve { unknowns, rest } = step {
            let members = unknowns.iter().map(|(id, _)| id).chain(rest);
            wires.extend(members.map(|id| schedule.parts.get(*id).wire));
        }
    }
    wires
}
