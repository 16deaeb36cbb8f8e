//! Superdense simulates hybrid systems drawn as block diagrams: continuous motion, discrete events
//! and Dirac impulses in one model, with one exact meaning.
//!
//! A model comes from a file ([`read`]), from a text ([`parse`]) or from Rust ([`Builder`]);
//! [`System::compile`] takes it through every stage, and [`System::simulate`] runs it.
//!
//! ```
//! use superdense::{Builder, Library, Settings, System};
//!
//! let model = Builder::new("decay")
//!     .parameter("rate", "2")
//!     .block("x", "Integrator", &[("input", "-rate * x"), ("initial", "1")])
//!     .record("x", "x")
//!     .simulate("stop", "1")
//!     .simulate("tolerance", "1e-9")
//!     .build()?;
//! let system = System::compile(&model, &Library::standard())?;
//! let outcome = system.simulate()?;
//! assert!((outcome.trace.last("x").unwrap() - (-2.0f64).exp()).abs() < 1e-8);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The features `analysis`, `fmi`, `native`, `parquet`, `pictures`, `sparse` and `streams`, all on by default, leave
//! parts of the program out if they are off; `docs/embedding.md` lists them.
//!
//! To write a block of your own, implement [`Block`]: [`Info`] gives its name, ports and
//! parameters, and `define` gives its outputs as functions of its inputs. Then add it to the
//! library.
//!
//! ```
//! use std::sync::Arc;
//! use superdense::{
//!     Block, Builder, Context, Diagnostic, Info, Input, Library, Settings, Parameter, System,
//! };
//!
//! #[derive(Debug)]
//! struct Square;
//!
//! impl Block for Square {
//!     fn info(&self) -> Info {
//!         Info::new("Square", "User", "The square of a signal.")
//!             .equations("y = u^2 + offset")
//!             .absence("Absent if the input is.")
//!             .impulses("An impulse at the input is an error.")
//!             .input(Input::one("input", "The signal."))
//!             .output("output", "Its square.")
//!             .parameter(Parameter::real("offset", "What is added.").default("0"))
//!     }
//!
//!     fn define(&self, cx: &mut Context) -> Result<(), Diagnostic> {
//!         let input = cx.input("input");
//!         cx.refuse_impulses(&input, "the square of an impulse has no meaning");
//!         let offset = cx.constant("offset");
//!         let square = cx.graph.mul(input.value, input.value);
//!         let value = cx.graph.add(square, offset);
//!         let signal = cx.event(value, input.present);
//!         cx.output("output", signal);
//!         Ok(())
//!     }
//! }
//!
//! let model = Builder::new("tangent")
//!     .block("x", "Integrator", &[("input", "q")])
//!     .block("q", "Square", &[("input", "x"), ("offset", "1")])
//!     .record("x", "x")
//!     .simulate("stop", "1")
//!     .simulate("tolerance", "1e-9")
//!     .build()?;
//! let library = Library::standard().with(Arc::new(Square));
//! let outcome = System::compile(&model, &library)?.simulate()?;
//! assert!((outcome.trace.last("x").unwrap() - 1.0f64.tan()).abs() < 1e-7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "analysis")]
mod analysis;
mod pipeline;

#[cfg(feature = "pictures")]
mod figures;
#[cfg(not(feature = "pictures"))]
#[path = "without_figures.rs"]
mod figures;
mod pages;
#[cfg(feature = "pictures")]
mod picture;
mod recorded;

mod audit;
mod data;
mod dirac;
mod explore;
#[cfg(feature = "fmi")]
pub mod fmi;
mod foreign;
mod given;
mod hold;
mod invariants;
mod native;
mod order;
pub mod ptolemy;
mod recorder;
mod run;
mod saved;
#[cfg(feature = "pictures")]
mod scene;
mod schema;
mod story;
#[cfg(feature = "streams")]
mod streams;
mod sweep;
mod work;

#[cfg(feature = "analysis")]
pub use analysis::{
    AnalysisError, Delays, Linearization, Linearize, NamedValue, OperatingPoint, Residual, Side,
    SignalRole, SwitchAtPoint, Trim, Trimmed,
};
pub use audit::{Audit, AuditError, Fault, Finding};
pub use base::{
    Diagnostic, Diagnostics, Elem, ExactTime, Rational, Shape, SourceMap, Span, Tag, Time, Type,
    Value, did_you_mean, nearest, shown,
};
pub use blocks::{
    Accepts, Block, BlockKind, Component, Context, Count, Every, Impulses, Info, Input, InputKind,
    Kind, Library, Output, Parameter, Part, Role, Setting, Signal, Text, Timer, page,
};
pub use diagram::{
    MainParameter, ParameterKind, Profile, Rows, RowsPer, RunSettings, Settings, Zeno,
};
pub use dirac::{AtStep, Overflow, Runs, Study, StudyError, Verdict, study};
pub use engine::{
    Change, Choice, Counters, Event, Extremes, InputValue, LaneRefusal, Round, RunError,
    SlidingFailure, StopReason, Switching, Warning,
};
pub use explore::{End, Exploration, ExplorationPoint, ExploreError, LeadsTo, PossibleOutcome};
pub use expr::{Arity, Function};
pub use given::ParameterHandle;
pub use hold::{Canceller, HoldError, InputHandle, SignalHandle};
pub use invariants::{Broken, Extreme, Invariant};
pub use ir::{Binary, Graph, NodeId, Opaque, Unary};
#[cfg(feature = "analysis")]
pub use linear::{Complex, LinearSystem, Matrix};
pub use model::{
    About, Builder, DiagramBuilder, Given, Model, Refused, RunSetting, SettingKind, SettingMap,
    StandardFile, format, parse, read, read_text, standard_files,
};
pub use native::{Backend, BackendUsed, NativeError};
pub use order::{Handled, OrderDifference, OrderError, OrderFinding, OrderSearch};
pub use pages::{Page, descriptions, form_descriptions, notation_descriptions, pages, pages_of};
#[cfg(feature = "pictures")]
pub use picture::{Drawing, diagram_png, draw, draw_exploration, draw_machines};
pub use pipeline::{Stage, System, check_expression, parse_parameter, parse_value};
pub use program::BlockName;
pub use recorded::record_only;
pub use recorder::{Listener, RecordedRow, RowListener, instants};
pub use run::{Failure, Outcome, Run};
pub use saved::{RestoreError, packed, unpacked};
#[cfg(feature = "pictures")]
pub use scene::scene;
pub use schema::schema;
pub use solver::Method;
pub use story::Instant;
#[cfg(feature = "streams")]
pub use stream::{Evaluations, StreamError, Sums};
#[cfg(feature = "streams")]
pub use streams::{Streamed, Streaming};
pub use sweep::{
    Sweep, SweepError, SweepProgress, SweepRequest, SweepSummary, SweepTarget, SweepWorker,
    Unfinished,
};
pub use trace::{
    Bump, Column, Comparison, DerivativeOf, Format, Header, Impulse, Interpolation, PairError,
    ReadError, Samples, SamplesError, Schema, TestFunction, Tolerance, Trace, WriteError, Writer,
    compare, pair, write_csv,
};
pub use work::{BlockWork, RegionWork, SolverSwitch, Work};

/// Figures of results.
#[cfg(feature = "pictures")]
pub mod plots {
    pub use plot::*;
}

/// Edits of the text of a model file that keep its comments and its layout.
pub mod edit {
    pub use model::edit::*;
}

/// The points, measures and rows of sweeps.
pub mod sweeps {
    pub use ::sweep::*;
}

/// Results in files.
pub mod traces {
    pub use trace::*;
}
