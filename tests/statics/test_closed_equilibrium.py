"""Equilibria of arms with closed loops: in the assembly of the start, against closed forms and virtual work."""

from __future__ import annotations

import dataclasses
from functools import lru_cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexblocks as fb
from arms.booms import Boom, G
from arms.linkages import FourBar
from flexblocks.constraints.closed_posture import same_assembly
from flexblocks.constraints.loop_equations import LoopError, closure_equations, gap
from flexblocks.statics.equilibrium import NoEquilibriumError

MODES = fb.AssumedModes(2, tip="auto")


@lru_cache(maxsize=4)
def assembled(boom: Boom) -> fb.DAE:
    """Return a boom with all hinges at 0.5 rad at the start."""
    return fb.assemble(boom.model(boom.closed(np.full(boom.count, 0.5))))


def rest(boom: Boom, dae: fb.DAE, held: dict[str, float]) -> tuple[np.ndarray, fb.OperatingPoint]:
    """Return the angles of the hinges at rest, with the loops closed and the accelerations zero there."""
    op = fb.equilibrium(dae, x=held)
    q = op.x[: dae.tree.size]
    assert gap(closure_equations(dae), q, op.p) < 1e-10
    rates = dae.forward_dynamics(op.x, op.u, op.p).full().ravel()
    scale = np.where(np.array(dae.x.units[: dae.tree.size]) == "m", boom.scale, 1.0)
    stiffest = 1e4 if boom.discretization != fb.Rigid() else 1.0  # modes amplify rounding by their stiffness
    np.testing.assert_allclose(rates[dae.tree.size :] / scale, 0.0, atol=1e-6 * stiffest)
    return np.array([op[f"hinge{i}.angle"] for i in range(boom.count)]), op


def held_of(boom: Boom, angles: np.ndarray, which: str) -> dict[str, float]:
    return {name: value for name, value in boom.closed(angles).items() if name.startswith(which)}


MANY = pytest.mark.slow


@pytest.mark.parametrize("which", ["hinge", "slide"])
@pytest.mark.parametrize("count", [1, 2, pytest.param(4, marks=MANY)])
def test_rigid_booms_are_held_where_they_are_told_to_be(count: int, which: str) -> None:
    """Ten postures from one start: all coordinates by geometry, the forces of the cylinders by virtual work."""
    boom = Boom(count)
    dae = assembled(boom)
    for angles in boom.postures(10, seed=count):
        _, op = rest(boom, dae, held_of(boom, angles, which))
        closed = boom.closed(angles)
        np.testing.assert_allclose([op[name] for name in closed], list(closed.values()), atol=1e-9)
        np.testing.assert_allclose(op.u, boom.forces(angles), rtol=1e-6, atol=1e-7 * np.max(np.abs(op.u)))


@pytest.mark.parametrize(("count", "number"), [(1, 2), pytest.param(4, 6, marks=MANY)])
def test_rigid_booms_stay_at_their_start(count: int, number: int) -> None:
    boom = Boom(count)
    for angles in boom.postures(number, seed=10 + count):
        closed = boom.closed(angles)
        _, op = rest(boom, fb.assemble(boom.model(closed)), {})
        np.testing.assert_allclose([op[name] for name in closed], list(closed.values()), atol=1e-9)
        np.testing.assert_allclose(op.u, boom.forces(angles), rtol=1e-6, atol=1e-7 * np.max(np.abs(op.u)))


@pytest.mark.parametrize(
    ("count", "which", "number", "scale"),
    [
        (1, "hinge", 4, 1.0),
        *(pytest.param(n, which, 3, 1.0, marks=MANY) for n, which in ((1, "-"), (4, "hinge"))),
        pytest.param(2, "slide", 3, 0.01, marks=MANY),
    ],
)
def test_flexible_booms_sag_in_their_assembly(count: int, which: str, number: int, scale: float) -> None:
    """The stiffer the boom, the nearer to the rigid one: its distance is the flexibility, to first order."""
    errors = []
    for rigidity in (5e8,) if which == "-" else (5e8, 5e9):
        boom = Boom(count, scale, rigidity=rigidity, discretization=MODES)
        dae = assembled(boom)
        worst = []
        for angles in boom.postures(number, seed=20 + count):
            closed = boom.closed(angles)
            if which == "-":
                dae = fb.assemble(boom.model(closed))
            _, op = rest(boom, dae, held_of(boom, angles, which))
            size = [scale if "displacement" in name else 1.0 for name in closed]
            worst.append(np.max(np.abs([op[name] - closed[name] for name in closed]) / size))
        errors.append(np.max(worst))
    assert errors[0] < 0.01
    assert which == "-" or errors[0] / errors[1] == pytest.approx(10, rel=0.05)


