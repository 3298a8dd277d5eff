"""Variables of an arm, and its differential-algebraic equations as CasADi expressions of them, built on first use."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeVar

import casadi as ca
import numpy as np

from flexblocks.dae.closed_start import ClosedStart
from flexblocks.dynamics import ldl
from flexblocks.dynamics.algorithms.articulated_bodies import forward_dynamics
from flexblocks.dynamics.algorithms.closure_rates import with_all_closures
from flexblocks.dynamics.algorithms.composite_bodies import mass_matrix
from flexblocks.dynamics.algorithms.constrained_accelerations import constrained_accelerations, stabilized
from flexblocks.dynamics.algorithms.energy import stored_energies, total, weight_energies
from flexblocks.dynamics.algorithms.generalized_forces import (
    applied_force,
    applied_power,
    applied_wrenches,
    residuals,
    state_rates,
)
from flexblocks.dynamics.algorithms.implicit_residual import ImplicitResidual, implicit_residual
from flexblocks.dynamics.algorithms.loop_closure import closure_residual, drift_of, total_jacobian
from flexblocks.dynamics.algorithms.newton_euler import inverse_dynamics
from flexblocks.dynamics.algorithms.outputs import outputs
from flexblocks.dynamics.algorithms.prescribed_motion import (
    driving_efforts,
    prescribed_accelerations,
    reduced_closures,
    reduced_force,
    reduced_inverse_dynamics,
    reduced_mass,
)
from flexblocks.dynamics.tree.clock import Clock
from flexblocks.dynamics.tree.tree import Tree
from flexblocks.interfaces.variables import Variables
from flexblocks.modeling.model import Model
from flexblocks.symbolic_pickle import HoldsSymbols


@dataclass(frozen=True, eq=False)
class Expressions:
    """The equations of a `flexblocks.dae.dae.DAE` as CasADi expressions of its symbols.

    Attributes
    ----------
    tree : Tree
    dynamics : str
        Algorithm of the accelerations: ``"recursive"`` or ``"closed-form"``.
    x, z, u : SX (nx, 1), (nz, 1), (nu, 1)
    outputs : tuple of str
        Names of the outputs.
    """

    tree: Tree
    dynamics: Literal["recursive", "closed-form"]
    x: ca.SX
    z: ca.SX
    u: ca.SX
    outputs: tuple[str, ...]

    def with_outputs(self, names: tuple[str, ...]) -> Expressions:
        """Return these expressions with other outputs; all else that has been built is shared."""
        other = copy.copy(self)
        vars(other).pop("output", None)
        vars(other)["outputs"] = names
        return other

    @property
    def q(self) -> ca.SX:
        """Symbols of the coordinates, SX (n, 1)."""
        return self.tree.split_state(self.x)[0]

    @property
    def v(self) -> ca.SX:
        """Symbols of the rates of the coordinates, SX (n, 1)."""
        return self.tree.split_state(self.x)[1]

    @cached_property
    def mass(self) -> ca.SX:
        """Mass matrix M(q), SX (n, n), with structural zeros; reduced, see `prescribed_motion`."""
        return reduced_mass(self.tree, self.whole_mass) if self.tree.prescribed else self.whole_mass

    @cached_property
    def whole_mass(self) -> ca.SX:
        """Mass matrix of the whole arm, SX (n, n), prescribed coordinates included."""
        return mass_matrix(self.tree, self.q)

    @cached_property
    def bias(self) -> ca.SX:
        """Bias forces h(q, v), SX (n, 1): velocity forces, weight, springs, damping."""
        return self.balance(ca.SX(self.tree.size, 1))

    def balance(self, a: ca.SX) -> ca.SX:
        """Return M a + h, SX (n, 1)."""
        algorithm = reduced_inverse_dynamics if self.tree.prescribed else inverse_dynamics
        return algorithm(self.tree, self.q, self.v, a)

    @cached_property
    def applied(self) -> ca.SX:
        """Applied forces Q(x, z, u), SX (n, 1): generalised forces of inputs, states and algebraic variables."""
        force = applied_force(self.tree, self.x, self.z, self.u)
        if not self.tree.prescribed:
            return force
        return reduced_force(self.tree, force, self.whole_mass, self._prescribed)

    @property
    def _prescribed(self) -> dict[int, ca.SX]:
        if not self.tree.prescribed:
            return {}
        return prescribed_accelerations(self.tree, self.x, self.z, self.u)

    @cached_property
    def applied_power(self) -> ca.SX:
        """Power of the applied forces, and of what drives prescribed coordinates [W], SX (1, 1)."""
        symbols = self.x, self.z, self.u
        power = applied_power(self.tree, *symbols)
        if self.tree.prescribed:
            efforts = driving_efforts(self.tree, *symbols, self.acceleration, self.multipliers)
            power += sum((self.v[column] * effort for column, effort in efforts.items()), ca.SX(1, 1))
        return power

    @cached_property
    def acceleration(self) -> ca.SX:
        """Accelerations of the coordinates, SX (n, 1)."""
        if self.tree.loops.closures:
            return self._constrained[0]
        if self.dynamics == "closed-form":
            return ldl.solve(self.mass, self.applied - self.bias)
        applied = applied_wrenches(self.tree, self.x, self.z, self.u)
        return forward_dynamics(self.tree, self.q, self.v, applied, self._prescribed)

    @cached_property
    def constraint(self) -> ca.SX:
        """Loop-closure constraints c(q), SX (m, 1)."""
        return closure_residual(self.tree, self.q) if self.tree.loops.closures else ca.SX(0, 1)

    @cached_property
    def constraint_jacobian(self) -> ca.SX:
        """Constraint Jacobian J(q), SX (m, n)."""
        if not self.tree.loops.closures:
            return ca.SX(0, self.tree.size)
        return total_jacobian(self.constraint, self.tree, self.q)

    @cached_property
    def constraint_rates(self) -> tuple[ca.SX, ca.SX]:
        """Constraint Jacobian J(q), SX (m, n), and dJ/dt v, SX (m, 1)."""
        J = self.constraint_jacobian
        return J, drift_of(J, self.tree, self.q, self.v) if self.tree.loops.closures else ca.SX(0, 1)

    @cached_property
    def constraint_acceleration(self) -> ca.SX:
        """Value of J a along every motion, SX (m, 1), with Baumgarte stabilisation of the closures."""
        if not self.tree.loops.closures:
            return ca.SX(0, 1)
        return stabilized(self.constraint, *self.constraint_rates, self.v)

    @property
    def multipliers(self) -> ca.SX:
        """Lagrange multipliers lambda of the closures, SX (m, 1): loop forces and torques."""
        return self._constrained[1] if self.tree.loops.closures else ca.SX(0, 1)

    @cached_property
    def _constrained(self) -> tuple[ca.SX, ca.SX]:
        """Accelerations and Lagrange multipliers of an arm with loops."""
        return self.constrained(self.constraint_acceleration)

    def constrained(self, demanded: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Return the accelerations (n) and Lagrange multipliers (m) with which J a is what is `demanded` (m)."""
        force = self.applied - self.bias
        J, demanded = reduced_closures(self.tree, self.constraint_jacobian, demanded, self._prescribed)
        return constrained_accelerations(self.mass, force, J, demanded, self.tree.loops.weights)

    @cached_property
    def rate(self) -> ca.SX:
        """State derivatives der(x), SX (nx, 1)."""
        rates = state_rates(self.tree, self.x, self.z, self.u)
        return ca.cse(ca.vertcat(self.v, self.acceleration, rates))

    @cached_property
    def closing_tree(self) -> Tree:
        """The tree with all closures of its loops, also those that follow from others."""
        return with_all_closures(self.tree, self.q, self.v) if self.tree.loops.closures else self.tree

    @cached_property
    def implicit_symbols(self) -> dict[str, ca.SX]:
        """The arguments of the implicit equations by name; see `DAE.residual`."""
        sizes = {
            "rates": self.x.shape[0] - self.tree.size,
            "multipliers": len(self.closing_tree.loops.multipliers),
            "motion": 2 * len(self.tree.prescribed),
            "feedback": 1,
        }
        own = {name: ca.SX.sym(name, size) for name, size in sizes.items()}
        return {"x": self.x, "rates": own["rates"], "multipliers": own["multipliers"], "z": self.z, "u": self.u,
                "motion": own["motion"], "p": self.tree.p, "feedback": own["feedback"]}  # fmt: skip

    @cached_property
    def implicit(self) -> ImplicitResidual:
        """Residual of the implicit equations, with all closures."""
        symbols = dict(self.implicit_symbols)
        del symbols["p"]
        return implicit_residual(self.closing_tree, *symbols.values())

    @cached_property
    def algebraic(self) -> ca.SX:
        """Algebraic residuals g(x, z, u), SX (nz, 1)."""
        return residuals(self.tree, self.x, self.z, self.u)

    @cached_property
    def output(self) -> ca.SX:
        """Outputs y(x, z, u), SX (ny, 1)."""
        symbols = self.x, self.z, self.u
        laws = (lambda: self.acceleration, lambda: self.multipliers)
        return ca.cse(outputs(self.tree, *symbols, self.outputs, *laws))

    def output_along(self, rates: ca.SX, multipliers: ca.SX) -> ca.SX:
        """Return the outputs, SX (ny, 1), for known rates (n + nw) and multipliers of the kept closures."""
        laws = (lambda: rates[: self.tree.size, :], lambda: multipliers)
        return ca.cse(outputs(self.tree, self.x, self.z, self.u, self.outputs, *laws))

    @cached_property
    def potential(self) -> ca.SX:
        """Potential energy [J]: springs, bent beams, weight."""
        return total(stored_energies(self.tree, self.q)) + total(weight_energies(self.tree, self.q))


