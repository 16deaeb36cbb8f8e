//! Steady states.
//!
//! The unknowns are the states that are not given, the inputs that are free, and what comes out of
//! delays; the conditions are the rates that must have a value (zero, if nothing else is asked for),
//! the outputs that are given, and that what comes out of a delay is what goes in.

use base::Time;
use linear::{Ended, Matrix, Problem, Solution, solve};
use program::tape::Slot;
use program::{Place, Program, WireId};

use crate::System;
use crate::analysis::functions::{Functions, check_size, is_real};
use crate::analysis::linearize::valued;
use crate::analysis::names::{Named, Signal, filled, whole};
use crate::analysis::{AnalysisError, NamedValue, OperatingPoint, Residual, SwitchAtPoint};

/// Names with values; a single number fills a vector.
pub type Values = Vec<(String, Vec<f64>)>;

/// What is known about a steady state. Names are those of whole signals or, for states, inputs,
/// outputs and rates, of elements such as `x[0]`.
#[derive(Clone, Default, Debug)]
pub struct Trim {
    /// States with given values; all others are free.
    pub states: Values,
    /// Inputs, tunable parameters and held signals with given values.
    pub inputs: Values,
    /// Signals that must have given values.
    pub outputs: Values,
    /// Rates that are given; those of all other states are zero.
    pub rates: Values,
    /// States whose rates may be anything, such as a position at constant speed.
    pub moving: Vec<String>,
    /// Inputs, tunable parameters and held signals that are unknowns. If none is named, and states
    /// or outputs are given, all inputs of the model are that are not given.
    pub free: Vec<String>,
    /// States and inputs that stay as they are at the start of the search.
    pub fixed: Vec<String>,
    /// Where the search starts, for states and free inputs; by default at the point.
    pub guess: Values,
    /// The lowest and the highest value of states and free inputs.
    pub bounds: Vec<(String, f64, f64)>,
}

/// A steady state.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Trimmed {
    /// The point itself, to be linearised.
    pub point: OperatingPoint,
    /// Its time \[s\].
    pub time: Time,
    /// The states that move, with their values.
    pub states: Vec<NamedValue>,
    /// The inputs, with their values.
    pub inputs: Vec<NamedValue>,
    /// The signals that were given values, and the outputs of the model.
    pub outputs: Vec<NamedValue>,
    /// The rates of the states.
    pub rates: Vec<NamedValue>,
    /// The unknowns.
    pub free: Vec<String>,
    /// Those of them that are at a bound.
    pub at_bounds: Vec<String>,
    /// The unknowns that the conditions leave open, with the number of directions in which they may
    /// move together; their values are near the start of the search.
    pub open: Vec<String>,
    /// The number of these directions.
    pub open_directions: usize,
    /// The discrete states that something depends on, with the values at which they are held.
    pub held: Vec<(String, String)>,
    /// The states and outputs that depend on time itself, so that this is steady at one instant
    /// only.
    pub depend_on_time: Vec<String>,
    /// The comparisons that switch at the point.
    pub switches: Vec<SwitchAtPoint>,
    /// The number of steps of the search.
    pub steps: usize,
}

/// A signal whose elements may be unknowns.
#[derive(Clone, Debug)]
struct Variable {
    named: Named,
    place: Place,
    /// For each element, whether it is an unknown.
    free: Vec<bool>,
    bounds: Vec<(f64, f64)>,
}

impl Variable {
    fn new(named: Named, place: Place, free: bool) -> Variable {
        let bounds = vec![(f64::NEG_INFINITY, f64::INFINITY); place.length];
        Variable { named, place, free: vec![free; place.length], bounds }
    }
}

/// A condition for an element.
#[derive(Clone, Debug)]
struct Condition {
    name: String,
    slot: Slot,
    target: Target,
}

#[derive(Clone, Copy, Debug)]
enum Target {
    Value(f64),
    /// The same as what is in another slot.
    Same(Slot),
}

impl System {
    /// A steady state near a point, under conditions.
    pub fn trim(&self, from: &OperatingPoint, about: &Trim) -> Result<Trimmed, AnalysisError> {
        let program = self.exact_program()?;
        let mut search = Search::new(self, program, from, about)?;
        search.fix(about)?;
        search.bound(about)?;
        let conditions = search.conditions(about)?;
        search.find(conditions)
    }
}

