"""Singular mass matrices: coordinates that move no mass and so have no equation of motion."""

from __future__ import annotations

import numpy as np

from flexblocks.constraints.coordinate_ranges import refuse_out_of_range
from flexblocks.constraints.loop_equations import closure_equations
from flexblocks.constraints.posture import posture
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.mass_at_posture import mass_at_posture
from flexblocks.errors import SingularMassError


def refuse_singular_mass(dae: DAE) -> None:
    """Refuse coordinates that move no mass, by the null space of M near the start posture.

    Not at the start itself, where a wrist may be aligned or a slide retracted, which is a posture and not a fault.
    Closures of loops add w J'J, which does not affect motions that keep them closed.

    Raises
    ------
    SingularMassError
        With the names of coordinates that move no mass.
    """
    if not dae.tree.size:
        return
    n, x = dae.tree.size, dae.x.start.copy()
    # A generic step of a tenth of a radian or metre; slides that are extended move by a tenth of their extension, as
    # a beam that is out by a centimetre must not be pushed in by ten.
    step = 0.1 * np.sin(1.0 + np.arange(n))
    is_out = np.array([unit == "m" and start > 0 for unit, start in zip(dae.x.units[:n], x[:n], strict=True)])
    x[:n] += step * np.where(is_out, x[:n], 1.0)
    refuse_out_of_range(dae, x[:n])
    M = mass_at_posture(dae.tree, *posture(dae, x, dae.p.start))
    if dae.tree.loops.closures:
        J = closure_equations(dae).closures(x[:n], dae.p.start)[1].full()
        M += dae.tree.loops.weight * (J.T @ J)
    # Smallest eigenvalue of M, scaled to a unit diagonal.
    diagonal = np.diag(M)
    scale = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    values, vectors = np.linalg.eigh(M / np.outer(scale, scale))
    if values[0] > 1e-13 * len(values):
        return
    # Its eigenvector names the coordinates.
    share = vectors[:, 0] ** 2
    names = [dae.q_names[i] for i in np.argsort(-share) if share[i] > 0.1]
    which = (
        f"coordinate '{names[0]}' moves"
        if len(names) == 1
        else f"coordinates {', '.join(map(repr, names))} together move"
    )
    raise SingularMassError(
        f"Mass matrix singular: {which} no mass; add a Rotor, LumpedMass or link outboard, or a Payload with inertia "
        "about that axis."
    )
