//! What the pages of the documentation show is true: models run, commands give the output that is
//! shown, results have the figures, pictures are those that the commands of the page draw.
//!
//! With `SUPERDENSE_BLESS=1` outputs and pictures are renewed instead; figures never are.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::drawing::draw;
use crate::common::figures::{Table, figures};
use crate::common::markdown::{Piece, Placed, pieces};
use crate::common::{files, folders, repository, same_picture, scratch};

/// A page that is being checked in a folder of its own.
struct Check {
    text: String,
    folder: PathBuf,
    /// Where the pictures of pages are.
    pictures: PathBuf,
    faults: Vec<String>,
    /// Outputs and pictures are renewed instead of compared.
    bless: bool,
}

impl Check {
    fn new(name: &str, text: String) -> Check {
        let (folder, bless) = (scratch(&format!("page-{name}")), same_picture::bless());
        copy(&repository().join("models"), &folder.join("models"));
        Check { text, folder, pictures: repository().join("docs/pictures"), faults: vec![], bless }
    }

    fn run(&mut self) {
        let pieces = match pieces(&self.text) {
            Ok(pieces) => pieces,
            Err(wrong) => return self.faults.push(wrong),
        };
        let mut renewed = Vec::new();
        for (index, Placed { line, piece }) in pieces.iter().enumerate() {
            match self.piece(piece, &pieces[index + 1..]) {
                Ok(()) => {}
                Err(Fault::Output { shown, actual }) if self.bless => renewed.push((shown, actual)),
                Err(fault) => self.faults.push(format!("line {line}: {}", fault.text())),
            }
        }
        for (place, text) in renewed.into_iter().rev() {
            self.text.replace_range(place, &text);
        }
    }

    fn piece(&self, piece: &Piece, later: &[Placed]) -> Result<(), Fault> {
        match piece {
            Piece::File { name, text, hidden: true } => {
                self.write(name, text);
                Ok(())
            }
            Piece::File { name, text, hidden: false } => self.save(name, text, later),
            Piece::Sections { of, text } => {
                let whole = fs::read_to_string(self.folder.join(of));
                let whole = whole.map_err(|error| format!("{of}: {error}"))?;
                self.save(of, &with_sections(&whole, text), later)
            }
            Piece::Figures { of, text } => self.figures(of, text),
            Piece::Command { line, output, fails } => {
                let (actual, success) = self.call(line);
                if success == *fails {
                    return Err(format!("`{line}` has not ended as shown:\n{actual}").into());
                }
                match output {
                    Some((shown, place)) if !matches(shown, &actual) => {
                        Err(Fault::Output { shown: place.clone(), actual: lasting(&actual) })
                    }
                    _ => Ok(()),
                }
            }
            Piece::Drawing(wanted) => draw(wanted, &self.folder).map_err(Fault::from),
            Piece::Picture(path) => self.picture(path),
        }
    }

    /// Saves a file. A model that no command of the page looks at is run.
    fn save(&self, name: &str, text: &str, later: &[Placed]) -> Result<(), Fault> {
        self.write(name, text);
        if !name.ends_with(".yaml") || is_used(name, later) {
            return Ok(());
        }
        let (said, success) = self.call(&format!("superdense run {name} --quiet"));
        if success { Ok(()) } else { Err(said.into()) }
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }

    fn figures(&self, of: &str, text: &str) -> Result<(), Fault> {
        let (said, success) = self.call(&format!("superdense run {of} -o figures.csv --quiet"));
        if !success {
            return Err(said.into());
        }
        let table = Table::read(&self.folder.join("figures.csv"));
        let figures = figures(text);
        if figures.is_empty() {
            return Err("no figures".to_owned().into());
        }
        figures.iter().try_for_each(|figure| figure.check(&table)).map_err(Fault::from)
    }

    /// A picture of a page is the one in the file of its name that a command has made.
    fn picture(&self, path: &str) -> Result<(), Fault> {
        let Some((_, own)) = path.split_once("pictures/") else { return Ok(()) };
        let (kept, name) = (self.pictures.join(own), own.rsplit('/').next().expect("a name"));
        if !self.folder.join(name).exists() && is_drawn_by_a_test(name) {
            return Ok(());
        }
        // What the benchmarks draw differs from time to time, and the studio is photographed by its
        // own tests; these pictures only have to be there.
        let elsewhere = own.starts_with("performance/") || own.starts_with("studio/");
        if elsewhere && kept.exists() {
            return Ok(());
        }
        let drawn = fs::read_to_string(self.folder.join(name))
            .map_err(|_| format!("nothing before has drawn {name}"))?;
        same_picture::check(&kept, &drawn, self.bless).map_err(Fault::from)
    }

