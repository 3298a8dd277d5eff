"""Bending moment and stress along the beams of an arm during a motion, by the method of sections."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np

from flexblocks.beam.properties.profile import Distribution
from flexblocks.beam.shapes.internal_forces import Cut
from flexblocks.blocks.bodies.flexible_beam import FlexibleBeam
from flexblocks.blocks.bodies.sliding_beam import SlidingBeam
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.internal_forces import internal_forces

# Intervals of a beam at whose ends the moment is looked at: between two of them that of a static load exceeds theirs by
# less than 0.8 % of its largest.
INTERVALS = 8


@dataclass(frozen=True, eq=False)
class BeamLoads:
    """Loads of one beam over time.

    Attributes
    ----------
    xi : ndarray (k,)
        Places in units of the length.
    moment : ndarray (frames, k)
        Magnitude of the bending moment [N m].
    stress : ndarray (frames, k) or None
        Largest bending stress [Pa]; None of a beam without a section.
    """

    xi: np.ndarray
    moment: np.ndarray
    stress: np.ndarray | None


def beam_loads(dae: DAE, x: np.ndarray, z: np.ndarray, u: np.ndarray, p: np.ndarray) -> dict[str, BeamLoads]:
    """Return the loads of all beams that may bend, by name, at states (frames, nx) of a motion under inputs u."""
    beams = _beams(dae)
    if not beams:
        return {}
    n, frames = dae.tree.size, len(x)
    functions, more = dae.interpreted, [z.T] if len(dae.z) else []
    a = np.array(functions.forward_dynamics(x.T, u.T, p, *more)).reshape(len(dae.x), frames)[n : 2 * n]
    forces = np.zeros((0, frames))
    if dae.tree.loops.closures:
        forces = np.array(functions.multipliers(x.T, u.T, p, *more)).reshape(-1, frames)
    values = np.array(_moments(dae)(x.T, z.T, u.T, a, forces, p)).reshape(-1, frames).T
    xi, loads, column = np.linspace(0.0, 1.0, INTERVALS + 1), {}, 0
    for name, block in beams.items():
        count = len(block.planes)
        parts = values[:, column : column + count * len(xi)].reshape(frames, count, len(xi))
        column += count * len(xi)
        moments = {axis: parts[:, i] for i, axis in enumerate(block.planes)}
        loads[name] = BeamLoads(xi, np.linalg.norm(parts, axis=1), _stress(block, xi, moments))
    return loads


Beam = FlexibleBeam | SlidingBeam


@lru_cache(maxsize=8)
def _hinged(kind: type[Any]) -> type[Any]:
    """Return beams of a kind whose cuts feel moments of bending alone: a third of the coordinates of whole cuts."""

    class Hinged(kind):
        @property
        def cuts(self) -> tuple[Cut, ...]:
            return tuple(
                Cut(xi, f"moment({xi!r}).", hinges_only=True) for xi in np.linspace(0.0, 1.0, INTERVALS + 1).tolist()
            )

    return Hinged


def _beams(dae: DAE) -> dict[str, Beam]:
    """Return the beams with cuts at all places, by name; of sliding ones those whose forces are known at all."""
    cut = {}
    for body in dae.tree.bodies:
        if isinstance(body.block, SlidingBeam) and not body.block.stretches:
            continue
        if isinstance(body.block, Beam) and body.parent is not None:
            beam = body.block.with_values({"internal_forces": (), "largest_stress": False})
            object.__setattr__(beam, "__class__", _hinged(type(beam)))  # the same beam, symbols and all, cut elsewhere
            cut[body.name] = beam
    return cut


@lru_cache(maxsize=4)
def _moments(dae: DAE) -> ca.Function:
    """Return the function (x, z, u, a, loop forces, p) -> moments [N m] at the cuts, plane by plane, of each beam."""
    tree, beams = dae.tree, _beams(dae)
    a, forces = ca.SX.sym("a", tree.size), ca.SX.sym("f", len(tree.loops.multipliers))
    inputs = tree.block_inputs(dae.x.symbol, dae.z.symbol, dae.u.symbol)
    efforts, _ = internal_forces(tree, dae.x.symbol, dae.z.symbol, inputs, a, forces, beams)
    rows = []
    for name, block in beams.items():
        held = [c.name for c in block.coordinates() if c.held]
        rows += [-efforts[name][held.index(f"{cut.label}moment_{axis}")] for axis in block.planes for cut in block.cuts]
    arguments = [dae.x.symbol, dae.z.symbol, dae.u.symbol, a, forces, dae.p.symbol]
    return ca.Function("moments", arguments, [ca.densify(ca.vertcat(*rows))])


def _stress(block: Beam, xi: np.ndarray, moments: dict[str, np.ndarray]) -> np.ndarray | None:
    """Return the largest bending stress (frames, k) [Pa]; at a jump of the section that on the outer side."""
    definition = block.nominal.section
    if definition is None:
        return None
    sections = Distribution(definition, block.nominal.length)
    stress = []
    for k, place in enumerate(xi):
        symbols = {axis: ca.SX.sym(axis) for axis in moments}
        value = sections.value(float(place)).bending_stress(symbols)
        function = ca.Function("stress", [*symbols.values()], [value])
        stress.append(np.array(function(*[moment[:, k][None] for moment in moments.values()])).ravel())
    return np.array(stress).T
