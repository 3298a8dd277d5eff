"""Inertia and velocity forces of a block from the bodies that it states: each moved from its frame to the inlet."""

from __future__ import annotations

from collections.abc import Iterable

import casadi as ca

from flexblocks.dynamics.evaluation.block_symbols import BlockSymbols
from flexblocks.interfaces.frame import Frame, skew
from flexblocks.interfaces.physics import InertialBody


def bodies_inertia(bodies: Iterable[InertialBody], inlet: Frame, s: ca.SX) -> ca.SX:
    """Return the inertia matrix (6 + n, 6 + n) of bodies in the order (twist of the inlet, rates s)."""
    size = 6 + s.numel()
    total = ca.SX(size, size)
    for body in bodies:
        if body.frame is inlet:
            total += body.inertia
        else:
            J = _jacobian(body, inlet, s)
            total += J.T @ ca.sparsify(body.inertia @ J)
    return ca.triu2symm(ca.triu(ca.sparsify(total)))


def bodies_bias(bodies: Iterable[InertialBody], inlet: Frame, symbols: BlockSymbols) -> ca.SX:
    """Return the velocity forces (6 + n) of bodies on the inlet and on the coordinates."""
    total = ca.SX(6 + symbols.s.numel(), 1)
    for body in bodies:
        if body.frame is inlet:
            total += body.bias
            continue
        # By Galilean invariance the velocity of the inlet does not matter: it is taken as zero.
        still = ca.substitute(body.frame.twist, inlet.v, ca.SX.zeros(3))
        drift = ca.jtimes(still, symbols.configuration, symbols.configuration_rates)
        drift += ca.vertcat(ca.SX(3, 1), skew(still[:3]) @ still[3:])
        force = ca.sparsify(body.inertia[:, :6] @ ca.sparsify(drift)) + body.bias
        total += _jacobian(body, inlet, symbols.s).T @ force
    return ca.sparsify(total)


def _jacobian(body: InertialBody, inlet: Frame, s: ca.SX) -> ca.SX:
    """Return the motion transform (6 + n, 6 + n) from the inlet to the frame of a body, with the rates as they are."""
    return ca.sparsify(ca.jacobian(ca.vertcat(body.frame.twist, s), ca.vertcat(inlet.twist, s)))
