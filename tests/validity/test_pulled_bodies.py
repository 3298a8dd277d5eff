"""Pulls along flexible bodies of any shape that move in linear modes: what they would do to bending."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import flexblocks as fb
from arms.flexible_bodies import arm, bar
from flexblocks.errors import LargeDeflectionWarning
from flexblocks.validity.left_out_tension import left_out_tension

pytest.importorskip("skfem")

SPIN = 20.0


def of_matrices() -> fb.FlexibleBody:
    """Return the bar as one of which matrices alone are known."""
    return dataclasses.replace(bar(), quadratic=None)


def added_by_spin(body: fb.FlexibleBody) -> np.ndarray:
    """Return the stiffness that a spin adds to each of four modes, over their mass and the square of its rate."""
    dae = fb.assemble(arm(fb.ReducedBody("link", body=body, modes=4, tip="free"), load=1e-9))
    x = np.zeros(len(dae.x))
    x[dae.x.index("der(joint1.angle)")] = SPIN
    (added,) = left_out_tension(dae, x, np.zeros(len(dae.z)), np.zeros(len(dae.u)), np.zeros(0)).values()
    return np.diag(added) / (body.mass * SPIN**2)


def test_what_a_spin_adds_to_a_bar_is_southwells():
    """1.193 and 6.478 for the first two modes of a uniform bar (Southwell & Gough 1921)."""
    np.testing.assert_allclose(added_by_spin(bar()), [1.193, 1.193, 6.478, 6.478], rtol=5e-3)


def test_of_matrices_alone_the_first_mode_is_estimated():
    np.testing.assert_allclose(added_by_spin(of_matrices())[:2], 1.193, rtol=0.2)


@pytest.mark.parametrize(("make", "remedy"), [(bar, "counts it;"), (of_matrices, "counts it in bodies by from_mesh;")])
def test_a_fast_slew_is_warned_of_and_says_what_counts_the_pull(make, remedy):
    model = arm(fb.ReducedBody("link", body=make(), modes=2))
    rotor = model.add(fb.Rotor("rotor", inertia=0.05))
    model.connect(rotor.flange_b, model["joint1"].axis)
    torque = {"motor1.torque": lambda t: 20 * np.sin(np.pi * t)}
    with pytest.warns(LargeDeflectionWarning, match=f"leaves out what a pull along it does to bending.*{remedy}"):
        fb.simulate(fb.assemble(model), t=np.linspace(0, 1, 41), u=torque)
