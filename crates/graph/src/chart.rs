//! State machines as charts: states and the transitions between them. Each chart is laid out like a
//! level of the diagram, with the text of a transition as a vertex on its route.

use base::Span;
use blocks::Role;
use diagram::{Diagram, StateMachine, Transition};

use crate::layered::{Drawing, Edge, Graph, Net, Pin, Vertex, draw};
use crate::letters::{bold_width, shortened, width};
use crate::size::{NAME, SMALL};
use crate::{Layout, Point, Rect};

/// A state machine with its position.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Chart {
    /// The path of the machine.
    pub path: String,
    /// What is written above it.
    pub title: String,
    /// Its position and size.
    pub area: Rect,
    /// Where the machine is written.
    pub span: Option<Span>,
    /// Where the arrow into the initial state starts.
    pub start: Point,
    /// The states.
    pub states: Vec<StateBox>,
    /// The arrow into the initial state, followed by the transitions.
    pub arrows: Vec<Arrow>,
}

/// A state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateBox {
    /// Its name.
    pub name: String,
    /// Its position and size.
    pub area: Rect,
    /// Whether it is a final state.
    pub last: bool,
}

/// A transition.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Arrow {
    /// The route, parallel to the axes.
    pub points: Vec<Point>,
    /// The text on it: the guard, the actions and other remarks.
    pub words: Vec<String>,
    /// The left end of the baseline of the first line of text.
    pub at: Point,
    /// Whether the diagram of the target state resumes from where it was left.
    pub history: bool,
    /// Where the transition is written.
    pub span: Option<Span>,
}

/// The space above the inside of a chart, for its name, and around it \[px\].
const HEAD: i64 = 34;
const PAD: i64 = 18;
/// The height of a line of text \[px\].
const LINE: i64 = 13;
/// How many characters of a line are shown.
const MOST: usize = 44;
/// The distance between arrows at a state \[px\].
const PINS: i64 = 20;

/// What is written on a transition.
pub(crate) fn words(
    diagram: &Diagram,
    machine: &StateMachine,
    transition: &Transition,
) -> Vec<String> {
    let text = |span| shortened(diagram.sources.snippet(span), MOST);
    let guard = |block: &diagram::BlockId| {
        let block = diagram.block(*block);
        let after = block.kind.role() == Role::After;
        if after { format!("after {}", text(block.span)) } else { text(block.span) }
    };
    let guards: Vec<String> = transition.guards.iter().map(guard).collect();
    let mut lines = Vec::new();
    if !guards.is_empty() {
        lines.push(shortened(&guards.join(" and "), MOST));
    }
    let sets = transition
        .sets
        .iter()
        .map(|set| format!("{} = {}", text(set.span), text(diagram.block(set.value).span)));
    let says = transition.says.iter().map(|(output, value)| {
        let path = &diagram.block(machine.outputs[*output]).path;
        let name = path.rsplit('.').next().unwrap_or(path);
        format!("{name} ! {}", text(diagram.block(*value).span))
    });
    lines.extend(sets.chain(says).map(|action| shortened(&format!("/ {action}"), MOST)));
    let flags = [
        (transition.immediate, "immediate"),
        (transition.preemptive, "preemptive"),
        (transition.default, "default"),
        (transition.nondeterministic, "nondeterministic"),
        (transition.error, "error"),
        (transition.history, "history"),
    ];
    let flags = flags.iter().filter(|(is, _)| *is).map(|(_, word)| (*word).to_owned());
    let priority = (transition.priority != 0).then(|| format!("priority {}", transition.priority));
    let flags: Vec<String> = flags.chain(priority).collect();
    if !flags.is_empty() {
        lines.push(format!("({})", flags.join(", ")));
    }
    lines
}

/// What a chart shows, before it is laid out.
#[derive(Clone, Default, Debug)]
pub struct Outline {
    /// The path of the machine; empty if it is none.
    pub path: String,
    /// What is written above the chart.
    pub title: String,
    /// Where the machine is written.
    pub span: Option<Span>,
    /// The names of the states, and whether each is a final one.
    pub states: Vec<(String, bool)>,
    /// The state in which it starts.
    pub initial: usize,
    /// The transitions.
    pub moves: Vec<Move>,
}

/// A transition of an outline.
#[derive(Clone, Default, Debug)]
pub struct Move {
    /// The state that it leaves.
    pub from: usize,
    /// The state that it leads to.
    pub to: usize,
    /// What is written on it.
    pub words: Vec<String>,
    /// Whether the diagram of the target state resumes from where it was left.
    pub history: bool,
    /// Where it is written.
    pub span: Option<Span>,
}

