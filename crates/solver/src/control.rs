//! How long the next step is.
//!
//! The size of the error comes in, a step goes out. Solvers ask at three named points, which
//! are the points at which the policies of simulators differ; a policy is plain data, chosen by an
//! enum, so that it is saved with the solver.

use serde::{Deserialize, Serialize};

use crate::pole::SUSPECT;
use crate::power::{Floats, log2, times_exp2};
use crate::stepping::{FINEST, LEAST, NEAR, TWICE};

/// A policy of step control. An error is the mean of the squares of the errors of all states, in
/// units of the tolerance: 1 just meets it. It stays a square, because every step would wait for
/// the root.
pub trait StepControl {
    /// Whether a trial step with this error is taken.
    fn accept(&self, error: f64) -> bool;

    /// The step to try after one of length `h` was refused; shorter than `h`.
    fn refine(&mut self, h: f64, error: f64) -> f64;

    /// The step to go on with after one of length `h` was taken.
    fn suggest(&mut self, h: f64, error: f64) -> f64;

    /// Forgets the errors of the steps before, at the start of a smooth phase.
    fn restart(&mut self);
}

/// The policies there are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Control {
    /// The native policy.
    Pi(PiControl),
}

impl StepControl for Control {
    fn accept(&self, error: f64) -> bool {
        let Control::Pi(pi) = self;
        pi.accept(error)
    }

    fn refine(&mut self, h: f64, error: f64) -> f64 {
        let Control::Pi(pi) = self;
        pi.refine(h, error)
    }

    fn suggest(&mut self, h: f64, error: f64) -> f64 {
        let Control::Pi(pi) = self;
        pi.suggest(h, error)
    }

    fn restart(&mut self) {
        let Control::Pi(pi) = self;
        pi.restart();
    }
}

/// Proportional and integral control after K. Gustafsson (1991), with the constants of
/// Hairer, Nørsett and Wanner's DOPRI5 (II.4 of their book, and the code's comments).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PiControl {
    /// The exponent of the present error as a square.
    proportional: f64,
    /// The exponent of that before.
    integral: f64,
    /// The logarithm to the base 2 of the error of the last step taken, not below that of the square
    /// of 1e-4. Logarithms are kept because two powers would cost as much as a small system.
    previous: f64,
    /// Whether the present step has been refused; such a step is not followed by a longer one.
    refused: bool,
}

/// The numbers of the rules by which one plain step follows another, for code that takes many steps
/// by itself: [`StepRules::follow`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StepRules {
    /// The exponent of the present error.
    pub proportional: f64,
    /// The exponent of the error before.
    pub integral: f64,
    /// The factor on what the errors suggest.
    pub safety: f64,
    /// The least factor from one step to the next.
    pub shrink: f64,
    /// The greatest.
    pub growth: f64,
    /// The least logarithm of an error that is remembered.
    pub floor: f64,
    /// The shortest step as a part of the time at which it starts.
    pub finest: f64,
    /// The shortest step of all.
    pub least: f64,
    /// The multiple of a step within which the horizon is its end.
    pub near: f64,
    /// The multiple of a step within which the way to the horizon is halved.
    pub twice: f64,
    /// How much larger a rate that changes its sign must be at a stage than at both ends for a pole
    /// to be suspected.
    pub suspect: f64,
}

impl PiControl {
    /// The largest growth from one step to the next.
    pub const GROWTH: f64 = 5.0;
    const SHRINK: f64 = 0.2;
    const SAFETY: f64 = 0.9;
    /// The factor on a trial with a value that is not finite: its error says nothing.
    const RETREAT: f64 = 0.25;
    /// An error so small that growth is limited and the floor remembered whatever came before, for
    /// every order there is; a test says so.
    const NEGLIGIBLE: f64 = 1e-13;
    /// The logarithm of 1e-8.
    const FLOOR: f64 = -8.0 * std::f64::consts::LOG2_10;

