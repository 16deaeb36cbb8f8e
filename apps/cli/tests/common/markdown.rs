//! The parts of a Markdown page that can be checked: files, commands with their output, figures
//! and pictures. How a page marks them is told in `docs/README.md`.

use std::ops::Range;

/// One thing of a page, in the order of the page.
#[derive(Debug)]
pub enum Piece {
    /// A file that is saved under this name; the reader may not see it.
    File { name: String, text: String, hidden: bool },
    /// Sections that take the place of those in a file.
    Sections { of: String, text: String },
    /// What the result of a model must have.
    Figures { of: String, text: String },
    /// A command; where its output is shown, that output and where it stands in the page.
    Command { line: String, output: Option<(String, Range<usize>)>, fails: bool },
    /// A picture of a saved trace that is drawn in a way that `drawing.rs` tells.
    Drawing(String),
    /// A picture, by its path as it is written.
    Picture(String),
}

/// A piece and the line of the page on which it begins, counted from 1.
#[derive(Debug)]
pub struct Placed {
    pub line: usize,
    pub piece: Piece,
}

/// A code block between its fences, with the comment on the line before.
struct Block<'t> {
    mark: Option<&'t str>,
    language: &'t str,
    text: &'t str,
    at: usize,
}

/// The pieces of a page, or what is wrong with it.
pub fn pieces(page: &str) -> Result<Vec<Placed>, String> {
    let mut out = Vec::new();
    let (mut at, mut unnamed) = (0, 0);
    let mut mark = None;
    while at < page.len() {
        let (line, next) = line_at(page, at);
        let number = page[..at].matches('\n').count() + 1;
        let place = |piece| Placed { line: number, piece };
        if let Some(language) = line.strip_prefix("```") {
            let end = page[next..].find("\n```").ok_or(format!("line {number}: no end"))?;
            let text = &page[next..next + end + 1];
            let block = Block { mark: mark.take(), language, text, at: next };
            let found = block.pieces(&mut unnamed).map_err(|e| format!("line {number}: {e}"))?;
            out.extend(found.into_iter().map(place));
            at = line_at(page, next + end + 1).1;
            continue;
        }
        if line.starts_with("<!-- ") {
            let ends = [" -->\n", "\n-->\n"].map(|end| page[at..].find(end));
            let end = at
                + ends
                    .into_iter()
                    .flatten()
                    .min()
                    .ok_or(format!("line {number}: no end of the comment"))?;
            let comment = &page[at + "<!-- ".len()..end];
            match hidden(comment) {
                Some(piece) => out.push(place(piece)),
                None => mark = Some(comment),
            }
            at = page[end..].find("-->\n").map_or(page.len(), |found| end + found + 4);
            continue;
        }
        out.extend(pictures(line).map(|path| place(Piece::Picture(path.to_owned()))));
        at = next;
    }
    Ok(out)
}

/// The piece that a comment holds in itself; other comments mark the block that follows.
fn hidden(comment: &str) -> Option<Piece> {
    let (kind, rest) = comment.split_once(": ")?;
    match (kind, rest.split_once('\n')) {
        ("run", _) => Some(Piece::Command { line: rest.to_owned(), output: None, fails: false }),
        ("draw", _) => Some(Piece::Drawing(rest.to_owned())),
        ("file", Some((name, text))) => {
            let (name, text) = (name.to_owned(), format!("{text}\n"));
            Some(Piece::File { name, text, hidden: true })
        }
        _ => None,
    }
}

/// The line that begins at a byte, and where the next begins.
fn line_at(page: &str, at: usize) -> (&str, usize) {
    match page[at..].find('\n') {
        Some(end) => (&page[at..at + end], at + end + 1),
        None => (&page[at..], page.len()),
    }
}

fn pictures(line: &str) -> impl Iterator<Item = &str> {
    let written =
        line.split("![").skip(1).filter_map(|rest| rest.split_once("](")?.1.split_once(')'));
    let tagged = line.split("<img src=\"").skip(1).filter_map(|rest| rest.split_once('"'));
    written.chain(tagged).map(|(path, _)| path)
}

impl Block<'_> {
    fn pieces(&self, unnamed: &mut usize) -> Result<Vec<Piece>, String> {
        let text = self.text.to_owned();
        let mark = self.mark.unwrap_or_default();
        Ok(match (self.language, mark.split_once(": ")) {
            (_, Some(("file", name))) => {
                vec![Piece::File { name: name.to_owned(), text, hidden: false }]
            }
            ("yaml", Some(("sections of", of))) => {
                vec![Piece::Sections { of: of.to_owned(), text }]
            }
            ("yaml", Some(("figures of", of))) => vec![Piece::Figures { of: of.to_owned(), text }],
            ("yaml", None) if text.starts_with("superdense: ") => {
                *unnamed += 1;
                vec![Piece::File { name: format!("snippet{unnamed}.yaml"), text, hidden: false }]
            }
            ("yaml", _) => return Err("a block of YAML that is neither a model nor marked".into()),
            ("sh", _) => self.text.lines().filter_map(shell_command).collect(),
            ("console", _) => self.session(mark == "fails"),
            _ => Vec::new(),
        })
    }

    /// The commands of a session, which follow a `$`, with the lines that they gave. Only the last
    /// may fail.
    fn session(&self, fails: bool) -> Vec<Piece> {
        let starts: Vec<usize> = self
            .text
            .match_indices("$ ")
            .map(|found| found.0)
            .filter(|at| self.begins(*at))
            .collect();
        let ends = starts.iter().copied().skip(1).chain([self.text.len()]);
        let command = |(start, end): (&usize, usize)| {
            let (line, next) = line_at(self.text, start + 2);
            let output = self.text[next.min(end)..end].to_owned();
            let place = self.at + next.min(end)..self.at + end;
            let fails = fails && end == self.text.len();
            Piece::Command { line: line.to_owned(), output: Some((output, place)), fails }
        };
        starts.iter().zip(ends).map(command).collect()
    }

    fn begins(&self, at: usize) -> bool {
        at == 0 || self.text.as_bytes()[at - 1] == b'\n'
    }
}

/// A line of a shell that calls the program, also through `cargo run`; other lines are not run.
fn shell_command(line: &str) -> Option<Piece> {
    let line = match line.strip_prefix("cargo run ") {
        Some(rest) if rest.contains("-p superdense-cli") => {
            format!("superdense {}", rest.split_once(" -- ")?.1)
        }
        _ => line.to_owned(),
    };
    let calls = line.starts_with("superdense ");
    calls.then_some(Piece::Command { line, output: None, fails: false })
}
