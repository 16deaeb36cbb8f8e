//! The schema in the repository is the one that the code makes, and it fits the models.

use std::fs;
use std::path::Path;

use superdense::{Library, descriptions, form_descriptions, schema};

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("two folders deep")
}

/// With `SUPERDENSE_BLESS` set, the file is written instead.
#[test]
fn the_schema_in_the_repository_is_current() {
    let path = repository().join("docs/model.schema.json");
    let text = format!("{:#}\n", schema(&Library::standard()));
    if std::env::var_os("SUPERDENSE_BLESS").is_some() {
        fs::write(&path, &text).expect("the schema can be written");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "run this test with SUPERDENSE_BLESS=1 to write {}", path.display());
}

#[test]
fn every_block_and_setting_is_in_the_schema() {
    let schema = schema(&Library::standard());
    let kinds = schema["$defs"]["block"]["allOf"].as_array().expect("a list of kinds");
    let all = descriptions(&Library::standard());
    assert_eq!(
        kinds.len(),
        all.len() + form_descriptions().len(),
        "all, and those of the language"
    );
    for info in &all {
        let of =
            |kind: &&serde_json::Value| kind["if"]["properties"]["type"]["const"] == *info.name;
        let kind = kinds.iter().find(of).expect("every block has its entry");
        let fields = info.inputs.iter().map(|i| &*i.name);
        for field in fields.chain(info.parameters.iter().map(|p| &*p.name)) {
            assert!(kind["then"]["properties"][field].is_object(), "{} {field}", info.name);
        }
    }
    for (part, field) in [("state", "like"), ("transition", "preemptive")] {
        assert!(schema["$defs"][part]["properties"][field].is_object(), "{part} {field}");
    }
    assert!(schema["properties"]["simulate"]["properties"]["every"].is_object());
}