/// Lays out a machine under the drawn path, with its corner at the origin.
pub(crate) fn chart(diagram: &Diagram, machine: &StateMachine, path: &str) -> Chart {
    laid_out(&outline(diagram, machine, path))
}

/// A figure of the chart of one machine, for whoever asks for that alone.
pub fn machine_alone(diagram: &Diagram, machine: &StateMachine) -> Layout {
    let outline =
        Outline { title: String::new(), ..self::outline(diagram, machine, &machine.path) };
    chart_alone(&title(&machine.path), &outline)
}

fn outline(diagram: &Diagram, machine: &StateMachine, path: &str) -> Outline {
    let mut outline = Outline {
        path: path.to_owned(),
        title: title(path),
        span: Some(machine.span),
        initial: machine.initial,
        ..Outline::default()
    };
    for (from, state) in machine.states.iter().enumerate() {
        outline.states.push((state.name.clone(), is_last(diagram, machine, from)));
        for transition in &state.transitions {
            let words = words(diagram, machine, transition);
            let (to, history) = (transition.to, transition.history);
            let span = Some(transition.span);
            outline.moves.push(Move { from, to, words, history, span });
        }
    }
    outline
}

/// Lays out a chart, with its corner at the origin.
pub(crate) fn laid_out(outline: &Outline) -> Chart {
    let Outline { states, initial, moves, .. } = outline;
    let mut graph = Graph::default();
    let mut loops: Vec<Vec<Move>> = Vec::new();
    for (number, (name, _)) in states.iter().enumerate() {
        let others = moves.iter().filter(|own| own.to == number && own.from != number);
        let into = others.count() + usize::from(number == *initial);
        let (own, out): (Vec<&Move>, Vec<&Move>) =
            moves.iter().filter(|own| own.from == number).partition(|own| own.to == number);
        loops.push(own.into_iter().cloned().collect());
        graph.vertices.push(state_vertex(name, into, out.len(), &loops[number]));
    }
    graph.vertices.push(vertex(12, 12, vec![], vec![6]));
    let mut taken = vec![0; states.len()];
    let mut next = |state: usize| {
        taken[state] += 1;
        Pin { vertex: state, pin: taken[state] - 1 }
    };
    let start = Pin { vertex: states.len(), pin: 0 };
    graph.nets.push(Net { from: start, to: vec![next(*initial)] });
    let mut written = Vec::new();
    let mut left = vec![0; states.len()];
    for own in moves.iter().filter(|own| own.to != own.from) {
        let label = graph.vertices.len();
        graph.vertices.push(words_vertex(&own.words));
        let from = Pin { vertex: own.from, pin: left[own.from] };
        left[own.from] += 1;
        let on = Pin { vertex: label, pin: 0 };
        graph.nets.push(Net { from, to: vec![on] });
        graph.nets.push(Net { from: on, to: vec![next(own.to)] });
        written.push((label, own.clone()));
    }
    assemble(outline, &graph, &draw(&graph), written, loops)
}

fn assemble(
    outline: &Outline,
    graph: &Graph,
    drawing: &Drawing,
    written: Vec<(usize, Move)>,
    loops: Vec<Vec<Move>>,
) -> Chart {
    let inside = |point: Point| Point { x: point.x + PAD, y: point.y + HEAD };
    let place = |vertex: usize| {
        let Point { x, y } = inside(drawing.places[vertex]);
        let Vertex { width, height, .. } = graph.vertices[vertex];
        Rect { x, y, width, height }
    };
    let way = |net: usize| drawing.routes[net][0].points.iter().copied().map(inside);
    let states = outline.states.iter().enumerate().map(|(number, (name, last))| {
        let (whole, above) = (place(number), above(&loops[number]));
        let area = Rect { y: whole.y + above, height: whole.height - above, ..whole };
        StateBox { name: name.clone(), area, last: *last }
    });
    let states: Vec<StateBox> = states.collect();
    let loops = states.iter().zip(loops).flat_map(|(state, loops)| own_arrows(state.area, loops));
    let loops: Vec<Arrow> = loops.collect();
    let first = Arrow { points: way(0).collect(), ..Arrow::default() };
    let arrows = written.into_iter().enumerate().map(|(place_of, (label, own))| {
        let area = place(label);
        let net = 1 + 2 * place_of;
        let at = Point { x: area.x + 6, y: area.y + LINE - 3 };
        own.arrow(way(net).chain(way(net + 1)).collect(), at)
    });
    let start = place(outline.states.len());
    let title = bold_width(&outline.title, NAME) + 2 * PAD;
    Chart {
        path: outline.path.clone(),
        title: outline.title.clone(),
        area: Rect {
            x: 0,
            y: 0,
            width: (drawing.width + 2 * PAD).max(title),
            height: drawing.height + HEAD + PAD,
        },
        span: outline.span,
        start: Point { x: start.x + 6, y: start.y + 6 },
        arrows: std::iter::once(first).chain(arrows).chain(loops).collect(),
        states,
    }
}

