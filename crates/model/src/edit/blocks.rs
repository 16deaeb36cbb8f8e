//! What can be asked of a text.

/// An edit of a model file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BlockEdit {
    /// Gives an entry a value, and adds the entry if there is none. The value is YAML on one line.
    Set {
        /// The keys from the top of the file.
        path: Vec<String>,
        /// The value, as YAML on one line, such as `2 * x` or `{type: Gain, input: x}`.
        value: String,
    },
    /// Removes an entry or an item of a list.
    Remove {
        /// The keys from the top of the file.
        path: Vec<String>,
    },
    /// Adds a block, or a state of a machine.
    Add {
        /// The path of the mapping of blocks.
        blocks: Vec<String>,
        /// The name of the block.
        name: String,
        /// What it is, as YAML on one line.
        value: String,
    },
    /// Adds an item at the end of a list, such as a transition.
    Append {
        /// The path of the list.
        path: Vec<String>,
        /// The item, as YAML on one line.
        value: String,
    },
    /// Gives a block, a parameter, an input, a diagram or a state another name, also wherever it is
    /// mentioned.
    Rename {
        /// The path of what is renamed.
        path: Vec<String>,
        /// The new name.
        to: String,
    },
    /// Makes a diagram of some blocks, and puts an instance of it in their place.
    Group {
        /// The path of the mapping of blocks.
        blocks: Vec<String>,
        /// The names of the blocks.
        names: Vec<String>,
        /// The name of the diagram.
        diagram: String,
        /// The name of the instance.
        instance: String,
    },
    /// Puts the blocks of a diagram in the place of an instance of it.
    Ungroup {
        /// The path of the instance.
        path: Vec<String>,
    },
}
