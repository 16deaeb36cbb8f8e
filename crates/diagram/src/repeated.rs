//! Arrays of blocks: one block or instance for each value of its indices, and the names by which
//! other blocks find them.
//!
//! Each element has a scope of its own in which the indices are parameters, around it that of the
//! array. An index of an array that is constant there names the element itself, so that a grid of
//! blocks becomes blocks and wires like those that are written one by one; the array as a whole is
//! a vector or matrix of its elements' outputs, made if something needs it.

use std::collections::{BTreeMap, HashSet};

use base::{Diagnostic, Span, Value};
use expr::{Expr, ExprKind};
use model::{DiagramId, Named, Repeated};
use rustc_hash::FxHashMap;

use crate::flat::{BlockArray, WireId};
use crate::flatten::Flattener;
use crate::open::Names;
use crate::scope::{Entity, Scope, ScopeId};

/// What the count of an array decides.
pub(crate) const HOW_MANY: &str = "how many blocks there are";

/// Blocks with indices.
#[derive(Debug)]
pub(crate) struct Array<'m> {
    block: &'m model::Block,
    path: String,
    /// The scope that it is in.
    scope: ScopeId,
    /// How many there are along each index.
    counts: Vec<usize>,
    /// The last index moves fastest.
    elements: Vec<Entity>,
    /// Vectors and matrices of an output, as far as something has needed them.
    wholes: BTreeMap<String, WireId>,
}

impl<'m> Flattener<'m> {
    /// Declares every element of an array.
    pub(crate) fn array(
        &mut self,
        scope: ScopeId,
        block: &'m model::Block,
        repeated: &'m Repeated,
        path: String,
        nested: &mut Vec<DiagramId>,
    ) -> Option<Entity> {
        let counts = self.counts(scope, repeated).map_err(|error| error.block(&path));
        let counts = self.errors.keep(counts)?;
        let used = block.expressions().into_iter().flat_map(expr::Expr::names);
        let used: HashSet<&str> = used.map(|name| name.0).collect();
        let mut elements = Vec::new();
        for at in positions(&counts) {
            let before = self.errors.0.len();
            let inner = self.element_scope(scope, repeated, &at, &used);
            let path = format!("{path}{}", brackets(&at));
            let element = self.declare_one(inner, block, path, nested);
            // What is wrong with one is wrong with the others too.
            if self.errors.0.len() > before {
                return None;
            }
            elements.push(element?);
        }
        let wholes = BTreeMap::new();
        self.arrays.push(Array { block, path, scope, counts, elements, wholes });
        Some(Entity::Array(self.arrays.len() - 1))
    }

    fn counts(&self, scope: ScopeId, repeated: &Repeated) -> Result<Vec<usize>, Diagnostic> {
        let mut total = 1usize;
        let mut count = |index: &Named| {
            let value = self.decided(scope, &index.value, HOW_MANY)?;
            let count = whole_number(&value).filter(|count| *count >= 0).ok_or_else(|| {
                let message = format!("the count of `{}` must be a whole number", index.name.value);
                Diagnostic::error("bad-setting", message)
                    .at(index.value.span, format!("this is {value}"))
                    .help("say how many there are, 0 or more")
            })?;
            total = total.saturating_mul(count as usize);
            match total > self.limit {
                true => Err(self.too_large(index.value.span)),
                false => Ok(count as usize),
            }
        };
        repeated.indices.iter().map(&mut count).collect()
    }

    /// The scope in which the fields of an element are read: its indices are parameters, everything
    /// else is around it.
    fn element_scope(
        &mut self,
        outer: ScopeId,
        repeated: &'m Repeated,
        at: &[usize],
        used: &HashSet<&str>,
    ) -> ScopeId {
        let around = self.scope(outer);
        let known = around.parameters.iter().filter(|(name, _)| used.contains(name.as_str()));
        let mut parameters: Names =
            known.map(|(name, value)| (name.clone(), value.clone())).collect();
        for (index, position) in repeated.indices.iter().zip(at) {
            parameters.insert(index.name.value.clone(), Value::int(*position as i64));
        }
        let scope = Scope {
            diagram: &repeated.own,
            prefix: around.prefix.clone(),
            parent: None,
            outer: Some(outer),
            fragment: around.fragment,
            dwell: None,
            tolerance: around.tolerance,
            discrete: around.discrete,
            parameters,
            variables: BTreeMap::new(),
            entities: FxHashMap::default(),
            ports: BTreeMap::new(),
        };
        self.scopes.push(scope);
        ScopeId::new(self.scopes.len() - 1)
    }

