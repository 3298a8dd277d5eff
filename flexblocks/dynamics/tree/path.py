"""Paths from one body to the next: a translation and rotations, each a motion transform."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import casadi as ca

from flexblocks.dynamics.evaluation.block_terms import BlockTerms
from flexblocks.dynamics.tree.motion_transform import MotionTransform
from flexblocks.interfaces.frame import Frame, Reorientation, Turn


@dataclass(frozen=True, eq=False)
class Path:
    """Path along a chain of blocks, the first with inertia (or the ground), to the outlet of the last.

    Attributes
    ----------
    moves : tuple of (Frame or Turn, MotionTransform)
        The point it leads to, unless that is where it begins, then turn by turn.
    shifts : int
        How many of these are translations: one, or none.
    of_first : frozenset of int
        Identities of the frames and turns that are the first block's alone.
    """

    moves: tuple[tuple[Frame | Turn | Reorientation, MotionTransform], ...]
    shifts: int
    of_first: frozenset[int]

    def is_of_first(self, move: Frame | Turn | Reorientation) -> bool:
        """Whether a move belongs to the first block, and so to all paths that begin there."""
        return id(move) in self.of_first


def path_along(terms: Sequence[BlockTerms], outlets: Sequence[str]) -> Path:
    """Return the path along a chain of blocks, with symbols that differ, out of these outlets."""
    point, turns = _split(_end(terms, outlets))
    alone, own = _split(terms[0].outlets[outlets[0]])
    moves: list[tuple[Frame | Turn | Reorientation, MotionTransform]] = []
    if point is not terms[0].inlet:
        moves.append((point, _shift(terms, point)))
    shifts = len(moves)
    moves += [(turn, _turned(terms, turn)) for turn in turns]
    return Path(tuple(moves), shifts, frozenset(map(id, (alone, *own))))


def _split(frame: Frame) -> tuple[Frame, list[Turn | Reorientation]]:
    """Return the frame at the point where a path leads, and the rotations after it."""
    turns: list[Turn | Reorientation] = []
    while frame.turn is not None:
        turns.append(frame.turn)
        frame = frame.turn.before
    return frame, turns[::-1]


def _end(terms: Sequence[BlockTerms], outlets: Sequence[str]) -> Frame:
    """Return the frame at the end of a chain of blocks, as an expression of the inlet of the first."""
    frame = terms[0].outlets[outlets[0]]
    for block, outlet in zip(terms[1:], outlets[1:], strict=True):
        frame = block.block.physics(replace(frame, rate=block.local.rate), block.local).outlets[outlet]
    return frame


def _shift(terms: Sequence[BlockTerms], point: Frame) -> MotionTransform:
    inlet = terms[0].inlet
    pose, origin = ca.vertcat(ca.vec(inlet.R), inlet.r), ca.vertcat(ca.vec(ca.SX.eye(3)), ca.SX(3, 1))
    arm = ca.substitute(point.r, pose, ca.densify(origin))
    return _transform(terms, inlet.twist, point.twist, arm, point.drift)


def _turned(terms: Sequence[BlockTerms], turn: Turn | Reorientation) -> MotionTransform:
    V = ca.SX.sym("V", 6)
    bias = turn.bias if isinstance(turn, Reorientation) else None
    return _transform(terms, V, turn.of(V[:3], V[3:]), ca.SX(3, 1), bias)


def _transform(terms: Sequence[BlockTerms], V: ca.SX, twist: ca.SX, arm: ca.SX, bias: ca.SX | None) -> MotionTransform:
    return MotionTransform(
        V=V,
        twist=twist,
        q=ca.vertcat(*[t.symbols.q for t in terms]),
        s=ca.vertcat(*[t.symbols.s for t in terms]),
        configuration=ca.vertcat(*[t.symbols.configuration for t in terms]),
        configuration_rates=ca.vertcat(*[t.symbols.configuration_rates for t in terms]),
        p=ca.vertcat(terms[0].p, *[t.symbols.dependent.symbols for t in terms[1:]]),
        arm=arm,
        intermediates=tuple(t.local.intermediates for t in terms if t.local.intermediates.columns),
        known_bias=bias,
    )
