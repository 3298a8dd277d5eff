"""Kelvin-Voigt damping of beams: ratios that grow with the frequency, and the energy that is lost."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from arms.fidelities import cantilever, frequencies
from flexblocks.errors import ParameterError

TIME = 2e-4
NUMBERS = {"length": 0.5, "linear_density": 0.2, "flexural_rigidity": 1.0}
EXTENDS = {
    "axial": True,
    "axial_rigidity": 500.0,
    "torsion": True,
    "torsional_rigidity": 2.0,
    "polar_inertia": 0.01,
    "bending": "yz",
    "flexural_rigidity_z": 3.0,
}
SHEARS = {"shear": True, "shear_rigidity": 90.0, "rotary_inertia": True, "section_inertia": 1e-4}


@pytest.mark.parametrize(
    ("discretization", "options"),
    [
        (fb.AssumedModes(3, tip="auto"), EXTENDS),
        (fb.AssumedModes(2, tip="free"), SHEARS),
        (fb.FiniteElements(2), EXTENDS),
        (fb.RigidSegments(3), EXTENDS),
        (fb.StrainModes(2), EXTENDS),
    ],
    ids=str,
)
def test_each_mode_has_half_its_frequency_times_the_damping_time(discretization, options) -> None:
    beam = fb.FlexibleBeam("beam", discretization=discretization, damping_time=TIME, **NUMBERS, **options)
    dae = fb.assemble(cantilever(beam, fb.Payload("load", 0.1, (0.005, 0.005, 0.005))))
    A = ca.Function("A", [dae.x.symbol], [ca.jacobian(dae.expressions.rate, dae.x.symbol)])(np.zeros(len(dae.x))).full()
    poles = np.linalg.eigvals(A)
    omega = frequencies(dae)  # from mass and potential energy alone
    # lambda^2 + omega^2 (1 + tau lambda) = 0
    expected = np.concatenate([np.roots([1.0, TIME * w**2, w**2]) for w in omega])
    near = np.abs(poles[:, None] - expected).min(axis=0)
    assert np.all(near < 1e-8 * np.abs(expected).max())
    slow = omega * TIME < 0.5
    assert slow.sum() >= 2
    for w in omega[slow]:
        pole = poles[np.argmin(np.abs(np.abs(poles) - w) - (poles.imag > 0) * 1e-9)]
        assert -pole.real / abs(pole) == pytest.approx(w * TIME / 2, rel=1e-7)


@pytest.mark.parametrize("discretization", [fb.FiniteElements(1), fb.RigidSegments(2)], ids=str)
def test_what_the_arm_loses_is_the_work_of_viscous_stress(discretization) -> None:
    model = fb.Model("arm", gravity=(0.0, -9.81, 1.0))
    joint = model.add(fb.Revolute("joint", axis=(0, 0.6, 0.8)))
    beam = model.add(
        fb.FlexibleBeam("beam", discretization=discretization, damping_time=TIME, **NUMBERS, **EXTENDS, stiffening=True)
    )
    model.connect(model.add(fb.Ground("ground")).frame_b, joint.frame_a)
    model.connect(joint.frame_b, beam.frame_a)
    model.connect(beam.frame_b, model.add(fb.Payload("load", 0.1, (0.005, 0.005, 0.005))).frame_a)
    dae = fb.assemble(model)
    n, random = dae.tree.size, np.random.default_rng(1)
    x = np.concatenate([0.05 * random.standard_normal(n), random.standard_normal(n)])
    total = sum(dae.energy.call([dae.x.symbol, dae.p.symbol]))
    slope = ca.Function("slope", [dae.x.symbol], [ca.gradient(total, dae.x.symbol)])(x).full().ravel()
    loss = -slope @ dae.forward_dynamics(x, [], []).full().ravel()
    # The same strains, from the bending, stretching and twisting of an arm without weight.
    weightless = fb.assemble(model_without_gravity(model))
    K = ca.Function("K", [weightless.q], [ca.hessian(weightless.expressions.potential, weightless.q)[0]])(np.zeros(n))
    assert loss == pytest.approx(TIME * x[n:] @ K.full() @ x[n:], rel=1e-9)


def model_without_gravity(model: fb.Model) -> fb.Model:
    other = fb.Model("weightless")
    for block in model.blocks.values():
        other.add(block)
    for ports in model.connections:
        other.connect(*map(str, ports))
    return other


def test_the_damping_time_may_stay_a_symbol() -> None:
    beam = fb.FlexibleBeam("beam", discretization=fb.AssumedModes(2, tip="free"), damping_time=TIME, **NUMBERS)
    fixed = fb.assemble(cantilever(beam))
    open_ = fb.assemble(cantilever(beam), symbolic="beam.damping_time")
    x = [0.01, -0.002, 0.3, 0.1]
    expected = fixed.forward_dynamics(x, [], []).full()
    np.testing.assert_allclose(open_.forward_dynamics(x, [], [TIME]).full(), expected, rtol=1e-12)
    assert not np.allclose(open_.forward_dynamics(x, [], [0.0]).full(), expected)


def test_two_dampings_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"damping_ratio = 0.01 and damping_time = 0.0002 s.*set one of the two"):
        fb.FlexibleBeam("beam", damping_ratio=0.01, damping_time=TIME, **NUMBERS)
    with pytest.raises(ParameterError, match=r"damping_time = -1 s; must be >= 0"):
        fb.FlexibleBeam("beam", damping_time=-1.0, **NUMBERS)
