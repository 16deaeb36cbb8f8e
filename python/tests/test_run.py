"""Runs: the same bits as the command line, arrays, tables, files, held runs and bad input."""

import gc
import pickle
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest
import superdense as sd
from conftest import BALL, ROOT

MODELS = sorted(path.parent.name for path in ROOT.glob("models/*/model.yaml"))

HELD = """
superdense: 1
name: held
inputs:
  u: {kind: held, initial: 0}
blocks:
  x: {type: Integrator, input: u - x, initial: 0}
record: [x]
simulate: {stop: 10, tolerance: 1e-10}
"""


def command(*arguments):
    own = [sys.executable, "-m", "superdense", *map(str, arguments)]
    return subprocess.run(own, capture_output=True, text=True, cwd=ROOT)


def same(a, b):
    """Whether two results have the same rows to the bit."""
    assert a.signals == b.signals
    assert a.attoseconds == b.attoseconds
    assert (a.microstep == b.microstep).all()
    for name in a.signals:
        x, y = a[name].astype(float), b[name].astype(float)
        assert np.array_equal(x, y, equal_nan=True), name


@pytest.mark.parametrize("name", MODELS)
def test_every_model_has_the_bits_of_the_command_line(name, tmp_path):
    path = ROOT / "models" / name / "model.yaml"
    # CSV has every row of every region; other formats have a table for each region.
    done = command("run", path, "--quiet", "-o", tmp_path / "cli.csv")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = sd.load(path)
        assert pickle.loads(pickle.dumps(model)).signals == model.signals
        try:
            result = model.run()
        except sd.RunError as error:
            assert done.returncode != 0, error
            result = error.result
        else:
            assert done.returncode == 0, done.stderr
    result.save(tmp_path / "python.csv")
    assert (tmp_path / "cli.csv").read_bytes() == (tmp_path / "python.csv").read_bytes()


def test_parameters_and_settings_have_the_bits_of_the_command_line(ball, tmp_path):
    out = tmp_path / "cli.json"
    options = ["--stop", "3.3", "--tolerance", "1e-09", "-p", "e=0.7", "-p", "y0=7.1"]
    assert command("run", BALL, "--quiet", "-o", out, *options).returncode == 0
    same(sd.read(out), ball.run(stop=3.3, tolerance=1e-9, e=0.7, parameters={"y0": 7.1}))


def test_the_ball_falls_by_its_closed_form(ball):
    r = ball.run(stop=1)
    assert np.allclose(r.y, 10 - 9.81 / 2 * r.t**2, atol=1e-9)
    assert ball.run(stop=1, record=["v"]).signals == ["v"]


def test_arrays_are_views_that_nobody_writes(ball):
    r = ball.run()
    values = r["y"]
    assert values.base is not None and np.shares_memory(values, r["v"].base)
    with pytest.raises(ValueError):
        values[0] = 1
    with pytest.raises(ValueError):
        values.flags.writeable = True
    copy = values.copy()
    del r
    gc.collect()
    assert np.array_equal(values, copy, equal_nan=True)


def test_interpolation_respects_jumps(ball):
    r = ball.run()
    hit = r.events("kick").t[0]
    assert abs(hit - (2 * 10 / 9.81) ** 0.5) < 1e-9
    left, right = r.at(hit, "left")["v"], r.at(hit)["v"]
    assert left < 0 < right and abs(right + 0.8 * left) < 1e-9
    assert abs(r.at(hit / 2)["v"] + 9.81 * hit / 2) < 1e-6
    assert np.isnan(r.at(-1)["v"])
    assert r.at([0, 0.5, hit])["y"].shape == (3,)


def test_values_at_a_microstep():
    text = """
superdense: 1
blocks:
  c: {type: Clock, period: 1}
  n: {type: Counter, increment: c}
  a: {type: ZeroOrderHold, input: n}
  b: {type: Expression, expression: previous(a)}
  x: {type: Integrator, input: a}
record: [a, b, x, c]
simulate: {stop: 3}
"""
    r = sd.parse(text).run()
    rows = {(t, n): i for i, (t, n) in enumerate(zip(r.t, r.microstep))}
    assert (2.0, 2) in rows
    for n in range(4):
        own = r.at([2, 2.5], n)
        row = rows[2.0, min(n, max(m for t, m in rows if t == 2))]
        assert own["a"][0] == r.a[row] and own["b"][0] == r.b[row] and "c" not in own
        # Between instants there is one value.
        assert own["x"][1] == r.at(2.5)["x"]
    with pytest.raises(ValueError, match="microstep"):
        r.at(1, -1)


def test_interpolation_respects_kinks(ball):
    # Between bounces the ball is on a parabola; its height does not jump, and its slope does.
    r = ball.run(stop=4, e=1, maximum_step=0.3)
    fall = (2 * 10 / 9.81) ** 0.5
    for t in np.linspace(0, 4, 97):
        since = (t + fall) % (2 * fall) - fall
        assert abs(r.at(t)["y"] - (10 - 9.81 / 2 * since**2)) < 1e-6


def test_tables_and_files(ball, tmp_path):
    r = ball.run()
    frame = r.to_pandas()
    assert frame.index.is_unique and len(frame) < len(r)
    assert len(r.to_pandas(rows="microsteps")) == len(r)
    exact = r.to_pandas(exact=True)["attoseconds"]
    assert [own / 1e18 for own in exact] == pytest.approx(list(frame.index))
    assert r.to_arrow(exact=True).num_rows == len(frame)
    assert np.array_equal(r.to_xarray()["y"].values, frame["y"].values)
    for ending in ("csv", "json", "parquet"):
        r.save(tmp_path / f"r.{ending}")
        assert np.array_equal(sd.read(tmp_path / f"r.{ending}")["y"], r["y"])


