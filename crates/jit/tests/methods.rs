//! Whole steps by tableaus that the solver does not name: native code gives the bits of the stages
//! of the solver, one step at a time and many in a row, and the order of the method.

use base::Type;
use ir::{Graph, Layout, Slot, Tape, Unary};
use jit::{LaneRoutine, StepPlan, StepRoutine, compile, compile_lanes};
use proptest::prelude::*;
use solver::{
    Embedded, LANES, LaneSteps, Method, Options, Sides, Solver, StepLimit, System, Tableau, Trial,
    Weight,
};

#[path = "../../solver/tests/common/heun_euler.rs"]
mod heun_euler;
use heun_euler::HEUN_EULER;

/// E. Fehlberg, "Low-order classical Runge-Kutta formulas with stepsize control and their
/// application to some heat transfer problems", NASA TR R-315 (1969): orders 4 and 5, of which the
/// lower is the solution.
static FEHLBERG_45: Tableau = Tableau {
    name: "fehlberg45",
    order: 4,
    nodes: &[0.0, 0.25, 0.375, 12.0 / 13.0, 1.0, 0.5, 1.0],
    rows: &[
        &[],
        &[(0, 0.25)],
        &[(0, 3.0 / 32.0), (1, 9.0 / 32.0)],
        &[(0, 1932.0 / 2197.0), (1, -7200.0 / 2197.0), (2, 7296.0 / 2197.0)],
        &[(0, 439.0 / 216.0), (1, -8.0), (2, 3680.0 / 513.0), (3, -845.0 / 4104.0)],
        &[
            (0, -8.0 / 27.0),
            (1, 2.0),
            (2, -3544.0 / 2565.0),
            (3, 1859.0 / 4104.0),
            (4, -11.0 / 40.0),
        ],
        &[(0, 25.0 / 216.0), (2, 1408.0 / 2565.0), (3, 2197.0 / 4104.0), (4, -0.2)],
    ],
    embedded: Some(Embedded {
        order: 4,
        error: &[
            (0, 25.0 / 216.0 - 16.0 / 135.0),
            (2, 1408.0 / 2565.0 - 6656.0 / 12825.0),
            (3, 2197.0 / 4104.0 - 28561.0 / 56430.0),
            (4, -0.2 + 9.0 / 50.0),
            (5, -2.0 / 55.0),
        ],
    }),
    extension: &[],
};

/// Several steps of a method as one step of another, which has as many stages as one likes and the
/// same order; the error is that of the last of them.
fn composed(tableau: &Tableau, times: usize) -> &'static Tableau {
    let (part, last) = (1.0 / times as f64, tableau.nodes.len() - 1);
    let (mut nodes, mut rows) = (vec![0.0], vec![&[][..]]);
    let mut ends: Vec<Weight> = Vec::new();
    for step in 0..times {
        let own = |row: &[Weight]| -> Vec<Weight> {
            row.iter().map(|(slope, weight)| (slope + step * last, weight * part)).collect()
        };
        for stage in 1..=last {
            nodes.push((step as f64 + tableau.nodes[stage]) / times as f64);
            rows.push([ends.clone(), own(tableau.rows[stage])].concat().leak());
        }
        ends.extend(own(tableau.rows[last]));
    }
    let shifted = tableau.error().iter().map(|(slope, w)| (slope + (times - 1) * last, w * part));
    let error: Vec<Weight> = shifted.collect();
    let embedded = tableau.embedded.map(|own| Embedded { error: error.leak(), ..own });
    let (nodes, rows) = (nodes.leak(), rows.leak());
    Box::leak(Box::new(Tableau { nodes, rows, embedded, extension: &[], ..*tableau }))
}

/// x' = y, y' = -sin x + 0.1 cos t, z' = x z by a tape, with native code for whole steps or not.
struct Pendulum {
    tape: Tape,
    slots: Vec<f64>,
    time: Slot,
    state: Slot,
    rate: Slot,
    step: Option<StepRoutine>,
    method: Method,
    /// Steps that native code has taken in a row, and trials that it has computed.
    batched: u64,
    trials: u64,
}

impl Pendulum {
    fn new(method: Method, native: bool) -> Pendulum {
        let (mut g, mut layout) = (Graph::new(), Layout::default());
        let (time, state, rate) = (layout.reserve(1), layout.reserve(3), layout.reserve(3));
        let [t, x, y, z] = [0, 1, 2, 3].map(|leaf| g.leaf(leaf, Type::REAL));
        let sine = g.unary(Unary::Sin, x);
        let cosine = g.unary(Unary::Cos, t);
        let tenth = g.real(0.1);
        let push = g.mul(tenth, cosine);
        let second = g.sub(push, sine);
        let third = g.mul(x, z);
        let roots = [(y, rate), (second, rate + 1), (third, rate + 2)];
        let leaf = |leaf: u32| if leaf == 0 { time } else { state + (leaf - 1) };
        let tape = Tape::compile(&g, &roots, &mut layout, &leaf);
        let slots = layout.image().to_vec();
        let (step, batched, trials) = (None, 0, 0);
        let own = Pendulum { tape, slots, time, state, rate, step, method, batched, trials };
        let compiled = compile(&[], &[own.plan()], None).expect("this machine has native code");
        let step = compiled.steps.into_iter().flatten().next().filter(|_| native);
        Pendulum { step, ..own }
    }

