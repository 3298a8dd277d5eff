"""Numbers in the arrays of MuJoCo's compiled model."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexblocks.importers.description import Pose
from flexblocks.libraries import scipy


def is_one_of(value: Any, *kinds: Any) -> bool:
    """Whether a number in MuJoCo's arrays is one of some constants."""
    return int(value) in {int(kind) for kind in kinds}


def pose_of(position: np.ndarray, quaternion: np.ndarray) -> Pose:
    """Return a pose of MuJoCo, whose quaternions begin with their real part."""
    turn = scipy.spatial.transform.Rotation.from_quat(np.roll(np.array(quaternion, dtype=float), -1))
    return Pose(np.array(position, dtype=float), turn.as_matrix())
