//! A graph as text: expressions, with a line of its own for what is used more than once.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use crate::tape::{binary_text, unary_text};
use crate::{Graph, NodeId, Op};

impl Graph {
    /// What named roots compute, as lines `name = expression`; `leaf` gives the names of the leaves
    /// called.
    pub fn listing(&self, roots: &[(String, NodeId)], leaf: &dyn Fn(u32) -> String) -> String {
        let ids: Vec<NodeId> = roots.iter().map(|(_, id)| *id).collect();
        let order = self.reachable(&ids);
        let mut uses: FxHashMap<NodeId, usize> = FxHashMap::default();
        for id in &order {
            self.node(*id).args.iter().for_each(|arg| *uses.entry(*arg).or_default() += 1);
        }
        let mut texts: FxHashMap<NodeId, String> = FxHashMap::default();
        let (mut out, mut count) = (String::new(), 0);
        for id in order {
            let node = self.node(id);
            let args: Vec<&str> = node.args.iter().map(|arg| texts[arg].as_str()).collect();
            let text = self.text(id, &args, leaf);
            let plain =
                matches!(node.op, Op::Const(_) | Op::Parameter(..) | Op::Leaf(_) | Op::Unknown);
            let shared = !plain && uses.get(&id).is_some_and(|uses| *uses > 1);
            let text = if shared {
                let _ = writeln!(out, "%{count} = {text}");
                count += 1;
                format!("%{}", count - 1)
            } else if plain {
                text
            } else {
                format!("({text})")
            };
            texts.insert(id, text);
        }
        for (name, id) in roots {
            let text = &texts[id];
            let bare = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
            let _ = writeln!(out, "{name} = {}", bare.unwrap_or(text));
        }
        out
    }

    fn text(&self, id: NodeId, args: &[&str], leaf: &dyn Fn(u32) -> String) -> String {
        let node = self.node(id);
        let all = args.join(", ");
        match &node.op {
            Op::Const(bits) => {
                let data: Vec<String> =
                    bits.iter().map(|bits| f64::from_bits(*bits).to_string()).collect();
                if data.len() == 1 { data.concat() } else { format!("[{}]", data.join(", ")) }
            }
            Op::Parameter(id, _) => format!("parameter {}", id.index()),
            Op::Leaf(key) => leaf(*key),
            Op::Unknown => "unknown".to_owned(),
            Op::Unary(op) => unary_text(*op, args[0]),
            Op::Binary(op) => binary_text(*op, args[0], args[1]),
            Op::Select => format!("if {} then {} else {}", args[0], args[1], args[2]),
            Op::Choose(_) => format!("choose({all})"),
            Op::FrozenSign => format!("side {}", args[0]),
            Op::FrozenFloor => format!("floor {}", args[0]),
            Op::Crossed => format!("crossed {}", args[0]),
            Op::Observed(_) => format!("observed({all})"),
            Op::SignOutside => format!("sign_outside({all})"),
            Op::FloorOutside => format!("floor_outside({all})"),
            Op::Splat => format!("{} as {}", args[0], node.ty),
            Op::Stack => format!("stack({all})"),
            Op::Extract(from) => format!("{}[{from}..{}]", args[0], *from as usize + node.ty.len()),
            Op::Index => format!("{}[{}]", args[0], args[1]),
            Op::Sum => format!("sum({all})"),
            Op::MatMul => format!("{} matrix {}", args[0], args[1]),
            Op::Transpose => format!("transpose({all})"),
            Op::LinearSolve => format!("solve({all})"),
            Op::Solve(_) => format!("loop({all})"),
            Op::Call(_) => format!("call({all})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use base::Type;

    use super::*;

    #[test]
    fn shared_nodes_have_a_line() {
        let mut g = Graph::new();
        let x = g.leaf(0, Type::REAL);
        let two = g.real(2.0);
        let sum = g.add(x, two);
        let square = g.mul(sum, sum);
        let listing = g.listing(&[("y".to_owned(), square)], &|_| "x".to_owned());
        assert_eq!(listing, "%0 = x + 2\ny = %0 * %0\n");
    }
}
