//! Microsteps that come to no end.

use program::Output;

use crate::RunError;
use crate::simulation::Simulation;
use crate::snapshot::Mark;

/// How many microsteps before the limit it is looked whether they repeat. A period of up to half of
/// that is found, after R. P. Brent, "An improved Monte Carlo factorization algorithm" (1980).
pub(crate) const NEAR_LIMIT: u32 = 64;

impl Simulation {
    /// Looks at a microstep near the limit of microsteps at one time, or beyond it. What decides
    /// about those to come is kept, and where it is the same again they never end.
    #[cold]
    pub(crate) fn check_chattering(&mut self) -> Result<(), RunError> {
        let limit = self.options.microsteps;
        let Some(tick) = &mut self.s.tick else { return Ok(()) };
        let bits = || self.s.slots.iter().map(|x| x.to_bits());
        tick.repeats |= tick.mark.as_ref().is_some_and(|mark| {
            mark.dirty == tick.dirty
                && mark.pulses == tick.pulses
                && bits().eq(mark.slots.iter().copied())
        });
        tick.looks += 1;
        if tick.looks.is_power_of_two() {
            let (dirty, pulses) = (tick.dirty.clone(), tick.pulses.clone());
            tick.mark = Some(Mark { slots: bits().collect(), dirty, pulses });
        }
        match tick.microstep > limit {
            true => Err(self.chattering()),
            false => Ok(()),
        }
    }

    fn chattering(&self) -> RunError {
        let Some(tick) = &self.s.tick else {
            unreachable!("only a tick has microsteps");
        };
        let mut blocks: Vec<String> = Vec::new();
        for (index, unit) in self.program.units.iter().enumerate() {
            let present = |output: &Output| {
                let cell = self.program.cell(output.cell);
                cell.event && self.s.slots[cell.slot as usize] != 0.0
            };
            let dirty =
                tick.dirty[index / 64] >> (index % 64) & 1 == 1 || unit.outputs.iter().any(present);
            let path = self.path(unit.block);
            if dirty && !blocks.contains(&path) && blocks.len() < 8 {
                blocks.push(path);
            }
        }
        let (time, limit, endless) = (tick.time, self.options.microsteps, tick.repeats);
        RunError::Chattering { time, limit, blocks, endless }
    }
}