def test_models_and_results_pickle(ball):
    r = ball.run()
    same(pickle.loads(pickle.dumps(r)), r)
    same(pickle.loads(pickle.dumps(ball)).run(), r)


def test_a_held_run_follows_what_it_is_set(tmp_path):
    model = sd.parse(HELD)
    with model.start() as run:
        assert run.advance_to(1) and run["x"] == 0
        run["u"] = 3
        run.advance_to(2)
        assert abs(run["x"] - 3 * (1 - np.exp(-1))) < 1e-8
        fork, saved = run.fork(), run.save()
        fork["u"] = 0
        fork.advance_to(3)
        assert abs(fork["x"] - 3 * (1 - np.exp(-1)) * np.exp(-1)) < 1e-8
        again = model.resume(saved)
        ends = [own.finish()["x"][-1] for own in (run, again)]
        assert ends[0] == ends[1]
    for use in (lambda: run.t, lambda: run["x"], run.fork, run.finish):
        with pytest.raises(sd.RunError, match="closed"):
            use()


def test_a_controller_in_a_loop():
    with sd.parse(HELD).start() as run:
        for k in range(1, 1001):
            run.advance_to(f"{k}/1000")
            run["u"] = run["x"] + 2 * (1 - run["x"])
        # x' = 2 (1 - x), sampled at 1 kHz.
        assert abs(run["x"] - (1 - np.exp(-2))) < 3e-3


def test_two_threads_on_one_run_are_an_exception():
    text = HELD.replace("stop: 10", "stop: 1e9, solver: rk4, step: 1e-4")
    with sd.parse(text).start() as run:
        failed = []

        def advance():
            try:
                run.advance_to(60)
            except sd.RunError as error:
                failed.append(error.code)

        threads = [threading.Thread(target=advance) for _ in range(4)]
        [own.start() for own in threads]
        [own.join() for own in threads]
        assert set(failed) <= {"run-in-use"} and failed


@pytest.mark.parametrize(
    "use, error, words",
    [
        (lambda m: m.run(ee=1), sd.ModelError, "did you mean `e`"),
        (lambda m: m.run(e=float("nan")), ValueError, "NaN"),
        (lambda m: m.run(e=[1, 2]), sd.ModelError, ""),
        (lambda m: m.run(e=object()), TypeError, "object"),
        (lambda m: m.run(stop="later"), sd.ModelError, "later"),
        (lambda m: m.run(solver="rk46"), sd.ModelError, "did you mean `rk4`"),
        (lambda m: m.run(record=["yy"]), sd.ModelError, "yy"),
        (lambda m: m.run()["yy"], KeyError, "did you mean `y`"),
        (lambda m: m.run().at(1, "middle"), ValueError, "left"),
        (lambda m: m.run().events("y"), ValueError, "lasts"),
        (lambda m: m.resume(b"nothing"), sd.RunError, "saved run"),
        (lambda m: m.start().advance_to(float("inf")), ValueError, "time"),
        (lambda m: m.start().__setitem__("u", 1), sd.RunError, "no input `u`"),
    ],
)
def test_bad_input_is_an_exception(ball, use, error, words):
    with pytest.raises(error) as found:
        use(ball)
    assert words in str(found.value)


def test_errors_name_their_place():
    with pytest.raises(sd.ModelError) as found:
        sd.parse("superdense: 1\nname: m\nblocks:\n  x: {type: Integrater, input: 1}\n")
    place = found.value.places[0]
    assert (place["line"], place["words"]) == (4, "Integrater")
    assert "Integrator" in found.value.text


def test_the_watch_of_a_run_ends_it_with_what_was_computed():
    class Enough(Exception):
        pass

    def watch(t):
        raise Enough

    text = HELD.replace("stop: 10", "stop: 1e9, solver: rk4, step: 1e-4")
    with pytest.raises(Enough) as found:
        sd.parse(text).run(progress=watch)
    assert len(found.value.table) > 1


def test_an_interrupt_ends_a_run_with_what_was_computed():
    text = HELD.replace("stop: 10", "stop: 1e9, solver: rk4, step: 1e-4")
    program = (
        "import os, signal, threading, superdense as sd\n"
        f"model = sd.parse({text!r})\n"
        "stop = lambda: os.kill(os.getpid(), signal.SIGINT)\n"
        "threading.Timer(0.3, stop).start()\n"
        "try:\n    model.run()\n"
        "except KeyboardInterrupt as error:\n    print(len(sd.Result(error.table)) > 1)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout == "True\n", done.stderr


def test_a_warning_is_at_the_line_of_its_cause():
    text = HELD.replace("blocks:", "blocks:\n  unused: {type: Ramp}")
    with pytest.warns(sd.ModelWarning, match="unused") as found:
        sd.parse(text)
    assert found[0].filename == __file__


def test_pictures(ball):
    assert ball._repr_svg_().startswith("<svg") and "</svg>" in ball.run()._repr_svg_()


def test_ten_thousand_runs_leak_nothing(ball):
    import resource

    def runs(count):
        for _ in range(count):
            ball.run(stop=1)
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    first = runs(1000)
    assert runs(10_000) - first < 4000  # [kB]
