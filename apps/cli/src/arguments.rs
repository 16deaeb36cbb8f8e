//! What can be said on the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Simulates hybrid systems drawn as block diagrams, with one exact meaning.
#[derive(Parser, Debug)]
#[command(name = "superdense", version)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Runs a model and writes its recorded signals as CSV.
    Run(Box<RunArguments>),
    /// Checks a model without running it.
    Check(Box<CheckArguments>),
    /// Evaluates a model on streams: solver and model as one table, with a row for each evaluation.
    Stream(Box<StreamArguments>),
    /// Draws an energy of a model over time, as different solvers keep it or lose it.
    Energy(Box<EnergyArguments>),
    /// Tells what happened at an instant of a run and why, or what the code of a message means.
    #[command(
        override_usage = "superdense explain [OPTIONS] <MODEL> <T[,N]>\n       superdense explain <CODE>"
    )]
    Explain {
        #[command(flatten)]
        model: Box<ModelArguments>,
        /// The time, or time,microstep: the nearest instant at which something happened is told.
        #[arg(value_name = "T[,N]", allow_hyphen_values = true)]
        instant: Option<String>,
    },
    /// Draws a saved trace.
    Plot {
        /// The trace: a CSV, Parquet or JSON file.
        trace: PathBuf,
        /// The picture: an SVG or PNG file.
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
        /// The signals to draw; all where none is named.
        #[arg(short, long = "signal", value_name = "NAME")]
        signals: Vec<String>,
        /// The state of a machine by which panels are shaded, or `none`; the first that is drawn
        /// where this is left out.
        #[arg(long, value_name = "NAME")]
        shade: Option<String>,
    },
    /// Says where two saved traces part.
    Compare {
        /// The first trace.
        first: PathBuf,
        /// The second trace.
        second: PathBuf,
        /// Difference of values that is allowed.
        #[arg(long, default_value_t = 0.0)]
        absolute: f64,
        /// Difference of values that is allowed, as a part of the larger.
        #[arg(long, default_value_t = 0.0)]
        relative: f64,
        /// How far apart the times of one event may be, in seconds.
        #[arg(long, default_value_t = 0.0)]
        time: f64,
    },
    /// Draws the block diagram of a model, with a causality loop in red.
    Graph {
        #[command(flatten)]
        model: Box<ModelArguments>,
        /// The picture: an SVG file, or a DOT file for Graphviz.
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
        /// How deep the hierarchy opens; everything where it is not given.
        #[arg(long)]
        depth: Option<usize>,
        /// Writes expressions on wires instead of drawing them as nodes.
        #[arg(long)]
        fold: bool,
        /// Numbers the blocks in the order of evaluation.
        #[arg(long)]
        order: bool,
    },
    /// Lists the blocks, or shows the page of one.
    Blocks {
        /// The block.
        name: Option<String>,
        /// Writes the page of every block into this folder.
        #[arg(long, value_name = "FOLDER")]
        write: Option<PathBuf>,
    },
    /// Makes a folder with a model that runs, to begin from.
    New {
        /// The name of the folder and of the model.
        name: PathBuf,
    },
    /// Writes the script with which a shell completes the arguments of this program.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Writes the JSON Schema of model files, with which editors complete and check them.
    Schema,
    /// Writes the manual page of this program, or of one command, for `man -l -`.
    Man {
        /// The command.
        command: Option<String>,
    },
    /// Lists the models that come with the program, shows one, or copies it.
    Examples {
        #[command(subcommand)]
        command: Option<ExamplesCommand>,
    },
}

impl Command {
    /// How the command tells mistakes.
    pub fn format(&self) -> Format {
        match self {
            Command::Run(arguments) => arguments.format,
            Command::Check(arguments) => arguments.format,
            _ => Format::Text,
        }
    }
}

/// How mistakes are told.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// For people.
    Text,
    /// For tools: an object to a line.
    Json,
}

