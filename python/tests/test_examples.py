"""The examples, and the programs of the pages."""

import importlib.util
import re
import subprocess
import sys

import numpy as np
import pytest
import superdense as sd
from conftest import ROOT


def example(name):
    path = ROOT / "python" / "examples" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_controller_reaches_its_set_point():
    position, speed = example("controller").control()
    # The slowest pole of x'' = u - 4 x - 0.2 x' under the PID controller decays as exp(-0.65 t).
    poles = np.roots([1, 8.2, 34, 20])
    bound = 3 * np.exp(max(poles.real) * 5)
    assert abs(position - 1) < bound and abs(speed) < bound


def test_the_environment_is_one_of_gymnasium():
    gymnasium = pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env

    module = example("gym_pendulum")
    check_env(module.Pendulum(), skip_render_check=True)
    assert np.abs(module.balance()).max() < 1e-4
    # Copies do not disturb each other: the first of two is the only one of one.
    one, two = (
        gymnasium.vector.SyncVectorEnv([module.Pendulum] * count) for count in (1, 2)
    )
    for own in (one, two):
        own.reset(seed=3)
    for k in range(5):
        alone, both = (own.step(np.full((own.num_envs, 1), float(k)))[0] for own in (one, two))
        assert (alone[0] == both[0]).all() and (both[0] != both[1]).any()


def blocks(page, heading):
    text = (ROOT / page).read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"```python\n(.*?)```", text, re.S)


@pytest.mark.parametrize("heading", ["Models as code", "Blocks from Python"])
def test_the_programs_of_the_page_run(heading):
    names = {"sd": sd, "np": np}
    for own in blocks("docs/python.md", heading):
        exec(own, names)
    assert len(names["d"].run()) > 2


def test_the_programs_of_the_readme_run(tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    folder = tmp_path / "models" / "bouncing-ball"
    folder.mkdir(parents=True)
    (folder / "model.yaml").write_text((ROOT / "models/bouncing-ball/model.yaml").read_text())
    monkeypatch.chdir(tmp_path)
    names = {}
    for own in blocks("README.md", "Python beside YAML"):
        exec(own, names)
    made = sd.load("ball.yaml").run(stop=12, tolerance=1e-8)
    assert (made.y == sd.load(folder / "model.yaml").run().y).all()


def test_importing_loads_nothing_heavy():
    """The packages that take long to import are imported where they are needed."""
    program = (
        "import sys, numpy\nbefore = set(sys.modules)\n"
        "import superdense\nprint(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert "superdense" in loaded
    heavy = {"matplotlib", "pandas", "pyarrow", "xarray", "scipy", "control", "tqdm", "IPython"}
    assert not loaded & heavy
    assert len(done.stdout.split()) < 60, done.stdout
