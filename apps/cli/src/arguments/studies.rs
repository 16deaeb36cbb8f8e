//! Arguments of the commands that study a model: energy, Dirac limits, steady states, linear models,
//! orders of events, pairings with test functions.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Format, ModelArguments};
use crate::settings::{DiracSettings, EnergySettings};

/// Arguments of `energy`.
#[derive(Args, Debug)]
pub struct EnergyArguments {
    #[command(flatten)]
    pub model: ModelArguments<EnergySettings>,
    /// The energy: a recorded column, or an expression over signals of the model.
    #[arg(long, value_name = "EXPRESSION", default_value = "energy", allow_hyphen_values = true)]
    pub energy: String,
    /// The solvers, separated by commas; `stream` is the solver on streams.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "rk45,trapezoidal")]
    pub solvers: Vec<String>,
    /// Plot the energies to this file: SVG or PNG.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Arguments of `dirac`.
#[derive(Args, Debug)]
pub struct DiracArguments {
    #[command(flatten)]
    pub model: ModelArguments<DiracSettings>,
    /// The step sizes to run with, in seconds, such as 0.1,0.01.
    #[arg(
        long,
        value_name = "TIMES",
        value_delimiter = ',',
        required = true,
        allow_hyphen_values = true
    )]
    pub steps: Vec<String>,
    /// Plot all runs to an SVG or PNG file.
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// The format of results and messages.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// The conditions of a steady state.
#[derive(Args, Debug, Default)]
pub struct TrimOptions {
    /// A state, input, tunable parameter, held signal or output with the value that it must have; a
    /// vector is written [1, 2]. May be repeated.
    #[arg(long = "where", value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub conditions: Vec<String>,
    /// A state with the rate that it must have, instead of 0; may be repeated.
    #[arg(long = "rate", value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub rates: Vec<String>,
    /// A state that may go on moving, such as a position at constant speed; may be repeated.
    #[arg(long, value_name = "NAME")]
    pub moving: Vec<String>,
    /// An input, tunable parameter or held signal whose value is to be found; may be repeated. By
    /// default all inputs are that have no value, if `--where` gives a state or an output.
    #[arg(long, value_name = "NAME")]
    pub free: Vec<String>,
    /// A state or input that keeps its value; may be repeated.
    #[arg(long, value_name = "NAME")]
    pub fixed: Vec<String>,
    /// A state or free input with the value at which the search starts; may be repeated.
    #[arg(long = "guess", value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub guesses: Vec<String>,
    /// A state or free input with its lowest and highest value, such as `u=0:inf`; may be repeated.
    #[arg(long = "bound", value_name = "NAME=LOW:HIGH", allow_hyphen_values = true)]
    pub bounds: Vec<String>,
}

/// Arguments of `trim`.
#[derive(Args, Debug)]
pub struct TrimArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// The time in seconds to which a run goes first: its states and modes there are the start of
    /// the search. By default, the start time.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub at: Option<String>,
    #[command(flatten)]
    pub steady: TrimOptions,
    /// The format of the result and of messages.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Arguments of `linearize`.
#[derive(Args, Debug)]
pub struct LinearizeArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// The time in seconds of the point, which a run goes to; by default, the start time.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub at: Option<String>,
    /// Search for a steady state from that point first, and linearise there.
    #[arg(long)]
    pub trim: bool,
    #[command(flatten)]
    pub steady: TrimOptions,
    /// An input of the linear model: an input, a tunable parameter, a held signal, or any signal of
    /// the model, to which the input is then added. May be repeated; by default all inputs of the
    /// model.
    #[arg(long, value_name = "NAME")]
    pub from: Vec<String>,
    /// An output of the linear model: a signal, or an expression over signals. May be repeated; by
    /// default the outputs of the model, or all recorded signals.
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub to: Vec<String>,
    /// Replace delays by Padé approximations of this order.
    #[arg(long, value_name = "ORDER")]
    pub delays: Option<usize>,
    /// The side of comparisons that switch exactly at the point.
    #[arg(long, value_enum)]
    pub side: Option<SideOption>,
    /// The format of the result and of messages.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// A side of a comparison.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum SideOption {
    /// Where the left operand is the larger one.
    Above,
    /// Where it is the smaller one.
    Below,
}

/// Arguments of `explore`.
#[derive(Args, Debug)]
pub struct ExploreArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// Draw the choices and outcomes, with their probabilities, to an SVG or PNG file.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The largest number of situations after a choice to follow.
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000)]
    pub most: usize,
    /// The format of results and messages.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Arguments of `pair`.
#[derive(Args, Debug)]
pub struct PairArguments {
    /// The trace: a CSV, Parquet or JSON file.
    pub trace: PathBuf,
    /// The column name of the signal, or of an element of a signal.
    pub signal: String,
    /// The test function: a smooth bump of height 1 around a time, in seconds.
    #[arg(long, value_name = "CENTER,RADIUS", required = true, allow_hyphen_values = true)]
    pub bump: String,
    /// Use the derivative of this order of the bump as the test function.
    #[arg(long, value_name = "ORDER", default_value_t = 0)]
    pub derivative: usize,
    /// The format of the result and of messages.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}
