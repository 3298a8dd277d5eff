"""Ropes over pulleys with a radius and an inertia, and springs between slides: closed forms and laws."""

from __future__ import annotations

import math

import casadi as ca
import numpy as np
import pytest

import flexblocks as fb
from flexblocks import optim, plot
from flexblocks.errors import ParameterError

G, R, J, EA = 9.81, 0.2, 0.05, 2e6
UP = (0.0, 0.0, math.pi / 2)  # turns x of a pulley's frame upward


def hang(model, rope, port, name, mass, place):
    """Hang a mass on a vertical slide at `place` to a port of the rope."""
    foot, slide = model.add(fb.FixedTransform(f"{name}_foot", place)), model.add(fb.Prismatic(f"{name}", (0, 1, 0)))
    load = model.add(fb.LumpedMass(f"{name}_mass", mass=mass))
    model.connect("ground.frame_b", foot.frame_a)
    model.connect(foot.frame_b, slide.frame_a)
    model.connect(slide.frame_b, load.frame_a, rope.port(port))


def top(model, rope, port, place=(0.0, 0.0, 0.0), rotation=UP):
    mount = model.add(fb.FixedTransform(f"mount_{port}", place, rotation))
    model.connect("ground.frame_b", mount.frame_a)
    model.connect(mount.frame_b, rope.port(port))


def crane(gravity=G):
    model = fb.Model("crane", gravity=(0.0, -gravity, 0.0))
    model.add(fb.Ground("ground"))
    return model


def atwood(light=2.0, heavy=3.0):
    """Two masses over a pulley, whose rope has the tensions of uniform acceleration at the start."""
    model = crane()
    a = (heavy - light) * G / (heavy + light + J / R**2)
    tensions = light * (G + a), heavy * (G - a)
    lengths = [1.0 / (1 + tension / EA) + R * math.pi / 2 for tension in tensions]
    rope = model.add(fb.PulleyRope("rope", lengths, EA, [R], [J], [-1], transition=1e-9))
    top(model, rope, "pulley_1")
    hang(model, rope, "frame_a", "light", light, (-R, -1.0, 0.0))
    hang(model, rope, "frame_b", "heavy", heavy, (R, -1.0, 0.0))
    return model, a, tensions


def test_an_atwood_machine_with_a_heavy_pulley():
    """a = (M - m) g/(M + m + J/r^2), and each side has a tension of its own."""
    model, a, tensions = atwood()
    dae = fb.assemble(model)
    run = fb.simulate(dae, (0.0, 0.3), method="implicit")
    np.testing.assert_allclose(run["light.displacement"], a * run.t**2 / 2, atol=1e-5)
    np.testing.assert_allclose(run["rope.pulley1.angle"], -run["light.displacement"] / R, atol=1e-4)
    np.testing.assert_allclose(run["rope.spans.tension_1"][0], tensions[0], rtol=1e-4)
    np.testing.assert_allclose(run["rope.spans.tension_2"][0], tensions[1], rtol=1e-4)
    np.testing.assert_allclose(run["rope.spans.wrap_1"], math.pi, atol=1e-9)


def test_a_pulley_between_fixed_ends_swings():
    """omega^2 = r^2 (EA/l + EA/l')/J about the angle at which both sides pull alike."""
    model = crane(0.0)
    rope = model.add(fb.PulleyRope("rope", [0.999 + R * math.pi / 2, 1.998 + R * math.pi / 2], EA, [R], [J], [-1]))
    top(model, rope, "pulley_1")
    for end, place in (("frame_a", (-R, -1.0, 0.0)), ("frame_b", (R, -2.0, 0.0))):
        foot = model.add(fb.FixedTransform(f"foot_{end}", place))
        model.connect("ground.frame_b", foot.frame_a)
        model.connect(foot.frame_b, rope.port(end))
    dae = fb.assemble(model)
    at = fb.equilibrium(dae)
    assert at["rope.spans.tension_1"] == pytest.approx(at["rope.spans.tension_2"], rel=1e-6)
    assert at["rope.spans.tension_1"] == pytest.approx(EA * 1e-3, rel=2e-3)
    (mode,) = fb.linearize(dae, at=at).modes()
    expected = math.sqrt(R**2 * EA * (1 / 1.0 + 1 / 2.0) / J)
    assert mode.eigenvalue.imag == pytest.approx(expected, rel=2e-3)


