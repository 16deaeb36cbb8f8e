//! The smooth functions of a region that slides, as the solver sees them: combined rates, and for
//! each surface a function that is positive as long as the motion stays on it.

use base::Interval;
use program::tape::{Dual, Jet, Rounded, Scalar, run};
use program::{Number, RegionProgram, Shape, Source, WatchId};
use solver::{At, Enclosure, Noise, Solver, StepSpan};

use super::weights::{solve, solve_moving};
use super::{Surface, put_all};
use crate::rest::Rest;
use crate::smooth::flow::{Flow, counted, room, scatter, states};
use crate::smooth::region::RegionState;

/// The surfaces of a region that slides, and working space.
pub(crate) struct Slide<'a> {
    pub surfaces: &'a [Surface],
    pub space: &'a mut SlideSpace,
}

/// Working space of a region that slides.
#[derive(Clone, Debug, Default)]
pub(crate) struct SlideSpace {
    /// The rates below all surfaces, and above each one alone.
    pub below: Vec<f64>,
    pub above: Vec<Vec<f64>>,
    /// The slopes of the functions below all surfaces, and how much each changes above each one.
    slopes: Vec<f64>,
    pub matrix: Vec<f64>,
    /// All watched functions and their slopes on one side.
    functions: Vec<f64>,
    all_slopes: Vec<f64>,
    /// The matrix, for an elimination.
    work: Vec<f64>,
    /// The weights.
    pub weights: Vec<f64>,
    /// How far the functions are from zero.
    distances: Vec<f64>,
}

impl SlideSpace {
    fn prepare(&mut self, n: usize, k: usize) {
        self.below.resize(n, 0.0);
        self.above.resize_with(k, Vec::new);
        self.above.iter_mut().for_each(|own| own.resize(n, 0.0));
        self.slopes.resize(k, 0.0);
        self.matrix.resize(k * k, 0.0);
    }

    /// Weights from slopes; they are NaN if there are none.
    fn weigh(&mut self) {
        if let ([slope], [change]) = (&self.slopes[..], &self.matrix[..]) {
            let weight = -slope / change;
            self.weights.resize(1, 0.0);
            self.weights[0] = if weight.is_finite() { weight } else { f64::NAN };
            return;
        }
        self.work.clone_from(&self.matrix);
        self.weights.clear();
        self.weights.extend(self.slopes.iter().map(|slope| -slope));
        if !solve(&mut self.work, &mut self.weights) {
            self.weights.fill(f64::NAN);
        }
    }
}

/// The role of a watched function while the region slides.
enum Role {
    /// It gives a surface, by its number.
    Surface(usize),
    /// It is zero all the while and switches nothing by itself.
    Zero,
    /// It is none of a surface.
    Other,
}

fn role(surfaces: &[Surface], watch: usize) -> Role {
    for (number, surface) in surfaces.iter().enumerate() {
        if surface.watch() == watch {
            return Role::Surface(number);
        }
        if surface.watches().any(|own| own == watch) {
            return Role::Zero;
        }
    }
    Role::Other
}

/// A point of the motion: time, states and rates, as some kind of number.
pub(super) struct Point<'p, T> {
    pub time: T,
    /// The states by their numbers at the solver.
    pub state: &'p dyn Fn(usize) -> T,
    /// What does not move, by its value.
    pub frozen: &'p dyn Fn(f64) -> T,
}

impl<'a> Flow<'a> {
    /// The same functions for a region that slides.
    pub fn on(mut self, surfaces: &'a [Surface], space: &'a mut SlideSpace) -> Self {
        self.slide = (!surfaces.is_empty()).then_some(Slide { surfaces, space });
        self
    }

    /// The slope of a watched function at a point, with the sides in the buffer.
    pub(super) fn slope<T: Number>(&mut self, watch: usize, at: &Point<T>) -> T {
        let (slots, ranges, state) = (&*self.slots, self.ranges, self.program.state.index());
        let own = WatchId { region: self.region, index: watch };
        let room = room(self.functions, self.program, watch);
        let [_, slope] = self.whole_program.follow(own, room, |source| match source {
            Source::Time => at.time,
            Source::Frozen(slot) => (at.frozen)(slots[slot.index()]),
            Source::Rate(_) => T::constant(0.0),
            Source::State(i) => match counted(states(ranges), i) {
                Some(number) => (at.state)(number),
                None => (at.frozen)(slots[state + i]),
            },
        });
        slope
    }

