"""numbalsoda: dop853 in Fortran and LSODA in C, with right-hand sides compiled by Numba."""

import numpy as np
from numba import carray, cfunc, njit
from numbalsoda import dop853, lsoda, lsoda_sig

from report import scaled, tell


@cfunc(lsoda_sig)
def lorenz(t, u, du, p):
    rho = carray(p, (1,))[0]
    du[0] = 10 * (u[1] - u[0])
    du[1] = u[0] * (rho - u[2]) - u[1]
    du[2] = u[0] * u[1] - 8 / 3 * u[2]


@cfunc(lsoda_sig)
def chain(t, u, du, p):
    for i in range(1000):
        left = u[i - 1] if i > 0 else 0.0
        right = u[i + 1] if i < 999 else 0.0
        du[i] = u[1000 + i]
        du[1000 + i] = left - 2 * u[i] + right - 0.01 * u[1000 + i]


@cfunc(lsoda_sig)
def robertson(t, u, du, p):
    du[0] = -0.04 * u[0] + 1e4 * u[1] * u[2]
    du[2] = 3e7 * u[1] * u[1]
    du[1] = -du[0] - du[2]


LORENZ, CHAIN, ROBERTSON = lorenz.address, chain.address, robertson.address


@njit
def solve_lorenz(rho):
    ends = np.array([0.0, 20.0])
    start = np.ones(3)
    return dop853(LORENZ, start, ends, np.array([rho]), 1e-6, 1e-6, 1000000)[0][-1]


@njit
def solve_chain():
    ends = np.array([0.0, 10.0])
    start = np.zeros(2000)
    start[:1000] = np.sin(0.7 * np.arange(1000))
    return dop853(CHAIN, start, ends, np.zeros(1), 1e-6, 1e-6, 1000000)[0][-1, :1000]


@njit
def solve_robertson():
    ends = np.array([0.0, 1e5])
    start = np.array([1.0, 0.0, 0.0])
    return lsoda(ROBERTSON, start, ends, np.zeros(1), 1e-6, 1e-10, 1000000)[0][-1]


tell("A", lambda: solve_lorenz(28.0))
tell("C", solve_chain)
tell("D", solve_robertson)
scaled("E", solve_lorenz, 10_000)
