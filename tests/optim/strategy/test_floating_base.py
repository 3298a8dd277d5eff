"""Plans of arms on floating bases: what is not named is left to the momentum."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import flexblocks as fb
from arms.chains import chain
from arms.fidelities import outputs
from flexblocks import optim
from flexblocks.optim.model.trajectories import transcribed_problem
from flexblocks.optim.presolve.boundary import End
from flexblocks.optim.presolve.refusals.conserved_momentum import check_momentum
from flexblocks.optim.strategy.relaxations.rest import miss_at_goals

GOAL = {"joint.angle": 1.0}


@pytest.fixture(scope="module")
def dae() -> fb.DAE:
    """A body with an elastic link and a payload that floats; lengths times s, masses times s^3, as fast."""
    s = 0.1
    model = chain(
        fb.FreeMotion("base", orientation=(0.4, -0.2, 1.0)),
        fb.RigidBody("body", 200.0 * s**3, np.diag([10.0, 20.0, 25.0]) * s**5, reach=(1.0 * s, 0.3 * s, 0.0)),
        fb.Revolute("joint", axis=(0, 0, 1)),
        fb.FlexibleBeam(
            "link", 3.0 * s, 2.0 * s**2, 3000.0 * s**6, discretization=fb.AssumedModes(1, tip="auto"), bending="y"
        ),
        fb.Payload("payload", 20.0 * s**3, np.diag([1.0, 1.0, 2.0]) * s**5),
        gravity=(0, 0, 0),
    )
    model.connect(model.add(fb.TorqueSource("motor")).flange_b, "joint.axis")
    model.add(fb.TotalMomentum("total"))
    return fb.assemble(model)


def test_a_base_that_is_not_named_ends_where_momentum_takes_it(dae: fb.DAE) -> None:
    plan = optim.plan(dae, optim.RestToRest({"joint.angle": 0.0}, GOAL, 5.0), intervals=20)
    run = plan.trajectory
    assert plan.status == "converged"
    assert run["joint.angle"][-1] == pytest.approx(1.0)
    size = np.linalg.norm([np.ptp(run[f"payload.{axis}"]) for axis in "xyz"])
    # The body turns back, about its own axis z, and its centre of mass stays.
    assert max(np.ptp(run[f"base.rotation_{axis}"]) for axis in "xyz") > 0.3
    assert max(np.ptp(run[f"total.center_{axis}"]) for axis in "xyz") < 1e-3 * size
    assert plan.replay().tip_miss < 1e-3 * size
    # At rest at the end: what nobody fixed, momentum stops.
    assert np.abs(plan.replay().trajectory["base.angular_velocity_z"][-1]) < 1e-2


def test_a_leeway_lets_end_points_miss_where_they_are_from_the_base_as_it_floats(dae: fb.DAE) -> None:
    start = {"joint.angle": 0.0}
    exact = optim.plan(dae, optim.RestToRest(start, GOAL, 5.0), intervals=20)
    near = optim.Phase("near", GOAL, 5.0, leeway=1e-3 * exact.trajectory.energy[:, 0].max())
    plan = optim.plan(dae, optim.Problem(start, (near,)), intervals=20)
    bent = plan.trajectory.x[-1][: dae.tree.size]
    straight = bent.copy()
    straight[[dae.q_names.index("joint.angle"), dae.q_names.index("link.bending_y[1]")]] = 1.0, 0.0
    there, asked = (outputs(dae, q) for q in (bent, straight))
    away = np.linalg.norm([there[f"payload.{axis}"] - asked[f"payload.{axis}"] for axis in "xyz"])
    assert away > 0
    assert miss_at_goals(plan) == pytest.approx(away, rel=1e-6)


def test_a_motion_of_the_tiniest_arm_is_refused_and_none_is_not() -> None:
    """A body of micrometres: nothing moves, or its centre of mass does."""
    body = fb.RigidBody("body", 1e-9, 1e-20 * np.eye(3), center=(1e-6, 0.0, 0.0))
    dae = fb.assemble(chain(fb.FreeMotion("base"), body, gravity=(0, 0, 0)))
    still = fb.equilibrium(dae, x=dict.fromkeys(dae.q_names, 0.0))
    moved = fb.equilibrium(dae, x=dict.fromkeys(dae.q_names, 0.0) | {"base.rotation_z": 1.0})
    check_momentum(dae, End("fixed", still), End("fixed", still))
    with pytest.raises(optim.ProblemError, match="momentum forbids it"):
        check_momentum(dae, End("fixed", still), End("fixed", moved))


def test_what_momentum_forbids_is_refused_by_that_word(dae: fb.DAE) -> None:
    held = {name: float(dae.x.start[i]) for i, name in enumerate(dae.q_names) if name.startswith("base.")}
    with pytest.raises(optim.ProblemError, match=r"momentum forbids it.*centre of mass stays at"):
        optim.plan(dae, optim.RestToRest({"joint.angle": 0.0}, GOAL | held, 5.0), intervals=20)


def test_a_planar_arm_is_refused_where_its_plane_is_named() -> None:
    """What cannot move, out of the plane, need not be named to see that the centre of mass would move."""
    model = chain(
        fb.FreeMotion("base"),
        fb.RigidBody("body", 150.0, np.diag([20.0, 20.0, 25.0]), reach=(0.8, 0.0, 0.0)),
        fb.Revolute("joint"),
        fb.FlexibleBeam("link", 1.5, 1.5, 400.0, discretization=fb.AssumedModes(1, tip="auto"), bending="y"),
        fb.Payload("payload", 20.0, (1.0, 1.0, 1.0)),
        gravity=(0, 0, 0),
    )
    model.connect(model.add(fb.TorqueSource("motor")).flange_b, "joint.axis")
    dae, start = fb.assemble(model), {"joint.angle": 0.3}
    moved = {"base.displacement_x": 1.0, "base.displacement_y": 0.0, "base.rotation_z": 0.0}
    with pytest.raises(optim.ProblemError, match=r"centre of mass stays at.*those of base\.displacement_x, base\."):
        optim.plan(dae, optim.RestToRest(start, moved | start, 5.0), intervals=10)
    # With its heading left open it may: the arm turns about what stays.
    still = fb.equilibrium(dae, x=start)
    there = fb.equilibrium(dae, x=start | {"base.displacement_x": 0.1})
    check_momentum(dae, End("fixed", still), End("fixed", there, open=(dae.q_names.index("base.rotation_z"),)))


def wheel_on(base: fb.Block | tuple[fb.Block, ...], hinges: int = 1, off: float = 0.0) -> fb.DAE:
    """A body of 3 kg m2 about z with driven wheels of 1 kg m2 in series, on its axis or `off` it [m]."""
    joints = base if isinstance(base, tuple) else (base,)
    blocks = [fb.RigidBody("body", 20.0, np.diag([1.0, 2.0, 3.0]), reach=(off, 0.0, 0.0))]
    for i in range(hinges):
        center = (off / 2, 0.0, 0.0)
        blocks += [fb.Revolute(f"hinge{i}"), fb.RigidBody(f"wheel{i}", 2.0, np.eye(3), reach=center, center=center)]
    model = chain(*joints, *blocks, gravity=(0, 0, 0))
    for i in range(hinges):
        model.connect(model.add(fb.TorqueSource(f"motor{i}")).flange_b, f"hinge{i}.axis")
    return fb.assemble(model)


def ends(dae: fb.DAE, **goal: float) -> tuple[End, End]:
    """Return two ends at rest, all coordinates zero at the first and named at the second."""
    zero = dict.fromkeys(dae.q_names, 0.0)
    named = {name.replace("__", "."): value for name, value in goal.items()}
    return End("fixed", fb.equilibrium(dae, x=zero)), End("fixed", fb.equilibrium(dae, x=zero | named))


PLANE = (fb.Prismatic("x", axis=(1, 0, 0)), fb.Prismatic("y", axis=(0, 1, 0)), fb.Revolute("turn"))


@pytest.mark.parametrize(
    ("base", "name", "turned"),
    [
        (fb.FreeMotion("base"), "base__rotation_z", 4 * np.tan(-0.25 / 4)),
        pytest.param(fb.Spherical("base"), "base__rotation_z", 4 * np.tan(-0.25 / 4), marks=pytest.mark.slow),
        (fb.Revolute("turn"), "turn__angle", -0.25),
    ],
)
def test_an_attitude_that_one_joint_alone_cannot_make_is_refused(base, name, turned) -> None:
    """A wheel of a quarter of the inertia turns the base back by a quarter of its angle, on any way."""
    dae = wheel_on(base)
    check_momentum(dae, *ends(dae, hinge0__angle=1.0, **{name: turned}))
    with pytest.raises(optim.ProblemError, match=rf"momentum forbids it.*{name.replace('__', '.')} = -0.25.*, not 0.1"):
        check_momentum(dae, *ends(dae, hinge0__angle=1.0, **{name: 0.1}))
    with pytest.raises(optim.ProblemError, match="momentum forbids it"):
        check_momentum(dae, *ends(dae, **{name: 0.1}))


@pytest.mark.slow
def test_what_depends_on_the_way_of_the_joints_is_not_refused() -> None:
    """Two hinges off the centre: as a cat does, they turn the base by going round a loop."""
    dae = wheel_on(fb.Revolute("turn"), 2, off=0.5)
    check_momentum(dae, *ends(dae, turn__angle=0.1))
    centerd = wheel_on(fb.Revolute("turn"), 2)
    with pytest.raises(optim.ProblemError, match="momentum forbids it"):
        check_momentum(centerd, *ends(centerd, turn__angle=0.1))


def test_momentum_at_one_end_and_rest_at_the_other_is_refused() -> None:
    dae = wheel_on(PLANE)
    rest = dict.fromkeys(dae.q_names, 0.0)
    with pytest.raises(optim.ProblemError, match=r"momentum forbids it.*momentum at the start and none at the goal"):
        optim.plan(dae, optim.RestToRest(rest | {"der(x.displacement)": 0.1}, rest, 2.0))


MASS, MOMENT = 25.0, 3.0 * 1.0 + 2.0 * 0.5  # of the cart with its arm [kg], and of rod and load about the hinge [kg m]


@cache
def cart() -> fb.DAE:
    """A cart of 20 kg on free rails along x, with a driven rod of 1 m and 2 kg that carries 3 kg."""
    model = chain(
        fb.Prismatic("cart", axis=(1, 0, 0)),
        fb.LumpedMass("frame", 20.0),
        fb.Revolute("hinge"),
        fb.RigidLink("rod", 1.0, 2.0),
        fb.Payload("load", 3.0),
        gravity=(0, 0, -9.81),
    )
    model.connect(model.add(fb.TorqueSource("motor")).flange_b, "hinge.axis")
    return fb.assemble(model)


def test_a_cart_on_free_rails_ends_where_the_arm_pushes_it() -> None:
    """Nothing but the arm's motor moves it: the centre of mass stays along the rails, and not across."""
    dae = cart()
    problem = optim.RestToRest({"hinge.angle": 0.0}, {"hinge.angle": 1.0}, 2.0)
    plan = optim.plan(dae, problem, intervals=15)
    moved = MOMENT * (1 - np.cos(1.0)) / MASS
    assert plan.trajectory["cart.displacement"][-1] == pytest.approx(moved, abs=1e-5)
    goal = {"hinge.angle": 1.0, "cart.displacement": 0.0}
    with pytest.raises(optim.ProblemError, match=r"momentum forbids it.*centre of mass"):
        optim.plan(dae, optim.RestToRest({"hinge.angle": 0.0}, goal, 2.0))


