//! Text in, a tree of operations out, by the grammar of Ptolemy II.

/// An operation.
#[derive(Clone, PartialEq, Debug)]
pub enum Node {
    /// A number as written, and whether it is an integer.
    Number(String, bool),
    Bool(bool),
    Text(String),
    /// A name, which may have dots.
    Name(String),
    /// `-` or `!`.
    Unary(char, Box<Node>),
    Binary(&'static str, Box<Node>, Box<Node>),
    If(Box<Node>, Box<Node>, Box<Node>),
    Array(Vec<Node>),
    Matrix(Vec<Vec<Node>>),
    /// `{a = 1, b = 2}`.
    Record(Vec<(String, Node)>),
    Call(String, Vec<Node>),
    /// `a.f(b)`.
    Method(Box<Node>, String, Vec<Node>),
    /// `function(x: double) body`.
    Function(Vec<String>, Box<Node>),
}

impl Node {
    /// The same expression with other names in places where `of` has one.
    pub fn renamed(&self, of: &dyn Fn(&str) -> Option<String>) -> Node {
        let one = |node: &Node| Box::new(node.renamed(of));
        let all = |nodes: &[Node]| nodes.iter().map(|node| node.renamed(of)).collect();
        match self {
            Node::Name(name) => Node::Name(of(name).unwrap_or_else(|| name.clone())),
            Node::Unary(sign, inner) => Node::Unary(*sign, one(inner)),
            Node::Binary(sign, a, b) => Node::Binary(sign, one(a), one(b)),
            Node::If(a, b, c) => Node::If(one(a), one(b), one(c)),
            Node::Array(elements) => Node::Array(all(elements)),
            Node::Matrix(rows) => Node::Matrix(rows.iter().map(|row| all(row)).collect()),
            Node::Call(name, args) => {
                Node::Call(of(name).unwrap_or_else(|| name.clone()), all(args))
            }
            Node::Method(own, name, args) => Node::Method(one(own), name.clone(), all(args)),
            Node::Function(names, body) => {
                let inner = |name: &str| of(name).filter(|_| !names.iter().any(|own| own == name));
                Node::Function(names.clone(), Box::new(body.renamed(&inner)))
            }
            Node::Record(fields) => {
                let field = |(name, value): &(String, Node)| (name.clone(), value.renamed(of));
                Node::Record(fields.iter().map(field).collect())
            }
            Node::Number(..) | Node::Bool(_) | Node::Text(_) => self.clone(),
        }
    }
}

/// How deep an expression may be nested.
const DEEPEST: usize = 90;

/// The tree of a text.
pub fn parse(text: &str) -> Result<Node, String> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0 };
    let node = parser.whole()?;
    match parser.peek() {
        None => Ok(node),
        Some(token) => Err(format!("`{}` is not expected", token.text())),
    }
}

#[derive(Clone, PartialEq, Debug)]
enum Token {
    Number(String, bool),
    Name(String),
    Text(String),
    Sign(&'static str),
}

impl Token {
    fn text(&self) -> &str {
        match self {
            Token::Number(text, _) | Token::Name(text) | Token::Text(text) => text,
            Token::Sign(sign) => sign,
        }
    }
}

const SIGNS: [&str; 30] = [
    "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "->", "+", "-", "*", "/", "%", "^", "(", ")",
    "{", "}", "[", "]", ",", ";", "?", ":", "<", ">", "!", ".", "=",
];

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if first.is_ascii_digit()
            || first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())
        {
            let (token, length) = number(rest)?;
            tokens.push(token);
            length
        } else if first.is_alphabetic() || first == '_' || first == '$' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
            let end = end.unwrap_or(rest.len());
            tokens.push(Token::Name(rest[..end].to_owned()));
            end
        } else if first == '"' {
            let (text, length) = quoted(rest).ok_or("a text does not end")?;
            tokens.push(Token::Text(text));
            length
        } else if rest.starts_with("/*") {
            rest.find("*/").ok_or("a comment does not end")? + 2
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
            let sign = sign.ok_or_else(|| format!("`{first}` has no meaning here"))?;
            tokens.push(Token::Sign(sign));
            sign.len()
        };
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

