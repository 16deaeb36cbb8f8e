//! Linear models near a point.

use base::{Time, Type};
use linear::{LinearSystem, Matrix};
use program::{EquationState, Place, Program, WireId};

use crate::System;
use crate::analysis::delays::Open;
use crate::analysis::functions::{Functions, check_size, slots};
use crate::analysis::names::{Named, Signal};
use crate::analysis::{
    AnalysisError, NamedValue, OperatingPoint, Side, SwitchAtPoint, sides::shown_state,
};

/// What becomes of delays in a linear model.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Delays {
    /// A delay that matters is an error.
    #[default]
    Refuse,
    /// It is replaced by the Padé approximation of this order.
    Pade(usize),
}

/// What a linear model is about.
#[derive(Clone, Default, Debug)]
pub struct Linearize {
    /// Its inputs: inputs and tunable parameters of the model, held signals, or signals to which
    /// something is added. None stands for all inputs of the model.
    pub inputs: Option<Vec<String>>,
    /// Its outputs: recorded signals, inputs or outputs of blocks. None stands for the outputs of
    /// the model, or all recorded signals if it has none.
    pub outputs: Option<Vec<String>>,
    /// What becomes of delays.
    pub delays: Delays,
    /// The side of comparisons whose operands are equal at the point; by default that of the run
    /// which has led there, or above.
    pub side: Option<Side>,
}

/// A linear model: near the point, the deviations of states x, inputs u and outputs y follow
/// x' = A x + B u, y = C x + D u.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Linearization {
    /// The time of the point \[s\].
    pub time: Time,
    /// The matrices.
    pub system: LinearSystem,
    /// The states with their values at the point. Those of approximated delays come last, and their
    /// values are 0.
    pub states: Vec<NamedValue>,
    /// The inputs with their values.
    pub inputs: Vec<NamedValue>,
    /// The outputs with their values.
    pub outputs: Vec<NamedValue>,
    /// The rates of the states at the point, which are zero at a steady state.
    pub rates: Vec<NamedValue>,
    /// The discrete states that something depends on, with the values at which they are held.
    pub held: Vec<(String, String)>,
    /// The states and outputs that depend on time itself, so that the model holds at this instant.
    pub depend_on_time: Vec<String>,
    /// The comparisons that switch at the point, so that the model holds on one side of it.
    pub switches: Vec<SwitchAtPoint>,
}

impl System {
    /// The linear model near a point.
    pub fn linearize(
        &self,
        point: &OperatingPoint,
        about: &Linearize,
    ) -> Result<Linearization, AnalysisError> {
        let program = self.exact_program()?;
        let inputs = about.inputs.clone().unwrap_or_else(|| self.real_inputs());
        let outputs = about.outputs.clone().unwrap_or_else(|| self.real_outputs());
        let inputs = self.each("input", &inputs)?;
        let outputs = self.each("output", &outputs)?;
        let wires = |of: &[Signal]| of.iter().map(|own| own.1).collect::<Vec<WireId>>();
        let wanted = (&wires(&inputs)[..], &wires(&outputs)[..]);
        let mut functions = Functions::new(self, program, point, wanted)?;
        let derived = functions.equations.inputs.iter().zip(&inputs).find(|(own, _)| own.derived);
        if let Some((_, (named, _))) = derived {
            return Err(AnalysisError::InputDerivative { name: named.name.clone() });
        }
        let places = Places::new(&functions, inputs.len());
        check_size(places.columns().len().max(functions.at(&places.rows()).len()))?;
        if !point.ran {
            functions.settle();
        }
        let seen = places.rows();
        let switches =
            functions.choose_sides(self, (&places.states, &seen), (about.side, point.ran));
        let time = point.time;
        let linearizing = Linearizing { system: self, program, functions, places, time };
        linearizing.finish((&inputs, &outputs), about.delays, switches)
    }

    /// Signals by their names, each once.
    fn each(&self, what: &'static str, names: &[String]) -> Result<Vec<Signal>, AnalysisError> {
        let mut found: Vec<Signal> = Vec::new();
        for name in names {
            let own = self.moving_signal(what, name)?;
            let again =
                |other: &Signal| other.0.name == *name || what == "input" && other.1 == own.1;
            if found.iter().any(again) {
                return Err(AnalysisError::Twice { name: name.clone() });
            }
            found.push(own);
        }
        Ok(found)
    }

    /// The discrete states that the equations depend on, with their values.
    pub(crate) fn held_states(
        &self,
        program: &Program,
        functions: &Functions,
    ) -> Vec<(String, String)> {
        let held = functions.equations.held.iter().filter(|id| {
            let fragment = self.diagram.block(program.states[**id].block).fragment;
            functions.runs(fragment)
        });
        let one = |id: &program::StateId| {
            let named = self.named_state(program, *id);
            let range = program.tracked(program.states[*id].tracked).range();
            (named.name.clone(), shown_state(named.ty, &functions.buffer[range]))
        };
        held.map(one).collect()
    }

    /// The states that move, by name.
    pub(crate) fn moving_states(&self, program: &Program, functions: &Functions) -> Vec<Named> {
        let states = functions.states();
        states.iter().map(|own| self.named_state(program, own.state)).collect()
    }
}

/// What is differentiated by what.
struct Places {
    states: Vec<Place>,
    rates: Vec<Place>,
    inputs: Vec<Place>,
    outputs: Vec<Place>,
    delayed: Vec<Place>,
    entering: Vec<Place>,
}

impl Places {
    fn new(functions: &Functions, inputs: usize) -> Places {
        let states: Vec<EquationState> = functions.states();
        let equations = &functions.equations;
        Places {
            states: states.iter().map(|own| own.value).collect(),
            rates: states.iter().map(|own| own.rate).collect(),
            inputs: equations.inputs[..inputs].iter().map(|own| own.moved).collect(),
            outputs: equations.outputs.clone(),
            delayed: equations.delays.iter().map(|own| own.output).collect(),
            entering: equations.delays.iter().map(|own| own.input).collect(),
        }
    }

