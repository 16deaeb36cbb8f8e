//! Several tables in one file: each has its own rows, and they join.

use std::path::Path;

use base::{Tag, Time, Type};
use superdense_trace::{
    Column, Header, Schema, Tolerance, Trace, Writer, compare, read, read_tables,
};

/// A line in region 1 with rows at whole seconds, a parabola in region 2 with rows at halves, an
/// event of region 2, and an impulse of it.
fn schema() -> Schema {
    let column = |name: &str| Column { name: name.to_owned(), ty: Type::REAL };
    let columns = ["line", "parabola", "event"].map(column).to_vec();
    let tables = [Some("region 1"), Some("region 2"), None];
    Schema::new(columns)
        .with_orders(vec![0, 1, 0])
        .with_tables(tables.map(|table| table.map(str::to_owned)).to_vec())
}

fn tag(halves: i32, microstep: u32) -> Tag {
    Tag::new(Time::from_f64(f64::from(halves) / 2.0).unwrap(), microstep)
}

fn write(path: &Path) {
    let mut writer = Writer::create(path, &schema(), &Header::default()).unwrap();
    assert_eq!(writer.is_joined(), path.extension().unwrap() == "csv");
    for halves in 0..=4 {
        for microstep in 0..if halves == 3 { 3 } else { 1 } {
            let t = f64::from(halves) / 2.0;
            let (line, parabola) = ([2.0 * t], [t * t]);
            let is_event = halves == 3 && microstep == 1;
            let covers = |column: usize| column > 0 || halves % 2 == 0 || writer_is_csv(path);
            let value = |column: usize| match column {
                0 => Some(&line[..]),
                1 => Some(&parabola[..]),
                _ => is_event.then_some(&[7.0][..]),
            };
            let impulse = |column: usize, _| (column == 1 && is_event).then_some(&[0.5][..]);
            writer.push_some(tag(halves, microstep), (covers, None), value, impulse).unwrap();
        }
    }
    writer.finish().unwrap();
}

fn writer_is_csv(path: &Path) -> bool {
    path.extension().unwrap() == "csv"
}

/// Calls a function with a file in each of the formats that keep the tables apart.
fn for_each_file(check: impl Fn(&Path)) {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.parquet", "a.json"] {
        let path = folder.path().join(name);
        write(&path);
        check(&path);
    }
}

#[test]
fn each_table_has_its_own_rows() {
    for_each_file(|path| {
        let tables = read_tables(path).unwrap();
        let names: Vec<&str> = tables.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["region 1", "region 2", "events", "impulses"]);
        let table = |index: usize| &tables[index].1;
        assert_eq!(table(0).tags(), [tag(0, 0), tag(2, 0), tag(4, 0)]);
        assert_eq!(table(0).series("line")[1], (tag(2, 0), 2.0));
        let own = [tag(0, 0), tag(1, 0), tag(2, 0), tag(3, 0), tag(3, 1), tag(3, 2), tag(4, 0)];
        assert_eq!(table(1).tags(), own);
        assert_eq!(table(1).columns().len(), 1);
        assert_eq!(table(2).series("event"), [(tag(3, 1), 7.0)]);
        assert_eq!(table(2).len(), 1);
        let impulse = &table(3).impulses()[0];
        assert_eq!((impulse.tag, impulse.order, impulse.weight[0]), (tag(3, 1), 0, 0.5));
    });
}

#[test]
fn joined_tables_are_filled_in_by_straight_lines() {
    for_each_file(|path| {
        let joined = read(path).unwrap();
        assert_eq!(joined.len(), 7);
        for (row, tag) in joined.tags().iter().enumerate() {
            let t = tag.time.seconds();
            assert_eq!(joined.get(row, 0), Some(&[2.0 * t][..]), "{tag}");
            assert_eq!(joined.get(row, 1), Some(&[t * t][..]), "{tag}");
            assert_eq!(joined.is_filled(row, 0), t.fract() != 0.0, "{tag}");
            assert!(!joined.is_filled(row, 1));
        }
        assert_eq!(joined.series("event"), [(tag(3, 1), 7.0)]);
        assert_eq!(joined.impulses().len(), 1);
        assert_eq!(joined.impulses()[0].column, 1);
    });
}

#[test]
fn the_joined_file_and_the_tables_agree() {
    let folder = tempfile::tempdir().unwrap();
    let read_as = |name: &str| -> Trace {
        let path = folder.path().join(name);
        write(&path);
        read(&path).unwrap()
    };
    let (csv, parquet, json) = (read_as("a.csv"), read_as("a.parquet"), read_as("a.json"));
    assert!(compare(&csv, &parquet, Tolerance::EXACT).agrees());
    assert!(compare(&parquet, &json, Tolerance::EXACT).agrees());
}

#[test]
fn a_joined_file_is_one_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    write(&path);
    let tables = read_tables(&path).unwrap();
    assert_eq!((tables.len(), tables[0].0.as_str(), tables[0].1.len()), (1, "signals", 7));
}

/// A row of a table that there is not is a damaged file, not a panic.
#[test]
fn a_row_of_no_table_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    write(&path);
    let text = std::fs::read_to_string(&path).unwrap();
    for (from, to) in [
        ("\"table\":\"region 1\",\"t\"", "\"table\":\"region 9\",\"t\""),
        ("\"table\":\"region 1\",\"t\"", "\"t\""),
        ("\"table\":\"region 1\",\"t\"", "\"table\":\"impulses\",\"t\""),
        ("\"table\":\"region 2\"}", "\"table\":\"impulses\"}"),
        ("\"d\":[[1,0,0.5]]", "\"d\":[[0,0,0.5]]"),
        ("\"d\":[[1,0,0.5]]", "\"d\":[[9,0,0.5]]"),
    ] {
        assert!(text.contains(from), "{from}");
        std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
        assert!(read(&path).is_err(), "{to}");
    }
}
