//! A file is complete or absent, and what is not a whole trace is told with a reason.

use std::fs;
use std::path::{Path, PathBuf};

use base::{Tag, Time, Type};
use superdense_trace::{
    Column, Format, Header, Impulse, Options, ReadProblem, Trace, Writer, read, read_as, write,
};

const NAMES: [&str; 3] = ["a.csv", "a.json", "a.parquet"];

fn ramp(rows: u32) -> Trace {
    let column = |name: &str, ty| Column { name: name.to_owned(), ty };
    let mut trace = Trace::new(vec![column("x", Type::vector(2)), column("on", Type::BOOL)]);
    for row in 0..rows {
        let tag = Tag::new(Time::from_f64(f64::from(row) * 0.125).unwrap(), 0);
        let value = [f64::from(row) / 3.0, -1.0];
        trace.push(tag, |column| Some(if column == 0 { &value[..] } else { &[1.0] }));
        trace.push_impulse(Impulse { tag, column: 0, order: 0, weight: vec![0.1, 0.2] });
    }
    trace.set_header(Header { model: "ramp".to_owned(), ..Header::default() });
    trace
}

fn files(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// Writes a file anew; some file systems wait for the disk where one is written over.
fn put(path: &Path, bytes: &[u8]) {
    let _ = fs::remove_file(path);
    fs::write(path, bytes).unwrap();
}

/// A folder in which something is at a name already.
fn with_old(name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, "old").unwrap();
    (folder, path)
}

fn start(path: &Path) -> Writer {
    let trace = ramp(1);
    let options = Options { format: Format::of(path).unwrap(), comments: true };
    Writer::create_as(path, trace.schema(), trace.header(), options).unwrap()
}

fn push(writer: &mut Writer, rows: i128) {
    for k in 0..rows {
        let tag = Tag::new(Time::from_attoseconds(k), 0);
        writer
            .push(tag, |c| Some(if c == 0 { &[1.0, 2.0][..] } else { &[0.0] }), |_, _| None)
            .unwrap();
    }
}

/// A folder in which something is at a name already, and a writer that has rows for that name.
fn over_old(name: &str, rows: i128) -> (tempfile::TempDir, PathBuf, Writer) {
    let (folder, path) = with_old(name);
    let mut writer = start(&path);
    push(&mut writer, rows);
    (folder, path, writer)
}

#[test]
fn a_dropped_writer_leaves_what_was_there() {
    for name in NAMES {
        let (folder, path, writer) = over_old(name, 200_000);
        assert_eq!(files(folder.path()).len(), 2);
        drop(writer);
        assert_eq!(files(folder.path()), std::slice::from_ref(&path));
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    }
}

#[test]
fn a_finished_writer_replaces_what_was_there() {
    for name in NAMES {
        let (folder, path, writer) = over_old(name, 3000);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        writer.finish().unwrap();
        assert_eq!(files(folder.path()), std::slice::from_ref(&path));
        assert_eq!(read(&path).unwrap().len(), 3000);
    }
}

/// Starts this test again as a process that writes without end, and kills it.
#[test]
fn a_killed_process_leaves_what_was_there() {
    if let Some(path) = std::env::var_os("TRACE_TO_BE_KILLED") {
        let mut writer = start(Path::new(&path));
        loop {
            push(&mut writer, 1);
        }
    }
    let (folder, path) = with_old("a.csv");
    let mut child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "files::a_killed_process_leaves_what_was_there"])
        .env("TRACE_TO_BE_KILLED", &path)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let grows = |file: &PathBuf| *file != path && fs::metadata(file).unwrap().len() > 100_000;
    while !files(folder.path()).iter().any(grows) {
        assert!(child.try_wait().unwrap().is_none(), "it writes without end");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(files(folder.path()).len(), 2);
}

#[test]
fn a_link_stays_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (folder.path().join("a.csv"), folder.path().join("b.csv"));
    fs::write(&path, "old").unwrap();
    std::os::unix::fs::symlink(&path, &link).unwrap();
    write(&ramp(2), &link).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(read(&path).unwrap().len(), 2);
}

