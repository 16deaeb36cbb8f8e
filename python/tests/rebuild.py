"""Makes a model file again by the model builder, call by call: expressions by operators, blocks by
their methods, machines and diagrams by theirs."""

import re
from types import SimpleNamespace

import superdense as sd
import yaml
from superdense._expr import Call

TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|(?P<name>[A-Za-z_][\w.]*)"
    r"|(?P<sign>==|!=|<=|>=|&&|\|\||.))"
)
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


class Parser:
    """Expressions of the language as operators of Python."""

    def __init__(self, text, names):
        self.tokens = [m for m in TOKEN.finditer(text.strip())]
        self.at, self.names = 0, names

    def peek(self):
        return self.tokens[self.at].group().strip() if self.at < len(self.tokens) else None

    def take(self, *wanted):
        if self.peek() in wanted:
            self.at += 1
            return True
        return False

    def need(self, sign):
        assert self.take(sign), (sign, self.peek())

    def whole(self):
        own = self.expression()
        assert self.peek() is None, self.peek()
        return own

    def expression(self):
        if self.take("if"):
            condition = self.expression()
            self.need("then")
            a = self.expression()
            self.need("else")
            return sd.where(condition, a, self.expression())
        own = self.disjunction()
        if self.take("?"):
            a = self.expression()
            self.need(":")
            return sd.where(own, a, self.expression())
        return own

    def disjunction(self):
        own = self.conjunction()
        while self.take("or", "||"):
            own = signal(own) | self.conjunction()
        return own

    def conjunction(self):
        own = self.negation()
        while self.take("and", "&&"):
            own = signal(own) & self.negation()
        return own

    def negation(self):
        return ~signal(self.negation()) if self.take("not", "!") else self.comparison()

    def comparison(self):
        own = self.sum()
        sign = self.peek()
        if not self.take(*COMPARISONS):
            return own
        other = self.sum()
        a = signal(own)
        return {
            "==": lambda: a == other, "!=": lambda: a != other, "<": lambda: a < other,
            "<=": lambda: a <= other, ">": lambda: a > other, ">=": lambda: a >= other,
        }[sign]()  # fmt: skip

    def sum(self):
        own = self.product()
        while self.peek() in ("+", "-"):
            own = signal(own) + self.product() if self.take("+") else self.less(own)
        return own

    def less(self, own):
        self.need("-")
        return signal(own) - self.product()

    def product(self):
        own = self.sign()
        while self.peek() in ("*", "/"):
            if self.take("*"):
                own = signal(own) * self.sign()
            else:
                self.need("/")
                own = signal(own) / self.sign()
        return own

    def sign(self):
        if self.take("-"):
            return -signal(self.sign())
        return self.sign() if self.take("+") else self.power()

    def power(self):
        own = self.postfix()
        return signal(own) ** self.sign() if self.take("^") else own

    def postfix(self):
        own = self.atom()
        while self.take("["):
            index = self.list("]")
            own = own[tuple(index)] if len(index) > 1 else own[index[0]]
        return own

    def list(self, end):
        found = []
        while not self.take(end):
            found.append(self.expression())
            self.take(",")
        return found

    def atom(self):
        token = self.tokens[self.at]
        self.at += 1
        if token["number"]:
            text = token["number"].replace("_", "")
            return int(text) if text.isdigit() else float(text)
        if token["name"]:
            return self.named(token["name"])
        if token["sign"] == "(":
            own = self.expression()
            self.need(")")
            return own
        assert token["sign"] == "[", token
        return self.list("]")

    def named(self, name):
        if name in ("true", "false"):
            return name == "true"
        if self.take("("):
            arguments = self.list(")")
            known = getattr(sd, name, None) or getattr(sd.math, name, None)
            return known(*arguments) if known else Call(name, *arguments)
        if name in ("time", "absent", "elapsed"):
            return getattr(sd, name)
        return getattr(sd.math, name) if name in ("pi", "inf") else self.names(name)


