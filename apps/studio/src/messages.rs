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
    /// Asks for the block at a byte of a text, or at a path, with its fields.
    Entry { id: u64, text: String, byte: Option<usize>, path: Option<Vec<String>> },
    /// Runs the model that was read last.
    Run { run: u64, parameters: Vec<(String, String)>, stop: Option<String> },
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

/// An edit of a text, as the page names it.
#[derive(Deserialize, Debug)]
#[serde(tag = "edit", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Edit {
    Set {
        path: Vec<String>,
        value: String,
    },
    Remove {
        path: Vec<String>,
    },
    Add {
        blocks: Vec<String>,
        name: String,
        value: String,
    },
    Rename {
        path: Vec<String>,
        to: String,
    },
    /// Gives an input of a block a value, where the block is known by a byte of its text.
    SetAt {
        byte: usize,
        field: String,
        value: String,
    },
    RemoveAt {
        byte: usize,
    },
    RenameAt {
        byte: usize,
        to: String,
    },
}
