//! What the command line or a caller sets for a run, instead of what the model says.

use std::borrow::Cow;

use base::Value;
use model::{Given, Model, Refused, RunSetting, SettingMap};

use crate::RowsPer;

/// What the command line or a caller overrides in a model.
///
/// Settings of the section `simulate` have a method each, which takes a number, an exact time, or a
/// text as in a model file: `Settings::default().stop(10).tolerance(1e-9).every("T / 100")`.
#[derive(Clone, Default, Debug)]
pub struct Settings {
    /// Parameters of the main diagram.
    pub parameters: Vec<(String, Value)>,
    /// Inputs of the main diagram that are expressions of time and of what the model computes,
    /// instead of values that the run is given.
    pub inputs: Vec<(String, String)>,
    /// Settings of the section `simulate`.
    pub settings: SettingMap<Given>,
    /// Rows between steps, so many over the run, so that curves look smooth.
    pub smooth: Option<u32>,
    /// Records every signal at every step: first those that the model records, then all others, each
    /// named by its path after a `~`.
    pub everything: bool,
    /// Takes all parameters for constants, so that setting one compiles the model again.
    pub closed: bool,
}

impl Settings {
    /// The same with a setting.
    pub fn set(mut self, setting: RunSetting, value: impl Into<Given>) -> Settings {
        self.settings.set(setting, value.into());
        self
    }

    /// These overrides, and others on top of them.
    pub fn then(&self, others: &Settings) -> Settings {
        let given = |name: &str| others.parameters.iter().any(|(other, _)| other == name);
        let kept = self.parameters.iter().filter(|(name, _)| !given(name));
        let replaced = |name: &str| others.inputs.iter().any(|(other, _)| other == name);
        let inputs = self.inputs.iter().filter(|(name, _)| !replaced(name));
        Settings {
            inputs: inputs.chain(&others.inputs).cloned().collect(),
            parameters: kept.chain(&others.parameters).cloned().collect(),
            settings: self.settings.then(&others.settings),
            smooth: others.smooth.or(self.smooth),
            everything: others.everything || self.everything,
            closed: others.closed || self.closed,
        }
    }

    /// Whether a program that was compiled with these overrides has the structure that others ask
    /// for, apart from the values of parameters.
    pub fn is_same_structure(&self, others: &Settings) -> bool {
        let decisive = [
            RunSetting::Impulses,
            RunSetting::Sliding,
            RunSetting::Profile,
            RunSetting::MaximumBlocks,
        ];
        let settings = |own: &Settings| decisive.map(|setting| own.settings.get(setting).cloned());
        let flags = |own: &Settings| (own.everything, own.closed);
        settings(self) == settings(others)
            && flags(self) == flags(others)
            && self.inputs == others.inputs
    }

    /// The model with the settings that override its own, as [`flatten`](crate::flatten) and
    /// [`run_settings`](crate::run_settings) take it. Messages are to be shown with its sources.
    pub fn applied<'m>(&self, model: &'m Model) -> Result<Cow<'m, Model>, Refused> {
        model.with_settings(&self.settings)
    }

    /// Whether a model has these settings already.
    pub(crate) fn are_applied(&self, model: &Model) -> bool {
        self.settings.iter().all(|(setting, _)| model.simulate.is_given(setting))
    }
}

/// A method for each setting.
macro_rules! methods {
    ($($variant:ident $key:ident: $kind:expr, $replaces:expr,
       $about:literal $(, $see:literal)?;)*) => {
        // A unit in brackets is no link.
        #[allow(rustdoc::broken_intra_doc_links)]
        impl Settings {
            $(
                #[doc = $about]
                pub fn $key(self, value: impl Into<Given>) -> Settings {
                    self.set(RunSetting::$variant, value)
                }
            )*
        }
    };
}

model::with_run_settings!(methods);

impl From<RowsPer> for Given {
    fn from(per: RowsPer) -> Self {
        per.name().into()
    }
}
