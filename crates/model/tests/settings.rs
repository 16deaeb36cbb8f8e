//! The table of settings: what overrides what, and the documentation that is made from it.

use std::fs;
use std::path::Path;

use superdense_model::{Given, Model, RunSetting, SettingMap};

use crate::common::model;

const TEXT: &str = "\
superdense: 1
parameters: {T: 2}
blocks: {}
simulate: {stop: T, tolerance: 1e-3, relative_tolerance: 1e-4, times: [1], rows: instants}
";

fn given(settings: &[(RunSetting, &str)]) -> SettingMap<Given> {
    let mut map = SettingMap::default();
    settings.iter().for_each(|(setting, text)| map.set(*setting, (*text).into()));
    map
}

fn shown(model: &Model, setting: RunSetting) -> Option<String> {
    let word = model.simulate.word(setting).map(|word| word.value.clone());
    word.or_else(|| model.simulate.value(setting).map(ToString::to_string))
}

#[test]
fn keys_and_options_are_names_of_settings() {
    for setting in RunSetting::ALL {
        assert_eq!(RunSetting::named(setting.key()), Some(*setting));
        assert!(!setting.option().contains('_') && setting.about().ends_with('.'));
        assert!(!setting.about().contains("]("), "{setting:?} has a link");
    }
    assert_eq!(RunSetting::MaximumStep.key(), "maximum_step");
    assert_eq!(RunSetting::MaximumStep.option(), "maximum-step");
}

#[test]
fn what_is_given_overrides_the_file() {
    let model = model(TEXT);
    let own = model.with_settings(&SettingMap::default()).expect("nothing to refuse");
    assert_eq!(shown(&own, RunSetting::Stop).as_deref(), Some("T"));
    assert!(!own.simulate.is_given(RunSetting::Stop));
    let settings = given(&[(RunSetting::Stop, "3 * T"), (RunSetting::Rows, "microsteps")]);
    let over = model.with_settings(&settings).expect("good settings");
    assert_eq!(shown(&over, RunSetting::Stop).as_deref(), Some("3 * T"));
    assert_eq!(shown(&over, RunSetting::Rows).as_deref(), Some("microsteps"));
    assert_eq!(shown(&over, RunSetting::RelativeTolerance).as_deref(), Some("0.0001"));
    assert!(over.simulate.is_given(RunSetting::Stop));
    let names = over.simulate.expressions().flat_map(|expr| expr.names());
    assert_eq!(names.count(), 2, "what is overridden is still used");
}

/// `tolerance` replaces both tolerances of the file, `every` its times and `times` its `every`.
#[test]
fn settings_that_replace_others() {
    let model = model(TEXT);
    let tolerance = given(&[(RunSetting::Tolerance, "1e-9")]);
    let over = model.with_settings(&tolerance).expect("good settings");
    assert_eq!(shown(&over, RunSetting::RelativeTolerance), None);
    let both = tolerance.then(&given(&[(RunSetting::RelativeTolerance, "1e-10")]));
    let over = model.with_settings(&both).expect("good settings");
    assert!(shown(&over, RunSetting::RelativeTolerance).is_some());
    assert!(shown(&over, RunSetting::Tolerance).is_some());
    let every = given(&[(RunSetting::Every, "0.1")]);
    let over = model.with_settings(&every).expect("good settings");
    assert_eq!(shown(&over, RunSetting::Times), None);
    let later = every.then(&given(&[(RunSetting::Times, "[1]")]));
    assert!(later.get(RunSetting::Every).is_none(), "the later one counts");
}

#[test]
fn messages_show_what_was_given() {
    let model = model(TEXT);
    let mut settings = given(&[(RunSetting::Rows, "steps")]);
    settings.set(RunSetting::MaximumStep, Given::Option("1 +".to_owned()));
    let refused = model.with_settings(&settings).expect_err("two mistakes").to_string();
    assert!(refused.contains("command line:1:19"), "{refused}");
    assert!(refused.contains("1 | --maximum-step 1 +"), "{refused}");
    assert!(refused.contains("`rows` cannot be `steps`"), "{refused}");
    assert!(refused.contains("1 | rows: steps"), "{refused}");
}

/// The table in the documentation has these rows and no others; `SUPERDENSE_BLESS=1` renews them.
#[test]
fn the_table_in_the_documentation_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/model-format.md");
    let text = fs::read_to_string(&path).expect("a page");
    let head = "| Key | |\n| --- | --- |\n";
    let section = text.find("### Simulate\n").expect("a section");
    let start = section + text[section..].find(head).expect("a table") + head.len();
    let end = start + text[start..].find("\n\n").expect("an end") + 1;
    let row =
        |setting: &RunSetting| format!("| `{}` | {} |\n", setting.key(), setting.documentation());
    let rows: String = RunSetting::ALL.iter().map(row).collect();
    if std::env::var_os("SUPERDENSE_BLESS").is_some() {
        let renewed = format!("{}{rows}{}", &text[..start], &text[end..]);
        fs::write(&path, renewed).expect("the page can be written");
        return;
    }
    let message = "run this test with SUPERDENSE_BLESS=1 to write docs/model-format.md";
    assert!(text[start..end] == rows, "{message}");
}
