"""Section forces of a beam: forces, moments and bending stress at its cuts, as outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flexblocks.beam.properties.profile import Distribution
from flexblocks.beam.shapes.internal_forces import Cut
from flexblocks.beam.stress import bending_stress, largest
from flexblocks.errors import ParameterError
from flexblocks.interfaces import Local, Output


def checked_stations(where: str, stations: Any, length: float, words: str = "") -> tuple[float, ...]:
    """Return stations along a beam as floats, from the root outward; `words` say what they are, for messages.

    Raises
    ------
    ParameterError
        One is not on the beam, or is listed twice.
    """
    words = words or f"places x from 0 to the length, {length:g} m"
    places = tuple(stations) if isinstance(stations, Sequence) and not isinstance(stations, str) else (stations,)
    for x in places:
        if isinstance(x, bool) or not isinstance(x, (int, float)) or not 0 <= x <= length:
            raise ParameterError(f"{where}: internal_forces = {stations!r}; must be {words}.")
    if len(set(places)) < len(places):
        raise ParameterError(f"{where}: internal_forces = {stations!r}; must be distinct places, each listed once.")
    return tuple(sorted(float(x) for x in places))


def section_forces(
    cuts: Sequence[Cut],
    deformations: tuple[str, ...],
    local: Local,
    sections: Distribution | None,
    largest_stress: bool,
) -> dict[str, Output]:
    """Return what the outer part of a beam exerts on the inner at each cut, and the bending stress of its sections."""
    outputs, stresses = {}, []
    for cut in cuts:
        held = {c.name: c for c in cut.coordinates(deformations)}
        efforts = {name: -local.effort(name) for name in held}
        moment = {axis: efforts[f"{cut.label}moment_{axis}"] for axis in deformations if axis in "yz"}
        stress = bending_stress(sections, cut.xi, moment) if sections is not None else None
        if stress is not None:
            stresses.append(stress)
        if not cut.hinges_only:
            outputs |= {n: Output(e, "N m" if held[n].unit == "rad" else "N") for n, e in efforts.items()}
            outputs |= {f"{cut.label}stress": Output(stress, "Pa")} if stress is not None else {}
    if largest_stress:
        outputs["largest_stress"] = Output(largest(stresses), "Pa")
    return outputs
