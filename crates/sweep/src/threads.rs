//! Work on threads, and its results in order.
//!
//! Threads take chunks of indices, the next ones always, and a chunk waits until all before it have
//! been handed on. Nobody runs ahead by more than a few chunks, so that memory is bounded however
//! long one of them takes. A thread begins with chunks of one index and takes longer ones as long as
//! they are short, so that results that take long are handed on one by one. A worker may have several
//! indices in hand at once.

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

/// The indices of one worker, and where their results go.
pub struct Queue<'d, T> {
    desk: &'d Mutex<Desk<T>>,
    changed: &'d Condvar,
    end: u64,
    chunk: u64,
    ahead: u64,
    /// How many indices the next chunk has.
    size: u64,
    open: Vec<Open<T>>,
}

/// A chunk that a worker has taken.
struct Open<T> {
    from: u64,
    next: u64,
    end: u64,
    results: Vec<Option<T>>,
    missing: usize,
    begin: Instant,
}

impl<T> Queue<'_, T> {
    /// The next index to begin with. If the worker has others in hand, there may be none at present
    /// because it is too far ahead; if it has not, there are no more.
    pub fn begin(&mut self) -> Option<u64> {
        if self.open.last().is_none_or(|open| open.next == open.end) {
            let wait = self.open.is_empty();
            let range = take(self.desk, self.changed, (self.end, self.size, self.ahead), wait)?;
            let missing = (range.end - range.start) as usize;
            let results = (0..missing).map(|_| None).collect();
            let (from, end) = (range.start, range.end);
            let begin = Instant::now();
            self.open.push(Open { from, next: from, end, results, missing, begin });
        }
        let open = self.open.last_mut()?;
        open.next += 1;
        Some(open.next - 1)
    }

    /// Takes the result of an index.
    pub fn done(&mut self, index: u64, result: T) {
        let own = |open: &Open<T>| (open.from..open.next).contains(&index);
        let Some(place) = self.open.iter().position(own) else { return };
        let open = &mut self.open[place];
        open.missing -=
            usize::from(open.results[(index - open.from) as usize].replace(result).is_none());
        if open.missing == 0 {
            let open = self.open.remove(place);
            self.size = match open.begin.elapsed() < SHORT {
                true => (2 * self.size).min(self.chunk),
                false => (self.size / 2).max(1),
            };
            let results = open.results.into_iter().flatten().collect();
            lock(self.desk).done.insert(open.from, results);
            self.changed.notify_all();
        }
    }
}

/// Computes a result for each index on `threads` threads, each with a worker of its own, and hands
/// them on in the order of the indices, chunk by chunk, with the index of the first one. `work` takes
/// indices from its queue until there are no more. Returns the first index that was not handed on.
///
/// # Panics
/// If a worker panics.
pub fn in_order<W, T: Send, E>(
    runs: Range<u64>,
    threads: usize,
    worker: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, &mut Queue<'_, T>) + Sync,
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
                let (desk, changed, end) = (&desk, &changed, runs.end);
                let mut queue =
                    Queue { desk, changed, end, chunk, ahead, size: 1, open: Vec::new() };
                work(&mut worker(), &mut queue);
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

/// The next chunk, once it is not too far ahead; none if that is to come and nobody waits for it.
fn take<T>(
    desk: &Mutex<Desk<T>>,
    changed: &Condvar,
    (end, chunk, ahead): (u64, u64, u64),
    wait: bool,
) -> Option<Range<u64>> {
    let mut desk = lock(desk);
    while !desk.stopped && desk.next < end && desk.next >= desk.due + ahead {
        if !wait {
            return None;
        }
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

    /// Work on one index after the other.
    fn each<T>(work: impl Fn(u64) -> T + Sync) -> impl Fn(&mut (), &mut Queue<'_, T>) + Sync {
        move |(), queue| {
            while let Some(index) = queue.begin() {
                queue.done(index, work(index));
            }
        }
    }

    #[test]
    fn results_come_in_order_from_any_number_of_threads() {
        for threads in [1, 2, 3, 8] {
            for runs in [0..0, 0..1, 5..6, 3..1000] {
                let mut all = Vec::new();
                let slow = |run: u64| {
                    if run % 97 == 3 {
                        thread::sleep(Duration::from_millis(1));
                    }
                    run
                };
                let end = in_order::<_, _, ()>(
                    runs.clone(),
                    threads,
                    || (),
                    each(slow),
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
        let work = |run: u64| {
            greatest.fetch_max(run, Ordering::Relaxed);
            if run == 0 {
                thread::sleep(Duration::from_millis(50));
                // The last chunk may go beyond what may be begun.
                assert!(greatest.load(Ordering::Relaxed) < (4 * AHEAD + 1) * CHUNK);
            }
        };
        let mut calls = 0;
        let end = in_order::<_, _, ()>(
            0..1_000_000_000,
            4,
            || (),
            each(work),
            |_, _| {
                calls += 1;
                Ok(if calls == 3 { Flow::Stop } else { Flow::On })
            },
        );
        assert!(matches!(end, Ok(3..=96)), "{end:?}");
        let failed = in_order(0..100, 2, || (), each(|run| run), |_, _| Err("full"));
        assert_eq!(failed, Err("full"));
    }

    /// What takes long is not kept until a chunk is full: it is lost if the process is killed.
    #[test]
    fn slow_results_are_handed_on_one_by_one() {
        let mut chunks = Vec::new();
        let slow = each(|run: u64| {
            if run > 93 {
                thread::sleep(SHORT + Duration::from_millis(1));
            }
            run
        });
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

    /// A worker with many indices in hand, of which the first takes longest, neither waits for itself
    /// nor loses one.
    #[test]
    fn several_indices_in_hand_come_in_order() {
        let count = 4 * AHEAD * CHUNK;
        let work = |_: &mut (), queue: &mut Queue<'_, u64>| {
            let mut hand: Vec<u64> = Vec::new();
            loop {
                while hand.len() < 8
                    && let Some(index) = queue.begin()
                {
                    hand.push(index);
                }
                let Some(last) = hand.pop() else { break };
                queue.done(last, last);
            }
        };
        for threads in [1, 2] {
            let mut all = Vec::new();
            let hand_on = |_, done| {
                all.extend(done);
                Ok(Flow::On)
            };
            let end = in_order::<_, _, ()>(0..count, threads, || (), work, hand_on);
            assert_eq!(end, Ok(count));
            assert!(all.into_iter().eq(0..count));
        }
    }

    #[test]
    #[should_panic(expected = "a scoped thread panicked")]
    fn a_panic_of_a_worker_ends_everything() {
        let work = each(|run: u64| assert!(run != 500, "broken"));
        let _ = in_order::<_, _, ()>(0..100_000_000, 3, || (), work, |_, _| Ok(Flow::On));
    }
}
