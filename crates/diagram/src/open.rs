//! Open parameters: values that each run computes from the parameters of the model.
//!
//! While a model is flattened, every value that depends on an open parameter of the main diagram
//! gets an id and a line in a table: an expression over values that come before it. Whoever needs
//! the number itself to decide what is built says so; the parameters that it comes from are then
//! structural, and the model is flattened again with their numbers as constants. So what is built
//! never depends on the numbers of those that stay open.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use base::{Diagnostic, ParameterId, Span, Value};
use expr::{Expr, ExprKind, evaluate};
use model::About;
use rustc_hash::FxHashMap;

/// How much of a parameter is fixed when the model is compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParameterKind {
    /// Its value decides what is built, for this reason: another value needs another program.
    Structural(String),
    /// Each run may set it.
    Fixed,
    /// Each run may set it, and change it while it runs.
    Tunable,
}

/// A parameter of the main diagram.
#[derive(Clone, PartialEq, Debug)]
pub struct MainParameter {
    /// Its name.
    pub name: String,
    /// Its value unless a run sets it.
    pub value: Value,
    /// How much of it is fixed when the model is compiled.
    pub kind: ParameterKind,
    /// The words that it may be, if it is a word; its value is an index of this list.
    pub words: Vec<String>,
    /// Its unit and what it is, if the model says so.
    pub about: About,
    /// Where it was written.
    pub span: Span,
    id: Option<ParameterId>,
}

impl MainParameter {
    /// The same parameter with another value.
    pub fn with_value(&self, value: Value) -> MainParameter {
        MainParameter { value, ..self.clone() }
    }

    /// Its value for readers: a word, or a number, vector or matrix.
    pub fn shown(&self) -> String {
        let word = self.value.as_f64().and_then(|index| self.words.get(index as usize));
        word.cloned().unwrap_or_else(|| self.value.to_string())
    }

    /// The value among those of a run that it is; none if it decides what is built.
    pub fn id(&self) -> Option<ParameterId> {
        self.id
    }

    /// Its value among the values of a run.
    pub fn in_run<'v>(&'v self, values: &'v [Value]) -> &'v Value {
        self.id.map_or(&self.value, |id| &values[id.index()])
    }
}

/// The parameters of a model, and everything that is computed from the open ones.
#[derive(Clone, Default, Debug)]
pub struct Parameters {
    main: Vec<MainParameter>,
    computed: Vec<Computed>,
}

/// A value that is computed from values before it.
#[derive(Clone, Debug)]
struct Computed {
    /// None if nothing computes it: the parameter is a number until a run sets it.
    expr: Option<Expr>,
    names: Vec<(String, Value)>,
    value: Value,
    /// Whether another value needs the model to be compiled again.
    pinned: bool,
}

/// Why values of parameters cannot be used with the program that was made for others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NeedsCompiling;

impl Parameters {
    /// The parameters of the main diagram, in the order of the model.
    pub fn main(&self) -> &[MainParameter] {
        &self.main
    }

    /// The value that was used to compile the model.
    pub(crate) fn compiled(&self, id: ParameterId) -> &Value {
        &self.computed[id.index()].value
    }

    /// The values of a run that sets some parameters of the main diagram, by their indices. Others
    /// follow by their expressions.
    pub fn evaluate(&self, set: &[(usize, Value)]) -> Result<Vec<Value>, NeedsCompiling> {
        let mut given: Vec<Option<&Value>> = vec![None; self.computed.len()];
        for (index, value) in set {
            match self.main[*index].id {
                Some(id) => given[id.index()] = Some(value),
                None if *value == self.main[*index].value => {}
                None => return Err(NeedsCompiling),
            }
        }
        let mut values = self.values();
        for (index, given) in given.into_iter().enumerate() {
            values[index] = self.renewed(ParameterId::new(index), given, &values)?;
        }
        Ok(values)
    }

    /// The values that the model was compiled with, in the order in which they are computed.
    pub fn values(&self) -> Vec<Value> {
        self.computed.iter().map(|computed| computed.value.clone()).collect()
    }

