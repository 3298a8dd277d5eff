"""Evaluation of a block's physics, and the check of its contract."""

from __future__ import annotations

import casadi as ca
import numpy as np

from flexblocks.dynamics.evaluation.block_symbols import BlockSymbols, block_symbols
from flexblocks.dynamics.evaluation.block_terms import BlockTerms
from flexblocks.errors import ModelError
from flexblocks.interfaces.block import Block
from flexblocks.interfaces.frame import Frame
from flexblocks.interfaces.physics import Local, Physics
from flexblocks.interfaces.ports import Kind


def block_terms(block: Block, outlets: tuple[str, ...], mounted: bool, carried: np.ndarray, p: ca.SX) -> BlockTerms:
    """Return the dynamic terms of a block.

    Parameters
    ----------
    block : Block
    outlets : tuple of str
        Outlets that carry another block or close a loop.
    mounted : bool
        Whether the block is in the tree of frames: its inlet is connected, or it is the ground.
    carried : ndarray (6, 6)
        Inertia outboard of ``frame_b``, see `Local`.
    p : SX
        Symbolic parameters of the arm; those of the block may be expressions of them.

    Raises
    ------
    ModelError
        The block's `physics` breaks the contract.
    """
    always = [spec.name for spec in block.ports if spec.kind is Kind.FRAME and spec.outlet]
    symbols, local = block_symbols(block, tuple(dict.fromkeys([*always, *outlets])), carried)
    V = ca.SX.sym("V", 6)
    inlet = Frame(ca.SX.sym("R", 3, 3), ca.SX.sym("r", 3), V[:3], V[3:], local.rate)
    physics = block.physics(inlet if mounted else None, local)
    _check(symbols, physics, local)
    _refuse_pose(block, inlet, physics)
    return BlockTerms(symbols, inlet, local, physics, ca.vertcat(p, symbols.dependent.symbols))


def _refuse_pose(block: Block, inlet: Frame, physics: Physics) -> None:
    """Refuse physics that use the inlet's pose: there is none where blocks are evaluated, and gravity needs none."""
    pose = ca.vertcat(ca.vec(inlet.R), inlet.r)
    parts = {
        "kinetic": [physics.kinetic],
        "potential": [physics.potential],
        "dissipation": [physics.dissipation],
        "power": [physics.power],
        "loads": [part for load in physics.loads for part in (load.effort, load.displacement)],
        "derivatives": list(physics.derivatives.values()),
        "residuals": list(physics.residuals),
    }
    for name, expressions in parts.items():
        if ca.depends_on(ca.vertcat(*map(ca.SX, expressions), ca.SX(0, 1)), pose):
            raise ModelError(
                f"{block.where}: physics() uses the inlet's pose, frame.R or frame.r, in its {name}; a block does not "
                "know where it is, except for outputs. Weight follows from the kinetic energy; any other force that "
                "depends on the pose is a ForceElement's."
            )


def _check(symbols: BlockSymbols, physics: Physics, local: Local) -> None:
    """Refuse physics that break the block contract, with a message to the author of the block."""
    block, dependent = symbols.block, symbols.dependent.names
    for name in local.outlets:
        if name not in physics.outlets:
            raise ModelError(f"{block.where}: physics() returned no frame for the outlet '{name}'.")
    states = sorted({variable.name for variable in block.states()}.difference(dependent))
    derived = sorted(physics.derivatives)
    if derived != states:
        raise ModelError(f"{block.where}: physics() returned derivatives of {derived}; its states are {states}.")
    count = len(physics.residuals)
    algebraics = sum(variable.name not in dependent for variable in block.algebraics())
    if count != algebraics:
        raise ModelError(f"{block.where}: physics() returned {count} residuals for {algebraics} algebraic variables.")
    # The equations of motion must not depend on sensed quantities, which would make them implicit.
    efforts = [part for load in physics.loads for part in (load.effort, load.displacement)]
    equations = [physics.kinetic, physics.potential, physics.dissipation, physics.power, *efforts, *physics.residuals]
    expressions = ca.vertcat(*[ca.SX(part) for part in (*equations, *physics.derivatives.values())])
    if ca.depends_on(
        expressions, ca.vertcat(local.acceleration, local.gravity, local.totals.stacked, *local.efforts.values())
    ):
        raise ModelError(
            f"{block.where}: physics() uses local.acceleration, local.gravity, local.totals or local.effort in its "
            "equations; these are for outputs only. Leave them out: forces of inertia and weight follow from the "
            "kinetic energy."
        )
