"""What a user may not have intended by a beam: its discretisation, its loads, its sizes and what it carries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from flexblocks.beam.discretization import Discretization
from flexblocks.beam.kinematics.beam import BeamDeformation
from flexblocks.beam.properties.profile import Distribution, mean
from flexblocks.beam.section_properties import property_of
from flexblocks.beam.tip_mismatch import tip_mismatch

# A frequency that is off by more is worth a word: modes of a free tip miss by 3 % under any mass alone.
MISMATCH = 0.1
# Sections [m] and lengths [m] from which on they look like millimetres: booms have sections of at the most 1.5 m.
DEEPEST, LONGEST = 2.0, 70.0
# Times its own mass that no beam is made to carry.
HEAVY = 100.0
# Speed of sound in rods of the stiffest and lightest material, beryllium [m/s]: a beam's EI / (rho A) is at most its
# square times that of the radius of gyration of the section, which is at most half as deep.
FASTEST_SOUND = 12.9e3


def silently_rigid(where: str) -> str:
    """Return the remark on a beam without a discretisation."""
    return (
        f"{where} has no discretisation, so it does not bend; pass one, such as discretization=fb.AssumedModes(3, "
        "tip='auto') or fb.FiniteElements(2), or discretization=fb.Rigid() to keep it rigid."
    )


def free_tip(
    where: str, chosen: Discretization, suited: Discretization, bending: Sequence[BeamDeformation]
) -> tuple[str, ...]:
    """Return the remark on modes of a free tip that carries a body, if a frequency is off by much."""
    off = [tip_mismatch(chosen, suited, each, each.tip) for each in bending]
    worst = max((float(each[i]), i) for each in off for i in range(len(each)))
    if worst[0] < MISMATCH:
        return ()
    return (
        f"{where}: {chosen!r} has modes of a free tip, and the beam carries a body there: frequency "
        f"{worst[1] + 1} of the clamped beam is off by {100 * worst[0]:.0f} %. Take {suited!r}, which is made for "
        "what it carries, or fb.FiniteElements(n); tip=fb.TipBody(0.0) is a free tip on purpose.",
    )


def load_across(block: Any, length: float) -> tuple[str, ...]:
    """Return the remarks on loads along axes along which a beam does not deflect, with the deflection left out.

    `length` is that which deflects [m].
    """
    found = []
    for axis in "yz":
        load = getattr(block, f"load_{axis}")
        if axis in block.planes or load is None or load == "input":
            continue
        spread = Distribution(load, length)
        force = mean(spread) * length
        if force:
            left_out = abs(force) * length**3 / (8 * mean_rigidity(block, axis))
            found.append(
                f"{block.where}: load_{axis} of {force:.4g} N acts across the plane in which the beam bends "
                f"(bending = {block.planes!r}): a deflection of about {left_out:.2g} m is left out. Take bending='yz'."
            )
    return tuple(found)


def mean_rigidity(block: Any, axis: str) -> float:
    """Return the mean EI [N m2] of a beam for bending along an axis, also one along which it does not deflect."""
    known = property_of(block, "flexural_rigidity" if axis == "y" else "flexural_rigidity_z")
    assert known is not None
    return known.nominal


def section_doubts(block: Any) -> tuple[str, ...]:
    """Return the doubts about the section of a beam: whether it is a beam at all, and in metres."""
    if block.section is None:
        return _stiffness_doubts(block)
    sections = Distribution(block.section, block.length)
    depth = max(2 * sections.value(float(xi)).extreme_fibre(axis) for xi in np.linspace(0.0, 1.0, 5) for axis in "yz")
    if depth > DEEPEST:
        return (_in_millimeters(f"{block.where}: its section is {depth:.4g} m deep", depth),)
    if depth > block.length / 2:
        return (
            f"{block.where}: its section is {depth:.3g} m deep, more than half of its length of {block.length:.3g} m, "
            "which is no beam. Check both (in m), or take a RigidLink.",
        )
    return ()


def _stiffness_doubts(block: Any) -> tuple[str, ...]:
    """Return the doubt whether any section of a beam has its rigidity at its linear density."""
    density = property_of(block, "linear_density")
    if density is None or density.nominal <= 0:
        return ()
    rigidity = mean_rigidity(block, block.planes[0])
    depth = 2 * math.sqrt(rigidity / density.nominal) / FASTEST_SOUND
    if depth <= block.length / 2:
        return ()
    return (
        f"{block.where}: flexural_rigidity of {rigidity:.4g} N m2 at linear_density = {density.nominal:.4g} kg/m takes "
        f"a section at least {depth:.3g} m deep, more than half of its length of {block.length:.3g} m, of whatever "
        "material. Check both: rigidities are in N m2 (1 N mm2 = 1e-6 N m2), linear densities in kg/m. A beam that is "
        "not to bend has discretization=fb.Rigid().",
    )


def length_doubts(where: str, name: str, length: float) -> tuple[str, ...]:
    """Return the doubt whether a length is in metres."""
    return (_in_millimeters(f"{where}: {name} = {length:.4g} m", length),) if length > LONGEST else ()


def load_doubts(block: Any, carried: np.ndarray) -> tuple[str, ...]:
    """Return the doubt about a beam that carries far more than itself."""
    density = property_of(block, "linear_density")
    own, load = (density.nominal if density else 0.0) * block.length, float(carried[3, 3])
    if own <= 0 or load < HEAVY * own:
        return ()
    return (
        f"{block.where}: carries {load:.3g} kg, {load / own:.0f} times its own mass of {own:.3g} kg. Check both; "
        "linear densities are in kg/m.",
    )


def rigidity_doubts(block: Any) -> tuple[str, ...]:
    """Return the doubt about a beam that bends in both planes, of which one rigidity is known."""
    if block.section is not None or block.planes != "yz" or block.flexural_rigidity_z is not None:
        return ()
    return (
        f"{block.where}: bends along y and z, with one rigidity for both, as of a round section. Give "
        "flexural_rigidity_z if it has another one.",
    )


def _in_millimeters(told: str, size: float) -> str:
    return f"{told}; if it is in mm, write {size / 1000:.4g}, or {size:.4g}e-3. All lengths are in m."
