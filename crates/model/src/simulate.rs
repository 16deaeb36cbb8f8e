//! How a model is run: the section `simulate` as written, and what overrides it.

use std::collections::BTreeMap;

use base::Spanned;
use expr::Expr;

use crate::RunSetting;

/// Settings by name, each with what was written for it.
#[derive(Clone, PartialEq, Debug)]
pub struct SettingMap<V>(BTreeMap<RunSetting, V>);

impl<V> Default for SettingMap<V> {
    fn default() -> Self {
        SettingMap(BTreeMap::new())
    }
}

impl<V> SettingMap<V> {
    /// Sets one of them; the last value counts.
    pub fn set(&mut self, setting: RunSetting, value: V) {
        self.0.insert(setting, value);
    }

    /// What was written for a setting.
    pub fn get(&self, setting: RunSetting) -> Option<&V> {
        self.0.get(&setting)
    }

    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All that are set, in the order of the documentation.
    pub fn iter(&self) -> impl Iterator<Item = (RunSetting, &V)> {
        self.0.iter().map(|(setting, value)| (*setting, value))
    }

    /// Whether a setting of what these settings override no longer counts.
    fn replace(&self, setting: RunSetting) -> bool {
        self.0.keys().any(|own| *own == setting || own.replaces().contains(&setting))
    }
}

impl<V: Clone> SettingMap<V> {
    /// These settings, overridden by later ones.
    pub fn then(&self, later: &SettingMap<V>) -> SettingMap<V> {
        let kept = self.0.iter().filter(|(setting, _)| !later.replace(**setting));
        let all = kept.chain(&later.0).map(|(setting, value)| (*setting, value.clone()));
        SettingMap(all.collect())
    }
}

/// What was written for a setting.
#[derive(Clone, Debug)]
pub enum Written {
    /// An expression over the parameters of the main diagram.
    Value(Expr),
    /// A word; only the name of a solver has not been checked.
    Word(Spanned<String>),
}

/// How a model is run.
#[derive(Clone, Default, Debug)]
pub struct Simulate {
    /// The section of the model file.
    pub(crate) section: SettingMap<Written>,
    /// What overrides it.
    pub(crate) given: SettingMap<Written>,
}

impl Simulate {
    /// The expression of a setting, if there is one.
    pub fn value(&self, setting: RunSetting) -> Option<&Expr> {
        match self.written(setting)? {
            Written::Value(expr) => Some(expr),
            Written::Word(_) => None,
        }
    }

    /// The word of a setting, if there is one.
    pub fn word(&self, setting: RunSetting) -> Option<&Spanned<String>> {
        match self.written(setting)? {
            Written::Word(word) => Some(word),
            Written::Value(_) => None,
        }
    }

    /// Whether a setting was given by the caller rather than by the file.
    pub fn is_given(&self, setting: RunSetting) -> bool {
        self.given.get(setting).is_some()
    }

    /// All expressions, also those that are overridden: what they name is used in the model.
    pub fn expressions(&self) -> impl Iterator<Item = &Expr> {
        self.section.iter().chain(self.given.iter()).filter_map(|(_, written)| match written {
            Written::Value(expr) => Some(expr),
            Written::Word(_) => None,
        })
    }

    fn written(&self, setting: RunSetting) -> Option<&Written> {
        let own = || self.section.get(setting).filter(|_| !self.given.replace(setting));
        self.given.get(setting).or_else(own)
    }
}
