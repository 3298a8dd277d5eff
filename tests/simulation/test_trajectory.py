"""Trajectories: by name, as Datasets and tables, and back from files."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.interpolate import CubicSpline

import flexblocks as fb
from flexblocks import models
from flexblocks.errors import FileFormatError, NameUnknownError

DAE = fb.assemble(models.subudhi_morris_2002(), symbolic=("payload.mass",))
TORQUE = {"motor1.torque": fb.bang_bang(0.2, 0.1)}


@pytest.fixture(scope="module")
def traj():
    return fb.simulate(DAE, np.linspace(0.0, 0.3, 31), u=TORQUE, p={"payload.mass": 0.15})


def assert_same(one, other):
    """Every bit of two trajectories."""
    for name in ("t", "x", "z", "u", "y", "energy"):
        left, right = getattr(one, name), getattr(other, name)
        assert left.shape == right.shape, name
        np.testing.assert_array_equal(left, right)
    for name in ("name", "names", "units", "p", "complete"):
        assert getattr(one, name) == getattr(other, name), name


def test_series_by_name(traj):
    """Columns are those of the DAE; outputs and energies are its functions of the states."""
    for group in ("x", "u", "y"):
        for i, name in enumerate(getattr(DAE, group).names):
            assert name in traj
            np.testing.assert_array_equal(traj[name], getattr(traj, group)[:, i])
            assert traj.unit(name) == getattr(DAE, group).units[i]
    k = 17
    p = [0.15]
    y = np.array(DAE.output(traj.x[k], traj.u[k], p)).ravel()
    np.testing.assert_allclose(traj.y[k], y, rtol=1e-13)
    kinetic, potential = (float(part) for part in DAE.energy(traj.x[k], p))
    assert traj["kinetic_energy"][k] == pytest.approx(kinetic, rel=1e-13)
    assert traj["potential_energy"][k] == pytest.approx(potential, rel=1e-13)
    assert traj.unit("work") == "J"
    assert traj.unit("time") == "s"
    np.testing.assert_array_equal(traj["time"], traj.t)
    assert traj.z.shape == (31, 0)
    assert traj.p == {"payload.mass": 0.15}
    assert len(traj) == 31
    assert "31 samples from 0 to 0.3 s" in repr(traj)


def test_derivatives_are_consistent(traj):
    """The rate of each coordinate is the slope of its samples, by a spline through a fine run."""
    fine = fb.simulate(DAE, np.linspace(0.0, 0.01, 1001), u=TORQUE, rtol=1e-12, atol=1e-14)
    for name in DAE.q_names:
        slope = CubicSpline(fine.t, fine[name])(fine.t, 1)[5:-5]
        np.testing.assert_allclose(fine[f"der({name})"][5:-5], slope, rtol=0, atol=1e-6 * np.abs(slope).max())


@pytest.mark.parametrize("call", [lambda t, n: t[n], lambda t, n: t.unit(n)])
def test_unknown_names_suggest_the_nearest(traj, call):
    with pytest.raises(NameUnknownError, match=r"no variable 'link1.bending_y\[3\]'\. Did you mean link1.bending_y\["):
        call(traj, "link1.bending_y[3]")
    assert "link1.bending_y[3]" not in traj


def test_xarray(traj):
    data = traj.to_xarray()
    assert set(data.data_vars) == {
        *DAE.x.names,
        *DAE.u.names,
        *DAE.y.names,
        "kinetic_energy",
        "potential_energy",
        "work",
    }
    assert data["der(link1.bending_y[1])"].dims == ("time",)
    assert data["der(link1.bending_y[1])"].attrs["units"] == "m/s"
    assert data["time"].attrs["units"] == "s"
    np.testing.assert_array_equal(data["payload.x"].values, traj["payload.x"])
    np.testing.assert_array_equal(data["payload.x"].sel(time=0.1, method="nearest"), traj["payload.x"][10])
    assert data.attrs["name"] == "Subudhi & Morris 2002, 2 links"
    assert json.loads(data.attrs["parameters"]) == {"payload.mass": 0.15}


def test_pandas(traj):
    table = traj.to_pandas()
    assert table.index.name == "time"
    np.testing.assert_array_equal(table.index, traj.t)
    np.testing.assert_array_equal(table["link2.tip_deflection_y"], traj["link2.tip_deflection_y"])
    assert table.attrs["units"]["motor1.torque"] == "N m"
    assert table.shape == (31, 16 + 2 + 10 + 3)


@pytest.mark.parametrize("suffix", ["nc", "csv", "NC", "CSV"])
def test_round_trip(traj, tmp_path, suffix):
    path = tmp_path / f"run.{suffix}"
    traj.save(path)
    assert_same(fb.load(path), traj)
    traj.save(str(path))  # over what is there
    assert_same(fb.load(str(path)), traj)


@pytest.mark.parametrize("suffix", ["nc", "csv"])
def test_round_trip_of_an_arm_with_little_in_it(tmp_path, suffix):
    """No inputs, no outputs, one sample in the file of an early end."""
    model = fb.Model("wheel, ümlaut")
    model.add(fb.Ground("ground"))
    model.add(fb.Rotor("rotor", inertia=1.0))
    whole = fb.simulate(fb.assemble(model), np.array([0.0, 1.0]), x0={"der(rotor.angle)": 1 / 3})
    path = tmp_path / f"wheel.{suffix}"
    whole.save(path)
    assert_same(fb.load(path), whole)
    assert whole["rotor.angle"][-1] == pytest.approx(1 / 3)


def test_an_early_end_is_remembered(traj, tmp_path):
    early = replace(traj, complete=False)
    for suffix in ("nc", "csv"):
        early.save(tmp_path / f"early.{suffix}")
        assert not fb.load(tmp_path / f"early.{suffix}").complete
    assert "ended early" in repr(early)


def test_netcdf_is_read_by_others(traj, tmp_path):
    """xarray alone, through each library for netCDF, finds names and units as they were."""
    traj.save(tmp_path / "run.nc")
    traj.to_xarray().to_netcdf(tmp_path / "classic.nc", engine="scipy")
    for path in (tmp_path / "run.nc", tmp_path / "classic.nc"):
        with xr.open_dataset(path) as data:
            assert data["der(link1.bending_y[1])"].attrs["units"] == "m/s"
            np.testing.assert_array_equal(data["link1.bending_y[1]"].values, traj["link1.bending_y[1]"])
    with xr.open_dataset(tmp_path / "classic.nc") as data:
        assert_same(fb.Trajectory.from_xarray(data), traj)


def test_csv_is_read_by_others(traj, tmp_path):
    """A line of comment, the names, the units, the numbers."""
    path = tmp_path / "run.csv"
    traj.save(path)
    lines = path.read_text().splitlines()
    assert lines[0].startswith('# {"flexblocks": "trajectory", "name": "Subudhi & Morris 2002, 2 links"')
    assert lines[1].startswith("time,rotor1.angle,joint1.angle,link1.bending_y[1]")
    assert lines[2].startswith("s,rad,rad,m")
    table = pd.read_csv(path, comment="#", skiprows=[2], dtype=str)
    np.testing.assert_array_equal(table["payload.y"].astype(float), traj["payload.y"])


@pytest.mark.parametrize("name", ["run.txt", "run", "run.mat"])
def test_other_kinds_of_files_are_refused(traj, tmp_path, name):
    with pytest.raises(FileFormatError, match=r"as \.nc \(netCDF\) or \.csv"):
        traj.save(tmp_path / name)


def test_files_that_are_no_trajectories_are_refused(tmp_path):
    with pytest.raises(FileFormatError, match=r"run\.nc: there is no such file"):
        fb.load(tmp_path / "run.nc")
    (tmp_path / "bad.nc").write_bytes(b"no netCDF")
    (tmp_path / "bad.csv").write_text("time,x\n0,1\n")
    (tmp_path / "cut.csv").write_text('# {"name": "arm"}\ntime,x\ns,m\n0,1\n')
    (tmp_path / "empty.csv").write_text("")
    attributes = '{"name": "arm", "parameters": "{}", "complete": 1, "groups": {"x": 2}}'
    (tmp_path / "short.csv").write_text(f"# {attributes}\ntime,x\ns,m\n0,1\n")
    for name in ("bad.csv", "cut.csv", "empty.csv", "short.csv"):
        with pytest.raises(FileFormatError, match=f"{name}: not a trajectory saved by flexblocks"):
            fb.load(tmp_path / name)
