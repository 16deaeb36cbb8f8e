//! A tree in, the text of an expression of ours out.

use super::parse::Node;

/// What a name stands for.
#[derive(Clone, Debug)]
pub enum Name {
    /// Text in our language, and whether it is an integer constant.
    Text(String, bool),
    /// A function of these arguments.
    Function(Vec<String>, Node),
}

/// An expression of ours.
#[derive(Clone, PartialEq, Debug)]
pub struct Printed {
    pub text: String,
    /// How tightly its outermost operator binds; greater binds more tightly.
    level: u8,
    /// Whether it is an integer.
    pub int: bool,
}

const ATOM: u8 = 9;

impl Printed {
    fn atom(text: impl Into<String>, int: bool) -> Printed {
        Printed { text: text.into(), level: ATOM, int }
    }

    /// The text, in parentheses if its operator binds less tightly than this.
    fn within(&self, level: u8) -> String {
        match self.level >= level {
            true => self.text.clone(),
            false => format!("({})", self.text),
        }
    }
}

/// What names mean where an expression is written.
pub type Resolve<'a> = dyn FnMut(&str) -> Result<Name, String> + 'a;

/// Prints an expression. `resolve` says what names mean; a name that is not known is an error.
pub fn print(node: &Node, resolve: &mut Resolve) -> Result<Printed, String> {
    Ok(match node {
        Node::Number(text, int) => Printed::atom(text.clone(), *int),
        Node::Bool(value) => Printed::atom(value.to_string(), false),
        Node::Text(text) => Printed::atom(code(text).to_string(), true),
        Node::Name(name) => named(name, resolve)?,
        Node::Unary(sign, inner) => {
            let inner = print(inner, resolve)?;
            match sign {
                '!' => Printed { text: format!("not {}", inner.within(4)), level: 3, int: false },
                _ => Printed { text: format!("-{}", inner.within(8)), level: 7, int: inner.int },
            }
        }
        Node::Binary(sign, a, b) if !matches!(*sign, "==" | "!=") && (is_text(a) || is_text(b)) => {
            return Err(format!("`{sign}` with a text is not supported"));
        }
        Node::Binary(sign, a, b) => binary(sign, &print(a, resolve)?, &print(b, resolve)?),
        Node::If(condition, then, other) => {
            let parts = [condition, then, other].map(|part| print(part, resolve));
            let [condition, then, other] = parts;
            let (condition, then, other) = (condition?, then?, other?);
            let text = format!(
                "if {} then {} else {}",
                condition.within(1),
                then.within(1),
                other.within(1)
            );
            Printed { text, level: 0, int: then.int && other.int }
        }
        Node::Array(elements) => list(elements, resolve)?,
        Node::Matrix(rows) => {
            let rows: Result<Vec<Printed>, String> =
                rows.iter().map(|row| list(row, resolve)).collect();
            let rows: Vec<String> = rows?.into_iter().map(|row| row.text).collect();
            Printed::atom(format!("[{}]", rows.join(", ")), false)
        }
        Node::Call(name, args) => call(name, args, resolve)?,
        Node::Method(own, name, args) => match (name.as_str(), args.as_slice()) {
            ("isCloseTo", [other]) => close(own, other, None, resolve)?,
            ("isCloseTo", [other, within]) => close(own, other, Some(within), resolve)?,
            ("add", [other]) => binary("+", &print(own, resolve)?, &print(other, resolve)?),
            ("subtract", [other]) => binary("-", &print(own, resolve)?, &print(other, resolve)?),
            ("multiply", [other]) => binary("*", &print(own, resolve)?, &print(other, resolve)?),
            ("divide", [other]) => binary("/", &print(own, resolve)?, &print(other, resolve)?),
            ("length", []) => function("length", &[print(own, resolve)?]),
            _ => return Err(format!("the method `{name}` is not supported")),
        },
        Node::Record(_) => return Err("a record is not a value here".to_owned()),
        Node::Function(..) => return Err("a function is not a value here".to_owned()),
    })
}

/// The number that stands for a text. Signals are numbers here: equal texts have equal codes, and
/// others, as far as 48 bits tell them apart, have not.
pub fn code(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3);
    let hash = text.bytes().fold(0xCBF2_9CE4_8422_2325, step);
    (hash ^ (hash >> 48)) & ((1 << 48) - 1)
}

fn is_text(node: &Node) -> bool {
    matches!(node, Node::Text(_))
}

fn list(elements: &[Node], resolve: &mut Resolve) -> Result<Printed, String> {
    let elements: Result<Vec<Printed>, String> =
        elements.iter().map(|element| print(element, resolve)).collect();
    let elements: Vec<String> = elements?.into_iter().map(|element| element.text).collect();
    Ok(Printed::atom(format!("[{}]", elements.join(", ")), false))
}

