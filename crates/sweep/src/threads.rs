//! Work on threads, and its results in order.
//!
//! Threads take chunks of indices, the next ones always, and a chunk waits until all before it have
//! been handed on. Nobody runs ahead by more than a few chunks, so that memory is bounded however
//! long one of them takes. A thread begins with chunks of one index and takes longer ones as long as
//! they are short, so that results that take long are handed on one by one.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Whether to go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// With the next result.
    On,
    /// No more.
    Stop,
}

/// How many indices a chunk has at most; the time to hand one over is then small beside its work.
const CHUNK: u64 = 32;
/// A chunk that takes longer is followed by one of half its size.
const SHORT: Duration = Duration::from_millis(20);
/// How many chunks for each thread may be ahead of the first that is missing.
const AHEAD: u64 = 16;

struct Desk<T> {
    /// The first index that nobody has taken.
    next: u64,
    /// The first index that has not been handed on.
    due: u64,
    done: BTreeMap<u64, Vec<T>>,
    stopped: bool,
    /// Threads at work.
    working: usize,
}

/// Computes a result for each index on `threads` threads, each with a worker of its own, and hands
/// them on in the order of the indices, chunk by chunk, with the index of the first one. Returns the
/// first index that was not handed on.
///
/// # Panics
/// If a worker panics.
pub fn in_order<W, T: Send, E>(
    runs: Range<u64>,
    threads: usize,
    worker: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, u64) -> T + Sync,
    mut hand_on: impl FnMut(u64, Vec<T>) -> Result<Flow, E>,
) -> Result<u64, E> {
    let threads = threads.max(1).min(usize::try_from(runs.end - runs.start).unwrap_or(usize::MAX));
    let chunk = ((runs.end - runs.start) / (4 * threads.max(1) as u64)).clamp(1, CHUNK);
    let desk = Mutex::new(Desk {
        next: runs.start,
        due: runs.start,
        done: BTreeMap::new(),
        stopped: false,
        working: threads,
    });
    let changed = Condvar::new();
    let ahead = AHEAD * chunk * threads as u64;
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let _leaving = Leaving { desk: &desk, changed: &changed };
                let (mut own, mut size) = (worker(), 1);
                while let Some(range) = take(&desk, &changed, runs.end, size, ahead) {
                    let (from, begin) = (range.start, Instant::now());
                    let done = range.map(|run| work(&mut own, run)).collect();
                    size = match begin.elapsed() < SHORT {
                        true => (2 * size).min(chunk),
                        false => (size / 2).max(1),
                    };
                    lock(&desk).done.insert(from, done);
                    changed.notify_all();
                }
            });
        }
        let handed = hand_all(&desk, &changed, runs.end, &mut hand_on);
        lock(&desk).stopped = true;
        changed.notify_all();
        handed
    })
}

/// A thread that leaves, also by a panic, is not waited for.
struct Leaving<'d, T> {
    desk: &'d Mutex<Desk<T>>,
    changed: &'d Condvar,
}

impl<T> Drop for Leaving<'_, T> {
    fn drop(&mut self) {
        let mut desk = lock(self.desk);
        desk.working -= 1;
        desk.stopped |= thread::panicking();
        drop(desk);
        self.changed.notify_all();
    }
}

fn lock<T>(desk: &Mutex<Desk<T>>) -> MutexGuard<'_, Desk<T>> {
    desk.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The next chunk, once it is not too far ahead.
fn take<T>(
    desk: &Mutex<Desk<T>>,
    changed: &Condvar,
    end: u64,
    chunk: u64,
    ahead: u64,
) -> Option<Range<u64>> {
    let mut desk = lock(desk);
    while !desk.stopped && desk.next < end && desk.next >= desk.due + ahead {
        desk = changed.wait(desk).unwrap_or_else(PoisonError::into_inner);
    }
    if desk.stopped || desk.next >= end {
        return None;
    }
    let from = desk.next;
    desk.next = (from + chunk).min(end);
    Some(from..desk.next)
}

