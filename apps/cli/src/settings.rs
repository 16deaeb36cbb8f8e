//! The settings of a run as options of the command line, made from the one table of settings that
//! model files, schema and documentation use, too.

use std::ffi::OsStr;
use std::fmt::Debug;
use std::marker::PhantomData;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};
use superdense::{Given, RunSetting, SettingKind, SettingMap};

/// Which settings a command takes.
pub trait Takes: Debug + 'static {
    /// Those that it does not take, because it decides them itself.
    const ALL_BUT: &'static [RunSetting];
}

/// All settings.
#[derive(Debug)]
pub struct AllSettings;

impl Takes for AllSettings {
    const ALL_BUT: &'static [RunSetting] = &[];
}

/// Those of a run on streams, which has its own solver and its own option `--step`.
#[derive(Debug)]
pub struct StreamSettings;

impl Takes for StreamSettings {
    const ALL_BUT: &'static [RunSetting] =
        &[RunSetting::Solver, RunSetting::Impulses, RunSetting::Step, RunSetting::Rows];
}

/// Those of runs with several solvers.
#[derive(Debug)]
pub struct EnergySettings;

impl Takes for EnergySettings {
    const ALL_BUT: &'static [RunSetting] =
        &[RunSetting::Solver, RunSetting::Impulses, RunSetting::Rows];
}

/// Those of runs with several steps and kinds of impulses.
#[derive(Debug)]
pub struct DiracSettings;

impl Takes for DiracSettings {
    const ALL_BUT: &'static [RunSetting] =
        &[RunSetting::Step, RunSetting::Impulses, RunSetting::Rows];
}

/// The settings given on the command line, as written there.
#[derive(Debug)]
pub struct SettingOptions<T> {
    pub given: SettingMap<Given>,
    takes: PhantomData<T>,
}

fn taken<T: Takes>() -> impl Iterator<Item = RunSetting> {
    RunSetting::ALL.iter().copied().filter(|setting| !T::ALL_BUT.contains(setting))
}

impl<T: Takes> Args for SettingOptions<T> {
    fn augment_args(command: Command) -> Command {
        taken::<T>().fold(command, |command, setting| command.arg(option(setting)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<T: Takes> FromArgMatches for SettingOptions<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut options = SettingOptions { given: SettingMap::default(), takes: PhantomData };
        options.update_from_arg_matches(matches)?;
        Ok(options)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        for setting in taken::<T>() {
            if let Some(text) = matches.get_one::<String>(setting.key()) {
                self.given.set(setting, Given::Option(text.clone()));
            }
        }
        Ok(())
    }
}

/// The line above these options in the help.
const HEADING: &str = "Settings that override those of the model; numbers and times may be \
                       expressions over its parameters";

/// The option of a setting.
fn option(setting: RunSetting) -> Arg {
    let (value_name, parser) = match setting.kind() {
        SettingKind::Time | SettingKind::Period | SettingKind::Step => ("TIME", text()),
        SettingKind::Positive | SettingKind::Count => ("NUMBER", text()),
        SettingKind::Times => ("TIMES", text()),
        SettingKind::Words(words) => ("WORD", ValueParser::new(Suggested(words))),
        SettingKind::Solver => ("NAME", text()),
    };
    Arg::new(setting.key())
        .long(setting.option())
        .value_name(value_name)
        .value_parser(parser)
        .hide_possible_values(true)
        .allow_hyphen_values(!setting.kind().is_word())
        .help_heading(HEADING)
        .help(setting.about().trim_end_matches('.'))
}

fn text() -> ValueParser {
    StringValueParser::new().into()
}

/// Words that a shell completes. Others are accepted here: the model refuses them, with the same
/// message as in a file.
#[derive(Clone)]
struct Suggested(&'static [&'static str]);

impl TypedValueParser for Suggested {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(|word| PossibleValue::new(*word))))
    }
}