    fn plan(&self) -> StepPlan<'_> {
        StepPlan {
            tape: &self.tape,
            slots: self.slots.len(),
            state: self.state.slots(3),
            rate: self.rate.slots(3),
            time: self.time,
            tableau: self.method.tableau().expect("an explicit method"),
            rules: self.method.step_rules(),
            watched: false,
        }
    }

    fn lanes(&self) -> Option<LaneRoutine> {
        compile_lanes(&self.plan()).expect("this machine has native code")
    }
}

impl System for Pendulum {
    fn derivative(&mut self, t: f64, x: &[f64], dx: &mut [f64]) {
        let (state, rate) = (self.state.index(), self.rate.index());
        self.slots[self.time.index()] = t;
        self.slots[state..state + 3].copy_from_slice(x);
        ir::run(&self.tape, &mut self.slots);
        dx.copy_from_slice(&self.slots[rate..rate + 3]);
    }

    fn jacobian(&mut self, _: f64, _: &[f64], _: &mut [f64], _: &mut [f64]) {
        unreachable!("explicit methods have none");
    }

    fn crossings(&mut self, _: f64, _: &[f64], _: &[f64], _: &mut [f64], _: &mut [f64]) {}

    fn trial(&mut self, trial: &mut Trial) -> Option<f64> {
        let step = self.step.as_ref().filter(|_| self.method == trial.method)?;
        let error = step.run(&mut self.slots, 0.0, trial);
        self.trials += 1;
        self.batched += trial.batch.as_deref().map_or(0, |batch| batch.taken);
        Some(error)
    }
}

/// A run to its end, and the bits of all points that it has passed.
fn run(system: &mut Pendulum, options: Options, end: f64) -> (Solver, Vec<u64>) {
    let mut solver = Solver::new(options, 3, 0);
    let mut points = Vec::new();
    solver.restart(system, 0.0, &[1.0, 0.0, 1.0]);
    while solver.time() < end {
        let reach = StepLimit { horizon: end, before: end, most: 50, keep: true };
        let sides = Sides { side: &[], residual: &mut [], gain: &[] };
        solver.steps(system, reach, sides).expect("a step");
        points.extend(solver.passed().iter().map(|x| x.to_bits()));
        points.push(solver.time().to_bits());
        points.extend(bits(&solver));
    }
    (solver, points)
}

fn bits(solver: &Solver) -> Vec<u64> {
    solver.state().iter().map(|x| x.to_bits()).collect()
}

/// The methods, and whether their steps are computed whole.
fn methods() -> Vec<(&'static Tableau, bool)> {
    let fixed = Method::Rk4.tableau().expect("an explicit method");
    vec![
        (&HEUN_EULER, true),
        (&FEHLBERG_45, true),
        (composed(&FEHLBERG_45, 2), true),
        (composed(fixed, 3), true),
        // Nineteen slopes are more than a frame has room for: the solver does the stages.
        (composed(&FEHLBERG_45, 3), false),
    ]
}

#[test]
fn whole_steps_have_the_bits_of_the_stages_of_the_solver() {
    for (tableau, whole) in methods() {
        let method = Method::Other(tableau);
        let options = Options { step: 0.05, relative_tolerance: 1e-5, ..Options::new(method) };
        let [mut plain, mut native] = [false, true].map(|native| Pendulum::new(method, native));
        let (expected, points) = run(&mut plain, options, 20.0);
        let (found, passed) = run(&mut native, options, 20.0);
        let name = (tableau.name, tableau.nodes.len());
        assert_eq!(bits(&expected), bits(&found), "{name:?}");
        assert_eq!(points, passed, "{name:?}");
        assert_eq!(expected.counters(), found.counters(), "{name:?}");
        assert_eq!((plain.trials, native.trials > 0), (0, whole), "{name:?}");
        let follow = whole && tableau.embedded.is_some();
        assert_eq!(native.batched > 0, follow, "{name:?} in a row");
    }
}

