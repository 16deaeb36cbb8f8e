//! The past of a region whose states are in the hands of somebody else.

use base::{Table, Time};
use program::{DelayLine, LineId, RegionProgram};

use super::RegionHistory;

impl RegionHistory {
    /// Ends the last piece at a time, if it goes on beyond that by a rounding.
    pub fn end_at(&mut self, time: Time) {
        for past in self.pasts.iter_mut().filter(|past| past.runs) {
            let zero = past.zero;
            if let Some(last) = past.pieces.back_mut() {
                last.end = last.end.min(time - zero).max(last.start);
            }
        }
    }

    /// A phase that has begun at a time begins where delayed signals have their left limits.
    pub fn look_back(
        &mut self,
        program: &RegionProgram,
        lines: &Table<LineId, DelayLine>,
        origin: Time,
    ) {
        for (past, own) in self.pasts.iter_mut().zip(&program.pasts).filter(|(past, _)| past.runs) {
            for (reader, line) in own.lines.iter().enumerate() {
                let (first, delay) = (past.readers[reader].first, lines[*line].delay.time());
                if first > past.dropped && lines[*line].reading.is_none() {
                    past.readers[reader].first = first - 1;
                    past.move_to(reader, delay, origin - past.zero, first - 1);
                }
            }
        }
    }
}
