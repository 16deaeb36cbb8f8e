"""A controller in Python that reads a plant and sets its input 1000 times a second.

The controller is a loop outside the model, as a program on a target would be: nothing of it is in
the run, and the run can be forked and saved between any two of its steps.
"""

from __future__ import annotations

from fractions import Fraction

import superdense as sd


def plant() -> sd.Model:
    """A mass on a spring, pushed by a force that is held between the steps of the controller."""
    d = sd.Diagram("plant")
    force = d.input(kind="held", initial=0)
    x = d.placeholder()
    v = d.Integrator(force - 4 * x - 0.2 * d["v"])
    position = d.Integrator(v)
    x.connect(position)
    d.record(position, v)
    d.simulate(stop=10, tolerance=1e-8)
    return d.model()


def control(stop: int = 5, rate: int = 1000) -> tuple[float, float]:
    """Runs the loop and returns position and speed at the end."""
    integral, period = 0.0, Fraction(1, rate)
    with plant().start() as run:
        for k in range(1, stop * rate + 1):
            run.advance_to(k * period)
            error = 1.0 - run["position"]
            integral += float(period) * error
            run["force"] = 30 * error + 20 * integral - 8 * run["v"]
        return run["position"], run["v"]


if __name__ == "__main__":
    print("position {:.6f}, speed {:.6f}".format(*control()))
