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
        #[command(flatten)]
        method: Box<Method>,
        /// The time, or time,microstep: the nearest instant at which something happened is told.
        #[arg(value_name = "T[,N]", allow_hyphen_values = true)]
        instant: Option<String>,
    },
    /// Draws a saved trace.
    Plot(Box<PlotArguments>),
    /// Says where two saved traces part. Between the rows of a trace its values are taken from a
    /// straight line, so traces with different rows can be compared; at ticks the microsteps are
    /// compared one by one.
    Compare {
        /// The first trace.
        first: PathBuf,
        /// The second trace.
        second: PathBuf,
        /// Difference of values that is allowed.
        #[arg(long, default_value_t = 0.0, allow_hyphen_values = true)]
        absolute: f64,
        /// Difference of values that is allowed, as a part of the larger.
        #[arg(long, default_value_t = 0.0, allow_hyphen_values = true)]
        relative: f64,
        /// How far apart the times of one event may be, in seconds.
        #[arg(long, default_value_t = 0.0, allow_hyphen_values = true)]
        time: f64,
    },
    /// Pairs a signal of a saved trace with a test function: the number <S, phi>.
    Pair(PairArguments),
    /// Runs a model with symbolic and with numeric impulses, and says which suit it.
    Dirac(Box<DiracArguments>),
    /// Draws the block diagram of a model, with a causality loop in red.
    Graph {
        #[command(flatten)]
        model: Box<ModelArguments>,
        #[command(flatten)]
        method: Box<Method>,
        /// The picture: an SVG or PNG file, or a DOT file for Graphviz.
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
        /// How deep the hierarchy opens; everything where it is not given.
        #[arg(long)]
        depth: Option<usize>,
        /// Draws every element of arrays of blocks instead of one box for all of them.
        #[arg(long)]
        arrays: bool,
        /// Writes expressions on wires instead of drawing them as nodes.
        #[arg(long)]
        fold: bool,
        /// Numbers the blocks in the order of evaluation.
        #[arg(long)]
        order: bool,
    },
    /// Writes model files in canonical form, with their comments and their meaning as they are.
    Fmt {
        /// The files, each on its own; `-` reads standard input and writes standard output.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Writes nothing, and ends with an error that names the files that would change.
        #[arg(long)]
        check: bool,
    },
    /// Lists the blocks, or shows the page of one.
    Blocks {
        /// The block.
        #[arg(conflicts_with_all = ["search", "write"])]
        name: Option<String>,
        /// Lists the blocks that have these words in their name, summary, equations, rules, ports
        /// or parameters.
        #[arg(long, value_name = "WORDS", conflicts_with = "write")]
        search: Option<String>,
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
            Command::Dirac(arguments) => arguments.format,
            Command::Pair(arguments) => arguments.format,
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

/// What evaluates a model between events.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backend {
    /// The interpreter at first, native code when it pays.
    Auto,
    /// The interpreter alone.
    Interpreter,
    /// Native code from the start.
    Native,
}

impl From<Backend> for superdense::Backend {
    fn from(backend: Backend) -> Self {
        match backend {
            Backend::Auto => superdense::Backend::Auto,
            Backend::Interpreter => superdense::Backend::Interpreter,
            Backend::Native => superdense::Backend::Native,
        }
    }
}

/// What has a row of its own where something happens.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rows {
    /// The instant: each signal has its last value there, and impulses are summed.
    Instants,
    /// Each microstep of the instant, from the left limit on.
    Microsteps,
}

impl From<Rows> for superdense::RowsPer {
    fn from(rows: Rows) -> Self {
        match rows {
            Rows::Instants => superdense::RowsPer::Instant,
            Rows::Microsteps => superdense::RowsPer::Microstep,
        }
    }
}

