//! The section `plots`: figures by name.

use base::{Diagnostic, Span, Spanned, did_you_mean};

use crate::fields::{Context, get};
use crate::names;
use crate::plots::{
    Plot, PlotAxis, PlotContent, PlotMark, PlotPanel, PlotShade, PlotSignal, PlotTime,
};
use crate::yaml::{Entry, Node, NodeKind};

/// The fields of a figure, in canonical order.
pub const FIGURE_KEYS: [&str; 7] = ["title", "from", "to", "time", "open", "shade", "panels"];
/// The fields of a panel over time.
pub const TIME_PANEL_KEYS: [&str; 5] = ["title", "signals", "y", "height", "steps"];
/// The fields of a phase plot.
pub const PHASE_PANEL_KEYS: [&str; 6] = ["title", "phase", "x", "y", "height", "equal"];
/// The fields of a signal.
pub const PLOT_SIGNAL_KEYS: [&str; 5] = ["name", "label", "unit", "mark", "change"];
/// The fields of an axis.
pub const PLOT_AXIS_KEYS: [&str; 4] = ["label", "unit", "range", "log"];
/// The ways to draw a signal.
pub const PLOT_MARKS: [&str; 3] = ["line", "stems", "dots"];
/// The units of the time axis.
pub const PLOT_TIMES: [&str; 7] = ["ns", "us", "ms", "s", "min", "h", "d"];

const FIGURE: &str = "plots: {states: {panels: [[x, y], z]}}";
const PANEL: &str = "panels: [[x, y], z]";

/// Figures by name.
pub(crate) fn plots(context: &mut Context, node: &Node) -> Vec<Plot> {
    let entries = context.mapping(node, "`plots`", FIGURE);
    entries.iter().filter_map(|entry| figure(context, entry)).collect()
}

fn figure(context: &mut Context, Entry { key, value }: &Entry) -> Option<Plot> {
    if !names::is_model_name(&key.value) {
        context.report.push(names::malformed(key, "a figure").help("hyphens are allowed, too"));
    }
    let name = key.clone();
    let bare = Plot {
        name,
        title: None,
        panels: Vec::new(),
        from: None,
        to: None,
        open: None,
        time: None,
        shade: PlotShade::First,
    };
    if let NodeKind::Sequence(panels) = &value.kind {
        let panels = self::panels(context, key, panels);
        return Some(Plot { panels, ..bare });
    }
    if value.is_null() {
        context.missing_value(key);
        return None;
    }
    let entries = context.mapping(value, "a figure", FIGURE);
    context.check_keys(entries, &FIGURE_KEYS, "a figure");
    if !matches!(value.kind, NodeKind::Mapping(_)) {
        return None;
    }
    let given = get(entries, "panels");
    let list = given.map_or(&[][..], |entry| context.list(&entry.value, "`panels`", PANEL));
    Some(Plot {
        title: text(context, entries, "title"),
        panels: panels(context, key, list),
        from: value_of(context, entries, "from"),
        to: value_of(context, entries, "to"),
        open: value_of(context, entries, "open"),
        time: get(entries, "time").and_then(|entry| time(context, entry)),
        shade: get(entries, "shade").and_then(|entry| shade(context, entry)).unwrap_or_default(),
        ..bare
    })
}

fn panels(context: &mut Context, figure: &Spanned<String>, items: &[Node]) -> Vec<PlotPanel> {
    if items.is_empty() {
        let message = format!("figure `{}` has no panels", figure.value);
        let error = Diagnostic::error("missing-field", message).at(figure.span, "");
        context.report.push(error.help(format!("say what it shows, as in `{PANEL}`")));
    }
    items.iter().filter_map(|item| panel(context, item)).collect()
}

/// A panel: signals only, or a mapping with more settings.
fn panel(context: &mut Context, node: &Node) -> Option<PlotPanel> {
    let NodeKind::Mapping(entries) = &node.kind else {
        let signals = signals(context, node)?;
        let (x, y) = (PlotAxis::default(), PlotAxis::default());
        let content = PlotContent::Time { signals, steps: false };
        return Some(PlotPanel { title: None, content, x, y, height: None });
    };
    let content = match (get(entries, "signals"), get(entries, "phase")) {
        (Some(entry), None) => {
            context.check_keys(entries, &TIME_PANEL_KEYS, "a panel over time");
            let signals = signals(context, &entry.value)?;
            PlotContent::Time { signals, steps: truth(context, entries, "steps") }
        }
        (None, Some(entry)) => {
            context.check_keys(entries, &PHASE_PANEL_KEYS, "a phase plot");
            let pairs = pairs(context, &entry.value)?;
            PlotContent::Phase { pairs, equal: truth(context, entries, "equal") }
        }
        (given, _) => {
            let message = match given {
                Some(_) => "a panel has `signals` or `phase`, not both",
                None => "a panel says what it shows, with `signals` or `phase`",
            };
            let at = entries.first().map_or(node.span, |entry| entry.key.span);
            context.report.push(
                Diagnostic::error("missing-field", message)
                    .at(at, "in this panel")
                    .help("write `signals: [x, y]`, or `phase: [x, y]` for y over x"),
            );
            return None;
        }
    };
    Some(PlotPanel {
        title: text(context, entries, "title"),
        content,
        x: axis(context, entries, "x"),
        y: axis(context, entries, "y"),
        height: value_of(context, entries, "height"),
    })
}

