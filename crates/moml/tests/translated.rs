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

#[test]
fn an_actor_that_sets_a_parameter_is_refused() {
    let text = model(&entity("Set", "ptolemy.actor.lib.SetVariable2", &[]));
    let problem = translate(&text).unwrap_err();
    assert!(problem.unsupported, "{problem:?}");
    assert!(problem.reason.contains("SetVariable2"), "{problem:?}");
}

#[test]
fn a_wave_that_begins_late_continues_an_earlier_cycle() {
    let wave = |offsets: &str, period: &str| {
        let properties = [("offsets", offsets), ("values", "{2.0, 4.0}"), ("period", period)];
        let text = model(&entity("w", "ptolemy.domains.continuous.lib.Waveform", &properties));
        translate(&text).unwrap().text
    };
    let text = wave("{0.25, 0.75}", "2.0");
    assert!(text.contains("start: -2") && text.contains("times: \"[0.25, 0.75]\""), "{text}");
    // The last sample comes when the next cycle begins.
    let text = wave("{0.25, 1.25}", "1.0");
    assert!(text.contains("start: -0.75"), "{text}");
    assert!(!wave("{0.0, 0.75}", "2.0").contains("start:"));
}

#[test]
fn calls_inside_an_array_of_offsets_are_one_element() {
    let clock = |offsets: &str| {
        let properties = [("offsets", offsets), ("values", "{1, 2}"), ("period", "2.0")];
        let text = model(&entity("C", "ptolemy.actor.lib.DiscreteClock", &properties));
        translate(&text).unwrap().text
    };
    // Both offsets are 1, so that the second event comes one microstep later.
    let text = clock("{min(1.0, 2.0), max(0.5, 1.0)}");
    assert!(text.contains("MicrostepDelay"), "{text}");
    assert!(!clock("{min(1.0, 2.0), max(0.5, 1.5)}").contains("MicrostepDelay"));
}

#[test]
fn equal_offsets_end_with_their_cycles() {
    let properties = [
        ("offsets", "{0.0, 0.0, 1.0}"),
        ("values", "{1, 2, 3}"),
        ("period", "2.0"),
        ("numberOfCycles", "2"),
    ];
    let text = model(&entity("C", "ptolemy.actor.lib.DiscreteClock", &properties));
    let text = translate(&text).unwrap().text;
    let line = |name: &str| text.lines().find(|line| line.contains(name)).unwrap().to_owned();
    assert!(line("C_event0:").contains("count: 4"), "{text}");
    assert!(line("C_event1:").contains("count: 2"), "{text}");
}

#[test]
fn a_queue_keeps_triggers_if_it_says_so() {
    let queue = |persistent: &str| {
        let text = model(
            &[
                entity("In", "ptolemy.actor.lib.DiscreteClock", &[]),
                entity("Out", "ptolemy.actor.lib.DiscreteClock", &[]),
                entity("Q", "ptolemy.domains.de.lib.Queue", &[("persistentTrigger", persistent)]),
                wire("r1", &["In.output", "Q.input"]),
                wire("r2", &["Out.output", "Q.trigger"]),
            ]
            .concat(),
        );
        translate(&text).unwrap().text
    };
    assert!(queue("true").contains("empty: wait"));
    assert!(!queue("false").contains("empty: wait"));
}

/// A machine with one state whose transition to itself sets parameters of its refinement.
fn machine(parameters: &str, actions: &str) -> String {
    model(&format!(
        "<entity name=\"Modal\" class=\"ptolemy.domains.modal.modal.ModalModel\">\
         <entity name=\"_Controller\" class=\"ptolemy.domains.modal.modal.ModalController\">\
         <entity name=\"s\" class=\"ptolemy.domains.modal.kernel.State\">\
         <property name=\"refinementName\" class=\"ptolemy.kernel.util.StringAttribute\" value=\"s\"/>\
         <property name=\"isInitialState\" class=\"ptolemy.data.expr.Parameter\" value=\"true\"/>\
         </entity>\
         <relation name=\"r\" class=\"ptolemy.domains.modal.kernel.Transition\">\
         <property name=\"guardExpression\" class=\"ptolemy.kernel.util.StringAttribute\" value=\"timeout(1.0)\"/>\
         <property name=\"setActions\" class=\"ptolemy.domains.modal.kernel.CommitActionsAttribute\" value=\"{actions}\"/>\
         </relation>\
         <link port=\"s.outgoingPort\" relation=\"r\"/><link port=\"s.incomingPort\" relation=\"r\"/>\
         </entity>\
         <entity name=\"s\" class=\"ptolemy.domains.modal.modal.Refinement\">{parameters}</entity>\
         </entity>"
    ))
}

