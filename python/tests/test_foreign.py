"""Blocks from Python: functions, blocks with state, native functions, and what goes wrong in them."""

import ctypes
import pickle
import subprocess
import threading

import numpy as np
import pytest
import superdense as sd


@sd.function
def cube(x, *, scale=1.0):
    """The cube of a number."""
    return scale * x**3


@sd.function
def known_cube(x):
    return x**3


@known_cube.derivative
def _slope(x):
    return 3 * x**2


def decay(kind, **fields):
    """x' = -x^3 from 1: x = 1 / sqrt(1 + 2 t)."""
    d = sd.Diagram()
    x = d.Integrator(-kind(d, d["x"], name="f", **fields), initial=1)
    d.record(x)
    d.simulate(stop=4, tolerance=1e-10)
    return d


def test_a_function_moves():
    r = decay(cube).run()
    assert np.allclose(r.x, 1 / np.sqrt(1 + 2 * r.t), atol=1e-8)
    twice = decay(cube, scale=2).run()
    assert np.allclose(twice.x, 1 / np.sqrt(1 + 4 * twice.t), atol=1e-8)
    assert cube(2.0) == 8 and cube(2.0, scale=0.5) == 4


@pytest.mark.parametrize("solver", ["rk45", "rodas5p", "trapezoidal"])
def test_crossings_of_a_function_are_located(solver):
    d = sd.Diagram()
    x = d.Integrator(1)
    hit = d.LevelCrossing(cube(d, x), level=0.5)
    d.record(x, hit)
    r = d.run(stop=1, solver=solver)
    assert abs(r.events("hit").t[0] - 0.5 ** (1 / 3)) < 1e-6


def test_derivatives_are_given_differenced_or_refused():
    def derivative(kind):
        d = sd.Diagram()
        x = d.Integrator(1, initial=1)
        y = kind(d, x, name="f")
        d.record(slope=d.Derivative(y))
        return d.run(stop=1).slope[-1]

    assert abs(derivative(known_cube) - 12) < 1e-12
    differenced = sd.function(lambda x: x**3, name="differenced", derivative="difference")
    assert abs(derivative(differenced) - 12) < 1e-5
    with pytest.raises(sd.ModelError) as found:
        derivative(cube)
    assert found.value.code == "opaque-derivative"


def test_arrays_and_several_outputs():
    @sd.function(outputs={"r": (), "direction": (2,)})
    def polar(v, m):
        assert v.shape == (2,) and m.shape == (2, 2)
        v = m @ v
        return np.hypot(*v), v / np.hypot(*v)

    d = sd.Diagram()
    v = d.Integrator([3, 4], initial=[3, 4])
    p = polar(d, v, [[1, 0], [0, 2]])
    d.record(r=p.r, direction=p.direction)
    r = d.run(stop=1)
    assert np.allclose(r.r, np.hypot(3, 8) * (1 + r.t))
    assert np.allclose(r.direction, np.array([3, 8]) / np.hypot(3, 8))

    @sd.function(shape=(2,), derivative=lambda v: np.diag(2 * v))
    def squares(v):
        return v**2

    d = sd.Diagram()
    v = d.Integrator([1, 2])
    d.record(slope=d.Derivative(squares(d, v, name="s")))
    r = d.run(stop=1)
    assert np.allclose(r.slope[-1], [2, 8])


@sd.block(period=0.1)
class Accumulator:
    """Sums its input."""

    gain = sd.Parameter(1.0)
    total = 0.0
    last = np.zeros(2)
    count = 0
    told = False

    def step(self, u):
        assert isinstance(self.count, int) and isinstance(self.told, bool)
        self.count += 1
        self.total += self.gain * u
        self.last = np.array([self.time, u])
        self.told = True
        return self.total


def sampled(**fields):
    d = sd.Diagram()
    s = Accumulator(d, sd.time, **fields)
    d.record(s)
    d.simulate(stop=1)
    return d


def test_a_block_with_state_is_called_at_its_times():
    r = sampled().run()
    sums = np.cumsum(np.arange(11) / 10)
    instants = r.instants()
    assert np.allclose([instants.at(k / 10)["s"] for k in range(11)], sums)
    assert r.at(0.55)["s"] == r.at(0.5)["s"]
    assert sampled(gain=2).run().s[-1] == pytest.approx(2 * sums[-1])
    every = sampled(period="1/4", offset=0.25).run().s[-1]
    assert every == pytest.approx(0.25 + 0.5 + 0.75 + 1)


