//! Stiff models against published solutions, at several tolerances, and with events.
//!
//! The problems and their solutions at the end are those of E. Hairer and G. Wanner, "Solving
//! Ordinary Differential Equations II", IV.10, and of the test set of F. Mazzia and C. Magherini.

use crate::common::simulate;
use superdense::{Method, Outcome};

struct Problem {
    name: &'static str,
    text: &'static str,
    stop: f64,
    truth: &'static [(&'static str, f64)],
    /// The absolute tolerance beside a relative one of 1.
    scale: f64,
}

const ROBERTSON: Problem = Problem {
    name: "Robertson",
    text: "
superdense: 1
blocks:
  a: {type: Integrator, input: -0.04 * a + 1e4 * b * c, initial: 1}
  b: {type: Integrator, input: 0.04 * a - 1e4 * b * c - 3e7 * b * b}
  c: {type: Integrator, input: 3e7 * b * b}
record: [a, b, c]
",
    stop: 1e11,
    truth: &[("a", 0.2083340149701255e-7), ("b", 0.8333360770334713e-13), ("c", 0.999999979166505)],
    scale: 1e-8,
};

const HIRES: Problem = Problem {
    name: "HIRES",
    text: "
superdense: 1
blocks:
  a: {type: Integrator, input: -1.71 * a + 0.43 * b + 8.32 * c + 0.0007, initial: 1}
  b: {type: Integrator, input: 1.71 * a - 8.75 * b}
  c: {type: Integrator, input: -10.03 * c + 0.43 * d + 0.035 * e}
  d: {type: Integrator, input: 8.32 * b + 1.71 * c - 1.12 * d}
  e: {type: Integrator, input: -1.745 * e + 0.43 * f + 0.43 * g}
  f: {type: Integrator, input: -280 * f * h + 0.69 * d + 1.71 * e - 0.43 * f + 0.69 * g}
  g: {type: Integrator, input: 280 * f * h - 1.81 * g}
  h: {type: Integrator, input: -280 * f * h + 1.81 * g, initial: 0.0057}
record: [a, b, c, d, e, f, g, h]
",
    stop: 321.8122,
    truth: &[
        ("a", 0.7371312573325668e-3),
        ("b", 0.1442485726316185e-3),
        ("c", 0.5888729740967575e-4),
        ("d", 0.1175651343283149e-2),
        ("e", 0.2386356198831331e-2),
        ("f", 0.6238968252742796e-2),
        ("g", 0.2849998395185769e-2),
        ("h", 0.2850001604814231e-2),
    ],
    scale: 1e-4,
};

const VAN_DER_POL: Problem = Problem {
    name: "van der Pol",
    text: "
superdense: 1
blocks:
  x: {type: Integrator, input: y, initial: 2}
  y: {type: Integrator, input: ((1 - x * x) * y - x) * 1e6}
record: [x, y]
",
    stop: 2.0,
    truth: &[("x", 0.1706167732170483e1), ("y", -0.8928097010247975)],
    scale: 1.0,
};

const OREGONATOR: Problem = Problem {
    name: "Oregonator",
    text: "
superdense: 1
blocks:
  a: {type: Integrator, input: 77.27 * (b + a * (1 - 8.375e-6 * a - b)), initial: 1}
  b: {type: Integrator, input: (c - (1 + a) * b) / 77.27, initial: 2}
  c: {type: Integrator, input: 0.161 * (a - c), initial: 3}
record: [a, b, c]
",
    stop: 360.0,
    truth: &[("a", 0.1000814870318523e1), ("b", 0.1228178521549917e4), ("c", 0.1320554942846706e3)],
    scale: 1.0,
};

fn solve(problem: &Problem, solver: &str, tolerance: f64) -> (f64, Outcome) {
    let Problem { text, stop, scale, .. } = problem;
    let outcome = simulate(&format!(
        "{text}simulate: {{stop: {stop}, solver: {solver}, relative_tolerance: {tolerance}, \
         absolute_tolerance: {}}}\n",
        tolerance * scale
    ));
    let error = |(name, truth): &(&str, f64)| {
        (outcome.trace.last(name).unwrap() - truth).abs() / truth.abs()
    };
    let worst = problem.truth.iter().map(error).fold(0.0, f64::max);
    (worst, outcome)
}

