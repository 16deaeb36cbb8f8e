//! The documentation is true: block pages are those of the blocks, their examples run, links lead
//! somewhere, and what the README shows is what there is.

use std::fs;
use std::path::Path;

use crate::common::{accepted, files, messages, repository, same_picture, scratch, superdense};

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The code blocks of a language in a Markdown text.
fn code<'t>(text: &'t str, language: &str) -> Vec<&'t str> {
    let opening = format!("```{language}\n");
    let blocks = text.split(opening.as_str()).skip(1);
    blocks.map(|rest| rest.split("```").next().expect("a closing fence")).collect()
}

/// The pages and figures of the repository are those that the program writes. With
/// `SUPERDENSE_BLESS=1` they are renewed instead.
#[test]
fn block_pages_are_current() {
    let folder = scratch("pages");
    let output = superdense(&folder, &["blocks", "--write", "blocks"]);
    assert!(output.status.success(), "{}", messages(&output));
    let (made, kept) = (folder.join("blocks"), repository().join("docs/blocks"));
    let (pictures, kept_pictures) = (made.join("pictures"), kept.join("pictures"));
    let again = "run `superdense blocks --write docs/blocks`";
    if same_picture::bless() {
        forget_others(&kept, &files(&made));
        forget_others(&kept_pictures, &files(&pictures));
        for page in files(&made) {
            fs::write(kept.join(&page), read(&made.join(&page))).expect("a page can be written");
        }
    } else {
        assert_eq!(files(&made), files(&kept), "{again}");
        assert_eq!(files(&pictures), files(&kept_pictures), "{again}");
    }
    for page in files(&made) {
        assert!(read(&made.join(&page)) == read(&kept.join(&page)), "{page} is old: {again}");
    }
    for picture in files(&pictures) {
        let drawn = read(&pictures.join(&picture));
        assert!(drawn.len() < 60_000, "{picture} has {} bytes", drawn.len());
        same_picture::check(&kept_pictures.join(&picture), &drawn, same_picture::bless())
            .unwrap_or_else(|old| panic!("{old}\n{again}"));
    }
}

/// Removes the files of a folder that are not among these.
fn forget_others(folder: &Path, names: &[String]) {
    if !folder.is_dir() {
        return;
    }
    for old in files(folder).iter().filter(|name| !names.contains(name)) {
        fs::remove_file(folder.join(old)).expect("an old file can be removed");
    }
}

/// The page of a block that needs a file of another tool, so that it has no example.
const WITHOUT_EXAMPLE: &str = "FMU.md";

/// Every page shows the figure of its example.
#[test]
fn every_page_has_its_figure() {
    for page in block_pages().into_iter().filter(|page| page != WITHOUT_EXAMPLE) {
        let text = read(&repository().join("docs/blocks").join(&page));
        let figure = format!("](pictures/{}.svg)", page.trim_end_matches(".md"));
        assert!(text.contains(&figure), "{page} has no figure");
    }
}

/// In a terminal a page is text alone, and so are the pages of a model's own diagrams.
#[test]
fn a_page_in_the_terminal_has_no_figure() {
    let folder = scratch("terminal");
    let page = accepted(&folder, &["blocks", "Gain"]);
    assert!(page.contains("## Example") && !page.contains("![") && !page.contains(".svg"));
    let model = "superdense: 1\ndiagrams:\n  Twice: {inputs: {u: }, outputs: {y: 2 * u}}\n\
                 blocks: {t: {type: Twice, u: time}}\nrecord: [t]\nsimulate: {stop: 1}\n";
    fs::write(folder.join("model.yaml"), model).expect("a model can be written");
    accepted(&folder, &["blocks", "--of", "model.yaml", "--write", "own"]);
    assert_eq!(files(&folder.join("own")), ["README.md", "Twice.md"]);
    assert!(!folder.join("own/pictures").exists());
}

#[test]
fn every_page_is_in_the_index() {
    assert!(read(&repository().join("docs/README.md")).contains("(blocks/README.md)"));
    let index = read(&repository().join("docs/blocks/README.md"));
    for page in block_pages() {
        assert!(index.contains(&format!("({page})")), "{page} is not in docs/blocks/README.md");
    }
}

