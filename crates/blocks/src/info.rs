//! What a block says about itself: its page and the checks on its fields come from here.

/// Everything that a user must know about a block.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// The name in model files.
    pub name: &'static str,
    /// The shelf on which a user would look for it.
    pub shelf: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// The equations, in plain text.
    pub equations: &'static str,
    /// What happens to absent inputs.
    pub absence: &'static str,
    /// The rule on impulses.
    pub impulses: &'static str,
    /// The inputs.
    pub inputs: &'static [Input],
    /// The outputs; the first is the one that the block's bare name means.
    pub outputs: &'static [Output],
    /// The parameters.
    pub parameters: &'static [Parameter],
    /// A whole model that shows it.
    pub example: &'static str,
}

/// An input of a block.
#[derive(Clone, Copy, Debug)]
pub struct Input {
    /// The name in model files.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// How many signals it takes.
    pub count: Count,
    /// Which signals may be connected.
    pub presence: Accepts,
}

/// How many signals an input takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Count {
    /// Exactly one.
    One,
    /// One or none.
    Optional,
    /// A list of one or more.
    Many,
}

/// Which signals an input takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Accepts {
    /// Any.
    Any,
    /// Only events: never present between ticks.
    Discrete,
    /// Not one that is only events.
    Continuous,
}

/// An output of a block.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    /// The name in model files.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
}

/// A parameter of a block.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The name in model files.
    pub name: &'static str,
    /// What it is for, with its unit in brackets.
    pub about: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// Its value where none is given, as an expression; without one it must be given.
    pub default: Option<&'static str>,
}

/// What a parameter may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A number, vector, matrix or truth value.
    Value,
    /// A real number.
    Real,
    /// A time or duration, kept as an exact fraction \[s\].
    Time,
    /// A list of times, each kept as an exact fraction \[s\].
    Times,
    /// One of a few words.
    Word(&'static [&'static str]),
}
