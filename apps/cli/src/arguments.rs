//! The command-line arguments; their doc comments are the help texts.

pub mod studies;

use std::path::PathBuf;

use clap::{ArgMatches, Args, FromArgMatches, Parser, Subcommand, ValueEnum};

pub use studies::{
    DiracArguments, EnergyArguments, ExploreArguments, LinearizeArguments, PairArguments,
    TrimArguments,
};

use crate::settings::{AllSettings, SettingOptions, StreamSettings, Takes};

/// Simulate hybrid systems modelled as block diagrams, with exact semantics.
#[derive(Parser, Debug)]
#[command(name = "superdense", version)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run a model and write its recorded signals to a CSV, Parquet or JSON file.
    Run(Box<RunArguments>),
    /// Run a model many times with other parameters, and write a table with a row for each run.
    Sweep(Box<SweepArguments>),
    /// Check a model for errors without running it.
    Check(Box<CheckArguments>),
    /// Evaluate a model on streams: solver and model in one table, one row per evaluation.
    #[command(hide = !cfg!(feature = "streams"))]
    Stream(Box<StreamArguments>),
    /// Compare how well different solvers conserve an energy of a model over time.
    Energy(Box<EnergyArguments>),
    /// Explain what happened at an instant of a run and why, or what a message code means.
    #[command(
        override_usage = "superdense explain [OPTIONS] <MODEL> <T[,N]>\n       superdense explain <CODE>"
    )]
    Explain {
        #[command(flatten)]
        model: Box<ModelArguments>,
        /// The time, or time,microstep; explains the nearest instant at which something happened.
        #[arg(value_name = "T[,N]", allow_hyphen_values = true)]
        instant: Option<String>,
    },
    /// Find a steady state of a model under given states, inputs and outputs.
    #[command(hide = !cfg!(feature = "analysis"))]
    Trim(Box<TrimArguments>),
    /// Linearise a model at a point of a run or at a steady state: A, B, C, D with names, and poles.
    #[command(hide = !cfg!(feature = "analysis"))]
    Linearize(Box<LinearizeArguments>),
    /// List every possible outcome of a model with nondeterministic transitions.
    Explore(Box<ExploreArguments>),
    /// Translate a model of Ptolemy II (MoML) to a model file.
    Import {
        /// The MoML file.
        model: PathBuf,
        /// The model file to write; `-` writes to standard output.
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
        /// The root of a Ptolemy II tree, for classes in other files; by default, that of the tree
        /// which the file lies in.
        #[arg(long, value_name = "PATH")]
        ptolemy: Option<PathBuf>,
    },
    /// Run models of Ptolemy II and compare them with the values that their tests expect.
    Conformance(Box<ConformanceArguments>),
    /// Export a model as an FMU, which other tools can run, or look at an FMU.
    #[command(
        hide = !cfg!(feature = "fmi"),
        override_usage = "superdense fmu [OPTIONS] <MODEL> --output <FILE>\n       superdense fmu show <FMU>\n       superdense fmu check <FMU>"
    )]
    Fmu(FmuCommand),
    /// Plot a saved trace.
    #[command(hide = !cfg!(feature = "pictures"))]
    Plot(Box<PlotArguments>),
    /// Show where two saved traces differ.
    ///
    /// Between the rows of a trace, values are interpolated linearly, so traces with different rows
    /// can be compared. At ticks, microsteps are compared one by one.
    Compare {
        /// The first trace.
        first: PathBuf,
        /// The second trace.
        second: PathBuf,
        /// Allowed absolute difference of values.
        #[arg(long, default_value_t = 0.0, allow_hyphen_values = true)]
        absolute: f64,
        /// Allowed difference of values, relative to the larger one.
        #[arg(long, default_value_t = 0.0, allow_hyphen_values = true)]
        relative: f64,
        /// Allowed difference between the times of corresponding events, in seconds.
        #[arg(long, default_value_t = 0.0, allow_hyphen_values = true)]
        time: f64,
    },
    /// Pair a signal of a saved trace with a test function and print the number <S, phi>.
    Pair(PairArguments),
    /// Run a model with symbolic and with numeric impulses, and report which kind suits it.
    Dirac(Box<DiracArguments>),
    /// Draw the block diagram of a model; a causality loop is shown in red.
    #[command(hide = !cfg!(feature = "pictures"))]
    Graph(Box<GraphArguments>),
    /// Format model files; comments and meaning stay unchanged.
    Fmt {
        /// The model files; `-` reads standard input and writes standard output.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Write nothing; fail and list the files that would change.
        #[arg(long)]
        check: bool,
    },
    /// List the blocks, or show the reference page of one block.
    Blocks {
        /// The name of the block.
        #[arg(conflicts_with_all = ["search", "write"])]
        name: Option<String>,
        /// List the blocks whose name, summary, equations, rules, ports or parameters contain these
        /// words.
        #[arg(long, value_name = "WORDS", conflicts_with = "write")]
        search: Option<String>,
        /// Show the diagrams of this model file instead of the blocks of the library.
        #[arg(long, value_name = "MODEL", conflicts_with = "search")]
        of: Option<PathBuf>,
        /// Write the reference page of every block into this folder, with a figure of its example.
        #[arg(long, value_name = "FOLDER")]
        write: Option<PathBuf>,
    },
    /// Open the studio: text, diagram and run of a model on one page in the browser.
    #[command(hide = !cfg!(feature = "studio"))]
    Studio {
        /// The model file, or the folder with models; by default the current folder.
        #[arg(value_name = "MODEL or FOLDER")]
        path: Option<PathBuf>,
        /// The port of the loopback address; by default any free one.
        #[arg(long)]
        port: Option<u16>,
        /// Only print the link, and open no browser.
        #[arg(long)]
        no_browser: bool,
    },
    /// Run a model and write a report: one page with diagram, plots that zoom and tables, which
    /// opens without a server.
    #[command(hide = !cfg!(feature = "studio"))]
    Report {
        #[command(flatten)]
        model: Box<ModelArguments>,
        /// The page to write, such as `page.html`.
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
    /// Create a folder with a runnable model to start from.
    New {
        /// The name of the folder and of the model.
        name: PathBuf,
    },
    /// Print the completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the JSON Schema of model files, for completion and checking in editors.
    Schema,
    /// Print the manual page of this program, or of one command, for `man -l -`.
    Man {
        /// The command.
        command: Option<String>,
    },
    /// List the bundled example models, show one, or copy it.
    Examples {
        #[command(subcommand)]
        command: Option<ExamplesCommand>,
    },
}