def test_the_state_of_a_block_is_in_the_run():
    model = sampled().model()
    with model.start() as run:
        run.advance_to(0.45)
        fork, saved = run.fork(), run.save()
        ends = [own.finish().s[-1] for own in (run, fork, model.resume(saved))]
    assert ends[0] == ends[1] == ends[2] == model.run().s[-1]


def test_a_block_called_at_events():
    @sd.block(outputs={"twice": 0.0, "seen": -1.0}, hold=False)
    def double(u, other):
        return {"twice": 2 * u, "seen": -1 if other is None else other}

    d = sd.Diagram()
    c = d.Clock(period=0.5, value=3)
    rare = d.Clock(period=1, value=7)
    b = double(d, c, rare, trigger=c)
    d.record(twice=b.twice, seen=b.seen)
    r = d.run(stop=1.2)
    assert r.events("twice").value.tolist() == [6, 6, 6]
    assert r.events("seen").value.tolist() == [7, -1, 7]


def test_a_controller_in_python_closes_a_loop():
    @sd.block(period=0.001)
    class PI:
        integral = 0.0

        def step(self, error):
            self.integral += 0.001 * error
            return 4 * error + 4 * self.integral

    d = sd.Diagram()
    y = d.Integrator(d["u"] - d["y"])
    u = PI(d, 1 - y)
    d.record(y, u)
    r = d.run(stop=5)
    # y'' + 5 y' + 4 y = 4 y_set + 4 y_set': closed form 1 - exp(-4 t), sampled at 1 kHz.
    assert np.allclose(r.y, 1 - np.exp(-4 * r.t), atol=2e-3)


def native_decay(kind):
    r = decay(kind).run()
    return np.allclose(r.x, 1 / np.sqrt(1 + 2 * r.t), atol=1e-8)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("native")
    (folder / "f.c").write_text(
        "double cube(double x) { return x * x * x; }\n"
        "double slope(double x) { return 3 * x * x; }\n"
        "void both(const double *a, double *r) { r[0] = a[0] + a[1]; r[1] = a[0] * a[2]; }\n"
    )
    built = ["cc", "-shared", "-fPIC", "-O2", "-o", str(folder / "f.so"), str(folder / "f.c")]
    subprocess.run(built, check=True)
    return ctypes.CDLL(str(folder / "f.so"))


def test_functions_of_ctypes(library):
    for own in (library.cube, library.slope):
        own.argtypes, own.restype = [ctypes.c_double], ctypes.c_double
    kind = sd.function(library.cube, inputs=["x"], name="native", derivative=[library.slope])
    assert native_decay(kind)
    d = sd.Diagram()
    x = d.Integrator(1, initial=1)
    d.record(slope=d.Derivative(kind(d, x, name="f")))
    assert abs(d.run(stop=1).slope[-1] - 12) < 1e-12
    pointer = ctypes.POINTER(ctypes.c_double)
    library.both.argtypes, library.both.restype = [pointer, pointer], None
    outputs = {"sum": (), "product": ()}
    both = sd.function(library.both, inputs=["v", "x"], name="both", outputs=outputs)
    d = sd.Diagram()
    x = d.Ramp(slope=2)
    p = both(d, [x, 3], x + 1)
    d.record(sum=p.sum, product=p.product)
    r = d.run(stop=1)
    assert np.allclose(r.sum, 2 * r.t + 3) and np.allclose(r.product, 2 * r.t * (2 * r.t + 1))
    with pytest.raises(sd.ModelError, match="takes numbers"):
        decay_of_vector = sd.Diagram()
        kind(decay_of_vector, [1, 2])
        decay_of_vector.run()
    library.cube.argtypes = [ctypes.c_int]
    with pytest.raises(TypeError, match="double f"):
        sd.function(library.cube, inputs=["x"], name="native")


def test_functions_of_numba():
    numba = pytest.importorskip("numba")

    @numba.cfunc("float64(float64)")
    def compiled(x):
        return x**3

    assert native_decay(sd.function(compiled))


def test_functions_of_cffi(library):
    cffi = pytest.importorskip("cffi")
    ffi = cffi.FFI()
    ffi.cdef("double cube(double x);")
    own = ffi.dlopen(library._name)
    assert native_decay(sd.function(own.cube, inputs=["x"], name="native"))
    own = ffi.callback("double(double)", lambda x: x**3)
    assert native_decay(sd.function(own, inputs=["x"], name="called"))


class Wrong(Exception):
    pass


def fails(value):
    def f(x):
        if x > 0.5:
            return value() if callable(value) else value
        return x

    return f


def raises():
    raise Wrong("too much")


