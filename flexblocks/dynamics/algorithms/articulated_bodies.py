"""Articulated-body algorithm: recursive forward dynamics of flexible bodies, at a cost linear in their number.

Inward pass: each node adds the quadratic forms of its bodies to those of the branches it carries (see `gauss`) and
eliminates every coordinate that appears nowhere else. Outward pass: the accelerations follow by back substitution. A
joint is eliminated in its own axes with the absolute acceleration about its axis as the unknown, which keeps that row
of the inertia passed inboard empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import casadi as ca

from flexblocks.dynamics.algorithms.element_forces import element_wrenches
from flexblocks.dynamics.algorithms.elimination.basis import changed, congruent, elimination_basis
from flexblocks.dynamics.algorithms.elimination.gauss import Minimum, QuadraticForm, nothing, pushed
from flexblocks.dynamics.algorithms.elimination.order import elimination_order
from flexblocks.dynamics.algorithms.kinematics import NodeWrenches, maps, twists
from flexblocks.dynamics.algorithms.newton_euler import block_force, loose_inertia
from flexblocks.dynamics.evaluation.block_terms import call
from flexblocks.dynamics.tree.edge import Edge
from flexblocks.dynamics.tree.tree import Tree

# Of more coordinates that are coupled to others, elimination from both ends of the beam joins fewer of them: one of
# eight elements takes 758 operations instead of 842. Of two elements a link more takes 282 instead of 294.
FEW = 4
NOTHING_PRESCRIBED: Mapping[int, ca.SX] = MappingProxyType({})


def forward_dynamics(
    tree: Tree, q: ca.SX, v: ca.SX, applied: NodeWrenches, prescribed: Mapping[int, ca.SX] = NOTHING_PRESCRIBED
) -> ca.SX:
    """Return the accelerations (n) of the coordinates under applied forces; those `prescribed` are known."""
    # Twists and bias accelerations of all nodes.
    sweep = _Sweep(tree, q, v, applied, prescribed)
    # Inward: articulated inertias, coordinates eliminated one by one.
    for node in reversed(range(len(tree.nodes))):
        sweep.inward(node)
    # Outward: accelerations of nodes and coordinates by back substitution.
    for node in range(len(tree.nodes)):
        sweep.outward(node)
    unknowns = ca.vertcat(*[sweep.known[j] for j in range(tree.size)], ca.SX(0, 1))
    return ca.densify(sweep.basis @ unknowns)


@dataclass(frozen=True)
class _Step:
    """Elimination of one coordinate in terms of `columns`; along `axis` of the edge's end if that is not None."""

    coordinate: int
    minimum: Minimum
    columns: tuple[int, ...]
    axis: int | None = None


