//! Finds the region that has advanced least, without examining all of them at every step.

use base::{Table, Time, TypedId};

/// How far a region has advanced, and whether it is at no crossing. Of regions at the same time one
/// with a crossing comes first, and of those the one with the smallest index.
type Standing = (Time, bool);

/// A knockout tournament over all regions: the winner of each pair plays in the next round. After a
/// step one region plays again, up to the top.
#[derive(Clone, Debug)]
pub(crate) struct Race<I> {
    standings: Table<I, Option<Standing>>,
    /// The winners, last round first; the overall winner is at index 1.
    winners: Vec<I>,
}

impl<I> Default for Race<I> {
    fn default() -> Self {
        Race { standings: Table::new(), winners: Vec::new() }
    }
}

impl<I: TypedId> Race<I> {
    /// Starts a tournament over all regions; none for one that does not run.
    pub fn start(&mut self, standings: impl Iterator<Item = Option<Standing>>) {
        self.standings.clear();
        self.standings.extend(standings);
        let n = self.standings.len();
        self.winners.clear();
        self.winners.resize(n, I::new(0));
        self.winners.extend(self.standings.ids());
        for pair in (1..n).rev() {
            self.winners[pair] = self.play(pair);
        }
    }

    /// Whether it has to be started.
    pub fn is_over(&self) -> bool {
        self.standings.is_empty()
    }

    /// Invalidates the tournament, because the positions of regions may have changed.
    pub fn end(&mut self) {
        self.standings.clear();
    }

    /// Updates the position of one region.
    pub fn moved(&mut self, region: I, standing: Standing) {
        self.place(region, Some(standing));
    }

    /// The same for a region that may have stopped or resumed.
    pub fn place(&mut self, region: I, standing: Option<Standing>) {
        let n = self.standings.len();
        if n == 0 {
            return;
        }
        self.standings[region] = standing;
        let mut pair = (n + region.index()) / 2;
        while pair >= 1 {
            self.winners[pair] = self.play(pair);
            pair /= 2;
        }
    }

    /// The region that has advanced least.
    pub fn slowest(&self) -> Option<I> {
        let winner = *self.winners.get(1).or(self.winners.first())?;
        self.standings[winner].map(|_| winner)
    }

    /// Whether the known positions of the regions are correct; for assertions at every step. Of many
    /// regions only the winners of the last rounds are checked, so that a run with assertions also
    /// takes a time that grows with the number of steps alone.
    pub fn is_at(&self, standing: impl Fn(I) -> Option<Standing>) -> bool {
        const MOST: usize = 64;
        let known = |region: I| self.standings[region] == standing(region);
        match self.standings.len() <= MOST {
            true => self.standings.ids().all(known),
            false => self.winners[1..MOST].iter().all(|region| known(*region)),
        }
    }

    /// Adds the regions up to a bound to a list, in no particular order. Regions beyond it are not
    /// examined.
    pub fn up_to(&self, bound: Standing, found: &mut Vec<I>) {
        if !self.standings.is_empty() {
            self.search(1, bound, found);
        }
    }

    fn search(&self, pair: usize, bound: Standing, found: &mut Vec<I>) {
        let winner = self.winners[pair];
        if self.standings[winner].is_none_or(|standing| standing > bound) {
            return;
        }
        if pair >= self.standings.len() {
            return found.push(winner);
        }
        self.search(2 * pair, bound, found);
        self.search(2 * pair + 1, bound, found);
    }

    fn play(&self, pair: usize) -> I {
        let (a, b) = (self.winners[2 * pair], self.winners[2 * pair + 1]);
        let before = match (self.standings[a], self.standings[b]) {
            (Some(own), Some(other)) if own != other => own < other,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            _ => a.index() < b.index(),
        };
        if before { a } else { b }
    }
}

#[cfg(test)]
mod tests {
    use program::RegionId;

    use super::*;

    #[test]
    fn the_slowest_is_that_of_a_look_at_all() {
        for n in 1..40usize {
            let mut race = Race::<RegionId>::default();
            let mut seed = n as u64;
            let mut next = || {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let time = Time::from_f64((seed >> 60) as f64).expect("a time");
                (time, seed & 1 << 40 == 0)
            };
            let mut all: Vec<Option<Standing>> = (0..n).map(|i| (i > 0).then(&mut next)).collect();
            race.start(all.iter().copied());
            for round in 0..100 {
                let plain = (0..n).filter(|i| all[*i].is_some()).min_by_key(|i| all[*i]);
                assert_eq!(race.slowest(), plain.map(RegionId::new), "{n} regions, round {round}");
                let bound = next();
                let mut found = Vec::new();
                race.up_to(bound, &mut found);
                found.sort_unstable();
                let within = |i: &usize| all[*i].is_some_and(|standing| standing <= bound);
                let expected = (0..n).filter(within).map(RegionId::new);
                assert_eq!(found, expected.collect::<Vec<_>>());
                let Some(region) = plain else { break };
                let (region, standing) = ((region + round) % n, next());
                if all[region].is_some() {
                    all[region] = Some(standing);
                    race.moved(RegionId::new(region), standing);
                }
                assert!(race.is_at(|region| all[region.index()]));
            }
        }
    }
}
