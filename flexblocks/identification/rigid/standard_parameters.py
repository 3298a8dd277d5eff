"""Standard inertial parameters of a rigid arm, and the columns that they have in its torques.

Ten of each link, all that moves as one: mass m, first moment h = m c, and inertia tensor I about the origin of its
frame. In the axes of that frame, which turns with omega and alpha and whose origin accelerates with a, weight included,
they exert

    force  m a + alpha x h + omega x (omega x h),    torque  I alpha + omega x I omega + h x a,

which is linear in them (C. G. Atkeson, C. H. An, J. M. Hollerbach, International Journal of Robotics Research 5 (1986)
101-119); and one of each rotor, its inertia.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.kinematics import accelerations, maps, twists
from flexblocks.dynamics.evaluation.block_terms import call
from flexblocks.dynamics.evaluation.body import Body
from flexblocks.dynamics.evaluation.rigid_inertia import RigidInertia
from flexblocks.dynamics.tree.tree import Tree
from flexblocks.errors import ModelError

MOMENTS = ("xx", "yy", "zz", "xy", "xz", "yz")
OF_LINK = ("mass", *(f"moment_{axis}" for axis in "xyz"), *(f"inertia_{pair}" for pair in MOMENTS))
UNITS = ("kg", *["kg m"] * 3, *["kg m2"] * 6)
# An inertia matrix of a block with coordinates is that of one rotor if the rest is below this fraction of it: rounding.
ROTOR = 1e-12


@dataclass(frozen=True, eq=False)
class Link:
    """All that moves as one with a node of the tree.

    Attributes
    ----------
    name : str
        Its first block with inertia.
    node : int
        Index of that block's node, in whose frame the parameters are.
    values : ndarray (10,)
        Parameters in the model.
    """

    name: str
    node: int
    values: np.ndarray

    @property
    def parameters(self) -> tuple[str, ...]:
        return tuple(f"{self.name}.{each}" for each in OF_LINK)


@dataclass(frozen=True, eq=False)
class Spinning:
    """A rotor: a body with one coordinate and an inertia about its axis; `node` None if its mount is not connected."""

    body: Body
    node: int | None
    inertia: float

    @property
    def parameter(self) -> str:
        return f"{self.body.name}.inertia"


@dataclass(frozen=True, eq=False)
class StandardParameters:
    """Standard parameters (P) of an arm.

    Attributes
    ----------
    links : tuple of Link
    rotors : tuple of Spinning
    columns : casadi.Function
        (q, v, a) -> generalised forces (n, P), each of a unit of one parameter.
    """

    links: tuple[Link, ...]
    rotors: tuple[Spinning, ...]
    columns: ca.Function

    @property
    def names(self) -> tuple[str, ...]:
        return (*(name for link in self.links for name in link.parameters), *(rotor.parameter for rotor in self.rotors))

    @property
    def units(self) -> tuple[str, ...]:
        return (*UNITS * len(self.links), *["kg m2"] * len(self.rotors))

    @property
    def values(self) -> np.ndarray:
        """Values (P,) in the model."""
        return np.concatenate([*(link.values for link in self.links), [rotor.inertia for rotor in self.rotors]])


def standard_parameters(dae: DAE, p: np.ndarray) -> StandardParameters:
    """Return the standard parameters of an arm, with its symbolic parameters at `p`.

    Raises
    ------
    ModelError
        A body deforms, or has the added mass of a fluid.
    """
    tree, posture = dae.tree, np.zeros(dae.tree.size)
    links, rotors = _links(tree, posture, p), _rotors(tree, posture, p)
    q, v, a = (ca.SX.sym(name, tree.size) for name in ("q", "v", "a"))
    edges = maps(tree, q)
    twist = twists(tree, edges, v)
    acceleration = accelerations(tree, edges, twist, q, v, a)
    # Jacobian of the twist of each node.
    jacobians: list[ca.SX] = []
    for node, (X, S) in zip(tree.nodes, edges, strict=True):
        inboard = node.inboard
        jacobians.append(ca.SX(6, tree.size) if inboard is None else ca.sparsify(X @ jacobians[inboard] + S))
    columns = [jacobians[link.node].T @ _wrenches(twist[link.node], acceleration[link.node]) for link in links]
    columns += [_rotor_column(tree, rotor, twist, acceleration, jacobians, q, v, a) for rotor in rotors]
    whole = ca.Function("columns", [q, v, a, tree.p], [ca.horzcat(*columns, ca.SX(tree.size, 0))])
    (folded,) = whole.call([q, v, a, ca.SX(ca.DM(p))])
    function = ca.Function("columns", [q, v, a], [ca.densify(ca.cse(folded))], ["q", "v", "a"], ["columns"])
    return StandardParameters(tuple(links), tuple(rotors), function)


def _wrenches(twist: ca.SX, acceleration: ca.SX) -> ca.SX:
    """Return the wrenches (6, 10), torque over force, of a unit of each of a link's parameters."""
    omega, alpha, a = ca.densify(twist[:3]), ca.densify(acceleration[:3]), ca.densify(acceleration[3:])
    columns = [ca.vertcat(ca.SX(3, 1), a)]
    for k in range(3):
        unit = ca.SX(ca.DM.eye(3)[:, k])
        columns.append(ca.vertcat(ca.cross(unit, a), ca.cross(alpha, unit) + ca.cross(omega, ca.cross(omega, unit))))
    for pair in MOMENTS:
        i, k = "xyz".index(pair[0]), "xyz".index(pair[1])
        tensor = ca.SX(3, 3)
        tensor[i, k] = tensor[k, i] = 1
        columns.append(ca.vertcat(tensor @ alpha + ca.cross(omega, tensor @ omega), ca.SX(3, 1)))
    return ca.horzcat(*columns)


