//! A program as text: what runs between events and at ticks, with the names of the model.
//!
//! ```text
//! y'            the rate of a state             y?       whether a signal is present
//! y!0           the coefficient of an impulse   g(b#0)   a crossing function of a block
//! side(b#0)     its frozen sign                 %7       an intermediate value
//! ```

use std::fmt::Write;

use base::Table;
use diagram::{MachineId, RegionId, WireId};
use ir::{Layout, Slot, SlotNames, Tape};

use crate::fixed_step::{FixedStepProgram, Pass};
use crate::machines::{MachineProgram, TransitionValue};
use crate::origins::Origins;
use crate::program::Program;
use crate::region::{Crossing, CrossingId, CrossingKind, RegionProgram};
use crate::tracked::{
    StateId, TimerId, Tracked, TrackedId, TrackedState, TrackedTimer, TrackedWire,
};
use crate::unit::{Check, CrossingValue, Unit};

/// The names of the slots.
struct Names(Vec<Option<String>>);

/// The tables that programs of both kinds have.
struct Tables<'a> {
    origins: &'a Origins,
    tracked: &'a Table<TrackedId, Tracked>,
    states: &'a Table<StateId, TrackedState>,
    crossings: &'a Table<CrossingId, Crossing>,
    timers: &'a Table<TimerId, TrackedTimer>,
    wires: &'a Table<WireId, TrackedWire>,
}

impl Names {
    fn new(tables: &Tables, time: Slot, length: usize) -> Names {
        let mut names = Names(vec![None; length]);
        names.put(time, 1, "time");
        let Tables { origins, tracked, .. } = tables;
        let mut put = |id: TrackedId, name: &str| {
            let place = &tracked[id];
            names.put(place.slot, place.length, name);
        };
        for (id, state) in tables.states.entries() {
            put(state.tracked, &state_name(tables, id));
        }
        for (id, wire) in tables.wires.entries() {
            let name = origins.wire_name(id);
            // A wire that shows a state has slots of its own.
            put(wire.value, &format!("{name}.out"));
            put(wire.present, &format!("{name}?"));
            for (order, impulse) in wire.impulses.iter().enumerate() {
                put(*impulse, &format!("{name}!{order}"));
            }
            for (order, derivative) in wire.derivatives.iter().enumerate() {
                put(*derivative, &format!("{name}.d{}", order + 1));
            }
        }
        for timer in tables.timers {
            let path = &origins.block(timer.block).path;
            put(timer.woken, &format!("{path}.woken"));
            put(timer.wakings, &format!("{path}.wakings"));
        }
        for (id, crossing) in tables.crossings.entries() {
            let (kind, of) = (kind(crossing), crossing_name(origins, id, crossing));
            put(crossing.frozen, &format!("{kind}({of})"));
            if let Some(crossed) = crossing.crossed {
                put(crossed, &format!("crossed({of})"));
            }
        }
        for (id, crossing) in tables.crossings.entries() {
            let of = crossing_name(origins, id, crossing);
            names.put(crossing.value, 1, &format!("g({of})"));
            names.put(crossing.residual, 1, &format!("residual({of})"));
        }
        names
    }

    /// Names slots, unless they have a name.
    fn put(&mut self, from: Slot, length: usize, name: &str) {
        for element in 0..length {
            let own = &mut self.0[from.index() + element];
            let element =
                || if length == 1 { name.to_owned() } else { format!("{name}[{element}]") };
            own.get_or_insert_with(element);
        }
    }

    fn constants(&mut self, layout: &Layout) {
        for (slot, data) in layout.constants() {
            for (element, value) in data.iter().enumerate() {
                self.0[slot.index() + element].get_or_insert_with(|| value.to_string());
            }
        }
    }

    fn name(&self, slot: Slot) -> String {
        let known = self.0.get(slot.index()).and_then(Clone::clone);
        known.unwrap_or_else(|| format!("%{}", slot.0))
    }
}

/// The path of the block and the name of the state, with an index if other states of the block have
/// that name too.
fn state_name(tables: &Tables, id: StateId) -> String {
    let state = &tables.states[id];
    let path = &tables.origins.block(state.block).path;
    let alike = |other: &&TrackedState| other.block == state.block && other.name == state.name;
    let before =
        tables.states.iter().take(id.index()).rev().take_while(|other| other.block == state.block);
    match (&*state.name, before.filter(alike).count()) {
        ("state" | "", 0) => path.to_string(),
        (name, 0) => format!("{path}.{name}"),
        (name, before) => format!("{path}.{name}{}", before + 1),
    }
}

