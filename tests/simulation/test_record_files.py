"""Records from files of measurements: their columns, clocks, gaps and rates; filtering, slices, pictures."""

from __future__ import annotations

import sys

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
import xarray as xr

import flexblocks as fb
from arms.driven import two_masses
from flexblocks.errors import FileFormatError, MissingExtraError, NameUnknownError, ParameterError

mpl.use("Agg")
T = np.linspace(0, 1, 11)
TORQUE, ANGLE = np.sin(T), T**2
U, Y = {"motor.torque": "tau"}, {"wheel.angle": "phi"}


def write_npz(path, **columns):
    np.savez(path, **columns)


def write_parquet(path, **columns):
    pytest.importorskip("pyarrow")
    pd.DataFrame(columns).to_parquet(path)


def write_csv(path, **columns):
    pd.DataFrame(columns).to_csv(path, index=False)


@pytest.mark.parametrize(
    ("write", "read", "suffix"),
    [
        (write_npz, fb.Record.from_npz, "npz"),
        (write_parquet, fb.Record.from_parquet, "parquet"),
        (write_csv, fb.Record.from_csv, "csv"),
    ],
    ids=["npz", "parquet", "csv"],
)
def test_tables_become_records(tmp_path, write, read, suffix):
    path = tmp_path / f"bench.{suffix}"
    write(path, time=T, tau=TORQUE, phi=np.where(T > 0.5, np.nan, ANGLE), note=np.array(["a"] * 11))
    record = read(path, U, Y, units={"wheel.angle": "rad"})
    assert (record.name, record.unit("wheel.angle")) == ("bench", "rad")
    np.testing.assert_allclose(record["motor.torque"], TORQUE, rtol=1e-15)
    np.testing.assert_allclose(record["wheel.angle"], np.where(T > 0.5, np.nan, ANGLE), rtol=1e-15)
    with pytest.raises(FileFormatError, match="no column 'psi'"):
        read(path, y={"wheel.angle": "psi"})
    with pytest.raises(FileFormatError, match="'note' is not of numbers"):
        read(path, y={"wheel.angle": "note"})
    with pytest.raises(FileFormatError, match="no such file"):
        read(tmp_path / "nowhere", y=Y)
    damaged = tmp_path / "damaged"
    damaged.write_bytes(b"\x00\xff\x93")
    with pytest.raises(FileFormatError, match="damaged"):
        read(damaged, y=Y)


def test_signals_may_have_clocks_of_their_own(tmp_path):
    path = tmp_path / "bench.npz"
    slow = np.arange(0.5, 3.0, 0.5)
    np.savez(path, t1=np.arange(5) * 1.0, tau=np.arange(5.0), t2=slow + 0.25, phi=slow)
    record = fb.Record.from_npz(
        path, U, Y, time={"motor.torque": "t1", "wheel.angle": "t2"}, offsets={"wheel.angle": 0.25}
    )
    np.testing.assert_allclose(record.t, [0, 0.5, 1, 1.5, 2, 2.5, 3, 4])
    np.testing.assert_allclose(record["wheel.angle"], [np.nan, 0.5, 1, 1.5, 2, 2.5, np.nan, np.nan])
    assert np.array_equal(record["motor.torque"], [0, 0, 1, 1, 2, 2, 3, 4])  # holds from sample to sample
    with pytest.raises(ParameterError, match="names no column of times for wheel"):
        fb.Record.from_npz(path, U, Y, time={"motor.torque": "t1"})


def test_a_record_begins_where_all_inputs_are_known_and_ends_an_interval_after_the_last():
    record = fb.Record.from_signals(
        {"motor.torque": ([1.0, 1.5, 2.0], [3, 4, 5])}, {"wheel.angle": (np.arange(8) * 0.5, np.arange(8))}
    )
    np.testing.assert_array_equal(record.t, [1, 1.5, 2, 2.5])
    np.testing.assert_array_equal(record["motor.torque"], [3, 4, 5, 5])
    np.testing.assert_array_equal(record["wheel.angle"], [2, 3, 4, 5])


def test_times_that_are_one_but_for_rounding_are_merged():
    record = fb.Record.from_signals(
        {"motor.torque": (0.1 * np.arange(50), np.arange(50))},
        {"wheel.angle": (np.arange(50) / 10 + 0.3, np.arange(50))},
        offsets={"wheel.angle": 0.3},
    )
    assert len(record) == 50
    assert np.array_equal(record["wheel.angle"], np.arange(50))
    assert np.array_equal(record["motor.torque"], np.arange(50))


@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
def test_dates_become_seconds(tmp_path, zone):
    pytest.importorskip("pyarrow")
    dates = pd.to_datetime("2024-05-01 10:00:00") + pd.to_timedelta(T, unit="s")
    frame = pd.DataFrame({"phi": ANGLE}, index=pd.Index(dates.tz_localize(zone), name="time"))
    frame.to_parquet(tmp_path / "bench.parquet")
    record = fb.Record.from_parquet(tmp_path / "bench.parquet", y=Y)
    np.testing.assert_allclose(record.t, T, atol=1e-9)