/// The error goes with the tolerance, whatever the solver.
#[test]
fn published_solutions_are_met() {
    for problem in [ROBERTSON, HIRES, VAN_DER_POL, OREGONATOR] {
        for (solver, tolerances, allowance) in [
            ("rodas5p", [1e-4, 1e-6, 1e-8], 2.0),
            ("auto", [1e-4, 1e-6, 1e-8], 2.0),
            // Of order 2, it is for accuracies of a few digits.
            ("tr-bdf2", [1e-3, 1e-4, 1e-5], 2000.0),
        ] {
            for tolerance in tolerances {
                let (error, _) = solve(&problem, solver, tolerance);
                let allowed = allowance * tolerance;
                let name = problem.name;
                assert!(error < allowed, "{name} with {solver} at {tolerance}: {error}");
            }
        }
    }
}

/// Work is pinned so that a change in it is seen and judged.
#[test]
fn the_work_is_pinned() {
    let work = |problem: &Problem, solver: &str, tolerance: f64| {
        let counters = solve(problem, solver, tolerance).1.counters;
        (counters.steps, counters.rejected, counters.evaluations)
    };
    assert_eq!(work(&ROBERTSON, "rodas5p", 1e-6), (308, 0, 2466));
    assert_eq!(work(&HIRES, "rodas5p", 1e-6), (221, 2, 1786));
    assert_eq!(work(&VAN_DER_POL, "rodas5p", 1e-6), (611, 27, 5106));
    assert_eq!(work(&OREGONATOR, "rodas5p", 1e-6), (779, 21, 6402));
    assert_eq!(work(&ROBERTSON, "tr-bdf2", 1e-4), (374, 0, 2138));
    assert_eq!(work(&HIRES, "tr-bdf2", 1e-4), (141, 12, 868));
}

/// Auto begins with rk45, takes rodas5p while the model is stiff, and goes back on the fast arcs of a
/// relaxation oscillation. It reports when.
#[test]
fn auto_says_where_it_changes() {
    let (_, outcome) = solve(&OREGONATOR, "auto", 1e-6);
    let switches = &outcome.work().parts[0].switches;
    let methods: Vec<Method> = switches.iter().map(|switch| switch.solver).collect();
    assert_eq!(methods[..3], [Method::Rodas5p, Method::Rk45, Method::Rodas5p]);
    assert!(switches.windows(2).all(|pair| pair[0].time < pair[1].time));
    assert!(outcome.counters.steps < 1500, "{:?}", outcome.counters);
    let calm = simulate(
        "
superdense: 1
blocks:
  x: {type: Integrator, input: v, initial: 1}
  v: {type: Integrator, input: -x}
simulate: {stop: 100, solver: auto, tolerance: 1e-6}
",
    );
    assert_eq!(calm.work().parts[0].switches, []);
}

/// A capacitor is charged from a sine through a diode with a sharp knee, and a relay follows it with
/// a hysteresis: events of a stiff model come at the same times whatever the solver.
#[test]
fn events_of_a_stiff_model_are_located_as_with_rk45() {
    let text = "
superdense: 1
blocks:
  u: {type: Expression, expression: 5 * sin(3 * time)}
  current: {type: Expression, expression: 1e-6 * (exp(20 * (u - v)) - 1)}
  v: {type: Integrator, input: (current - v / 10) / 1e-3}
  lag: {type: Integrator, input: 1e4 * (v - lag)}
  on: {type: LevelCrossing, input: lag, level: 2.5, direction: rising}
  off: {type: LevelCrossing, input: lag, level: 1.5, direction: falling}
record: [v, lag, on, off]
";
    let times = |solver: &str, tolerance: f64| -> Vec<(&str, f64)> {
        let settings = format!("stop: 6, solver: {solver}, tolerance: {tolerance}");
        let outcome = simulate(&format!("{text}simulate: {{{settings}}}\n"));
        let trace = &outcome.trace;
        let of = |name: &'static str| {
            let column = trace.column(name).unwrap();
            let rows = (0..trace.len()).filter(move |row| trace.get(*row, column).is_some());
            rows.map(move |row| (name, trace.tags()[row].time.seconds()))
        };
        of("on").chain(of("off")).collect()
    };
    let truth = times("rk45", 1e-11);
    assert_eq!(truth.len(), 6, "{truth:?}");
    for (solver, tolerance, allowed) in
        [("rodas5p", 1e-10, 1e-9), ("auto", 1e-10, 1e-9), ("tr-bdf2", 1e-9, 1e-5)]
    {
        let found = times(solver, tolerance);
        assert_eq!(found.len(), truth.len(), "{solver}: {found:?}");
        for ((name, time), (same, truth)) in found.iter().zip(&truth) {
            assert_eq!(name, same);
            assert!((time - truth).abs() < allowed, "{solver}, {name}: {time} and {truth}");
        }
    }
}