fn kind(crossing: &Crossing) -> &'static str {
    match crossing.kind {
        CrossingKind::Sign => "side",
        CrossingKind::Floor => "floor",
    }
}

fn crossing_name(origins: &Origins, id: CrossingId, crossing: &Crossing) -> String {
    format!("{}#{}", origins.block(crossing.block).path, id.index())
}

/// Writes the parts of a listing.
struct Listing {
    names: Names,
    out: String,
}

impl Listing {
    fn tape(&mut self, title: &str, tape: &Tape) {
        if !tape.is_empty() {
            let Listing { names, out } = self;
            let name: SlotNames = &|slot| names.name(slot);
            let _ = write!(out, "  {title}:\n{}", tape.listing(4, name));
        }
    }

    fn line(&mut self, text: &str) {
        self.out += text;
        self.out.push('\n');
    }

    fn list(&mut self, title: &str, items: impl Iterator<Item = String>) {
        let items: Vec<String> = items.collect();
        if !items.is_empty() {
            self.line(&format!("  {title} {}", items.join(", ")));
        }
    }
}

impl Program {
    /// All tapes, each with its purpose.
    pub fn listing(&self) -> String {
        let tables = Tables {
            origins: &self.origins,
            tracked: &self.tracked,
            states: &self.states,
            crossings: &self.crossings,
            timers: &self.timers,
            wires: &self.wires,
        };
        let mut names = Names::new(&tables, self.time, self.image.len());
        for region in &self.regions {
            self.name_region(region, &mut names);
        }
        self.name_switched(&mut names);
        names.constants(&self.layout);
        let mut listing = Listing { names, out: String::new() };
        listing.line(&format!(
            "program {}: {} numbers, {} regions, {} units",
            self.origins.model,
            self.image.len(),
            self.regions.len(),
            self.units.len()
        ));
        listing.tape("still", &self.still);
        for (id, region) in self.regions.entries() {
            self.list_region(id, region, &mut listing);
        }
        for unit in &self.units {
            self.list_unit(unit, &mut listing);
        }
        for (id, machine) in self.machines.entries() {
            self.list_machine(id, machine, &mut listing);
        }
        listing.out
    }

    /// Rates, slopes and samples are named after what they belong to.
    fn name_region(&self, region: &RegionProgram, names: &mut Names) {
        for offset in 0..region.dimension {
            let name = format!("{}'", names.name(region.state.plus(offset)));
            names.put(region.rate.plus(offset), 1, &name);
        }
        for (watch, own) in region.watches.iter().enumerate() {
            let crossing = &self.crossings[own.crossing];
            let of = crossing_name(&self.origins, own.crossing, crossing);
            for (from, name) in
                [(region.g, "g"), (region.side, "side"), (region.residual, "residual")]
            {
                names.put(from.plus(watch), 1, &format!("{name}({of})"));
            }
            let name = format!("{}'", names.name(region.g.plus(watch)));
            names.put(region.g_rate.plus(watch), 1, &name);
        }
        for line in &region.lines {
            let Some(track) = &self.lines[*line].track else { continue };
            let name = format!("{}.delayed", self.origins.block(self.lines[*line].block).path);
            names.put(track.place, track.width, &name);
            names.put(track.slope, track.width, &format!("{name}'"));
        }
        names.put(region.samples, region.sample_width, "sample");
    }

    /// Names conditions and clocks of fragments, and the outputs of delay lines.
    fn name_switched(&self, names: &mut Names) {
        for (machine, own) in self.machines.entries() {
            let origin = self.origins.machine(machine);
            for (state, name) in own.states.iter().zip(&origin.states) {
                let state_name = format!("{}.{name}", origin.path);
                let content = state.content.map(|content| (content, "runs"));
                for (fragment, what) in [(state.dwell, "dwells")].into_iter().chain(content) {
                    let fragment = &self.fragments[fragment];
                    names.put(fragment.active, 1, &format!("{what}({state_name})"));
                    names.put(fragment.origin, 1, &format!("origin of {what}({state_name})"));
                }
            }
        }
        for clock in &self.clocks {
            let name = names.name(clock.origin[0]);
            names.put(clock.origin[1], 1, &format!("rest of {name}"));
            names.put(clock.rest, 1, &format!("rest of time since {name}"));
        }
        for line in self.lines.iter() {
            let name = format!("{}.delayed", self.origins.block(line.block).path);
            for (part, id) in ["?", ""].into_iter().zip(&line.to) {
                let to = self.tracked(*id);
                names.put(to.slot, to.length, &format!("{name}{part}"));
            }
        }
    }