/// Hands results on until all are, or no more are wanted or come.
fn hand_all<T, E>(
    desk: &Mutex<Desk<T>>,
    changed: &Condvar,
    end: u64,
    hand_on: &mut impl FnMut(u64, Vec<T>) -> Result<Flow, E>,
) -> Result<u64, E> {
    let mut locked = lock(desk);
    while locked.due < end {
        let due = locked.due;
        match locked.done.remove(&due) {
            Some(done) => {
                drop(locked);
                let count = done.len() as u64;
                let flow = hand_on(due, done)?;
                locked = lock(desk);
                locked.due = due + count;
                changed.notify_all();
                if flow == Flow::Stop {
                    break;
                }
            }
            None if locked.working == 0 => break,
            None => locked = changed.wait(locked).unwrap_or_else(PoisonError::into_inner),
        }
    }
    Ok(locked.due)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use super::*;

    #[test]
    fn results_come_in_order_from_any_number_of_threads() {
        for threads in [1, 2, 3, 8] {
            for runs in [0..0, 0..1, 5..6, 3..1000] {
                let mut all = Vec::new();
                let slow = |_: &mut (), run: u64| {
                    if run % 97 == 3 {
                        thread::sleep(Duration::from_millis(1));
                    }
                    run
                };
                let end = in_order::<_, _, ()>(
                    runs.clone(),
                    threads,
                    || (),
                    slow,
                    |from, done| {
                        assert_eq!(from, runs.start + all.len() as u64);
                        all.extend(done);
                        Ok(Flow::On)
                    },
                );
                assert_eq!(end, Ok(runs.end));
                assert!(all.into_iter().eq(runs));
            }
        }
    }

    #[test]
    fn nobody_runs_far_ahead_and_everybody_stops() {
        let greatest = AtomicU64::new(0);
        let work = |_: &mut (), run: u64| {
            greatest.fetch_max(run, Ordering::Relaxed);
            if run == 0 {
                thread::sleep(Duration::from_millis(50));
                assert!(greatest.load(Ordering::Relaxed) <= 4 * AHEAD * CHUNK);
            }
        };
        let mut calls = 0;
        let end = in_order::<_, _, ()>(
            0..1_000_000_000,
            4,
            || (),
            work,
            |_, _| {
                calls += 1;
                Ok(if calls == 3 { Flow::Stop } else { Flow::On })
            },
        );
        assert!(matches!(end, Ok(3..=96)), "{end:?}");
        let failed = in_order(0..100, 2, || (), |(), run| run, |_, _| Err("full"));
        assert_eq!(failed, Err("full"));
    }

    /// What takes long is not kept until a chunk is full: it is lost if the process is killed.
    #[test]
    fn slow_results_are_handed_on_one_by_one() {
        let mut chunks = Vec::new();
        let slow = |(): &mut (), run: u64| {
            if run > 93 {
                thread::sleep(SHORT + Duration::from_millis(1));
            }
            run
        };
        let end = in_order::<_, _, ()>(
            0..300,
            1,
            || (),
            slow,
            |from, done| {
                chunks.push((from, done.len()));
                Ok(if from > 124 { Flow::Stop } else { Flow::On })
            },
        );
        assert!(end.is_ok_and(|end| end < 130), "{chunks:?}");
        assert!(chunks[0] == (0, 1) && chunks.last().is_some_and(|last| last.1 < 3), "{chunks:?}");
        assert!(chunks.iter().any(|(_, length)| *length == CHUNK as usize), "{chunks:?}");
    }

    #[test]
    #[should_panic(expected = "a scoped thread panicked")]
    fn a_panic_of_a_worker_ends_everything() {
        let work = |_: &mut (), run: u64| assert!(run != 500, "broken");
        let _ = in_order::<_, _, ()>(0..100_000_000, 3, || (), work, |_, _| Ok(Flow::On));
    }
}