/// What enters the derivatives in other ways than by expressions: a loop that is solved, a delayed
/// signal, the states of a machine that run in turn, vectors, and constant matrices.
const DERIVATIVES: [(&str, &str); 4] = [
    (
        "a solved loop",
        "
superdense: 1
blocks:
  x: {type: Integrator, input: -1000 * z, initial: 1}
  z: {type: Expression, expression: x + 1 - 0.5 * sin(z) - cos(time)}
solve: {z: 0.5}
record: {out: x}
",
    ),
    (
        "a delay",
        "
superdense: 1
blocks:
  x: {type: Integrator, input: 1000 * (y * cos(time) - x), initial: 1}
  y: {type: TransportDelay, input: x, delay: 0.3, initial: 1}
record: {out: x}
",
    ),
    (
        "a machine",
        "
superdense: 1
blocks:
  m:
    type: Modal
    initial: slow
    states:
      slow:
        blocks: {x: {type: Integrator, input: 1 - x}}
        outputs: {out: x}
        transitions: [{to: fast, when: x > 0.5}]
      fast:
        blocks:
          y: {type: Integrator, input: 1000 * (cos(time) - y), initial: 2}
          z: {type: Integrator, input: y - z}
        outputs: {out: z}
        transitions: [{to: slow, after: 0.4}]
record: {out: m.out}
",
    ),
    (
        "vectors",
        "
superdense: 1
parameters: {A: '[[-2, 1, 0], [1, -2, 1], [0, 1, -2]]'}
blocks:
  x: {type: Integrator, input: '300 * A * x + [1, time, 0] - x^3', initial: [1, 2, 3]}
record: {out: 'x[1]'}
",
    ),
];

#[test]
fn derivatives_come_through_loops_delays_modes_and_vectors() {
    for (name, text) in DERIVATIVES {
        let last = |solver: &str, tolerance: f64| {
            let settings = format!("stop: 1.7, solver: {solver}, tolerance: {tolerance}");
            let outcome = simulate(&format!("{text}simulate: {{{settings}}}\n"));
            (outcome.trace.last("out").unwrap(), outcome.counters.steps)
        };
        let (truth, many) = last("rk45", 1e-10);
        for (solver, tolerance, allowed) in
            [("rodas5p", 1e-7, 1e-6), ("tr-bdf2", 1e-7, 1e-4), ("auto", 1e-7, 1e-6)]
        {
            let (found, steps) = last(solver, tolerance);
            assert!((found - truth).abs() < allowed, "{name}, {solver}: {found} and {truth}");
            assert!(solver == "tr-bdf2" || steps < many, "{name}, {solver}: {steps} steps");
        }
    }
}

/// A saturation with a steep slope is a layer of microseconds, in which the motion is stiff. Implicit
/// methods take it in one step, whose dense output does not follow the layer; the ends of the layer
/// are located where they are all the same.
#[test]
fn thin_layers_are_passed_where_they_are() {
    let cases = [
        (-0.09, 0.59, 0.8, 1.15, 0.4, 0.41, 2.8, -0.73),
        (-0.5, 0.3, 1.3, 0.8, 0.7, 0.9, 2.1, -1.1),
        (0.2, -0.4, 0.6, 1.4, -0.5, 0.8, 3.0, 0.9),
        (-1.0, 0.9, 2.0, 0.5, 0.3, -0.7, 1.9, 0.6),
    ];
    for (a, b, w, k, c, d, q, x0) in cases {
        for layer in [1e-3, 1e-6, 1e-8] {
            let run = |solver: &str, tolerance: f64| {
                let text = format!(
                    "
blocks:
  s: {{type: Expression, expression: ({c} * x + {d} * sin({q} * time)) / {layer}}}
  x: {{type: Integrator, initial: {x0}, input: '{a} * x + {b} * cos({w} * time) - {k} * max(-1, min(1, s))'}}
record: [x]
simulate: {{stop: 0.5, solver: {solver}, tolerance: {tolerance}}}
"
                );
                simulate(&text).trace.last("x").expect("recorded")
            };
            let truth = run("rk45", 1e-11);
            for (solver, within) in [("rodas5p", 2e-6), ("tr-bdf2", 2e-5), ("auto", 2e-6)] {
                let found = run(solver, 1e-8);
                assert!((found - truth).abs() < within, "{solver} {layer}: {found} for {truth}");
            }
        }
    }
}
