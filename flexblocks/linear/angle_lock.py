"""Lock of roll, pitch and yaw: at a pitch of +-90 degrees roll and yaw turn about one axis, and have no derivatives."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.frame_motions import ANGLES, frame_motion, split_name
from flexblocks.errors import ComputationError
from flexblocks.statics.operating_point import OperatingPoint

# Cosine of pitch below which the angles count as locked: a linear model holds for turns well below the distance to the
# lock, and one that holds for less than a milliradian is of no use.
LOCKED = 1e-3


def refuse_locked_angles(dae: DAE, names: Sequence[str], point: OperatingPoint, where: str) -> None:
    """Refuse to linearise roll, pitch or yaw where they lock.

    Raises
    ------
    ComputationError
        The message names the output, and others that have derivatives there.
    """
    n = dae.tree.size
    for name in names:
        split = split_name(name)
        if split is None or split[1] not in ANGLES or any(name in group for group in (dae.x, dae.z)):
            continue
        q, *others = dae.posture_symbols
        R = frame_motion(dae.tree, split[0], q, ca.SX(n, 1)).R
        level = ca.Function("level", [q, *others], [ca.densify(R[2, 1:])])
        cosine = float(np.linalg.norm(level(*dae.posture(point.x, point.z, point.p)).full()))
        if cosine < LOCKED:
            raise ComputationError(
                f"{where}: output '{name}': '{split[0]}' is within {cosine:.1g} rad of a pitch of 90 degrees, where "
                f"roll and yaw lock and have no derivatives. Take its rotation matrix, {split[0]}.rotation_xx, ... "
                f"rotation_zz, as outputs, or its angular velocity; or another point."
            )
