"""The terms of one block, from its physics on local symbols by automatic differentiation.

Everything the algorithms need of a block is here: how its outlets move with its inlet, its inertia, its bias forces.
The kinetic energy is a quadratic form in the inlet twist V and the block's own rates s; Hamel's equations for the
body-fixed components turn it into forces.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca
import numpy as np

from flexblocks.block import Block, Local, Physics
from flexblocks.errors import ModelError
from flexblocks.frame import Frame, skew
from flexblocks.ports import Kind


def call(function: ca.Function, *arguments: ca.SX) -> list[ca.SX]:
    """Evaluate an SX function on expressions and give zeros back their place in the sparsity pattern."""
    return [ca.sparsify(result) for result in function.call([ca.SX(a) for a in arguments], True, False)]


@dataclass(frozen=True)
class OutletTerms:
    """An outlet: its pose, and the map of motion V_b = X V_a + S s, A_b = X A_a + S s' + bias.

    Functions: ``pose(R, r, q, p) -> R_b, r_b``; ``maps(q, p) -> X (6, 6), S (6, n)``; ``bias(V, q, s, p) -> (6)``.
    """

    pose: ca.Function
    maps: ca.Function
    bias: ca.Function


@dataclass(frozen=True)
class BlockTerms:
    """What the algorithms need of one block with n coordinates.

    Functions: ``inertia(q, p) -> (6 + n, 6 + n)`` in the order (V, s); ``bias(V, q, s, p) -> (6), (n)``, velocity forces
    on the inlet and on the coordinates; ``inner(q, s, p) -> (n)``, gradients of potential and dissipation, less the loads
    that depend on coordinates alone; ``applied(q, s, w, z, u, p) -> (n)``, the loads by inputs, states and algebraics;
    ``kinetic(V, q, s, p)``; ``potential(q, p)``; ``rates(q, s, w, z, u, p)`` and ``residuals(q, s, w, z, u, p)``;
    ``outputs(R, r, V, q, s, w, z, u, p)``.
    """

    block: Block
    size: int
    has_inertia: bool
    outlets: Mapping[str, OutletTerms]
    inertia: ca.Function
    bias: ca.Function
    inner: ca.Function
    applied: ca.Function
    kinetic: ca.Function
    potential: ca.Function
    rates: ca.Function
    residuals: ca.Function
    outputs: ca.Function
    output_names: tuple[str, ...]
    output_units: tuple[str, ...]


def block_terms(block: Block, outlets: tuple[str, ...], mounted: bool, carried: np.ndarray, p: ca.SX) -> BlockTerms:
    """Return the terms of a block.

    Parameters
    ----------
    block : Block
    outlets : tuple of str
        The outlets that carry something.
    mounted : bool
        Whether the inlet is connected.
    carried : ndarray (6, 6)
        Inertia of what hangs on ``frame_b``, see `Local`.
    p : SX
        The parameters of the arm that stay symbolic; the block's own may be expressions of them.

    Raises
    ------
    ModelError
        The block's `physics` does not keep the contract.
    """
    names = [c.name for c in block.coordinates()]
    q, s = ca.SX.sym("q", len(names)), ca.SX.sym("s", len(names))
    w, z, u = (ca.SX.sym(letter, len(group)) for letter, group in zip("wzu", (block.states(), block.algebraics(), block.inputs()), strict=True))
    V, R, r = ca.SX.sym("V", 6), ca.SX.sym("R", 3, 3), ca.SX.sym("r", 3)
    symbols = dict(zip(names, ca.vertsplit(q), strict=True))
    for group, column in ((block.states(), w), (block.algebraics(), z), (block.inputs(), u)):
        symbols |= dict(zip((variable.name for variable in group), ca.vertsplit(column), strict=True))
    open_outlets = [spec.name for spec in block.ports if spec.kind is Kind.FRAME and spec.outlet]
    local = Local(symbols, q, s, tuple(dict.fromkeys([*open_outlets, *outlets])), carried)
    frame = Frame(R, r, V[:3], V[3:], local.rate) if mounted else None
    physics = block.physics(frame, local)
    _check(block, physics, local)

    T, U, D = (ca.SX(e) for e in (physics.kinetic, physics.potential, physics.dissipation))
    momentum = ca.gradient(T, ca.vertcat(V, s))
    flow = ca.jtimes(momentum, q, s) if names else ca.SX(6, 1)
    L, P = momentum[:3], momentum[3:6]
    gyroscopic = ca.vertcat(ca.mtimes(skew(V[:3]), L) + ca.mtimes(skew(V[3:]), P), ca.mtimes(skew(V[:3]), P))
    all_loads = sum((load.effort * ca.gradient(load.displacement, q) for load in physics.loads), ca.SX(len(names), 1))
    outer = ca.vertcat(w, z, u)
    passive = ca.substitute(all_loads, outer, ca.SX.zeros(outer.shape)) if outer.numel() else all_loads
    state = [q, s, w, z, u, p]
    outputs = [ca.SX(output.value) for output in physics.outputs.values()]

    def function(name: str, inputs: list[ca.SX], results: list[ca.SX]) -> ca.Function:
        return ca.Function(f"{name}", inputs, [ca.sparsify(result) for result in results])

    return BlockTerms(
        block=block,
        size=len(names),
        has_inertia=not ca.sparsify(T).nnz() == 0,
        outlets={name: _outlet(physics.outlets[name], R, r, V, q, s, p) for name in local.outlets},
        inertia=function("inertia", [q, p], [ca.jacobian(momentum, ca.vertcat(V, s))]),
        bias=function("bias", [V, q, s, p], [flow[:6] + gyroscopic, flow[6:] - ca.gradient(T, q)]),
        inner=function("inner", [q, s, p], [ca.gradient(U, q) + ca.gradient(D, s) - passive]),
        applied=function("applied", state, [all_loads - passive]),
        kinetic=function("kinetic", [V, q, s, p], [T]),
        potential=function("potential", [q, p], [U]),
        rates=function("rates", state, [ca.vertcat(*[physics.derivatives[v.name] for v in block.states()])]),
        residuals=function("residuals", state, [ca.vertcat(*physics.residuals)]),
        outputs=function("outputs", [R, r, V, *state], [ca.vertcat(*outputs)]),
        output_names=tuple(physics.outputs),
        output_units=tuple(output.unit for output in physics.outputs.values()),
    )


def _outlet(frame: Frame, R: ca.SX, r: ca.SX, V: ca.SX, q: ca.SX, s: ca.SX, p: ca.SX) -> OutletTerms:
    X, S = ca.jacobian(frame.twist, V), ca.jacobian(frame.twist, s)
    bias = ca.jtimes(frame.twist, q, s) if q.numel() else ca.SX(6, 1)
    return OutletTerms(
        pose=ca.Function("pose", [R, r, q, p], [frame.R, frame.r]),
        maps=ca.Function("maps", [q, p], [ca.sparsify(X), ca.sparsify(S)]),
        bias=ca.Function("bias", [V, q, s, p], [ca.sparsify(bias)]),
    )


def _check(block: Block, physics: Physics, local: Local) -> None:
    """Refuse physics that break the contract, so that whoever writes a block hears it by name."""
    for name in local.outlets:
        if name not in physics.outlets:
            raise ModelError(f"{block.where}: physics() returned no frame for the outlet '{name}'.")
    wanted = {variable.name for variable in block.states()}
    if set(physics.derivatives) != wanted:
        raise ModelError(
            f"{block.where}: physics() returned derivatives of {sorted(physics.derivatives)}; its states are {sorted(wanted)}."
        )
    if len(physics.residuals) != len(block.algebraics()):
        raise ModelError(
            f"{block.where}: physics() returned {len(physics.residuals)} residuals for {len(block.algebraics())} algebraic variables."
        )
