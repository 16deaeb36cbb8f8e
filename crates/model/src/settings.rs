//! The settings of a run, defined once: name, kind and purpose of each.
//!
//! From this table come the fields of the section `simulate` that the parser accepts, the schema of
//! model files, the table in `docs/model-format.md`, the options of the command line with their
//! help, and the methods of `Settings`.

use base::{Diagnostic, Spanned, did_you_mean};

/// Calls a macro with the table of settings: for each its variant, its key in model files, its kind,
/// the settings that it replaces if it overrides those of a model, its purpose and, for some, a
/// sentence with a link for the documentation.
#[macro_export]
macro_rules! with_run_settings {
    ($then:ident) => {
        $then! {
            Start start: SettingKind::Time, [],
            "The start time [s]; the default is 0.";

            Stop stop: SettingKind::Time, [],
            "The stop time [s]; the default is 1 s after the start.";

            Solver solver: SettingKind::Solver, [],
            "The solver. Variable step: `rk45` (the default), `rk23`, `cash-karp`, `euler-adaptive` \
             or, for stiff models, `rodas5p`, `tr-bdf2` or `auto`; fixed step: `euler`, `heun`, `rk4` or the \
             implicit `trapezoidal`.";

            Tolerance tolerance: SettingKind::Positive,
            [RunSetting::RelativeTolerance, RunSetting::AbsoluteTolerance],
            "Both the relative and the absolute tolerance; the default is 1e-6.";

            RelativeTolerance relative_tolerance: SettingKind::Positive, [],
            "The tolerance relative to the size of a state; overrides `tolerance`.";

            AbsoluteTolerance absolute_tolerance: SettingKind::Positive, [],
            "The tolerance for a state near zero; overrides `tolerance`.";

            Step step: SettingKind::Step, [],
            "The step size of a fixed-step solver, or of a fixed-step run (see `impulses`) [s]; the \
             default is one hundredth of the run.";

            InitialStep initial_step: SettingKind::Step, [],
            "The initial step size of a variable-step solver [s].";

            MaximumStep maximum_step: SettingKind::Step, [],
            "The maximum step size of a variable-step solver [s].";

            Every every: SettingKind::Period, [RunSetting::Times],
            "Evenly spaced rows from the start on, this far apart [s], instead of one row per step; \
             events always have their own rows. A fixed-step run has a row at the first step at or \
             after each of these times.";

            Times times: SettingKind::Times, [RunSetting::Every],
            "Rows at these times [s], a list such as [0.5, 1], instead of one row per step.";

            Rows rows: SettingKind::Words(&["instants", "microsteps"]), [],
            "Which rows are written at a time with events: `instants`, one row with the final values \
             of the instant, or `microsteps`, one row per microstep. The default is `instants` if \
             `every` is given, otherwise `microsteps`.",
            "See [One row for an instant](results.md#one-row-for-an-instant).";

            Seed seed: SettingKind::Count, [],
            "The seed for all random numbers; the default is 0.";

            Microsteps microsteps: SettingKind::Count, [],
            "The maximum number of microsteps at one time; the default is 1000.";

            MaximumBlocks maximum_blocks: SettingKind::Count, [],
            "The maximum number of blocks in the model, counting all instances and array elements; \
             the default is 250,000. A larger model is rejected before it takes up memory, about \
             10 kB per block.";

            Zeno zeno: SettingKind::Words(&["error", "stop", "rest"]), [],
            "What to do if events accumulate at a point in time: `error` (the default), `stop`, or \
             `rest`, where what bounces lies still until it is lifted.",
            "See [Rest](sliding.md#rest).";

            Sliding sliding: SettingKind::Words(&["error", "filippov"]), [],
            "What it means if a comparison switches the motion back onto its own surface: `error` \
             (the default) or `filippov`, a motion along the surface.",
            "See [Sliding](sliding.md).";

            Profile profile: SettingKind::Words(&["native", "ptolemy"]), [],
            "The rules by which steps are chosen and crossings found: `native` (the default), or \
             `ptolemy`, those of Ptolemy II, for models that expect its results.",
            "See [Models of Ptolemy II](ptolemy.md#the-profile).";

            Growth growth: SettingKind::Positive, [],
            "With the profile `ptolemy`, how much longer the next step is than one that was accepted; \
             the default is 5.",
            "See [Models of Ptolemy II](ptolemy.md#the-profile).";

            NextStep next_step: SettingKind::Step, [],
            "With the profile `ptolemy`, the longest step [s] after another one; the first step \
             after an event may be as long as `maximum_step`.",
            "See [Models of Ptolemy II](ptolemy.md#the-profile).";

            Impulses impulses: SettingKind::Words(&["symbolic", "stepped", "numeric"]), [],
            "How impulses are represented: `symbolic` (the default), `numeric` (a large value in a \
             fixed-step run) or `stepped` (symbolic in a fixed-step run).",
            "See [Impulses as numbers](impulses.md#impulses-as-numbers).";
        }
    };
}

