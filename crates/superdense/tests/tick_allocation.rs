//! Ticks allocate nothing of their own: over thousands of them only the result grows, which
//! doubles its room now and then. A run that is reset allocates nothing at all.
#![allow(unsafe_code)]

mod common;

use std::alloc::{GlobalAlloc, Layout, System as Heap};
use std::sync::atomic::{AtomicU64, Ordering};

use superdense::{Backend, Value};

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

const LORENZ: &str = "
parameters: {gain: 10, rho: 28, beta: 8/3}
blocks:
  x: {type: Integrator, input: gain * (y - x), initial: 1}
  y: {type: Integrator, input: x * (rho - z) - y, initial: 1}
  z: {type: Integrator, input: x * y - beta * z, initial: 1}
record: [x, y, z]
simulate: {stop: 2, solver: rk45, tolerance: 1e-6}
";

const HEATER: &str = "
parameters: {gain: 1, low: 18, high: 22, rate: 20 * gain, pause: 0.5}
blocks:
  heater:
    type: Modal
    initial: heating
    states:
      heating:
        blocks: {used: {type: Integrator, input: rate}}
        outputs: {power: rate + 0 * used}
        transitions: [{to: pausing, when: temperature > high}]
      pausing:
        outputs: {power: 0}
        transitions: [{to: heating, when: temperature < low, after: pause}]
  temperature: {type: Integrator, input: heater.power - 0.5 * temperature, initial: 15}
record: [temperature, heater.state]
simulate: {stop: 10, solver: rk45, tolerance: 1e-6}
";

const DELAYED: &str = "
parameters: {gain: -1.5}
blocks:
  x: {type: Integrator, input: gain * later, initial: 1}
  later: {type: TransportDelay, input: x, delay: 0.7, initial: 1}
  clock: {type: Clock, period: 0.25}
  n: {type: Counter, increment: clock}
  echo: {type: EventDelay, input: clock, delay: 0.6}
  m: {type: Counter, increment: echo}
record: [x, m]
simulate: {stop: 8, solver: rk45, tolerance: 1e-6}
";

/// One test, since the counter belongs to the whole program.
#[test]
fn ticks_and_second_runs_do_not_allocate() {
    ticks_do_not_allocate();
    second_runs_do_not_allocate();
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

/// A run that goes back to its start has the bits of the first one and takes no memory beyond what
/// that has taken; nor does one that is given another parameter.
fn second_runs_do_not_allocate() {
    let short =
        |text: &str| text.replace("stop: 20000", "stop: 20").replace("stop: 10,", "stop: 0.5,");
    let merged = short(BALL).replace("stop: 20", "stop: 20, rows: instants");
    let models = [
        ("Lorenz", LORENZ.to_owned(), "gain"),
        ("ball", short(BALL), "g"),
        ("merged rows", merged, "g"),
        ("sampled loop", short(SAMPLED), "gain"),
        ("heater", HEATER.to_owned(), "gain"),
        ("delays", DELAYED.to_owned(), "gain"),
    ];
    for (name, text, parameter) in models {
        let system = common::compile(&text);
        let handle = system.parameter(parameter).unwrap();
        let own = system.parameters().into_iter().find(|own| own.name == parameter).unwrap();
        let other = Value::real(own.value.as_f64().unwrap() * 1.25);
        for backend in [Backend::Interpreter, Backend::Native] {
            let mut run = system.begin();
            run.set_backend(backend).unwrap();
            let mut results = Vec::new();
            for (round, given) in [false, true, false, true, false, true].into_iter().enumerate() {
                let before = ALLOCATIONS.load(Ordering::Relaxed);
                run.reset();
                if given {
                    run.give(&handle, other.clone()).unwrap();
                }
                run.advance_to_end().unwrap();
                let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
                assert!(
                    round < 2 || allocations == 0,
                    "{name}, {backend:?}: {allocations} in {round}"
                );
                results.push(common::bits(run.trace(), 0));
                assert!(round < 2 || results[round] == results[round - 2], "{name}: other bits");
            }
            assert!(results[0] != results[1], "{name}: the parameter matters");
        }
    }
}
