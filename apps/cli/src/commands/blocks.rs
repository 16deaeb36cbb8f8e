//! `blocks`: the blocks that a model can use.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use superdense::{
    Info, Library, Page, descriptions, did_you_mean, form_descriptions, notation_descriptions,
    pages, pages_of, read,
};

use super::pictures::example_figure;
use crate::report::{refused, show, write_file};

/// The folder of the figures, beside the pages.
const PICTURES: &str = "pictures";

/// What the page says that leads to all others.
const INTRODUCTION: &str = "# Blocks

These pages are generated from the blocks themselves by `superdense blocks --write`; a figure is \
what the example of its page gives. Each page ends with the tests that hold the block: against a \
closed form, or against values computed in another way; at a jump, with the microsteps; with an \
input that is absent; with an impulse at an input; and with bad input, which is refused. An empty \
cell means that there is no such test yet.
";

/// Shows one page, writes all pages, or lists the blocks: those of the library, or the diagrams of
/// a model file.
pub fn blocks(name: Option<&str>, folder: Option<&Path>, model: Option<&Path>) -> Result<()> {
    let pages = match model {
        Some(path) => pages_of(&read(path).map_err(refused)?),
        None => pages(&Library::standard()),
    };
    match (folder, name) {
        (Some(folder), _) => write_pages(&pages, folder),
        (None, Some(name)) => show_page(&pages, name),
        (None, None) => show(&list(pages)),
    }
}

/// Lists the blocks that contain all words of a text, those of that name or with a word in it first,
/// and what a model writes where other tools have a block. Below each it shows where the words were found that are neither in its name nor in its summary.
pub fn search(text: &str) -> Result<()> {
    let mut all = descriptions(&Library::standard());
    all.extend(form_descriptions());
    all.extend(notation_descriptions());
    let words = text.split(|c: char| c.is_whitespace() || c == '-').map(str::to_lowercase);
    let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
    let mut found: Vec<(u8, &Info, Vec<String>)> = Vec::new();
    for info in &all {
        let places: Option<Vec<Vec<String>>> =
            words.iter().map(|word| places(info, word)).collect();
        let Some(places) = places else { continue };
        let mut places = places.concat();
        places.dedup();
        found.push((rank(info, text, &words), info, places));
    }
    if words.is_empty() || found.is_empty() {
        let help = did_you_mean(text, all.iter().map(|info| &*info.name))
            .filter(|help| help.starts_with("did"));
        let help = help.unwrap_or_else(|| "`superdense blocks` lists all".to_owned());
        bail!("no block has `{text}`; {help}");
    }
    found.sort_by_key(|(rank, info, _)| (*rank, &*info.name));
    let mut out = String::new();
    for (_, info, places) in found {
        out += &format!("{:<16} {}\n", info.name, info.summary);
        places.iter().for_each(|place| out += &format!("{:16} {place}\n", ""));
    }
    show(&out)
}

/// How far down a block comes among what a text finds: first the block of that name, then those that
/// are known by it elsewhere, and then those with a name in which the words are words, or parts of
/// words.
fn rank(info: &Info, text: &str, words: &[String]) -> u8 {
    let plain = |name: &str| name.to_lowercase().replace([' ', '-'], "");
    if plain(&info.name) == plain(text) {
        return 0;
    }
    let mut names = info.aliases.iter().chain([&info.name]);
    if names.any(|name| plain(name) == plain(text)) {
        return 1;
    }
    let names: Vec<String> =
        info.aliases.iter().chain([&info.name]).map(|name| name.to_lowercase()).collect();
    let parts = |name: &String| -> Vec<String> {
        name.split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect()
    };
    let has_all = |name: &String| words.iter().all(|word| parts(name).contains(word));
    match () {
        () if names.iter().any(has_all) => 2,
        () if words.iter().any(|word| names.iter().any(|name| name.contains(word.as_str()))) => 3,
        () => 4,
    }
}

