//! Which method is used and what it is told.

use serde::{Deserialize, Serialize};

use crate::control::{PiControl, StepRules};
use crate::rosenbrock;
use crate::segment::Dense;
use crate::stiffness::Watch;
use crate::tableau;

/// The one-step methods a model can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Method {
    /// Explicit Euler with a fixed step.
    Euler,
    /// Heun's method of order 2 with a fixed step.
    Heun,
    /// The implicit trapezoidal rule with a fixed step, for stiff systems.
    Trapezoidal,
    /// The classical method of order 4 with a fixed step.
    Rk4,
    /// Explicit Euler whose step is controlled by its distance to Heun's result.
    EulerAdaptive,
    /// Bogacki and Shampine's pair of orders 3 and 2.
    Rk23,
    /// Dormand and Prince's pair of orders 5 and 4.
    Rk45,
    /// The trapezoidal rule paired with a backward difference, of order 2, for stiff systems.
    TrBdf2,
    /// Steinebach's Rosenbrock method of orders 5 and 4, for stiff systems.
    Rodas5p,
    /// [`Method::Rk45`] until the system turns out to be stiff, then [`Method::Rodas5p`], and back.
    Auto,
}

impl Method {
    /// Every method, in the order in which documentation lists them.
    pub const fn all() -> [Method; 10] {
        use Method::*;
        [Euler, Heun, Trapezoidal, Rk4, EulerAdaptive, Rk23, Rk45, TrBdf2, Rodas5p, Auto]
    }

    /// The method with this name in a model file.
    pub fn named(name: &str) -> Option<Method> {
        Method::all().into_iter().find(|method| method.name() == name)
    }

    /// The name in a model file.
    pub const fn name(self) -> &'static str {
        match self {
            Method::Euler => "euler",
            Method::Heun => "heun",
            Method::Trapezoidal => "trapezoidal",
            Method::Rk4 => "rk4",
            Method::EulerAdaptive => "euler-adaptive",
            Method::Rk23 => "rk23",
            Method::Rk45 => "rk45",
            Method::TrBdf2 => "tr-bdf2",
            Method::Rodas5p => "rodas5p",
            Method::Auto => "auto",
        }
    }

    /// Whether the step is the model's to set rather than the error's.
    pub const fn is_fixed(self) -> bool {
        matches!(self, Method::Euler | Method::Heun | Method::Trapezoidal | Method::Rk4)
    }

    /// Whether a step may solve linear systems made of the derivatives of the rates.
    pub const fn is_implicit(self) -> bool {
        matches!(self, Method::Trapezoidal | Method::TrBdf2 | Method::Rodas5p | Method::Auto)
    }

    /// The order p of the solution at the ends of steps: the global error is O(h^p).
    pub const fn order(self) -> u32 {
        match self {
            Method::Euler | Method::EulerAdaptive => 1,
            Method::Heun | Method::Trapezoidal | Method::TrBdf2 => 2,
            Method::Rk23 => 3,
            Method::Rk4 => 4,
            Method::Rk45 | Method::Rodas5p | Method::Auto => 5,
        }
    }

    /// The order q of the dense output: inside one step its error is O(h^(q+1)).
    pub const fn dense_order(self) -> u32 {
        match self {
            Method::Euler | Method::EulerAdaptive => 1,
            Method::Heun | Method::Trapezoidal | Method::TrBdf2 => 2,
            Method::Rk4 | Method::Rk23 => 3,
            Method::Rk45 | Method::Rodas5p | Method::Auto => 4,
        }
    }

    /// The order of the embedded error estimate, which sets the exponent of step control.
    pub(crate) const fn error_order(self) -> u32 {
        match self {
            Method::Rk45 | Method::Rodas5p | Method::Auto => 4,
            Method::Rk23 | Method::TrBdf2 => 2,
            _ => 1,
        }
    }

    /// The method of the first step.
    pub(crate) const fn first(self) -> Method {
        match self {
            Method::Auto => Watch::EXPLICIT,
            other => other,
        }
    }

    /// Slopes kept for a step: the first at its start, the last at its end.
    pub(crate) fn slopes(self) -> usize {
        match self {
            Method::Trapezoidal => 2,
            Method::TrBdf2 => 3,
            Method::Rodas5p => rosenbrock::SLOPES,
            _ => self.coefficients().map_or(0, |coefficients| coefficients.nodes.len()),
        }
    }

    /// The coefficients of an explicit method, or of the explicit one among several.
    pub fn coefficients(self) -> Option<Coefficients> {
        use tableau::{BogackiShampine, ClassicalRk4, DormandPrince, Euler, Heun};
        let coefficients = match self {
            Method::Euler | Method::EulerAdaptive => Coefficients::of::<Euler>(),
            Method::Heun => Coefficients::of::<Heun>(),
            Method::Rk4 => Coefficients::of::<ClassicalRk4>(),
            Method::Rk23 => Coefficients::of::<BogackiShampine>(),
            Method::Rk45 | Method::Auto => Coefficients::of::<DormandPrince>(),
            Method::Trapezoidal | Method::TrBdf2 | Method::Rodas5p => return None,
        };
        let error = if self.is_fixed() { &[] } else { coefficients.error };
        Some(Coefficients { error, ..coefficients })
    }

    /// How steps of this method follow each other; none where they are fixed or another method may
    /// go on.
    pub fn step_rules(self) -> Option<StepRules> {
        let follows = !self.is_fixed() && self != Method::Auto;
        follows.then(|| PiControl::new(self.error_order()).step_rules())
    }

    /// The kind of dense output.
    ///
    /// Euler's is linear, which at any inner point is the Euler step of that length, so a
    /// located crossing is what a shorter step would have given.
    pub(crate) const fn dense(self) -> Dense {
        match self {
            Method::Euler | Method::EulerAdaptive => Dense::Linear,
            Method::Rk45 | Method::Auto => Dense::DormandPrince,
            Method::Rodas5p => Dense::Rodas5p,
            _ => Dense::Hermite,
        }
    }
}

/// The coefficients of an explicit method whose last stage is the end of the step, for code that
/// computes a step whole.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Coefficients {
    /// The nodes, from 0 to 1.
    pub nodes: &'static [f64],
    /// For each stage the slopes that enter it, with their weights, in the order of summation.
    pub rows: &'static [&'static [(usize, f64)]],
    /// The weights of the error; empty for fixed steps.
    pub error: &'static [(usize, f64)],
}

impl Coefficients {
    fn of<T: tableau::Tableau>() -> Coefficients {
        Coefficients { nodes: T::NODES, rows: T::ROWS, error: T::ERROR }
    }
}

/// What a model sets about its solver.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// The method.
    pub method: Method,
    /// Error allowed per step relative to each state; for variable steps and for Newton.
    pub relative_tolerance: f64,
    /// Error allowed per step beside the relative one \[unit of the state\].
    pub absolute_tolerance: f64,
    /// The step of fixed-step methods \[s\].
    pub step: f64,
    /// The first step of variable-step methods \[s\]; without it one is chosen.
    pub initial_step: Option<f64>,
    /// The longest step of variable-step methods \[s\]; may be infinite.
    pub maximum_step: f64,
}

impl Options {
    /// The values that hold where a model says nothing but the method.
    pub fn new(method: Method) -> Options {
        Options {
            method,
            relative_tolerance: 1e-6,
            absolute_tolerance: 1e-9,
            step: 1e-3,
            initial_step: None,
            maximum_step: f64::INFINITY,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_finds_its_method() {
        for method in Method::all() {
            assert_eq!(Method::named(method.name()), Some(method));
        }
        assert_eq!(Method::named("rk46"), None);
    }
}