    fn list_region(&self, id: RegionId, region: &RegionProgram, listing: &mut Listing) {
        let tapes = [
            ("prelude", &region.prelude),
            ("rates", &region.derivative),
            ("crossings", &region.crossings),
            ("left limits", &region.left),
            ("sample", &region.sample),
            ("complete", &region.complete),
        ];
        if tapes.iter().all(|(_, tape)| tape.is_empty()) && region.memories.is_empty() {
            return;
        }
        let first = self.origins.first_in(id);
        let name = first.map_or("", |block| &block.path);
        listing.line(&format!("\nregion {} of {name}", id.index()));
        for (title, tape) in tapes {
            listing.tape(title, tape);
        }
        if let Some(jacobian) = &region.jacobian {
            listing.tape("jacobian", &jacobian.tape);
        }
        for memory in &region.memories {
            let to = self.tracked(self.states[memory.state].tracked).slot;
            let line = format!(
                "  at a tick: {} = {}",
                listing.names.name(to),
                listing.names.name(memory.from)
            );
            listing.line(&line);
        }
    }

    fn list_unit(&self, unit: &Unit, listing: &mut Listing) {
        let path = &self.origins.block(unit.block).path;
        listing.line(&format!("\nunit {path}, region {}", unit.region.index()));
        listing.tape("runs", &unit.tape);
        for output in &unit.outputs {
            let name = |slot: Slot| listing.names.name(slot);
            let line = format!("  {} = {}", name(output.to), name(output.from));
            let guard = output.guard.map(|guard| format!(" if {}", name(guard)));
            listing.line(&(line + &guard.unwrap_or_default()));
        }
        for next in &unit.nexts {
            let to = self.tracked(self.states[next.state].tracked).slot;
            let line = format!(
                "  at the commit: {} = {}",
                listing.names.name(to),
                listing.names.name(next.from)
            );
            listing.line(&line);
        }
        for CrossingValue { from, crossing } in &unit.crossings {
            let to = self.crossings[*crossing].value;
            let line = format!(
                "  at the commit: {} = {}",
                listing.names.name(to),
                listing.names.name(*from)
            );
            listing.line(&line);
        }
        for Check { from, reason, .. } in &unit.checks {
            let line = format!("  refused if {}: {reason}", listing.names.name(*from));
            listing.line(&line);
        }
    }

    fn list_machine(&self, id: MachineId, machine: &MachineProgram, listing: &mut Listing) {
        let origin = self.origins.machine(id);
        listing.line(&format!("\nmachine {}", origin.path));
        for (state, own) in machine.states.iter().enumerate() {
            for transition in &own.transitions {
                let (from, to) = (&origin.states[state], &origin.states[transition.to]);
                listing.line(&format!("  {from} -> {to}"));
                let value =
                    |value: &TransitionValue| self.origins.block(value.block).path.to_string();
                listing.list("  if", transition.guards.iter().map(value));
                listing.list("  sets by", transition.sets.iter().map(|set| value(&set.value)));
                listing.list("  says", transition.says.iter().map(|(_, said)| value(said)));
            }
        }
    }
}

impl FixedStepProgram {
    /// Both passes through the diagram.
    pub fn listing(&self) -> String {
        let tables = Tables {
            origins: &self.origins,
            tracked: &self.tracked,
            states: &self.states,
            crossings: &self.crossings,
            timers: &self.timers,
            wires: &self.wires,
        };
        let mut names = Names::new(&tables, self.time, self.image.len());
        names.put(self.step, 1, "step");
        names.constants(&self.layout);
        let mut listing = Listing { names, out: String::new() };
        let (model, count) = (&self.origins.model, self.image.len());
        listing.line(&format!("program {model} by fixed steps: {count} numbers"));
        for (title, pass) in [("without events", &self.quiet), ("with events", &self.events)] {
            self.list_pass(title, pass, &mut listing);
        }
        listing.out
    }

    fn list_pass(&self, title: &str, pass: &Pass, listing: &mut Listing) {
        listing.line(&format!("\npass {title}"));
        listing.tape("runs", &pass.tape);
        let outputs = pass.outputs.iter().map(|output| (output.from, output.tracked));
        let states = pass.nexts.iter().map(|next| (next.from, self.states[next.state].tracked));
        for (from, to) in outputs.chain(states) {
            let name = |slot: Slot| listing.names.name(slot);
            let line = format!("  then {} = {}", name(self.tracked(to).slot), name(from));
            listing.line(&line);
        }
        for CrossingValue { from, crossing } in &pass.crossings {
            let name = |slot: Slot| listing.names.name(slot);
            let line =
                format!("  then {} = {}", name(self.crossings[*crossing].value), name(*from));
            listing.line(&line);
        }
    }
}