    /// A value of a run: the one that is given, or else what follows from those before it.
    pub fn renewed(
        &self,
        id: ParameterId,
        given: Option<&Value>,
        values: &[Value],
    ) -> Result<Value, NeedsCompiling> {
        let computed = &self.computed[id.index()];
        let is_new = |id: ParameterId| values[id.index()] != self.computed[id.index()].value;
        let depends = |(_, value): &(String, Value)| value.open().is_some_and(is_new);
        let value = match (given, &computed.expr) {
            (Some(value), _) => value.clone().opened(id),
            (None, Some(expr)) if computed.names.iter().any(depends) => {
                computed.again(expr, values)?.opened(id)
            }
            _ => return Ok(computed.value.clone()),
        };
        let finite = |value: &Value| value.data().iter().all(|x| x.is_finite());
        let fits = value.ty() == computed.value.ty() && finite(&value) == finite(&computed.value);
        match fits && !(computed.pinned && value != computed.value) {
            true => Ok(value),
            false => Err(NeedsCompiling),
        }
    }

    /// A value of a run and all that follows from it, in the order in which they are computed.
    pub fn following(&self, first: ParameterId) -> Vec<ParameterId> {
        let mut follows = vec![false; self.computed.len()];
        follows[first.index()] = true;
        for index in first.index() + 1..self.computed.len() {
            let needed = self.computed[index].names.iter().filter_map(|(_, value)| value.open());
            follows[index] = needed.into_iter().any(|id| follows[id.index()]);
        }
        let ids = follows.iter().enumerate().filter(|(_, follows)| **follows);
        ids.map(|(index, _)| ParameterId::new(index)).collect()
    }
}

impl Parameters {
    /// Whether another value than that of the compiled model needs the model to be compiled again.
    pub fn is_pinned(&self, id: ParameterId) -> bool {
        self.computed[id.index()].pinned
    }
}

impl Computed {
    fn again(&self, expr: &Expr, values: &[Value]) -> Result<Value, NeedsCompiling> {
        let found = evaluate(expr, &mut |name, span| {
            let known = self.names.iter().find(|(known, _)| known == name);
            let value = known.map(|(_, value)| match value.open() {
                Some(id) => values[id.index()].clone(),
                None => value.clone(),
            });
            value.ok_or_else(|| Diagnostic::error("unknown-name", name).at(span, ""))
        });
        found.map_err(|_| NeedsCompiling)
    }
}

/// Parameters by their names, with their values. There may be very many, and each is looked up a few
/// times; messages sort the names.
pub(crate) type Names = FxHashMap<String, Value>;

/// The names in alphabetical order, for messages.
pub(crate) fn sorted(names: &Names) -> Vec<&str> {
    let mut all: Vec<&str> = names.keys().map(String::as_str).collect();
    all.sort_unstable();
    all
}

/// The table while a model is flattened.
#[derive(Debug, Default)]
pub(crate) struct Opening {
    /// The parameters of the main diagram that are constants, and why.
    structural: BTreeMap<String, String>,
    computed: RefCell<Vec<Computed>>,
    /// For each entry, the parameter of the main diagram that it is.
    named: RefCell<BTreeMap<ParameterId, String>>,
    /// Entries by where they were written.
    known: RefCell<FxHashMap<Span, Vec<ParameterId>>>,
    /// Entries whose values have decided something, and what.
    decided: RefCell<BTreeMap<ParameterId, String>>,
}

impl Opening {
    /// A table in which these parameters of the main diagram are constants.
    pub fn new(structural: BTreeMap<String, String>) -> Opening {
        Opening { structural, ..Opening::default() }
    }

    /// Whether a parameter of the main diagram is a constant.
    pub fn is_closed(&self, name: &str) -> bool {
        self.structural.contains_key(name)
    }

    /// A parameter of the main diagram with its value; `names` are those that its expression needs.
    pub fn main(&self, name: &str, expr: Option<&Expr>, names: &Names, value: Value) -> Value {
        if self.structural.contains_key(name) {
            return value.closed();
        }
        let id = self.enter(expr, expr.map_or_else(Vec::new, |expr| used(expr, names)), &value);
        self.named.borrow_mut().insert(id, name.to_owned());
        value.opened(id)
    }

    /// The value of an expression over parameters, open if one of them is.
    pub fn evaluate(
        &self,
        expr: &Expr,
        names: &Names,
        missing: &mut dyn FnMut(&str, Span) -> Diagnostic,
    ) -> Result<Value, Diagnostic> {
        let value = evaluate(expr, &mut |name, span| match names.get(name) {
            Some(value) => Ok(value.clone()),
            None => Err(missing(name, span)),
        })?;
        Ok(self.open(expr, names, value))
    }