fn named(name: &str, resolve: &mut Resolve) -> Result<Printed, String> {
    match resolve(name) {
        Ok(Name::Text(text, int)) => Ok(whole(text, int)),
        Ok(Name::Function(..)) => Err(format!("the function `{name}` is not a value here")),
        Err(error) => Ok(Printed::atom(
            match name {
                "PI" | "pi" => "pi".to_owned(),
                "E" | "e" => "exp(1)".to_owned(),
                "Infinity" => "inf".to_owned(),
                "MaxInt" => "2147483647".to_owned(),
                "MinInt" => "(-2147483648)".to_owned(),
                "MaxDouble" => "1.7976931348623157e308".to_owned(),
                "time" => "time".to_owned(),
                _ => return Err(error),
            },
            false,
        )),
    }
}

/// Text whose outermost operator is not known.
fn whole(text: String, int: bool) -> Printed {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    match text.chars().all(plain) {
        true => Printed { text, level: ATOM, int },
        false => Printed { text: format!("({text})"), level: ATOM, int },
    }
}

fn binary(sign: &str, a: &Printed, b: &Printed) -> Printed {
    let int = a.int && b.int;
    let (word, level) = match sign {
        "||" => ("or", 1),
        "&&" => ("and", 2),
        "==" | "!=" | "<" | "<=" | ">" | ">=" => (sign, 4),
        "+" | "-" => (sign, 5),
        "*" => (sign, 6),
        // The quotient of integers is cut off.
        "/" if int => {
            let text = format!("{} / {}", a.within(6), b.within(7));
            let digits = |own: &Printed| own.text.chars().all(|c| c.is_ascii_digit());
            let text = match digits(a) && digits(b) {
                true => format!("floor({text})"),
                false => format!("sign({text}) * floor(abs({text}))"),
            };
            return Printed { text, level: 6, int };
        }
        "/" => (sign, 6),
        "%" => {
            let (a, b) = (a.text.as_str(), b.text.as_str());
            let text = format!("sign({a}) * mod(abs({a}), abs({b}))");
            return Printed { text, level: 6, int };
        }
        _ => ("^", 8),
    };
    let text = match sign {
        "^" => format!("{}^{}", a.within(ATOM), b.within(ATOM)),
        "==" | "!=" | "<" | "<=" | ">" | ">=" => {
            format!("{} {word} {}", a.within(5), b.within(5))
        }
        _ => format!("{} {word} {}", a.within(level), b.within(level + 1)),
    };
    Printed { text, level, int: int && level > 4 }
}

fn function(name: &str, args: &[Printed]) -> Printed {
    let args: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
    Printed::atom(format!("{name}({})", args.join(", ")), false)
}

/// Equality within a tolerance, by default that of Ptolemy II.
fn close(
    a: &Node,
    b: &Node,
    within: Option<&Node>,
    resolve: &mut Resolve,
) -> Result<Printed, String> {
    let difference = binary("-", &print(a, resolve)?, &print(b, resolve)?);
    let within = match within {
        None => "1e-9".to_owned(),
        Some(within) => print(within, resolve)?.within(5),
    };
    let text = format!("abs({}) <= {within}", difference.text);
    Ok(Printed { text, level: 4, int: false })
}