/// The kind of value of a setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SettingKind {
    /// A time of the model \[s\].
    Time,
    /// A time between two rows \[s\], which model time can represent.
    Period,
    /// The step of a solver \[s\], which may be shorter than any time between events.
    Step,
    /// A positive number.
    Positive,
    /// A whole number from 0 on.
    Count,
    /// A list of times \[s\].
    Times,
    /// One of these words.
    Words(&'static [&'static str]),
    /// The name of a solver. This crate does not know which there are.
    Solver,
}

impl SettingKind {
    /// Whether a value is a word rather than an expression.
    pub fn is_word(self) -> bool {
        matches!(self, SettingKind::Words(_) | SettingKind::Solver)
    }

    /// What a value must be, as a phrase after "must be".
    pub fn requirement(self) -> &'static str {
        match self {
            SettingKind::Time => "a time in seconds, at most 1e20",
            SettingKind::Period => "a positive time, at least one attosecond",
            SettingKind::Step => "a positive number of seconds",
            SettingKind::Positive => "a positive number",
            SettingKind::Count => "a whole number from 0 on",
            SettingKind::Times => "a list of times in seconds",
            SettingKind::Words(_) => "one of its words",
            SettingKind::Solver => "the name of a solver",
        }
    }
}

/// Declares the settings of the table.
macro_rules! declare {
    ($($variant:ident $key:ident: $kind:expr, $replaces:expr,
       $about:literal $(, $see:literal)?;)*) => {
        /// A setting of a run: a field of the section `simulate`, and an option of the command line.
        // A unit in brackets is no link.
        #[allow(rustdoc::broken_intra_doc_links)]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum RunSetting {
            $(#[doc = $about] $variant,)*
        }

        impl RunSetting {
            /// All settings, in the order of the documentation.
            pub const ALL: &'static [RunSetting] = &[$(RunSetting::$variant),*];

            /// The name in model files.
            pub fn key(self) -> &'static str {
                match self { $(RunSetting::$variant => stringify!($key),)* }
            }

            /// The kind of its value.
            pub fn kind(self) -> SettingKind {
                match self { $(RunSetting::$variant => $kind,)* }
            }

            /// The purpose, in sentences.
            pub fn about(self) -> &'static str {
                match self { $(RunSetting::$variant => $about,)* }
            }

            /// The purpose in Markdown, with links relative to the folder `docs`.
            pub fn documentation(self) -> &'static str {
                match self { $(RunSetting::$variant => concat!($about $(, " ", $see)?),)* }
            }

            /// The settings of a model that no longer count if this one overrides them.
            pub fn replaces(self) -> &'static [RunSetting] {
                match self { $(RunSetting::$variant => &$replaces,)* }
            }
        }
    };
}

with_run_settings!(declare);

impl RunSetting {
    /// The setting with this name in model files.
    pub fn named(key: &str) -> Option<RunSetting> {
        RunSetting::ALL.iter().copied().find(|setting| setting.key() == key)
    }

    /// The name of the option on the command line, without its hyphens.
    pub fn option(self) -> String {
        self.key().replace('_', "-")
    }

    /// The error for a word that the setting does not have. Names of solvers are not checked here.
    pub(crate) fn wrong_word(self, word: &Spanned<String>) -> Option<Diagnostic> {
        let SettingKind::Words(words) = self.kind() else { return None };
        if words.contains(&word.value.as_str()) {
            return None;
        }
        let message = format!("`{}` cannot be `{}`", self.key(), word.value);
        let near = did_you_mean(&word.value, words.iter().copied());
        let help = near.unwrap_or_else(|| format!("write one of {}", words.join(", ")));
        Some(Diagnostic::error("unknown-word", message).at(word.span, "").help(help))
    }
}
