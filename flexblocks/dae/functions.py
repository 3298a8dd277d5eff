"""CasADi functions of an arm's equations, of its states, inputs and parameters, built on first use."""

from __future__ import annotations

import logging
from functools import cached_property
from typing import Any

import casadi as ca

from flexblocks.dae.compiler import CompilerError, load
from flexblocks.dae.expressions import DAEData
from flexblocks.dynamics.algorithms.energy import kinetic_energies, total

LOG = logging.getLogger("flexblocks.dae")


class DAEFunction(cached_property):
    """A function of the equations, made when it is first needed, and of a compiled DAE compiled then."""

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None or instance.library is None:
            return super().__get__(instance, owner)
        function = getattr(instance.interpreted, self.attrname or "")
        # Entries of an instance's __dict__ take precedence over its cached properties.
        return vars(instance).setdefault(self.attrname, compiled([function], instance)[function.name()])


def compiled(functions: list[ca.Function], dae: DAEFunctions) -> dict[str, ca.Function]:
    """Return functions, compiled as the DAE is, by name; where that fails, or nothing is to be computed, as they are.

    A failure, which is one of the system as it has compiled before, is logged as a warning.
    """
    as_they_are = {function.name(): function for function in functions}
    if not any(function.numel_out(i) for function in functions for i in range(function.n_out())):
        return as_they_are
    try:
        return load(functions, dae.is_optimized)[1]
    except CompilerError as error:
        LOG.warning("%s; of '%s' %s: evaluated by CasADi's virtual machine", error, dae.name, ", ".join(as_they_are))
        return as_they_are


class DAEFunctions(DAEData):
    """The functions of the equations in `flexblocks.dae.dae.DAE`, whose arguments its notes name.

    Attributes
    ----------
    is_optimized : bool
        Of a compiled DAE, whether the compiler optimises.
    """

    is_optimized = True
    _is_implicit = False  # of a compiled DAE: whether the residual was compiled first

    @DAEFunction
    def mass_matrix(self) -> ca.Function:
        """Mass matrix, function (q, p) -> M, dense (n, n)."""
        symbols = dict(zip(("q", "p", "dependent"), self.posture_symbols, strict=False))
        M = ca.densify(ca.cse(self.expressions.mass))
        return ca.Function("mass_matrix", [*symbols.values()], [M], [*symbols], ["M"])

    @DAEFunction
    def inverse_dynamics(self) -> ca.Function:
        """Inverse dynamics, function (q, v, a, p) -> M a + h (n) [N m or N], by recursion.

        This is the generalised input force; with kinematic loops that on the cut tree, Q + J' lambda.
        """
        a = ca.SX.sym("a", self.tree.size)
        force = ca.cse(self.expressions.balance(a))
        q, *others = self.posture_symbols
        symbols = dict(zip(("q", "v", "a", "p", "dependent"), (q, self.v, a, *others), strict=False))
        return ca.Function("inverse_dynamics", [*symbols.values()], [force], [*symbols], ["force"])

    @DAEFunction
    def input_force(self) -> ca.Function:
        """Generalised input force, function (x, u, p) -> Q (n) [N m or N]."""
        return self._function("input_force", [ca.densify(self.expressions.applied)], ["force"])

    @DAEFunction
    def forward_dynamics(self) -> ca.Function:
        """Forward dynamics, function (x, u, p) -> der(x).

        A CasADi function cannot refuse its arguments. In a singular posture, as in gimbal lock, where the mass matrix
        has no inverse, accelerations are nan or of no meaning; `simulate`, `linearize` and `equilibrium` refuse such a
        posture and name it.
        """
        return self._function("forward_dynamics", [self.expressions.rate], ["dx"])

    @DAEFunction
    def energy(self) -> ca.Function:
        """Energies, function (x, p) -> kinetic energy, potential energy [J]."""
        kinetic = total(kinetic_energies(self.tree, self.q, self.v))
        results = ca.cse([kinetic, self.expressions.potential])
        # Dependent variables may be algebraic variables; those that are states are in x.
        z = {"z": self.z.symbol} if len(self.z) and self.tree.dependent_names else {}
        symbols = {"x": self.x.symbol, "p": self.p.symbol} | z
        return ca.Function("energy", [*symbols.values()], results, [*symbols], ["kinetic", "potential"])

    @DAEFunction
    def output(self) -> ca.Function:
        """Outputs, function (x, u, p) -> y."""
        return self._function("output", [self.expressions.output], ["y"])

    @DAEFunction
    def algebraic(self) -> ca.Function:
        """Algebraic residuals, function (x, u, p) -> g, zero along every motion; empty without algebraic variables."""
        return self._function("algebraic", [self.expressions.algebraic], ["g"])

    @DAEFunction
    def motion(self) -> ca.Function:
        """Right-hand side of simulations, function (x, z, u, p) -> [der(x), power of the applied forces in W], g."""
        symbols = [self.x.symbol, self.z.symbol, self.u.symbol, self.p.symbol]
        results = [
            ca.densify(ca.vertcat(self.expressions.rate, self.expressions.applied_power)),
            ca.densify(self.expressions.algebraic),
        ]
        return ca.Function("motion", symbols, results, ["x", "z", "u", "p"], ["dX", "g"])

    @DAEFunction
    def residual(self) -> ca.Function:
        """Implicit equations, function (x, rates, multipliers, z, u, motion, p, feedback) -> R.

        It is zero along every motion.

        ``rates`` (n + nw) are the accelerations and the rates of first-order states, der(x) without its first n;
        ``multipliers`` (m) those of *all* closures of the loops, of which `multipliers` has as many as are independent;
        ``motion`` (2 k) positions, then speeds, of prescribed coordinates; ``feedback`` the rate k [1/s] at which
        violations of closures decay. R has, in this order,

        * M a + h - Q - J' lambda (n) [N m or N], inverse dynamics less all that acts; in rows of prescribed coordinates
          v - v(t) + k (q - q(t));
        * der(w) - f (nw);
        * J v + k c (m), the closures at velocity level with their positions fed back;
        * g (nz).

        Examples
        --------
        >>> import casadi as ca
        >>> import flexblocks as fb
        >>> from flexblocks import models
        >>> dae = fb.assemble(models.subudhi_morris_2002())
        >>> x = dae.x.start
        >>> rates = dae.forward_dynamics(x, 0, [])[dae.tree.size:]
        >>> bool(ca.norm_inf(dae.residual(x, rates, [], [], 0, [], [], 0)) < 1e-12)
        True
        """
        symbols = self.expressions.implicit_symbols
        return ca.Function(
            "residual", [*symbols.values()], [ca.cse(self.expressions.implicit.column)], [*symbols], ["R"]
        )

    @DAEFunction
    def constraint(self) -> ca.Function:
        """Loop-closure constraints, function (q, p) -> c, zero along every motion; empty for a tree."""
        symbols = dict(zip(("q", "p", "dependent"), self.posture_symbols, strict=False))
        return ca.Function("constraint", [*symbols.values()], [self.expressions.constraint], [*symbols], ["c"])

    @DAEFunction
    def multipliers(self) -> ca.Function:
        """Loop forces [N] and torques [N m], function (x, u, p) -> lambda; empty for a tree."""
        return self._function("multipliers", [self.expressions.multipliers], ["lambda"])

    def _function(self, name: str, results: list[ca.SX], labels: list[str]) -> ca.Function:
        symbols = [self.x.symbol, self.u.symbol, self.p.symbol]
        inputs = ["x", "u", "p"]
        if len(self.z):
            symbols.append(self.z.symbol)
            inputs.append("z")
        return ca.Function(name, symbols, results, inputs, labels)
