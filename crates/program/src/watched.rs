//! What is known about watched functions, apart from their tapes: whether they are affine, whether
//! they can be bounded over a step, and how far rounding may move them.
//!
//! The tapes of a region compute all functions at once, on floats. Bounds and roundings are needed
//! for one function at a time, and rarely. So each function has a tape of its own over slots of its
//! own, which is made when it is first needed.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use base::Interval;
use ir::{Binary, Dual, Graph, Jet, Layout, NodeId, Op, Rounded, Scalar, Slot, Tape, Unary, run};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::program::Program;
use crate::region::{RegionProgram, WatchId};

/// What the search for crossings may rely on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Shape {
    /// It is constant between events.
    Still,
    /// A sum of multiples of time and of states, with factors that are constant, at least between
    /// events.
    Affine,
    /// Bounds of time and of the states yield bounds of the function.
    Enclosed,
    /// Something in it cannot be bounded: an opaque function, a solved loop, or a delayed signal.
    Opaque,
}

/// A watched function as nodes of the program's graph.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its value.
    pub(crate) value: NodeId,
    /// Its time derivative, over the rates of the states.
    pub(crate) rate: NodeId,
    /// The same, in terms of the states themselves.
    pub(crate) full_rate: NodeId,
    /// What is known about it.
    pub shape: Shape,
    /// Whether time alone moves it, between events: no state does, and no delayed signal.
    pub of_time: bool,
    /// The sum of the absolute values of its factors of states, if it is affine and they are
    /// constants; infinite if bounds must be computed, NaN if there are none.
    pub gain: f64,
    /// The terms of a quick bound of its rounding, if it is affine with constant factors.
    pub terms: Option<Terms>,
    /// The same for its time derivative.
    pub rate_terms: Option<Terms>,
    /// Its tape on intervals, made when any run first needs it.
    pub(crate) enclosure: OnceLock<Box<Own>>,
    /// The same on numbers with their rounding.
    pub(crate) rounding: OnceLock<Box<Own>>,
}

/// The magnitudes of the terms of an affine function.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// Slots of states and of frozen values, and the sums of absolute values of their factors.
    pub places: SmallVec<[(Slot, f64); 2]>,
    /// The sum of absolute values of the factors of time.
    pub time: f64,
    /// The sum of absolute values of its constants.
    pub constant: f64,
    /// The greatest number of operations on a path from a leaf.
    pub operations: f64,
}

/// With more slots than this a quick bound is not worthwhile.
const MOST_PLACES: usize = 16;

impl Terms {
    /// A bound of the rounding of the function. `of` gives the magnitude of the value in a slot,
    /// and each state has accumulated an error of `drift`.
    #[inline]
    pub fn noise(&self, of: impl Fn(Slot) -> f64, time: f64, drift: f64) -> f64 {
        let (mut size, mut gain) = (self.constant + self.time * time.abs(), 0.0);
        for (place, factor) in &self.places {
            size += factor * of(*place).abs();
            gain += factor;
        }
        0.5 * f64::EPSILON * (self.operations + 2.0) * size + gain * drift
    }

    fn scaled(mut self, by: f64) -> Terms {
        let by = by.abs();
        self.places.iter_mut().for_each(|(_, factor)| *factor *= by);
        Terms { time: by * self.time, constant: by * self.constant, ..self }
    }

    fn plus(mut self, other: &Terms) -> Option<Terms> {
        for (place, factor) in &other.places {
            match self.places.iter_mut().find(|(own, _)| own == place) {
                Some((_, own)) => *own += factor,
                None => self.places.push((*place, *factor)),
            }
        }
        self.time += other.time;
        self.constant += other.constant;
        self.operations = self.operations.max(other.operations) + 1.0;
        (self.places.len() <= MOST_PLACES).then_some(self)
    }
}

/// The greatest magnitudes of the terms of many affine functions: a bound of the rounding of all of
/// them at once. Of thousands of functions most are far from zero, which one comparison shows for
/// each without its own terms.
#[derive(Clone, Debug)]
pub struct CommonTerms {
    /// The slots of all of them.
    places: Vec<Slot>,
    factors: f64,
    time: f64,
    constant: f64,
    operations: f64,
}

impl CommonTerms {
    /// From how many functions on it pays.
    const MANY: usize = 64;

    /// Those of some functions; none if there are few, or if one of them has no terms.
    pub(crate) fn of(functions: &[Function]) -> Option<CommonTerms> {
        if functions.len() < CommonTerms::MANY {
            return None;
        }
        let terms: Option<Vec<&Terms>> = functions.iter().map(|own| own.terms.as_ref()).collect();
        let terms = terms?;
        let most =
            |of: &dyn Fn(&Terms) -> f64| terms.iter().fold(0.0, |most, own| of(own).max(most));
        let all = terms.iter().flat_map(|own| &own.places);
        let mut places: Vec<Slot> = all.map(|(place, _)| *place).collect();
        places.sort_unstable();
        places.dedup();
        Some(CommonTerms {
            places,
            factors: most(&|own| own.places.iter().map(|(_, factor)| factor).sum()),
            time: most(&|own| own.time),
            constant: most(&|own| own.constant),
            operations: most(&|own| own.operations),
        })
    }