#[test]
fn rows_of_a_matrix_do_not_end_an_assignment() {
    let parameter = |name: &str, value: &str| {
        format!(
            "<property name=\"{name}\" class=\"ptolemy.data.expr.Parameter\" value=\"{value}\"/>"
        )
    };
    let parameters = [parameter("m", "[1.0; 2.0]"), parameter("k", "0.0")].concat();
    let text = translate(&machine(&parameters, "s.m = [3.0; 4.0]; s.k = 5.0")).unwrap().text;
    assert!(text.contains("s_m: \"[[3.0], [4.0]]\"") && text.contains("s_k: 5.0"), "{text}");
}

#[test]
fn columns_of_tests_in_instances_with_like_names_stay_apart() {
    let test =
        |name: &str| entity(name, "ptolemy.actor.lib.NonStrictTest", &[("correctValues", "{1}")]);
    let inside = |tests: &str| {
        format!(
            "<entity name=\"A\" class=\"ptolemy.actor.TypedCompositeActor\">{}{tests}{}</entity>",
            entity("Const", "ptolemy.actor.lib.Const", &[]),
            wire("r", &["Const.output", "Test.input", "A_Test.input"]),
        )
    };
    let text = model(&inside(&[test("Test"), test("A_Test")].concat()));
    let imported = translate(&text).unwrap();
    let columns: Vec<&String> = imported.expectations.iter().flat_map(|own| &own.columns).collect();
    assert_eq!(columns, ["A_Test", "A_A_Test"]);
}

#[test]
fn dependencies_are_told_as_text() {
    let port = |name: &str, kind: &str| {
        format!(
            "<port name=\"{name}\" class=\"ptolemy.actor.TypedIOPort\"><property name=\"{kind}\"/></port>"
        )
    };
    let text = model(
        &[
            port("a", "input"),
            port("b", "input"),
            port("c", "input"),
            port("y", "output"),
            port("z", "output"),
            entity("Get", "ptolemy.actor.lib.GetCausalityInterface", &[]),
            entity("Sum", "ptolemy.actor.lib.AddSubtract", &[]),
            entity("Late", "ptolemy.actor.lib.MicrostepDelay", &[]),
            entity(
                "Test",
                "ptolemy.actor.lib.Test",
                &[("correctValues", "{&quot;a has equivalent input ports:\\n  a\\n  b\\n&quot;}")],
            ),
            wire("r1", &["a", "Sum.plus"]),
            wire("r2", &["b", "Sum.minus"]),
            wire("r3", &["c", "Late.input"]),
            wire("r4", &["Sum.output", "y"]),
            wire("r5", &["Late.output", "z"]),
            wire("r6", &["Get.equivalences", "Test.input"]),
        ]
        .concat(),
    );
    let imported = translate(&text).unwrap();
    // An output behind a delay depends on nothing, and inputs of one sum are equivalent.
    let dependencies = "a has output dependencies as follows:\n   y: BooleanDependency(true)\n   \
        z: BooleanDependency(false)\nb has output dependencies as follows:\n   \
        y: BooleanDependency(true)\n   z: BooleanDependency(false)\n\
        c has output dependencies as follows:\n   y: BooleanDependency(false)\n   \
        z: BooleanDependency(false)\n";
    let equivalences = "a has equivalent input ports:\n  a\n  b\nb has equivalent input ports:\n  \
        a\n  b\nc has equivalent input ports:\n  c\n";
    for told in [dependencies, equivalences] {
        let code = Reference::code(told).to_string();
        assert!(imported.text.contains(&code), "{told}{}", imported.text);
    }
    let expected = "a has equivalent input ports:\n  a\n  b\n".to_owned();
    assert_eq!(imported.expectations[0].values[0], [Reference::Text(expected)]);
}
