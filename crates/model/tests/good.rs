//! What a model file says, and what is read from it.

use crate::common::model;
use expr::ExprKind;
use superdense_model::{RunSetting, Solve, parse, read};

const BALL: &str = "\
superdense: 1
name: bouncing-ball
description: A ball.
parameters: {g: 9.81, e: 0.8, y0: 10, m:}
blocks:
  v: {type: Integrator, input: -g, initial: 0, impulse: kick}
  y: {type: Integrator, input: v, initial: y0}
  hit: {type: LevelCrossing, input: y, level: 0, direction: falling}
  kick: {type: Sample, input: -(1 + e) * previous(v), trigger: hit}
record: [y, v, kick, y+v]
simulate: {stop: 12, solver: rk45, tolerance: 1e-8, zeno: stop}
";

#[test]
fn the_ball_is_read() {
    let model = model(BALL);
    assert_eq!((model.name.as_str(), model.description.as_str()), ("bouncing-ball", "A ball."));
    let root = model.diagram(model.root);
    assert_eq!(root.name.value, "bouncing-ball");
    let parameters: Vec<_> = root.parameters.iter().map(|p| p.name.value.as_str()).collect();
    assert_eq!(parameters, ["g", "e", "y0", "m"]);
    assert!(root.parameters[3].value.is_none());
    let kick = &root.blocks[3];
    assert_eq!((kick.name.value.as_str(), kick.kind.value.as_str()), ("kick", "Sample"));
    assert_eq!(kick.fields[0].value.to_string(), "-(1 + e) * previous(v)");
    assert_eq!(model.sources.snippet(kick.fields[0].value.span), "-(1 + e) * previous(v)");
    assert_eq!(root.blocks[2].fields[2].value.as_word(), Some("falling"));
    let columns: Vec<_> = model.record.iter().map(|record| record.name.as_str()).collect();
    assert_eq!(columns, ["y", "v", "kick", "y + v"]);
    assert_eq!(model.simulate.word(RunSetting::Solver).unwrap().value, "rk45");
    assert_eq!(model.simulate.value(RunSetting::Stop).unwrap().to_string(), "12");
    assert!(model.simulate.value(RunSetting::Start).is_none());
    assert!(matches!(root.solve, Solve::No));
}

#[test]
fn values_are_expressions_vectors_and_matrices() {
    let model = model(
        "superdense: 1\n\
         blocks:\n\
         \x20 a:\n\
         \x20   type: Gain\n\
         \x20   matrix: [[1, 2], [x, -y]]\n\
         \x20   call: min(a, b)\n\
         \x20   quoted: 'c ? a : b'\n\
         \x20   doubled: \"x[0] +\\n y\"\n\
         \x20   long: a +\n\
         \x20     b * c\n\
         \x20   block: |\n\
         \x20     a\n\
         \x20     + b\n\
         \x20   flag: true\n\
         \x20   list:\n\
         \x20     - 1\n\
         \x20     - 'n'\n",
    );
    let fields = &model.diagram(model.root).blocks[0].fields;
    let texts: Vec<_> = fields.iter().map(|field| field.value.to_string()).collect();
    let expected = [
        "[[1, 2], [x, -y]]",
        "min(a, b)",
        "if c then a else b",
        "x[0] + y",
        "a + b * c",
        "a + b",
        "true",
        "[1, n]",
    ];
    assert_eq!(texts, expected);
    assert_eq!(model.name, "model");
    let snippet = |index: usize| model.sources.snippet(fields[index].value.span);
    assert_eq!(snippet(0), "[[1, 2], [x, -y]]");
    assert_eq!(snippet(2), "c ? a : b");
    assert_eq!(snippet(3), "\"x[0] +\\n y\"", "escapes leave only the whole scalar");
    let ExprKind::Binary(_, _, product) = &fields[4].value.kind else { panic!() };
    assert_eq!(model.sources.snippet(product.span), "b * c");
}

#[test]
fn places_are_bytes_also_behind_letters_of_more_bytes() {
    for breaks in ["\n", "\r\n"] {
        let text = "superdense: 1\ndescription: Fußgänger → ∞\nblocks:\n  a: {type: Gain, input: x + yy} # ä\n"
            .replace('\n', breaks);
        let model = model(&text);
        let block = &model.diagram(model.root).blocks[0];
        assert_eq!(model.description, "Fußgänger → ∞");
        assert_eq!(model.sources.snippet(block.name.span), "a");
        assert_eq!(model.sources.snippet(block.kind.span), "Gain");
        let places: Vec<_> =
            block.fields[0].value.names().map(|(_, span)| model.sources.snippet(span)).collect();
        assert_eq!(places, ["x", "yy"]);
    }
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    let model = model("\u{feff}superdense: 1\nparameters: {g: 9.81}\n");
    let parameter = &model.diagram(model.root).parameters[0];
    assert_eq!(model.sources.snippet(parameter.name.span), "g");
}

