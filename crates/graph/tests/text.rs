//! The texts of pictures: SVG is well formed, and DOT has the syntax that Graphviz reads.

use crate::common::{choices, flat, model};
use proptest::prelude::*;
use superdense_graph::{Kind, Options, dot, layout, svg};

/// Reads DOT by the grammar of Graphviz, as far as it is used.
struct Reader {
    tokens: Vec<String>,
    at: usize,
}

impl Reader {
    fn new(text: &str) -> Reader {
        let mut tokens = Vec::new();
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let length = match first {
                '"' => string_length(rest),
                '-' => 2,
                c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                c => c.len_utf8(),
            };
            tokens.push(rest[..length].to_owned());
            rest = rest[length..].trim_start();
        }
        Reader { tokens, at: 0 }
    }

    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }

    fn accept(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &str) {
        assert!(self.accept(token), "`{token}` and not `{}` at {}", self.peek(), self.at);
    }

    fn name(&mut self) -> String {
        let token = self.peek().to_owned();
        let good = token.starts_with('"') || token.starts_with(is_word);
        assert!(good, "a name and not `{token}`");
        self.at += 1;
        token
    }

    fn graph(&mut self) {
        self.expect("digraph");
        self.name();
        self.body();
        assert_eq!(self.at, self.tokens.len());
    }

    fn body(&mut self) {
        self.expect("{");
        while !self.accept("}") {
            self.statement();
        }
    }

    fn statement(&mut self) {
        if self.accept("subgraph") {
            self.name();
            return self.body();
        }
        self.name();
        if self.accept("=") {
            self.name();
            return self.expect(";");
        }
        self.port();
        while self.accept("->") {
            self.name();
            self.port();
        }
        if self.accept("[") {
            while !self.accept("]") {
                self.name();
                self.expect("=");
                self.name();
                self.accept(",");
            }
        }
        self.expect(";");
    }

    fn port(&mut self) {
        if self.accept(":") {
            self.name();
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return at + 1,
            c => escaped = c == '\\' && !escaped,
        }
    }
    panic!("a string without an end: {text}");
}

/// Panics unless every tag is closed and every entity is known.
fn well_formed(text: &str) {
    let mut open = Vec::new();
    for (at, piece) in text.split('<').enumerate() {
        if at == 0 {
            assert!(piece.is_empty());
            continue;
        }
        let (tag, content) = piece.split_once('>').expect("a tag has an end");
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        for entity in content.split('&').skip(1).chain(tag.split('&').skip(1)) {
            let known = ["amp;", "lt;", "gt;", "quot;"];
            assert!(known.iter().any(|known| entity.starts_with(known)), "{entity}");
        }
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name)),
            None if tag.ends_with('/') => {}
            None => open.push(tag.split(' ').next().expect("a name")),
        }
    }
    assert!(open.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn texts_are_well_formed(choices in choices(25)) {
        let diagram = flat(&model(&choices));
        for depth in [None, Some(0), Some(1)] {
            let options = Options { depth, fold_expressions: depth.is_some(), ..Options::default() };
            Reader::new(&dot(&diagram, &options)).graph();
            well_formed(&svg(&layout(&diagram, &options)));
        }
    }
}

#[test]
fn names_and_expressions_are_escaped() {
    let mut diagram = flat(
        "superdense: 1\nname: test\nblocks:\n  s: {type: Sine}\n  \
         x: {type: Integrator, input: if s < 1 then s else -x}\n",
    );
    diagram.name = "a <b> & \"c\" | {d}".to_owned();
    let text = dot(&diagram, &Options::default());
    Reader::new(&text).graph();
    assert!(text.contains("if s < 1 then s else -x"));
    let text = svg(&layout(&diagram, &Options::default()));
    well_formed(&text);
    assert!(text.contains("a &lt;b&gt; &amp; &quot;c&quot; | {d}"));
}

#[test]
fn instances_are_clusters_or_single_nodes() {
    let diagram = flat(&model(&[(5, 0, 0, 0)]));
    let open = dot(&diagram, &Options::default());
    assert_eq!(open.matches("subgraph cluster_").count(), 3);
    let closed = dot(&diagram, &Options { depth: Some(0), ..Options::default() });
    assert_eq!(closed.matches("subgraph cluster_").count(), 0);
    assert!(closed.contains("9\\ blocks"));
}

#[test]
fn kinds_of_wires_differ() {
    let diagram = flat(
        "superdense: 1\nname: kinds\nblocks:\n  one: {type: Constant, value: 1}\n  \
         clock: {type: Clock, period: 1}\n  hammer: {type: ImpulseSource, times: [1]}\n  \
         x: {type: Integrator, input: hammer}\n  y: {type: Integrator, input: one}\n  \
         taken: {type: Sample, input: x, trigger: clock}\n  \
         held: {type: ZeroOrderHold, input: taken}\n  z: {type: Integrator, input: held}\n",
    );
    let layout = layout(&diagram, &Options::default());
    let kind = |name: &str| layout.lines.iter().find(|l| l.name == name).map(|line| line.kind);
    assert_eq!(kind("one"), Some(Kind::Constant));
    assert_eq!(kind("clock"), Some(Kind::Discrete));
    assert_eq!(kind("hammer"), Some(Kind::Impulsive));
    assert_eq!(kind("x"), Some(Kind::Continuous));
    assert_eq!(kind("held"), Some(Kind::Held));
    let text = svg(&layout);
    for kind in &layout.legend {
        assert!(text.contains(kind.name()));
    }
    assert_eq!(layout.legend.len(), 5);
}