def test_datasets_of_others_have_a_time_for_each_dimension(tmp_path):
    slow = np.array([0.0, 0.4, 0.8])
    series = {"tau": ("t", TORQUE, {"units": "N m"}), "phi": ("ts", slow**2, {"units": "rad"})}
    dataset = xr.Dataset({**series, "grid": (("t", "ts"), np.zeros((11, 3)))}, coords={"t": T, "ts": slow})
    dataset.to_netcdf(tmp_path / "bench.nc")
    for record in (fb.Record.from_xarray(dataset, U, Y), fb.Record.from_netcdf(tmp_path / "bench.nc", U, Y)):
        assert (record.unit("motor.torque"), record.unit("wheel.angle")) == ("N m", "rad")
        known = ~np.isnan(record["wheel.angle"])
        np.testing.assert_allclose(record.t[known], slow)
        np.testing.assert_allclose(record.t, T)
    assert record.name == "bench"
    with pytest.raises(FileFormatError, match="no variable 'psi'"):
        fb.Record.from_xarray(dataset, U, {"wheel.angle": "psi"})
    with pytest.raises(FileFormatError, match="'grid' has the dimensions t, ts; must have one"):
        fb.Record.from_xarray(dataset, y={"wheel.angle": "grid"})


def test_records_are_kept_in_netcdf_files(tmp_path):
    before = fb.Record(T, {"motor.torque": 0.5}, {"wheel.angle": ANGLE}, {"load.angle": 0.1}, name="run 3")
    before.to_xarray().to_netcdf(tmp_path / "run.nc")
    after = fb.Record.from_netcdf(tmp_path / "run.nc")
    assert (after.name, after.names, after.x0) == (before.name, before.names, before.x0)


@pytest.mark.parametrize("ros", [1, 2])
def test_bags_of_both_kinds_become_records(tmp_path, ros):
    pytest.importorskip("rosbags")
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS1_NOETIC if ros == 1 else Stores.ROS2_HUMBLE)
    types = store.types
    if ros == 1:
        from rosbags.rosbag1 import Writer

        path = tmp_path / "run.bag"
        writer, serialize = Writer(path), store.serialize_ros1
    else:
        from rosbags.rosbag2 import Writer

        path = tmp_path / "run"
        writer, serialize = Writer(path, version=8), store.serialize_cdr
    begin = 1_700_000_000_000_000_000  # [ns] since 1970
    with writer:
        states = writer.add_connection("/joint_states", "sensor_msgs/msg/JointState", typestore=store)
        commands = writer.add_connection("/command", "std_msgs/msg/Float64", typestore=store)
        for k in range(11):
            stamp = begin + k * 10_000_000
            time = types["builtin_interfaces/msg/Time"](stamp // 10**9, stamp % 10**9)
            number = {"seq": k} if ros == 1 else {}
            header = types["std_msgs/msg/Header"](stamp=time, frame_id="", **number)
            # The order of the names changes, as it may.
            names, position = ["wrist", "elbow"], np.array([0.1, 0.01 * k])
            if k % 2:
                names, position = names[::-1], position[::-1].copy()
            message = types["sensor_msgs/msg/JointState"](header, names, position, np.zeros(0), np.zeros(0))
            writer.write(states, stamp + 3_000_000, serialize(message, "sensor_msgs/msg/JointState"))
            command = types["std_msgs/msg/Float64"](0.5 * k)
            writer.write(commands, stamp, serialize(command, "std_msgs/msg/Float64"))
    u, y = {"motor.torque": "/command:data"}, {"wheel.angle": "/joint_states:position[elbow]"}
    record = fb.Record.from_rosbag(path, u, y)
    np.testing.assert_allclose(record.t, 0.01 * np.arange(11), atol=1e-12)
    np.testing.assert_allclose(record["wheel.angle"], 0.01 * np.arange(11))
    np.testing.assert_allclose(record["motor.torque"], 0.5 * np.arange(11))
    logged = fb.Record.from_rosbag(path, u, y, clock="log")
    assert np.isnan(logged["wheel.angle"][0])
    np.testing.assert_allclose(logged.t[1], 0.003)
    with pytest.raises(FileFormatError, match="no topic /joints"):
        fb.Record.from_rosbag(path, y={"wheel.angle": "/joints:position[elbow]"})
    with pytest.raises(ParameterError, match=r"no 'positions'\. Did you mean position"):
        fb.Record.from_rosbag(path, y={"wheel.angle": "/joint_states:positions[elbow]"})
    with pytest.raises(ParameterError, match="must be a number"):
        fb.Record.from_rosbag(path, y={"wheel.angle": "/joint_states:position"})
    with pytest.raises(ParameterError, match="must be a topic and a field"):
        fb.Record.from_rosbag(path, y={"wheel.angle": "/joint_states"})
    with pytest.raises(FileFormatError, match=r"0 messages have /joint_states:position\[7\]"):
        fb.Record.from_rosbag(path, y={"wheel.angle": "/joint_states:position[7]"})


def test_what_is_no_bag_is_refused(tmp_path):
    pytest.importorskip("rosbags")
    (tmp_path / "run.bag").write_text("no bag")
    with pytest.raises(FileFormatError, match="not a readable ROS bag"):
        fb.Record.from_rosbag(tmp_path / "run.bag", y={"wheel.angle": "/a:data"})
    with pytest.raises(FileFormatError, match="no such bag"):
        fb.Record.from_rosbag(tmp_path / "none.bag", y={"wheel.angle": "/a:data"})


def test_without_the_libraries_their_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "rosbags", None)
    monkeypatch.setitem(sys.modules, "rosbags.highlevel", None)
    with pytest.raises(MissingExtraError, match=r"needs rosbags.*flexblocks\[measured\]"):
        fb.Record.from_rosbag(tmp_path, y={"wheel.angle": "/a:data"})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"needs pyarrow.*flexblocks\[measured\]"):
        fb.Record.from_parquet(tmp_path / "a.parquet", y=Y)


