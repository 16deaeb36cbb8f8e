//! How a block describes itself: its page, its icon and the checks on its fields come from here.
//!
//! Every text is a [`Text`], so that a block known only at run time, such as one read from a file,
//! describes itself in the same way as a library block.

use std::borrow::Cow;

/// A text of a block: borrowed if it is written in the code, owned if it is made at run time.
pub type Text = Cow<'static, str>;

/// Everything that a user needs to know about a block.
#[derive(Clone, Debug)]
pub struct Info {
    /// The name in model files.
    pub name: Text,
    /// The category in which a user would look for it.
    pub category: Text,
    /// One sentence.
    pub summary: Text,
    /// The icon shown in figures: the `d` of an SVG path, 22 wide and 20 high \[px\]. Empty if
    /// there is none.
    pub icon: Text,
    /// The equations, in plain text.
    pub equations: Text,
    /// What happens to absent inputs.
    pub absence: Text,
    /// The rule on impulses.
    pub impulses: Text,
    /// The inputs.
    pub inputs: Vec<Input>,
    /// The outputs; the block's bare name refers to the first.
    pub outputs: Vec<Output>,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// Names under which users of other tools know it.
    pub aliases: Vec<Text>,
    /// A complete model that demonstrates it.
    pub example: Text,
}

impl Info {
    /// A block that has no inputs, outputs or parameters yet.
    pub fn new(name: impl Into<Text>, category: impl Into<Text>, summary: impl Into<Text>) -> Self {
        Info {
            name: name.into(),
            category: category.into(),
            summary: summary.into(),
            icon: Text::default(),
            equations: Text::default(),
            absence: Text::default(),
            impulses: Text::default(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            parameters: Vec::new(),
            aliases: Vec::new(),
            example: Text::default(),
        }
    }

    /// Adds [`Info::aliases`].
    pub fn aliases<A: Into<Text>>(mut self, names: impl IntoIterator<Item = A>) -> Self {
        self.aliases.extend(names.into_iter().map(Into::into));
        self
    }

    /// Whether users of other tools know it by a name. Spaces and capitals do not count.
    pub fn is_known_as(&self, name: &str) -> bool {
        let plain = |name: &str| name.to_lowercase().replace(' ', "");
        self.aliases.iter().any(|alias| plain(alias) == plain(name))
    }

    /// Sets [`Info::icon`].
    pub fn icon(mut self, path: impl Into<Text>) -> Self {
        self.icon = path.into();
        self
    }

    /// Sets [`Info::equations`].
    pub fn equations(mut self, text: impl Into<Text>) -> Self {
        self.equations = text.into();
        self
    }

    /// Sets [`Info::absence`].
    pub fn absence(mut self, text: impl Into<Text>) -> Self {
        self.absence = text.into();
        self
    }

    /// Sets [`Info::impulses`].
    pub fn impulses(mut self, text: impl Into<Text>) -> Self {
        self.impulses = text.into();
        self
    }

    /// Appends an input.
    pub fn input(mut self, input: Input) -> Self {
        self.inputs.push(input);
        self
    }

    /// Appends an output.
    pub fn output(mut self, name: impl Into<Text>, about: impl Into<Text>) -> Self {
        self.outputs.push(Output { name: name.into(), about: about.into() });
        self
    }

    /// Appends a parameter.
    pub fn parameter(mut self, parameter: Parameter) -> Self {
        self.parameters.push(parameter);
        self
    }

    /// Sets [`Info::example`].
    pub fn example(mut self, model: impl Into<Text>) -> Self {
        self.example = model.into();
        self
    }
}

/// An input of a block.
#[derive(Clone, Debug)]
pub struct Input {
    /// The name in model files.
    pub name: Text,
    /// What it is for.
    pub about: Text,
    /// How many signals it takes.
    pub count: Count,
    /// Which signals may be connected.
    pub presence: Accepts,
}

impl Input {
    /// An input that takes exactly one signal, of any kind.
    pub fn one(name: impl Into<Text>, about: impl Into<Text>) -> Self {
        Self::new(name.into(), about.into(), Count::One)
    }

    /// An input that takes one signal or none, of any kind.
    pub fn optional(name: impl Into<Text>, about: impl Into<Text>) -> Self {
        Self::new(name.into(), about.into(), Count::Optional)
    }

    /// An input that takes a list of one or more signals, of any kind.
    pub fn many(name: impl Into<Text>, about: impl Into<Text>) -> Self {
        Self::new(name.into(), about.into(), Count::Many)
    }

    fn new(name: Text, about: Text, count: Count) -> Self {
        Input { name, about, count, presence: Accepts::Any }
    }

    /// Accepts only events: [`Accepts::Discrete`].
    pub fn discrete(mut self) -> Self {
        self.presence = Accepts::Discrete;
        self
    }

    /// Accepts no signal that consists only of events: [`Accepts::Continuous`].
    pub fn continuous(mut self) -> Self {
        self.presence = Accepts::Continuous;
        self
    }
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

/// Which signals an input accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Accepts {
    /// Any.
    Any,
    /// Only events: signals that are never present between ticks.
    Discrete,
    /// Any signal that does not consist only of events.
    Continuous,
}

/// An output of a block.
#[derive(Clone, Debug)]
pub struct Output {
    /// The name in model files.
    pub name: Text,
    /// What it is.
    pub about: Text,
}

/// A parameter of a block.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The name in model files.
    pub name: Text,
    /// What it is for, with its unit in brackets.
    pub about: Text,
    /// Which values are allowed.
    pub kind: Kind,
    /// Its default value, as an expression; without one, the parameter is required.
    pub default: Option<Text>,
}

impl Parameter {
    /// A number, vector, matrix or truth value.
    pub fn value(name: impl Into<Text>, about: impl Into<Text>) -> Self {
        Self::new(name.into(), about.into(), Kind::Value)
    }

    /// A real number.
    pub fn real(name: impl Into<Text>, about: impl Into<Text>) -> Self {
        Self::new(name.into(), about.into(), Kind::Real)
    }

    /// A time or duration, kept as an exact fraction \[s\].
    pub fn time(name: impl Into<Text>, about: impl Into<Text>) -> Self {
        Self::new(name.into(), about.into(), Kind::Time)
    }

    /// A list of times, each kept as an exact fraction \[s\].
    pub fn times(name: impl Into<Text>, about: impl Into<Text>) -> Self {
        Self::new(name.into(), about.into(), Kind::Times)
    }

    /// One of a few words.
    pub fn word<W: Into<Text>>(
        name: impl Into<Text>,
        about: impl Into<Text>,
        words: impl IntoIterator<Item = W>,
    ) -> Self {
        let words = words.into_iter().map(Into::into).collect();
        Self::new(name.into(), about.into(), Kind::Word(words))
    }

    fn new(name: Text, about: Text, kind: Kind) -> Self {
        Parameter { name, about, kind, default: None }
    }

    /// Sets the default value, as an expression.
    pub fn default(mut self, value: impl Into<Text>) -> Self {
        self.default = Some(value.into());
        self
    }
}

/// Which values a parameter may have.
#[derive(Clone, PartialEq, Eq, Debug)]
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
    Word(Vec<Text>),
}