def signal(own):
    """A number as a signal, so that Python does not compute with it."""
    return own if isinstance(own, sd.Signal) else sd.expr(f"({own})") if isinstance(own, list) else _number(own)


def _number(own):
    from superdense._expr import Text, number

    return Text(("true" if own else "false") if isinstance(own, bool) else number(own), 9)


class Rebuilder:
    """One scope of the model."""

    def __init__(self, scope, known=()):
        self.scope = scope
        self.extra = set(known)

    def names(self, name):
        first, *rest = name.split(".")
        own = None if first in self.extra else self.scope._find(first)
        if own is None:
            return sd.expr(name) if first in self.extra else self.scope[name]
        for output in rest:
            own = getattr(own, output)
        return own

    def value(self, own):
        if own is None or own == "":
            return None
        if isinstance(own, list):
            return [self.value(one) for one in own]
        if isinstance(own, dict):
            return {key: self.value(one) for key, one in own.items()}
        if own in WORDS:
            return own
        return Parser(own, self.names).whole()

    def parameters(self, own):
        for name, value in (own or {}).items():
            about = value if isinstance(value, dict) else {"value": value}
            given = {k: v for k, v in about.items() if k in ("unit", "description", "words")}
            tunable = about.get("tunable") == "true"
            self.scope.parameter(self.value(about.get("value")), name=name, tunable=tunable, **given)

    def diagram(self, own):
        """Parameters in an order in which each is known, then blocks, with references ahead."""
        self.parameters(own.get("parameters"))
        for name, block in (own.get("blocks") or {}).items():
            self.block(name, dict(block))
        solve = own.get("solve")
        if solve == "true":
            self.scope.solve(True)
        elif isinstance(solve, dict):
            self.scope.solve(guesses=self.value(solve))
        elif solve:
            self.scope.solve(*self.value(solve))

    def block(self, name, own):
        kind, over = own.pop("type"), own.pop("for", None)
        if kind == "Modal":
            return self.machine(name, own)
        inside = Rebuilder(self.scope, {*self.extra, *(over or ())})
        counts = [self.scope.index(key, self.value(n)) for key, n in (over or {}).items()]
        if kind == "DifferentialSystem":
            known = {*(own.get("states") or ()), *(own.get("inputs") or ()), *(own.get("parameters") or ())}
            inside = Rebuilder(self.scope, {*inside.extra, *known})
        passed = own.pop("pass", [])
        fields = {key: inside.value(value) for key, value in own.items()}
        fields.update((key, inside.names(key)) for key in passed)
        method = getattr(self.scope, kind, None)
        if kind in DIAGRAMS or method is None:
            return self.scope.block(kind, name=name, over=counts or None, **fields)
        if kind in ("Sum", "Product", "Merge"):
            many = next(key for key in ("inputs", "input") if key in fields)
            given = fields.pop(many)
            return method(*given, name=name, over=counts or None, **fields)
        return method(name=name, over=counts or None, **fields)

    def machine(self, name, own):
        machine = self.scope.Modal(
            name=name,
            initial=own.get("initial"),
            hold=self.held(own.get("hold")),
            outputs=own.get("outputs"),
            sliding=own.get("sliding"),
            description=own.get("description"),
        )
        outer = Rebuilder(machine._inner, self.extra)
        outer.parameters(own.get("parameters"))
        for key, state in own["states"].items():
            state = state or {}
            made = machine.add_state(
                key, like=state.get("like"), final=state.get("final") == "true",
                tolerance=state.get("tolerance"), domain=state.get("domain"),
                description=state.get("description"),
            )  # fmt: skip
            inside = Rebuilder(made, self.extra)
            inside.diagram(state)
            outputs = state.get("outputs") or {}
            if isinstance(outputs, list):
                made.output([made[one] if made._find(one) is None else made._find(one) for one in outputs])
            else:
                made.output(inside.value(outputs))
            for one in state.get("transitions") or ():
                given = {key: inside.transition(key, value) for key, value in one.items() if key != "to"}
                made.to(one["to"], **given)

    def held(self, own):
        return own == "true" if own in ("true", "false") else self.value(own) if isinstance(own, dict) else own

    def transition(self, key, value):
        if value in ("true", "false"):
            return value == "true"
        return self.value(value)


