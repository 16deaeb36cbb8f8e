//! What a wire carries.

use diagram::{Presence, Wire};

/// What a wire carries, as far as it is known before anything runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// A signal that changes continuously between events.
    Continuous,
    /// A signal that is present between events and changes only at events.
    Held,
    /// Events.
    Discrete,
    /// A signal that may carry impulses.
    Impulsive,
    /// The same value at every tag.
    Constant,
}

impl Kind {
    /// The kind of a wire.
    pub fn of(wire: &Wire) -> Kind {
        match wire {
            wire if wire.orders > 0 => Kind::Impulsive,
            wire if wire.constant.is_some() => Kind::Constant,
            wire if wire.between == Presence::Never => Kind::Discrete,
            wire if wire.moving => Kind::Continuous,
            _ => Kind::Held,
        }
    }

    /// The one of the two on which more happens.
    pub(super) fn livelier(self, other: Kind) -> Kind {
        let rank = |kind: Kind| match kind {
            Kind::Constant => 0,
            Kind::Held => 1,
            Kind::Discrete => 2,
            Kind::Continuous => 3,
            Kind::Impulsive => 4,
        };
        if rank(other) > rank(self) { other } else { self }
    }

    /// Its name in a legend.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Continuous => "continuous",
            Kind::Held => "held between events",
            Kind::Discrete => "discrete events",
            Kind::Impulsive => "with impulses",
            Kind::Constant => "constant",
        }
    }
}
