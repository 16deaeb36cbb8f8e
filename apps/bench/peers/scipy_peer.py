"""SciPy: Hairer's dopri5 in Fortran, LSODA, and solve_ivp where there are events."""

import numpy as np
from scipy.integrate import ode, solve_ivp

from report import scaled, tell


def lorenz(t, u, rho):
    x, y, z = u
    return [10 * (y - x), x * (rho - z) - y, x * y - 8 / 3 * z]


def solve_lorenz(rho=28.0):
    solver = ode(lorenz).set_integrator("dopri5", rtol=1e-6, atol=1e-6, nsteps=10**6)
    return solver.set_initial_value([1.0, 1.0, 1.0]).set_f_params(rho).integrate(20)


def ball():
    def hit(t, u):
        return u[0]

    hit.terminal, hit.direction = True, -1
    t, u, last = 0.0, [10.0, 0.0], 0.0
    while t < 20:
        run = solve_ivp(lambda t, u: [u[1], -9.81], (t, 20), u, rtol=1e-6, atol=1e-6, events=hit)
        t, u = run.t[-1], [0.0, -0.9 * run.y[1, -1]]
        if run.status == 1:
            last = t
    return [last]


def chain():
    def slopes(t, u):
        x, v = u[:1000], u[1000:]
        force = -2 * x - 0.01 * v
        force[1:] += x[:-1]
        force[:-1] += x[1:]
        return np.concatenate((v, force))

    start = np.concatenate((np.sin(0.7 * np.arange(1000)), np.zeros(1000)))
    solver = ode(slopes).set_integrator("dopri5", rtol=1e-6, atol=1e-6, nsteps=10**6)
    return solver.set_initial_value(start).integrate(10)[:1000]


def robertson():
    def slopes(t, u):
        a, b, c = u
        return [-0.04 * a + 1e4 * b * c, 0.04 * a - 1e4 * b * c - 3e7 * b * b, 3e7 * b * b]

    run = solve_ivp(slopes, (0, 1e5), [1.0, 0.0, 0.0], method="LSODA", rtol=1e-6, atol=1e-10)
    return run.y[:, -1]


tell("A", solve_lorenz)
tell("B", ball)
tell("C", chain)
tell("D", robertson)
scaled("E", solve_lorenz, 50)
