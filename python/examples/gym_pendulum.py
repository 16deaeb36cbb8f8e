"""A Gymnasium environment: a pendulum that a torque is to hold upright.

The environment itself is the class `Pendulum`. Copies run side by side with
`gymnasium.vector.SyncVectorEnv`, or in processes with `AsyncVectorEnv`; the model is compiled once in
each process.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
import superdense as sd

Floats = npt.NDArray[np.float64]
PERIOD = Fraction(1, 50)


@cache
def model() -> sd.Model:
    """The pendulum; its angle is 0 where it stands upright."""
    d = sd.Diagram("pendulum")
    torque = d.input(kind="held", initial=0)
    start, speed = d.parameter(0.1, name="start"), d.parameter(0, name="speed")
    w = d.Integrator(9.81 * sd.math.sin(d["angle"]) + torque, initial=speed)
    angle = d.Integrator(w, initial=start)
    d.record(angle, w)
    d.simulate(stop=10, tolerance=1e-6)
    return d.model()


class Pendulum(gym.Env[Floats, Floats]):
    """Observes angle and speed, and sets the torque 50 times a second."""

    def __init__(self) -> None:
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (2,), np.float64)
        self.action_space = gym.spaces.Box(-20, 20, (1,), np.float64)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        super().reset(seed=seed)
        start, speed = self.np_random.uniform(-0.2, 0.2, 2)
        self.run, self.steps = model().start(parameters={"start": start, "speed": speed}), 0
        self.run.advance_to(0)
        return self.observe(), {}

    def step(self, action: Floats) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        self.steps += 1
        self.run["torque"] = action[0]
        goes_on = self.run.advance_to(self.steps * PERIOD)
        seen = self.observe()
        reward = -float(seen @ seen) - 0.001 * float(action[0]) ** 2
        return seen, reward, bool(abs(seen[0]) > 1), not goes_on, {}

    def observe(self) -> Floats:
        return np.array([self.run["angle"], self.run["w"]])


def balance(copies: int = 4, steps: int = 200, seed: int = 7) -> Floats:
    """Angles and speeds of several copies under a linear controller, after some steps."""
    copied = gym.vector.SyncVectorEnv([Pendulum] * copies)
    seen, _ = copied.reset(seed=seed)
    for _ in range(steps):
        seen, *_ = copied.step(-(seen @ [[25.0], [6.0]]))
    copied.close()
    return np.asarray(seen)


if __name__ == "__main__":
    print(balance().round(6))
