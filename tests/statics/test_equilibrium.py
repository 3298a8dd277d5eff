"""Where arms rest, against closed forms and by searches of another kind."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest
import scipy.optimize
from scipy.optimize import brentq, minimize, minimize_scalar

import flexblocks as fb
from arms.library import subudhi_morris
from arms.one_link import DCMotor, G, HardeningSpring, cantilever, joint_arm
from benchmarks.real_plans.random_boom import random_boom
from flexblocks import models
from flexblocks.errors import ComputationError, FlexblocksError, NameUnknownError, ParameterError
from flexblocks.statics import problem, solvers, viscous_descent
from flexblocks.statics.equilibrium import NoEquilibriumError

LINK = fb.RigidLink("link", length=0.5, mass=0.1)
BOB = fb.Payload("bob", mass=0.2, inertia=0.005)
MOMENT = 0.1 * 0.25 + 0.2 * 0.5  # static moment of link and bob about the hinge [kg m]


def flexible(modes: int = 2, **values: float) -> fb.FlexibleBeam:
    return fb.FlexibleBeam(
        "link",
        **({"length": 0.5, "linear_density": 0.2, "flexural_rigidity": 1.0} | values),
        discretization=fb.AssumedModes(modes, tip="auto"),
    )


@pytest.mark.parametrize(("start", "rest"), [(0.0, -np.pi / 2), (-2.5, -np.pi / 2), (1.0, np.pi / 2)])
def test_pendulum_hangs_or_stands(start: float, rest: float) -> None:
    """The nearest rest is taken, also one that is unstable; from midway it is the one below."""
    op = fb.equilibrium(fb.assemble(joint_arm(beam=LINK, payload=BOB, start=start)))
    assert op["joint.angle"] == pytest.approx(rest, abs=1e-14)
    assert abs(op.residual[0]) < 1e-15
    assert op["der(joint.angle)"] == 0


@pytest.mark.parametrize("modes", [0, 2])
def test_flexible_pendulum_hangs_straight(modes: int) -> None:
    beam = flexible(modes) if modes else LINK
    op = fb.equilibrium(fb.assemble(joint_arm(beam=beam, payload=BOB, start=-0.3)))
    np.testing.assert_allclose(op.x, [-np.pi / 2, *np.zeros(len(op.x) - 1)], atol=1e-12)


@pytest.mark.parametrize("angle", [-2.0, 0.0, 0.3, 1.2])
def test_holding_torque_of_one_link(angle: float) -> None:
    dae = fb.assemble(joint_arm(beam=LINK, payload=BOB, drive=(fb.TorqueSource("motor"),)))
    op = fb.equilibrium(dae, x={"joint.angle": angle})
    assert op["joint.angle"] == angle
    assert op["motor.torque"] == pytest.approx(MOMENT * G * np.cos(angle), rel=1e-14)


def test_holding_torques_of_two_links() -> None:
    model = fb.Model("two links", gravity=(0.0, -G, 0.0))
    tip = model.add(fb.Ground("ground")).frame_b
    for i, (length, mass) in enumerate(((0.4, 1.5), (0.3, 0.7)), 1):
        joint, link = model.add(fb.Revolute(f"joint{i}")), model.add(fb.RigidLink(f"link{i}", length=length, mass=mass))
        motor = model.add(fb.TorqueSource(f"motor{i}"))
        model.connect(motor.flange_b, joint.axis)
        model.connect(tip, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        tip = link.frame_b
    op = fb.equilibrium(fb.assemble(model), x={"joint1.angle": 0.7, "joint2.angle": -1.1})
    second = 0.7 * G * 0.15 * np.cos(0.7 - 1.1)
    first = 1.5 * G * 0.2 * np.cos(0.7) + 0.7 * G * 0.4 * np.cos(0.7) + second
    np.testing.assert_allclose(op.u, [first, second], rtol=1e-13)


@pytest.mark.parametrize(("modes", "error"), [(1, 2e-2), (2, 1e-3), (4, 5e-5), (8, 2e-6)])
def test_cantilever_sags_by_its_weight(modes: int, error: float) -> None:
    """rho g l^4 / (8 EI) at the tip; mode b brings 32 sigma / b^5 of it, signs alternate: the error falls as n^-5."""
    length, density, rigidity = 1.3, 0.4, 25.0
    beam = fb.FlexibleBeam(
        "beam", length, density, rigidity, discretization=fb.AssumedModes(modes, tip="free"), bending="y"
    )
    dae = fb.assemble(cantilever(beam, gravity=G))
    op = fb.equilibrium(dae)
    deflection = float(dae.output(op.x, op.u, op.p)[dae.y.index("beam.tip_deflection_y")])
    share = deflection / (-density * G * length**4 / (8 * rigidity))
    b = np.array([brentq(lambda b: np.cos(b) + 1 / np.cosh(b), i * np.pi, (i + 1) * np.pi) for i in range(modes)])
    sigma = (np.sinh(b) - np.sin(b)) / (np.cosh(b) + np.cos(b))
    assert share == pytest.approx(np.sum(-((-1.0) ** np.arange(1, modes + 1)) * 32 * sigma / b**5), rel=1e-8)
    assert abs(share - 1) < error
    assert np.max(np.abs(op.residual)) < 1e-13


def test_cantilever_bends_by_a_load_at_its_tip() -> None:
    """m g l^3 / (3 EI), approached from the stiff side."""
    beam = fb.FlexibleBeam("beam", 0.8, 1e-6, 5.0, discretization=fb.AssumedModes(12, tip="free"), bending="y")
    dae = fb.assemble(cantilever(beam, fb.Payload("load", mass=0.05), gravity=G))
    op = fb.equilibrium(dae)
    deflection = float(dae.output(op.x, op.u, op.p)[dae.y.index("beam.tip_deflection_y")])
    exact = -0.05 * G * 0.8**3 / (3 * 5.0)
    assert 0.9995 < deflection / exact < 1.0


def test_slender_arm_sags_to_the_least_energy() -> None:
    """Deflections of 70 % of the length, from where gravity outweighs the stiffness; against SciPy's minimiser."""
    model = fb.Model("slender", gravity=(0.0, -G, 0.0))
    tip = model.add(fb.Ground("ground")).frame_b
    for i in (1, 2, 3):
        joint, motor = model.add(fb.Revolute(f"joint{i}")), model.add(fb.TorqueSource(f"motor{i}"))
        link = fb.FlexibleBeam(f"link{i}", 0.5, 0.2, 1.0, discretization=fb.AssumedModes(3, tip="auto"), bending="y")
        model.connect(motor.flange_b, joint.axis)
        model.connect(tip, joint.frame_a)
        model.connect(joint.frame_b, model.add(link).frame_a)
        tip = link.frame_b
    model.connect(tip, model.add(BOB).frame_a)
    dae = fb.assemble(model)
    held = {"joint1.angle": 0.3, "joint2.angle": 0.6, "joint3.angle": 0.9}
    op = fb.equilibrium(dae, x=held)
    free = [i for i, name in enumerate(dae.q_names) if name not in held]
    start = np.array([held.get(name, 0.0) for name in dae.x.names])

    def potential(bending: np.ndarray) -> float:
        x = start.copy()
        x[free] = bending
        return float(dae.energy(x, [])[1])

    least = minimize(potential, start[free], options={"gtol": 1e-7})
    np.testing.assert_allclose(op.x[free], least.x, atol=1e-6)
    assert potential(op.x[free]) <= least.fun + 1e-12
    assert float(dae.output(op.x, op.u, [])[dae.y.index("link1.tip_deflection_y")]) < -0.3


