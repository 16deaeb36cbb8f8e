//! Results in a page: the text between two marks is replaced, the rest stays.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// Replaces the text between `<!-- NAME -->` and `<!-- end of NAME -->`.
pub(crate) fn write(path: &Path, name: &str, text: &str) -> Result<()> {
    let page =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let new = replaced(&page, name, text)
        .with_context(|| format!("{} has no marks for `{name}`", path.display()))?;
    fs::write(path, new).with_context(|| format!("cannot write {}", path.display()))
}

fn replaced(page: &str, name: &str, text: &str) -> Option<String> {
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
    let (before, rest) = page.split_once(&begin)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!("{before}{begin}{text}{end}{after}"))
}

/// The machine and the date, in words.
pub(crate) fn machine() -> String {
    let about = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = about.lines().find_map(|line| line.strip_prefix("model name"));
    let model =
        model.map_or("an unknown processor", |rest| rest.trim_start_matches([' ', '\t', ':']));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let system = (std::env::consts::OS, std::env::consts::ARCH);
    format!("{model}, {cores} cores, {} on {}", system.0, system.1)
}

#[cfg(test)]
mod tests {
    use super::replaced;

    #[test]
    fn only_what_is_between_the_marks_changes() {
        let page = "a\n<!-- t -->\nold\n<!-- end of t -->\nb\n";
        let new = "a\n<!-- t -->\nnew\n<!-- end of t -->\nb\n";
        assert_eq!(replaced(page, "t", "new\n").as_deref(), Some(new));
        assert_eq!(replaced(page, "u", "new\n"), None);
    }
}