def test_a_goal_passed_in_motion_leaves_the_rates_of_the_base_to_momentum() -> None:
    """The cart rolls as fast as it takes for the momentum to stay zero."""
    goal = {"hinge.angle": 1.0, "der(hinge.angle)": 0.5}
    m = optim.pyomo_model(cart(), optim.RestToRest({"hinge.angle": 0.0}, goal, 2.0), intervals=3)
    end = transcribed_problem(m).first[0].end
    assert end.point["der(cart.displacement)"] == pytest.approx(MOMENT * np.sin(1.0) * 0.5 / MASS)
    assert not m.q[3, "cart.displacement"].fixed
    assert not m.v[3, "cart.displacement"].fixed
    assert m.v[3, "hinge.angle"].value == pytest.approx(0.5)


@pytest.mark.parametrize("angle", [1.0, pytest.param(0.6, marks=pytest.mark.slow)])
def test_a_place_is_reached_in_the_posture_in_which_momentum_allows_it(angle: float) -> None:
    """The cart backs away from the rod, which has to turn the farther; its rates at the goal are not fixed."""
    dae, start = cart(), 0.3
    moved = MOMENT * (np.cos(start) - np.cos(angle)) / MASS
    problem = optim.RestToRest({"hinge.angle": start}, {"load.x": np.cos(angle) + moved}, 2.0)
    m = optim.pyomo_model(dae, problem, intervals=3)
    point = transcribed_problem(m).first[0].end.point
    assert point["hinge.angle"] == pytest.approx(angle, abs=2e-3)
    assert point["cart.displacement"] == pytest.approx(moved, abs=2e-3)
    # Momentum stops the cart: another condition would be redundant.
    assert [m.v[3, name].fixed for name in dae.q_names] == [name != "cart.displacement" for name in dae.q_names]


