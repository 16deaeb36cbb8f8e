"""Models as code: the text that the builder makes, its bits, and its mistakes."""

import importlib.util
import inspect
import shutil
import warnings
from fractions import Fraction

import numpy as np
import pytest
import superdense as sd
from conftest import ROOT
from rebuild import rebuilt
from test_run import MODELS, same

GENERATOR = ROOT / "python" / "generate.py"


def ball():
    d = sd.Diagram("bouncing-ball")
    g, e, y0 = d.parameter(9.81, name="g"), d.parameter(0.8, name="e"), d.parameter(10, name="y0")
    v = d.Integrator(-g, initial=0, impulse=d["kick"])
    y = d.Integrator(v, initial=y0)
    hit = d.LevelCrossing(y, level=0, direction="falling")
    kick = d.Sample(-(1 + e) * sd.previous(v), trigger=hit)
    d.record(y, v, kick)
    d.simulate(stop=12, solver="rk45", tolerance=1e-8)
    return d


@pytest.mark.parametrize("name", MODELS)
def test_every_model_made_in_python_has_the_same_bits(name, tmp_path, monkeypatch):
    """Each gallery model is made again by operators and methods, saved, read and run."""
    shutil.copytree(ROOT / "models" / name, tmp_path / name)
    path = tmp_path / name / "model.yaml"
    monkeypatch.chdir(path.parent)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        d = rebuilt(path.read_text())
        results = []
        for model in (sd.load(path), d.model(), None):
            if model is None:
                d.save("again.yaml")
                model = sd.load("again.yaml")
            try:
                results.append(model.run())
            except sd.RunError as error:
                results.append(error.result)
    for result in results[1:]:
        result_names = dict(zip(result.signals, results[0].signals))
        assert len(result_names) == len(results[0].signals)
        assert result.attoseconds == results[0].attoseconds
        for own, other in result_names.items():
            x, y = result[own].astype(float), results[0][other].astype(float)
            assert np.array_equal(x, y, equal_nan=True), own


def test_the_text_is_a_model_file(ball_text=None):
    text = ball().to_yaml()
    assert "  kick: {type: Sample, input: -(1 + e) * previous(v), trigger: hit}\n" in text
    assert "simulate: {stop: 12, solver: rk45, tolerance: 1e-8}" in text
    same(sd.parse(text).run(), sd.load(ROOT / "models/bouncing-ball/model.yaml").run())


def test_names_come_from_variables():
    d = sd.Diagram()
    x = d.Integrator(1)
    d.Integrator(2)
    y = d.Integrator(3, name="z")
    for _ in range(2):
        again = d.Gain(x, gain=2)
    assert [own.name for own in (x, y, again)] == ["x", "z", "again_2"]
    assert "integrator" in d._names
    with pytest.raises(ValueError, match="used already"):
        d.Integrator(1, name="z")
    with pytest.raises(ValueError, match="cannot be a name"):
        d.Integrator(1, name="if")


def text_of(make):
    d = sd.Diagram()
    x, y = d.Ramp(name="x"), d.Ramp(name="y")
    return sd._expr.written(make(x, y), d)[0]


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda x, y: -(-x), "-(-x)"),
        (lambda x, y: (-x) ** 2, "(-x)^2"),
        (lambda x, y: -(x**2), "-x^2"),
        (lambda x, y: 2**-x, "2^-x"),
        (lambda x, y: (x**y) ** 2, "(x^y)^2"),
        (lambda x, y: x ** (y**2), "x^y^2"),
        (lambda x, y: x - (y + 1), "x - (y + 1)"),
        (lambda x, y: x - y + 1, "x - y + 1"),
        (lambda x, y: x / (y * 2), "x / (y * 2)"),
        (lambda x, y: Fraction(1, 3) * x, "1/3 * x"),
        (lambda x, y: x / Fraction(1, 3), "x / (1/3)"),
        (lambda x, y: x * -2, "x * -2"),
        (lambda x, y: (-2) ** x, "(-2)^x"),
        (lambda x, y: (x > 0) & ~(y < 1) | (x == y), "x > 0 and not y < 1 or x == y"),
        (lambda x, y: (x > 0) & ((y < 1) | (x > 2)), "x > 0 and (y < 1 or x > 2)"),
        (lambda x, y: sd.where(x > 0, y, sd.where(y > 0, 1, 2)) + 1,
         "(if x > 0 then y else if y > 0 then 1 else 2) + 1"),
        (lambda x, y: np.sin(x) * np.float64(0.1), "sin(x) * 0.1"),
        (lambda x, y: np.array([1.0, 2.0]) * x, "[1.0, 2.0] * x"),
        (lambda x, y: x // 2 + y % 3, "floor(x / 2) + mod(y, 3)"),
        (lambda x, y: abs(x)[0, y], "abs(x)[0, y]"),
        (lambda x, y: sd.vector(x, y) @ sd.vector(1, 2), "[x, y] * [1, 2]"),
        (lambda x, y: sd.delta(sd.time - 1, 2), "delta(time - 1, 2)"),
        (lambda x, y: x + True, "x + true"),
        (lambda x, y: x * 1e-9, "x * 1e-9"),
    ],
)  # fmt: skip
def test_operators_keep_their_meaning(make, text):
    assert text_of(make) == text