/// One signal, or a list of them.
fn signals(context: &mut Context, node: &Node) -> Option<Vec<PlotSignal>> {
    match &node.kind {
        NodeKind::Sequence(items) => {
            Some(items.iter().filter_map(|item| signal(context, item)).collect())
        }
        _ if node.is_null() => {
            context.unexpected(node, "a panel", "a list of signals", PANEL);
            None
        }
        _ => Some(vec![signal(context, node)?]),
    }
}

fn signal(context: &mut Context, node: &Node) -> Option<PlotSignal> {
    let NodeKind::Mapping(entries) = &node.kind else {
        let name = name(context, node)?;
        return Some(PlotSignal { name, label: None, unit: None, mark: None, change: false });
    };
    context.check_keys(entries, &PLOT_SIGNAL_KEYS, "a signal of a panel");
    let Some(entry) = get(entries, "name") else {
        let at = entries.first().map_or(node.span, |entry| entry.key.span);
        let error = Diagnostic::error("missing-field", "a signal of a panel has no name");
        context.report.push(error.at(at, "").help("write `{name: x, label: position, unit: m}`"));
        return None;
    };
    Some(PlotSignal {
        name: name(context, &entry.value)?,
        label: text(context, entries, "label"),
        unit: text(context, entries, "unit"),
        mark: get(entries, "mark").and_then(|entry| mark(context, entry)),
        change: truth(context, entries, "change"),
    })
}

/// The name of a column.
fn name(context: &mut Context, node: &Node) -> Option<Spanned<String>> {
    match &node.kind {
        NodeKind::Scalar(scalar) if !scalar.value.trim().is_empty() && !node.is_null() => {
            Some(Spanned::new(scalar.value.trim().to_owned(), node.span))
        }
        _ => {
            context.unexpected(node, "a signal of a panel", "a recorded name", PANEL);
            None
        }
    }
}

/// `[x, y]`, or a list of such pairs.
fn pairs(context: &mut Context, node: &Node) -> Option<Vec<[Spanned<String>; 2]>> {
    let is_list = |node: &Node| matches!(node.kind, NodeKind::Sequence(_));
    match &node.kind {
        NodeKind::Sequence(items) if !items.is_empty() && items.iter().all(is_list) => {
            items.iter().map(|item| pair(context, item)).collect()
        }
        _ => Some(vec![pair(context, node)?]),
    }
}

fn pair(context: &mut Context, node: &Node) -> Option<[Spanned<String>; 2]> {
    match &node.kind {
        NodeKind::Sequence(pair) if pair.len() == 2 => {
            Some([name(context, &pair[0])?, name(context, &pair[1])?])
        }
        _ => {
            let expected = "a pair of signals, the horizontal one first, or a list of pairs";
            context.unexpected(node, "`phase`", expected, "phase: [x, y]");
            None
        }
    }
}

fn axis(context: &mut Context, entries: &[Entry], key: &str) -> PlotAxis {
    let Some(entry) = get(entries, key) else { return PlotAxis::default() };
    let example = format!("{key}: {{label: height, unit: m, range: [0, 1]}}");
    let inner = context.mapping(&entry.value, "an axis", &example);
    context.check_keys(inner, &PLOT_AXIS_KEYS, "an axis");
    PlotAxis {
        label: text(context, inner, "label"),
        unit: text(context, inner, "unit"),
        range: value_of(context, inner, "range"),
        log: truth(context, inner, "log"),
    }
}

fn mark(context: &mut Context, entry: &Entry) -> Option<PlotMark> {
    let word = context.word(entry, "`mark`")?;
    match word.value.as_str() {
        "line" => Some(PlotMark::Line),
        "stems" => Some(PlotMark::Stems),
        "dots" => Some(PlotMark::Dots),
        other => {
            unknown_word(context, "mark", other, word.span, &PLOT_MARKS);
            None
        }
    }
}

fn time(context: &mut Context, entry: &Entry) -> Option<PlotTime> {
    let word = context.word(entry, "`time`")?;
    match word.value.as_str() {
        "ns" => Some(PlotTime::Nanosecond),
        "us" => Some(PlotTime::Microsecond),
        "ms" => Some(PlotTime::Millisecond),
        "s" => Some(PlotTime::Second),
        "min" => Some(PlotTime::Minute),
        "h" => Some(PlotTime::Hour),
        "d" => Some(PlotTime::Day),
        other => {
            unknown_word(context, "time", other, word.span, &PLOT_TIMES);
            None
        }
    }
}

fn shade(context: &mut Context, entry: &Entry) -> Option<PlotShade> {
    let word = context.word(entry, "`shade`")?;
    Some(match word.value.as_str() {
        "true" => PlotShade::First,
        "false" => PlotShade::Nothing,
        _ => PlotShade::By(word),
    })
}

fn truth(context: &mut Context, entries: &[Entry], key: &str) -> bool {
    let Some(entry) = get(entries, key) else { return false };
    let Some(word) = context.word(entry, &format!("`{key}`")) else { return false };
    if !["true", "false"].contains(&word.value.as_str()) {
        unknown_word(context, key, &word.value, word.span, &["true", "false"]);
    }
    word.value == "true"
}

fn unknown_word(context: &mut Context, key: &str, word: &str, at: Span, known: &[&str]) {
    let error = Diagnostic::error("unknown-word", format!("`{key}` cannot be `{word}`"));
    let help = did_you_mean(word, known.iter().copied());
    context.report.push(error.at(at, "").maybe_help(help));
}

fn text(context: &mut Context, entries: &[Entry], key: &str) -> Option<String> {
    let word = context.word(get(entries, key)?, &format!("`{key}`"))?;
    Some(word.value)
}

fn value_of(context: &mut Context, entries: &[Entry], key: &str) -> Option<expr::Expr> {
    context.field(get(entries, key)?)
}
