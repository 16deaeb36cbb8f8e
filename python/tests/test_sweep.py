"""Sweeps: the same data set on threads, in processes and on a cluster that loses a process."""

import math
import os
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import superdense as sd

xarray = pytest.importorskip("xarray")

MEASURES = {"n": "count(hit)", "second": "time(hit, 2)", "top": "max(y)"}


def swept(ball, **more):
    return ball.sweep(
        e="0.7:0.9:0.05", g="normal(9.81, 0.2)", samples=8, stop=3.5, measures=MEASURES, **more
    )


def test_a_data_set_has_the_dimensions_of_the_sweep(ball):
    d = swept(ball, threads=2)
    assert dict(d.sizes) == {"e": 5, "sample": 8}
    assert d.e.values.tolist() == [0.7, 0.75, 0.8, 0.85, 0.9]
    fall = np.sqrt(2 * 10 / d.g)
    second = fall * (1 + 2 * d.e)
    inside = second < 3.5
    assert float(abs(d.second - second).where(inside).max()) < 1e-6
    assert bool(d.second.isnull().where(~inside, True).all())
    assert float(abs(d.top - 10).max()) < 1e-12
    # The same draws at each point of the grid.
    assert bool((d.g == d.g.isel(e=0)).all())


def test_lists_arrays_and_single_values(ball):
    d = ball.sweep(e=[0.7, 0.8], y0=np.array([5.0, 10.0]), g=9.81, measures="max(y)", stop=1)
    assert dict(d.sizes) == {"e": 2, "y0": 2, "g": 1}
    assert d["max(y)"].values.reshape(2, 2).tolist() == [[5, 10], [5, 10]]
    with pytest.raises(Exception, match="no parameter `q`"):
        ball.sweep(q=[1, 2])
    with pytest.raises(ValueError, match="no method"):
        ball.sweep(e="normal(1, 0.1)", samples=3, method="sobbol")
    with pytest.raises(TypeError, match="executor"):
        ball.sweep(e=[0.7, 0.8], executor=3)


def test_executors_give_the_same_data_set(ball):
    expected = swept(ball, threads=1)
    with ThreadPoolExecutor(2) as executor:
        assert swept(ball, executor=executor).identical(expected)
    from multiprocessing import get_context

    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        assert swept(ball, executor=executor, tasks=7).identical(expected)


@sd.function
def drag(v, *, k=0.5):
    return k * v * abs(v)


DRAGGED = """
superdense: 1
parameters: {k: 0.5}
blocks:
  v: {type: Integrator, input: -slowed, initial: 4}
  slowed: {type: drag, v: v, k: k}
record: [v]
simulate: {stop: 1}
"""


def test_blocks_from_python_go_to_other_processes():
    model = sd.parse(DRAGGED, blocks=[drag])
    expected = model.sweep(k="0.1:0.5:0.1", measures={"end": "min(v)"}, threads=1)
    truth = 4 / (1 + 4 * expected.k)
    assert np.allclose(expected.end, truth, rtol=1e-4)
    from multiprocessing import get_context

    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        found = model.sweep(k="0.1:0.5:0.1", measures={"end": "min(v)"}, executor=executor)
    assert found.identical(expected)


@sd.function
def picky(v, *, k=0.5):
    if k > 0.35:
        raise ValueError(f"{k} is too much")
    return k * v


def test_a_function_that_raises_ends_its_own_run():
    model = sd.parse(DRAGGED.replace("drag", "picky"), blocks=[picky])
    rows = model.sweep(k=[0.1, 0.5, 0.2, 0.4, 0.3], measures={"end": "min(v)"}, threads=2)
    assert (rows.code == "python-exception").values.tolist() == [False, True, False, True, False]
    assert "`picky` has raised: ValueError: 0.5 is too much" in rows.message.values[1]
    good = rows.end.values[::2]
    assert np.allclose(good, 4 * np.exp(-np.array([0.1, 0.2, 0.3])), rtol=1e-4)


def test_traces_are_a_partitioned_data_set(ball, tmp_path):
    dataset = pytest.importorskip("pyarrow.dataset")
    folder = tmp_path / "traces"
    with ThreadPoolExecutor(2) as executor:
        d = ball.sweep(e=[0.6, 0.7, 0.8], stop=2, traces=folder, executor=executor, tasks=2)
    rows = dataset.dataset(folder, format="parquet", partitioning="hive").to_table().to_pandas()
    for run, e in enumerate([0.6, 0.7, 0.8]):
        alone, own = ball.run(e=e, stop=2), sd.read(folder / f"run={run}" / "trace.parquet")
        assert own.t.tolist() == alone.t.tolist() and own.y.tolist() == alone.y.tolist()
        heights = rows.y[rows.run == run].dropna()
        assert heights.iloc[-1] == alone.y[-1] == d.y[run]
    with pytest.raises(OSError, match="holds other results"):
        ball.sweep(e=[0.6], stop=2, traces=folder)
    ball.sweep(e=[0.6, 0.7, 0.8], stop=2, traces=folder)


def many(ball, **more):
    return ball.sweep(
        e="0.8:0.9:0.01", g="normal(9.81, 0.2)", samples=400, stop=12, zeno="stop",
        measures=MEASURES, **more,
    )


def test_a_lost_process_of_a_pool_loses_nothing(ball):
    expected = many(ball)
    from multiprocessing import get_context

    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        executor.submit(math.sqrt, 2).result()
        threading.Timer(0.5, lambda: os.kill(next(iter(executor._processes)), signal.SIGKILL)).start()
        with pytest.warns(UserWarning, match="computed here"):
            found = many(ball, executor=executor)
    assert found.identical(expected)


def test_a_lost_worker_of_a_cluster_loses_nothing(ball):
    distributed = pytest.importorskip("distributed")
    expected = many(ball)
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        pids = list(client.run(os.getpid).values())
        killed = []

        def kill(done, of):
            if done > of / 8 and not killed:
                killed.append(pids[0])
                os.kill(pids[0], signal.SIGKILL)

        found = many(ball, executor=client, tasks=50, progress=kill)
        assert killed
    assert found.identical(expected)


def test_ray_gives_the_same_data_set(ball):
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False)
    try:
        assert swept(ball, executor=ray, tasks=6).identical(swept(ball, threads=1))
    finally:
        ray.shutdown()
