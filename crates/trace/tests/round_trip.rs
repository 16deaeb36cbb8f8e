//! What is written reads back as the same bits, in every format.

use std::path::Path;

use crate::draws::Draws;
use base::{Elem, Shape, Tag, Time, Type};
use proptest::prelude::*;
use superdense_trace::{
    Column, Format, Header, Impulse, Options, Schema, Trace, Writer, read, read_as, write,
    write_csv,
};

/// What a property draws for a table; rows are made from it by a simple generator.
#[derive(Clone, Debug)]
struct Drawn {
    columns: Vec<(String, Type, usize)>,
    /// The table of each column; 0 for events. Where it is empty all share one.
    tables: Vec<u32>,
    rows: usize,
    start: i128,
    seed: u64,
    parameters: Vec<(String, String)>,
}

fn types() -> impl Strategy<Value = Type> {
    let elem = prop_oneof![Just(Elem::Bool), Just(Elem::Int), Just(Elem::Real)];
    let shape = prop_oneof![
        Just(Shape::Scalar),
        (1u32..4).prop_map(Shape::Vector),
        (1u32..3, 1u32..3).prop_map(|(rows, columns)| Shape::Matrix(rows, columns)),
    ];
    (elem, shape).prop_map(|(elem, shape)| Type { elem, shape })
}

fn tables() -> impl Strategy<Value = Drawn> {
    let name = prop_oneof![
        "[a-z]{1,6}",
        "[ -~]{1,8}",
        Just("time".to_owned()),
        Just("a\nb,\"c\"".to_owned()),
        Just("# größe".to_owned()),
        Just("x.delta0".to_owned()),
        Just("x[0]".to_owned()),
    ];
    let columns = prop::collection::vec((name, types(), 0usize..3), 0..6);
    let parameters = prop::collection::vec(("[a-z]{1,4}", "[ -~]{0,6}"), 0..4);
    let tables = prop_oneof![Just(Vec::new()), prop::collection::vec(0u32..4, 6)];
    (columns, tables, 0usize..40, any::<i64>(), any::<u64>(), parameters).prop_map(
        |(columns, tables, rows, start, seed, parameters)| Drawn {
            columns,
            tables,
            rows,
            start: i128::from(start) << 40,
            seed,
            parameters,
        },
    )
}

fn value(draws: &mut Draws, elem: Elem) -> f64 {
    match (elem, draws.below(8)) {
        (Elem::Bool, n) => f64::from(n >= 4),
        (Elem::Int, n) => n as f64 - 4.0,
        (Elem::Real, 0) => f64::NAN,
        (Elem::Real, 1) => f64::INFINITY,
        (Elem::Real, 2) => -0.0,
        (Elem::Real, 3) => f64::NEG_INFINITY,
        (Elem::Real, _) => f64::from_bits(draws.next()),
    }
}

fn table(drawn: &Drawn) -> Trace {
    let (columns, orders): (Vec<Column>, Vec<usize>) = drawn
        .columns
        .iter()
        .map(|(name, ty, orders)| (Column { name: name.clone(), ty: *ty }, *orders))
        .unzip();
    let mut schema = Schema::new(columns.clone()).with_orders(orders.clone());
    if !drawn.tables.is_empty() {
        let name = |table: &u32| (*table > 0).then(|| format!("region {table}"));
        schema = schema.with_tables(drawn.tables.iter().take(columns.len()).map(name).collect());
    }
    let mut trace = Trace::with_schema(schema);
    trace.set_header(Header {
        model: "a \"model\"\n# two".to_owned(),
        parameters: drawn.parameters.iter().cloned().collect(),
        seed: Some(drawn.seed),
        ..Header::default()
    });
    let mut draws = Draws::new(drawn.seed);
    let (mut time, mut microstep) = (drawn.start, 0);
    for _ in 0..drawn.rows {
        let tag = Tag::new(Time::from_attoseconds(time), microstep);
        let mut draw = |elem, column: &Column| {
            let present = !draws.next().is_multiple_of(3);
            let value: Vec<f64> = (0..column.ty.len()).map(|_| value(&mut draws, elem)).collect();
            present.then_some(value)
        };
        let values: Vec<Option<Vec<f64>>> =
            columns.iter().map(|column| draw(column.ty.elem, column)).collect();
        trace.push(tag, |column| values[column].as_deref());
        for (column, orders) in orders.iter().enumerate() {
            for order in 0..*orders {
                if let Some(weight) = draw(Elem::Real, &columns[column]) {
                    trace.push_impulse(Impulse { tag, column, order, weight });
                }
            }
        }
        if draws.next().is_multiple_of(2) {
            microstep += 1;
        } else {
            (time, microstep) = (time + i128::from(draws.next()), 0);
        }
    }
    trace
}

