"""Bad values, figures, progress, interrupts and memory: an exception, never a crash."""

import gc
import io
import resource
import subprocess
import sys
from fractions import Fraction

import matplotlib
import matplotlib.pyplot
import numpy as np
import pytest
import superdense as sd
from conftest import ROOT
from superdense import _progress

matplotlib.use("Agg")

HELD = """
superdense: 1
name: held
inputs:
  u: {kind: held, initial: 0}
  w: {kind: held, initial: [0, 0]}
blocks:
  x: {type: Integrator, input: "u - x + w[0]", initial: 0}
record: [x]
simulate: {stop: 10, tolerance: 1e-10}
"""


@pytest.mark.parametrize("name, value", [
    ("u", float("nan")), ("u", float("inf")), ("u", [1, 2]), ("u", "a"), ("u", None), ("u", 1j),
    ("u", np.array([])), ("u", object()), ("u", b"x"), ("w", 1), ("w", [1, 2, 3]), ("w", ["a", 1]),
    ("w", [[1, 2], [3]]), ("nope", 1),
])  # fmt: skip
def test_a_bad_value_of_an_input_leaves_the_run_as_it_was(name, value):
    with sd.parse(HELD).start() as run:
        run["u"] = 1
        run.advance_to(1)
        before = run["x"]
        with pytest.raises((sd.RunError, TypeError)):
            run[name] = value
        assert run["x"] == before
        run.advance_to(2)
        assert abs(run["x"] - (1 - np.exp(-2))) < 1e-8


@pytest.mark.parametrize("use", [
    lambda m: m.run(stop=-1), lambda m: m.run(tolerance=0), lambda m: m.run(inputs={"u": object()}),
    lambda m: m.run(record=3), lambda m: m.run(record=[3]), lambda m: m.run(times=[[1.0, 2.0]]),
    lambda m: m.resume(b""), lambda m: m.resume("x"), lambda m: m.run().at("x"),
    lambda m: m.run().at(1j), lambda m: m.run().save("/nonexistent/x.csv"),
    lambda m: m.run().save("x.foo"), lambda m: sd.read("nope.csv"), lambda m: sd.load("nope.yaml"),
    lambda m: sd.load(3), lambda m: sd.parse(3), lambda m: sd.parse("a\0b"),
    lambda m: sd.parse("[" * 100_000), lambda m: m.run().plot("nope"), lambda m: m.run().plot(3),
    lambda m: m.run().plot("x", axes=[1, 2]), lambda m: m.run().plot("x", shade="nope"),
    lambda m: m.run()._table.offset(99), lambda m: sd._superdense.Table.unpacked(b"abc", "x"),
    lambda m: m.start().advance_to(float("nan")), lambda m: m.start().advance_to(1e30),
    lambda m: m.start().advance_to(None), lambda m: m.start()[3],
])  # fmt: skip
def test_bad_use_is_an_exception(use):
    model = sd.parse(HELD)
    with pytest.raises((sd.ModelError, sd.RunError, TypeError, ValueError, KeyError, IndexError)):
        use(model)


def test_a_block_that_uses_its_own_run_is_refused():
    d = sd.Diagram()
    found = []

    @sd.function
    def f(x):
        try:
            run.advance_to(1)
        except sd.RunError as error:
            found.append(error.code)
        return x

    f(d, sd.time, name="y")
    with d.model().start(stop=1) as run:
        run.advance_to(0.5)
    assert set(found) == {"run-in-use"}


def drawn(axes):
    return [line.get_xydata() for line in axes.get_lines() if len(line.get_xydata()) > 2]


def test_figures_break_lines_at_jumps_and_show_impulses():
    d = sd.Diagram()
    u = d.Expression(2 * sd.delta(sd.time - 1) - 3 * sd.delta(sd.time - 2, 1))
    x = d.Integrator(u + 1)
    c = d.Clock(period=0.5)
    d.record(u, x, c)
    r = d.run(stop=3)
    axes = r.plot("x", "u", "c")
    (line,) = drawn(axes[0])
    for jump in (1.0,):
        at = line[line[:, 0] == jump]
        assert np.isnan(at[:, 1]).any() and np.allclose(at[[0, -1], 1], [1, 3])
    # Between its rows x rises by 1 a second.
    smooth = line[line[:, 0] < 1]
    assert len(smooth) > 50 and np.allclose(smooth[:, 1], smooth[:, 0])
    heights = [text.xy[1] for text in axes[1].texts if text.arrow_patch is not None]
    assert heights == [2, -3] and any("δ′" in text.get_text() for text in axes[1].texts)
    assert len(drawn(axes[2])[0]) == 7
    matplotlib.pyplot.close("all")


