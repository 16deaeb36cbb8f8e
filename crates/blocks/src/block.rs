//! The trait that makes a block, and the library that finds one by its name.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use base::{Diagnostic, Rational, Type, Value};

use crate::{Context, Info, Role, Text};

/// A kind of block. The library's own and those of users are made in the same way.
pub trait Block: std::fmt::Debug + Send + Sync {
    /// What it says about itself. [`BlockKind`] asks for this once and keeps it.
    fn info(&self) -> Info;

    /// What it is to the stages that handle some blocks specially.
    fn role(&self) -> Role {
        Role::Ordinary
    }

    /// Defines outputs and states as functions of inputs and states. Called with the types of all
    /// inputs known; called again where impulses turn out to reach an input.
    fn define(&self, cx: &mut Context) -> Result<(), Diagnostic>;

    /// The type of the first output as far as parameters alone tell it, so that loops through
    /// states have a type to start from.
    fn promise(&self, _settings: &BTreeMap<String, Setting>) -> Option<Type> {
        None
    }

    /// Types that it names: those of its parameters, and of what is written in it. A loop in which
    /// nothing else tells the size of a signal looks for it among these.
    fn named_types(&self, settings: &BTreeMap<String, Setting>) -> Vec<Type> {
        let types = settings.values().filter_map(|setting| match setting {
            Setting::Value(value) => Some(value.ty()),
            _ => None,
        });
        types.collect()
    }

    /// The names of the values of the first output, where it is a number that stands for a name.
    fn labels(&self) -> Option<&[String]> {
        None
    }

    /// Why its value is not finite, where the values of its inputs tell; nothing stands for an
    /// input whose value is not known.
    fn why_not_finite(&self, _inputs: &[Option<Value>]) -> Option<Diagnostic> {
        None
    }

    /// What a picture writes into it beside its kind, such as the value of a gain.
    fn caption(&self, _settings: &BTreeMap<String, Setting>) -> Option<String> {
        None
    }

    /// Whether it adds its inputs, so that a picture shows the sign of each.
    fn adds(&self) -> bool {
        false
    }

    /// For each of these names, whether it stands for a state in which a machine is done.
    fn finals(&self) -> Option<&[bool]> {
        None
    }
}

/// The value of a parameter, checked against its kind.
#[derive(Clone, PartialEq, Debug)]
pub enum Setting {
    /// A value.
    Value(Value),
    /// An exact time.
    Time(Rational),
    /// Exact times.
    Times(Vec<Rational>),
    /// A word.
    Word(String),
}

/// A block together with what it says about itself.
///
/// A diagram of 100,000 blocks asks for names and ports all the time, and an [`Info`] is made of
/// many texts. So it is made once, when the block is put into a library or a diagram, and all blocks
/// of a kind share it. Everything else is answered by the block itself.
#[derive(Clone, Debug)]
pub struct BlockKind {
    info: Arc<Info>,
    block: Arc<dyn Block>,
}

impl BlockKind {
    /// Asks a block what it says about itself.
    pub fn new(block: Arc<dyn Block>) -> Self {
        BlockKind { info: Arc::new(block.info()), block }
    }

    /// The same kind with other functions, such as another expression: what it says about itself
    /// is shared, and the other block is not asked for it.
    pub fn with_block(&self, block: Arc<dyn Block>) -> Self {
        BlockKind { info: self.info.clone(), block }
    }

    /// What the block says about itself.
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
    /// The library without any blocks.
    pub fn empty() -> Self {
        Library { blocks: BTreeMap::new() }
    }

    /// All blocks that come with Superdense.
    pub fn standard() -> Self {
        crate::library::all().into_iter().fold(Library::empty(), Library::with)
    }

    /// Adds a kind of block; one of the same name is replaced.
    pub fn with(mut self, block: Arc<dyn Block>) -> Self {
        let kind = BlockKind::new(block);
        self.blocks.insert(kind.info().name.clone(), kind);
        self
    }

    /// The block of a name.
    pub fn get(&self, name: &str) -> Option<&BlockKind> {
        self.blocks.get(name)
    }

    /// All names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.blocks.keys().map(|name| &**name)
    }

    /// All blocks, by name.
    pub fn iter(&self) -> impl Iterator<Item = &BlockKind> {
        self.blocks.values()
    }
}
