//! Delays at a point: which of them matter, and what replaces them in a linear model.

use linear::{Connection, LinearSystem, MAXIMUM_ORDER, Matrix, pade};
use program::{EquationDelay, Program};

use crate::System;
use crate::analysis::functions::Functions;
use crate::analysis::{AnalysisError, Delays};

/// A linear model whose delays are still inputs (what comes out of them) and outputs (what goes in).
pub(crate) struct Open {
    pub system: LinearSystem,
    /// The number of inputs and of outputs before those of delays.
    pub inputs: usize,
    pub outputs: usize,
}

/// A closed linear model, with the names of the states that delays have added.
pub(crate) struct Closed {
    pub system: LinearSystem,
    pub states: Vec<String>,
}

impl Functions {
    /// Closes the loops through delays, or refuses those that matter.
    pub fn close_delays(
        &self,
        system: &System,
        program: &Program,
        open: Open,
        delays: Delays,
    ) -> Result<Closed, AnalysisError> {
        let order = match delays {
            Delays::Refuse => 0,
            Delays::Pade(order) if (1..=MAXIMUM_ORDER).contains(&order) => order,
            Delays::Pade(order) => {
                return Err(AnalysisError::BadOrder { order, most: MAXIMUM_ORDER });
            }
        };
        let (mut connections, mut states) = (Vec::new(), Vec::new());
        let mut offset = 0;
        for own in &self.equations.delays {
            for element in offset..offset + own.output.length {
                let (input, output) = (open.inputs + element, open.outputs + element);
                let matters =
                    self.runs(program.lines[own.line].fragment) && open.passes(input, output);
                let through = match matters {
                    true => self.replaced(system, program, own, order)?,
                    false => LinearSystem::gain(Matrix::zeros(1, 1)),
                };
                let path = system.diagram.block(program.lines[own.line].block).path.clone();
                let which = if own.output.length == 1 {
                    String::new()
                } else {
                    format!("[{}]", element - offset)
                };
                let named = |k: usize| format!("{path}{which}.delay{k}");
                states.extend((0..through.states()).map(named));
                connections.push(Connection { input, output, through });
            }
            offset += own.output.length;
        }
        let closed = open.system.connected(&connections);
        let system = closed.map_err(|_| AnalysisError::NotWellPosed)?;
        Ok(Closed { system, states })
    }

    /// The approximation of a delay, if there is one.
    fn replaced(
        &self,
        system: &System,
        program: &Program,
        own: &EquationDelay,
        order: usize,
    ) -> Result<LinearSystem, AnalysisError> {
        let line = &program.lines[own.line];
        let block = system.diagram.block(line.block).written().to_owned();
        let delay = match &line.reading {
            Some(reading) => self.buffer[reading.read.index()],
            None => line.delay.time().seconds(),
        };
        let refuse = |why| AnalysisError::NoApproximation { block: block.clone(), why };
        if order == 0 {
            return Err(AnalysisError::Delay { block, delay });
        }
        if line.variable.is_some() {
            return Err(refuse("each event has a delay of its own"));
        }
        if own.derived {
            return Err(refuse("something depends on the time derivative of what comes out"));
        }
        Ok(pade(delay, order))
    }
}

impl Open {
    /// Whether anything depends on what comes out, and what goes in depends on anything.
    fn passes(&self, input: usize, output: usize) -> bool {
        let LinearSystem { a, b, c, d } = &self.system;
        let read = (0..a.rows()).any(|i| b.get(i, input) != 0.0)
            || (0..d.rows()).any(|i| d.get(i, input) != 0.0);
        let moves = (0..a.rows()).any(|j| c.get(output, j) != 0.0)
            || (0..d.columns()).any(|j| d.get(output, j) != 0.0);
        read && moves
    }
}