    /// The value of an expression, open if something in it is.
    pub fn open(&self, expr: &Expr, names: &Names, value: Value) -> Value {
        if matches!(expr.kind, ExprKind::Name(_)) {
            return value;
        }
        let used = used(expr, names);
        if !is_open(expr, names) {
            return value.closed();
        }
        let same = |id: &ParameterId| {
            let computed = &self.computed.borrow()[id.index()];
            computed.expr.as_ref() == Some(expr) && computed.names == used
        };
        let known = self.known.borrow().get(&expr.span).and_then(|ids| {
            let id = ids.iter().rev().take(4).find(|id| same(id));
            id.copied()
        });
        let id = known.unwrap_or_else(|| {
            let id = self.enter(Some(expr), used, &value);
            self.known.borrow_mut().entry(expr.span).or_default().push(id);
            id
        });
        value.opened(id)
    }

    fn enter(
        &self,
        expr: Option<&Expr>,
        names: Vec<(String, Value)>,
        value: &Value,
    ) -> ParameterId {
        let mut computed = self.computed.borrow_mut();
        let id = ParameterId::new(computed.len());
        let value = value.clone().opened(id);
        computed.push(Computed { expr: expr.cloned(), names, value, pinned: false });
        id
    }

    /// A condition whose change makes the model be compiled again, for the sake of a message.
    pub fn pin(&self, condition: &Value) {
        if let Some(id) = condition.open() {
            self.computed.borrow_mut()[id.index()].pinned = true;
        }
    }

    /// The number of a value that decides what is built.
    pub fn decide(&self, value: Value, why: &str) -> Value {
        if let Some(id) = value.open() {
            self.decides(id, why);
        }
        value.closed()
    }

    pub fn decides(&self, id: ParameterId, why: &str) {
        self.decided.borrow_mut().entry(id).or_insert_with(|| why.to_owned());
    }

    /// The parameters of the main diagram that turned out to be structural; none if all that are
    /// were constants.
    pub fn found(&self) -> BTreeMap<String, String> {
        let (computed, named) = (self.computed.borrow(), self.named.borrow());
        let mut found: BTreeMap<String, String> = BTreeMap::new();
        for (id, why) in self.decided.borrow().iter() {
            let (mut open, mut seen) = (vec![*id], BTreeSet::new());
            while let Some(id) = open.pop() {
                if !seen.insert(id) {
                    continue;
                }
                if let Some(name) = named.get(&id) {
                    found.entry(name.clone()).or_insert_with(|| why.clone());
                }
                open.extend(computed[id.index()].names.iter().filter_map(|(_, v)| v.open()));
            }
        }
        found
    }

    /// The finished table. `main` has the parameters of the main diagram with their values.
    pub fn finish(self, main: Vec<(&model::Parameter, Value)>) -> Parameters {
        let main = main.into_iter().map(|(written, value)| {
            let (name, span) = (written.name.value.clone(), written.name.span);
            let kind = match self.structural.get(&name) {
                Some(why) => ParameterKind::Structural(why.clone()),
                None if written.tunable.is_some() => ParameterKind::Tunable,
                None => ParameterKind::Fixed,
            };
            MainParameter {
                id: value.open(),
                name,
                value,
                kind,
                words: written.words.iter().map(|word| word.value.clone()).collect(),
                about: written.about.clone(),
                span,
            }
        });
        Parameters { main: main.collect(), computed: self.computed.into_inner() }
    }
}

/// Whether the value of an expression may differ between runs. A size does not: a value of another
/// size needs another program.
fn is_open(expr: &Expr, names: &Names) -> bool {
    let mut waiting = vec![expr];
    while let Some(expr) = waiting.pop() {
        match &expr.kind {
            ExprKind::Call(function, _) if function.value.asks_for_a_size() => continue,
            ExprKind::Name(name) if names.get(name).is_some_and(|own| own.open().is_some()) => {
                return true;
            }
            _ => waiting.extend(expr.children()),
        }
    }
    false
}

/// The names in an expression that have values.
fn used(expr: &Expr, names: &Names) -> Vec<(String, Value)> {
    let mut used: Vec<(String, Value)> = Vec::new();
    for (name, _) in expr.names() {
        if let Some(value) = names.get(name)
            && !used.iter().any(|(known, _)| known == name)
        {
            used.push((name.to_owned(), value.clone()));
        }
    }
    used
}