@dataclass(frozen=True, eq=False)
class DAEData(HoldsSymbols):
    """Fields of a `flexblocks.dae.dae.DAE`, its symbols, and its equations as expressions of them."""

    name: str
    x: Variables
    z: Variables
    u: Variables
    p: Variables
    y: Variables
    tree: Tree
    dynamics: Literal["recursive", "closed-form"] = "recursive"
    model: Model | None = None
    clocks: tuple[Clock, ...] = ()
    locked: Mapping[str, float] = field(default_factory=dict)
    closed_start: ClosedStart | None = None

    @property
    def prescribed(self) -> tuple[str, ...]:
        """Names of the coordinates whose motion is prescribed; see `flexblocks.assemble`."""
        return tuple(prescription.name for prescription in self.tree.prescribed)

    @property
    def q_names(self) -> tuple[str, ...]:
        """Names of the generalised coordinates: the first part of x."""
        return self.x.names[: self.tree.size]

    @property
    def q(self) -> ca.SX:
        """Symbols of the coordinates, SX (n, 1)."""
        return self.tree.split_state(self.x.symbol)[0]

    @property
    def v(self) -> ca.SX:
        """Symbols of the rates of the coordinates, SX (n, 1)."""
        return self.tree.split_state(self.x.symbol)[1]

    @property
    def w(self) -> ca.SX:
        """Symbols of the first-order states, SX (nw, 1)."""
        return self.tree.split_state(self.x.symbol)[2]

    @property
    def posture_symbols(self) -> tuple[ca.SX, ...]:
        """Arguments of functions of the posture: coordinates, parameters and, if there are any, dependent variables."""
        return (self.q, self.p.symbol, *([self.tree.dependent] if self.tree.dependent_names else []))

    def posture(self, x: np.ndarray, z: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return the values of `posture_symbols` at states x (nx,), algebraic variables z (nz,) and parameters p (np,).

        Columns of several points, x (nx, k) and so on, give columns.
        """
        names = self.tree.dependent_names
        values = [x[self.x.index(name)] if name in self.x else z[self.z.index(name)] for name in names]
        return (x[: self.tree.size], p, *([np.stack(values)] if names else []))

    @cached_property
    def expressions(self) -> Expressions:
        """The equations as CasADi expressions, built on first use."""
        return Expressions(self.tree, self.dynamics, self.x.symbol, self.z.symbol, self.u.symbol, self.y.names)


DAEKind = TypeVar("DAEKind", bound=DAEData)


def of_same_mass(dae: DAEKind, **fields: Any) -> DAEKind:
    """Return an arm with other `fields`, none of which changes its mass matrix, as that is derived only once."""
    other, known = replace(dae, **fields), vars(dae.expressions)
    if "whole_mass" in known:
        vars(other.expressions)["whole_mass"] = known["whole_mass"]
    return other
