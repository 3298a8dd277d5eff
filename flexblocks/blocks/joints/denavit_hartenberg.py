"""Denavit-Hartenberg parameters, as joints and fixed transforms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from flexblocks.blocks.joints.fixed_transform import FixedTransform
from flexblocks.blocks.joints.joint import Joint
from flexblocks.blocks.joints.orientation import rotation_matrix
from flexblocks.blocks.joints.prismatic import Prismatic
from flexblocks.blocks.joints.revolute import Revolute
from flexblocks.errors import ParameterError
from flexblocks.interfaces import NOT_NEGATIVE, POSITIVE, Block, checked_fields, choice, parameter
from flexblocks.libraries import scipy


@dataclass(frozen=True, kw_only=True)
class DHRow:
    """One row of a Denavit-Hartenberg table.

    Parameters
    ----------
    a : float
        Length of the link, along x [m].
    alpha : float
        Twist of the link, about x [rad].
    d : float
        Offset along z [m]; for a prismatic joint added to its displacement.
    theta : float
        Rotation about z [rad]; for a revolute joint added to its angle.
    joint : "revolute" or "prismatic"
    damping : float
        Of the joint [N m s/rad or N s/m].
    start : float
        Start value of the joint's coordinate [rad or m].
    low, high, max_speed : float, optional
        Limits of the joint's coordinate and speed, as of `Revolute` and `Prismatic`.
    """

    a: float = parameter("m", default=0.0)
    alpha: float = parameter("rad", default=0.0)
    d: float = parameter("m", default=0.0)
    theta: float = parameter("rad", default=0.0)
    joint: Literal["revolute", "prismatic"] = choice(("revolute", "prismatic"), default="revolute")
    damping: float = parameter("1", NOT_NEGATIVE, default=0.0)
    start: float = parameter("1", default=0.0)
    low: float | None = parameter("1", default=None)
    high: float | None = parameter("1", default=None)
    max_speed: float | None = parameter("1", POSITIVE, default=None)

    def __post_init__(self) -> None:
        for name, value in checked_fields("DHRow", self).items():
            object.__setattr__(self, name, value)


def denavit_hartenberg(
    rows: Iterable[DHRow], convention: Literal["standard", "modified"] = "standard", number_from: int = 1
) -> tuple[tuple[Block, Block], ...]:
    """Return the joints of a Denavit-Hartenberg table, with the fixed transforms between them.

    Parameters
    ----------
    rows : iterable of DHRow
    convention : "standard" or "modified"
        Standard (distal; Spong): frame i is at the far end of link i, T = Rz(theta) Tz(d) Tx(a) Rx(alpha).
        Modified (proximal; Craig): frame i is on joint i, T = Rx(alpha) Tx(a) Rz(theta) Tz(d), with a and alpha of the
        link before.
    number_from : int
        Number of the first joint, for arms of several tables.

    Returns
    -------
    tuple of pairs of Block
        For each row its two blocks in the order in which they are mounted, named ``joint1`` and ``offset1``, ...: joint
        and transform by the standard, transform and joint by the modified convention. The DH frame of the row is
        ``frame_b`` of the pair's second block: mount the bodies of the row, and the next row, there.

    Raises
    ------
    ParameterError
        A row that is not a DHRow, or an unknown convention.

    Examples
    --------
    >>> import flexblocks as fb
    >>> model = fb.Model("planar arm")
    >>> place = model.add(fb.Ground("ground")).frame_b
    >>> for number, pair in enumerate(fb.denavit_hartenberg([fb.DHRow(a=0.5), fb.DHRow(a=0.4)]), 1):
    ...     for block in map(model.add, pair):
    ...         model.connect(place, block.frame_a)
    ...         place = block.frame_b
    ...     body = model.add(fb.RigidBody(f"body{number}", mass=1.0, inertia=0.02, center=(-0.2, 0, 0)))
    ...     model.connect(place, body.frame_a)
    """
    if convention not in ("standard", "modified"):
        raise ParameterError(f"denavit_hartenberg: convention = {convention!r}; must be 'standard' or 'modified'.")
    pairs: list[tuple[Block, Block]] = []
    for number, row in enumerate(rows, number_from):
        if not isinstance(row, DHRow):
            raise ParameterError(
                f"denavit_hartenberg: row {number} is {row!r}; must be a fb.DHRow, such as fb.DHRow(a=0.4, alpha=1.57)."
            )
        joint = _joint(row, f"joint{number}")
        turn, twist = (
            scipy.spatial.transform.Rotation.from_rotvec([0, 0, row.theta]),
            scipy.spatial.transform.Rotation.from_rotvec([row.alpha, 0, 0]),
        )
        # The constant turn and offset about and along z commute with the joint, which moves about or along z too.
        if convention == "standard":
            pairs.append((joint, _transform(f"offset{number}", turn.apply([row.a, 0, row.d]), turn * twist)))
        else:
            pairs.append((_transform(f"offset{number}", twist.apply([row.a, 0, row.d]), twist * turn), joint))
    return tuple(pairs)


def _joint(row: DHRow, name: str) -> Joint:
    kind = Revolute if row.joint == "revolute" else Prismatic
    return kind(name, (0.0, 0.0, 1.0), row.damping, row.start, low=row.low, high=row.high, max_speed=row.max_speed)


def _transform(name: str, translation: np.ndarray, turn: scipy.spatial.transform.Rotation) -> FixedTransform:
    return FixedTransform(name, tuple(translation), rotation_matrix(turn.as_matrix()))