/// A text in quotes at the start of another, with its escapes replaced, and its length there.
fn quoted(rest: &str) -> Option<(String, usize)> {
    let mut text = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, own)) = chars.next() {
        match own {
            '"' => return Some((text, at + 1)),
            '\\' => text.push(match chars.next()?.1 {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                other => other,
            }),
            own => text.push(own),
        }
    }
    None
}

fn number(rest: &str) -> Result<(Token, usize), String> {
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    if let Some(hex) = rest.strip_prefix("0x") {
        let end = hex.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(hex.len());
        let value = u64::from_str_radix(&hex[..end], 16).map_err(|error| error.to_string())?;
        return Ok((Token::Number(value.to_string(), true), end + 2));
    }
    let mut end = digits(rest);
    let mut int = true;
    // `1..` would be no number, and `2.isCloseTo` is not written.
    if rest[end..].starts_with('.') {
        end += 1 + digits(&rest[end + 1..]);
        int = false;
    }
    if rest[end..].starts_with(['e', 'E']) {
        let sign = usize::from(rest[end + 1..].starts_with(['+', '-']));
        let power = digits(&rest[end + 1 + sign..]);
        if power > 0 {
            end += 1 + sign + power;
            int = false;
        }
    }
    let mut text = rest[..end].trim_end_matches('.').to_owned();
    if text.starts_with('.') {
        text.insert(0, '0');
    }
    let suffix = rest[end..].chars().next();
    let length = match suffix {
        Some('L' | 'l' | 'd' | 'D' | 'f' | 'F' | 's' | 'S')
            if !rest[end + 1..].starts_with(|c: char| c.is_alphanumeric() || c == '_') =>
        {
            int &= !matches!(suffix, Some('d' | 'D' | 'f' | 'F'));
            end + 1
        }
        Some('i' | 'j') if !rest[end + 1..].starts_with(|c: char| c.is_alphanumeric()) => {
            return Err("complex numbers are not supported".to_owned());
        }
        _ => end,
    };
    Ok((Token::Number(text, int), length))
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

/// The operators of one precedence each, lowest first.
const LEVELS: [&[&str]; 6] =
    [&["||"], &["&&"], &["==", "!="], &["<=", ">=", "<", ">"], &["+", "-"], &["*", "/", "%"]];

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn takes(&mut self, sign: &'static str) -> bool {
        let found = self.peek() == Some(&Token::Sign(sign));
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &'static str) -> Result<(), String> {
        match self.takes(sign) {
            true => Ok(()),
            false => Err(format!("`{sign}` is missing")),
        }
    }

    fn whole(&mut self) -> Result<Node, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("the expression is nested too deeply".to_owned());
        }
        let condition = self.level(0)?;
        let node = match self.takes("?") {
            false => condition,
            true => {
                let then = self.whole()?;
                self.expect(":")?;
                let other = self.whole()?;
                Node::If(Box::new(condition), Box::new(then), Box::new(other))
            }
        };
        self.depth -= 1;
        Ok(node)
    }

    fn level(&mut self, level: usize) -> Result<Node, String> {
        let Some(signs) = LEVELS.get(level) else { return self.power() };
        let mut node = self.level(level + 1)?;
        while let Some(sign) = signs.iter().find(|sign| self.takes(sign)) {
            let right = self.level(level + 1)?;
            node = Node::Binary(sign, Box::new(node), Box::new(right));
        }
        Ok(node)
    }

    /// In Ptolemy II a sign binds more tightly than a power: `-2^2` is 4.
    fn power(&mut self) -> Result<Node, String> {
        let mut node = self.unary()?;
        while self.takes("^") {
            let right = self.unary()?;
            node = Node::Binary("^", Box::new(node), Box::new(right));
        }
        Ok(node)
    }

    fn unary(&mut self) -> Result<Node, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("the expression is nested too deeply".to_owned());
        }
        let node = match () {
            () if self.takes("-") => Node::Unary('-', Box::new(self.unary()?)),
            () if self.takes("!") => Node::Unary('!', Box::new(self.unary()?)),
            () if self.takes("+") => self.unary()?,
            () => self.element()?,
        };
        self.depth -= 1;
        Ok(node)
    }

    fn element(&mut self) -> Result<Node, String> {
        let mut node = self.primary()?;
        loop {
            if self.peek() == Some(&Token::Sign("(")) && matches!(node, Node::Name(_)) {
                let Node::Name(name) = node else { return Err(String::new()) };
                self.at += 1;
                node = Node::Call(name, self.list(")")?);
            } else if self.takes(".") {
                let Some(Token::Name(part)) = self.peek().cloned() else {
                    return Err("a name must follow `.`".to_owned());
                };
                self.at += 1;
                node = match self.takes("(") {
                    true => Node::Method(Box::new(node), part, self.list(")")?),
                    false => match node {
                        Node::Name(name) => Node::Name(format!("{name}.{part}")),
                        node => Node::Method(Box::new(node), part, Vec::new()),
                    },
                };
            } else {
                return Ok(node);
            }
        }
    }

    fn primary(&mut self) -> Result<Node, String> {
        let token = self.peek().cloned().ok_or("the expression ends too early")?;
        self.at += 1;
        Ok(match token {
            Token::Number(text, int) => Node::Number(text, int),
            Token::Text(text) => Node::Text(text),
            Token::Name(name) if name == "function" => self.function()?,
            Token::Name(name) => match name.as_str() {
                "true" => Node::Bool(true),
                "false" => Node::Bool(false),
                _ => Node::Name(name),
            },
            Token::Sign("(") => {
                let inner = self.whole()?;
                self.expect(")")?;
                inner
            }
            Token::Sign("{") => self.array()?,
            Token::Sign("[") => self.matrix()?,
            Token::Sign(sign) => return Err(format!("`{sign}` is not expected")),
        })
    }

    fn list(&mut self, end: &'static str) -> Result<Vec<Node>, String> {
        let mut list = Vec::new();
        if self.takes(end) {
            return Ok(list);
        }
        loop {
            list.push(self.whole()?);
            if self.takes(end) {
                return Ok(list);
            }
            self.expect(",")?;
        }
    }

    fn array(&mut self) -> Result<Node, String> {
        let is_record = matches!(
            (self.tokens.get(self.at), self.tokens.get(self.at + 1), self.tokens.get(self.at + 2)),
            (Some(Token::Name(_)), Some(Token::Sign("=")), _)
        );
        match is_record {
            true => self.record(),
            false => Ok(Node::Array(self.list("}")?)),
        }
    }

    fn record(&mut self) -> Result<Node, String> {
        let mut fields = Vec::new();
        loop {
            let Some(Token::Name(name)) = self.peek().cloned() else {
                return Err("a record needs names of fields".to_owned());
            };
            self.at += 1;
            self.expect("=")?;
            fields.push((name, self.whole()?));
            if self.takes("}") {
                return Ok(Node::Record(fields));
            }
            self.expect(",")?;
        }
    }

    fn matrix(&mut self) -> Result<Node, String> {
        let mut rows = vec![Vec::new()];
        loop {
            let row = rows.len() - 1;
            rows[row].push(self.whole()?);
            match () {
                () if self.takes("]") => return Ok(Node::Matrix(rows)),
                () if self.takes(";") => rows.push(Vec::new()),
                () => self.expect(",")?,
            }
        }
    }

    fn function(&mut self) -> Result<Node, String> {
        self.expect("(")?;
        let mut names = Vec::new();
        while !self.takes(")") {
            let Some(Token::Name(name)) = self.peek().cloned() else {
                return Err("a function needs names of arguments".to_owned());
            };
            self.at += 1;
            names.push(name);
            // The type is not needed: ours are found.
            if self.takes(":") {
                while !matches!(self.peek(), None | Some(Token::Sign("," | ")"))) {
                    self.at += 1;
                }
            }
            self.takes(",");
        }
        Ok(Node::Function(names, Box::new(self.whole()?)))
    }
}
