//! The columns of a table, and the lanes that hold them in files.

use base::{Elem, Shape, Type};
use serde::{Deserialize, Serialize};

use crate::layout::{EVENTS, IMPULSES};

/// One recorded signal.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Column {
    /// Its name in the model.
    pub name: String,
    /// Its type.
    pub ty: Type,
}

impl Column {
    /// The name of each element: that of the column, with an index for vectors and matrices.
    pub fn element_names(&self) -> Vec<String> {
        match self.ty.shape {
            Shape::Scalar => vec![self.name.clone()],
            Shape::Vector(n) => (0..n).map(|i| format!("{}[{i}]", self.name)).collect(),
            Shape::Matrix(rows, columns) => (0..rows)
                .flat_map(|i| (0..columns).map(move |j| (i, j)))
                .map(|(i, j)| format!("{}[{i},{j}]", self.name))
                .collect(),
        }
    }
}

/// The columns of a table and how many orders of impulses each may carry: a file that is written as
/// the rows arrive needs both before the first row.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Schema {
    columns: Vec<Column>,
    orders: Vec<usize>,
    /// The tables of signals; empty if all columns share one.
    tables: Vec<String>,
    /// For each column its table; `None` for events. Empty if there are no tables.
    table_of: Vec<Option<usize>>,
    /// For each column the labels that its values index; empty if they are plain values.
    labels: Vec<Vec<String>>,
}

impl Schema {
    /// Columns that carry no impulses, in one table.
    pub fn new(columns: Vec<Column>) -> Schema {
        let orders = vec![0; columns.len()];
        let labels = vec![Vec::new(); columns.len()];
        Schema { columns, orders, labels, ..Schema::default() }
    }

    /// The same columns, divided into tables in files that can hold several: column `i` is in the
    /// table that `table_of` names; `None` means that its signal consists only of events. If all
    /// do, they share one table. No table may be called `events` or `impulses`.
    ///
    /// # Panics
    /// If the number of names differs from the number of columns, or a name is taken.
    pub fn with_tables(mut self, table_of: Vec<Option<String>>) -> Schema {
        assert_eq!(table_of.len(), self.columns.len(), "a table for each column");
        let taken = |name: &String| name == EVENTS || name == IMPULSES;
        assert!(!table_of.iter().flatten().any(taken), "the name of a table is taken");
        let mut place = |name: String| match self.tables.iter().position(|table| *table == name) {
            Some(place) => place,
            None => {
                self.tables.push(name);
                self.tables.len() - 1
            }
        };
        self.table_of = table_of.into_iter().map(|name| name.map(&mut place)).collect();
        if self.tables.is_empty() {
            self.table_of.clear();
        }
        self
    }

    /// The same columns, but column `i` may carry impulses of the orders below `orders[i]`.
    ///
    /// # Panics
    /// If the number of orders differs from the number of columns.
    pub fn with_orders(self, orders: Vec<usize>) -> Schema {
        assert_eq!(orders.len(), self.columns.len(), "a number of orders for each column");
        Schema { orders, ..self }
    }

    /// The same columns, but the values 0, 1, ... of one of them, or of its elements, index labels:
    /// files and summaries show the labels.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn with_labels(mut self, column: usize, labels: Vec<String>) -> Schema {
        self.labels[column] = labels;
        self
    }

    /// The labels that the values of a column index; empty if they are plain values.
    pub fn labels(&self, column: usize) -> &[String] {
        &self.labels[column]
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// How many orders of impulses each column may carry.
    pub fn orders(&self) -> &[usize] {
        &self.orders
    }

    /// The tables of signals; empty if all columns share one.
    pub fn tables(&self) -> &[String] {
        &self.tables
    }

    /// The table of a column; `None` for a signal that consists only of events.
    pub fn table_of(&self, column: usize) -> Option<usize> {
        self.table_of.get(column).copied().flatten()
    }

    /// Whether its parts fit together, as they do unless they come from elsewhere.
    pub(crate) fn is_consistent(&self) -> bool {
        let columns = self.columns.len();
        let tables = |table: &Option<usize>| table.is_none_or(|table| table < self.tables.len());
        let elements: u64 = self.columns.iter().map(|column| column.ty.len() as u64).sum();
        self.orders.len() == columns
            && self.labels.len() == columns
            && (self.table_of.is_empty() || self.table_of.len() == columns)
            && self.table_of.iter().all(tables)
            && elements <= MOST_ELEMENTS
    }

    /// Makes room for an impulse of this order.
    pub(crate) fn admit(&mut self, column: usize, order: usize) {
        self.orders[column] = self.orders[column].max(order + 1);
    }

    pub(crate) fn retype(&mut self, column: usize, elem: Elem) {
        self.columns[column].ty = self.columns[column].ty.with_elem(elem);
    }

    /// The lanes in file order: the values of a column, then its orders of impulses.
    pub(crate) fn lanes(&self) -> impl Iterator<Item = LaneId> + '_ {
        self.orders.iter().enumerate().flat_map(|(column, orders)| {
            let impulses = (0..*orders).map(Some);
            std::iter::once(None).chain(impulses).map(move |order| LaneId { column, order })
        })
    }

    /// The type of the content of a lane; impulse coefficients are reals.
    pub(crate) fn lane_type(&self, lane: LaneId) -> Type {
        let ty = self.columns[lane.column].ty;
        if lane.order.is_some() { ty.with_elem(Elem::Real) } else { ty }
    }

    /// The labels that the values of a lane index; impulse coefficients have none.
    pub(crate) fn lane_labels(&self, lane: LaneId) -> &[String] {
        if lane.order.is_some() { &[] } else { &self.labels[lane.column] }
    }

    pub(crate) fn relabel(&mut self, column: usize, labels: Vec<String>) {
        self.labels[column] = labels;
    }

    /// The name of each element of a lane.
    pub(crate) fn lane_names(&self, lane: LaneId) -> Vec<String> {
        let mut names = self.columns[lane.column].element_names();
        if let Some(order) = lane.order {
            names.iter_mut().for_each(|name| name.push_str(&format!(".delta{order}")));
        }
        names
    }

    /// The names of all elements, in file order.
    pub(crate) fn names(&self) -> Vec<String> {
        self.lanes().flat_map(|lane| self.lane_names(lane)).collect()
    }

    /// The number of floats in a row.
    pub(crate) fn width(&self) -> usize {
        self.lanes().map(|lane| self.lane_type(lane).len()).sum()
    }
}

