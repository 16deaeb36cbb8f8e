//! The hierarchy as written: YAML files in, a [`Model`] with source spans out.
//!
//! Nothing is evaluated and no block is looked up here. Mistakes are collected over all files and
//! returned as one [`Refused`], with the source texts that its messages quote.

mod forms;
mod hierarchy;
mod machine_fields;
mod notations;
mod plots;
mod settings;
mod simulate;

mod read;
mod refused;
mod standard;

mod conditional;
mod document;
mod fields;
mod names;
mod sections;

mod yaml;

mod builder;
mod given;

mod format;

pub mod edit;

pub use builder::{Builder, DiagramBuilder};
pub use format::format;
pub use forms::{
    DIFFERENTIAL_SYSTEM, FMU, FMU_FIELDS, FORMS, Form, MODAL, RATE_FIELDS, SYSTEM_FIELDS,
};
pub use given::Given;
pub use hierarchy::{
    About, Block, DataColumn, Diagram, DiagramId, Documentation, Held, Input, Invariant, Modal,
    Model, Named, Output, OutsideInput, Parameter, Record, Repeated, Requirement, Solve, State,
    Transition,
};
pub use machine_fields::{Field, FieldKind, MODAL_FIELDS, STATE_FIELDS, TRANSITION_FIELDS};
pub use notations::NOTATIONS;
pub use plots::{
    Plot, PlotAxis, PlotContent, PlotMark, PlotPanel, PlotShade, PlotSignal, PlotTime,
};
pub use read::{Loader, parse, read, read_text};
pub use refused::Refused;
pub use sections::{
    FIGURE_KEYS, PHASE_PANEL_KEYS, PLOT_AXIS_KEYS, PLOT_MARKS, PLOT_SIGNAL_KEYS, PLOT_TIMES,
    SWEEP_KEYS, SweepSection, TIME_PANEL_KEYS,
};
pub use settings::{RunSetting, SettingKind};
pub use simulate::{SettingMap, Simulate, Written};
pub use standard::{StandardFile, standard_files};
