"""Inertia of one block: its inertia matrix and velocity forces.

The kinetic energy is a quadratic form in the inlet twist V and the block's rates s; Hamel's equations for the
body-fixed components turn it into forces.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from flexblocks.dynamics.evaluation.block_symbols import BlockSymbols, WatchedLocal
from flexblocks.dynamics.evaluation.inertial_bodies import bodies_bias, bodies_inertia
from flexblocks.dynamics.evaluation.rigid_inertia import RigidInertia, is_rigid
from flexblocks.interfaces.frame import Frame, skew
from flexblocks.interfaces.physics import Physics

# Share of the greatest principal moment of inertia below which the least is that of a thin rod: rounding.
THIN = 1e-9


@dataclass(frozen=True, eq=False)
class InertiaTerms:
    """Inertia of one block with n coordinates, as functions that are built on first use.

    Attributes
    ----------
    symbols : BlockSymbols
        The block and its symbols q, s (rates), w, z, u.
    inlet : Frame
        The symbolic inlet: R, r and the twist V.
    local : WatchedLocal
        Argument of the block's `physics`.
    physics : Physics
        Its result.
    p : SX
        Last argument of all functions: the symbolic parameters of the arm, then the block's dependent variables.
    """

    symbols: BlockSymbols
    inlet: Frame
    local: WatchedLocal
    physics: Physics
    p: ca.SX

    @property
    def size(self) -> int:
        """Number n of coordinates."""
        return self.symbols.q.numel()

    @cached_property
    def has_inertia(self) -> bool:
        return ca.sparsify(ca.SX(self.physics.kinetic)).nnz() > 0

    @cached_property
    def resists_rotation(self) -> bool:
        """Whether this is a rigid body, known in numbers, with inertia about every axis: no mass point or thin rod."""
        if self.size or not self.has_inertia or not (inertia := ca.densify(self.inertia_expression)).is_constant():
            return False
        matrix = np.array(ca.DM(inertia))
        mass, moment = matrix[3, 3], np.array([-matrix[5, 1], matrix[5, 0], -matrix[4, 0]])
        center = moment / mass if mass else moment
        about_center = matrix[:3, :3] - mass * (center @ center * np.eye(3) - np.outer(center, center))
        least, *_, most = np.linalg.eigvalsh(about_center)
        return bool(least > THIN * most)

    @cached_property
    def inertia_expression(self) -> ca.SX:
        """Inertia matrix (6 + n, 6 + n) in the order (V, s), over the block's symbols."""
        if self.physics.bodies:
            return bodies_inertia(self.physics.bodies, self.inlet, self.symbols.s)
        return ca.sparsify(ca.hessian(ca.SX(self.physics.kinetic), ca.vertcat(self.inlet.twist, self.symbols.s))[0])

    @cached_property
    def inertia(self) -> ca.Function:
        """Function (q, p) -> inertia (6 + n, 6 + n) in the order (V, s)."""
        return self._function("inertia", [self.symbols.q, self.p], self.inertia_expression)

    @cached_property
    def rigid_inertia(self) -> ca.Function | None:
        """Function (q, p) -> mass, first moment and inertia tensor at the inlet, with all rates of the block zero.

        None if the inertia is not that of a rigid mass: the added mass of a fluid depends on the direction.
        """
        symbols = [self.symbols.q, self.p]
        matrix, read = self.inertia_expression[:6, :6], RigidInertia.read(self.inertia_expression[:6, :6])
        if not is_rigid(self._function("difference", symbols, read.matrix - matrix, read.matrix)):
            return None
        return self._function("rigid_inertia", symbols, read.mass, read.moment, read.inertia)

    @cached_property
    def bias(self) -> ca.Function:
        """Function (omega, q, s, p) -> velocity forces on the inlet (6) and on the coordinates (n).

        With the acceleration of the inlet's origin taken relative to the world (not as the rate of its components), its
        velocity drops out of the equations, by Galilean invariance.
        """
        omega, q, s = self.inlet.omega, self.symbols.q, self.symbols.s
        if self.physics.bodies:
            force = bodies_bias(self.physics.bodies, self.inlet, self.symbols)
            return self._function("bias", [omega, q, s, self.p], force[:6], force[6:])
        if self.physics.velocity_forces is not None:
            force = self.physics.velocity_forces
            return self._function("bias", [omega, q, s, self.p], force[:6], force[6:])
        return self.derived_bias

    @cached_property
    def derived_bias(self) -> ca.Function:
        """The same function, by the derivatives of the kinetic energy."""
        omega, q, s = self.inlet.omega, self.symbols.q, self.symbols.s
        rates = ca.vertcat(omega, ca.SX(3, 1), s)
        momentum = ca.sparsify(self.inertia_expression @ rates)
        flow = self.local.rate(momentum) if self.size else ca.SX(6, 1)
        gyroscopic = ca.vertcat(skew(omega) @ momentum[:3], skew(omega) @ momentum[3:6])
        on_coordinates = flow[6:] - self.symbols.gradient(ca.dot(rates, momentum) / 2)
        return self._function("bias", [omega, q, s, self.p], flow[:6] + gyroscopic, on_coordinates)

    @cached_property
    def kinetic(self) -> ca.Function:
        """Function (V, q, s, p) -> kinetic energy [J]."""
        symbols = [self.inlet.twist, self.symbols.q, self.symbols.s, self.p]
        return self._function("kinetic", symbols, ca.SX(self.physics.kinetic))

    def _function(self, name: str, inputs: list[ca.SX], *results: ca.SX) -> ca.Function:
        """Return a function of symbols, with the values of the intermediate variables in its results."""
        expressions = [ca.SX(result) for result in results]
        if self.local.intermediates.columns:
            expressions = self.local.intermediates.expanded(expressions)
        return ca.Function(name, inputs, [ca.sparsify(expression) for expression in expressions])
