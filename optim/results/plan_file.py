"""Plan files: netCDF files of the trajectory with everything needed to rebuild the plan."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyomo.environ as pyo
from pyomo.contrib.pynumero.interfaces.external_grey_box import ExternalGreyBoxBlock

from flexblocks.assemble import assemble
from flexblocks.errors import FileFormatError
from flexblocks.libraries import xr
from flexblocks.modeling.model_data import to_data as model_to_data
from flexblocks.modeling.model_file import from_data as model_from_data
from flexblocks.netcdf_file import write_netcdf
from flexblocks.simulation.trajectory import Trajectory

from ..errors import ProblemError
from ..model.build import pyomo_model
from ..model.trajectories import transcribed_problem
from ..problem.serialization import from_data, to_data

FORMAT = 1
SUFFIX = ".nc"
PREFIX = "plan."
MULTIPLIERS = ("multipliers.bounds", "multipliers.constraints")


def write_plan(
    path: str | Path,
    model: Any,
    motion: Trajectory,
    figures: Mapping[str, Any],
    multipliers: tuple[np.ndarray, np.ndarray] | None = None,
) -> None:
    """Write a plan to a file; see `Plan.save`.

    Parameters
    ----------
    path : str or Path
    model : ConcreteModel
        The solved model; the values of all its Vars are written.
    motion : Trajectory
    figures : dict
        Further plain data.
    multipliers : tuple of ndarray, optional
        Of the solver's bounds (n,) and constraints (m,).
    """
    path, transcribed = _checked(path), transcribed_problem(model)
    dae = transcribed.arm
    if dae.model is None:
        raise ProblemError(f"{path}: '{dae.name}' has changed coordinates, which cannot be serialised.")
    document = {
        "model": model_to_data(dae.model, f"{path}: model"),
        "assembly": {
            "symbolic": list(dae.p.names),
            "dynamics": dae.dynamics,
            "locked": dict(dae.locked),
            "prescribed": list(dae.prescribed),
            "outputs": list(dae.y.names),
        },
        "problem": to_data(transcribed.problem, f"{path}: problem"),
        "options": {**asdict(transcribed.options), "p": transcribed.parameters},
        **figures,
    }
    data = motion.to_xarray().assign_attrs(plan=json.dumps(document), plan_format=FORMAT)
    for name, values in _values(model).items():
        data[f"{PREFIX}{name}"] = (f"{PREFIX}{name}_index", values, {"group": "plan"})
    for name, values in zip(MULTIPLIERS, multipliers or (), strict=bool(multipliers)):
        data[name] = (f"{name}_index", values, {"group": "plan"})
    write_netcdf(path, data, "plan")


def read_multipliers(data: xr.Dataset) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the multipliers in a plan's file, of bounds (n,) and constraints (m,); None if there are none."""
    if not all(name in data and data[name].dtype.kind == "f" for name in MULTIPLIERS):
        return None
    bounds, constraints = (np.array(data[name].values, dtype=float).ravel() for name in MULTIPLIERS)
    return bounds, constraints


def read_plan(data: xr.Dataset, path: str | Path, types: Iterable[type] = ()) -> tuple[Any, dict[str, Any]]:
    """Return the model of a plan in a file of `write_plan`, with the values of its Vars, and the further data.

    Raises
    ------
    FileFormatError
        The file is damaged, or has another format version.
    """
    path = Path(path)
    if data.attrs.get("plan_format") != FORMAT:
        raise FileFormatError(
            f"{path}: a plan of format {data.attrs.get('plan_format')}; this version reads format {FORMAT}. Plan "
            "again, or read it with the version that wrote it."
        )
    try:
        document = json.loads(data.attrs["plan"])
        model, assembly, problem, options = (document.pop(key) for key in ("model", "assembly", "problem", "options"))
        how = [assembly[key] for key in ("symbolic", "dynamics", "locked", "prescribed")]
        outputs = assembly["outputs"]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FileFormatError(f"{path}: the plan in it is damaged ({error!r}); save it again.") from None
    dae = assemble(model_from_data(model, f"{path}: model", types), *how).with_outputs(outputs)
    m = pyomo_model(dae, from_data(problem, f"{path}: problem"), **options)
    _load_values(m, data, path)
    return m, document


def _values(model: Any) -> dict[str, np.ndarray]:
    """Return the values of all Vars by the name of their component; NaN if unset."""
    boxes = model.component_objects(ExternalGreyBoxBlock, descend_into=True)
    by_name = {}
    for variables in [*model.component_objects(pyo.Var, descend_into=True), *(box.outputs for box in boxes)]:
        values = [variable.value for variable in variables.values()]
        if values:
            by_name[variables.name] = np.array(values, dtype=float)
    return by_name


def _load_values(model: Any, data: xr.Dataset, path: Path) -> None:
    for name, present in _values(model).items():
        key = f"{PREFIX}{name}"
        if key not in data or data[key].shape != present.shape or data[key].dtype.kind not in "iuf":
            raise FileFormatError(
                f"{path}: does not contain the {len(present)} values of '{name}'; it was written from another model. "
                "Plan again."
            )
        for variable, value in zip(model.find_component(name).values(), data[key].values.tolist(), strict=True):
            if variable.fixed and not np.isfinite(value):
                raise FileFormatError(f"{path}: '{variable.name}' is {value}; must be a finite number. Plan again.")
            variable.set_value(None if np.isnan(value) else value, skip_validation=True)


def _checked(path: str | Path) -> Path:
    path = Path(path)
    if path.suffix.lower() != SUFFIX:
        raise FileFormatError(f"{path}: plan files are netCDF; use the suffix {SUFFIX}.")
    return path
