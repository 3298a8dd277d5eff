"""Multibody tree of an arm, on which all algorithms of dynamics run."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.dynamics.evaluation.block_terms import call
from flexblocks.dynamics.evaluation.body import Body, CoordinateRange
from flexblocks.dynamics.evaluation.element import Element
from flexblocks.dynamics.tree.cut_joints import Closure, Loops
from flexblocks.dynamics.tree.feedback import Feedback
from flexblocks.dynamics.tree.lock import Lock
from flexblocks.dynamics.tree.prescription import Prescription
from flexblocks.dynamics.tree.skeleton import Place, Skeleton, SkeletonNode, skeleton
from flexblocks.interfaces.block import Block
from flexblocks.interfaces.block_variables import Variable
from flexblocks.interfaces.state_range import StateRange

NO_LOOPS = Loops()


@dataclass(frozen=True, eq=False)
class Tree:
    """Multibody tree: bodies, parents before children, over `size` coordinates of the arm.

    `gravity` is the acceleration of free fall, SX (3, 1), in world axes [m/s2]; `p` the symbolic parameters; `loops`
    the cuts that made it a tree; `feedback` the control laws that set the inputs of the blocks in a closed loop;
    `locks` the coordinates that are held at numbers; `elements` the force elements between its frames; `prescribed` the
    coordinates whose motion is prescribed; `frames` the frames of composites by name, each with that of the body behind
    it; `first_order` the first-order states by their positions among these; `state_ranges` the ranges of states by
    name.
    """

    bodies: tuple[Body, ...]
    size: int
    gravity: ca.SX
    p: ca.SX
    loops: Loops = NO_LOOPS
    feedback: Feedback | None = None
    locks: tuple[Lock, ...] = ()
    elements: tuple[Element, ...] = ()
    prescribed: tuple[Prescription, ...] = ()
    frames: Mapping[str, str] = field(default_factory=dict)
    first_order: Mapping[int, Variable] = field(default_factory=dict)
    state_ranges: Mapping[str, StateRange] = field(default_factory=dict)

    @property
    def root(self) -> int:
        """Index of the ground."""
        return next(i for i, body in enumerate(self.bodies) if body.parent is None and body.terms.outlets)

    @property
    def prescribed_columns(self) -> tuple[int, ...]:
        """Positions of the prescribed coordinates among all."""
        return tuple(prescription.column for prescription in self.prescribed)

    def ends_of(self, closure: Closure) -> str:
        """Return the names of the two outlets that a closure joins, for messages."""
        return " and ".join(f"{self.bodies[body].name}.{outlet}" for body, outlet in (closure.first, closure.second))

    def state_kinds(self, units: Sequence[str]) -> tuple[int, ...]:
        """Return numbers of the kinds of all states, and of the work: coordinates, rates, others by unit, and work.

        Parameters
        ----------
        units : sequence of str
            Of the states.
        """
        others = list(units[2 * self.size :])
        return (*[0] * self.size, *[1] * self.size, *(2 + others.index(unit) for unit in others), 2 + len(others))

    def split_state(self, x: Any) -> tuple[Any, Any, Any]:
        """Split the states x (or their names, or units) into coordinates q, rates der(q) and first-order states w.

        This is the one place that knows the order x = [q, der(q), w].
        """
        n = self.size
        groups = slice(n), slice(n, 2 * n), slice(2 * n, None)
        # Of a single number CasADi's x[0:0] is a row without columns.
        matrix = isinstance(x, (ca.SX, ca.MX, ca.DM))
        q, v, w = (x[rows, :] if matrix else x[rows] for rows in groups)
        return q, v, w

    @property
    def blocks(self) -> dict[str, Block]:
        """The blocks of all bodies and force elements by name, parameters symbolic."""
        blocks = {body.name: body.block for body in self.bodies}
        return blocks | {element.name: element.terms.block for element in self.elements}

    def with_loops(self, loops: Loops) -> Tree:
        """Return this tree with other closures of its loops; it shares its skeleton, which none of them changes."""
        other = copy.copy(self)
        vars(other)["loops"] = loops
        return other

    @cached_property
    def skeleton(self) -> Skeleton:
        """The skeleton, with leaves where force elements act and where loops are cut."""
        places = [place for element in self.elements for place in _places(element)]
        places += [(*outlet, True) for closure in self.loops.closures for outlet in (closure.first, closure.second)]
        return skeleton(self.bodies, self.root, list(dict.fromkeys(places)))

    @property
    def nodes(self) -> tuple[SkeletonNode, ...]:
        """The nodes of the skeleton that carry bodies, inboard before outboard; the first is the ground."""
        return self.skeleton.nodes

    @property
    def all_nodes(self) -> tuple[SkeletonNode, ...]:
        """These nodes, then the leaves."""
        return (*self.skeleton.nodes, *self.skeleton.leaves)

    def nodes_of(self, element: Element) -> list[int]:
        """Return the indices of the nodes that a force element acts on."""
        return [self.skeleton.of_place[place] for place in _places(element)]

    def nodes_at_cut(self, closure: Closure) -> list[int]:
        """Return the indices of the nodes at the two outlets that a closure joins."""
        return [self.skeleton.of_place[(*outlet, True)] for outlet in (closure.first, closure.second)]

    @cached_property
    def dependent(self) -> ca.SX:
        """Symbols (k, 1) of the dependent variables: entries of x or z that the coordinates determine."""
        return ca.vertcat(*[body.terms.symbols.dependent.symbols for body in self.bodies], ca.SX(0, 1))

    @cached_property
    def dependent_names(self) -> tuple[str, ...]:
        """Names (k) of the dependent variables."""
        return tuple(f"{body.name}.{name}" for body in self.bodies for name in body.terms.symbols.dependent.names)

    @cached_property
    def ranges(self) -> tuple[CoordinateRange, ...]:
        """Ranges of all coordinates of blocks that have one; most arms have none."""
        return tuple(bound for body in self.bodies for bound in body.ranges)

    @property
    def positive_states(self) -> tuple[int, ...]:
        """Positions, among all states, of those that must stay positive, such as lengths; most arms have none."""
        return tuple(2 * self.size + i for i, state in self.first_order.items() if state.positive)

    @property
    def states_at_outputs(self) -> dict[int, str]:
        """Positions, among all states, of those that start at an output of their force element, and its name."""
        return {2 * self.size + i: state.starts_at for i, state in self.first_order.items() if state.starts_at}

    @property
    def states_following(self) -> dict[int, str]:
        """Positions, among all states, of those that follow an output of their force element, and its name."""
        return {2 * self.size + i: state.follows for i, state in self.first_order.items() if state.follows}

    @cached_property
    def has_joints_in_series(self) -> bool:
        """Whether some joint follows another one with no mass between them, so that axes may align (gimbal lock).

        Rotors that the coordinates of a joint turn bound its inertia in every posture, as do bodies of a size that are
        fixed to what is between.
        """
        rotors = {rotor.share.used[0] for rotor in self.loose if len(rotor.share.used) == 1}
        fixed = [body.terms.resists_rotation for body in self.bodies]  # or what is fixed to it
        for i, body in reversed(list(enumerate(self.bodies))):
            if fixed[i] and not body.terms.size and body.parent is not None:
                fixed[body.parent] = True
        carries = [is_fixed or body.terms.has_inertia for is_fixed, body in zip(fixed, self.bodies, strict=True)]

        def is_free(body: Body) -> bool:
            return body.terms.size > 0 and not body.terms.has_inertia and not rotors.issuperset(body.share.used)

        for body in self.bodies:
            if body.parent is None or not is_free(body):
                continue
            i = body.parent
            while (inboard := self.bodies[i]).parent is not None and not carries[i]:
                if is_free(inboard):
                    return True
                i = inboard.parent
        return False

    @cached_property
    def has_undriven_base(self) -> bool:
        """Whether a joint on the ground has a coordinate that no drive or spring shares, so that it may float."""
        shared = {
            column
            for i, body in enumerate(self.bodies)
            if body.parent is None and i != self.root
            for column in body.share.used
        }
        ground = {self.root}
        for i, body in enumerate(self.bodies):
            if body.parent in ground and not body.terms.has_inertia:
                if set(body.share.used) - shared:
                    return True
                if not body.share.used:
                    ground.add(i)
        return False

    @cached_property
    def charted(self) -> tuple[Body, ...]:
        """Bodies whose coordinates have a chart; most arms have none."""
        return tuple(body for body in self.bodies if type(body.block).chart is not Block.chart)

    @cached_property
    def loose(self) -> tuple[Body, ...]:
        """Bodies with inertia outside the tree of frames: rotors whose mount is not connected."""
        return tuple(body for body in self.bodies if body.parent is None and body.terms.has_inertia)

    def block_inputs(self, x: ca.SX, z: ca.SX, u: ca.SX) -> ca.SX:
        """Return the inputs of the blocks: `u` itself, or the feedback's function of it."""
        return u if self.feedback is None else call(self.feedback.inputs, x, z, u, self.p)[0]

    @property
    def ground_acceleration(self) -> ca.SX:
        """Acceleration (6) of the ground that is equivalent to gravity."""
        return ca.vertcat(ca.SX(3, 1), -self.gravity)

    def gravity_at(self, p: np.ndarray) -> np.ndarray:
        """Return the acceleration of free fall (3,) in world axes [m/s2] at values of the symbolic parameters."""
        return ca.Function("gravity", [self.p], [ca.densify(self.gravity)])(p).full().ravel()


def _places(element: Element) -> list[Place]:
    return [(*place, turned) for place, turned in zip(element.places, element.terms.turned, strict=True)]
