"""Bad files: models, problems, plans, motions and linear models, tampered with in every format."""

from __future__ import annotations

import json
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
import yaml

import flexblocks as fb
from benchmarks.fuzz.outcome import OK, Outcome
from benchmarks.fuzz.public_functions import calls
from benchmarks.fuzz.tampered import PLAIN, changed_bytes, changed_document
from flexblocks import export
from flexblocks.cli.planning.request import read_request
from flexblocks.cli.planning.template import TEMPLATE
from flexblocks.cli.signals import signals

PROBLEM = """\
model: arm.yaml
parameters: {payload.mass: 0.2}
problem:
  start: {joint1.angle: 0.1, joint2.angle: 0.2}
  goal: {joint1.angle: 0.3, joint2.angle: 0.1}
  duration: 1.0
  objective: [{type: Effort}, {type: Integral, expression: payload.x ** 2, weight: 0.1}]
  limits: {motor1.torque: 9.0, motor2.torque: [-3, 4]}
  via: [{type: Via, values: {joint1.angle: 0.2}, at: 0.5}]
  path: [{type: KeepOut, region: {type: Sphere, center: [9, 0, 0], radius: 1}, frames: [payload]}]
transcription: {intervals: 4, degree: 3}
refine: false
audit: {finer: {type: AssumedModes, n: 3}}
output: {plan: p.nc}
"""


@dataclass(frozen=True)
class File:
    """A good file, with the function that reads it."""

    path: Path
    read: Callable[[Path], Any]


def _checked(path: Path) -> None:
    fb.load(path).check()


@cache
def good_files() -> dict[str, File]:
    """Return a file of each format, made once in a process."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    made = calls()
    model, lin = made["assemble"].arguments["model"], made["reduce"].arguments["lin"]
    motion, planned = made["plot.snapshots"].arguments["traj"], made["plot.plan"].arguments["plan"]
    for suffix in ("yaml", "json"):
        model.save(folder / f"arm.{suffix}")
    for suffix in ("csv", "nc"):
        motion.save(folder / f"motion.{suffix}")
    for suffix in ("json", "mat", "npz"):
        export.save_linear(lin, folder / f"linear.{suffix}")
    export.save_grid(made["export.save_grid"].arguments["grid"], folder / "grid.nc")
    planned.save(folder / "plan.nc")
    (folder / "problem.yaml").write_text(PROBLEM)
    (folder / "template.yaml").write_text(TEMPLATE)
    (folder / "table.csv").write_text("time,torque\n0.0,1.0\n0.1,2.0\n0.2,0.5\n")
    readers: dict[str, Callable[[Path], Any]] = {
        "arm.yaml": _checked, "arm.json": _checked, "motion.csv": fb.load, "motion.nc": fb.load,
        "linear.json": fb.load, "linear.mat": fb.load, "linear.npz": fb.load,
        "grid.nc": fb.load, "plan.nc": fb.load, "problem.yaml": read_request,
        "template.yaml": read_request, "table.csv": lambda path: signals([f"motor1.torque={path}:torque"]),
    }  # fmt: skip
    return {name: File(folder / name, read) for name, read in readers.items()}


def case(seed: int) -> Outcome:
    """Tamper with a file, and read it."""
    rng = np.random.default_rng(seed)
    files = good_files()
    good = files[list(files)[seed % len(files)]]
    bad = good.path.with_name(f"bad-{seed}{good.path.suffix}")  # a new one: netCDF keeps locks on what it read badly
    suffix = good.path.suffix
    if rng.random() < 0.5 and suffix in (".yaml", ".json", ".nc"):
        _write_changed(rng, good.path, bad)
    else:
        bad.write_bytes(changed_bytes(rng, good.path.read_bytes()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            good.read(bad)
        finally:
            bad.unlink()
    return OK


def _write_changed(rng: np.random.Generator, good: Path, bad: Path) -> None:
    """Write a file that is right in its format, and wrong in what it says."""
    if good.suffix == ".nc":
        data = xr.load_dataset(good, decode_times=False)
        for variable in data.variables.values():
            variable.encoding.clear()  # chunks of the whole do not fit a part
        _changed_dataset(rng, data).to_netcdf(bad)
    elif good.suffix == ".json":
        bad.write_text(json.dumps(changed_document(rng, json.loads(good.read_text()))))
    else:
        document = changed_document(rng, yaml.safe_load(good.read_text()))
        bad.write_text(yaml.safe_dump(document, sort_keys=False, allow_unicode=True))


def _changed_dataset(rng: np.random.Generator, data: xr.Dataset) -> xr.Dataset:
    """Return a dataset with a variable or an attribute changed."""
    name = str(list(data.variables)[int(rng.integers(len(data.variables)))])
    deed = int(rng.integers(7))
    if deed == 0:
        return data.drop_vars(name)
    if deed == 1 and name in data.data_vars:
        data[name] = data[name].astype(str)
    elif deed == 2:
        dimension = str(list(data.sizes)[int(rng.integers(len(data.sizes)))])
        return data.isel({dimension: slice(0, int(rng.integers(0, data.sizes[dimension] + 1)))})
    elif deed == 3 and name in data.data_vars and data[name].dtype.kind == "f":
        data[name] = data[name] * float(rng.choice([np.nan, np.inf, 1e300]))
    elif deed == 4 and data[name].attrs:
        key = list(data[name].attrs)[int(rng.integers(len(data[name].attrs)))]
        data[name].attrs[key] = "other" if rng.random() < 0.5 else 3
    elif data.attrs:
        key = list(data.attrs)[int(rng.integers(len(data.attrs)))]
        data.attrs[key] = _changed_attribute(rng, data.attrs[key])
    return data


def _changed_attribute(rng: np.random.Generator, value: Any) -> Any:
    if isinstance(value, str) and value.startswith(("{", "[")) and rng.random() < 0.8:
        return json.dumps(changed_document(rng, json.loads(value)))
    other = PLAIN[int(rng.integers(len(PLAIN)))]
    return other if isinstance(other, (int, float, str)) and not isinstance(other, bool) and other != 10**30 else "x"