def _links(tree: Tree, q: np.ndarray, p: np.ndarray) -> list[Link]:
    """Return the links in the order of the tree; what does not move, or has no mass, is none."""
    group: list[int | None] = []
    inner: list[np.ndarray] = []  # motion transform of each node from the first of its group
    members: dict[int, list[int]] = {}
    for index, node in enumerate(tree.nodes):
        if node.inboard is None or node.edge is None:
            group.append(None)
            inner.append(np.eye(6))
        elif node.edge.moving:
            group.append(index)
            inner.append(np.eye(6))
        else:
            group.append(group[node.inboard])
            X, _ = node.edge.at(ca.SX(ca.DM(q)))
            inner.append(ca.Function("X", [tree.p], [X])(p).full() @ inner[node.inboard])
        if (own := group[index]) is not None:
            members.setdefault(own, []).append(index)
    links = []
    for nodes in members.values():
        known = [(i, tree.bodies[b]) for i in nodes for b in tree.nodes[i].bodies if not tree.bodies[b].terms.size]
        known = [(i, body) for i, body in known if body.terms.has_inertia]
        if not known:
            continue
        first = known[0][0]
        total = np.zeros(10)
        for i, body in known:
            X = inner[i] @ np.linalg.inv(inner[first])
            total += _vector(X.T @ _rigid(body, p) @ X)
        links.append(Link(known[0][1].name, first, total))
    return links


def _rigid(body: Body, p: np.ndarray) -> np.ndarray:
    """Return the inertia matrix (6, 6) of a rigid body in its frame."""
    read = body.terms.rigid_inertia
    if read is None:
        raise ModelError(
            f"regressor: {body.block.where} has an inertia that depends on the direction, as the added mass of a fluid "
            "does; must be that of a rigid body. Take it out."
        )
    mass, moment, inertia = (ca.SX(value) for value in read(np.zeros(0), _arguments(body, p)))
    return np.array(ca.DM(RigidInertia(mass, moment, inertia).matrix).full())


def _arguments(body: Body, p: np.ndarray) -> np.ndarray:
    """Return the parameters of a block's terms: those of the arm; dependent variables are of deforming bodies."""
    return np.concatenate([p, body.terms.symbols.dependent.starts])


def _vector(matrix: np.ndarray) -> np.ndarray:
    """Return the ten parameters of a spatial inertia matrix (6, 6)."""
    read = RigidInertia.read(ca.SX(ca.DM(matrix)))
    inertia, moment = np.array(ca.DM(ca.densify(read.inertia))), np.array(ca.DM(ca.densify(read.moment))).ravel()
    pairs = [inertia["xyz".index(pair[0]), "xyz".index(pair[1])] for pair in MOMENTS]
    return np.array([float(matrix[3, 3]), *moment, *pairs])


def _rotors(tree: Tree, q: np.ndarray, p: np.ndarray) -> list[Spinning]:
    """Return the rotors; refuse bodies that deform."""
    node_of = {body: index for index, node in enumerate(tree.nodes) for body in node.bodies}
    rotors = []
    for index, body in enumerate(tree.bodies):
        if not (body.terms.size and body.terms.has_inertia):
            continue
        constant = not ca.depends_on(ca.densify(body.terms.inertia_expression), body.terms.symbols.q)
        matrix = body.terms.inertia(np.zeros(body.terms.size), _arguments(body, p)).full()
        sizes = np.linalg.eigvalsh(matrix)
        if body.terms.size > 1 or not constant or np.any(np.abs(sizes[:-1]) > ROTOR * sizes[-1]):
            raise ModelError(
                f"regressor: {body.block.where} deforms; torques are linear in inertial parameters of rigid arms only. "
                "Take fb.stiffen(model), or fb.rediscretize(model, fb.Rigid())."
            )
        ratio = getattr(body.block, "gear_ratio", 1.0)
        ratio = float(ratio) if isinstance(ratio, (int, float)) else 1.0
        rotors.append(Spinning(body, node_of.get(index), float(matrix[6, 6]) / ratio**2))
    return rotors


def _rotor_column(
    tree: Tree,
    rotor: Spinning,
    twist: list[ca.SX],
    acceleration: list[ca.SX],
    jacobians: list[ca.SX],
    q: ca.SX,
    v: ca.SX,
    a: ca.SX,
) -> ca.SX:
    """Return the generalised forces (n, 1) of a unit of a rotor's inertia."""
    body = rotor.body
    (inertia,) = call(body.terms.inertia, body.gather(q), body.terms.p)
    if rotor.node is None:
        return body.scatter(inertia[6:, 6:] @ body.gather(a)) / rotor.inertia
    omega = twist[rotor.node][:3]
    wrench = inertia @ ca.vertcat(acceleration[rotor.node], body.gather(a))
    wrench += ca.vertcat(*body.terms.velocity_forces(omega, body.gather(q), body.gather(v)))
    return (jacobians[rotor.node].T @ wrench[:6] + body.scatter(wrench[6:])) / rotor.inertia