/// Where a block contains a word; `None` if it does not. If the word is in the name or the summary,
/// no other places are listed.
fn places(info: &Info, word: &str) -> Option<Vec<String>> {
    let has = |text: &str| text.to_lowercase().contains(word);
    // Some write in one word what others write in two.
    let is_named =
        |name: &str| has(name) || name.to_lowercase().replace([' ', '-'], "").contains(word);
    if is_named(&info.name) || has(&info.summary) {
        return Some(Vec::new());
    }
    if let Some(alias) = info.aliases.iter().find(|alias| is_named(alias)) {
        return Some(vec![format!("also known as {alias}")]);
    }
    let inputs = info.inputs.iter().map(|input| ("input", &input.name, &input.about));
    let outputs = info.outputs.iter().map(|output| ("output", &output.name, &output.about));
    let parameters = info.parameters.iter().map(|p| ("parameter", &p.name, &p.about));
    let fields = inputs.chain(outputs).chain(parameters);
    let fields = fields.filter(|(_, name, about)| has(name) || has(about));
    let fields = fields.map(|(kind, name, about)| format!("{kind} {name}: {about}"));
    let texts = [&info.equations, &info.absence, &info.impulses];
    let lines = texts.into_iter().flat_map(|text| text.lines());
    let lines = lines.filter(|line| has(line)).map(|line| line.trim().to_owned());
    let found: Vec<String> = lines.chain(fields).collect();
    (!found.is_empty() || has(&info.category)).then_some(found)
}

/// Writes every page, the figures of their examples, and the index.
fn write_pages(pages: &[Page], folder: &Path) -> Result<()> {
    make_folder(folder)?;
    for page in pages {
        let figure = write_figure(page, folder)?;
        let path = folder.join(format!("{}.md", page.name));
        write_file(&path, page.markdown(figure.as_deref()).as_bytes())?;
    }
    write_file(&folder.join("README.md"), index(pages).as_bytes())
}

/// Runs the example of a page and writes its figure. The result is its path as the page gives it;
/// there is none without an example or in a program without pictures.
fn write_figure(page: &Page, folder: &Path) -> Result<Option<String>> {
    if page.example.is_empty() {
        return Ok(None);
    }
    let figure = example_figure(&page.name, &page.example);
    let Some(svg) = figure.with_context(|| format!("the example of {}", page.name))? else {
        return Ok(None);
    };
    make_folder(&folder.join(PICTURES))?;
    let path = format!("{PICTURES}/{}.svg", page.name);
    write_file(&folder.join(&path), svg.as_bytes())?;
    Ok(Some(path))
}

fn make_folder(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))
}

/// The page that leads to all others.
fn index(pages: &[Page]) -> String {
    let mut out = INTRODUCTION.to_owned();
    let mut pages: Vec<&Page> = pages.iter().collect();
    pages.sort_by(|a, b| (&a.category, &a.name).cmp(&(&b.category, &b.name)));
    for own in pages.chunk_by(|a, b| a.category == b.category) {
        out += &format!("\n## {}\n\n| Block | |\n|---|---|\n", own[0].category);
        for Page { name, summary, .. } in own {
            out += &format!("| [{name}]({name}.md) | {summary} |\n");
        }
    }
    out
}

fn show_page(pages: &[Page], name: &str) -> Result<()> {
    let Some(page) = pages.iter().find(|page| page.name == name) else {
        let help = did_you_mean(name, pages.iter().map(|page| page.name.as_str()));
        bail!("there is no block `{name}`{}", help.map_or(String::new(), |h| format!("; {h}")));
    };
    show(&page.markdown(None))
}

fn list(mut pages: Vec<Page>) -> String {
    let (mut category, mut out) = ("", String::new());
    pages.sort_by(|a, b| a.category.cmp(&b.category));
    for page in &pages {
        if page.category != category {
            out += &format!("{}\n", page.category);
            category = &page.category;
        }
        out += &format!("  {:<16} {}\n", page.name, page.summary);
    }
    out
}
