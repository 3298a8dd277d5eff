"""The arm of a result in its netCDF file, so that the result can be drawn without the program that made it."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from typing import Any

from flexblocks.assemble import assemble
from flexblocks.dae.dae import DAE
from flexblocks.errors import FileFormatError
from flexblocks.modeling.model_data import to_data
from flexblocks.modeling.model_file import from_data

ATTRIBUTE = "arm"


def arm_attribute(dae: DAE | None) -> dict[str, str]:
    """Return the attribute of a file that holds the arm; none of one that no file can hold.

    Closed loops of control and arms with functions among their parameters are such.
    """
    if dae is None or dae.model is None:
        return {}
    try:
        model = to_data(dae.model, "arm")
    except FileFormatError:
        return {}
    data = {
        "model": model,
        "symbolic": list(dae.p.names),
        "dynamics": dae.dynamics,
        "locked": dict(dae.locked),
        "prescribed": [prescription.name for prescription in dae.tree.prescribed],
    }
    return {ATTRIBUTE: json.dumps(data)}


def saved_arm(attributes: Mapping[Hashable, Any], path: str | Path, types: Iterable[type] = ()) -> DAE | None:
    """Return the arm in the file of a motion; None if there is none in it.

    Parameters
    ----------
    attributes : dict
        Of the file.
    path : str or Path
        Where it is, for messages.
    types : iterable of type
        User-defined blocks (and discretisations) in its model.

    Raises
    ------
    FileFormatError
        The arm is damaged, or needs types that are not there.
    """
    text = attributes.get(ATTRIBUTE)
    if text is None:
        return None
    try:
        data = json.loads(text)
        model = from_data(data["model"], f"{path}: arm", types)
        return assemble(model, data["symbolic"], data["dynamics"], data["locked"], data["prescribed"])
    except (ValueError, KeyError, TypeError) as error:
        raise FileFormatError(f"{path}: the arm in it is damaged ({error!r}); save it again.") from None