@pytest.mark.parametrize(
    "use, error, words",
    [
        (lambda x: bool(x > 0), TypeError, "sd.where"),
        (lambda x: 0 < x < 1, TypeError, "sd.where"),
        (lambda x: x ^ 2, TypeError, r"\*\*"),
        (lambda x: x + "y", TypeError, "sd.expr"),
        (lambda x: x + None, TypeError, "NoneType"),
        (lambda x: x + float("nan"), ValueError, "NaN"),
        (lambda x: float(x), TypeError, "no number"),
        (lambda x: list(x), TypeError, "elements"),
        (lambda x: x[1:2], TypeError, "index"),
        (lambda x: np.cbrt(x), TypeError, "cbrt"),
        (lambda x: x.speed, AttributeError, "has no output `speed`"),
        (lambda x: x["speed"], KeyError, "there are output"),
        (lambda x: x._scope.Integrater(1), AttributeError, "Integrater"),
        (lambda x: x._scope.Integrator(), TypeError, "input"),
        (lambda x: x._scope.Integrator(1, inital=2), TypeError, "inital"),
        (lambda x: [x._scope.Integrator({"a": set()}), x._scope.to_yaml()], sd.ModelError, "set"),
        (lambda x: x._scope.placeholder().connect(x) and None, None, ""),
    ],
)
def test_bad_use_is_an_exception(use, error, words):
    d = sd.Diagram()
    x = d.Ramp()
    if error is None:
        return use(x)
    with pytest.raises(error, match=words):
        use(x)


def test_a_deep_expression_is_refused_before_python_gives_up():
    d = sd.Diagram()
    x = d.Ramp()
    with pytest.raises(ValueError, match="nested more than"):
        for _ in range(10_000):
            x = x + 1


def test_mistakes_name_the_line_of_python():
    d = sd.Diagram()
    v = d.Integrator("-gg")
    line = inspect.currentframe().f_lineno - 1
    with pytest.raises(sd.ModelError) as found:
        d.run()
    assert f"test_build.py, line {line}: v = d.Integrator" in found.value.text
    assert v.name == "v" and found.value.diagnostics[0]["notes"]


def test_mistakes_inside_machines_and_diagrams_name_their_lines():
    @sd.diagram
    def Part(d, u):
        return d.Gain(u, gain="nothing", name="inside")

    d = sd.Diagram()
    m = d.Modal()
    with m.add_state("on") as on:
        on.Integrator("lost", name="x")
    Part(d, 1, name="part")
    with pytest.raises(sd.ModelError) as found:
        d.run()
    assert "on.Integrator" in found.value.text and 'gain="nothing"' in found.value.text


def test_a_failing_run_names_the_line_of_python():
    d = sd.Diagram()
    x = d.Integrator(d["x"] ** 2, initial=1)
    d.simulate(stop=2)
    with pytest.raises(sd.RunError) as found:
        d.run()
    assert "x = d.Integrator" in found.value.text and x.name == "x"


def test_a_signal_of_another_diagram_is_refused():
    @sd.diagram
    def Part(d, u):
        return d.Gain(u + outside, gain=1, name="own")

    d = sd.Diagram()
    outside = d.Ramp()
    Part(d, 1, name="part")
    with pytest.raises(sd.ModelError, match="`outside` is not visible here"):
        d.to_yaml()


def test_a_hidden_name_is_refused():
    d = sd.Diagram()
    x = d.Ramp()
    m = d.Modal()
    with m.add_state("on") as on:
        on.Integrator(x, name="x")
    with pytest.raises(sd.ModelError, match="that name is something else"):
        d.to_yaml()