def test_a_drum_holds_a_load_by_its_torque():
    """And winds it up by more than a turn: radius times angle."""
    model = crane()
    rope = model.add(fb.PulleyRope("rope", [5.0], EA, [R], [J], [-1], drums="a", damping_time=0.01))
    top(model, rope, "pulley_1", (-R, 0.0, 0.0))
    hang(model, rope, "frame_b", "load", 10.0, (0.0, -5.0 + R * math.pi / 2, 0.0))
    motor = model.add(fb.TorqueSource("motor"))
    model.connect(motor.flange_b, rope.axle_1)
    dae = fb.assemble(model)
    at = fb.equilibrium(dae, x={"rope.pulley1.angle": 0.0})
    assert at["motor.torque"] == pytest.approx(10.0 * G * R, rel=1e-4)
    # 2 N m more than it takes turn it by more than a turn.
    run = fb.simulate(dae, (0.0, 2.5), {"motor.torque": 10.0 * G * R + 2.0}, at.x, method="implicit", step=1e-3)
    turned = 2.0 / (J + 10.0 * R**2) * 2.5**2 / 2
    assert turned > 2 * math.pi
    assert run["rope.pulley1.angle"][-1] == pytest.approx(turned, rel=2e-3)
    assert run["load.displacement"][-1] - at["load.displacement"] == pytest.approx(turned * R, rel=2e-3)


@pytest.mark.slow
def test_plans_turn_the_drum():
    model = crane()
    rope = model.add(fb.PulleyRope("rope", [5.0], 1e5, [R], [J], [-1], drums="a", damping_time=0.01))
    top(model, rope, "pulley_1", (-R, 0.0, 0.0))
    hang(model, rope, "frame_b", "load", 10.0, (0.0, -5.0 + R * math.pi / 2, 0.0))
    model.connect(model.add(fb.TorqueSource("motor")).flange_b, rope.axle_1)
    dae = fb.assemble(model)
    lift = optim.RestToRest({"rope.pulley1.angle": 0.0}, {"rope.pulley1.angle": 5.0}, 3.0)
    plan = optim.plan(dae, lift, intervals=20)
    moved = plan.replay().trajectory["load.displacement"]
    assert moved[-1] - moved[0] == pytest.approx(5.0 * R, abs=2e-3)


def test_a_load_on_a_pulley_hangs_by_two_parts():
    """Half the weight in each, and the pulley turns as it is lifted."""
    model = crane()
    rope = model.add(fb.PulleyRope("rope", [2.0 + R * math.pi / 2] * 2, EA, [R], [J], [1]))
    for end, x in (("frame_a", -R), ("frame_b", R)):
        foot = model.add(fb.FixedTransform(f"foot_{end}", (x, 0.0, 0.0)))
        model.connect("ground.frame_b", foot.frame_a)
        model.connect(foot.frame_b, rope.port(end))
    slide = model.add(fb.Prismatic("slide", (0, 1, 0), start=-2.0))
    turn = model.add(fb.FixedTransform("turn", rotation=(0.0, 0.0, -math.pi / 2)))
    hook = model.add(fb.LumpedMass("hook", mass=8.0))
    model.connect("ground.frame_b", slide.frame_a)
    model.connect(slide.frame_b, turn.frame_a, hook.frame_a)
    model.connect(turn.frame_b, rope.pulley_1)
    at = fb.equilibrium(fb.assemble(model))
    assert at["rope.spans.tension_1"] == pytest.approx(4.0 * G, rel=1e-4)
    assert at["rope.spans.tension_2"] == pytest.approx(4.0 * G, rel=1e-4)
    assert at["rope.spans.wrap_1"] == pytest.approx(math.pi, abs=1e-6)


