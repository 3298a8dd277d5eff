"""Singular perturbation of an arm: slow and fast subsystem, from the blocks that are stiff."""

from __future__ import annotations

from collections.abc import Sequence

from flexblocks.control.design.driven_inputs import driven_inputs
from flexblocks.control.two_time_scales.rigid_motion import rigid_motion
from flexblocks.control.two_time_scales.slow_subsystem import slow_subsystem
from flexblocks.control.two_time_scales.subsystems import SingularPerturbation
from flexblocks.control.two_time_scales.time_scales import time_scales
from flexblocks.dae.dae import DAE
from flexblocks.dae.with_inputs import with_inputs
from flexblocks.errors import ParameterError, listing


def singular_perturbation(
    dae: DAE, stiff: Sequence[str] | None = None, slow: Sequence[str] | None = None
) -> SingularPerturbation:
    """Split an arm into a slow and a fast subsystem.

    Parameters
    ----------
    dae : DAE
        An arm with blocks that store energy, without control. Of its inputs the actuators are those of the subsystems;
        disturbances are zero in them.
    stiff : sequence of str, optional
        The blocks whose deformation is fast; by default all that store energy: springs and flexible beams.
    slow : sequence of str, optional
        Coordinates that determine the rigid motion; by default those of joints. Where a rotor drives a joint through a
        spring, either will do.

    Returns
    -------
    SingularPerturbation

    Raises
    ------
    NameUnknownError
        A block of `stiff` stores no energy, or a coordinate of `slow` does not exist.
    ParameterError
        The arm is a closed loop or has variables that depend on its coordinates; nothing is stiff, or everything is;
        the coordinates of `slow` do not determine the rigid motion.

    Warns
    -----
    FlexblocksWarning
        At the start values the slow subsystem is not slower than the fast one even without control.

    Notes
    -----
    Subudhi & Morris, Robotics and Autonomous Systems 41 (2002) 257-270, section 4; Kokotovic, Khalil & O'Reilly,
    *Singular Perturbation Methods in Control*. `time_scales` measures their separation.
    """
    if dae.tree.feedback is not None:
        raise ParameterError(
            "singular_perturbation: this is a closed loop; must be the arm alone. Split the arm, then close its loop."
        )
    if dependent := dae.tree.dependent_names:
        raise ParameterError(
            f"singular_perturbation: {listing(dependent)} depend on the coordinates; must be none. Use fixed "
            "mode shapes."
        )
    motion = rigid_motion(dae, stiff, slow)
    driven = driven_inputs(dae, None)
    split = SingularPerturbation(with_inputs(dae, driven), motion, with_inputs(slow_subsystem(dae, motion), driven))
    time_scales(split, [{}])
    return split
