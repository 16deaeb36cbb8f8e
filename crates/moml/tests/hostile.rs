//! Input that is wrong on purpose: it is refused with a line and a reason.

use std::path::Path;

use superdense_moml::{Classes, import};

use crate::common::{entity, model, ramp, translate, wire};

fn refused(text: &str, line: u32, reason: &str) {
    let problem = translate(text).unwrap_err();
    assert!(problem.reason.contains(reason), "{problem}");
    assert_eq!(problem.line, line, "{problem}");
}

#[test]
fn truncated_text_is_refused() {
    let whole = ramp("1.0");
    for length in (0..whole.len() - 12).step_by(7) {
        assert!(translate(&whole[..length]).is_err(), "{length}");
    }
}

#[test]
fn entities_are_refused() {
    let text = "<!DOCTYPE entity [\n<!ENTITY a \"aaaaaaaaaa\">\n<!ENTITY b \"&a;&a;&a;\">\n]>\n\
                <entity name=\"M\" class=\"&b;\"/>";
    refused(text, 2, "defines an entity");
    let text = "<!DOCTYPE entity [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><entity/>";
    refused(text, 1, "defines an entity");
}

#[test]
fn nesting_is_bounded() {
    let deep =
        format!("{}{}", "<entity name=\"e\">\n".repeat(100_000), "</entity>".repeat(100_000));
    refused(&deep, 201, "nested more than 200 deep");
}

#[test]
fn a_huge_attribute_is_only_text() {
    let value = "x".repeat(1 << 20);
    let problem = translate(&ramp(&value)).unwrap_err();
    assert!(problem.reason.contains("there is no parameter"));
}

#[test]
fn a_part_of_a_machine_is_no_actor() {
    let part = entity("Part", "ptolemy.domains.modal.modal.ModalController", &[]);
    let sink = entity("Scale", "ptolemy.actor.lib.Scale", &[]);
    let text = model(&[part, sink, wire("r", &["Part.output", "Scale.input"])].concat());
    refused(&text, 7, "it is no actor");
}

#[test]
fn links_to_nowhere_are_refused() {
    let text = model(&wire("r", &["Nobody.output"]));
    refused(&text, 8, "there is no entity `Nobody`");
    refused(&model("<link port=\"p\" relation=\"r\"/>"), 7, "there is no port `p`");
    let text = model("<port name=\"p\"/><link port=\"p\" relation=\"nothing\"/>");
    refused(&text, 7, "there is no relation `nothing`");
    refused(&model("<link port=\"p\"/>"), 7, "a link needs");
}

#[test]
fn unknown_classes_are_refused() {
    refused(&model(&entity("A", "ptolemy.actor.lib.Fnord", &[])), 7, "the class");
    refused(&model(&entity("A", "Fnord", &[])), 7, "there is no class `Fnord`");
    refused("<fnord/>", 1, "not a model");
    refused(&model("<fnord/>"), 7, "`fnord` is not known in MoML");
    refused(&model("<class name=\"A\" extends=\"A\"/>"), 7, "extends itself");
}

#[test]
fn classes_that_grow_without_end_are_refused() {
    // Each class holds ten of the one before it.
    let mut text = String::new();
    for level in 1..12 {
        let inner: String = (0..10)
            .map(|at| match level {
                1 => entity(&format!("e{at}"), "ptolemy.actor.lib.Const", &[]),
                _ => entity(&format!("e{at}"), &format!("C{}", level - 1), &[]),
            })
            .collect();
        text += &format!(
            "<class name=\"C{level}\" extends=\"ptolemy.actor.TypedCompositeActor\">{inner}</class>"
        );
    }
    let problem = translate(&model(&text)).unwrap_err();
    assert!(problem.reason.contains("more than 200000 entities"), "{problem}");
}

#[test]
fn classes_in_files_that_contain_each_other_are_refused() {
    let folder = std::env::temp_dir().join(format!("moml-cycle-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("a")).unwrap();
    let class = |name: &str, of: &str| {
        let inner = entity("e", of, &[]);
        let text = format!(
            "<class name=\"{name}\" extends=\"ptolemy.actor.TypedCompositeActor\">{inner}</class>"
        );
        std::fs::write(folder.join(format!("a/{name}.xml")), text).unwrap();
    };
    class("One", "a.Two");
    class("Two", "a.One");
    let classes = Classes { root: Some(folder.clone()) };
    let text = model(&entity("A", "a.One", &[]));
    let problem = import(Path::new("model.xml"), &text, &classes).unwrap_err();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(problem.reason.contains("contains itself"), "{problem}");
}

#[test]
fn parameters_that_depend_on_each_other_are_refused() {
    let property = |name: &str, value: &str| {
        format!(
            "<property name=\"{name}\" class=\"ptolemy.data.expr.Parameter\" value=\"{value}\"/>"
        )
    };
    let text = model(
        &[
            property("a", "b"),
            property("b", "a"),
            entity("Const", "ptolemy.actor.lib.Const", &[("value", "a")]),
        ]
        .concat(),
    );
    // The model file has the circle, and reading it says so.
    let imported = translate(&text).unwrap();
    assert!(imported.text.contains("a: b") && imported.text.contains("b: a"), "{}", imported.text);
}

/// Machines inside each other, each with two states that share one refinement.
fn nested_machines(levels: usize) -> String {
    let state = |name: &str| {
        format!(
            "<entity name=\"{name}\" class=\"ptolemy.domains.modal.kernel.State\">\
             <property name=\"refinementName\" value=\"r\"/></entity>"
        )
    };
    let states = state("a") + &state("b");
    (0..levels).fold(String::new(), |inner, _| {
        format!(
            "<entity name=\"M\" class=\"ptolemy.domains.modal.modal.ModalModel\">\
             <entity name=\"_Controller\" class=\"ptolemy.domains.modal.modal.ModalController\">\
             {states}</entity>\
             <entity name=\"r\" class=\"ptolemy.domains.modal.modal.Refinement\">{inner}</entity>\
             </entity>"
        )
    })
}

#[test]
fn machines_that_multiply_are_refused() {
    assert!(translate(&model(&nested_machines(3))).is_ok());
    let problem = translate(&model(&nested_machines(25))).unwrap_err();
    assert!(problem.reason.contains("more than 20000 composites"), "{problem}");
    let problem = translate(&model(&nested_machines(60))).unwrap_err();
    assert!(problem.reason.contains("nested more than 60 deep"), "{problem}");
}

#[test]
fn a_number_of_iterations_without_a_limit_is_refused() {
    let text = model("").replace("continuous.kernel.Continuous", "sr.kernel.SR");
    let text = text.replace("\"stopTime\"", "\"other\"");
    let problem = translate(&text).unwrap_err();
    assert!(problem.reason.contains("without a limit"), "{problem}");
}