def test_figures_shade_states_and_draw_into_axes():
    model = sd.load(ROOT / "models" / "modal-ball" / "model.yaml")
    r = model.run()
    figure, own = matplotlib.pyplot.subplots()
    assert r.plot("ball.y", "ball.v", axes=own, color="k") is own
    spans = [patch for patch in own.patches if hasattr(patch, "_superdense_state")]
    assert [patch._superdense_state for patch in spans] == [0, 1]
    assert not r.plot("ball.y", shade=False).patches
    heights = drawn(r.plot("ball.y", shade=False))[0][:, 1]
    assert np.nanmin(heights) > -1e-6 and len(r.plot()) == 3
    matplotlib.pyplot.close("all")


def test_a_machine_shows_its_chart():
    model = sd.load(ROOT / "models" / "modal-ball" / "model.yaml")
    svg = model.charts["ball"]._repr_svg_()
    assert svg.startswith("<svg") and "free" in svg and "rest" in svg
    assert sd.parse(HELD).charts == {}


def test_a_bar_says_how_far_a_run_is(monkeypatch):
    out = io.StringIO()
    monkeypatch.setattr(sys, "stderr", out)
    bar = _progress.Bar(10, 0)
    bar(0)
    bar._shown = 0.0
    bar(4)
    assert "40%|" in out.getvalue() and "t = 4 of 10 s" in out.getvalue()
    bar.close()
    assert out.getvalue().endswith("\r")
    assert _progress.watch(None, 1) is None and _progress.watch(False, 1) is None
    assert isinstance(_progress.watch(True, 1), _progress.Bar)


def test_an_interrupt_ends_an_advance():
    text = HELD.replace("stop: 10", "stop: 1e9, solver: rk4, step: 1e-4")
    program = (
        "import os, signal, threading, superdense as sd\n"
        f"run = sd.parse({text!r}).start()\n"
        "threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "try:\n    run.advance_to(1e8)\n"
        "except KeyboardInterrupt:\n    print(len(run.result()) > 1)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout == "True\n", done.stderr


def test_callbacks_and_models_leak_nothing():
    @sd.function
    def f(x):
        return x

    def work(count):
        for k in range(count):
            d = sd.Diagram()
            f(d, sd.time, name="y")
            model = d.model()
            model.run(stop=1)
            with model.start(stop=1) as run:
                run.fork().save()
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    first = work(60)
    assert work(200) - first < 6000  # [kB]


def test_a_held_run_that_fails_says_where_and_has_its_rows():
    text = "superdense: 1\nblocks:\n  x: {type: Integrator, input: x^2, initial: 1}\nrecord: [x]\nsimulate: {stop: 3}\n"
    with sd.parse(text).start() as run:
        with pytest.raises(sd.RunError) as found:
            run.advance_to(2)
    assert found.value.code == "step-too-small" and found.value.places[0]["words"] == "x"
    assert 0.99 < found.value.result.t[-1] <= 1.0001
    with sd.parse(HELD.replace("held, initial: 0}", "held}")).start() as run:
        with pytest.raises(sd.RunError) as found:
            run.advance_to(1)
    assert found.value.code == "input-not-given" and found.value.places[0]["words"] == "u"


@pytest.mark.parametrize("use, words", [
    (lambda m: m.run(parameters=3), "`parameters` is a mapping"),
    (lambda m: m.run(inputs=["u"]), "`inputs` is a mapping"),
    (lambda m: m.run(record=[]), "at least one signal"),
    (lambda m: m.run()[3], "a signal is a name"),
    (lambda m: m.run().plot([]), "a panel"),
    (lambda m: m.start().advance_to(True), "no time"),
    (lambda m: m.start().__setitem__("u", np.datetime64("2020-01-01")), "datetime64"),
    (lambda m: m.start().__setitem__("u", "3"), "<U1"),
    (lambda m: m.start().__setitem__("u", np.array(["3"], dtype=object)), "a text"),
    (lambda m: m.start().__setitem__("u", np.timedelta64(3, "s")), "timedelta64"),
    (lambda m: sd.Diagram().Integrater(1), "did you mean `Integrator`"),
])  # fmt: skip
def test_bad_use_is_named(use, words):
    with pytest.raises((TypeError, ValueError, AttributeError)) as found:
        use(sd.parse(HELD))
    assert words in str(found.value)


def test_an_input_takes_a_fraction():
    with sd.parse(HELD).start() as run:
        run["u"] = Fraction(1, 2)
        run.advance_to(1)
        assert abs(run["x"] - 0.5 * (1 - np.exp(-1))) < 1e-8


def test_a_function_that_returns_nonsense_is_named():
    for value in (None, "a", [1], 1j, 10**400):

        @sd.function
        def odd(x):
            return value

        d = sd.Diagram()
        odd(d, sd.time, name="y")
        with pytest.raises(sd.RunError, match="odd has returned .*no number"):
            d.run(stop=1)


def test_what_step_sets_beside_its_states_is_refused():
    @sd.block(period=1)
    class Count:
        n = 0

        def step(self):
            self.m = 1
            return self.n

    d = sd.Diagram()
    Count(d, name="y")
    with pytest.raises(sd.RunError, match="sets `m`, which is no state"):
        d.run(stop=1)