    /// The slopes of one surface's function below and above that surface, and below all others.
    fn both_slopes<T: Number>(
        &mut self,
        surfaces: &[Surface],
        number: usize,
        at: &Point<T>,
    ) -> [T; 2] {
        let (sides, own) = (self.program.side, &surfaces[number]);
        put_all(surfaces, self.slots, sides, -1.0);
        let below = self.slope(own.watch(), at);
        own.put(self.slots, sides, 1.0);
        let above = self.slope(own.watch(), at);
        put_all(surfaces, self.slots, sides, 0.0);
        [below, above]
    }

    /// Computes the rates on all sides and the weights at a point.
    pub(super) fn weigh(&mut self, slide: &mut Slide, t: f64, x: &[f64]) {
        let (surfaces, sides) = (slide.surfaces, self.program.side);
        let (k, space) = (surfaces.len(), &mut *slide.space);
        space.prepare(x.len(), k);
        put_all(surfaces, self.slots, sides, -1.0);
        let mut rates = std::mem::take(&mut space.below);
        self.plain_rates(t, x, &mut rates);
        self.all_slopes((t, x, &rates), surfaces, space);
        for (slope, surface) in space.slopes.iter_mut().zip(surfaces) {
            *slope = space.all_slopes[surface.watch()];
        }
        space.below = rates;
        for (column, surface) in surfaces.iter().enumerate() {
            surface.put(self.slots, sides, 1.0);
            let mut rates = std::mem::take(&mut space.above[column]);
            self.plain_rates(t, x, &mut rates);
            self.all_slopes((t, x, &rates), surfaces, space);
            for (row, other) in surfaces.iter().enumerate() {
                let slope = space.all_slopes[other.watch()];
                space.matrix[row * k + column] = slope - space.slopes[row];
            }
            space.above[column] = rates;
            surface.put(self.slots, sides, -1.0);
        }
        space.weigh();
        put_all(surfaces, self.slots, sides, 0.0);
    }

    /// Computes the slopes of the surfaces' functions under given rates, by the index of the function
    /// in the region.
    fn all_slopes(
        &mut self,
        (t, x, rates): (f64, &[f64], &[f64]),
        surfaces: &[Surface],
        space: &mut SlideSpace,
    ) {
        let watches = self.program.watches.len();
        space.all_slopes.resize(watches, 0.0);
        // Slopes of what is delayed are not among the rates.
        if !self.program.lines.is_empty() {
            let (time, state) = (self.origin + t, |number: usize| x[number]);
            let at = Point { time, state: &state, frozen: &|value| value };
            for surface in surfaces {
                space.all_slopes[surface.watch()] = self.slope(surface.watch(), &at);
            }
            return;
        }
        if let Some(code) = self.code.filter(|_| self.whole) {
            space.functions.resize(watches, 0.0);
            let (g, slopes) = (&mut space.functions, &mut space.all_slopes);
            return code.crossings(self.slots, x, rates, g, slopes);
        }
        scatter(self.slots, self.program.state, states(self.ranges), x);
        scatter(self.slots, self.program.rate, states(self.ranges), rates);
        run(&self.program.slopes, self.slots);
        let from = self.program.g_rate.range(watches);
        space.all_slopes.copy_from_slice(&self.slots[from]);
    }

    /// The rates of a region that slides.
    pub(crate) fn combined_rates(&mut self, t: f64, x: &[f64], dx: &mut [f64]) {
        let Some(mut slide) = self.slide.take() else { return };
        self.weigh(&mut slide, t, x);
        let SlideSpace { below, above, weights, .. } = &*slide.space;
        dx.copy_from_slice(below);
        for (weight, above) in weights.iter().zip(above) {
            for ((dx, above), below) in dx.iter_mut().zip(above).zip(below) {
                *dx += weight * (above - below);
            }
        }
        self.slide = Some(slide);
    }

    /// Replaces the watched functions of surfaces by functions that are positive as long as the
    /// motion stays on them.
    pub(crate) fn watch_exits(
        &mut self,
        (t, x, dx): (f64, &[f64], &[f64]),
        g: &mut [f64],
        rate: &mut [f64],
    ) {
        let Some(slide) = self.slide.take() else { return };
        let surfaces = slide.surfaces;
        let state = |number: usize| Jet([x[number], dx[number]]);
        let at =
            Point { time: Dual::time(self.origin + t), state: &state, frozen: &Dual::constant };
        let exits = self.exits(surfaces, &at);
        for (surface, exit) in surfaces.iter().zip(exits) {
            for watch in surface.watches() {
                if let Some(number) = counted(crate::smooth::flow::watches(self.ranges), watch) {
                    (g[number], rate[number]) = (1.0, 0.0);
                }
            }
            let own = counted(crate::smooth::flow::watches(self.ranges), surface.watch());
            if let Some(number) = own {
                (g[number], rate[number]) = (exit.0[0], exit.0[1]);
            }
        }
        self.slide = Some(slide);
    }

