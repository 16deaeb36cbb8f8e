//! What holds with any features. `test.sh` runs this without features, where it also checks that
//! what is left out is refused.

use std::path::{Path, PathBuf};

use superdense::{
    Backend, BackendUsed, Library, NativeError, Samples, Settings, System, Trace, Writer,
    parse_value, read, traces,
};

fn compile(model: &str, settings: &Settings) -> Result<System, superdense::Refused> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(model);
    System::compile_with(&read(&folder.join("model.yaml"))?, &Library::standard(), settings)
}

fn compiled(model: &str, settings: &Settings) -> System {
    compile(model, settings).unwrap_or_else(|refused| panic!("{refused}"))
}

fn bits(trace: &Trace) -> Vec<Option<u64>> {
    let columns = 0..trace.columns().len();
    let rows = columns.flat_map(|column| (0..trace.len()).map(move |row| (row, column)));
    rows.map(|(row, column)| Some(trace.get(row, column)?[0].to_bits())).collect()
}

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("core");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder.join(name)
}

/// Free flight from the last of twelve bounces on.
#[test]
fn a_ball_bounces() {
    let outcome = compiled("bouncing-ball", &Settings::default()).simulate().expect("a run");
    let (g, e, fall) = (9.81_f64, 0.8_f64, (20.0_f64 / 9.81).sqrt());
    let flight = 12.0 - fall * (1.0 + 8.0 * (1.0 - e.powi(11)));
    let up = e.powi(12) * g * fall;
    let last = |name: &str| outcome.trace.last(name).expect("a value");
    let (v, y) = (up - g * flight, up * flight - g * flight * flight / 2.0);
    assert!((last("v") - v).abs() < 1e-9, "{} is not {v}", last("v"));
    assert!((last("y") - y).abs() < 1e-9, "{} is not {y}", last("y"));
}

/// Native code is never replaced without a word, however often it is asked for.
#[test]
fn native_code_is_used_or_refused() {
    let system = compiled("bouncing-ball", &Settings::default());
    let expected = bits(&system.simulate().expect("a run").trace);
    let mut run = system.begin();
    run.set_backend(Backend::Interpreter).expect("the interpreter");
    for _ in 0..2 {
        let (set, made) = (run.set_backend(Backend::Native), system.compile_native());
        if cfg!(feature = "native") {
            assert_eq!((set, made, run.ran()), (Ok(()), Ok(()), BackendUsed::Native));
        } else {
            let refused = Err(NativeError::NotBuilt);
            assert_eq!(
                (&set, made, run.ran()),
                (&refused, refused.clone(), BackendUsed::Interpreter)
            );
            let message = set.expect_err("no native code").to_string();
            assert!(message.contains("built without native code"), "{message}");
        }
    }
    run.set_backend(Backend::Auto).expect("any backend");
    assert_eq!(bits(&run.finish().expect("a run").trace), expected);
}

/// A run long enough to switch to native code stays on the interpreter if there is none. The model
/// has a section `plots`, which is no obstacle if there are no pictures.
#[test]
fn a_long_run_goes_on_without_native_code_and_pictures() {
    let settings = Settings::default().stop(300.0);
    let mut run = compiled("lorenz", &settings).begin();
    while run.advance_by(1000).expect("a step").is_none() {}
    assert!(cfg!(feature = "native") || run.ran() == BackendUsed::Interpreter);
}

#[test]
fn parquet_is_written_or_refused() {
    let system = compiled("bouncing-ball", &Settings::default());
    let path = scratch("ball.parquet");
    // A test with other features may have left one.
    let _ = std::fs::remove_file(&path);
    let writer = Writer::create(&path, &system.schema(), &system.header());
    if cfg!(feature = "parquet") {
        let mut run = system.begin();
        run.record_to(writer.expect("a file"));
        assert!(run.finish().expect("a run").write_error.is_none());
        assert_eq!(traces::read(&path).expect("a trace").columns().len(), 3);
        return;
    }
    let error = writer.expect_err("no Parquet");
    assert_eq!(error.code(), "not-built");
    assert!(error.to_string().contains("built without Parquet"), "{error}");
    assert!(error.help().contains(".csv"), "{}", error.help());
    assert!(!path.exists());
    let there = scratch("other.parquet");
    std::fs::write(&there, "PAR1").expect("a file");
    assert_eq!(traces::read(&there).expect_err("no Parquet").code(), "not-built");
    assert_eq!(traces::read_tables(&there).expect_err("no Parquet").code(), "not-built");
    let error = Samples::read(&there, &["x".to_owned()], false).expect_err("no Parquet");
    assert!(error.to_string().contains("built without Parquet"), "{error}");
}

#[test]
fn text_formats_are_always_there() {
    let system = compiled("bouncing-ball", &Settings::default());
    let expected = system.simulate().expect("a run").trace;
    for name in ["ball.csv", "ball.json"] {
        let mut run = system.begin();
        let writer = Writer::create(&scratch(name), &system.schema(), &system.header());
        run.record_to(writer.expect("a file"));
        assert!(run.finish().expect("a run").write_error.is_none());
        let found = traces::read(&scratch(name)).expect("a trace");
        assert_eq!(found.last("v"), expected.last("v"), "{name}");
    }
}

/// A plate of (n - 1)^2 cells with a solver for stiff models.
fn plate(n: u32) -> Settings {
    let parameters = vec![("n".to_owned(), parse_value(&n.to_string()).expect("a number"))];
    Settings { parameters, ..Settings::default() }.solver("rodas5p")
}

/// The mode of a plate decays with 8 n^2 sin^2(pi / 2 n), whatever the elimination.
#[test]
fn implicit_solvers_know_dense_matrices() {
    let n = 10.0_f64;
    let settings = plate(n as u32);
    let outcome = compiled("heat-plate", &settings).simulate().expect("a run");
    let rate = 8.0 * n * n * (std::f64::consts::PI / (2.0 * n)).sin().powi(2);
    let (found, expected) = (outcome.trace.last("middle").expect("a value"), (-0.1 * rate).exp());
    assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
}

#[test]
fn large_implicit_models_need_sparse_matrices() {
    let settings = plate(66);
    let found = compile("heat-plate", &settings);
    if cfg!(feature = "sparse") {
        assert_eq!(
            found.map(|system| system.state_count()).map_err(|e| e.to_string()),
            Ok(65 * 65)
        );
        return;
    }
    let message = found.expect_err("a dense matrix").to_string();
    assert!(message.contains("built without sparse elimination"), "{message}");
    assert!(message.contains("4225 states"), "{message}");
}