    /// A controller for an error estimate of this order.
    pub fn new(error_order: u32) -> PiControl {
        let exponent = 1.0 / f64::from(error_order + 1);
        let integral = 0.2 * exponent;
        let proportional = exponent - 0.75 * integral;
        let (proportional, integral) = (0.5 * proportional, 0.5 * integral);
        PiControl { proportional, integral, previous: PiControl::FLOOR, refused: false }
    }

    /// The numbers that others need to do the same.
    #[inline(always)]
    pub(crate) fn step_rules(self) -> StepRules {
        StepRules {
            proportional: self.proportional,
            integral: self.integral,
            safety: PiControl::SAFETY,
            shrink: PiControl::SHRINK,
            growth: PiControl::GROWTH,
            floor: PiControl::FLOOR,
            finest: FINEST,
            least: LEAST,
            near: NEAR,
            twice: TWICE,
            suspect: SUSPECT,
        }
    }

    /// The logarithm of the error of the last step, unless the present one has been refused.
    pub(crate) fn remembered(&self) -> Option<f64> {
        (!self.refused).then_some(self.previous)
    }

    /// Goes on after steps that a system has taken by itself.
    pub(crate) fn resume(&mut self, previous: f64) {
        (self.previous, self.refused) = (previous, false);
    }
}

impl StepControl for PiControl {
    fn accept(&self, error: f64) -> bool {
        error <= 1.0
    }

    fn refine(&mut self, h: f64, error: f64) -> f64 {
        self.refused = true;
        if !error.is_finite() {
            return h * PiControl::RETREAT;
        }
        let logarithm = log2(&mut Floats, error);
        let exponent = -self.proportional * logarithm;
        let factor = times_exp2(&mut Floats, PiControl::SAFETY, exponent);
        h * factor.max(PiControl::SHRINK)
    }

    fn suggest(&mut self, h: f64, error: f64) -> f64 {
        let most = if self.refused { 1.0 } else { PiControl::GROWTH };
        if error <= PiControl::NEGLIGIBLE {
            // What comes out below, without waiting for a logarithm and a power.
            (self.previous, self.refused) = (PiControl::FLOOR, false);
            return h * most;
        }
        let (next, remembered) =
            self.step_rules().suggest(&mut Floats, h, error, self.previous, most);
        (self.previous, self.refused) = (remembered, false);
        next
    }

    fn restart(&mut self) {
        self.previous = PiControl::FLOOR;
        self.refused = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::Method;

    #[test]
    fn the_tolerance_is_the_border_and_a_number_that_is_none_is_refused() {
        let pi = PiControl::new(4);
        assert!(pi.accept(1.0));
        assert!(!pi.accept(1.0 + f64::EPSILON));
        assert!(!pi.accept(f64::NAN));
        assert!(!pi.accept(f64::INFINITY));
    }

    #[test]
    fn a_negligible_error_says_what_any_smaller_one_does() {
        let orders = Method::all().into_iter().map(|method| method.error_order());
        for order in orders {
            let PiControl { proportional, integral, .. } = PiControl::new(order);
            let error = PiControl::NEGLIGIBLE.log2();
            let least = integral * PiControl::FLOOR - proportional * error;
            assert!(PiControl::SAFETY * least.exp2() > PiControl::GROWTH, "order {order}");
            assert!(error < PiControl::FLOOR);
        }
    }

    #[test]
    fn growth_and_shrinking_are_limited() {
        let mut pi = PiControl::new(4);
        assert_eq!(pi.suggest(1.0, 0.0), 5.0);
        assert_eq!(pi.refine(1.0, 1e30), 0.2);
        assert_eq!(pi.refine(1.0, f64::NAN), 0.25);
        assert_eq!(pi.suggest(1.0, 0.0), 1.0, "no growth right after a refusal");
        assert_eq!(pi.suggest(1.0, 0.0), 5.0);
    }
}
