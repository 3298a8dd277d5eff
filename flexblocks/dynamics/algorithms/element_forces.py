"""Forces of force elements: the frames they act on, from the innermost that all of them share, and their wrenches."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from flexblocks.dynamics.algorithms.kinematics import NodeWrenches
from flexblocks.dynamics.algorithms.relative_motions import Motion, RelativeMotions
from flexblocks.dynamics.evaluation.block_terms import call
from flexblocks.dynamics.evaluation.element import Element
from flexblocks.dynamics.tree.tree import Tree


def element_wrenches(
    tree: Tree, q: ca.SX, v: ca.SX, x: ca.SX | None = None, z: ca.SX | None = None, u: ca.SX | None = None
) -> NodeWrenches:
    """Return the wrenches of all force elements: the passive ones, or with (x, z, u) those that depend on these."""
    sweep = RelativeMotions(tree, q, v)
    force, wrench = ca.SX(tree.size, 1), [ca.SX(6, 1) for _ in sweep.nodes]
    for element in tree.elements:
        if x is None or z is None or u is None:
            exerted = _exerted(tree, element, "passive", _seen(sweep, element), _none(element))
        else:
            exerted = _exerted(tree, element, "applied", _seen(sweep, element), _own(tree, element, x, z, u))
        for node, on_frame in zip(tree.nodes_of(element), exerted, strict=True):
            wrench[node] += ca.sparsify(on_frame)
    return sweep.inward(wrench, force)


def frame_wrenches(tree: Tree, x: ca.SX, z: ca.SX, u: ca.SX) -> dict[str, list[ca.SX]]:
    """Return by element the whole wrenches (6) on its frames, torque over force, in the axes of each frame.

    `u` are the inputs of all blocks.
    """
    q, v, _ = tree.split_state(x)
    sweep, wrenches = RelativeMotions(tree, q, v), {}
    for element in tree.elements:
        motions = _seen(sweep, element)
        parts = (
            _exerted(tree, element, "passive", motions, _none(element)),
            _exerted(tree, element, "applied", motions, _own(tree, element, x, z, u)),
        )
        wrenches[element.name] = [passive + applied for passive, applied in zip(*parts, strict=True)]
    return wrenches


def element_values(tree: Tree, kind: str, x: ca.SX, z: ca.SX, u: ca.SX) -> dict[str, ca.SX]:
    """Return the values of one function of every force element, by name; `u` are the inputs of all blocks."""
    q, v, _ = tree.split_state(x)
    sweep = RelativeMotions(tree, q, v)
    return {
        element.name: call(
            getattr(element.terms, kind),
            *_arguments(tree, element, _seen(sweep, element), *_own(tree, element, x, z, u)),
        )[0]
        for element in tree.elements
    }


def element_potentials(tree: Tree, q: ca.SX) -> dict[str, ca.SX]:
    """Return the energy [J] stored in every force element, by name."""
    sweep, energies = RelativeMotions(tree, q, ca.SX(tree.size, 1)), {}
    for element in tree.elements:
        (energy,) = call(element.terms.potential, *_arguments(tree, element, _seen(sweep, element), *_none(element)))
        energies[element.name] = energy
    return energies


def element_origins(tree: Tree, q: ca.SX) -> dict[str, list[ca.SX]]:
    """Return by element the origins (3) [m] of the frames it acts on, in axes that depend on the element."""
    sweep = RelativeMotions(tree, q, ca.SX(tree.size, 1))
    return {element.name: [r for _, r, *_ in _seen(sweep, element)] for element in tree.elements}


def _exerted(tree: Tree, element: Element, kind: str, motions: Sequence[Motion], own: Sequence[ca.SX]) -> list[ca.SX]:
    """Return the wrenches (6) of one function of an element on its frames, in the axes of each."""
    (exerted,) = call(getattr(element.terms, kind), *_arguments(tree, element, motions, *own))
    wrenches = []
    for i, axes in enumerate(element.terms.axes):
        on_frame = exerted[6 * i : 6 * i + 6]
        wrenches.append(on_frame if axes is None else ca.vertcat(axes @ on_frame[:3], axes @ on_frame[3:]))
    return wrenches


def _none(element: Element) -> list[ca.SX]:
    """Return zeros for the states, algebraic variables and inputs of an element."""
    return [ca.SX(symbols.shape[0], 1) for symbols in (element.terms.w, element.terms.z, element.terms.u)]


def _own(tree: Tree, element: Element, x: ca.SX, z: ca.SX, u: ca.SX) -> list[ca.SX]:
    return [tree.split_state(x)[2][element.w], z[element.z], u[element.u]]


def _arguments(tree: Tree, element: Element, motions: Sequence[Motion], *own: ca.SX) -> list[ca.SX]:
    return [*(part for motion in motions for part in motion), *own, element.terms.p, tree.gravity]


def _seen(sweep: RelativeMotions, element: Element) -> list[Motion]:
    """Return the motions of the frames of an element, in the axes in which it sees them."""
    nodes, axes = sweep.tree.nodes_of(element), element.terms.axes
    # What does not depend on where it is costs only the way between its ends,
    base = 0 if element.terms.absolute else sweep.common(nodes)
    # and may take any axes for those of the world: those that it prescribes at an end that is fixed in the base.
    fixed, start = (None, ca.DM.eye(3)) if element.terms.absolute else _fixed(sweep, base, nodes, axes)
    motions = []
    for i, (node, seen) in enumerate(zip(nodes, axes, strict=True)):
        (R, r), V = sweep.pose(start, base, node), sweep.twist(base, node)
        omega, v = V[:3], V[3:]
        if seen is not None:
            R, omega, v = ca.SX.eye(3) if i == fixed else R @ seen, seen.T @ omega, seen.T @ v
        motions.append((ca.sparsify(R), r, ca.sparsify(omega), ca.sparsify(v)))
    return motions


def _fixed(
    sweep: RelativeMotions, base: int, nodes: Sequence[int], axes: Sequence[ca.DM | None]
) -> tuple[int | None, ca.DM]:
    """Return which frame, of those with prescribed axes, is fixed to the base, if any; and the axes to begin in."""
    for i, (node, seen) in enumerate(zip(nodes, axes, strict=True)):
        R, _ = sweep.pose(ca.DM.eye(3), base, node)
        if seen is not None and R.is_constant():
            return i, ca.sparsify((ca.DM(R) @ seen).T)
    return None, ca.DM.eye(3)
