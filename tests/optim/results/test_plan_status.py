"""Statuses of plans: what a plan is called whose equations do not hold, or whose mesh says nothing of the arm."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import flexblocks as fb
from arms.one_link import joint_arm
from arms.truck_crane import FASTEST, POSTURES, truck_crane
from arms.turns import hinge, swing
from benchmarks.real_plans.case import named_arm
from benchmarks.real_plans.tasks import EVERY
from flexblocks import optim
from flexblocks.optim.model.violations import violations
from flexblocks.optim.verification.mesh_errors.matrix_exponential import matrix_exponentials

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")


def lift(duration: float = 12.0) -> optim.RestToRest:
    return optim.RestToRest(*POSTURES, duration, input_ends="holding")


def test_a_cylinder_that_luffs_a_boom_is_not_asked_to_slew_it():
    """Its work on the slewing is rounding, by which its length was scaled: it went to -5e7 m and back, "converged"."""
    plan = optim.plan(truck_crane(), lift(), intervals=40)
    command, valve = plan.trajectory["ram.command"], plan.trajectory["ram.valve"]
    assert plan.status == "converged"
    assert plan.violations == ()
    assert np.ptp(command) <= FASTEST * np.abs(valve).max() * 12.0
    assert np.abs(valve).max() <= 1.0
    assert plan.replay().tip_miss < 2e-3


def test_equations_are_checked_in_their_own_units_however_they_were_scaled():
    """A torque of 1e12 times what it is: the solver takes its start for an optimum."""
    model = optim.pyomo_model(hinge(9.81), swing(1.0, 2.0, input_ends="holding"), intervals=10)
    box = model.dynamics.get_external_model()
    for i, variable in enumerate(model.dynamics.inputs.values()):
        box.magnitudes[i] *= 1e12 if variable.parent_component().local_name == "u" else 1.0
    with pytest.raises(optim.PlanError, match=r"breaks its own equations: motion of joint1\.angle at") as caught:
        optim.solve(model)
    plan = caught.value.plan
    assert plan.status == "inaccurate"
    assert plan.violations[0].share > 1e-4
    assert "breaks its own equations: motion of joint1.angle at " in plan.summary()


@pytest.mark.parametrize("size", [0.01, 1.0])
def test_what_breaks_an_equation_is_told_by_its_name_amount_and_share(size):
    """A thousandth of what the joint turns by."""
    plan = optim.plan(hinge(9.81), swing(size, 2.0), intervals=10)
    assert plan.violations == ()
    variable = plan.pyomo_model.q[5, "joint1.angle"]
    variable.set_value(variable.value + 1e-3 * size)
    broken = violations(plan.pyomo_model, of_plan=True)
    # In the interval before and in that behind, where the balance of torques is broken as well
    gaps = [each for each in broken if each.name == "continuity of joint1.angle"]
    assert [each.amount for each in gaps] == pytest.approx(2 * [1e-3 * size])
    assert sorted(each.time for each in gaps) == pytest.approx([1.0, 1.2])
    assert all(1e-6 < each.share < 1e-3 for each in gaps)
    assert {each.name for each in broken} <= {"continuity of joint1.angle", "motion of joint1.angle"}
    assert all(1.0 <= each.time <= 1.2 + 1e-9 for each in broken)


def test_a_mesh_that_is_far_off_leaves_a_plan_unresolved():
    """Three intervals for five seconds of a pendulum of 1 m that stands up."""
    link, motor = fb.RigidLink("link", 1.0, mass=1.0, inertia=0.1), fb.TorqueSource("motor")
    arm = fb.assemble(joint_arm(beam=link, gravity=9.81, drive=(motor,)))
    problem = optim.RestToRest({"joint.angle": 0.2}, {"joint.angle": 1.2}, 5.0, input_ends="holding")
    told = r"its mesh is too coarse: .*Its status is 'unresolved', as that is more than 1 % of the reach"
    with pytest.warns(optim.PlanWarning, match=told):
        coarse = optim.plan(arm, problem, intervals=3)
    assert coarse.status == "unresolved"
    assert not coarse.mesh_errors.is_resolved
    assert ", unresolved, objective" in coarse.summary()
    with pytest.warns(optim.PlanWarning, match=told):
        assert optim.solve(optim.pyomo_model(arm, problem, intervals=3)).status == "unresolved"
    assert optim.plan(arm, problem, intervals=40).status == "converged"


def test_a_mesh_that_cannot_be_judged_is_warned_of():
    """Balanced on 10 um, errors grow a thousandfold in seven milliseconds, and beyond all numbers in 2 s."""
    problem = optim.RestToRest({"joint.angle": 1.5}, {"joint.angle": 1.6}, 10.0, input_ends="holding")
    beam = fb.RigidLink("link", 1e-5, mass=1.0, inertia=1e-11)
    arm = fb.assemble(joint_arm(beam=beam, gravity=9.81, drive=(fb.TorqueSource("motor"),)))
    with pytest.warns(optim.PlanWarning, match="its mesh is not judged: as errors grow beyond all numbers from .* to "):
        plan = optim.plan(arm, problem, intervals=5)
    assert plan.status == "unresolved"
    assert not plan.mesh_errors.is_judged
    assert "  mesh: not judged, as errors grow beyond all numbers" in plan.summary()


def test_exponentials_beyond_all_numbers_are_no_numbers_without_a_warning():
    stable = matrix_exponentials(np.array([[[-1e6, 1.0], [0.0, -1.0]]]))
    np.testing.assert_allclose(stable[0, 1, 1], np.exp(-1.0), rtol=1e-9)
    for far in (1e3, 1e200, np.inf):
        assert not np.isfinite(matrix_exponentials(np.array([[[far, 1.0], [0.0, 1.0]]]))).all()


def test_limits_wider_than_an_actuators_are_warned_of():
    motor = fb.TorqueSource("motor", limit=2.0)
    arm = fb.assemble(joint_arm(beam=fb.RigidLink("link", 1.0, mass=1.0, inertia=0.1), gravity=0.0, drive=(motor,)))
    ends = {"joint.angle": 0.0}, {"joint.angle": 1.0}, 2.0
    told = r"limits exceed .*: motor.torque = \(-5, 5\), by 3 N m beyond the 2 N m that it gives"
    with pytest.warns(optim.PlanWarning, match=told):
        plan = optim.plan(arm, optim.RestToRest(*ends, limits={"motor.torque": 5.0}), intervals=6)
    assert np.abs(plan.trajectory["motor.torque"]).max() <= 2.0 * (1 + 1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("error", optim.PlanWarning)
        optim.plan(arm, optim.RestToRest(*ends, limits={"motor.torque": (-2.0, 1.9)}), intervals=6)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::flexblocks.errors.FlexblocksWarning")
@pytest.mark.parametrize("name", ["boom 4", "floating 1"])
def test_converged_plans_of_random_arms_are_motions_of_these(name):
    arm = named_arm(name)
    task = EVERY["joints"](arm)
    dae = arm.assembled(task.symbolic)
    plan = optim.plan(dae, task.problem, intervals=arm.intervals)
    assert plan.status in ("converged", "unresolved")
    assert plan.violations == ()
    if plan.status == "converged":
        assert plan.replay().tip_miss < 0.02 * plan.mesh_errors.reach