@pytest.mark.parametrize("which", ["slide", pytest.param("-", marks=MANY)])
def test_a_cylinder_stays_on_its_side_of_the_dead_center(which: str) -> None:
    """Feet behind the hinge: from 0.99 rad on the cylinder shortens, and each length has two postures."""
    boom = Boom(1, foot=(-1.0, -0.9))
    dead = np.arctan2(-0.4, 1.5)
    dead = np.arctan2(0.9, 1.0) - dead  # head, hinge and foot in line
    for angle, mirrored in ((dead - 0.3, dead + 0.3), (dead + 0.3, dead - 0.3)):
        dae = fb.assemble(boom.model(boom.closed(np.array([angle]))))
        held = held_of(boom, np.array([mirrored]), which)  # the same length
        (found,), op = rest(boom, dae, held)
        assert found == pytest.approx(angle, abs=1e-9)
        assert op["cylinder0.force"] == pytest.approx(boom.forces(np.array([angle]))[0], rel=1e-6)


def test_a_load_hangs_from_the_boom() -> None:
    """A pin without a drive starts midway between hanging and standing."""
    boom = Boom(1)
    model = boom.model(boom.closed(np.array([0.4])))
    pin, rope = model.add(fb.Revolute("pin", start=-0.4)), model.add(fb.RigidLink("rope", 2.0, 50.0))
    model.connect("link0.frame_b", pin.frame_a)
    model.connect(pin.frame_b, rope.frame_a)
    _, op = rest(boom, fb.assemble(model), {})
    assert op["hinge0.angle"] + op["pin.angle"] == pytest.approx(-np.pi / 2, abs=1e-9)
    heavier = dataclasses.replace(boom, load=boom.load + 50.0)
    assert op["cylinder0.force"] == pytest.approx(heavier.forces(np.array([op["hinge0.angle"]]))[0], rel=1e-6)


def test_without_a_force_it_hangs_and_linearizes_there() -> None:
    """The four-bar's weight balances where its energy is stationary; the default point of a linear model is there."""
    four_bar = FourBar(rigidity=50.0)
    dae = fb.assemble(four_bar.model())
    op = fb.equilibrium(dae, u={"motor.torque": 0.0})
    theta = op["crank_joint.angle"]
    names = ("crank_joint.angle", "knee.angle", "rocker_joint.angle", "elbow.angle")
    np.testing.assert_allclose([op[name] for name in names], four_bar.angles(theta), atol=0.02)
    lin = fb.linearize(dae)
    assert gap(closure_equations(dae), lin.operating_point.x[: dae.tree.size], lin.operating_point.p) < 1e-10
    np.testing.assert_allclose(lin.operating_point.x, fb.equilibrium(dae).x, atol=1e-12)
    start = dict(zip(dae.x.names, dae.x.start, strict=True))
    assert [lin.operating_point[name] for name in names] == pytest.approx([start[name] for name in names], abs=0.02)


def test_the_linear_model_of_a_held_boom() -> None:
    """Stiffness V'' - F l'' of the hinge's angle under a constant force, by differences of the closed forms."""
    boom, angle, h = Boom(1), np.array([0.8]), 1e-3
    dae = assembled(boom)
    op = fb.equilibrium(dae, x={"hinge0.angle": 0.8})
    lin = fb.linearize(dae, op, outputs=("hinge0.angle",))
    V, out = (
        [f(angle + k * h) for k in (-1, 0, 1)] for f in (boom.energy, lambda a: boom.closed(a)["slide0.displacement"])
    )
    stiffness = (np.diff(V, 2) - boom.forces(angle) * np.diff(out, 2)) / h**2
    # Mass by the kinetic energy at unit rate.
    rates = {f"der({n})": (boom.closed(angle + h)[n] - boom.closed(angle - h)[n]) / (2 * h) for n in boom.closed(angle)}
    x = dae.x.values(dict(zip(dae.x.names, op.x, strict=True)) | rates)
    mass = 2 * float(dae.energy(x, [])[0])
    np.testing.assert_allclose(np.sort(np.linalg.eigvals(lin.A).real)[-1] ** 2, -stiffness / mass, rtol=1e-4)


def test_what_cannot_be_is_refused_by_name() -> None:
    boom = Boom(1)
    dae = assembled(boom)
    with pytest.raises(NoEquilibriumError, match=r"missing: 3\.63e\+04 N m at 'hinge0.angle'"):
        fb.equilibrium(dae, x={"hinge0.angle": 0.5}, u={"cylinder0.force": 0.0})
    with pytest.raises(LoopError, match=r"slide0.displacement = 5: 3\.\d+ m and .* between head0"):
        fb.equilibrium(dae, x={"slide0.displacement": 5.0})
    with pytest.raises(LoopError, match=r"hinge0.angle = 0.5, slide0.displacement = 0.5: 0\.48 m"):
        fb.equilibrium(dae, x={"hinge0.angle": 0.5, "slide0.displacement": 0.5})