WORDS: set = set()
DIAGRAMS: set = set()


def rebuilt(text):
    """The builder of a model file, and what is left of the file."""
    own = yaml.load(text, yaml.BaseLoader)
    WORDS.clear(), DIAGRAMS.clear()
    for block in sd._superdense.blocks():
        for _, _, _, words in block["parameters"]:
            WORDS.update(words)
    for diagram in (own.get("diagrams") or {}).values():
        for about in (diagram.get("parameters") or {}).values():
            WORDS.update(about.get("words", ()) if isinstance(about, dict) else ())
    DIAGRAMS.update(own.get("diagrams") or {})
    d = sd.Diagram(own.get("name", "model"), own.get("description"))
    names = [*(own.get("blocks") or {}), *(own.get("parameters") or {})]
    WORDS.difference_update(names)
    for name, diagram in (own.get("diagrams") or {}).items():
        names += [*(diagram.get("blocks") or {}), *(diagram.get("parameters") or {})]
        WORDS.difference_update(names)
        define(d, name, diagram)
    if "functions" in own:
        d.functions(own["functions"])
    if "import" in own:
        imports = own["import"]
        d.imports(*imports) if isinstance(imports, list) else d.imports(**imports)
    top = Rebuilder(d)
    for name, about in (own.get("inputs") or {}).items():
        d.input(name=name, **{k: top.value(v) if k == "initial" else v for k, v in about.items()})
    top.extra.update(own.get("invariants") or ())
    top.diagram(own)
    if "invariants" in own:
        d.invariant(**top.value(own["invariants"]))
    if isinstance(own.get("record"), list):
        d.record(*map(top.value, own["record"]))
    elif "record" in own:
        d.record(**top.value(own["record"]))
    simulate = own.get("simulate") or {}
    words = ("solver", "zeno", "sliding", "impulses", "rows", "profile")
    d.simulate(**{k: v if k in words else top.value(v) for k, v in simulate.items()})
    return d


def define(d, name, own):
    """A diagram as a function of its inputs and parameters."""

    def made(inner):
        inside = Rebuilder(inner)
        inside.diagram({k: v for k, v in own.items() if k != "parameters"})
        for check in own.get("require") or ():
            inner.require(inside.value(check["check"]), check["message"])
        if "tolerance" in own:
            inner.tolerance(inside.value(own["tolerance"]))
        if own.get("domain") == "discrete":
            inner.discrete()
        outputs = own.get("outputs") or {}
        if isinstance(outputs, list):
            return {one: inside.names(one) for one in outputs}
        value = lambda one: inside.value(one["value"] if isinstance(one, dict) else one)  # noqa: E731
        return {key: value(one) for key, one in outputs.items()}

    definition = sd._diagram.Definition.__new__(sd._diagram.Definition)
    definition.name = definition.__name__ = name
    definition.description = own.get("description", "")
    definition.origin = sd._origin.here()
    definition._made = lambda inner, **_: made(inner)
    definition.entries = {}
    outside = Rebuilder(sd._scope.Scope())
    inputs = own.get("inputs") or {}
    for key in inputs:
        about = (inputs[key] or {}) if isinstance(inputs, dict) else {}
        default = outside_value(about.get("default"))
        texts = {k: v for k, v in about.items() if k in ("unit", "description")}
        definition.entries[key] = sd.Input(default, **texts)
    for key, value in (own.get("parameters") or {}).items():
        about = value if isinstance(value, dict) else {"value": value}
        texts = {k: v for k, v in about.items() if k in ("unit", "description", "words")}
        definition.entries[key] = sd.Parameter(outside_value(about.get("value")), **texts)
    del outside
    definition._in(d)


def outside_value(text):
    return None if text in (None, "") else sd.expr(text)


Namespace = SimpleNamespace
