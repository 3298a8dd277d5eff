"""Fast state: the measured deformation of the stiff blocks as a deviation from its reference, and its rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.control.design.linear_solve import solve
from flexblocks.control.measured import measured
from flexblocks.control.reference_inputs import References
from flexblocks.control.two_time_scales.slow_manifold import slow_manifold
from flexblocks.control.two_time_scales.subsystems import SingularPerturbation
from flexblocks.dae.dae import DAE
from flexblocks.errors import ParameterError
from flexblocks.interfaces.variables import Variables

ABOUT = ("rest", "manifold", "reference")


@dataclass(frozen=True, eq=False)
class FastState:
    """The fast state x_f = [xi, der(xi)] as deviations from its references, in the symbols of an arm.

    Attributes
    ----------
    xi, rate : SX (n_f,)
        Deviations of the deformation and its rate.
    references : Variables
        The references that they deviate from; none about rest.
    """

    xi: ca.SX
    rate: ca.SX
    references: Variables


def fast_state(split: SingularPerturbation, dae: DAE, about: str) -> FastState:
    """Return the deformation as deviation from rest, from the slow manifold, or from references of its own.

    Raises
    ------
    NameUnknownError
        The arm lacks a variable that is measured.
    ParameterError
        There is no slow manifold: there are not as many inputs as slow coordinates.
    """
    D = ca.sparsify(ca.DM(split.motion.deformation))
    xi, rate = (D @ _states(dae, split.dae.q_names, order) for order in (0, 1))
    references = References()
    if about == "manifold":
        xi_on_manifold, rate_on_manifold = _on_manifold(split, dae, references)
        xi, rate = xi - xi_on_manifold, rate - rate_on_manifold
    elif about == "reference":
        needed = np.flatnonzero(np.any(split.motion.deformation != 0, axis=0))
        for order in (0, 1):
            target = ca.SX(len(split.dae.q_names), 1)
            for i in needed:
                target[int(i)] = references.of(measured(dae, split.dae.q_names[i], "FastFeedback"), order)
            if order:
                rate -= D @ target
            else:
                xi -= D @ target
    return FastState(ca.densify(xi), ca.densify(rate), references.variables())


def corrected_slow_state(split: SingularPerturbation, dae: DAE, fast: FastState) -> ca.SX:
    """Return [theta, der(theta)] (2 n_s,) corrected for the deformation, to first order.

    theta + (N'M N)^-1 N'M P xi moves with the momentum of the rigid motion, which no force between the blocks
    changes: the fast motion is not in it.
    """
    n, N, P = split.dae.tree.size, split.motion.N, split.motion.P
    theta, rate = (_states(dae, split.slow.q_names, order) for order in (0, 1))
    M = split.dae.mass_matrix(ca.sparsify(ca.DM(N)) @ theta, parameters(split, dae))
    momentum = ca.sparsify(ca.DM(N.T) @ M)
    share = solve(momentum @ ca.DM(N), ca.densify(momentum @ ca.DM(P))) if n else ca.SX(0, 0)
    return ca.vertcat(theta + share @ fast.xi, rate + share @ fast.rate)


def parameters(split: SingularPerturbation, dae: DAE) -> ca.SX:
    """Return the parameters of the split arm: symbols if the law controls that arm itself, else their values."""
    return dae.p.symbol if dae.p.names == split.dae.p.names else ca.SX(ca.DM(split.dae.p.start))


def checked_about(about: str, where: str) -> str:
    """Return the kind of reference of the fast state, if there is such a one.

    Raises
    ------
    ParameterError
        It is not one of `ABOUT`.
    """
    if about not in ABOUT:
        raise ParameterError(f"{where}: about = {about!r}; must be one of {', '.join(map(repr, ABOUT))}.")
    return about


def _states(dae: DAE, names: tuple[str, ...], order: int) -> ca.SX:
    """Return measured coordinates, or with `order` 1 their rates."""
    return ca.vertcat(
        *[measured(dae, f"der({name})" if order else name, "FastFeedback").value for name in names], ca.SX(0, 1)
    )


def _on_manifold(split: SingularPerturbation, dae: DAE, references: References) -> tuple[ca.SX, ca.SX]:
    """Return xi and its rate on the slow manifold, with the slow coordinates on their references."""
    motion = [
        ca.vertcat(*[references.of(measured(dae, name, "FastFeedback"), order) for name in split.slow.q_names])
        for order in range(4)
    ]
    s, ds = ca.vertcat(*motion[:3]), ca.vertcat(*motion[1:])
    on_manifold = slow_manifold(split.dae, split.motion, split.slow)
    xi: Any = on_manifold(s, parameters(split, dae))[1]
    return xi, ca.jtimes(xi, s, ds)