    /// For each surface a function that is positive as long as the motion stays on it, with its time
    /// derivative: for one surface the negative product of the slopes on both sides, which needs no
    /// division; for several w (1 - w).
    fn exits(&mut self, surfaces: &[Surface], at: &Point<Dual>) -> Vec<Dual> {
        if let [_] = surfaces {
            let [below, above] = self.both_slopes(surfaces, 0, at);
            return vec![exit(below, above)];
        }
        let (k, sides) = (surfaces.len(), self.program.side);
        let mut slopes = Vec::with_capacity(k);
        let mut matrix = vec![Dual::constant(0.0); k * k];
        put_all(surfaces, self.slots, sides, -1.0);
        for surface in surfaces {
            slopes.push(self.slope(surface.watch(), at));
        }
        for (column, surface) in surfaces.iter().enumerate() {
            surface.put(self.slots, sides, 1.0);
            for (row, other) in surfaces.iter().enumerate() {
                let slope = self.slope(other.watch(), at);
                let change = std::array::from_fn(|i| slope.0[i] - slopes[row].0[i]);
                matrix[row * k + column] = Jet(change);
            }
            surface.put(self.slots, sides, -1.0);
        }
        put_all(surfaces, self.slots, sides, 0.0);
        let exit = |w: Dual| {
            let [w, rate] = w.0;
            Jet([w * (1.0 - w), (1.0 - 2.0 * w) * rate])
        };
        solve_moving(&slopes, &matrix).into_iter().map(exit).collect()
    }

    /// Bounds of the function of a surface; none if it is none.
    pub(crate) fn enclose_exit(&mut self, watch: usize, span: &StepSpan) -> Option<Enclosure> {
        let slide = self.slide.take()?;
        let found = match role(slide.surfaces, watch) {
            Role::Surface(number) if slide.surfaces.len() == 1 => {
                let time = Interval::point(self.origin) + span.time();
                let (state, frozen) = (|i: usize| span.state(i), |x: f64| Interval::point(x));
                let at = Point { time, state: &state, frozen: &frozen };
                let [below, above] = self.both_slopes(slide.surfaces, number, &at);
                let value = -(below * above);
                if value.low > 0.0 {
                    // The motion stays on it, however the slopes vary.
                    self.slide = Some(slide);
                    return Some(Enclosure { value, rate: Interval::ALL });
                }
                let state = |i: usize| Jet([span.state(i), span.slope(i)]);
                let frozen = |value: f64| Dual::constant(value);
                let at = Point { time: Dual::time(time), state: &state, frozen: &frozen };
                let [below, above] = self.both_slopes(slide.surfaces, number, &at);
                let [value, rate] = exit::<Interval>(below, above).0;
                Some(Enclosure { value, rate })
            }
            Role::Surface(_) => Some(Enclosure { value: Interval::ALL, rate: Interval::ALL }),
            Role::Zero => {
                let (one, zero) = (Interval::point(1.0), Interval::point(0.0));
                Some(Enclosure { value: one, rate: zero })
            }
            Role::Other => None,
        };
        self.slide = Some(slide);
        found
    }

    /// The rounding of the function of a surface; nothing outside if it is none, nothing inside if
    /// the rounding is not known.
    pub(crate) fn exit_noise(&mut self, watch: usize, at: At) -> Option<Option<Noise>> {
        let slide = self.slide.take()?;
        let found = match role(slide.surfaces, watch) {
            Role::Surface(number) if slide.surfaces.len() == 1 => {
                let state = |k: usize| Rounded::entering(at.state(k), at.drift(k));
                let frozen = |value: f64| Rounded::entering(value, 0.0);
                let point =
                    Point { time: frozen(self.origin + at.t), state: &state, frozen: &frozen };
                let [below, above] = self.both_slopes(slide.surfaces, number, &point);
                let value = below.error * above.value.abs() + above.error * below.value.abs();
                let torn = below.torn || above.torn;
                Some(Some(Noise { value, rate: 0.0, torn }))
            }
            Role::Surface(_) => Some(None),
            Role::Zero => Some(Some(Noise::default())),
            Role::Other => None,
        };
        self.slide = Some(slide);
        found
    }

