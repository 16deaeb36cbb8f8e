//! Events: through a chain of 1,000 discrete blocks, from one clock into one counter, and one event
//! in small and large diagrams.

use std::hint::black_box;

use anyhow::{Result, ensure};

use super::{NOTHING, compile, last};
use crate::measure::{Bar, Effort, Figure, Time, in_turn};

const LINKS: usize = 1000;
const TICKS: u32 = 1000;
const BEATS: u32 = 100_000;

/// A clock whose counter goes through a chain of unit delays.
fn chain(record: &str) -> String {
    format!(
        "superdense: 1
name: events
blocks:
  clock: {{type: Clock, period: 0.001}}
  n: {{type: Counter, increment: clock}}
  d: {{type: UnitDelay, for: {{i: {LINKS}}}, input: \"if i > 0 then d[i - 1] else n\"}}
record: {{end: \"{record}\"}}
simulate: {{stop: {TICKS} / 1000}}
"
    )
}

fn chain_by_hand() -> f64 {
    let mut held = black_box([0.0f64; LINKS]);
    let mut end = 0.0;
    for n in 1..=TICKS + 1 {
        let mut value = f64::from(n);
        for place in &mut held {
            std::mem::swap(place, &mut value);
        }
        end = value;
        black_box(&held);
    }
    end
}

/// A clock and a counter, beside others that have nothing to do.
fn beside(others: usize, beats: u32, record: &str) -> String {
    format!(
        "superdense: 1
name: beside
blocks:
  clock: {{type: Clock, period: 0.001}}
  n: {{type: Counter, increment: clock}}
  slow: {{type: Clock, for: {{i: {others}}}, period: 1e6 + i, offset: 1e6 + i}}
  m: {{type: Counter, for: {{i: {others}}}, increment: \"slow[i]\"}}
record: {{end: \"{record}\"}}
simulate: {{stop: {beats} / 1000}}
"
    )
}

fn beats_by_hand() -> f64 {
    let (mut time, mut n) = (0i128, 0.0);
    let period = black_box(1_000_000_000_000_000i128);
    while time <= i128::from(BEATS) * period {
        n = black_box(n + 1.0);
        time += period;
    }
    n
}

pub(super) fn check() -> Result<()> {
    let end = last(&compile(&chain(&format!("d[{}]", LINKS - 1)))?.simulate()?, "end")?;
    ensure!(end == chain_by_hand() && end == f64::from(TICKS + 1 - LINKS as u32), "{end}");
    for others in [4, 40] {
        let end = last(&compile(&beside(others, BEATS, "n"))?.simulate()?, "end")?;
        ensure!(end == beats_by_hand(), "{others}: {end}");
    }
    Ok(())
}

/// The time of all beats beside so many others, without that of the start.
fn beats(effort: &Effort, others: usize) -> Result<Time> {
    let [all, none] = [BEATS, 1].map(|beats| compile(&beside(others, beats, NOTHING)));
    let (all, none) = (all?, none?);
    let (all, none) = in_turn(effort, || effort.run(&all), || effort.run(&none));
    Ok(Time { median: all.median - none.median, best: all.best - none.best })
}

pub(super) fn figures(effort: &Effort) -> Result<Vec<Figure>> {
    check()?;
    let millions =
        |count: f64, time: f64| format!("{:.2} million events per second", count / time / 1e6);
    let system = compile(&chain(NOTHING))?;
    let (ours, hand) = in_turn(effort, || effort.run(&system), chain_by_hand);
    let count = f64::from(TICKS) * LINKS as f64;
    let through = Figure::new("events through a chain of 1,000 discrete blocks", ours)
        .against(hand)
        .note(millions(count, ours.best));
    let one = compile(&beside(0, BEATS, NOTHING))?;
    let (ours, hand) = in_turn(effort, || effort.run(&one), beats_by_hand);
    let single = Figure::new("one clock into one counter", ours)
        .against(hand)
        .note(millions(f64::from(BEATS), ours.best));
    // The time of the small diagram takes the place of a hand-written version.
    let (large, small) = (beats(effort, 4999)?, beats(effort, 4)?);
    let cost = |time: f64| format!("{:.0} ns", time / f64::from(BEATS) * 1e9);
    let note = format!(
        "an event takes {} in a diagram of 10,000 blocks and {} in one of 10",
        cost(large.best),
        cost(small.best)
    );
    let same = Figure::new("an event among 10,000 blocks against one among 10", large)
        .against(small)
        .bar(Bar::Ratio(1.2))
        .note(note);
    Ok(vec![through, single, same])
}