@pytest.mark.parametrize(("senses", "sides"), [([1, 1], -1), ([1, -1], 1), ([-1, 1], 1)])
def test_common_tangents_of_two_pulleys(senses, sides):
    """Open, sqrt(d^2 - (r - s)^2), where both turn alike; crossed, sqrt(d^2 - (r + s)^2)."""
    model, r, s = crane(0.0), 0.3, 0.2
    rope = model.add(fb.PulleyRope("rope", [1.0, 2.0, 1.0], EA, [r, s], [J, J], senses))
    for k, (place, angle) in enumerate((((0.0, 0.0, 0.0), 1.5), ((1.7, 0.4, 0.0), 1.2)), start=1):
        top(model, rope, f"pulley_{k}", place, (0.0, 0.0, angle if senses[k - 1] < 0 else angle - math.pi))
    for end, place in (("frame_a", (-1.0, -1.0, 0.0)), ("frame_b", (3.0, -1.0, 0.0))):
        foot = model.add(fb.FixedTransform(f"foot_{end}", place))
        model.connect("ground.frame_b", foot.frame_a)
        model.connect(foot.frame_b, rope.port(end))
    dae = fb.assemble(model)
    values = dict(zip(dae.y.names, dae.output(dae.x.start, [], []).full().ravel(), strict=True))
    assert values["rope.spans.length_2"] == pytest.approx(math.sqrt(1.7**2 + 0.4**2 - (r + sides * s) ** 2), rel=1e-12)
    assert values["rope.spans.length_1"] == pytest.approx(math.sqrt(2.0 - r**2), rel=1e-12)


def swinging(damping_time=0.0):
    """Two pulleys on a swinging arm in space, a drum on the ground, and a load that flies."""
    model = fb.Model("reeving", gravity=(0.0, -G, 0.0))
    ground, hinge = model.add(fb.Ground("ground")), model.add(fb.Revolute("hinge", axis=(0, 0, 1)))
    tilt, free = model.add(fb.Revolute("tilt", axis=(1, 0, 0))), model.add(fb.FreeMotion("free", (2.5, -1.0, 0.0)))
    arm = model.add(fb.RigidLink("arm", 2.0, mass=4.0, inertia=(0.1, 1.0, 1.0)))
    load = model.add(fb.RigidBody("load", 2.0, 0.1 * np.eye(3)))
    options = {"drums": "a", "damping_time": damping_time, "transition": 0.1}
    rope = model.add(fb.PulleyRope("rope", [2.0, 1.5], 300.0, [0.2, 0.1], [0.02, 0.01], [-1, -1], **options))
    drum = model.add(fb.FixedTransform("drum", (0.0, -0.5, 0.0), UP))
    sheave = model.add(fb.FixedTransform("sheave", (0.0, 0.1, 0.0), UP))
    model.connect(ground.frame_b, hinge.frame_a, drum.frame_a, free.frame_a)
    model.connect(hinge.frame_b, tilt.frame_a)
    model.connect(tilt.frame_b, arm.frame_a)
    model.connect(drum.frame_b, rope.pulley_1)
    model.connect(arm.frame_b, sheave.frame_a)
    model.connect(sheave.frame_b, rope.pulley_2)
    model.connect(free.frame_b, load.frame_a)
    model.connect(load.frame_a, rope.frame_b)
    return fb.assemble(model)


@pytest.mark.parametrize("damping_time", [0.0, 0.05])
def test_energy(damping_time):
    """It is conserved without damping, at random states, and falls with it."""
    dae = swinging(damping_time)
    n, x = dae.tree.size, dae.x.symbol
    slope = ca.Function("slope", [x], [ca.gradient(sum(dae.energy(x, dae.p.symbol)[:2]), x)])
    rng = np.random.default_rng(0)
    for _ in range(4):
        at = dae.x.start + np.concatenate([rng.uniform(-0.2, 0.2, n), rng.uniform(-1.0, 1.0, n)])
        powers = slope(at).full().ravel() * dae.forward_dynamics(at, [], []).full().ravel()
        if damping_time:
            assert powers.sum() < -1e-3
        else:
            assert abs(powers.sum()) < 1e-10 * np.abs(powers).max()


