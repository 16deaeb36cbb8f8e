//! The direction of an impact: how it moves the states, also where the level has turned.
//!
//! A body that is pushed off a level without friction is pushed along the gradient of the level,
//! divided by its inertia. The slope of the function shows that gradient in the velocities:
//!
//! ```text
//! g = y - h(x),  g' = v - h'(x) u:   J = c_u dg'/du + c_v dg'/dv = (-h'(x) / m, 1 / m) in (u, v)
//! ```
//!
//! The factors c come from a jump that was seen. Only components whose derivative varies with the
//! states turn; on a plane a jump is what it was.

use program::{RegionId, WatchId};
use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::sliding::same::sampled_derivatives;
use crate::smooth::flow::room;

/// The direction in which the events of a function move the states of its region.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Jump {
    /// The components that do not turn; zero for others.
    pub still: Vec<f64>,
    /// Those that turn: states, and the factors on the derivatives of the slope by them.
    pub turning: Vec<(usize, f64)>,
}

impl Jump {
    /// Whether no jump has been seen.
    pub fn is_empty(&self) -> bool {
        self.still.is_empty()
    }

    /// Whether it may move a state.
    pub fn moves(&self, state: usize) -> bool {
        self.still[state] != 0.0 || self.turning.iter().any(|(own, _)| *own == state)
    }

    /// Keeps the components of some states.
    pub fn keep(&mut self, of: impl Fn(usize) -> bool) {
        let others = self.still.iter_mut().enumerate().filter(|(i, _)| !of(*i));
        others.for_each(|(_, own)| *own = 0.0);
        self.turning.retain(|(i, _)| of(*i));
    }
}

/// How a slope moves with a state.
struct Component {
    state: usize,
    /// The derivative here.
    slope: f64,
    /// Whether it varies.
    turns: bool,
    /// Whether the function itself does not move with the state: it is a velocity.
    velocity: bool,
}

/// A component of a jump that is smaller than this beside the largest one does not determine its
/// factor well.
const SMALL: f64 = 1e-3;
/// How far factors may differ to be the same.
const SAME: f64 = 1e-6;

impl Engine<'_> {
    /// The direction of a jump that was seen at this tick, with the components that turn.
    pub(super) fn turning(&mut self, watch: WatchId, direction: Vec<f64>) -> Jump {
        let mut jump = Jump { still: direction, turning: Vec::new() };
        let components = self.components(watch);
        if !components.iter().any(|own| own.turns && own.velocity) {
            return jump;
        }
        let factor = |own: &Component| jump.still[own.state] / own.slope;
        let seen = |own: &&Component| own.velocity && jump.still[own.state].abs() > SMALL;
        let known: Vec<f64> = components.iter().filter(seen).map(factor).collect();
        // Bodies with one mass have one factor, which also holds in directions that no jump has had.
        let first = known.first().copied().filter(|x| x.is_finite());
        let common = first.filter(|x| known.iter().all(|y| (x - y).abs() <= SAME * x.abs()));
        for own in components.iter().filter(|own| own.turns && own.velocity) {
            let factor = match common {
                Some(common) => common,
                None if own.slope != 0.0 => factor(own),
                None => continue,
            };
            jump.turning.push((own.state, factor));
        }
        jump.turning.iter().for_each(|(state, _)| jump.still[*state] = 0.0);
        jump
    }

    /// How the slope of a function moves with the states.
    fn components(&mut self, watch: WatchId) -> Vec<Component> {
        let (program, code) = (self.program, &self.program.regions[watch.region]);
        let component = |state: usize| {
            let room = room(&mut self.scratch.functions[watch.region], code, watch.index);
            let own = (watch, code);
            let all = sampled_derivatives(program, own, (room, &self.state.slots), state);
            let turns = all.iter().any(|[_, slope]| *slope != all[0][1] && !slope.is_nan());
            let velocity = all.iter().all(|[value, _]| *value == 0.0 || value.is_nan());
            Component { state, slope: 0.0, turns, velocity }
        };
        let mut found: Vec<Component> = program.states_of(watch).map(component).collect();
        for own in &mut found {
            own.slope = self.along_state(watch, own.state);
        }
        found
    }

    /// The direction of a jump at this tick.
    pub(super) fn direction_of(&mut self, watch: WatchId, jump: &Jump) -> Vec<f64> {
        let mut direction = jump.still.clone();
        for (state, factor) in &jump.turning {
            direction[*state] = factor * self.along_state(watch, *state);
        }
        direction
    }

    /// How the slope of a function moves with one state.
    fn along_state(&mut self, watch: WatchId, state: usize) -> f64 {
        let mut unit = vec![0.0; self.dimension(watch.region)];
        unit[state] = 1.0;
        self.along(watch, &unit)[1]
    }

    /// The velocities of a function and how its slope moves with them.
    pub(super) fn velocities(&mut self, watch: WatchId) -> Vec<(usize, f64)> {
        let all = self.components(watch).into_iter().filter(|own| own.velocity);
        all.map(|own| (own.state, own.slope)).collect()
    }

    fn dimension(&self, region: RegionId) -> usize {
        self.program.regions[region].dimension
    }
}
