//! Samples from Parquet files that something else has written.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use base::{ExactTime, parse_decimal};
use parquet::basic::Compression;
use parquet::column::writer::ColumnWriter;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use superdense_trace::{Samples, SamplesError};

/// The values of a column in a row group, and which of its rows have one, if some may be missing.
enum Cells {
    Double(Vec<f64>, Option<Vec<i16>>),
    Single(Vec<f32>),
    Long(Vec<i64>),
    Int(Vec<i32>),
    Bool(Vec<bool>),
}

/// Writes row groups under a schema, as pandas and Polars do: without our metadata.
fn file(name: &str, schema: &str, codec: Compression, groups: &[Vec<Cells>]) -> PathBuf {
    let path =
        std::env::temp_dir().join(format!("superdense-{}-{name}.parquet", std::process::id()));
    let schema = Arc::new(parse_message_type(&format!("message m {{ {schema} }}")).unwrap());
    let properties = Arc::new(WriterProperties::builder().set_compression(codec).build());
    let out = File::create(&path).unwrap();
    let mut writer = SerializedFileWriter::new(out, schema, properties).unwrap();
    for group in groups {
        let mut row_group = writer.next_row_group().unwrap();
        for cells in group {
            let mut column = row_group.next_column().unwrap().unwrap();
            match (column.untyped(), cells) {
                (ColumnWriter::DoubleColumnWriter(own), Cells::Double(values, levels)) => {
                    own.write_batch(values, levels.as_deref(), None)
                }
                (ColumnWriter::FloatColumnWriter(own), Cells::Single(values)) => {
                    own.write_batch(values, None, None)
                }
                (ColumnWriter::Int64ColumnWriter(own), Cells::Long(values)) => {
                    own.write_batch(values, None, None)
                }
                (ColumnWriter::Int32ColumnWriter(own), Cells::Int(values)) => {
                    own.write_batch(values, None, None)
                }
                (ColumnWriter::BoolColumnWriter(own), Cells::Bool(values)) => {
                    own.write_batch(values, None, None)
                }
                _ => panic!("cells of another type"),
            }
            .unwrap();
            column.close().unwrap();
        }
        row_group.close().unwrap();
    }
    writer.close().unwrap();
    path
}

fn read(path: &PathBuf, columns: &[&str]) -> Result<Samples, SamplesError> {
    let columns: Vec<String> = columns.iter().map(|column| (*column).to_owned()).collect();
    let found = Samples::read(path, &columns, false);
    std::fs::remove_file(path).unwrap();
    found
}

fn refusal(path: &PathBuf, columns: &[&str]) -> (String, Option<String>) {
    let error = read(path, columns).expect_err("a refusal");
    let text = error.to_string();
    assert!(text.starts_with(&path.display().to_string()), "{text}");
    (error.reason, error.help)
}

fn times(texts: &[&str]) -> Vec<ExactTime> {
    let time = |text: &&str| ExactTime::from_rational(parse_decimal(text).unwrap()).unwrap();
    texts.iter().map(time).collect()
}

fn doubles(values: &[f64]) -> Cells {
    Cells::Double(values.to_vec(), None)
}

/// A column of each type in two row groups; 0.1 s and 0.3 s are exact, as they would be in CSV.
#[test]
fn every_type_of_number_is_read() {
    let schema = "required double time; required double d; required float f; required int64 l;
        required int32 i (INTEGER(32,false)); required boolean b;";
    let group = |time: &[f64], k: i32| {
        let n = time.len();
        vec![
            doubles(time),
            doubles(&vec![f64::from(k) + 0.5; n]),
            Cells::Single(vec![0.25; n]),
            Cells::Long(vec![-7; n]),
            Cells::Int(vec![-1; n]),
            Cells::Bool(vec![k == 1; n]),
        ]
    };
    for codec in [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::LZ4_RAW] {
        let groups = [group(&[0.0, 0.1], 1), group(&[0.3], 2)];
        let path = file(&format!("types-{codec}"), schema, codec, &groups);
        let samples = read(&path, &["d", "f", "l", "i", "b"]).unwrap();
        assert_eq!(samples.times(), times(&["0", "0.1", "0.3"]));
        assert_eq!(samples.value(1), [1.5, 0.25, -7.0, f64::from(u32::MAX), 1.0]);
        assert_eq!(samples.value(2), [2.5, 0.25, -7.0, f64::from(u32::MAX), 0.0]);
    }
}

