//! The smooth functions of a region with functions at rest, as the solver sees them.

use program::tape::{Dual, Jet, Scalar, run};
use program::{Number, Source, WatchId};
use solver::Solver;

use super::Rest;
use crate::sliding::weights::{solve, solve_moving};
use crate::smooth::flow::{Flow, counted, numbered, room, states, watches};

/// A number with a direction in the states, whose parts move in time.
type Moving = Jet<Dual, 2>;

impl Flow<'_> {
    /// A watched function and its slope, on some kind of number.
    fn follow_rest<T: Number>(
        &mut self,
        rest: &Rest,
        time: T,
        still: impl Fn(f64) -> T,
        state: impl Fn(usize, Option<usize>) -> T,
    ) -> [T; 2] {
        let (slots, ranges) = (&*self.slots, self.ranges);
        let own = WatchId { region: self.region, index: rest.watch };
        let room = room(self.functions, self.program, rest.watch);
        self.whole_program.follow(own, room, |source| match source {
            Source::Time => time,
            Source::Frozen(slot) => still(slots[slot.index()]),
            Source::Rate(_) => still(0.0),
            Source::State(i) => state(i, counted(states(ranges), i)),
        })
    }

    /// The forces at rest under given rates, and how they move in time if both states and rates do.
    pub(super) fn forces(
        &mut self,
        (time, x): (Dual, &[Dual]),
        rates: &[Dual],
        directions: &[Vec<Dual>],
    ) -> Vec<Dual> {
        let rests = self.rests;
        let zero = Dual::constant(0.0);
        let still = |value: f64| Moving::constant(value);
        let own = |values: &[Dual], number: Option<usize>| number.map_or(zero, |n| values[n]);
        let mut wanted: Vec<Dual> = Vec::new();
        let mut matrix: Vec<Dual> = Vec::new();
        for rest in rests {
            let moving = Jet([time, Dual::constant(1.0)]);
            let [_, slope] = self.follow_rest(rest, moving, still, |_, number| {
                Jet([own(x, number), own(rates, number)])
            });
            wanted.push(slope.0[1]);
            for direction in directions {
                let [_, push] = self.follow_rest(rest, Jet([time, zero]), still, |_, number| {
                    Jet([own(x, number), own(direction, number)])
                });
                matrix.push(push.0[1]);
            }
        }
        solve_moving(&wanted, &matrix)
    }

    /// The jumps of the functions at rest at a point, by the numbers of the states at the solver,
    /// and how they move if the states do.
    pub(super) fn directions(&mut self, time: Dual, x: &[Dual]) -> Vec<Vec<Dual>> {
        let (rests, zero) = (self.rests, Dual::constant(0.0));
        let direction = |rest: &Rest| {
            let still = |number: usize| rest.jump.still[numbered(states(self.ranges), number)];
            let mut direction: Vec<Dual> =
                (0..x.len()).map(|number| Dual::constant(still(number))).collect();
            for (state, factor) in &rest.jump.turning {
                let Some(place) = counted(states(self.ranges), *state) else { continue };
                let seed = |number: Option<usize>| f64::from(u8::from(number == Some(place)));
                let [_, slope] =
                    self.follow_rest(rest, Jet([time, zero]), Moving::constant, |_, number| {
                        let own = number.map_or(zero, |n| x[n]);
                        Jet([own, Dual::constant(seed(number))])
                    });
                direction[place] = Jet(slope.0[1].0.map(|x| factor * x));
            }
            direction
        };
        rests.iter().map(direction).collect()
    }

    /// Adds the forces at rest to the rates.
    pub(crate) fn press(&mut self, t: f64, x: &[f64], dx: &mut [f64]) {
        let fixed = |values: &[f64]| values.iter().map(|x| Dual::still(*x)).collect::<Vec<_>>();
        let (time, x) = (Dual::still(self.origin + t), fixed(x));
        let directions = self.directions(time, &x);
        let forces = self.forces((time, &x), &fixed(dx), &directions);
        for (direction, force) in directions.iter().zip(forces) {
            for (dx, jump) in dx.iter_mut().zip(direction) {
                *dx += force.0[0] * jump.0[0];
            }
        }
    }

    /// Replaces the watched functions at rest by the forces, which are positive as long as the motion
    /// stays there.
    pub(crate) fn watch_forces(
        &mut self,
        (t, x, dx): (f64, &[f64], &[f64]),
        g: &mut [f64],
        rate: &mut [f64],
    ) {
        let moving: Vec<Dual> = x.iter().zip(dx).map(|(x, dx)| Jet([*x, *dx])).collect();
        let rates = self.moving_rates((t, 1.0), x, &moving);
        let time = Dual::time(self.origin + t);
        let directions = self.directions(time, &moving);
        let forces = self.forces((time, &moving), &rates, &directions);
        for (rest, force) in self.rests.iter().zip(forces) {
            let numbers = |watch| counted(watches(self.ranges), watch);
            for number in rest.watches().filter_map(numbers) {
                (g[number], rate[number]) = (1.0, 0.0);
            }
            if let Some(number) = numbers(rest.watch) {
                (g[number], rate[number]) = (force.0[0], force.0[1]);
            }
        }
    }

    /// The rates without forces at rest, and how they move with the states and with time.
    fn moving_rates(&mut self, (t, rate): (f64, f64), x: &[f64], moving: &[Dual]) -> Vec<Dual> {
        self.place(t, x);
        let mut slots: Vec<Dual> = self.slots.iter().map(|x| Dual::still(*x)).collect();
        slots[self.time.index()] = Jet([self.origin + t, rate]);
        let place = |from: usize, number: usize| from + numbered(states(self.ranges), number);
        for (number, own) in moving.iter().enumerate() {
            slots[place(self.program.state.index(), number)] = *own;
        }
        run(&self.program.derivative, &mut slots);
        (0..x.len()).map(|number| slots[place(self.program.rate.index(), number)]).collect()
    }

    /// Whether a watched function is at rest.
    pub(crate) fn is_at_rest(&self, watch: usize) -> bool {
        self.rests.iter().any(|rest| rest.watches().any(|own| own == watch))
    }

    /// Brings functions and slopes at rest back to zero, if the errors of steps have moved them by
    /// more than rounding. A slope is corrected along the jump; a function along what a jump does to
    /// the rates, which is how it moves the function later on.
    pub(crate) fn stay_at_rest(&mut self, solver: &mut Solver, x: &mut Vec<f64>) {
        x.clear();
        x.extend_from_slice(solver.state());
        let t = solver.time();
        let mut moved = false;
        for order in [0, 1] {
            let (off, mut factors) = self.distances_at_rest(t, x, order);
            if !off {
                continue;
            }
            let at: Vec<Dual> = x.iter().map(|x| Dual::still(*x)).collect();
            let directions = self.directions(Dual::still(self.origin + t), &at);
            if !solve(&mut self.pushes(t, x, &directions), &mut factors) {
                continue;
            }
            for (direction, factor) in directions.iter().zip(factors) {
                let jump: Vec<f64> = direction.iter().map(|own| own.0[0]).collect();
                let direction = match order {
                    0 => {
                        let along: Vec<Dual> =
                            x.iter().zip(&jump).map(|(x, jump)| Jet([*x, *jump])).collect();
                        let rates = self.moving_rates((t, 0.0), x, &along);
                        rates.iter().map(|rate| rate.0[1]).collect()
                    }
                    _ => jump,
                };
                x.iter_mut().zip(direction).for_each(|(x, own)| *x += factor * own);
            }
            moved = true;
        }
        if moved {
            solver.restart(self, t, x);
        }
    }

    /// How far functions at rest (order 0) or their slopes (order 1) are from zero, with their signs
    /// turned, and whether rounding does not explain one of them.
    fn distances_at_rest(&mut self, t: f64, x: &[f64], order: usize) -> (bool, Vec<f64>) {
        let entering = |x: f64| program::tape::Rounded::entering(x, 0.0);
        let mut off = false;
        let mut distances = Vec::new();
        for rest in self.rests {
            let time = entering(self.origin + t);
            let state = |_: usize, number: Option<usize>| entering(number.map_or(0.0, |n| x[n]));
            let own = self.follow_rest(rest, time, entering, state)[order];
            off |= own.value.abs() > ROUNDINGS * own.error;
            distances.push(-own.value);
        }
        (off, distances)
    }

    /// How the jump of each function at rest moves the slope of each, row after row.
    fn pushes(&mut self, t: f64, x: &[f64], directions: &[Vec<Dual>]) -> Vec<f64> {
        let (rests, mut matrix) = (self.rests, Vec::new());
        for rest in rests {
            for direction in directions {
                let state = |_: usize, number: Option<usize>| {
                    number.map_or(Dual::still(0.0), |n| Jet([x[n], direction[n].0[0]]))
                };
                let time = Dual::still(self.origin + t);
                let [_, push] = self.follow_rest(rest, time, Dual::still, state);
                matrix.push(push.0[1]);
            }
        }
        matrix
    }
}

/// How many times its rounding a function at rest or its slope may be from zero.
const ROUNDINGS: f64 = 4.0;
