"""Times of the package: `python python/examples/bench.py`, on a machine that does nothing else.

The models of PathSim and bdsim run if these are installed, to the same tolerance.
"""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any, Callable

import numpy as np
import superdense as sd


def best(work: Callable[[], Any], times: int = 7, each: int = 1) -> float:
    """The shortest of several times of some work [s]."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        for _ in range(each):
            work()
        found.append((time.perf_counter() - began) / each)
    return min(found)


def ball() -> sd.Model:
    """The ball of the gallery."""
    d = sd.Diagram("bouncing-ball")
    v = d.Integrator(-9.81, initial=0, impulse=d["kick"])
    y = d.Integrator(v, initial=10)
    hit = d.LevelCrossing(y, level=0, direction="falling")
    kick = d.Sample(-1.8 * sd.previous(v), trigger=hit)
    d.record(y, v, kick)
    d.simulate(stop=12, tolerance=1e-8)
    return d.model()


def overhead() -> None:
    """A run of the ball from Python and without the classes around it."""
    model = ball()
    model.run()
    # In turns, so that both see the same machine.
    pairs = [
        (best(model.run, 1, 20), best(lambda: model._system.run(None), 1, 20)) for _ in range(100)
    ]
    whole, inner = (min(own) for own in zip(*pairs))
    print(f"ball: {whole * 1e6:.1f} us a run, {(whole - inner) * 1e6:.1f} us of it in Python classes")


def arrays() -> None:
    """A million rows of three signals as arrays."""
    d = sd.Diagram("rows")
    x = d.Integrator(d["v"], initial=1)
    v = d.Integrator(-x)
    d.record(x, v, sum=x + v)
    model = d.model()
    # The columns are taken from the table anew each time.
    table, _ = model._with(None, None, None, {"stop": 1000, "solver": "rk4", "step": "1/1000"}).run(None)

    def read() -> float:
        r = sd.Result(table)
        return float(r.t[-1] + r.x[-1] + r.v[-1] + r["sum"][-1])

    print(f"{len(table):,} rows of three signals as arrays: {best(read) * 1e3:.1f} ms")


def imports() -> None:
    """The time of the import beyond NumPy's."""
    program = (
        "import time, numpy\nt = time.perf_counter()\nimport superdense\nprint(time.perf_counter() - t)"
    )
    run = [sys.executable, "-c", program]
    times = [float(subprocess.run(run, capture_output=True, text=True).stdout) for _ in range(7)]
    print(f"import beyond NumPy's: {min(times) * 1e3:.0f} ms")


def callbacks() -> None:
    """A step of a fixed-step run with a function of Python, and with an expression."""

    def run(python: bool) -> float:
        d = sd.Diagram()
        own = sd.function(lambda x: -x, name="f")
        x = d.Integrator(own(d, d["x"], name="f") if python else -d["x"], initial=1)
        d.record(x)
        model = d.model()
        given: dict[str, Any] = {"stop": 1, "solver": "euler", "step": "1/10000", "every": 1}
        return best(lambda: model.run(**given)) / 10_000

    print(f"a step with a callback: {run(True) * 1e6:.2f} us, without: {run(False) * 1e6:.3f} us")


def loop() -> None:
    """A cycle of a controller in Python at 1 kHz."""
    import controller  # type: ignore[import-not-found,unused-ignore]

    took = best(lambda: controller.control(stop=5), times=3) / 5000
    print(f"a cycle of a controller in Python: {took * 1e6:.1f} us")


def oscillator() -> None:
    """x'' = -x for 100 s to 1e-8, and the same in the others."""
    d = sd.Diagram("oscillator")
    v = d.Integrator(-d["x"])
    x = d.Integrator(v, initial=1)
    d.record(x)
    model = d.model()
    given: dict[str, Any] = {"stop": 100, "tolerance": 1e-8}
    error = abs(model.run(**given).x[-1] - np.cos(100))
    print(f"oscillator: {best(lambda: model.run(**given)) * 1e3:.2f} ms, error {error:.0e}")
    for other in (pathsim, bdsim):
        try:
            other()
        except ImportError as missing:
            print(f"  {other.__name__}: not installed ({missing})")


def pathsim() -> None:
    """The same in PathSim, with its solver of the same order."""
    from pathsim import Connection, Simulation  # type: ignore[import-not-found,unused-ignore]
    from pathsim.blocks import (  # type: ignore[import-not-found,unused-ignore]
        Amplifier,
        Integrator,
        Scope,
    )
    from pathsim.solvers import RKDP54  # type: ignore[import-not-found,unused-ignore]

    def work() -> float:
        v, x, gain, scope = Integrator(0.0), Integrator(1.0), Amplifier(-1), Scope()
        wires = [Connection(v, x), Connection(x, gain, scope), Connection(gain, v)]
        own = Simulation(
            [v, x, gain, scope], wires, dt=0.01, log=False, Solver=RKDP54,
            tolerance_lte_rel=1e-8, tolerance_lte_abs=1e-8,
        )  # fmt: skip
        own.run(100)
        return float(scope.read()[1][0][-1])

    took, end = best(work, times=3), work()
    print(f"  PathSim: {took * 1e3:.1f} ms, error {abs(end - np.cos(100)):.0e}")


def bdsim() -> None:
    """The same in bdsim, with SciPy's RK45."""
    import bdsim as bd  # type: ignore[import-not-found,unused-ignore]

    simulation = bd.BDSim(graphics=False, progress=False, verbose=False, banner=False)
    diagram = simulation.blockdiagram()
    v, x = diagram.INTEGRATOR(x0=0.0), diagram.INTEGRATOR(x0=1.0)
    gain = diagram.GAIN(-1)
    diagram.connect(v, x)
    diagram.connect(x, gain)
    diagram.connect(gain, v)
    diagram.compile(report=False)
    options = {"solver": "RK45", "solver_args": {"rtol": 1e-8, "atol": 1e-8}}
    out = simulation.run(diagram, T=100, watch=[x], **options)
    took = best(lambda: simulation.run(diagram, T=100, watch=[x], **options), times=3)
    print(f"  bdsim: {took * 1e3:.1f} ms, error {abs(float(out.x[-1][1]) - np.cos(100)):.0e}")


if __name__ == "__main__":
    for measured in (overhead, arrays, imports, callbacks, loop, oscillator):
        measured()
