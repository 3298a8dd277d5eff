"""Rates of joints: within a few times those of the first guess, which keep an optimum from spinning the arm round."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from flexblocks.constraints.deformation import deforming
from flexblocks.errors import listing
from flexblocks.user_warning import warn

from ...model.read_solution import values
from ...model.trajectories import all_phase_trajectories
from ...results.plan import Plan
from ...warning_kinds import BOUNDED_RATES
from ..relaxation import Found, Relaxation
from ..request import Request

FACTOR = 2.0  # of the largest rates of the first guess, see LEAST
REACHED = 0.99  # share of a bound from which on it is reached
LEAST = 0.5  # of the largest of all joints of its unit: the rate of one that stands still in the guess; by trial


class Rates(Relaxation):
    """Limits on the rates of joints, a few times those of the first guess.

    Joints without gears or rotors let an optimum spin light links, ever faster, to save effort in others: it is
    not resolved by any mesh. A plan may end within these limits.
    """

    name = "rates"
    stays = True

    def __init__(self, asked: Request, model: Any) -> None:
        super().__init__(asked, model)
        dae = self.transcribed.dae
        n = dae.tree.size
        guessed = [np.abs(values(traj.block.v, -1, n)).max(axis=0) for traj in all_phase_trajectories(model)]
        peak, units = np.max(guessed, axis=0), np.array(dae.x.units[:n])
        rigid = ~deforming(dae)
        largest = {unit: float(peak[rigid & (units == unit)].max(initial=0.0)) for unit in set(units.tolist())}
        bounds = [FACTOR * max(rate, LEAST * largest[unit]) for rate, unit in zip(peak, units.tolist(), strict=True)]
        self._bounds = {
            f"der({name})": bound
            for name, bound, moves in zip(dae.q_names, bounds, rigid.tolist(), strict=True)
            if moves and bound and not dae.tree.loops.closures and name not in dae.prescribed
        }

    def easier(self, request: Request, level: float) -> float:
        return 1.0 if self._bounds and not level else 0.0

    def keeps(self, found: Found) -> bool:
        return not self._at_limit(found.plan)

    def lower(self, found: Found) -> float:
        return found.levels[self.name]

    def at(self, request: Request, level: float) -> Request:
        problem = request.problem
        bounds = {name: self._narrower(name, bound) for name, bound in self._bounds.items()}
        return replace(request, problem=replace(problem, limits={**problem.limits, **bounds}))

    def _narrower(self, name: str, bound: float) -> tuple[float, float]:
        low, high = self.asked.problem.ranges.get(name, (-np.inf, np.inf))
        return max(low, -bound), min(high, bound)

    def words(self, level: float) -> str:
        return f"with rates of joints within {FACTOR:g} times those of the guess" if level else "with all rates"

    def conclude(self, plan: Plan, found: Found) -> Plan:
        unit = self.transcribed.dae.x.unit
        limits = listing(f"{name} = {self._bounds[name]:.3g} {unit(name)}" for name in self._at_limit(plan))
        warn(
            f"Plan of '{self.transcribed.dae.name}': no optimum was found beyond {limits}, {FACTOR:g} times the rates "
            "of the first guess, within which it is planned. Limit the rates of joints to choose that.",
            BOUNDED_RATES,
        )
        return plan

    def _at_limit(self, plan: Plan) -> list[str]:
        """Return the rates that reach their bounds."""
        motions = plan.trajectories
        peaks = {name: max(float(np.abs(motion[name]).max()) for motion in motions) for name in self._bounds}
        return [name for name, bound in self._bounds.items() if peaks[name] > REACHED * bound]
