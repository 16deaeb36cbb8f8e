//! The trait that defines a block, and the library that finds one by its name.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use base::{Diagnostic, ParameterId, Type, Value};

use crate::{Context, Info, Role, Text};

/// A kind of block. Library blocks and user blocks are made in the same way.
pub trait Block: std::fmt::Debug + Send + Sync {
    /// Its description. [`BlockKind`] asks for this once and keeps it.
    fn info(&self) -> Info;

    /// Its role in the stages that handle some blocks specially.
    fn role(&self) -> Role {
        Role::Ordinary
    }

    /// Defines outputs and states as functions of inputs and states. Called once the types of all
    /// inputs are known, and again if impulses turn out to reach an input.
    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic>;

    /// The same block with other values of open parameters, if it holds such values apart from its
    /// settings.
    fn with_values(&self, _of: &dyn Fn(ParameterId) -> Value) -> Option<Arc<dyn Block>> {
        None
    }

    /// The type of the first output as far as the parameters alone determine it, so that loops
    /// through states have a type to start from.
    fn promise(&self, _settings: &BTreeMap<String, Setting>) -> Option<Type> {
        None
    }

    /// Types that it mentions: those of its parameters, and of what is written in it. If nothing
    /// else in a loop determines the size of a signal, these are the candidates.
    fn named_types(&self, settings: &BTreeMap<String, Setting>) -> Vec<Type> {
        let types = settings.values().filter_map(|setting| match setting {
            Setting::Value(value) => Some(value.ty()),
            _ => None,
        });
        types.collect()
    }

    /// The labels of the values of the first output, if its values index labels.
    fn labels(&self) -> Option<&[String]> {
        None
    }

    /// Why its value is not finite, if the values of its inputs explain it; `None` is an input
    /// whose value is not known.
    fn why_not_finite(&self, _inputs: &[Option<Value>]) -> Option<Diagnostic> {
        None
    }

    /// What a figure writes into it besides its kind, such as the value of a gain.
    fn caption(&self, _settings: &BTreeMap<String, Setting>) -> Option<String> {
        None
    }

    /// Whether it adds its inputs, so that a figure shows the sign of each.
    fn adds(&self) -> bool {
        false
    }

    /// For each of these labels, whether it is a final state of a machine.
    fn finals(&self) -> Option<&[bool]> {
        None
    }
}

/// The value of a parameter, checked against its kind.
#[derive(Clone, PartialEq, Debug)]
pub enum Setting {
    /// A value.
    Value(Value),
    /// A time; it is exact if its expression is.
    Time(Value),
    /// Times.
    Times(Vec<Value>),
    /// A word.
    Word(String),
}

/// A block together with its description.
///
/// A diagram of 100,000 blocks reads names and ports all the time, and an [`Info`] consists of many
/// texts. So it is made once, when the block is added to a library or a diagram, and all blocks of
/// a kind share it. The block itself answers everything else.
#[derive(Clone, Debug)]
pub struct BlockKind {
    info: Arc<Info>,
    block: Arc<dyn Block>,
}

impl BlockKind {
    /// Asks a block for its description.
    pub fn new(block: Arc<dyn Block>) -> Self {
        BlockKind { info: Arc::new(block.info()), block }
    }

    /// The same kind with different functions, such as another expression: the description is
    /// shared, and the other block is not asked for one.
    pub fn with_block(&self, block: Arc<dyn Block>) -> Self {
        BlockKind { info: self.info.clone(), block }
    }

    /// The description of the block.
    pub fn info(&self) -> &Info {
        &self.info
    }
}

impl Deref for BlockKind {
    type Target = dyn Block;

    fn deref(&self) -> &Self::Target {
        &*self.block
    }
}

/// The kinds of blocks that a model can name.
#[derive(Clone, Debug)]
pub struct Library {
    blocks: BTreeMap<Text, BlockKind>,
}

impl Library {
    /// A library without any blocks.
    pub fn empty() -> Self {
        Library { blocks: BTreeMap::new() }
    }

    /// All blocks that come with Superdense.
    pub fn standard() -> Self {
        crate::library::all().into_iter().fold(Library::empty(), Library::with)
    }

    /// Adds a kind of block; it replaces one of the same name.
    pub fn with(mut self, block: Arc<dyn Block>) -> Self {
        let kind = BlockKind::new(block);
        self.blocks.insert(kind.info().name.clone(), kind);
        self
    }

    /// Adds a kind of block under a name of its own, such as that of the file that describes it.
    pub fn with_named(mut self, name: String, block: Arc<dyn Block>) -> Self {
        self.blocks.insert(name.into(), BlockKind::new(block));
        self
    }

    /// The block with this name.
    pub fn get(&self, name: &str) -> Option<&BlockKind> {
        self.blocks.get(name)
    }

    /// All names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.blocks.keys().map(|name| &**name)
    }

    /// All blocks, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &BlockKind> {
        self.blocks.values()
    }
}