fn write_as(trace: &Trace, path: &Path, options: Options) {
    let mut writer = Writer::create_as(path, trace.schema(), trace.header(), options).unwrap();
    let mut impulses = trace.impulses().iter().peekable();
    for (row, tag) in trace.tags().iter().enumerate() {
        let mut here = Vec::new();
        while let Some(impulse) = impulses.next_if(|impulse| impulse.tag == *tag) {
            here.push(impulse);
        }
        let impulse = |column, order| {
            let found = here.iter().find(|i| i.column == column && i.order == order);
            found.map(|impulse| &impulse.weight[..])
        };
        writer.push(*tag, |column| trace.get(row, column), impulse).unwrap();
    }
    assert_eq!(writer.rows(), trace.len() as u64);
    writer.finish().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..Default::default() })]

    #[test]
    fn every_format_gives_the_table_back(drawn in tables()) {
        let trace = table(&drawn);
        let folder = tempfile::tempdir().unwrap();
        for format in [Format::Csv, Format::Json, Format::Parquet] {
            let path = folder.path().join("table");
            write_as(&trace, &path, Options { format, comments: true });
            let back = read_as(&path, format).map_err(|e| TestCaseError::fail(e.to_string()))?;
            prop_assert_eq!(&back, &trace, "{:?}", format);
            prop_assert!(back.header().parameters.iter().eq(&trace.header().parameters));
        }
    }

    /// Names that do not look like elements or impulses, and reals and truth values: these are
    /// what plain CSV tells.
    #[test]
    fn plain_csv_gives_the_table_back(mut drawn in tables()) {
        for (index, (name, ty, _)) in drawn.columns.iter_mut().enumerate() {
            *name = format!("{index} {}", name.replace(['[', '.'], "_"));
            ty.elem = Elem::Real;
        }
        drawn.tables.clear();
        let mut trace = table(&drawn);
        trace.set_header(Header::default());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.csv");
        write(&trace, &path).unwrap();
        let mut text = Vec::new();
        write_csv(&trace, &mut text).unwrap();
        prop_assert_eq!(std::fs::read(&path).unwrap(), text);
        prop_assert_eq!(read(&path).map_err(|e| TestCaseError::fail(e.to_string()))?, trace);
    }
}

#[test]
fn plain_csv_tells_truth_values() {
    let column = |name: &str, ty| Column { name: name.to_owned(), ty };
    let mut trace = Trace::new(vec![column("on", Type::BOOL), column("x", Type::REAL)]);
    trace.push(Tag::new(Time::ZERO, 0), |_| Some(&[1.0]));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    write(&trace, &path).unwrap();
    assert_eq!(read(&path).unwrap(), trace);
}

#[test]
fn an_empty_table_reads_back() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.csv", "a.json", "a.parquet"] {
        let path = folder.path().join(name);
        let trace = Trace::new(vec![Column { name: "x".to_owned(), ty: Type::REAL }]);
        write(&trace, &path).unwrap();
        assert_eq!(read(&path).unwrap(), trace, "{name}");
        write(&Trace::default(), &path).unwrap();
        assert_eq!(read(&path).unwrap(), Trace::default(), "{name}");
    }
}

#[test]
fn many_chunks_read_back() {
    let mut trace = Trace::new(vec![Column { name: "x".to_owned(), ty: Type::REAL }]);
    for k in 0..300_000 {
        let tag = Tag::new(Time::from_attoseconds(k * 1_234_567_890_123), 0);
        trace.push(tag, |_| (k % 7 > 0).then_some(&[0.5]));
    }
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.csv", "a.json", "a.parquet"] {
        let path = folder.path().join(name);
        write(&trace, &path).unwrap();
        assert_eq!(read(&path).unwrap(), trace, "{name}");
    }
}

/// A column whose numbers stand for names, one of them in need of quotes, beside a number.
fn labelled() -> Trace {
    let column = |name: &str, ty| Column { name: name.to_owned(), ty };
    let labels = ["free", "at rest, \"down\"", "true"].map(str::to_owned).to_vec();
    let columns = vec![column("state", Type::INT), column("x", Type::REAL)];
    let mut trace = Trace::with_schema(Schema::new(columns).with_labels(0, labels));
    for (time, state) in [Some(0.0), None, Some(1.0), Some(2.0), Some(0.0)].iter().enumerate() {
        let tag = Tag::new(Time::from_f64(time as f64).unwrap(), 0);
        let values = [state.as_ref().map(std::slice::from_ref), Some(&[0.5][..])];
        trace.push(tag, |column| values[column]);
    }
    trace
}