/// The arguments of an export.
#[derive(Args, Debug)]
pub struct FmuArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// The FMU to write.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// The version of FMI: 3 or 2.
    #[arg(long, value_name = "VERSION", default_value = "3", value_parser = ["2", "2.0", "3", "3.0"])]
    pub fmi: String,
    /// The library to put into the FMU; by default, the one beside this program.
    #[arg(long, value_name = "FILE")]
    pub library: Option<PathBuf>,
}

/// What to do with an FMU.
#[derive(Debug)]
pub enum FmuCommand {
    /// Export a model.
    Export(Box<FmuArguments>),
    /// Something else.
    Look(FmuLook),
}

/// What to do with an FMU that there is.
#[derive(Subcommand, Debug)]
pub enum FmuLook {
    /// Show the description of an FMU: its variables, its abilities and the mistakes found.
    Show {
        /// The FMU.
        fmu: PathBuf,
    },
    /// Run an FMU by itself, and compare its outputs with its reference result.
    ///
    /// The reference is a file in the archive that ends in `_ref.csv`. Inputs have their start
    /// values.
    Check {
        /// The FMU.
        fmu: PathBuf,
        /// The stop time, in seconds; by default, that of the default experiment.
        #[arg(long, allow_hyphen_values = true)]
        stop: Option<f64>,
        /// The allowed difference from the reference, relative to the range of each output.
        #[arg(long, default_value_t = 0.01)]
        tolerance: f64,
    },
    /// Host an instance of an FMU for the process at the other end of standard input.
    #[command(hide = true)]
    Host,
}

