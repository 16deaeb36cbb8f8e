//! Which surfaces a region slides on, decided when a microstep is committed.

use base::Tag;
use program::tape::Dual;
use program::{CrossingId, CrossingKind, MaySlide, RegionId, WatchId};

use super::same::{factor, sampled};
use super::weights::{Status, Unclear, decide};
use super::{Member, Surface, put_all};
use crate::RunError;
use crate::engine::Engine;
use crate::error::SlidingFailure;
use crate::log::Event;
use crate::rows::Sink;
use crate::sides::sign;
use crate::smooth::flow::{numbered, room, watches};

impl Engine<'_> {
    /// Decides for the comparisons of a region that may slide and are on their level: to which side
    /// the motion leaves, or that it slides. Adds the new sides of those that leave to `found`, and
    /// remembers all watched functions about which it has decided, so that nothing else does.
    /// Returns whether the region slides on surfaces on which it did not.
    ///
    /// `begins` says that left limits are in the buffer; a region that slides is then on its
    /// surfaces by definition.
    pub(crate) fn decide_sliding(
        &mut self,
        region: RegionId,
        begins: bool,
        found: &mut Vec<(CrossingId, f64)>,
        sink: &mut dyn Sink,
    ) -> Result<bool, RunError> {
        let code = &self.program.regions[region];
        if code.sliding.is_empty() {
            return Ok(false);
        }
        if begins {
            self.count_sliding_as_zero(region);
        }
        let zeros = self.zeros(region);
        let slid = !std::mem::take(&mut self.state.regions[region].surfaces).is_empty();
        if zeros.is_empty() {
            return Ok(false);
        }
        let mut surfaces = self.gather_surfaces(region, &zeros);
        let statuses = match self.statuses(region, &surfaces) {
            Ok(Some(statuses)) => statuses,
            // The motion leaves as it does without sliding.
            Ok(None) => return Ok(false),
            Err(error) if slid => return Err(error),
            Err(_) => return Ok(false),
        };
        let mut begun = false;
        for (surface, status) in surfaces.iter().zip(&statuses) {
            begun |= self.take_status(region, surface, *status, found, sink);
        }
        let mut slides = statuses.iter().map(|status| *status == Status::Slides);
        surfaces.retain(|_| slides.next().unwrap_or(false));
        self.state.regions[region].surfaces = surfaces;
        if !self.state.regions[region].surfaces.is_empty() {
            self.check_separable(region)?;
            // Whatever else is zero moves with the combined rates.
            self.compute_rates(region, false);
        }
        Ok(begun)
    }

    /// Adds the new sides of a surface's comparisons to `found`; returns whether the region begins
    /// to slide on one of them.
    fn take_status(
        &mut self,
        region: RegionId,
        surface: &Surface,
        status: Status,
        found: &mut Vec<(CrossingId, f64)>,
        sink: &mut dyn Sink,
    ) -> bool {
        let code = &self.program.regions[region];
        let mut begun = false;
        for member in &surface.members {
            let id = code.watches[member.watch].crossing;
            let new = member.sign * status.side();
            let differs = self.state.slots[code.side.index() + member.watch] != new;
            match status {
                Status::Slides if differs => {
                    self.begin_sliding(id, sink);
                    begun = true;
                }
                Status::Slides => {}
                _ if differs => found.push((id, new)),
                _ => {}
            }
            self.scratch.decided.push(member.watch);
        }
        if status == Status::Slides {
            self.scratch.decided.extend(&surface.held);
            // Other comparisons of the function see zero, which is no event.
            let side = |watch: &usize| self.state.slots[code.side.index() + watch];
            let moved = surface.held.iter().filter(|watch| side(watch) != 0.0);
            found.extend(moved.map(|watch| (code.watches[*watch].crossing, 0.0)));
        }
        begun
    }

    /// A comparison is on its surface from now on. What reads it is not evaluated: the signals of its
    /// region become combinations when the tick ends.
    fn begin_sliding(&mut self, id: CrossingId, sink: &mut dyn Sink) {
        let crossing = &self.program.crossings[id];
        let side = self.program.tracked(crossing.frozen).slot.index();
        let old = std::mem::replace(&mut self.state.slots[side], 0.0);
        if let (Some(tick), Some(watch)) = (&mut self.state.tick, crossing.watch) {
            tick.disturb(watch.region);
        }
        if sink.listens() {
            let (tag, block) = (self.state.tag, self.name(crossing.block));
            sink.event(Event::Side { tag, block, from: old, to: 0.0, slides: true });
        }
    }

    /// Steps may have left curved surfaces by their errors; the functions count as zero.
    fn count_sliding_as_zero(&mut self, region: RegionId) {
        let code = &self.program.regions[region];
        for surface in &self.state.regions[region].surfaces {
            for watch in surface.watches() {
                let g = self.state.slots[code.g.index() + watch].abs();
                let residual = &mut self.state.slots[code.residual.index() + watch];
                if g.is_finite() {
                    *residual = residual.max(g);
                }
            }
        }
    }

    /// The watched functions of a region that may slide, run, and are on their level.
    fn zeros(&mut self, region: RegionId) -> Vec<usize> {
        let code = &self.program.regions[region];
        let mut zeros = Vec::new();
        for watch in &code.sliding {
            if self.is_at_zero(WatchId { region, index: *watch }) {
                zeros.push(*watch);
            }
        }
        zeros
    }

    fn is_at_zero(&mut self, watch: WatchId) -> bool {
        let code = &self.program.regions[watch.region];
        let slice = code
            .slices
            .iter()
            .find(|slice| (slice.watch..slice.watch + slice.watches).contains(&watch.index));
        let runs =
            slice.is_some_and(|own| self.runs(own.fragment) && !self.is_silenced(own.fragment));
        let id = code.watches[watch.index].crossing;
        let value = self.state.slots[self.program.crossings[id].value.index()];
        runs && !value.is_nan() && self.is_on_level(watch, id, value)
    }

    /// Gathers functions that are equal up to a factor in surfaces, with the other functions that
    /// are zero on each.
    fn gather_surfaces(&mut self, region: RegionId, zeros: &[usize]) -> Vec<Surface> {
        let program = self.program;
        let code = &program.regions[region];
        let single =
            |watch: usize| Surface { members: vec![Member { watch, sign: 1.0 }], held: Vec::new() };
        let is_side = |watch: &usize| {
            let crossing = &program.crossings[code.watches[*watch].crossing];
            crossing.kind == CrossingKind::Sign && crossing.sliding != MaySlide::Yes
        };
        let others: Vec<usize> = (0..code.watches.len())
            .filter(is_side)
            .filter(|watch| self.is_at_zero(WatchId { region, index: *watch }))
            .collect();
        if zeros.len() == 1 && others.is_empty() {
            return vec![single(zeros[0])];
        }
        let mut sample = |watch: usize| {
            let room = room(&mut self.scratch.functions[region], code, watch);
            sampled(program, (WatchId { region, index: watch }, code), room, &self.state.slots)
        };
        let mut surfaces: Vec<(Surface, [f64; 8])> = Vec::new();
        for watch in zeros {
            let own = sample(*watch);
            let known = surfaces
                .iter_mut()
                .find_map(|(surface, first)| Some((surface, factor(&*first, &own)?)));
            match known {
                Some((surface, sign)) => surface.members.push(Member { watch: *watch, sign }),
                None => surfaces.push((single(*watch), own)),
            }
        }
        for watch in others {
            let own = sample(watch);
            let same = surfaces.iter_mut().find(|(_, first)| factor(first, &own).is_some());
            if let Some((surface, _)) = same {
                surface.held.push(watch);
            }
        }
        surfaces.into_iter().map(|(surface, _)| surface).collect()
    }

    fn statuses(
        &mut self,
        region: RegionId,
        surfaces: &[Surface],
    ) -> Result<Option<Vec<Status>>, RunError> {
        if let [surface] = surfaces {
            return Ok(self.status_of_one(region, surface).map(|status| vec![status]));
        }
        let k = surfaces.len();
        let code = &self.program.regions[region];
        let kept = self.sides_of(region, surfaces);
        put_all(surfaces, &mut self.state.slots, code.side, -1.0);
        let slopes: Vec<f64> =
            surfaces.iter().map(|own| self.sure_slope(region, own.watch())).collect();
        let mut matrix = vec![0.0; k * k];
        for (column, surface) in surfaces.iter().enumerate() {
            surface.put(&mut self.state.slots, code.side, 1.0);
            for (row, other) in surfaces.iter().enumerate() {
                matrix[row * k + column] = self.sure_slope(region, other.watch()) - slopes[row];
            }
            surface.put(&mut self.state.slots, code.side, -1.0);
        }
        self.restore_sides(&kept);
        let mut given = vec![None; k];
        // Each round decides about a surface that the motion is about to leave.
        for _ in 0..=k {
            let statuses = decide(&slopes, &matrix, &given).map_err(|unclear| {
                let failure = match unclear {
                    Unclear::NotUnique => SlidingFailure::NotUnique,
                    Unclear::TooMany => SlidingFailure::TooMany,
                };
                self.cannot_slide(region, surfaces, failure)
            })?;
            match self.leaving(region, surfaces, &statuses) {
                Some((i, status)) if given[i].is_none() => given[i] = Some(status),
                _ => return Ok(Some(statuses)),
            }
        }
        Err(self.cannot_slide(region, surfaces, SlidingFailure::NotUnique))
    }

    /// A surface on which the motion is only for this instant: its weight is 0 or 1 and goes on
    /// beyond that.
    fn leaving(
        &mut self,
        region: RegionId,
        surfaces: &[Surface],
        statuses: &[Status],
    ) -> Option<(usize, Status)> {
        let code = &self.program.regions[region];
        let slides = |i: &usize| statuses[*i] == Status::Slides;
        let sliding: Vec<usize> = (0..surfaces.len()).filter(slides).collect();
        let kept = self.sides_of(region, surfaces);
        for (surface, status) in surfaces.iter().zip(statuses) {
            surface.put(&mut self.state.slots, code.side, status.side());
        }
        let before = std::mem::replace(
            &mut self.state.regions[region].surfaces,
            sliding.iter().map(|i| surfaces[*i].clone()).collect(),
        );
        let weights = self.moving_weights(region);
        self.state.regions[region].surfaces = before;
        self.restore_sides(&kept);
        let leaves = |(i, weight): (&usize, Dual)| match weight.0 {
            [weight, rate] if weight.abs() <= EDGE && rate < 0.0 => Some((*i, Status::Below)),
            [weight, rate] if (weight - 1.0).abs() <= EDGE && rate > 0.0 => {
                Some((*i, Status::Above))
            }
            _ => None,
        };
        sliding.iter().zip(weights).find_map(leaves)
    }

    /// One surface: the first derivative of its function that is not zero, on either side.
    /// None if the surface repels and the motion is on neither side of it, or if only higher
    /// derivatives lead back to it: the mean of the rates is then not determined by the slopes.
    fn status_of_one(&mut self, region: RegionId, surface: &Surface) -> Option<Status> {
        let code = &self.program.regions[region];
        let watch = WatchId { region, index: surface.watch() };
        let kept = self.sides_of(region, std::slice::from_ref(surface));
        let side = self.state.slots[code.side.index() + surface.watch()];
        let on = |run: &mut Self, side: f64| {
            surface.put(&mut run.state.slots, code.side, side);
            let [_, slope] = run.rounded(watch);
            match slope.value.abs() > slope.error {
                true => (sign(slope.value), true),
                false => (run.higher_direction(watch), false),
            }
        };
        let (below, sure_below) = on(self, -1.0);
        let (above, sure_above) = on(self, 1.0);
        self.restore_sides(&kept);
        match (below, above) {
            (b, a) if b > 0.0 && a < 0.0 => (sure_below || sure_above).then_some(Status::Slides),
            (b, a) if b > 0.0 && a >= 0.0 => Some(Status::Above),
            (b, a) if b <= 0.0 && a < 0.0 => Some(Status::Below),
            // It repels, or nothing moves: the motion goes on to the side on which it is. From the
            // surface itself both ways are open.
            _ if side > 0.0 => Some(Status::Above),
            _ if side < 0.0 => Some(Status::Below),
            _ => None,
        }
    }

    /// The slope of a function with the sides in the buffer, or 0 if that is rounding.
    fn sure_slope(&mut self, region: RegionId, watch: usize) -> f64 {
        let [_, slope] = self.rounded(WatchId { region, index: watch });
        if slope.value.abs() > slope.error { slope.value } else { 0.0 }
    }

    /// Whether the solver has located a function at the time of this tick.
    pub(crate) fn is_located(&self, region: RegionId, watch: usize) -> bool {
        let state = &self.state.regions[region];
        let here = self.state.tick.as_ref().is_some_and(|tick| tick.time == state.reached);
        let mut crossed = state.solver.crossed().iter();
        state.crossing
            && here
            && crossed.any(|own| numbered(watches(&state.ranges), own.function) == watch)
    }

    fn sides_of(&self, region: RegionId, surfaces: &[Surface]) -> Vec<(usize, f64)> {
        let from = self.program.regions[region].side.index();
        let members = surfaces.iter().flat_map(|surface| &surface.members);
        members.map(|own| (from + own.watch, self.state.slots[from + own.watch])).collect()
    }

    fn restore_sides(&mut self, kept: &[(usize, f64)]) {
        kept.iter().for_each(|(slot, side)| self.state.slots[*slot] = *side);
    }

    /// Refuses rates that are not sums over the surfaces.
    fn check_separable(&mut self, region: RegionId) -> Result<(), RunError> {
        let surfaces = self.state.regions[region].surfaces.clone();
        if surfaces.len() < 2 {
            return Ok(());
        }
        let code = &self.program.regions[region];
        let kept = self.sides_of(region, &surfaces);
        let rates = |run: &mut Self| {
            program::tape::run(&code.derivative, &mut run.state.slots);
            run.state.slots[code.rate.range(code.dimension)].to_vec()
        };
        put_all(&surfaces, &mut self.state.slots, code.side, -1.0);
        let below = rates(self);
        let mut sum = below.clone();
        let mut size: Vec<f64> = below.iter().map(|rate| rate.abs()).collect();
        for surface in &surfaces {
            surface.put(&mut self.state.slots, code.side, 1.0);
            let above = rates(self);
            surface.put(&mut self.state.slots, code.side, -1.0);
            for i in 0..sum.len() {
                sum[i] += above[i] - below[i];
                size[i] += (above[i] - below[i]).abs();
            }
        }
        put_all(&surfaces, &mut self.state.slots, code.side, 1.0);
        let all = rates(self);
        self.restore_sides(&kept);
        let differs = |i: usize| (all[i] - sum[i]).abs() > SEPARABLE * size[i];
        match (0..sum.len()).any(differs) {
            true => Err(self.cannot_slide(region, &surfaces, SlidingFailure::NotSeparable)),
            false => Ok(()),
        }
    }

    pub(crate) fn cannot_slide(
        &self,
        region: RegionId,
        surfaces: &[Surface],
        failure: SlidingFailure,
    ) -> RunError {
        let code = &self.program.regions[region];
        let crossing = |surface: &Surface| code.watches[surface.watch()].crossing;
        let block = |surface: &Surface| self.program.crossings[crossing(surface)].block;
        let blocks = surfaces.iter().map(|surface| self.path(block(surface))).collect();
        let tag = Tag { time: self.state.tag.time, microstep: self.state.tag.microstep };
        RunError::Sliding { tag, block: self.name(block(&surfaces[0])), blocks, failure }
    }
}

/// How near to 0 or 1 a weight is on the edge.
const EDGE: f64 = 1e-9;
/// How far rates may be from sums over the surfaces, relative to their terms.
const SEPARABLE: f64 = 1e-9;