    /// A bound of the rounding of each of the functions, not less than [`Terms::noise`]. An infinite
    /// value makes it infinite; a function that reads NaN is NaN itself.
    pub fn noise(&self, slots: &[f64], time: f64, drift: f64) -> f64 {
        // What the rounding of this sum itself may be off.
        const MARGIN: f64 = 1.0 + 1e-6;
        let largest = |most: f64, place: &Slot| {
            let size = slots[place.index()].abs();
            if size <= most { most } else { size }
        };
        let largest = self.places.iter().fold(0.0, largest);
        let size = self.constant + self.time * time.abs() + self.factors * largest;
        let noise = 0.5 * f64::EPSILON * (self.operations + 2.0) * size + self.factors * drift;
        if noise.is_finite() { MARGIN * noise } else { f64::INFINITY }
    }
}

/// Which leaves move, and how.
pub(crate) struct Moving<'a> {
    pub is_state: &'a dyn Fn(Slot) -> bool,
    pub is_delayed: &'a dyn Fn(Slot) -> bool,
    pub time: Slot,
}

/// What is known about a node: its shape; a bound of the sum of absolute values of the factors of
/// states in each of its elements, if it is affine and they are constants; and its terms.
#[derive(Clone)]
struct Found {
    shape: Shape,
    gain: Option<f64>,
    terms: Option<Terms>,
}

/// Finds the shapes of nodes, each once.
#[derive(Default)]
pub(crate) struct Shapes {
    known: FxHashMap<NodeId, Found>,
    /// Whether time alone moves a node.
    of_time: FxHashMap<NodeId, bool>,
}

impl Shapes {
    /// What is known about a function; `rate` and `full_rate` are its time derivatives.
    pub fn function(
        &mut self,
        graph: &Graph,
        moving: &Moving,
        value: NodeId,
        [rate, full_rate]: [NodeId; 2],
    ) -> Function {
        self.visit(graph, moving, &[value, rate, full_rate]);
        let Found { shape, gain, terms } = self.known[&value].clone();
        let shape = match self.known[&rate].shape {
            Shape::Opaque => Shape::Opaque,
            _ => shape,
        };
        let gain = match (shape, gain) {
            (Shape::Opaque, _) => f64::NAN,
            (Shape::Affine | Shape::Still, Some(gain)) => gain,
            _ => f64::INFINITY,
        };
        let rate_terms = self.known[&full_rate].terms.clone();
        let (of_time, (enclosure, rounding)) = (self.of_time[&value], Default::default());
        Function {
            value,
            rate,
            full_rate,
            shape,
            of_time,
            gain,
            terms,
            rate_terms,
            enclosure,
            rounding,
        }
    }

    fn visit(&mut self, graph: &Graph, moving: &Moving, roots: &[NodeId]) {
        let known = &self.known;
        let order = graph.reachable_above(roots, &|id| known.contains_key(&id));
        for id in order {
            if !self.known.contains_key(&id) {
                let found = self.find(graph, moving, id);
                self.known.insert(id, found);
                let node = graph.node(id);
                let of_time = match &node.op {
                    Op::Leaf(slot) => {
                        !(moving.is_state)(Slot(*slot)) && !(moving.is_delayed)(Slot(*slot))
                    }
                    _ => node.args.iter().all(|arg| self.of_time[arg]),
                };
                self.of_time.insert(id, of_time);
            }
        }
    }

