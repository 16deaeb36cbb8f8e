//! What is wrong with a text, and what it draws, while it is typed.

use std::time::Instant;

use serde_json::{Value as Json, json};
use superdense::edit::edited;
use superdense::plots::{Axis, Content, Pair, Panel};
use superdense::{
    Count, Diagnostic, Diagnostics, Kind, Library, Model, ParameterKind, RunSetting, SettingKind,
    Settings, SourceMap, System, descriptions, form_descriptions, notation_descriptions, parse,
    read_text, scene,
};

use crate::edits;
use crate::messages::Edit;

/// A text that has become a system.
pub(crate) struct Checked {
    pub system: System,
    pub model: Model,
}

/// Reads texts.
pub(crate) struct Checker {
    library: Library,
}

impl Default for Checker {
    fn default() -> Self {
        Checker { library: Library::standard() }
    }
}

impl Checker {
    /// The answer for a text, and the system if there is one.
    pub fn check(
        &mut self,
        version: u64,
        name: &str,
        text: &str,
        opened: &[String],
    ) -> (Json, Option<Checked>) {
        let begin = Instant::now();
        let mut answer = json!({"kind": "checked", "version": version, "ok": false});
        let model = match parse(name, text, &mut load) {
            Ok(model) => model,
            Err(refused) => {
                answer["diagnostics"] = diagnostics(&refused.diagnostics, &refused.sources, text);
                return (answer, None);
            }
        };
        let system = match System::compile(&model, &self.library) {
            Ok(system) => system,
            Err(refused) => {
                answer["diagnostics"] = diagnostics(&refused.diagnostics, &refused.sources, text);
                // A model with a causality loop still has a diagram, with the loop in red.
                if refused.diagnostics.0.iter().any(|own| own.code == "causality-loop") {
                    let drawn = scene(&model, &self.library, &Settings::default(), opened);
                    answer["scene"] = drawn.unwrap_or(Json::Null);
                }
                return (answer, None);
            }
        };
        answer["ok"] = json!(true);
        answer["sweeps"] = json!(!model.sweep.parameters.is_empty() || model.sweep.sets.is_some());
        answer["diagnostics"] = diagnostics(&system.warnings(), system.sources(), text);
        answer["scene"] = system.scene(opened);
        answer["outputs"] = outputs(&model);
        answer["parameters"] = parameters(&system);
        answer["settings"] = json!({
            "name": system.name(), "start": system.settings().start.time().seconds(),
            "stop": system.settings().stop.seconds(), "solver": system.settings().solver.0,
            "blocks": system.block_count(), "states": system.state_count(),
        });
        let panels = panels(&system);
        answer["panels"] = panels.over_time;
        answer["phases"] = panels.phases;
        answer["milliseconds"] = json!(begin.elapsed().as_secs_f64() * 1e3);
        (answer, Some(Checked { system, model }))
    }
}

impl Checker {
    /// The answer to an edit that is only tried, such as an expression that is being typed: what is
    /// wrong with it, and what the inputs of a block would then read.
    pub fn attempt(&self, id: u64, name: &str, text: &str, edit: Edit, node: Option<&str>) -> Json {
        let mut answer = json!({"kind": "tried", "id": id, "error": null, "inputs": null});
        let found = match edits::found(text, edit, false) {
            Ok(found) => found,
            Err(error) => {
                answer["error"] = json!(error);
                return answer;
            }
        };
        let after = edited(text, &found);
        // What is new in the text, where a mistake is most likely to be that of the edit.
        let mut shift = 0isize;
        let mut new = Vec::new();
        for own in &found {
            let from = own.range.start.saturating_add_signed(shift);
            new.push(from..from + own.text.len());
            shift += own.text.len() as isize - own.range.len() as isize;
        }
        let compiled =
            parse(name, &after, &mut load).and_then(|model| System::compile(&model, &self.library));
        match compiled {
            Ok(system) => {
                answer["inputs"] = node.map_or(Json::Null, |node| system.inputs_of_block(node));
            }
            Err(refused) => {
                let is_here = |own: &&Diagnostic| {
                    own.labels.iter().any(|label| {
                        let (from, to) = (label.span.start as usize, label.span.end as usize);
                        let within =
                            |new: &std::ops::Range<usize>| from <= new.end && to >= new.start;
                        label.span.file.index() == 0 && new.iter().any(within)
                    })
                };
                let all = &refused.diagnostics.0;
                if let Some(own) = all.iter().find(is_here).or(all.first()) {
                    answer["error"] = json!(own.message);
                    answer["help"] = json!(own.help);
                }
            }
        }
        answer
    }
}

