"""What a motion keeps to on its way: limits on outputs, regions, expressions."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from arms.library import subudhi_morris
from flexblocks import models, optim
from flexblocks.geometry import place, shape
from flexblocks.optim.collocation.input_parametrization import input_shape
from flexblocks.optim.collocation.interval import IntervalForm
from flexblocks.optim.collocation.path_functions import path_kernel
from flexblocks.optim.collocation.schemes import radau
from flexblocks.optim.model.violations import violations
from flexblocks.optim.problem.signals.instant import instant
from flexblocks.optim.problem.signals.signals import Signals
from flexblocks.optim.solver_statistics import CONVERGED, UNRESOLVED

HOME = {"joint1.angle": 0.0, "joint2.angle": 0.0}
HALF_TURN = {"joint1.angle": np.pi / 2, "joint2.angle": np.pi / 6}


@pytest.fixture(scope="module")
def arm():
    return subudhi_morris()


def planned(arm, intervals=40, **more):
    return optim.plan(arm, optim.RestToRest(HOME, HALF_TURN, 2.0, **more), intervals=intervals)


def distance_to_rectangle(points, low, high):
    """Signed distance (k,) of points (k, 2), by cases."""
    outside = np.maximum(np.maximum(low - points, points - high), 0)
    inside = np.minimum(np.min(points - low, axis=1), np.min(high - points, axis=1))
    return np.where(inside > 0, -inside, np.linalg.norm(outside, axis=1))


@pytest.mark.parametrize(("free", "designed"), [(False, ()), (True, ()), (False, (0,)), (True, (0, 1))])
def test_derivatives_of_values_and_costs(free, designed):
    """The chain rule through the collocation gives what CasADi gets from the functions as a whole."""
    arm = fb.assemble(models.subudhi_morris_2002(), symbolic=("spring1.stiffness", "payload.mass"))
    at = instant(arm)
    s, ref = Signals(at), ca.SX.sym("ref", 2)
    values = ca.vertcat(
        s["payload.x"], s["der(der(joint1.angle))"] * s["link2.tip_deflection_y"] * s["der(motor1.torque)"]
    )
    values[0] *= s["payload.mass"] ** 2
    cost = (s["payload.y"] - ref[0]) ** 2 * s["spring1.stiffness"] + s["time"] * s["joint2.angle"] * ref[1]
    kernel = path_kernel(
        at, IntervalForm(radau(2), input_shape("cubic"), free, designed), values=values, cost=cost, reference=ref
    )
    w, p = ca.SX.sym("w", kernel.n_w), ca.SX.sym("p", kernel.n_p)
    lam, sigma = ca.SX.sym("lam", kernel.n_residual), ca.SX.sym("sigma")
    r, c = kernel.residual.expand()(w, p), kernel.cost.expand()(w, p)
    H = ca.triu(ca.hessian(ca.dot(lam, r) + sigma * c, w)[0])
    whole = ca.Function("whole", [w, p, lam, sigma], [ca.jacobian(r, w), ca.jacobian(c, w), H])
    rng = np.random.default_rng(3)
    point = (
        rng.normal(size=kernel.n_w),
        np.array([0.1, 0.4, 100.0, 0.1, 1.0, 2.0, 3.0, 4.0]),
        rng.normal(size=kernel.n_residual),
        0.7,
    )
    found = kernel.jacobian(*point[:2]), kernel.gradient(*point[:2]), kernel.hessian(*point)
    patterns = kernel.jacobian_pattern, kernel.gradient_pattern, kernel.hessian_pattern
    for expected, nonzeros, pattern in zip(whole(*point), found, patterns, strict=True):
        dense = np.zeros(expected.shape)
        dense[pattern.row, pattern.col] = nonzeros.full().ravel()
        np.testing.assert_allclose(dense, expected.full(), atol=1e-9 * np.abs(expected.full()).max())


def test_places_are_where_the_lines_of_the_arm_are(arm):
    x = dict(zip(arm.q_names, np.random.default_rng(1).normal(size=len(arm.q_names)) * 0.05, strict=True))
    x |= {"joint1.angle": 0.7, "joint2.angle": -0.9}
    lines, q = shape(arm, stations=4)(x), arm.x.values(x)[: len(arm.q_names)]
    for name, expected in {
        "payload": lines["payload"][0],
        "link1": lines["link1"][-1],
        "link2.frame_a": lines["link2"][0],
        "link1.station(0.125)": lines["link1"][1],
        "link2.station(0.375)": lines["link2"][3],
    }.items():
        found = ca.Function("place", [arm.q, arm.p.symbol], [place(arm, name)])(q, [])
        np.testing.assert_allclose(found.full().ravel(), expected, atol=1e-14)


def test_signals_are_what_the_simulation_says(arm):
    """Outputs by the plan's own accelerations against those of the DAE, and accelerations against its rates."""
    model = fb.Model("shaken")
    ground, slide = model.add(fb.Ground("ground")), model.add(fb.Prismatic("slide", axis=(1, 0, 0)))
    motor, link = model.add(fb.ForceSource("motor")), model.add(fb.RigidLink("link", length=0.3, mass=0.5))
    sensor = model.add(fb.Accelerometer("sensor"))
    model.connect(motor.flange_b, slide.axis)
    model.connect(ground.frame_b, slide.frame_a)
    model.connect(slide.frame_b, link.frame_a)
    model.connect(link.frame_b, sensor.frame_a)
    dae = fb.assemble(model)
    at = instant(dae)
    # 3 N on 0.5 kg: the accelerometer's output without any forward dynamics.
    values = ca.Function("y", [at.vector, dae.p.symbol], [at.outputs])(
        ca.vertcat([0.1, 0.0], [6.0], [3.0], [0.0], [0.0]), []
    )
    expected = dae.output([0.1, 0.0], [3.0], [])
    np.testing.assert_allclose(values.full(), expected.full(), atol=1e-12)
    assert 6.0 in np.round(np.abs(values.full()), 9)


