"""The deformation of stiff blocks as a law meets it: measured, and what it is to be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.control.design.linear_solve import solve
from flexblocks.control.measured import measured
from flexblocks.control.reference_inputs import References
from flexblocks.control.two_time_scales.slow_manifold import manifold
from flexblocks.control.two_time_scales.subsystems import SingularPerturbation
from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError
from flexblocks.interfaces.variables import Variables

ABOUT = ("rest", "manifold", "reference")


@dataclass(frozen=True, eq=False)
class Deformation:
    """Deviations of xi and der(xi) from what they are to be, in the symbols of an arm.

    Attributes
    ----------
    xi, rate : SX (n_f,)
    references : Variables
        What tells what they are to be.
    """

    xi: ca.SX
    rate: ca.SX
    references: Variables


def deformation(split: SingularPerturbation, dae: DAE, about: str) -> Deformation:
    """Return the deviation of the deformation from rest, from the slow manifold, or from references.

    Raises
    ------
    NameUnknownError
        The arm does not have what is measured.
    ParameterError
        There is no manifold: the inputs are not as many as the slow coordinates.
    """
    D = ca.sparsify(ca.DM(split.motion.deformation))
    xi, rate = (D @ _states(dae, split.dae.q_names, order) for order in (0, 1))
    references = References()
    if about == "manifold":
        wanted_xi, wanted_rate = _on_manifold(split, dae, references)
        xi, rate = xi - wanted_xi, rate - wanted_rate
    elif about == "reference":
        needed = np.flatnonzero(np.any(split.motion.deformation != 0, axis=0))
        for order in (0, 1):
            wanted = ca.SX(len(split.dae.q_names), 1)
            for i in needed:
                wanted[int(i)] = references.of(measured(dae, split.dae.q_names[i], "FastFeedback"), order)
            if order:
                rate -= D @ wanted
            else:
                xi -= D @ wanted
    return Deformation(ca.densify(xi), ca.densify(rate), references.variables())


def mean_motion(split: SingularPerturbation, dae: DAE, found: Deformation) -> ca.SX:
    """Return [theta, der(theta)] (2 n_s,) with the share that deformation has in them taken out, to first order.

    theta + (N'M N)^-1 N'M P xi moves with the momentum of the rigid motion: no force between the blocks reaches it, so
    that the fast motion is not in it.
    """
    n, N, P = split.dae.tree.size, split.motion.N, split.motion.P
    theta, rate = (_states(dae, split.slow.q_names, order) for order in (0, 1))
    M = split.dae.mass_matrix(ca.sparsify(ca.DM(N)) @ theta, parameters(split, dae))
    momentum = ca.sparsify(ca.DM(N.T) @ M)
    share = solve(momentum @ ca.DM(N), ca.densify(momentum @ ca.DM(P))) if n else ca.SX(0, 0)
    return ca.vertcat(theta + share @ found.xi, rate + share @ found.rate)


def parameters(split: SingularPerturbation, dae: DAE) -> ca.SX:
    """Return the parameters of the split arm: symbols where it is the arm itself, else values."""
    return dae.p.symbol if dae.p.names == split.dae.p.names else ca.SX(ca.DM(split.dae.p.start))


def checked_about(about: str, where: str) -> str:
    """Return what deformation deviates from.

    Raises
    ------
    ParameterError
    """
    if about not in ABOUT:
        raise ParameterError(f"{where}: about = {about!r}; must be one of {', '.join(map(repr, ABOUT))}.")
    return about


def _states(dae: DAE, names: tuple[str, ...], order: int) -> ca.SX:
    return ca.vertcat(
        *[measured(dae, f"der({name})" if order else name, "FastFeedback").value for name in names], ca.SX(0, 1)
    )


def _on_manifold(split: SingularPerturbation, dae: DAE, references: References) -> tuple[ca.SX, ca.SX]:
    """Return xi and its rate on the slow manifold, where the slow coordinates follow their references."""
    wanted = [
        ca.vertcat(*[references.of(measured(dae, name, "FastFeedback"), order) for name in split.slow.q_names])
        for order in range(4)
    ]
    s, ds = ca.vertcat(*wanted[:3]), ca.vertcat(*wanted[1:])
    on = manifold(split.dae, split.motion, split.slow)
    xi: Any = on(s, parameters(split, dae))[1]
    return xi, ca.jtimes(xi, s, ds)