struct Search<'a> {
    system: &'a System,
    program: &'a Program,
    from: &'a OperatingPoint,
    functions: Functions,
    states: Vec<Variable>,
    /// The inputs, in the order of the equations.
    inputs: Vec<(Variable, WireId)>,
    outputs: Vec<(Named, Place)>,
}

impl<'a> Search<'a> {
    fn new(
        system: &'a System,
        program: &'a Program,
        from: &'a OperatingPoint,
        about: &Trim,
    ) -> Result<Search<'a>, AnalysisError> {
        let moved = wanted_inputs(system, about)?;
        let seen = wanted_outputs(system, about)?;
        let wires = |of: &[Signal]| of.iter().map(|own| own.1).collect::<Vec<WireId>>();
        let wanted = (&wires(&moved)[..], &wires(&seen)[..]);
        let functions = Functions::new(system, program, from, wanted)?;
        let named = |own: &program::EquationState| system.named_state(program, own.state);
        let real = |named: &Named| is_real(named.ty.elem);
        let states = functions.states();
        let states = states.iter().map(|own| (named(own), own.value));
        let states = states.map(|(named, place)| {
            let free = real(&named);
            Variable::new(named, place, free)
        });
        let states: Vec<Variable> = states.collect();
        let inputs = moved.into_iter().zip(&functions.equations.inputs);
        let inputs = inputs
            .map(|((named, wire), own)| (Variable::new(named, own.moved, false), wire))
            .collect();
        let places = functions.equations.outputs.clone();
        let outputs = seen.into_iter().map(|own| own.0).zip(places).collect();
        Ok(Search { system, program, from, functions, states, inputs, outputs })
    }

    fn variable(&mut self, name: &str) -> Option<(&mut Variable, std::ops::Range<usize>)> {
        let inputs = self.inputs.iter_mut().map(|own| &mut own.0);
        let mut all = self.states.iter_mut().chain(inputs);
        all.find_map(|own| own.named.indices(name).map(|range| (own, range)))
    }

    fn unknown(&self, what: &'static str, name: &str) -> AnalysisError {
        let states = self.states.iter().map(|own| &own.named);
        let inputs = self.inputs.iter().map(|own| &own.0.named);
        let known: Vec<String> = match what {
            "state" => states.map(|own| own.name.clone()).collect(),
            _ => states.chain(inputs).map(|own| own.name.clone()).collect(),
        };
        let help = base::did_you_mean(name, known.iter().map(String::as_str));
        AnalysisError::Unknown { what, name: name.to_owned(), help }
    }

    /// Says what is given, what is free and where the search starts.
    fn fix(&mut self, about: &Trim) -> Result<(), AnalysisError> {
        let given = |name: &str| about.inputs.iter().any(|(own, _)| whole(own) == name);
        let asked = !about.states.is_empty() || !about.outputs.is_empty();
        let of_model = self.system.real_inputs();
        for (own, _) in &mut self.inputs {
            let name = &own.named.name;
            let named = about.free.iter().any(|free| free == name);
            let implied = about.free.is_empty() && asked && of_model.contains(name);
            if named && given(name) {
                return Err(AnalysisError::Twice { name: name.clone() });
            }
            own.free.fill(named || implied && !given(name));
        }
        for (values, what, keeps) in [
            (&about.guess, "state or free input", false),
            (&about.states, "state", true),
            (&about.inputs, "input", true),
        ] {
            let mut seen: Vec<&String> = Vec::new();
            for (name, values) in values {
                if seen.contains(&name) {
                    return Err(AnalysisError::Twice { name: name.clone() });
                }
                seen.push(name);
                self.put(what, name, values, keeps)?;
            }
        }
        for name in &about.fixed {
            let error = self.unknown("state or input", name);
            let (own, range) = self.variable(name).ok_or(error)?;
            own.free[range].fill(false);
        }
        Ok(())
    }

    /// Writes the value of a state or an input; one that is given is no unknown.
    fn put(
        &mut self,
        what: &'static str,
        name: &str,
        values: &[f64],
        keeps: bool,
    ) -> Result<(), AnalysisError> {
        let error = self.unknown(what, name);
        let is_state =
            |search: &Search| search.states.iter().any(|own| own.named.indices(name).is_some());
        if what == "state" && !is_state(self) {
            return Err(error);
        }
        let (own, range) = self.variable(name).ok_or(error)?;
        let values = filled(name, range.len(), values)?;
        own.free[range.clone()].iter_mut().for_each(|free| *free &= !keeps);
        let place = Place { slot: own.place.slot.plus(range.start), length: range.len() };
        self.functions.write(&[place], &values);
        Ok(())
    }

    fn bound(&mut self, about: &Trim) -> Result<(), AnalysisError> {
        for (name, low, high) in &about.bounds {
            let odd = low.is_nan() || high.is_nan() || low > high;
            if odd || *low == f64::INFINITY || *high == f64::NEG_INFINITY {
                return Err(AnalysisError::BadBound { name: name.clone() });
            }
            let error = self.unknown("state or input", name);
            let (own, range) = self.variable(name).ok_or(error)?;
            own.bounds[range].fill((*low, *high));
        }
        Ok(())
    }

    fn conditions(&self, about: &Trim) -> Result<Vec<Condition>, AnalysisError> {
        let mut conditions = self.rates(about)?;
        for (name, values) in &about.outputs {
            let own = self.outputs.iter().find_map(|(named, place)| {
                named.indices(name).map(|range| (place.slot.plus(range.start), range.len()))
            });
            let (slot, length) = own.ok_or_else(|| self.unknown("output", name))?;
            for (i, value) in filled(name, length, values)?.into_iter().enumerate() {
                let name = if length == 1 { name.clone() } else { format!("{name}[{i}]") };
                let target = Target::Value(value);
                conditions.push(Condition {
                    name: format!("`{name}`"),
                    slot: slot.plus(i),
                    target,
                });
            }
        }
        for own in &self.functions.equations.delays {
            let line = &self.program.lines[own.line];
            if !self.functions.runs(line.fragment) {
                continue;
            }
            let block = self.system.diagram.block(line.block).written();
            for i in 0..own.input.length {
                let target = Target::Same(own.output.slot.plus(i));
                let name = format!("what enters and leaves `{block}`");
                conditions.push(Condition { name, slot: own.input.slot.plus(i), target });
            }
        }
        Ok(conditions)
    }

    /// The conditions for rates.
    fn rates(&self, about: &Trim) -> Result<Vec<Condition>, AnalysisError> {
        let named = about.rates.iter().map(|own| &own.0).chain(&about.moving);
        for name in named {
            let known = |own: &Variable| own.named.indices(name).is_some();
            if !self.states.iter().any(known) {
                return Err(self.unknown("state", name));
            }
        }
        let mut conditions = Vec::new();
        for (own, place) in self.states.iter().zip(self.functions.states()) {
            let mut targets: Vec<Option<f64>> = vec![Some(0.0); own.place.length];
            for name in &about.moving {
                if let Some(range) = own.named.indices(name) {
                    targets[range].fill(None);
                }
            }
            for (name, values) in &about.rates {
                if let Some(range) = own.named.indices(name) {
                    let values = filled(name, range.len(), values)?;
                    let places = targets[range].iter_mut().zip(values);
                    places.for_each(|(target, value)| *target = Some(value));
                }
            }
            let elements = own.named.elements().into_iter().zip(targets).enumerate();
            conditions.extend(elements.filter_map(|(i, (name, target))| {
                let (slot, target) = (place.rate.slot.plus(i), Target::Value(target?));
                Some(Condition { name: format!("rate of `{name}`"), slot, target })
            }));
        }
        Ok(conditions)
    }

    /// Searches, and says what was found.
    fn find(mut self, conditions: Vec<Condition>) -> Result<Trimmed, AnalysisError> {
        let inputs = self.inputs.iter().map(|own| &own.0);
        let mut unknowns: Vec<(Slot, String, (f64, f64))> = Vec::new();
        for own in self.states.iter().chain(inputs) {
            let elements = own.named.elements().into_iter().enumerate();
            let free = elements.filter(|(i, _)| own.free[*i]);
            unknowns.extend(free.map(|(i, name)| (own.place.slot.plus(i), name, own.bounds[i])));
        }
        let free: Vec<String> = unknowns.iter().map(|own| own.1.clone()).collect();
        for own in &self.functions.equations.delays {
            let line = &self.program.lines[own.line];
            if self.functions.runs(line.fragment) {
                let any = (f64::NEG_INFINITY, f64::INFINITY);
                let all = own.output.slot.slots(own.output.length).iter();
                unknowns.extend(all.map(|slot| (slot, String::new(), any)));
            }
        }
        check_size(unknowns.len().max(conditions.len()))?;
        let start: Vec<f64> =
            unknowns.iter().map(|own| self.functions.buffer[own.0.index()]).collect();
        let mut problem = Steady {
            slots: unknowns.iter().map(|own| own.0).collect(),
            bounds: unknowns.iter().map(|own| own.2).collect(),
            magnitudes: vec![1.0; unknowns.len()],
            conditions,
            functions: self.functions.clone(),
        };
        let found = solve(&mut problem, &start);
        let names: Vec<String> = unknowns.into_iter().map(|own| own.1).collect();
        let bound = |found: &Solution| -> Vec<String> {
            found.bound.iter().map(|j| names[*j].clone()).filter(|name| !name.is_empty()).collect()
        };
        if found.ended != Ended::Zero {
            return Err(problem.failure(&found, free, bound(&found)));
        }
        problem.put(&found.z);
        self.functions = problem.functions;
        let open = names.iter().zip(&found.openness);
        let open = open.filter(|(name, own)| **own > 1e-6 && !name.is_empty());
        let open: Vec<String> = open.map(|(name, _)| name.clone()).collect();
        Ok(self.report(free, (open, found.open), bound(&found), found.steps))
    }

    fn report(
        mut self,
        free: Vec<String>,
        (open, open_directions): (Vec<String>, usize),
        at_bounds: Vec<String>,
        steps: usize,
    ) -> Trimmed {
        let point = self.point();
        let states: Vec<Place> = self.states.iter().map(|own| own.place).collect();
        let rates: Vec<Place> = self.functions.states().iter().map(|own| own.rate).collect();
        let outputs: Vec<Place> = self.outputs.iter().map(|own| own.1).collect();
        let rows: Vec<Place> = rates.iter().chain(&outputs).copied().collect();
        let kept = self.functions.clone();
        let switches = self.functions.choose_sides(self.system, (&states, &rows), (None, false));
        self.functions = kept;
        let functions = &self.functions;
        let named: Vec<Named> = self.states.iter().map(|own| own.named.clone()).collect();
        let signals: Vec<Named> = self.outputs.iter().map(|own| own.0.clone()).collect();
        let by_time = functions.derivatives(&rows, &[functions.time]);
        let rows = named.iter().chain(&signals).flat_map(Named::elements).enumerate();
        let on_time = rows.filter(|(i, _)| by_time.get(*i, 0) != 0.0).map(|(_, name)| name);
        let inputs = self
            .inputs
            .iter()
            .flat_map(|(own, _)| own.named.valued(&functions.buffer[own.place.range()]));
        Trimmed {
            time: point.time,
            states: valued(&named, &functions.at(&states)),
            inputs: inputs.collect(),
            outputs: valued(&signals, &functions.at(&outputs)),
            rates: valued(&named, &functions.at(&rates)),
            free,
            at_bounds,
            open,
            open_directions,
            held: self.system.held_states(self.program, functions),
            depend_on_time: on_time.collect(),
            switches,
            steps,
            point,
        }
    }

    /// The point with the states and inputs that were found.
    fn point(&self) -> OperatingPoint {
        let mut buffer = self.functions.buffer[..self.from.buffer.len()].to_vec();
        let mut moved = self.from.moved.clone();
        for (own, wire) in &self.inputs {
            let values = self.functions.buffer[own.place.range()].to_vec();
            let block = self.system.diagram.wire(*wire).block;
            let mut outside = self.program.inputs.iter();
            match outside.find(|input| input.block == block) {
                Some(input) => {
                    // It goes on as a constant from here.
                    let range =
                        |state| self.program.tracked(self.program.states[state].tracked).range();
                    for (place, state) in input.states().enumerate() {
                        let value = if place == 0 { &values[..] } else { &[0.0] };
                        fill(&mut buffer[range(state)], value);
                    }
                    if let Some(origin) = input.origin() {
                        buffer[range(origin)]
                            .fill(self.functions.buffer[self.functions.time.index()]);
                    }
                }
                None => {
                    moved.retain(|(other, _)| other != wire);
                    moved.push((*wire, values));
                }
            }
        }
        let (diagram, time) = (self.from.diagram.clone(), self.from.time);
        OperatingPoint { diagram, buffer, time, moved, ran: false }
    }
}