#[test]
fn what_cannot_be_written_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let code = |path: &Path| write(&ramp(2), path).unwrap_err().code();
    assert_eq!(code(&folder.path().join("missing/a.csv")), "trace-unwritable");
    assert_eq!(code(&folder.path().join("a.xls")), "trace-format");
    let directory = folder.path().join("d.csv");
    fs::create_dir(&directory).unwrap();
    assert_eq!(code(&directory), "trace-unwritable");
    let path = folder.path().join("a.csv");
    fs::write(&path, "old").unwrap();
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    assert_eq!(code(&path), "trace-unwritable");
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(files(folder.path()).len(), 2);
}

/// `/dev/full` has no room, and is no file that another could take the name of.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_told() {
    let trace = ramp(100_000);
    for format in [Format::Csv, Format::Json, Format::Parquet] {
        let options = Options::new(format);
        let path = Path::new("/dev/full");
        let error = match Writer::create_as(path, trace.schema(), trace.header(), options) {
            Err(error) => error,
            Ok(mut writer) => {
                let mut push = |row: usize| {
                    let tag = trace.tags()[row];
                    writer.push(tag, |column| trace.get(row, column), |_, _| None)
                };
                match (0..trace.len()).try_for_each(&mut push) {
                    Err(error) => error,
                    Ok(()) => writer.finish().unwrap_err(),
                }
            }
        };
        assert_eq!(error.code(), "trace-disk-full", "{format:?}: {error}");
        assert!(fs::metadata(path).is_ok());
    }
}

#[test]
fn every_cut_is_told() {
    let folder = tempfile::tempdir().unwrap();
    for name in NAMES {
        let path = folder.path().join(name);
        let trace = ramp(20);
        let options = Options { format: Format::of(&path).unwrap(), comments: true };
        let mut writer = Writer::create_as(&path, trace.schema(), trace.header(), options).unwrap();
        push(&mut writer, 20);
        writer.finish().unwrap();
        let whole = fs::read(&path).unwrap();
        for length in 0..whole.len() - 1 {
            put(&path, &whole[..length]);
            let error = read(&path).unwrap_err();
            assert_eq!(error.code(), "trace-cut", "{length} of {}: {error}", whole.len());
        }
    }
}

#[test]
fn plain_csv_that_is_cut_inside_a_line_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    write(&ramp(3), &path).unwrap();
    let whole = fs::read(&path).unwrap();
    for length in 1..whole.len() {
        put(&path, &whole[..length]);
        match (whole[length - 1], read(&path)) {
            (b'\n', Ok(trace)) => assert!(trace.len() < 3),
            (b'\n', Err(error)) => panic!("{error}"),
            (_, result) => assert_eq!(result.unwrap_err().code(), "trace-cut"),
        }
    }
}

#[test]
fn another_version_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let header = "{\"superdense-trace\": 2, \"rows\": []}";
    let path = folder.path().join("a.json");
    fs::write(&path, header).unwrap();
    let error = read(&path).unwrap_err();
    assert_eq!(error.code(), "trace-version");
    assert!(error.to_string().contains("has layout 2, and this version reads 1"), "{error}");
    let path = folder.path().join("a.csv");
    fs::write(&path, "# superdense-trace: 2\ntime,microstep\n").unwrap();
    assert_eq!(read(&path).unwrap_err().code(), "trace-version");
    let path = folder.path().join("a.parquet");
    write(&ramp(3), &path).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    let key = b"superdense.trace";
    let at = bytes.windows(key.len()).position(|window| window == key).unwrap() + key.len();
    let digit = at + bytes[at..].iter().position(|byte| *byte == b'1').unwrap();
    bytes[digit] = b'2';
    fs::write(&path, bytes).unwrap();
    assert_eq!(read(&path).unwrap_err().code(), "trace-version");
}

