"""A sliding beam whose tip a crank leads around a circle: modes that follow the extension against finite elements."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from flexblocks.beam.discretization import Discretization

ANGLE, CRANK, APART = 1.0, 0.5, 0.9  # of the crank [rad]; in lengths
HUB = math.atan2(CRANK * math.sin(ANGLE), APART + CRANK * math.cos(ANGLE))
OUT = math.hypot(CRANK * math.sin(ANGLE), APART + CRANK * math.cos(ANGLE)) - 0.01


@cache
def loop(
    size: float, discretization: Discretization, shapes: str, damping_time: float = 0.0, tilt: float = 0.0
) -> fb.DAE:
    """The arm falls from rest, closed and straight; lengths go with the size, masses with its cube."""
    mass = size**3
    model = fb.Model("loop", gravity=(0.0, -9.81, 0.0))
    ground, hub = model.add(fb.Ground("ground")), model.add(fb.Revolute("hub", start=HUB + tilt))
    body = model.add(fb.RigidLink("body", length=0.01 * size, mass=0.5 * mass, inertia=0.01 * mass * size**2))
    beam = model.add(
        fb.SlidingBeam(
            "beam", 1.5 * size, 0.4 * mass / size, 40.0 * mass * size, discretization, shapes=shapes,
            start=OUT * size, damping_time=damping_time,
        )
    )  # fmt: skip
    load = model.add(fb.Payload("load", mass=0.3 * mass, inertia=0.002 * mass * size**2))
    pin = model.add(fb.Revolute("pin", start=ANGLE - HUB))
    place = model.add(fb.FixedTransform("place", translation=(APART * size, 0.0, 0.0)))
    pivot = model.add(fb.Revolute("pivot", start=ANGLE))
    crank = model.add(fb.RigidLink("crank", length=CRANK * size, mass=0.3 * mass, inertia=0.01 * mass * size**2))
    model.connect(ground.frame_b, hub.frame_a)
    model.connect(hub.frame_b, body.frame_a)
    model.connect(body.frame_b, beam.frame_a)
    model.connect(beam.frame_b, load.frame_a)
    model.connect(beam.frame_b, pin.frame_a)
    model.connect(ground.frame_b, place.frame_a)
    model.connect(place.frame_b, pivot.frame_a)
    model.connect(pivot.frame_b, crank.frame_a)
    model.connect(crank.frame_b, pin.frame_b)
    return fb.assemble(model)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "damping_time", "shapes"),
    [(1.0, 0.0, "ode"), (1e-2, 0.0, "algebraic")],
)
def test_following_modes_in_a_loop_move_as_elements(size: float, damping_time: float, shapes: str) -> None:
    quantities = ("beam.displacement", "pivot.angle", "beam.tip_deflection_y")

    def moved(discretization: Discretization, shapes: str) -> np.ndarray:
        dae = loop(size, discretization, shapes, damping_time * math.sqrt(size))
        run = fb.simulate(dae, np.linspace(0.0, 0.3 * math.sqrt(size), 31), rtol=1e-8, atol=1e-10)
        if not damping_time:
            balance = run.energy[:, 0] + run.energy[:, 1] - run.energy[:, 2]
            assert np.ptp(balance) < 1e-7 * np.ptp(run.energy[:, 1])
        return np.column_stack([run[name] for name in quantities])

    modes, elements = moved(fb.AssumedModes(3, tip="auto"), shapes), moved(fb.FiniteElements(4), "fixed")
    travel = np.ptp(elements, axis=0)
    assert travel[0] > 0.05 * size
    # Undamped, the modes of highest frequency that both resolve are out of step by a hundredth of the deflection.
    np.testing.assert_array_less(np.abs(modes - elements).max(axis=0), travel * [2e-5, 2e-5, 2e-2])


@pytest.mark.parametrize(
    ("size", "discretization"),
    [(1e-2, fb.FiniteElements(2)), (1.0, fb.AssumedModes(2, tip="auto")), (20.0, fb.FiniteElements(2))],
    ids=repr,
)
def test_joints_close_a_loop_before_a_sliding_beam_bends(size: float, discretization: Discretization) -> None:
    """Its slide is a joint, and all that deflects is not: also slopes, whose stiffness goes with 1/l of what is out."""
    dae = loop(size, discretization, "fixed", tilt=0.4)
    assert dae.closed_start is not None
    assert not dae.closed_start.strain_energy
    bends = [name for name in dae.q_names if name.startswith("beam.") and name != "beam.displacement"]
    assert [dae.x.start[dae.x.index(name)] for name in bends] == [0.0] * len(bends)
    assert "hub.angle" in dae.closed_start.moved