/// The pages of blocks, without their index.
fn block_pages() -> Vec<String> {
    let all = files(&repository().join("docs/blocks"));
    all.into_iter().filter(|page| page != "README.md").collect()
}

#[test]
fn every_example_runs() {
    let folder = scratch("examples");
    for page in block_pages().into_iter().filter(|page| page != WITHOUT_EXAMPLE) {
        let text = read(&repository().join("docs/blocks").join(&page));
        let examples = code(&text, "yaml");
        assert_eq!(examples.len(), 1, "{page}");
        let block = page.trim_end_matches(".md");
        assert!(examples[0].contains(&format!("type: {block}")), "{page} does not show {block}");
        fs::write(folder.join("example.yaml"), examples[0]).expect("a model can be written");
        let output = superdense(&folder, &["run", "example.yaml", "-o", "example.csv"]);
        assert!(output.status.success(), "{page}: {}", messages(&output));
        let rows = read(&folder.join("example.csv")).lines().count();
        assert!(rows > 2, "{page}: the example gives {rows} lines");
    }
}

#[test]
fn the_models_on_the_page_of_modes_run() {
    let folder = scratch("modes");
    let text = read(&repository().join("docs/modes.md"));
    let whole = code(&text, "yaml").into_iter().filter(|yaml| yaml.starts_with("superdense: 1"));
    let mut count = 0;
    for model in whole {
        fs::write(folder.join("model.yaml"), model).expect("a model can be written");
        let output = superdense(&folder, &["run", "model.yaml", "-o", "result.csv"]);
        assert!(output.status.success(), "{model}\n{}", messages(&output));
        count += 1;
    }
    assert_eq!(count, 7);
}

#[test]
fn the_readme_shows_the_model_that_is_there() {
    let model = read(&repository().join("models/bouncing-ball/model.yaml"));
    let (_, model) = model.split_once('\n').expect("a line for editors");
    for document in ["README.md", "docs/model-format.md"] {
        let text = read(&repository().join(document));
        assert!(code(&text, "yaml").contains(&model), "{document}");
    }
}

/// The Rust of the README is this function, line by line.
#[test]
fn the_readme_compiles() -> Result<(), Box<dyn std::error::Error>> {
    use superdense::{Builder, Library, System};

    let model = Builder::new("decay")
        .parameter("rate", "2")
        .block("x", "Integrator", &[("input", "-rate * x"), ("initial", "1")])
        .record("x", "x")
        .simulate("stop", "1")
        .simulate("tolerance", "1e-9")
        .build()?;
    let system = System::compile(&model, &Library::standard())?;
    let outcome = system.simulate()?;
    let end = outcome.trace.last("x").unwrap();
    assert!((end - (-2.0f64).exp()).abs() < 1e-8);

    let indented = |line: &str| if line.is_empty() { String::new() } else { format!("    {line}") };
    let readme = read(&repository().join("README.md"));
    let shown: Vec<String> = code(&readme, "rust")[0].lines().map(indented).collect();
    assert!(include_str!("pages.rs").contains(&shown.join("\n")), "{}", shown.join("\n"));
    Ok(())
}

/// The targets of the links of a Markdown text that lead to files.
fn links(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.starts_with("http") && !target.starts_with('#')).collect()
}

#[test]
fn links_lead_somewhere() {
    let documents = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "docs/README.md"];
    let more = [
        "semantics",
        "model-format",
        "impulses",
        "tutorial",
        "cookbook",
        "results",
        "performance",
        "streams",
        "modes",
    ]
    .map(|page| format!("docs/{page}.md"));
    for document in documents.into_iter().map(str::to_owned).chain(more) {
        let path = repository().join(&document);
        let folder = path.parent().expect("a folder").to_owned();
        for link in links(&read(&path)) {
            let file = link.split('#').next().expect("a target");
            assert!(folder.join(file).exists(), "{document} links to {link}");
        }
    }
}
