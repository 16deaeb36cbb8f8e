//! In a run like one before nothing allocates: not a step, a location, a truncation, an
//! interpolation or a restart. The first time a search that looks deeper into a step than any
//! before makes room.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System as Heap};
use std::cell::Cell;

use superdense_solver::{Advance, Method, Options, Sides, Solver, System};

struct Counting;

thread_local! {
    /// Of this thread alone: the harness allocates beside the test.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is handed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        unsafe { Heap.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { Heap.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Van der Pol's oscillator with crossings of both states.
struct VanDerPol;

impl System for VanDerPol {
    fn derivative(&mut self, _: f64, x: &[f64], dx: &mut [f64]) {
        dx[0] = x[1];
        dx[1] = 2.0 * (1.0 - x[0] * x[0]) * x[1] - x[0];
    }

    fn jacobian(&mut self, _: f64, x: &[f64], values: &mut [f64], rate: &mut [f64]) {
        let columns = [0.0, -4.0 * x[0] * x[1] - 1.0, 1.0, 2.0 * (1.0 - x[0] * x[0])];
        values.copy_from_slice(&columns);
        rate.fill(0.0);
    }

    fn crossings(&mut self, _: f64, x: &[f64], dx: &[f64], g: &mut [f64], rate: &mut [f64]) {
        g.copy_from_slice(x);
        rate.copy_from_slice(dx);
    }
}

/// Runs to t = 20 and returns the number of located points.
fn drive(solver: &mut Solver) -> u64 {
    let (mut side, mut residual) = ([1.0, 1.0], [0.0; 2]);
    let mut x = [0.0; 2];
    while solver.time() < 20.0 {
        let sides = Sides { side: &side, residual: &mut residual, gain: &[] };
        let advance = solver.step(&mut VanDerPol, 20.0, sides).unwrap();
        let half = 0.5 * (solver.step_start() + solver.time());
        solver.interpolate(half, &mut x);
        if advance == Advance::Crossing {
            for k in solver.crossed().iter().map(|located| located.function) {
                side[k] = -side[k];
            }
            x.copy_from_slice(solver.state());
            solver.restart(&mut VanDerPol, solver.time(), &x);
        } else if solver.counters().accepted.is_multiple_of(16) {
            solver.truncate(half);
        }
    }
    solver.counters().located
}

#[test]
fn the_loop_does_not_allocate() {
    for method in Method::all() {
        let options = Options { step: 0.01, relative_tolerance: 1e-4, ..Options::new(method) };
        let mut solver = Solver::new(options, 2, 2);
        solver.restart(&mut VanDerPol, 0.0, &[2.0, 0.5]);
        drive(&mut solver);
        solver.restart(&mut VanDerPol, 0.0, &[2.0, 0.5]);
        let before = ALLOCATIONS.get();
        let located = drive(&mut solver);
        let allocations = ALLOCATIONS.get() - before;
        assert!(located > 5, "{} located {located}", method.name());
        assert_eq!(allocations, 0, "{}", method.name());
    }
}