def test_a_turn_of_the_mount_turns_nothing_else():
    """The rope does not feel how the frame that carries a pulley stands, if the pulley itself stays."""
    tensions = []
    for turn in (0.0, 0.4):
        model = crane(0.0)
        rope = model.add(fb.PulleyRope("rope", [1.2, 1.2], EA, [R], [J], [-1]))
        top(model, rope, "pulley_1", rotation=(0.0, 0.0, math.pi / 2 + turn))
        for end, place in (("frame_a", (-0.9, -1.0, 0.0)), ("frame_b", (0.7, -1.1, 0.0))):
            foot = model.add(fb.FixedTransform(f"foot_{end}", place))
            model.connect("ground.frame_b", foot.frame_a)
            model.connect(foot.frame_b, rope.port(end))
        dae = fb.assemble(model)
        y = dae.output([-turn, 0.0], [], []).full().ravel()
        tensions.append([y[dae.y.index(f"rope.spans.{name}")] for name in ("tension_1", "tension_2", "wrap_1")])
    np.testing.assert_allclose(*tensions, rtol=1e-9)


def test_pictures_show_tangents(tmp_path):
    model, *_ = atwood()
    dae = fb.assemble(model)
    run = fb.simulate(dae, (0.0, 0.05), method="implicit")
    plot.animate(run).save(tmp_path / "rope.html")
    lines = [np.asarray(line.get_xydata()) for line in plot.arm(dae).lines]
    free = [line for line in lines if line.shape == (2, 2) and np.allclose(np.sort(line[:, 1]), [-1.0, 0.0], atol=1e-6)]
    upright = sorted(line[0, 0] for line in free if np.ptp(line[:, 0]) < 1e-6)
    np.testing.assert_allclose(upright, [-R, R], atol=1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"radii": []}, "must be one for each pulley"),
        ({"radii": [0.1, -0.1], "inertias": [0.1, 0.1], "lengths": [1.0] * 3}, "must be a list of finite numbers > 0"),
        ({"lengths": [1.0]}, "lengths = .* must be 2 of 1 pulleys"),
        ({"senses": [2]}, "must be 1 or -1 for each pulley"),
        ({"drums": "c"}, "drums"),
    ],
)
def test_refusals_of_ropes(options, message):
    usual = {"lengths": [1.0, 1.0], "rigidity": 1e4, "radii": [0.1], "inertias": [0.01]}
    with pytest.raises(ParameterError, match=message):
        fb.PulleyRope("rope", **(usual | options))


def coupled_slides(**options):
    """Two carriages in one line with a spring between them."""
    model = fb.Model("carriages")
    ground, spring = model.add(fb.Ground("ground")), model.add(fb.TranslationalSpring("spring", 50.0, **options))
    for end, mass in (("a", 2.0), ("b", 3.0)):
        slide, body = model.add(fb.Prismatic(f"slide_{end}", (1, 0, 0))), model.add(fb.LumpedMass(f"mass_{end}", mass))
        model.connect(ground.frame_b, slide.frame_a)
        model.connect(slide.frame_b, body.frame_a)
        model.connect(slide.axis, spring.port(f"flange_{end}"))
    return fb.assemble(model)


def test_a_spring_between_slides_passes_zero_length():
    """They swing about their free length, 0 included, with omega^2 = k (1/m + 1/M)."""
    for free in (0.0, 0.3):
        dae = coupled_slides(free_length=free)
        run = fb.simulate(dae, (0.0, 2.0), x0={"slide_b.displacement": 0.1 + free})
        omega = math.sqrt(50.0 * (1 / 2.0 + 1 / 3.0))
        np.testing.assert_allclose(run["spring.length"], free + 0.1 * np.cos(omega * run.t), atol=1e-7)
        np.testing.assert_allclose(run["spring.force"], -5.0 * np.cos(omega * run.t), atol=1e-5)


def test_a_damper_between_slides():
    """The relative motion decays with c (1/m + 1/M)/2; the centre goes on."""
    dae = coupled_slides(damping=2.0)
    fast = [mode for mode in fb.linearize(dae).modes() if mode.eigenvalue.imag > 0]
    assert fast[0].eigenvalue.real == pytest.approx(-2.0 * (1 / 2.0 + 1 / 3.0) / 2, rel=1e-9)
    run = fb.simulate(dae, (0.0, 1.0), x0={"der(slide_a.displacement)": 1.0})
    momentum = 2.0 * run["der(slide_a.displacement)"] + 3.0 * run["der(slide_b.displacement)"]
    np.testing.assert_allclose(momentum, 2.0, rtol=1e-8)