#[test]
fn names_come_back_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let trace = labelled();
    assert_eq!(trace.label(2, 0), Some("at rest, \"down\""));
    assert_eq!((trace.label(1, 0), trace.label(0, 1)), (None, None), "absent, and no names");
    for format in [Format::Csv, Format::Json, Format::Parquet] {
        let path = folder.path().join("table");
        write_as(&trace, &path, Options { format, comments: true });
        assert_eq!(read_as(&path, format).unwrap(), trace, "{format:?}");
    }
    let mut text = Vec::new();
    write_csv(&trace, &mut text).unwrap();
    let expected = "time,microstep,state,x\n0,0,free,0.5\n1,0,,0.5\n\
                    2,0,\"at rest, \"\"down\"\"\",0.5\n3,0,true,0.5\n4,0,free,0.5\n";
    assert_eq!(String::from_utf8(text).unwrap(), expected);
}

/// The states of several machines: the elements of a vector stand for names, too, in every format
/// and in a CSV file without comments.
#[test]
fn elements_of_a_vector_have_names() {
    let folder = tempfile::tempdir().unwrap();
    let columns = vec![Column { name: "s".to_owned(), ty: Type::vector(3).with_elem(Elem::Int) }];
    let labels = ["off", "on"].map(str::to_owned).to_vec();
    let mut trace = Trace::with_schema(Schema::new(columns).with_labels(0, labels));
    for (time, states) in [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0]].iter().enumerate() {
        let tag = Tag::new(Time::from_f64(time as f64).unwrap(), 0);
        trace.push(tag, |_| Some(&states[..]));
    }
    for format in [Format::Csv, Format::Json, Format::Parquet] {
        let path = folder.path().join("table");
        write_as(&trace, &path, Options { format, comments: true });
        assert_eq!(read_as(&path, format).unwrap(), trace, "{format:?}");
    }
    let mut text = Vec::new();
    write_csv(&trace, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert_eq!(text, "time,microstep,s[0],s[1],s[2]\n0,0,off,off,on\n1,0,on,off,on\n");
    let path = folder.path().join("plain.csv");
    std::fs::write(&path, &text).unwrap();
    let plain = read(&path).unwrap();
    assert_eq!(plain.schema().labels(0), ["off", "on"]);
    assert_eq!(plain.get(1, 0), Some(&[1.0, 0.0, 1.0][..]));
    std::fs::write(&path, text + "2,0,off,2,on\n").unwrap();
    let error = read(&path).unwrap_err().to_string();
    assert!(error.contains("line 4: `2` stands among names"), "{error}");
}

#[test]
fn a_number_without_a_name_stays_a_number() {
    let folder = tempfile::tempdir().unwrap();
    for value in [7.0, -1.0, f64::NAN] {
        let mut trace = labelled();
        trace.push(Tag::new(Time::from_f64(9.0).unwrap(), 0), |_| {
            Some(std::slice::from_ref(&value))
        });
        for format in [Format::Csv, Format::Json, Format::Parquet] {
            let path = folder.path().join("table");
            write_as(&trace, &path, Options { format, comments: true });
            assert_eq!(read_as(&path, format).unwrap(), trace, "{format:?}");
        }
    }
}

#[test]
fn plain_csv_tells_names_in_the_order_in_which_they_come() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    std::fs::write(&path, "time,microstep,m.state,x\n0,0,,1\n1,0,rest,2\n2,0,free,3\n3,0,rest,4\n")
        .unwrap();
    let trace = read(&path).unwrap();
    assert_eq!(trace.schema().labels(0), ["rest", "free"]);
    assert_eq!(trace.columns()[0].ty, Type::INT);
    let names: Vec<_> = (0..4).map(|row| trace.label(row, 0)).collect();
    assert_eq!(names, [None, Some("rest"), Some("free"), Some("rest")]);
    std::fs::write(&path, "time,microstep,m.state\n0,0,rest\n1,0,2\n").unwrap();
    let error = read(&path).unwrap_err().to_string();
    assert!(error.contains("line 3: `2` stands among names"), "{error}");
    std::fs::write(&path, "time,microstep,on\n0,0,true\n1,0,rest\n").unwrap();
    let error = read(&path).unwrap_err().to_string();
    assert!(error.contains("line 3: `rest` is no number"), "{error}");
}

#[test]
fn files_from_before_there_were_names_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.json");
    let text = r#"{"superdense-trace": 1, "header": {}, "columns": [{"name": "m.state",
        "element": "integer", "shape": [], "orders": 0}],
        "rows": [{"t":"0","n":0,"v":[1]}], "count": 1}"#;
    std::fs::write(&path, text).unwrap();
    let trace = read(&path).unwrap();
    assert_eq!((trace.last("m.state"), trace.schema().labels(0).len()), (Some(1.0), 0));
}
