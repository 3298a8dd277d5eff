"""What is reported of a model before it is assembled: the axes of deflection of its beams, and possible mistakes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.blocks.joints.free_motion import FreeMotion
from flexblocks.dynamics.evaluation.block_kinds import BlockKinds
from flexblocks.dynamics.evaluation.block_terms import BlockTerms
from flexblocks.dynamics.tree.bending_planes import BEAMS, decided_topology
from flexblocks.dynamics.tree.outboard_inertia import evaluated
from flexblocks.interfaces import Carried
from flexblocks.modeling.arm_graph import ArmGraph
from flexblocks.modeling.spanning_tree import Topology, topology
from flexblocks.validity.implausible_sizes import implausible_sizes


@dataclass(frozen=True)
class Judgement:
    """What is reported of a model.

    Attributes
    ----------
    planes : dict of str
        By name of the beam the axes along which it deflects: ``"y"``, ``"z"`` or ``"yz"``.
    remarks : tuple of str
        Possible mistakes, each a sentence with what to do.
    particulars : dict of tuple of str
        What blocks report of themselves (`flexblocks.interfaces.Block.particulars`), by name of the block.
    """

    planes: Mapping[str, str]
    remarks: tuple[str, ...]
    particulars: Mapping[str, tuple[str, ...]]


def judgement(model: ArmGraph) -> Judgement:
    """Return what is to be said of a model that makes up an arm.

    Raises
    ------
    FlexblocksError
        A block returns what no block may return.
    """
    plan, kinds, p = topology(model), BlockKinds(ca.SX(0, 1)), np.zeros(0)
    plan = decided_topology(model, plan, {}, kinds, p, ca.SX(ca.DM(model.gravity)))
    terms, carried = evaluated(plan, kinds, p)
    planes = {name: node.block.planes for name, node in plan.nodes.items() if isinstance(node.block, BEAMS)}
    sizes = implausible_sizes(model.name, model.gravity, (node.block for node in plan.nodes.values()))
    remarks = (*_of_arm(model, plan, terms), *sizes, *_of_blocks(plan, terms, carried))
    told = {name: node.block.particulars(carried[name]) for name, node in plan.nodes.items()}
    return Judgement(planes, tuple(dict.fromkeys(remarks)), {name: lines for name, lines in told.items() if lines})


def _of_arm(model: ArmGraph, plan: Topology, terms: Mapping[str, BlockTerms]) -> Iterator[str]:
    floats = any(isinstance(node.block, FreeMotion) for node in plan.nodes.values())
    if not any(model.gravity) and not floats and any(term.size for term in terms.values()):
        yield (
            f"Model '{model.name}' has no gravity, on a base that does not move. Unless it lies level or is in space, "
            "pass gravity=(0, 0, -9.81) with z up."
        )


def _of_blocks(plan: Topology, terms: Mapping[str, BlockTerms], carried: Mapping[str, Carried]) -> Iterator[str]:
    moves = dict.fromkeys(plan.nodes, False)  # whether anything outboard of each moves against it
    for name, node in reversed(list(plan.nodes.items())):
        if node.parent is not None:
            moves[node.parent] |= moves[name] or terms[name].size > 0
    for name, node in plan.nodes.items():
        block = node.block
        yield from block.remarks(None if moves[name] else carried[name])
        yield from block.implausible_sizes(carried[name])
        yield from block.doubts(carried[name])
        yield from block.frequency_doubts(carried[name])