/// Times may be of any type of number; those of 32 bits are short decimals too, and one with more
/// digits than an exact number can have is rounded.
#[test]
fn times_are_exact() {
    let plain = Compression::UNCOMPRESSED;
    let with = |name: &str, kind: &str, time: Cells, x: &[f64]| {
        let schema = format!("required {kind} time; required double x;");
        read(&file(name, &schema, plain, &[vec![time, doubles(x)]]), &["x"]).unwrap()
    };
    let single = with("single", "float", Cells::Single(vec![0.1, 0.7]), &[1.0, 2.0]);
    assert_eq!(single.times(), times(&["0.1", "0.7"]));
    let long = with("long", "int64", Cells::Long(vec![-1, 3]), &[1.0, 2.0]);
    assert_eq!(long.times(), times(&["-1", "3"]));
    let tiny = with("tiny", "double", doubles(&[1.2345678901234567e-40, 1e-7]), &[1.0, 2.0]);
    assert_eq!(tiny.times(), times(&["0", "0.0000001"]));
}

#[test]
fn a_missing_value_is_refused_with_its_row() {
    let schema = "required double time; optional double x;";
    let groups = [
        vec![doubles(&[0.0, 1.0]), Cells::Double(vec![5.0, 6.0], Some(vec![1, 1]))],
        vec![doubles(&[2.0, 3.0]), Cells::Double(vec![7.0], Some(vec![1, 0]))],
    ];
    let whole = file("whole", schema, Compression::SNAPPY, &groups[..1]);
    assert_eq!(read(&whole, &["x"]).unwrap().value(1), [6.0]);
    let path = file("missing", schema, Compression::SNAPPY, &groups);
    assert_eq!(refusal(&path, &["x"]).0, "row 4: `x` has no value");
}

#[test]
fn other_tables_are_refused() {
    let plain = Compression::UNCOMPRESSED;
    let table = |name: &str, schema: &str, cells: Vec<Cells>| file(name, schema, plain, &[cells]);
    let two = || vec![doubles(&[0.0, 1.0]), doubles(&[1.0, 2.0])];
    let path = table("column", "required double time; required double speed;", two());
    let (reason, help) = refusal(&path, &["sped"]);
    assert_eq!(reason, "there is no column `sped`");
    assert_eq!(help.as_deref(), Some("did you mean `speed`?"));
    let path = table("no-time", "required double t; required double x;", two());
    assert_eq!(refusal(&path, &["x"]).0, "there is no column `time`");
    let stamps = "required int64 time (TIMESTAMP(MICROS,true)); required double x;";
    let path = table("stamps", stamps, vec![Cells::Long(vec![0, 1]), doubles(&[1.0, 2.0])]);
    assert_eq!(refusal(&path, &["x"]).0, "the column `time` does not hold numbers");
    let schema = "required double time; required double x;";
    let path = table("falling", schema, vec![doubles(&[1.0, 0.5]), doubles(&[1.0, 2.0])]);
    assert!(refusal(&path, &["x"]).0.starts_with("times do not increase"));
    let path = table("nan", schema, vec![doubles(&[0.0, f64::NAN]), doubles(&[1.0, 2.0])]);
    assert_eq!(refusal(&path, &["x"]).0, "row 2: `NaN` is not a time in seconds");
    let path = table("infinite", schema, vec![doubles(&[0.0, 1.0]), doubles(&[1.0, f64::NAN])]);
    assert!(refusal(&path, &["x"]).0.ends_with("is not finite"));
    let path = table("empty", schema, vec![doubles(&[]), doubles(&[])]);
    assert_eq!(refusal(&path, &["x"]).0, "there is no row");
}

/// What is wrong with a CSV file is named by its line, empty lines and the first one counted.
#[test]
fn a_bad_cell_is_named_by_its_line() {
    for (number, (rows, reason)) in [
        ("0,1\n\n1,\n", "line 4: there is no value in column `u`"),
        ("0,1\n1,x\n", "line 3: `x` is not a number"),
        ("0,1\n\n\n1,NaN\n", "line 5: `NaN` is not a finite number"),
        ("0,inf\n", "line 2: `inf` is not a finite number"),
        ("0,1\nnoon,2\n", "line 3: `noon` is not a time in seconds"),
        ("0,1\n2,2\n1,3\n", "line 4: times do not increase: 1 comes after 2"),
        ("0,1\n0,2\n", "line 3: times do not increase: 0 comes after 0"),
        ("0,1\n1,2,3\n", "line 3: 3 fields instead of 2"),
        ("", "there is no row"),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("superdense-cells-{}-{number}.csv", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, format!("time,u\n{rows}")).unwrap();
        assert_eq!(refusal(&path, &["u"]).0, reason);
    }
}