/// Arguments of `plot`.
#[derive(Args, Debug)]
pub struct PlotArguments {
    /// The trace: a CSV, Parquet or JSON file.
    pub trace: PathBuf,
    /// The picture: an SVG or PNG file.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// The signals to draw, in panels that suit them; all where nothing is named.
    #[arg(short, long = "signal", value_name = "NAME")]
    pub signals: Vec<String>,
    /// A panel with these signals over time; may be given several times.
    #[arg(long = "panel", value_name = "NAME,...")]
    pub panels: Vec<String>,
    /// A phase plot of the second signal over the first; may be given several times.
    #[arg(long = "phase", value_name = "X,Y")]
    pub phases: Vec<String>,
    /// Spreads the microsteps at the instant nearest to this time; may be given several times.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub open: Vec<String>,
    /// Marks each row between ticks with a stem: the steps of the solver.
    #[arg(long)]
    pub steps: bool,
    /// Makes the vertical axes logarithmic; values that are not positive are left out.
    #[arg(long)]
    pub log: bool,
    /// Where the time axis begins, in seconds.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub from: Option<String>,
    /// Where it ends, in seconds.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub to: Option<String>,
    /// A line above the picture.
    #[arg(long)]
    pub title: Option<String>,
    /// The state of a machine by which panels are shaded, or `none`; the first that is drawn where
    /// this is left out.
    #[arg(long, value_name = "NAME")]
    pub shade: Option<String>,
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
    /// Relative and absolute tolerance.
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub tolerance: Option<f64>,
    /// Evenly spaced rows this far apart, instead of one for each step; events have theirs anyway.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub every: Option<String>,
    /// The seed of all random numbers.
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
}

/// How a run goes, over the model's own words.
#[derive(Args, Debug, Default)]
pub struct Method {
    /// euler, heun, trapezoidal, rk4, euler-adaptive, rk23, rk45, tr-bdf2, rodas5p or auto.
    #[arg(long, value_name = "NAME")]
    pub solver: Option<String>,
    /// What an impulse is: symbolic; numeric, a large value in a run by fixed steps; or stepped,
    /// symbolic in a run by fixed steps.
    #[arg(long, value_name = "KIND")]
    pub impulses: Option<String>,
    /// The step of a fixed-step solver or of a run by fixed steps, in seconds.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub step: Option<String>,
}

/// Arguments of `run`.
#[derive(Args, Debug)]
pub struct RunArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    #[command(flatten)]
    pub method: Method,
    /// The file of the result: .csv, .parquet or .json; `-` for CSV on standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// What has a row where something happens; instants with `--every`, otherwise microsteps.
    #[arg(long, value_enum)]
    pub rows: Option<Rows>,
    /// Draws the result as an SVG or PNG file: FILE for the first figure under `plots` (or all
    /// signals), NAME=FILE for another figure, FOLDER/ for all figures. Rows between steps make
    /// curves smooth.
    #[arg(long, value_name = "[NAME=]FILE")]
    pub plot: Vec<PathBuf>,
    /// Writes everything that happens at ticks into this file, a line of JSON for each; `-` for
    /// standard output.
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// What evaluates the model between events: auto starts on the interpreter and goes on with
    /// native code when that pays. The result is the same.
    #[arg(long, value_enum, default_value_t = Backend::Auto)]
    pub backend: Backend,
    /// Says nothing where all is well; warnings are told all the same.
    #[arg(short, long)]
    pub quiet: bool,
    /// How mistakes are told; with json, standard error has an object to a line, and of the summary
    /// only native code, where it took part, and the work of parts that step apart, where there are
    /// several.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Arguments of `check`.
#[derive(Args, Debug)]
pub struct CheckArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    #[command(flatten)]
    pub method: Method,
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
    /// The greatest step, in seconds.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub step: Option<String>,
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
    /// Lets the Euler stage start from the trapezoidal sum, which is of second order.
    #[arg(long)]
    pub shared: bool,
    /// Holds comparisons, clocks and state machines back until a switch is located in a step no
    /// longer than this, in seconds.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
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
    /// The step of fixed-step solvers, in seconds.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub step: Option<String>,
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

/// Arguments of `dirac`.
#[derive(Args, Debug)]
pub struct DiracArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// The solver of the exact run.
    #[arg(long, value_name = "NAME")]
    pub solver: Option<String>,
    /// The steps to run with, in seconds, such as 0.1,0.01.
    #[arg(
        long,
        value_name = "TIMES",
        value_delimiter = ',',
        required = true,
        allow_hyphen_values = true
    )]
    pub steps: Vec<String>,
    /// Draws all runs as an SVG or PNG file.
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// How results and mistakes are told.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Arguments of `pair`.
#[derive(Args, Debug)]
pub struct PairArguments {
    /// The trace: a CSV, Parquet or JSON file.
    pub trace: PathBuf,
    /// The signal, or an element of one, by the name of its column.
    pub signal: String,
    /// The test function: a smooth bump of height 1 around a time, in seconds.
    #[arg(long, value_name = "CENTER,RADIUS", required = true, allow_hyphen_values = true)]
    pub bump: String,
    /// Takes the derivative of this order of the bump as the test function.
    #[arg(long, value_name = "ORDER", default_value_t = 0)]
    pub derivative: usize,
    /// How the result and mistakes are told.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}