/// Writes numbers; a single one fills.
fn fill(slots: &mut [f64], values: &[f64]) {
    match values {
        [one] => slots.fill(*one),
        all => slots.copy_from_slice(all),
    }
}

/// The inputs, and other signals that are moved.
fn wanted_inputs(system: &System, about: &Trim) -> Result<Vec<Signal>, AnalysisError> {
    let mut names = system.real_inputs();
    let given = about.inputs.iter().map(|own| whole(&own.0).to_owned());
    for name in given.chain(about.free.iter().cloned()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.iter().map(|name| system.moving_signal("input", name)).collect()
}

/// The outputs of the model, and other signals that are given.
fn wanted_outputs(system: &System, about: &Trim) -> Result<Vec<Signal>, AnalysisError> {
    let mut names = system.real_outputs();
    for (name, _) in &about.outputs {
        let name = if system.wire_named(name).is_some() { name } else { whole(name) };
        if !names.iter().any(|own| own == name) {
            names.push(name.to_owned());
        }
    }
    names.iter().map(|name| system.moving_signal("output", name)).collect()
}

/// The conditions as functions of the unknowns.
struct Steady {
    functions: Functions,
    slots: Vec<Slot>,
    conditions: Vec<Condition>,
    bounds: Vec<(f64, f64)>,
    magnitudes: Vec<f64>,
}

impl Steady {
    fn put(&mut self, z: &[f64]) {
        for (slot, value) in self.slots.iter().zip(z) {
            self.functions.buffer[slot.index()] = *value;
        }
        self.functions.settle();
    }

    fn left(&self) -> Vec<f64> {
        let buffer = &self.functions.buffer;
        let target = |own: &Condition| match own.target {
            Target::Value(value) => value,
            Target::Same(slot) => buffer[slot.index()],
        };
        self.conditions.iter().map(|own| buffer[own.slot.index()] - target(own)).collect()
    }

    fn failure(
        &mut self,
        found: &Solution,
        free: Vec<String>,
        at_bounds: Vec<String>,
    ) -> AnalysisError {
        let named = self.conditions.iter().zip(&found.values);
        if found.ended == Ended::NotFinite {
            let odd = named.into_iter().find(|(_, value)| !value.is_finite());
            let name = odd.map_or("derivative of a condition".to_owned(), |own| own.0.name.clone());
            return AnalysisError::NotFinite { name };
        }
        let left =
            |(own, value): (&Condition, &f64)| Residual { name: own.name.clone(), value: *value };
        let mut residuals: Vec<Residual> = named.map(left).filter(|own| own.value != 0.0).collect();
        residuals.sort_by(|a, b| b.value.abs().total_cmp(&a.value.abs()));
        let unfinished = found.ended == Ended::Steps;
        let conditions =
            self.conditions.iter().filter(|own| matches!(own.target, Target::Value(_)));
        let conditions = conditions.count();
        AnalysisError::NotSteady { residuals, conditions, free, at_bounds, unfinished }
    }
}

impl Problem for Steady {
    fn values(&mut self, z: &[f64]) -> Vec<f64> {
        self.put(z);
        self.left()
    }

    fn derivatives(&mut self, z: &[f64]) -> (Vec<f64>, Matrix) {
        self.put(z);
        let places: Vec<Place> =
            self.conditions.iter().map(|own| Place { slot: own.slot, length: 1 }).collect();
        let mut slopes = self.functions.derivatives(&places, &self.slots);
        for (i, own) in self.conditions.iter().enumerate() {
            if let Target::Same(slot) = own.target
                && let Some(j) = self.slots.iter().position(|other| *other == slot)
            {
                slopes.set(i, j, slopes.get(i, j) - 1.0);
            }
        }
        (self.left(), slopes)
    }

    fn bounds(&self) -> &[(f64, f64)] {
        &self.bounds
    }

    fn magnitudes(&self) -> &[f64] {
        &self.magnitudes
    }
}