def test_resampling_interpolates_and_keeps_long_gaps():
    t = np.array([0.0, 0.1, 0.2, 0.3, 0.8, 0.9, 1.0])
    record = fb.Record(t, {"motor.torque": np.arange(7.0)}, {"wheel.angle": 2 * t})
    even = record.resampled(0.05)
    assert len(even) == 21
    gap = (even.t > 0.3001) & (even.t < 0.7999)
    np.testing.assert_allclose(even["wheel.angle"], np.where(gap, np.nan, 2 * even.t), atol=1e-12)
    assert even["motor.torque"][10] == 3  # holds
    np.testing.assert_allclose(record.resampled(0.05, longest_gap=0.5)["wheel.angle"], 2 * even.t, atol=1e-12)
    with pytest.raises(ParameterError, match="sample_time"):
        record.resampled(2.0)


def test_filtering_takes_off_what_is_fast_without_delay():
    t = np.arange(0, 2, 1e-3)
    slow, fast = np.sin(2 * np.pi * 2 * t), np.sin(2 * np.pi * 100 * t)
    angle = slow + fast
    angle[800:900] = np.nan
    record = fb.Record(t, {"motor.torque": fast}, {"wheel.angle": angle})
    smooth = record.filtered(20.0)
    inner = np.r_[200:700, 1000:1800]
    assert np.max(np.abs(smooth["wheel.angle"] - slow)[inner]) < 5e-3
    assert np.max(np.abs(smooth["motor.torque"])[inner]) < 5e-3
    assert np.array_equal(np.isnan(smooth["wheel.angle"]), np.isnan(angle))
    assert np.array_equal(record.filtered(20.0, "wheel.angle")["motor.torque"], fast)
    # Half of an amplitude is left at the cut-off.
    np.testing.assert_allclose(np.ptp(record.filtered(100.0)["motor.torque"][inner]), np.ptp(fast) / 2, rtol=1e-3)
    with pytest.raises(ParameterError, match="half the rate"):
        record.filtered(600.0)
    with pytest.raises(NameUnknownError):
        record.filtered(10.0, "wheel.angel")
    with pytest.raises(ParameterError, match="must be even"):
        fb.Record(t**1.5, y={"wheel.angle": slow}).filtered(1.0)


def test_a_slice_keeps_the_start_only_from_the_first_sample():
    record = fb.Record(T, {"motor.torque": TORQUE}, {"wheel.angle": ANGLE}, {"load.angle": 0.1})
    part = record.between(0.2, 0.55)
    np.testing.assert_allclose(part.t, [0.2, 0.3, 0.4, 0.5])
    assert np.array_equal(part["wheel.angle"], ANGLE[2:6])
    assert part.x0 == {}
    assert record.between(0, 0.5).x0 == record.x0
    with pytest.raises(ParameterError, match="1 samples lie"):
        record.between(0.95, 2)


def test_a_record_is_drawn_beside_the_model():
    dae = two_masses()
    run = fb.simulate(dae, T, u={"motor.torque": 0.2})
    record = fb.Record.from_trajectory(run, ["wheel.angle", "load.angle", "der(load.angle)"])
    torque, angles, rate = record.plot(beside=run)
    assert len(torque.lines) == 2
    assert [line.get_label() for line in angles.lines[:2]] == ["wheel.angle", "load.angle"]
    assert len(angles.lines) == 4
    assert angles.get_ylabel() == "angle [rad]"
    assert rate.get_xlabel() == "time [s]"
    (alone,) = record.plot(["load.angle"])
    assert len(alone.lines) == 1
    with pytest.raises(ParameterError, match="have the units"):
        record.plot([["load.angle", "der(load.angle)"]])
    with pytest.raises(ParameterError, match="has none of"):
        fb.Record(T, y={"other": T}).plot(beside=run)