class _Sweep:
    """The inward and outward passes over a tree at symbolic q and v."""

    def __init__(self, tree: Tree, q: ca.SX, v: ca.SX, applied: NodeWrenches, prescribed: Mapping[int, ca.SX]) -> None:
        self.tree, self.q, self.v, self.prescribed = tree, q, v, prescribed
        edge_maps = maps(tree, q)
        self.twist = twists(tree, edge_maps, v)
        self.basis = elimination_basis(tree)
        self.mixed = ca.DM(tree.size, 1)
        for j in range(tree.size):
            self.mixed[j] = float(self.basis[j, :].nnz() > 1)
        self.maps = [(X, changed(S, self.basis)) for X, S in edge_maps]
        # Wrenches on the nodes; they take part in the recursion as they are.
        outer = applied + element_wrenches(tree, q, v) if tree.elements else applied
        self.wrench = outer.on_nodes
        # Force and inertia on the coordinates themselves, in no frame: springs, dampers, drives, rotors without mount.
        # Velocity forces on coordinates that the basis mixes are among them, so that they are mixed together.
        inner = block_force(tree, q, v) + self._velocity_forces()
        self.force = self.basis.T @ (outer.on_coordinates - inner)
        self.inertia = congruent(loose_inertia(tree, q), self.basis)
        moving = [_moving(node.edge, S, self.basis) for node, (_, S) in zip(tree.nodes, self.maps, strict=True)]
        self.where = elimination_order(tree, self.inertia.sparsity(), moving)
        count = len(tree.nodes)
        self.at_edge_end: list[QuadraticForm] = [nothing()] * count
        self.node_steps: list[list[_Step]] = [[] for _ in range(count)]
        self.edge_steps: list[list[_Step]] = [[] for _ in range(count)]
        self.bias = [self._bias(node) for node in range(count)]
        self.known_motion: list[dict[int, ca.SX]] = []
        for k in range(count):
            self.known_motion.append(self._known_motion(k))
        self.acceleration: list[ca.SX] = []
        self.known: dict[int, ca.SX] = {}

    def inward(self, k: int) -> None:
        """Eliminate all coordinates that appear only at a node and outboard of it, or on the edge to it."""
        form, carried = self._of_bodies(k), self._of_branches(k) + pushed(self.wrench[k])
        alone = self._moving_bodies_alone(k, form, carried)
        pushing, carried = carried.split(alone)
        form = self._without_all(k, form + pushing, alone) + carried
        form = form.with_known_motion(self.known_motion[k])
        form = self._without_all(k, form, set(self.where.ends_at[k]) - alone)
        S = self.maps[k][1]
        for j in self.where.joints[k]:
            axis = _axis(S[:, j]) if self.inertia[j, j].nnz() == 0 and j not in self.prescribed else None
            if axis is None:
                form = form.moved(ca.SX.eye(6), S[:, j], ca.SX(6, 1), (j,))
                form, minimum = self._without(form, j)
            else:
                form, minimum = form.without_axis(axis, self.force[j])
            self.edge_steps[k].append(_Step(j, minimum, form.columns, axis))
        self.at_edge_end[k] = form

    def _moving_bodies_alone(self, k: int, form: QuadraticForm, carried: QuadraticForm) -> set[int]:
        """Return the coordinates that end at a node where they move the mass of its bodies alone, by constants.

        Eliminated before the inertia of what is `carried` comes in, they take constants from constants.
        """
        known = [i for i, value in self.known_motion[k].items() if ca.sparsify(value).nnz()]
        rows = {j: form.row(j) for j in self.where.ends_at[k] if j in form.columns and not carried.row(j).nnz()}
        alone = {j: row for j, row in rows.items() if row.is_constant() and not row[known].nnz()}
        return {j for j, row in alone.items() if len(alone) <= FEW or row[6:].nnz() == 1}

    def _without_all(self, k: int, form: QuadraticForm, coordinates: set[int]) -> QuadraticForm:
        """Return the form without these coordinates of a node, those with the fewest couplings first."""
        ends = [j for j in self.where.ends_at[k] if j in coordinates]
        for j in sorted(ends, key=lambda j: form.row(j).nnz()):
            form, minimum = self._without(form, j)
            self.node_steps[k].append(_Step(j, minimum, form.columns))
        return form

    def _without(self, form: QuadraticForm, j: int) -> tuple[QuadraticForm, Minimum]:
        """Return the form without a coordinate, which takes the acceleration that is least or prescribed."""
        if j in self.prescribed:
            return form.with_known(j, self.prescribed[j])
        return form.without_coordinate(j, self.inertia[j, j], self.force[j])

    def _of_bodies(self, k: int) -> QuadraticForm:
        """Return the form of the bodies at a node."""
        form = nothing(self.where.loose, self.inertia) if k == 0 else nothing()
        for body in (self.tree.bodies[i] for i in self.tree.nodes[k].bodies if self.tree.bodies[i].terms.has_inertia):
            q, s = body.gather(self.q), body.gather(self.v)
            (inertia,) = call(body.terms.inertia, q, body.terms.p)
            on_inlet, on_coordinates = body.terms.velocity_forces(self.twist[k][:3], q, s)
            columns = body.share.used
            J = ca.diagcat(ca.DM.eye(6), (body.share.matrix @ self.basis)[:, list(columns)])
            unmixed = ((1 - self.mixed) * body.scatter(on_coordinates))[list(columns), :]
            form = form + QuadraticForm(congruent(inertia, J), ca.sparsify(ca.vertcat(on_inlet, unmixed)), columns)
        return form

    def _velocity_forces(self) -> ca.SX:
        """Return the velocity forces (n) of the bodies on the coordinates that the basis mixes."""
        force = ca.SX(self.tree.size, 1)
        for k, node in enumerate(self.tree.nodes):
            for body in (self.tree.bodies[i] for i in node.bodies if self.tree.bodies[i].terms.has_inertia):
                s = body.gather(self.v)
                _, on_coordinates = body.terms.velocity_forces(self.twist[k][:3], body.gather(self.q), s)
                force += body.scatter(on_coordinates)
        return ca.sparsify(self.mixed * force)

    def _of_branches(self, k: int) -> QuadraticForm:
        """Return the form of all that a node carries, moved inward along the edges to it."""
        form, translates = nothing(), not {3, 4, 5} <= self.known_motion[k].keys()
        for child in self.where.outboard[k]:
            X, S = self.maps[child]
            rest = self.where.rest[child]
            form = form + self.at_edge_end[child].moved(X, S[:, list(rest)], self.bias[child], rest, translates)
        return form

    def outward(self, k: int) -> None:
        """Compute the acceleration of a node and of the coordinates eliminated at it and on the edge to it."""
        inboard = self.tree.nodes[k].inboard
        if inboard is None:
            A = self.tree.ground_acceleration
        else:
            X, S = self.maps[k]
            rest = self.where.rest[k]
            A = X @ self.acceleration[inboard] + self.bias[k]
            A += S[:, list(rest)] @ ca.vertcat(*[self.known[j] for j in rest], ca.SX(0, 1))
            for step in reversed(self.edge_steps[k]):
                value = step.minimum.at(A, step.columns, self.known)
                if step.axis is None:
                    self.known[step.coordinate] = value
                    A = A + S[:, step.coordinate] @ value
                else:
                    self.known[step.coordinate] = value - A[step.axis]
                    A[step.axis] = value
        for step in reversed(self.node_steps[k]):
            self.known[step.coordinate] = step.minimum.at(A, step.columns, self.known)
        self.acceleration.append(ca.sparsify(A))

    def _known_motion(self, k: int) -> dict[int, ca.SX]:
        """Return the components of a node's acceleration that no coordinate changes: near the ground, gravity's."""
        inboard = self.tree.nodes[k].inboard
        if inboard is None:
            return {i: self.tree.ground_acceleration[i] for i in range(6)}
        X, S = self.maps[k]
        known, result = self.known_motion[inboard], {}
        for i in range(6):
            of = X[i, :].sparsity().get_triplet()[1]
            if not S[i, :].nnz() and set(of) <= known.keys():
                result[i] = sum((X[i, j] * known[j] for j in of), ca.SX(self.bias[k][i]))
        return result

    def _bias(self, k: int) -> ca.SX:
        node = self.tree.nodes[k]
        if node.edge is None or node.inboard is None:
            return ca.SX(6, 1)
        return node.edge.bias_at(self.twist[node.inboard][:3], self.q, self.v)


def _moving(edge: Edge | None, S: ca.SX, basis: ca.DM) -> tuple[int, ...]:
    """Return the unknowns that move the outer end of an edge, from the innermost outward."""
    nonzero = set(S.sparsity().get_triplet()[1])
    mixed = [basis[j, :].sparsity().get_triplet()[1] for j in (edge.moving if edge else ())]
    return tuple(dict.fromkeys(unknown for unknowns in mixed for unknown in unknowns if unknown in nonzero))


def _axis(column: ca.SX) -> int | None:
    """Return k if a column (6) is the k-th unit vector, otherwise None."""
    column = ca.sparsify(column)
    return column.sparsity().row()[0] if column.nnz() == 1 and column.nz[0].is_one() else None
