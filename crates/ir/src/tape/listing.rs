//! A tape as text: an instruction a line, with names for what has one.

use std::fmt::Write;

use super::{Code, Extra, Instr, Pair, Repeat, RepeatOp, Tape};
use crate::Slot;
use crate::{Binary, Unary};

/// Up to how many copies are listed one by one.
const LISTED: u32 = 4;

/// The names of the slots of the buffer.
pub type SlotNames<'a> = &'a dyn Fn(Slot) -> String;

impl Tape {
    /// The instructions in order, indented by some spaces; `name` gives the name of a slot. What
    /// a skip may pass over is indented further.
    pub fn listing(&self, indent: usize, name: SlotNames<'_>) -> String {
        let mut out = String::new();
        let mut ends: Vec<usize> = Vec::new();
        for (index, instr) in self.code.iter().enumerate() {
            ends.retain(|end| *end > index);
            let margin = indent + 2 * ends.len();
            let _ = writeln!(out, "{:margin$}{}", "", self.line(instr, margin, name));
            if instr.code == Code::Skip {
                ends.push(index + 1 + instr.n as usize);
            }
        }
        out
    }

    fn line(&self, instr: &Instr, margin: usize, name: SlotNames<'_>) -> String {
        let Instr { code, dst, a, b, c, n } = *instr;
        let many = |slot: Slot| several(slot, n, name);
        let (to, [x, y, z]) = (name(dst), [a, b, c].map(name));
        match code {
            Code::Add => format!("{to} = {x} + {y}"),
            Code::Sub => format!("{to} = {x} - {y}"),
            Code::Mul => format!("{to} = {x} * {y}"),
            Code::Div => format!("{to} = {x} / {y}"),
            Code::Neg => format!("{to} = -{x}"),
            Code::Copy => format!("{to} = {x}"),
            Code::Select => format!("{to} = if {x} then {y} else {z}"),
            Code::Pair(pair) => format!("{to} = {}", pair_text(pair, [&x, &y, &z])),
            Code::Unary(op) => format!("{} = {}", many(dst), unary_text(op, &many(a))),
            Code::Binary(op) => format!("{} = {}", many(dst), binary_text(op, &many(a), &many(b))),
            Code::CopyEach => format!("{} = {}", many(dst), many(a)),
            Code::CopyApart if n <= LISTED => {
                let all = |from: Slot, step: u32| {
                    let names: Vec<String> = (0..n).map(|i| name(from + i * step)).collect();
                    names.join(", ")
                };
                let [to, from] = instr.strides();
                format!("{} = {}", all(dst, to), all(a, from))
            }
            Code::CopyApart => {
                let [step, other] = instr.strides();
                format!("{to} step {step} = {x} step {other}, {n} times")
            }
            Code::SelectEach => {
                format!("{} = if {} then {} else {}", many(dst), many(a), many(b), many(c))
            }
            Code::SelectAll => format!("{} = if {x} then {} else {}", many(dst), many(b), many(c)),
            Code::SignOutside => {
                format!("{} = sign_outside({}, {}, {})", many(dst), many(a), many(b), many(c))
            }
            Code::FloorOutside => {
                format!("{} = floor_outside({}, {}, {})", many(dst), many(a), many(b), many(c))
            }
            Code::Splat => format!("{} = each {x}", many(dst)),
            Code::Index => format!("{to} = {}[{y}]", many(a)),
            Code::Sum => format!("{to} = sum {}", many(a)),
            Code::Unknown => format!("{} = unknown", many(dst)),
            Code::Skip => format!("if {x}:"),
            Code::Choose | Code::Repeat | Code::Product | Code::Extra => {
                self.extra_line(instr, margin, name)
            }
        }
    }

