"""Simulations warn once where joints leave their limits or are too fast, with the time and the value of the worst."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import flexblocks as fb
from arms.limited import limited

SIZES = [0.1, 30.0]


def told(call) -> list[str]:
    """Return the warnings of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(each.message) for each in caught]


@pytest.mark.parametrize("size", SIZES)
def test_a_constant_torque_leaves_both(size):
    """angle = a t^2 / 2 and rate = a t, from rest."""
    dae = fb.assemble(limited(fb.Revolute("joint1", low=-1.0, high=1.5, max_speed=1.8), size))
    torque = 2.0 * size**2
    assert told(lambda: fb.simulate(dae, (0.0, 1.7), u={"motor.torque": torque})) == []
    (text,) = told(lambda: fb.simulate(dae, (0.0, 2.0), u={"motor.torque": torque}))
    assert "joint1.angle = 2 rad at t = 2 s, beyond 1.5 rad: a limit of the joint" in text
    assert "der(joint1.angle) = 2 rad/s at t = 2 s, beyond 1.8 rad/s: max_speed of the joint" in text


@pytest.mark.parametrize("size", SIZES)
def test_a_slide_that_is_driven_to_and_fro_is_told_at_its_worst(size):
    """displacement = -size sin(t), from the force that this takes of 2 kg."""
    dae = fb.assemble(limited(fb.Prismatic("slide", low=-0.9 * size, high=1.01 * size), size))
    start = {"der(slide.displacement)": -size}
    call = lambda: fb.simulate(dae, np.linspace(0, 6, 601), {"motor.force": lambda t: 2 * size * np.sin(t)}, start)  # noqa: E731
    (text,) = told(call)
    number = r"([-+\d.e]+)"
    found = re.search(rf"slide\.displacement = {number} m at t = {number} s, beyond {number} m", text)
    assert found is not None
    np.testing.assert_allclose([float(one) for one in found.groups()], [-size, np.pi / 2, -0.9 * size], rtol=5e-3)


def test_a_start_beyond_them_is_told():
    dae = fb.assemble(limited(fb.Revolute("joint1", high=1.0)))
    (text,) = told(lambda: fb.simulate(dae, (0.0, 1.0), x0={"joint1.angle": 1.2}))
    assert "joint1.angle = 1.2 rad at t = 0 s, beyond 1 rad" in text


def test_rest_at_a_limit_is_not():
    dae = fb.assemble(limited(fb.Revolute("joint1", low=-1.0, high=1.0)))
    assert told(lambda: fb.simulate(dae, (0.0, 1.0), x0={"joint1.angle": 1.0})) == []


def test_batches_tell_in_which_run():
    dae = fb.assemble(limited(fb.Revolute("joint1", high=1.5)))
    texts = told(lambda: fb.simulate_batch(dae, (0.0, 2.0), u={"motor.torque": [1.0, 1.4, 2.0]}))
    (text,) = (text for text in texts if "joint1.angle" in text)
    assert "in run 2, joint1.angle = 2 rad at t = 2 s, beyond 1.5 rad" in text


def test_equilibria_beyond_them_are_told():
    dae = fb.assemble(limited(fb.Revolute("joint1", high=1.0)))
    (text,) = told(lambda: fb.equilibrium(dae, x={"joint1.angle": 1.2}))
    assert "joint1.angle = 1.2 rad, beyond 1 rad" in text


@pytest.mark.parametrize("size", SIZES)
def test_rest_at_a_limit_of_zero_is_not_told(size):
    dae = fb.assemble(limited(fb.Revolute("joint1", low=0.0, high=2.0), size))
    assert told(lambda: fb.simulate(dae, (0.0, 1.0), x0={"joint1.angle": -1e-12})) == []