def test_spring_winds_up_by_the_holding_torque() -> None:
    rotor, spring = fb.Rotor("rotor", inertia=0.02), fb.TorsionalSpring("spring", stiffness=7.0)
    arm = joint_arm(beam=LINK, payload=BOB, rotor=rotor, spring=spring, drive=(fb.TorqueSource("motor"),))
    op = fb.equilibrium(fb.assemble(arm), x={"joint.angle": 0.4})
    assert op["motor.torque"] == pytest.approx(MOMENT * G * np.cos(0.4), rel=1e-13)
    assert op["rotor.angle"] == pytest.approx(0.4 + op["motor.torque"] / 7.0, rel=1e-13)


def test_of_many_points_the_nearest_to_the_start_is_taken() -> None:
    """The driven arm balances at any angle; a search along these points by another method finds the same one."""
    rotor, spring = fb.Rotor("rotor", inertia=0.02), fb.TorsionalSpring("spring", stiffness=7.0)
    arm = joint_arm(beam=flexible(), payload=BOB, rotor=rotor, spring=spring, drive=(fb.TorqueSource("motor"),))
    dae = fb.assemble(arm)
    n = len(dae.q_names)
    M = dae.mass_matrix(dae.x.start[:n], []).full()

    def distance(x: np.ndarray) -> float:
        step = x[:n] - dae.x.start[:n]
        return float(step @ M @ step)

    found = minimize_scalar(
        lambda angle: distance(fb.equilibrium(dae, x={"joint.angle": angle}).x),
        bounds=(-0.5, 0.5),
        options={"xatol": 1e-9},
    )
    op = fb.equilibrium(dae)
    assert op["joint.angle"] == pytest.approx(found.x, abs=1e-6)
    assert distance(op.x) <= found.fun * (1 + 1e-9)
    assert abs(found.x) > 0.01


