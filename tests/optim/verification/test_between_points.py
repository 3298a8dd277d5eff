"""Between collocation points: the planned polynomials, and what they violate there."""

import numpy as np
import pytest

from arms.library import subudhi_morris
from flexblocks import optim
from flexblocks.optim.model.dense_output import dense_output
from flexblocks.optim.model.read_solution import input_polynomials, trajectory
from flexblocks.optim.model.trajectories import phase_trajectories

HOME, THERE = {"joint1.angle": 0.0, "joint2.angle": 0.0}, {"joint1.angle": 1.6, "joint2.angle": 0.5}
LIMITS = {"motor1.torque": 4.0, "motor2.torque": 2.0}


@pytest.fixture(scope="module")
def arm():
    return subudhi_morris()


def swing(*path, **limits):
    return optim.RestToRest(HOME, THERE, 2.0, limits=LIMITS | limits, path=path)


@pytest.fixture(scope="module")
def plain(arm):
    return optim.plan(arm, swing(), intervals=24)


def along(plan, times):
    (traj,) = phase_trajectories(plan.pyomo_model)[0]
    return dense_output(traj, input_polynomials(traj), times)


@pytest.mark.parametrize(
    "options", [{"scheme": "radau"}, {"scheme": "lobatto", "degree": 4}, {"quasi_static": ["link2.bending_y[2]"]}]
)
def test_polynomials_pass_through_the_points_and_are_derivatives_of_each_other(arm, options):
    plan = optim.plan(arm, swing(), intervals=8, **options)
    (traj,), n = phase_trajectories(plan.pyomo_model)[0], arm.tree.size
    motion = trajectory(traj, input_polynomials(traj), to_goal=False)
    at_points = along(plan, motion.t)
    np.testing.assert_allclose(at_points[: 2 * n].T, motion.x, atol=1e-9)
    np.testing.assert_allclose(at_points[-1], motion.t)

    moving = [i for i, name in enumerate(arm.q_names) if name not in options.get("quasi_static", ())]
    times, step = motion.t[np.abs(motion.t / 0.25 % 1 - 0.5) < 0.49], 1e-5  # collocation points off the mesh
    here, later, earlier = (along(plan, times + shift) for shift in (0.0, step, -step))
    slopes = (later - earlier) / (2 * step)
    v, a = here[n : 2 * n], here[2 * n : 3 * n]
    np.testing.assert_allclose(slopes[n : 2 * n][moving], a[moving], atol=1e-6 * np.abs(a).max())
    np.testing.assert_allclose(slopes[:n][moving], v[moving], atol=1e-6 * np.abs(v).max())


@pytest.mark.parametrize("radius", [0.004, 0.001])
def test_a_thin_obstacle_passed_between_two_points(arm, plain, radius):
    """The payload goes through a wire, whose radius is the greatest depth."""
    times = plain.trajectory.t
    k = np.argmin(np.abs(times - 1.0))
    middle = 0.5 * (times[k] + times[k + 1])
    place = along(plain, np.array([middle]))
    outputs = np.array(arm.output(place[: len(arm.x)], place[-1 - 2 * len(arm.u) : -1 - len(arm.u)], arm.p.values({})))
    names = list(arm.y.names)
    center = [float(outputs.ravel()[names.index(f"payload.{axis}")]) for axis in "xy"]
    wire = optim.KeepOut(optim.Sphere(center, radius), frames="payload", name="wire")
    with pytest.warns(optim.PlanWarning, match="between collocation points.*payload outside wire"):
        plan = optim.plan(arm, swing(wire), intervals=24)
    (excess,) = plan.excesses
    assert plan.status == "converged"
    assert "in between beyond limits: payload outside wire at" in plan.summary()
    replayed = plan.replay().excesses[0]
    assert excess.name == replayed.name == "payload outside wire"
    assert excess.amount == pytest.approx(radius, rel=0.2)
    assert excess.time == pytest.approx(replayed.time, abs=0.02)
    if radius > 0.002:  # thicker than the replay's own samples are apart
        assert excess.amount == pytest.approx(replayed.amount, rel=0.2)


def test_nothing_is_said_where_nothing_is_violated(arm, plain):
    assert plain.excesses == ()
    assert "in between" not in plain.summary()
    far = optim.KeepOut(optim.Sphere((-1.0, -1.0), 0.3), frames="payload")
    plan = optim.plan(arm, swing(far, **{"der(joint1.angle)": 3.0, "payload.x": (-2.0, 2.0)}), intervals=12)
    assert plan.excesses == ()


def test_limits_of_states_are_looked_at_as_well(arm):
    with pytest.warns(optim.PlanWarning, match=r"der\(joint1\.angle\) at"):
        plan = optim.plan(arm, swing(**{"der(joint1.angle)": 1.1}), intervals=10)
    (excess,) = plan.excesses
    times = np.linspace(0.0, 2.0, 20001)
    rate = along(plan, times)[arm.x.names.index("der(joint1.angle)")]
    assert excess.amount == pytest.approx(np.abs(rate).max() - 1.1, rel=1e-2)
