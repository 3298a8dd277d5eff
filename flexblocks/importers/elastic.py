"""Elasticity of a robot's joint."""

from __future__ import annotations

from dataclasses import dataclass

from flexblocks.interfaces import NONZERO, NOT_NEGATIVE, POSITIVE, parameter
from flexblocks.interfaces.parameters import checked_fields


@dataclass(frozen=True, kw_only=True)
class Elastic:
    """Rotor, gear and spring behind a joint of a robot's file, which becomes a `FlexibleJoint`.

    Parameters
    ----------
    stiffness : float
        Of the spring between gear and link [N m/rad].
    damping : float
        Of the spring [N m s/rad].
    rotor : float
        Moment of inertia of the rotor about its axis, on the motor's side of the gear [kg m2].
    gear_ratio : float
        Turns of the rotor per turn of the joint.

    Raises
    ------
    ParameterError
        A value out of its range.

    Examples
    --------
    >>> import flexblocks as fb
    >>> fb.Elastic(stiffness=2e4, rotor=2e-4, gear_ratio=100.0).damping
    0.0
    """

    stiffness: float = parameter("N m/rad", POSITIVE)
    damping: float = parameter("N m s/rad", NOT_NEGATIVE, default=0.0)
    rotor: float = parameter("kg m2", POSITIVE)
    gear_ratio: float = parameter("1", NONZERO, default=1.0)

    def __post_init__(self) -> None:
        for name, value in checked_fields("Elastic", self).items():
            object.__setattr__(self, name, value)