def test_loops_by_placeholders_and_by_setting_fields():
    for way in ("placeholder", "set", "name"):
        d = sd.Diagram()
        if way == "placeholder":
            loop = d.placeholder()
            x = d.Integrator(-2 * loop, initial=1)
            loop.connect(x)
        elif way == "set":
            x = d.Integrator(0, initial=1)
            x.set(input=-2 * x)
        else:
            x = d.Integrator(-2 * d["x"], initial=1)
        assert abs(d.run(stop=1, tolerance=1e-10).x[-1] - np.exp(-2)) < 1e-8
    d = sd.Diagram()
    d.Integrator(d.placeholder())
    with pytest.raises(sd.ModelError, match="nothing is connected"):
        d.to_yaml()
    d = sd.Diagram()
    loop = d.placeholder()
    loop.connect(loop + 1)
    d.Integrator(loop)
    with pytest.raises(sd.ModelError, match="of itself"):
        d.to_yaml()
    d = sd.Diagram()
    d.Integrator(d["kik"], name="kick")
    with pytest.raises(sd.ModelError, match="did you mean `kick`"):
        d.to_yaml()


def test_diagrams_as_functions_and_classes():
    @sd.diagram
    def Motor(d, u, load=0, *, k=sd.Parameter(0.05, unit="V s"), J):
        """A motor without friction."""
        w = d.Integrator((k * u - load) / J, initial=0)
        return {"speed": w, "power": k * w * u}

    @sd.diagram
    class Pair:
        """Two motors."""

        u = sd.Input(description="the voltage")
        J = sd.Parameter()

        def build(self, d):
            first, second = Motor(d, self.u, J=self.J), Motor(d, self.u, J=2 * self.J, load=0.1)
            return {"first": first.speed, "second": second.speed}

    d = sd.Diagram()
    pair = Pair(d, 12, J=0.02)
    i = d.index("i", 3)
    many = Motor(d, 12 * (i + 1), J=0.02, over=i)
    d.record(pair.first, pair.second, many=many.speed)
    r = d.run(stop=1)
    assert np.allclose(
        [r["pair.first"][-1], r["pair.second"][-1]], [0.6 / 0.02, 0.5 / 0.04], rtol=1e-9
    )
    assert np.allclose(r.many[-1], np.arange(1, 4) * 30, rtol=1e-9)
    assert "description: A motor without friction." in d.to_yaml()
    assert "unit: V s" in d.to_yaml()
    for bad, words in [
        (lambda: Motor(12), "needs the diagram"),
        (lambda: Motor(d, 1, 2, 3, J=1), "2 inputs"),
        (lambda: Motor(d, 1, u=1, J=1), "given twice"),
        (lambda: pair.frist, "did you mean `first`"),
    ]:
        with pytest.raises((TypeError, AttributeError), match=words):
            bad()


def test_a_diagram_that_contains_itself_is_refused():
    @sd.diagram
    def Loop(d, u):
        return Loop(d, u, name="inner")

    with pytest.raises(ValueError, match="contains itself"):
        Loop(sd.Diagram(), 1)


def test_a_machine():
    d = sd.Diagram()
    g, e = d.parameter(9.81, name="g"), d.parameter(0.8, name="e")
    ball = d.Modal()
    with ball.add_state("free", initial=True) as free:
        v = free.Integrator(-g)
        y = free.Integrator(v, initial=10)
        free.output([y, v])
        free.to(free, when=(y < 0) & (v < -0.5), set={v: -e * v}, history=True)
        free.to("rest", when=(y < 0) & (v >= -0.5))
    ball.add_state("rest", outputs={"y": 0, "v": 0})
    d.record(ball.y, ball.v, ball.state)
    r = d.run(stop=14)
    assert r.labels("ball.state") == ["free", "rest"] and r["ball.y"][-1] == 0
    page = (ROOT / "docs" / "modes.md").read_text().split("```yaml\n")[1].split("```")[0]
    same(r, sd.parse(page).run())


def test_the_builder_knows_every_block():
    spec = importlib.util.spec_from_file_location("generate", GENERATOR)
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    folder = ROOT / "python" / "superdense"
    help = "run python/generate.py and format what it writes"
    assert (folder / "_blocks.py").read_text() == generate.blocks(), help
    assert (folder / "math.py").read_text() == generate.functions(), help
    assert "d.PID" not in sd.Diagram.PID.__doc__ and "Args:" in sd.Diagram.PID.__doc__


def test_every_example_of_a_block_is_made_in_python():
    for block in sd._superdense.blocks():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            first, again = sd.parse(block["example"]), rebuilt(block["example"]).model()
            assert first.signals == again.signals, block["name"]
            a, b = first.run(), again.run()
            assert a.attoseconds == b.attoseconds, block["name"]
            for name in a.signals:
                x, y = a[name].astype(float), b[name].astype(float)
                assert np.array_equal(x, y, equal_nan=True), (block["name"], name)


def test_a_model_changed_after_a_run_is_another_model():
    d = sd.Diagram()
    x = d.Integrator(1)
    before = d.model()
    assert d.model() is before
    x.set(input=2)
    assert abs(d.run(stop=1).x[-1] - 2) < 1e-12 and abs(before.run(stop=1).x[-1] - 1) < 1e-12