    /// Calls a command as a shell does: all that it says, and whether it was successful.
    fn call(&self, line: &str) -> (String, bool) {
        let binary = Path::new(env!("CARGO_BIN_EXE_superdense"));
        let mut paths = vec![binary.parent().expect("a folder").to_owned()];
        paths.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        let output = Command::new("sh")
            .args(["-c", &format!("{{ {line}\n}} 2>&1")])
            .current_dir(&self.folder)
            .env("PATH", std::env::join_paths(paths).expect("paths can be joined"))
            .output()
            .expect("a shell can be started");
        (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.success())
    }
}

/// What is wrong with a piece.
enum Fault {
    /// The output of a command is another, here as it is to be shown.
    Output { shown: std::ops::Range<usize>, actual: String },
    /// Anything else.
    Told(String),
}

impl From<String> for Fault {
    fn from(text: String) -> Fault {
        Fault::Told(text)
    }
}

impl Fault {
    fn text(self) -> String {
        match self {
            Fault::Output { actual, .. } => format!("the output is\n{actual}"),
            Fault::Told(text) => text,
        }
    }
}

/// Whether a later command names a file, before it is written again.
fn is_used(name: &str, later: &[Placed]) -> bool {
    for Placed { piece, .. } in later {
        match piece {
            Piece::File { name: other, .. } | Piece::Sections { of: other, .. }
                if other == name =>
            {
                return false;
            }
            Piece::Command { line, .. } if line.split_whitespace().any(|word| word == name) => {
                return true;
            }
            Piece::Figures { of, .. } if of == name => return true,
            _ => {}
        }
    }
    false
}

/// A model with sections in place of its own of the same names.
fn with_sections(model: &str, sections: &str) -> String {
    let begins = |line: &str| line.starts_with(|c: char| c.is_ascii_lowercase());
    let key = |line: &str| line.split(':').next().unwrap_or_default().to_owned();
    let new: Vec<String> = sections.lines().filter(|line| begins(line)).map(key).collect();
    let (mut out, mut keep) = (String::new(), true);
    for line in model.lines() {
        if begins(line) {
            keep = !new.contains(&key(line));
        }
        if keep {
            out += &format!("{line}\n");
        }
    }
    out + sections
}

/// Whether an output is the one that is shown, in which `...` stands for any text, and alone on a
/// line for any lines.
fn matches(shown: &str, actual: &str) -> bool {
    let (shown, actual) = (shown.trim_end(), actual.trim_end());
    let mut rest = actual;
    let parts: Vec<&str> = shown.split("...").collect();
    for (index, part) in parts.iter().enumerate() {
        let last = index + 1 == parts.len();
        match index {
            0 if last => return rest == *part,
            0 => match rest.strip_prefix(part) {
                Some(after) => rest = after,
                None => return false,
            },
            _ if last => return rest.ends_with(part),
            _ => match rest.find(part) {
                Some(at) => rest = &rest[at + part.len()..],
                None => return false,
            },
        }
    }
    true
}

/// An output without what is another at every run or machine: how long it took, and how much.
fn lasting(output: &str) -> String {
    let line = |line: &str| match line {
        _ if line.starts_with("time       ") => {
            "time       ... to run on ..., ... to compile\n".to_owned()
        }
        _ if line.starts_with("size       ") => "size       ...\n".to_owned(),
        _ => format!("{line}\n"),
    };
    output.trim_end().lines().map(line).collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for file in files(from) {
        fs::copy(from.join(&file), to.join(&file)).expect("a file can be copied");
    }
    for folder in folders(from) {
        copy(&from.join(&folder), &to.join(&folder));
    }
}

/// The pages, by their paths in the repository.
fn pages() -> Vec<String> {
    let docs = files(&repository().join("docs"));
    let pages = docs.into_iter().filter(|name| name.ends_with(".md"));
    pages.map(|name| format!("docs/{name}")).chain(["README.md".to_owned()]).collect()
}