#[test]
fn halving_the_step_shows_the_order_of_whole_steps() {
    for (tableau, _) in methods() {
        let method = Method::Other(tableau);
        let state = |steps: f64| {
            let step = 2.0 / steps;
            let options = Options {
                step,
                initial_step: Some(step),
                maximum_step: step,
                relative_tolerance: 1e6,
                ..Options::new(method)
            };
            let mut system = Pendulum::new(method, true);
            run(&mut system, options, 2.0).0.state().to_vec()
        };
        // As many evaluations for each method, so that all are at the same distance from rounding.
        let steps = 384.0 / (tableau.nodes.len() as f64 - 1.0);
        let [coarse, fine, finest] = [1.0, 2.0, 4.0].map(|finer| state(finer * steps.floor()));
        let distance =
            |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let order = (distance(&coarse, &fine) / distance(&fine, &finest)).log2();
        let expected = f64::from(tableau.order);
        assert!((order - expected).abs() < 0.5, "{}: {order}", tableau.name);
    }
}

/// Where a solution begins, its first step, and its end.
#[derive(Clone, Copy, Debug)]
struct Task {
    x: [f64; 3],
    step: f64,
    end: f64,
}

fn tasks() -> impl Strategy<Value = Vec<Task>> {
    let task = ([-3.0..3.0f64, -2.0..2.0, 0.5..2.0], 1e-3..2.0f64, 0.01..9.0f64);
    let task = task.prop_map(|(x, step, end)| Task { x, step, end });
    prop::collection::vec(task, 1..3 * LANES)
}

/// A solver at the start of a task.
fn begin(system: &mut Pendulum, task: Task) -> Solver {
    let options = Options {
        relative_tolerance: 1e-5,
        initial_step: Some(task.step),
        ..Options::new(system.method)
    };
    let mut solver = Solver::new(options, 3, 0);
    solver.restart(system, 0.0, &task.x);
    solver
}

/// All tasks, by lanes as far as these go, and how many steps were taken in lanes.
fn run_in_lanes(system: &mut Pendulum, lanes: &LaneRoutine, tasks: &[Task]) -> (Vec<Solver>, u64) {
    let mut steps = LaneSteps::new(lanes.layout());
    let mut solvers: Vec<Solver> = tasks.iter().map(|task| begin(system, *task)).collect();
    let inputs: Vec<f64> = lanes.inputs().iter().map(|slot| system.slots[slot.index()]).collect();
    let (mut held, mut next, mut taken) = ([None; LANES], 0, 0);
    loop {
        for (lane, held) in held.iter_mut().enumerate() {
            while held.is_none() && next < tasks.len() {
                let (solver, end) = (&mut solvers[next], tasks[next].end);
                let limit = StepLimit { horizon: end, before: end, most: u64::MAX, keep: false };
                if solver.time() < end
                    && !steps.enter(lane, solver, limit, 0.0, inputs.iter().copied())
                {
                    let sides = Sides { side: &[], residual: &mut [], gain: &[] };
                    solver.step(system, end, sides).expect("a step");
                } else if solver.time() < end {
                    *held = Some(next);
                    next += 1;
                } else {
                    next += 1;
                }
            }
        }
        if held.iter().all(Option::is_none) {
            return (solvers, taken);
        }
        let events = steps.advance(u32::MAX, &mut |trials| lanes.run(trials));
        for (lane, own) in held.iter_mut().enumerate().filter(|(_, own)| own.is_some()) {
            let (bit, task) = (1 << lane, own.expect("it is held"));
            let solver = &mut solvers[task];
            let before = solver.counters().accepted;
            if events.taken & bit != 0 {
                steps.show(lane, solver);
            } else if events.odd & bit != 0 {
                steps.put_back(lane, solver);
            } else {
                continue;
            }
            taken += solver.counters().accepted - before;
            steps.leave(lane);
            *own = None;
            let end = tasks[task].end;
            while solver.time() < end {
                let sides = Sides { side: &[], residual: &mut [], gain: &[] };
                solver.step(system, end, sides).expect("a step");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() })]

    /// Solutions side by side, each with its own start, step and end, have the bits of each by
    /// itself, and have done the same work.
    #[test]
    fn lanes_have_the_bits_of_each_solution_by_itself(tasks in tasks(), which in 0..3usize) {
        let (tableau, _) = methods()[which];
        let method = Method::Other(tableau);
        let mut system = Pendulum::new(method, false);
        let lanes = system.lanes().expect("a short method with an error estimate");
        let (found, taken) = run_in_lanes(&mut system, &lanes, &tasks);
        prop_assert!(taken > 0);
        for (task, found) in tasks.iter().zip(found) {
            let mut expected = begin(&mut system, *task);
            while expected.time() < task.end {
                let sides = Sides { side: &[], residual: &mut [], gain: &[] };
                expected.step(&mut system, task.end, sides).expect("a step");
            }
            prop_assert_eq!(bits(&expected), bits(&found));
            prop_assert_eq!(expected.counters(), found.counters());
            prop_assert_eq!(expected.next_step(), found.next_step());
        }
    }
}
