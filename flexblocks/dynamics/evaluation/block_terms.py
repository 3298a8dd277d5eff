"""Dynamic terms of one block: inertia, loads, equations and kinematics, by automatic differentiation of its physics."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import casadi as ca
import numpy as np

from flexblocks.dynamics.evaluation.inertia_terms import InertiaTerms
from flexblocks.interfaces.block import Block
from flexblocks.interfaces.block_variables import Coordinate
from flexblocks.interfaces.frame import Frame


def call(function: ca.Function, *arguments: ca.SX) -> list[ca.SX]:
    """Evaluate an SX function inline on expressions, with zeros made structural again."""
    return [
        ca.sparsify(result)
        for result in function.call([a if isinstance(a, ca.SX) else ca.SX(a) for a in arguments], True, False)
    ]


class BlockTerms(InertiaTerms):
    """Dynamic terms of one block with n coordinates, as functions that are built on first use.

    To its inertia they add what acts on it, its first-order and algebraic equations, its outputs, and the motion of
    its outlets.
    """

    def velocity_forces(self, omega: ca.SX, q: ca.SX, s: ca.SX) -> list[ca.SX]:
        """Return the velocity forces on the inlet (6) and on the coordinates (n).

        Those that a block states save half of the operations in space. Where it turns about one axis alone, the
        derivatives of the energy may have more in common with the inertia: 181 instead of 191 in all for a hinged beam
        that bends in two planes.
        """
        axes = ca.sparsify(omega).sparsity().row()
        states = self.physics.velocity_forces is not None and not self.physics.bodies
        function = self.derived_bias if states and len(axes) == 1 and not self._pays_about(axes[0]) else self.bias
        return call(function, omega, q, s, self.p)

    def _pays_about(self, axis: int) -> bool:
        """Whether the stated velocity forces take no more operations, with the inertia, about one axis alone."""
        if axis not in self._pays:
            omega, q, s = ca.SX(3, 1), self.symbols.q, self.symbols.s
            omega[axis] = ca.SX.sym("omega")
            # The rows of the plane in which it turns.
            rows = [axis, *(3 + i for i in range(3) if i != axis)]
            inertia = call(self.inertia, q, self.p)[0][[*rows, *range(6, 6 + self.size)], :]
            counts = []
            for bias in (self.bias, self.derived_bias):
                on_inlet, on_coordinates = call(bias, omega, q, s, self.p)
                both = ca.cse([on_inlet[rows], on_coordinates, inertia[:, [*rows, *range(6, 6 + self.size)]]])
                counts.append(ca.Function("both", [omega[axis], q, s, self.p], both).n_instructions())
            self._pays[axis] = counts[0] <= counts[1]
        return self._pays[axis]

    @cached_property
    def _pays(self) -> dict[int, bool]:
        return {}

    @property
    def block(self) -> Block:
        """The block that was evaluated; others of its kind have the same terms."""
        return self.symbols.block

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """The coordinates, with their units, ranges and reference values."""
        return self.symbols.coordinates

    @property
    def outlets(self) -> Mapping[str, Frame]:
        """The frames of all outlets, as expressions of the symbols."""
        return self.physics.outlets

    def reference(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return q and p of the reference configuration, from the values of the arm's symbolic parameters."""
        q = np.array([coordinate.reference for coordinate in self.coordinates]) - self.symbols.offsets
        return q, np.concatenate([p, self.symbols.dependent.starts])

    @property
    def _state(self) -> list[ca.SX]:
        return [self.symbols.q, self.symbols.s, self.symbols.w, self.symbols.z, self.symbols.u, self.p]

    @cached_property
    def _loads(self) -> tuple[ca.SX, ca.SX]:
        """Generalised forces (n) of all loads, and their part that is left at w = z = u = 0."""
        loads = [load.effort * self.symbols.gradient(load.displacement) for load in self.physics.loads]
        force = sum(loads, ca.SX(self.size, 1))
        outer = ca.vertcat(self.symbols.w, self.symbols.z, self.symbols.u)
        return force, ca.substitute(force, outer, ca.SX.zeros(outer.shape)) if outer.numel() else force

    @cached_property
    def inner(self) -> ca.Function:
        """Function (q, s, p) -> gradients (n) of potential and dissipation, minus loads of q and s alone."""
        stored = self.symbols.gradient(self.physics.potential)
        damping = ca.gradient(ca.SX(self.physics.dissipation), self.symbols.s)
        return self._function("inner", [self.symbols.q, self.symbols.s, self.p], stored + damping - self._loads[1])

    @cached_property
    def applied(self) -> ca.Function:
        """Function (q, s, w, z, u, p) -> generalised forces (n) of power and loads that depend on w, z or u."""
        power = ca.gradient(ca.SX(self.physics.power), self.symbols.s)
        return self._function("applied", self._state, self._loads[0] - self._loads[1] + power)

    @cached_property
    def has_wrench(self) -> bool:
        """Whether external forces act on the inlet."""
        return ca.sparsify(ca.gradient(ca.SX(self.physics.power), self.inlet.twist)).nnz() > 0

    @cached_property
    def wrench(self) -> ca.Function:
        """Function (q, s, w, z, u, p) -> wrench (6) of external forces on the inlet, in its axes."""
        return self._function("wrench", self._state, ca.gradient(ca.SX(self.physics.power), self.inlet.twist))

    @cached_property
    def potential(self) -> ca.Function:
        """Function (q, p) -> stored energy [J]."""
        return self._function("potential", [self.symbols.q, self.p], self.physics.stored)

    @cached_property
    def stiffness(self) -> ca.Function:
        """Function (q, p) -> second derivatives (n, n) of the stored energy in the coordinates."""
        (potential,) = self.local.intermediates.expanded([self.physics.stored])
        hessian = ca.hessian(potential, self.symbols.q)[0]
        return self._function("stiffness", [self.symbols.q, self.p], hessian)

    @cached_property
    def rates(self) -> ca.Function:
        """Function (q, s, w, z, u, p) -> time derivatives of the states."""
        return self._function("rates", self._state, self._of_states(self.symbols.dependent.rates))

    @cached_property
    def rest(self) -> ca.Function:
        """Function (q, s, w, z, u, p) -> rest condition of each state: its time derivative, or its residual.

        The residual for a dependent state, whose rate is zero at rest even where its value is wrong.
        """
        return self._function("rest", self._state, self._of_states(self.symbols.dependent.residuals))

    def _of_states(self, dependent: ca.SX) -> ca.SX:
        """Return an entry for each state: its time derivative, or that of `dependent` (k) for a dependent one."""
        names = [variable.name for variable in self.block.states()]
        values = dict(self.physics.derivatives) | self.symbols.dependent.by_name(dependent, names)
        return ca.vertcat(*[values[name] for name in names])

    @cached_property
    def dependent_residuals(self) -> ca.Function:
        """Function (q, p) -> residuals of the dependent variables."""
        return self._function("dependent_residuals", [self.symbols.q, self.p], self.symbols.dependent.residuals)

    @cached_property
    def dependent_rates(self) -> ca.Function:
        """Function (q, s, p) -> time derivatives of the dependent variables."""
        return self._function("dependent_rates", [self.symbols.q, self.symbols.s, self.p], self.symbols.dependent.rates)

    @cached_property
    def residuals(self) -> ca.Function:
        """Function (q, s, w, z, u, p) -> residuals of the algebraic equations."""
        algebraics, dependent = [variable.name for variable in self.block.algebraics()], self.symbols.dependent
        determined = dependent.by_name(dependent.residuals, algebraics).values()
        return self._function("residuals", self._state, ca.vertcat(*determined, *self.physics.residuals))

    @property
    def _outputs(self) -> ca.SX:
        return ca.vertcat(*[ca.SX(output.value) for output in self.physics.outputs.values()])

    @cached_property
    def senses_acceleration(self) -> bool:
        """Whether an output depends on the acceleration of the inlet."""
        return ca.depends_on(self._outputs, self.local.acceleration)

    @cached_property
    def senses_totals(self) -> bool:
        """Whether an output depends on mass and momenta of the whole arm."""
        return ca.depends_on(self._outputs, self.local.totals.stacked)

    @cached_property
    def held(self) -> tuple[int, ...]:
        """Indices of the coordinates that are held at zero."""
        return tuple(i for i, c in enumerate(self.coordinates) if c.held)

    @property
    def _efforts(self) -> ca.SX:
        names = [self.coordinates[i].name for i in self.held]
        return ca.vertcat(*[self.local.effort(name) for name in names], ca.SX(0, 1))

    @cached_property
    def senses_effort(self) -> bool:
        """Whether an output depends on the effort that holds a coordinate."""
        return ca.depends_on(self._outputs, self._efforts)

    @cached_property
    def outputs(self) -> ca.Function:
        """Function (R, r, V, acceleration, gravity, efforts, totals, q, s, w, z, u, p) -> values of the outputs.

        The acceleration (3) of the inlet's origin relative to the world and that of gravity are in the inlet's axes;
        the efforts are those on the coordinates `held`, the totals those of `Totals`.
        """
        inlet, local = self.inlet, self.local
        sensed = [local.acceleration, local.gravity, self._efforts, local.totals.stacked]
        symbols = [inlet.R, inlet.r, inlet.twist, *sensed, *self._state]
        return self._function("outputs", symbols, self._outputs)

    @cached_property
    def motions(self) -> Mapping[str, ca.Function]:
        """For each outlet the function (R, r, V, q, s, p) -> R, r, V there."""
        symbols = [self.inlet.R, self.inlet.r, self.inlet.twist, self.symbols.q, self.symbols.s, self.p]
        frames = self.physics.outlets.items()
        return {name: self._function("motion", symbols, frame.R, frame.r, frame.twist) for name, frame in frames}