// The arguments of an export are required unless there is a subcommand, which cannot be derived.
impl FromArgMatches for FmuCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<FmuCommand, clap::Error> {
        match matches.subcommand_name() {
            Some(_) => FmuLook::from_arg_matches(matches).map(FmuCommand::Look),
            None => {
                let export = FmuArguments::from_arg_matches(matches)?;
                Ok(FmuCommand::Export(Box::new(export)))
            }
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = FmuCommand::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for FmuCommand {
    fn augment_args(command: clap::Command) -> clap::Command {
        FmuLook::augment_subcommands(FmuArguments::augment_args(command))
            .subcommand_required(false)
            .arg_required_else_help(false)
            .subcommand_negates_reqs(true)
            .args_conflicts_with_subcommands(true)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        FmuCommand::augment_args(command)
    }
}

impl Command {
    /// The format of the command's messages.
    pub fn format(&self) -> Format {
        match self {
            Command::Run(arguments) => arguments.format,
            Command::Sweep(arguments) => arguments.format,
            Command::Check(arguments) => arguments.format,
            Command::Dirac(arguments) => arguments.format,
            Command::Pair(arguments) => arguments.format,
            Command::Trim(arguments) => arguments.format,
            Command::Linearize(arguments) => arguments.format,
            _ => Format::Text,
        }
    }
}

/// The format of messages.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Plain text.
    Text,
    /// One JSON object per line, for tools.
    Json,
}

/// What evaluates a model between events.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backend {
    /// Start on the interpreter, and switch to native code when that pays off.
    Auto,
    /// The interpreter only.
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

/// Arguments of `plot`.
#[derive(Args, Debug)]
pub struct PlotArguments {
    /// The trace: a CSV, Parquet or JSON file.
    pub trace: PathBuf,
    /// The output file: SVG or PNG.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// A signal to plot, in an automatically chosen panel; may be repeated; all signals by default.
    #[arg(short, long = "signal", value_name = "NAME")]
    pub signals: Vec<String>,
    /// A panel with these signals over time; may be repeated.
    #[arg(long = "panel", value_name = "NAME,...")]
    pub panels: Vec<String>,
    /// A phase plot of the second signal over the first; may be repeated.
    #[arg(long = "phase", value_name = "X,Y")]
    pub phases: Vec<String>,
    /// Show the microsteps of the instant nearest to this time side by side; may be repeated.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub open: Vec<String>,
    /// Mark each row between ticks (each solver step) with a stem.
    #[arg(long)]
    pub steps: bool,
    /// Use logarithmic vertical axes; values that are not positive are omitted.
    #[arg(long)]
    pub log: bool,
    /// The start of the time axis, in seconds.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub from: Option<String>,
    /// The end of the time axis, in seconds.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub to: Option<String>,
    /// The title above the figure.
    #[arg(long)]
    pub title: Option<String>,
    /// The state machine signal whose states shade the panels, or `none`; by default the first one
    /// plotted.
    #[arg(long, value_name = "NAME")]
    pub shade: Option<String>,
}

/// Arguments of `graph`.
#[derive(Args, Debug)]
pub struct GraphArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// The output file: SVG, PNG, or DOT for Graphviz.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// How many levels of the hierarchy to expand; all levels by default.
    #[arg(long)]
    pub depth: Option<usize>,
    /// Draw every element of an array of blocks instead of one box for the whole array.
    #[arg(long)]
    pub arrays: bool,
    /// Write expressions on wires instead of drawing them as nodes.
    #[arg(long)]
    pub fold: bool,
    /// Number the blocks in order of evaluation.
    #[arg(long)]
    pub order: bool,
}

/// The subcommands of `examples`.
#[derive(Subcommand, Debug)]
pub enum ExamplesCommand {
    /// List the examples.
    List,
    /// Show the description and the model file of an example.
    Show {
        /// The example.
        name: String,
    },
    /// Copy the files of an example into a new folder.
    Copy {
        /// The example.
        name: String,
        /// The folder; by default, named after the example.
        folder: Option<PathBuf>,
    },
}

