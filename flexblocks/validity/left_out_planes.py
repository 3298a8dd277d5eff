"""What forces from outside do across planes in which beams do not bend: the deflection that is left out.

A beam that bends in one plane is rigid across it. Forces and torques in world axes, and distributed loads that are
inputs, have no influence on which planes these are; where they have a part across, its static deflection of the clamped
beam is the estimate, s^2 (3 l - s) F / (6 EI) + s (2 l - s) M / (2 EI) at the tip, with the force F and the moment M at
the distance s from the root.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np

from flexblocks.blocks.bodies.beam_remarks import mean_rigidity
from flexblocks.blocks.bodies.flexible_beam import FlexibleBeam
from flexblocks.blocks.forces.world_force import WorldForce, WorldTorque
from flexblocks.dae.dae import DAE
from flexblocks.dynamics.algorithms.kinematics import motions, outlet_motion
from flexblocks.dynamics.evaluation.element import Element
from flexblocks.errors import listing
from flexblocks.user_warning import warn
from flexblocks.warning_kinds import LEFT_OUT_PLANES

# Deflections, in units of the length, that are rounding of a force in the plane.
ROUNDING = 1e-9


@dataclass(frozen=True)
class LeftOut:
    """A deflection that is left out.

    Attributes
    ----------
    beam : FlexibleBeam
    axis : str
    deflection : float
        The largest over the samples, of the tip [m].
    sources : tuple of str
        The inputs that cause it.
    """

    beam: FlexibleBeam
    axis: str
    deflection: float
    sources: tuple[str, ...]


def warn_of_left_out_planes(where: str, many: str, cases: Mapping[str, list[LeftOut]]) -> None:
    """Warn, once, of deflections that are left out in some of many cases, each with its worst.

    Parameters
    ----------
    where : str
        The call, for the message.
    many : str
        What a number of cases is called, as ``"in {} runs"``.
    cases : dict
        `left_out_planes` of each, by what it is called, as ``"in run 3"``; by an empty name of the only one.
    """
    found: dict[tuple[str, str], list[tuple[str, LeftOut]]] = {}
    for name, deflections in cases.items():
        for one in deflections:
            found.setdefault((one.beam.name, one.axis), []).append((name, one))
    texts = []
    for those in found.values():
        name, worst = max(those, key=lambda case: case[1].deflection)
        which = name if len(those) == 1 else f"{many.format(len(those))}, the most {name}:"
        texts.append(
            f"{which} {worst.beam.where} bends along {worst.beam.planes} alone, where {listing(worst.sources)} would "
            f"deflect it by about {worst.deflection:.2g} m along {worst.axis}, which is left out. Give it bending='yz'."
        )
    if texts:
        warn(f"{where}: {' '.join(text.lstrip() for text in texts)}", LEFT_OUT_PLANES)


def left_out_planes(dae: DAE, x: np.ndarray, z: np.ndarray, u: np.ndarray, p: np.ndarray) -> list[LeftOut]:
    """Return the deflections that inputs would cause along axes along which beams do not deflect.

    Arguments as for `flexblocks.validity.large_deflections.warn_of_large_deflections`.
    """
    found = []
    for index, axis in _rigid_axes(dae):
        beam = dae.tree.bodies[index].block.nominal
        caused = {name: np.nan_to_num(tip) for name, tip in _deflections(dae, index, axis, x, z, u, p)}
        largest = float(np.abs(sum(caused.values(), np.zeros(len(x)))).max(initial=0.0))
        if largest > ROUNDING * beam.length:
            sources = tuple(name for name, tip in caused.items() if tip.any())
            found.append(LeftOut(beam, axis, largest, sources))
    return found


@lru_cache(maxsize=32)
def _rigid_axes(dae: DAE) -> tuple[tuple[int, str], ...]:
    """Return the beams that bend, by index, each with an axis along which it does not."""
    bodies = enumerate(dae.tree.bodies)
    beams = [(i, body.block.nominal) for i, body in bodies if isinstance(body.block, FlexibleBeam)]
    bent = ((i, beam) for i, beam in beams if beam.discretization.coordinates(beam.planes[0]))
    return tuple((i, axis) for i, beam in bent for axis in "yz" if axis not in beam.planes)


def _deflections(
    dae: DAE, index: int, axis: str, x: np.ndarray, z: np.ndarray, u: np.ndarray, p: np.ndarray
) -> Iterator[tuple[str, np.ndarray]]:
    """Yield what each input from outside, by name, would do at the tip of a beam (samples,) [m]."""
    beam = dae.tree.bodies[index].block.nominal
    length, twice = beam.length, 2 * mean_rigidity(beam, axis)
    if getattr(beam, f"load_{axis}") == "input":
        name = f"{beam.name}.load_{axis}"
        yield name, u[:, dae.u.index(name)] * length**4 / (4 * twice)
    across, about, sign = (1, 2, 1.0) if axis == "y" else (2, 1, -1.0)
    for element in dae.tree.elements:
        if not isinstance(element.terms.block, (WorldForce, WorldTorque)):
            continue
        place = _place(dae, index, element)
        if place is None or not u[:, element.u].any():
            continue
        at, effort = (part.full() for part in place(x.T, z.T, u.T, p))
        force, torque = (effort, 0 * effort) if isinstance(element.terms.block, WorldForce) else (0 * effort, effort)
        s = np.clip(at[0], 0.0, length)
        moment = (at[0] - s) * force[across] - at[across] * force[0] + sign * torque[about]
        yield element.name, (s**2 * (length - s / 3) * force[across] + s * (2 * length - s) * moment) / twice


@lru_cache(maxsize=64)
def _place(dae: DAE, index: int, element: Element) -> ca.Function | None:
    """Return the function (x, z, u, p) -> place (3) and effort (3) of an element in the axes of a beam's root.

    None if the beam does not carry what the element acts on.
    """
    tree, (body, outlet) = dae.tree, element.places[0]
    chain: int | None = body
    while chain is not None and chain != index:
        chain = tree.bodies[chain].parent
    if chain is None:
        return None
    q, v, _ = tree.split_state(dae.x.symbol)
    inlets = motions(tree, q, v)
    (root, origin, _), (R, r, _) = inlets[index], outlet_motion(tree, inlets, body, outlet, q, v)
    effort = dae.u.symbol[element.u]
    if element.terms.block.nominal.resolve_in == "frame":
        effort = R @ effort
    arguments = [dae.x.symbol, dae.z.symbol, dae.u.symbol, dae.p.symbol]
    return ca.Function("place", arguments, [ca.densify(root.T @ each) for each in (r - origin, effort)])
