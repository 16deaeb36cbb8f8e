//! Texts that nobody would write: none may panic, hang or use up the stack.

use crate::common::{codes, read};
use proptest::prelude::*;
use superdense_model::format;

#[test]
fn absurd_depth_is_refused() {
    for text in [
        format!("superdense: 1\nparameters: {{a: {}\n", "[".repeat(100_000)),
        format!("superdense: 1\nparameters: {{a: {}{}}}\n", "[".repeat(200), "]".repeat(200)),
        "{a: ".repeat(100_000),
        "- ".repeat(100_000),
        "? ".repeat(1000),
    ] {
        assert!(
            ["model-too-large", "yaml-syntax"].contains(&codes(&text)[0]),
            "{:?}",
            codes(&text)
        );
    }
    let deep = format!("superdense: 1\nparameters:\n  a: {}\n", "(".repeat(100_000));
    assert_eq!(codes(&deep), ["expression-depth"]);
}

#[test]
fn absurd_size_is_refused() {
    let many = format!("superdense: 1\nparameters: {{a: [{}]}}\n", "1,".repeat(5_000_001));
    assert_eq!(codes(&many), ["model-too-large"]);
}

#[test]
fn large_files_are_read() {
    let mut text = String::from("superdense: 1\nblocks:\n");
    for index in 0..20_000 {
        text.push_str(&format!("  b{index}: {{type: Gain, input: b{} + 1}}\n", index / 2));
    }
    let model = read(&text).map_err(|refused| refused.render(false)).unwrap();
    assert_eq!(model.diagram(model.root).blocks.len(), 20_000);
}

#[test]
fn many_mistakes_are_cut_off() {
    let text =
        format!("superdense: 1\n{}", (0..5000).map(|i| format!("k{i}: 1\n")).collect::<String>());
    assert_eq!(codes(&text).len(), 100);
}

#[test]
fn aliases_cannot_multiply() {
    let laughs = "superdense: 1\nparameters:\n  a: &a [1, 1]\n  b: &b [*a, *a]\n  c: [*b, *b]\n";
    assert!(codes(laughs).iter().all(|code| *code == "yaml-syntax"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&String::from_utf8_lossy(&bytes)).map(|_| ()).map_err(|r| r.render(false));
    }

    #[test]
    fn no_text_panics(text in "(superdense: 1\n)?[\\PC\n\t ]{0,100}") {
        let _ = read(&text).map(|_| ()).map_err(|refused| refused.render(false));
    }

    #[test]
    fn no_pieces_panic(pieces in prop::collection::vec(prop::sample::select(vec![
        "superdense: 1\n", "name: a\n", "import: [a]\n", "parameters:\n", "blocks:\n", "diagrams:\n",
        "record: ", "solve: ", "simulate: ", "  x: ", "    type: Gain\n", "    input: ", "{", "}",
        "[", "]", ", ", ": ", "\n", "a", "1", "ü", "∞", "-", "- ", "? ", "!", "!t ", "&a ", "*a",
        "'", "\"", "\\", "|\n", ">\n", "# c\n", "---\n", "...\n", "%", "@", "`", "\t", "\r\n", "~",
        "\u{feff}", "\u{0}", "\u{85}", "\u{2028}", "<<: ",
    ]), 0..40)) {
        let text = format!("superdense: 1\n{}", pieces.concat());
        if read(&text).map_err(|refused| refused.render(false)).is_ok() {
            let once = format("model.yaml", &text).map_err(|refused| refused.render(false));
            let once = once.unwrap_or_else(|refused| panic!("{refused}\n{text:?}"));
            let twice = format("model.yaml", &once).map_err(|refused| refused.render(false));
            prop_assert_eq!(twice, Ok(once), "{:?}", text);
        }
        let _ = read(&pieces.concat()).map(|_| ()).map_err(|refused| refused.render(false));
    }
}

/// Functions can describe an expression that no memory holds.
#[test]
fn functions_that_double_each_other_are_refused() {
    let double = |i: usize| format!("  f{i}(x): f{}(x) + f{}(x + 1)\n", i - 1, i - 1);
    let functions: String = (1..60).map(double).collect();
    let text = format!(
        "superdense: 1\nfunctions:\n  f0(x): x + 1\n{functions}blocks: {{a: {{type: Gain, input: \
         f59(1)}}}}\n"
    );
    assert_eq!(codes(&text), ["model-too-large"]);
}

/// A chain of functions is as deep as it is long; reading it takes no stack.
#[test]
fn a_long_chain_of_functions_is_read() {
    let functions: String = (1..20_000).map(|i| format!("  f{i}(x): f{}(x)\n", i - 1)).collect();
    let text = format!(
        "superdense: 1\nfunctions:\n  f0(x): x + 1\n{functions}blocks: {{a: {{type: Gain, input: \
         f19999(1)}}}}\n"
    );
    assert!(read(&text).is_ok());
}
