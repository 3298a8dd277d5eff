"""The automatic method: by what decays, oscillates and is sampled, and by how large the equations are."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from arms.sampled_loop import sampled_loop
from flexblocks.simulation.integrators.integrator import ProblemKind
from flexblocks.simulation.method import checked_method, problem_kind
from flexblocks.simulation.signals.inputs import inputs
from flexblocks.simulation.solver import Solver


@cache
def braked(damping: float, links: int = 1, bristles: bool = False) -> fb.DAE:
    """Return a chain of links in space whose joints are damped [N m s/rad], the last one by dry friction, too."""
    model = fb.Model("chain", gravity=(0.0, 0.0, -9.81))
    place = model.add(fb.Ground("ground")).frame_b
    for i in range(links):
        joint = model.add(fb.Revolute(f"joint{i}", axis=((0, 1, 0), (0, 0, 1))[i % 2], damping=damping, start=1.0))
        link = model.add(fb.RigidLink(f"link{i}", 0.5, mass=1.0, inertia=np.diag([1e-3, 2e-2, 2e-2])))
        model.connect(place, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        place = link.frame_b
    if bristles:
        friction = model.add(fb.LuGreFriction("friction", stiffness=1e5, coulomb=2.0, damping=100.0))
        model.connect(friction.flange_b, joint.axis)
    return fb.assemble(model)


def kind(dae: fb.DAE, spacing: float, rtol: float = 1e-9) -> ProblemKind:
    times = spacing * np.arange(101)
    system = Solver(dae, checked_method("auto", rtol, 1e-11, None, "")).system(inputs(dae.u, None, times, False), [])
    return problem_kind(system, np.append(dae.x.start, 0.0), times, rtol)


@pytest.mark.parametrize(
    ("damping", "spacing", "expected"),
    [
        (100.0, 0.1, ProblemKind.STIFF),  # decays in a thousandth of a second, and is looked at ten times a second
        (100.0, 5e-4, ProblemKind.NONSTIFF),  # looked at as it decays, by steps that explicit methods take as well
        (0.0, 0.01, ProblemKind.NONSTIFF),
        (0.0, 1.0, ProblemKind.OSCILLATING),
    ],
)
def test_what_is_resolved_anyway_is_not_stiff(damping: float, spacing: float, expected: ProblemKind) -> None:
    assert kind(braked(damping), spacing) is expected


def test_what_inputs_interrupt_often_gets_a_method_of_one_step() -> None:
    dae, times = sampled_loop(), 1e-3 * np.arange(101)
    for clocks, often in ((dae.clocks, True), ((), False)):
        method = checked_method("auto", 1e-9, None, None, "")
        system = Solver(dae, method).system(inputs(dae.u, None, 20 * times, False, clocks=clocks), [])
        assert (problem_kind(system, np.append(dae.x.start, 0.0), 20 * times, 1e-9) is ProblemKind.INTERRUPTED) is often


def test_large_equations_get_a_method_that_prepares_no_jacobian() -> None:
    dae = braked(0.0, 12)
    assert dae.interpreted.motion.n_instructions() > 1000
    assert kind(dae, 0.01) is ProblemKind.LARGE
    t = np.linspace(0.0, 0.5, 51)
    automatic, independent = (fb.simulate(dae, t, method=method) for method in ("auto", "rk8"))
    np.testing.assert_allclose(automatic.x, independent.x, atol=1e-7)


def test_large_equations_whose_friction_stiffens_in_motion_get_a_method_that_hands_over() -> None:
    dae = braked(0.0, 12, bristles=True)
    assert kind(dae, 1e-3) is ProblemKind.OSCILLATING
    assert kind(dae, 1e-3, rtol=1e-4) is ProblemKind.ROUGHLY_OSCILLATING
    t = np.linspace(0.0, 0.2, 201)
    automatic, independent = (fb.simulate(dae, t, method=method) for method in ("auto", "bdf"))
    np.testing.assert_allclose(automatic.x, independent.x, atol=1e-5)
