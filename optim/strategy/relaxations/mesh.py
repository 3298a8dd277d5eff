"""The mesh: a quarter of its intervals."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from ...ipopt_options import FINER_MESH
from ..relaxation import Found, Relaxation
from ..request import Request

PART, FEWEST = 4, 8  # the part of the intervals, and how many are left of them at least; by trial


class Mesh(Relaxation):
    """A quarter of the intervals, on which a motion is found that the whole mesh does not find."""

    name = "mesh"

    def __init__(self, asked: Request, model: Any) -> None:
        super().__init__(asked, model)
        counts = [t.mesh.intervals for t in self.transcribed.first]
        self._counts = tuple(max(math.ceil(count / PART), FEWEST) for count in counts)
        vias = any(t.phase.via for t in self.transcribed.first)
        self.applies = asked.options.spacing is None and not vias and sum(self._counts) <= sum(counts) / 2

    def easier(self, request: Request, level: float) -> float:
        return 1.0 if self.applies and not level else 0.0

    def at(self, request: Request, level: float) -> Request:
        return replace(request, options=replace(request.options, intervals=self._counts))

    def words(self, level: float) -> str:
        return f"on {sum(self._counts)} intervals" if level else "on the whole mesh"

    def options(self, found: Found, target: float) -> dict[str, Any]:
        return dict(FINER_MESH)
