"""Terms of the equations of motion: M a + c + g + k + d = B u + r."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.energy import stored_energies, total, weight_energies
from flexblocks.dynamics.algorithms.generalized_forces import applied_force
from flexblocks.dynamics.algorithms.newton_euler import inner_force, inverse_dynamics
from flexblocks.dynamics.algorithms.prescribed_motion import free_rows, reduced_jacobian
from flexblocks.dynamics.tree.tree import Tree
from flexblocks.errors import NameUnknownError, listing, suggestion
from flexblocks.interfaces.physics import Physics
from flexblocks.rich_display import RichFormula


@dataclass(frozen=True, eq=False)
class Part:
    """A term of the equations of motion: one matrix or vector.

    Attributes
    ----------
    name : str
        Symbol in code.
    latex : str
        Symbol in formulas.
    meaning : str
        Description.
    expression : SX
        In the symbols of the DAE; structural zeros are identically zero.
    """

    name: str
    latex: str
    meaning: str
    expression: ca.SX

    @property
    def shape(self) -> tuple[int, int]:
        return self.expression.shape


@dataclass(frozen=True, eq=False)
class Equations(RichFormula):
    """The equations of motion, term by term.

    Attributes
    ----------
    dae : DAE
    parts : tuple of Part
    statement : str
        The equations in terms of the parts, in LaTeX.
    plain : str
        The same in plain text.
    """

    dae: DAE
    parts: tuple[Part, ...]
    statement: str
    plain: str

    def __getitem__(self, name: str) -> ca.SX:
        """Return a part by name, an SX in the symbols of the DAE.

        Raises
        ------
        NameUnknownError
            There is no such part.
        """
        expressions = {part.name: part.expression for part in self.parts}
        if name not in expressions:
            raise NameUnknownError(f"equations: there is no part '{name}'{suggestion(name, expressions)}")
        return expressions[name]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parts."""
        return tuple(part.name for part in self.parts)

    def arguments(self) -> dict[str, ca.SX]:
        """Return the nonempty symbol vectors that the parts may depend on, by letter."""
        dae = self.dae
        groups = {
            "q": dae.q,
            "v": dae.v,
            "w": dae.w,
            "z": dae.z.symbol,
            "u": dae.u.symbol,
            "p": dae.p.symbol,
        }
        everything = ca.veccat(*[part.expression for part in self.parts])
        always = ("q", "v", "p")
        return {
            letter: symbol
            for letter, symbol in groups.items()
            if symbol.numel() and (letter in always or ca.depends_on(everything, symbol))
        }

    def function(self, *names: str) -> ca.Function:
        """Return a casadi.Function from `arguments` to these parts, or to all of them."""
        names = names or self.names
        arguments = self.arguments()
        results = ca.cse([ca.densify(self[name]) for name in names])
        return ca.Function("equations", list(arguments.values()), results, list(arguments), list(names))


def equation_parts(dae: DAE) -> Equations:
    """Return inertia, velocity-dependent forces, gravity, stiffness, damping and input map of an arm.

    Each is computed independently, none as a difference of others; M a + c + g + k + d equals
    ``dae.inverse_dynamics``, and B u + r equals ``dae.input_force``. Rows of prescribed coordinates are their
    accelerations, der(v) = u; what drives these is tau = D a + e.
    """
    gravity = free_rows(dae.tree, ca.gradient(total(weight_energies(dae.tree, dae.q)), dae.q))
    parts = [
        Part("M", "M(q)", "inertia", dae.expressions.mass),
        Part("c", r"c(q, \dot q)", "Coriolis and centrifugal forces", velocity_force(dae)),
        Part("g", "g(q)", "weight: gradient of the potential energy of gravity", gravity),
        Part("k", "k(q)", "stiffness: gradient of the energy stored in springs and beams", stiffness_force(dae)),
        Part("d", r"d(q, \dot q)", "damping, friction and other loads inside the arm", passive_force(dae)),
    ]
    left = r"M(q)\,\ddot q + c(q, \dot q) + g(q) + k(q) + d(q, \dot q)"
    plain = "M a + c + g + k + d"
    linear, rest = input_map(dae)
    if linear is None:
        parts.append(Part("Q", "Q", "forces of inputs, states and algebraic variables", rest))
        return _with_drives(_with_loops(Equations(dae, _sparse(parts), f"{left} = Q", f"{plain} = Q")))
    parts.append(Part("B", "B(q)", "input map", linear))
    statement, plain = rf"{left} = B(q)\,u", f"{plain} = B u"
    if rest.nnz():
        parts.append(Part("r", "r", "forces of states and algebraic variables", rest))
        statement, plain = f"{statement} + r", f"{plain} + r"
    return _with_drives(_with_loops(Equations(dae, _sparse(parts), statement, plain)))