@pytest.mark.slow
def test_a_tip_goal_of_the_elastic_arm(dae: fb.DAE) -> None:
    """Where a plan by joints takes the payload is a place that a plan by places reaches, as well."""
    there = optim.plan(dae, optim.RestToRest({"joint.angle": 0.0}, GOAL, 5.0), intervals=20).trajectory
    goal = {"payload.x": float(there["payload.x"][-1])}  # one joint, one condition
    plan = optim.plan(dae, optim.RestToRest({"joint.angle": 0.0}, goal, 5.0), intervals=20)
    assert plan.attempts[-1].iterations < 30
    assert plan.trajectory["joint.angle"][-1] == pytest.approx(1.0, abs=1e-3)


@cache
def craft(s: float) -> fb.DAE:
    """A body with three links of `s` metres afloat in the plane, on slides and a hinge without drives."""
    model = chain(
        fb.Prismatic("x", axis=(1, 0, 0)),
        fb.Prismatic("y", axis=(0, 1, 0)),
        fb.Revolute("turn"),
        fb.Payload("body", 20.0 * s**3, 5.0 * s**5),
        *(block for i in (1, 2, 3) for block in (fb.Revolute(f"joint{i}"), fb.RigidLink(f"link{i}", s, 2.0 * s**3))),
        fb.Payload("payload", s**3),
        gravity=(0, 0, 0),
    )
    for i in (1, 2, 3):
        model.connect(model.add(fb.TorqueSource(f"motor{i}")).flange_b, f"joint{i}.axis")
    return fb.assemble(model)