    // One rule for each operation: a table, and so longer than a function should otherwise be.
    fn find(&self, graph: &Graph, moving: &Moving, id: NodeId) -> Found {
        let node = graph.node(id);
        let args: Vec<&Found> = node.args.iter().map(|arg| &self.known[arg]).collect();
        let constant = |k: usize| match &graph.node(node.args[k]).op {
            Op::Const(bits) => {
                Some(bits.iter().map(|bits| f64::from_bits(*bits).abs()).fold(0.0, f64::max))
            }
            _ => None,
        };
        let shape = args.iter().map(|arg| arg.shape).fold(Shape::Still, Shape::and);
        let frozen = |k: usize| args[k].shape == Shape::Still;
        let gains = || args.iter().map(|arg| arg.gain);
        let scalar = graph.ty(id).len() == 1;
        let of_terms = |made: Option<Terms>| made.filter(|_| scalar);
        let affine = |gain: Option<f64>, terms: Option<Terms>| Found { shape, gain, terms };
        let scaled = |k: usize, by: f64| {
            let terms = of_terms(args[k].terms.clone().map(|terms| terms.scaled(by)));
            affine(args[k].gain.map(|gain| by * gain), terms)
        };
        let largest = || gains().try_fold(0.0, |most: f64, gain| Some(most.max(gain?)));
        let moves = shape != Shape::Still;
        match &node.op {
            Op::Leaf(slot) => leaf(moving, Slot(*slot), scalar),
            Op::Observed(_) => args[0].clone(),
            Op::Const(bits) => {
                let size = bits.iter().map(|bits| f64::from_bits(*bits).abs()).fold(0.0, f64::max);
                let terms = Terms { constant: size, ..Terms::default() };
                Found { shape, gain: Some(0.0), terms: of_terms(Some(terms)) }
            }
            Op::Call(_) | Op::Solve(_) | Op::Unknown if moves => Found::opaque(),
            _ if shape == Shape::Opaque => Found::opaque(),
            Op::Unary(Unary::Neg) => affine(args[0].gain, args[0].terms.clone()),
            Op::Binary(Binary::Add | Binary::Sub) => {
                let terms = args[0].terms.clone().zip(args[1].terms.as_ref());
                let gain = args[0].gain.zip(args[1].gain).map(|(a, b)| a + b);
                affine(gain, of_terms(terms.and_then(|(a, b)| a.plus(b))))
            }
            Op::Binary(Binary::Mul) if constant(0).is_some() => {
                scaled(1, constant(0).unwrap_or(0.0))
            }
            Op::Binary(Binary::Mul) if constant(1).is_some() => {
                scaled(0, constant(1).unwrap_or(0.0))
            }
            Op::Binary(Binary::Div) if scalar && constant(1).is_some_and(|c| c != 0.0) => {
                scaled(0, 1.0 / constant(1).unwrap_or(1.0))
            }
            // A value that is constant between events has no factor of a state, whatever it is.
            _ if !moves => affine(Some(0.0), None),
            Op::Binary(Binary::Mul) if frozen(0) || frozen(1) => affine(None, None),
            Op::Binary(Binary::Div) if frozen(1) => affine(None, None),
            Op::LinearSolve | Op::MatMul if frozen(0) => affine(None, None),
            Op::MatMul if frozen(1) => affine(None, None),
            Op::Select | Op::Choose(_) if frozen(0) => affine(largest(), None),
            Op::Index if frozen(1) => affine(args[0].gain, None),
            Op::Extract(_) | Op::Splat => affine(args[0].gain, of_terms(args[0].terms.clone())),
            Op::Stack | Op::Transpose => affine(largest(), None),
            Op::Sum => {
                let n = graph.ty(node.args[0]).len() as f64;
                affine(args[0].gain.map(|gain| n * gain), None)
            }
            _ => Found { shape: Shape::Enclosed, gain: None, terms: None },
        }
    }
}

impl Shape {
    /// What is known about a function of both.
    fn and(self, other: Shape) -> Shape {
        let rank = |shape: Shape| match shape {
            Shape::Still => 0,
            Shape::Affine => 1,
            Shape::Enclosed => 2,
            Shape::Opaque => 3,
        };
        if rank(other) > rank(self) { other } else { self }
    }
}

impl Found {
    fn opaque() -> Found {
        Found { shape: Shape::Opaque, gain: None, terms: None }
    }
}

fn leaf(moving: &Moving, slot: Slot, scalar: bool) -> Found {
    if (moving.is_delayed)(slot) {
        return Found::opaque();
    }
    if slot == moving.time {
        let terms = Terms { time: 1.0, ..Terms::default() };
        return Found { shape: Shape::Affine, gain: Some(0.0), terms: Some(terms) };
    }
    let state = (moving.is_state)(slot);
    let shape = if state { Shape::Affine } else { Shape::Still };
    let terms = scalar.then(|| Terms { places: smallvec![(slot, 1.0)], ..Terms::default() });
    Found { shape, gain: Some(if state { 1.0 } else { 0.0 }), terms }
}

/// The source of a number that a function needs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Source {
    /// A slot whose value is constant between events.
    Frozen(Slot),
    /// A state of the region, by its index.
    State(usize),
    /// The rate of a state.
    Rate(usize),
    /// Time \[s\].
    Time,
}

/// A tape over slots of its own.
#[derive(Clone, Debug)]
pub(crate) struct Own {
    tape: Tape,
    inputs: Vec<(Source, Slot)>,
    image: Vec<f64>,
    value: Slot,
    rate: Slot,
}