def _with_loops(equations: Equations) -> Equations:
    """Add the loop-closure constraints and their Jacobian."""
    dae = equations.dae
    if not dae.tree.loops.closures:
        return equations
    J, within = dae.expressions.constraint_jacobian, " in free coordinates" if dae.prescribed else ""
    J = reduced_jacobian(dae.tree, J)
    meaning = f"Jacobian of the closures of loops{within}; the multipliers are forces and torques at the cuts"
    parts = [
        Part("J", "J(q)", meaning, J),
        Part("b", "b(q)", "closures of loops", dae.expressions.constraint),
    ]
    statement = rf"{equations.statement} + J(q)^T \lambda,\quad b(q) = 0"
    plain = f"{equations.plain} + J' lambda, b = 0"
    return Equations(dae, (*equations.parts, *_sparse(parts)), statement, plain)


def _with_drives(equations: Equations) -> Equations:
    """Add what drives the prescribed coordinates: tau = D a + e, less the forces of loops."""
    dae = equations.dae
    if not dae.prescribed:
        return equations
    rows, still = list(dae.tree.prescribed_columns), ca.SX(dae.tree.size, 1)
    rest = inverse_dynamics(dae.tree, dae.q, dae.v, still)
    rest -= applied_force(dae.tree, dae.x.symbol, dae.z.symbol, dae.u.symbol)
    which = listing(prescription.effort[0] for prescription in dae.tree.prescribed)
    parts = [
        Part(
            "D",
            "D(q)",
            f"rows of the inertia matrix of the whole arm, for tau = {which}",
            dae.expressions.whole_mass[rows, :],
        ),
        Part("e", r"e(q, \dot q)", "the same rows of all other forces of the arm", rest[rows]),
    ]
    statement, plain = rf"{equations.statement},\quad \tau = D(q)\,\ddot q + e", f"{equations.plain}, tau = D a + e"
    if dae.tree.loops.closures:
        J = dae.expressions.constraint_jacobian
        parts.append(Part("P", "P(q)", "rows of the Jacobian for the same", J[:, rows].T))
        statement, plain = rf"{statement} - P(q)\,\lambda", f"{plain} - P lambda"
    return Equations(dae, (*equations.parts, *_sparse(parts)), statement, plain)


def _sparse(parts: list[Part]) -> tuple[Part, ...]:
    return tuple(dataclasses.replace(part, expression=ca.sparsify(part.expression)) for part in parts)


def velocity_force(dae: DAE) -> ca.SX:
    """Return Coriolis and centrifugal forces (n): inverse dynamics without acceleration, gravity, springs or loads."""
    idle = {"potential": 0.0, "dissipation": 0.0, "loads": (), "power": 0.0}
    bare = _with(dae.tree, lambda physics: dataclasses.replace(physics, **idle))
    bare = dataclasses.replace(bare, gravity=ca.SX(3, 1))
    return free_rows(dae.tree, inverse_dynamics(bare, dae.q, dae.v, ca.SX(dae.tree.size, 1)))


def stiffness_force(dae: DAE) -> ca.SX:
    """Return the elastic forces (n): the gradient of the energy stored in springs and bent beams."""
    return free_rows(dae.tree, ca.gradient(total(stored_energies(dae.tree, dae.q)), dae.q))


def passive_force(dae: DAE) -> ca.SX:
    """Return the damping forces (n): those of dampers, and of loads inside the blocks that depend on q and v only."""

    def loosened(physics: Physics) -> Physics:
        # Loads that store energy contain its force: a potential of the other sign takes it out of them.
        return dataclasses.replace(physics, potential=-dataclasses.replace(physics, potential=0.0).stored)

    return free_rows(dae.tree, inner_force(_with(dae.tree, loosened), dae.q, dae.v))


def input_map(dae: DAE) -> tuple[ca.SX | None, ca.SX]:
    """Return the input map B (n, nu) and the forces (n) at u = 0; None and all applied forces if not affine in u."""
    force, u = dae.expressions.applied, dae.u.symbol
    if not len(dae.u):
        return ca.SX(dae.tree.size, 0), force
    linear = ca.sparsify(ca.jacobian(force, u))
    if ca.depends_on(linear, u):
        return None, force
    return linear, ca.sparsify(ca.substitute(force, u, ca.SX.zeros(u.shape)))


def _with(tree: Tree, change: Callable[[Physics], Physics]) -> Tree:
    """Return the tree with every block's physics changed."""
    bodies = []
    for body in tree.bodies:
        changed = change(body.terms.physics)
        bodies.append(dataclasses.replace(body, terms=dataclasses.replace(body.terms, physics=changed)))
    elements = []
    for element in tree.elements:
        changed = change(element.terms.physics)
        elements.append(dataclasses.replace(element, terms=dataclasses.replace(element.terms, physics=changed)))
    return dataclasses.replace(tree, bodies=tuple(bodies), elements=tuple(elements))
