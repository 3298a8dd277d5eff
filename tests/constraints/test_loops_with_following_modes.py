"""Closed loops through a sliding beam whose modes follow the extension: roots move with the coordinates."""

from __future__ import annotations

import numpy as np
import pytest

import flexblocks as fb
from flexblocks.beam.shapes.euler_bernoulli_modes import clamped_modes
from flexblocks.constraints.consistent_state import consistent_state
from flexblocks.constraints.deformation import deforming
from flexblocks.dae.dae import DAE

DENSITY, TIP, STEP = 0.6, fb.TipBody(0.4), 1e-4
SAME = ("a.angle", "b.angle", "slide.displacement", "slide.bending_y[1]", "slide.bending_y[2]")


def strut(shapes: str, closed: bool = True, start: float = 1, **damping: float) -> fb.Model:
    """A link on a hinge, and beside it a beam that slides through another, pinned to each other at their tips.

    The link starts at the angle `start` [rad].
    """
    model = fb.Model("strut", gravity=(0.0, -9.81, 0.0))
    modes = fb.AssumedModes(2, tip=TIP)
    ground = model.add(fb.Ground("ground"))
    a, b = model.add(fb.Revolute("a", start=start)), model.add(fb.Revolute("b", start=2))
    link, off = model.add(fb.RigidLink("link", 0.8, 2.0)), model.add(fb.FixedTransform("off", (0.9, 0, 0)))
    slide = model.add(fb.SlidingBeam("slide", 1.3, DENSITY, 8.0, modes, "y", shapes=shapes, start=0.7, **damping))
    tip, push = model.add(fb.LumpedMass("tip", mass=TIP.mass)), model.add(fb.ForceSource("push"))
    for outlet, inlet in ((ground, a), (a, link), (ground, off), (off, b), (b, slide), (slide, tip)):
        model.connect(outlet.frame_b, inlet.frame_a)
    model.connect(push.flange_b, slide.axis)
    if closed:
        c = model.add(fb.Revolute("c"))
        model.connect(slide.frame_b, c.frame_a)
        model.connect(c.frame_b, link.frame_b)
    return model