def test_tip_deflection_is_limited(arm):
    free = planned(arm)
    most = np.abs(free.trajectory["link1.tip_deflection_y"]).max()
    plan = planned(arm, limits={"link1.tip_deflection_y": 0.6 * most})
    bent = np.abs(plan.trajectory["link1.tip_deflection_y"]).max()
    assert bent == pytest.approx(0.6 * most, abs=1e-6)
    assert plan.objective > free.objective
    assert np.abs(plan.replay().trajectory["link1.tip_deflection_y"]).max() < 0.6 * most * 1.01
    j = {name: i for i, name in enumerate(plan.pyomo_model.path_names)}["link1.tip_deflection_y"]
    assert j == 0
    end = plan.pyomo_model.path[38, 3, "link1.tip_deflection_y"].value
    assert end == pytest.approx(plan.trajectory["link1.tip_deflection_y"][-4], abs=1e-9)


def test_accelerations_are_limited(arm):
    def accelerations(plan):
        return np.abs([a.value for (_, _, name), a in plan.pyomo_model.a.items() if name == "joint1.angle"])

    free = planned(arm, 20)
    limit = 0.7 * accelerations(free).max()
    with pytest.warns(optim.PlanWarning, match="mesh is too coarse"):
        plan = planned(arm, 20, limits={"der(der(joint1.angle))": limit})
    assert accelerations(plan).max() == pytest.approx(limit, rel=1e-6)
    assert plan.objective > free.objective


def test_disc_is_kept_out_of(arm):
    """The tip touches the disc and never enters it; the replay neither."""
    path = planned(arm).trajectory
    i = len(path.t) // 2
    center = np.array([path["payload.x"][i], path["payload.y"][i]]) * 1.05
    plan = planned(arm, path=optim.KeepOut(optim.Sphere(center, 0.1), frames="payload", margin=0.02))
    points = np.column_stack([plan.trajectory["payload.x"], plan.trajectory["payload.y"]])
    distance = np.linalg.norm(points - center, axis=1)
    assert distance.min() == pytest.approx(0.12, abs=1e-6)
    replay = plan.replay()
    points = np.column_stack([replay.trajectory["payload.x"], replay.trajectory["payload.y"]])
    nearest = np.linalg.norm(points - center, axis=1).min()
    assert nearest > 0.12 - 1e-3
    (excess,) = replay.excesses
    assert excess.name == "payload outside sphere"
    assert excess.amount == pytest.approx(0.12 - nearest, rel=0.02)
    assert "payload outside sphere" in str(replay)


def test_a_cuboid_is_kept_out_of(arm):
    """The tip comes no nearer than the cuboid, and no farther from it than the rounding of its edges says."""
    low, high, rotation = np.array([0.36, 0.4]), np.array([0.56, 0.6]), 0.5
    with pytest.warns(
        optim.PlanWarning, match=r"between collocation points.*payload outside cuboid at .* by 0\.00[2-7]"
    ):
        plan = planned(arm, 50, path=optim.KeepOut(optim.Cuboid(low, high, rotation), frames="payload"))
    c, s, middle = np.cos(rotation), np.sin(rotation), (low + high) / 2
    points = np.column_stack([plan.trajectory["payload.x"], plan.trajectory["payload.y"]])
    turned = (points - middle) @ np.array([[c, -s], [s, c]]) + middle
    nearest = distance_to_rectangle(turned, low, high).min()
    assert -1e-8 < nearest < 0.05 * 0.1


