//! The text of a model file from a tree of its values.

/// A value of a model file.
#[derive(Clone, PartialEq, Debug)]
pub enum Yaml {
    /// A key without a value.
    Nothing,
    Text(String),
    List(Vec<Yaml>),
    Map(Vec<(String, Yaml)>),
}

impl Yaml {
    /// A scalar.
    pub fn text(text: impl Into<String>) -> Yaml {
        Yaml::Text(text.into())
    }

    /// A list of scalars.
    pub fn list(texts: impl IntoIterator<Item = String>) -> Yaml {
        Yaml::List(texts.into_iter().map(Yaml::Text).collect())
    }

    /// A mapping from names to scalars.
    pub fn map(pairs: impl IntoIterator<Item = (String, String)>) -> Yaml {
        Yaml::Map(pairs.into_iter().map(|(name, text)| (name, Yaml::Text(text))).collect())
    }
}

/// How long a mapping or list on one line may be.
const LONGEST_LINE: usize = 96;

/// The text of a mapping at the top of a file.
pub fn write(entries: &[(String, Yaml)]) -> String {
    let mut text = String::new();
    block(entries, 0, &mut text);
    text
}

fn block(entries: &[(String, Yaml)], level: usize, text: &mut String) {
    for (key, value) in entries {
        let indent = "  ".repeat(level);
        let line = flow(value);
        let short = indent.len() + key.len() + 2 + line.len() <= LONGEST_LINE;
        // What the sections of a file contain has a line each.
        let nested = matches!(value, Yaml::Map(inner) if
            inner.iter().any(|(_, value)| matches!(value, Yaml::Map(_))));
        text.push_str(&format!("{indent}{}:", quoted(key)));
        match value {
            Yaml::Map(inner) if !inner.is_empty() && (nested || !short) => {
                text.push('\n');
                block(inner, level + 1, text);
            }
            Yaml::List(items) if !items.is_empty() && !short && has_maps(items) => {
                text.push('\n');
                items.iter().for_each(|item| listed(item, level + 1, text));
            }
            Yaml::Nothing => text.push('\n'),
            _ => text.push_str(&format!(" {line}\n")),
        }
    }
}

fn has_maps(items: &[Yaml]) -> bool {
    items.iter().any(|item| matches!(item, Yaml::Map(_)))
}

/// One item of a list on lines of its own.
fn listed(item: &Yaml, level: usize, text: &mut String) {
    let indent = "  ".repeat(level);
    match item {
        Yaml::Map(entries) => {
            let mut inner = String::new();
            block(entries, level + 1, &mut inner);
            text.push_str(&format!("{indent}- {}", inner.trim_start()));
        }
        _ => text.push_str(&format!("{indent}- {}\n", flow(item))),
    }
}

fn flow(value: &Yaml) -> String {
    match value {
        Yaml::Nothing => String::new(),
        Yaml::Text(text) => quoted(text),
        Yaml::List(items) => {
            let items: Vec<String> = items.iter().map(flow).collect();
            format!("[{}]", items.join(", "))
        }
        Yaml::Map(entries) => {
            let entries: Vec<String> = entries
                .iter()
                .map(|(key, value)| format!("{}: {}", quoted(key), flow(value)).trim().to_owned())
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}

/// A scalar: plain if none of its characters is special in YAML, otherwise in double quotes.
fn quoted(value: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_.+-*/^()<>= ".contains(c);
    let starts = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '(';
    let unsigned = value.strip_prefix('-').unwrap_or(value);
    let word = matches!(value, "null" | "Null" | "NULL" | "y" | "n" | "Y" | "N");
    let clean = unsigned.starts_with(starts) && value.chars().all(plain) && !value.ends_with(' ');
    if clean && (!word || value.len() == 1) {
        return value.to_owned();
    }
    let mut text = String::from("\"");
    for c in value.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            '\n' | '\r' | '\t' => text.push(' '),
            c if c.is_control() => text.push_str(&format!("\\U{:08X}", c as u32)),
            c => text.push(c),
        }
    }
    text.push('"');
    text
}