/// What to do with the examples.
#[derive(Subcommand, Debug)]
pub enum ExamplesCommand {
    /// Lists their names.
    List,
    /// Shows the text and the model file of one.
    Show {
        /// The example.
        name: String,
    },
    /// Copies the files of one into a new folder.
    Copy {
        /// The example.
        name: String,
        /// The folder; named like the example where it is not given.
        folder: Option<PathBuf>,
    },
}

/// The model and what is set over its own words.
#[derive(Args, Debug)]
pub struct ModelArguments {
    /// The model file.
    pub model: PathBuf,
    /// Sets a parameter of the model; the value may be an expression such as 1/3.
    #[arg(short, long = "parameter", value_name = "NAME=VALUE")]
    pub parameters: Vec<String>,
    /// Where model time begins, in seconds.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub start: Option<String>,
    /// Where it ends, in seconds.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub stop: Option<String>,
    /// euler, heun, trapezoidal, rk4, euler-adaptive, rk23 or rk45.
    #[arg(long, value_name = "NAME")]
    pub solver: Option<String>,
    /// Relative and absolute tolerance.
    #[arg(long, value_name = "NUMBER")]
    pub tolerance: Option<f64>,
    /// Rows at even times this far apart, instead of one for each step; events have theirs anyway.
    #[arg(long, value_name = "TIME")]
    pub every: Option<String>,
    /// The seed of all random numbers.
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
}

/// Arguments of `run`.
#[derive(Args, Debug)]
pub struct RunArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// The file of the result: .csv, .parquet or .json; `-` for CSV on standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Draws the result as an SVG or PNG file; rows between steps make its curves smooth.
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Writes everything that happens at ticks into this file, a line of JSON for each.
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Says nothing where all is well.
    #[arg(short, long)]
    pub quiet: bool,
    /// How mistakes are told; with json, standard error has an object to a line and no summary.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Arguments of `check`.
#[derive(Args, Debug)]
pub struct CheckArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// Prints the result of a stage: diagram, schedule or program.
    #[arg(long, value_name = "STAGE")]
    pub print: Option<String>,
    /// How mistakes are told; with json, standard error has an object to a line.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Arguments of `stream`.
#[derive(Args, Debug)]
pub struct StreamArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// The file of the table: .csv; `-` for standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Draws the run as an SVG or PNG file: signals over time, with the native run beside them, and
    /// over evaluations; time over evaluations with its reversals; discrete signals.
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// The signals to draw; all where none is named.
    #[arg(long = "signal", value_name = "NAME")]
    pub signals: Vec<String>,
    /// Draws a close-up from this evaluation on.
    #[arg(long, value_name = "E")]
    pub from: Option<usize>,
    /// Draws a close-up to this evaluation.
    #[arg(long, value_name = "E")]
    pub to: Option<usize>,
    /// The greatest step in seconds; `maximum_step` of the model where it is not given.
    #[arg(long, value_name = "TIME")]
    pub step: Option<f64>,
    /// Lets the Euler stage start from the trapezoidal sum, which is of second order.
    #[arg(long)]
    pub shared: bool,
    /// Holds comparisons and clocks back until a switch is located in a step no longer than this,
    /// in seconds.
    #[arg(long, value_name = "TIME")]
    pub hold: Option<f64>,
    /// The greatest number of evaluations.
    #[arg(long, value_name = "NUMBER", default_value_t = 200_000)]
    pub limit: usize,
    /// Says nothing where all is well.
    #[arg(short, long)]
    pub quiet: bool,
}

/// Arguments of `energy`.
#[derive(Args, Debug)]
pub struct EnergyArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// The energy: a recorded column, or an expression over the signals of the model.
    #[arg(long, value_name = "EXPRESSION", default_value = "energy", allow_hyphen_values = true)]
    pub energy: String,
    /// The solvers, with commas between them; `stream` is the one on streams.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "rk45,trapezoidal")]
    pub solvers: Vec<String>,
    /// The picture: an SVG or PNG file.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}