    /// The array that a name means in a scope or around it.
    fn array_named(&self, scope: ScopeId, name: &str) -> Option<usize> {
        let here = self.scope(scope);
        match here.entities.get(name) {
            Some(Entity::Array(array)) => Some(*array),
            Some(_) => None,
            None => self.array_named(here.outer?, name),
        }
    }

    /// The element that a settled name such as `cell[3,4]` means in a scope.
    pub(crate) fn element(&self, scope: ScopeId, name: &str) -> Option<Entity> {
        let (name, at) = name.strip_suffix(']')?.split_once('[')?;
        let Some(Entity::Array(array)) = self.scope(scope).entities.get(name) else { return None };
        let array = &self.arrays[*array];
        let at: Option<Vec<usize>> = at.split(',').map(|part| part.parse().ok()).collect();
        array.elements.get(array.offset(&at?)).copied()
    }

    /// The same expression with the elements of arrays instead of constant indices; none if
    /// it indexes no array. Of a conditional whose condition is constant only the branch that is
    /// taken stays, so that edges can be distinguished from the inside.
    pub(crate) fn settle(&self, scope: ScopeId, expr: &Expr) -> Result<Option<Expr>, Diagnostic> {
        let indexes = |expr: &Expr| match &expr.kind {
            ExprKind::Index(base, _) => self.indexed(scope, base).is_some(),
            _ => false,
        };
        match !self.arrays.is_empty() && expr.descendants().any(indexes) {
            true => self.settled(scope, expr).map(Some),
            false => Ok(None),
        }
    }

    /// The array that is indexed, and the output.
    fn indexed<'e>(&self, scope: ScopeId, base: &'e Expr) -> Option<(usize, &'e str, &'e str)> {
        let name = base.as_word()?;
        let (first, rest) = name.split_at(name.find('.').unwrap_or(name.len()));
        Some((self.array_named(scope, first)?, first, rest))
    }

    fn settled(&self, scope: ScopeId, expr: &Expr) -> Result<Expr, Diagnostic> {
        match &expr.kind {
            ExprKind::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                let known = self.decided(scope, condition, "which branch of a conditional exists");
                let known = known.ok().and_then(|value| value.as_bool());
                if let Some(known) = known {
                    return self.settled(scope, if known { yes } else { no });
                }
            }
            ExprKind::Index(base, positions) => {
                if let Some((array, first, rest)) = self.indexed(scope, base) {
                    let constant = |expr: &Expr| match self.decided(scope, expr, "an index") {
                        Err(error) if error.code == "not-constant" => Ok(None),
                        found => found.map(Some),
                    };
                    let at = positions.iter().map(constant);
                    let at: Option<Vec<Value>> = at.collect::<Result<_, Diagnostic>>()?;
                    if let Some(at) = at {
                        let at = self.arrays[array].position(&at, positions, expr.span)?;
                        return Ok(self.arrays[array].named(first, &at, rest, expr.span));
                    }
                }
            }
            _ => {}
        }
        let mut failed = None;
        let settled = expr.with_children(&mut |child| {
            self.settled(scope, child).unwrap_or_else(|error| {
                failed = Some(error);
                child.clone()
            })
        });
        failed.map_or(Ok(settled), Err)
    }

    /// The vector or matrix of an output of all elements.
    pub(crate) fn whole(
        &mut self,
        array: usize,
        port: Option<&str>,
        span: Span,
    ) -> Result<WireId, Diagnostic> {
        let own = &self.arrays[array];
        let port = port.map_or(String::new(), |port| format!(".{port}"));
        if let Some(wire) = own.wholes.get(&port) {
            return Ok(*wire);
        }
        let (first, scope) = (&own.block.name.value, own.scope);
        if own.counts.len() > 2 {
            let message = format!("`{first}` has {} indices", own.counts.len());
            return Err(Diagnostic::error("size-mismatch", message)
                .at(span, "it is no vector or matrix as a whole")
                .help("name its elements by all indices"));
        }
        let (expr, path) = (own.named(first, &[], &port, span), format!("{}{port}", own.path));
        // Its block is made before its names are resolved, as that of an output is.
        let id = self.formula(&expr, path, self.scope(scope).fragment);
        let wire = self.drafts[id.index()].outputs[0];
        self.arrays[array].wholes.insert(port, wire);
        self.operands(id, scope, &expr).map(|()| wire)
    }

    /// What pictures ask of the arrays.
    pub(crate) fn block_arrays(&mut self) -> Vec<BlockArray> {
        let array = |array: Array| {
            let mut wholes: Vec<WireId> = array.wholes.into_values().collect();
            wholes.sort_unstable();
            let kind = array.block.kind.value.clone();
            BlockArray { path: array.path, kind, counts: array.counts, wholes }
        };
        std::mem::take(&mut self.arrays).into_iter().map(array).collect()
    }

    /// The whole of an array of blocks of the library, which is recorded if nothing is requested.
    pub(crate) fn recorded_array(&mut self, array: usize) -> Option<WireId> {
        let own = &self.arrays[array];
        let plain = own.elements.iter().all(|element| matches!(element, Entity::Block(_)));
        let (span, shown) = (own.block.name.span, plain && own.counts.len() <= 2);
        let wire = shown.then(|| self.whole(array, None, span))?;
        self.errors.keep(wire)
    }
}

