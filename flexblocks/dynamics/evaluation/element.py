"""Elements of the arm: the terms of a force element, the frames it acts on, and its variables among the arm's."""

from __future__ import annotations

from dataclasses import dataclass

from flexblocks.dynamics.evaluation.force_terms import ForceTerms


@dataclass(frozen=True, eq=False)
class Element:
    """A force element in the arm.

    Attributes
    ----------
    name : str
    terms : ForceTerms
    places : tuple of (int, str)
        For each of its frames the body and the outlet that it acts on.
    w, z, u : slice
        Positions of its first-order states, algebraic variables and inputs among the arm's.
    """

    name: str
    terms: ForceTerms
    places: tuple[tuple[int, str], ...]
    w: slice
    z: slice
    u: slice
