"""The same digits wherever a case is computed: alone, in threads, in processes, on a cluster."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import xarray as xr

import flexblocks as fb
from flexblocks import control, models, optim, tasks
from flexblocks.errors import FlexblocksError, NameUnknownError

TIMES = np.linspace(0.0, 0.2, 11)
PULSE = {"motor1.torque": fb.bang_bang(0.1, 0.05)}
CASES = fb.studies.grid({"payload.mass": [0.1, 0.2], "joint2.angle": [0.0, 0.4, 0.8]})
LAW = control.PD({"joint1.angle": "motor1.torque", "joint2.angle": "motor2.torque"}, kp=5.0, kd=1.0)
MODES = fb.studies.grid({"modes": [1, 2]})
SINGLE = models.subudhi_morris_2002(links=1)
HELD = {"joint1.angle": 0.2}


def tasks_and_cases() -> dict[str, tuple[Any, fb.studies.Cases]]:
    model = models.subudhi_morris_2002()
    dae = fb.assemble(model, symbolic="payload.mass")
    few = fb.studies.grid({"payload.mass": [0.1, 0.15, 0.2]})
    return {
        "model": (tasks.Simulate(model, TIMES, u=PULSE), CASES),
        "loop": (tasks.Simulate(model, TIMES, law=LAW), CASES),
        "function": (tasks.Simulate(models.subudhi_morris_2002, TIMES, u=PULSE, keep=["payload.x"]), MODES),
        "linear": (tasks.Linearize(dae, x=HELD), CASES),
        "rest": (tasks.Equilibrium(dae, x=HELD), CASES),
        "plan": (tasks.Plan(dae, optim.RestToRest(start={"joint1.angle": 0.0, "joint2.angle": 0.0},
                 goal={"joint1.angle": 0.3, "joint2.angle": 0.2}, duration=2.0), {"intervals": 10}), few),
    }  # fmt: skip


@contextmanager
def executors() -> Iterator[dict[str, Any]]:
    distributed = pytest.importorskip("distributed")
    context = multiprocessing.get_context("spawn")
    with (
        ThreadPoolExecutor(2) as threads,
        ProcessPoolExecutor(2, mp_context=context) as processes,
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        assert isinstance(processes, Executor)
        yield {"threads": threads, "processes": processes, "our processes": 2, "dask": client}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::flexblocks.errors.FlexblocksWarning")
def test_the_same_digits_everywhere(tmp_path) -> None:
    dae = fb.assemble(models.subudhi_morris_2002(), symbolic="payload.mass")
    over = {"payload.mass": [0.1, 0.2], "joint2.angle": [0.0, 0.4, 0.8]}
    grid = fb.linear_grid(dae, over).dataset
    with executors() as known:
        for executor in known.values():
            xr.testing.assert_identical(fb.linear_grid(dae, over, executor=executor).dataset, grid)
        for name, (task, cases) in tasks_and_cases().items():
            alone = fb.study(task, cases).drop_vars("seconds")
            assert not alone["error"].values.any(), (name, alone["error"].values)
            for kind, executor in known.items():
                if kind == "our processes" and name != "model":
                    continue  # they are started for each study
                store = tmp_path / f"{name} {kind}.zarr"
                runs = fb.study(task, cases, store, executor).load().drop_vars("seconds")
                for variable in alone.variables:
                    np.testing.assert_array_equal(
                        runs[variable].values, alone[variable].values, err_msg=f"{name} {kind} {variable}"
                    )
                runs.close()


def test_a_study_of_simulations_is_simulations(tmp_path) -> None:
    model = models.subudhi_morris_2002(links=1)
    cases = fb.studies.table({"payload.mass": [0.1, 0.3], "joint1.angle": [0.0, 0.5], "motor1.torque": [0.0, 0.01]})
    runs = fb.study(tasks.Simulate(model, TIMES, keep=["payload.x", "joint1.angle"]), cases, tmp_path / "study.nc")
    dae = fb.assemble(model, symbolic="payload.mass")
    for i, case in enumerate(cases):
        p, x0, u = ({name: case[name]} for name in cases.names)
        motion = fb.simulate(dae, TIMES, u, x0, p)
        np.testing.assert_array_equal(runs["payload.x"].values[i], motion["payload.x"])
        assert runs["payload.x"].attrs["units"] == "m"
    np.testing.assert_array_equal(runs["time"], TIMES)
    xr.testing.assert_identical(xr.load_dataset(tmp_path / "study.nc")["payload.x"], runs["payload.x"])
    with pytest.raises(NameUnknownError, match=r"no symbolic parameter, state or input 'payload.mas'.*payload.mass"):
        fb.study(tasks.Simulate(dae, TIMES), {"payload.mas": [0.1]})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"t": "soon"}, r"t = 'soon'; must be \(start, end\)"),
        ({"keep": ["payload.q"]}, "no variable 'payload.q'"),
        ({"keep": "payload.x"}, "must be a list of names"),
        ({"u": {"motor9.torque": 1.0}}, "no input 'motor9.torque'"),
        ({"x0": {"joint9.angle": 1.0}}, "'joint9.angle'"),
        ({"p": {"payload.mass": "heavy"}}, "payload.mass = 'heavy'"),
        ({"options": {"rtl": 1e-3}}, "'rtl'.*Did you mean rtol"),
        ({"options": {"rtol": -1.0}}, "rtol = -1"),
    ],
)
def test_what_every_case_would_fail_with_is_refused_before_any(wrong: dict[str, Any], message: str, tmp_path) -> None:
    task = tasks.Simulate(SINGLE, **{"t": TIMES, **wrong})
    with pytest.raises(FlexblocksError, match=message):
        fb.study(task, {"payload.mass": [0.1]}, tmp_path / "study.nc")
    assert not list(tmp_path.iterdir())