#[test]
fn something_else_is_told() {
    let folder = tempfile::tempdir().unwrap();
    for name in NAMES {
        for content in
            ["a,b\n1,2\n", "{\"a\": 1}", "PK\u{3}\u{4} and more than twelve bytes", "[1, 2]"]
        {
            let path = folder.path().join(name);
            fs::write(&path, content).unwrap();
            let error = read(&path).unwrap_err();
            assert_eq!(error.code(), "not-a-trace", "{name} {content}: {error}");
        }
        let error = read(&folder.path().join(format!("missing-{name}"))).unwrap_err();
        assert_eq!(error.code(), "trace-unreadable");
    }
    assert_eq!(read(&folder.path().join("a.xls")).unwrap_err().code(), "trace-format");
    let path = folder.path().join("b.csv");
    fs::write(&path, b"\xff\xfe\x00\n").unwrap();
    assert_eq!(read(&path).unwrap_err().code(), "not-a-trace");
}

#[test]
fn a_line_that_is_wrong_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let cases = [
        ("0,0,1\n1,0\n", "line 3: 2 fields instead of 3"),
        ("0,0,1\n1,0,one\n", "line 3: `one` is no number"),
        ("0,0,1\nnow,0,1\n", "line 3: `now` is no time"),
        ("0,-1,1\n", "line 2: `-1` is no microstep"),
        ("1,0,1\n0,0,1\n", "line 3: the tag (0, 0) goes back"),
    ];
    for (rows, expected) in cases {
        fs::write(&path, format!("time,microstep,x\n{rows}")).unwrap();
        let error = read(&path).unwrap_err();
        assert_eq!(error.code(), "trace-damaged");
        assert!(error.to_string().ends_with(expected), "{error}");
    }
}

/// No change of a byte makes the reader stop the program.
#[test]
fn a_changed_byte_is_no_crash() {
    let folder = tempfile::tempdir().unwrap();
    for name in NAMES {
        let path = folder.path().join(name);
        write(&ramp(5), &path).unwrap();
        let whole = fs::read(&path).unwrap();
        let mut damaged = 0;
        for at in (0..whole.len()).step_by(3) {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x15;
            put(&path, &bytes);
            damaged += usize::from(read(&path).is_err());
        }
        assert!(damaged > whole.len() / 30, "{damaged} of {}", whole.len());
    }
}

#[test]
fn rows_that_are_missing_in_the_middle_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    write(&ramp(3), &path).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let without: Vec<&str> = text.lines().filter(|line| !line.contains("\"0.125\"")).collect();
    fs::write(&path, without.join("\n")).unwrap();
    let error = read_as(&path, Format::Json).unwrap_err();
    assert!(matches!(error.problem, ReadProblem::Damaged(_)), "{error}");
    assert!(error.diagnostic().help.is_some());
}

#[test]
fn the_time_of_a_parquet_file_is_a_double_beside_the_exact_one() {
    use parquet::basic::Type as Physical;
    use parquet::file::reader::{FileReader, SerializedFileReader};

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    write(&ramp(5), &path).unwrap();
    let reader = SerializedFileReader::new(fs::File::open(&path).unwrap()).unwrap();
    let columns = reader.metadata().file_metadata().schema_descr().columns().to_vec();
    let first: Vec<(&str, Physical)> =
        columns[..3].iter().map(|column| (column.name(), column.physical_type())).collect();
    let expected = [
        ("time", Physical::DOUBLE),
        ("exact_time", Physical::FIXED_LEN_BYTE_ARRAY),
        ("microstep", Physical::INT32),
    ];
    assert_eq!(first, expected);
    assert_eq!(read(&path).unwrap(), ramp(5));
}

#[test]
fn a_parquet_file_with_the_exact_time_first_is_still_read() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/exact-time-first.parquet");
    let trace = read(&path).unwrap();
    assert_eq!(trace.header().model, "old");
    let third = Tag::new(Time::from_attoseconds(333_333_333_333_333_333), 1);
    assert_eq!(trace.tags()[0], Tag::new(Time::ZERO, 0));
    assert_eq!(trace.last("x"), Some(0.9999999999999999));
    assert_eq!(
        trace.series("count"),
        [
            (third, 1.0),
            (Tag::new(Time::from_attoseconds(666_666_666_666_666_667), 1), 2.0),
            (Tag::new(Time::from_f64(1.0).unwrap(), 1), 3.0),
        ]
    );
}
