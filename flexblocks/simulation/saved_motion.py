"""The motion in a file, with its arm."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from flexblocks.errors import FileFormatError
from flexblocks.libraries import xr
from flexblocks.simulation.saved_arm import saved_arm
from flexblocks.simulation.trajectory import Trajectory


def saved_motion(dataset: xr.Dataset, path: str | Path, types: Iterable[type] = ()) -> Trajectory:
    """Return the motion in a file that holds `dataset`, with its arm if the file has that.

    Parameters
    ----------
    dataset : Dataset
    path : str or Path
        Where it is, for messages.
    types : iterable of type
        Blocks of a user's own that its arm names.

    Raises
    ------
    FileFormatError
        The file is damaged.
    """
    try:
        motion = Trajectory.from_xarray(dataset)
    except FileFormatError as error:
        raise FileFormatError(f"{path}: {error}") from None
    arm = saved_arm(dataset.attrs, path, tuple(types))
    return motion if arm is None else motion.of(arm.with_outputs(motion.names["y"]))
