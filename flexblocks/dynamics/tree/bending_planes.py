"""The planes in which the beams of an arm bend where that is left to the arm: one of a plane arm, else both.

An arm is plane if its mirror image in a plane is the arm itself: then nothing that happens in that plane leaves it, and
beams have no cause to bend across it. Two planes are tried, those through the axes of the first beam whose planes are
open. Conditions on a plane with the unit vector n normal to it:

* gravity lies in it;
* n, in the axes of every frame, and the height of the frame along n are constant, whatever the coordinates: joints turn
  about n and move along the plane, loops close in it;
* each beam lies in it, with y or z along n, all at one height; what beams carry is the same mirrored at this height;
* force elements between frames attach at this height.

All of it is read off the physics of the blocks, at samples of their coordinates and of symbolic parameters; beams count
as straight.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import casadi as ca
import numpy as np

from flexblocks.blocks.bodies.flexible_beam import FlexibleBeam
from flexblocks.blocks.bodies.sliding_beam import SlidingBeam
from flexblocks.dynamics.evaluation.block_kinds import BlockKinds
from flexblocks.dynamics.evaluation.block_terms import BlockTerms
from flexblocks.interfaces.carried import Carried
from flexblocks.modeling.arm_graph import ArmGraph
from flexblocks.modeling.spanning_tree import ElementNode, Topology, TreeNode, topology

BEAMS = (FlexibleBeam, SlidingBeam)
# Directions that differ by less [rad] are the same: rotations are typed with a few digits. So are heights, in units of
# the length of the first beam.
SAME = 1e-5
# Shares of a unit by which coordinates, and of their values by which symbolic parameters, are off the reference.
SAMPLES = (0.31, 0.74)


def bending_planes(plan: Topology, kinds: BlockKinds, p: np.ndarray, gravity: ca.SX) -> dict[str, str]:
    """Return the axes along which each beam deflects that leaves this to the arm: ``"y"``, ``"z"`` or ``"yz"``.

    Parameters
    ----------
    plan : Topology
    kinds : BlockKinds
        Evaluates the blocks.
    p : ndarray
        Nominal values of the symbolic parameters.
    gravity : SX (3, 1)
        In world axes [m/s2], of the symbolic parameters.
    """
    open_ = [
        name for name, node in plan.nodes.items() if isinstance(node.block, BEAMS) and node.block.bending == "auto"
    ]
    if not open_:
        return {}
    arm = _Arm(plan, kinds, p, gravity, open_)
    for normal in arm.normals:
        mirrored = arm.mirrored(normal)
        if mirrored is not None:
            return mirrored if arm.attaches_in(normal) else dict.fromkeys(open_, "yz")
    return dict.fromkeys(open_, "yz")


def decided_topology(
    model: ArmGraph,
    plan: Topology,
    values: Mapping[str, Mapping[str, object]],
    kinds: BlockKinds,
    p: np.ndarray,
    gravity: ca.SX,
) -> Topology:
    """Return the topology of a model, of which `plan` is that with these values, with all planes of its beams decided.

    What stands below sees ``"y"``, ``"z"`` or ``"yz"`` alone.
    """
    planes = bending_planes(plan, kinds, p, gravity)
    if not planes:
        return plan
    return topology(model, {**values, **{name: {**values.get(name, {}), "bending": planes[name]} for name in planes}})


@dataclass(frozen=True)
class _Seen:
    """A plane as it is seen from a frame: its normal in the axes of the frame, and the frame's height along that."""

    normal: np.ndarray
    height: float

    def like(self, other: _Seen, length: float) -> bool:
        """Whether another frame sees the same, from either side."""
        turned = np.linalg.norm(np.cross(self.normal, other.normal))
        return bool(turned < SAME and abs(self.height - other.height) < SAME * length)


