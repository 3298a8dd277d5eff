"""The plan in a file that `Plan.save` wrote, and its pickles."""

from __future__ import annotations

import copyreg
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from flexblocks.errors import FileFormatError
from flexblocks.libraries import xr
from flexblocks.netcdf_file import read_netcdf

from ..solver_statistics import Statistics
from .attempt import Attempt
from .plan import Plan
from .plan_file import read_multipliers, read_plan


def saved_plan(data: xr.Dataset, path: str | Path, types: Iterable[type] = ()) -> Plan:
    """Return the plan in a file, to be replayed, audited or solved again.

    Parameters
    ----------
    data : Dataset
        What the file holds.
    path : str or Path
        Where it is, for messages.
    types : iterable of type
        User-defined blocks (and discretisations) in its model.

    Raises
    ------
    FileFormatError
        The file is damaged, or has another format version.
    """
    model, figures = read_plan(data, path, types)
    try:
        statistics = Statistics(**figures["statistics"])
        attempts = tuple(Attempt(**attempt) for attempt in figures["attempts"])
    except (KeyError, TypeError) as error:
        raise FileFormatError(
            f"{path}: statistics or attempts are not those that a plan has ({error}); the file was changed. "
            "Save the plan again."
        ) from None
    return replace(
        Plan.from_model(model),
        objective=figures["objective"],
        status=figures["status"],
        statistics=statistics,
        attempts=attempts,
        multipliers=read_multipliers(data),
    )


def _pickled(plan: Plan) -> tuple[Any, ...]:
    # Pyomo's components hold functions that do not travel; the file has all that the plan is made of.
    with TemporaryDirectory() as folder:
        path = Path(folder, "plan.nc")
        plan.save(path)
        return _unpickled, (path.read_bytes(),)


def _unpickled(content: bytes) -> Plan:
    with TemporaryDirectory() as folder:
        path = Path(folder, "plan.nc")
        path.write_bytes(content)
        return saved_plan(read_netcdf(path), path)


copyreg.pickle(Plan, _pickled)
