//! Bad traces and bad places through the binary: what is cut, from another version, empty, not a
//! number, oddly named or not to be written is expected, and nothing panics.

use std::fs;
use std::path::PathBuf;

use crate::common::{accepted, files, refused, with_model};

const MODEL: &str = "superdense: 1
blocks:
  x: {type: Integrator, input: 1}
  y: {type: Integrator, input: x}
record: [x, \"min(x, y)\", \"x > 0.5\"]
simulate: {stop: 1}
";

/// A folder with a model and its traces in every format.
fn saved(test: &str) -> PathBuf {
    let folder = with_model(test, MODEL);
    for file in ["whole.csv", "whole.json", "whole.parquet"] {
        accepted(&folder, &["run", "model.yaml", "-q", "-o", file]);
    }
    folder
}

#[test]
fn a_trace_that_is_cut() {
    let folder = saved("trace-cut");
    for ending in ["csv", "json", "parquet"] {
        let whole = fs::read(folder.join(format!("whole.{ending}"))).expect("a trace");
        let name = format!("cut.{ending}");
        for part in [1, 3, 7, 9] {
            fs::write(folder.join(&name), &whole[..whole.len() * part / 10]).expect("a file");
            let expected = ["error[trace-", name.as_str(), "help:"];
            refused(&folder, &["plot", &name, "-o", "a.svg"], &expected);
            refused(&folder, &["compare", &name, "whole.csv"], &expected);
        }
    }
    assert!(!folder.join("a.svg").exists());
}

#[test]
fn a_trace_of_another_version() {
    let folder = saved("trace-version");
    let text = fs::read_to_string(folder.join("whole.json")).expect("a trace");
    let newer = text.replace("\"superdense-trace\": 1", "\"superdense-trace\": 99");
    assert_ne!(text, newer);
    fs::write(folder.join("newer.json"), newer).expect("a file");
    let expected = ["error[trace-version]", "newer.json", "99"];
    refused(&folder, &["plot", "newer.json", "-o", "a.svg"], &expected);
}

#[test]
fn an_empty_trace() {
    let folder = saved("trace-empty");
    fs::write(folder.join("none.csv"), "").expect("a file");
    refused(&folder, &["plot", "none.csv", "-o", "a.svg"], &["error[trace-cut]", "it is empty"]);
    fs::write(folder.join("head.csv"), "time,microstep,x\n").expect("a file");
    accepted(&folder, &["plot", "head.csv", "-o", "head.svg"]);
    let picture = fs::read_to_string(folder.join("head.svg")).expect("a picture");
    assert!(picture.contains("The trace has no rows."), "{picture}");
    refused(&folder, &["compare", "head.csv", "whole.csv"], &["the traces differ"]);
    refused(&folder, &["plot", "head.csv", "-o", "a.svg", "--to", "1"], &["has no rows"]);
    refused(&folder, &["plot", "head.csv", "-o", "a.svg", "--open", "1"], &["cannot be opened"]);
    assert!(accepted(&folder, &["compare", "head.csv", "head.csv"]).contains("agree"));
}

#[test]
fn values_that_are_no_numbers() {
    let folder = saved("trace-nan");
    let text = "time,microstep,x\n0,0,1\n1,0,NaN\n2,0,inf\n3,0,-inf\n4,0,4\n";
    fs::write(folder.join("nan.csv"), text).expect("a file");
    for picture in ["nan.svg", "nan.png"] {
        accepted(&folder, &["plot", "nan.csv", "-o", picture, "--steps"]);
    }
    let picture = fs::read_to_string(folder.join("nan.svg")).expect("a picture");
    assert!(!picture.contains("NaN") && !picture.contains("inf\""), "{picture}");
    assert!(accepted(&folder, &["compare", "nan.csv", "nan.csv"]).contains("agree"));
    fs::write(folder.join("number.csv"), text.replace("NaN", "2")).expect("a file");
    refused(&folder, &["compare", "nan.csv", "number.csv"], &["the traces differ"]);
    fs::write(folder.join("word.csv"), text.replace("NaN", "two")).expect("a file");
    let expected = ["error[trace-damaged]", "line 3: `two` is no number"];
    refused(&folder, &["plot", "word.csv", "-o", "a.svg"], &expected);
}

#[test]
fn names_that_need_quotes() {
    let folder = saved("trace-names");
    let text = fs::read_to_string(folder.join("whole.csv")).expect("a trace");
    assert!(text.starts_with("time,microstep,x,\"min(x, y)\",x > 0.5\n"), "{text}");
    for other in ["whole.json", "whole.parquet"] {
        assert!(accepted(&folder, &["compare", "whole.csv", other]).contains("agree"));
    }
    accepted(&folder, &["plot", "whole.csv", "-o", "a.svg", "--panel", "x,min(x, y)"]);
    let picture = fs::read_to_string(folder.join("a.svg")).expect("a picture");
    assert!(picture.contains(">min(x, y)<") && !picture.contains("0.5<"), "{picture}");
    let odd = "time,microstep,\"a \"\"b\"\"\",\"<&>\"\n0,0,1,2\n1,0,2,3\n";
    fs::write(folder.join("odd.csv"), odd).expect("a file");
    accepted(&folder, &["plot", "odd.csv", "-o", "odd.svg", "-s", "a \"b\"", "-s", "<&>"]);
    let picture = fs::read_to_string(folder.join("odd.svg")).expect("a picture");
    assert!(picture.contains("a &quot;b&quot;") && picture.contains("&lt;&amp;&gt;"), "{picture}");
}

#[test]
fn a_signal_that_is_not_there() {
    let folder = saved("trace-signal");
    for (name, near) in [("min(x,y)", "min(x, y)"), ("min(x, z)", "min(x, y)"), ("xx", "x")] {
        let expected = [format!("no signal `{name}`"), format!("did you mean `{near}`?")];
        let expected = [expected[0].as_str(), expected[1].as_str()];
        refused(&folder, &["plot", "whole.csv", "-o", "a.svg", "-s", name], &expected);
        refused(
            &folder,
            &["plot", "whole.csv", "-o", "a.svg", "--phase", &format!("x,{name}")],
            &expected,
        );
    }
}

#[test]
fn files_that_cannot_be_written() {
    let folder = saved("trace-unwritable");
    let before = files(&folder);
    fs::create_dir(folder.join("folder.svg")).expect("a folder");
    for (arguments, words) in [
        (&["plot", "whole.csv", "-o", "no/a.svg"][..], "cannot write no/a.svg"),
        (&["plot", "whole.csv", "-o", "folder.svg"], "cannot write folder.svg"),
        (&["plot", "whole.csv", "-o", "a.gif"], "ends in .svg or .png"),
        (&["graph", "model.yaml", "-o", "no/a.png"], "cannot write no/a.png"),
        (&["run", "model.yaml", "-o", "a.csv", "--plot", "no/a.svg"], "there is no folder no"),
        (&["run", "model.yaml", "-o", "no/a.csv"], "error[trace-unwritable]"),
        (&["run", "model.yaml", "--log", "no/a.json"], "cannot write no/a.json"),
        (&["new", "no/such"], "cannot make the folder no/such"),
        (&["blocks", "--write", "whole.csv/blocks"], "cannot make"),
    ] {
        refused(&folder, arguments, &[words]);
        assert_eq!(files(&folder), before, "{arguments:?}");
    }
}
