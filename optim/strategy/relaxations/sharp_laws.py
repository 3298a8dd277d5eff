"""Sharp laws: friction like viscous one and play like none, rounded off over a width that falls."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flexblocks.errors import listing
from flexblocks.interfaces import FrictionRounding
from flexblocks.user_warning import warn

from ...results.plan import Plan
from ...solver_statistics import ROUNDED, UNRESOLVED_ROUNDED
from ...warning_kinds import ROUNDED_LAWS
from ..relaxation import ContinuousRelaxation, Found
from ..request import Request
from .sharp_law import SharpLaw, rounded_arm, sharp_laws

# Widths relative to the largest rate of a shaft, or to the play: at first friction is all but viscous and teeth are a
# spring; the rate at which friction that sticks follows is what a mesh of that kind resolves. By trial.
ROUNDEST, SHARPEST = 3.0, 0.03
MOST = 40  # iterations of a step: those that converge take 5 to 40


class SharpLaws(ContinuousRelaxation):
    """The width over which laws that change sharply are rounded off, relative to that of the motion.

    The sign of a rate that is about to change has no useful derivative, nor have teeth that are about to touch. Least
    effort likes to stick, and to slow down across the play. First friction is rounded off without what matters near
    rest only, such as breakaway and the damping of bristles. The details come back last, one after another at levels
    below the least width, before a law that sticks. A plan may end with the sharpest laws that are solved; its replay
    is that of the arm itself.
    """

    name = "sharp laws"
    stays = True
    changes_arm = True
    step, longest_step, easy = 0.3, 0.1, 10

    def __init__(self, asked: Request, model: Any) -> None:
        super().__init__(asked, model)
        rounds = any(body.block.rounding is not None for body in self.transcribed.dae.tree.bodies)
        self._laws: dict[str, SharpLaw] = sharp_laws(model) if rounds else {}
        self.is_raised_first = bool(self._laws)
        if self._laws:
            self._details = list(dict.fromkeys(name for law in self._laws.values() for name in law.details))
            self._sticks = any(not law.own for law in self._laws.values())
            self.least_level = min(law.own / law.scale or SHARPEST for law in self._laws.values())
            self._arm = rounded_arm(self.transcribed.arm, self._laws)
        self._most, self._is_last, self._reached, self._target = MOST, False, ROUNDEST, ROUNDEST

    def easier(self, request: Request, level: float) -> float:
        return ROUNDEST if self._laws and not level else 0.0

    def lower(self, found: Found) -> float:
        self._target = 0.0 if self._is_last else self._next(found.levels[self.name])
        return self._target

    def _next(self, level: float) -> float:
        least, details = self.least_level, len(self._details)
        if level > least:
            target = level * self.step
            return target if target > least else least if self._sticks or details else 0.0
        count = self._restored(level)
        return least * (1 - (count + 1) / (details + 1)) if count < details else 0.0

    def shorten(self) -> bool:
        is_sharpest = self._reached <= self.least_level
        if not (is_sharpest or self._is_last) and super().shorten():
            return True
        if self._is_last or (is_sharpest and not self._target):
            return False
        self._is_last = self._sticks or is_sharpest  # the law itself, once, also from far
        return self._is_last

    def most(self, found: Found) -> int | None:
        return self._most

    def observe(self, found: Found) -> None:
        if self.name not in found.levels:
            return
        if found.levels[self.name] == ROUNDEST:
            # Shortest times and motions along lines take as many iterations from nearby
            first = found.plan.statistics.iterations or 0
            self.easy = max(self.easy, round(1.25 * first) if self.transcribed.is_free else 0)
            self._most = max(self._most, 2 * first if self.transcribed.is_free else first)
        self._reached = found.levels[self.name]

    def at(self, request: Request, level: float) -> Request:
        restored = self._details[: self._restored(level)]
        values = {
            f"{name}.{field}": value
            for name, law in self._laws.items()
            for field, value in law.rounded(max(level, self.least_level), restored).items()
        }
        return replace(request, arm=self._arm, p=dict(request.p) | values)

    def words(self, level: float) -> str:
        if not level:
            return f"with {self._nouns} {'that sticks' if self._sticks else 'as it is'}"
        width = max(level, self.least_level)
        kinds = {law.rounding.noun: law.rounding.share.format(width) for law in self._laws.values()}
        rounded = " and ".join(f"{noun} rounded off {over}" for noun, over in kinds.items())
        restored = self._details[: self._restored(level)]
        return f"{rounded} with {listing(restored)}" if restored else rounded

    def conclude(self, plan: Plan, found: Found) -> Plan:
        difficulty = " and ".join(dict.fromkeys(law.rounding.difficulty for law in self._laws.values()))
        mesh = found.plan.mesh_errors
        is_resolved = mesh is None or mesh.is_resolved
        coarse = "" if is_resolved else f" It is unresolved with these laws, too, which more intervals remedy; {mesh}."
        follow = (
            '; plan.replay(law="tracking") follows the plan with feedback'
            if FrictionRounding.noun in self._nouns
            else ""
        )
        warn(
            f"Plan of '{self.transcribed.dae.name}': {difficulty}, and is not solved to an optimum. The plan is one "
            f"with {self._difference(found.levels[self.name])}. Its replay has the {self._nouns} itself, and shows "
            f"the effect{follow}.{coarse}",
            ROUNDED_LAWS,
        )
        return replace(plan, status=ROUNDED if is_resolved else UNRESOLVED_ROUNDED)

    @property
    def _nouns(self) -> str:
        return " and ".join(dict.fromkeys(law.rounding.noun for law in self._laws.values()))

    def _restored(self, level: float) -> int:
        """Return how many details are back at a level."""
        return round(max(1 - level / self.least_level, 0.0) * (len(self._details) + 1))

    def _difference(self, level: float) -> str:
        """Return how the laws at a level differ from the modelled ones."""
        told: dict[str, list[str]] = {}
        for name, law in self._laws.items():
            softer = law.rounding.softer if law.own else "creeps instead of sticking"
            bound = law.rounding.bound.format(max(max(level, self.least_level) * law.scale, law.own))
            told.setdefault(f"{law.rounding.noun} that {softer}", []).append(f"{name} {bound}")
        return "; and ".join(f"{kind}: {listing(bounds)}" for kind, bounds in told.items())