/// The content of one group of columns of a file: values, or the impulses of one order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LaneId {
    pub column: usize,
    pub order: Option<usize>,
}

/// A column as described in files: `{"name": "x", "element": "real", "shape": [2], "orders": 0}`;
/// the shape of a scalar is empty. If a file has several tables, `table` names the one of the
/// column; if values index labels, there is a list `labels`.
#[derive(Serialize, Deserialize)]
pub(crate) struct Described {
    name: String,
    element: Element,
    shape: Vec<u32>,
    #[serde(default)]
    orders: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    table: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    labels: Vec<String>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Element {
    Boolean,
    Integer,
    Real,
}

/// No model comes near this; a damaged file must not cause all the memory to be allocated.
const MOST_ELEMENTS: u64 = 1 << 24;

impl Schema {
    pub(crate) fn describe(&self) -> Vec<Described> {
        let table = |index: usize| match self.table_of(index) {
            _ if self.tables.is_empty() => None,
            Some(table) => Some(self.tables[table].clone()),
            None => Some(EVENTS.to_owned()),
        };
        let describe = |(index, (column, orders)): (usize, (&Column, &usize))| Described {
            name: column.name.clone(),
            element: match column.ty.elem {
                Elem::Bool => Element::Boolean,
                Elem::Int => Element::Integer,
                Elem::Real => Element::Real,
            },
            shape: match column.ty.shape {
                Shape::Scalar => Vec::new(),
                Shape::Vector(n) => vec![n],
                Shape::Matrix(rows, columns) => vec![rows, columns],
            },
            orders: *orders,
            table: table(index),
            labels: self.labels[index].clone(),
        };
        self.columns.iter().zip(&self.orders).enumerate().map(describe).collect()
    }

    /// The schema that a file describes, or what is wrong with it.
    pub(crate) fn of(described: Vec<Described>) -> Result<Schema, String> {
        let mut elements = 0u64;
        let mut schema = Schema::default();
        let mut tables = Vec::new();
        for Described { name, element, shape, orders, table, labels } in described {
            if table.as_deref() == Some(IMPULSES) {
                return Err(format!("column `{name}` is in the table of impulses"));
            }
            tables.push(table);
            let shape = match shape[..] {
                [] => Shape::Scalar,
                [n] => Shape::Vector(n),
                [rows, columns] => Shape::Matrix(rows, columns),
                _ => return Err(format!("column `{name}` has a shape of {} axes", shape.len())),
            };
            let length = match shape {
                Shape::Scalar => 1,
                Shape::Vector(n) => u64::from(n),
                Shape::Matrix(rows, columns) => u64::from(rows) * u64::from(columns),
            };
            let lanes = u64::try_from(orders).unwrap_or(u64::MAX).saturating_add(1);
            elements = elements.saturating_add(length.max(1).saturating_mul(lanes));
            if elements > MOST_ELEMENTS {
                return Err(format!("column `{name}` has more elements than any model"));
            }
            let elem = match element {
                Element::Boolean => Elem::Bool,
                Element::Integer => Elem::Int,
                Element::Real => Elem::Real,
            };
            schema.labels.push(labels);
            schema.columns.push(Column { name, ty: Type { elem, shape } });
            schema.orders.push(orders);
        }
        let signals = |table: &Option<String>| table.as_ref().is_some_and(|name| name != EVENTS);
        if !tables.iter().any(signals) {
            return Ok(schema);
        }
        let events = |table: Option<String>| table.filter(|name| name != EVENTS);
        Ok(schema.with_tables(tables.into_iter().map(events).collect()))
    }
}
