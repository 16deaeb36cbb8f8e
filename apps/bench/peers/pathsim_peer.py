"""PathSim: block diagrams in Python."""

import sys

import numpy as np
from pathsim import Connection, Simulation
from pathsim.blocks import Adder, Amplifier, Constant, Function, Integrator
from pathsim.events import ZeroCrossingDown
from pathsim.solvers import ESDIRK43, RK4, RKDP54

from report import scaled, tell


def state(block):
    """The value of an integrator, which is kept as an array of one."""
    return float(np.ravel(block.engine.state)[0])


TOLERANCES = {"tolerance_lte_rel": 1e-6, "tolerance_lte_abs": 1e-6}


def lorenz(rho=28.0):
    x, y, z = Integrator(1.0), Integrator(1.0), Integrator(1.0)
    dx = Function(lambda x, y: 10 * (y - x))
    dy = Function(lambda x, y, z: x * (rho - z) - y)
    dz = Function(lambda x, y, z: x * y - 8 / 3 * z)
    wires = [
        Connection(x, dx[0], dy[0], dz[0]),
        Connection(y, dx[1], dy[1], dz[1]),
        Connection(z, dy[2], dz[2]),
        Connection(dx, x),
        Connection(dy, y),
        Connection(dz, z),
    ]
    run = Simulation([x, y, z, dx, dy, dz], wires, Solver=RKDP54, dt=1e-3, log=False, **TOLERANCES)
    run.run(20)
    return [state(block) for block in (x, y, z)]


def ball():
    y, v, g = Integrator(10.0), Integrator(0.0), Constant(-9.81)
    last = [0.0]

    def bounce(t):
        last[0] = t
        y.engine.set(abs(state(y)))
        v.engine.set(-0.9 * state(v))

    hit = ZeroCrossingDown(lambda t: state(y), bounce, tolerance=1e-9)
    wires = [Connection(g, v), Connection(v, y)]
    run = Simulation([y, v, g], wires, [hit], Solver=RKDP54, dt=1e-3, log=False, **TOLERANCES)
    run.run(20)
    return last


def chain():
    count = 1000
    x = [Integrator(np.sin(0.7 * i)) for i in range(count)]
    v = [Integrator(0.0) for _ in range(count)]
    force = [Function(lambda l, x, r, v: l - 2 * x + r - 0.01 * v) for _ in range(count)]
    wall = Constant(0.0)
    wires = []
    for i in range(count):
        left = x[i - 1] if i > 0 else wall
        right = x[i + 1] if i + 1 < count else wall
        wires += [
            Connection(left, force[i][0]),
            Connection(x[i], force[i][1]),
            Connection(right, force[i][2]),
            Connection(v[i], force[i][3], x[i]),
            Connection(force[i], v[i]),
        ]
    blocks = [*x, *v, *force, wall]
    run = Simulation(blocks, wires, Solver=RKDP54, dt=1e-2, log=False, **TOLERANCES)
    run.run(10)
    return [state(block) for block in x]


def robertson():
    a, b, c = Integrator(1.0), Integrator(0.0), Integrator(0.0)
    da = Function(lambda a, b, c: -0.04 * a + 1e4 * b * c)
    dc = Function(lambda b: 3e7 * b * b)
    db = Function(lambda da, dc: -da - dc)
    wires = [
        Connection(a, da[0]),
        Connection(b, da[1], dc),
        Connection(c, da[2]),
        Connection(da, a, db[0]),
        Connection(dc, c, db[1]),
        Connection(db, b),
    ]
    tolerances = {"tolerance_lte_rel": 1e-6, "tolerance_lte_abs": 1e-10}
    blocks = [a, b, c, da, db, dc]
    run = Simulation(blocks, wires, Solver=ESDIRK43, dt=1e-6, log=False, **tolerances)
    run.run(1e5)
    return [state(block) for block in (a, b, c)]


def linear():
    blocks, wires = [], []
    lines = [line.split() for line in open(sys.argv[1])]
    for kind, *words in lines:
        match kind:
            case "integrator":
                blocks.append(Integrator(float(words[1])))
            case "gain":
                blocks.append(Amplifier(float(words[1])))
            case "sum":
                blocks.append(Adder())
    for block, (kind, *words) in zip(blocks, lines):
        inputs = words if kind == "sum" else words[:1]
        for port, source in enumerate(inputs):
            wires.append(Connection(blocks[int(source)], block[port]))
    run = Simulation(blocks, wires, Solver=RK4, dt=1e-3, log=False)
    run.run(1)
    return [state(block) for block in blocks if isinstance(block, Integrator)]


tell("A", lorenz)
tell("B", ball)
tell("C", chain)
tell("D", robertson)
scaled("E", lorenz, 3)
tell("F", linear)