def test_assemblies_are_told_apart() -> None:
    """The crank elsewhere is the same assembly; the rocker folded over, or a pin turned by half a turn, is not."""
    four_bar = FourBar()
    dae = fb.assemble(four_bar.model())
    start, p = dae.x.start[:4], dae.p.start
    assert same_assembly(dae, start, four_bar.angles(2.6), p)
    crank, _, rocker, _ = start
    # The other meeting point of the circles: mirrored about the line from the knee to the rocker's foot.
    knee = four_bar.crank * np.array([np.cos(crank), np.sin(crank)])
    line = np.arctan2(-knee[1], four_bar.ground - knee[0])
    coupler, folded = 2 * line - (crank + start[1]), 2 * line - rocker
    other = np.array([crank, coupler - crank, folded, coupler - folded])
    assert gap(closure_equations(dae), other, p) < 1e-12
    assert not same_assembly(dae, start, other, p)
    flipped = start + np.array([0, 0, 0, np.pi])
    assert np.abs(dae.constraint(flipped, p).full()).max() < 1e-12  # sines are the same
    assert not same_assembly(dae, start, flipped, p)


def hexapod(size: float, place: np.ndarray, turn: np.ndarray) -> fb.Model:
    """Return a Stewart platform of legs of a universal joint, a slide and a ball joint, started at a closed posture."""
    model, angle, other = fb.Model("hexapod", (0, 0, -G)), np.arange(6) * np.pi / 3, (-1.0) ** np.arange(6)
    base, plate = ((c := angle + shift * other, np.c_[np.cos(c), np.sin(c), 0 * c])[1] for shift in (0.2, -0.3))
    ground, inertia = model.add(fb.Ground("ground")), np.diag([0.1, 0.1, 0.01]) * size**2
    for i, (foot, head) in enumerate(zip(size * base, 0.6 * size * plate, strict=True)):
        leg = place + turn @ head - foot
        x, y, z = leg / np.linalg.norm(leg)
        first, second = np.arctan2(-y, z), np.arcsin(x)
        ball = Rotation.from_euler("XYZ", [first, second, 0]).inv() * Rotation.from_matrix(turn)
        slide = fb.Prismatic(f"slide{i}", axis=(0, 0, 1), start=float(np.linalg.norm(leg)))
        push = model.add(fb.ForceSource(f"push{i}"))
        chain = (
            fb.FixedTransform(f"foot{i}", tuple(foot)),
            fb.Universal(f"cross{i}", axes=((1, 0, 0), (0, 1, 0)), start=(first, second)),
            fb.RigidBody(f"barrel{i}", 3.0, inertia, (0, 0, 0.3 * size)),
            slide,
            fb.RigidBody(f"rod{i}", 2.0, inertia, (0, 0, -0.3 * size)),
            fb.Spherical(f"ball{i}", orientation=ball.as_rotvec()),
        )
        end = ground.frame_b
        for block in chain:
            model.add(block)
            model.connect(end, block.frame_a)
            end = end if isinstance(block, fb.RigidBody) else block.frame_b
        model.connect(push.flange_b, slide.axis)
        if i == 0:
            body = model.add(fb.FixedTransform("centre", tuple(-head)))
            model.connect(end, body.frame_a)
            model.connect(body.frame_b, model.add(fb.RigidBody("plate", 50.0, np.eye(3) * 5 * size**2)).frame_a)
        else:
            corner = model.add(fb.FixedTransform(f"corner{i}", tuple(head)))
            model.connect("centre.frame_b", corner.frame_a)
            model.connect(end, corner.frame_b)
    return model


@pytest.mark.slow
def test_a_stewart_platform_follows_its_legs() -> None:
    """Five loops in space: the posture by inverse kinematics, the weight by the sum of the vertical forces."""
    size = 0.02
    dae = fb.assemble(hexapod(size, np.array([0, 0, 1.2 * size]), np.eye(3)))
    assert not dae.closed_start.moved
    assert dae.tree.size - len(dae.tree.loops.multipliers) == 6
    rng = np.random.default_rng(0)
    for _ in range(8):
        place = size * (np.array([0, 0, 1.2]) + rng.uniform(-0.3, 0.3, 3))
        turn = Rotation.from_rotvec(rng.uniform(-0.4, 0.4, 3)).as_matrix()
        wanted = hexapod(size, place, turn).blocks
        lengths = {f"slide{i}.displacement": wanted[f"slide{i}"].start for i in range(6)}
        op = fb.equilibrium(dae, x=lengths)
        for i in range(6):
            found = [op[f"cross{i}.revolute{k}.angle"] for k in (1, 2)]
            np.testing.assert_allclose(found, wanted[f"cross{i}"].start, atol=1e-8)
