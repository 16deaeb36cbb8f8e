//! Tables 1, 2 and 3 of the paper on computational semantics, to the printed digit. The numbers
//! here are those that are printed; what they are compared with is computed from the model.

use std::path::Path;

use superdense::{Evaluations, Library, Settings, Streaming, System, parse_value, read};

/// Eval, time, position, velocity, force of the floor, error of the velocity.
const TABLE_1: &str = "
532 2.5450  0.0037 -1.4381  0       -
533 2.5450 -0.0035 -1.4381  8.5888  0
534 2.5550 -0.0107 -1.4398 11.4717  -
535 2.5550 -0.0179 -1.4377 14.3430  0.0021
536 2.5500 -0.0035 -1.4348  8.5700  -
537 2.5500 -0.0107 -1.4369 11.4555  0.0021
538 2.5475  0.0001 -1.4375  0       -
539 2.5475 -0.0071 -1.4395 10.0333  0.0020
540 2.5462  0.0019 -1.4380  0       -
541 2.5462 -0.0053 -1.4389  9.3125  0.0009
542 2.5456  0.0028 -1.4381  0       -
543 2.5456 -0.0044 -1.4385  8.9508  0.0004";

/// The same and the discrete state.
const TABLE_2: &str = "
532 2.5450  0.0037 -1.4381  0       -      0
533 2.5450 -0.0035 -1.4381  0       0      0
534 2.5550 -0.0107 -1.4521 11.5331  -      1
535 2.5550 -0.0179 -1.4438 14.3980  0.0082 1
536 2.5500 -0.0035 -1.4348  8.5820  -      1
537 2.5500 -0.0107 -1.4369 11.4614  0.0021 1
538 2.5475  0.0001 -1.4375  7.1446  -      1
539 2.5475 -0.0071 -1.4382  0       0.0008 0
540 2.5462  0.0019 -1.4398  6.4386  -      1
541 2.5462 -0.0053 -1.4392  0       0.0006 0";

/// Eval, time, contribution to the velocity by inequality and by state machine, and errors.
const TABLE_3: &str = "
532 2.5450 -0.0140 -0.0140  -      -
533 2.5450 -0.0140 -0.0140  0      0
534 2.5550 -0.0017 -0.0140  -      -
535 2.5550  0.0003 -0.0058  0.0021 0.0082
536 2.5500  0.0032  0.0033  -      -
537 2.5500  0.0012  0.0012  0.0021 0.0021
538 2.5475  0.0006  0.0006  -      -
539 2.5475 -0.0015 -0.0002  0.0020 0.0008
540 2.5462  0.0000 -0.0018  -      -
541 2.5462 -0.0009 -0.0012  0.0009 0.0006
542 2.5456 -0.0000  .       -      -
543 2.5456 -0.0005  .       0.0004 .";

fn ball(machine: &str) -> Evaluations {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/pulled-ball/model.yaml");
    let model = read(&path).expect("the model of the paper");
    let parameters = vec![("machine".to_owned(), parse_value(machine).expect("a number"))];
    let overrides = Settings { parameters, ..Settings::default() };
    let system =
        System::compile_with(&model, &Library::standard(), &overrides).expect("it compiles");
    let streamed = system.stream(&Streaming::default()).expect("streams can express it");
    assert_eq!(streamed.error, None);
    streamed.evaluations
}

/// Whether a computed value is the one that is printed: `-` where there must be none.
fn is_printed(printed: &str, computed: Option<f64>) -> bool {
    match (printed, computed) {
        ("-", computed) => computed.is_none(),
        ("0" | "1", Some(value)) => {
            format!("{value:.4}").trim_start_matches('-') == format!("{printed}.0000")
        }
        (printed, Some(value)) => format!("{value:.4}") == printed,
        (_, None) => false,
    }
}

/// Compares a table with columns of runs; gives how many printed cells were compared.
fn compare(table: &str, columns: &[(&Evaluations, &str)]) -> usize {
    let mut cells = 0;
    for line in table.lines().filter(|line| !line.is_empty()) {
        let mut fields = line.split_whitespace();
        let e: usize = fields.next().and_then(|e| e.parse().ok()).expect("an evaluation");
        for (printed, (run, column)) in fields.zip(columns) {
            if printed == "." {
                continue;
            }
            let computed = run.get(e, column);
            assert!(is_printed(printed, computed), "{column} at {e}: {printed}, not {computed:?}");
            cells += usize::from(printed != "-");
        }
    }
    cells
}

#[test]
fn all_cells_of_the_tables() {
    let (inequality, machine) = (ball("0"), ball("1"));
    let own = |run| ["time", "x", "v", "floor_force", "error(v)", "contact"].map(|c| (run, c));
    let first = compare(TABLE_1, &own(&inequality)[..5]);
    let second = compare(TABLE_2, &own(&machine));
    let both = [
        (&inequality, "time"),
        (&inequality, "contribution(v)"),
        (&machine, "contribution(v)"),
        (&inequality, "error(v)"),
        (&machine, "error(v)"),
    ];
    let third = compare(TABLE_3, &both);
    assert_eq!((first, second, third, first + second + third), (54, 55, 45, 154));
}

/// The numbers of the text: where time stands for pairs of evaluations around 0.5 s, and that the
/// scenario of table 1 repeats around 550 and 560.
#[test]
fn time_holds_for_two_evaluations_and_recedes() {
    let run = ball("0");
    let pairs = [0.5, 0.495, 0.4925, 0.5025, 0.4975, 0.495, 0.505, 0.5, 0.51, 0.505];
    for (index, expected) in pairs.into_iter().enumerate() {
        for e in [100 + 2 * index, 101 + 2 * index] {
            let time = run.get(e, "time").expect("a time");
            assert!((time - expected).abs() < 1e-12, "{e}: {time}, not {expected}");
        }
    }
    assert_eq!(run.reversals()[..4], [102, 104, 108, 110]);
    let free = (544..564).filter(|e| run.get(*e, "contact") == Some(0.0)).collect::<Vec<_>>();
    assert_eq!(free, [550, 552, 560, 562]);
}

/// The work to 3 s; a change in it is a change in every row after the first that differs.
#[test]
fn evaluations_are_counted() {
    assert_eq!((ball("0").len(), ball("1").len()), (1398, 1362));
}
