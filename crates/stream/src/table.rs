//! The table of a run: solver and model side by side, one row per evaluation.

use base::{ATTOSECONDS_PER_SECOND, Tag, Time, Type};
use program::Program;
use trace::{Column, Schema, Trace};

use crate::equations::Stage;

/// The columns of the solver itself.
pub const OWN_COLUMNS: [&str; 5] = ["time", "stage", "h", "p", "error"];

/// Everything that was evaluated.
#[derive(Clone, Debug)]
pub struct Evaluations {
    trace: Trace,
    states: usize,
}

/// One evaluation.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub time: f64,
    pub stage: Stage,
    pub h: f64,
    pub p: f64,
    /// The contribution of the stage to each continuous state.
    pub contributions: Vec<f64>,
    /// The differences of contributions, that of time first; at trapezoidal stages.
    pub differences: Option<Vec<f64>>,
    pub signals: Vec<Option<Vec<f64>>>,
}

impl Evaluations {
    /// An empty table for states of these names and the recorded signals of a program. The values
    /// of each signal may represent names.
    pub(crate) fn new(states: &[String], program: &Program, labels: &[Vec<String>]) -> Evaluations {
        let number = |name: String, ty: Type| Column { name, ty };
        let own = OWN_COLUMNS.iter().map(|name| {
            let ty = if matches!(*name, "stage" | "p") { Type::INT } else { Type::REAL };
            number((*name).to_owned(), ty)
        });
        let contributions = states.iter().map(|x| number(format!("contribution({x})"), Type::REAL));
        let errors = states.iter().map(|x| number(format!("error({x})"), Type::REAL));
        let signals = program::shown(&program.records).iter().map(|record| {
            // `e` numbers the rows of a file.
            let taken = record.name == "e" || OWN_COLUMNS.contains(&record.name.as_str());
            let name = if taken { format!("signal({})", record.name) } else { record.name.clone() };
            number(name, record.ty)
        });
        let columns = own.chain(contributions).chain(errors).chain(signals).collect();
        let first = OWN_COLUMNS.len() + 2 * states.len();
        let named = labels.iter().enumerate().filter(|(_, names)| !names.is_empty());
        let schema = named.fold(Schema::new(columns), |schema, (signal, names)| {
            schema.with_labels(first + signal, names.clone())
        });
        Evaluations { trace: Trace::with_schema(schema), states: states.len() }
    }

    pub(crate) fn push(&mut self, row: Row) {
        let e = self.trace.len() as i128;
        let tag = Tag::new(Time::from_attoseconds(e * ATTOSECONDS_PER_SECOND), 0);
        let stage = if row.stage == Stage::Euler { 1.0 } else { 2.0 };
        let magnitudes: Option<Vec<f64>> =
            row.differences.map(|d| d.iter().map(|x| x.abs()).collect());
        let greatest = magnitudes.as_ref().map(|d| d.iter().copied().fold(0.0, f64::max));
        let mut fields: Vec<Option<Vec<f64>>> = Vec::new();
        fields.extend([row.time, stage, row.h, row.p].map(|x| Some(vec![x])));
        fields.push(greatest.map(|error| vec![error]));
        fields.extend(row.contributions.iter().map(|x| Some(vec![*x])));
        let error = |i: usize| magnitudes.as_ref().map(|d| vec![d[i + 1]]);
        fields.extend((0..self.states).map(error));
        fields.extend(row.signals);
        self.trace.push(tag, |column| fields[column].as_deref());
    }

    /// The rows, with the index of the evaluation in place of time \[s\]. Time is a column like any
    /// other: it may hold and recede.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The number of evaluations.
    pub fn len(&self) -> usize {
        self.trace.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.trace.is_empty()
    }

    /// The names of the columns of signals.
    pub fn signals(&self) -> impl Iterator<Item = &str> {
        let first = OWN_COLUMNS.len() + 2 * self.states;
        self.trace.columns()[first..].iter().map(|column| column.name.as_str())
    }

    /// The value of a scalar column at an evaluation; none if the value is absent or there is no
    /// such column.
    pub fn get(&self, e: usize, column: &str) -> Option<f64> {
        let column = self.trace.column(column)?;
        if e >= self.trace.len() {
            return None;
        }
        self.trace.get(e, column)?.first().copied()
    }

    /// The evaluations at which time recedes: the Euler stages after a rejected step. The sums of
    /// the two stages may differ by rounding; that is no reversal.
    pub fn reversals(&self) -> Vec<usize> {
        let is = |e: usize, column, value| self.get(e, column) == Some(value);
        (0..self.len()).filter(|e| is(*e, "stage", 1.0) && is(*e, "p", 1.0)).collect()
    }
}
