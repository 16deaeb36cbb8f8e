//! Warnings through the binary: told as text and as JSON, and no reason to fail.

use crate::common::{folders, messages, repository, scratch, superdense, with_model};

/// The square of an impulse in a run that ends before it.
const SQUARE: &str = "superdense: 1
blocks:
  hit: {type: ImpulseSource, times: [2]}
  y: {type: Expression, expression: hit^2}
simulate: {stop: 1}
";

/// A factor that jumps one microstep after an impulse.
const ORDER: &str = "superdense: 1
blocks:
  hit: {type: ImpulseSource, times: [1]}
  x: {type: Integrator, input: b, initial: 1}
  b: {type: MicrostepDelay, input: x * hit}
simulate: {stop: 2}
";

#[test]
fn check_tells_what_is_possible() {
    let folder = with_model("possible", SQUARE);
    let output = superdense(&folder, &["check", "model.yaml"]);
    assert!(output.status.success());
    let text = messages(&output);
    for words in ["warning[undefined-possible]", "nonlinear function", "model.yaml:4", "help"] {
        assert!(text.contains(words), "no `{words}` in\n{text}");
    }
    let shown = String::from_utf8(output.stdout).expect("text");
    assert!(shown.contains("no errors, 1 warning"), "{shown}");
    let json = messages(&superdense(&folder, &["check", "model.yaml", "--format", "json"]));
    let object: serde_json::Value = serde_json::from_str(json.trim()).expect("one object");
    assert_eq!(object["severity"], "warning");
    assert_eq!(object["code"], "undefined-possible");
    assert_eq!(object["line"], 4);
    assert_eq!(object["block"], "y");
    // What does not happen is no error of the run, and no warning.
    let run = superdense(&folder, &["run", "model.yaml"]);
    assert!(run.status.success() && !messages(&run).contains("warning"), "{}", messages(&run));
}

#[test]
fn a_run_tells_its_warnings() {
    let folder = with_model("order", ORDER);
    let output = superdense(&folder, &["run", "model.yaml"]);
    assert!(output.status.success(), "{}", messages(&output));
    let text = messages(&output);
    assert_eq!(text.matches("warning[microstep-order]").count(), 1, "{text}");
    assert!(text.contains("at (1, 2)"), "{text}");
    let json = messages(&superdense(&folder, &["run", "model.yaml", "--format", "json"]));
    let object: serde_json::Value = serde_json::from_str(json.trim()).expect("one object");
    assert_eq!(
        (&object["severity"], &object["code"]),
        (&"warning".into(), &"microstep-order".into())
    );
    assert_eq!(object["line"], 5);
    let quiet = superdense(&folder, &["run", "model.yaml", "--quiet"]);
    let text = messages(&quiet);
    assert!(text.starts_with("warning[microstep-order]"), "{text}");
    assert_eq!(text.matches("warning").count(), 1, "nothing else is told: {text}");
}

#[test]
fn the_models_of_the_repository_are_not_warned_of() {
    let folder = scratch("silent");
    for model in folders(&repository().join("models")) {
        let path = repository().join("models").join(&model).join("model.yaml");
        let output = superdense(&folder, &["check", path.to_str().expect("UTF-8")]);
        assert!(output.status.success(), "{model}");
        assert_eq!(messages(&output), "", "{model}");
    }
}

/// A block that nothing reads, one that only reads itself, and parameters without a use.
const UNUSED: &str = "superdense: 1
parameters: {k: 2, extra: 3, stop: 1}
diagrams:
  Lag:
    inputs: [u]
    parameters: {tau: 1, other: 2}
    outputs: {y: x, z: twice}
    blocks:
      x: {type: Integrator, input: (u - x) / tau}
      twice: {type: Gain, input: x, gain: 2}
      lost: {type: Gain, input: u}
blocks:
  x: {type: Integrator, input: k}
  y: {type: Gain, input: x, gain: 2}
  own: {type: Integrator, input: -own}
  lag: {type: Lag, u: x}
