"""Internal forces: section forces and what holds locked coordinates, by inverse dynamics with these released."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import casadi as ca

from flexblocks.dynamics.algorithms.generalized_forces import applied_force
from flexblocks.dynamics.algorithms.loop_closure import closure_residual
from flexblocks.dynamics.algorithms.newton_euler import inverse_dynamics
from flexblocks.dynamics.evaluation.block_terms import BlockTerms
from flexblocks.dynamics.evaluation.body import Body
from flexblocks.dynamics.evaluation.evaluate import block_terms
from flexblocks.dynamics.evaluation.incidence import Incidence
from flexblocks.dynamics.tree.tree import Tree
from flexblocks.interfaces.block import Block

NO_OTHERS: Mapping[str, Block] = MappingProxyType({})


def internal_forces(
    tree: Tree,
    x: ca.SX,
    z: ca.SX,
    inputs: ca.SX,
    a: ca.SX,
    multipliers: ca.SX,
    blocks: Mapping[str, Block] = NO_OTHERS,
) -> tuple[dict[str, ca.SX], ca.SX]:
    """Return by body the efforts [N m or N] on its held coordinates, and those on the locked ones (one per lock).

    `a` (n) are the accelerations of the arm, `inputs` those of the blocks, `multipliers` (m) the loop forces. The
    efforts are the generalised forces of inverse dynamics in the same tree with these coordinates released, at zero.
    `blocks` stand in, by name, for bodies that differ from them in held coordinates alone; the efforts are then theirs,
    and only theirs.
    """
    released, held = _released(tree, blocks)
    n = tree.size
    none = ca.SX(released.size - n, 1)
    q, v, w = tree.split_state(x)
    # Inverse dynamics of the tree with its held coordinates released, at zero and at rest.
    q, v = ca.vertcat(q, none), ca.vertcat(v, none)
    force = inverse_dynamics(released, q, v, ca.vertcat(a, none))
    force -= applied_force(released, ca.vertcat(q, v, w), z, inputs)
    # Loop forces do work on the released coordinates too.
    if tree.loops.closures:
        let_go = ca.SX.sym("released", released.size - n)
        moving = ca.vertcat(x[:n], let_go)
        work = ca.jtimes(closure_residual(released, moving), moving, multipliers, True)
        force -= ca.substitute(work, let_go, ca.densify(none))
    # Blocks that are evaluated anew have symbols of their own for their dependent variables.
    if tree.dependent.numel():
        force = ca.substitute(force, released.dependent, tree.dependent)
    efforts, column = {}, n
    for body in released.bodies:
        if count := held.get(body.name, 0):
            efforts[body.name] = force[column : column + count]
            column += count
    return efforts, force[column:]


def _released(tree: Tree, blocks: Mapping[str, Block]) -> tuple[Tree, dict[str, int]]:
    """Return the tree with all held coordinates, then all locked ones, appended to the arm's.

    And the number of held ones by body. Blocks that have some are evaluated anew: the equations of motion know nothing
    of them.
    """
    cut = {body.name: blocks.get(body.name, body.block) for body in tree.bodies if _is_cut(body, blocks)}
    terms = {i: _terms(tree, i, cut[body.name]) for i, body in enumerate(tree.bodies) if body.name in cut}
    first_lock = tree.size + sum(len(each.held) for each in terms.values())
    size = first_lock + len(tree.locks)
    bodies, column = [], tree.size
    for index, body in enumerate(tree.bodies):
        own, rows = body.share.shape[0], terms[index].held if index in terms else ()
        height = len(terms[index].coordinates) if index in terms else own
        # Held coordinates come after the others.
        free = min(own, height)
        entries = {(row, j): factor for row, j, factor in body.share.entries if row < free}
        for row in rows:
            entries[row, column] = 1.0
            column += 1
        for number, lock in enumerate(tree.locks):
            for row in range(free):
                if (index, row) in lock.factors:
                    entries[row, first_lock + number] = lock.factors[index, row]
        share = Incidence.of(((*place, factor) for place, factor in entries.items()), (height, size))
        block = cut.get(body.name, body.block)
        bodies.append(replace(body, block=block, terms=terms.get(index, body.terms), share=share))
    counts = {tree.bodies[i].name: len(each.held) for i, each in terms.items()}
    return replace(tree, bodies=tuple(bodies), size=size, feedback=None, locks=()), counts


def _is_cut(body: Body, blocks: Mapping[str, Block]) -> bool:
    return body.name in blocks if blocks else bool(body.terms.held)


def _terms(tree: Tree, index: int, block: Block) -> BlockTerms:
    """Return the terms of a body with the held coordinates of its block released."""
    body = tree.bodies[index]
    outlets, mounted = body.terms.local.outlets, body.parent is not None or index == tree.root
    locked = dict(zip((c.name for c in body.terms.coordinates), body.terms.symbols.offsets.tolist(), strict=True))
    return block_terms(block, outlets, mounted, body.carried, tree.p, locked, released=True)