def test_a_driven_arm_stays_at_its_start() -> None:
    op = fb.equilibrium(fb.assemble(joint_arm(beam=LINK, payload=BOB, start=0.3, drive=(fb.TorqueSource("motor"),))))
    assert op["joint.angle"] == pytest.approx(0.3, abs=1e-12)
    assert op["motor.torque"] == pytest.approx(MOMENT * G * np.cos(0.3), rel=1e-12)


def test_a_given_torque_sets_the_angle() -> None:
    dae = fb.assemble(joint_arm(beam=LINK, payload=BOB, drive=(fb.TorqueSource("motor"),)))
    op = fb.equilibrium(dae, u={"motor.torque": 0.5})
    assert np.cos(op["joint.angle"]) == pytest.approx(0.5 / (MOMENT * G), rel=1e-13)
    assert op["joint.angle"] < 0  # the one below, where it is stable


def test_two_motors_on_one_shaft_share_the_load() -> None:
    drive = (fb.TorqueSource("motor1"), fb.TorqueSource("motor2"))
    dae = fb.assemble(joint_arm(beam=LINK, payload=BOB, drive=drive))
    half = MOMENT * G * np.cos(0.2) / 2
    np.testing.assert_allclose(fb.equilibrium(dae, x={"joint.angle": 0.2}).u, [half, half], rtol=1e-12)
    op = fb.equilibrium(dae, x={"joint.angle": 0.2}, u={"motor1.torque": 0.1})
    np.testing.assert_allclose(op.u, [0.1, 2 * half - 0.1], rtol=1e-12)


def test_without_gravity_an_arm_rests_anywhere() -> None:
    dae = subudhi_morris()
    np.testing.assert_array_equal(fb.equilibrium(dae).x, dae.x.start)
    op = fb.equilibrium(dae, x={"joint1.angle": 0.3})
    assert op["rotor1.angle"] == pytest.approx(0.3, abs=1e-12)
    np.testing.assert_allclose(op.u, 0, atol=1e-12)
    free = fb.equilibrium(dae, x={"joint1.angle": 0.3}, u={"motor1.torque": 0.0, "motor2.torque": 0.0})
    # The second hinge balances at every angle: nothing but rounding of the search moves it.
    np.testing.assert_allclose(free.x, op.x, atol=1e-8)


def test_first_order_states_and_algebraic_variables_rest_too() -> None:
    arm = joint_arm(beam=LINK, payload=BOB, drive=(DCMotor("motor"), HardeningSpring("spring")))
    dae = fb.assemble(arm)
    op = fb.equilibrium(dae, x={"joint.angle": 0.4})
    torque = op["spring.torque"]
    assert 0.1 * torque + 0.01 * torque**3 == pytest.approx(0.4, rel=1e-13)
    needed = MOMENT * G * np.cos(0.4) + torque
    assert op["motor.current"] == pytest.approx(needed / 0.5, rel=1e-13)
    assert op["motor.voltage"] == pytest.approx(2.0 * needed / 0.5, rel=1e-13)
    np.testing.assert_allclose(dae.forward_dynamics(op.x, op.u, op.p, op.z).full(), 0, atol=1e-11)
    back = fb.equilibrium(dae, u={"motor.voltage": op["motor.voltage"]})
    assert back["joint.angle"] == pytest.approx(0.4, rel=1e-11)