record: [x, lag.y]
simulate: {stop: stop}
";

#[test]
fn what_nothing_uses_is_warned_of() {
    let folder = with_model("unused", UNUSED);
    for command in [&["check", "model.yaml"][..], &["run", "model.yaml", "-q"]] {
        let output = superdense(&folder, command);
        assert!(output.status.success(), "{}", messages(&output));
        let text = messages(&output);
        let heads: Vec<&str> = text.lines().filter(|line| line.starts_with("warning")).collect();
        let expected = [
            "warning[unused-block]: nothing reads the block `y`, and it is not recorded",
            "warning[unused-block]: nothing reads the block `own`, and it is not recorded",
            "warning[unused-parameter]: nothing uses the parameter `extra`",
            "warning[unused-block]: nothing reads the block `lost`",
            "warning[unused-parameter]: nothing uses the parameter `other`",
        ];
        assert_eq!(heads.len(), expected.len(), "{text}");
        for head in expected {
            assert!(heads.contains(&head), "no `{head}` in\n{text}");
        }
    }
    // Where nothing is said about recording, everything is recorded.
    let folder = with_model("all-recorded", &UNUSED.replace("record: [x, lag.y]\n", ""));
    let text = messages(&superdense(&folder, &["check", "model.yaml"]));
    assert!(!text.contains("`y`") && !text.contains("`own`"), "{text}");
}

/// Runs that nobody can wait for are warned of before they begin, with the count.
#[test]
fn runs_without_end_are_told_before() {
    let models = [
        (
            "c: {type: Clock, period: 1e-9}\n  n: {type: Counter, increment: c}",
            "stop: 1e4",
            "events",
        ),
        ("x: {type: Integrator, input: 1}", "stop: 1e4, solver: rk4, step: 1e-9", "steps"),
        ("x: {type: Integrator, input: 1}", "stop: 1e4, maximum_step: 1e-9", "steps"),
        ("x: {type: Constant, value: 1}", "stop: 1e4, every: 1e-9", "rows"),
        (
            "s: {type: Sine, frequency: 1e12}\n  x: {type: Integrator, input: s}",
            "stop: 1e3",
            "steps",
        ),
    ];
    for (blocks, run, what) in models {
        let model = format!("superdense: 1\nblocks:\n  {blocks}\nsimulate: {{{run}}}\n");
        let folder = with_model("long", &model);
        let text = messages(&superdense(&folder, &["check", "model.yaml"]));
        assert!(text.contains("warning[long-run]"), "{text}");
        assert!(text.contains(&format!("more than 1e12 {what}: about")), "{text}");
    }
    let short = "superdense: 1\nblocks:\n  c: {type: Clock, period: 1e-3}\n  \
                 n: {type: Counter, increment: c}\nrecord: [n]\nsimulate: {stop: 1e6}\n";
    let text = messages(&superdense(&with_model("short", short), &["check", "model.yaml"]));
    assert!(!text.contains("long-run"), "{text}");
}

/// What happens at an instant is told without running on to the end, however far that is; and a
/// command that does run so long says so first.
#[test]
fn an_instant_is_explained_without_the_rest_of_the_run() {
    let model = "superdense: 1\nblocks:\n  c: {type: Clock, period: 1e-9}\n  \
                 n: {type: Counter, increment: c}\nsimulate: {stop: 1e9}\n";
    let folder = with_model("explained", model);
    let output = superdense(&folder, &["explain", "model.yaml", "3e-9"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("t = 0.000000003"), "{text}");
    assert!(!messages(&output).contains("long-run"), "{}", messages(&output));
    let failing =
        model.replace("simulate", "  x: {type: Integrator, input: log(5e-9 - time)}\nsimulate");
    let output =
        superdense(&with_model("told-before", &failing), &["run", "model.yaml", "--quiet"]);
    assert!(messages(&output).contains("warning[long-run]"), "{}", messages(&output));
}