/// The model, and settings that override its own.
#[derive(Args, Debug)]
pub struct ModelArguments<T: Takes = AllSettings> {
    /// The model file.
    pub model: PathBuf,
    /// Set a parameter of the model; the value may be an expression such as 1/3; may be repeated.
    #[arg(short, long = "parameter", value_name = "NAME=VALUE")]
    pub parameters: Vec<String>,
    /// Give an input of the model: an expression over `time` and parameters, or a column of a file
    /// (.csv, .parquet or .json), optionally with hold, linear (the default) or cubic; may be
    /// repeated.
    #[arg(short, long = "input", value_name = "NAME=EXPRESSION|FILE:COLUMN[:HOW]")]
    pub inputs: Vec<String>,
    /// For a model of Ptolemy II (.xml): the root of a Ptolemy II tree, for classes in other files; by
    /// default, that of the tree that contains the file.
    #[arg(long, value_name = "PATH")]
    pub ptolemy: Option<PathBuf>,
    #[command(flatten)]
    pub settings: SettingOptions<T>,
}

/// Arguments of `conformance`.
#[derive(Args, Debug)]
pub struct ConformanceArguments {
    /// A MoML file, or a folder: every MoML file below it that expects values.
    pub path: PathBuf,
    /// The root of a Ptolemy II tree, for classes in other files; by default, that of the tree that
    /// contains each file.
    #[arg(long, value_name = "PATH")]
    pub ptolemy: Option<PathBuf>,
    /// Only the files that this list names, one on each line, relative to PATH; `#` begins a
    /// comment.
    #[arg(long, value_name = "FILE")]
    pub list: Option<PathBuf>,
    /// The time limit for each model, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    pub limit: f64,
    /// How many models run at the same time; by default, one for each processor.
    #[arg(long, value_name = "COUNT")]
    pub threads: Option<usize>,
    /// Write the results as JSON to this file; `-` writes to standard output instead of the table.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the results as JUnit XML to this file.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    #[command(flatten)]
    pub settings: SettingOptions<AllSettings>,
}

/// Arguments of `run`.
#[derive(Args, Debug)]
pub struct RunArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// The result file: .csv, .parquet or .json; `-` writes CSV to standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Plot the result to an SVG or PNG file. FILE draws the first figure under `plots` (or all
    /// signals if there is none), NAME=FILE another figure, FOLDER/ all figures. Extra rows between
    /// steps make the curves smooth. May be repeated.
    #[arg(long, value_name = "[NAME=]FILE")]
    pub plot: Vec<PathBuf>,
    /// Log everything that happens at ticks, and changes of the solver, to this file, one JSON object
    /// per line; `-` writes to standard output.
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// What evaluates the model between events: auto starts on the interpreter and switches to
    /// native code when that pays off. The results are bit-identical.
    #[arg(long, value_enum, default_value_t = Backend::Auto)]
    pub backend: Backend,
    /// Check afterwards that every signal is piecewise continuous: at microstep 0 it has its left
    /// limit, after an event its right limit, it jumps only at events, and events are instants. The
    /// model is run again for that, several times.
    #[arg(long)]
    pub audit: bool,
    /// Print no summary; warnings and errors are still printed.
    #[arg(short, long)]
    pub quiet: bool,
    /// The format of messages on standard error. With json, each message is a JSON object on a line
    /// of its own, and there is no summary: only a note on the backends if native code ran, and a
    /// note on the steps of each region and the evaluations of each block if there are several
    /// regions or the solver changed during the run, and one on the drift of invariants.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Arguments of `sweep`.