/// The text of a file that a model imports.
fn load(path: &str) -> Result<(String, String), String> {
    let text = read_text(std::path::Path::new(path)).map_err(|own| own.to_string())?;
    Ok((path.to_owned(), text))
}

/// What the first figure draws, or the figure that there would be.
pub(crate) struct Panels {
    /// The names of the signals of each panel over time.
    pub over_time: Json,
    /// The panels that draw signals over others.
    pub phases: Json,
}

/// The panels of the first figure. A figure of phase plots alone has the signals of the default
/// figure beside it, since it is over time that events are looked at.
pub(crate) fn panels(system: &System) -> Panels {
    let trace = superdense::Trace::with_schema(system.schema());
    let default = superdense::plots::Figure::of(&trace);
    let figure = system.figures().first().map_or_else(|| default.clone(), |own| own.1.clone());
    let phases = Json::Array(figure.panels.iter().filter_map(phase).collect());
    let mut over_time: Vec<Json> = figure.panels.iter().filter_map(over_time).collect();
    if over_time.is_empty() {
        over_time = default.panels.iter().filter_map(self::over_time).collect();
    }
    Panels { over_time: Json::Array(over_time), phases }
}

fn over_time(panel: &Panel) -> Option<Json> {
    let Content::Time { signals, .. } = &panel.content else { return None };
    Some(signals.iter().map(|own| json!(own.name)).collect())
}

fn phase(panel: &Panel) -> Option<Json> {
    let Content::Phase { pairs, x, equal_scales } = &panel.content else { return None };
    let axis = |own: &Axis, name: fn(&Pair) -> &String| {
        let same = pairs.iter().all(|pair| name(pair) == name(&pairs[0]));
        let only = pairs.first().filter(|_| same).map(|pair| name(pair).clone());
        let label = own.label.clone().or(only);
        let unit = own.unit.as_ref().map_or(String::new(), |unit| format!(" [{unit}]"));
        json!({"label": label.unwrap_or_default() + &unit, "range": own.range})
    };
    let curves = pairs.iter().map(|own| {
        let label = own.label.clone().unwrap_or_else(|| format!("{} over {}", own.y, own.x));
        json!({"x": own.x, "y": own.y, "label": label})
    });
    Some(json!({
        "title": panel.title, "pairs": curves.collect::<Vec<_>>(), "equal": equal_scales,
        "x": axis(x, |own| &own.x), "y": axis(&panel.y, |own| &own.y),
    }))
}

/// The names of the outputs of each diagram, so that those that nothing reads can be connected.
fn outputs(model: &Model) -> Json {
    let own = model.diagrams.iter().map(|own| {
        let names = own.outputs.iter().map(|output| output.name.value.clone());
        (own.name.value.clone(), names.collect::<Vec<_>>())
    });
    json!(own.collect::<std::collections::BTreeMap<_, _>>())
}

fn parameters(system: &System) -> Json {
    let one = |own: superdense::MainParameter| {
        let structural = matches!(own.kind, ParameterKind::Structural(_));
        json!({
            "name": own.name, "value": own.shown(), "words": own.words,
            "elements": own.value.data(), "unit": own.about.unit,
            "integer": own.value.ty().elem == superdense::Elem::Int,
            "description": own.about.description, "structural": structural,
        })
    };
    system.parameters().into_iter().map(one).collect()
}

/// Diagnostics with their places in the text that is being edited, as offsets of UTF-16.
pub(crate) fn diagnostics(all: &Diagnostics, sources: &SourceMap, text: &str) -> Json {
    let offsets = Offsets::new(text);
    let one = |own: &Diagnostic| {
        let labels = own.labels.iter().map(|label| {
            let (line, column) = sources.position(label.span);
            let here = label.span.file.index() == 0;
            json!({
                "from": here.then(|| offsets.of(label.span.start as usize)),
                "to": here.then(|| offsets.of(label.span.end as usize)),
                "file": (!here).then(|| sources.name(label.span.file)),
                "line": line, "column": column, "text": label.text,
            })
        });
        json!({
            "severity": format!("{:?}", own.severity).to_lowercase(), "code": own.code,
            "message": own.message, "block": own.path, "notes": own.notes, "help": own.help,
            "labels": labels.collect::<Vec<_>>(),
        })
    };
    all.0.iter().map(one).collect()
}

