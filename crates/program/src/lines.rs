//! The slots of delay lines.

use blocks::Part;
use diagram::{BlockId, Diagram, Presence, RegionId};
use rustc_hash::FxHashMap;

use crate::delay_line::{DelayLine, DelayTrack, Kinks, Past, Reading, VariableTiming};
use crate::region::CrossingId;
use crate::slots::Slots;
use crate::tracked::TrackedId;

impl Slots {
    /// Every delay line gets slots for each of its parts. Value and derivatives are contiguous, so
    /// that the history is read in one piece, with slots for their slopes if they move.
    pub fn place_lines(&mut self, diagram: &Diagram) {
        for (index, block) in diagram.blocks.iter().enumerate() {
            self.first_line.push(self.lines.next_id());
            for history in 0..block.definition.histories.len() {
                self.place_line(diagram, BlockId::new(index), history);
            }
        }
        for region in self.regions.ids() {
            self.place_pasts(region);
        }
    }

    /// The delay lines of a region that one clock times have adjacent samples. Those with the same
    /// input, which differ only in their delays, share one.
    fn place_pasts(&mut self, region: RegionId) {
        let (region, lines) = (&mut self.regions[region], &mut self.lines);
        region.lines.sort_by_key(|line| lines[*line].fragment);
        let mut known: FxHashMap<(Vec<TrackedId>, Vec<u64>), usize> = FxHashMap::default();
        for line in &region.lines {
            let fragment = lines[*line].fragment;
            if region.pasts.last().is_none_or(|past| past.fragment != fragment) {
                let (offset, own) = (region.sample_width, Vec::new());
                region.pasts.push(Past { fragment, lines: own, offset, width: 0 });
                known.clear();
            }
            let number = region.pasts.len() - 1;
            let past = &mut region.pasts[number];
            past.lines.push(*line);
            let DelayLine { from, initial, track: Some(track), .. } = &mut lines[*line] else {
                continue;
            };
            let initial = initial.iter().map(|x| x.to_bits()).collect();
            let offset = *known.entry((from.clone(), initial)).or_insert(past.width);
            (track.past, track.offset) = (number, offset);
            if offset == past.width {
                past.width += track.width;
                region.sample_width += track.width;
            }
        }
    }

    fn place_line(&mut self, diagram: &Diagram, id: BlockId, history: usize) {
        let block = diagram.block(id);
        let (past, wire) = (&block.definition.histories[history], block.past(history));
        let length = diagram.wire(wire).ty.len();
        let orders = block.definition.delayed_derivatives(history);
        let width = length * (1 + orders as usize);
        let place = self.layout.reserve(width);
        let mut to = vec![self.tracked(1)];
        let parts = (0..=orders as usize).map(|order| place.plus(order * length));
        to.extend(parts.map(|slot| self.tracked_at(slot, length)).collect::<Vec<_>>());
        to.extend((0..diagram.wire(wire).orders).map(|_| self.tracked(length)).collect::<Vec<_>>());
        let parts = &self.wires[wire];
        let mut from = vec![parts.present, parts.value];
        from.extend(&parts.derivatives[..orders as usize]);
        from.extend(&parts.impulses);
        let moves = diagram.wire(wire).moving && past.timing.events().is_none();
        let line = self.lines.next_id();
        let track = moves.then(|| {
            let slope = self.layout.reserve(width);
            self.regions[block.region].lines.push(line);
            DelayTrack { region: block.region, past: 0, offset: 0, width, place, slope }
        });
        let mut initial = past.initial.data().to_vec();
        initial.resize(width, 0.0);
        let early = block.remembered[&past.port][0] != Presence::Never;
        let (delay, fragment) = (past.delay, block.fragment);
        let variable = past.timing.events().map(|own| VariableTiming {
            delay: self.wires[block.port(own.port)].value,
            cancel: own.cancel.map(|port| self.wires[block.port(port)].present),
            pending: own.pending,
        });
        let reading = past.timing.signal().map(|own| Reading {
            delay: self.wires[block.port(own.port)].value,
            read: self.layout.reserve(1),
            bounds: [self.tracked(1), self.tracked(1)],
            passing: [CrossingId::new(0); 2],
        });
        let kinks = Kinks::Everywhere;
        self.lines.push(DelayLine {
            block: id,
            fragment,
            delay,
            variable,
            reading,
            from,
            to,
            initial,
            open: past.initial.open(),
            early,
            track,
            kinks,
        });
    }

    /// The crossings of positions with changes, once crossings have their places.
    pub fn place_passings(&mut self, diagram: &Diagram) {
        for (index, block) in diagram.blocks.iter().enumerate() {
            for (history, past) in block.definition.histories.iter().enumerate() {
                let line = &mut self.lines[self.first_line[index].plus(history)];
                if let (Some(own), Some(reading)) = (past.timing.signal(), &mut line.reading) {
                    let id = BlockId::new(index);
                    reading.passing = own.passing.map(|side| self.sites[&(id, side)].first);
                }
            }
        }
    }

    /// The delay line of a history of a block.
    pub fn line(&self, block: BlockId, history: usize) -> &DelayLine {
        &self.lines[self.first_line[block.index()].plus(history)]
    }

    /// The tracked signal of a part of a delayed signal.
    pub fn delayed(&self, block: BlockId, history: usize, part: Part) -> TrackedId {
        let line = self.line(block, history);
        let orders = line.initial.len() / self.tracked[line.to[1]].length.max(1);
        line.to[match part {
            Part::Present => 0,
            Part::Value => 1,
            Part::Derivative(order) => 1 + order as usize,
            Part::Impulse(order) => 1 + orders + order as usize,
        }]
    }
}
