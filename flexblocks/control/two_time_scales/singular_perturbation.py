"""Singular perturbation: an arm as a slow and a fast subsystem, from which of its blocks are stiff."""

from __future__ import annotations

from collections.abc import Sequence

from flexblocks.control.two_time_scales.rigid_motion import rigid_motion
from flexblocks.control.two_time_scales.slow_subsystem import slow_subsystem
from flexblocks.control.two_time_scales.subsystems import SingularPerturbation
from flexblocks.control.two_time_scales.time_scales import time_scales
from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError, listing


def singular_perturbation(
    dae: DAE, stiff: Sequence[str] | None = None, slow: Sequence[str] | None = None
) -> SingularPerturbation:
    """Split an arm into a slow and a fast subsystem.

    Parameters
    ----------
    dae : DAE
        Any arm with blocks that store energy; no closed loop.
    stiff : sequence of str, optional
        The blocks whose deformation is fast; by default all that store energy: springs and flexible beams.
    slow : sequence of str, optional
        Coordinates that tell the rigid motion; by default those of joints. Where a rotor drives a joint through a
        spring, either may.

    Returns
    -------
    SingularPerturbation

    Raises
    ------
    NameUnknownError
        A block of `stiff` stores no energy, a coordinate of `slow` is not there.
    ParameterError
        The arm is a closed loop or has variables that follow from its coordinates; nothing is stiff, or all is; the
        coordinates of `slow` do not tell the rigid motion.

    Warns
    -----
    FlexblocksWarning
        Without control already, the slow subsystem is not slower than the fast one at the start values.

    Notes
    -----
    Subudhi & Morris, Robotics and Autonomous Systems 41 (2002) 257-270, section 4; Kokotovic, Khalil & O'Reilly,
    *Singular Perturbation Methods in Control*. `time_scales` tells how far apart the two are.
    """
    if dae.tree.feedback is not None:
        raise ParameterError("singular_perturbation: this is a closed loop; split the arm, then close its loops.")
    if dae.dependent_names:
        raise ParameterError(
            f"singular_perturbation: {listing(dae.dependent_names)} follow from the coordinates; use fixed mode shapes."
        )
    motion = rigid_motion(dae, stiff, slow)
    split = SingularPerturbation(dae, motion, slow_subsystem(dae, motion))
    time_scales(split, [{}])
    return split
