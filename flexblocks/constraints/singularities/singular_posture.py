"""Postures in which the mass matrix loses rank: gimbal lock, aligned axes, a slide pushed all the way in.

There the arm has no equations of motion: a motion of its coordinates that moves no mass has no finite acceleration, and
a moment about an axis about which no coordinate turns is in no balance of forces, so that it is open whether it is
in equilibrium.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable

import numpy as np

from flexblocks.constraints.loop_equations import regular_mass
from flexblocks.constraints.posture import posture
from flexblocks.constraints.singularities.singular_mass import generic_inertia, is_large
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.at_posture.mass_matrix import (
    NAMED,
    condition,
    is_massless,
    smallest_eigenvalues,
    weakest_motion,
)
from flexblocks.errors import SingularMassError, listing

LOG = logging.getLogger("flexblocks.assemble")

# Inertia of the weakest motion, as a fraction of that in a generic posture, below which a posture is singular. It goes
# with the square of the angle to a lock: 1e-10 is about 1e-5 rad beside it, where six digits are left.
LOST = 1e-10
# Condition of a mass matrix scaled to unit diagonal from which on rounding is all of some acceleration.
ILL_CONDITIONED = 1e14
# Share of a joint's hinges in a motion that is theirs alone: but for rounding.
ALONE = 0.999
# Hinges of a `Universal` or `Gimbal`, which is the first group.
HINGE = re.compile(r"(.+)\.revolute\d+\.angle")


def refuse_singular_posture(dae: DAE, q: np.ndarray, M: np.ndarray, where: str = "") -> None:
    """Refuse coordinates (n,) at which the mass matrix M (n, n), with loops that of `regular_mass`, is singular.

    Raises
    ------
    SingularMassError
        It names the joint, or the coordinates that move no mass.
    """
    if is_singular_posture(dae, M):
        raise SingularMassError(where + " ".join(singular_posture(dae, q, M)))


def tell_of_singular_start(dae: DAE) -> None:
    """Log start values at which no digit of accelerations is left, as `forward_dynamics` may be nan there.

    They are no fault of the model: a wrist may be aligned, a thin rod stand upright, and other values be passed to what
    uses the arm. All that begins at them refuses them (`refuse_singular_posture`).
    """
    n = dae.tree.size
    if not n or is_large(dae):  # a dense M takes the square of memory, its eigenvectors the cube of time
        return
    M = regular_mass(dae, *posture(dae, dae.x.start, dae.p.start))
    if condition(M) > ILL_CONDITIONED:
        what, advice = singular_posture(dae, dae.x.start[:n], M)
        LOG.warning("at the start values of '%s' %s %s", dae.name, what, advice)


def refuse_singular_start(dae: DAE, where: str) -> None:
    """Refuse start values at which the mass matrix is singular, for what begins there in another tool.

    Raises
    ------
    SingularMassError
        As `refuse_singular_posture`.
    """
    if dae.tree.size and not is_large(dae):
        x, p = dae.x.start, dae.p.start
        refuse_singular_posture(dae, x[: dae.tree.size], regular_mass(dae, *posture(dae, x, p)), where)


def is_singular_posture(dae: DAE, M: np.ndarray, lost: float = LOST) -> bool:
    """Return whether the mass matrix (n, n) of a posture lacks the inertia of a motion, but for the fraction `lost`."""
    if not len(M):
        return False
    value = float(smallest_eigenvalues(M[None])[0])
    # A matrix of unit diagonal has no smallest eigenvalue above 1, so that most postures need not be compared.
    return is_massless(value, len(M)) or (value < lost and value < lost * generic_inertia(dae))


def singular_posture(dae: DAE, q: np.ndarray, M: np.ndarray) -> tuple[str, str]:
    """Return what is singular at coordinates (n,) with mass matrix M (n, n), and what to do, a sentence each."""
    _, share = weakest_motion(M)
    moving = np.flatnonzero(share > NAMED).tolist() or [int(np.argmax(share))]
    names = [dae.q_names[i] for i in moving]
    # Hinges of one joint ...
    hinges = [HINGE.fullmatch(name) for name in names]
    joints = {hinge and hinge[1] for hinge in hinges}
    alone = share[moving].sum() > ALONE
    if alone and len(names) > 1 and len(joints) == 1 and (joint := joints.pop()):
        at = _values(dae, q, [i for i, name in enumerate(dae.q_names) if name.startswith(f"{joint}.")])
        return (
            f"the mass matrix is singular: joint '{joint}' is in gimbal lock, two of its axes parallel at {at}.",
            f"Choose axes of '{joint}' (axes=) that are not parallel anywhere in the motion, a Spherical joint "
            "instead, which has no such posture, or a posture beside it.",
        )
    # ... or any coordinates, with those between them.
    at = _values(dae, q, range(moving[0], moving[-1] + 1))
    which = f"'{names[0]}' moves" if len(names) == 1 else f"{', '.join(map(repr, names))} together move"
    return (
        f"the mass matrix is singular: {which} no mass at {at}.",
        "Choose a posture beside it, or give what lies between these coordinates mass and inertia (a Rotor, LumpedMass "
        "or Payload).",
    )


def _values(dae: DAE, q: np.ndarray, indices: Iterable[int]) -> str:
    return listing((f"{dae.q_names[i]} = {q[i]:.6g} {dae.x.units[i]}" for i in indices), 6)