/// A figure of one chart, under a title.
pub fn chart_alone(title: &str, outline: &Outline) -> Layout {
    const MARGIN: i64 = 20;
    const TOP: i64 = 48;
    let mut chart = laid_out(outline);
    chart.shift(Point { x: MARGIN, y: TOP });
    let (width, height) = (chart.area.right() + MARGIN, chart.area.bottom() + MARGIN);
    let width = width.max(bold_width(title, NAME + 3) + 2 * MARGIN);
    let title = title.to_owned();
    Layout { title, width, height, charts: vec![chart], ..Layout::default() }
}

/// The title above a chart.
pub(crate) fn title(path: &str) -> String {
    format!("states of {path}")
}

/// Whether a state is final.
pub(crate) fn is_last(diagram: &Diagram, machine: &StateMachine, state: usize) -> bool {
    let kind = &diagram.block(machine.current).kind;
    kind.finals().is_some_and(|last| last[state])
}

/// The height and the width of a small loop \[px\].
const LOOP: i64 = 16;
const LOOP_WIDTH: i64 = 22;

impl Move {
    fn arrow(self, points: Vec<Point>, at: Point) -> Arrow {
        Arrow { points, words: self.words, at, history: self.history, span: self.span }
    }

    /// The width of a transition from a state to itself, including its text; it is drawn as a small
    /// loop above the state.
    fn loop_width(&self) -> i64 {
        let widest = self.words.iter().map(|line| width(line, SMALL + 1)).max().unwrap_or(0);
        (widest + 12).max(LOOP_WIDTH + 10)
    }
}

/// The height of the loops above a state.
fn above(loops: &[Move]) -> i64 {
    let lines = loops.iter().map(|own| own.words.len() as i64).max();
    lines.map_or(0, |lines| lines * LINE + LOOP + 6)
}

/// The loops above a state, side by side.
fn own_arrows(state: Rect, loops: Vec<Move>) -> Vec<Arrow> {
    let all: i64 = loops.iter().map(Move::loop_width).sum();
    let mut left = state.x + (state.width - all) / 2;
    let arrow = |own: Move| {
        let (from, wide) = (left, own.loop_width());
        left += wide;
        let (a, b) = (from + (wide - LOOP_WIDTH) / 2, from + (wide + LOOP_WIDTH) / 2);
        let (edge, top) = (state.y, state.y - LOOP);
        let points = [(a, edge), (a, top), (b, top), (b, edge)];
        let points = points.map(|(x, y)| Point { x, y }).to_vec();
        let lines = own.words.len() as i64;
        let widest = own.words.iter().map(|line| width(line, SMALL + 1)).max().unwrap_or(0);
        let at = Point { x: from + (wide - widest) / 2, y: top - 5 - (lines - 1) * LINE };
        own.arrow(points, at)
    };
    loops.into_iter().map(arrow).collect()
}

fn state_vertex(name: &str, into: usize, out: usize, loops: &[Move]) -> Vertex {
    let above = above(loops);
    let pins = |count: usize, height: i64| {
        let first = (height - (count as i64 - 1) * PINS) / 2;
        (0..count as i64).map(|pin| above + first + pin * PINS).collect()
    };
    let most = into.max(out).max(1) as i64;
    let height = (most * PINS + 16).max(40);
    let wide = (bold_width(name, NAME) + 36).max(loops.iter().map(Move::loop_width).sum());
    vertex(wide, above + height, pins(into, height), pins(out, height))
}

/// The text is above the line that passes below it.
fn words_vertex(words: &[String]) -> Vertex {
    let widest = words.iter().map(|line| width(line, SMALL + 1)).max().unwrap_or(0);
    let height = words.len() as i64 * LINE + 6;
    vertex(widest + 12, height, vec![height - 2], vec![height - 2])
}

fn vertex(width: i64, height: i64, left: Vec<i64>, right: Vec<i64>) -> Vertex {
    Vertex { width, height, left, right, free: true, edge: Edge::None, leads: None, gathers: false }
}

impl Chart {
    /// Moves the whole chart.
    pub(crate) fn shift(&mut self, by: Point) {
        let moved = |p: Point| Point { x: p.x + by.x, y: p.y + by.y };
        self.area = self.area.moved(by);
        self.start = moved(self.start);
        for state in &mut self.states {
            state.area = state.area.moved(by);
        }
        for arrow in &mut self.arrows {
            arrow.at = moved(arrow.at);
            arrow.points.iter_mut().for_each(|point| *point = moved(*point));
        }
    }
}