/// Offsets of a text in UTF-16 from those in bytes.
struct Offsets<'t> {
    text: &'t str,
    /// The offset at each multiple of 1,024 bytes; none if all characters are ASCII.
    known: Option<Vec<usize>>,
}

impl<'t> Offsets<'t> {
    fn new(text: &'t str) -> Self {
        let known = (!text.is_ascii()).then(|| {
            let mut known = vec![0];
            let mut units = 0;
            for (at, c) in text.char_indices() {
                while at >= known.len() * 1024 {
                    known.push(units);
                }
                units += c.len_utf16();
            }
            known
        });
        Offsets { text, known }
    }

    fn of(&self, byte: usize) -> usize {
        let mut byte = byte.min(self.text.len());
        while !self.text.is_char_boundary(byte) {
            byte -= 1;
        }
        let Some(known) = &self.known else { return byte };
        let index = (byte / 1024).min(known.len() - 1);
        let mut start = index * 1024;
        while !self.text.is_char_boundary(start) {
            start += 1;
        }
        known[index] + self.text.get(start..byte).map_or(0, |own| own.encode_utf16().count())
    }
}

/// What is known about blocks, for the palette, completion and hover pages.
pub(crate) fn library() -> Json {
    let blocks: Vec<Json> = descriptions(&Library::standard())
        .iter()
        .map(|info| {
            let inputs = info.inputs.iter().map(|own| {
                json!({
                    "name": own.name, "description": own.about,
                    "optional": own.count == Count::Optional, "list": own.count == Count::Many,
                })
            });
            let outputs =
                info.outputs.iter().map(|own| json!({"name": own.name, "description": own.about}));
            let parameters = info.parameters.iter().map(|own| {
                let words = match &own.kind {
                    Kind::Word(words) => words.as_slice(),
                    _ => &[],
                };
                json!({
                    "name": own.name, "description": own.about,
                    "default": own.default, "words": words,
                })
            });
            json!({
                "name": info.name, "category": info.category, "summary": info.summary,
                "equations": info.equations, "icon": info.icon, "aliases": info.aliases,
                "absence": info.absence, "impulses": info.impulses,
                "inputs": inputs.collect::<Vec<_>>(), "outputs": outputs.collect::<Vec<_>>(),
                "parameters": parameters.collect::<Vec<_>>(),
            })
        })
        .collect();
    let functions: Vec<&str> = superdense::Function::table().iter().map(|own| own.1).collect();
    // What is no block of the library: machines and systems of equations, and what models write
    // where other tools have blocks.
    let beside = |all: Vec<superdense::Info>| -> Vec<Json> {
        let one = |info: &superdense::Info| {
            json!({
                "name": info.name, "category": info.category, "summary": info.summary,
                "aliases": info.aliases,
            })
        };
        all.iter().map(one).collect()
    };
    json!({
        "kind": "library", "blocks": blocks, "functions": functions, "settings": run_settings(),
        "forms": beside(form_descriptions()), "notations": beside(notation_descriptions()),
    })
}

/// The settings of runs that a page can give; it has a field of its own for the stop time, and
/// chooses the rows itself.
fn run_settings() -> Vec<Json> {
    let left = [RunSetting::Stop, RunSetting::Every, RunSetting::Times, RunSetting::Rows];
    let one = |own: &RunSetting| {
        let words: Vec<&str> = match own.kind() {
            SettingKind::Words(words) => words.to_vec(),
            SettingKind::Solver => superdense::Method::all().map(|own| own.name()).to_vec(),
            _ => Vec::new(),
        };
        json!({"name": own.key(), "description": own.about(), "words": words})
    };
    RunSetting::ALL.iter().filter(|own| !left.contains(own)).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_count_utf16() {
        let text = "aé𝄞".repeat(700) + "z";
        let offsets = Offsets::new(&text);
        for (byte, _) in text.char_indices() {
            assert_eq!(offsets.of(byte), text[..byte].encode_utf16().count(), "{byte}");
        }
        assert_eq!(offsets.of(text.len() + 9), text.encode_utf16().count());
    }
}