    fn extra_line(&self, instr: &Instr, margin: usize, name: SlotNames<'_>) -> String {
        let Instr { dst, a, b, n, .. } = *instr;
        let to = |n: u32| several(dst, n, name);
        let of = |slot: Slot, n: u32| several(slot, n, name);
        match self.extra.get(instr.extra()) {
            Some(Extra::Choose(arms)) => {
                let arms: Vec<String> = arms.iter().map(|arm| of(*arm, n)).collect();
                format!("{} = choose {} of {}", to(n), name(a), arms.join(", "))
            }
            Some(Extra::Repeat(body)) => body.listing(margin, name),
            Some(Extra::MatMul { rows, inner, columns }) => {
                let (x, y) = (of(a, rows * inner), of(b, inner * columns));
                format!("{} = {x} matrix {rows}x{inner}x{columns} {y}", to(rows * columns))
            }
            Some(Extra::Transpose { rows, columns }) => {
                let count = rows * columns;
                format!("{} = transpose {rows}x{columns} {}", to(count), of(a, count))
            }
            Some(Extra::LinearSolve { n, .. }) => {
                format!("{} = solve {} for {}", to(*n), of(a, n * n), of(b, *n))
            }
            Some(Extra::Solve(code)) => {
                let unknowns = of(code.unknowns, code.n);
                let inner = code.body.listing(margin + 2, name);
                let residual = of(code.residual, code.n);
                let body = inner.trim_end_matches('\n');
                format!("{} = {unknowns} at which {residual} vanish:\n{body}", to(code.n))
            }
            Some(Extra::Call { args, .. }) => {
                let args: Vec<String> = args.iter().map(|(slot, n)| of(*slot, *n)).collect();
                format!("{} = call({})", to(n), args.join(", "))
            }
            None => "?".to_owned(),
        }
    }
}

impl Repeat {
    fn listing(&self, margin: usize, name: SlotNames<'_>) -> String {
        let mut out = format!("repeat {} times:", self.count);
        let moving = |slot: Slot, step: i32| match step {
            0 => name(slot),
            _ => format!("{} step {step}", name(slot)),
        };
        for (value, (slot, step)) in self.loads.iter().enumerate() {
            let _ = write!(out, "\n{:margin$}  #{value} = {}", "", moving(*slot, *step));
        }
        for (index, op) in self.ops.iter().enumerate() {
            let value = self.loads.len() + index;
            let [a, b, c] = op.reads().map(|value| format!("#{value}"));
            let made = match op {
                RepeatOp::Unary(op, _) => unary_text(*op, &a),
                RepeatOp::Binary(op, ..) => binary_text(*op, &a, &b),
                RepeatOp::Select(..) => format!("if {a} then {b} else {c}"),
                RepeatOp::SignOutside(..) => format!("sign_outside({a}, {b}, {c})"),
                RepeatOp::FloorOutside(..) => format!("floor_outside({a}, {b}, {c})"),
            };
            let _ = write!(out, "\n{:margin$}  #{value} = {made}", "");
        }
        for (value, slot, step) in &self.stores {
            let _ = write!(out, "\n{:margin$}  {} = #{value}", "", moving(*slot, *step));
        }
        out
    }
}

fn several(slot: Slot, n: u32, name: SlotNames<'_>) -> String {
    match n {
        1 => name(slot),
        _ => format!("{}..{n}", name(slot)),
    }
}

/// Two operations in one: the first on a and b, the second on its result and c.
fn pair_text(pair: Pair, [a, b, c]: [&str; 3]) -> String {
    let sign = |name: &str| match name {
        "Add" => "+",
        "Sub" => "-",
        _ => "*",
    };
    let name = format!("{pair:?}");
    match name.strip_prefix('C') {
        Some(ops) => format!("{c} {} ({a} {} {b})", sign(&ops[..3]), sign(&ops[3..])),
        None => format!("({a} {} {b}) {} {c}", sign(&name[..3]), sign(&name[3..6])),
    }
}

fn word(name: &impl std::fmt::Debug) -> String {
    format!("{name:?}").to_lowercase()
}

pub(crate) fn unary_text(op: Unary, a: &str) -> String {
    match op {
        Unary::Neg => format!("-{a}"),
        Unary::Not => format!("not {a}"),
        other => format!("{}({a})", word(&other)),
    }
}

pub(crate) fn binary_text(op: Binary, a: &str, b: &str) -> String {
    let sign = match op {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::Div => "/",
        Binary::Pow => "^",
        Binary::And => "and",
        Binary::Or => "or",
        Binary::Equal => "==",
        Binary::Less => "<",
        Binary::LessEqual => "<=",
        Binary::Atan2 | Binary::Hypot => return format!("{}({a}, {b})", word(&op)),
    };
    format!("{a} {sign} {b}")
}
