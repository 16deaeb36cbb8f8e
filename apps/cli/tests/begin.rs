//! The first minutes of a new user: a model to begin from, and the examples in the binary.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{files, folders, messages, repository, scratch, superdense};

#[test]
fn a_new_model_runs() {
    let folder = scratch("new");
    for name in ["tank", "2nd: it's strange"] {
        let output = superdense(&folder, &["new", name]);
        assert!(output.status.success(), "{}", messages(&output));
        assert!(messages(&output).contains("superdense run"), "{}", messages(&output));
        let model = format!("{name}/model.yaml");
        let output = superdense(&folder, &["run", &model, "-o", "tank.csv"]);
        assert!(output.status.success(), "{}", messages(&output));
        let result = fs::read_to_string(folder.join("tank.csv")).expect("a result");
        let levels = result.lines().skip(1).map(|line| {
            let field = line.split(',').nth(2).expect("a level");
            field.parse::<f64>().expect("a number")
        });
        let (low, high) = levels.fold((9.0f64, 0.0f64), |(a, b), y| (a.min(y), b.max(y)));
        assert!((low - 1.0).abs() < 1e-3 && (high - 2.0).abs() < 1e-3, "{low} to {high}");
    }
}

#[test]
fn a_folder_that_is_there_is_left_alone() {
    let folder = scratch("new-twice");
    fs::create_dir(folder.join("mine")).expect("a folder");
    fs::write(folder.join("mine/model.yaml"), "mine").expect("a file");
    for arguments in [&["new", "mine"][..], &["examples", "copy", "lorenz", "mine"]] {
        let output = superdense(&folder, arguments);
        assert_eq!(output.status.code(), Some(1));
        assert!(messages(&output).contains("cannot make the folder mine"), "{}", messages(&output));
    }
    assert_eq!(fs::read_to_string(folder.join("mine/model.yaml")).expect("a file"), "mine");
}

#[test]
fn every_model_is_an_example() {
    let folder = scratch("examples-copied");
    let output = superdense(&folder, &["examples"]);
    let list = String::from_utf8(output.stdout).expect("text");
    let names: Vec<&str> = list.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names, folders(&repository().join("models")));
    for name in names {
        let output = superdense(&folder, &["examples", "copy", name]);
        assert!(output.status.success(), "{}", messages(&output));
        let kept = repository().join("models").join(name);
        let mut expected = files(&kept);
        expected.push("model.schema.json".to_owned());
        expected.sort();
        assert_eq!(files(&folder.join(name)), expected);
        for file in files(&kept) {
            let copied = fs::read_to_string(folder.join(name).join(&file)).expect("a copy");
            let copied = copied.replace("$schema=", "$schema=../../docs/");
            let kept = fs::read_to_string(kept.join(&file)).expect("a file");
            assert!(copied == kept, "{name}/{file}");
        }
    }
    let copied = superdense(&folder, &["check", "nested-diagrams/model.yaml"]);
    assert!(copied.status.success(), "{}", messages(&copied));
}

/// The schema that the first line of a model names, as an editor finds it.
fn schema_of(model: &Path) -> PathBuf {
    let text = fs::read_to_string(model).expect("a model");
    let first = text.lines().next().expect("a line");
    let path = first.strip_prefix("# yaml-language-server: $schema=");
    let path = path.unwrap_or_else(|| panic!("{} names no schema", model.display()));
    model.parent().expect("a folder").join(path)
}

#[test]
fn editors_find_the_schema_of_every_model() {
    let schema = fs::read(repository().join("docs/model.schema.json")).expect("a schema");
    let models = repository().join("models");
    let mut found: Vec<PathBuf> =
        folders(&models).iter().map(|name| models.join(name).join("model.yaml")).collect();
    found.push(models.join("nested-diagrams/lags.yaml"));
    let folder = scratch("schema-lines");
    assert!(superdense(&folder, &["new", "mine"]).status.success());
    assert!(superdense(&folder, &["examples", "copy", "nested-diagrams"]).status.success());
    for made in ["mine/model.yaml", "nested-diagrams/model.yaml", "nested-diagrams/lags.yaml"] {
        found.push(folder.join(made));
    }
    for model in found {
        let named = fs::read(schema_of(&model));
        assert!(named.is_ok_and(|named| named == schema), "{}", model.display());
    }
}

#[test]
fn examples_are_shown() {
    let folder = scratch("examples-shown");
    let output = superdense(&folder, &["examples", "show", "lorenz"]);
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.contains("chaotic") && text.contains("superdense: 1"), "{text}");
    let output = superdense(&folder, &["examples", "show", "lorentz"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(messages(&output).contains("did you mean `lorenz`?"), "{}", messages(&output));
}