@pytest.mark.parametrize("dimensions", [2, 3])
def test_a_smooth_cuboid_holds_the_cuboid(dimensions):
    """Where it says outside, a point is; and what it gives away is at most its rounding."""
    rng = np.random.default_rng(5)
    half = np.array([0.3, 0.2, 0.4])[:dimensions]
    r = ca.SX.sym("r", 3)
    outside = ca.Function("outside", [r], [optim.Cuboid(-half, half).outside(r, 0.0)])
    points = rng.uniform(-0.6, 0.6, (4000, 3))
    values = np.array(outside.map(len(points))(points.T)).ravel()
    beyond = np.max(np.abs(points[:, :dimensions]) - half, axis=1)
    assert np.all(beyond[values >= 0] >= 0)
    assert np.all(values[beyond > 0.05 * 0.2 * (dimensions - 1) / 2 + 1e-3] > 0)
    slope = ca.Function("slope", [r], [ca.gradient(outside(r), r)])
    assert np.isfinite(np.array(slope(np.zeros(3)))).all()
    assert np.isfinite(np.array(slope([0.3, 0.2, 0.4]))).all()


def test_link_as_a_whole_keeps_behind_a_wall(arm):
    """Both links swing past a wall that the tip alone would pierce with its elbow."""
    wall = optim.HalfSpace(point=(0.0, 0.42), normal=(0.0, -1.0))
    problem = {"start": HOME, "goal": {"joint1.angle": 0.5, "joint2.angle": -0.9}, "duration": 2.0}
    both = optim.KeepOut(wall, links=("link1", "link2"), stations=4)
    plan = optim.plan(arm, optim.RestToRest(**problem, path=both), intervals=20)
    assert len(plan.pyomo_model.path_names) == 8
    assert min(value.value for value in plan.pyomo_model.path.values()) >= -1e-8


def test_tip_stays_in(arm):
    """A ceiling, as a cuboid, as a half-space and as an expression: the same plan each time."""
    start, goal = {"joint1.angle": 0.0, "joint2.angle": 0.3}, {"joint1.angle": 2.6, "joint2.angle": 0.3}
    plans = {
        name: optim.plan(arm, optim.RestToRest(start, goal, 2.0, path=path), intervals=10)
        for name, path in {
            "nothing": (),
            "cuboid": optim.KeepIn(optim.Cuboid((-1.1, -0.2), (1.1, 0.41)), frames="payload", margin=0.01),
            "half-space": optim.KeepIn(optim.HalfSpace((0.0, 0.4), (0.0, 1.0)), frames=["payload"]),
            "lambda": optim.Within(lambda s: s["payload.y"], high=0.4),
            "text": optim.Within("payload.y * cos(0) + 0 * der(joint1.angle)**2", high=0.4),
        }.items()
    }
    assert plans.pop("nothing").trajectory["payload.y"].max() > 0.41
    for plan in plans.values():
        assert plan.trajectory["payload.y"].max() == pytest.approx(0.4, abs=1e-6)
        assert plan.objective == pytest.approx(plans["cuboid"].objective, rel=1e-6)


@pytest.mark.slow
def test_obstacles_that_cannot_be_passed_at_once(arm):
    """The straight arm does not fit into the disc: its elbow has to bend the other way round."""
    start, goal = {"joint1.angle": 0.0, "joint2.angle": 0.9}, {"joint1.angle": 2.0, "joint2.angle": -0.9}
    disc = optim.KeepIn(optim.Sphere((0.0, 0.0, 0.0), 0.95), frames="payload", margin=0.01)
    asked = optim.RestToRest(start, goal, 2.0, path=disc)
    with pytest.warns(optim.PlanWarning, match=r"between collocation points.*payload inside sphere"):
        plan = optim.plan(arm, asked, intervals=20)
    assert plan.status in (CONVERGED, UNRESOLVED)  # the swing of the elbow takes few intervals
    assert len(plan.attempts) > 1
    reach = np.hypot(plan.trajectory["payload.x"], plan.trajectory["payload.y"])
    assert reach.max() == pytest.approx(0.94, abs=1e-6)


@pytest.mark.slow
def test_refined_until_the_replay_keeps_out(arm):
    """On ten intervals the tip cuts the corner between two points; refined, it does not by a millimetre."""
    post = optim.KeepOut(optim.Sphere((0.337, 0.483), 0.08), frames="payload")
    ask = optim.RestToRest(HOME, HALF_TURN, 2.0, path=post)
    with pytest.warns(optim.PlanWarning, match="between collocation points"):
        coarse = optim.plan(arm, ask, intervals=10)
    assert coarse.replay().excesses[0].amount > 2e-3
    assert coarse.excesses[0].amount == pytest.approx(coarse.replay().excesses[0].amount, rel=0.5)
    plan = optim.plan(arm, ask, intervals=10, refine=1e-2)
    assert plan.status == "optimal"
    assert len(plan.attempts) > 1  # by Lobatto's collocation, or on more intervals
    assert all(excess.amount < 1e-3 for excess in plan.replay().excesses)


