"""Centre of mass and momentum that a goal names, of arms that nothing pushes: they are what they were at the start."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from flexblocks.blocks.bodies.total_momentum import TotalMomentum
from flexblocks.dae.dae import DAE
from flexblocks.errors import listing

from ...errors import ProblemError
from ..boundary import End
from .base_motion import mass_of
from .conserved_momentum import CENTERD, center_of_mass, pushed_directions
from .open_base import floating_base, gyration


def check_totals(dae: DAE, begin: End, goal: Mapping[str, Any], duration: float | None) -> None:
    """Refuse a centre of mass or a momentum at the goal that a floating arm cannot have there.

    Parameters
    ----------
    dae : DAE
    begin : End
    goal : dict
        What is asked there, by name.
    duration : float or None
        [s], if it is known.

    Raises
    ------
    ProblemError
    """
    sensors = {body.name for body in dae.tree.bodies if isinstance(body.block, TotalMomentum)}
    asked = {name: float(value) for name, value in goal.items() if _is_total(name, sensors) and isinstance(value, Real)}
    floating = list(floating_base(dae, begin.point))
    if not asked or not floating or begin.kind != "fixed":
        return
    n = dae.tree.size
    place, slopes = center_of_mass(dae, begin.point)
    free = pushed_directions(slopes[:, floating])
    M, v = mass_of(dae, begin.point)(begin.point.x[:n]), begin.point.x[n : 2 * n]
    rate = slopes @ v
    turns = np.array([unit == "rad" for unit in dae.x.units[:n]])
    size = max(gyration(M, turns, i) for i in floating)
    wrong = []
    for name, value in asked.items():
        quantity, axis = name.rpartition(".")[2].split("_")
        i = "xyz".index(axis)
        if free[i, i] < 1 - CENTERD:  # something holds it along that axis
            continue
        if quantity == "center":
            if duration is None and rate[i]:
                continue
            kept, scale = place[i] + rate[i] * (duration or 0.0), size
        else:
            kept = rate[i] * float(begin.point[f"{name.rpartition('.')[0]}.mass"])
            scale = max(abs(kept), abs(value))
        if abs(value - kept) > CENTERD * scale:
            wrong.append(f"{name} = {kept:.6g}, not {value:.6g}")
    if wrong:
        raise ProblemError(
            f"plan: goal: momentum forbids it: nothing pushes the arm from outside, so that it arrives with "
            f"{listing(wrong)}. Leave these out of the goal."
        )


def _is_total(name: str, sensors: set[str]) -> bool:
    block, _, quantity = name.rpartition(".")
    return block in sensors and quantity in {f"{kind}_{axis}" for kind in ("center", "momentum") for axis in "xyz"}
