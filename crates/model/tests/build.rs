//! Models that are built in a program.

use proptest::prelude::*;
use superdense_model::{Builder, Solve};

#[test]
fn a_built_model_is_the_written_one() {
    let built = Builder::new("ball")
        .description("Falls: \"down\"\nand stays.")
        .parameter("g", "9.81")
        .required("m")
        .diagram("Half", |d| {
            d.parameter("k", "0.5").input("u").input("w").output("y", "k * u").block(
                "inner",
                "Gain",
                &[("input", "c ? u : w"), ("factors", "[1, 2]")],
            )
        })
        .block("v", "Integrator", &[("input", "-g"), ("initial", "0")])
        .block("h", "Half", &[("u", "min(v, 1)"), ("w", "not v > 0")])
        .record("speed", "v")
        .solve(&[("x", "0")])
        .simulate("stop", "12")
        .build();
    let model = built.unwrap_or_else(|refused| panic!("{refused}"));
    assert_eq!(model.name, "ball");
    assert_eq!(model.description, "Falls: \"down\"\nand stays.");
    let root = model.diagram(model.root);
    assert_eq!(root.blocks[1].fields[0].value.to_string(), "min(v, 1)");
    let half = model.diagram(model.resolve(root.blocks[1].kind.span, "Half").unwrap());
    assert_eq!(half.inputs.len(), 2);
    assert_eq!(half.blocks[0].fields[0].value.to_string(), "if c then u else w");
    assert_eq!(half.blocks[0].fields[1].value.to_string(), "[1, 2]");
    assert!(matches!(&root.solve, Solve::Signals(signals) if signals.len() == 1));
    assert_eq!(model.record[0].name, "speed");
}

#[test]
fn mistakes_show_the_text_that_was_meant() {
    let model = Builder::new("ball").block("v", "Integrator", &[("input", "2 +* g")]).build();
    assert_eq!(
        model.map(|_| ()).unwrap_err().render(false),
        "\
error[expression-syntax]: a value is missing after `+`: found `*`
 --> ball:6:15
  |
6 |     input: 2 +* g
  |               ^ a value is expected here"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn every_text_keeps_its_content(text in "\\PC*|[\\x00-\\x7f]*|[ :#,{}'\"\\\\\n\t-]*") {
        let model = Builder::new("m").description(&text).build();
        match model {
            Ok(model) => prop_assert_eq!(model.description, text.trim()),
            Err(refused) => prop_assert!(false, "{}", refused),
        }
    }
}
