"""`fb.load`: any file of ours, by its format."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import flexblocks as fb
from arms.library import subudhi_morris
from flexblocks import control, models, optim
from flexblocks.errors import FileFormatError


@pytest.fixture(scope="module")
def dae() -> fb.DAE:
    return fb.assemble(models.subudhi_morris_2002(links=1, modes=1), symbolic=("payload.mass",))


@pytest.fixture(scope="module")
def run(dae: fb.DAE) -> fb.Trajectory:
    return fb.simulate(dae, np.linspace(0.0, 0.1, 11), u={"motor1.torque": 0.1})


def test_each_result_comes_back_as_what_it_was(dae: fb.DAE, run: fb.Trajectory, tmp_path: Path) -> None:
    task = optim.RestToRest({"joint1.angle": 0.0}, {"joint1.angle": 0.2}, duration=1.0)
    results: dict[str, Any] = {
        "arm.yaml": dae.model,
        "arm.json": dae.model,
        "run.nc": run,
        "run.csv": run,
        "plan.nc": optim.plan(dae, task, intervals=8),
        "lin.mat": fb.linearize(dae),
        "lin.json": fb.linearize(dae),
        "lin.npz": fb.linearize(dae),
        "grid.nc": fb.linear_grid(dae, {"payload.mass": [0.1, 0.2]}),
    }
    for name, result in results.items():
        result.save(tmp_path / name)
        again = fb.load(tmp_path / name)
        assert type(again) is type(result), name
        assert repr(again) == repr(result), name
    # What has its arm in its file knows it.
    for name in ("run.nc", "plan.nc", "grid.nc"):
        again = fb.load(tmp_path / name)
        assert again.model.blocks == dae.model.blocks, name
    assert fb.load(tmp_path / "run.csv").model is None
    lin = fb.load(tmp_path / "lin.json")
    assert lin.model is None
    assert lin.of(dae).model is dae.model


@pytest.mark.parametrize("name", ["study.nc", "study.zarr"])
def test_a_study_comes_back_as_its_results(name: str, tmp_path: Path) -> None:
    runs = fb.study(lambda case: case["a"] ** 2, fb.studies.grid({"a": [1.0, 2.0, 3.0]}), tmp_path / name)
    again = fb.load(tmp_path / name)
    xr.testing.assert_equal(again.load(), runs.load())


def test_a_motion_under_a_law_is_read_without_its_arm(tmp_path: Path) -> None:
    arm = subudhi_morris(links=1, modes=1)
    closed = control.close_loop(arm, control.PD({"rotor1.angle": "motor1.torque"}, kp=2.0, kd=1.0))
    run = fb.simulate(closed, (0.0, 0.02))
    run.save(tmp_path / "run.nc")
    again = fb.load(tmp_path / "run.nc")
    assert again.dae is None
    assert again.of(closed).dae is closed
    with pytest.raises(fb.FlexblocksError, match="other inputs"):
        again.of(arm)


@pytest.mark.parametrize("suffix", ["nc", "csv", "npz", "mat", "json", "yaml", "zarr", "txt", "xlsx", ""])
def test_a_file_of_others_is_one_refusal(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"file.{suffix}"
    for content in (b"", b"not ours", pickle.dumps(print)):
        path.write_bytes(content)
        with pytest.raises(FileFormatError, match=r"file\."):
            fb.load(path)


def test_a_file_of_others_that_can_be_read_is_refused(tmp_path: Path) -> None:
    xr.Dataset({"x": ("time", [1.0])}).to_netcdf(tmp_path / "other.nc")
    with pytest.raises(FileFormatError, match=r"other\.nc: no file of flexblocks; must hold a trajectory or a plan"):
        fb.load(tmp_path / "other.nc")
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    with pytest.raises(FileFormatError, match=r"other\.npz: holds no 'Format'"):
        fb.load(tmp_path / "other.npz")
    np.savez(tmp_path / "objects.npz", x=np.array([print], dtype=object))
    with pytest.raises(FileFormatError, match="allow_pickle=False"):
        fb.load(tmp_path / "objects.npz")
    (tmp_path / "other.json").write_text('{"a": 1}')
    with pytest.raises(FileFormatError, match=r"other\.json: .*'a'"):
        fb.load(tmp_path / "other.json")
    with pytest.raises(FileFormatError, match="there is no such"):
        fb.load(tmp_path / "missing.zarr")


def test_only_what_a_file_needs_is_imported(dae: fb.DAE, run: fb.Trajectory, tmp_path: Path) -> None:
    """Files one after another, each of which needs what those before it need, and more."""
    results: dict[str, Any] = {"arm.yaml": dae.model, "lin.json": fb.linearize(dae), "run.nc": run}
    for name, result in results.items():
        result.save(tmp_path / name)
    not_needed = {
        "arm.yaml": ("scipy", "xarray", "pyomo", "matplotlib", "pandas"),
        "lin.json": ("pyomo", "matplotlib", "netCDF4", "control"),
        "run.nc": ("pyomo", "matplotlib", "control"),
    }
    script = f"""
import sys, flexblocks as fb
for file, not_needed in {not_needed!r}.items():
    fb.load(file)
    print(*[f"{{file}}: {{name}}" for name in not_needed if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