def test_straight_through_the_middle_is_gone_around(arm):
    """The obstacle lies right on the way of the free optimum, and is large: some way around it is found."""
    post = optim.KeepOut(optim.Sphere((0.34, 0.49), 0.25), frames="payload")
    plan = optim.plan(arm, optim.RestToRest(HOME, HALF_TURN, 2.0, path=post), intervals=20)
    assert plan.status == "converged"
    points = np.column_stack([plan.trajectory["payload.x"], plan.trajectory["payload.y"]])
    assert np.linalg.norm(points - [0.34, 0.49], axis=1).min() > 0.25 - 1e-6


def problem(**more):
    return optim.RestToRest(HOME, HALF_TURN, 2.0, **more)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: optim.Sphere((0, 0), 0.0), "Sphere: radius = 0.0; must be a finite number > 0"),
        (lambda: optim.Sphere((0, 0, 0, 0), 1.0), "must be 3 finite numbers, or 2"),
        (lambda: optim.Sphere(("0", "0", "1"), 1.0), "must be 3 finite numbers, or 2"),
        (lambda: optim.Cuboid((0, 0), (1, 0)), "must be corners"),
        (lambda: optim.Cuboid((0, 0), (1, 1), np.ones((3, 3))), "orthonormal"),
        (lambda: optim.Cuboid((0, 0), (1, 1), np.diag([-1.0, 1.0, -1.0])), "about z"),
        (lambda: optim.HalfSpace((0, 0), (0, 0)), "normal = 0"),
        (lambda: optim.HalfSpace((0, 0), (0, 0, 1)), "must both have"),
        (lambda: optim.KeepOut((0, 0), "payload"), "must be an optim.Sphere"),
        (lambda: optim.KeepOut(optim.Sphere((0, 0), 1.0)), "nothing to keep"),
        (lambda: optim.KeepOut(optim.Sphere((0, 0), 1.0), "payload", margin=-1), "margin = -1"),
        (lambda: optim.KeepIn(optim.Sphere((0, 0), 1.0), "payload", margin=1.0), "leaves nothing of the sphere"),
        (lambda: optim.Within("payload.x"), "one of them must limit"),
        (lambda: optim.Within("payload.x; 1", 0), "cannot be read"),
        (lambda: optim.Within("open('f')", 0), "there is no function 'open'"),
        (lambda: optim.Within("[payload.x]", 0), "is not understood"),
        (lambda: optim.Within(3.0, 0), "must be a function of names"),
        (lambda: problem(path="sphere"), "must be a sequence of optim.KeepOut"),
    ],
)
def test_malformed(make, says):
    with pytest.raises(optim.ProblemError, match=says):
        make()


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"path": optim.KeepOut(optim.Sphere((0, 0), 0.1), "paylaod")}, "no place 'paylaod'.*Did you mean payload"),
        ({"path": optim.KeepOut(optim.Sphere((0, 0), 0.1), links="link3")}, "no link 'link3'"),
        ({"path": optim.KeepOut(optim.Sphere((0, 0), 0.1), "link1.station(2)")}, "from 0 to the length, 0.5 m"),
        (
            {"path": optim.KeepOut(optim.Sphere((1, 0.1), 0.2), "payload")},
            r"start: not payload outside sphere, by 0\.1 m",
        ),
        ({"path": optim.KeepIn(optim.HalfSpace((0.0, 0.4), (0, 1)), "payload")}, "goal: not payload inside halfspace"),
        ({"path": optim.Within("payload.z2", 0)}, "no 'payload.z2'"),
        ({"path": optim.Within(lambda s: ca.vertcat(s["payload.x"], 1), 0)}, "must be one number"),
        ({"limits": {"payload.x": (None, 0.5)}}, r"start: payload.x = 1 at rest there; its limits are -inf to 0.5"),
        ({"limits": {"link1.tip_deflection_x": 0.1}}, "no input, .* 'link1.tip_deflection_x'.*Did you mean"),
    ],
)
def test_what_the_arm_has_not_or_cannot_keep(arm, more, says):
    with pytest.raises(optim.ProblemError, match=says):
        optim.pyomo_model(arm, problem(**more), intervals=5)


def test_violations_are_told_by_name_time_and_amount(arm):
    m = optim.pyomo_model(
        arm,
        problem(limits={"payload.x": (-1.0, 1.01)}, path=optim.Within("payload.y", high=1.01, name="ceiling")),
        intervals=10,
    )
    for name in m.coordinates:
        if not m.q[5, name].fixed:
            m.q[5, name].set_value(3.0)
    found = [v for v in violations(m) if v.name in ("payload.x", "ceiling")]
    assert found
    assert all(v.amount > 0 and 0 < v.time <= 2.0 for v in found)