def test_symbolic_parameters() -> None:
    arm = joint_arm(beam=LINK, payload=BOB, drive=(fb.TorqueSource("motor"),))
    dae = fb.assemble(arm, symbolic=("bob.mass",))
    op = fb.equilibrium(dae, x={"joint.angle": 0.0}, p={"bob.mass": 1.0})
    assert op["motor.torque"] == pytest.approx((0.025 + 0.5) * G, rel=1e-13)
    assert op["bob.mass"] == 1.0


def test_what_cannot_be_held_is_named_with_what_is_missing() -> None:
    rotor, spring = fb.Rotor("rotor", inertia=0.02), fb.TorsionalSpring("spring", stiffness=7.0)
    arm = joint_arm(beam=flexible(), payload=BOB, rotor=rotor, spring=spring, drive=(fb.TorqueSource("motor"),))
    dae = fb.assemble(arm)
    with pytest.raises(
        NoEquilibriumError, match=r"missing: 1\.235 N m at 'joint.angle'\..*free inputs: none"
    ) as caught:
        fb.equilibrium(dae, x={"joint.angle": 0.3}, u={"motor.torque": 0.0})
    held = fb.equilibrium(dae, x={"joint.angle": 0.3})["motor.torque"]
    assert caught.value.residual == pytest.approx({"joint.angle": held}, rel=1e-10)


def test_a_torque_too_large_to_balance_is_refused() -> None:
    dae = fb.assemble(joint_arm(beam=LINK, payload=BOB, drive=(fb.TorqueSource("motor"),)))
    with pytest.raises(NoEquilibriumError, match=r"with motor\.torque = 3; missing: .* at 'joint\.angle'"):
        fb.equilibrium(dae, u={"motor.torque": 3.0})


@pytest.mark.parametrize(
    ("given", "kind", "words"),
    [
        ({"x": {"der(joint.angle)": 0.0}}, ParameterError, r"velocities der\(joint.angle\); at rest they are zero"),
        ({"x": {"joint.angl": 0.0}}, NameUnknownError, "Did you mean joint.angle"),
        ({"u": {"motor.torqe": 0.0}}, NameUnknownError, "Did you mean motor.torque"),
        ({"x": {"joint.angle": float("nan")}}, ParameterError, "must be a finite number"),
        ({"x": [0.0, 0.0]}, ParameterError, r"x = \[0\.0, 0\.0\]; must be a dict"),
        ({"u": [0.0]}, ParameterError, r"u = \[0\.0\]; must be a dict"),
    ],
)
def test_bad_input(given: dict, kind: type[FlexblocksError], words: str) -> None:
    dae = fb.assemble(joint_arm(beam=LINK, payload=BOB, drive=(fb.TorqueSource("motor"),)))
    with pytest.raises(kind, match=words):
        fb.equilibrium(dae, **given)


def test_values_by_name() -> None:
    op = fb.equilibrium(fb.assemble(joint_arm(beam=LINK, drive=(fb.TorqueSource("motor"),))))
    with pytest.raises(NameUnknownError, match=r"Did you mean motor\.torque"):
        op["motor.torq"]
    assert re.search(r"joint\.angle +0\n", str(op))


