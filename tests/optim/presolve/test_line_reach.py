"""Lines that an arm cannot follow are refused, by closed forms."""

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexblocks as fb
from arms.driven import driven_links
from flexblocks import optim
from flexblocks.optim.collocation.transcription_options import TranscriptionOptions
from flexblocks.optim.presolve.refusals.table import refuse_unsolved
from flexblocks.optim.presolve.transcribe import transcribe

LENGTHS = (0.6, 0.4)
SHARES = [i / 10 for i in range(1, 10)]


@cache
def arm(lengths: tuple[float, ...], rigidity: float | None = None) -> fb.DAE:
    """A planar arm of rigid links, or of beams, with a motor in each joint."""
    links = [
        fb.RigidLink(f"link{i}", length=length, mass=length, inertia=length**3 / 12)
        if rigidity is None
        else fb.FlexibleBeam(f"link{i}", length, 1.0, rigidity, discretization=fb.AssumedModes(2, tip="free"))
        for i, length in enumerate(lengths, 1)
    ]
    return driven_links(*links, load=fb.Payload("load", mass=0.5 * lengths[0], inertia=0.1 * lengths[0] ** 3))


def tip(lengths: tuple[float, ...], angles: tuple[float, ...]) -> tuple[float, float]:
    turned = [sum(angles[: i + 1]) for i in range(len(angles))]
    return (
        sum(length * math.cos(angle) for length, angle in zip(lengths, turned, strict=True)),
        sum(length * math.sin(angle) for length, angle in zip(lengths, turned, strict=True)),
    )


def follow(
    lengths: tuple[float, ...],
    angles: tuple[tuple[float, ...], tuple[float, ...]],
    tolerance: float,
    **limits: tuple[float, float],
) -> optim.RestToRest:
    start, goal = ({f"joint{i}.angle": angle for i, angle in enumerate(part, 1)} for part in angles)
    line = optim.Follow("load", [tip(lengths, part) for part in angles], tolerance)
    limited = {f"{name}.angle": values for name, values in limits.items()}
    return optim.RestToRest(start, goal, 3.0, path=line, limits=limited)


def asked(dae: fb.DAE, problem: optim.RestToRest, intervals: int) -> None:
    """Make the checks that follow a failed solve."""
    refuse_unsolved(transcribe(dae, problem, TranscriptionOptions(intervals=intervals)))


@pytest.mark.parametrize("length", [3e-3, 30.0])
def test_one_joint_follows_a_chord_within_its_height(length: float) -> None:
    """A tip on a circle is l (1 - cos(angle / 2)) from the middle of its chord, and nowhere on it."""
    dae, height = arm((length,)), length * (1 - math.cos(0.4))
    angles = (0.3,), (1.1,)
    asked(dae, follow((length,), angles, 1.01 * height), intervals=5)
    with pytest.raises(optim.ProblemError, match=r"load cannot be within .* 50 % of its way"):
        asked(dae, follow((length,), angles, 0.99 * height), intervals=5)


ACROSS = (0.2, 1.2), (2.7, 1.2)  # past the base, by less than a joint with limits lets the tip come near


def nearest_to_base(most: float) -> float:
    """Return the least distance of the tip from the base with the second joint turned by no more than that."""
    a, b = LENGTHS
    return math.sqrt(a**2 + b**2 + 2 * a * b * math.cos(most))


@pytest.mark.parametrize("rigidity", [None, pytest.param(2000.0, marks=pytest.mark.slow)])
def test_a_joint_with_limits_leaves_a_hole_in_what_is_in_reach(rigidity: float | None) -> None:
    dae = arm(LENGTHS, rigidity)
    first, last = (tip(LENGTHS, part) for part in ACROSS)
    there = [(a + b) / 2 for a, b in zip(first, last, strict=True)]  # of equal distances the middle is the nearest
    short = nearest_to_base(1.5) - math.hypot(*there)
    assert short > 0.2
    with pytest.raises(
        optim.ProblemError, match=r"load cannot be within 0\.05 m of .* widen its tolerance or the limits"
    ):
        asked(dae, follow(LENGTHS, ACROSS, 0.05, joint2=(-1.5, 1.5)), intervals=5)
    asked(dae, follow(LENGTHS, ACROSS, 0.05), intervals=5)


def test_the_place_that_is_farthest_out_of_reach_is_told() -> None:
    """Of nine, evenly along the line, the one nearest to the base."""
    dae = arm(LENGTHS)
    (x, y), (x1, y1) = (tip(LENGTHS, part) for part in ACROSS)
    offs = {share: nearest_to_base(1.3) - math.hypot(x + share * (x1 - x), y + share * (y1 - y)) for share in SHARES}
    worst = max(offs, key=lambda share: offs[share])
    with pytest.raises(
        optim.ProblemError, match=f"{100 * worst:.0f} % of its way: .* no nearer than {offs[worst]:.3g} m"
    ):
        asked(dae, follow(LENGTHS, ACROSS, 0.05, joint2=(-1.3, 1.3)), intervals=5)


@pytest.mark.slow
@settings(max_examples=6)
@given(
    st.lists(st.floats(-2.5, 2.5), min_size=2, max_size=3),
    st.lists(st.floats(-1.5, 1.5), min_size=3, max_size=3),
    st.sampled_from([0.02, 1.0, 25.0]),
)
def test_a_line_that_a_tip_draws_is_never_refused(start: list[float], turns: list[float], size: float) -> None:
    """Whatever the joints do between two postures, its chords are a line that the arm can follow."""
    lengths = tuple(size * length for length in (0.6, 0.5, 0.3)[: len(start)])
    goal = [angle + turn for angle, turn in zip(start, turns, strict=False)]
    way = np.linspace(start, goal, 40)
    points = [tip(lengths, tuple(posture)) for posture in way]
    if max(map(abs, turns[: len(start)])) < 0.1:
        return
    first, last = ({f"joint{i}.angle": angle for i, angle in enumerate(part, 1)} for part in (start, goal))
    kept = {
        f"{name}": tuple(sorted((first[name], last[name]))) for name in first if abs(last[name] - first[name]) > 0.1
    }
    line = optim.Follow("load", points, 0.03 * size)
    asked(arm(lengths), optim.RestToRest(first, last, 3.0, path=line, limits=kept), intervals=3)
