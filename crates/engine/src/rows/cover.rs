//! Which regions a row covers.

use base::{Table, Tag};
use program::{Program, RegionId};

use crate::snapshot::Snapshot;

/// The regions that a row covers. Only regions with recorded signals are ever queried.
#[derive(Debug)]
pub(crate) struct Cover {
    /// For each region, whether the row covers it.
    pub(super) regions: Table<RegionId, bool>,
    /// The regions that it covers, or did cover.
    pub(super) listed: Vec<RegionId>,
    /// The regions with recorded signals, or all of them if nothing is recorded.
    pub(super) recorded: Vec<RegionId>,
    pub(super) records: Table<RegionId, bool>,
    /// For each region, whether it has recorded signals that are part of the result.
    pub(super) shown: Table<RegionId, bool>,
    /// Whether the row is part of the result.
    pub(super) kept: bool,
}

impl Cover {
    pub fn new(program: &Program) -> Cover {
        let nothing = program.records.is_empty();
        let mut records: Table<RegionId, bool> =
            program.regions.iter().map(|region| region.recorded || nothing).collect();
        program.records.iter().for_each(|record| records[record.region] = true);
        let recorded = records.ids().filter(|region| records[*region]).collect();
        let mut shown = Table::filled(false, records.len());
        for record in program.records.iter().filter(|record| !record.hidden) {
            shown[record.region] = true;
        }
        Cover {
            regions: Table::filled(false, records.len()),
            listed: Vec::new(),
            recorded,
            records,
            shown,
            kept: true,
        }
    }

    /// Whether the row covers any region.
    pub fn is_any(&self) -> bool {
        self.listed.iter().any(|region| self.regions[*region])
    }

    /// Whether a region has recorded signals.
    pub fn records(&self, region: RegionId) -> bool {
        self.records[region]
    }

    /// Whether a region has recorded signals that are part of the result.
    pub fn shows(&self, region: RegionId) -> bool {
        self.shown[region]
    }

    pub(super) fn clear(&mut self) {
        self.kept = true;
        for region in self.listed.drain(..) {
            self.regions[region] = false;
        }
    }

    pub(super) fn add(&mut self, region: RegionId) {
        let covered = &mut self.regions[region];
        if self.records[region] && !std::mem::replace(covered, true) {
            self.listed.push(region);
        }
    }

    fn add_all(&mut self) {
        for place in 0..self.recorded.len() {
            self.add(self.recorded[place]);
        }
    }

    /// Whether there has been a first row, which all regions have together.
    pub fn has_begun(&self, state: &Snapshot) -> bool {
        let first = self.recorded.first();
        first.is_none_or(|own| state.regions[*own].last_row.is_some())
    }

    /// Lets all regions that rows cover know of a row.
    pub fn note_rows(&self, state: &mut Snapshot, tag: Tag) {
        for region in &self.recorded {
            state.regions[*region].last_row = Some(tag);
        }
    }

    /// Covers the regions of some bits, or every region if all rows do.
    #[inline]
    pub fn set_touched(&mut self, all: bool, mut touched: u64) {
        if all {
            return self.set_all();
        }
        self.clear();
        while touched != 0 {
            self.add(RegionId::new(touched.trailing_zeros() as usize));
            touched &= touched - 1;
        }
    }

    /// Covers every region and nothing else. As a rule the row before did so too.
    #[inline]
    pub(super) fn set_all(&mut self) {
        if self.listed.len() != self.recorded.len() {
            self.clear();
            return self.add_all();
        }
        self.kept = true;
        for region in &self.recorded {
            self.regions[*region] = true;
        }
    }

    pub fn remove(&mut self, region: RegionId) {
        self.regions[region] = false;
    }
}