#[test]
fn every_snippet_of_the_documentation_is_true() {
    let mut faults = Vec::new();
    for page in pages() {
        let path = repository().join(&page);
        let text = fs::read_to_string(&path).expect("a text");
        let mut check = Check::new(&page.replace('/', "-"), text.clone());
        check.run();
        if check.text != text {
            fs::write(&path, &check.text).expect("a page can be written");
        }
        faults.extend(check.faults.into_iter().map(|fault| format!("{page}, {fault}")));
    }
    let hint = "SUPERDENSE_BLESS=1 renews outputs and pictures";
    assert!(faults.is_empty(), "{}\n{hint}", faults.join("\n"));
}

/// Whether the test of figures draws a picture, and compares it.
fn is_drawn_by_a_test(name: &str) -> bool {
    let test = repository().join("crates/superdense/tests/figures.rs");
    let text = fs::read_to_string(test).unwrap_or_default();
    text.contains(&format!("check(\"{}\"", name.trim_end_matches(".svg")))
}

/// A picture that no page shows would grow old unseen.
#[test]
fn every_picture_is_shown() {
    let texts: Vec<String> = pages()
        .iter()
        .map(|page| fs::read_to_string(repository().join(page)).expect("a text"))
        .collect();
    let pictures = repository().join("docs/pictures");
    assert_eq!(files(&pictures), Vec::<String>::new(), "a folder for each page");
    for folder in folders(&pictures) {
        for picture in files(&pictures.join(&folder)) {
            let path = format!("pictures/{folder}/{picture}");
            assert!(texts.iter().any(|text| text.contains(&path)), "no page shows {path}");
        }
    }
}

const DECAY: &str = "superdense: 1\nblocks:\n  x: {type: Integrator, input: -x, initial: 1}\n";

/// What is wrong with a page of this text.
fn faults(text: &str) -> String {
    let mut check = Check::new("made-up", text.replace("DECAY\n", DECAY));
    check.bless = false;
    check.run();
    check.faults.join("\n")
}

#[test]
fn a_true_page_has_no_faults() {
    let page = "<!-- file: x.yaml -->\n```yaml\nDECAY\n```\n<!-- sections of: x.yaml -->\n\
                ```yaml\nsimulate: {stop: 2, tolerance: 1e-9}\n```\n\
                <!-- figures of: x.yaml -->\n```yaml\n\
                - {signal: x, time: end, value: exp(-2), within: 1e-8}\n```\n\
                ```console\n$ superdense check x.yaml\nx.yaml: ...\n$ superdense run x.yaml\n\
                rows...to t = 2\n...\ntime...\n```\n";
    let faults = faults(page);
    assert!(faults.is_empty(), "{faults}");
}

#[test]
fn a_wrong_page_has_faults() {
    let has = |page: &str, fault: &str| {
        let faults = faults(page);
        assert!(faults.contains(fault), "{page}\n{faults}");
    };
    has("```yaml\nsuperdense: 1\nblocks: {x: {type: Integratr}}\n```\n", "unknown-block");
    has("```yaml\nblocks: {}\n```\n", "line 1: a block of YAML");
    has("```yaml\nDECAY\n", "line 1: no end");
    let file = "<!-- file: x.yaml -->\n```yaml\nDECAY\n```\n";
    let with = |more: &str| format!("{file}{more}");
    let figure = "- {signal: x, time: end, value: exp(-2), within: 1e-3}";
    has(&with(&format!("<!-- figures of: x.yaml -->\n```yaml\n{figure}\n```\n")), "off by 2.3");
    has(&with("<!-- sections of: x.yaml -->\n```yaml\nsimulat: 1\n```\n"), "unknown-field");
    has(&with("```sh\nsuperdense run y.yaml\n```\n"), "has not ended as shown");
    has(&with("<!-- fails -->\n```console\n$ superdense check x.yaml\n```\n"), "not ended as");
    let other = "```console\n$ superdense run x.yaml -o - --quiet\ntime,microstep,y\n...\n```\n";
    has(&with(other), "the output is\ntime,microstep,x");
    has(&with("![x](pictures/made-up/x.svg)\n"), "nothing before has drawn x.svg");
    has(&with("<!-- draw: x.svg of x.csv, panels x -->\n"), "x.csv");
    has(
        &with(
            "<!-- run: superdense run x.yaml -o x.csv -->\n<!-- draw: x.svg of x.csv, panels y -->\n",
        ),
        "`y`",
    );
    let drawn = "<!-- run: superdense run x.yaml --plot ball.svg -->\n";
    has(&with(&format!("{drawn}![x](pictures/readme/ball.svg)\n")), "ball.svg is old");
}