POSTURE = {"joint1.angle": 0.4, "joint2.angle": 0.6, "joint3.angle": -0.3}


@pytest.mark.slow
@pytest.mark.parametrize(("s", "on_course"), [(0.02, True), (20.0, False)])
def test_a_place_is_passed_as_momentum_allows_it(s: float, on_course: bool) -> None:
    """Posture and rates follow from the motion; taken from the posture alone, they had a momentum: 377 iterations."""
    x, y, vx, vy = (value * s for value in (1.8, 0.8, 0.05, -0.1))
    target = (
        optim.Course((f"{x - 4 * vx} + {vx}*time", f"{y - 4 * vy} + {vy}*time", None))
        if on_course
        else optim.Pose(position=(x, y, None), velocity=(vx, vy, None))
    )
    plan = optim.plan(craft(s), optim.RestToRest(POSTURE, {"payload": target}, 4.0), intervals=20)
    assert plan.status == "converged"
    assert sum(attempt.iterations for attempt in plan.attempts) < 20
    run, h = plan.replay(law=None).trajectory, 1e-4
    assert [run["payload.x"][-1], run["payload.y"][-1]] == pytest.approx([x, y], abs=1e-3 * s)
    # By forward kinematics of all coordinates, the base's among them
    names, q, v = plan.transcribed.dae.q_names, plan.trajectory.x[-1][:6], plan.trajectory.x[-1][6:]

    def tip(q: np.ndarray) -> np.ndarray:
        value = dict(zip(names, q, strict=True))
        heading = value["turn.angle"] + np.cumsum([value[f"joint{i}.angle"] for i in (1, 2, 3)])
        place = np.array([value["x.displacement"], value["y.displacement"]])
        return place + s * np.array([np.cos(heading).sum(), np.sin(heading).sum()])

    np.testing.assert_allclose((tip(q + h * v) - tip(q - h * v)) / (2 * h), [vx, vy], atol=1e-5 * s)