    fn columns(&self) -> Vec<program::tape::Slot> {
        let all = self.states.iter().chain(&self.inputs).chain(&self.delayed);
        slots(&all.copied().collect::<Vec<Place>>())
    }

    fn rows(&self) -> Vec<Place> {
        self.rates.iter().chain(&self.outputs).chain(&self.entering).copied().collect()
    }
}

struct Linearizing<'a> {
    system: &'a System,
    program: &'a Program,
    functions: Functions,
    places: Places,
    time: Time,
}

impl Linearizing<'_> {
    fn finish(
        self,
        (inputs, outputs): (&[Signal], &[Signal]),
        delays: Delays,
        switches: Vec<SwitchAtPoint>,
    ) -> Result<Linearization, AnalysisError> {
        let Linearizing { system, program, functions, places, .. } = &self;
        let states = system.moving_states(program, functions);
        let whole = functions.derivatives(&places.rows(), &places.columns());
        let row_names = self.row_names(&states, outputs);
        self.check_finite(&row_names, &states, inputs, &whole)?;
        let count = |of: &[Place]| of.iter().map(|place| place.length).sum::<usize>();
        let (n, m, p) = (count(&places.states), count(&places.inputs), count(&places.outputs));
        let part = |rows: std::ops::Range<usize>, columns: std::ops::Range<usize>| {
            whole.part(&rows.collect::<Vec<_>>(), &columns.collect::<Vec<_>>())
        };
        let open = LinearSystem {
            a: part(0..n, 0..n),
            b: part(0..n, n..whole.columns()),
            c: part(n..whole.rows(), 0..n),
            d: part(n..whole.rows(), n..whole.columns()),
        };
        let open = Open { system: open, inputs: m, outputs: p };
        let closed = functions.close_delays(system, program, open, delays)?;
        let by_time = functions.derivatives(&places.rows(), &[functions.time]);
        let rows = row_names.iter().take(n + p).enumerate();
        let on_time = rows.filter(|(i, _)| by_time.get(*i, 0) != 0.0);
        let on_time: Vec<String> = on_time.map(|(_, name)| name.clone()).collect();
        let mut named_states = valued(&states, &functions.at(&places.states));
        let mut rates = valued(&states, &functions.at(&places.rates));
        for name in &closed.states {
            let zero = NamedValue { name: name.clone(), value: 0.0, unit: None };
            named_states.push(zero.clone());
            rates.push(zero);
        }
        let signals = |of: &[Signal], values: &[f64]| {
            valued(&of.iter().map(|own| own.0.clone()).collect::<Vec<_>>(), values)
        };
        Ok(Linearization {
            time: self.time,
            system: closed.system,
            states: named_states,
            rates,
            inputs: signals(inputs, &self.input_values()),
            outputs: signals(outputs, &functions.at(&places.outputs)),
            held: system.held_states(program, functions),
            depend_on_time: on_time,
            switches,
        })
    }

    /// The values of the inputs, with what their blocks compute where something is added to it.
    fn input_values(&self) -> Vec<f64> {
        let functions = &self.functions;
        let inputs = functions.equations.inputs[..self.places.inputs.len()].iter();
        let value = |own: &program::EquationInput| {
            let moved = functions.at(&[own.moved]);
            match own.added {
                false => moved,
                true => {
                    let computed = functions.at(&[own.computed]);
                    moved.iter().zip(computed).map(|(a, b)| a + b).collect()
                }
            }
        };
        inputs.flat_map(value).collect()
    }

    /// The name of each rate, output and input of a delay.
    fn row_names(&self, states: &[Named], outputs: &[Signal]) -> Vec<String> {
        let rates = states.iter().flat_map(Named::elements);
        let outputs = outputs.iter().flat_map(|own| own.0.elements());
        let delays = self.functions.equations.delays.iter().flat_map(|own| {
            let block = self.program.lines[own.line].block;
            let name = self.system.diagram.block(block).path.clone();
            Named { name, ty: Type::vector(own.input.length as u32), unit: None }.elements()
        });
        rates.chain(outputs).chain(delays).collect()
    }

    /// Refuses values and derivatives that are not finite, by name.
    fn check_finite(
        &self,
        rows: &[String],
        states: &[Named],
        inputs: &[Signal],
        whole: &Matrix,
    ) -> Result<(), AnalysisError> {
        let values = self.functions.at(&self.places.rows());
        if let Some(at) = values.iter().position(|x| !x.is_finite()) {
            let what = if at < self.places.rates.len() { "rate" } else { "value" };
            return Err(AnalysisError::NotFinite { name: format!("{what} of `{}`", rows[at]) });
        }
        let columns: Vec<String> = states
            .iter()
            .chain(inputs.iter().map(|own| &own.0))
            .flat_map(Named::elements)
            .collect();
        let odd = whole.data().iter().position(|x| !x.is_finite());
        odd.map_or(Ok(()), |at| {
            let (row, column) = (at / whole.columns(), at % whole.columns());
            let by = columns.get(column).map_or("what a delay reads", String::as_str);
            let name = format!("derivative of `{}` by `{by}`", rows[row]);
            Err(AnalysisError::NotFinite { name })
        })
    }
}

/// The elements of several signals with their values.
pub(crate) fn valued(names: &[Named], values: &[f64]) -> Vec<NamedValue> {
    let mut rest = values;
    let mut found = Vec::new();
    for own in names {
        let (first, others) = rest.split_at(own.ty.len());
        found.extend(own.valued(first));
        rest = others;
    }
    found
}