impl BlockArray {
    /// The paths of the elements, the last index moving fastest.
    pub fn elements(&self) -> impl Iterator<Item = String> {
        positions(&self.counts).map(|at| format!("{}{}", self.path, brackets(&at)))
    }
}

impl Array<'_> {
    /// Where the element at a position is among all.
    fn offset(&self, at: &[usize]) -> usize {
        at.iter().zip(&self.counts).fold(0, |offset, (at, count)| offset * count + at)
    }

    /// The position that indices mean.
    fn position(
        &self,
        at: &[Value],
        written: &[Expr],
        span: Span,
    ) -> Result<Vec<usize>, Diagnostic> {
        let name = &self.block.name.value;
        if at.len() > self.counts.len() {
            let counts = self.counts.len();
            let message = format!("`{name}` has {counts} {}", plural(counts, "index", "indices"));
            return Err(Diagnostic::error("index-out-of-range", message).at(span, "too many"));
        }
        let position = |((value, written), count): ((&Value, &Expr), &usize)| {
            let at = whole_number(value).filter(|at| (0..*count as i64).contains(at));
            at.map(|at| at as usize).ok_or_else(|| {
                let message = format!("`{name}` has no element {value} here");
                let label = match count.checked_sub(1) {
                    Some(last) => format!("this is {value}, and goes from 0 to {last}"),
                    None => format!("this is {value}, and there are no elements"),
                };
                Diagnostic::error("index-out-of-range", message)
                    .at(written.span, label)
                    .help("tell the edge from the inside, as in `if i > 0 then x[i - 1] else 0`")
            })
        };
        at.iter().zip(written).zip(&self.counts).map(position).collect()
    }

    /// The element at a position as an expression; rows of elements if indices are left out.
    fn named(&self, first: &str, at: &[usize], rest: &str, span: Span) -> Expr {
        let kind = match self.counts.get(at.len()) {
            None => ExprKind::Name(format!("{first}{}{rest}", brackets(at))),
            Some(count) => {
                let row = |next: usize| self.named(first, &[at, &[next]].concat(), rest, span);
                ExprKind::Vector((0..*count).map(row).collect())
            }
        };
        Expr { kind, span }
    }
}

/// All positions, the last index moving fastest.
fn positions(counts: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    let total = counts.iter().product();
    (0..total).map(|number: usize| {
        let mut rest = number;
        let mut at: Vec<usize> = Vec::with_capacity(counts.len());
        for count in counts.iter().rev() {
            at.push(rest % count);
            rest /= count;
        }
        at.reverse();
        at
    })
}

fn brackets(at: &[usize]) -> String {
    let at: Vec<String> = at.iter().map(usize::to_string).collect();
    format!("[{}]", at.join(","))
}

pub(crate) fn whole_number(value: &Value) -> Option<i64> {
    let number = value.as_f64()?;
    (number.fract() == 0.0 && number.abs() < 1e15).then_some(number as i64)
}

fn plural<'w>(count: usize, one: &'w str, many: &'w str) -> &'w str {
    if count == 1 { one } else { many }
}