@pytest.mark.parametrize(
    "value, cause",
    [
        (raises, Wrong),
        (None, TypeError),
        ("text", TypeError),
        (1j, TypeError),
        ([1.0, 2.0], TypeError),
        (lambda: 1 / 0, ZeroDivisionError),
        (lambda: np.zeros(3), TypeError),
    ],
)
@pytest.mark.parametrize("how", ["function", "block"])
def test_an_exception_in_a_function_ends_the_run(value, cause, how):
    made = fails(value)
    kind = sd.function(made, name="f") if how == "function" else sd.block(period=0.01)(made)
    d = sd.Diagram()
    x = d.Integrator(1)
    d.record(x, y=kind(d, x, name="own"))
    with pytest.raises(sd.RunError) as found:
        d.run(stop=1)
    expected = (TypeError, ValueError) if cause is TypeError else cause
    assert found.value.code == "python-exception" and isinstance(found.value.__cause__, expected)
    assert 0.3 < found.value.result.t[-1] < 0.6
    # What was raised is in its traceback.
    if cause is Wrong:
        names = [own.f_code.co_name for own in frames(found.value.__cause__.__traceback__)]
        assert names[-1] == "raises"
    # The next run is not concerned.
    assert d.run(stop=0.3).x[-1] == pytest.approx(0.3)


def frames(trace):
    while trace is not None:
        yield trace.tb_frame
        trace = trace.tb_next


def test_an_exception_ends_a_held_run():
    d = sd.Diagram()
    x = d.Integrator(1)
    kind = sd.function(fails(raises), name="f")
    d.record(x, y=kind(d, x, name="own"))
    with d.model().start(stop=1) as run:
        run.advance_to(0.3)
        with pytest.raises(sd.RunError) as found:
            run.advance_to(1)
        assert isinstance(found.value.__cause__, Wrong)


def test_an_interrupt_in_a_function_is_one():
    def f(x):
        raise KeyboardInterrupt

    d = sd.Diagram()
    sd.function(f)(d, sd.time, name="own")
    with pytest.raises(KeyboardInterrupt):
        d.run(stop=1)


def test_nan_is_named():
    d = sd.Diagram()
    x = d.Integrator(sd.function(lambda x: float("nan"), name="f")(d, d["x"], name="own"))
    with pytest.raises(sd.RunError) as found:
        d.run(stop=1)
    assert found.value.code != "python-exception" and x.name == "x"


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: sd.function(3), "no function"),
        (lambda: sd.function(lambda *x: 1, name="f"), "list its inputs"),
        (lambda: sd.function(lambda x: 1), "cannot be the name"),
        (lambda: sd.block(period=1)(type("C", (), {})), "needs a method step"),
        (lambda: cube(sd.Diagram(), 1, 2), "1 inputs"),
        (lambda: cube(sd.Diagram()["x"]), "needs the diagram"),
        (lambda: sd.parse("superdense: 1", blocks=[print]), "is no block"),
        (lambda: sd.parse("superdense: 1", blocks=[cube, cube]), "two blocks"),
        (lambda: sd.block(period=1)(type("C", (), {"step": lambda self: 1, "x": ["a"]})).foreign,
         "no number or array"),
    ],
)  # fmt: skip
def test_bad_blocks_are_exceptions(make, words):
    with pytest.raises((TypeError, ValueError), match=words):
        make()


def test_a_period_must_be_positive():
    with pytest.raises(sd.ModelError, match="positive"):
        sampled(period=0).run()


def test_model_files_use_blocks_from_python():
    text = decay(cube).to_yaml()
    assert "type: cube" in text
    model = sd.parse(text, blocks=[cube])
    assert (model.run().x == decay(cube).run().x).all()
    again = pickle.loads(pickle.dumps(model))
    assert (again.run().x == model.run().x).all()
    with pytest.raises(sd.ModelError, match="cube"):
        sd.parse(text)


def test_runs_in_several_threads_have_their_own_failures():
    d = sd.Diagram()
    limit = d.parameter(10, name="limit")
    x = d.Integrator(1)

    @sd.function
    def bounded(x, limit):
        if x > limit:
            raise Wrong(str(limit))
        return x

    d.record(x, y=bounded(d, x, limit, name="own"))
    model = d.model()
    found = {}

    def run(own):
        try:
            found[own] = model._with(None, {"limit": own}, None, {"stop": 1}).run(None)[0].stop
        except sd.RunError as error:
            found[own] = str(error.__cause__)

    threads = [threading.Thread(target=run, args=(own,)) for own in (0.25, 0.5, 2, 3)]
    [own.start() for own in threads]
    [own.join() for own in threads]
    assert found == {0.25: "0.25", 0.5: "0.5", 2: "stop time", 3: "stop time"}