def opening(tree: DAE, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distance of the two tips along x and y, and the state of the tree with its roots."""
    roots = clamped_modes(2, TIP.relative(DENSITY * q[2], q[2])).b
    x = np.concatenate([q, v, roots])
    y = tree.output(x, [0.0], []).full().ravel()
    at = {name: y[tree.y.index(name)] for name in ("tip.x", "tip.y", "link.x", "link.y")}
    return np.array([at["tip.x"] - at["link.x"], at["tip.y"] - at["link.y"]]), x


@pytest.mark.parametrize("damping", [{}, pytest.param({"damping_ratio": 0.2}, marks=pytest.mark.slow)], ids=str)
def test_motion_is_that_of_the_tree_held_together_by_multipliers(damping: dict[str, float]) -> None:
    """Accelerations by the tree's equations, with the Jacobian of the tips' distance and its rate by differences."""
    dae = fb.assemble(strut("ode", **damping))
    tree = fb.assemble(strut("ode", closed=False, **damping)).with_outputs(("tip.x", "tip.y", "link.x", "link.y"))
    assert tree.q_names == SAME
    start = {"slide.displacement": 0.6, "slide.bending_y[1]": 0.03, "slide.bending_y[2]": -0.01}
    rates = {"der(slide.displacement)": 1.5, "der(slide.bending_y[1])": 0.4, "der(slide.bending_y[2])": 0.2}
    x, _ = consistent_state(dae, start | rates, dae.p.start, "test")
    found = dae.forward_dynamics(x, [3.0], []).full().ravel()
    n, kept = dae.tree.size, [dae.q_names.index(name) for name in SAME]
    q, v, a = (values[kept] for values in (x[:n], x[n : 2 * n], found[n : 2 * n]))
    assert np.abs(opening(tree, q, v)[0]).max() < 1e-9

    def jacobian(at: np.ndarray) -> np.ndarray:
        columns = [opening(tree, at + s, v)[0] - opening(tree, at - s, v)[0] for s in STEP * np.eye(5)]
        return np.array(columns).T / (2 * STEP)

    J, turning = jacobian(q), (jacobian(q + STEP * v) - jacobian(q - STEP * v)) / (2 * STEP)
    _, whole = opening(tree, q, v)
    M = tree.mass_matrix(q, [], whole[10:]).full()
    free = M @ tree.forward_dynamics(whole, [3.0], []).full().ravel()[5:10]
    expected = np.linalg.solve(np.block([[M, J.T], [J, np.zeros((2, 2))]]), np.concatenate([free, -turning @ v]))[:5]
    np.testing.assert_allclose(a, expected, rtol=0, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("shapes", [pytest.param("algebraic", marks=pytest.mark.slow), "ode"])
def test_loop_stays_closed_and_energy_is_balanced(shapes: str) -> None:
    dae = fb.assemble(strut(shapes))
    run = fb.simulate(dae, np.linspace(0, 0.3, 4), {"push.force": 20.0})
    assert np.ptp(run["slide.displacement"]) > 0.05
    for x, z in zip(run.x, run.z, strict=True):
        q, p, roots = dae.posture(x, z, dae.p.start)
        assert np.abs(dae.constraint(q, p, roots).full()).max() < 1e-9
        np.testing.assert_allclose(roots, clamped_modes(2, TIP.relative(DENSITY * q[2], q[2])).b, rtol=1e-7)
    balance = run.energy[:, 0] + run.energy[:, 1] - run.energy[:, 2]
    assert np.ptp(balance) < 1e-7
    out = run["slide.displacement"]
    np.testing.assert_allclose(run.energy[:, 2], 20.0 * (out - out[0]), atol=1e-7)


def test_linear_model_is_the_one_of_small_motions() -> None:
    """Its rates against differences of the motion along closed states; roots are no states of it."""
    dae = fb.assemble(strut("ode"))
    point = fb.equilibrium(dae, {"slide.displacement": 0.8})
    lin = fb.linearize(dae, point)
    assert not any("beta" in name for name in lin.states)
    step, moved = 1e-5, []
    for sign in (1, -1):
        values = dict(zip(lin.states, point.x[[dae.x.index(name) for name in lin.states]], strict=True))
        values["slide.displacement"] += sign * step
        values["slide.bending_y[1]"] -= sign * step
        x, _ = consistent_state(dae, values, dae.p.start, "test")
        moved.append(dae.forward_dynamics(x, point.u, []).full().ravel())
    rates = (moved[0] - moved[1]) / (2 * step)
    along = {"slide.displacement": 1.0, "slide.bending_y[1]": -1.0}
    direction = np.array([along.get(name, 0.0) for name in lin.states])
    expected = [rates[dae.x.index(name)] for name in lin.states]
    np.testing.assert_allclose(lin.A @ direction, expected, rtol=0, atol=1e-5 * np.abs(expected).max())


def test_a_beam_that_is_nearly_pushed_in_closes_its_loop() -> None:
    """Its neighbours, by which the independent closures are known, would be pushed in farther than it can be."""
    angle = 0.1
    dae = fb.assemble(strut("ode", start=angle))
    out = np.hypot(0.9 - 0.8 * np.cos(angle), 0.8 * np.sin(angle))  # of the triangle of hinges
    assert dae.x.start[dae.x.index("slide.displacement")] == pytest.approx(out, abs=1e-9)
    assert dae.x.start[dae.x.index("a.angle")] == angle
    assert len(dae.tree.loops.multipliers) == 3


def test_an_extension_is_the_motion_of_a_joint() -> None:
    """Though a beam is stiffer, the less of it is out: it closes loops before anything bends."""
    dae = fb.assemble(strut("ode"))
    bends = {name for name, bent in zip(dae.q_names, deforming(dae), strict=True) if bent}
    assert bends == {"slide.bending_y[1]", "slide.bending_y[2]"}
