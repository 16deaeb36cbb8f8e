//! The equations of a model at a point: their values, and their derivatives.

use base::Elem;
use linear::Matrix;
use program::tape::{Gradient, Slot, run};
use program::{
    EquationComparison, EquationState, Equations, FragmentId, Guess, Place, Program, Unmovable,
    WireId, equations,
};

use crate::System;
use crate::analysis::{AnalysisError, OperatingPoint};

/// How many directions one run of the tape differentiates in.
const AT_ONCE: usize = 8;

/// The most rows or columns of a matrix.
pub(crate) const MOST: usize = 4000;

/// The equations with a buffer that they are evaluated on.
#[derive(Clone, Debug)]
pub(crate) struct Functions {
    pub equations: Equations,
    pub buffer: Vec<f64>,
    guesses: Vec<Guess>,
    active: Vec<bool>,
    pub time: Slot,
}

impl Functions {
    /// The equations of a system at a point, with some wires moved and some asked for. The wires
    /// that the point has moved come after these.
    pub fn new(
        system: &System,
        program: &Program,
        point: &OperatingPoint,
        (inputs, outputs): (&[WireId], &[WireId]),
    ) -> Result<Functions, AnalysisError> {
        if !std::sync::Arc::ptr_eq(&point.diagram, &system.diagram) {
            return Err(AnalysisError::OtherSystem);
        }
        let before = point.moved.iter().map(|(wire, _)| *wire);
        let all: Vec<WireId> =
            inputs.iter().copied().chain(before.filter(|own| !inputs.contains(own))).collect();
        let made = equations(&system.diagram, &system.schedule, program, &all, outputs);
        let equations = made.map_err(|(wire, why)| AnalysisError::NoNumber {
            name: system.diagram.wire_name(wire),
            why: match why {
                Unmovable::InLoop => "it is in an algebraic loop, which determines it",
                Unmovable::OnlyEvents => "it is present at events only",
            },
        })?;
        let mut buffer = equations.image.clone();
        buffer[..point.buffer.len()].copy_from_slice(&point.buffer);
        let fragments = program.fragments.entries();
        let active = fragments
            .map(|(id, own)| id == FragmentId::ROOT || point.buffer[own.active.index()] != 0.0);
        let (active, guesses) = (active.collect(), program.guesses.clone());
        let mut functions = Functions { equations, buffer, guesses, active, time: program.time };
        functions.take_moved(point);
        Ok(functions)
    }

    /// Gives every moved wire the value that it has at the point.
    fn take_moved(&mut self, point: &OperatingPoint) {
        // A wire may be computed from another one that is moved.
        for index in 0..self.equations.inputs.len() {
            let own = self.equations.inputs[index];
            let given = point.moved.iter().find(|(wire, _)| *wire == own.wire);
            let values = match given {
                Some((_, values)) => values.clone(),
                None if own.added => continue,
                None => {
                    self.run();
                    self.buffer[own.computed.range()].to_vec()
                }
            };
            self.buffer[own.moved.range()].copy_from_slice(&values);
        }
        self.run();
    }

    /// Whether a fragment runs at the point.
    pub fn runs(&self, fragment: FragmentId) -> bool {
        self.active[fragment.index()]
    }

    /// The states that move at the point.
    pub fn states(&self) -> Vec<EquationState> {
        let states = self.equations.states.iter().copied();
        states.filter(|own| self.runs(own.fragment)).collect()
    }

    /// The comparisons that count at the point.
    pub fn comparisons(&self) -> Vec<EquationComparison> {
        let all = self.equations.comparisons.iter().copied();
        all.filter(|own| self.runs(own.fragment)).collect()
    }

    /// Computes everything from states, inputs and sides.
    pub fn run(&mut self) {
        run(&self.equations.tape, &mut self.buffer);
        for Guess { solution, guess, length } in &self.guesses {
            let solved = solution.index()..solution.index() + length;
            if self.buffer[solved.clone()].iter().all(|x| x.is_finite()) {
                self.buffer.copy_within(solved, guess.index());
            }
        }
    }

    /// The values at some places, one after the other.
    pub fn at(&self, places: &[Place]) -> Vec<f64> {
        places.iter().flat_map(|place| self.buffer[place.range()].iter().copied()).collect()
    }

    /// Writes values to some places.
    pub fn write(&mut self, places: &[Place], values: &[f64]) {
        let mut rest = values;
        for place in places {
            let (own, others) = rest.split_at(place.length);
            self.buffer[place.range()].copy_from_slice(own);
            rest = others;
        }
    }

    /// The derivatives of the values at `rows` by those at `columns`, all else fixed. The tape does
    /// not change what it reads, so one buffer serves every direction.
    pub fn derivatives(&self, rows: &[Place], columns: &[Slot]) -> Matrix {
        let rows: Vec<usize> = rows.iter().flat_map(|place| place.range()).collect();
        let mut found = Matrix::zeros(rows.len(), columns.len());
        let start: Vec<Gradient<AT_ONCE>> =
            self.buffer.iter().map(|x| program::tape::Scalar::constant(*x)).collect();
        let mut numbers = start.clone();
        for (chunk, slots) in columns.chunks(AT_ONCE).enumerate() {
            numbers.copy_from_slice(&start);
            for (direction, slot) in slots.iter().enumerate() {
                let value = self.buffer[slot.index()];
                numbers[slot.index()] = Gradient::moving(value, direction);
            }
            run(&self.equations.tape, &mut numbers);
            for (i, row) in rows.iter().enumerate() {
                for direction in 0..slots.len() {
                    found.set(i, chunk * AT_ONCE + direction, numbers[*row].along[direction]);
                }
            }
        }
        found
    }
}

/// All slots of some places.
pub(crate) fn slots(places: &[Place]) -> Vec<Slot> {
    places.iter().flat_map(|place| place.slot.slots(place.length).iter()).collect()
}

/// Refuses problems whose matrices would not fit in memory.
pub(crate) fn check_size(size: usize) -> Result<(), AnalysisError> {
    match size > MOST {
        true => Err(AnalysisError::TooLarge { size, most: MOST }),
        false => Ok(()),
    }
}

/// Whether a state consists of real numbers.
pub(crate) fn is_real(elem: Elem) -> bool {
    elem == Elem::Real
}