def test_an_arm_that_is_driven_round_and_round_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """It never settles: a descent in a viscous fluid turns on for good, a little faster or slower in each turn.

    The search did not end; what it may take here is a tenth of what it may take otherwise.
    """
    monkeypatch.setattr(viscous_descent, "SINKING", viscous_descent.SINKING // 10)
    torque = 1e3
    model = fb.Model("driven", gravity=(0.0, -G, 0.0))
    place = model.add(fb.Ground("ground")).frame_b
    for i in (1, 2):
        joint, motor = model.add(fb.Revolute(f"joint{i}")), model.add(fb.TorqueSource(f"motor{i}"))
        link = model.add(fb.FlexibleBeam(f"link{i}", 1.0, 0.5, 20.0, fb.AssumedModes(1, tip="free"), bending="y"))
        model.connect(motor.flange_b, joint.axis)
        model.connect(place, joint.frame_a)
        model.connect(joint.frame_b, link.frame_a)
        place = link.frame_b
    with pytest.raises(NoEquilibriumError, match=r"no balance found with motor1.torque = .* at 'joint1.angle'"):
        fb.equilibrium(fb.assemble(model), u={"motor1.torque": torque, "motor2.torque": -torque / 3})


def test_an_arm_that_falls_is_refused_by_one_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing holds the slide. The same searches were made twice, each with as many evaluations as SciPy allows."""
    model = fb.Model("falling", gravity=(0.0, -G, 0.0))
    place = model.add(fb.Ground("ground")).frame_b
    for block in (
        fb.Prismatic("slide", axis=(0.3, 1.0, 0.0)),
        fb.RigidLink("rod", 1.0, 1.0),
        fb.Revolute("joint"),
        fb.FlexibleBeam("beam", 1.0, 1.0, 20.0, fb.RigidSegments(2), bending="y"),
    ):
        model.connect(place, model.add(block).frame_a)
        place = block.frame_b
    searches, least_squares = [], scipy.optimize.least_squares

    def counted(function, start, **options):
        result = least_squares(function, start, **options)
        searches.append((tuple(start), result.nfev))
        return result

    monkeypatch.setattr(scipy.optimize, "least_squares", counted)
    with pytest.raises(NoEquilibriumError, match=r"at 'slide.displacement'"):
        fb.equilibrium(fb.assemble(model))
    starts, evaluations = zip(*searches, strict=True)
    assert len(set(starts)) == len(starts)
    assert max(evaluations) <= solvers.SEARCH


@pytest.mark.parametrize("torque", [1e120, 1e300])
def test_forces_that_no_arm_has_are_refused(torque: float) -> None:
    dae = fb.assemble(joint_arm(beam=LINK, payload=BOB, drive=(fb.TorqueSource("motor"),)))
    with pytest.raises(ParameterError, match=r"motor\.torque = 1e\+(120|300); must be at most 1e60 in magnitude"):
        fb.equilibrium(dae, u={"motor.torque": torque})


def test_forces_that_no_arm_has_are_refused_where_its_parameters_are_not() -> None:
    heavy = fb.RigidLink("link", length=1e55, mass=1e55)
    dae = fb.assemble(joint_arm(beam=heavy, payload=BOB, drive=(fb.TorqueSource("motor"),)))
    with pytest.raises(ComputationError, match="forces or stiffnesses at the start values are beyond 1e\\+100 N"):
        fb.equilibrium(dae)


@pytest.mark.parametrize("mass", [0.0005, 0.0015, 0.003])
def test_a_slack_rope_keeps_about_the_length_it_starts_with(mass):
    """Nothing determines its length: the search for the nearest equilibrium had left it at 2e219 m."""
    dae = fb.assemble(models.tendon_arm(), symbolic="tool.mass")
    at = fb.equilibrium(dae, p={"tool.mass": mass})
    for rope in ("upper.length", "lower.length"):
        assert at[rope] == pytest.approx(dae.x.start[dae.x.index(rope)], rel=0.05)


def test_a_stiff_tip_with_little_to_carry_is_in_balance_beside_the_rounding_of_a_heavy_arm() -> None:
    """Residuals measured together, rounding of 5e-10 N m at the joint ended the search while the tip hung free."""
    model = fb.Model("crane with a needle", gravity=(0.0, -G, 0.0))
    ground, joint = model.add(fb.Ground("ground")), model.add(fb.Revolute("joint", start=0.3))
    boom = model.add(fb.RigidBody("boom", mass=2e4, inertia=1e6, center=(-15.0, 0.0, 0.0), reach=(30.0, 0.0, 0.0)))
    needle = model.add(
        fb.FlexibleBeam(
            "needle",
            length=1e-3,
            linear_density=0.01,
            flexural_rigidity=1e3,
            discretization=fb.AssumedModes(1, tip="free"),
            bending="y",
        )
    )
    model.connect(ground.frame_b, joint.frame_a)
    model.connect(joint.frame_b, boom.frame_a)
    model.connect(boom.frame_b, needle.frame_a)
    dae = fb.assemble(model)
    statics = problem.pose(dae, {}, {}, None)
    weight = np.abs(statics.evaluated(np.array([0.0, 0.0]))[2]).sum(axis=0)
    for turned in np.linspace(0.0, 1e-7, 20):
        s = solvers.polished(statics, np.array([-np.pi / 2 + 1e-8 + turned, 1e-17]))
        assert abs(statics.residual(s)[1]) < 1e-12 * weight[1]
        assert s[0] == pytest.approx(-np.pi / 2, abs=1e-15)


@cache
def carriage(turn: float, out: float, hang: float) -> fb.DAE:
    """A slide on a free hinge, driven and massless, from which a link of 1 kg hangs on another free hinge."""
    model = fb.Model("carriage", gravity=(0.0, -G, 0.0))
    boom, slide = fb.Revolute("boom", start=turn), fb.Prismatic("slide", direction=(1.0, 0.0, 0.0), start=out)
    hook, link = fb.Revolute("hook", start=hang), fb.RigidLink("link", length=0.5, mass=1.0, inertia=0.02)
    place = model.add(fb.Ground("ground")).frame_b
    for block in (boom, slide, hook, link):
        model.connect(place, model.add(block).frame_a)
        place = block.frame_b
    model.connect(model.add(fb.ForceSource("winch")).flange_b, slide.axis)
    return fb.assemble(model)


@pytest.mark.filterwarnings("ignore:equilibrium. there are many equilibria")
@pytest.mark.parametrize(("out", "hang"), [(0.05, 0.0), (0.3, 1.0), (0.3, -2.0)])
@pytest.mark.parametrize("turn", [0.0, -0.5, 1.0, -2.5])
def test_a_slide_that_carries_a_link_hangs_out_of_its_singular_posture(turn: float, out: float, hang: float) -> None:
    """Drawn in, the hinges coincide and no mass moves with both: there the search ended, and refused the posture."""
    dae = carriage(turn, out, hang)
    point = fb.equilibrium(dae)
    assert abs(point["slide.displacement"]) > 0.01
    assert abs(np.sin(point["boom.angle"])) == pytest.approx(1.0, abs=1e-12)
    assert abs(np.sin(point["boom.angle"] + point["hook.angle"])) == pytest.approx(1.0, abs=1e-12)
    assert abs(point["winch.force"]) == pytest.approx(G, rel=1e-12)


def test_the_last_digits_of_an_equilibrium_do_not_move_a_slide_that_is_balanced_anywhere() -> None:
    """With unknowns in units of their columns, rounding of 6e-17 N/m drew the slide from 2 m to 3e-14 m."""
    statics = problem.pose(carriage(0.0, 0.3, 0.0), {}, {}, None)
    for off in (1e-16, 1e-12, 1e-9, 1e-6):
        s = solvers.polished(statics, np.array([-np.pi / 2 + off, 2.0, off, -G]))
        np.testing.assert_allclose(s, [-np.pi / 2, 2.0, 0.0, -G], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("seed", [0, 3, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (7, 22))])
def test_cylinders_hold_a_boom_without_bending_it(seed):
    """Oil that starts off its cylinder's length pushes with tons: the balance is not where beams yield to that."""
    arm = random_boom(seed)
    dae = arm.assembled()
    for there in (arm.start, arm.goal):
        point = fb.equilibrium(dae, x=there)
        for name, block in dae.model.blocks.items():
            if isinstance(block, fb.HydraulicCylinder):
                assert block.retracted < point[f"{name}.length"] < block.extended
                # It carries at most twice what it was laid out for: half its area at 20 MPa.
                assert abs(point[f"{name}.force"]) < block.area_a * 20e6
            if isinstance(block, fb.FlexibleBeam):
                assert abs(point[f"{name}.tip_deflection_y"]) < 0.05 * block.length
