//! What entities become.

use superdense_moml::Reference;

use crate::common::{entity, model, ramp, translate, wire};

#[test]
fn an_integrator_with_a_test() {
    let imported = translate(&ramp("2.0")).unwrap();
    let expected = "\
superdense: 1
name: M
blocks:
  Const: {type: Constant, value: 2.0}
  Integrator: {type: Integrator, input: Const, initial: 0.0}
record: {Test: Integrator}
simulate:
  profile: ptolemy
  stop: 5
  solver: rk23
  tolerance: 1e-4
  initial_step: 0.1
  maximum_step: 1
";
    assert_eq!(imported.text, expected);
    let [test] = imported.expectations.as_slice() else { panic!("one test") };
    assert_eq!((test.test.as_str(), test.columns.as_slice()), ("M.Test", &["Test".to_owned()][..]));
    assert_eq!(test.values[1], [Reference::Number(0.1)]);
    assert_eq!(test.tolerance, 1e-9);
}

#[test]
fn channels_come_in_the_order_of_links_and_relations_join() {
    let text = model(
        &[
            entity("A", "ptolemy.actor.lib.Const", &[]),
            entity("B", "ptolemy.actor.lib.Const", &[]),
            entity("Sum", "ptolemy.actor.lib.AddSubtract", &[]),
            wire("r1", &["B.output", "Sum.minus"]),
            wire("r2", &["A.output"]),
            wire("r3", &["Sum.plus"]),
            "<link relation1=\"r2\" relation2=\"r3\"/>".to_owned(),
        ]
        .concat(),
    );
    let text = translate(&text).unwrap().text;
    assert!(text.contains("Sum: {type: Sum, inputs: [A, -B]}"), "{text}");
}

#[test]
fn a_class_becomes_one_diagram_with_the_parameters_of_each_instance() {
    let class = "<class name=\"Gain\" extends=\"ptolemy.actor.TypedCompositeActor\">\
        <property name=\"k\" class=\"ptolemy.data.expr.Parameter\" value=\"1.0\"/>\
        <port name=\"in\" class=\"ptolemy.actor.TypedIOPort\"><property name=\"input\"/></port>\
        <port name=\"out\" class=\"ptolemy.actor.TypedIOPort\"><property name=\"output\"/></port>\
        <entity name=\"Scale\" class=\"ptolemy.actor.lib.Scale\">\
        <property name=\"factor\" class=\"ptolemy.data.expr.Parameter\" value=\"k * all\"/></entity>\
        <relation name=\"r\"/><relation name=\"s\"/>\
        <link port=\"in\" relation=\"r\"/><link port=\"Scale.input\" relation=\"r\"/>\
        <link port=\"out\" relation=\"s\"/><link port=\"Scale.output\" relation=\"s\"/></class>\n";
    let text = model(
        &[
            "<property name=\"all\" class=\"ptolemy.data.expr.Parameter\" value=\"3.0\"/>\n",
            "<property name=\"k\" class=\"ptolemy.data.expr.Parameter\" value=\"5.0\"/>\n",
            class,
            &entity("Const", "ptolemy.actor.lib.Const", &[]),
            &entity("one", "Gain", &[("k", "k")]),
            &entity("two", "Gain", &[("k", "7.0")]),
            &wire("r", &["Const.output", "one.in", "two.in"]),
        ]
        .concat(),
    );
    let text = translate(&text).unwrap().text;
    assert!(text.contains("parameters: {all: 3.0, k: 5.0}"), "{text}");
    assert!(text.contains("expression: (k * all) * in"), "{text}");
    assert!(text.contains("one: {type: Gain, in: Const, k: k, all: all}"), "{text}");
    assert!(text.contains("two: {type: Gain, in: Const, k: 7.0, all: all}"), "{text}");
    assert_eq!(text.matches("Gain:").count(), 1, "{text}");
}

#[test]
fn what_is_shown_is_left_out_and_named() {
    let text = model(&entity("Plot", "ptolemy.actor.lib.gui.TimedPlotter", &[]));
    let imported = translate(&text).unwrap();
    assert_eq!(imported.skipped, ["ptolemy.actor.lib.gui.TimedPlotter"]);
    assert!(!imported.text.contains("Plot"));
}

#[test]
fn names_that_mean_something_here_are_changed() {
    let text = model(
        &[
            entity("time", "ptolemy.actor.lib.Const", &[]),
            entity("a b", "ptolemy.actor.lib.Scale", &[]),
            wire("r", &["time.output", "a b.input"]),
        ]
        .concat(),
    );
    let text = translate(&text).unwrap().text;
    assert!(text.contains("time_2: {type: Constant"), "{text}");
    assert!(text.contains("a_b: {type: Expression, expression: 1 * time_2}"), "{text}");
}
