"""Remarks on an arm as it is assembled: what its blocks do that may not be intended."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.constraints.loop_equations import closure_equations
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.at_posture.mass_matrix import mass_at_posture
from flexblocks.dynamics.evaluation.body import Body
from flexblocks.dynamics.tree.tree import Tree
from flexblocks.errors import listing
from flexblocks.libraries import scipy
from flexblocks.plausibility import warn_of_degrees
from flexblocks.user_warning import warn
from flexblocks.validity.held_roots import remarks_on_held_roots
from flexblocks.validity.held_tips import remarks_on_held_tips
from flexblocks.validity.implausible_sizes import implausible_sizes
from flexblocks.validity.large_deflections import is_quiet
from flexblocks.warning_kinds import BLOCK_REMARK, HELD_ENDS, IMPLAUSIBLE_SIZES, MODAL_DAMPING, SLENDER_THEORY

# Modes that are looked at: those above are rarely of interest, and the last of an assumed few is hardly one of the arm.
MODES = 3
# More than so many times the damping ratio that was requested, and more than this ratio, is another arm.
TIMES, SEEN = 3.0, 0.02


def warn_of_remarks(dae: DAE) -> None:
    """Warn of sizes, blocks, damping and start angles that may not be intended.

    Sizes are implausible, blocks remark on themselves, modes are damped far more than was requested, ends of beams are
    held by what they do not resolve, or angles are in degrees. Each once.
    """
    if is_quiet():
        return
    held = (*remarks_on_held_tips(dae), *remarks_on_held_roots(dae))
    kinds = {
        IMPLAUSIBLE_SIZES: _of_sizes(dae),
        BLOCK_REMARK: _of_blocks(dae.tree),
        MODAL_DAMPING: _of_damping(dae),
        HELD_ENDS: held,
    }
    for kind, remark in ((kind, remark) for kind, remarks in kinds.items() for remark in remarks):
        warn(f"assemble: {remark}", kind)
    warn_of_degrees("assemble: start: ", dae, dict(zip(dae.q_names, dae.x.start.tolist(), strict=False)))


def warn_of_slender_theory(dae: DAE, where: str) -> None:
    """Warn of beams whose theory misses frequencies that they keep, see `Block.frequency_doubts`."""
    texts = () if is_quiet() else _slender_theory(dae)
    if texts:
        warn(f"{where}: {' '.join(texts)}", SLENDER_THEORY)


@lru_cache(maxsize=32)
def _slender_theory(dae: DAE) -> tuple[str, ...]:
    return tuple(text for body in dae.tree.bodies for text in body.block.nominal.frequency_doubts(body.carried))


def _of_sizes(dae: DAE) -> Iterable[str]:
    tree = dae.tree
    bodies = [(body.block.nominal, body.carried) for body in tree.bodies]
    yield from implausible_sizes(dae.name, tree.gravity_at(dae.p.start), (block for block, _ in bodies))
    for block, carried in bodies:
        yield from block.implausible_sizes(carried)


def _of_blocks(tree: Tree) -> Iterable[str]:
    # Whether anything moves outboard of each body: a parent comes before what it carries.
    moves = [False] * len(tree.bodies)
    for index, body in reversed(list(enumerate(tree.bodies))):
        if body.parent is not None:
            moves[body.parent] |= moves[index] or body.terms.size > 0
    for body, moving in zip(tree.bodies, moves, strict=True):
        yield from body.block.nominal.remarks(None if moving else body.carried)


def _of_damping(dae: DAE) -> Iterable[str]:
    """Yield a remark if modes of the arm are damped far more than those of its beams, which are clamped."""
    beams = {i: b.block.nominal.modal_damping for i, b in enumerate(dae.tree.bodies)}
    asked = max(beams.values(), default=0.0)
    if not asked or not dae.tree.size:
        return
    ratios = _damping_ratios(dae, [i for i, ratio in beams.items() if ratio])[:MODES]
    if np.any((ratios > TIMES * asked) & (ratios > SEEN)):
        names = [dae.tree.bodies[i].block.where for i, ratio in beams.items() if ratio == asked]
        words = listing(f"{100 * ratio:.2g} %" for ratio in ratios)
        yield (
            f"damping_ratio = {asked:g} of {listing(names, 2)} is that of the beam clamped to a wall; in this arm, "
            f"which yields there, modes have {words}. "
            "flexblocks.choose_damping(model, ratio) finds what the beams must have for modes of the arm to have it; a "
            "rotor on a driven joint belongs to the arm, too."
        )


def _damping_ratios(dae: DAE, beams: list[int]) -> np.ndarray:
    """Return the damping ratios of the elastic modes at the start by the damping of these bodies, the slowest first."""
    tree, n = dae.tree, dae.tree.size
    x, z, p = dae.x.start, dae.z.start, dae.p.start
    K, D = np.zeros((n, n)), np.zeros((n, n))
    for index, body in enumerate(tree.bodies):
        if body.terms.size:
            share, (of_q, of_s) = body.share.full(), _slopes(body, x[:n], p, dae)
            K += share.T @ of_q @ share
            D += share.T @ of_s @ share if index in beams else 0.0
    M = mass_at_posture(tree, *dae.posture(x, z, p))
    if tree.loops.closures:
        N = scipy.linalg.null_space(closure_equations(dae).closures(x[:n], p)[1].full(), rcond=1e-9)
        K, D, M = (N.T @ matrix @ N for matrix in (K, D, M))
    if not len(M):
        return np.zeros(0)  # a structure; older versions of SciPy refuse empty matrices
    try:
        squares, modes = scipy.linalg.eigh((K + K.T) / 2, M)
    except np.linalg.LinAlgError:
        return np.zeros(0)  # at a posture where a coordinate moves no mass the arm has no modes
    elastic = squares > 1e-9 * np.max(squares, initial=0.0)
    modes, frequencies = modes[:, elastic], np.sqrt(squares[elastic])
    return np.einsum("ik,ij,jk->k", modes, D, modes) / (2 * frequencies)


def _slopes(body: Body, q: np.ndarray, p: np.ndarray, dae: DAE) -> tuple[np.ndarray, np.ndarray]:
    """Return the stiffness and the damping (n, n) of one block, at rest."""
    coordinates, rates = ca.SX.sym("q", body.terms.size), ca.SX.sym("s", body.terms.size)
    dependent = dict(zip(dae.x.names, dae.x.start, strict=True)) | dict(zip(dae.z.names, dae.z.start, strict=True))
    own = [dependent[f"{body.name}.{name}"] for name in body.terms.symbols.dependent.names]
    force = body.terms.inner(coordinates, rates, ca.DM(np.concatenate([p, own])))
    at = ca.Function("slopes", [coordinates, rates], [ca.jacobian(force, coordinates), ca.jacobian(force, rates)])
    stiffness, damping = at(body.share.gather(q), 0.0)
    return stiffness.full(), damping.full()
