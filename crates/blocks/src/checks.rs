//! Checks on parameters and shapes that many blocks share.

use base::{Diagnostic, Elem, ExactTime, Rational, Shape, Time, Type, Value};
use ir::NodeId;

use crate::{Context, Signal};

impl Context<'_> {
    /// A parameter that is an exact time within the range of model time.
    pub fn instant(&self, name: &str) -> Result<ExactTime, Diagnostic> {
        ExactTime::from_rational(self.time(name)).ok_or_else(|| outside(name))
    }

    /// A parameter that is a list of times in increasing order.
    pub fn instants(&self, name: &str) -> Result<Vec<ExactTime>, Diagnostic> {
        let times: Option<Vec<ExactTime>> =
            self.times(name).into_iter().map(ExactTime::from_rational).collect();
        let times = times.ok_or_else(|| outside(name))?;
        if times.windows(2).any(|pair| pair[0].time() >= pair[1].time()) {
            let message = format!("the times of `{name}` must rise");
            return Err(Diagnostic::error("bad-parameter", message));
        }
        Ok(times)
    }

    /// A parameter that is a positive duration of at least one attosecond.
    pub fn period(&self, name: &str) -> Result<Rational, Diagnostic> {
        let period = self.time(name);
        match Time::from_rational(period) {
            Some(rounded) if rounded > Time::ZERO => Ok(period),
            Some(_) => {
                let message = format!("`{name}` must be positive, at least one attosecond");
                Err(Diagnostic::error("bad-parameter", message))
            }
            None => Err(outside(name)),
        }
    }

    /// The value of a parameter as the initial value of a state of some type; a scalar fills all
    /// elements.
    pub fn initial(&self, name: &str, ty: Type) -> Result<Value, Diagnostic> {
        self.filling(self.open_value(name), &format!("`{name}`"), ty)
    }

    /// A value as the initial value of a state of some type; a scalar fills all elements. `what`
    /// names it in messages.
    pub(crate) fn filling(&self, value: &Value, what: &str, ty: Type) -> Result<Value, Diagnostic> {
        if (value.ty().elem == Elem::Bool) != (ty.elem == Elem::Bool) {
            let message = format!(
                "{what} is {} and the signal is {}",
                value.ty().with_article(),
                ty.with_article()
            );
            return Err(Diagnostic::error("type-mismatch", message));
        }
        if value.ty().shape == ty.shape || value.ty().is_scalar() {
            return Ok(value.filling(ty));
        }
        let message = format!(
            "{what} is {} and the signal is {}",
            value.ty().with_article(),
            ty.with_article()
        );
        Err(Diagnostic::error("size-mismatch", message))
    }

    /// Refuses two parameters of different shapes.
    pub fn same_shape(
        &self,
        a: NodeId,
        b: NodeId,
        first: &str,
        second: &str,
    ) -> Result<(), Diagnostic> {
        let (ta, tb) = (self.graph.ty(a), self.graph.ty(b));
        if ta.shape == tb.shape || ta.is_scalar() || tb.is_scalar() {
            return Ok(());
        }
        let message =
            format!("`{first}` is {} and `{second}` is {}", ta.with_article(), tb.with_article());
        Err(Diagnostic::error("size-mismatch", message))
    }

    /// Refuses signals that do not fit together; `product` allows matrix products.
    pub fn fits(&self, a: &Signal, b: &Signal, product: bool) -> Result<(), Diagnostic> {
        let (ta, tb) = (self.graph.ty(a.value), self.graph.ty(b.value));
        let matrix = match (ta.shape, tb.shape) {
            (Shape::Matrix(_, inner), Shape::Vector(rows) | Shape::Matrix(rows, _)) if product => {
                inner == rows
            }
            (a, b) => a == b || a == Shape::Scalar || b == Shape::Scalar,
        };
        if matrix {
            return Ok(());
        }
        let message =
            format!("{} and {} do not fit together", ta.with_article(), tb.with_article());
        Err(Diagnostic::error("size-mismatch", message))
    }

    /// Refuses truth values if numbers are required.
    pub fn numeric(&self, signal: &Signal, name: &str) -> Result<(), Diagnostic> {
        if self.graph.ty(signal.value).elem != Elem::Bool {
            return Ok(());
        }
        let message = format!("`{name}` needs numbers, and this is a boolean");
        Err(Diagnostic::error("type-mismatch", message)
            .help("choose numbers with `if ... then 1 else 0`"))
    }

    /// The signal at an input that takes numbers.
    pub fn numeric_input(&mut self, name: &str) -> Result<Signal, Diagnostic> {
        let signal = self.input(name);
        self.numeric(&signal, name)?;
        Ok(signal)
    }

    /// The signals at an input that takes a list of numbers.
    pub fn numeric_inputs(&mut self, name: &str) -> Result<Vec<Signal>, Diagnostic> {
        let signals = self.inputs(name);
        for signal in &signals {
            self.numeric(signal, name)?;
        }
        Ok(signals)
    }

    /// Makes it an error if an impulse reaches an input that takes events: an event acts by its
    /// value.
    pub fn events_only(&mut self, signal: &Signal, name: &str) {
        let reason = format!("an impulse reaches `{name}`, which takes the values of events");
        self.refuse_impulses(signal, &reason);
    }

    /// Makes it an error if a signal carries an impulse at the microstep at which it is sampled.
    pub fn refuse_sampling(&mut self, signal: &Signal, sampled: NodeId) {
        for impulse in signal.impulses.clone() {
            let hit = self.nonzero(impulse);
            let undefined = self.graph.and(hit, sampled);
            self.refuse_where(undefined, "an impulse cannot be sampled");
        }
    }

    /// Refuses an input that is not a scalar.
    pub fn scalar(&self, signal: &Signal, name: &str) -> Result<(), Diagnostic> {
        let ty = self.graph.ty(signal.value);
        if ty.is_scalar() {
            return Ok(());
        }
        let message = format!("`{name}` must be a scalar, and this is {}", ty.with_article());
        Err(Diagnostic::error("size-mismatch", message).help("choose an element, such as `x[0]`"))
    }
}

fn outside(name: &str) -> Diagnostic {
    let message = format!("`{name}` is outside the range of model time");
    Diagnostic::error("bad-parameter", message)
        .note("model time reaches 1e20 seconds to either side of 0")
}