/// Space for the values of one watched function in a run, for each kind of number; empty until
/// first needed.
#[derive(Clone, Debug, Default)]
pub struct Room {
    intervals: Vec<Interval>,
    flow_intervals: Vec<Interval>,
    rounded: Vec<Rounded>,
    floats: Vec<f64>,
    duals: Vec<Dual>,
    dual_intervals: Vec<Dual<Interval>>,
    moving_duals: Vec<Jet<Dual, 2>>,
}

/// A kind of number on which the tape of a watched function runs, with its space in a [`Room`].
pub trait Number: Scalar {
    /// The space.
    fn space(room: &mut Room) -> &mut Vec<Self>;
}

macro_rules! numbers {
    ($($number:ty: $space:ident),*) => {
        $(impl Number for $number {
            fn space(room: &mut Room) -> &mut Vec<Self> {
                &mut room.$space
            }
        })*
    };
}

numbers!(
    Interval: flow_intervals,
    Rounded: rounded,
    f64: floats,
    Dual: duals,
    Dual<Interval>: dual_intervals,
    Jet<Dual, 2>: moving_duals
);

impl Own {
    fn new(program: &Program, region: &RegionProgram, value: NodeId, rate: NodeId) -> Own {
        let graph = &program.graph;
        let mut layout = Layout::default();
        // Leaves of several lengths may begin at one slot; the longest leaves room for all.
        let mut lengths: BTreeMap<Slot, usize> = BTreeMap::new();
        for id in graph.reachable(&[value, rate]) {
            if let Op::Leaf(slot) = graph.node(id).op {
                let length = lengths.entry(Slot(slot)).or_default();
                *length = (*length).max(graph.ty(id).len());
            }
        }
        let mut places: FxHashMap<Slot, Slot> = FxHashMap::default();
        let mut inputs = Vec::new();
        for (slot, length) in lengths {
            let place = layout.reserve(length);
            places.insert(slot, place);
            let own = slot.slots(length).iter().zip(place.slots(length).iter());
            let own = own.map(|(slot, place)| (source(program, region, slot), place));
            inputs.extend(own);
        }
        let (to_value, to_rate) = (layout.reserve(1), layout.reserve(1));
        let roots = [(value, to_value), (rate, to_rate)];
        let tape = Tape::compile(graph, &roots, &mut layout, &|slot| places[&Slot(slot)]);
        let image = layout.image().to_vec();
        Own { tape, inputs, image, value: to_value, rate: to_rate }
    }

    /// Runs the tape on values from the sources; returns the function and its time derivative.
    fn run<T: Scalar>(&self, room: &mut Vec<T>, mut of: impl FnMut(Source) -> T) -> [T; 2] {
        if room.is_empty() {
            room.extend(self.image.iter().map(|x| T::constant(*x)));
        }
        for (source, place) in &self.inputs {
            room[place.index()] = of(*source);
        }
        run(&self.tape, room);
        [room[self.value.index()], room[self.rate.index()]]
    }
}

fn source(program: &Program, region: &RegionProgram, slot: Slot) -> Source {
    let within = |from: Slot| {
        let own = from.slots(region.dimension);
        own.contains(slot).then(|| (slot - from) as usize)
    };
    if slot == program.time {
        Source::Time
    } else if let Some(state) = within(region.state) {
        Source::State(state)
    } else if let Some(state) = within(region.rate) {
        Source::Rate(state)
    } else {
        Source::Frozen(slot)
    }
}

impl Program {
    /// Bounds of a watched function of a region and of its time derivative.
    pub fn enclose(
        &self,
        watch: WatchId,
        room: &mut Room,
        of: impl FnMut(Source) -> Interval,
    ) -> [Interval; 2] {
        let region = &self.regions[watch.region];
        let Function { value, rate, enclosure, .. } = &region.functions[watch.index];
        let own = enclosure.get_or_init(|| Box::new(Own::new(self, region, *value, *rate)));
        own.run(&mut room.intervals, of)
    }

    /// A watched function of a region and its time derivative along the flow, on some kind of number.
    pub fn follow<T: Number>(
        &self,
        watch: WatchId,
        room: &mut Room,
        of: impl FnMut(Source) -> T,
    ) -> [T; 2] {
        self.along_flow(watch).run(T::space(room), of)
    }

    /// The states that move the time derivative of a watched function along the flow.
    pub fn states_of(&self, watch: WatchId) -> impl Iterator<Item = usize> {
        self.along_flow(watch).inputs.iter().filter_map(|(source, _)| match source {
            Source::State(index) => Some(*index),
            _ => None,
        })
    }

    fn along_flow(&self, watch: WatchId) -> &Own {
        let region = &self.regions[watch.region];
        let Function { value, full_rate, rounding, .. } = &region.functions[watch.index];
        rounding.get_or_init(|| Box::new(Own::new(self, region, *value, *full_rate)))
    }
}
