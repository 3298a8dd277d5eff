"""Records: measured time series by the model's names."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from arms.driven import two_masses
from flexblocks.errors import FileFormatError, FlexblocksError, NameUnknownError, ParameterError

T = np.linspace(0, 1, 11)


def record(**changes):
    given = {"t": T, "u": {"motor.torque": 0.5}, "y": {"wheel.angle": T**2}, "x0": {"load.angle": 0.1}}
    return fb.Record(**(given | changes))


def test_series_are_there_by_name():
    measured = record(units={"wheel.angle": "rad"})
    assert len(measured) == 11
    assert measured.names == {"u": ("motor.torque",), "y": ("wheel.angle",)}
    assert np.array_equal(measured["motor.torque"], np.full(11, 0.5))
    assert np.array_equal(measured["time"], T)
    assert (measured.unit("wheel.angle"), measured.unit("motor.torque"), measured.unit("time")) == ("rad", "", "s")
    assert "wheel.angle" in measured
    assert "load.angle" not in measured
    assert repr(measured) == "Record('record': 11 samples from 0 to 1 s, 1 inputs, 1 measured)"


def test_gaps_of_measurements_are_nan():
    angle = np.where(T > 0.5, np.nan, T)
    assert np.isnan(record(y={"wheel.angle": angle})["wheel.angle"]).sum() == 5


def test_a_record_owns_its_arrays():
    angle = T.copy()
    measured = record(y={"wheel.angle": angle})
    angle[:] = 7
    assert np.array_equal(measured["wheel.angle"], T)


def test_what_a_simulation_would_measure():
    run = fb.simulate(two_masses(), T, u={"motor.torque": 0.2}, x0={"load.angle": 0.3})
    measured = fb.Record.from_trajectory(run, ["wheel.angle"])
    assert np.array_equal(measured["wheel.angle"], run["wheel.angle"])
    assert np.array_equal(measured["motor.torque"], np.full(11, 0.2))
    assert measured.x0["load.angle"] == 0.3
    assert measured.unit("motor.torque") == "N m"


def test_records_go_through_xarray():
    before = record(y={"wheel.angle": np.where(T > 0.5, np.nan, T)}, units={"wheel.angle": "rad"}, name="run 3")
    after = fb.Record.from_xarray(before.to_xarray())
    assert (after.name, after.names, after.x0, after.units["wheel.angle"]) == (
        "run 3", before.names, before.x0, "rad")  # fmt: skip
    for name in ("time", "motor.torque", "wheel.angle"):
        assert np.array_equal(after[name], before[name], equal_nan=True)


def test_records_come_from_csv_files(tmp_path):
    path = tmp_path / "bench.csv"
    path.write_text("t,u [N m],phi,note\n0,0.5,0.1,a\n0.1,0.5,,b\n0.2,0.6,0.3,c\n")
    columns = {"motor.torque": "u [N m]"}
    measured = fb.Record.from_csv(path, columns, {"wheel.angle": "phi"}, time="t")
    assert measured.name == "bench"
    assert np.array_equal(measured["wheel.angle"], [0.1, np.nan, 0.3], equal_nan=True)
    assert np.array_equal(measured["motor.torque"], [0.5, 0.5, 0.6])
    with pytest.raises(FileFormatError, match="no column 'psi'"):
        fb.Record.from_csv(path, y={"wheel.angle": "psi"}, time="t")
    with pytest.raises(FileFormatError, match="not of numbers"):
        fb.Record.from_csv(path, y={"wheel.angle": "note"}, time="t")
    with pytest.raises(FileFormatError, match=r"bench\.csv: Record: u\[motor\.torque\] has values that are not finite"):
        fb.Record.from_csv(path, u={"motor.torque": "phi"}, time="t")
    with pytest.raises(FileFormatError, match="nowhere"):
        fb.Record.from_csv(tmp_path / "nowhere.csv", y={"wheel.angle": "phi"})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"t": T[::-1]}, "rise"),
        ({"t": np.append(T[:-1], np.inf)}, "finite times"),
        ({"t": "now"}, "array of numbers"),
        ({"t": [0.0]}, "two or more"),
        ({"y": {"wheel.angle": T[:5]}}, r"y\[wheel.angle\] is of shape \(5,\); must be \(11,\)"),
        ({"y": {"wheel.angle": np.append(T[:-1], np.inf)}}, "nan where nothing was measured"),
        ({"u": {"motor.torque": np.append(T[:-1], np.nan)}}, r"u\[motor.torque\] has values that are not finite"),
        ({"u": [1, 2]}, "must be a dict by name"),
        ({"u": {"wheel.angle": 0.0}}, "among u and y"),
        ({"x0": {"load.angle": np.nan}}, r"x0\[load.angle\]"),
    ],
)
def test_refusals(changes, words):
    with pytest.raises(ParameterError, match=words):
        record(**changes)


def test_unknown_names_and_other_datasets_are_refused():
    with pytest.raises(NameUnknownError, match=r"wheel\.angle"):
        record()["wheel.angel"]
    with pytest.raises(FileFormatError, match="attribute group"):
        fb.Record.from_xarray(record().to_xarray().drop_vars(["motor.torque", "wheel.angle"]))
    with pytest.raises(FlexblocksError, match="rise"):
        fb.Record.from_xarray(record().to_xarray().isel(time=slice(None, None, -1)))
