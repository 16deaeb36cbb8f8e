//! Texts of models and bytes of traces, changed at random.

use std::fs;
use std::path::Path;

use crate::common::draws::Draws;

/// Values that are at the edge of something.
const EDGES: [&str; 44] = [
    "0",
    "-0",
    "-1",
    "1e300",
    "-1e300",
    "1e-300",
    "1e308 * 10",
    "5e-324",
    "1e18",
    "1e-18",
    "1e-19",
    "9223372036854775807",
    "1/3",
    "0/0",
    "[]",
    "[[]]",
    "[1]",
    "[1, 2]",
    "[[1, 2], [3, 4]]",
    "[[1, 2], [3]]",
    "''",
    "' '",
    "null",
    "true",
    "false",
    "{}",
    "{a: 1}",
    "time",
    "previous(x)",
    "left(x)",
    "delta(x)",
    "present(x)",
    "sin(1e17 * time)",
    "1 / (time - 0.5)",
    "log(time - 0.5)",
    "floor(1e6 * time)",
    "if time > 0.5 then 1 else 0",
    "x[0]",
    "x[99]",
    "(((((1)))))",
    "1 +",
    "\"",
    "&a",
    "*a",
];

/// What mutations are made of.
pub struct Corpus {
    models: Vec<String>,
    /// Words of the models, for one in the place of another.
    words: Vec<String>,
    /// Traces by their names.
    pub traces: Vec<(String, Vec<u8>)>,
}

impl Corpus {
    /// All models of the gallery, the standard library and all examples of the pages, and traces of one of them.
    pub fn new(repository: &Path) -> Corpus {
        let mut models = Vec::new();
        gather(&repository.join("models"), "yaml", &mut |text| models.push(text));
        gather(&repository.join("library"), "yaml", &mut |text| models.push(text));
        gather(&repository.join("docs"), "md", &mut |text| {
            let parts = text.split("```yaml\n").skip(1);
            models.extend(parts.filter_map(|part| Some(part.split_once("```")?.0.to_owned())));
        });
        models.retain(|model| model.starts_with("superdense:") && model.len() < 20_000);
        assert!(models.len() > 30, "there are models to change");
        let mut words: Vec<String> = models.iter().flat_map(|model| split(model)).collect();
        words.sort_unstable();
        words.dedup();
        Corpus { models, words, traces: traces(repository) }
    }

    /// A model with up to eight changes.
    pub fn mutated(&self, draws: &mut Draws) -> String {
        let mut text = draws.pick(&self.models).clone();
        let most = 1 + draws.below(8);
        for _ in 0..1 + draws.below(most) {
            text = self.changed(&text, draws);
        }
        text
    }

    fn changed(&self, text: &str, draws: &mut Draws) -> String {
        let mut lines: Vec<&str> = text.lines().collect();
        if lines.is_empty() {
            return text.to_owned();
        }
        let (i, j) = (draws.place(lines.len()), draws.place(lines.len()));
        match draws.below(12) {
            0 => drop(lines.remove(i)),
            1 => lines.insert(i, lines[j]),
            2 => lines.swap(i, j),
            3 => lines.truncate(i + 1),
            4 => {
                return text.replacen(
                    lines[i],
                    draws.pick(&self.models).lines().last().unwrap_or(""),
                    1,
                );
            }
            5 => {
                return bytes(text.as_bytes(), draws)
                    .iter()
                    .map(|byte| char::from(*byte))
                    .collect();
            }
            6..=8 => {
                let numbers: Vec<(usize, &str)> = numbers(text);
                if numbers.is_empty() {
                    return text.to_owned();
                }
                let (at, number) = *draws.pick(&numbers);
                let edge = *draws.pick(&EDGES);
                return [&text[..at], edge, &text[at + number.len()..]].concat();
            }
            _ => {
                let own = split(text);
                if own.is_empty() {
                    return text.to_owned();
                }
                let from = draws.pick(&own).clone();
                let to =
                    if draws.below(3) == 0 { draws.pick(&self.words) } else { draws.pick(&own) };
                return text.replacen(&from, to, 1 + draws.place(2));
            }
        }
        lines.join("\n")
    }
}

/// Bytes with some of them changed, taken out, doubled or cut off.
pub fn bytes(bytes: &[u8], draws: &mut Draws) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    for _ in 0..1 + draws.below(4) {
        if changed.is_empty() {
            break;
        }
        let at = draws.place(changed.len());
        match draws.below(5) {
            0 => changed[at] = draws.next() as u8,
            1 => changed[at] ^= 1 << draws.below(8),
            2 => drop(changed.remove(at)),
            3 => changed.insert(at, changed[at]),
            _ => {
                let end = (at + draws.place(64)).min(changed.len());
                drop(changed.drain(at..end));
            }
        }
    }
    changed
}

/// Numbers of a text and where they begin.
fn numbers(text: &str) -> Vec<(usize, &str)> {
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(begin) = text[from..].find(|c: char| c.is_ascii_digit()).map(|at| from + at) {
        let end = text[begin..].find(|c: char| !is_part(c)).map_or(text.len(), |at| begin + at);
        found.push((begin, &text[begin..end]));
        from = end;
    }
    found
}

fn split(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn gather(folder: &Path, ending: &str, take: &mut dyn FnMut(String)) {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("a folder can be listed").path();
        if path.is_dir() {
            gather(&path, ending, take);
        } else if path.extension().is_some_and(|found| found == ending) {
            take(fs::read_to_string(&path).expect("a text"));
        }
    }
}

fn traces(repository: &Path) -> Vec<(String, Vec<u8>)> {
    let folder = super::scratch("fuzz-traces");
    let model = repository.join("models/bouncing-ball/model.yaml");
    let model = model.to_str().expect("a path of text");
    let names = ["trace.csv", "trace.json", "trace.parquet"];
    let written = names.map(|name| {
        let output = crate::common::superdense(&folder, &["run", model, "--quiet", "-o", name]);
        assert!(output.status.success());
        (name.to_owned(), fs::read(folder.join(name)).expect("a trace"))
    });
    let _ = fs::remove_dir_all(&folder);
    written.into()
}