@dataclass(frozen=True, eq=False)
class _Arm:
    plan: Topology
    kinds: BlockKinds
    p: np.ndarray
    gravity: ca.SX
    open_: list[str]

    @property
    def length(self) -> float:
        """The length of the first beam [m]."""
        return float(self.plan.nodes[self.open_[0]].block.nominal.length)

    @property
    def normals(self) -> tuple[np.ndarray, np.ndarray]:
        """The normals (3,) that are tried, in world axes: z and y of the first beam, at the start."""
        chain = [self.open_[0]]
        while (parent := self.plan.nodes[chain[-1]].parent) is not None:
            chain.append(parent)
        R = np.eye(3)
        for outer, inner in reversed(list(pairwise(chain))):
            if not self._is_plain(self.plan.nodes[inner]):
                R = R @ self._motion(inner, self.plan.nodes[outer].outlet, 0.0)[0]
        return R[:, 2], R[:, 1]

    @cached_property
    def _gravities(self) -> tuple[np.ndarray, ...]:
        """Gravity (3,) at samples of the symbolic parameters."""
        function = ca.Function("gravity", [self.kinds.p], [ca.densify(self.gravity)])
        return tuple(function(_near(self.p, share)).full().ravel() for share in SAMPLES)

    def mirrored(self, normal: np.ndarray) -> dict[str, str] | None:
        """Return the axes along which the beams deflect if the arm is its image in this plane, else None."""
        if any(abs(g @ normal) > SAME * np.linalg.norm(g) for g in self._gravities):
            return None
        seen = self._seen(normal)
        if seen is None:
            return None
        axes = {name: _axis(place) for name, place in self._roots(seen) if isinstance(self._block(name), BEAMS)}
        level = seen[self._inlet(self.open_[0])]
        heights = [seen[self._inlet(name)].height for name in axes]
        if None in axes.values() or np.ptp(heights) > SAME * self.length:
            return None
        pairs = (tuple(seen[port.block, port.name] for port in pair) for pair in self.plan.closures)
        if not all(one.like(other, self.length) for one, other in pairs):
            return None
        if not all(self._is_even(name, place, level.height) for name, place in self._loads(seen)):
            return None
        return {name: axes[name] or "" for name in self.open_}

    def attaches_in(self, normal: np.ndarray) -> bool:
        """Whether all force elements between frames attach in the plane of the beams."""
        seen = self._seen(normal)
        assert seen is not None
        level = seen[self._inlet(self.open_[0])].height
        between = (node for node in self.plan.elements.values() if len(node.places) > 1)
        return all(self._attaches(node, seen, level) for node in between)

    def _attaches(self, node: ElementNode, seen: Mapping[tuple[str, str], _Seen], level: float) -> bool:
        axes = node.element.axes()
        for spec, port in zip(node.element.ports, node.places, strict=True):
            place = seen[port.block, port.name]
            if spec.name in axes:
                # A direction of its own, such as the normal of a floor, is the third of these axes, and lies in it.
                if abs(np.array(ca.DM(axes[spec.name]))[:, 2] @ place.normal) > SAME:
                    return False
            elif abs(place.height - level) > SAME * self.length:
                return False
        return True

    def _block(self, name: str) -> object:
        return self.plan.nodes[name].block

    def _inlet(self, name: str) -> tuple[str, str]:
        node = self.plan.nodes[name]
        assert node.parent is not None
        assert node.outlet is not None
        return node.parent, node.outlet

    def _roots(self, seen: Mapping[tuple[str, str], _Seen]) -> Iterator[tuple[str, _Seen]]:
        """Yield the blocks that another one carries, and how these see the plane."""
        for name, node in self.plan.nodes.items():
            if node.parent is not None:
                yield name, seen[self._inlet(name)]

    def _is_plain(self, node: TreeNode) -> bool:
        """Whether the outlets of a block have the axes of its inlet, and lie along its x axis: the ground and beams."""
        return node.parent is None or isinstance(node.block, BEAMS)

    def _seen(self, normal: np.ndarray) -> dict[tuple[str, str], _Seen] | None:
        """Return how each outlet sees a plane through the origin; None if coordinates change that."""
        seen: dict[tuple[str, str], _Seen] = {}
        for name, node in self.plan.nodes.items():
            if node.parent is None:
                seen |= dict.fromkeys(((name, outlet) for outlet in node.outlets), _Seen(normal, 0.0))
                continue
            inlet = seen[self._inlet(name)]
            for outlet in node.outlets:
                seen[name, outlet] = inlet
                if self._is_plain(node):
                    continue
                first, second = (self._through(name, outlet, inlet, share) for share in SAMPLES)
                if not first.like(second, self.length):
                    return None
                seen[name, outlet] = first
        return seen

    def _through(self, name: str, outlet: str, inlet: _Seen, share: float) -> _Seen:
        R, r = self._motion(name, outlet, share)
        return _Seen(R.T @ inlet.normal, inlet.height + float(inlet.normal @ r))

    def _motion(self, name: str, outlet: str | None, share: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the pose of an outlet in the axes of the inlet."""
        assert outlet is not None
        terms, (q, p) = self._at(name, share)
        R, r, _ = terms.motions[outlet](np.eye(3), np.zeros(3), np.zeros(6), q, 0 * q, p)
        return R.full(), r.full().ravel()

    def _at(self, name: str, share: float) -> tuple[BlockTerms, tuple[np.ndarray, np.ndarray]]:
        """Return the terms of a block, with values of its coordinates and parameters off the reference by a share."""
        terms = self._terms(name)
        q, p = terms.reference(self.p)
        return terms, (q + share * (1 + np.arange(len(q)) / 7), _near(p, share))

    def _terms(self, name: str) -> BlockTerms:
        node = self.plan.nodes[name]
        held = {c.name: self.plan.shared[name, c.name].value for c in node.block.coordinates()}
        return self.kinds.terms(node.block, node.outlets, node.has_place, Carried(), held)

    @cached_property
    def _loading(self) -> set[str]:
        """The blocks whose inertia loads beams: those outboard of one; in an arm with loops all."""
        found: set[str] = set()
        for name, node in self.plan.nodes.items():
            behind = node.parent in found or isinstance(self.plan.nodes.get(node.parent or "", node).block, BEAMS)
            if node.parent is not None and (behind or self.plan.closures):
                found.add(name)
        return found

    def _loads(self, seen: Mapping[tuple[str, str], _Seen]) -> Iterator[tuple[str, _Seen]]:
        return (
            (name, place)
            for name, place in self._roots(seen)
            if name in self._loading and not isinstance(self._block(name), BEAMS)
        )

    def _is_even(self, name: str, seen: _Seen, level: float) -> bool:
        """Whether the inertia of a block is the same mirrored in the plane at this height."""
        terms, values = self._at(name, SAMPLES[0])
        if not terms.has_inertia:
            return True
        inertia = terms.inertia(*values).full()
        to_plane = np.eye(len(inertia))
        to_plane[3:6, :3] = ca.skew((level - seen.height) * seen.normal).full()  # v = v there + d x omega
        mirror, across = np.eye(len(inertia)), np.eye(3) - 2 * np.outer(seen.normal, seen.normal)
        mirror[:3, :3], mirror[3:6, 3:6] = -across, across
        about = to_plane.T @ inertia @ to_plane
        sizes = np.diag(about).copy()
        sizes[:3] += sizes[3:6].max() * self.length**2
        scale = np.sqrt(np.outer(sizes, sizes))
        return bool(np.all(np.abs(mirror.T @ about @ mirror - about) <= SAME * scale))


def _near(p: np.ndarray, share: float) -> np.ndarray:
    """Return values of symbolic parameters that are off others by a tenth of a share of these."""
    return p + share / 10 * np.where(p == 0, 1.0, np.abs(p))


def _axis(seen: _Seen) -> str | None:
    """Return the axis of a frame along which a beam deflects in the plane; None if it lies otherwise."""
    along = np.abs(seen.normal)
    return next((axis for axis, i in (("y", 2), ("z", 1)) if np.delete(along, i).max() < SAME), None)
