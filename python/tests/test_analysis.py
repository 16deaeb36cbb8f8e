"""Steady states and linear models against closed forms, and with python-control and scipy."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import superdense as sd

TANKS = """
superdense: 1
name: tanks
parameters: {area: {value: 0.01, tunable: true}}
inputs: {pump: {unit: m^3/s, initial: 0.01}}
outputs: {flow: {value: out, unit: m^3/s}}
blocks:
  upper: {type: Integrator, input: (pump - between) / 2, initial: 1}
  lower: {type: Integrator, input: between - out, initial: 1}
  between: {type: Expression, expression: area * sqrt(2 * 9.81 * upper)}
  out: {type: Expression, expression: 0.02 * sqrt(2 * 9.81 * lower)}
record: [upper, lower]
simulate: {stop: 50}
"""

NOTEBOOK = Path(__file__).resolve().parents[1] / "notebooks" / "3-sampled-controller.ipynb"


@pytest.fixture
def tanks():
    return sd.parse(TANKS)


def level(flow, area):
    return (flow / area) ** 2 / (2 * 9.81)


def test_a_steady_state_for_an_output(tanks):
    point = tanks.trim(outputs={"flow": 0.03}, bounds={"pump": (0, None)})
    assert point.inputs["pump"] == pytest.approx(0.03, rel=1e-13)
    assert point.states["lower"] == pytest.approx(level(0.03, 0.02), rel=1e-13)
    assert point.states["upper"] == pytest.approx(level(0.03, 0.01), rel=1e-13)
    assert max(map(abs, point.rates.values())) < 1e-16
    assert point.units == {"pump": "m^3/s", "flow": "m^3/s"}
    assert (point.free, point.open_directions, point.held) == (["upper", "lower", "pump"], 0, {})


def test_a_linear_model_has_names_and_exact_derivatives(tanks):
    linear = tanks.trim(inputs={"pump": 0.02}).linearize(inputs=["pump", "area"])
    assert list(linear.states) == ["upper", "lower"]
    assert list(linear.inputs) == ["pump", "area"]
    root = math.sqrt(2 * 9.81 * level(0.02, 0.01))
    a, b = 0.01 * 9.81 / root, 0.02 * 9.81 / math.sqrt(2 * 9.81 * level(0.02, 0.02))
    assert np.allclose(linear.A, [[-a / 2, 0], [a, -b]], rtol=1e-13, atol=0)
    assert np.allclose(linear.B, [[0.5, -root / 2], [0, root]], rtol=1e-13, atol=0)
    assert np.allclose(linear.C, [[0, b]], rtol=1e-13, atol=0)
    assert not linear.D.any() and linear.D.shape == (1, 2)
    assert linear.poles() == pytest.approx([-a / 2, -b])


def test_a_point_of_a_run(tanks):
    by_time = tanks.linearize(at=7.5, outputs=["upper", "upper - lower"], area=0.02)
    with tanks.start(area=0.02) as run:
        run.advance_to(7.5)
        held = run.linearize(outputs=["upper"])
        assert held.states["upper"] == run["upper"]
    assert np.array_equal(by_time.A, held.A)
    assert np.array_equal(by_time.C, [[1, 0], [1, -1]])
    assert by_time.rates["upper"] != 0


def test_systems_of_other_libraries(tanks):
    control = pytest.importorskip("control")
    signal = pytest.importorskip("scipy.signal")
    linear = tanks.trim().linearize()
    system = linear.to_control()
    assert system.state_labels == ["upper", "lower"]
    assert (system.input_labels, system.output_labels) == (["pump"], ["flow"])
    assert np.allclose(np.sort(system.poles().real), np.sort(linear.poles().real))
    # At rest what comes in goes out.
    assert control.dcgain(system) == pytest.approx(1)
    frequencies, response = signal.freqresp(linear.to_scipy(), [1e-3])
    by_hand = linear.C @ np.linalg.solve(1j * frequencies[0] * np.eye(2) - linear.A, linear.B)
    assert response[0] == pytest.approx(by_hand[0, 0])


def test_delays_and_sides():
    late = sd.parse("""
superdense: 1
name: late
inputs: {u: {initial: 0}}
blocks:
  x: {type: Integrator, input: abs(u) - y}
  y: {type: TransportDelay, input: x, delay: 0.1}
record: [x]
""")
    with pytest.raises(sd.ModelError) as refused:
        late.linearize()
    assert refused.value.code == "delay-not-linear"
    above = late.linearize(delays=2)
    assert above.B[0, 0] == 1 and len(above.states) == 3
    assert [own.side for own in above.switches] == ["above"]
    assert late.linearize(delays=2, side="below").B[0, 0] == -1


def test_bad_input_is_an_exception(tanks):
    def code(**arguments):
        with pytest.raises(sd.ModelError) as refused:
            tanks.trim(**arguments)
        return refused.value.code

    assert code(states={"uper": 1}) == "unknown-signal"
    assert code(states={"upper": float("nan")}) == "bad-value"
    assert code(states={"upper": [1, 2]}) == "bad-value"
    assert code(bounds={"pump": (1, 0)}) == "bad-bound"
    assert code(inputs={"pump": 1}, free="pump") == "given-twice"
    assert code(outputs={"flow *": 1}) == "expression-syntax"
    with pytest.raises(sd.ModelError) as refused:
        tanks.trim(states={"upper": 0.5, "lower": 0.5})
    assert refused.value.code == "not-steady" and "rate of `lower`" in str(refused.value)
    with pytest.raises(TypeError):
        tanks.trim(bounds={"pump": 3})
    with pytest.raises(ValueError):
        tanks.linearize(side="left")
    with pytest.raises(TypeError):
        tanks.linearize(at=tanks.trim(), area=3)
    with pytest.raises(sd.ModelError):
        tanks.linearize(inputs=["pump", "pump"])


def test_the_notebook_runs():
    pytest.importorskip("control")
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    names = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), str(NOTEBOOK), "exec"), names)
    assert names["error"] < 1e-8
