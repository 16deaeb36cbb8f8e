//! Random expressions over signals that come and go, against the rule in its plainest form.

use crate::common::{codes, refusal, simulate};
use proptest::prelude::*;
use superdense::Trace;

/// Expressions over a few signals, and when they are present by the rule.
#[derive(Clone, Debug)]
enum Tree {
    Signal(&'static str),
    Number(i32),
    Operator(&'static str, Box<[Tree; 2]>),
    /// `if a > number then b else c`.
    Conditional(Box<[Tree; 3]>, i32),
    /// `if present(signal) then a else b`.
    Present(&'static str, Box<[Tree; 2]>),
}

/// a, a1 and a2 are present together, and so are d and d1; m comes and goes, h is always there.
const SIGNALS: [&str; 8] = ["a", "a1", "a2", "b", "d", "d1", "h", "m.y"];

const BASE: &str = "
superdense: 1
blocks:
  ca: {type: Clock, period: 0.2}
  a: {type: Counter, increment: ca}
  a1: {type: Sample, input: 3 - previous(h), trigger: ca}
  a2: {type: Clock, period: 1/5, value: 2}
  b: {type: Counter, increment: cb, initial: -3}
  cb: {type: Clock, period: 0.3}
  d: {type: MicrostepDelay, input: a}
  d1: {type: EventDelay, input: a2, delay: 0}
  h: {type: ZeroOrderHold, input: 2 * b - 1, initial: 1}
  m:
    type: Modal
    initial: on
    states:
      on: {outputs: {y: h + 1}, transitions: [{to: off, after: 0.45}]}
      off: {transitions: [{to: on, after: 0.25}]}
";

/// When an expression is present, as the rule derives it: whether it is an event signal, and
/// conditions that are the same for what is provably present together.
#[derive(Clone, PartialEq, Debug)]
struct When {
    event: bool,
    all: Conditions,
}

/// Conditions that hold together.
type Conditions = std::collections::BTreeSet<Condition>;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Condition {
    Of(String),
    Choice(String, Conditions, Conditions),
}

impl Condition {
    /// Whether a choice adds nothing, because both of its sides are among these.
    fn adds_nothing(&self, all: &Conditions) -> bool {
        let side = |side: &Conditions| {
            side.is_subset(all) || side.len() == 1 && side.iter().all(|c| c.adds_nothing(all))
        };
        matches!(self, Condition::Choice(_, a, b) if side(a) && side(b))
    }
}

/// Both, each condition once.
fn together(a: &Conditions, b: &Conditions) -> Conditions {
    let all: Conditions = a.union(b).cloned().collect();
    all.iter().filter(|condition| !condition.adds_nothing(&all)).cloned().collect()
}

impl When {
    fn and(&self, other: &When) -> Option<When> {
        if self.event && other.event && self.all != other.all {
            return None;
        }
        let all = together(&self.all, &other.all);
        Some(When { event: self.event || other.event, all })
    }

    fn chosen(condition: &str, a: &When, b: &When) -> When {
        if a.all == b.all {
            return a.clone();
        }
        let choice = Condition::Choice(condition.to_owned(), a.all.clone(), b.all.clone());
        When { event: a.event && b.event, all: [choice].into() }
    }
}

impl Tree {
    fn text(&self) -> String {
        match self {
            Tree::Signal(name) => (*name).to_owned(),
            Tree::Number(number) => format!("({number})"),
            Tree::Operator(name @ ("max" | "min"), parts) => {
                format!("{name}({}, {})", parts[0].text(), parts[1].text())
            }
            Tree::Operator(symbol, parts) => {
                format!("({} {symbol} {})", parts[0].text(), parts[1].text())
            }
            Tree::Conditional(parts, number) => {
                let [c, a, b] = [0, 1, 2].map(|i| parts[i].text());
                format!("(if {c} > {number} then {a} else {b})")
            }
            Tree::Present(name, parts) => {
                let [a, b] = [0, 1].map(|i| parts[i].text());
                format!("(if present({name}) then {a} else {b})")
            }
        }
    }

    /// Its value, if that is known before the run.
    fn constant(&self) -> Option<f64> {
        let same = |a: f64, b: f64| (a.to_bits() == b.to_bits()).then_some(a);
        match self {
            Tree::Signal(_) => None,
            Tree::Number(_) => self.value(&|_| None),
            Tree::Operator(_, parts) => {
                parts[0].constant().and(parts[1].constant())?;
                self.value(&|_| None)
            }
            Tree::Conditional(parts, _) => match self.taken() {
                Some(taken) => parts[taken].constant(),
                None => same(parts[1].constant()?, parts[2].constant()?),
            },
            Tree::Present(_, parts) => same(parts[0].constant()?, parts[1].constant()?),
        }
    }

    /// The branch of a conditional whose condition is known before the run.
    fn taken(&self) -> Option<usize> {
        let Tree::Conditional(parts, number) = self else { return None };
        Some(if parts[0].constant()? > f64::from(*number) { 1 } else { 2 })
    }

    /// When it is present, or nothing if it is to be refused.
    fn when(&self) -> Option<When> {
        match self {
            Tree::Number(_) | Tree::Signal("h") => Some(When { event: false, all: [].into() }),
            Tree::Signal("m.y") => {
                Some(When { event: false, all: [Condition::Of("m".to_owned())].into() })
            }
            Tree::Signal(name) => {
                Some(When { event: true, all: [Condition::Of(name[..1].to_owned())].into() })
            }
            Tree::Operator(_, parts) => parts[0].when()?.and(&parts[1].when()?),
            Tree::Conditional(parts, number) => {
                let c = parts[0].when()?;
                let chosen = match self.taken() {
                    Some(taken) => c.and(&parts[taken].when()?).map(|_| parts[taken].when())??,
                    None => {
                        let (a, b) = (parts[1].when()?, parts[2].when()?);
                        c.and(&a).and(c.and(&b))?;
                        When::chosen(&format!("{} > {number}", parts[0].text()), &a, &b)
                    }
                };
                let all = together(&c.all, &chosen.all);
                Some(When { event: c.event || chosen.event, all })
            }
            Tree::Present(name, parts) => {
                let (a, b) = (parts[0].when()?, parts[1].when()?);
                // Between events it is the other branch that is taken.
                let chosen = When::chosen(&format!("present {}", &name[..1]), &a, &b);
                Some(When { event: b.event, ..chosen })
            }
        }
    }

    /// Its value, if it is present.
    fn value(&self, signal: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
        match self {
            Tree::Signal(name) => signal(name),
            Tree::Number(number) => Some(f64::from(*number)),
            Tree::Operator(operator, parts) => {
                let (a, b) = (parts[0].value(signal)?, parts[1].value(signal)?);
                Some(match *operator {
                    "+" => a + b,
                    "-" => a - b,
                    "*" => a * b,
                    "max" => a.max(b),
                    _ => a.min(b),
                })
            }
            Tree::Conditional(parts, number) => {
                let taken = if parts[0].value(signal)? > f64::from(*number) { 1 } else { 2 };
                parts[taken].value(signal)
            }
            Tree::Present(name, parts) => parts[usize::from(signal(name).is_none())].value(signal),
        }
    }
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        4 => proptest::sample::select(&SIGNALS[..]).prop_map(Tree::Signal),
        1 => (1..4).prop_map(Tree::Number),
    ];
    leaf.prop_recursive(4, 12, 3, |inner| {
        const SYMBOLS: [&str; 5] = ["+", "-", "*", "max", "min"];
        let two = (inner.clone(), inner.clone()).prop_map(|(a, b)| Box::new([a, b]));
        let three = (inner.clone(), inner.clone(), inner).prop_map(|(a, b, c)| Box::new([a, b, c]));
        prop_oneof![
            4 => (proptest::sample::select(&SYMBOLS[..]), two.clone())
                .prop_map(|(symbol, parts)| Tree::Operator(symbol, parts)),
            1 => (three, -2..3).prop_map(|(parts, number)| Tree::Conditional(parts, number)),
            1 => (proptest::sample::select(&SIGNALS[..6]), two)
                .prop_map(|(name, parts)| Tree::Present(name, parts)),
        ]
    })
}

fn value_of(trace: &Trace, row: usize, name: &str) -> Option<f64> {
    trace.get(row, trace.column(name).expect("a column")).map(|value| value[0])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    /// An expression is refused if and only if the rule refuses it, and otherwise has at every tag
    /// the value that the rule gives it.
    #[test]
    fn expressions_are_present_as_the_rule_says(tree in trees()) {
        let columns = SIGNALS.join(", ").replace("m.y", "\"m.y\": m.y");
        let columns = columns.split(", ").map(|name| match name.contains(':') {
            true => name.to_owned(),
            false => format!("{name}: {name}"),
        });
        let columns: Vec<String> = columns.collect();
        let text = format!(
            "{BASE}record: {{{}, tree: \"{}\"}}\nsimulate: {{stop: 1.3}}\n",
            columns.join(", "),
            tree.text()
        );
        if tree.when().is_none() {
            prop_assert_eq!(codes(&refusal(&text)), ["presence-mismatch"], "{}", tree.text());
            return Ok(());
        }
        let trace = simulate(&text).trace;
        for row in 0..trace.len() {
            let expected = tree.value(&|name| value_of(&trace, row, name));
            let found = value_of(&trace, row, "tree");
            prop_assert_eq!(found, expected, "{} at {}", tree.text(), trace.tags()[row]);
        }
    }
}