def test_rates_of_the_base_that_momentum_does_not_give_it_are_refused() -> None:
    """They were left open, or held while the base span."""
    dae, goal = craft(1.0), {"joint1.angle": 1.0, "joint2.angle": 0.0, "joint3.angle": 0.0}
    for start, named, says in (
        ({"der(x.displacement)": 0.1}, {"der(x.displacement)": 0.0}, r"der\(x\.displacement\) = 0\.1, not 0\."),
        ({"der(x.displacement)": 0.1}, {"x.displacement": 0.4}, r"der\(x\.displacement\) = 0\.1, not 0\."),
        ({}, {"der(x.displacement)": 0.1}, r"der\(x\.displacement\) = 0, not 0\.1\."),
    ):
        with pytest.raises(optim.ProblemError, match=f"momentum forbids it: .*{says}"):
            optim.pyomo_model(dae, optim.RestToRest(POSTURE | start, goal | named, 4.0), intervals=3)
    drifting = optim.RestToRest(POSTURE | {"der(x.displacement)": 0.1}, goal | {"der(x.displacement)": 0.1}, 4.0)
    plan = optim.plan(dae, drifting, intervals=10)
    assert plan.trajectory["der(x.displacement)"][-1] == pytest.approx(0.1, abs=1e-6)


@cache
def linkage_afloat() -> fb.DAE:
    """A body afloat in the plane, with a parallelogram of two cranks and an elastic forearm on its bar."""
    model = chain(
        fb.Prismatic("x", axis=(1, 0, 0)),
        fb.Prismatic("y", axis=(0, 1, 0)),
        fb.Revolute("turn"),
        fb.Payload("body", 100.0, 10.0),
        fb.FixedTransform("foot", (0.4, 0.0, 0.0)),
        gravity=(0, 0, 0),
    )
    bar = model.add(fb.RigidLink("bar", 0.4, 2.0))
    for i, (place, end) in enumerate((("turn.frame_b", bar.frame_a), ("foot.frame_b", bar.frame_b))):
        crank, pin = model.add(fb.RigidLink(f"crank{i}", 0.8, 3.0)), model.add(fb.Revolute(f"pin{i}", start=-0.9))
        hinge = model.add(fb.Revolute(f"hinge{i}", start=0.9))
        model.connect(place, hinge.frame_a)
        model.connect(hinge.frame_b, crank.frame_a)
        model.connect(crank.frame_b, pin.frame_a)
        model.connect(pin.frame_b, end)
    wrist, motors = model.add(fb.Revolute("wrist")), [model.add(fb.TorqueSource(f"motor{i}")) for i in range(2)]
    beam = fb.FlexibleBeam("arm", 0.8, 3.0, 200.0, discretization=fb.AssumedModes(2, tip="auto"), bending="y")
    model.connect(bar.frame_b, wrist.frame_a)
    model.connect(wrist.frame_b, model.add(beam).frame_a)
    model.connect("arm.frame_b", model.add(fb.Payload("load", 4.0)).frame_a)
    model.connect(motors[0].flange_b, "hinge0.axis")
    model.connect(motors[1].flange_b, "wrist.axis")
    return fb.assemble(model)


@pytest.mark.slow
def test_a_linkage_afloat_reaches_the_place_that_its_joints_reach() -> None:
    """Loop forces add up to zero on the base: a balance that follows from the others, and 400 iterations before."""
    dae, start = linkage_afloat(), {"hinge0.angle": 0.9, "wrist.angle": 0.0}
    goal = {"hinge0.angle": 1.6, "wrist.angle": 0.7}
    by_joints = optim.plan(dae, optim.RestToRest(start, goal, 3.0, input_ends="holding"), intervals=20)
    place = {name: float(by_joints.trajectory[name][-1]) for name in ("load.x", "load.y")}
    plan = optim.plan(dae, optim.RestToRest(start, place, 3.0, input_ends="holding"), intervals=20)
    assert plan.status == "converged"
    assert sum(attempt.iterations for attempt in plan.attempts) < 20
    assert plan.objective <= by_joints.objective * (1 + 1e-6)
    assert plan.replay().tip_miss < 1e-4