    /// Whether a watched function is zero on a surface.
    pub(crate) fn is_of_surface(&self, watch: usize) -> bool {
        let role = self.slide.as_ref().map(|slide| role(slide.surfaces, watch));
        matches!(role, Some(Role::Surface(_) | Role::Zero))
    }

    /// The point of the surfaces that is nearest along the jumps of the rates, if steps have left
    /// them by more than rounding: the motion along a curved surface has an error of the solver.
    /// Writes it to `x`, and returns whether it differs.
    pub(crate) fn project(&mut self, t: f64, x: &mut [f64]) -> bool {
        let Some(mut slide) = self.slide.take() else { return false };
        let mut moved = false;
        let mut distances = std::mem::take(&mut slide.space.distances);
        for _ in 0..MOST_PROJECTIONS {
            if !self.distances((slide.surfaces, &mut distances), t, x) {
                break;
            }
            self.weigh(&mut slide, t, x);
            let SlideSpace { below, above, matrix, work, .. } = &mut *slide.space;
            work.clone_from(matrix);
            if !solve(work, &mut distances) {
                break;
            }
            for (factor, above) in distances.iter().zip(above) {
                for ((x, above), below) in x.iter_mut().zip(above).zip(&*below) {
                    *x += factor * (*above - below);
                }
            }
            moved = true;
        }
        slide.space.distances = distances;
        self.slide = Some(slide);
        moved
    }

    /// The distance of each function from zero, with its sign turned. Returns whether rounding does
    /// not explain one of them.
    fn distances(
        &mut self,
        (surfaces, distances): (&[Surface], &mut Vec<f64>),
        t: f64,
        x: &[f64],
    ) -> bool {
        let mut off = false;
        let distance = |surface: &Surface| {
            let (slots, ranges, state) = (&*self.slots, self.ranges, self.program.state.index());
            let own = WatchId { region: self.region, index: surface.watch() };
            let room = room(self.functions, self.program, surface.watch());
            let entering = |x: f64| Rounded::entering(x, 0.0);
            let [value, _] = self.whole_program.follow(own, room, |source| match source {
                Source::Time => entering(self.origin + t),
                Source::Frozen(slot) => entering(slots[slot.index()]),
                Source::Rate(_) => entering(0.0),
                Source::State(i) => match counted(states(ranges), i) {
                    Some(number) => entering(x[number]),
                    None => entering(slots[state + i]),
                },
            });
            off |= value.value.abs() > ROUNDINGS * value.error;
            -value.value
        };
        distances.clear();
        distances.extend(surfaces.iter().map(distance));
        off
    }

    /// Brings the solution back to the surfaces, if the solver has left them.
    pub(crate) fn stay_on_surfaces(&mut self, solver: &mut Solver, x: &mut Vec<f64>) {
        x.clear();
        x.extend_from_slice(solver.state());
        let t = solver.time();
        if self.project(t, x) {
            solver.restart(self, t, x);
        }
    }
}

/// How often a point is projected on surfaces.
const MOST_PROJECTIONS: usize = 4;
/// How many times its rounding a function may be from zero on its surface.
const ROUNDINGS: f64 = 4.0;

/// What the search for crossings may rely on for a region that slides or rests: the function of a
/// single surface can be bounded, others cannot.
pub(crate) fn exit_gains(code: &RegionProgram, state: &RegionState, gains: &[f64]) -> Vec<f64> {
    let mut gains = gains.to_vec();
    let surfaces = &state.surfaces;
    let enclosed =
        |watch: usize| surfaces.len() == 1 && code.functions[watch].shape != Shape::Opaque;
    let slides = surfaces.iter().flat_map(Surface::watches).map(|watch| (watch, enclosed(watch)));
    let rests = state.rests.iter().flat_map(Rest::watches).map(|watch| (watch, false));
    for (watch, enclosed) in slides.chain(rests) {
        if let Some(number) = counted(crate::smooth::flow::watches(&state.ranges), watch) {
            gains[number] = if enclosed { f64::INFINITY } else { f64::NAN };
        }
    }
    gains
}

fn exit<C: Scalar>(below: Dual<C>, above: Dual<C>) -> Dual<C> {
    use program::tape::{Binary, Unary};
    Dual::unary(Unary::Neg, Dual::binary(Binary::Mul, below, above))
}
