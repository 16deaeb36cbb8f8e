//! Patterns of times in a cycle, each with a value, as parameters of a source.

use base::{Diagnostic, ExactTime, Rational, Shape, Time};
use ir::{NodeId, Unary};

use crate::{Context, Parameter};

/// The times of a pattern, and the time after which it is repeated.
pub(super) struct Cycle {
    /// The times since the beginning of the cycle \[s\], in increasing order; less than the period.
    pub offsets: Vec<Rational>,
    /// The time from one cycle to the next \[s\]; `None` if there is only one.
    pub period: Option<Rational>,
}

impl Cycle {
    /// The parameter that says whether there is more than one cycle.
    pub fn repeat() -> Parameter {
        let about = "Whether the pattern is repeated.";
        Parameter::word("repeat", about, ["forever", "once"]).default("forever")
    }

    /// The times in the parameter `name`, with the parameters `repeat` and `period`.
    pub fn new(cx: &Context, name: &str) -> Result<Cycle, Diagnostic> {
        let offsets = cx.times(name);
        let wrong = |message: String| Err(Diagnostic::error("bad-parameter", message));
        if offsets.is_empty() {
            return wrong(format!("`{name}` needs at least one time"));
        }
        let exact = |time: &Rational| ExactTime::from_rational(*time).map(ExactTime::time);
        let times: Option<Vec<Time>> = offsets.iter().map(exact).collect();
        let Some(times) = times else {
            return wrong(format!("`{name}` is outside the range of model time"));
        };
        if times.windows(2).any(|pair| pair[0] >= pair[1]) {
            return wrong(format!("the times of `{name}` must rise"));
        }
        if cx.word("repeat") == "once" {
            return Ok(Cycle { offsets, period: None });
        }
        let period = cx.period("period")?;
        let last = times[times.len() - 1];
        if times[0] < Time::ZERO || exact(&period).is_none_or(|period| last >= period) {
            return wrong(format!("`{name}` must be from 0 up to, but not including, the period"));
        }
        Ok(Cycle { offsets, period: Some(period) })
    }

    /// How many cycles are over when a timer that wakes at each time has woken so many times, and
    /// which of the times was the last one. Before the first time, that is the last one of a cycle
    /// before the first.
    pub fn place(&self, cx: &mut Context, wakings: NodeId) -> (NodeId, NodeId) {
        let g = &mut cx.graph;
        let [half, one, length] =
            [0.5, 1.0, self.offsets.len() as f64].map(|number| g.real(number));
        let events = g.sub(wakings, one);
        // Half an event more keeps the quotient away from whole numbers, where rounding would leave
        // it open which cycle this is.
        let amid = g.add(events, half);
        let cycles = g.div(amid, length);
        let cycles = g.unary(Unary::Floor, cycles);
        let before = g.mul(length, cycles);
        (cycles, g.sub(events, before))
    }

    /// The parameter with the values: a vector with an element, or a matrix with a row, for each
    /// time.
    pub fn values(&self, cx: &mut Context, name: &str, times: &str) -> Result<Rows, Diagnostic> {
        let values = cx.constant(name);
        let (rows, shape) = match cx.graph.ty(values).shape {
            Shape::Scalar => (1, Shape::Scalar),
            Shape::Vector(rows) => (rows, Shape::Scalar),
            Shape::Matrix(rows, columns) => (rows, Shape::Vector(columns)),
        };
        let length = self.offsets.len();
        if rows as usize != length {
            let message = format!("`{times}` has {length} elements and `{name}` has {rows}");
            return Err(Diagnostic::error("size-mismatch", message)
                .help("give one value, or one row of a matrix, for each time"));
        }
        let size = rows * shape.len() as u32;
        let values = match cx.graph.ty(values).shape {
            Shape::Scalar => cx.graph.splat(values, Shape::Vector(1)),
            _ => cx.graph.extract(values, 0, Shape::Vector(size)),
        };
        Ok(Rows { values, shape })
    }
}

/// Values of one shape, one after the other in a vector.
pub(super) struct Rows {
    values: NodeId,
    shape: Shape,
}

impl Rows {
    /// The value at a position.
    pub fn get(&self, cx: &mut Context, position: NodeId) -> NodeId {
        match self.shape {
            Shape::Scalar => cx.graph.index(self.values, position),
            shape => cx.entry(self.values, position, shape),
        }
    }

    /// Whether another set of values has the same shape.
    pub fn is_like(&self, other: &Rows) -> bool {
        self.shape == other.shape
    }

    /// Whether the values are numbers.
    pub fn is_numeric(&self, cx: &Context) -> bool {
        cx.graph.ty(self.values).elem != base::Elem::Bool
    }
}
