"""Singular mass matrices: coordinates that move no mass, for which there are no equations of motion."""

from __future__ import annotations

import numpy as np

from flexblocks.constraints.coordinate_ranges import refuse_out_of_range
from flexblocks.constraints.dependent_variables import with_dependent_variables
from flexblocks.constraints.loop_equations import closure_equations
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.mass_at_posture import mass_at_posture
from flexblocks.errors import SingularMassError


def refuse_singular_mass(dae: DAE) -> None:
    """Refuse coordinates that move no mass, by the null space of M near the start.

    Not at the start itself: there a wrist may be aligned or a slide retracted, which is a posture and no fault. Motions
    that keep loops closed do not feel what closing them adds to M.

    Raises
    ------
    SingularMassError
        With the names of coordinates that move no mass.
    """
    if not dae.tree.size:
        return
    n, x = dae.tree.size, dae.x.start.copy()
    step = 0.1 * np.sin(1.0 + np.arange(n))
    # A beam that is out by a centimetre must not be pushed in by ten.
    is_out = np.array([unit == "m" and start > 0 for unit, start in zip(dae.x.units[:n], x[:n], strict=True)])
    x[:n] += step * np.where(is_out, x[:n], 1.0)
    refuse_out_of_range(dae, x[:n])
    x, z = with_dependent_variables(dae, x, dae.z.start, dae.p.start)
    M = mass_at_posture(dae.tree, x[:n], dae.p.start, *dae.dependent_values(x, z))
    if dae.tree.loops.closures:
        J = closure_equations(dae).closures(x[:n], dae.p.start)[1].full()
        M += dae.tree.loops.weight * (J.T @ J)
    diagonal = np.diag(M)
    scale = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    values, vectors = np.linalg.eigh(M / np.outer(scale, scale))
    if values[0] > 1e-13 * len(values):
        return
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
