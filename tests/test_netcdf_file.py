"""NetCDF files: damage is found by checksums, and a file that is whole again can be read."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import flexblocks as fb
from arms.library import subudhi_morris
from flexblocks.errors import FileFormatError
from flexblocks.netcdf_file import read_netcdf, write_netcdf


def damaged(content: bytes, number: float) -> bytes:
    """Return the content with one bit of a number changed, wherever it stands."""
    old = struct.pack("<d", number)
    assert old in content
    return content.replace(old, bytes([old[0] ^ 1]) + old[1:])


def test_a_changed_bit_of_a_motion_is_refused_and_a_file_that_is_whole_again_is_read(tmp_path: Path) -> None:
    run = fb.simulate(subudhi_morris(), np.linspace(0, 0.2, 21), u={"motor1.torque": 0.1})
    path = tmp_path / "run.nc"
    run.save(path)
    whole = path.read_bytes()
    for _ in range(3):
        path.write_bytes(damaged(whole, float(run["joint1.angle"][13])))
        with pytest.raises(FileFormatError, match=r"run\.nc: not a readable netCDF file"):
            fb.load(path)
        path.write_bytes(whole)
        np.testing.assert_array_equal(fb.load(path).x, run.x)


def test_all_kinds_of_variables_come_back(tmp_path: Path) -> None:
    dataset = xr.Dataset(
        {
            "numbers": ("n", np.array([1.5, np.nan, -np.inf])),
            "counts": ("n", np.array([1, 2, 3])),
            "states": ("n", np.array([1, 0, 2], dtype=np.uint8)),
            "flags": ("n", np.array([True, False, True])),
            "texts": ("n", np.array(["a", "", "ü"], dtype=object)),
            "none": ("m", np.zeros(0)),
            "one": ((), 3.25),
        },
        attrs={"title": "kinds"},
    )
    write_netcdf(tmp_path / "kinds.nc", dataset, "kinds")
    back = read_netcdf(tmp_path / "kinds.nc")
    xr.testing.assert_identical(back, dataset.assign_attrs(flexblocks="kinds"))
