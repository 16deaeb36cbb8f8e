//! What a page sends. Answers are JSON objects with a `kind`, and rows of numbers as bytes.

use serde::Deserialize;

/// A message of a page.
#[derive(Deserialize, Debug)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Message {
    /// Asks for the files, the examples and the blocks.
    Hello,
    /// Asks for the text of a file.
    Open { path: String },
    /// Asks for the text of an example.
    Example { name: String },
    /// Saves a text; `known` identifies the text that the page has read.
    Save { path: String, text: String, known: Option<String> },
    /// Keeps a copy of an unsaved text.
    Keep { path: String, text: String },
    /// Gives up the copy of an unsaved text.
    Forget { path: String },
    /// Tells which file to watch.
    Watch { path: Option<String> },
    /// Asks what is wrong with a text, and for its diagram.
    Text { version: u64, path: String, text: String, opened: Vec<String> },
    /// Asks for an edit of a text.
    Edit { id: u64, text: String, edit: Edit },
    /// Asks what a text would mean after an edit: whether it is right, and what a block then reads.
    Try { id: u64, path: String, text: String, edit: Edit, node: Option<String> },
    /// Asks for an entry of a text, with its fields.
    Entry { id: u64, text: String, at: At },
    /// Runs the model that was read last, with settings and parameters.
    Run { run: u64, parameters: Vec<(String, String)>, settings: Vec<(String, String)> },
    /// Asks for the points of the sweep that the model that was read last describes.
    Sweep { id: u64, most: u64 },
    /// Ends the run.
    Stop,
    /// Asks for the rows between two times for a plot so many pixels wide.
    View { from: f64, to: f64, pixels: usize },
    /// Asks what happened at the instant nearest to a time.
    Instant { id: u64, time: f64 },
    /// Asks for the values at the last row up to a time.
    Row { id: u64, time: f64 },
    /// Asks for the next or the previous row with an event, or of a step.
    Neighbour { id: u64, time: f64, forward: bool, events: bool },
    /// Asks for the result as a file.
    Export { format: String },
    /// Asks for the report of the model that was read last.
    Report,
}

/// What an edit is about: the keys from the top of the file, a byte of the text that belongs to it,
/// or the path of a node of the diagram.
#[derive(Deserialize, Clone, Debug)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum At {
    Path(Vec<String>),
    Byte(usize),
    Node(String),
}

/// An edit of a text, as the page names it.
#[derive(Deserialize, Debug)]
#[serde(tag = "edit", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Edit {
    /// Gives a field a value, or removes it if the value is empty; `field` names it, with `/`
    /// between the keys below the entry.
    Set {
        at: At,
        field: Option<String>,
        value: String,
    },
    /// Removes several entries.
    Remove {
        all: Vec<At>,
    },
    /// Adds a block to the main diagram, or to the diagram inside which a node is.
    Add {
        within: Option<String>,
        name: String,
        value: String,
    },
    /// Adds a block of a type, with first values for all that it needs.
    AddBlock {
        within: Option<String>,
        name: String,
        kind: String,
    },
    Rename {
        at: At,
        to: String,
    },
    /// Records a signal, and draws it in a panel over time of the first figure, if there is one.
    Record {
        name: String,
        panel: Option<usize>,
    },
    /// Makes a diagram of blocks.
    Group {
        all: Vec<At>,
        diagram: String,
        instance: String,
    },
    /// Puts the blocks of a diagram in the place of an instance.
    Ungroup {
        at: At,
    },
    /// Adds a state, and a transition into it from another one.
    AddState {
        machine: At,
        name: String,
        from: String,
    },
    /// Removes a state with the transitions into it.
    RemoveState {
        machine: At,
        name: String,
    },
    AddTransition {
        machine: At,
        from: String,
        to: String,
    },
}
