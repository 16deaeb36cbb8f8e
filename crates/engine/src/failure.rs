//! How a failure is reported, and which block is to blame.
mod inputs;

use base::Tag;
use program::{BlockId, BlockName, FragmentId, RegionId, WireId, WireSlots};
use solver::StepError;

pub use inputs::InputValue;

use crate::RunError;
use crate::engine::Engine;
use crate::smooth::flow::{Flow, all_finite, numbered, states, watches};
use crate::smooth::region::ActiveSlice;

impl Engine<'_> {
    /// The error that has stopped the solver of a region, with the block that caused it.
    pub(crate) fn step_error(&mut self, region: RegionId, error: StepError) -> RunError {
        let program = &self.program.regions[region];
        let state = &mut self.state.regions[region];
        let (origin, reached) = (state.origin, state.reached);
        let at = |t: f64| Tag::new(origin.offset(t).unwrap_or(reached), 0);
        let owner = |ranges: &[ActiveSlice], component: usize| {
            program.owners.get(numbered(states(ranges), component)).copied()
        };
        match error {
            StepError::NotFinite { t, component } => {
                let tag = at(t);
                let named = component.and_then(|component| owner(&state.ranges, component));
                let blamed = self.program.blame(region, &self.state.slots);
                match blamed {
                    Some(block) => {
                        self.not_finite(tag, self.program.origins.block(block).outputs[0])
                    }
                    None => RunError::NotFinite { tag, block: self.name_or_model(named) },
                }
            }
            StepError::CrossingNotANumber { t, crossing } => {
                let tag = at(t);
                let watch = numbered(watches(&state.ranges), crossing);
                let watch = program.watches[watch].crossing;
                let blamed = self.program.blame(region, &self.state.slots);
                let id = blamed.or(Some(self.program.crossings[watch].block));
                RunError::NotFinite { tag, block: self.name_or_model(id) }
            }
            StepError::StepTooSmall { t } => self.too_small(region, t, at(t)),
            StepError::Undecided { t, crossing } => {
                let watch = numbered(watches(&state.ranges), crossing);
                let id = self.program.crossings[program.watches[watch].crossing].block;
                RunError::Undecided { tag: at(t), block: self.name(id) }
            }
            StepError::ToleranceTooSmall { t, component } => {
                let (tag, id, value) =
                    (at(t), owner(&state.ranges, component), state.solver.state()[component]);
                let allowed = state.solver.allowed(value);
                RunError::ToleranceTooSmall { tag, block: self.name_or_model(id), value, allowed }
            }
            StepError::NewtonFailed { t } => {
                let (tag, id) = (at(t), program.owners.first().copied());
                RunError::NoSolution { tag, block: self.name_or_model(id) }
            }
        }
    }

    /// The error of a step that became too small: if a value just ahead is not finite there is a
    /// wall, not mere speed.
    fn too_small(&mut self, region: RegionId, t: f64, tag: Tag) -> RunError {
        let state = &mut self.state.regions[region];
        let ahead = t + 64.0 * f64::EPSILON * t.abs().max(1e-290);
        let x = state.solver.state().to_vec();
        let (ranges, slots) = (&state.ranges, &mut self.state.slots);
        let past = (&mut state.history, &mut self.scratch.functions[region]);
        let active = &self.scratch.active[region];
        let origin = (state.origin, state.origin_seconds);
        Flow::new(self.program, region, ranges, active, slots, origin, past).place(ahead, &x);
        let blamed = self.program.blame(region, &self.state.slots);
        if let Some(block) = blamed {
            return self.not_finite(tag, self.program.origins.block(block).outputs[0]);
        }
        let id = self.fastest(region);
        RunError::StepTooSmall { tag, block: self.name_or_model(id) }
    }

    /// The block whose state moves fastest at the point that the solution of a region has reached.
    fn fastest(&self, region: RegionId) -> Option<BlockId> {
        let state = &self.state.regions[region];
        let rates = state.solver.derivative();
        let fastest =
            (0..rates.len()).max_by(|a, b| rates[*a].abs().total_cmp(&rates[*b].abs()))?;
        let owners = &self.program.regions[region].owners;
        owners.get(numbered(states(&state.ranges), fastest)).copied()
    }

    /// The error of steps that become ever shorter towards a time \[s\].
    pub(crate) fn creeping(&mut self, limit: f64) -> RunError {
        let region = self.slowest().unwrap_or(RegionId::STILL);
        let (tag, id) = (Tag::new(self.state.regions[region].reached, 0), self.fastest(region));
        RunError::Creeping { tag, limit, block: self.name_or_model(id) }
    }

    /// The path of a block.
    pub(crate) fn path(&self, block: BlockId) -> String {
        self.program.origins.path(block)
    }

    /// The name of a block for errors and events.
    pub(crate) fn name(&self, block: BlockId) -> BlockName {
        self.program.origins.name(block)
    }

    pub(crate) fn name_or_model(&self, block: Option<BlockId>) -> BlockName {
        self.program.origins.name_or_model(block)
    }

    /// The error of a value that is not finite: if its wire is in a solved loop, the loop has no
    /// solution.
    pub(crate) fn not_finite(&self, tag: Tag, wire: WireId) -> RunError {
        let block = self.name(self.program.origins.source(wire));
        match self.program.solved.contains(&wire) {
            true => RunError::of_loop(tag, block, self.program.is_left_open(&self.state.slots)),
            false => RunError::NotFinite { tag, block },
        }
    }

    /// Checks every wire that is present, at the start.
    pub(crate) fn check_all_finite(&self, tag: Tag) -> Result<(), RunError> {
        // The buffer hardly ever contains a value that is not finite.
        if all_finite(&self.state.slots) {
            return Ok(());
        }
        for (id, parts) in self.program.wires.entries() {
            let value = self.program.tracked(parts.value);
            let from = value.slot.index();
            let finite = self.state.slots[from..from + value.length].iter().all(|x| x.is_finite());
            let present = self.state.slots[self.program.tracked(parts.present).slot.index()] != 0.0;
            let block = self.program.origins.block(self.program.origins.source(id));
            if present && !finite && !block.passive && self.runs(block.fragment) {
                return Err(self.not_finite(tag, id));
            }
        }
        Ok(())
    }

    /// Checks the wires of a region that have just been evaluated. This is done at every row.
    pub(crate) fn check_finite(&self, region: RegionId, tag: Tag) -> Result<(), RunError> {
        if self.is_finite(region) {
            return Ok(());
        }
        let slots = &self.state.slots[..];
        let wrong = |(index, own): (usize, &WireSlots)| {
            let values = &slots[own.from.range(own.length)];
            values.iter().any(|x| !x.is_finite())
                && slots[own.present.index()] != 0.0
                && self.runs(self.fragment_of(self.program.regions[region].wires[index]))
        };
        let mut wires = self.program.regions[region].wire_slots.iter().enumerate();
        let Some(wrong) = wires.position(wrong) else { return Ok(()) };
        let blamed = self.program.blame(region, slots);
        let wire = self.program.regions[region].wires[wrong];
        let wire = blamed.map_or(wire, |block| self.program.origins.block(block).outputs[0]);
        Err(self.not_finite(tag, wire))
    }

    /// Whether all signals of a region are finite, absent ones included.
    #[inline]
    pub(crate) fn is_finite(&self, region: RegionId) -> bool {
        let slots = &self.state.slots[..];
        let own = &self.program.regions[region];
        if own.wire_span.as_ref().is_some_and(|span| all_finite(&slots[span.clone()])) {
            return true;
        }
        // A finite number times zero has no bits but its sign. Most are single numbers, and all of
        // them finite.
        let odd = |own: &WireSlots| match own.length {
            1 => (slots[own.from.index()] * 0.0).abs().to_bits() != 0,
            length => slots[own.from.range(length)].iter().any(|x| !x.is_finite()),
        };
        !own.wire_slots.iter().any(odd)
    }

    fn fragment_of(&self, wire: WireId) -> FragmentId {
        self.program.origins.block(self.program.origins.source(wire)).fragment
    }
}