#[derive(Args, Debug)]
pub struct SweepArguments {
    /// The model file; options override what its section `sweep` defines.
    pub model: PathBuf,
    /// The values of a parameter: a value, a list 1, 2, 5, a range 0.5:0.9:0.01, linspace(0, 1, 11),
    /// geomspace(0.1, 10, 21), or a distribution such as normal(1, 0.1) or uniform(0, 1); may be
    /// repeated.
    #[arg(short, long = "parameter", value_name = "NAME=VALUES", allow_hyphen_values = true)]
    pub parameters: Vec<String>,
    /// A table of parameter sets, a column for each parameter: .csv, .parquet or .json.
    #[arg(long, value_name = "FILE")]
    pub sets: Option<PathBuf>,
    /// How many samples are drawn if a parameter has a distribution.
    #[arg(long, value_name = "COUNT")]
    pub samples: Option<u64>,
    /// How samples are spread: random, latin (hypercube) or sobol.
    #[arg(long, value_name = "METHOD")]
    pub method: Option<String>,
    /// Repeat each run so often, each time with the next seed.
    #[arg(long, value_name = "COUNT")]
    pub repeats: Option<u64>,
    /// What is measured, such as peak=max(y), time(hit, 3) or settling(y, 0.02); may be repeated; by
    /// default, the last value of each recorded signal.
    #[arg(short, long = "measure", value_name = "[NAME=]MEASURE")]
    pub measures: Vec<String>,
    /// The table: .csv, .parquet or .json.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Write the trace of each run, too, as Parquet in FOLDER/run=K.
    #[arg(long, value_name = "FOLDER")]
    pub traces: Option<PathBuf>,
    /// Draw a chart of the result to an SVG or PNG file: histogram(TOP), scatter(X, Y),
    /// scatter(A, B, C) for all pairs, heat(X, Y, Z), fan(SIGNAL) for quantiles over time, or
    /// overlay(SIGNAL); the names are columns of the table, or a recorded signal. May be repeated.
    #[arg(long, value_name = "CHART=FILE")]
    pub plot: Vec<String>,
    /// Continue an interrupted sweep.
    #[arg(long)]
    pub resume: bool,
    /// Only part K of N equal parts, such as 2/8, for machines that share the work.
    #[arg(long, value_name = "K/N")]
    pub part: Option<String>,
    /// How many threads compute runs; by default, one for each processor.
    #[arg(long, value_name = "COUNT")]
    pub threads: Option<usize>,
    /// Give an input of the model: an expression over `time` and parameters; may be repeated.
    #[arg(short, long = "input", value_name = "NAME=EXPRESSION")]
    pub inputs: Vec<String>,
    /// Print no summary; warnings and errors are still printed.
    #[arg(short, long)]
    pub quiet: bool,
    /// The format of messages on standard error; with json, one JSON object per line.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    #[command(flatten)]
    pub settings: SettingOptions<AllSettings>,
}

/// Arguments of `check`.
#[derive(Args, Debug)]
pub struct CheckArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// Print the result of a compilation stage: blocks, diagram, schedule or program.
    #[arg(long, value_name = "STAGE")]
    pub print: Option<String>,
    /// List the parameters of the model: value, type, unit, and whether a run can set them without
    /// compiling the model again; with --format json, one JSON object per line.
    #[arg(long = "parameters", conflicts_with = "print")]
    pub list_parameters: bool,
    /// Run the model, and find instants at which several events meet whose order matters although
    /// the model does not determine it: each pair is tried in both orders.
    #[arg(long, conflicts_with_all = ["print", "list_parameters"])]
    pub order: bool,
    /// The format of messages on standard error; with json, one JSON object per line.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Arguments of `stream`.
#[derive(Args, Debug)]
pub struct StreamArguments {
    #[command(flatten)]
    pub model: ModelArguments<StreamSettings>,
    /// The maximum step size, in seconds.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub step: Option<String>,
    /// The file for the table: .csv; `-` writes to standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Plot the run to an SVG or PNG file: signals over time, next to the run of the native engine,
    /// and over evaluations; time over evaluations, with its reversals; discrete signals.
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// A signal to plot; may be repeated; all signals by default.
    #[arg(long = "signal", value_name = "NAME")]
    pub signals: Vec<String>,
    /// Plot a close-up that starts at this evaluation.
    #[arg(long, value_name = "E")]
    pub from: Option<usize>,
    /// Plot a close-up that ends at this evaluation.
    #[arg(long, value_name = "E")]
    pub to: Option<usize>,
    /// Let the Euler stage start from the trapezoidal sum, which is of second order.
    #[arg(long)]
    pub shared: bool,
    /// Hold back comparisons, clocks and state machines until a switch is located within a step no
    /// longer than this, in seconds.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub hold: Option<f64>,
    /// The maximum number of evaluations.
    #[arg(long, value_name = "NUMBER", default_value_t = 200_000)]
    pub limit: usize,
    /// Print no summary.
    #[arg(short, long)]
    pub quiet: bool,
}
