//! What follows a plain step: one that is accepted, that no horizon has cut short, and behind which
//! another one fits.
//!
//! Deciding about a step is a few dozen operations, and going back to the solver for them costs half
//! as much as a step of a small system. So code that takes many steps by itself does what is here,
//! with its own arithmetic, and leaves every other step to the solver. For a plain step it is what
//! [`crate::stepping::Attempt`] decides, bit by bit.

use crate::control::StepRules;
use crate::power::{Arithmetic, log2, times_exp2};

/// A step that has been computed, with the limits of the next.
#[derive(Clone, Copy, Debug)]
pub struct StepTaken<N> {
    /// Its start.
    pub start: N,
    /// Its end.
    pub end: N,
    /// Its error: the mean square in units of the tolerance.
    pub error: N,
    /// The length that was wanted for it.
    pub wanted: N,
    /// What is remembered of the error of the step before.
    pub previous: N,
    /// How many times as long the next step may be at most.
    pub most: N,
    /// No step goes beyond this.
    pub horizon: N,
    /// No step starts from here on.
    pub before: N,
    /// The longest step.
    pub longest: N,
}

/// What follows a step.
#[derive(Clone, Copy, Debug)]
pub struct StepNext<N, T> {
    /// Whether the step is plain; otherwise the rest means nothing.
    pub plain: T,
    /// The length that is wanted for the next step.
    pub wanted: N,
    /// What is remembered of the error.
    pub previous: N,
    /// The end of the next step.
    pub end: N,
}

impl StepRules {
    /// Decides about a step, and prepares the one after it.
    #[inline(always)]
    pub fn follow<A: Arithmetic>(
        &self,
        a: &mut A,
        step: &StepTaken<A::Number>,
    ) -> StepNext<A::Number, A::Truth> {
        let one = a.constant(1.0);
        let accepted = a.at_most(step.error, one);
        let taken = a.sub(step.end, step.start);
        let (wanted, previous) = self.suggest(a, taken, step.error, step.previous, step.most);
        let longest = a.mul(step.most, taken);
        let (whole, hard) = (a.at_most(step.wanted, taken), a.less(wanted, longest));
        let uncut = a.or(whole, hard);
        let plain = a.and(accepted, uncut);
        let (fits, end) = self.place(a, step, wanted);
        StepNext { plain: a.and(plain, fits), wanted, previous, end }
    }

    /// The step to go on with after one of a length with an error, at most so many times as long; and
    /// what is remembered of the error.
    #[inline(always)]
    pub(crate) fn suggest<A: Arithmetic>(
        &self,
        a: &mut A,
        taken: A::Number,
        error: A::Number,
        previous: A::Number,
        most: A::Number,
    ) -> (A::Number, A::Number) {
        let [integral, proportional, safety, shrink, floor] =
            [self.integral, self.proportional, self.safety, self.shrink, self.floor]
                .map(|x| a.constant(x));
        let logarithm = log2(a, error);
        let (before, now) = (a.mul(integral, previous), a.mul(proportional, logarithm));
        let exponent = a.sub(before, now);
        let factor = times_exp2(a, safety, exponent);
        let factor = a.greater(factor, shrink);
        let factor = a.lesser(factor, most);
        (a.mul(taken, factor), a.greater(logarithm, floor))
    }

    /// Whether a step of a length that starts at the end of this one does so early enough, with no
    /// horizon near; and its end.
    #[inline(always)]
    fn place<A: Arithmetic>(
        &self,
        a: &mut A,
        step: &StepTaken<A::Number>,
        wanted: A::Number,
    ) -> (A::Truth, A::Number) {
        let [finest, least, near, twice] =
            [self.finest, self.least, self.near, self.twice].map(|x| a.constant(x));
        let early = a.less(step.end, step.before);
        let size = a.abs(step.end);
        let resolved = a.mul(finest, size);
        let shortest = a.greater(resolved, least);
        let h = a.lesser(wanted, step.longest);
        let rest = a.sub(step.horizon, step.end);
        let (close, two) = (a.mul(near, h), a.mul(twice, h));
        let close = a.lesser(close, step.longest);
        let far = [
            a.less(shortest, wanted),
            a.less(close, rest),
            a.less(shortest, rest),
            a.at_most(two, rest),
        ];
        let fits = far.into_iter().fold(early, |all, one| a.and(all, one));
        (fits, a.add(step.end, h))
    }
}
