"""Detours around obstacles: by sampled distances along the links, in arms of any size."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from arms.rigid_chain import chain
from flexblocks import optim
from flexblocks.optim.presolve.rigid_motion.waypoint_spline import spline_through
from flexblocks.optim.strategy.guesses.detour import SEEDS, detour

# Starts, goals and bars (their ends) that no sampled single turn leads around.
SLOT = ((1.8, -1.5, -0.9), (0.1, -0.3, 0.2), [((0.7, 0.25), (1.6, 0.25)), ((0.75, -0.5), (1.6, -0.5))])
WALL = ((-0.6, 0.1, 0.1), (0.6, -0.1, -0.1), [((0.75, 0.0), (2.0, 0.0))])


def clearance(q: np.ndarray, bars: list) -> float:
    """Least distance of the links' axes from the bars, by samples on both."""
    share = np.linspace(0.0, 1.0, 41)[:, None]
    heading = np.cumsum(q)
    joints = np.vstack([[0.0, 0.0], 0.5 * np.cumsum(np.column_stack([np.cos(heading), np.sin(heading)]), axis=0)])
    links = np.vstack([a + share * (b - a) for a, b in pairwise(joints)])
    solid = np.vstack([np.array(a) + share * (np.array(b) - a) for a, b in bars])
    return float(np.linalg.norm(links[:, None] - solid, axis=2).min())


@pytest.mark.slow
@pytest.mark.parametrize(("case", "size"), [(SLOT, 1e-3), (WALL, 1e3)])
def test_around_two_corners(case, size):
    """One turn does not clear the bars, two do: all along the spline that the first guess takes."""
    start, goal, bars = case
    dae = chain(size)
    path = [
        optim.KeepOut(
            optim.Capsule(*(tuple(size * x for x in end) for end in bar), 0.03 * size),
            links=("link1", "link2", "link3"),
            radius=0.03 * size,
        )
        for bar in bars
    ]
    ends = (dict(zip(dae.q_names, q, strict=True)) for q in (start, goal))
    t = optim.pyomo_model(dae, optim.RestToRest(*ends, 3.0, path=path), intervals=6).transcription

    def least(seeds: int) -> float:
        turns = detour(t, seeds)
        begin, end = t.waypoints
        spline = spline_through((begin, *turns, end), 3, 3.0)
        return min(clearance(spline(share)[:3], bars) for share in np.linspace(0.0, 1.0, 81))

    assert least(0) < 0.058
    assert least(SEEDS) > 0.059