// One arm for each function of Ptolemy II: a table, and so longer than a function should otherwise
// be.
fn call(name: &str, args: &[Node], resolve: &mut Resolve) -> Result<Printed, String> {
    match resolve(name) {
        Ok(Name::Function(names, body)) => return apply(name, &names, &body, args, resolve),
        // A name that is no function is an array or a matrix.
        Ok(Name::Text(text, _)) if matches!(args.len(), 1 | 2) && name != "random" => {
            let list: Result<Vec<Printed>, String> =
                args.iter().map(|arg| print(arg, resolve)).collect();
            let list: Vec<String> = list?.into_iter().map(|own| own.text).collect();
            let own = whole(text, false).text;
            return Ok(Printed::atom(format!("{own}[{}]", list.join(", ")), false));
        }
        _ => {}
    }
    if let ("close", [a, b]) | ("isCloseTo", [a, b]) = (name, args) {
        return close(a, b, None, resolve);
    }
    let printed: Result<Vec<Printed>, String> =
        args.iter().map(|arg| print(arg, resolve)).collect();
    let args = printed?;
    let same = [
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "atan2",
        "sinh",
        "cosh",
        "tanh",
        "exp",
        "log",
        "log10",
        "sqrt",
        "abs",
        "floor",
        "ceil",
        "round",
        "min",
        "max",
        "sum",
        "inverse",
        "transpose",
        "hypot",
        "length",
    ];
    match (name, args.as_slice()) {
        (_, _) if same.contains(&name) => {
            let int = matches!(name, "abs" | "min" | "max") && args.iter().all(|arg| arg.int);
            Ok(Printed { int, ..function(name, &args) })
        }
        ("pow", [a, b]) => Ok(binary("^", a, b)),
        // Only some places can draw random numbers.
        ("random", []) => match resolve("random()") {
            Ok(Name::Text(text, _)) => Ok(whole(text, false)),
            _ => Err("random numbers are not supported here".to_owned()),
        },
        ("truncate", [a]) => Ok(Printed { int: true, ..cut_off(&a.text) }),
        ("log2", [_]) => Ok(function("log2", &args)),
        ("cbrt", [a]) => {
            Ok(Printed::atom(format!("(sign({0}) * abs({0})^(1 / 3))", a.within(ATOM)), false))
        }
        ("remainder", [_, _]) => Err("the function `remainder` is not supported".to_owned()),
        ("mod", [a, b]) => Ok(binary("%", a, b)),
        ("subarray", [array, from, count]) => {
            let whole = |own: &Printed| own.text.parse::<usize>().ok().filter(|own| *own < 10_000);
            let (Some(from), Some(count)) = (whole(from), whole(count)) else {
                return Err("the part of an array must have constant bounds".to_owned());
            };
            let elements: Vec<String> =
                (from..from + count).map(|at| format!("{}[{at}]", array.within(ATOM))).collect();
            Ok(Printed::atom(format!("[{}]", elements.join(", ")), false))
        }
        ("sgn", [_]) => Ok(function("sign", &args)),
        ("determinant", [_]) => Ok(function("det", &args)),
        ("identity" | "identityMatrixDouble", [_]) => Ok(function("identity", &args)),
        ("toDegrees", [a]) => Ok(Printed::atom(format!("({} * 180 / pi)", a.within(6)), false)),
        ("toRadians", [a]) => Ok(Printed::atom(format!("({} * pi / 180)", a.within(6)), false)),
        ("sinc", [a]) => {
            let a = &a.text;
            let text = format!("if abs({a}) < 1e-10 then 1 else sin({a}) / ({a})");
            Ok(Printed { text, level: 0, int: false })
        }
        ("double" | "cast", [a]) => Ok(Printed { int: false, ..a.clone() }),
        ("int" | "long", [a]) => Ok(Printed { int: true, ..cut_off(&a.text) }),
        ("concatenate", lists) if !lists.is_empty() => {
            let inner = |own: &Printed| {
                let text = own.text.strip_prefix('[')?.strip_suffix(']')?;
                // One list, not `[a][i] + [b][j]`.
                (!text.contains(['[', ']'])).then(|| text.to_owned())
            };
            let parts: Option<Vec<String>> = lists.iter().map(inner).collect();
            let parts = parts.ok_or("arrays that are joined must be written out")?;
            let parts: Vec<String> = parts.into_iter().filter(|own| !own.is_empty()).collect();
            Ok(Printed::atom(format!("[{}]", parts.join(", ")), false))
        }
        ("repeat", [count, value]) => {
            let count: usize = count.text.parse().map_err(|_| "the count must be a number")?;
            if count > 1_000_000 {
                return Err("the count is too great".to_owned());
            }
            let text = vec![value.text.as_str(); count].join(", ");
            Ok(Printed::atom(format!("[{text}]"), false))
        }
        _ => Err(format!("the function `{name}` with {} arguments is not supported", args.len())),
    }
}

/// A number without its fraction.
fn cut_off(text: &str) -> Printed {
    Printed::atom(format!("(sign({text}) * floor(abs({text})))"), true)
}

/// A call of a function that the model defines: its body with the arguments in place.
fn apply(
    name: &str,
    names: &[String],
    body: &Node,
    args: &[Node],
    resolve: &mut Resolve,
) -> Result<Printed, String> {
    if names.len() != args.len() {
        return Err(format!("the function `{name}` takes {} arguments", names.len()));
    }
    let printed: Result<Vec<Printed>, String> =
        args.iter().map(|arg| print(arg, resolve)).collect();
    let args = printed?;
    let mut inner = |own: &str| match names.iter().position(|name| name == own) {
        Some(at) => Ok(Name::Text(args[at].text.clone(), args[at].int)),
        None if own == name => Err(format!("the function `{name}` calls itself")),
        None => resolve(own),
    };
    print(body, &mut inner)
}
