//! Ticks allocate nothing of their own: over thousands of them only the result grows, which
//! doubles its room now and then.
#![allow(unsafe_code)]

mod common;

use std::alloc::{GlobalAlloc, Layout, System as Heap};
use std::sync::atomic::{AtomicU64, Ordering};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is handed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { Heap.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { Heap.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { Heap.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const BALL: &str = "
parameters: {g: 9.81, y0: 10}
blocks:
  v: {type: Integrator, input: -g, initial: 0, impulse: kick}
  y: {type: Integrator, input: v, initial: y0}
  hit: {type: LevelCrossing, input: y, level: 0, direction: falling}
  kick: {type: Sample, input: -2 * previous(v), trigger: hit}
record: [y, v]
simulate: {stop: 20000, solver: rk45, tolerance: 1e-6}
";

const SAMPLED: &str = "
parameters: {gain: 3, aim: 1}
blocks:
  x: {type: Integrator, input: -x + u, initial: 0}
  clock: {type: Clock, period: 0.001}
  error: {type: Sample, input: aim - x, trigger: clock}
  u: {type: ZeroOrderHold, input: gain * error, initial: 0}
record: [x, u]
simulate: {stop: 10, solver: rk45, tolerance: 1e-6}
";

/// One test, since the counter belongs to the whole program.
#[test]
fn ticks_and_second_runs_hardly_allocate() {
    ticks_do_not_allocate();
    a_second_run_hardly_allocates();
}

fn ticks_do_not_allocate() {
    let merged = BALL.replace("stop: 20000", "stop: 20000, rows: instants");
    let runs = [("ball", BALL, 6000), ("sampled loop", SAMPLED, 9000), ("merged", &merged, 6000)];
    for (name, text, ticks) in runs {
        let mut run = common::compile(text).begin();
        while run.counters().ticks < 100 {
            run.advance().unwrap();
        }
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        while run.counters().ticks < ticks {
            run.advance().unwrap();
        }
        let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
        assert!(allocations < 100, "{name}: {allocations} in {ticks} ticks");
    }
}

/// A run that goes back to its start has the bits of the first one, and allocates no more than the
/// few lists of its solver, however long it is.
fn a_second_run_hardly_allocates() {
    let short =
        |text: &str| text.replace("stop: 20000", "stop: 20").replace("stop: 10,", "stop: 0.5,");
    for text in [BALL, SAMPLED] {
        let mut run = common::compile(&short(text)).begin();
        run.set_backend(superdense::Backend::Interpreter).unwrap();
        run.advance_to_end().unwrap();
        let first = common::bits(run.trace(), 0);
        run.reset();
        run.advance_to_end().unwrap();
        run.reset();
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        run.advance_to_end().unwrap();
        let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
        assert_eq!(common::bits(run.trace(), 0), first);
        assert!(allocations <= 20, "{allocations} allocations in a second run");
    }
}