@pytest.mark.slow
def test_a_center_of_mass_and_a_momentum_stay_what_they_are(dae: fb.DAE) -> None:
    """Named in the goal, they are refused with what they will be; as what they will be, they are not."""
    at_start = {"joint.angle": 0.0}
    begin = transcribed_problem(optim.pyomo_model(dae, optim.RestToRest(at_start, GOAL, 5.0), intervals=2))
    centers = {f"total.center_{axis}": begin.first[0].start[f"total.center_{axis}"] for axis in "xyz"}
    for axis, (center, there) in zip("xyz", centers.items(), strict=True):
        size, momentum = 1.0 + abs(there), f"total.momentum_{axis}"
        for goal, says in (({center: there + 0.1 * size}, center), ({momentum: 1.0}, f"{momentum} = 0, not 1")):
            with pytest.raises(optim.ProblemError, match=f"momentum forbids it: .* {says}"):
                optim.pyomo_model(dae, optim.RestToRest(at_start, GOAL | goal, 5.0), intervals=2)
        optim.pyomo_model(dae, optim.RestToRest(at_start, {center: there, "joint.angle": 1.0}, 5.0), intervals=2)


@pytest.mark.slow
def test_a_cart_that_rolls_takes_its_center_of_mass_along() -> None:
    """Started at 0.2 m/s, from 0 to 0.2 T: what contradicts that is refused, and nothing where rails hold it."""
    model = chain(
        fb.Prismatic("rails", axis=(1, 0, 0)),
        fb.RigidBody("cart", 10.0, np.eye(3)),
        fb.Revolute("joint"),
        fb.RigidLink("link", 1.0, 1.0),
        gravity=(0, 0, 0),
    )
    model.connect(model.add(fb.TorqueSource("motor")).flange_b, "joint.axis")
    model.add(fb.TotalMomentum("total"))
    dae = fb.assemble(model)
    start = {"joint.angle": 0.0, "rails.displacement": 0.0, "der(rails.displacement)": 0.2}
    center = 0.5 * 1.0 / 11.0
    for asked, is_refused in ((center + 0.2 * 2.0, False), (center, True)):
        goal = {"joint.angle": 1.0, "der(joint.angle)": 0.1, "total.center_x": asked}
        problem = optim.Problem(start, (optim.Phase("swing", goal, 2.0),))
        if is_refused:
            with pytest.raises(optim.ProblemError, match=r"total\.center_x = 0\.445455, not 0\.0454545"):
                optim.pyomo_model(dae, problem, intervals=2)
        else:
            optim.pyomo_model(dae, problem, intervals=2)
    across = optim.RestToRest({"joint.angle": 0.0}, {"total.center_y": 0.02}, 2.0)
    optim.pyomo_model(dae, across, intervals=2)  # rails push across


@pytest.mark.parametrize("size", [1e-3, 1e3])
def test_a_base_that_no_attitude_brings_there_is_refused(size: float) -> None:
    """Two masses at a distance: the centre of mass is r from the base, which turns to 2 r at most."""
    mass, other, length = 3.0, 1.0, size
    link = fb.RigidBody("link", other, np.diag([1e-3, 1e-3, 1e-3]) * length**2, center=(length, 0.0, 0.0))
    model = fb.Model("two masses", gravity=(0, 0, 0))
    ground, base = model.add(fb.Ground("ground")), model.add(fb.FreeMotion("base"))
    hinge, motor = model.add(fb.Revolute("joint")), model.add(fb.TorqueSource("motor"))
    body = model.add(fb.RigidBody("body", mass, 0.1 * length**2 * np.eye(3)))
    for one, two in (
        (ground.frame_b, base.frame_a), (base.frame_b, body.frame_a), (base.frame_b, hinge.frame_a),
        (motor.flange_b, hinge.axis), (hinge.frame_b, model.add(link).frame_a),
    ):  # fmt: skip
        model.connect(one, two)
    dae = fb.assemble(model)
    most = 2 * other * length / (mass + other)

    def asked(x: float) -> optim.RestToRest:
        return optim.RestToRest({"joint.angle": 0.0}, {"joint.angle": 0.5, "base.displacement_x": x}, 5.0)

    with pytest.raises(optim.ProblemError, match=rf"it would be {0.1 * most:.2g}\d* m off at least, in whatever"):
        optim.plan(dae, asked(1.1 * most), intervals=5)
    optim.pyomo_model(dae, asked(0.9 * most), intervals=5)