#[test]
fn loops_to_solve_are_read() {
    let solve = |text: &str| {
        let model = model(&format!("superdense: 1\nsolve: {text}\n"));
        model.diagram(model.root).solve.clone()
    };
    assert!(matches!(solve("true"), Solve::All(_)));
    assert!(matches!(solve("false"), Solve::No));
    assert!(matches!(solve(""), Solve::No));
    let signals = |text: &str| match solve(text) {
        Solve::Signals(signals) => signals
            .iter()
            .map(|signal| format!("{}={}", signal.name.value, signal.value))
            .collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    assert_eq!(signals("[x, part.y]"), ["x=0", "part.y=0"]);
    assert_eq!(signals("{x: g / 2}"), ["x=g / 2"]);
}

#[test]
fn records_may_be_named() {
    let model = model("superdense: 1\nrecord: {height: ball.y, power: u * i}\n");
    let texts: Vec<_> =
        model.record.iter().map(|record| format!("{}={}", record.name, record.value)).collect();
    assert_eq!(texts, ["height=ball.y", "power=u * i"]);
}

#[test]
fn diagrams_are_imported_from_other_files() {
    let main = "superdense: 1\nimport: [parts/motor.yaml]\ndiagrams: {Own: {}}\n";
    let motor = "superdense: 1\nimport: {base: ../lib/base.yaml}\nblocks: {ignored: {type: Gain}}\n\
                 diagrams:\n  Motor:\n    parameters: {k: 1, r:}\n    inputs: [u]\n    \
                 outputs: {w: k * u}\n    blocks: {f: {type: base.Friction}}\n";
    let base = "superdense: 1\nimport: [../parts/motor.yaml, ../main.yaml]\n\
                diagrams: {Friction: {inputs: [w], outputs: [w]}}\n";
    let mut asked = Vec::new();
    let model = parse("main.yaml", main, &mut |path| {
        asked.push(path.to_owned());
        let text = if path.ends_with("motor.yaml") { motor } else { base };
        Ok((path.to_owned(), text.to_owned()))
    })
    .unwrap_or_else(|refused| panic!("{refused}"));
    assert_eq!(asked, ["parts/motor.yaml", "lib/base.yaml"], "each once, circles and all");
    assert_eq!(model.diagrams.len(), 4);
    let names = |file: usize| model.scopes[file].keys().map(String::as_str).collect::<Vec<_>>();
    assert_eq!(names(0), ["Motor", "Own"]);
    assert_eq!(names(1), ["Motor", "base.Friction"]);
    assert_eq!(names(2), ["Friction", "Motor", "Own"]);
    let motor = model.diagrams.iter().find(|diagram| diagram.name.value == "Motor").unwrap();
    assert_eq!(motor.outputs[0].value.to_string(), "k * u");
    let kind = &motor.blocks[0].kind;
    let friction = model.diagram(model.resolve(kind.span, &kind.value).unwrap());
    assert_eq!(friction.outputs[0].value.as_word(), Some("w"));
    assert!(model.resolve(model.diagram(model.root).name.span, "base.Friction").is_none());
}

#[test]
fn files_are_read_from_the_disk() {
    let folder = std::env::temp_dir().join(format!("superdense-model-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("sub")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("main.yaml", "superdense: 1\nimport: [sub/part.yaml]\n");
    write("sub/part.yaml", "superdense: 1\nimport: [../main.yaml]\ndiagrams: {Part: {}}\n");
    write("bad.yaml", "superdense: 1\nimport: [none.yaml, latin.yaml]\n");
    std::fs::write(folder.join("latin.yaml"), b"superdense: 1 # \xe4\n").unwrap();
    let model = read(&folder.join("main.yaml")).unwrap_or_else(|refused| panic!("{refused}"));
    let message = read(&folder.join("bad.yaml")).map(|_| ()).unwrap_err().render(false);
    let missing = read(&folder.join("gone.yaml")).map(|_| ()).unwrap_err().render(false);
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!((model.name.as_str(), model.diagrams.len()), ("main", 2));
    assert!(message.contains("none.yaml`: No such file"), "{message}");
    assert!(message.contains("latin.yaml`: it is not UTF-8 (byte 16)"), "{message}");
    assert!(missing.contains("error[cannot-read]"), "{missing}");
}
