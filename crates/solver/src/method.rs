//! Which method is used, and the settings that a model gives it.

use serde::{Deserialize, Serialize};

use crate::control::{PiControl, StepRules};
use crate::rosenbrock;
use crate::segment::Dense;
use crate::tableau::{self, Tableau};

/// How the steps of a method are computed.
#[derive(Clone, Copy)]
pub(crate) enum Scheme {
    /// By the stages of a tableau.
    Explicit(&'static Tableau),
    /// By the implicit trapezoidal rule.
    Trapezoidal,
    /// By the trapezoidal rule and a backward difference.
    TrBdf2,
    /// By Rodas5P.
    Rodas5p,
}

/// Declares the methods. A line for each has everything that there is to say about it, so that none
/// can be missing from a list.
macro_rules! methods {
    ($($(#[$documentation:meta])* $method:ident: $scheme:expr,)*) => {
        /// The one-step methods a model can ask for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Method {
            $($(#[$documentation])* $method,)*
            /// An explicit method that is none of the above, for users of this crate: model files
            /// cannot name it. A solver that runs it cannot be saved, since a saved solver has the
            /// name of its method and not the coefficients.
            #[serde(skip)]
            Other(&'static Tableau),
        }

        impl Method {
            /// Every method that has a name, in the order in which documentation lists them.
            pub const fn all() -> [Method; [$(stringify!($method)),*].len()] {
                [$(Method::$method),*]
            }

            /// How its steps are computed, at first.
            pub(crate) const fn scheme(self) -> Scheme {
                match self {
                    $(Method::$method => $scheme,)*
                    Method::Other(tableau) => Scheme::Explicit(tableau),
                }
            }
        }
    };
}

methods! {
    /// Explicit Euler with a fixed step.
    Euler: Scheme::Explicit(&tableau::EULER),
    /// Heun's method of order 2 with a fixed step.
    Heun: Scheme::Explicit(&tableau::HEUN),
    /// The implicit trapezoidal rule with a fixed step, for stiff systems.
    Trapezoidal: Scheme::Trapezoidal,
    /// The classical method of order 4 with a fixed step.
    Rk4: Scheme::Explicit(&tableau::CLASSICAL_RK4),
    /// Explicit Euler whose step is controlled by its distance to Heun's result.
    EulerAdaptive: Scheme::Explicit(&tableau::EULER_ADAPTIVE),
    /// Bogacki and Shampine's pair of orders 3 and 2.
    Rk23: Scheme::Explicit(&tableau::BOGACKI_SHAMPINE),
    /// Dormand and Prince's pair of orders 5 and 4.
    Rk45: Scheme::Explicit(&tableau::DORMAND_PRINCE),
    /// Cash and Karp's pair of orders 5 and 4.
    CashKarp: Scheme::Explicit(&tableau::CASH_KARP),
    /// The trapezoidal rule paired with a backward difference, of order 2, for stiff systems.
    TrBdf2: Scheme::TrBdf2,
    /// Steinebach's Rosenbrock method of orders 5 and 4, for stiff systems.
    Rodas5p: Scheme::Rodas5p,
    /// [`Method::Rk45`] until the system turns out to be stiff, then [`Method::Rodas5p`], and back.
    Auto: Scheme::Explicit(&tableau::DORMAND_PRINCE),
}

impl Method {
    /// The method with this name in a model file.
    pub fn named(name: &str) -> Option<Method> {
        Method::all().into_iter().find(|method| method.name() == name)
    }

    /// The name in a model file.
    pub const fn name(self) -> &'static str {
        match self.scheme() {
            _ if matches!(self, Method::Auto) => "auto",
            Scheme::Explicit(tableau) => tableau.name,
            Scheme::Trapezoidal => "trapezoidal",
            Scheme::TrBdf2 => "tr-bdf2",
            Scheme::Rodas5p => "rodas5p",
        }
    }

    /// Whether the step is the model's to set rather than the error's.
    pub const fn is_fixed(self) -> bool {
        match self.scheme() {
            Scheme::Explicit(tableau) => tableau.embedded.is_none(),
            Scheme::Trapezoidal => true,
            Scheme::TrBdf2 | Scheme::Rodas5p => false,
        }
    }

    /// Whether a step may solve linear systems made of the derivatives of the rates.
    pub const fn is_implicit(self) -> bool {
        !matches!(self.scheme(), Scheme::Explicit(_)) || matches!(self, Method::Auto)
    }

    /// The order p of the solution at the ends of steps: the global error is O(h^p).
    pub const fn order(self) -> u32 {
        match self.scheme() {
            Scheme::Explicit(tableau) => tableau.order,
            Scheme::Trapezoidal | Scheme::TrBdf2 => 2,
            Scheme::Rodas5p => 5,
        }
    }

    /// The order q of the dense output: inside one step its error is O(h^(q+1)).
    pub const fn dense_order(self) -> u32 {
        match self.scheme() {
            Scheme::Explicit(tableau) => tableau.dense_order(),
            Scheme::Trapezoidal | Scheme::TrBdf2 => 2,
            Scheme::Rodas5p => 4,
        }
    }

    /// The order of the error estimate, which sets the exponent of step control; 1 for methods
    /// that estimate no error.
    pub(crate) const fn error_order(self) -> u32 {
        match self.scheme() {
            Scheme::Explicit(Tableau { embedded: Some(embedded), .. }) => embedded.order,
            Scheme::Explicit(_) | Scheme::Trapezoidal => 1,
            Scheme::TrBdf2 => 2,
            Scheme::Rodas5p => 4,
        }
    }

    /// The method of the first step.
    pub(crate) const fn first(self) -> Method {
        match self {
            Method::Auto => crate::stiffness::Watch::EXPLICIT,
            other => other,
        }
    }

    /// Slopes kept for a step: the first at its start, the last at its end.
    pub(crate) const fn slopes(self) -> usize {
        match self.scheme() {
            Scheme::Explicit(tableau) => tableau.nodes.len(),
            Scheme::Trapezoidal => 2,
            Scheme::TrBdf2 => 3,
            Scheme::Rodas5p => rosenbrock::SLOPES,
        }
    }

    /// The coefficients of an explicit method, or of the explicit one among several; for code that
    /// computes a step whole.
    pub const fn tableau(self) -> Option<&'static Tableau> {
        match self.scheme() {
            Scheme::Explicit(tableau) => Some(tableau),
            Scheme::Trapezoidal | Scheme::TrBdf2 | Scheme::Rodas5p => None,
        }
    }

    /// How steps of this method follow each other; none if they are fixed or another method may
    /// take over.
    pub fn step_rules(self) -> Option<StepRules> {
        let follows = !self.is_fixed() && self != Method::Auto;
        follows.then(|| PiControl::new(self.error_order()).step_rules())
    }

    /// The kind of dense output.
    pub(crate) const fn dense(self) -> Dense {
        match self.scheme() {
            Scheme::Explicit(Tableau { order: 1, extension: [], .. }) => Dense::Linear,
            Scheme::Explicit(Tableau { extension: [], .. }) => Dense::Hermite,
            Scheme::Explicit(Tableau { extension, .. }) => Dense::Quartic(extension),
            Scheme::Trapezoidal | Scheme::TrBdf2 => Dense::Hermite,
            Scheme::Rodas5p => Dense::Rodas5p,
        }
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
    /// The rules by which steps are chosen and crossings found.
    pub policy: Policy,
}

/// The rules by which the steps of an explicit method are chosen and crossings found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Policy {
    /// Ours: step control by the error, and location on the dense output.
    #[default]
    Native,
    /// Those of Ptolemy II.
    Ptolemy {
        /// The unit of its clock \[s\].
        resolution: f64,
        /// How much longer the next step is than one that was accepted.
        growth: f64,
        /// The longest step after another one \[s\].
        longest: f64,
    },
}

impl Options {
    /// The settings of a model that names nothing but the method.
    pub fn new(method: Method) -> Options {
        Options {
            method,
            relative_tolerance: 1e-6,
            absolute_tolerance: 1e-9,
            step: 1e-3,
            initial_step: None,
            maximum_step: f64::INFINITY,
            policy: Policy::Native,
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
